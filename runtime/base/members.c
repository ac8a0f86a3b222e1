/* members.c - replaces options in messages by members of structures. */
#include "base/members.h"
#include "base/part_option.h"

#include <stdatomic.h>

/* The replacements of options that set no member of pen_run_options. The first entry that fits is used. */
static const struct {
    const char *option, *member;
} table[] = {
    { "--comm=:explain", "pen_run_options.debug.explain" },
    { "--generate", "pen_graph_generate" },
    { "--graph=FILE:chaco", "pen_read_options.dialect" },
    { "--graph=FILE:directed", "pen_read_options.directed" },
    { "--graph=FILE:load", "pen_read_options.load_weight" },
    { "--graph", "pen_graph_read" },
    { "--resume", "pen_run_load" },
    { "--verify", "pen_run_verify" },
};

static atomic_bool members_are_hidden;
static _Atomic(pen_option_at *) option_at;

void pen_members_of(pen_option_at *at) { atomic_store(&option_at, at); }

void pen_members_hide(bool hidden) { atomic_store(&members_are_hidden, hidden); }

static bool in_name(char c) { return (c >= 'a' && c <= 'z') || c == '-'; }

/* The length of the option if `at` begins with it, else 0. */
static size_t begins(const char *at, const char *option)
{
    const size_t length = strlen(option);
    return strncmp(at, option, length) == 0 && !in_name(at[length]) ? length : 0;
}

/* Print the member for the option at the beginning of `at`. Returns the length of the option; 0: there is none. */
static size_t name_member(const char *at, char *member, size_t room)
{
    size_t length;
    if (strncmp(at, "--", 2) != 0) return 0;
    for (int i = 0; i < PEN_COUNT_OF(table); i++) {
        length = begins(at, table[i].option);
        if (length > 0) return snprintf(member, room, "%s", table[i].member), length;
    }
    const pen_part_option *o;
    pen_option_at *run_option = atomic_load(&option_at);
    for (int i = 0; run_option && (o = run_option(i)); i++) {
        length = o->name && o->member ? begins(at + 2, o->name) : 0;
        if (length > 0) return snprintf(member, room, "pen_run_options.%s", o->member), length + 2;
    }
    return 0;
}

void pen_members_name(const char *message, char *named, size_t room)
{
    const bool hidden = atomic_load(&members_are_hidden);
    size_t used = 0;
    while (*message && used + 1 < room) {
        char member[64] = { *message };
        const size_t length = hidden ? 0 : name_member(message, member, sizeof member);
        size_t count = strlen(member);
        if (count > room - 1 - used) count = room - 1 - used;
        memcpy(named + used, member, count);
        used += count;
        message += length > 0 ? length : 1;
    }
    named[used] = '\0';
}

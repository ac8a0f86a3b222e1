/* members.c - replaces options in messages by members of structures. */
#include "base/members.h"

#include <stdatomic.h>
#include <string.h>

/* The options and their members. The first entry that fits is used. */
static const struct {
    const char *option, *member;
} table[] = {
    { "--accept", "pen_run_options.checkpoint.accept" },
    { "--balance-cost", "pen_run_options.balance.call_cost" },
    { "--balance-when", "pen_run_options.balance.when" },
    { "--balancer", "pen_run_options.balance.balancer" },
    { "--check", "pen_run_options.debug.strict" },
    { "--checkpoint", "pen_run_options.checkpoint.folder" },
    { "--checkpoint-before", "pen_run_options.checkpoint.before" },
    { "--checkpoint-every", "pen_run_options.checkpoint.every_steps" },
    { "--comm=:explain", "pen_run_options.debug.explain" },
    { "--comm", "pen_run_options.transport" },
    { "--generate", "pen_graph_generate" },
    { "--graph=FILE:chaco", "pen_read_options.dialect" },
    { "--graph=FILE:directed", "pen_read_options.directed" },
    { "--graph=FILE:load", "pen_read_options.load_weight" },
    { "--graph", "pen_graph_read" },
    { "--input", "pen_run_options.input" },
    { "--load", "pen_run_options.balance.load" },
    { "--machine", "pen_run_options.machine" },
    { "--migrate-random", "pen_run_options.debug.migrate_part" },
    { "--observables", "pen_run_options.output.observables" },
    { "--order", "pen_run_options.order" },
    { "--output", "pen_run_options.output.path" },
    { "--output-every", "pen_run_options.output.every" },
    { "--output-fields", "pen_run_options.output.fields" },
    { "--partitioner", "pen_run_options.partitioner" },
    { "--record", "pen_run_options.output.record" },
    { "--resume", "pen_run_load" },
    { "--seed", "pen_run_options.seed" },
    { "--steps", "pen_run_options.steps" },
    { "--until", "pen_run_options.until" },
    { "--verify", "pen_run_verify" },
    { "--watchdog", "pen_run_options.debug.watchdog" },
};

static atomic_bool members_are_hidden;

void pen_members_hide(bool hidden) { atomic_store(&members_are_hidden, hidden); }

static bool in_name(char c) { return (c >= 'a' && c <= 'z') || c == '-'; }

/* The member for the option at the beginning of `at`; NULL: there is no such option. */
static const char *member_at(const char *at, size_t *length)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        *length = strlen(table[i].option);
        if (strncmp(at, table[i].option, *length) == 0 && !in_name(at[*length])) return table[i].member;
    }
    return NULL;
}

void pen_members_name(const char *message, char *named, size_t room)
{
    const bool hidden = atomic_load(&members_are_hidden);
    size_t used = 0;
    while (*message && used + 1 < room) {
        size_t length;
        const char *member = hidden ? NULL : member_at(message, &length);
        if (!member) length = 1;
        const char *from = member ? member : message;
        size_t count = member ? strlen(member) : 1;
        if (count > room - 1 - used) count = room - 1 - used;
        memcpy(named + used, from, count);
        used += count;
        message += length;
    }
    named[used] = '\0';
}

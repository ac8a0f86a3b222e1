/* names.c - numbers names. */
#include "tools/graph/names.h"
#include "base/hash.h"
#include "base/scanner.h"

#include <stdlib.h>

/* The slot of a name, or the free slot for it. */
static int64_t *find(const name_table *names, const char *name)
{
    for (uint64_t at = pen_hash_bytes(name, strlen(name));; at++) {
        int64_t *slot = &names->slots[at & (uint64_t)(names->slot_count - 1)];
        if (*slot == 0 || strcmp(pen_names_get(names, *slot - 1), name) == 0) return slot;
    }
}

static pen_status grow(name_table *names)
{
    int64_t *before = names->slots, count = names->slot_count ? 2 * names->slot_count : 1024;
    PEN_TRY(PEN_ALLOC_ZERO(&names->slots, count));
    names->slot_count = count;
    free(before);
    for (int64_t i = 0; i < names->count; i++) *find(names, pen_names_get(names, i)) = i + 1;
    return PEN_OK;
}

pen_status pen_names_add(name_table *names, const char *name, int64_t *number)
{
    if (2 * names->count >= names->slot_count) {
        name_table grown = *names; /* names are added to a copy, so that *names is unchanged if memory is exhausted */
        PEN_TRY(grow(&grown));
        *names = grown;
    }
    int64_t *slot = find(names, name), size = (int64_t)strlen(name) + 1;
    if (*slot == 0) {
        PEN_TRY(pen_reserve(&names->begins, sizeof *names->begins, names->count + 1, &names->begin_room));
        PEN_TRY(pen_reserve(&names->text, 1, names->length + size, &names->text_room));
        memcpy(names->text + names->length, name, (size_t)size);
        names->begins[names->count++] = names->length;
        names->length += size;
        *slot = names->count;
    }
    *number = *slot - 1;
    return PEN_OK;
}

static bool is_digits(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits <= PEN_SCANNER_DIGITS && text[digits] == '\0';
}

pen_status pen_names_integers(const name_table *names, int64_t **integers)
{
    *integers = NULL;
    for (int64_t i = 0; i < names->count; i++)
        if (!is_digits(pen_names_get(names, i))) return PEN_OK;
    PEN_TRY(PEN_ALLOC(integers, names->count));
    for (int64_t i = 0; i < names->count; i++) (*integers)[i] = strtoll(pen_names_get(names, i), NULL, 10);
    return PEN_OK;
}

void pen_names_give(name_table *names, file_graph *g)
{
    g->names = names->text;
    g->name_begins = names->begins;
    g->base = 0;
    names->text = NULL;
    names->begins = NULL;
    pen_names_free(names);
}

void pen_names_free(name_table *names)
{
    PEN_FREE_ALL(names->begins, names->text, names->slots);
    *names = (name_table){ 0 };
}

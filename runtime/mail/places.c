/* places.c - a table of the places of nodes by gid. */
#include "mail/places.h"

#include <stdlib.h>

pen_status pen_place_table_open(pen_place_table *p, int64_t count, int shift)
{
    pen_place_table_free(p);
    p->shift = shift;
    p->size = 1024;
    while (p->size < 2 * (count >> shift)) p->size *= 2;
    return PEN_ALLOC_ZERO(&p->table, p->size);
}

void pen_place_table_free(pen_place_table *p)
{
    PEN_FREE_ALL(p->table, p->places);
    *p = (pen_place_table){ .table = NULL };
}

static pen_status widen(pen_place_table *p)
{
    pen_place_table wider = *p;
    wider.size = 2 * p->size;
    PEN_TRY(PEN_ALLOC_ZERO(&wider.table, wider.size));
    for (int64_t i = 0; i < p->size; i++)
        if (p->table[i].key) *pen_place_table_entry(&wider, p->table[i].key) = p->table[i];
    free(p->table);
    *p = wider;
    return PEN_OK;
}

pen_status pen_place_table_add(pen_place_table *p, pen_gid gid, int64_t **place)
{
    const uint64_t key = ((uint64_t)gid >> p->shift) + 1;
    const int64_t length = INT64_C(1) << p->shift;
    pen_place_page *page = pen_place_table_entry(p, key);
    if (!page->key) {
        PEN_TRY(pen_reserve(&p->places, sizeof *p->places, (p->pages + 1) * length, &p->room));
        if (2 * p->pages >= p->size) PEN_TRY(widen(p));
        page = pen_place_table_entry(p, key);
        *page = (pen_place_page){ key, p->pages++ };
        for (int64_t i = 0; i < length; i++) p->places[(page->page << p->shift) + i] = PEN_PLACE_UNKNOWN;
    }
    *place = &p->places[(page->page << p->shift) + (gid & (length - 1))];
    return PEN_OK;
}

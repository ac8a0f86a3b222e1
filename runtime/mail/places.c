/* places.c - a table of the places of nodes by gid. */
#include "mail/places.h"

#include <stdlib.h>

static pen_status allocate(pen_place_table *p, int bits)
{
    p->bits = bits;
    return PEN_ALLOC_ZERO(&p->table, INT64_C(1) << bits);
}

pen_status pen_place_table_open(pen_place_table *p, int64_t count, int shift)
{
    int bits = 10;
    pen_place_table_free(p);
    p->shift = shift;
    while (INT64_C(1) << bits < 2 * (count >> shift)) bits++;
    return allocate(p, bits);
}

void pen_place_table_free(pen_place_table *p)
{
    PEN_FREE_ALL(p->table, p->places);
    *p = (pen_place_table){ .table = NULL };
}

static pen_status widen(pen_place_table *p)
{
    pen_place_table wider = *p;
    PEN_TRY(allocate(&wider, p->bits + 1));
    for (int64_t i = 0; i < INT64_C(1) << p->bits; i++)
        if (p->table[i].key) *pen_place_table_entry(&wider, p->table[i].key) = p->table[i];
    free(p->table);
    *p = wider;
    return PEN_OK;
}

static pen_status add_page(pen_place_table *p, uint64_t key)
{
    const int64_t length = INT64_C(1) << p->shift;
    PEN_TRY(pen_reserve(&p->places, sizeof *p->places, (p->pages + 1) * length, &p->room));
    if (2 * p->pages >= INT64_C(1) << p->bits) PEN_TRY(widen(p));
    for (int64_t i = 0; i < length; i++) p->places[(p->pages << p->shift) + i] = PEN_PLACE_UNKNOWN;
    *pen_place_table_entry(p, key) = (pen_place_page){ key, ~p->pages };
    p->pages++;
    return PEN_OK;
}

/* Whether the places of a page ascend one by one. */
static bool ascends(const int64_t *places, int64_t length)
{
    if (places[0] < 0 || places[length - 1] != places[0] + length - 1) return false;
    for (int64_t i = 1; i < length; i++)
        if (places[i] != places[0] + i) return false;
    return true;
}

pen_status pen_place_table_set(pen_place_table *p, pen_gid gid, int64_t place)
{
    const uint64_t key = ((uint64_t)gid >> p->shift) + 1;
    const int64_t length = INT64_C(1) << p->shift;
    if (!pen_place_table_entry(p, key)->key) PEN_TRY(add_page(p, key));
    pen_place_page *page = pen_place_table_entry(p, key);
    PEN_INVARIANT(page->at < 0);
    int64_t *places = p->places + (~page->at << p->shift);
    places[gid & (length - 1)] = place;
    if (ascends(places, length)) page->at = places[0];
    return PEN_OK;
}

/* place_map.c - maps the nodes of a record to places. */
#include "workload/place_map.h"

pen_status pen_place_map_create(pen_place_map *p)
{
    *p = (pen_place_map){ .gids = NULL };
    return pen_pages_create(0, &p->of);
}

void pen_place_map_free(pen_place_map *p)
{
    pen_pages_destroy(&p->of);
    PEN_FREE_ALL(p->gids, p->holes);
    *p = (pen_place_map){ .gids = NULL };
}

pen_status pen_place_map_enter(pen_place_map *p, pen_gid gid, int32_t *place)
{
    bool fills = p->hole_count > 0;
    if (!fills && p->count == INT32_MAX) return pen_fail(PEN_ERR_UNSUPPORTED, "a record of 2^31 nodes and more");
    if (!fills) PEN_TRY(pen_reserve(&p->gids, sizeof *p->gids, (int64_t)p->count + 1, &p->room));
    *place = fills ? p->holes[p->hole_count - 1] : p->count;
    PEN_TRY(pen_pages_set(p->of, gid, (uint64_t)*place));
    if (fills) p->hole_count--;
    else p->count++;
    p->gids[*place] = gid;
    return PEN_OK;
}

pen_status pen_place_map_leave(pen_place_map *p, int32_t place)
{
    PEN_TRY(pen_reserve(&p->holes, sizeof *p->holes, p->hole_count + 1, &p->hole_room));
    pen_pages_remove(p->of, p->gids[place]);
    p->gids[place] = -1;
    p->holes[p->hole_count++] = place;
    return PEN_OK;
}

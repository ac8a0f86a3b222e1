/* place_map.h - which node of a record is where (workload.h). All Local. */
#pragma once

#include "directory/pages.h"

typedef struct pen_place_map {
    pen_gid *gids; /* [count] -1: a hole */
    int32_t count;
    int64_t room;
    int32_t *holes; /* [hole_count] the last one is taken first */
    int64_t hole_count, hole_room;
    pen_pages *of; /* gid -> place */
} pen_place_map;

/* PEN_ERR_MEMORY. On failure there may be something to free. */
PEN_CHECKED pen_status pen_place_map_create(pen_place_map *places);
void pen_place_map_free(pen_place_map *places);

/* The place of a node, -1: it is not there. */
static inline int32_t pen_place_map_find(const pen_place_map *places, pen_gid gid)
{
    const uint64_t *place = gid >= 0 ? pen_pages_find(places->of, gid) : NULL;
    return place ? (int32_t)*place : -1;
}

/* Add a node that is absent, or remove one that is present; *place is its place. PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED.
 */
PEN_CHECKED pen_status pen_place_map_enter(pen_place_map *places, pen_gid gid, int32_t *place);
PEN_CHECKED pen_status pen_place_map_leave(pen_place_map *places, int32_t place);

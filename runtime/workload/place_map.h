/* place_map.h - maps the nodes of a record to places, and places to nodes (workload.h). All Local. */
#pragma once

#include "directory/pages.h"

typedef struct pen_place_map {
    pen_gid *gids; /* [count] gid of the node in each place; -1: a hole */
    int32_t count;
    int64_t room;
    int32_t *holes; /* [hole_count] places without nodes; the last one is filled first */
    int64_t hole_count, hole_room;
    pen_pages *of; /* maps a gid to its place */
} pen_place_map;

/* Make an empty map. PEN_ERR_MEMORY. Call pen_place_map_free also after a failure. */
PEN_CHECKED pen_status pen_place_map_create(pen_place_map *places);
void pen_place_map_free(pen_place_map *places);

/* The place of a node; -1: the node does not exist. */
static inline int32_t pen_place_map_find(const pen_place_map *places, pen_gid gid)
{
    const uint64_t *place = gid >= 0 ? pen_pages_find(places->of, gid) : NULL;
    return place ? (int32_t)*place : -1;
}

/* Add a node that does not exist, or remove one that exists; *place becomes its place. PEN_ERR_MEMORY,
 * PEN_ERR_UNSUPPORTED. */
PEN_CHECKED pen_status pen_place_map_enter(pen_place_map *places, pen_gid gid, int32_t *place);
PEN_CHECKED pen_status pen_place_map_leave(pen_place_map *places, int32_t place);

/* helpers.h - what peers do for algorithms without talking to anybody (penumbra_plugin.h). */
#pragma once

#include "base/sparse.h"

/* What a rank has grouped last. */
typedef struct pen_grouped {
    pen_blocks blocks;
    pen_parcels parcels; /* the same */
} pen_grouped;

/* Local. Those of pen_peers. */
PEN_CHECKED pen_status pen_grouped_make(pen_grouped *grouped, int64_t count, const int *to, const void *records,
                                        size_t size, int64_t *order, const pen_parcels **parcels);
int pen_neighbor_ranks(const pen_load_view *view, int *ranks);

/* places.h - the positions of nodes in space. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

typedef struct pen_places {
    int dimensions;
    const double *at; /* [count*dimensions] places, node by node: the view's, or computed ones */
    double *computed; /* the computed places, owned, or NULL */
} pen_places;

/* Local. Find the places of a view's own nodes: its coordinates, or those implied by the gids of a grid. On failure
 * *places is empty. PEN_ERR_UNSUPPORTED (there are neither; the same on all ranks), PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_places_find(const pen_load_view *view, pen_places *places);
void pen_places_free(pen_places *places);

/* Collective. Find the bounding box of all nodes, [dimensions]; low > high if there are no nodes. Errors: those of
 * peers. */
PEN_CHECKED pen_status pen_places_box(const pen_places *places, pen_lid count, pen_peers *peers, double low[3],
                                      double high[3]);

/* Local. The position of a place on the Hilbert curve through the box, [dimensions]. The curve fills a cube. The box is
 * stretched along its shorter sides to fill a half, a quarter, ... of the cube, which makes pieces of the curve at most
 * twice as long as wide. */
uint64_t pen_places_hilbert(const pen_places *places, pen_lid node, const double low[3], const double high[3]);

/* Local. Sort a view's own nodes along the Hilbert curve through the box around them: order[k], [view->count], becomes
 * the node in place k. PEN_ERR_UNSUPPORTED, PEN_ERR_MEMORY, as pen_places_find. */
PEN_CHECKED pen_status pen_places_order(const pen_load_view *view, pen_lid *order);

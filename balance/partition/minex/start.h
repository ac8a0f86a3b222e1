/* start.h - where vertices are at first, on the coarsest level. */
#ifndef PEN_MINEX_START_H
#define PEN_MINEX_START_H

#include "partition/minex/placement.h"

/* Local. part[v] in [0, processors): regions of about as much work as their processors are fast, one after the other.
 * Each grows by the vertex that shares most with it, less what it shares with vertices that have no part yet; it begins
 * with the one that shares most with all parts, by the same measure. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_minex_grow(const pen_minex_graph *graph, const pen_machine *machine, int32_t *part);

/* Local. Place what is nowhere: heaviest first, each where its new load and what others' change by is least. Of
 * processors that no neighbour is on, the least loaded of each cluster is looked at. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_minex_place(placement *p);

#endif

/* segments.h - the edges of a graph as lines between points. */
#pragma once

#include "output/sequence.h"

/* Collective. Get data of this rank's shadows from their owners: shadows[i], of `bytes` bytes, becomes the bytes at
 * from + s * stride on the owner, where s is the node's slot. mine: this rank's status so far. PEN_ERR_MEMORY,
 * PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_shadows_learn(pen_comm *comm, pen_status mine, const pen_store *store,
                                         const unsigned char *from, size_t stride, size_t bytes,
                                         unsigned char *shadows);

/* Local. Make the lists of lines: an undirected edge is a line from its end with the lower gid, an arc is a line from
 * the node that reads. points [owned+shadows] are the numbers of the nodes' points. The caller frees *lists by
 * pen_segments_forget, also after a failure. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_segments_draw(const pen_store *store, const int64_t *points, pen_lists *lists);
void pen_segments_forget(pen_lists *lists);

/* phases.h - what a step of an N-body run does (nbody.h), and what it tells at its end. Local, unless it says
 * otherwise. */
#pragma once

#include "apps/nbody/records.h"

/* forces.c, where leaves see others. look, once for each level: what is close, and the forces of what is far; connect:
 * close leaves become neighbours, and what is no cell any more goes; pull: the forces of close bodies. */
void pen_nbody_want_open(const pen_view *v, pen_wishes *wishes);
void pen_nbody_look(const pen_view *v);
void pen_nbody_connect(const pen_view *v, pen_changes *changes);
void pen_nbody_pull(const pen_view *v);

/* sums.c, where cells follow from their children. sum, once for each level, the deepest first; merge: cells with few
 * bodies become leaves. */
void pen_nbody_want_small(const pen_view *v, pen_wishes *wishes);
void pen_nbody_sum(const pen_view *v);
void pen_nbody_want_below(const pen_view *v, pen_wishes *wishes);
void pen_nbody_merge(const pen_view *v);

/* moves.c, where bodies move, and come to other leaves, which are split where they are too many. drift; hop, once for
 * each level: in which cell is a body now? call: who gets bodies reads those who have them; settle. */
void pen_nbody_drift(const pen_view *v);
void pen_nbody_look_down(const pen_view *v, pen_wishes *wishes);
void pen_nbody_hop(const pen_view *v);
void pen_nbody_call(const pen_view *v, pen_changes *changes);
void pen_nbody_settle(const pen_view *v, pen_changes *changes);

/* Collective: pen_app.graph.saved_rows, the leaves of a step as a graph of their own, which the paper's partitioners
 * get. All rows are rank 0's, for which it gathers all places.
 *
 * Leaves are numbered from 0 in the order in which one comes to them from the root, the lower half of x first, then of
 * y, then of z, as those of tests/bench/papers are. A leaf's weight is PWgt (pen_nbody_interactions), its size RWgt,
 * the number of its bodies; it reads the close leaves, and an arc's weight is CWgt, the bodies that are read. Leaves
 * without close ones have no arcs. */
const char *pen_nbody_leaves(pen_run *run, void *params, pen_csr *mine);

/* Free what is in *rows; it is empty afterwards. */
void pen_nbody_rows_free(nbody_rows *rows);

/* Collective: pen_app.output.write. How good forces are, and memory. */
pen_status pen_nbody_output(pen_run *run, int64_t step, void *params, FILE *out);

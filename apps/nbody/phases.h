/* phases.h - the phases of a step of an N-body run (nbody.h), and its output. Local, unless it says otherwise. */
#pragma once

#include "apps/nbody/records.h"

/* forces.c: look, once for each level, finds close cells and adds up the forces of far ones; connect makes close leaves
 * neighbours and removes cells that no longer exist; pull adds up the forces of close bodies. */
void pen_nbody_want_open(const pen_view *v, pen_requests *requests);
void pen_nbody_look(const pen_view *v);
void pen_nbody_connect(const pen_view *v, pen_changes *changes);
void pen_nbody_pull(const pen_view *v);

/* sums.c: sum, once for each level, the deepest first, adds up the children of cells; merge turns cells with few bodies
 * into leaves. */
void pen_nbody_want_small(const pen_view *v, pen_requests *requests);
void pen_nbody_sum(const pen_view *v);
void pen_nbody_want_below(const pen_view *v, pen_requests *requests);
void pen_nbody_merge(const pen_view *v);

/* moves.c: drift moves the bodies, and sends those that leave their leaf to a cell that contains them; hop, once for
 * each level, sends them down to their new leaf, or the cell that will have it; settle takes them in, and splits leaves
 * with too many. */
void pen_nbody_drift(const pen_view *v);
void pen_nbody_hop(const pen_view *v);
void pen_nbody_settle(const pen_view *v, pen_changes *changes);

/* Collective. For pen_app.graph.saved_rows: the leaves of a step as a graph for partitioners. Rank 0
 * gathers all places, and has all rows.
 *
 * Leaves are numbered from 0 in depth-first order, the lower half of x first, then of y, then of z, as in
 * tests/bench/papers. A leaf's weight is PWgt (pen_nbody_interactions), its size is RWgt, the number of its bodies; its
 * neighbours are the close leaves, and an arc's weight is CWgt, the number of bodies read. */
const char *pen_nbody_leaves(pen_run *run, void *params, pen_csr *mine);

/* Allocate the arrays that both graphs have, with first[0] = 0; false: memory is exhausted. pen_nbody_rows_free empties
 * *rows. */
bool pen_nbody_rows_reserve(nbody_rows *rows, int64_t count, int64_t arcs);
void pen_nbody_rows_free(nbody_rows *rows);

/* Collective. Print the error of forces, and memory; for pen_app.output.write. */
pen_status pen_nbody_output(pen_run *run, int64_t step, void *params, FILE *out);

/* leaves.h - the leaves of a step as a graph of their own, which the paper's partitioners get: G. */
#ifndef NBODY_LEAVES_H
#define NBODY_LEAVES_H

#include "apps/nbody/settings.h"

#include <penumbra.h>

/* Collective: pen_app.saved_rows. All rows are rank 0's, for which it gathers all places.
 *
 * Leaves are numbered from 0 in the order in which one comes to them from the root, the lower half of x first, then of
 * y, then of z, as those of tests/bench/papers are. A leaf's weight is PWgt (pen_nbody_interactions), its size RWgt,
 * the number of its bodies; it reads the close leaves, and an arc's weight is CWgt, the bodies that are read. Leaves
 * without close ones have no arcs. */
const char *pen_nbody_leaves(pen_run *run, void *params, pen_csr *mine);

/* Local. Free what is in *rows; it is empty afterwards. */
void pen_nbody_rows_free(nbody_rows *rows);

#endif

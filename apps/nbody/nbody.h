/* nbody.h - bodies under gravity, by Barnes and Hut's method, on a graph that is rebuilt in every step: the solver of
 * D. J. Harvey, S. K. Das, R. Biswas, Performance of a heterogeneous grid partitioner for N-body applications.
 *
 * The computation is defined to the bit. All arithmetic is in double, in the written order; sums begin at 0.
 *
 * Cells. The cube from -H to H in each direction, H a power of two, is the cell of level 0. A cell has eight children
 * of half its side; child j is on the upper side in x, y, z if bit 0, 1, 2 of j is set. A body at x is in column
 * floor((x + H) * (2^19 / H)) of the 2^20 of the deepest level, y and z likewise; all three must be below 2^20. It is
 * in cell (l, i, j, k) if these columns, shifted right by 20 - l, are i, j, k. The gid of a cell is 8^l + the Morton
 * code of i (lowest bits), j, k.
 *
 * Tree. A cell of more than CellMax bodies is split; a cell without bodies does not exist. Leaves have 1 to CellMax
 * bodies, in the order of their numbers; the deepest level is 20. All cells of the tree are nodes.
 *
 * Masses and places of cells. Leaf: mass = sum of m; centre = (sum of m * x) / mass; box: that of its bodies. Inner
 * cell, from its children in the order of j: mass = sum of masses; centre = (sum of mass * centre) / mass; box: the
 * union. size2 = dx * dx + dy * dy + dz * dz of the box's sides.
 *
 * Close and far. Cell w is close to leaf v if it is v or contains v, or if w.size2 >= (delta * delta) * d2, where d2 =
 * dx * dx + dy * dy + dz * dz of the centres' difference. The root is visited; so are the children of close inner
 * cells. v's bodies interact with each visited far cell as a single body, and with the bodies of close leaves,
 * including v, one by one. v reads the other close leaves: they are its neighbours. An inner cell also has its children
 * as neighbours.
 *
 * Forces. Each body adds up, in this order: far cells, in ascending order of their gids; the other bodies of its leaf
 * in their order; those of the other close leaves, leaves in ascending order of gids. A source at X with mass M acts on
 * a body at x as follows, with d = X - x in each direction, r = 1 / sqrt(dx * dx + dy * dy + dz * dz + softening *
 * softening), g = M * r. It adds -g to the potential, and ((g * r) * r) * d to the acceleration in each direction.
 *
 * Steps. The first one computes the forces at the initial places. Each later one, with h = dt / 2: v = v + a * h; x = x
 * + v * dt; the tree of the new places; forces; v = v + a * h.
 *
 * A dump has a line per node, with single blanks and reals as %a prints them. Leaf: "leaf N FAR K", K gids that it
 * reads, ascending, and for each of the N bodies "ID x y z vx vy vz ax ay az potential". FAR is the number of its far
 * cells. Inner cell: "cell BODIES mass x y z size2 K" and K gids. */
#pragma once

#include "apps/nbody/settings.h"

#include <penumbra.h>

/* Make the application with these settings. */
pen_app pen_nbody_app(nbody *s);

/* Free the memory that .rows and .setup allocated. */
void pen_nbody_free(nbody *s);

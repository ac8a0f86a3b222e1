/* nbody.h - bodies under gravity, by Barnes and Hut's method, on a graph that is rebuilt in every step: the solver of
 * D. J. Harvey, S. K. Das, R. Biswas, Performance of a heterogeneous grid partitioner for N-body applications.
 *
 * What is computed, to the bit; all arithmetic in double, in the order written, sums beginning at 0.
 *
 * Cells. The cube from -H to H in each direction, H a power of two, is the cell of level 0; a cell has eight children
 * of half its side, child j on the upper side in x, y, z where bit 0, 1, 2 of j is set. A body at x is in column
 * floor((x + H) * (2^19 / H)) of the 2^20 of the deepest level, y and z likewise; and so in cell (l, i, j, k), if these
 * columns, shifted right by 20 - l, are i, j, k; none of them may be beyond the 2^20. The gid of a cell is 8^l + the
 * Morton code of i (lowest bits), j, k.
 *
 * Tree. A cell of more than CellMax bodies is split; a cell without bodies is none. Leaves have 1 to CellMax bodies,
 * which come in the order of their numbers; no leaf is deeper than level 20. All cells of the tree are nodes.
 *
 * Masses and places of cells. Of a leaf: mass = sum of m; centre = (sum of m * x) / mass; box: that of its bodies. Of
 * others, from their children in the order of j: mass = sum of masses; centre = (sum of mass * centre) / mass; box: the
 * union. size2 = dx * dx + dy * dy + dz * dz of the box's sides.
 *
 * Close and far. From leaf v, cell w is close, if it is v or contains it, or if w.size2 >= (delta * delta) * d2, d2 =
 * dx * dx + dy * dy + dz * dz of the centres' difference. The root is visited; the children of close cells are visited
 * that are no leaves. v's bodies see far cells among those that are visited as single bodies, and the bodies of close
 * leaves, v among them, one by one. v reads close leaves, v excepted: they are its neighbours, besides which a cell
 * that is no leaf has its children as neighbours.
 *
 * Forces. Each body adds up, in this order: far cells, in ascending order of their gids; the other bodies of its leaf
 * in their order; those of the other close leaves, leaves in ascending order of gids. What is at X with mass M adds to
 * a body at x: with d = X - x in each direction, r = 1 / sqrt(dx * dx + dy * dy + dz * dz + softening * softening), g =
 * M * r, to the potential -g, to the acceleration in each direction ((g * r) * r) * d.
 *
 * Steps. The first one computes the forces where the bodies are. Each later one, with h = dt / 2: v = v + a * h;
 * x = x + v * dt; the tree as the bodies now are; forces; v = v + a * h.
 *
 * A dump has of a leaf "leaf N FAR K", K gids that it reads, ascending, and of each of the N bodies "ID x y z vx vy vz
 * ax ay az potential"; of others "cell BODIES mass x y z size2 K", K gids; FAR: how many far cells it sees; K counts
 * gids; in one line with single blanks, reals as %a prints them. */
#pragma once

#include "apps/nbody/settings.h"

#include <penumbra.h>

/* The application with these settings. */
pen_app pen_nbody_app(nbody *s);

/* What .rows and .setup made of the settings is freed. */
void pen_nbody_free(nbody *s);

/* binary.h - Penumbra's binary graph format, version 1.
 *
 *     header     200 bytes
 *     sections   arrays of 8-byte words, one after the other in the order below, without gaps
 *
 * All numbers are in the byte order of the machine that wrote the file, integers in two's complement,
 * reals IEEE 754. Words are 64-bit signed integers where nothing else is said.
 *
 *     header, at byte
 *       0   8 bytes            magic: 89 50 45 4E 0D 0A 1A 0A ("\x89PEN\r\n\x1A\n": not text, and
 *                              damaged by whatever translates line ends)
 *       8   32 bits unsigned   byte order: 0x01020304
 *      12   32 bits unsigned   version: 1
 *      16   word               flags: 1 directed, 2 gids, 4 node sizes, 8 edge weights; 16 times the
 *                              kind of the grid (1 square, 2 hexagons, 3 torus; 0: none, or not known);
 *                              others are 0
 *      24   word               nodes, n >= 1
 *      32   word               arcs, m: neighbours of all rows (an undirected edge counts twice)
 *      40   word               weights per node, w >= 0
 *      48   word               dimensions of the coordinates, d: 0 (none) to 3
 *      56   2 words            width and height of a grid: their product divides n, and is n but for
 *                              the layers of squares and tori; or both 0
 *      72   word               size of the file in bytes
 *      80   7 words            for each section, the byte at which it begins (also where it is empty)
 *     136   7 words unsigned   for each section, its checksum
 *     192   word unsigned      checksum of the words before, the header's first 192 bytes
 *
 *     section          words
 *     0 gids           n where flag 2, else none: gids are 0..n-1
 *     1 rows           n+1   row i's arcs are rows[i] .. rows[i+1]-1; rows[0] = 0, rows[n] = m
 *     2 neighbors      m     gids
 *     3 node weights   n*w   node by node
 *     4 node sizes     n where flag 4, else none
 *     5 edge weights   m where flag 8, else none
 *     6 coordinates    n*d   doubles, node by node
 *
 * A checksum is the sum over the words of a section, i = 0, 1, ..., of mix(word[i] + i * C) modulo 2^64, where
 * C = 0x9E3779B97F4A7C15 and mix is pen_mix (penumbra_random.h). So every rank can sum its own share, in any
 * split; and as mix is a bijection no change of a single word goes unnoticed, others with a chance of 2^-64.
 *
 * What the rows, neighbours and weights must be to make a graph is the same as for text, and is checked by
 * the same validation. */
#pragma once

#include "graph/graph.h"

/* Local. Whether the file begins like a binary graph, which may be damaged; false if it cannot be read. */
bool pen_binary_recognise(const char *path);

/* Collective. Like pen_graph_read and pen_graph_write, for files of this format. Errors name the file. */
PEN_CHECKED pen_status pen_binary_read(MPI_Comm comm, const char *path, const pen_read_options *options,
                                       pen_graph **graph);
PEN_CHECKED pen_status pen_binary_write(const pen_graph *graph, const char *path);

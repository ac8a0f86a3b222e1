/* settings.h - the fields of a cell, and the options of the command line. */
#pragma once

#include "apps/shock/mesh.h"

#include <penumbra.h>

enum { TILE }; /* the only field, with the record of a cell */
enum { SHOCK_MOST_MOVES = INT32_MAX };

typedef struct tile {
    int64_t mass;
    cell at;
} tile;

/* The settings; *s must live as long as the runs. */
typedef struct shock {
    int64_t depth, moves; /* options --depth, 0..MESH_DEEPEST, and --moves; moves < 0: three quarters of the columns */
    const char *wave;     /* name of the wave, option --wave */
    mesh mesh;            /* the mesh, set by .setup */
} shock;

/* The number of moves for --moves=asked. */
static inline int64_t pen_shock_moves(int64_t asked, int64_t columns) { return asked < 0 ? columns * 3 / 4 : asked; }

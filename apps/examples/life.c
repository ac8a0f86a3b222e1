/* life - the game of life (J. H. Conway, 1970) on a torus: a cell lives in the next generation if three of its eight
 * neighbours live, or if two do and it lives. The first generation is drawn from --seed.
 *
 * It shows: a graph of the application's own, whose rows each rank makes for its part (.graph.rows), with coordinates
 * for the picture. After some thousand generations most of the board stands still or is empty, and only the rest is
 * computed (pen_run_options.active). */
#include <penumbra.h>

#include <stdlib.h>

typedef struct cell {
    uint8_t alive;
} cell;
enum { CELL };
enum { ALIVE };

typedef struct parameters {
    int64_t width, height;
    double density;
    pen_csr board; /* this rank's part of it */
} parameters;

static void init(const pen_view *v)
{
    const parameters *p = (const parameters *)pen_params(v);
    PEN_NEXT(v, CELL, cell)->alive = pen_random_real(v, 0) < p->density;
}

static void live(const pen_view *v)
{
    int count = 0;
    for (int32_t i = 0; i < pen_degree(v); i++) count += PEN_NEIGHBOR(v, CELL, cell, i)->alive;
    PEN_NEXT(v, CELL, cell)->alive = count == 3 || (count == 2 && PEN_SELF(v, CELL, cell)->alive);
}
PEN_SWEEP(live)

static void observe(const pen_view *v, pen_observation *o)
{
    pen_observe_int(o, ALIVE, PEN_SELF(v, CELL, cell)->alive);
}
PEN_OBSERVE_SWEEP(observe)

/* This rank's part of the board: some of its rows. */
static const char *rows(void *params, const pen_world *world, int rank, pen_csr *mine)
{
    parameters *p = (parameters *)params;
    int64_t first = p->height * rank / world->ranks, last = p->height * (rank + 1) / world->ranks;
    int64_t count = (last - first) * p->width, arc = 0;
    pen_gid *gids = malloc((size_t)count * sizeof *gids), *neighbors = malloc((size_t)(8 * count) * sizeof *neighbors);
    int64_t *ends = malloc((size_t)(count + 1) * sizeof *ends);
    double *places = malloc((size_t)(2 * count) * sizeof *places);
    if (!gids || !neighbors || !ends || !places) return "there is no memory for the board";
    ends[0] = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t x = i % p->width, y = first + i / p->width;
        gids[i] = y * p->width + x;
        places[2 * i] = (double)x;
        places[2 * i + 1] = (double)y;
        for (int64_t k = 0; k < 9; k++) {
            int64_t beside = (x + k % 3 + p->width - 1) % p->width, below = (y + k / 3 + p->height - 1) % p->height;
            if (k != 4) neighbors[arc++] = below * p->width + beside;
        }
        ends[i + 1] = arc;
    }
    p->board = (pen_csr){ .count = (pen_lid)count,
                          .gids = gids,
                          .rows = ends,
                          .neighbors = neighbors,
                          .dimensions = 2,
                          .coordinates = places };
    *mine = p->board;
    return NULL;
}

static const char *setup(void *params, const pen_world *world)
{
    (void)world;
    double density = ((const parameters *)params)->density;
    return density >= 0.0 && density <= 1.0 ? NULL : "--density must be from 0 to 1";
}

int main(int argc, char **argv)
{
    static parameters p = { .width = 64, .height = 64, .density = 0.35 };
    static const pen_option options[] = {
        { "width", "N", "cells in a row (64)", PEN_OPTION_INT, &p.width, 3, 30000 },
        { "height", "N", "rows of cells (64)", PEN_OPTION_INT, &p.height, 3, 30000 },
        { "density", "P", "share of the cells that live at the start (0.35)", PEN_OPTION_REAL, &p.density, 0, 0 },
        { .name = NULL },
    };
    static const pen_field fields[] = { { "cell", sizeof(cell), .plain = true } };
    static const pen_member members[] = { PEN_MEMBER(CELL, cell, alive, PEN_U8) };
    static const pen_phase phases[] = { { "live", .sweep = live_sweep, .reads = PEN_SET(CELL),
                                          .writes = PEN_SET(CELL) } };
    static const pen_observable observables[] = { { "alive", PEN_SUM_INT, 1 } };
    static const pen_app app = { .name = "life",
                                 PEN_FIELDS(fields),
                                 .output = { PEN_MEMBERS(members) },
                                 PEN_PHASES(phases),
                                 PEN_OBSERVABLES(observables, observe_sweep),
                                 .init = init,
                                 .graph.rows = rows,
                                 .options = options,
                                 .params = &p,
                                 .setup = setup,
                                 .checkpoint.may_differ = "steps" };
    return pen_main(&app, argc, argv);
}

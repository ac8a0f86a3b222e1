/* forged_test - checkpoints with valid checksums and impossible records: applications refuse them before use, with a
 * sentence that names a node. The applications themselves write these checkpoints, with other initial records.
 * pen_mpi_test(SOURCES mpi/forged_nbody.c RANKS 1 3 LINK pen_battlefield pen_shock pen_nbody) */
#include "apps/battlefield/battlefield.h"
#include "apps/shock/shock.h"
#include "tests/mpi/forged_case.h"
#include "tests/mpi/forged_nbody.h"
#include "tests/support/world.h"

/* ---- shock --------------------------------------------------------------------------------------- */

static tile made_up;

static void deeper(const pen_view *v)
{
    *PEN_NEXT(v, TILE, tile) = (tile){ MESH_UNIT, { 0, (int32_t)(pen_id(v) % 8), (int32_t)(pen_id(v) / 8) } };
    if (pen_id(v) == 21) *PEN_NEXT(v, TILE, tile) = made_up;
}

static void test_shock(void)
{
    static const tile wrong[] = {
        { MESH_UNIT, { 77, 5, 2 } }, { MESH_UNIT, { -1, 5, 2 } }, { MESH_UNIT, { 0, 6, 2 } },
        { INT64_MAX, { 0, 5, 2 } },  { INT64_MIN, { 0, 5, 2 } },
    };
    shock s = { .depth = 2, .moves = -1, .wave = "cubic" };
    pen_graph *graph = graph_from("mesh:8x6");
    for (int i = 0; i < PEN_COUNT_OF(wrong); i++) {
        made_up = wrong[i];
        try_init(graph, pen_shock_app(&s), deeper, "damaged: impossible values of node 21");
    }
    try_init(graph, pen_shock_app(&s), NULL, NULL);
    pen_graph_destroy(&graph);
}

/* ---- battlefield --------------------------------------------------------------------------------- */

static pen_node_fn *deploy; /* the application's */
static int which;

static void crowd(const pen_view *v)
{
    deploy(v);
    troops *t = PEN_NEXT(v, TROOPS, troops);
    if (pen_id(v) != 9) return;
    t->count[RED] = 1;
    t->units[RED][0] = (unit){ .id = 1, .assets = 1, .objective = NO_HEX };
    if (which == 0) t->count[BLUE] = CAPACITY + 1;
    if (which == 1) t->units[RED][0].type = TYPES;
    if (which == 2) t->units[RED][0].assets = MOST_ASSETS + 1;
    if (which == 3) PEN_NEXT(v, GROUND, ground)->terrain = TERRAINS;
    if (which == 4) PEN_NEXT(v, PRESENCE, presence)->units[BLUE] = CAPACITY + 1;
    if (which == 5) PEN_NEXT(v, GROUND, ground)->direction[2] = NOWHERE + 1;
}

static void test_battlefield(void)
{
    battle b = { BATTLE_DEFAULT };
    pen_graph *graph = graph_from("hex:16x16");
    for (which = 0; which < 6; which++) {
        deploy = pen_battlefield_app(&b).init;
        try_init(graph, pen_battlefield_app(&b), crowd, "damaged: impossible values of node 9");
    }
    try_init(graph, pen_battlefield_app(&b), NULL, NULL);
    pen_graph_destroy(&graph);
    pen_scenario_free(&b.plan);
}

CHECKS()
{
    RUN(test_shock());
    RUN(test_battlefield());
    RUN(test_nbody());
}

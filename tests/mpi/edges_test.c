/* edges_test - records of arcs belong to their node and move with it; .init_edges initialises them and phases write
 * them. Two fields of odd sizes, on all kinds of graphs, with nodes moving at random. Every value is compared with the
 * whole graph, and the run with the serial loop.
 * pen_mpi_test(RANKS 1 2 3 5) */
#include "run/state.h"
#include "tests/support/check.h"
#include "tests/support/world.h"

enum { STEPS = 8 };

typedef struct cell {
    uint64_t hash;
    double sum;
} cell;
typedef struct odd {
    uint8_t bytes[3];
} odd;
typedef struct wide {
    double x, y;
} wide;
enum { CELL };
enum { ODD, WIDE };

static int64_t wrong;
static const graph_case *whole;

static odd expected(pen_gid from, pen_gid to, int64_t counted)
{
    uint64_t hash = scramble((uint64_t)from, (uint64_t)to);
    return (odd){ { (uint8_t)hash, (uint8_t)(hash + (uint64_t)counted), (uint8_t)(hash >> 16) } };
}

static void init(const pen_view *v) { *PEN_NEXT(v, CELL, cell) = (cell){ scramble((uint64_t)pen_id(v), 1), 0.0 }; }

/* Sees its own and its neighbours' first records. */
static void init_edges(const pen_view *v)
{
    wrong += PEN_SELF(v, CELL, cell)->hash != scramble((uint64_t)pen_id(v), 1);
    for (int32_t i = 0; i < pen_degree(v); i++) {
        uint64_t hash = PEN_NEIGHBOR(v, CELL, cell, i)->hash;
        wrong += hash != scramble((uint64_t)pen_neighbor_id(v, i), 1);
        *PEN_EDGE_OWN(v, ODD, odd, i) = expected(pen_id(v), pen_neighbor_id(v, i), 0);
        *PEN_EDGE_OWN(v, WIDE, wide, i) = (wide){ (double)(hash % 1000) / 7, (double)pen_edge_weight(v, i) };
    }
}

static bool right_odd(const pen_view *v, int32_t i, int64_t counted)
{
    odd record = expected(pen_id(v), pen_neighbor_id(v, i), counted);
    return memcmp(PEN_EDGE(v, ODD, odd, i), &record, sizeof record) == 0;
}

/* Reads one edge field and writes the other. */
static void flow(const pen_view *v)
{
    cell next = *PEN_SELF(v, CELL, cell);
    for (int32_t i = 0; i < pen_degree(v); i++) {
        wrong += !right_odd(v, i, pen_step(v)) || v->own_edges[ODD];
        wide *w = PEN_EDGE_OWN(v, WIDE, wide, i);
        wrong += w != PEN_EDGE(v, WIDE, wide, i);
        w->y = 0.5 * w->y + w->x * (double)(PEN_EDGE(v, ODD, odd, i)->bytes[1] + i);
        next.sum += w->y;
        next.hash = scramble(next.hash, PEN_NEIGHBOR(v, CELL, cell, i)->hash);
    }
    *PEN_NEXT(v, CELL, cell) = next;
}

/* Writes edges and no field. */
static void count(const pen_view *v)
{
    wrong += v->next[CELL] || v->own_edges[WIDE];
    for (int32_t i = 0; i < pen_degree(v); i++) PEN_EDGE_OWN(v, ODD, odd, i)->bytes[1]++;
}

static void want(const pen_view *v, pen_requests *requests)
{
    wrong += v->own_edges[ODD] || v->own_edges[WIDE];
    for (int32_t i = 0; i < pen_degree(v); i++) {
        wrong += !right_odd(v, i, pen_step(v) + 1);
        pen_request(requests, whole->gids[PEN_EDGE(v, ODD, odd, i)->bytes[2] % whole->nodes]);
    }
}

static void look(const pen_view *v)
{
    cell next = *PEN_SELF(v, CELL, cell);
    for (int32_t k = 0; k < pen_far_count(v); k++)
        next.hash = scramble(next.hash, PEN_FAR(v, CELL, cell, k)->hash + PEN_EDGE(v, ODD, odd, k)->bytes[2]);
    *PEN_NEXT(v, CELL, cell) = next;
}

static void add_block(const pen_view *v, pen_lid end)
{
    for (pen_lid s = v->slot; s < end; s++) {
        cell next = ((const cell *)v->current[CELL])[s];
        for (uint32_t a = v->rows[s]; a < v->rows[s + 1]; a++) next.sum += ((const wide *)v->edges[WIDE])[a].x;
        ((cell *)v->next[CELL])[s] = next;
    }
}

static void observe(const pen_view *v, pen_observation *observation)
{
    wrong += v->own_edges[ODD] != NULL;
    for (int32_t i = 0; i < pen_degree(v); i++) pen_observe_real(observation, 0, PEN_EDGE(v, WIDE, wide, i)->y);
}
PEN_OBSERVE_SWEEP(observe)

static void print(const pen_view *v, FILE *out)
{
    fprintf(out, "%" PRIx64 " %.17g", PEN_SELF(v, CELL, cell)->hash, PEN_SELF(v, CELL, cell)->sum);
    for (int32_t i = 0; i < pen_degree(v); i++)
        fprintf(out, " %.17g %d", PEN_EDGE(v, WIDE, wide, i)->y, PEN_EDGE(v, ODD, odd, i)->bytes[1]);
}

static const pen_field fields[] = { { .name = "cell", .size = sizeof(cell) } };
static const pen_edge_field edge_fields[] = { { "odd", sizeof(odd) }, { "wide", sizeof(wide) } };
static const pen_observable observables[] = { { "flow", PEN_SUM_REAL, 1 } };
static const pen_phase phases[] = {
    { .name = "flow", .node = flow, .reads = PEN_SET(CELL), .writes = PEN_SET(CELL), .edge_writes = PEN_SET(WIDE) },
    { .name = "count", .node = count, .edge_writes = PEN_SET(ODD) },
    { .name = "look", .node = look, .writes = PEN_SET(CELL), .far = want, .far_reads = PEN_SET(CELL) },
    { .name = "add", .sweep = add_block, .writes = PEN_SET(CELL) },
};
static const pen_app app = { .name = "edges",
                             PEN_FIELDS(fields),
                             PEN_PHASES(phases),
                             .init = init,
                             .output.print = print,
                             PEN_OBSERVABLES(observables, observe_sweep),
                             PEN_EDGE_FIELDS(edge_fields),
                             .init_edges = init_edges };

/* Nodes migrate at random. */
static pen_status start(const graph_case *g, pen_graph **graph, const pen_app *a, const char *transport, uint64_t seed,
                        pen_run **run)
{
    const pen_run_options options = { .partitioner = "random",
                                      .transport = transport,
                                      .order = PEN_ORDER_RCM,
                                      .debug.tests = &(pen_test_options){ .migrate_seed = seed,
                                                                          .migrate_part = seed % 2 ? 0.2 : 0.7 } };
    *run = NULL;
    if (!*graph) CHECK_STATUS(case_distribute(g, MPI_COMM_WORLD, 11, graph), PEN_OK);
    return pen_run_create(MPI_COMM_WORLD, *graph, a, &options, run);
}

static void check_case(int number, const char *transport)
{
    graph_case g = case_make(number);
    pen_graph *graph = NULL;
    pen_run *run;
    whole = &g;
    CHECK_STATUS(start(&g, &graph, &app, transport, (uint64_t)number, &run), PEN_OK);
    check_with("%s, %s", g.name, transport);
    if (run) {
        CHECK_STATUS(pen_run_steps(run, STEPS), PEN_OK);
        expect_verified(run);
    }
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
    case_free(&g);
}

/* ---- Without a function: zero ------------------------------------------------------------------------ */

static void see_zero(const pen_view *v)
{
    pen_keep(v, CELL);
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const wide *w = PEN_EDGE(v, WIDE, wide, i);
        wrong += w->x != 0.0 || w->y != 0.0;
    }
}

static void check_zero(void)
{
    const pen_phase see[] = { { .name = "see", .node = see_zero, .writes = PEN_SET(CELL) } };
    pen_app plain = app;
    plain.init_edges = NULL;
    plain.phases.list = see;
    plain.phases.count = 1;
    graph_case g = case_make(3);
    pen_graph *graph = NULL;
    pen_run *run;
    CHECK_STATUS(start(&g, &graph, &plain, "fence", 0, &run), PEN_OK);
    if (run) {
        CHECK_STATUS(pen_run_steps(run, 3), PEN_OK);
    }
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
    case_free(&g);
}

/* ---- Errors --------------------------------------------------------------------------------- */

static void check_bad_options(void)
{
    graph_case g = case_make(3);
    pen_graph *graph = NULL;
    pen_run *run;
    const pen_edge_field mute = { .name = "mute", .size = 3 }, empty = { .name = "empty" };
    pen_app a = app;
    a.edge_fields.list = &mute;
    a.edge_fields.count = 1;
    CHECK_STATUS(start(&g, &graph, &a, "fence", 0, &run), PEN_ERR_ARGUMENT); /* phases write the second */
    CHECK_CONTAINS(pen_error_message(), "phase flow writes an unknown edge field");
    a.phases.list = &phases[3];
    a.phases.count = 1;
    a.edge_fields.list = &empty;
    CHECK_STATUS(start(&g, &graph, &a, "fence", 0, &run), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "edge field empty has size 0");
    a.edge_fields.count = 65;
    CHECK_STATUS(start(&g, &graph, &a, "fence", 0, &run), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "65 edge fields");
    a.edge_fields.count = 0;
    CHECK_STATUS(start(&g, &graph, &a, "fence", 0, &run), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "init_edges without edge fields");
    pen_graph_destroy(&graph);
    case_free(&g);
}

CHECKS()
{
    static const char *const transports[] = { "fence", "shared", "overlap", "pscw" };
    for (int i = 0; i < CASES; i++)
        for (int k = 0; k < 2; k++) RUN(check_case(i, transports[(i + k) % 4]));
    RUN(check_zero());
    RUN(check_bad_options());
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(wrong, 0);
}

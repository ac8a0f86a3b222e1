/* ordering_test - the order of interior nodes: results, plans, boundaries and shadows do not depend on it; it is
 * deterministic; it is chosen where it pays, and renewed after migrations have spoilt it.
 * pen_mpi_test(RANKS 1 2 3 5) */
#include "graph/graph.h"
#include "run/state.h"
#include "store/create_store.h"
#include "store/ordering.h"
#include "tests/support/check.h"
#include "tests/support/world.h"

#include "balancing/balance.h"
#include "base/hash.h"

#include <math.h>

enum { GRAPHS = 6, SEED = 5, STEPS = 6 };

typedef struct cell {
    double heat;
    uint64_t turn;
} cell;
enum { CELL, BLOCK };

static void init(const pen_view *v)
{
    *PEN_NEXT(v, CELL, cell) = (cell){ (double)(pen_id(v) * 37 % 101) / 7.0, (uint64_t)pen_id(v) };
    *PEN_NEXT(v, BLOCK, double) = 0.1 * (double)pen_degree(v);
}

/* The order of neighbours tells in every bit of a sum. */
static void step(const pen_view *v)
{
    cell next = *PEN_SELF(v, CELL, cell);
    for (int32_t i = 0; i < pen_degree(v); i++) {
        next.heat = 0.3 * next.heat + PEN_NEIGHBOR(v, CELL, cell, i)->heat / (3.0 + (double)pen_edge_weight(v, i));
        next.turn = next.turn * 31 + (uint64_t)pen_neighbor_id(v, i);
    }
    *PEN_NEXT(v, CELL, cell) = next;
}

static void block(const pen_view *v, pen_lid end)
{
    const double *now = v->current[BLOCK];
    double *next = v->next[BLOCK];
    for (pen_lid s = v->slot; s < end; s++) {
        double sum = (double)(v->gids[s] % 7);
        for (uint32_t a = v->rows[s]; a < v->rows[s + 1]; a++) sum = 0.7 * sum + now[v->columns[a]];
        next[s] = sum / (1.0 + fabs(sum));
    }
}

static void observe(const pen_view *v, pen_observation *o)
{
    pen_observe_real(o, 0, PEN_SELF(v, CELL, cell)->heat + *PEN_SELF(v, BLOCK, double));
}
PEN_OBSERVE_SWEEP(observe)

/* A load that wanders. */
static double cost(const pen_view *v) { return (pen_id(v) + 9 * pen_step(v)) % 60 < 12 ? 12.0 : 1.0; }
PEN_COST_SWEEP(cost)

static void print(const pen_view *v, FILE *out)
{
    const cell *c = PEN_SELF(v, CELL, cell);
    fprintf(out, "%.17g %" PRIx64 " %.17g", c->heat, c->turn, *PEN_SELF(v, BLOCK, double));
}

static const pen_field fields[] = { { "cell", sizeof(cell), .plain = true },
                                    { "block", sizeof(double), .plain = true } };
static const pen_phase phases[] = { { "step", .node = step, .reads = PEN_SET(CELL), .writes = PEN_SET(CELL),
                                      .cost = cost_sweep },
                                    { "block", .reads = PEN_SET(BLOCK), .writes = PEN_SET(BLOCK), .sweep = block } };
static const pen_observable observables[] = { { "sum", PEN_SUM_REAL, 1 } };
static const pen_app app = { .name = "ordering",
                             PEN_FIELDS(fields),
                             PEN_PHASES(phases),
                             PEN_OBSERVABLES(observables, observe_sweep),
                             .init = init,
                             .output.print = print };

/* ---- Graphs ---------------------------------------------------------------------------------- */

static void shuffle(int *number, int count, uint64_t state)
{
    for (int i = 0; i < count; i++) {
        int j = (int)(case_random(&state) % (uint64_t)(i + 1));
        number[i] = number[j];
        number[j] = i;
    }
}

/* side^3 nodes; two dimensions where it is flat: width x height x 1. */
static void join_mesh(graph_case *g, const int *number, const int sizes[3], bool slanted)
{
    for (int i = 0; i < sizes[0] * sizes[1] * sizes[2]; i++)
        for (int d = 0, stride = 1; d < 3; stride *= sizes[d++]) {
            if (i / stride % sizes[d] + 1 < sizes[d]) case_edge(g, number[i], number[i + stride]);
            if (slanted && d == 0 && i % sizes[0] > 0 && i / sizes[0] + 1 < sizes[1])
                case_edge(g, number[i], number[i + sizes[0] - 1]);
        }
}

static graph_case make_graph(int kind)
{
    static const int flat[] = { 18, 14, 1 }, cube[] = { 6, 6, 6 };
    static int number[300];
    uint64_t state = 40 + (uint64_t)kind;
    graph_case g;
    switch (kind) {
    case 0:
        g = case_new("shuffled hexagons", 252);
        shuffle(number, 252, 1);
        join_mesh(&g, number, flat, true);
        return g;
    case 1:
        g = case_new("shuffled mesh", 216);
        shuffle(number, 216, 2);
        join_mesh(&g, number, cube, false);
        return g;
    case 2: /* edges fall into the quarters of the matrix unevenly, four times */
        g = case_new("R-MAT", 256);
        for (int i = 0; i < 900; i++) {
            int from = 0, to = 0;
            for (int bit = 0; bit < 8; bit++) {
                uint64_t word = case_random(&state) % 100;
                from = 2 * from + (word >= 76);
                to = 2 * to + ((word >= 57 && word < 76) || word >= 95);
            }
            case_edge(&g, from, to);
        }
        return g;
    case 3:
        g = case_new("isolated nodes", 200);
        case_random_edges(&g, 200, 140, &state);
        return g;
    case 4:
        g = case_new("directed", 180);
        g.directed = true;
        case_random_edges(&g, 500, 180, &state);
        return g;
    default: return case_make(7 + (int)(case_random(&state) % 5));
    }
}

static pen_graph *distribute(const graph_case *g, int dimensions)
{
    pen_graph *graph = graph_of(g, 3);
    graph->dimensions = dimensions;
    if (dimensions > 0) graph->coordinates = calloc((size_t)(graph->count + 1) * (size_t)dimensions, sizeof(double));
    for (pen_lid i = 0; i < graph->count; i++)
        for (int d = 0; d < dimensions; d++)
            graph->coordinates[i * dimensions + d] = (double)(pen_mix((uint64_t)pen_graph_gid(graph, i)) >> (8 * d) &
                                                              63);
    return graph;
}

static pen_run *start(const pen_graph *graph, pen_run_options options)
{
    options.seed = SEED;
    pen_run *run = run_with(graph, &app, &options);
    return run;
}

static const pen_order orders[] = { PEN_ORDER_NATURAL, PEN_ORDER_AUTO, PEN_ORDER_RCM, PEN_ORDER_HILBERT };

/* ---- Results --------------------------------------------------------------------------------- */

static void check_results(int kind)
{
    static const char *const transports[] = { "fence",    "pscw",    "passive",    "shared",
                                              "blocking", "overlap", "persistent", "neighbor" };
    static const char *const partitioners[] = { "random", "metis", "block" };
    graph_case g = make_graph(kind);
    pen_graph *graph = distribute(&g, kind % 2 ? 3 : 2);
    uint64_t expected = 0;
    for (int t = kind % 2; t < PEN_COUNT_OF(transports); t += 2)
        for (int o = 0; o < PEN_COUNT_OF(orders); o++) {
            pen_run *run = start(graph,
                                 (pen_run_options){
                                     .partitioner = partitioners[(t + o + kind) % 3],
                                     .transport = transports[t],
                                     .debug.tests = &(pen_test_options){ .migrate_seed = t / 2 % 2 ? 3 : 4,
                                                                         .migrate_part = t / 2 % 2 ? 0.3 : 0.02 },
                                     .order = orders[o] });
            uint64_t sum = 0;
            CHECK_STATUS(pen_run_steps(run, STEPS), PEN_OK);
            CHECK_STATUS(pen_run_checksum(run, &sum), PEN_OK);
            if (!expected) {
                expected = sum;
                expect_verified(run);
            }
            CHECK_INT(sum, expected);
            if (sum != expected && check_rank() == 0)
                fprintf(stderr, "%s, %s, %s\n", g.name, transports[t], pen_ordering_name(orders[o]));
            pen_run_destroy(&run);
        }
    pen_graph_destroy(&graph);
    case_free(&g);
}

/* ---- Places ---------------------------------------------------------------------------------- */

/* The nodes of a rank that others see: boundary nodes and shadows. */
static uint64_t hash_borders(const pen_store *s)
{
    uint64_t hash = 0;
    for (pen_lid i = 0; i < s->boundary; i++) hash = pen_mix(hash ^ (uint64_t)s->gids[i]);
    for (pen_lid i = s->owned; i < s->owned + s->shadows; i++) hash = pen_mix(hash ^ (uint64_t)s->gids[i]);
    return hash;
}

static void check_places(void)
{
    graph_case g = make_graph(0);
    pen_graph *graph = distribute(&g, 2);
    uint64_t borders = 0;
    for (int o = 0; o < PEN_COUNT_OF(orders); o++) {
        const pen_run_options options = { .partitioner = "metis", .order = orders[o] };
        pen_run *run = start(graph, options), *again = start(graph, options);
        const pen_store *s = run->store;
        pen_lid *slots = malloc(((size_t)s->owned + 1) * sizeof *slots);
        if (o == 0) borders = hash_borders(s);
        CHECK_INT(hash_borders(s), borders);
        CHECK(memcmp(s->gids, again->store->gids, (size_t)s->owned * sizeof *s->gids) == 0);
        if (orders[o] != PEN_ORDER_AUTO) CHECK_INT(s->ordering.is, orders[o]);
        CHECK(orders[o] != PEN_ORDER_RCM || s->ordering.now.span < 0.5 * s->ordering.natural.span);
        CHECK_STATUS(pen_ordering_natural(s, slots), PEN_OK);
        for (pen_lid i = 0; i < s->owned; i++)
            CHECK(i <= s->boundary ? i == s->boundary || slots[i] == i : s->gids[slots[i - 1]] < s->gids[slots[i]]);
        free(slots);
        pen_run_destroy(&again);
        pen_run_destroy(&run);
    }
    pen_graph_destroy(&graph);
    case_free(&g);
}

/* ---- Plans ----------------------------------------------------------------------------------- */

/* A hash of all owners. */
static uint64_t hash_owners(const pen_run *run)
{
    uint64_t sum = 0;
    for (pen_lid s = 0; s < run->store->owned; s++)
        sum += pen_mix(pen_mix((uint64_t)run->store->gids[s]) + (uint64_t)check_rank());
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static void check_plans(int kind)
{
    static const char *const balancers[] = { "central", "diffusive", "metis", "rcb" };
    graph_case g = make_graph(kind);
    pen_graph *graph = distribute(&g, 2);
    for (int b = 0; b < PEN_COUNT_OF(balancers); b++) {
        uint64_t owners = 0;
        for (int o = 0; o < PEN_COUNT_OF(orders); o++) {
            pen_run *run = start(graph,
                                 (pen_run_options){ .balance = { balancers[b], "every:2:always",
                                                                 .load = PEN_LOAD_DECLARED, .call_cost = PEN_NO_COST },
                                                    .order = orders[o] });
            CHECK_STATUS(pen_run_steps(run, STEPS), PEN_OK);
            if (o == 0) owners = hash_owners(run);
            CHECK(run->comm->size == 1 || pen_balance_of(run)->steer.all.moved_nodes > 0);
            CHECK_INT(hash_owners(run), owners);
            pen_run_destroy(&run);
        }
    }
    pen_graph_destroy(&graph);
    case_free(&g);
}

/* ---- Choice ---------------------------------------------------------------------------------- */

static void check_choice(void)
{
    graph_case g = make_graph(0);
    pen_graph *graph = distribute(&g, 0), *grid = NULL;
    pen_run *run = start(graph, (pen_run_options){ .partitioner = "metis" });
    /* All is in the cache. */
    CHECK_INT(run->store->ordering.is, PEN_ORDER_NATURAL);
    pen_run_destroy(&run);
    pen_order_cache = 128;
    run = start(graph,
                (pen_run_options){ .partitioner = "metis",
                                   .debug.tests = &(pen_test_options){ .migrate_seed = 8, .migrate_part = 0.15 } });
    CHECK_INT(run->store->ordering.is, PEN_ORDER_RCM);
    CHECK(run->store->ordering.now.misses < run->store->ordering.natural.misses);
    /* A new store is measured, and soon one is ordered again. */
    int64_t renewed = 0;
    for (int i = 0; i < 40; i++) {
        bool worse = run->store->ordering.worse;
        CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
        renewed += worse && !run->store->ordering.worse;
    }
    MPI_Allreduce(MPI_IN_PLACE, &renewed, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(run->comm->size != 2 || renewed > 0); /* more ranks have few interior nodes here */
    pen_run_destroy(&run);
    pen_order_cache = 256 << 10;
    /* Grids have places, and a good order. */
    grid = graph_from("hex:24x20");
    run = start(grid, (pen_run_options){ .order = PEN_ORDER_HILBERT });
    CHECK_INT(run->store->ordering.is, PEN_ORDER_HILBERT);
    pen_run_destroy(&run);
    pen_run_options wrong = { .order = PEN_ORDER_HILBERT };
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app, &wrong, &run), PEN_ERR_UNSUPPORTED);
    CHECK_CONTAINS(pen_error_message(), "no coordinates");
    pen_graph_destroy(&grid);
    pen_graph_destroy(&graph);
    case_free(&g);
}

/* A graph that was not validated, with a neighbour that does not exist, on one rank: no rank waits for that one. */
static void check_nobody(void)
{
    static const pen_field field = { .name = "value", .size = 8 };
    pen_graph *graph = graph_from("hex:4x4");
    int32_t *owner = calloc((size_t)graph->count + 1, sizeof *owner);
    pen_store *store = NULL;
    for (pen_lid i = 0; i < graph->count; i++) owner[i] = check_rank();
    if (check_rank() == check_size() - 1) graph->neighbors[graph->rows[graph->count] - 1] = 99;
    CHECK_STATUS(pen_store_create(graph->comm, graph, owner, PEN_ORDER_NATURAL, &field, 1, &store), PEN_ERR_INTERNAL);
    CHECK_CONTAINS(pen_error_message(), "neighbour 99 has no owner");
    pen_graph_destroy(&graph);
    free(owner);
}

CHECKS()
{
    RUN(check_nobody());
    RUN(check_choice());
    RUN(check_places());
    pen_order_cache = 128; /* of these small graphs nothing else would be ordered unasked */
    for (int kind = 0; kind < GRAPHS; kind++) RUN(check_results(kind));
    RUN(check_plans(0));
    RUN(check_plans(2));
    RUN(check_plans(4));
    pen_order_cache = 256 << 10;
}

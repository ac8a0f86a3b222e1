/* generate.c - pen-sim generate: workload records of loads that move over a generated graph. Nodes have places, with x
 * and y from 0 to 1, from columns and rows of a grid, or else from coordinates, or else from numbers. */
#include "balance/partitioners.h"
#include "base/hash.h"
#include "base/memory.h"
#include "tools/common/start_mpi.h"
#include "tools/common/ticker.h"
#include "tools/sim/commands.h"
#include "workload/workload.h"

#include <math.h>

typedef enum sim_kind {
    SIM_HOT_DISC,    /* a disc of radius 1/8 moves along the middle from x = 0 to 1, again and again */
    SIM_FRONT,       /* a band of width 1/10 moves from x = 0 to 1, again and again */
    SIM_WALKERS,     /* walkers, each with a load, go to neighbours at random */
    SIM_ALTERNATING, /* the left and the right half are hot alternately */
    SIM_HOT_SPOT,    /* the nodes of the middle rank, by the first owners, are hot */
    SIM_HALF,        /* the nodes of the first half of the ranks, by the first owners, are hot */
    SIM_NOISE,       /* every node has a random load around 1 */
    SIM_KINDS
} sim_kind;

typedef struct choices {
    const char *graph, *partitioner, *output;
    int64_t ranks, steps, seed;
    double seconds; /* that a load of 1 takes */
    sim_kind kind;
    double heat;    /* load of a hot node (others: 1) or of a walker */
    int64_t period; /* number of steps from one end to the other, or in which a half is hot */
    int64_t walkers;
    double spread, memory; /* for noise: standard deviation, and correlation between consecutive steps, -1..1 */
} choices;

typedef struct sim_loads {
    const choices *settings;
    const pen_graph *graph; /* graph on one rank, owned by the caller */
    const int32_t *owners;  /* [graph->count] first owners, owned by the caller */
    double *x, *y;          /* [graph->count] places of the nodes */
    double *noise;          /* [graph->count] present noise of the nodes */
    pen_lid *walkers;       /* [settings->walkers] node of each walker */
} sim_loads;

static const double RADIUS = 0.125, HALF_WIDTH = 0.05;

static const char *const kind_names[SIM_KINDS] = { "hot-disc", "front", "walkers", "alternating",
                                                   "hot-spot", "half",  "noise" };

/* ---- Places ------------------------------------------------------------------------------------ */

static void place_by_grid(const pen_graph *g, double *x, double *y)
{
    for (pen_lid i = 0; i < g->count; i++) {
        pen_gid gid = pen_graph_gid(g, i);
        x[i] = ((double)(gid % g->width) + 0.5) / (double)g->width;
        y[i] = ((double)(gid / g->width % g->height) + 0.5) / (double)g->height;
    }
}

/* Place nodes by a coordinate, scaled to 0 .. 1. */
static void place_by_coordinate(const pen_graph *g, int dimension, double *to)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (pen_lid i = 0; i < g->count; i++) {
        to[i] = g->coordinates[(int64_t)i * g->dimensions + dimension];
        low = fmin(low, to[i]);
        high = fmax(high, to[i]);
    }
    for (pen_lid i = 0; i < g->count; i++) to[i] = high > low ? (to[i] - low) / (high - low) : 0.5;
}

static void place(const pen_graph *g, double *x, double *y)
{
    for (pen_lid i = 0; i < g->count; i++) {
        x[i] = (i + 0.5) / g->count;
        y[i] = 0.5;
    }
    if (g->width > 0) place_by_grid(g, x, y);
    else if (g->dimensions > 0) place_by_coordinate(g, 0, x);
    if (g->width == 0 && g->dimensions > 1) place_by_coordinate(g, 1, y);
}

/* ---- Random numbers ---------------------------------------------------------------------------- */

static uint64_t draw(const sim_loads *l, int64_t step, int64_t who)
{
    return pen_mix(pen_mix(pen_mix((uint64_t)l->settings->seed) ^ (uint64_t)step) ^ (uint64_t)who);
}

/* Draw a normally distributed number (Box and Muller). */
static double draw_normal(const sim_loads *l, int64_t step, int64_t who)
{
    uint64_t hash = draw(l, step, who);
    double radius = sqrt(-2.0 * log(1.0 - pen_unit_real(hash)));
    return radius * cos(6.283185307179586 * pen_unit_real(pen_mix(hash)));
}

static void walk(sim_loads *l, int64_t step)
{
    const pen_graph *g = l->graph;
    for (int64_t w = 0; w < l->settings->walkers; w++) {
        int64_t first = g->rows[l->walkers[w]], degree = g->rows[l->walkers[w] + 1] - first;
        if (degree == 0) continue;
        pen_gid to = g->neighbors[first + (int64_t)pen_hash_range(draw(l, step, w), (uint64_t)degree)];
        l->walkers[w] = (pen_lid)(to - pen_graph_gid(g, 0));
    }
}

/* ---- Steps ------------------------------------------------------------------------------------- */

/* Begin. The caller frees the arrays, also after a failure. */
static pen_status sim_loads_begin(const pen_graph *graph, const int32_t *owners, const choices *settings, sim_loads *l)
{
    *l = (sim_loads){ .settings = settings, .graph = graph, .owners = owners };
    PEN_TRY(PEN_ALLOC(&l->x, graph->count));
    PEN_TRY(PEN_ALLOC(&l->y, graph->count));
    PEN_TRY(PEN_ALLOC_ZERO(&l->noise, graph->count));
    PEN_TRY(PEN_ALLOC(&l->walkers, settings->walkers));
    place(graph, l->x, l->y);
    for (int64_t w = 0; w < settings->walkers; w++)
        l->walkers[w] = (pen_lid)pen_hash_range(draw(l, -1, w), (uint64_t)graph->count);
    return PEN_OK;
}

/* Whether a node is hot in a step. */
static bool is_hot(const sim_loads *l, int64_t step, pen_lid i)
{
    const choices *s = l->settings;
    double x = (double)(step % s->period) / (double)s->period;
    switch (s->kind) {
    case SIM_HOT_DISC: return hypot(l->x[i] - x, l->y[i] - 0.5) <= RADIUS;
    case SIM_FRONT: return fabs(l->x[i] - x) <= HALF_WIDTH;
    case SIM_ALTERNATING: return (l->x[i] < 0.5) == (step / s->period % 2 == 0);
    case SIM_HOT_SPOT: return l->owners[i] == s->ranks / 2;
    case SIM_HALF: return l->owners[i] < s->ranks / 2;
    case SIM_WALKERS:
    case SIM_NOISE:
    case SIM_KINDS: break;
    }
    return false;
}

/* The next load of a node: autoregressive noise of first order, cut off at 0. */
static double next_noise(sim_loads *l, int64_t step, pen_lid i)
{
    double memory = step > 0 ? l->settings->memory : 0.0;
    l->noise[i] = memory * l->noise[i] + sqrt(1.0 - memory * memory) * draw_normal(l, step, i);
    return fmax(0.0, 1.0 + l->settings->spread * l->noise[i]);
}

/* Compute the loads of the next step, of[graph->count]; call it for steps 0, 1, 2, ... */
static void sim_loads_step(sim_loads *l, int64_t step, double *of)
{
    const choices *s = l->settings;
    bool noisy = s->kind == SIM_NOISE;
    for (pen_lid i = 0; i < l->graph->count; i++) {
        if (noisy) of[i] = next_noise(l, step, i);
        else of[i] = is_hot(l, step, i) ? s->heat : 1.0;
    }
    if (s->kind != SIM_WALKERS) return;
    if (step > 0) walk(l, step);
    for (int64_t w = 0; w < s->walkers; w++) of[l->walkers[w]] += s->heat;
}

static pen_status create(const choices *c, const pen_graph *g, int32_t *owners, pen_gid *gids,
                         pen_workload_writer **writer)
{
    enum { VALUE_BYTES = 8, ARC_BYTES = 16, NODE_BYTES = 40 }; /* the bytes of a node with one double */
    pen_workload_phase phase = { (char *)(uintptr_t) "step", VALUE_BYTES };
    const pen_workload_world world = { .application = (char *)(uintptr_t)kind_names[c->kind],
                                       .ranks = (int)c->ranks,
                                       .steps = c->steps,
                                       .declared = true,
                                       .directed = g->directed,
                                       .dimensions = g->dimensions,
                                       .grid = (int)g->grid,
                                       .width = g->width,
                                       .height = g->height,
                                       .depth = g->depth,
                                       .node_bytes = NODE_BYTES,
                                       .arc_bytes = ARC_BYTES,
                                       .phase_count = 1,
                                       .phases = &phase };
    const pen_workload_rows rows = { .count = g->count,
                                     .gids = gids,
                                     .owners = owners,
                                     .rows = g->rows,
                                     .neighbors = g->neighbors,
                                     .edge_weights = g->edge_weights,
                                     .coordinates = g->coordinates };
    for (pen_lid i = 0; i < g->count; i++) gids[i] = pen_graph_gid(g, i);
    return pen_workload_create(c->output, &world, &rows, writer);
}

static pen_status write_steps(const choices *c, sim_loads *loads, double *of, pen_workload_writer *writer)
{
    for (int64_t step = 0; step < c->steps; step++) {
        pen_ticker_bytes("generating", c->output, step, c->steps);
        sim_loads_step(loads, step, of);
        PEN_TRY(pen_workload_write_step(writer, of));
    }
    return PEN_OK;
}

static pen_status write_record(const choices *c, const pen_graph *g)
{
    int32_t *owners = NULL;
    pen_gid *gids = NULL;
    double *of = NULL;
    sim_loads loads = { .graph = NULL };
    pen_workload_writer *writer = NULL;
    /* There is no time per node without load. */
    const pen_workload_times times = { .nn = 1.0, .ll = 1.0, .lt = c->seconds };
    pen_status status = PEN_ALLOC(&owners, g->count);
    if (status == PEN_OK) status = PEN_ALLOC(&gids, g->count);
    if (status == PEN_OK) status = PEN_ALLOC(&of, g->count);
    if (status == PEN_OK) status = pen_partition(g, c->partitioner, NULL, (int)c->ranks, owners);
    if (status == PEN_OK) status = sim_loads_begin(g, owners, c, &loads);
    if (status == PEN_OK) status = create(c, g, owners, gids, &writer);
    if (status == PEN_OK) status = write_steps(c, &loads, of, writer);
    status = pen_workload_finish(&writer, status, &times);
    pen_ticker_end();
    PEN_FREE_ALL(owners, gids, of, loads.x, loads.y, loads.noise, loads.walkers);
    return status;
}

static pen_status generate(const choices *c)
{
    pen_graph *graph = NULL;
    PEN_TRY(pen_start_mpi());
    PEN_TRY(pen_graph_generate(MPI_COMM_SELF, c->graph, &graph));
    pen_status status = write_record(c, graph);
    pen_graph_destroy(&graph);
    return status;
}

static pen_status run(int argc, char **argv, int *exit_status)
{
    choices c = { .graph = "hex:64x64",
                  .partitioner = "metis",
                  .ranks = 16,
                  .steps = 100,
                  .seed = 1,
                  .seconds = 1e-6,
                  .heat = 10.0,
                  .period = 50,
                  .walkers = 16,
                  .spread = 0.2,
                  .memory = 0.9 };
    const pen_option options[] = {
        { "generate", "KIND:SETTINGS", "the graph, as for pen-graph make (hex:64x64)", PEN_OPTION_TEXT, &c.graph, 0,
          0 },
        { "ranks", "N", "number of ranks that own the graph at first (16)", PEN_OPTION_INT, &c.ranks, 1, 1 << 20 },
        { "partitioner", "NAME[:SETTINGS]", "how nodes are assigned to these ranks (metis)", PEN_OPTION_TEXT,
          &c.partitioner, 0, 0 },
        { "steps", "N", "number of steps (100)", PEN_OPTION_INT, &c.steps, 0, INT64_MAX },
        { "heat", "LOAD", "load of a hot node (others: 1), and of a walker (10)", PEN_OPTION_REAL, &c.heat, 0, 0 },
        { "period", "STEPS", "steps from one end to the other, or in which a half is hot (50)", PEN_OPTION_INT,
          &c.period, 1, INT64_MAX },
        { "walkers", "N", "number of walkers (16)", PEN_OPTION_INT, &c.walkers, 0, 1 << 30 },
        { "spread", "DEVIATION", "standard deviation of noise around 1 (0.2)", PEN_OPTION_REAL, &c.spread, 0, 0 },
        { "memory", "CORRELATION", "correlation of noise from one step to the next (0.9)", PEN_OPTION_REAL, &c.memory,
          0, 0 },
        { "unit", "SECONDS", "seconds that a load of 1 takes (1e-6)", PEN_OPTION_REAL, &c.seconds, 0, 0 },
        { "seed", "N", "seed of walkers and noise (1)", PEN_OPTION_INT, &c.seed, 0, INT64_MAX },
        { .name = NULL },
    };
    command_words line;
    int kind;
    PEN_TRY(pen_command_words(&pen_command_generate, argc, argv, options, 0, 1, &line));
    if (line.help) return PEN_OK;
    if (line.count == 0 || !line.output)
        return pen_fail(PEN_ERR_INPUT, "generate: give a kind and a file, as in generate hot-disc -o disc.record");
    PEN_TRY(pen_choose("kind", line.words[0], kind_names, SIM_KINDS, &kind));
    c.kind = (sim_kind)kind;
    bool right = c.heat >= 0.0 && c.spread >= 0.0 && c.memory >= -1.0 && c.memory <= 1.0 && c.seconds >= 0.0;
    if (!right)
        return pen_fail(PEN_ERR_INPUT, "generate: heat, spread and unit must be at least 0, memory from -1 to 1");
    c.output = line.output;
    PEN_TRY(pen_command_may_write(c.output));
    return generate(&c);
}

const command pen_command_generate = {
    "generate", "KIND -o FILE",
    "Write a workload record of loads that move: hot-disc, front, walkers, alternating, ...", "the record", run
};

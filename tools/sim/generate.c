/* generate.c - pen-sim generate: workload records of loads that move over a generated graph. */
#include "balance/partitioners.h"
#include "base/memory.h"
#include "tools/common/start_mpi.h"
#include "tools/common/ticker.h"
#include "tools/sim/commands.h"
#include "tools/sim/loads.h"
#include "workload/workload.h"

#include <stdlib.h>

typedef struct choices {
    const char *graph, *partitioner, *output;
    int64_t ranks, steps, seed;
    double seconds;
    sim_loads_settings loads;
} choices;

static pen_status find_kind(const char *name, sim_kind *kind)
{
    for (int k = 0; k < SIM_KINDS; k++) {
        *kind = (sim_kind)k;
        if (strcmp(name, pen_sim_kind_names[k]) == 0) return PEN_OK;
    }
    return pen_fail(PEN_ERR_INPUT,
                    "generate: \"%s\" is none of hot-disc, front, walkers, alternating, hot-spot, half, noise", name);
}

/* The whole graph is on one rank: its rows are the record's. */
static pen_status create(const choices *c, const char *kind, const pen_graph *g, int32_t *owners, pen_gid *gids,
                         pen_workload_writer **writer)
{
    enum { VALUE_BYTES = 8, ARC_BYTES = 16, NODE_BYTES = 40 }; /* as of a node with one double */
    pen_workload_phase phase = { (char *)(uintptr_t) "step", VALUE_BYTES };
    const pen_workload_world world = { .application = (char *)(uintptr_t)kind,
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
        pen_sim_loads_step(loads, step, of);
        PEN_TRY(pen_workload_write_step(writer, of));
    }
    return PEN_OK;
}

static pen_status write_record(const choices *c, const char *kind, const pen_graph *g)
{
    int32_t *owners = NULL;
    pen_gid *gids = NULL;
    double *of = NULL;
    sim_loads loads = { .graph = NULL };
    pen_workload_writer *writer = NULL;
    const pen_workload_times times = { .nn = 1.0, .ll = 1.0, .lt = c->seconds }; /* a node takes nothing besides */
    pen_status status = PEN_ALLOC(&owners, g->count);
    if (status == PEN_OK) status = PEN_ALLOC(&gids, g->count);
    if (status == PEN_OK) status = PEN_ALLOC(&of, g->count);
    if (status == PEN_OK) status = pen_partition(g, c->partitioner, NULL, (int)c->ranks, owners);
    if (status == PEN_OK) status = pen_sim_loads_begin(g, owners, &c->loads, &loads);
    if (status == PEN_OK) status = create(c, kind, g, owners, gids, &writer);
    if (status == PEN_OK) status = write_steps(c, &loads, of, writer);
    status = pen_workload_finish(&writer, status, &times);
    pen_ticker_end();
    pen_sim_loads_free(&loads);
    PEN_FREE_ALL(owners, gids, of);
    return status;
}

static pen_status generate(const choices *c, const char *kind)
{
    pen_graph *graph = NULL;
    PEN_TRY(pen_start_mpi());
    PEN_TRY(pen_graph_generate(MPI_COMM_SELF, c->graph, &graph));
    pen_status status = write_record(c, kind, graph);
    pen_graph_destroy(&graph);
    return status;
}

static pen_status run(int argc, char **argv, int *exit_status)
{
    (void)exit_status;
    choices c = { .graph = "hex:64x64", .partitioner = "metis", .ranks = 16, .steps = 100, .seed = 1, .seconds = 1e-6 };
    sim_loads_settings *l = &c.loads;
    *l = (sim_loads_settings){ .heat = 10.0, .period = 50, .walkers = 16, .spread = 0.2, .memory = 0.9 };
    const pen_option options[] = {
        { "generate", "KIND:SETTINGS", "the graph, as of pen-graph make (hex:64x64)", PEN_OPTION_TEXT, &c.graph, 0, 0 },
        { "ranks", "N", "that have it first (16)", PEN_OPTION_INT, &c.ranks, 1, 1 << 20 },
        { "partitioner", "NAME[:SETTINGS]", "how they have it (metis)", PEN_OPTION_TEXT, &c.partitioner, 0, 0 },
        { "steps", "N", "how many (100)", PEN_OPTION_INT, &c.steps, 0, INT64_MAX },
        { "heat", "LOAD", "of a hot node, where others have 1; of a walker (10)", PEN_OPTION_REAL, &l->heat, 0, 0 },
        { "period", "STEPS", "from one end to the other; that a half is hot (50)", PEN_OPTION_INT, &l->period, 1,
          INT64_MAX },
        { "walkers", "N", "how many (16)", PEN_OPTION_INT, &l->walkers, 0, 1 << 30 },
        { "spread", "DEVIATION", "of noise around 1 (0.2)", PEN_OPTION_REAL, &l->spread, 0, 0 },
        { "memory", "CORRELATION", "of noise, from one step to the next (0.9)", PEN_OPTION_REAL, &l->memory, 0, 0 },
        { "unit", "SECONDS", "that a load of 1 takes (1e-6)", PEN_OPTION_REAL, &c.seconds, 0, 0 },
        { "seed", "N", "of walkers and noise (1)", PEN_OPTION_INT, &c.seed, 0, INT64_MAX },
        { .name = NULL },
    };
    command_words line;
    PEN_TRY(pen_command_words(&pen_command_generate, argc, argv, options, 0, 1, &line));
    if (line.help) return PEN_OK;
    if (line.count == 0 || !line.output)
        return pen_fail(PEN_ERR_INPUT, "generate: give a kind and a file, as in generate hot-disc -o disc.record");
    PEN_TRY(find_kind(line.words[0], &l->kind));
    bool right = l->heat >= 0.0 && l->spread >= 0.0 && l->memory >= -1.0 && l->memory <= 1.0 && c.seconds >= 0.0;
    if (!right) return pen_fail(PEN_ERR_INPUT, "generate: heat, spread and unit are at least 0, memory is -1 to 1");
    c.output = line.output;
    l->seed = (uint64_t)c.seed;
    l->ranks = (int)c.ranks;
    return generate(&c, line.words[0]);
}

const command pen_command_generate = {
    "generate", "KIND -o FILE",
    "Write a workload record of loads that move: hot-disc, front, walkers, alternating, ...", "the record", run
};

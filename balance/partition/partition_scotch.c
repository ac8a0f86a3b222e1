#include "dilation.h"
#include "memory.h"
#include "options.h"
#include "partition.h"
#include "quiet.h"
#include "scotch_settings.h"
#include "serial.h"

#include <stdlib.h>
#include <unistd.h>

/* Scotch adds weight * distance up over arcs, in 32 bits. */
static pen_status check_cost(const pen_serial_graph *s, int64_t diameter)
{
    int32_t arcs = s->rows[s->nodes];
    double weights = arcs;
    for (int32_t j = 0; s->edge_weights && j < arcs; j++) weights += s->edge_weights[j] - 1;
    if (weights * (double)diameter <= INT32_MAX) return PEN_OK;
    return pen_fail(PEN_ERR_UNSUPPORTED, "partitioner scotch counts in 32 bits: the sum of edge weights over all arcs, times "
                    "the architecture's largest distance %" PRId64 ", is %.4g, must be at most %d", diameter,
                    weights * (double)diameter, INT32_MAX);
}

static pen_status raise_loads(pen_serial_graph *s)
{
    int64_t total = 0, zeros = 0, scale;
    if (!s->loads) return PEN_OK;
    for (int32_t row = 0; row < s->nodes; row++) {
        total += s->loads[row];
        zeros += s->loads[row] == 0;
    }
    PEN_TRY(pen_scotch_scale("scotch", total, zeros, &scale));
    for (int32_t row = 0; row < s->nodes; row++) s->loads[row] = pen_scotch_load(s->loads[row], scale);
    return PEN_OK;
}

/* What Scotch leaves out stays -1 and is found by pen_partition. */
static pen_status call_scotch(const pen_serial_graph *s, const pen_scotch_settings *settings,
                              const pen_architecture *architecture, int32_t *part)
{
    SCOTCH_Graph graph, bound;
    SCOTCH_Strat strategy;
    SCOTCH_Context context;
    for (int32_t row = 0; row < s->nodes; row++) part[row] = -1;
    int kept = pen_quiet(STDERR_FILENO);
    SCOTCH_graphInit(&graph);
    SCOTCH_graphInit(&bound);
    SCOTCH_stratInit(&strategy);
    int code = pen_scotch_context(&context, settings->seed);
    if (code == 0)
        code = SCOTCH_graphBuild(&graph, 0, s->nodes, s->rows, NULL, s->loads, NULL, s->rows[s->nodes], s->neighbors,
                                 s->edge_weights);
    if (code == 0) code = SCOTCH_contextBindGraph(&context, &graph, &bound);
    if (code == 0)
        code = SCOTCH_stratGraphMapBuild(&strategy, settings->strategy, architecture->processors, settings->imbalance);
    if (code == 0) code = SCOTCH_graphMap(&bound, &architecture->scotch, &strategy, part);
    SCOTCH_stratExit(&strategy);
    SCOTCH_graphExit(&bound);
    SCOTCH_graphExit(&graph);
    SCOTCH_contextExit(&context);
    pen_unquiet(STDERR_FILENO, kept);
    if (code == 0) return PEN_OK;
    return pen_fail(PEN_ERR_INTERNAL, "partitioner scotch: Scotch failed on %" PRId32 " nodes and %" PRId32 " parts", s->nodes,
                    architecture->processors);
}

static pen_status partition(const pen_graph *graph, const pen_scotch_settings *settings,
                            const pen_architecture *architecture, int32_t *part)
{
    pen_serial_graph serial;
    PEN_TRY(pen_serial_gather(graph, "scotch", &serial));
    pen_status status = PEN_OK;
    int32_t *by_row = NULL;
    if (graph->comm->rank == 0) {
        status = check_cost(&serial, architecture->diameter);
        if (status == PEN_OK) status = raise_loads(&serial);
        if (status == PEN_OK) status = PEN_ALLOC(&by_row, serial.nodes);
        if (status == PEN_OK) status = call_scotch(&serial, settings, architecture, by_row);
    }
    status = pen_serial_scatter(graph, status, &serial, by_row, part);
    pen_serial_free(&serial);
    free(by_row);
    return status;
}

pen_status pen_partition_scotch(const pen_graph *graph, char *settings, int parts, int32_t *part)
{
    pen_scotch_settings parsed;
    pen_architecture *architecture = NULL;
    PEN_TRY(pen_scotch_parse("scotch", settings, &parsed));
    PEN_TRY(pen_architecture_create(graph->comm, parsed.architecture, parts, &architecture));
    pen_status status = partition(graph, &parsed, architecture, part);
    pen_architecture_destroy(&architecture);
    return status;
}

/* Collective. As pen_partition_dilation, for a partitioner that is known to be scotch. */
static pen_status dilation(const pen_graph *graph, char *settings, int parts, const int32_t *part, int64_t *cost)
{
    pen_scotch_settings parsed;
    pen_architecture *architecture = NULL;
    PEN_TRY(pen_scotch_parse("scotch", settings, &parsed));
    if (!parsed.architecture) return PEN_OK;
    PEN_TRY(pen_architecture_create(graph->comm, parsed.architecture, parts, &architecture));
    pen_status status = pen_dilation_cost(graph, architecture, part, cost);
    pen_architecture_destroy(&architecture);
    return status;
}

pen_status pen_partition_dilation(const pen_graph *graph, const char *spec, int parts, const int32_t *part, int64_t *cost)
{
    int64_t found = -1;
    pen_spec cut = { NULL, NULL };
    pen_status status = pen_agree(graph->comm, pen_spec_split(spec, &cut));
    if (status == PEN_OK && strcmp(cut.name, "scotch") == 0) status = dilation(graph, cut.settings, parts, part, &found);
    pen_spec_free(&cut);
    if (status == PEN_OK) *cost = found;
    return status;
}

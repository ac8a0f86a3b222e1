/* scotch_call.c - calls Scotch. */
#include "partition/scotch_call.h"
#include "partition/partition.h"
#include "partition/quiet.h"

#include <unistd.h>

/* Fail if the cost is too large: Scotch sums weight * distance over arcs in 32 bits. */
static pen_status check_cost(const char *owner, const pen_serial_graph *s, int64_t diameter)
{
    int32_t arcs = s->rows[s->nodes];
    double weights = arcs;
    if (s->edge_weights)
        for (int32_t j = 0; j < arcs; j++) weights += s->edge_weights[j] - 1;
    if (weights * (double)diameter <= INT32_MAX) return PEN_OK;
    return pen_fail(PEN_ERR_UNSUPPORTED,
                    "%s counts in 32 bits: the sum of edge weights over all arcs, times "
                    "the architecture's largest distance %" PRId64 ", is %.4g, must be at most %d",
                    owner, diameter, weights * (double)diameter, INT32_MAX);
}

pen_status pen_scotch_call(const char *owner, const pen_serial_graph *s, const pen_scotch_settings *settings,
                           const pen_architecture *architecture, const pen_scotch_remap *remap, int32_t *part)
{
    SCOTCH_Graph graph, bound;
    SCOTCH_Strat strategy;
    SCOTCH_Context context;
    PEN_TRY(check_cost(owner, s, architecture->diameter));
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
        code = SCOTCH_stratGraphMapBuild(&strategy, pen_scotch_strategy(settings), architecture->processors,
                                         settings->imbalance);
    if (code == 0)
        /* The factor of the migration cost is 1. Scotch would convert any other factor to a fraction with a denominator
         * up to 100, and multiply edge weights by that. */
        code = remap ? SCOTCH_graphRemap(&bound, &architecture->scotch, remap->old, 1, remap->costs, &strategy, part)
                     : SCOTCH_graphMap(&bound, &architecture->scotch, &strategy, part);
    SCOTCH_stratExit(&strategy);
    SCOTCH_graphExit(&bound);
    SCOTCH_graphExit(&graph);
    SCOTCH_contextExit(&context);
    pen_unquiet(STDERR_FILENO, kept);
    if (code == 0) return PEN_OK;
    return pen_fail(PEN_ERR_INTERNAL, "%s: Scotch failed on %" PRId32 " nodes and %" PRId32 " parts", owner, s->nodes,
                    architecture->processors);
}

const char *pen_scotch_version(void)
{
    static PEN_PER_RANK char text[32];
    int major, minor, patch;
    SCOTCH_version(&major, &minor, &patch);
    snprintf(text, sizeof text, "%d.%d.%d", major, minor, patch);
    return text;
}

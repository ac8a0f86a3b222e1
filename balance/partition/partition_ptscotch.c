/* partition_ptscotch.c - the partitioner ptscotch. No rank ever holds more than its share; the result depends on the
 * number of ranks. PT-Scotch has only complete target architectures. */
#include "base/memory.h"
#include "partition/gather.h"
#include "partition/partition.h"
#include "partition/quiet.h"
#include "partition/scotch_settings.h"
#include "view/neighbors.h"

#ifdef PEN_PTSCOTCH

#include <ptscotch.h>
#include <stdlib.h>
#include <unistd.h>

const bool pen_ptscotch_built = true;

static const char owner[] = "partitioner ptscotch";

/* This rank's rows. Nodes are numbered in rank order, whatever their gids. */
typedef struct rows {
    SCOTCH_Num *rows;      /* [count+1] row pointers */
    SCOTCH_Num *neighbors; /* [rows[count]] numbers of the neighbours */
    SCOTCH_Num *loads;     /* [count] loads, or NULL on all ranks */
    SCOTCH_Num *weights;   /* [rows[count]] edge weights, or NULL on all ranks */
} rows;

typedef enum sum { NODES, ARCS, LOAD_SUM, WEIGHT_SUM, SUMS, ZEROS = SUMS, ALL } sum;

/* Collective. Compute sums over all ranks, and check that the sums that PT-Scotch computes fit its numbers. */
static pen_status add_up(const pen_graph *graph, int64_t sums[ALL])
{
    static const char *const names[SUMS] = { "number of nodes", "number of arcs", "sum of loads",
                                             "sum of edge weights over all arcs" };
    double mine[ALL] = { 0 };
    mine[NODES] = graph->count;
    mine[ARCS] = (double)graph->rows[graph->count];
    if (graph->node_weights)
        for (pen_lid i = 0; i < graph->count; i++) {
            mine[LOAD_SUM] += (double)pen_graph_load(graph, i);
            mine[ZEROS] += pen_graph_load(graph, i) == 0;
        }
    if (graph->edge_weights)
        for (int64_t j = 0; j < graph->rows[graph->count]; j++) mine[WEIGHT_SUM] += (double)graph->edge_weights[j];
    PEN_TRY(pen_all_reduce(graph->comm, MPI_IN_PLACE, mine, ALL, MPI_DOUBLE, MPI_SUM));
    PEN_TRY(pen_check_32_bits(owner, SUMS, names, mine));
    for (int i = 0; i < ALL; i++) sums[i] = (int64_t)mine[i];
    return PEN_OK;
}

static pen_status allocate(const pen_graph *graph, const int64_t sums[ALL], rows *r, SCOTCH_Num **numbers)
{
    int64_t arcs = graph->rows[graph->count];
    PEN_TRY(PEN_ALLOC(&r->rows, (int64_t)graph->count + 1));
    PEN_TRY(PEN_ALLOC(&r->neighbors, arcs));
    if (sums[LOAD_SUM] > 0) PEN_TRY(PEN_ALLOC(&r->loads, graph->count));
    if (graph->edge_weights) PEN_TRY(PEN_ALLOC(&r->weights, arcs));
    return PEN_ALLOC(numbers, graph->count);
}

static pen_status build(const pen_graph *graph, const int64_t sums[ALL], rows *r)
{
    int64_t first, scale = 1;
    SCOTCH_Num *numbers = NULL;
    PEN_TRY(pen_prefix_int(graph->comm, graph->count, &first));
    pen_status status = pen_scotch_scale(owner, sums[LOAD_SUM], sums[ZEROS], &scale);
    if (status == PEN_OK) status = allocate(graph, sums, r, &numbers);
    for (pen_lid i = 0; status == PEN_OK && i < graph->count; i++) numbers[i] = (SCOTCH_Num)(first + i);
    status = pen_neighbor_values(graph, status, numbers, r->neighbors);
    if (status == PEN_OK) {
        for (pen_lid i = 0; i <= graph->count; i++) r->rows[i] = (SCOTCH_Num)graph->rows[i];
        if (r->weights)
            for (int64_t j = 0; j < graph->rows[graph->count]; j++) r->weights[j] = (SCOTCH_Num)graph->edge_weights[j];
        if (r->loads)
            for (pen_lid i = 0; i < graph->count; i++) r->loads[i] = pen_scotch_load(pen_graph_load(graph, i), scale);
    }
    free(numbers);
    return status;
}

/* Collective. Call PT-Scotch. Nodes that it leaves out keep -1, which pen_partition detects. */
static int call_ptscotch(const pen_graph *graph, const pen_scotch_settings *settings, const rows *r,
                         pen_architecture *architecture, int32_t *part)
{
    SCOTCH_Dgraph dgraph, bound;
    SCOTCH_Strat strategy;
    SCOTCH_Context context;
    SCOTCH_Num count = graph->count, arcs = r->rows[count];
    for (pen_lid i = 0; i < count; i++) part[i] = -1;
    SCOTCH_stratInit(&strategy);
    int code = SCOTCH_dgraphInit(&dgraph, graph->comm->mpi);
    code |= SCOTCH_dgraphInit(&bound, graph->comm->mpi);
    code |= pen_scotch_context(&context, settings->seed);
    code |= SCOTCH_stratDgraphMapBuild(&strategy, pen_scotch_strategy(settings), graph->comm->size,
                                       architecture->processors, settings->imbalance);
    if (code == 0)
        code = SCOTCH_dgraphBuild(&dgraph, 0, count, count, r->rows, NULL, r->loads, NULL, arcs, arcs, r->neighbors,
                                  NULL, r->weights);
    if (code == 0) code = SCOTCH_contextBindDgraph(&context, &dgraph, &bound);
    if (code == 0) code = SCOTCH_dgraphMap(&bound, &architecture->scotch, &strategy, part);
    SCOTCH_dgraphExit(&bound);
    SCOTCH_dgraphExit(&dgraph);
    SCOTCH_contextExit(&context);
    SCOTCH_stratExit(&strategy);
    return code;
}

static pen_status partition(const void *settings, const pen_graph *graph, const pen_machine *machine, int parts,
                            int32_t *part)
{
    int64_t sums[ALL];
    rows r = { NULL, NULL, NULL, NULL };
    if (graph->directed)
        return pen_fail(PEN_ERR_UNSUPPORTED, "partitioner ptscotch: the graph is directed; use scotch or metis");
    PEN_TRY(add_up(graph, sums));
    pen_architecture *architecture = NULL;
    pen_status status = build(graph, sums, &r);
    if (status == PEN_OK) status = pen_architecture_of_machine(machine, false, parts, &architecture);
    status = pen_agree(graph->comm, status);
    if (status == PEN_OK) {
        int kept = pen_quiet(STDERR_FILENO);
        int code = call_ptscotch(graph, settings, &r, architecture, part);
        pen_unquiet(STDERR_FILENO, kept);
        if (code != 0)
            status = pen_fail(PEN_ERR_INTERNAL,
                              "partitioner ptscotch: PT-Scotch failed on %" PRId64 " nodes and %d parts", graph->nodes,
                              parts);
    }
    pen_architecture_destroy(&architecture);
    PEN_FREE_ALL(r.rows, r.neighbors, r.loads, r.weights);
    return status;
}

#else

const bool pen_ptscotch_built = false;

static pen_status partition(const void *settings, const pen_graph *graph, const pen_machine *machine, int parts,
                            int32_t *part)
{
    return pen_fail(PEN_ERR_UNSUPPORTED, "partitioner ptscotch: this build has no PT-Scotch for its MPI library");
}

#endif

static const pen_setting settings[] = { PEN_SCOTCH_SETTINGS, { .name = NULL } };

const pen_partitioner pen_partitioner_ptscotch = {
    .name = "ptscotch",
    .summary = "PT-Scotch: in parallel, no rank holds the whole graph; the result depends on the number of ranks",
    .settings = settings,
    .settings_size = sizeof(pen_scotch_settings),
    .of_graph = partition,
};

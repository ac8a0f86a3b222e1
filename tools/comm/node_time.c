#include "tools/comm/node_time.h"
#include "base/memory.h"
#include "observe/timers.h"
#include "tools/common/order.h"

#include <math.h>
#include <penumbra.h>
#include <stdlib.h>

enum { NODES = 4096, SAMPLES = 60, WARM = 3, MOST_STEPS = 10000 };

static const double sample_seconds = 1e-3;

/* ---- The application --------------------------------------------------------------------------- */

typedef struct cell {
    double value;
} cell;

static void init(const pen_view *v) { PEN_NEXT(v, 0, cell)->value = (double)(pen_id(v) % 1000); }

static void average(const pen_view *v)
{
    double sum = 0.0;
    for (int32_t i = 0; i < pen_degree(v); i++) sum += PEN_NEIGHBOR(v, 0, cell, i)->value;
    PEN_NEXT(v, 0, cell)->value = pen_degree(v) ? sum / pen_degree(v) : PEN_SELF(v, 0, cell)->value;
}

static const pen_field fields[] = { { "cell", sizeof(cell) } };
static const pen_phase phases[] = { { "average", average, .reads = PEN_FIELD(0), .writes = PEN_FIELD(0) } };
static const pen_app app = { .name = "average", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init };

/* A ring in which nodes read so many that follow them; of a degree that is not whole some read one more. */
static pen_status make_ring(double degree, pen_graph **graph)
{
    int64_t arcs = (int64_t)(degree * NODES), *rows = NULL;
    pen_gid *gids = NULL, *neighbors = NULL;
    pen_status status = PEN_ALLOC(&rows, NODES + 1);
    if (status == PEN_OK) status = PEN_ALLOC(&gids, NODES);
    if (status == PEN_OK) status = PEN_ALLOC(&neighbors, arcs);
    if (status == PEN_OK) {
        rows[0] = 0;
        for (pen_gid v = 0; v < NODES; v++) {
            gids[v] = v;
            rows[v + 1] = arcs * (v + 1) / NODES;
            for (int64_t a = rows[v]; a < rows[v + 1]; a++) neighbors[a] = (v + 1 + a - rows[v]) % NODES;
        }
        const pen_csr csr = { .count = NODES, .gids = gids, .rows = rows, .neighbors = neighbors, .directed = true };
        status = pen_graph_from_csr(MPI_COMM_SELF, &csr, graph);
    }
    PEN_FREE_ALL(rows, gids, neighbors);
    return status;
}

static pen_status open_run(double degree, pen_run **run)
{
    static const pen_run_options options = { .partitioner = "block", .transport = "blocking", .order = "natural" };
    pen_graph *graph = NULL;
    PEN_TRY(make_ring(degree, &graph));
    pen_status status = pen_run_create(MPI_COMM_SELF, graph, &app, &options, run);
    pen_graph_destroy(&graph);
    return status;
}

/* ---- Measuring --------------------------------------------------------------------------------- */

/* Collective. Seconds of so many steps. */
static pen_status sample(pen_comm *comm, pen_run *run, int64_t steps, double *seconds)
{
    PEN_MPI(MPI_Barrier(comm->mpi));
    double start = pen_seconds_now();
    pen_status status = pen_run_steps(run, steps);
    *seconds = pen_seconds_now() - start;
    return pen_agree(comm, status);
}

pen_status pen_node_time(pen_comm *comm, double degree, comm_node_time *time)
{
    double counted = fmin(degree, COMM_MOST_DEGREE), taken[WARM + SAMPLES] = { 0.0 };
    pen_run *run = NULL;
    int64_t steps = 1;
    pen_status status = pen_agree(comm, open_run(counted, &run));
    for (int i = 0; i < WARM + SAMPLES && status == PEN_OK; i++) {
        status = sample(comm, run, steps, &taken[i]);
        if (i == WARM - 1 && status == PEN_OK) /* the same number for all */
            status = pen_max_int(comm, (int64_t)fmin(ceil(sample_seconds / taken[i]), MOST_STEPS), &steps);
    }
    pen_run_destroy(&run);
    qsort(taken + WARM, SAMPLES, sizeof *taken, pen_ascending_real);
    double least = taken[WARM];
    time->seconds = least / ((double)steps * NODES) * (counted > 0.0 ? degree / counted : 1.0);
    time->spread = taken[WARM + SAMPLES * 9 / 10] / least - 1.0;
    return status;
}

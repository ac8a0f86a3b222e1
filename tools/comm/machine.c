/* machine.c - measures the machine of a launch. The time per node is measured by a run in which nodes become the mean
 * of their neighbours, as in `hex`, on every rank alone and on all at once. */
#include "tools/comm/machine.h"
#include "base/memory.h"
#include "observe/timers.h"
#include "tools/comm/link_time.h"
#include "tools/comm/table.h"
#include "tools/common/order.h"
#include "view/machine.h"
#include "view/network.h"

#include <math.h>
#include <penumbra.h>
#include <stdlib.h>

enum { COMM_MOST_DEGREE = 64 };

typedef struct comm_node_time {
    double seconds; /* least seconds of a sample per node, including function and loop */
    /* Nine of ten samples took longer by at most this fraction: a measure of other work on the machine. */
    double spread;
} comm_node_time;

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

static const pen_field fields[] = { { .name = "cell", .size = sizeof(cell) } };
static const pen_phase phases[] = { { "average", .node = average, .reads = PEN_SET(0), .writes = PEN_SET(0) } };
static const pen_app app = { .name = "average", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init };

/* Make a ring in which each node reads the `degree` nodes after it; if the degree is fractional, some nodes read one
 * more. */
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
    static const pen_run_options options = { .partitioner = "block",
                                             .transport = "blocking",
                                             .order = PEN_ORDER_NATURAL };
    pen_graph *graph = NULL;
    PEN_TRY(make_ring(degree, &graph));
    pen_status status = pen_run_create(MPI_COMM_SELF, graph, &app, &options, run);
    pen_graph_destroy(&graph);
    return status;
}

/* ---- Measurement of a node's time -------------------------------------------------------------- */

/* Collective. Measure the seconds of `steps` steps. */
static pen_status sample(pen_comm *comm, pen_run *run, int64_t steps, double *seconds)
{
    PEN_MPI(MPI_Barrier(comm->mpi));
    double start = pen_seconds_now();
    pen_status status = pen_run_steps(run, steps);
    *seconds = pen_seconds_now() - start;
    return pen_agree(comm, status);
}

/* Collective. Measure this rank's time, by 60 samples of 1 ms, which all ranks begin together. Nodes read `degree`
 * others on average; above COMM_MOST_DEGREE the time is scaled up from that degree. Errors: as pen_run_create. */
static pen_status node_time(pen_comm *comm, double degree, comm_node_time *time)
{
    double counted = fmin(degree, COMM_MOST_DEGREE), taken[WARM + SAMPLES] = { 0.0 };
    pen_run *run = NULL;
    int64_t steps = 1;
    pen_status status = pen_agree(comm, open_run(counted, &run));
    for (int i = 0; i < WARM + SAMPLES && status == PEN_OK; i++) {
        status = sample(comm, run, steps, &taken[i]);
        if (i == WARM - 1 && status == PEN_OK) /* the number of steps must be the same on all ranks */
            status = pen_max_int(comm, (int64_t)fmin(ceil(sample_seconds / taken[i]), MOST_STEPS), &steps);
    }
    pen_run_destroy(&run);
    qsort(taken + WARM, SAMPLES, sizeof *taken, pen_ascending_real);
    double least = taken[WARM];
    time->seconds = least / ((double)steps * NODES) * (counted > 0.0 ? degree / counted : 1.0);
    time->spread = taken[WARM + SAMPLES * 9 / 10] / least - 1.0;
    return status;
}

/* ---- Rounding of speeds and links -------------------------------------------------------------- */

typedef struct measured {
    double value; /* the sort key, so it is the first member */
    int64_t place;
} measured;

pen_status pen_even_out(double *values, int64_t count, double noise)
{
    measured *sorted;
    PEN_TRY(PEN_ALLOC(&sorted, count));
    for (int64_t i = 0; i < count; i++) sorted[i] = (measured){ values[i], i };
    qsort(sorted, (size_t)count, sizeof *sorted, pen_ascending_real);
    for (int64_t first = 0, end = 0; first < count; first = end) {
        while (end < count && sorted[end].value <= sorted[first].value * (1.0 + noise)) end++;
        for (int64_t i = first; i < end; i++) values[sorted[i].place] = sorted[first + (end - first) / 2].value;
    }
    free(sorted);
    return PEN_OK;
}

pen_status pen_machine_of_times(int ranks, const int32_t *clusters, int32_t cluster_count, const double *seconds,
                                const pen_link *links, int64_t record, pen_machine **machine)
{
    pen_network *n;
    PEN_TRY(
        pen_network_create("measured", ranks, ranks, PEN_NETWORK_TABLE, (int64_t)cluster_count * cluster_count, &n));
    double *speeds = (double *)(uintptr_t)n->machine.speeds, least = seconds[0];
    int32_t *own = (int32_t *)(uintptr_t)n->machine.clusters;
    for (int r = 1; r < ranks; r++) least = seconds[r] < least ? seconds[r] : least;
    for (int r = 0; r < ranks; r++) {
        speeds[r] = least / seconds[r];
        own[r] = clusters[r];
    }
    n->machine.cluster_count = cluster_count;
    for (int32_t c = 0; c < cluster_count; c++)
        for (int32_t d = 0; d < cluster_count; d++)
            n->links[(int64_t)c * cluster_count + d] =
                links[c < d ? (int64_t)c * cluster_count + d : (int64_t)d * cluster_count + c];
    n->record = record;
    *machine = pen_network_finish(n);
    return PEN_OK;
}

/* ---- Results of the measurement ---------------------------------------------------------------- */

/* On rank 0. Make similar times equal, and find the cheapest link. Times of a link without samples stay 0. */
static pen_status conclude_links(const comm_link *times, int64_t count, comm_machine *m, pen_link *links)
{
    double *latencies = NULL, *costs = NULL;
    pen_status status = PEN_ALLOC(&latencies, count);
    if (status == PEN_OK) status = PEN_ALLOC(&costs, count);
    for (int64_t k = 0; k < count && status == PEN_OK; k++) {
        latencies[k] = times[k].latency;
        costs[k] = times[k].per_byte;
    }
    if (status == PEN_OK) status = pen_even_out(latencies, count, COMM_LINK_NOISE);
    if (status == PEN_OK) status = pen_even_out(costs, count, COMM_LINK_NOISE);
    for (int64_t k = 0; k < count && status == PEN_OK; k++) {
        links[k] = (pen_link){ latencies[k], costs[k] * (double)m->record };
        if (times[k].samples > 0.0 && (m->per_byte == 0.0 || costs[k] < m->per_byte)) {
            m->latency = latencies[k];
            m->per_byte = costs[k];
        }
    }
    PEN_FREE_ALL(latencies, costs);
    return status;
}

/* On rank 0. Compute the speeds of the ranks. */
static pen_status conclude_nodes(const comm_node_time *times, int32_t ranks, comm_machine *m, double *seconds)
{
    for (int32_t r = 0; r < ranks; r++) seconds[r] = times[r].spread;
    qsort(seconds, (size_t)ranks, sizeof *seconds, pen_ascending_real);
    m->noise = fmax(COMM_SPEED_NOISE, seconds[(int64_t)ranks * 9 / 10]);
    for (int32_t r = 0; r < ranks; r++) seconds[r] = times[r].seconds;
    PEN_TRY(pen_even_out(seconds, ranks, m->noise));
    m->node_seconds = HUGE_VAL;
    for (int32_t r = 0; r < ranks; r++) m->node_seconds = fmin(m->node_seconds, seconds[r]);
    return PEN_OK;
}

/* On rank 0. Make the machine of all results. */
static pen_status conclude(const pen_machine *hosts, const comm_node_time *nodes, const comm_link *gets,
                           comm_machine *m)
{
    int32_t ranks = hosts->processors, clusters = hosts->cluster_count;
    pen_link *links = NULL;
    double *seconds = NULL;
    pen_status status = PEN_ALLOC(&links, (int64_t)clusters * clusters);
    if (status == PEN_OK) status = PEN_ALLOC(&seconds, ranks);
    if (status == PEN_OK) status = conclude_nodes(nodes, ranks, m, seconds);
    if (status == PEN_OK) status = conclude_links(gets, (int64_t)clusters * clusters, m, links);
    if (status == PEN_OK)
        status = pen_machine_of_times(ranks, hosts->clusters, clusters, seconds, links, m->record, &m->machine);
    PEN_FREE_ALL(links, seconds);
    return status;
}

/* Collective. Measure. `nodes` and `gets` have room for [ranks] and [clusters][clusters], and `gets` is zero. */
static pen_status measure(pen_comm *comm, const pen_machine *hosts, bool linked, comm_node_time *nodes, comm_link *gets,
                          comm_machine *m)
{
    comm_node_time mine;
    PEN_TRY(node_time(comm, m->degree, &mine));
    PEN_MPI(MPI_Gather(&mine, 2, MPI_DOUBLE, nodes, 2, MPI_DOUBLE, 0, comm->mpi));
    pen_status status = pen_link_times(comm, hosts->clusters, hosts->cluster_count, gets);
    if (status != PEN_OK && (linked || status != PEN_ERR_ENVIRONMENT)) return status;
    PEN_TRY(pen_agree(comm, comm->rank == 0 ? conclude(hosts, nodes, gets, m) : PEN_OK));
    double equal[4] = { m->node_seconds, m->noise, m->latency, m->per_byte };
    PEN_MPI(MPI_Bcast(equal, 4, MPI_DOUBLE, 0, comm->mpi));
    m->node_seconds = equal[0];
    m->noise = equal[1];
    m->latency = equal[2];
    m->per_byte = equal[3];
    return PEN_OK;
}

pen_status pen_comm_machine_measure(pen_comm *comm, const pen_graph *graph, int64_t record, bool linked,
                                    comm_machine *m)
{
    pen_machine *hosts = NULL;
    comm_link *gets = NULL;
    comm_node_time *nodes = NULL;
    double arcs = (double)graph->edges * (graph->directed ? 1.0 : 2.0);
    *m = (comm_machine){ .degree = arcs / (double)graph->nodes, .record = record };
    PEN_TRY(pen_machine_create(comm, "host", comm->size, &hosts));
    pen_status status = PEN_ALLOC_ZERO(&gets, (int64_t)hosts->cluster_count * hosts->cluster_count);
    if (status == PEN_OK) status = PEN_ALLOC(&nodes, comm->size);
    status = pen_agree(comm, status);
    if (status == PEN_OK) status = measure(comm, hosts, linked && comm->size > 1, nodes, gets, m);
    if (status != PEN_OK) pen_comm_machine_free(m);
    pen_machine_destroy(&hosts);
    PEN_FREE_ALL(gets, nodes);
    return status;
}

/* ---- Output as text ---------------------------------------------------------------------------- */

pen_status pen_comm_machine_write(const comm_machine *m, const char *setting, FILE *out)
{
    fprintf(out,
            "%% A machine, measured by pen-comm: %s.\n"
            "%% Time is in seconds; a load of 1 is a second of a processor of speed 1, the fastest; data is in records "
            "of %" PRId64 " bytes:\n"
            "%% with loads in seconds --balancer=pagrid:units, minex:units.\n"
            "%% Speeds are from the least time of a node function, all ranks at once; those that differ by less than "
            "%.3g %% are made equal;\n"
            "%% links are from MPI_Get and a flush of 8 bytes to 128 KiB, between a few ranks of every two clusters, "
            "within %g %%.\n",
            setting, m->record, 100.0 * m->noise, 100.0 * COMM_LINK_NOISE);
    fprintf(out,
            "%% A node that becomes the mean of %.3g neighbours takes %.3g s. For such nodes, and loads that are not "
            "seconds:\n"
            "%% --partitioner=pagrid:ratio=%.3g, minex:ratio=%.3g, or 1 / the seconds of your node.\n",
            m->degree, m->node_seconds, 1.0 / m->node_seconds, 1.0 / m->node_seconds);
    const double ratio = m->per_byte * (double)m->record / m->node_seconds;
    if (m->per_byte > 0.0)
        fprintf(out, "%% If links cost 1 (--machine=host, flat): pagrid:ratio=%.3g, minex:ratio=%.3g.\n", ratio, ratio);
    return pen_machine_write(m->machine, out);
}

void pen_comm_machine_warn(const comm_machine *m, const char *path, FILE *out)
{
    if (m->noise <= COMM_MOST_NOISE) return;
    fprintf(out,
            "pen-comm: warning: %s: speeds that differ by less than %.3g %% count as equal, since other work disturbed "
            "the measurement: repeat it on idle processors, with no more ranks than cores\n",
            path, 100.0 * m->noise);
}

void pen_comm_machine_free(comm_machine *m) { pen_machine_destroy(&m->machine); }

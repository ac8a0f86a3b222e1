/* counters_test - counts a step's MPI calls and bytes through the profiling interface. They equal the halo's own
 * counters, and what follows from graph, owners, phases and the transport's definition; without publishing no call is
 * made. With --hosts, for ranks on several hosts, where everything is slow: fewer graphs, and some ranks must have
 * neighbours both near and far.
 * pen_mpi_test(ALONE SOURCES support/pmpi.c support/crowd.c TIMEOUT 180) */
#include "driver/report.h"
#include "halo/connect.h"
#include "run/state.h"
#include "tests/support/check.h"
#include "tests/support/crowd.h"
#include "tests/support/pmpi.h"
#include "tests/support/world.h"

enum { STEPS = 3, MOST_RANKS = 64 };

/* ---- Applications, and what they publish and pull in a step --------------------------------- */

typedef struct record_a {
    uint64_t word;
} record_a;
typedef struct record_b {
    uint64_t words[3];
} record_b;
typedef struct record_c {
    uint8_t bytes[5];
} record_c;
enum { A, B, C };
static const pen_field fields[] = { { .name = "a", .size = sizeof(record_a) },
                                    { .name = "b", .size = sizeof(record_b) },
                                    { .name = "c", .size = sizeof(record_c) } };

/* A node function writes the fields of its phase and reads nothing: values are tested by run_test. */
static void write_all(const pen_view *v)
{
    for (int f = 0; f < PEN_COUNT_OF(fields); f++)
        if (v->next[f]) memset((char *)v->next[f] + (size_t)v->slot * v->sizes[f], 1, v->sizes[f]);
}

#define PHASE(r, w)                                                       \
    {                                                                     \
        "phase", .node = write_all, .reads.bits = (r), .writes.bits = (w) \
    }
enum { FIELD_A = 1, FIELD_B = 2, FIELD_C = 4 };

static const pen_phase one_phases[] = { PHASE(FIELD_A, FIELD_A) };
static const pen_phase both_phases[] = { PHASE(FIELD_A | FIELD_B, FIELD_A | FIELD_B), PHASE(0, FIELD_C) };
static const pen_phase several_phases[] = {
    PHASE(FIELD_A | FIELD_B, FIELD_A), /* pulls a */
    PHASE(0, FIELD_B),                 /* publishes a version of b that is never read */
    PHASE(FIELD_A, FIELD_B | FIELD_C), /* pulls b */
    PHASE(0, FIELD_C),                 /* publishes nothing */
};
static const pen_phase silent_phases[] = { PHASE(0, FIELD_A | FIELD_B), PHASE(0, FIELD_C) };

#define APP(phases)                                                                \
    {                                                                              \
        .name = #phases, PEN_FIELDS(fields), PEN_PHASES(phases), .init = write_all \
    }
static const struct {
    pen_app app;
    int publications, pulling; /* phases that publish; that pull besides */
    int pulls, bytes;          /* fields pulled, and bytes of them per shadow */
} apps[] = {
    { APP(one_phases), 1, 1, 1, 8 },
    { APP(both_phases), 1, 1, 2, 32 },
    { APP(several_phases), 3, 2, 2, 32 },
    { APP(silent_phases), 0, 0, 0, 0 },
};

/* ---- Consumers of nodes, by brute force ----------------------------------------------------- */

typedef struct needs {
    int producers, consumers, neighbors;
    int far_producers, far_neighbors;
    int64_t shadows, sent; /* nodes that this rank pulls; that others pull from it */
    int64_t far_shadows;
} needs;

static int host_of[MOST_RANKS]; /* the lowest rank that shares memory with that rank */
static bool several_hosts;

static void find_hosts(void)
{
    int rank = check_rank(), host = rank, size;
    MPI_Comm near;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &near);
    MPI_Bcast(&host, 1, MPI_INT, 0, near);
    MPI_Comm_free(&near);
    MPI_Allgather(&host, 1, MPI_INT, host_of, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++) several_hosts = several_hosts || host_of[r] != host;
}

static needs find_needs(const graph_case *g, const pen_run *run, MPI_Comm comm)
{
    int rank, *owner = calloc((size_t)g->nodes, sizeof *owner);
    MPI_Comm_rank(comm, &rank);
    pen_local local = pen_run_local(run);
    for (int i = 0; i < g->nodes; i++)
        for (pen_lid j = 0; j < local.count; j++)
            if (local.gids[j] == g->gids[i]) owner[i] = rank;
    MPI_Allreduce(MPI_IN_PLACE, owner, g->nodes, MPI_INT, MPI_MAX, comm);
    bool produces[MOST_RANKS] = { false }, consumes[MOST_RANKS] = { false };
    needs n = { 0 };
    for (int i = 0; i < g->nodes; i++) { /* who reads node i? */
        bool read_by[MOST_RANKS] = { false };
        for (int j = 0; j < g->nodes; j++)
            for (int k = 0; k < g->degree[j]; k++)
                if (g->neighbors[j][k] == i) read_by[owner[j]] = true;
        for (int r = 0; r < MOST_RANKS; r++) {
            if (!read_by[r] || r == owner[i]) continue;
            if (r == rank) n.shadows++, produces[owner[i]] = true;
            if (r == rank) n.far_shadows += host_of[owner[i]] != host_of[rank];
            if (owner[i] == rank) n.sent++, consumes[r] = true;
        }
    }
    for (int r = 0; r < MOST_RANKS; r++) {
        n.producers += produces[r];
        n.consumers += consumes[r];
        n.neighbors += produces[r] || consumes[r];
        n.far_producers += produces[r] && host_of[r] != host_of[rank];
        n.far_neighbors += (produces[r] || consumes[r]) && host_of[r] != host_of[rank];
    }
    free(owner);
    return n;
}

/* ---- Definitions of the transports ---------------------------------------------------------- */

typedef struct promise {
    int64_t calls[PMPI_CALLS];
    int64_t gets, bytes, syncs;    /* what the halo counts */
    int64_t bytes_got, bytes_sent; /* requested from MPI */
} promise;

/* Gets of a field, and nodes got, gaps included. A transport that loads takes near segments one by one. */
static void planned_gets(const pen_run *run, int64_t *gets, int64_t *nodes)
{
    *gets = *nodes = 0;
    for (int i = 0; i < run->store->producer_count; i++) {
        const pen_producer *producer = &run->halo->producers[i];
        if (run->halo->transport->by_load) {
            bool far = host_of[producer->neighbor->rank] != host_of[check_rank()];
            CHECK_INT(producer->packed, far);
            CHECK_INT(producer->neighbor->direct != NULL, !far);
            *gets += far ? 1 : producer->stretch_count;
            *nodes += producer->count;
            continue;
        }
        *gets += producer->packed ? 1 : producer->fetch_count;
        *nodes += producer->packed ? producer->count : 0;
        for (int j = 0; !producer->packed && j < producer->fetch_count; j++) *nodes += producer->fetches[j].count;
    }
}

static promise promised(const pen_run *run, const needs *n, int app)
{
    const char *name = run->halo->transport->name;
    int64_t publications = apps[app].publications, pulling = apps[app].pulling, pulls = apps[app].pulls;
    int64_t gets, nodes;
    planned_gets(run, &gets, &nodes);
    promise p = { .gets = n->producers * pulls, .bytes = n->shadows * apps[app].bytes };
    if (run->halo->transport->one_sided) {
        p.gets = gets * pulls;
        p.bytes = nodes * apps[app].bytes;
    }
    if (run->halo->transport->one_sided && !run->halo->transport->by_load) {
        p.calls[CALL_Get] = p.gets;
        p.bytes_got = p.bytes;
    }
    if (strcmp(name, "shared") == 0) { /* on one host MPI is not called at all */
        int64_t told = n->far_neighbors > 0 ? publications : 0;
        p.calls[CALL_Get] = n->far_producers * pulls;
        p.bytes_got = n->far_shadows * apps[app].bytes;
        p.calls[CALL_Win_sync] = (several_hosts ? publications : 0) + told;
        p.calls[CALL_Isend] = p.calls[CALL_Irecv] = n->far_neighbors * publications;
        p.calls[CALL_Waitall] = p.calls[CALL_Win_flush_all] = told;
        p.syncs = publications + told;
        return p;
    }
    if (strcmp(name, "fence") == 0) {
        p.syncs = p.calls[CALL_Win_fence] = 2 * publications;
    } else if (strcmp(name, "pscw") == 0) {
        p.calls[CALL_Win_post] = p.calls[CALL_Win_wait] = n->consumers > 0 ? publications : 0;
        p.calls[CALL_Win_start] = p.calls[CALL_Win_complete] = n->producers > 0 ? publications : 0;
        p.syncs = p.calls[CALL_Win_wait] + 2 * p.calls[CALL_Win_start];
    } else if (strcmp(name, "passive") == 0) {
        p.calls[CALL_Win_sync] = 2 * publications;
        const bool by_message = run->store->window.kind != PEN_WINDOW_SHARED || !run->comm->meeting;
        p.calls[CALL_Isend] = p.calls[CALL_Irecv] = by_message ? n->neighbors * publications : 0;
        p.calls[CALL_Waitall] = by_message ? publications : 0;
        p.calls[CALL_Win_flush_all] = publications;
        p.syncs = 2 * publications;
    } else if (strcmp(name, "persistent") == 0) {
        p.syncs = p.calls[CALL_Startall] = p.calls[CALL_Waitall] = pulls;
    } else if (strcmp(name, "neighbor") == 0) {
        p.syncs = p.calls[CALL_Neighbor_alltoallw] = pulls;
    } else {
        bool blocking = strcmp(name, "blocking") == 0;
        CHECK(blocking || strcmp(name, "overlap") == 0); /* a transport that this test does not know */
        p.calls[CALL_Isend] = n->consumers * pulls;
        p.calls[blocking ? CALL_Recv : CALL_Irecv] = n->producers * pulls;
        p.calls[CALL_Waitall] = n->consumers + (blocking ? 0 : n->producers) > 0 ? pulling : 0;
        p.syncs = p.calls[CALL_Waitall] + p.calls[CALL_Recv];
        p.bytes_sent = n->sent * apps[app].bytes;
    }
    return p;
}

/* ---- The comparison ------------------------------------------------------------------------------------ */

static bool near_and_far; /* this rank had neighbours of both kinds */

static void count_case(const graph_case *g, const pen_graph *graph, int app, const char *transport,
                       const char *partitioner)
{
    pen_run_options options = { .transport = transport, .partitioner = partitioner };
    int64_t open = pmpi.open;
    pen_run *run = run_with(graph, &apps[app].app, &options);
    if (!run) return;
    needs n = find_needs(g, run, MPI_COMM_WORLD);
    CHECK_INT(run->store->producer_count, n.producers);
    CHECK_INT(run->store->consumer_count, n.consumers);
    CHECK_INT(run->halo->neighbor_count, n.neighbors);
    CHECK_INT(run->store->shadows, n.shadows);
    if (n.far_neighbors > 0 && n.far_neighbors < n.neighbors) near_and_far = true;
    promise p = promised(run, &n, app);
    int before = check_failures;

    pmpi_counters start = pmpi;
    CHECK_STATUS(pen_run_steps(run, STEPS), PEN_OK);
    pmpi_counters end = pmpi;
    for (int i = 0; i < PMPI_CALLS; i++) {
        if (i == CALL_Iprobe) continue; /* how often a rank that sleeps drives MPI's progress is a matter of time */
        int64_t expected = STEPS * p.calls[i];
        /* Are the arguments of this first pen_run_steps equal? */
        expected += i == CALL_Allreduce && !pen_meeting_of(run->comm);
        if (end.calls[i] - start.calls[i] != expected && check_failed())
            fprintf(stderr, "rank %d: %" PRId64 " calls of %s in %d steps, expected %" PRId64 "\n", check_rank(),
                    end.calls[i] - start.calls[i], pmpi_names[i], STEPS, expected);
    }
    CHECK_INT(end.bytes_got - start.bytes_got, STEPS * p.bytes_got);
    CHECK_INT(end.bytes_sent - start.bytes_sent, STEPS * p.bytes_sent);
    CHECK_INT(end.open, start.open);
    CHECK_INT(run->halo->gets, STEPS * p.gets);
    CHECK_INT(run->halo->bytes, STEPS * p.bytes);
    CHECK_INT(run->halo->syncs, STEPS * p.syncs);
    int64_t sums[3] = { STEPS * p.gets, STEPS * p.bytes, STEPS * p.syncs };
    MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    pen_report report;
    CHECK_STATUS(pen_report_create(run, &report), PEN_OK);
    if (run->comm->rank == 0) {
        CHECK_INT(report.most.gets, sums[0]);
        CHECK_INT(report.most.bytes, sums[1]);
        CHECK_INT(report.most.syncs, sums[2]);
    }
    pen_report_free(&report);
    /* Gaps are not joined and nothing is packed unless that is cheaper: otherwise only the nodes that are read are
     * pulled. */
    if (!pen_costs_assumed && run->halo->scratch_slots == 0) CHECK_INT(p.bytes, n.shadows * apps[app].bytes);

    pen_run_destroy(&run);
    CHECK_INT(pmpi.open, open);
    if (check_failures > before && before < 10)
        fprintf(stderr, "    in: %s, --comm=%s, --partitioner=%s, %s\n", g->name, transport, partitioner,
                apps[app].app.name);
}

CHECKS()
{
    static const char *const partitioners[] = { "block", "random:seed=3", "metis" };
    static const int few[] = { 6, 8 }, many[] = { 0, 2, 3, 5, 6, 8, 10 };
    static const pen_costs joining = { .local = { 1.0, 0.0 }, .remote = { 1.0, 0.0 } };
    static const pen_costs packing = { .local = { 1.0, 0.25 }, .remote = { 1.0, 0.25 } };
    static const pen_costs *const costs[] = { NULL, &joining, &packing };
    crowd_believed = CROWD_NONE; /* crowded ranks make other calls */
    find_hosts();
    bool hosts = argc > 1 && strcmp(argv[1], "--hosts") == 0;
    CHECK_INT(several_hosts, hosts);
    for (int i = 0; i < (hosts ? PEN_COUNT_OF(few) : PEN_COUNT_OF(many)); i++) {
        graph_case g = case_make(hosts ? few[i] : many[i]);
        pen_graph *graph = graph_of(&g, 3);
        for (int t = 0; pen_transports[t]; t++) {
            bool gets = pen_transports[t]->one_sided && !pen_transports[t]->by_load;
            for (int c = 0; c < (gets ? PEN_COUNT_OF(costs) : 1); c++) {
                pen_costs_assumed = costs[c];
                for (int app = 0; app < PEN_COUNT_OF(apps); app++)
                    RUN(count_case(&g, graph, app, pen_transports[t]->name, partitioners[(i + app + c) % 3]));
            }
            pen_costs_assumed = NULL;
        }
        pen_graph_destroy(&graph);
        case_free(&g);
    }
    if (hosts) CHECK(near_and_far);
}

/* race_test - whole runs with ranks in one process (one_process.h), for ThreadSanitizer. It finds unordered loads and
 * stores of planes, counters and exports, even if the result is right. Nodes must also read the right values, and the
 * checksum must be that of a run on one rank. Arguments: the number of steps, and the transports to test; none: all. */
#include "tests/support/one_process/one_process.h"
#include "tests/support/world.h"

#include <penumbra.h>

#include <stdatomic.h>
#include <stdlib.h>

typedef struct tag {
    pen_gid gid;
    int64_t step;
    uint64_t hash;
} tag;
enum { TAG, PASSED };
enum { NODES = 90, LEAP = 7, RANKS = 3 };

static atomic_int wrong;

static void init(const pen_view *v) { *PEN_NEXT(v, TAG, tag) = (tag){ pen_id(v), 0, (uint64_t)pen_id(v) }; }

/* Overwritten before it is read from a neighbour. */
static void mix(const pen_view *v)
{
    tag next = *PEN_SELF(v, TAG, tag);
    one_process_pause();
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const tag *t = PEN_NEIGHBOR(v, TAG, tag, i);
        wrong += t->gid != pen_neighbor_id(v, i) || t->step != pen_step(v);
        next.hash = scramble(next.hash, t->hash);
    }
    *PEN_NEXT(v, TAG, tag) = next;
}

static void advance(const pen_view *v)
{
    tag next = *PEN_SELF(v, TAG, tag);
    next.step++;
    *PEN_NEXT(v, TAG, tag) = next;
}

static void want(const pen_view *v, pen_requests *requests)
{
    pen_request(requests, (pen_gid)(scramble((uint64_t)pen_id(v), (uint64_t)pen_step(v)) % NODES));
}

static void look(const pen_view *v)
{
    const tag *t = PEN_FAR(v, TAG, tag, 0);
    tag next = *PEN_SELF(v, TAG, tag);
    wrong += t->gid != pen_far_id(v, 0) || t->step != pen_step(v);
    next.hash = scramble(next.hash, t->hash);
    next.step++;
    *PEN_NEXT(v, TAG, tag) = next;
}

/* Neighbours read the tag only as a transient copy: between the end of a step and the next pull no rank waits. */
static void pass(const pen_view *v)
{
    one_process_pause();
    *PEN_NEXT(v, PASSED, tag) = *PEN_SELF(v, TAG, tag);
}

static void take(const pen_view *v)
{
    tag next = *PEN_SELF(v, TAG, tag);
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const tag *t = PEN_NEIGHBOR(v, PASSED, tag, i);
        wrong += t->gid != pen_neighbor_id(v, i) || t->step != pen_step(v);
        next.hash = scramble(next.hash, t->hash);
    }
    next.step++;
    *PEN_NEXT(v, TAG, tag) = next;
}

static void init_both(const pen_view *v)
{
    init(v);
    memset(PEN_NEXT(v, PASSED, tag), 0, sizeof(tag));
}

static const pen_field fields[] = { { .name = "tag", .size = sizeof(tag) },
                                    { "passed", .size = sizeof(tag), .transient = true } };
static const pen_phase near_phases[] = {
    { "mix", .node = mix, .reads = PEN_SET(TAG), .writes = PEN_SET(TAG) },
    { "advance", .node = advance, .writes = PEN_SET(TAG) },
};
static const pen_phase far_phases[] = {
    { "mix", .node = mix, .reads = PEN_SET(TAG), .writes = PEN_SET(TAG) },
    { "look", .node = look, .writes = PEN_SET(TAG), .far = want, .far_reads = PEN_SET(TAG) },
};
static const pen_phase passing_phases[] = {
    { "pass", .node = pass, .writes = PEN_SET(PASSED) },
    { "take", .node = take, .reads = PEN_SET(PASSED), .writes = PEN_SET(TAG) },
};
#define FIRST_FIELD .fields = { .list = fields, .count = 1 }
static const pen_app near_app = { .name = "near", FIRST_FIELD, PEN_PHASES(near_phases), .init = init };
static const pen_app far_app = { .name = "far", FIRST_FIELD, PEN_PHASES(far_phases), .init = init };
static const pen_app passing_app = {
    .name = "passing", PEN_FIELDS(fields), PEN_PHASES(passing_phases), .init = init_both
};

/* ---- Runs --------------------------------------------------------------------------------------- */

typedef struct trial {
    const pen_app *app;
    bool directed; /* then ranks other than the last one read from higher ranks */
    pen_run_options options;
    int64_t steps;
    uint64_t sum;
} trial;

/* A ladder: neighbours are the next node and one further on, and in an undirected graph those before, too. */
static pen_status make_graph(MPI_Comm world, bool directed, pen_graph **graph)
{
    pen_gid gids[NODES], neighbors[4 * NODES];
    int64_t rows[NODES + 1] = { 0 };
    int rank, size;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    pen_csr mine = { .gids = gids, .rows = rows, .neighbors = neighbors, .directed = directed };
    for (int i = rank * NODES / size; i < (rank + 1) * NODES / size; i++) {
        const int leaps[] = { 1, LEAP, -1, -LEAP };
        int64_t end = rows[mine.count];
        gids[mine.count++] = i;
        for (int l = 0; l < (directed ? 2 : 4); l++)
            if (i + leaps[l] >= 0 && i + leaps[l] < NODES) neighbors[end++] = i + leaps[l];
        rows[mine.count] = end;
    }
    return pen_graph_from_csr(world, &mine, graph);
}

static pen_status do_run(MPI_Comm world, trial *t)
{
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    uint64_t sum = 0, all;
    int rank;
    MPI_Comm_rank(world, &rank);
    pen_status status = make_graph(world, t->directed, &graph);
    if (status == PEN_OK) status = pen_run_create(world, graph, t->app, &t->options, &run);
    if (status == PEN_OK) status = pen_run_steps(run, t->steps);
    if (status == PEN_OK) {
        pen_local local = pen_run_local(run);
        const tag *tags = (const tag *)local.fields[TAG];
        for (pen_lid i = 0; i < local.count; i++) sum += scramble((uint64_t)local.gids[i], tags[i].hash);
        MPI_Allreduce(&sum, &all, 1, MPI_UINT64_T, MPI_SUM, world);
        if (rank == 0) t->sum = all;
    }
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
    return status;
}

static void rank_main(int rank, void *context)
{
    if (do_run(MPI_COMM_WORLD, context) == PEN_OK) return;
    fprintf(stderr, "race_test: %s\n", pen_error_message());
    wrong++;
}

static void try(const char *what, trial *t, int hosts)
{
    static unsigned seed;
    uint64_t sum = t->sum;
    int before = wrong;
    one_process_run(&(one_process){ .ranks = hosts ? RANKS : 1, .hosts = hosts, .seed = ++seed, .faulty = -1 },
                    rank_main, t, NULL);
    if (wrong == before && (!hosts || t->sum == sum)) return;
    fprintf(stderr, "race_test: %s, %s, %s, %d hosts: %d wrong, sum %" PRIx64 ", on one rank %" PRIx64 "\n", what,
            t->options.transport, t->directed ? "directed" : "undirected", hosts, wrong - before, t->sum, sum);
    wrong++;
    t->sum = sum;
}

/* Everything with a transport. Migrations put all ranks in order; so far nodes are also read without any. */
static void try_transport(const char *transport, int64_t steps)
{
    for (int directed = 0; directed <= 1; directed++) {
        trial near = { &near_app, directed, { .partitioner = "block", .transport = transport }, steps, 0 };
        trial far = { &far_app, directed, near.options, steps, 0 }, moved = far;
        trial passing = { &passing_app, directed, near.options, steps, 0 };
        pen_test_options moves = { .migrate_seed = 3, .migrate_part = 0.02 };
        moved.options.debug.tests = &moves;
        for (int hosts = 0; hosts <= 2; hosts++) { /* 0: a single rank */
            try("neighbours", &near, hosts);
            try("far nodes", &far, hosts);
            try("transient records", &passing, hosts);
            try("nodes that move", &moved, hosts);
        }
    }
}

int main(int argc, char **argv)
{
    static const char *const transports[] = { "shared", "passive", "pscw", "fence", "overlap" };
    int64_t steps = argc > 1 ? atoi(argv[1]) : 20;
    for (int i = 2; i < argc; i++) try_transport(argv[i], steps);
    for (int i = 0; argc <= 2 && i < PEN_COUNT_OF(transports); i++) try_transport(transports[i], steps);
    return wrong > 0;
}

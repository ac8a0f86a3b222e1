/* migrate_test - nodes change owner. After every migration each gid has one owner, and directory, slots, shadows and
 * plans agree on all ranks; states move along; far reads and fetches find their nodes; impossible moves change nothing.
 * With a number as argument: so many migrations of each graph instead, each graph with one transport, which differs
 * between numbers of ranks.
 * pen_mpi_test() */
#include "base/memory.h"
#include "halo/connect.h"
#include "run/apply_change.h"
#include "tests/support/check.h"
#include "tests/support/world.h"

typedef struct tag {
    pen_gid gid;
    int64_t step;
    uint64_t hash;
} tag;
enum { TAG };

static int64_t wrong_reads;

static void init(const pen_view *v)
{
    *PEN_NEXT(v, TAG, tag) = (tag){ pen_id(v), 0, scramble((uint64_t)pen_id(v), (uint64_t)pen_node_weight(v)) };
}

static void mix(const pen_view *v)
{
    tag next = *PEN_SELF(v, TAG, tag);
    wrong_reads += next.gid != pen_id(v) || next.step != pen_step(v);
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const tag *t = PEN_NEIGHBOR(v, TAG, tag, i);
        wrong_reads += t->gid != pen_neighbor_id(v, i) || t->step != pen_step(v);
        next.hash = scramble(next.hash, t->hash + (uint64_t)pen_edge_weight(v, i));
    }
    next.step++;
    *PEN_NEXT(v, TAG, tag) = next;
}

/* Then every node reads a far node that changes from step to step, and one that does not. */
static const graph_case *far_case;

static int far_node(int k, pen_gid gid, int64_t step)
{
    return (int)(scramble((uint64_t)gid, k ? (uint64_t)step : 99) % (uint64_t)far_case->nodes);
}

static void want(const pen_view *v, pen_requests *requests)
{
    for (int k = 0; k < 2; k++) pen_request(requests, far_case->gids[far_node(k, pen_id(v), pen_step(v))]);
}

static void look(const pen_view *v)
{
    tag next = *PEN_SELF(v, TAG, tag);
    for (int k = 0; k < pen_far_count(v); k++) {
        const tag *t = PEN_FAR(v, TAG, tag, k);
        wrong_reads += !t || t->gid != pen_far_id(v, k) || t->step != pen_step(v) + 1;
        if (t) next.hash = scramble(next.hash, t->hash);
    }
    *PEN_NEXT(v, TAG, tag) = next;
}

static void print(const pen_view *v, FILE *out) { fprintf(out, "%" PRIx64, PEN_SELF(v, TAG, tag)->hash); }

static const pen_field fields[] = { { .name = "tag", .size = sizeof(tag) } };
static const pen_phase phases[] = {
    { "mix", .node = mix, .reads = PEN_SET(TAG), .writes = PEN_SET(TAG) },
    { "look", .node = look, .writes = PEN_SET(TAG), .far = want, .far_reads = PEN_SET(TAG) },
};
static const pen_app app = {
    .name = "tags", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init, .output.print = print
};

/* ---- The oracle: the same serially, step by step -------------------------------------------------- */

typedef struct truth {
    const graph_case *g;
    uint64_t *hash, *next; /* [nodes] */
    int64_t step;
} truth;

static truth truth_new(const graph_case *g)
{
    far_case = g;
    truth t = { g, malloc((size_t)g->nodes * 8), malloc((size_t)g->nodes * 8), 0 };
    for (int i = 0; i < g->nodes; i++) t.hash[i] = scramble((uint64_t)g->gids[i], g->loads ? (uint64_t)g->loads[i] : 1);
    return t;
}

static void truth_step(truth *t)
{
    for (int i = 0; i < t->g->nodes; i++) {
        t->next[i] = t->hash[i];
        for (int j = 0; j < t->g->degree[i]; j++)
            t->next[i] = scramble(t->next[i],
                                  t->hash[t->g->neighbors[i][j]] + (t->g->weights ? (uint64_t)t->g->weights[i][j] : 1));
    }
    for (int i = 0; i < t->g->nodes; i++) {
        t->hash[i] = t->next[i];
        for (int k = 0; k < 2; k++) t->hash[i] = scramble(t->hash[i], t->next[far_node(k, t->g->gids[i], t->step)]);
    }
    t->step++;
}

static void truth_free(truth *t)
{
    free(t->hash);
    free(t->next);
}

static int find_node(const graph_case *g, pen_gid gid)
{
    for (int i = 0; i < g->nodes; i++)
        if (g->gids[i] == gid) return i;
    return -1;
}

/* ---- The state of the world ------------------------------------------------------------------------ */

/* The arrays of 64-bit words of all ranks, one after the other; rank r's begin at starts[r]. */
typedef struct gathered {
    int64_t *words;
    int *counts, *starts;
} gathered;

static gathered gather(MPI_Comm comm, const int64_t *mine, int count)
{
    int size, total = 0;
    MPI_Comm_size(comm, &size);
    gathered g = { NULL, malloc((size_t)size * sizeof(int)), malloc(((size_t)size + 1) * sizeof(int)) };
    MPI_Allgather(&count, 1, MPI_INT, g.counts, 1, MPI_INT, comm);
    for (int r = 0; r < size; r++) {
        g.starts[r] = total;
        total += g.counts[r];
    }
    g.starts[size] = total;
    g.words = malloc(((size_t)total + 1) * sizeof *g.words);
    MPI_Allgatherv(mine, count, MPI_INT64_T, g.words, g.counts, g.starts, MPI_INT64_T, comm);
    return g;
}

static void gathered_free(gathered *g)
{
    free(g->words);
    free(g->counts);
    free(g->starts);
}

static void check_owners(const graph_case *g, const pen_run *run, const gathered *owned)
{
    const pen_store *store = run->store;
    int *owner = malloc((size_t)g->nodes * sizeof *owner);
    for (int i = 0; i < g->nodes; i++) owner[i] = -1;
    for (int r = 0; r < run->comm->size; r++)
        for (int i = owned->starts[r]; i < owned->starts[r + 1]; i++) {
            int node = find_node(g, owned->words[i]);
            CHECK(node >= 0);
            if (node < 0) continue;
            CHECK_INT(owner[node], -1);
            owner[node] = r;
        }
    int32_t *found = malloc((size_t)g->nodes * sizeof *found);
    CHECK_STATUS(pen_directory_resolve(store->directory, g->nodes, g->gids, found), PEN_OK);
    CHECK(pen_directory_is_valid(store->directory));
    for (int i = 0; i < g->nodes; i++) CHECK_INT(found[i], owner[i]);
    free(found);
    free(owner);
}

/* Shadows have the slots that their producers expect, and consumers request what producers expect. */
static void check_partners(const pen_run *run, const gathered *owned)
{
    const pen_store *store = run->store;
    pen_lid shadow = store->owned;
    for (int p = 0; p < store->producer_count; p++)
        for (pen_lid i = 0; i < store->producers[p].count; i++, shadow++) {
            int rank = store->producers[p].rank, slot = store->producers[p].slots[i];
            CHECK(slot < owned->counts[rank]);
            if (slot < owned->counts[rank]) CHECK_INT(store->gids[shadow], owned->words[owned->starts[rank] + slot]);
        }
    CHECK_INT(shadow, store->owned + store->shadows);
    /* Rank after rank: a line per consumer: its rank, the number of slots, the slots. */
    int words = 0;
    for (int c = 0; c < store->consumer_count; c++) words += 2 + store->consumers[c].count;
    int64_t *lines = malloc(((size_t)words + 1) * sizeof *lines);
    words = 0;
    for (int c = 0; c < store->consumer_count; c++) {
        lines[words++] = store->consumers[c].rank;
        lines[words++] = store->consumers[c].count;
        for (pen_lid i = 0; i < store->consumers[c].count; i++) lines[words++] = store->consumers[c].slots[i];
    }
    gathered all = gather(run->comm->mpi, lines, words);
    int matched = 0;
    for (int r = 0; r < run->comm->size; r++)
        for (int at = all.starts[r]; at < all.starts[r + 1]; at += 2 + (int)all.words[at + 1]) {
            if (all.words[at] != run->comm->rank) continue;
            int p = 0;
            while (p < store->producer_count && store->producers[p].rank != r) p++;
            CHECK(p < store->producer_count);
            if (p == store->producer_count) continue;
            matched++;
            CHECK_INT(store->producers[p].count, all.words[at + 1]);
            for (pen_lid i = 0; i < store->producers[p].count && i < all.words[at + 1]; i++)
                CHECK_INT(store->producers[p].slots[i], all.words[at + 2 + i]);
        }
    CHECK_INT(matched, store->producer_count);
    gathered_free(&all);
    free(lines);
}

static void check_slots(const graph_case *g, const pen_store *store)
{
    CHECK_INT(pen_pages_count(store->slot_of), store->owned + store->shadows);
    for (pen_lid s = 0; s < store->owned + store->shadows; s++) {
        const uint64_t *found = pen_pages_find(store->slot_of, store->gids[s]);
        CHECK(found != NULL);
        if (found) CHECK_INT(*found, s);
    }
    for (pen_lid s = 0; s < store->owned; s++) {
        int node = find_node(g, store->gids[s]);
        if (node < 0) continue;
        CHECK_INT(store->rows[s + 1] - store->rows[s], g->degree[node]);
        for (int j = 0; j < g->degree[node]; j++)
            CHECK_INT(store->gids[store->columns[store->rows[s] + (uint32_t)j]], g->gids[g->neighbors[node][j]]);
        if (store->node_weights) CHECK_INT(store->node_weights[s], g->loads[node]);
    }
}

/* Collective. Every rank fetches nodes of its own choice, twice, and some that do not exist; the last rank none. */
static void check_fetch(const graph_case *g, const truth *t, pen_run *run)
{
    int rank = run->comm->rank, count = rank == run->comm->size - 1 && rank > 0 ? 0 : 2 * g->nodes + 3;
    pen_gid *gids = malloc((size_t)count * sizeof *gids + 1);
    tag *tags = malloc((size_t)count * sizeof *tags + 1);
    bool *found = malloc((size_t)count + 1);
    for (int i = 0; i < count; i++) {
        int node = (int)(scramble((uint64_t)i, (uint64_t)rank) % (uint64_t)g->nodes);
        gids[i] = i % 7 == 3 ? g->gids[g->nodes - 1] + 1 + i : g->gids[node];
        tags[i] = (tag){ -1, -1, 0 };
        found[i] = i % 2;
    }
    CHECK_STATUS(pen_run_fetch(run, TAG, count, gids, tags, found), PEN_OK);
    for (int i = 0; i < count; i++) {
        int node = find_node(g, gids[i]);
        CHECK_INT(found[i], node >= 0);
        CHECK_INT(tags[i].gid, node >= 0 ? gids[i] : -1);
        CHECK_INT(tags[i].step, node >= 0 ? t->step : -1);
        if (node >= 0) CHECK_INT(tags[i].hash, t->hash[node]);
        tags[i].step = -1;
    }
    CHECK_STATUS(pen_run_fetch(run, TAG, count, gids, tags, rank % 2 ? found : NULL), PEN_OK);
    for (int i = 0; i < count; i++) CHECK_INT(tags[i].step, find_node(g, gids[i]) >= 0 ? t->step : -1);
    free(gids);
    free(tags);
    free(found);
}

/* Collective. */
static void check_world(const graph_case *g, const truth *t, pen_run *run)
{
    const pen_store *store = run->store;
    gathered owned = gather(run->comm->mpi, store->gids, store->owned);
    check_owners(g, run, &owned);
    check_partners(run, &owned);
    check_slots(g, store);
    gathered_free(&owned);
    pen_local local = pen_run_local(run);
    const tag *tags = (const tag *)local.fields[TAG];
    for (pen_lid i = 0; i < local.count; i++) {
        int node = find_node(g, local.gids[i]);
        CHECK_INT(tags[i].gid, local.gids[i]);
        CHECK_INT(tags[i].step, t->step);
        if (node >= 0) CHECK_INT(tags[i].hash, t->hash[node]);
    }
    CHECK_INT(wrong_reads, 0);
    check_fetch(g, t, run);
}

/* Collective: ranks that stopped at their own first failure would leave the others waiting. */
static bool all_well(void)
{
    int any = 0;
    MPI_Allreduce(&check_failures, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return any == 0;
}

/* ---- Histories ------------------------------------------------------------------------------------ */

enum { QUIET = 3 }; /* first steps: from blocks, only between ranks 0 and 1 */

/* The moves before step `step`: some to the neighbour, which does not concern distant ranks; then none, all to one
 * rank, all from one rank, back, at random. */
static int destination(int step, pen_gid gid, int rank, int size)
{
    uint64_t hash = scramble((uint64_t)gid, (uint64_t)step * 77);
    if (step < QUIET) return hash % 4 == 0 && rank < 2 && size > 1 ? 1 - rank : rank;
    step -= QUIET;
    switch (step % 6) {
    case 0: return rank;
    case 1: return step / 6 % size;
    case 2: return (int)(hash % (uint64_t)size);
    case 3: return rank == step / 6 % size ? (int)(hash % (uint64_t)size) : rank;
    case 4: return hash % 10 == 0 ? (int)(hash / 16 % (uint64_t)size) : rank;
    default: return (rank + 1) % size;
    }
}

static pen_status migrate(pen_run *run, int step)
{
    const pen_store *store = run->store;
    pen_move *moves = malloc(((size_t)store->owned + 1) * sizeof *moves);
    for (pen_lid s = 0; s < store->owned; s++)
        moves[s] = (pen_move){ store->gids[s], destination(step, store->gids[s], run->comm->rank, run->comm->size) };
    pen_status status = pen_run_migrate(run, PEN_OK, store->owned, moves);
    free(moves);
    return status;
}

static int64_t kept_stores; /* by migrations that did not concern this rank */

static void test_history(const graph_case *g, const char *transport, int steps)
{
    pen_run *run = NULL;
    pen_graph *graph = graph_of(g, 3);
    pen_status status = pen_run_create(MPI_COMM_WORLD, graph, &app,
                                       &(pen_run_options){ .transport = transport, .partitioner = "block" }, &run);
    check_with("%s, %s", g->name, transport);
    CHECK_INT(status, PEN_OK);
    truth t = truth_new(g);
    for (int step = 0; status == PEN_OK && step < steps && all_well(); step++) {
        bool swapped = run->store->swapped;
        CHECK_STATUS(migrate(run, step), PEN_OK);
        kept_stores += run->store->swapped != swapped;
        check_world(g, &t, run);
        CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
        truth_step(&t);
        if (check_failures > 0) fprintf(stderr, "    in: %s, --comm=%s, step %d\n", g->name, transport, step);
    }
    if (status == PEN_OK) check_world(g, &t, run);
    truth_free(&t);
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
}

/* ---- Failures ------------------------------------------------------------------------------- */

/* An allocation fails on one rank, at each point in turn: all ranks get the error, and nothing has changed. */
static void test_no_memory(const graph_case *g)
{
    pen_run *run = run_on(graph_of(g, 3), &app, &(pen_run_options){ .partitioner = "block" });
    truth t = truth_new(g);
    int victim = run->comm->size - 1, failed = 0;
    for (int64_t point = 1;; point++) {
        if (run->comm->rank == victim) pen_alloc_countdown = point;
        pen_status status = migrate(run, 2 + 6 * (int)point); /* at random, anew each time */
        int64_t left = run->comm->rank == victim ? pen_alloc_countdown : 0;
        pen_alloc_countdown = 0;
        MPI_Bcast(&left, 1, MPI_INT64_T, victim, MPI_COMM_WORLD);
        if (status != PEN_OK) {
            CHECK_INT(status, PEN_ERR_MEMORY);
            CHECK_CONTAINS(pen_error_message(), "out of memory");
            failed++;
        }
        check_world(g, &t, run);
        CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
        truth_step(&t);
        if (left > 0 || !all_well()) break; /* fewer allocations than `point` */
    }
    CHECK(failed > (run->comm->size > 1 ? 10 : 0)); /* a rank alone moves nothing */
    truth_free(&t);
    pen_run_destroy(&run);
}

/* The same in steps with far reads, which continue where they stopped, and in fetches, from empty caches. */
static void test_no_memory_far(const graph_case *g, const char *transport, bool fetching)
{
    pen_run *run = run_on(graph_of(g, 3), &app, &(pen_run_options){ .partitioner = "block", .transport = transport });
    truth t = truth_new(g);
    int victim = run->comm->size - 1, failed = 0;
    tag *tags = malloc((size_t)g->nodes * sizeof *tags);
    bool *found = malloc((size_t)g->nodes);
    for (int64_t point = 1;; point++) {
        CHECK_STATUS(migrate(run, 2 + 6 * (int)point), PEN_OK); /* makes ranks forget the owners that they looked up */
        if (run->comm->rank == victim) pen_alloc_countdown = point;
        pen_status status = fetching ? pen_run_fetch(run, TAG, g->nodes, g->gids, tags, found) : pen_run_steps(run, 1);
        int64_t left = run->comm->rank == victim ? pen_alloc_countdown : 0;
        pen_alloc_countdown = 0;
        MPI_Bcast(&left, 1, MPI_INT64_T, victim, MPI_COMM_WORLD);
        if (status != PEN_OK) {
            CHECK_INT(status, PEN_ERR_MEMORY);
            CHECK_CONTAINS(pen_error_message(), "out of memory");
            failed++;
        }
        if (status != PEN_OK && !fetching) CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
        if (!fetching) truth_step(&t);
        check_world(g, &t, run);
        if (left > 0 || !all_well()) break;
    }
    CHECK(failed > (run->comm->size > 1 ? 5 : 0));
    free(tags);
    free(found);
    truth_free(&t);
    pen_run_destroy(&run);
}

static void refuse(pen_run *run, int64_t count, const pen_move *moves, const char *words)
{
    bool mine = run->comm->rank == 0;
    CHECK_STATUS(pen_run_migrate(run, PEN_OK, mine ? count : 0, moves), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), words);
}

static void test_bad_moves(const graph_case *g)
{
    pen_run *run = run_on(graph_of(g, 3), &app, &(pen_run_options){ .partitioner = "block" });
    truth t = truth_new(g);
    int other = run->comm->size - 1;
    pen_gid mine = run->store->owned ? run->store->gids[0] : 0;
    pen_gid shadow = run->store->shadows ? run->store->gids[run->store->owned] : g->gids[g->nodes - 1] + 1;
    refuse(run, 1, &(pen_move){ mine, run->comm->size }, "ranks are 0..");
    refuse(run, 1, &(pen_move){ mine, -1 }, "ranks are 0..");
    refuse(run, 1, &(pen_move){ g->gids[g->nodes - 1] + 1, 0 }, "does not own");
    refuse(run, 1, &(pen_move){ -5, 0 }, "does not own");
    refuse(run, 1, &(pen_move){ shadow, 0 }, "does not own");
    if (other > 0) refuse(run, 2, (pen_move[]){ { mine, other }, { mine, other } }, "two moves");
    pen_status broken = run->comm->rank == other ? pen_fail(PEN_ERR_INPUT, "a balancer broke") : PEN_OK;
    CHECK_STATUS(pen_run_migrate(run, broken, 0, NULL), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "a balancer broke");
    check_world(g, &t, run);
    CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    truth_step(&t);
    check_world(g, &t, run);
    truth_free(&t);
    pen_run_destroy(&run);
}

static void test_bad_fetches(const graph_case *g)
{
    pen_run *run = run_on(graph_of(g, 3), &app, &(pen_run_options){ .partitioner = "block" });
    truth t = truth_new(g);
    tag record;
    bool found, bad = run->comm->rank == 0;
    CHECK_STATUS(pen_run_fetch(run, 1, 0, NULL, NULL, NULL), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "field 1, there are 1");
    CHECK_STATUS(pen_run_fetch(run, -1, 0, NULL, NULL, NULL), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_run_fetch(run, TAG, bad ? -1 : 1, g->gids, &record, &found), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "fetch of -1 nodes");
    CHECK_STATUS(pen_run_fetch(run, TAG, 1, bad ? &(pen_gid){ -7 } : g->gids, &record, &found), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "gid -7");
    CHECK_STATUS(pen_run_fetch(run, TAG, 1, g->gids, bad ? NULL : &record, &found), PEN_ERR_ARGUMENT);
    check_world(g, &t, run);
    truth_free(&t);
    pen_run_destroy(&run);
}

CHECKS()
{
    int size, transports = 0, many = argc > 1 ? atoi(argv[1]) : 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    while (pen_transports[transports]) transports++;
    for (int number = 0; number < CASES; number++) {
        graph_case g = case_make(number);
        if (many) RUN(test_history(&g, pen_transports[(number + size) % transports]->name, many));
        for (int i = 0; i < transports && !many; i++) RUN(test_history(&g, pen_transports[i]->name, 16));
        if (!many && (number == 5 || number == 7 || number == 10)) {
            RUN(test_no_memory(&g));
            for (int i = 0; i < 4; i++) RUN(test_no_memory_far(&g, i / 2 ? "overlap" : "fence", i % 2));
            RUN(test_bad_fetches(&g));
            RUN(test_bad_moves(&g));
        }
        case_free(&g);
    }
    MPI_Allreduce(MPI_IN_PLACE, &kept_stores, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (size > 3) CHECK(kept_stores > 0);
}

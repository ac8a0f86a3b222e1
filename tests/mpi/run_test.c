/* run_test - the core: every transport, partitioner and kind of graph has, bit for bit, the result of a serial loop
 * over plain arrays. Records contain gid and step, so that a pull that is early, late, torn or misrouted is noticed by
 * its reader. Arguments: the transports to test; none: all. --quick, for slow machines, leaves out partitioners and
 * graphs.
 * pen_mpi_test() */
#include "halo/connect.h"
#include "run/state.h"
#include "tests/support/check.h"
#include "tests/support/world.h"

enum { STEPS = 7 };

typedef struct tag {
    uint64_t gid;
    int64_t step;
    uint64_t hash;
} tag;
typedef struct small {
    uint8_t bytes[5];
} small;
typedef struct wide {
    uint64_t words[10];
} wide;

enum { TAG, SMALL, WIDE };

static uint8_t small_byte(uint64_t gid, int64_t step, int i)
{
    return (uint8_t)(scramble(gid, (uint64_t)step) >> (8 * i));
}

/* ---- The application ------------------------------------------------------------------------ */

static int64_t wrong_reads;

static void expect(bool right) { wrong_reads += !right; }

static bool quick;

static void init(const pen_view *v)
{
    *PEN_NEXT(v, TAG, tag) = (tag){ (uint64_t)pen_id(v), 0,
                                    scramble((uint64_t)pen_id(v), (uint64_t)pen_node_weight(v)) };
    for (int i = 0; i < 5; i++) PEN_NEXT(v, SMALL, small)->bytes[i] = small_byte((uint64_t)pen_id(v), 0, i);
    memset(PEN_NEXT(v, WIDE, wide), 0, sizeof(wide));
}

/* Reads both fields of the neighbours, in order: the hash depends on the order. */
static void mix(const pen_view *v)
{
    tag next = *PEN_SELF(v, TAG, tag);
    expect(next.gid == (uint64_t)pen_id(v) && next.step == pen_step(v));
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const tag *t = PEN_NEIGHBOR(v, TAG, tag, i);
        const small *s = PEN_NEIGHBOR(v, SMALL, small, i);
        expect(t->gid == (uint64_t)pen_neighbor_id(v, i) && t->step == pen_step(v));
        for (int k = 0; k < 5; k++) expect(s->bytes[k] == small_byte(t->gid, pen_step(v), k));
        next.hash = scramble(next.hash, t->hash + s->bytes[4] + (uint64_t)pen_edge_weight(v, i));
    }
    next.step++;
    *PEN_NEXT(v, TAG, tag) = next;
}

/* The same as a sweep that is written by hand. */
static void mix_block(const pen_view *v, pen_lid end)
{
    const tag *tags = (const tag *)v->current[TAG];
    const small *smalls = (const small *)v->current[SMALL];
    for (pen_lid slot = v->slot; slot < end; slot++) {
        tag next = tags[slot];
        for (uint32_t a = v->rows[slot]; a < v->rows[slot + 1]; a++) {
            pen_lid n = v->columns[a];
            expect(tags[n].gid == (uint64_t)v->gids[n] && tags[n].step == v->step);
            next.hash = scramble(next.hash, tags[n].hash + smalls[n].bytes[4] +
                                                (uint64_t)(v->edge_weights ? v->edge_weights[a] : 1));
        }
        next.step++;
        ((tag *)v->next[TAG])[slot] = next;
    }
}

/* A version of a field that is overwritten before it is read from a neighbour. */
static void scribble(const pen_view *v) { memset(PEN_NEXT(v, SMALL, small), (int)(pen_step(v) & 0xff), sizeof(small)); }

/* Reads the neighbours' new tags and the own scribble; keeps most of a field that nobody pulls. */
static void settle(const pen_view *v)
{
    uint64_t sum = PEN_SELF(v, SMALL, small)->bytes[3];
    expect(sum == (uint64_t)(pen_step(v) & 0xff));
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const tag *t = PEN_NEIGHBOR(v, TAG, tag, i);
        expect(t->gid == (uint64_t)pen_neighbor_id(v, i) && t->step == pen_step(v) + 1);
        sum += t->hash;
    }
    for (int k = 0; k < 5; k++)
        PEN_NEXT(v, SMALL, small)->bytes[k] = small_byte((uint64_t)pen_id(v), pen_step(v) + 1, k);
    pen_keep(v, WIDE);
    PEN_NEXT(v, WIDE, wide)->words[pen_step(v) % 10] = sum;
}
PEN_SWEEP(settle)

/* The smaller applications. One computes the next tag in one phase that reads what it writes; the other in three, one
 * of which writes tags that are never read. They have no observables, whose reduction would synchronise ranks. */
static uint64_t fold(const pen_view *v)
{
    uint64_t hash = PEN_SELF(v, TAG, tag)->hash;
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const tag *t = PEN_NEIGHBOR(v, TAG, tag, i);
        expect(t->gid == (uint64_t)pen_neighbor_id(v, i) && t->step == pen_step(v));
        hash = scramble(hash, t->hash + (uint64_t)pen_edge_weight(v, i));
    }
    return hash;
}

static void relax(const pen_view *v)
{
    *PEN_NEXT(v, TAG, tag) = (tag){ (uint64_t)pen_id(v), pen_step(v) + 1, fold(v) };
}

static void gather(const pen_view *v)
{
    pen_keep(v, WIDE);
    PEN_NEXT(v, WIDE, wide)->words[0] = fold(v);
}

static void blank(const pen_view *v) { memset(PEN_NEXT(v, TAG, tag), 0x55, sizeof(tag)); }

static void renew(const pen_view *v)
{
    *PEN_NEXT(v, TAG, tag) = (tag){ (uint64_t)pen_id(v), pen_step(v) + 1, PEN_SELF(v, WIDE, wide)->words[0] };
}

/* Far reads. Each node names, in its own order: a node that changes from step to step, one that does not, itself, a
 * neighbour, one that does not exist, and the first again; some name none. The fields read include one that is not read
 * from neighbours, and one that phases write without synchronisation just before and just after. */
enum { FAR_WISHES = 6 };
static const graph_case *far_case;

static pen_gid far_wish(int k, pen_gid gid, uint64_t hash, pen_gid neighbor)
{
    const pen_gid *gids = far_case->gids;
    uint64_t n = (uint64_t)far_case->nodes;
    switch (k) {
    case 1: return gids[scramble((uint64_t)gid, 3) % n];
    case 2: return gid;
    case 3: return neighbor;
    case 4: return hash % 2 ? gids[n - 1] + 1 + (pen_gid)(hash % 1000) : -3;
    default: return gids[hash % n];
    }
}

static void look_far(const pen_view *v, pen_requests *requests)
{
    const tag *t = PEN_SELF(v, TAG, tag);
    expect(t->gid == (uint64_t)pen_id(v) && t->step == pen_step(v));
    if (pen_degree(v)) expect(PEN_NEIGHBOR(v, TAG, tag, 0)->step == pen_step(v));
    for (int k = 0; t->hash % 4 != 0 && k < FAR_WISHES; k++)
        pen_request(requests, far_wish(k, pen_id(v), t->hash, pen_degree(v) ? pen_neighbor_id(v, 0) : pen_id(v)));
}

static void peek(const pen_view *v)
{
    uint64_t hash = fold(v);
    const tag *self = PEN_SELF(v, TAG, tag);
    expect(pen_far_count(v) == (self->hash % 4 ? FAR_WISHES : 0));
    for (int32_t k = 0; k < pen_far_count(v); k++) {
        const tag *t = PEN_FAR(v, TAG, tag, k);
        const wide *w = PEN_FAR(v, WIDE, wide, k);
        expect(pen_far_id(v, k) ==
               far_wish(k, pen_id(v), self->hash, pen_degree(v) ? pen_neighbor_id(v, 0) : pen_id(v)));
        expect((t == NULL) == (k == 4) && (w == NULL) == (k == 4));
        if (!t || !w) continue;
        expect(t->gid == (uint64_t)pen_far_id(v, k) && t->step == pen_step(v) && w->words[2] == t->gid);
        hash = scramble(hash, t->hash + w->words[1]);
    }
    *PEN_NEXT(v, TAG, tag) = (tag){ (uint64_t)pen_id(v), pen_step(v) + 1, hash };
}
PEN_SWEEP(peek)

static void glance(const pen_view *v)
{
    uint64_t hash = fold(v);
    for (int32_t k = 0; k < pen_far_count(v); k++) {
        const tag *t = PEN_FAR(v, TAG, tag, k);
        if (t) expect(t->gid == (uint64_t)pen_far_id(v, k) && t->step == pen_step(v));
        if (t) hash = scramble(hash, t->hash);
    }
    *PEN_NEXT(v, TAG, tag) = (tag){ (uint64_t)pen_id(v), pen_step(v) + 1, hash };
}

static void stir(const pen_view *v)
{
    pen_keep(v, WIDE);
    PEN_NEXT(v, WIDE, wide)->words[1] = PEN_SELF(v, TAG, tag)->hash ^ 5;
    PEN_NEXT(v, WIDE, wide)->words[2] = (uint64_t)pen_id(v);
}

static void stir_again(const pen_view *v)
{
    memset(PEN_NEXT(v, WIDE, wide), 0, sizeof(wide));
    PEN_NEXT(v, WIDE, wide)->words[0] = PEN_SELF(v, WIDE, wide)->words[1];
}

static void print(const pen_view *v, FILE *out)
{
    const wide *w = PEN_SELF(v, WIDE, wide);
    fprintf(out, "%" PRIx64 " %" PRIx64, PEN_SELF(v, TAG, tag)->hash, w->words[0] ^ w->words[1]);
}

enum { COUNT, LOWEST, HIGHEST, REAL_SUM, REAL_LOW, REAL_HIGH, OBSERVABLES };

static double real_of(uint64_t hash) /* sums that depend on their order if rounded */
{
    return ((double)(hash % 2001) - 1000.0) * (hash & 1 ? 0x1p44 : 0x1p-6);
}

static void observe(const pen_view *v, pen_observation *o)
{
    uint64_t hash = PEN_SELF(v, TAG, tag)->hash;
    pen_observe_int(o, COUNT, 1);
    pen_observe_int(o, LOWEST, (int64_t)hash);
    pen_observe_int(o, HIGHEST, (int64_t)hash);
    pen_observe_real(o, REAL_SUM, real_of(hash));
    pen_observe_real(o, REAL_LOW, real_of(hash));
    pen_observe_real(o, REAL_HIGH, real_of(hash));
}
PEN_OBSERVE_SWEEP(observe)

#define OF(record) .name = #record, .size = sizeof(record)
static const pen_field fields[] = { { OF(tag) }, { OF(small) }, { OF(wide) } };
static const pen_observable observables[] = {
    { "count", PEN_SUM_INT, 1 }, { "lowest", PEN_MIN_INT, 1 }, { "highest", PEN_MAX_INT, 1 },
    { "sum", PEN_SUM_REAL, 1 },  { "low", PEN_MIN_REAL, 1 },   { "high", PEN_MAX_REAL, 1 },
};
#define OTHER_PHASES(compute)                                                    \
    { "scribble", .node = scribble, .writes = PEN_SET(SMALL) },                  \
    {                                                                            \
        "settle", compute, .reads = PEN_SET(TAG), .writes = PEN_SET(SMALL, WIDE) \
    }
static const pen_phase node_phases[] = {
    { "mix", .node = mix, .reads = PEN_SET(TAG, SMALL), .writes = PEN_SET(TAG) },
    OTHER_PHASES(.node = settle),
};
static const pen_phase block_phases[] = {
    { "mix", .reads = PEN_SET(TAG, SMALL), .writes = PEN_SET(TAG), .sweep = mix_block },
    OTHER_PHASES(.sweep = settle_sweep),
};
static const pen_phase relax_phases[] = { { "relax", .node = relax, .reads = PEN_SET(TAG), .writes = PEN_SET(TAG) } };
static const pen_phase gather_phases[] = {
    { "gather", .node = gather, .reads = PEN_SET(TAG), .writes = PEN_SET(WIDE) },
    { "blank", .node = blank, .writes = PEN_SET(TAG) },
    { "renew", .node = renew, .writes = PEN_SET(TAG) },
};
static const pen_phase far_phases[] = {
    { "stir", .node = stir, .writes = PEN_SET(WIDE) },
    { "peek", .sweep = peek_sweep, .reads = PEN_SET(TAG), .writes = PEN_SET(TAG), .far = look_far,
      .far_reads = PEN_SET(TAG, WIDE) },
    { "stir again", .node = stir_again, .writes = PEN_SET(WIDE) },
};
/* Only what neighbours' shadows have too. */
static const pen_phase near_phases[] = {
    { "stir", .node = stir, .writes = PEN_SET(WIDE) },
    { "glance", .node = glance, .reads = PEN_SET(TAG), .writes = PEN_SET(TAG), .far = look_far,
      .far_reads = PEN_SET(TAG) },
};
#define OTHER_MEMBERS PEN_FIELDS(fields), .init = init, .output.print = print
#define OBSERVED PEN_OBSERVABLES(observables, observe_sweep)
enum { NODES, BLOCKS, RELAX, GATHER, PEEK, GLANCE, APPS };
static const pen_app apps[APPS] = {
    [NODES] = { .name = "nodes", PEN_PHASES(node_phases), OTHER_MEMBERS, OBSERVED },
    [BLOCKS] = { .name = "blocks", PEN_PHASES(block_phases), OTHER_MEMBERS, OBSERVED },
    [RELAX] = { .name = "relax", PEN_PHASES(relax_phases), OTHER_MEMBERS },
    [GATHER] = { .name = "gather", PEN_PHASES(gather_phases), OTHER_MEMBERS },
    [PEEK] = { .name = "peek", PEN_PHASES(far_phases), OTHER_MEMBERS },
    [GLANCE] = { .name = "glance", PEN_PHASES(near_phases), OTHER_MEMBERS },
};

/* ---- The oracle ----------------------------------------------------------------------------- */

typedef struct truth {
    tag *tags;
    wide *wides;
} truth;

static int find_node(const graph_case *g, pen_gid gid)
{
    for (int i = 0; i < g->nodes; i++)
        if (g->gids[i] == gid) return i;
    return -1;
}

/* The wide record that a far node has when it is looked at: what stir made of its tag. */
static uint64_t see_far(const graph_case *g, const truth *t, int i, bool wides, uint64_t hash)
{
    uint64_t own = t->tags[i].hash;
    for (int k = 0; own % 4 != 0 && k < FAR_WISHES; k++) {
        int other = find_node(g, far_wish(k, g->gids[i], own, g->gids[g->degree[i] ? g->neighbors[i][0] : i]));
        if (other >= 0) hash = scramble(hash, t->tags[other].hash + (wides ? t->tags[other].hash ^ 5 : 0));
    }
    return hash;
}

static truth compute_truth(const graph_case *g, int app, int steps)
{
    bool mixing = app == NODES || app == BLOCKS;
    size_t n = (size_t)g->nodes;
    truth t = { malloc(n * sizeof(tag)), calloc(n, sizeof(wide)) };
    tag *next = malloc(n * sizeof(tag));
    uint64_t *before = malloc(n * sizeof *before);
    for (int i = 0; i < g->nodes; i++)
        t.tags[i] = (tag){ (uint64_t)g->gids[i], 0,
                           scramble((uint64_t)g->gids[i], g->loads ? (uint64_t)g->loads[i] : 1) };
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < g->nodes; i++) {
            next[i] = t.tags[i];
            next[i].step++;
            for (int j = 0; j < g->degree[i]; j++) {
                const tag *other = &t.tags[g->neighbors[i][j]];
                uint64_t weight = g->weights ? (uint64_t)g->weights[i][j] : 1;
                uint64_t byte = mixing ? small_byte(other->gid, step, 4) : 0;
                next[i].hash = scramble(next[i].hash, other->hash + byte + weight);
            }
            if (app == PEEK || app == GLANCE) next[i].hash = see_far(g, &t, i, app == PEEK, next[i].hash);
        }
        for (int i = 0; i < g->nodes; i++) before[i] = t.tags[i].hash;
        memcpy(t.tags, next, n * sizeof(tag));
        for (int i = 0; i < g->nodes; i++) {
            if (app == GATHER) t.wides[i].words[0] = t.tags[i].hash;
            if (app == PEEK) t.wides[i].words[0] = before[i] ^ 5;
            if (app == GLANCE) t.wides[i].words[1] = before[i] ^ 5;
            if (app == GLANCE) t.wides[i].words[2] = (uint64_t)g->gids[i];
            if (!mixing) continue;
            uint64_t sum = (uint64_t)(step & 0xff);
            for (int j = 0; j < g->degree[i]; j++) sum += t.tags[g->neighbors[i][j]].hash;
            t.wides[i].words[step % 10] = sum;
        }
    }
    free(next);
    free(before);
    return t;
}

static void free_truth(truth *t)
{
    free(t->tags);
    free(t->wides);
}

/* ---- The comparison ------------------------------------------------------------------------- */

static void compare(const graph_case *g, const truth *t, const pen_run *run, MPI_Comm comm)
{
    pen_local local = pen_run_local(run);
    const tag *tags = (const tag *)local.fields[TAG];
    const wide *wides = (const wide *)local.fields[WIDE];
    for (pen_lid i = 0; i < local.count; i++) {
        int node = find_node(g, local.gids[i]);
        CHECK(node >= 0);
        if (node < 0) continue;
        CHECK_INT(tags[i].gid, t->tags[node].gid);
        CHECK_INT(tags[i].step, t->tags[node].step);
        CHECK_INT(tags[i].hash, t->tags[node].hash);
        CHECK_INT(memcmp(&wides[i], &t->wides[node], sizeof(wide)), 0);
    }
    int64_t count = local.count;
    MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT64_T, MPI_SUM, comm);
    CHECK_INT(count, g->nodes);
    CHECK_INT(wrong_reads, 0);
    wrong_reads = 0;
}

/* Boundary nodes are those that some rank pulls. Those that the same ranks pull are contiguous; within such a stretch,
 * and among interior nodes, gids ascend. */
static void check_layout(const pen_store *store)
{
    uint64_t *pulled_by = calloc((size_t)store->owned + 1, sizeof *pulled_by); /* a bit per rank */
    for (int c = 0; c < store->consumer_count; c++)
        for (pen_lid i = 0; i < store->consumers[c].count; i++)
            pulled_by[store->consumers[c].slots[i]] |= UINT64_C(1) << store->consumers[c].rank;
    for (pen_lid s = 0; s < store->owned; s++) {
        CHECK_INT(pulled_by[s] != 0, s < store->boundary);
        if (s > 0 && pulled_by[s] == pulled_by[s - 1]) CHECK(store->gids[s] > store->gids[s - 1]);
        else
            for (pen_lid before = 0; before < s; before++) CHECK(pulled_by[before] != pulled_by[s]);
    }
    free(pulled_by);
}

static void compare_observables(const graph_case *g, const truth *t, const pen_run *run)
{
    int64_t lowest = INT64_MAX, highest = INT64_MIN;
    double low = 1e300, high = -1e300;
    __extension__ typedef __int128 integer; /* the sum in units of 2^-6, exactly */
    integer sum = 0;
    for (int i = 0; i < g->nodes; i++) {
        uint64_t hash = t->tags[i].hash;
        if ((int64_t)hash < lowest) lowest = (int64_t)hash;
        if ((int64_t)hash > highest) highest = (int64_t)hash;
        if (real_of(hash) < low) low = real_of(hash);
        if (real_of(hash) > high) high = real_of(hash);
        sum += ((integer)(hash % 2001) - 1000) * (hash & 1 ? (integer)1 << 50 : 1);
    }
    CHECK_INT(pen_run_observed_int(run, COUNT), g->nodes);
    CHECK_INT(pen_run_observed_int(run, LOWEST), lowest);
    CHECK_INT(pen_run_observed_int(run, HIGHEST), highest);
    CHECK(pen_run_observed_real(run, REAL_LOW) == low);
    CHECK(pen_run_observed_real(run, REAL_HIGH) == high);
    CHECK(pen_run_observed_real(run, REAL_SUM) == (double)sum * 0x1p-6);
}

/* Which ways of pulling have been tested: joined over gaps, packed. */
static int64_t joined_fetches, packed_producers;

static void note_plan(const pen_run *run)
{
    for (int i = 0; i < run->store->producer_count; i++) {
        const pen_producer *producer = &run->halo->producers[i];
        packed_producers += producer->packed;
        for (int j = 0; !producer->packed && j < producer->fetch_count; j++)
            joined_fetches += producer->fetches[j].stretch_count > 1;
    }
}

/* Random migrations before every step. */
static int migrates;

/* Two-sided transports say that they have pulled as many bytes of each shadow; and each transport that it has waited in
 * each step. */
static void check_pulled(const pen_run *run, int app)
{
    static int64_t bytes[APPS];
    const bool sends = !run->halo->transport->one_sided; /* gets may join stretches */
    if (sends && !bytes[app] && run->store->shadows > 0) bytes[app] = run->halo->bytes / run->store->shadows;
    if (sends) CHECK_INT(run->halo->bytes, bytes[app] * run->store->shadows);
    CHECK_INT(run->halo->gets > 0, run->store->shadows > 0);
    CHECK(run->store->shadows == 0 || run->halo->syncs >= STEPS);
}

static uint64_t run_case(const graph_case *g, const pen_graph *graph, MPI_Comm comm, int app, const char *transport,
                         const char *partitioner)
{
    pen_run *run = NULL;
    far_case = g;
    const bool all = strcmp(partitioner, "block") == 0; /* every step computes, and pulls, every node */
    pen_run_options options = { .transport = transport,
                                .partitioner = partitioner,
                                .steps = STEPS,
                                .active = all ? PEN_ACTIVE_OFF : PEN_ACTIVE_AUTO };
    pen_test_options moves = { .migrate_seed = (uint64_t)migrates, .migrate_part = migrates % 3 == 0 ? 1.0 : 0.3 };
    if (migrates) options.debug.tests = &moves;
    pen_status status = pen_run_create(comm, graph, &apps[app], &options, &run);
    if (status != PEN_OK) {
        fprintf(stderr, "%s, %s, %s: %s\n", g->name, transport, partitioner, pen_error_message());
        CHECK_INT(status, PEN_OK);
        return 0;
    }
    check_layout(run->store);
    note_plan(run);
    uint64_t checksum = 0;
    for (int steps = 0, more = 0; steps <= STEPS; steps += more) { /* 0, 1, then the rest at once */
        truth t = compute_truth(g, app, steps);
        int before = check_failures;
        compare(g, &t, run, comm);
        if (steps > 0 && apps[app].observables.observe) compare_observables(g, &t, run);
        if (check_failures > before && before < 10)
            fprintf(stderr, "    in: %s, --comm=%s, --partitioner=%s, %s, after %d steps\n", g->name, transport,
                    partitioner, apps[app].name, steps);
        free_truth(&t);
        more = steps == 0 ? 1 : STEPS - 1;
        if (steps < STEPS) CHECK_STATUS(pen_run_steps(run, more), PEN_OK);
    }
    CHECK_STATUS(pen_run_checksum(run, &checksum), PEN_OK);
    if (all && !migrates && app != PEEK) check_pulled(run, app); /* its shadows are pulled where nodes look */
    pen_run_destroy(&run);
    CHECK(run == NULL);
    return checksum;
}

/* With every partitioner, or only with one that changes from case to case. */
static void test_case(int number, bool one, MPI_Comm comm, const char *const *transports, int count)
{
    static const char *const partitioners[] = { "block", "random:seed=3", "metis" };
    graph_case g = case_make(number);
    pen_graph *graph = NULL;
    CHECK_STATUS(case_distribute(&g, comm, 77 + (uint64_t)number, &graph), PEN_OK);
    uint64_t checksums[APPS] = { 0 };
    for (int t = 0; t < count; t++)
        for (int p = 0; p < 3; p++)
            for (int app = 0; app < APPS; app++) {
                bool wanted = p == 2 || app == p; /* metis with every application, the others with one each */
                if (one) wanted = p == number % 3;
                if (quick) wanted = p == 2;
                if (!wanted) continue;
                if (app >= PEEK && (app - PEEK) != number % 2) continue; /* each with every other case: time */
                check_with("%s, %s, %s, application %d", g.name, transports[t], partitioners[p], app);
                uint64_t sum = run_case(&g, graph, comm, app, transports[t], partitioners[p]);
                if (!checksums[app]) checksums[app] = sum;
                CHECK_INT(sum, checksums[app]);
            }
    CHECK_INT(checksums[NODES], checksums[BLOCKS]);
    pen_graph_destroy(&graph);
    case_free(&g);
}

/* Two runs at once on each half of the ranks, stepped in turn; the halves differ in what they do. */
static void test_split(const char *const *transports, int count)
{
    const int rank = check_rank();
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    graph_case g = case_make(5 + rank % 2);
    pen_graph *graph = NULL;
    CHECK_STATUS(case_distribute(&g, half, 5, &graph), PEN_OK);
    pen_run *runs[2] = { NULL };
    const char *osc = getenv("OMPI_MCA_osc");
    for (int i = 0; i < 2; i++) {
        pen_status status = pen_run_create(half, graph, &apps[NODES],
                                           &(pen_run_options){ .transport = transports[i % count] }, &runs[i]);
        /* Open MPI 4's osc/rdma names its files alike on sibling communicators, and one of them fails. */
        bool excused = status == PEN_ERR_ENVIRONMENT && osc && strcmp(osc, "rdma") == 0;
        if (excused) check_leave_out("two runs at once on each half of the ranks: osc/rdma mixes up their files");
        if (!excused) CHECK_INT(status, PEN_OK);
    }
    truth t = compute_truth(&g, NODES, STEPS);
    for (int step = 0; step < STEPS; step++)
        for (int i = 0; i < 2; i++)
            if (runs[i]) CHECK_STATUS(pen_run_steps(runs[i], 1), PEN_OK);
    for (int i = 0; i < 2; i++) {
        if (!runs[i]) continue;
        compare(&g, &t, runs[i], half);
        pen_run_destroy(&runs[i]);
    }
    free_truth(&t);
    pen_graph_destroy(&graph);
    case_free(&g);
    MPI_Comm_free(&half);
}

static bool wanted_case(int number) { return !quick || number == 6 || number == 8 || number == 10; }

/* Plans as where gets are dear: stretches joined over gaps, or packed. Costs are powers of two: sums compare equal. */
static void test_plans(const char *const *transports, int count)
{
    static const pen_costs joining = { .local = { 1.0, 0.0 }, .remote = { 1.0, 0.0 }, .copy_record = 0x1p-10 };
    static const pen_costs packing = { .local = { 1.0, 0.25 }, .remote = { 1.0, 0.25 }, .copy_record = 0x1p-10 };
    for (int number = 3; number < CASES; number++) {
        if (!wanted_case(number)) continue;
        pen_costs_assumed = &joining;
        test_case(number, true, MPI_COMM_WORLD, transports, count);
        pen_costs_assumed = &packing;
        test_case(number, true, MPI_COMM_WORLD, transports, count);
    }
    pen_costs_assumed = NULL;
    int64_t seen[2] = { joined_fetches, packed_producers };
    MPI_Allreduce(MPI_IN_PLACE, seen, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    int size; /* up to three ranks the order of the boundary nodes makes every pull one stretch */
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size >= 4) CHECK(seen[0] > 0 && seen[1] > 0);
}

static void test_migrations(const char *const *transports, int count)
{
    for (int number = 0; number < CASES; number++) {
        if (!wanted_case(number)) continue;
        migrates = 1 + number;
        test_case(number, true, MPI_COMM_WORLD, transports, count);
    }
    migrates = 0;
}

CHECKS()
{
    const char *transports[32], *getting[32];
    int count = 0, getting_count = 0, first = 1;
    for (; first < argc && argv[first][0] == '-'; first++) quick = quick || strcmp(argv[first], "--quick") == 0;
    for (int i = 0; pen_transports[i]; i++) {
        bool wanted = argc == first;
        for (int a = first; a < argc; a++) wanted = wanted || strcmp(argv[a], pen_transports[i]->name) == 0;
        if (!wanted) continue;
        transports[count++] = pen_transports[i]->name;
        if (pen_transports[i]->one_sided && !pen_transports[i]->by_load)
            getting[getting_count++] = pen_transports[i]->name;
    }
    CHECK(argc == first ? count > 0 : count == argc - first); /* every name is known */
    for (int number = 0; number < CASES; number++)
        if (wanted_case(number)) RUN(test_case(number, false, MPI_COMM_WORLD, transports, count));
    if (count > 0) RUN(test_split(transports, count));
    if (count > 0) RUN(test_migrations(transports, count));
    if (getting_count > 0) RUN(test_plans(getting, getting_count));
    if (argc == first) RUN(test_case(8, false, MPI_COMM_WORLD, (const char *[]){ "auto" }, 1));
}

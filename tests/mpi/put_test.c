/* put_test - exchange with the outside: records put by any rank, between steps, before the first one and within one
 * that has failed, with every transport, on graphs of all kinds, while nodes move; a call of the balancer; the present
 * graph; and two runs that exchange records in every step. All are compared with plain loops.
 * pen_mpi_test(RANKS 1 2 3 5) */
#include "balancing/balance.h"
#include "base/memory.h"
#include "halo/connect.h"
#include "tests/support/check.h"
#include "tests/support/graph_hash.h"
#include "tests/support/world.h"

#include <unistd.h>

/* HASH is read from neighbours and written; GIVEN is read from neighbours and never written; OWN is written and read by
 * its own node only; FAR is read far away only. */
enum { HASH, GIVEN, OWN, FAR, FIELDS };

/* Of no round size, so that neighbouring records share words. */
typedef struct given {
    unsigned char bytes[13];
} given;

static given given_of(uint64_t value)
{
    given g;
    for (size_t i = 0; i < sizeof g.bytes; i++) g.bytes[i] = (unsigned char)scramble(value, i);
    return g;
}

static uint64_t value_of(const given *g)
{
    uint64_t value = 0;
    for (size_t i = 0; i < sizeof g->bytes; i++) value = scramble(value, g->bytes[i]);
    return value;
}

static const graph_case *the_case;
static pen_gid far_gid(pen_gid gid) { return the_case->gids[scramble((uint64_t)gid, 7) % (uint64_t)the_case->nodes]; }

static void init(const pen_view *v)
{
    *PEN_NEXT(v, HASH, uint64_t) = (uint64_t)pen_id(v);
    *PEN_NEXT(v, GIVEN, given) = given_of((uint64_t)pen_id(v));
    *PEN_NEXT(v, OWN, uint64_t) = 1;
    *PEN_NEXT(v, FAR, uint64_t) = 2;
}

/* A node function sets the countdown of allocations: what a step allocates before its first phase, such as new windows
 * on a crowded host, does not count. */
static PEN_PER_RANK int64_t countdown_in_step;

static void mix(const pen_view *v)
{
    if (countdown_in_step > 0) pen_alloc_countdown = countdown_in_step;
    countdown_in_step = 0;
    uint64_t own = scramble(*PEN_SELF(v, OWN, uint64_t), 3), next = scramble(*PEN_SELF(v, HASH, uint64_t), own);
    for (int32_t i = 0; i < pen_degree(v); i++)
        next = scramble(next, *PEN_NEIGHBOR(v, HASH, uint64_t, i) + value_of(PEN_NEIGHBOR(v, GIVEN, given, i)));
    *PEN_NEXT(v, HASH, uint64_t) = next;
    *PEN_NEXT(v, OWN, uint64_t) = own;
}

static void want(const pen_view *v, pen_requests *requests) { pen_request(requests, far_gid(pen_id(v))); }

static void look(const pen_view *v)
{
    *PEN_NEXT(v, FAR, uint64_t) = scramble(*PEN_FAR(v, FAR, uint64_t, 0), *PEN_SELF(v, HASH, uint64_t));
}

static void print(const pen_view *v, FILE *out) { fprintf(out, "%" PRIx64, *PEN_SELF(v, HASH, uint64_t)); }
static double cost(const pen_view *v) { return pen_id(v) % 16 < 4 ? 8.0 : 1.0; }
PEN_COST_SWEEP(cost)

static const pen_field fields[] = { { .name = "hash", .size = 8 },
                                    { .name = "given", .size = sizeof(given) },
                                    { .name = "own", .size = 8 },
                                    { .name = "far", .size = 8 } };
static const pen_phase phases[] = {
    { "mix", .node = mix, .reads = PEN_SET(HASH, GIVEN), .writes = PEN_SET(HASH, OWN), .cost = cost_sweep },
    { "look", .node = look, .writes = PEN_SET(FAR), .far = want, .far_reads = PEN_SET(FAR) },
};
static const pen_app app = {
    .name = "puts", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init, .output.print = print
};

/* ---- The same serially ---------------------------------------------------------------------------- */

typedef struct truth {
    const graph_case *g;
    uint64_t *hash, *given, *own, *far, *next; /* [nodes] of GIVEN what it is made of */
} truth;

static truth truth_new(const graph_case *g)
{
    size_t bytes = (size_t)g->nodes * 8;
    truth t = { g, malloc(bytes), malloc(bytes), malloc(bytes), malloc(bytes), malloc(bytes) };
    the_case = g;
    for (int i = 0; i < g->nodes; i++) {
        t.hash[i] = t.given[i] = (uint64_t)g->gids[i];
        t.own[i] = 1;
        t.far[i] = 2;
    }
    return t;
}

static int find_node(const graph_case *g, pen_gid gid)
{
    for (int i = 0; i < g->nodes; i++)
        if (g->gids[i] == gid) return i;
    return -1;
}

static void truth_mix(truth *t)
{
    for (int i = 0; i < t->g->nodes; i++) {
        t->own[i] = scramble(t->own[i], 3);
        t->next[i] = scramble(t->hash[i], t->own[i]);
        for (int j = 0; j < t->g->degree[i]; j++) {
            int other = t->g->neighbors[i][j];
            given g = given_of(t->given[other]);
            t->next[i] = scramble(t->next[i], t->hash[other] + value_of(&g));
        }
    }
    memcpy(t->hash, t->next, (size_t)t->g->nodes * 8);
}

static void truth_look(truth *t)
{
    for (int i = 0; i < t->g->nodes; i++)
        t->next[i] = scramble(t->far[find_node(t->g, far_gid(t->g->gids[i]))], t->hash[i]);
    memcpy(t->far, t->next, (size_t)t->g->nodes * 8);
}

static void truth_free(truth *t)
{
    free(t->hash);
    free(t->given);
    free(t->own);
    free(t->far);
    free(t->next);
}

/* All own nodes have the records that they should. */
static void check_records(const truth *t, pen_run *run)
{
    pen_local local = pen_run_local(run);
    for (pen_lid s = 0; s < local.count; s++) {
        int i = find_node(t->g, local.gids[s]);
        given g = given_of(t->given[i]);
        CHECK(((const uint64_t *)local.fields[HASH])[s] == t->hash[i]);
        CHECK(memcmp(&((const given *)local.fields[GIVEN])[s], &g, sizeof g) == 0);
        CHECK(((const uint64_t *)local.fields[OWN])[s] == t->own[i]);
        CHECK(((const uint64_t *)local.fields[FAR])[s] == t->far[i]);
    }
}

/* ---- Puts ------------------------------------------------------------------------------------------ */

/* Put `part` of 8 of the nodes' records, each from a random rank, in both worlds. */
static void put_some(truth *t, pen_run *run, int field, uint64_t seed, uint64_t part)
{
    const graph_case *g = t->g;
    pen_gid *gids = malloc((size_t)g->nodes * sizeof *gids);
    uint64_t *values = malloc((size_t)g->nodes * sizeof *values);
    given *records = malloc((size_t)g->nodes * sizeof *records);
    uint64_t *of_field[FIELDS] = { t->hash, t->given, t->own, t->far };
    int64_t count = 0;
    for (int n = 0; n < g->nodes; n++) {
        int i = (n * 11 + (int)(seed % 7)) % g->nodes; /* in no order, where 11 does not divide the nodes */
        if (g->nodes % 11 == 0) i = n;
        uint64_t chance = scramble(seed, (uint64_t)g->gids[i]);
        if (chance % 8 >= part) continue;
        of_field[field][i] = scramble(chance, 5);
        if ((int)(chance / 8 % (uint64_t)run->comm->size) != run->comm->rank) continue;
        gids[count] = g->gids[i];
        values[count] = scramble(chance, 5);
        records[count++] = given_of(scramble(chance, 5));
    }
    CHECK_STATUS(pen_run_put(run, field, count, gids, field == GIVEN ? (const void *)records : values), PEN_OK);
    free(gids);
    free(values);
    free(records);
}

static void step(truth *t, pen_run *run)
{
    CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    truth_mix(t);
    truth_look(t);
}

static void test_puts(const graph_case *g, const char *transport)
{
    pen_run *run = NULL;
    pen_graph *graph = graph_of(g, 5);
    check_with("%s, %s", g->name, transport);
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app,
                                &(pen_run_options){
                                    .partitioner = "random",
                                    .transport = transport,
                                    .order = PEN_ORDER_RCM,
                                    .debug.tests = &(pen_test_options){ .migrate_seed = 17, .migrate_part = 0.3 } },
                                &run),
                 PEN_OK);
    pen_graph_destroy(&graph);
    if (!run) return;
    truth t = truth_new(g);
    put_some(&t, run, HASH, 1, 3);
    put_some(&t, run, GIVEN, 2, 8);
    check_records(&t, run);
    for (uint64_t s = 0; s < 6; s++) {
        step(&t, run);
        check_records(&t, run);
        if (s == 4) continue; /* a step without */
        put_some(&t, run, (int)(s % FIELDS), 10 + s, 1 + s % 4);
        put_some(&t, run, (int)((s + 1) % FIELDS), 20 + s, 4);
        put_some(&t, run, (int)((s + 1) % FIELDS), 30 + s, s == 2 ? 0 : 2); /* over again; or nothing at all */
        check_records(&t, run);
    }
    truth_free(&t);
    pen_run_destroy(&run);
}

/* ---- Puts that fail -------------------------------------------------------------------------------- */

static void refuse(pen_run *run, const truth *t, int field, int64_t count, const pen_gid *gids, const char *words)
{
    uint64_t values[4] = { 1, 2, 3, 4 };
    CHECK_STATUS(pen_run_put(run, field, count, gids, values), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), words);
    check_records(t, run);
}

static void test_refused(const graph_case *g)
{
    pen_run *run = run_on(graph_of(g, 5), &app, NULL);
    truth t = truth_new(g);
    int size = run->comm->size;
    bool last = check_rank() == size - 1;
    pen_gid unknown[2] = { g->gids[1], g->gids[g->nodes - 1] + 1 }, twice[3] = { g->gids[2], g->gids[3], g->gids[2] },
            negative[1] = { -1 };
    refuse(run, &t, FIELDS, 1, unknown, "put of field 4, there are 4");
    refuse(run, &t, -1, 0, unknown, "put of field -1");
    refuse(run, &t, HASH, last ? 2 : 0, unknown, "which no node has");
    refuse(run, &t, HASH, last ? 3 : 0, twice, "twice");
    refuse(run, &t, HASH, last ? 1 : 0, negative, "-1, must be >= 0");
    refuse(run, &t, HASH, last ? -1 : 0, unknown, "-1 nodes");
    if (size > 1) refuse(run, &t, HASH, check_rank() == 0 || last, unknown, "twice"); /* from two ranks */
    if (size > 1) refuse(run, &t, last ? GIVEN : HASH, last ? 2 : 1, g->gids, "field, from 0 to 1");
    CHECK_STATUS(pen_run_put(run, HASH, last, NULL, NULL), PEN_ERR_ARGUMENT);
    step(&t, run);
    check_records(&t, run);

    /* An allocation fails, at each point in turn. */
    int failed = 0;
    for (int64_t point = 1;; point++) {
        uint64_t value = scramble((uint64_t)point, 9);
        int64_t count = check_rank() == 0 ? g->nodes : 0;
        uint64_t *values = malloc((size_t)g->nodes * sizeof *values);
        for (int i = 0; i < g->nodes; i++) values[i] = value + (uint64_t)i;
        if (last) pen_alloc_countdown = point;
        pen_status status = pen_run_put(run, HASH, count, g->gids, values);
        int64_t left = last ? pen_alloc_countdown : 0;
        pen_alloc_countdown = 0;
        MPI_Bcast(&left, 1, MPI_INT64_T, size - 1, MPI_COMM_WORLD);
        CHECK_INT(status, left > 0 ? PEN_OK : PEN_ERR_MEMORY);
        failed += status != PEN_OK;
        if (status == PEN_OK) memcpy(t.hash, values, (size_t)g->nodes * sizeof *values);
        free(values);
        check_records(&t, run);
        step(&t, run);
        if (status == PEN_OK) break;
    }
    CHECK(failed >= 5);
    check_records(&t, run);
    truth_free(&t);
    pen_run_destroy(&run);
}

/* Where a far read has failed, the step waits before its second phase, and records may be put there, too. */
static void test_within_a_step(const graph_case *g, const char *transport)
{
    pen_run *run = NULL;
    pen_graph *graph = graph_of(g, 5);
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app,
                                &(pen_run_options){ .transport = transport,
                                                    .balance = { .balancer = "diffusive", .when = "every:1000" } },
                                &run),
                 PEN_OK);
    truth t = truth_new(g);
    bool last = check_rank() == run->comm->size - 1;
    for (int64_t point = 1; point < 4; point++) {
        if (last) countdown_in_step = point;
        pen_status status = pen_run_steps(run, 1);
        pen_alloc_countdown = 0;
        CHECK_INT(countdown_in_step, 0);
        if (status != PEN_OK) {
            CHECK_INT(status, PEN_ERR_MEMORY);
            CHECK_STATUS(pen_run_balance(run), PEN_ERR_UNSUPPORTED);
            CHECK_CONTAINS(pen_error_message(), "within a step");
            truth_mix(&t);
            check_records(&t, run);
            put_some(&t, run, HASH, 40, 4);
            put_some(&t, run, GIVEN, 41, 4);
            put_some(&t, run, FAR, 42, 4);
            CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
            truth_look(&t);
        } else {
            truth_mix(&t);
            truth_look(&t);
        }
        CHECK(point > 1 || status != PEN_OK);
        check_records(&t, run);
    }
    truth_free(&t);
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
}

/* ---- The graph of a run ---------------------------------------------------------------------------- */

static void check_world(const pen_world *world, const char **complaint)
{
    if (world->width != 9 || world->height != 7) *complaint = "the grid was lost";
}

static const char *setup(void *params, const pen_world *world)
{
    const char *complaint = NULL;
    check_world(world, &complaint);
    return complaint;
}

static void test_graph(const graph_case *g)
{
    pen_graph *graph = NULL, *found = NULL, *read = NULL;
    pen_run *run = NULL, *second = NULL;
    graph = graph_of(g, 5);
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app,
                                &(pen_run_options){
                                    .partitioner = "block",
                                    .debug.tests = &(pen_test_options){ .migrate_seed = 5, .migrate_part = 0.5 } },
                                &run),
                 PEN_OK);
    truth t = truth_new(g);
    for (int i = 0; i < 3; i++) step(&t, run);
    CHECK_STATUS(pen_run_graph(run, &found), PEN_OK);
    CHECK_INT(found->count, pen_run_local(run).count);
    for (pen_lid i = 0; i < found->count; i++) CHECK_INT(pen_graph_gid(found, i), pen_run_local(run).gids[i]);
    pen_run_destroy(&run);
    CHECK(graph_hash(found) == graph_hash(graph));
    CHECK_INT(pen_graph_edges(found), pen_graph_edges(graph));

    char path[64];
    int process = (int)getpid();
    MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(path, sizeof path, "/tmp/put_test.%d.pen", process);
    CHECK_STATUS(pen_graph_write(found, path), PEN_OK);
    CHECK_STATUS(pen_graph_read(MPI_COMM_WORLD, path, NULL, &read), PEN_OK);
    CHECK(graph_hash(read) == graph_hash(graph));
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank() == 0) unlink(path);

    second = run_with(found, &app, NULL);
    truth again = truth_new(g);
    for (int i = 0; i < 3; i++) step(&again, second);
    check_records(&again, second);
    truth_free(&t);
    truth_free(&again);
    pen_run_destroy(&second);
    pen_graph_destroy(&graph);
    pen_graph_destroy(&found);
    pen_graph_destroy(&read);
}

static void test_grid_is_kept(void)
{
    pen_graph *graph = NULL, *found = NULL;
    pen_run *run = NULL, *second = NULL;
    pen_app gridded = app;
    gridded.setup = setup;
    graph = graph_from("hex:9x7");
    run = run_with(graph, &gridded, &(pen_run_options){ .partitioner = "random" });
    CHECK_STATUS(pen_run_graph(run, &found), PEN_OK);
    second = run_with(found, &gridded, &(pen_run_options){ .partitioner = "rect" });
    pen_run_destroy(&run);
    pen_run_destroy(&second);
    pen_graph_destroy(&graph);
    pen_graph_destroy(&found);
}

/* ---- A call of the balancer ------------------------------------------------------------------------ */

static void test_balance(pen_load_kind load)
{
    int64_t nodes = 16 * 16;
    graph_case none = case_new("hexagons", 256);
    truth t = truth_new(&none); /* names far nodes */
    pen_graph *graph = graph_from("hex:16x16");
    pen_run_options options = { .partitioner = "column", .balance = { "diffusive", "every:1000", .load = load } };
    pen_run *run = run_with(graph, &app, &options);
    bool declared = load == PEN_LOAD_DECLARED, alone = run->comm->size == 1;
    const pen_steer *record = &pen_balance_of(run)->steer;
    CHECK_STATUS(pen_run_balance(run), PEN_OK);
    CHECK_INT(record->call_count, 0); /* nothing is known of loads */
    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
    CHECK_STATUS(pen_run_balance(run), PEN_OK);
    CHECK_INT(record->call_count, alone ? 0 : 1);
    if (!alone) CHECK_INT(record->calls[0].step, 2);
    if (!alone && declared) CHECK(record->calls[0].applied && record->calls[0].evaluation.moved > 0);
    bool applied = !alone && record->calls[0].applied;
    CHECK_STATUS(pen_run_balance(run), PEN_OK);
    CHECK_INT(record->call_count, alone ? 0 : 2 - applied);
    CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    int64_t calls = record->call_count;
    CHECK_STATUS(pen_run_balance(run), PEN_OK);
    CHECK_INT(record->call_count, alone ? 0 : calls + 1);
    if (declared) CHECK_INT(record->total, 3 * (nodes / 16 * (4 * 8 + 12)));
    pen_run_destroy(&run);

    run = run_with(graph, &app, &(pen_run_options){ .balance.load = load });
    CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    CHECK_STATUS(pen_run_balance(run), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "has no balancer");
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
    truth_free(&t);
    case_free(&none);
}

/* ---- Two runs that need each other ------------------------------------------------------------------- */

/* Heat on two grids of SIDE x SIDE. The first one's last column represents the second one's column 1, and the second
 * one's column 0 the first one's column SIDE - 2: after every step it is put there from the other side. */
enum { SIDE = 7 };

static void heat_init(const pen_view *v)
{
    *PEN_NEXT(v, 0, double) = (double)(pen_id(v) % 10) * *(const double *)pen_params(v);
}

static void heat(const pen_view *v)
{
    double sum = 0.0;
    for (int32_t i = 0; i < pen_degree(v); i++) sum += *PEN_NEIGHBOR(v, 0, double, i);
    *PEN_NEXT(v, 0, double) = sum / pen_degree(v);
}

static void serial_heat(double *now)
{
    double next[SIDE * SIDE];
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            double sum = 0.0;
            int degree = 0;
            static const int dy[] = { -1, 0, 0, 1 }, dx[] = { 0, -1, 1, 0 }; /* ascending gids */
            for (int k = 0; k < 4; k++) {
                int u = x + dx[k], w = y + dy[k];
                if (u < 0 || u >= SIDE || w < 0 || w >= SIDE) continue;
                sum += now[w * SIDE + u];
                degree++;
            }
            next[y * SIDE + x] = sum / degree;
        }
    memcpy(now, next, sizeof next);
}

/* Collective. Copy a column of one run to a column of the other; the rows are spread over the ranks. */
static void carry(pen_run *from, int column, pen_run *to, int into)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    pen_gid gids[SIDE];
    double records[SIDE];
    bool found[SIDE];
    int64_t count = 0;
    for (int y = 0; y < SIDE; y++)
        if (y % size == rank) gids[count++] = y * SIDE + column;
    CHECK_STATUS(pen_run_fetch(from, 0, count, gids, records, found), PEN_OK);
    for (int64_t i = 0; i < count; i++) {
        CHECK(found[i]);
        gids[i] += into - column;
    }
    CHECK_STATUS(pen_run_put(to, 0, count, gids, records), PEN_OK);
}

static void serial_carry(const double *from, int column, double *to, int into)
{
    for (int y = 0; y < SIDE; y++) to[y * SIDE + into] = from[y * SIDE + column];
}

static void test_coupled(const char *first, const char *second)
{
    static const pen_field temperature[] = { { .name = "temperature", .size = sizeof(double) } };
    static const pen_phase relax[] = { { "heat", .node = heat, .reads = PEN_SET(0), .writes = PEN_SET(0) } };
    const char *const transports[2] = { first, second };
    double factors[2] = { 1.0, -0.3 }, serial[2][SIDE * SIDE];
    pen_run *runs[2] = { NULL, NULL };
    pen_graph *graph = graph_from("mesh:7x7");
    for (int r = 0; r < 2; r++) {
        const pen_app heated = {
            .name = "heat", PEN_FIELDS(temperature), PEN_PHASES(relax), .init = heat_init, .params = &factors[r]
        };
        static pen_app apps[2];
        apps[r] = heated;
        CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &apps[r],
                                    &(pen_run_options){ .transport = transports[r],
                                                        .debug.tests = &(pen_test_options){ .migrate_seed = (uint64_t)r,
                                                                                            .migrate_part = 0.2 } },
                                    &runs[r]),
                     PEN_OK);
        for (int i = 0; i < SIDE * SIDE; i++) serial[r][i] = (double)(i % 10) * factors[r];
    }
    pen_graph_destroy(&graph);
    for (int s = 0; s < 12; s++) {
        carry(runs[0], SIDE - 2, runs[1], 0);
        carry(runs[1], 1, runs[0], SIDE - 1);
        serial_carry(serial[0], SIDE - 2, serial[1], 0);
        serial_carry(serial[1], 1, serial[0], SIDE - 1);
        for (int r = 0; r < 2; r++) {
            CHECK_STATUS(pen_run_steps(runs[r], 1), PEN_OK);
            serial_heat(serial[r]);
            pen_local local = pen_run_local(runs[r]);
            for (pen_lid i = 0; i < local.count; i++)
                CHECK(((const double *)local.fields[0])[i] == serial[r][local.gids[i]]);
        }
    }
    for (int r = 0; r < 2; r++) pen_run_destroy(&runs[r]);
}

CHECKS()
{
    static const char *const transports[] = { "fence",    "pscw",    "passive",    "shared",
                                              "blocking", "overlap", "persistent", "neighbor" };
    for (int number = 0; number < CASES; number++) {
        graph_case g = case_make(number);
        for (int k = 0; k < 3; k++) RUN(test_puts(&g, transports[(number + 3 * k) % PEN_COUNT_OF(transports)]));
        RUN(test_graph(&g));
        case_free(&g);
    }
    graph_case g = case_make(5);
    RUN(test_refused(&g));
    RUN(test_within_a_step(&g, "fence"));
    RUN(test_within_a_step(&g, "overlap"));
    case_free(&g);
    RUN(test_grid_is_kept());
    RUN(test_balance(PEN_LOAD_DECLARED));
    RUN(test_balance(PEN_LOAD_MEASURED));
    RUN(test_coupled(NULL, "shared"));
    RUN(test_coupled("pscw", "persistent"));
}

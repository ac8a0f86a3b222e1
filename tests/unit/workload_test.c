/* workload_test.c - workload records are written and read; truncated, damaged or inconsistent ones, and those of
 * another version, are refused with a sentence.
 * pen_test() */
#include "tests/support/unit.h"

#include "base/hash.h"
#include "workload/blocks.h"
#include "workload/runs.h"
#include "workload/workload.h"
#include <penumbra_plugin.h>

#include <stdlib.h>
#include <unistd.h>

static char path[64], other[64];

/* Nodes 2 - 5 - 9 in a row, with coordinates; then 5 is removed, 7 is added at the request of 5, and 4 is added without
 * a requester on rank 1. */
static pen_workload_phase phases[] = { { "one", 8 }, { "two", 0 } };
static const pen_workload_world lab = { .application = "lab",
                                        .ranks = 2,
                                        .first = 70,
                                        .steps = 74,
                                        .declared = true,
                                        .dimensions = 2,
                                        .grid = PEN_GRID_HEX,
                                        .width = 3,
                                        .height = 1,
                                        .depth = 1,
                                        .node_bytes = 40,
                                        .arc_bytes = 16,
                                        .phase_count = 2,
                                        .phases = phases };
static const pen_workload_rows row_of_three = { .count = 3,
                                                .gids = (pen_gid[]){ 2, 5, 9 },
                                                .owners = (int32_t[]){ 0, 1, 1 },
                                                .rows = (int64_t[]){ 0, 1, 3, 4 },
                                                .neighbors = (pen_gid[]){ 5, 2, 9, 5 },
                                                .edge_weights = (int64_t[]){ 3, 3, 1, 1 },
                                                .coordinates = (double[]){ 0, 0, 1, 0, 2, 0.5 } };
static const pen_workload_change exchange = {
    .died_count = 1,
    .died = (pen_gid[]){ 5 },
    .rows = { .count = 4,
              .gids = (pen_gid[]){ 2, 4, 7, 9 },
              .owners = (int32_t[]){ -1, 1, -1, -1 },
              .parents = (pen_gid[]){ PEN_WORKLOAD_STAYED, PEN_WORKLOAD_NOBODY, 5, PEN_WORKLOAD_STAYED },
              .rows = (int64_t[]){ 0, 1, 3, 5, 6 },
              .neighbors = (pen_gid[]){ 4, 2, 7, 4, 9, 7 },
              .coordinates = (double[]){ 0, 0, 5, 6, 7, 8, 0, 0 } }
};
static const pen_workload_times times = { 1.5, 2, 3, 4, 5, 6, 7, .open = true };

static void write_record(const char *to, const pen_workload_change *change)
{
    pen_workload_writer *writer = NULL;
    assert_int_equal(pen_workload_create(to, &lab, &row_of_three, &writer), PEN_OK);
    assert_int_equal(pen_workload_write_step(writer, (double[]){ 1, 2, 3 }), PEN_OK);
    assert_int_equal(pen_workload_write_step(writer, (double[]){ 1, 2.25, 3 }), PEN_OK);
    if (change) assert_int_equal(pen_workload_write_change(writer, change), PEN_OK);
    if (change) assert_int_equal(pen_workload_writer_places(writer), 4);
    if (change) assert_int_equal(pen_workload_write_step(writer, (double[]){ 1, 1e-9, 3, 0 }), PEN_OK);
    assert_int_equal(pen_workload_finish(&writer, PEN_OK, &times), PEN_OK);
}

/* Read all of it; returns the final status. */
static pen_status read_all(const char *from)
{
    pen_workload w;
    pen_workload_event event = PEN_WORKLOAD_STEP;
    pen_status status = pen_workload_open(from, &w);
    if (status != PEN_OK) return status;
    while (status == PEN_OK && event != PEN_WORKLOAD_END) status = pen_workload_next(&w, &event);
    pen_workload_close(&w);
    return status;
}

static void expect(pen_workload *w, pen_workload_event expected)
{
    pen_workload_event event;
    assert_int_equal(pen_workload_next(w, &event), PEN_OK);
    assert_int_equal(event, expected);
}

TEST(test_round)
{
    pen_workload w;
    write_record(path, &exchange);
    assert_int_equal(pen_workload_open(path, &w), PEN_OK);
    assert_string_equal(w.world.application, "lab");
    assert_int_equal(w.world.ranks, 2);
    assert_int_equal(w.world.steps - w.step, 4);
    assert_true(w.world.declared && !w.world.directed);
    assert_int_equal(w.world.grid, PEN_GRID_HEX);
    assert_int_equal(w.world.node_bytes, 40);
    assert_int_equal(w.world.arc_bytes, 16);
    assert_int_equal(w.world.phase_count, 2);
    assert_string_equal(w.world.phases[1].name, "two");
    assert_int_equal(w.world.phases[0].bytes, 8);
    assert_int_equal(w.places, 3);
    assert_int_equal(w.first.owners[1], 1);
    assert_int_equal(w.columns[2], 2);
    assert_int_equal(w.edge_weights[1], 3);
    assert_true(w.coordinates[5] == 0.5);
    expect(&w, PEN_WORKLOAD_STEP);
    assert_true(w.loads[2] == 3.0);
    expect(&w, PEN_WORKLOAD_STEP);
    assert_true(w.loads[1] == 2.25);
    expect(&w, PEN_WORKLOAD_CHANGE);
    assert_int_equal(w.places, 4); /* 4 took the place of 5, and 7 a new one */
    assert_int_equal(w.nodes, 4);
    assert_int_equal(w.gids[1], 4);
    assert_int_equal(w.gids[3], 7);
    assert_int_equal(w.died[0], 1);
    assert_int_equal(w.changed[2], 3);
    assert_int_equal(w.parents[2], 1);
    assert_int_equal(w.parents[1], -1);
    assert_int_equal(w.change.rows.owners[1], 1);
    assert_true(w.edge_weights == NULL);
    assert_int_equal(w.columns[w.rows[1]], 0);
    assert_true(w.coordinates[2] == 5.0 && w.coordinates[7] == 8.0 && w.coordinates[5] == 0.5);
    assert_true(w.loads[1] == 0.0);
    expect(&w, PEN_WORKLOAD_STEP);
    assert_true(w.loads[1] == 1e-9);
    expect(&w, PEN_WORKLOAD_END);
    assert_int_equal(w.step, 73);
    assert_true(w.times.open && w.times.loop == 1.5 && w.times.lt == 6.0 && w.times.tt == 7.0);
    expect(&w, PEN_WORKLOAD_END);
    pen_workload_close(&w);
}

/* ---- Damage ------------------------------------------------------------------------------------ */

typedef struct content {
    char *bytes;
    size_t size;
} content;

static content load(const char *from)
{
    content c = { NULL, 0 };
    FILE *file = fopen(from, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    c.size = (size_t)ftell(file);
    rewind(file);
    c.bytes = malloc(c.size + 1);
    assert_int_equal(fread(c.bytes, 1, c.size, file), c.size);
    fclose(file);
    return c;
}

/* Loads of several phases: a node's load is their sum, and added nodes have none in each of them. */
TEST(test_phases)
{
    static const double steps[2][8] = { { 1, 2, 3, 4, 5, 0.5 }, { 1, 2, 0, 0.25, 5, 0.5, 7, 8 } };
    pen_workload_world world = lab;
    pen_workload_writer *writer = NULL;
    pen_workload w;
    world.load_phases = 2;
    assert_int_equal(pen_workload_create(path, &world, &row_of_three, &writer), PEN_OK);
    assert_int_equal(pen_workload_write_step(writer, steps[0]), PEN_OK);
    assert_int_equal(pen_workload_write_change(writer, &exchange), PEN_OK);
    assert_int_equal(pen_workload_write_step(writer, steps[1]), PEN_OK);
    assert_int_equal(pen_workload_write_step(writer, (double[]){ 1, 2, 3, 4, 5, 6, 7, -8 }), PEN_ERR_ARGUMENT);
    assert_non_null(strstr(pen_error_message(), "after step 73 the load of node 7 "));
    assert_int_equal(pen_workload_finish(&writer, PEN_OK, &times), PEN_OK);
    assert_int_equal(pen_workload_open(path, &w), PEN_OK);
    assert_int_equal(w.world.load_phases, 2);
    assert_int_equal(w.step, 70);
    expect(&w, PEN_WORKLOAD_STEP);
    assert_memory_equal(w.phase_loads, steps[0], 6 * sizeof(double));
    assert_true(w.loads[0] == 3.0 && w.loads[1] == 7.0 && w.loads[2] == 5.5);
    expect(&w, PEN_WORKLOAD_CHANGE);
    for (int p = 0; p < 4; p++) assert_true(w.phase_loads[p + (p < 2 ? 2 : 4)] == 0.0);
    expect(&w, PEN_WORKLOAD_STEP);
    assert_memory_equal(w.phase_loads, steps[1], sizeof steps[1]);
    assert_true(w.loads[1] == 0.25 && w.loads[3] == 15.0);
    expect(&w, PEN_WORKLOAD_END);
    pen_workload_close(&w);
    world.load_phases = PEN_LOAD_PHASES + 1;
    assert_int_equal(pen_workload_create(path, &world, &row_of_three, &writer), PEN_OK);
    assert_int_equal(pen_workload_finish(&writer, PEN_OK, &times), PEN_OK);
    assert_int_equal(read_all(path), PEN_ERR_INPUT);
}

/* ---- Coded elsewhere ---------------------------------------------------------------------------- */

enum { NODES = 60, PARTS = 3, STEPS = 12 };
static const int64_t part_first[PARTS + 1] = { 0, 35, 35, NODES };

/* In the order of the parts: equal, in runs, all different, with few changes, and so on. */
static void draw_loads(int step, int apart, double *loads)
{
    static const int lengths[] = { NODES, 7, 1, 0, 0, 13, 0, 1, 2, 0, NODES, 5 };
    for (int k = 0; k < NODES * apart; k++) {
        const int length = lengths[step], node = k / apart;
        if (length > 0)
            loads[k] = 1e-3 * (double)(pen_mix((uint64_t)(node / length * 64 + step)) % 999 + (uint64_t)k % 2);
        else if (pen_mix((uint64_t)(k + 1000 * step)) % 20 == 0) loads[k] += step;
    }
}

/* A graph without edges, whose nodes are in the parts from the last one to the first. */
static void write_parts(int apart)
{
    static pen_gid gids[NODES];
    static int32_t owners[NODES], places[NODES];
    static const int64_t rows[NODES + 1];
    static double loads[2 * NODES];
    pen_workload_world world = lab;
    pen_workload_rows graph = { .count = NODES, .gids = gids, .owners = owners, .rows = (int64_t *)(uintptr_t)rows };
    pen_workload_writer *writer = NULL;
    pen_run_coder coders[PARTS] = { { .known = false } };
    world.dimensions = 0;
    world.load_phases = apart;
    for (int i = 0; i < NODES; i++) gids[i] = 3 * i, places[i] = NODES - 1 - i;
    assert_int_equal(pen_workload_create(path, &world, &graph, &writer), PEN_OK);
    assert_int_equal(pen_workload_write_order(writer, PARTS, part_first, places), PEN_OK);
    memset(loads, 0, sizeof loads);
    for (int step = 0; step < STEPS; step++) {
        pen_bytes bytes[PARTS] = { { .data = NULL } };
        pen_workload_part parts[PARTS];
        draw_loads(step, apart, loads);
        for (int i = 0; i < PARTS; i++) {
            const int64_t count = part_first[i + 1] - part_first[i];
            assert_int_equal(pen_run_coder_fit(&coders[i], count, apart), PEN_OK);
            assert_int_equal(pen_runs_put(&coders[i], count, apart, loads + part_first[i] * apart, &bytes[i]), -1);
            assert_true(bytes[i].size <= pen_runs_most(count, apart));
            parts[i] = (pen_workload_part){ bytes[i].data, bytes[i].size };
        }
        assert_int_equal(pen_workload_write_parts(writer, PARTS, parts), PEN_OK);
        for (int i = 0; i < PARTS; i++) pen_bytes_free(&bytes[i]);
    }
    for (int i = 0; i < PARTS; i++) pen_run_coder_free(&coders[i]);
    assert_int_equal(pen_workload_finish(&writer, PEN_OK, &times), PEN_OK);
}

TEST(test_parts)
{
    for (int apart = 1; apart <= 2; apart++) {
        double loads[2 * NODES] = { 0.0 };
        pen_workload w;
        write_parts(apart);
        assert_int_equal(pen_workload_open(path, &w), PEN_OK);
        for (int step = 0; step < STEPS; step++) {
            draw_loads(step, apart, loads);
            expect(&w, PEN_WORKLOAD_STEP);
            const double *read = apart > 1 ? w.phase_loads : w.loads;
            for (int k = 0; k < NODES * apart; k++)
                assert_true(read[(NODES - 1 - k / apart) * apart + k % apart] == loads[k]);
        }
        expect(&w, PEN_WORKLOAD_END);
        pen_workload_close(&w);
    }
}

/* Equal loads take no bytes for each node; and a load that cannot be is found in all codings. */
TEST(test_runs)
{
    enum { MANY = 10000 };
    static double loads[MANY];
    pen_run_coder coder = { .known = false };
    pen_bytes bytes = { .data = NULL };
    assert_int_equal(pen_run_coder_fit(&coder, MANY, 1), PEN_OK);
    for (int step = 0; step < 4; step++) {
        for (int i = 0; i < MANY; i++) loads[i] = step < 2 ? (double)(i / 1000) : (double)i;
        pen_bytes_clear(&bytes);
        assert_int_equal(pen_runs_put(&coder, MANY, 1, loads, &bytes), -1);
        assert_true(step == 2 ? bytes.size > 8 * MANY : bytes.size < 120);
        const double kept = loads[7777];
        loads[7777] = -1.0;
        pen_run_coder spoiled = { .before = malloc(sizeof loads),
                                  .starts = malloc(2 * MANY * sizeof(int32_t)),

                                  .known = coder.known };
        memcpy(spoiled.before, coder.before, sizeof loads);
        pen_bytes_clear(&bytes);
        assert_int_equal(pen_runs_put(&spoiled, MANY, 1, loads, &bytes), 7777);
        pen_run_coder_free(&spoiled);
        loads[7777] = kept;
    }
    pen_bytes_free(&bytes);
    pen_run_coder_free(&coder);
}

static void check_order(int parts, const int64_t *first, const int32_t *places)
{
    pen_workload_writer *writer = NULL;
    assert_int_equal(pen_workload_create(other, &lab, &row_of_three, &writer), PEN_OK);
    assert_int_equal(pen_workload_write_order(writer, parts, first, places), PEN_OK);
    assert_int_equal(pen_workload_finish(&writer, PEN_OK, &times), PEN_OK);
    assert_int_equal(read_all(other), PEN_ERR_INPUT);
}

TEST(test_orders)
{
    check_order(0, (int64_t[]){ 0 }, (int32_t[]){ 0 });
    check_order(1, (int64_t[]){ 0, 2 }, (int32_t[]){ 0, 1 });
    check_order(1, (int64_t[]){ 0, 3 }, (int32_t[]){ 0, 1, 1 });
    check_order(1, (int64_t[]){ 0, 3 }, (int32_t[]){ 0, 1, 3 });
    check_order(1, (int64_t[]){ 0, 3 }, (int32_t[]){ 0, -1, 2 });
    check_order(2, (int64_t[]){ 0, 2, 4 }, (int32_t[]){ 0, 1, 2, 0 });
}

static void store(const char *to, const char *bytes, size_t size)
{
    FILE *file = fopen(to, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void check_refused(const char *what, size_t at)
{
    pen_status status = read_all(other);
    if (status != PEN_ERR_INPUT && status != PEN_ERR_UNSUPPORTED)
        fail_msg("%s at byte %zu: %s", what, at, pen_status_name(status));
    assert_non_null(strstr(pen_error_message(), other));
}

TEST(test_damage)
{
    write_record(path, &exchange);
    content c = load(path);
    for (size_t size = 0; size < c.size; size++) {
        store(other, c.bytes, size);
        check_refused("cut", size);
    }
    for (size_t at = 0; at < c.size; at++)
        for (int bit = 0; bit < 8; bit += 7) {
            c.bytes[at] = (char)(c.bytes[at] ^ 1 << bit);
            store(other, c.bytes, c.size);
            check_refused("damaged", at);
            c.bytes[at] = (char)(c.bytes[at] ^ 1 << bit);
        }
    c.bytes[c.size] = 'x';
    store(other, c.bytes, c.size + 1);
    check_refused("longer", c.size);
    free(c.bytes);
}

TEST(test_version)
{
    static const char later[] = "penumbra-workload/3\nwhatever";
    store(other, later, sizeof later - 1);
    assert_int_equal(read_all(other), PEN_ERR_UNSUPPORTED);
    assert_non_null(strstr(pen_error_message(), "version \"3\""));
    store(other, "penumbra-graph", 14);
    assert_int_equal(read_all(other), PEN_ERR_INPUT);
    assert_int_equal(read_all("/no/where"), PEN_ERR_IO);
}

/* ---- Refusals ------------------------------------------------------------------------------- */

/* A record with a first graph or a change that is whole as a file. */
static void check_wrong(const pen_workload_rows *graph, const pen_workload_change *change, const char *sentence)
{
    pen_workload_writer *writer = NULL;
    pen_status status = pen_workload_create(other, &lab, graph, &writer);
    assert_int_equal(status, PEN_OK);
    if (change) status = pen_workload_write_change(writer, change);
    assert_int_equal(pen_workload_finish(&writer, status, &times), status);
    if (status == PEN_OK) status = read_all(other);
    else assert_true(access(other, F_OK) != 0 && status == PEN_ERR_INTERNAL);
    assert_true(status == PEN_ERR_INPUT || status == PEN_ERR_INTERNAL);
    if (!strstr(pen_error_message(), sentence)) fail_msg("\"%s\" is without \"%s\"", pen_error_message(), sentence);
    unlink(other);
}

TEST(test_graphs)
{
    pen_workload_rows rows = row_of_three;
    rows.neighbors = (pen_gid[]){ 5, 2, 9, 2 };
    check_wrong(&rows, NULL, "only one of its nodes");
    rows.neighbors = (pen_gid[]){ 5, 2, 8, 5 };
    check_wrong(&rows, NULL, "does not exist");
    rows.neighbors = (pen_gid[]){ 2, 2, 9, 5 };
    check_wrong(&rows, NULL, "impossible values");
    rows = row_of_three;
    rows.edge_weights = (int64_t[]){ 3, 2, 1, 1 };
    check_wrong(&rows, NULL, "only one of its nodes");
    rows.edge_weights = (int64_t[]){ 0, 0, 1, 1 };
    check_wrong(&rows, NULL, "impossible values");
    rows = row_of_three;
    rows.owners = (int32_t[]){ 0, 2, 1 };
    check_wrong(&rows, NULL, "impossible values");
    rows.owners = (int32_t[]){ 0, -1, 1 };
    check_wrong(&rows, NULL, "impossible values");
}

TEST(test_changes)
{
    pen_workload_change c = exchange;
    c.died = (pen_gid[]){ 6 };
    check_wrong(&row_of_three, &c, "node 6");
    c = exchange;
    c.rows.gids = (pen_gid[]){ 2, 4, 9, 11 };
    check_wrong(&row_of_three, &c, "node 9");
    c = exchange;
    c.rows.parents = (pen_gid[]){ PEN_WORKLOAD_STAYED, PEN_WORKLOAD_NOBODY, 6, PEN_WORKLOAD_STAYED };
    check_wrong(&row_of_three, &c, "its parent does not exist");
    c.rows.parents = (pen_gid[]){ PEN_WORKLOAD_STAYED, PEN_WORKLOAD_STAYED, 5, PEN_WORKLOAD_STAYED };
    check_wrong(&row_of_three, &c, "a node that does not exist");
    c = exchange; /* node 9 keeps 5 as its neighbour, whose place is taken */
    c.rows.count = 3;
    c.rows.rows = (int64_t[]){ 0, 1, 3, 4 };
    c.rows.neighbors = (pen_gid[]){ 4, 2, 7, 4 };
    check_wrong(&row_of_three, &c, "was removed");
}

TEST(test_loads)
{
    static const double wrong[] = { -1.0, 1e301, 0.0 / 0.0 };
    for (int i = 0; i < PEN_COUNT_OF(wrong); i++) {
        pen_workload_writer *writer = NULL;
        assert_int_equal(pen_workload_create(other, &lab, &row_of_three, &writer), PEN_OK);
        pen_status status = pen_workload_write_step(writer, (double[]){ 1, wrong[i], 3 });
        assert_int_equal(status, PEN_ERR_ARGUMENT);
        assert_non_null(strstr(pen_error_message(), "node 5"));
        assert_int_equal(pen_workload_finish(&writer, status, &times), PEN_ERR_ARGUMENT);
        assert_true(access(other, F_OK) != 0);
    }
}

int unit_begin(void)
{
    snprintf(path, sizeof path, "workload_test.%d.record", (int)getpid());
    snprintf(other, sizeof other, "workload_test.%d.other", (int)getpid());
    return 0;
}

int unit_end(void)
{
    unlink(path);
    unlink(other);
    return 0;
}

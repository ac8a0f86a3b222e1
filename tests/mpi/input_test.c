/* input_test - values from files reach their nodes and arcs, on all kinds of graphs: as CSV and as NumPy arrays, by
 * gid, by ends and, for dense gids, in order, in pieces of all sizes. Columns that are kept move with their nodes, at
 * random, into checkpoints and out of them; new nodes and arcs have the default values. Every value is compared with
 * the written one, and the run with the serial loop.
 * pen_mpi_test() */
#include "base/members.h"
#include "base/memory.h"
#include "base/npy.h"
#include "input/csv_part.h"
#include "input/rows.h"
#include "inputs/inputs.h"
#include "tests/support/check.h"
#include "tests/support/world.h"

#include <math.h>
#include <penumbra_checkpoint.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEPS = 6, NEW = 1 << 20 };
enum { A, B, C, E, F, D, G };

typedef struct cell {
    double a, c, sum;
} cell;

static int64_t wrong;
static bool strict; /* then what is not there is at addresses without memory */
static const graph_case *whole;
static bool from_files;
static char folder[64];

static const pen_input_column columns[] = {
    { .name = "A", .otherwise = "1.5" },
    { .name = "kept", .permanent = true, .nan = true, .otherwise = "-2.25" },
    { .name = "c", .otherwise = "7.0" },
    { .name = "edge", .of_edges = true, .otherwise = "0.125" },
    { .name = "flow", .of_edges = true, .otherwise = "0.25" },
    { .name = "also_kept", .permanent = true, .otherwise = "3.0" },
    { .name = "kept_edge", .of_edges = true, .permanent = true, .otherwise = "-0.75" },
};

/* The values of the files; floats are written where only these have room. */
static double expected(int column, pen_gid gid, pen_gid to)
{
    uint64_t word = scramble(scramble((uint64_t)gid, (uint64_t)column), (uint64_t)to);
    if (!from_files || (gid >= NEW && gid < NEW + 8) || (to >= NEW && to < NEW + 8))
        return atof(columns[column].otherwise);
    if (column == B && word % 5 == 0) return NAN;
    if (column == D) return (double)(word % 20000) - 10000;
    if (column == F) return (float)(word % 1000) / 8;
    return ldexp((double)(int64_t)word, -(int)(word % 80));
}

static void compare(double found, double value) { wrong += memcmp(&found, &value, sizeof found) != 0; }

/* Of an edge that was given once, either arc has what the lower end's has. */
static double expected_of_arc(int column, pen_gid from, pen_gid to)
{
    bool turned = from_files && !whole->directed && from > to && scramble((uint64_t)to, (uint64_t)from) % 2;
    return turned ? expected(column, to, from) : expected(column, from, to);
}

static void check_permanent(const pen_view *v)
{
    for (int32_t i = 0; i < pen_degree(v); i++)
        compare(pen_edge_input(v, G, i), expected_of_arc(G, pen_id(v), pen_neighbor_id(v, i)));
    double b = pen_input(v, B), value = expected(B, pen_id(v), 0);
    wrong += isnan(value) ? !isnan(b) : b != value;
    compare(pen_input(v, D), expected(D, pen_id(v), 0));
}

static void init(const pen_view *v)
{
    compare(pen_input(v, A), expected(A, pen_id(v), 0));
    compare(pen_input(v, C), expected(C, pen_id(v), 0));
    check_permanent(v);
    *PEN_NEXT(v, 0, cell) = (cell){ pen_input(v, A), pen_input(v, C), 1.0 };
}

static void init_edges(const pen_view *v)
{
    for (int32_t i = 0; i < pen_degree(v); i++) {
        pen_gid from = pen_id(v), to = pen_neighbor_id(v, i);
        compare(pen_edge_input(v, E, i), expected_of_arc(E, from, to));
        compare(pen_edge_input(v, F, i), expected(F, from, to));
        *PEN_EDGE_OWN(v, 0, double, i) = pen_edge_input(v, E, i) * pen_edge_input(v, F, i);
    }
    compare(pen_input(v, A), expected(A, pen_id(v), 0));
}

static void relax(const pen_view *v)
{
    cell next = *PEN_SELF(v, 0, cell);
    for (int32_t i = 0; i < pen_degree(v); i++)
        next.sum += PEN_NEIGHBOR(v, 0, cell, i)->a * *PEN_EDGE(v, 0, double, i) * pen_input(v, D) *
                    pen_edge_input(v, G, i);
    next.sum = fmod(next.sum, 1e6);
    *PEN_NEXT(v, 0, cell) = next;
    check_permanent(v);
    wrong += !strict && (v->inputs[A] != NULL || v->inputs[E] != NULL);
}

static void grow(const pen_view *v, pen_changes *changes)
{
    check_permanent(v);
    *PEN_NEXT(v, 0, cell) = *PEN_SELF(v, 0, cell);
    if (pen_id(v) != whole->gids[0] || pen_step(v) >= 8) return;
    *PEN_FIRST(pen_add_node(changes, NEW + pen_step(v), 1), 0, cell) = (cell){ 1.0, 2.0, 3.0 };
    pen_add_edge(changes, pen_id(v), NEW + pen_step(v), 1);
}

static void print(const pen_view *v, FILE *out)
{
    const cell *c = PEN_SELF(v, 0, cell);
    fprintf(out, "%.17g %.17g %.17g %.17g", c->a, c->c, c->sum, pen_input(v, D));
    check_permanent(v);
}

static const pen_field fields[] = { { "cell", sizeof(cell), .plain = true } };
static const pen_edge_field edge_fields[] = { { "factor", sizeof(double) } };
static const pen_phase phases[] = {
    { .name = "relax", .node = relax, .reads = PEN_SET(0), .writes = PEN_SET(0) },
    { .name = "grow", .modify = grow, .writes = PEN_SET(0) },
};
static const pen_app app = { .name = "inputs",
                             PEN_FIELDS(fields),
                             PEN_PHASES(phases),
                             PEN_EDGE_FIELDS(edge_fields),
                             PEN_INPUTS(columns),
                             .init = init,
                             .init_edges = init_edges,
                             .output.print = print };

/* ---- Files ---------------------------------------------------------------------------------------- */

static const char *path_of(const char *name)
{
    static char path[8][128];
    static int next;
    next = (next + 1) % 8;
    snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

/* Rank 0 writes; the others see it afterwards. */
static FILE *begin_file(const char *name) { return fopen(check_rank() == 0 ? path_of(name) : "/dev/null", "wb"); }

static void end_file(FILE *file)
{
    CHECK(file && fclose(file) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void begin_array(FILE *file, char kind, int size, bool fortran, int64_t rows, int64_t width)
{
    char bytes[PEN_NPY_WRITTEN];
    const pen_npy array = {
        .kind = kind, .size = size, .fortran = fortran, .dimensions = width > 1 ? 2 : 1, .shape = { rows, width }
    };
    fwrite(bytes, 1, (size_t)pen_npy_header(&array, bytes), file);
}

/* By gid, the last node first, with unused columns, and fields with line ends, quotes and commas. */
static void write_table(const graph_case *g)
{
    FILE *file = begin_file("a.csv");
    fprintf(file, "\xEF\xBB\xBF\"note\",KEPT,\"gid\", a,\"more\"\"\nnotes\"\r\n");
    for (int k = g->nodes - 1; k >= 0; k--) {
        char kept[32] = "";
        if (!isnan(expected(B, g->gids[k], 0))) snprintf(kept, sizeof kept, "%.17g", expected(B, g->gids[k], 0));
        fprintf(file, "\"line\nend, \"\"%d\"\"\",%s,\"%" PRIgid "\", %.17g\t,%s%s", k, kept, g->gids[k],
                expected(A, g->gids[k], 0), k % 3 ? "x" : "\"\n\n\"", k % 2 ? "\r\n" : "\n\n");
    }
    end_file(file);
}

static bool is_dense(const graph_case *g) { return g->gids[g->nodes - 1] == g->nodes - 1; }

/* In order: of text, and of integers in Fortran order. Sparse gids are told, in longer integers. */
static void write_ordered(const graph_case *g)
{
    const bool dense = is_dense(g);
    const int size = dense ? 2 : 8;
    FILE *text = begin_file("c.csv"), *numbers = begin_file("numbers.npy");
    fprintf(text, "\n\"c\"%s", dense ? "" : ",gid");
    begin_array(numbers, 'i', size, true, g->nodes, 3);
    for (int k = 0; k < g->nodes; k++) {
        fprintf(text, "%s%.17g", k % 4 ? "\n" : "\n\n", expected(C, g->gids[k], 0));
        if (!dense) fprintf(text, ",%" PRIgid, g->gids[k]);
    }
    for (int column = 0; column < 3; column++)
        for (int k = 0; k < g->nodes; k++) {
            int64_t number = column == 1 ? (int64_t)expected(D, g->gids[k], 0) : g->gids[k]; /* little-endian */
            fwrite(&number, (size_t)size, 1, numbers);
        }
    end_file(text);
    end_file(numbers);
}

/* Ends in one file: of undirected edges some once, some in both directions. In the order of the arcs in the other. */
static void write_edges(const graph_case *g)
{
    FILE *ends = begin_file("ends.csv"), *ordered = begin_file("flow.npy");
    int64_t arcs = 0;
    for (int k = 0; k < g->nodes; k++) arcs += g->degree[k];
    fprintf(ends, "to,edge,src,kept_edge\n");
    begin_array(ordered, 'f', 4, false, arcs, 1);
    for (int k = 0; k < g->nodes; k++)
        for (int j = 0; j < g->degree[k]; j++) {
            pen_gid from = g->gids[k], to = g->gids[g->neighbors[k][j]];
            float flow = (float)expected(F, from, to);
            fwrite(&flow, sizeof flow, 1, ordered);
            if (g->directed || from < to || !(scramble((uint64_t)to, (uint64_t)from) % 2))
                fprintf(ends, "%" PRIgid ",%.17g,%" PRIgid ",%.17g\n", to, expected(E, from, to), from,
                        expected(G, from, to));
        }
    end_file(ends);
    end_file(ordered);
}

static const char *all_files(void)
{
    static char text[512];
    snprintf(text, sizeof text, "%s;%s;-,also_kept,%s:%s;%s;%s", path_of("a.csv"), path_of("c.csv"),
             is_dense(whole) ? "" : "gid", path_of("numbers.npy"), path_of("ends.csv"), path_of("flow.npy"));
    return text;
}

/* ---- Runs ----------------------------------------------------------------------------------------- */

static void check_case(int number, bool files, bool is_strict, int64_t piece)
{
    graph_case g = case_make(number);
    whole = &g;
    from_files = files;
    strict = is_strict;
    pen_input_piece = piece;
    pen_csv_part_chunk = piece;
    if (files) {
        write_table(&g);
        write_ordered(&g);
        write_edges(&g);
    }
    const pen_run_options options = { .partitioner = "random",
                                      .input = files ? all_files() : NULL,
                                      .debug = {
                                          .strict = strict,
                                          .verify = true,
                                          .tests = &(pen_test_options){ .migrate_seed = (uint64_t)number,
                                                                        .migrate_part = number % 2 ? 0.2 : 0.7 } } };
    pen_run *run = run_on(graph_of(&g, 11), &app, &options);
    if (run) {
        CHECK_STATUS(pen_run_steps(run, STEPS), PEN_OK);
        expect_verified(run);
        pen_records records;
        CHECK_STATUS(pen_run_gather(run, 1, &records), PEN_ERR_ARGUMENT); /* what is kept is no field of the caller's */
        CHECK_CONTAINS(pen_error_message(), "field 1, must be 0..0");
    }
    pen_run_destroy(&run);
    case_free(&g);
}

/* A rank lacks memory in the first change between steps: after the next one, new nodes have their values everywhere. */
static void ask(pen_changes *changes, void *context)
{
    pen_add_node(changes, NEW + check_rank(), 1);
    pen_add_edge(changes, NEW + check_rank(), whole->gids[0], 1);
}

static void check_no_memory(void)
{
    graph_case g = case_make(7);
    const bool victim = check_rank() == check_size() - 1;
    pen_app a = app;
    a.phases.count = 1;
    whole = &g;
    from_files = strict = false;
    pen_status status = PEN_ERR_MEMORY;
    for (int point = 1; status == PEN_ERR_MEMORY && point < 12; point++) {
        pen_run *run = run_on(graph_of(&g, 11), &a, NULL);
        pen_alloc_countdown = victim ? point : 0;
        status = pen_run_change(run, ask, NULL);
        pen_alloc_countdown = 0;
        if (status != PEN_OK) CHECK_STATUS(pen_run_change(run, ask, NULL), PEN_OK);
        CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
        pen_run_destroy(&run);
    }
    case_free(&g);
}

/* All columns are needed, and the graph stays as it is. */
static pen_app needy(void)
{
    static pen_input_column needed[PEN_COUNT_OF(columns)];
    pen_app a = app;
    memcpy(needed, columns, sizeof needed);
    for (int c = 0; c < PEN_COUNT_OF(columns); c++) needed[c].otherwise = NULL;
    a.inputs.list = needed;
    a.phases.count = 1;
    return a;
}

/* The state after 2 steps, and the result of the run. */
static uint64_t save(const graph_case *g, const pen_app *a, const char *saved)
{
    const pen_run_options options = { .partitioner = "random", .input = all_files(), .steps = STEPS };
    uint64_t sum = 0;
    pen_run *run = run_on(graph_of(g, 11), a, &options);
    if (run) {
        CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
        CHECK_STATUS(pen_run_save(run, saved), PEN_OK);
        CHECK_STATUS(pen_run_steps(run, STEPS - 2), PEN_OK);
        CHECK_STATUS(pen_run_checksum(run, &sum), PEN_OK);
    }
    pen_run_destroy(&run);
    return sum;
}

/* From a checkpoint a run goes on without the files, but cannot be verified. */
static void check_resumed_without(const pen_app *a, const char *saved, uint64_t expected)
{
    pen_run_options options = { .steps = STEPS };
    pen_run *run = NULL;
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, saved, a, &options, &run), PEN_OK);
    if (run) {
        uint64_t sum = 0;
        int64_t differences;
        char message[64];
        CHECK_STATUS(pen_run_steps(run, STEPS - 2), PEN_OK);
        CHECK_STATUS(pen_run_checksum(run, &sum), PEN_OK);
        CHECK(sum == expected);
        pen_members_hide(false);
        CHECK_STATUS(pen_run_verify(run, &differences, message, sizeof message), PEN_ERR_INPUT);
        CHECK_CONTAINS(pen_error_message(), "needs a value of A for each node: pen_run_options.input=FILE");
    }
    pen_run_destroy(&run);
    options.debug.verify = true;
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, saved, a, &options, &run), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "inputs needs a value of A for each node");
    pen_run_destroy(&run);
}

static void check_resumed(void)
{
    graph_case g = case_make(7);
    const pen_app a = needy();
    pen_run *run = NULL;
    whole = &g;
    const pen_run_options options = { .input = all_files(), .steps = STEPS, .debug.verify = true };
    from_files = true;
    write_table(&g);
    write_ordered(&g);
    write_edges(&g);
    char saved[128];
    snprintf(saved, sizeof saved, "%s", path_of("saved"));
    if (check_rank() == 0) CHECK(mkdir(saved, 0755) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    check_resumed_without(&a, saved, save(&g, &a, saved));
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, saved, &a, &options, &run), PEN_OK);
    if (run) {
        CHECK_STATUS(pen_run_steps(run, STEPS - 2), PEN_OK);
        expect_verified(run);
    }
    pen_run_destroy(&run);

    /* Files are compared, too, if the application has no option for them. */
    static const pen_option hides[] = { { .name = "input" }, { .name = NULL } };
    pen_app hiding = a;
    hiding.options = hides;
    (void)save(&g, &hiding, saved);
    if (check_rank() == 0) {
        FILE *table = fopen(path_of("a.csv"), "a");
        CHECK(table && fputs("\n", table) != EOF && fclose(table) == 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, saved, &hiding, &options, &run), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "read files with other contents by pen_run_options.input");
    pen_run_destroy(&run);
    case_free(&g);
}

/* Which nodes rows are of that have no gids is not known where gids are sparse. */
static void check_sparse(void)
{
    int number = 0;
    graph_case g = case_make(number);
    while (is_dense(&g)) {
        case_free(&g);
        g = case_make(++number);
    }
    whole = &g;
    pen_run *run = NULL;
    char text[256];
    FILE *table = begin_file("c.csv"), *array = begin_file("numbers.npy");
    fprintf(table, "c\n");
    begin_array(array, 'i', 8, false, g.nodes, 1);
    for (int64_t k = 0; k < g.nodes; k++) {
        fprintf(table, "%d\n", (int)k);
        fwrite(&k, sizeof k, 1, array);
    }
    end_file(table);
    end_file(array);
    pen_graph *graph = graph_of(&g, 11);
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "%s%s", i ? "c:" : "", path_of(i ? "numbers.npy" : "c.csv"));
        const pen_run_options options = { .input = text };
        CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app, &options, &run), PEN_ERR_INPUT);
        CHECK_CONTAINS(pen_error_message(), ": it has no column gid, and the graph's gids are not 0 to ");
        CHECK_CONTAINS(pen_error_message(), i ? "NAME,gid,...:" : "gid=COLUMN:");
    }
    pen_graph_destroy(&graph);
    case_free(&g);
}

/* Tables of columns that cannot be. */
static void check_tables(void)
{
    static const struct {
        pen_input_column columns[2];
        int count;
        const char *what;
    } bad[] = {
        { { { .name = NULL } }, 1, "input column 0 has no name" },
        { { { .name = "" } }, 1, "input column 0 has no name" },
        { { { .name = "GID" } }, 1, "input column GID: that name is taken" },
        { { { .name = "source", .of_edges = true } }, 1, "input column source: that name is taken" },
        { { { .name = "target", .of_edges = true } }, 1, "input column target: that name is taken" },
        { { { .name = "x" }, { .name = "X" } }, 2, "two input columns called X" },
        { { { .name = "x" } }, -1, "-1 input columns" },
        { { { .name = "x", .otherwise = "one" } }, 1, "input column x: .otherwise \"one\" is not a number" },
        { { { .name = "x", .otherwise = "nan" } }, 1, "input column x: .otherwise \"nan\" is not a number" },
        { { { .name = "x", .each_direction = true } }, 1, "input column x is not of edges, which have directions" },
    };
    static pen_input_column many[64];
    graph_case g = case_make(3);
    pen_run *run = NULL;
    pen_app a = app;
    pen_graph *graph = graph_of(&g, 11);
    for (int i = 0; i < PEN_COUNT_OF(bad); i++) {
        a.inputs.list = bad[i].columns;
        a.inputs.count = bad[i].count;
        CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &a, NULL, &run), PEN_ERR_ARGUMENT);
        CHECK_CONTAINS(pen_error_message(), bad[i].what);
    }
    static char names[64][16];
    for (int c = 0; c < 64; c++) {
        snprintf(names[c], sizeof names[c], "c%d", c);
        many[c] = (pen_input_column){ .name = names[c], .otherwise = "0", .permanent = true };
    }
    a.inputs.list = many;
    a.inputs.count = 64;
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &a, NULL, &run), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "1 fields and 64 permanent input columns, together 64 are possible");
    for (int c = 0; c < 64; c++) many[c].of_edges = true;
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &a, NULL, &run), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "1 edge fields and 64 permanent input columns, together 64 are possible");
    pen_graph_destroy(&graph);
    case_free(&g);
}

CHECKS()
{
    const int size = check_size();
    snprintf(folder, sizeof folder, "input_test.%d", size);
    char command[256];
    snprintf(command, sizeof command, "rm -rf %s && mkdir %s", folder, folder);
    if (check_rank() == 0) CHECK(system(command) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < CASES; i++) {
        RUN(check_case(i, false, i % 3 == 0, 1 << 22));
        RUN(check_case(i, true, i % 3 == 1, i % 2 ? 100 : 1 << 22));
    }
    RUN(check_case(7, true, false, 1));
    RUN(check_no_memory());
    RUN(check_resumed());
    RUN(check_sparse());
    RUN(check_tables());
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(wrong, 0);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (check_rank() == 0) CHECK(system(command) == 0);
}

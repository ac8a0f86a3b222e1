/* input_files_test - input files have the same values, or the same error, if all ranks read them together or each
 * alone. Parts begin at every byte of the records; each kind of wrong file has a sentence of its own; small files are
 * damaged at every byte.
 * pen_mpi_test(RANKS 1 2 3 7) */
#include "base/memory.h"
#include "base/npy.h"
#include "input/csv_part.h"
#include "input/rows.h"
#include "inputs/inputs.h"
#include "tests/support/check.h"
#include "tests/support/world.h"

enum { X, Y, EDGE, NORMAL };

static const pen_input_column columns[] = {
    { .name = "x", .otherwise = "0" },
    { .name = "y", .otherwise = "0", .nan = true },
    { .name = "w", .of_edges = true, .otherwise = "0" },
    { .name = "n", .of_edges = true, .otherwise = "0", .each_direction = true },
};

static void keep(const pen_view *v) { pen_keep(v, 0); }
static void init(const pen_view *v) { *PEN_NEXT(v, 0, int) = 0; }
static const pen_field fields[] = { { .name = "none", .size = sizeof(int) } };
static const pen_phase phases[] = { { .name = "keep", .node = keep, .writes = PEN_SET(0) } };
static const pen_app app = {
    .name = "files", PEN_FIELDS(fields), PEN_PHASES(phases), PEN_INPUTS(columns), .init = init
};

/* The same graph on all ranks, and on this one alone. */
static pen_run *shared, *own;
static char csv[64], npy[64];

static pen_status begin(pen_run *run, const char *files)
{
    const pen_run_options options = { .input = files };
    pen_input_files **opened = pen_part_state(run, &pen_part_inputs);
    pen_input_files_destroy(opened);
    PEN_TRY(pen_agree(run->comm, pen_input_files_create(run->app, options.input, true, opened)));
    return pen_inputs_begin(run);
}

static void compare(const double *all, const double *mine, int64_t a, int64_t b)
{
    CHECK(memcmp(&all[a], &mine[b], sizeof *all) == 0);
}

/* This rank's nodes and arcs among all. */
static void compare_values(void)
{
    const pen_store *store = shared->store, *whole = own->store;
    for (pen_lid s = 0; s < store->owned; s++) {
        pen_lid place = (pen_lid)*pen_pages_find(whole->slot_of, store->gids[s]);
        for (int c = X; c <= Y; c++) compare(shared->shown.inputs[c], own->shown.inputs[c], s, place);
        for (uint32_t a = store->rows[s]; a < store->rows[s + 1]; a++)
            for (int c = EDGE; c <= NORMAL; c++)
                compare(shared->shown.inputs[c], own->shown.inputs[c], a, whole->rows[place] + a - store->rows[s]);
    }
}

/* Read by all and by each: the status, and the sentence. */
static pen_status try(const char *files, char sentence[1024])
{
    pen_status status = begin(shared, files);
    snprintf(sentence, 1024, "%s", status == PEN_OK ? "" : pen_error_message());
    pen_status alone = begin(own, files);
    CHECK_INT(status, alone);
    if (status == PEN_OK && alone == PEN_OK) compare_values();
    else CHECK(strcmp(sentence, pen_error_message()) == 0);
    if (check_failures && check_rank() == 0 && check_failures < 10)
        fprintf(stderr, "%s: all say \"%s\", one says \"%s\"\n", files, sentence, pen_error_message());
    pen_run_end_inputs(shared);
    pen_run_end_inputs(own);
    return status;
}

static void make_runs(int number, pen_gid last)
{
    graph_case g = case_make(number);
    g.gids[g.nodes - 1] = last;
    pen_graph *graph = graph_of(&g, 5);
    const pen_run_options options = { .partitioner = "random" };
    shared = run_with(graph, &app, &options);
    pen_graph_destroy(&graph);
    CHECK_STATUS(case_distribute(&g, MPI_COMM_SELF, 5, &graph), PEN_OK);
    CHECK_STATUS(pen_run_create(MPI_COMM_SELF, graph, &app, &options, &own), PEN_OK);
    pen_graph_destroy(&graph);
    case_free(&g);
}

static void drop_runs(void)
{
    pen_run_destroy(&shared);
    pen_run_destroy(&own);
}

/* ---- Parts ---------------------------------------------------------------------------------------- */

/* A note that grows moves the beginnings of all parts through records with quotes and line ends. */
static void check_parts(bool by_gid)
{
    char text[4096], sentence[1024];
    for (int length = 0; length < 60; length++) {
        int used = snprintf(text, sizeof text, "%snote,x,y\n", by_gid ? "gid," : "");
        for (int k = 0; k < 23; k++) {
            if (by_gid) used += snprintf(text + used, sizeof text - (size_t)used, "%d,", 22 - k);
            used += snprintf(text + used, sizeof text - (size_t)used, "\"%*s%s\",%d.5,%s%s", k == 3 ? length : 0, "",
                             k % 3 ? "a\n\n\"\",\r\n\"\"\n" : "", k, k % 4 ? "\"1\"" : "", k % 5 ? "\n" : "\r\n\n");
        }
        pen_csv_part_chunk = 1 + length % 7;
        pen_input_piece = length % 50;
        write_file(csv, text, (size_t)used);
        CHECK_STATUS(try(csv, sentence), PEN_OK);
        CHECK_STATUS(begin(shared, csv), PEN_OK);
        for (pen_lid s = 0; s < shared->store->owned; s++) {
            double gid = (double)shared->store->gids[s];
            CHECK(shared->shown.inputs[X][s] == (by_gid ? 22.0 - gid : gid) + 0.5);
        }
        pen_run_end_inputs(shared);
    }
    pen_csv_part_chunk = 1 << 18;
}

/* ---- Mistakes ------------------------------------------------------------------------------------- */

/* The graph is a path of 23 nodes. */
static void check_mistakes(void)
{
    static const struct {
        const char *text, *what;
    } bad[] = {
        { "gid,x\n0,1\n1,2\n", ": no row for node 2" },
        { "gid,x\n0,1\n23,2\n", ":3: there is no node 23" },
        { "gid,x\n0,1\n-1,2\n", ":3: gid: '-1' is not the number of a node" },
        { "gid,x\n0,1\n Bonn,2\n",
          ":3: gid: ' Bonn' is not the number of a node; pen-graph convert --ids-to=FILE writes which number a name "
          "has" },
        { "gid,x\n0,1\n1.0,2\n", ":3: gid: '1.0' is not the number of a node" },
        { "gid,x\n0,1\n9223372036854775808,2\n", ":3: gid: '9223372036854775808' is not the number of a node" },
        { "gid,x\n0,1\n2,2\n\n\"0\",2\n2,2\n", ":5: node 0 is in line 2 already" },
        { "gid,x\n0,one\n", ":2: x: 'one' is not a number" },
        { "gid,x\n0,inf\n1,-1e400\n", ":3: x: -1e400 is too large for a double" },
        { "gid,x\n0,-1e-320\n1,-1e-400\n", ":3: x: -1e-400 is too small for a double" },
        { "gid,x\n0,0e-400\n1,.0001e-330z\n", ":3: x: .0001e-330z is too small for a double" },
        { "gid,x\n0,\n", ":2: x has no value" },
        { "gid,x\n0,1\n1,nan\n", ":3: x is NaN" },
        { "gid,x\n0,1\n1,2,3\n", ":3: 3 fields, the header has 2" },
        { "gid,x\n0,1\n1\n", ":3: 1 fields, the header has 2" },
        { "gid,x\n0,1\n1,2\"\n", ":3: a quote inside a field that does not begin with one" },
        { "gid,x\n0,1\n1,\"2\n2,3\n3,4\n", ":3: a quote that is never closed" },
        { "gid,x\n0,1\n1,\"2\n2,3\n3,\"4\n", ":3: text after the closing quote" },
        { "x\n1\n2\n", ": 2 rows, but the graph has 23 nodes" },
        { "x\n\n", ": 0 rows, but the graph has 23 nodes" },
        { "x\n0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n0\n1\n2\n3\n4\n",
          ":25: another row, but the graph has 23 nodes" },
        { "z,u\n1,2\n", ": it has none of the columns that files takes: x, y, w, n; it has z, u" },
        { "x,y,X\n1,2\n", ": two columns are called x" },
        { "gid,x,gid\n1,2\n", ": two columns have the nodes" },
        { "w\n1\n", ": values of edges also need the columns source and target" },
        { "gid,w\n1,2\n", ": files takes a value of w for each edge, and the file's rows are nodes" },
        { "x,w\n1,2\n", ": files takes a value of w for each edge, and the file's rows are nodes" },
        { "source,target,x\n1,2,3\n", ": files takes a value of x for each node, and the file's rows are edges" },
        { "source,w\n1,2\n", ": it has a column of sources, but none of targets" },
        { "target,w\n1,2\n", ": it has a column of targets, but none of sources" },
        { "source,target,w\n0,1,2\n1,3,4\n", ":3: node 1 has no neighbour 3" },
        { "source,target,w\n0,1,2\n1,23,4\n", ":3: node 1 has no neighbour 23" },
        { "source,target,w\n0,1,2\n23,1,4\n", ":3: there is no node 23" },
        { "source,target,w\n0,1,2\n1,2,3\n1,0,9\n0,1,2\n", ":5: the arc 0 1 is in line 2 already" },
        { "source,target,w\n0,1,2\n2,1,3\n", ": no row for the arc 2 3" },
        { "source,target,w\n0,1,2\n1,,3\n", ":3: target: '' is not the number of a node" },
        { "source,target,n\n0,1,2\n1,2,3\n1,0,9\n0,1,2\n", ":5: the arc 0 1 is in line 2 already" },
        { "source,target,n\n0,1,2\n", ": no row for the arc 1 0; n needs a row for each direction of an edge" },
        { "source,target,w,n\n0,1,2,2\n1,0,2,2\n1,2,3,4\n",
          ": no row for the arc 2 1; n needs a row for each direction of an edge" },
        { "", ": the file has no header" },
        { "\n\n", ": the file has no header" },
        { "\ngid;x\n0;2\n", ":2: the header has semicolons and no commas: commas must separate the columns" },
        { "gid\tx\n0\t2\n", ":1: the header has tabs and no commas: commas must separate the columns" },
        { "1,2\n3,4\n", ": there is no header: the first line must name the columns" },
        { "x,\"y\n", ":1: a quote that is never closed" },
    };
    char sentence[1024], wanted[256];
    for (int i = 0; i < 2 * PEN_COUNT_OF(bad); i++) {
        const char *text = bad[i / 2].text;
        pen_input_piece = i % 2 ? 1 : 1 << 20;
        write_file(csv, text, strlen(text));
        CHECK_STATUS(try(csv, sentence), PEN_ERR_INPUT);
        snprintf(wanted, sizeof wanted, "%s%s", csv, bad[i / 2].what);
        if (strcmp(sentence, wanted) != 0 && check_failed())
            fprintf(stderr, "\"%s\", expected \"%s\"\n", sentence, wanted);
    }
}

/* The largest gid there can be lacks a value. The graph is one edge. */
static void check_largest(void)
{
    char sentence[1024];
    write_text(csv, "gid,x\n0,1\n");
    CHECK_STATUS(try(csv, sentence), PEN_ERR_INPUT);
    CHECK_CONTAINS(sentence, ": no row for node 9223372036854775807");
    write_text(csv, "source,target,n\n0,9223372036854775807,1\n");
    CHECK_STATUS(try(csv, sentence), PEN_ERR_INPUT);
    CHECK_CONTAINS(sentence, ": no row for the arc 9223372036854775807 0; n needs ");
}

/* Columns with other names: pairs name some of them; each means the same as alone. */
static void check_pairs(void)
{
    char text[1024], files[256], sentence[1024];
    int used = snprintf(text, sizeof text, "gid, plz ,x,\"height, m\"\n");
    for (int k = 0; k < 23; k++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%d,%d,%d,%d\n", k, 22 - k, 100 + k, 200 + k);
    write_file(csv, text, (size_t)used);
    static const struct {
        const char *pairs;
        double x[2], y[2]; /* at node 0, and how it grows with gids */
    } good[] = {
        { "gid=plz", { 122.0, -1.0 }, { 0 } },
        { "GID= PLZ ,\"y=height, m\"", { 122.0, -1.0 }, { 222.0, -1.0 } },
        { "y=x", { 0 }, { 100.0, 1.0 } },
        { "x=plz,y=x", { 22.0, -1.0 }, { 100.0, 1.0 } },
        { "y=x,x=gid,gid=plz", { 22.0, -1.0 }, { 122.0, -1.0 } },
    };
    for (int i = 0; i < PEN_COUNT_OF(good); i++) {
        snprintf(files, sizeof files, "%s:%s", good[i].pairs, csv);
        CHECK_STATUS(try(files, sentence), PEN_OK);
        CHECK_STATUS(begin(shared, files), PEN_OK);
        for (pen_lid s = 0; s < shared->store->owned; s++) {
            double gid = (double)shared->store->gids[s];
            CHECK(shared->shown.inputs[X][s] == good[i].x[0] + good[i].x[1] * gid);
            CHECK(shared->shown.inputs[Y][s] == good[i].y[0] + good[i].y[1] * gid);
        }
        pen_run_end_inputs(shared);
    }
    static const char *const bad[][2] = {
        { "gid=zip", ": it has no column 'zip'; it has gid,  plz , x, height, m" },
        { "z=plz", ": did you mean x? Known: x, y, w, n, gid, source, target" },
        { "gid=plz,x", ": 'x' is not NAME=COLUMN" },
        { "gid=", ": 'gid=' is not NAME=COLUMN" },
        { "x=plz,y=plz", ": column plz is named twice" },
        { "x=plz,x=gid", ": x is assigned two columns" },
        { "w=plz", ": files takes a value of w for each edge, and the file's rows are nodes" },
        { "source=gid", ": it has a column of sources, but none of targets" },
    };
    for (int i = 0; i < PEN_COUNT_OF(bad); i++) {
        snprintf(files, sizeof files, "%s:%s", bad[i][0], csv);
        CHECK_STATUS(try(files, sentence), PEN_ERR_INPUT);
        CHECK_CONTAINS(sentence, bad[i][1]);
    }
    const char *edges = "a,b,cost\n0,1,2\n";
    write_file(csv, edges, strlen(edges));
    snprintf(files, sizeof files, "source=a,target=b,w=cost:%s", csv);
    CHECK_STATUS(try(files, sentence), PEN_ERR_INPUT);
    CHECK_CONTAINS(sentence, ": no row for the arc 1 2");
}

/* A row of an edge of the path is for both directions, or for one if the other direction has its own. Files in which
 * some edges have one row and others two are warned of. */
static void check_directions(void)
{
    static const struct {
        const char *name;
        int singles; /* edges with one row */
        int64_t warned;
    } cases[] = { { "w", 0, 0 }, { "w", 1, 1 }, { "w", 21, 21 }, { "w", 22, 0 }, { "n", 0, 0 } };
    char text[1024], sentence[1024];
    for (int i = 0; i < PEN_COUNT_OF(cases); i++) {
        int used = snprintf(text, sizeof text, "source,target,%s\n", cases[i].name);
        for (int k = 0; k < 22; k++) {
            used += snprintf(text + used, sizeof text - (size_t)used, "%d,%d,%d\n", k, k + 1, k);
            if (k < cases[i].singles) continue;
            used += snprintf(text + used, sizeof text - (size_t)used, "%d,%d,%d\n", k + 1, k, -k);
        }
        write_file(csv, text, (size_t)used);
        CHECK_STATUS(try(csv, sentence), PEN_OK);
        CHECK_INT(pen_input_files_of(shared)->of[0].single, cases[i].warned);
        CHECK_INT(pen_input_files_of(own)->of[0].single, cases[i].warned);
        CHECK_STATUS(begin(shared, csv), PEN_OK);
        const pen_store *store = shared->store;
        for (pen_lid s = 0; s < store->owned; s++)
            for (uint32_t a = store->rows[s]; a < store->rows[s + 1]; a++) {
                const int64_t from = store->gids[s], to = store->gids[store->columns[a]];
                const int64_t edge = from < to ? from : to;
                const double value = shared->shown.inputs[*cases[i].name == 'n' ? NORMAL : EDGE][a];
                CHECK(value == (double)(from < to || edge < cases[i].singles ? edge : -edge));
            }
        pen_run_end_inputs(shared);
    }
}

/* Integers of 64 bits come as they are, or not at all. */
static void check_integers(void)
{
    static const struct {
        char kind;
        uint64_t word;
        const char *digits; /* NULL: a double has it */
    } cases[] = {
        { 'u', UINT64_C(1) << 53, NULL },
        { 'u', (UINT64_C(1) << 53) + 1, "9007199254740993" },
        { 'u', UINT64_C(0xfffffffffffff800), NULL },
        { 'u', UINT64_MAX, "18446744073709551615" },
        { 'i', UINT64_C(1) << 63, NULL },
        { 'i', (UINT64_C(1) << 63) + 1, "-9223372036854775807" },
        { 'i', INT64_MAX, "9223372036854775807" },
        { 'i', 0 - ((UINT64_C(1) << 53) + 1), "-9007199254740993" },
        { 'i', 0 - ((UINT64_C(1) << 53) + 2), NULL },
    };
    enum { NODES = 23, AT = 4 };
    char bytes[1024], files[256], sentence[1024];
    for (int i = 0; i < PEN_COUNT_OF(cases); i++) {
        const pen_npy array = { .kind = cases[i].kind, .size = 8, .dimensions = 1, .shape = { NODES, 1 } };
        size_t size = (size_t)pen_npy_header(&array, bytes);
        memset(bytes + size, 0, NODES * 8);
        memcpy(bytes + size + AT * 8, &cases[i].word, 8);
        write_file(npy, bytes, size + NODES * 8);
        snprintf(files, sizeof files, "x:%s", npy);
        int64_t rows = -1, width = -1;
        double *numbers = NULL;
        CHECK_STATUS(try(files, sentence), cases[i].digits ? PEN_ERR_INPUT : PEN_OK);
        char wanted[256];
        snprintf(wanted, sizeof wanted, "%s: row 4: x: no double is %s", npy, cases[i].digits ? cases[i].digits : "");
        CHECK(strcmp(sentence, cases[i].digits ? wanted : "") == 0);
        CHECK_STATUS(pen_npy_read(npy, &rows, &width, &numbers), cases[i].digits ? PEN_ERR_INPUT : PEN_OK);
        snprintf(wanted, sizeof wanted, "%s: row 4, column 0: no double is %s", npy, cases[i].digits);
        if (cases[i].digits) CHECK(strcmp(pen_error_message(), wanted) == 0 && !numbers && rows == -1);
        free(numbers);
    }
}

/* Many mistakes: the first in the file is reported, even in small pieces. */
static void check_first(void)
{
    char text[8192], sentence[1024];
    for (int first = 0; first < 23; first += 2) {
        int used = snprintf(text, sizeof text, "gid,x\n");
        for (int k = 0; k < 23; k++)
            used += snprintf(text + used, sizeof text - (size_t)used, k < first ? "%d,1\n" : "%d,bad\n", k);
        pen_input_piece = first;
        write_file(csv, text, (size_t)used);
        CHECK_STATUS(try(csv, sentence), PEN_ERR_INPUT);
        char wanted[64];
        snprintf(wanted, sizeof wanted, ":%d: x: 'bad' is not a number", first + 2);
        CHECK_CONTAINS(sentence, wanted);
    }
}

static size_t make_array(char *bytes, bool fortran, int64_t rows, int64_t width, const double *values)
{
    const pen_npy array = {
        .kind = 'f', .size = 8, .fortran = fortran, .dimensions = width > 1 ? 2 : 1, .shape = { rows, width }
    };
    size_t size = (size_t)pen_npy_header(&array, bytes), data = (size_t)(rows * width) * sizeof *values;
    memcpy(bytes + size, values, data);
    return size + data;
}

static void check_arrays(void)
{
    enum { GID = 1, NODES = 23 };
    char bytes[4096], files[256], sentence[1024];
    double values[2 * NODES];
    for (int k = 0; k < NODES; k++) {
        values[2 * k] = (double)((k * 7) % NODES);
        values[2 * k + 1] = k;
    }
    static const struct {
        int at;
        double value;
        const char *names, *what;
    } bad[] = {
        { 8, 23.0, "gid,x:", ": row 4: there is no node 23" },
        { 8, 0.5, "gid,x:", ": row 4: gid: 0.5 is not the number of a node" },
        { 8, -1.0, "gid,x:", ": row 4: gid: -1 is not the number of a node" },
        { 8, 1e17, "gid,x:", ": row 4: gid: 1e+17 is not the number of a node" },
        { 8, 0.0, "gid,x:", ": row 4: node 0 is in row 0 already" },
        { 9, 0.0 / 0.0, "gid,x:", ": row 4: x is NaN" },
        { 0, 0.0, "x:", ": it has 2 columns, and 1 are named" },
        { 0, 0.0, "", ": it has 2 columns: name them, NAME,NAME,...:" },
        { 0, 0.0, "gid,-:", ": it has none of the columns that files takes: x, y, w, n; it has gid, -" },
        { 0, 0.0, "w,:", ": 23 rows, but the graph has 44 arcs" },
    };
    for (int i = 0; i < 2 * PEN_COUNT_OF(bad); i++) {
        double kept = values[bad[i / 2].at];
        if (*bad[i / 2].names && bad[i / 2].names[0] == 'g') values[bad[i / 2].at] = bad[i / 2].value;
        pen_input_piece = i % 2 ? 1 : 1 << 20;
        write_file(npy, bytes, make_array(bytes, false, NODES, 2, values));
        snprintf(files, sizeof files, "%s%s", bad[i / 2].names, npy);
        CHECK_STATUS(try(files, sentence), PEN_ERR_INPUT);
        CHECK_CONTAINS(sentence, bad[i / 2].what);
        values[bad[i / 2].at] = kept;
    }
    static const char *const lists[][2] = {
        { "z,-:", ": z: did you mean x? Known: x, y, w, n, gid, source, target" },
        { "x,\"y:", "NAMES are the names of columns" },
        { "x=gid,y=x:", "an array has no names: name its columns in order" },
    };
    for (int i = 0; i < PEN_COUNT_OF(lists); i++) {
        snprintf(files, sizeof files, "%s%s", lists[i][0], npy);
        CHECK_STATUS(try(files, sentence), PEN_ERR_INPUT);
        CHECK_CONTAINS(sentence, lists[i][1]);
    }
    snprintf(files, sizeof files, "gid,x:%s;gid,x:%s", npy, npy);
    CHECK_STATUS(try(files, sentence), PEN_ERR_INPUT);
    CHECK_CONTAINS(sentence, ": x is in ");
    CHECK_STATUS(try("./nowhere.npy", sentence), PEN_ERR_IO);
    CHECK_CONTAINS(sentence, "./nowhere.npy: cannot read: ");
    CHECK_STATUS(try("x:", sentence), PEN_ERR_INPUT);
    CHECK_CONTAINS(sentence, "it is FILE or NAMES:FILE");
    CHECK_STATUS(try("", sentence), PEN_ERR_INPUT);
}

/* Quotes and commas in the name of a file, and an empty value in quotes that ends a file. The graph is one edge. */
static void check_quotes(void)
{
    static const char *const names[] = { "we\"ird", "a,b" };
    char bytes[256], path[64], sentence[1024];
    const double values[] = { 1.0, 2.0 };
    const size_t size = make_array(bytes, false, 2, 1, values);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "input_files_test.%d.%s.npy", check_size(), names[i]);
        write_file(path, bytes, size);
        CHECK_STATUS(try(path, sentence), PEN_ERR_INPUT);
        CHECK_CONTAINS(sentence, "it has none of the columns that files takes: x, y, w, n; it has ");
        CHECK_CONTAINS(sentence, names[i]);
        MPI_Barrier(MPI_COMM_WORLD); /* all have read it */
        if (check_rank() == 0) remove(path);
    }
    write_text(csv, "y\n1\n\"\"");
    CHECK_STATUS(try(csv, sentence), PEN_OK);
}

/* ---- Damage --------------------------------------------------------------------------------------- */

/* Whatever a byte becomes, or where the file ends: a message, or other values, the same on all ranks. */
static void damage(const char *path, const char *files, char *bytes, size_t size)
{
    static const char others[] = { '\0', '"', ',', '\n', '\r', '7', ' ', 'e', (char)0xff };
    char sentence[1024];
    for (size_t at = 0; at < size; at++) {
        const char kept = bytes[at];
        for (int i = 0; i < PEN_COUNT_OF(others); i++) {
            if ((at + (size_t)i) % PEN_COUNT_OF(others)) continue;
            bytes[at] = others[i];
            pen_input_piece = (int64_t)(at % 3) * 40;
            write_file(path, bytes, size);
            pen_status status = try(files, sentence);
            CHECK(status == PEN_OK || (status == PEN_ERR_INPUT && strlen(sentence) > strlen(path)));
        }
        bytes[at] = kept;
        write_file(path, bytes, at);
        CHECK_STATUS(try(files, sentence), PEN_ERR_INPUT);
    }
}

/* Three small files; the graph is one edge. */
static void check_damage(void)
{
    static char table[] = "gid,\"x\",y\n1,2.5e1,\"a\"\n", edges[] = "source,target,w\n0,1,2\n1,0,7";
    char bytes[1024], files[256];
    const double values[] = { 1.0, 0.0, 2.5, 3.5 };
    table[strlen(table) - 3] = '7';
    char whole[128];
    int used = snprintf(whole, sizeof whole, "%s0,-1,\r\n", table);
    damage(csv, csv, whole, (size_t)used - 5);
    damage(csv, csv, edges, strlen(edges) - 7);
    snprintf(files, sizeof files, "gid,x:%s", npy);
    damage(npy, files, bytes, make_array(bytes, true, 2, 2, values));
}

/* ---- Memory --------------------------------------------------------------------------------------- */

/* Memory runs out at each point in turn, on one rank: all ranks get the error, and nothing is leaked. */
static void starve(const char *files)
{
    const int size = check_size();
    pen_input_piece = 100;
    for (int rank = 0; rank<size; rank += size> 1 ? size - 1 : 1) {
        for (int64_t n = 1, left = 0; left == 0; n++) {
            if (check_rank() == rank) pen_alloc_countdown = n;
            const pen_status status = begin(shared, files);
            left = pen_alloc_countdown;
            pen_alloc_countdown = 0;
            MPI_Bcast(&left, 1, MPI_INT64_T, rank, MPI_COMM_WORLD);
            pen_run_end_inputs(shared);
            CHECK(status == PEN_OK || status == PEN_ERR_MEMORY);
        }
    }
}

static void check_memory(void)
{
    char text[4096], files[256];
    double values[44] = { 0.0 };
    int used = snprintf(text, sizeof text, "gid,x\n");
    for (int k = 0; k < 23; k++) used += snprintf(text + used, sizeof text - (size_t)used, "%d,1\n", k);
    write_file(csv, text, (size_t)used);
    starve(csv);
    used = snprintf(text, sizeof text, "source,target,w\n");
    for (int k = 0; k < 22; k++) used += snprintf(text + used, sizeof text - (size_t)used, "%d,%d,1\n", k, k + 1);
    write_file(csv, text, (size_t)used);
    starve(csv);
    write_file(npy, text, make_array(text, false, 44, 1, values));
    snprintf(files, sizeof files, "w:%s", npy);
    starve(files);
}

CHECKS()
{
    const int size = check_size();
    snprintf(csv, sizeof csv, "input_files_test.%d.csv", size);
    snprintf(npy, sizeof npy, "input_files_test.%d.npy", size);
    make_runs(3, 22);
    RUN(check_parts(true));
    RUN(check_parts(false));
    RUN(check_mistakes());
    RUN(check_first());
    RUN(check_directions());
    RUN(check_integers());
    RUN(check_pairs());
    RUN(check_arrays());
    RUN(check_memory());
    drop_runs();
    make_runs(1, 1);
    RUN(check_damage());
    RUN(check_quotes());
    drop_runs();
    make_runs(1, INT64_MAX);
    RUN(check_largest());
    drop_runs();
    MPI_Barrier(MPI_COMM_WORLD); /* the others have read them */
    if (check_rank() == 0) {
        remove(csv);
        remove(npy);
    }
}

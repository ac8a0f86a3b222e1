/* graph_file_test.c - Chaco/METIS files, good, malformed and mangled. What all ranks read together must equal what each
 * reads alone: graph, status and message, with the line. With a folder of graphs as argument: its files instead.
 * pen_mpi_test() */
#include "graph/chaco.h"
#include "tests/support/graph_hash.h"
#include "tests/support/world.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static int size;
static char directory[64], file[96]; /* the test's own, and the file that it writes again and again */

typedef struct outcome {
    pen_status status;
    uint64_t hash;
    char message[512];
} outcome;

static outcome read_on(MPI_Comm comm, const char *path, const pen_read_options *options)
{
    pen_graph *g = NULL;
    outcome o = { .status = pen_graph_read(comm, path, options, &g) };
    if (o.status == PEN_OK) o.hash = graph_hash(g);
    else snprintf(o.message, sizeof o.message, "%s", pen_error_message());
    CHECK((o.status == PEN_OK) == (g != NULL));
    pen_graph_destroy(&g);
    return o;
}

/* Collective. Read with all and alone, in chunks of different sizes. */
static outcome read_both(const char *path, const pen_read_options *options)
{
    static const int64_t chunks[] = { 256 * 1024, 1, 2, 5, 64, 33 };
    static unsigned calls;
    outcome alone = read_on(MPI_COMM_SELF, path, options);
    pen_scanner_chunk = chunks[calls++ % 6];
    outcome all = read_on(MPI_COMM_WORLD, path, options);
    pen_scanner_chunk = chunks[0];
    CHECK_INT(all.status, alone.status);
    CHECK_INT(all.hash, alone.hash);
    CHECK_CONTAINS(all.message, alone.message);
    CHECK_CONTAINS(alone.message, all.message);
    return all;
}

/* ---- Single files --------------------------------------------------------------------------- */

enum { M = PEN_DIALECT_METIS, C = PEN_DIALECT_CHACO, D = 2 /* METIS, directed */ };

#define FIG "7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n"
#define FIG1 "7 11 1\n5 1 3 2 2 1\n1 1 3 2 4 1\n5 3 4 2 2 2 1 2\n2 1 3 2 6 2 7 5\n1 1 3 3 6 2\n5 2 4 2 7 6\n6 6 4 5\n"
#define TRIANGLE11 "3 3 011\n1 2 5 3 6\n0 1 5 3 7\n3 1 6 2 7\n"

/* Files that are read, each with one of the same graph (NULL: not compared). */
static const struct {
    int dialect;
    const char *text, *same;
} good[] = {
    { M, FIG, NULL },
    { C, FIG, FIG },
    { M, "7 11 000\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4", FIG },
    { M, "7 11\r\n5 3 2\r\n1 3 4\r\n5 4 2 1\r\n2 3 6 7\r\n1 3 6\r\n5 4 7\r\n6 4\r", FIG },
    { M, "\t7  11 \n  5 3\t2 \n1 3 4\t\n5 4 2 1\n 2 3 6 7\n1 3 6\n5   4 7\n6 4   \n", FIG },
    { M, "7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n\n \n\t\r\n\n\n\n\n\n\n\n", FIG },
    { M, "7 11\n2 3 5\n4 3 1\n1 2 4 5\n7 6 3 2\n6 3 1\n4 5 7\n4 6\n", FIG },
    { M, "7 11\n+5 +3 2\n1 03 000000000000000004\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n", FIG },
    { M, "%a\n%\n% c\n7 11\n5 3 2\n%5\n1 3 4\n%\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n%the end\n\n%of it", FIG },
    { C, "#a\n%b\n\n7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n", FIG },
    { C, "7 11 100\n1 5 3 2\n2 1 3 4\n3 5 4 2 1\n4 2 3 6 7\n5 1 3 6\n6 5 4 7\n7 6 4\n\n", FIG },
    { C, "7 11 100\n1 5 3 2\n2 1 3 4\n3 5 4\n3 2 1\n4 2\n4\n4 3\n4 6 7\n5 1 3 6\n6 5 4 7\n7 6\n7 4\n", FIG },
    { C,
      "7 11 101\n1 5 1 3 2 2 1\n2 1 1 3 2\n2 4 1\n3 5 3 4 2 2 2 1 2\n4 2 1 3 2 6 2 7 5\n5 1 1 3 3 6 2\n6 5 2 4 2 7 6\n"
      "7 6 6 4 5\n",
      FIG1 },
    { C, "3 3 111\n1 1 2 5\n1 3 6\n2 0 1 5 3 7\n3 3 1 6\n3 2 7\n", TRIANGLE11 },
    { C, "4 1 100\n1\n2 3\n3 2\n4\n", "4 1\n\n3\n2\n\n" },
    { M, FIG1, NULL },
    { M, TRIANGLE11, NULL },
    { M, "3 3 10 2\n1 9 2 3\n1 8 1 3\n1 7 1 2\n\n", NULL },
    { M, "3 3 100\n7 2 3\n0 1 3\n5 1 2\n", NULL },
    { M, "3 3 111 2\n7 1 9 2 5 3 5\n0 0 0 1 5 3 5\n5 3 3 1 5 2 5\n", NULL },
    { M, "4 2\n2 3\n1\n1\n\n", NULL },
    { M, "4 2\n2 3\n1\n1\n", "4 2\n2 3\n1\n1\n\n" },
    { M, "4 2\n2 3\n1\n1\n%\n", "4 2\n2 3\n1\n1\n\n" },
    { M, "4 2\n2 4\n1\n\n1\n", NULL },
    { M, "1 0", "1 0\n\n" },
    { M, "1 0\n", "1 0\n\n" },
    { M, "1 0 10\n5\n", NULL },
    { M, "3 0\n\n\n\n", "3 0\n\n\n" },
    { D, "3 4\n2 3\n3\n1\n", NULL },
    { D, "3 2\n2 3\n3\n1\n", "3 4\n2 3\n3\n1\n" },
    { D, "3 3 1\n2 5\n3 1\n1 9\n", NULL },
};

static pen_read_options options_of(int dialect)
{
    return (pen_read_options){ .dialect = dialect == C ? PEN_DIALECT_CHACO : PEN_DIALECT_METIS,
                               .directed = dialect == D };
}

static void check_good(void)
{
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        pen_read_options options = options_of(good[i].dialect), plain = options_of(good[i].dialect == D ? D : M);
        write_file(file, good[i].text, strlen(good[i].text));
        outcome o = read_both(file, &options);
        if (o.status != PEN_OK && check_failed())
            fprintf(stderr, "good file %zu: %s\n%s\n", i, o.message, good[i].text);
        MPI_Barrier(MPI_COMM_WORLD);
        if (!good[i].same) continue;
        write_file(file, good[i].same, strlen(good[i].same));
        uint64_t hash = read_both(file, &plain).hash;
        if (o.hash != hash && check_failed())
            fprintf(stderr, "good file %zu: not the same graph\n%s\n", i, good[i].text);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* The one check of a file's meaning that does not use another file. */
static void check_figure(void)
{
    static const pen_gid neighbors[7][4] = { { 1, 2, 4 }, { 0, 2, 3 }, { 0, 1, 3, 4 }, { 1, 2, 5, 6 },
                                             { 0, 2, 5 }, { 3, 4, 6 }, { 3, 5 } };
    static const int64_t weights[7][4] = { { 1, 2, 1 }, { 1, 2, 1 }, { 2, 2, 2, 3 }, { 1, 2, 2, 5 },
                                           { 1, 3, 2 }, { 2, 2, 6 }, { 5, 6 } };
    static const int degrees[7] = { 3, 3, 4, 4, 3, 3, 2 };
    static const char text[] =
        "7 11 111 2\n"
        "9 1 10 5 1 3 2 2 1\n9 2 20 1 1 3 2 4 1\n9 3 30 5 3 4 2 2 2 1 2\n9 4 40 2 1 3 2 6 2 7 5\n"
        "9 5 50 1 1 3 3 6 2\n9 6 60 5 2 4 2 7 6\n8 7 70 6 6 4 5\n";
    write_file(file, text, sizeof text - 1);
    pen_graph *g;
    CHECK_STATUS(pen_graph_read(MPI_COMM_WORLD, file, &(pen_read_options){ .load_weight = 1 }, &g), PEN_OK);
    CHECK_INT(pen_graph_nodes(g), 7);
    CHECK_INT(pen_graph_edges(g), 11);
    int64_t before = 0, count = g->count;
    MPI_Exscan(&count, &before, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (check_rank() > 0) CHECK_INT(g->first, before);
    for (pen_lid i = 0; i < g->count; i++) {
        pen_gid v = pen_graph_gid(g, i);
        CHECK_INT(g->rows[i + 1] - g->rows[i], degrees[v]);
        CHECK_INT(pen_graph_load(g, i), 10 * (v + 1));
        CHECK_INT(g->node_sizes[i], v == 6 ? 8 : 9);
        for (int k = 0; k < degrees[v]; k++) {
            CHECK_INT(g->neighbors[g->rows[i] + k], neighbors[v][k]);
            CHECK_INT(g->edge_weights[g->rows[i] + k], weights[v][k]);
        }
    }
    pen_graph_destroy(&g);
    outcome o = read_both(file, &(pen_read_options){ .load_weight = 2 });
    CHECK_INT(o.status, PEN_ERR_INPUT);
    CHECK_CONTAINS(o.message, "load weight 2");
}

#define TEXT(literal) literal, sizeof(literal) - 1

static const struct {
    int dialect;
    const char *text;
    size_t length;
    int line;
    const char *what;
} bad[] = {
    { M, TEXT(""), 1, "no header" },
    { M, TEXT("% only\n%comments\n"), 3, "no header" },
    { M, TEXT("\xEF\xBB\xBF" FIG), 1, "byte order mark" },
    { M, TEXT("7 11\r5 3 2\r1 3 4\r"), 1, "carriage return" },
    { M, TEXT("\n" FIG), 1, "empty line" },
    { M, TEXT("#c\n" FIG), 1, "'#'" },
    { M, TEXT("%\n  % indented\n" FIG), 2, "column 1" },
    { M, TEXT("7 11 % text\n5 3 2\n"), 1, "'%'" },
    { M, TEXT("7\n\n"), 1, "numbers of nodes and edges" },
    { M, TEXT("7 11 0 1 1\n"), 1, "more than 4" },
    { M, TEXT("7 -11\n"), 1, "must not be negative" },
    { M, TEXT("7 +\n"), 1, "a sign without a number" },
    { M, TEXT("7 1+1\n"), 1, "'+'" },
    { M, TEXT("7 0x1\n"), 1, "'x'" },
    { M, TEXT("7 1\0"), 1, "0x00" },
    { M, TEXT("0 0\n"), 1, "no nodes" },
    { M, TEXT("99999999999 11\n5\n"), 1, "more nodes than the file can hold" },
    { M, TEXT("999999999999999999 0\n5\n"), 1, "more nodes than the file can hold" },
    { M, TEXT("9999999999999999999999 0\n5\n"), 1, "more than 18 digits" },
    { M, TEXT("7 99999999999\n5\n"), 1, "more edges than the file can hold" },
    { M, TEXT("7 999999999999999999 1\n5\n"), 1, "more edges than the file can hold" },
    { M, TEXT("1 0 10 999999999999999999\n5\n"), 1, "more nodes than the file can hold" },
    { M, TEXT("7 11 2\n"), 1, "fmt" },
    { M, TEXT("7 11 112\n"), 1, "fmt" },
    { M, TEXT("7 11 1000\n"), 1, "fmt" },
    { M, TEXT("7 11 abc\n"), 1, "'a'" },
    { M, TEXT("7 11 1 2\n"), 1, "fmt says that there are none" },
    { M, TEXT("7 11 10 0\n"), 1, "must be >= 1" },
    { M, TEXT("7 11\n5.0 3 2\n"), 2, "'.'" },
    { M, TEXT("7 11\n5 3 2\n1 x 4\n"), 3, "'x'" },
    { M, TEXT("7 11\n5 3 2\n1 3 4y\n"), 3, "'y'" },
    { M, TEXT("7 11\n5 3-2\n"), 2, "'-'" },
    { M, TEXT("7 11\n5 + 3\n"), 2, "a sign without a number" },
    { M, TEXT("7 11\n5 3 2\n1 3 4 % text\n"), 3, "'%'" },
    { M, TEXT("7 11\n5 3 2\n1 3 4\n5 4 \0 1\n"), 4, "0x00" },
    { M, TEXT("7 11\n5 3 2\n1 3 4\n\v5 4\n"), 4, "0x0B" },
    { M, TEXT("7 11\n5 3 2\n1 \r3 4\n"), 3, "carriage return" },
    { M, TEXT("7 11\n5 3 2\n#\n"), 3, "column 1" },
    { M, TEXT("7 11\n18446744073709551621 3 2\n"), 2, "more than 18 digits" },
    { M, TEXT("7 11\n4294967301 3 2\n1 3 4\n"), 2, "neighbour 4294967301, must be 1..7" },
    { M, TEXT("7 11\n5 3 2\n1 3 8\n"), 3, "neighbour 8, must be 1..7" },
    { M, TEXT("%\n%\n7 11\n%\n5 3 2\n%\n1 0 4\n"), 7, "neighbour 0, must be 1..7" },
    { M, TEXT("7 11\n5 3 2\n1 -3 4\n"), 3, "neighbour -3" },
    { M, TEXT("3 3\n2 3\n1 2 3\nx"), 3, "neighbour 2 is the node itself" },
    { M, TEXT("3 3\n2 3\n1 3 1\n1 2\n"), 3, "neighbour 1 occurs twice" },
    { M, TEXT("3 3 1\n2 5 3 6\n1 5 3 0\n1 6 2 7\n"), 3, "edge weight 0, must be >= 1" },
    { M, TEXT("3 3 1\n2 5 3 6\n1 5 3 -7\n1 6 2 7\n"), 3, "edge weight -7, must be >= 1" },
    { M, TEXT("3 3 1\n2 5 3\n1 5 3 7\n1 6 2 7\n"), 2, "the line ends before the edge weight" },
    { M, TEXT("3 3 1\n2 5 3 0.5\n"), 2, "'.'" },
    { M, TEXT("3 3 10\n1 2 3\n-1 1 3\n1 1 2\n"), 3, "node weight -1" },
    { M, TEXT("3 3 100\n1 2 3\n-1 1 3\n1 1 2\n"), 3, "node size -1" },
    { M, TEXT("3 3 10\n1 2 3\n\n1 1 2\n"), 3, "empty line" },
    { M, TEXT("3 2 10\n1 2\n1 1\n\n"), 4, "empty line" },
    { M, TEXT("3 2 10\n1 2 3\n1 1\n"), 4, "2 of 3 nodes" },
    { M, TEXT("3 3 10 3\n1 1 1 2 3\n1 1\n1 1 1 1 2\n"), 3, "the line ends before the node weight" },
    { M, TEXT("2 1 10\n1 2\n1 1\n\n\n5\n"), 6, "data after the last node" },
    { M, TEXT("2 1 10\n1 2\n1 1\n5\n"), 4, "data after the last node" },
    { M, TEXT("2 1\n2\n1\n\n\n1\n"), 6, "data after the last node" },
    { M, TEXT("2 1\n2\n1\n\n\n\n\n\n\n\n%\n\n\n\n\n1"), 16, "data after the last node" },
    { M, TEXT("7 12\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n"), 1, "the file has 22" },
    { M, TEXT("%\n7 10\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n"), 2, "the file has 22" },
    { M, TEXT("7 22\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n"), 1, "44 neighbours, the file has 22" },
    { M, TEXT("9 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n"), 9, "7 of 9 nodes" },
    { M, TEXT("6 7\n3 2 5\n1 3 5\n2 1 5\n5\n1 2 3 4"), 7, "5 of 6 nodes" },
    { M, TEXT("4 2\n2 3\n1\n1\n% not ended"), 6, "3 of 4 nodes" },
    { M, TEXT("25 0\n"), 2, "0 of 25 nodes" },
    { M, TEXT("2 0\n"), 2, "0 of 2 nodes" },
    { M, TEXT("7 11\n\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n"), 3, "neighbour 2 is the node itself" },
    { M, TEXT("3 2\n2 3\n1 3\n\n"), 2, "neighbour 3 does not have this node" },
    { M, TEXT("4 3\n2\n1\n4 2\n3 1\n"), 4, "neighbour 2 does not have this node" },
    { M, TEXT("3 3 1\n2 5 3 6\n1 5 3 7\n1 6 2 8\n"), 3, "the edge to 3 has weight 8" },
    { D, TEXT("3 3\n2 3\n3\n1\n"), 1, "(or half of them), the file has 4" },
    { D, TEXT("3 3\n2 3\n2\n1\n"), 3, "neighbour 2 is the node itself" },
    { C, TEXT("7 11\n5 3 2\n% c\n1 3 4\n"), 3, "Chaco takes for a node" },
    { C, TEXT("#\n\n7 11\n5 3 2\n# c\n1 3 4\n"), 5, "column 1" },
    { C, TEXT("3 3 100\n2 2 3\n"), 2, "node number 2, must be 1" },
    { C, TEXT("3 3 100\n1 2 3\n3 1 3\n"), 3, "node number 3, must be the one before or 2" },
    { C, TEXT("3 3 100\n1 2 3\n2 1 3\n2\n1 1 2\n"), 5, "node number 1, must be the one before or 3" },
    { C, TEXT("3 3 100\n1 2 3\n2 1 3\n3 1 2\n4 1\n"), 5, "data after the last node" },
    { C, TEXT("3 3 100\n1 2 3\n2 1 3\n\n3 1 2\n"), 4, "empty line" },
    { C, TEXT("3 2 100\n1 2 3\n2 1\n"), 4, "2 of 3 nodes" },
    { C, TEXT("3 3 100\n1 2\n1 3\n2 1\n2 3\n3 2 3\n3 1\n"), 6, "neighbour 3 is the node itself" },
    { C, TEXT("4 3 100\n1 2\n1 3\n2 1\n2\n3 2\n3 1\n4 3\n"), 6, "neighbour 2 does not have this node" },
    { C, TEXT("3 3 110\n1 1 2 3\n2 -1 1 3\n3 1 1 2\n"), 3, "node weight -1" },
    { C, TEXT("3 3 110\n1 1 2 3\n2\n3 1 1 2\n"), 3, "the line ends before the node weight" },
};

static void check_bad(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        pen_read_options options = options_of(bad[i].dialect);
        char where[160];
        write_file(file, bad[i].text, bad[i].length);
        outcome o = read_both(file, &options);
        snprintf(where, sizeof where, "%s:%d: ", file, bad[i].line);
        bool told = o.status == PEN_ERR_INPUT && strncmp(o.message, where, strlen(where)) == 0 &&
                    strstr(o.message, bad[i].what);
        if (!told && check_failed())
            fprintf(stderr, "bad file %zu: %s %s, expected line %d and \"%s\"\n%s\n", i, pen_status_name(o.status),
                    o.message, bad[i].line, bad[i].what, bad[i].text);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* ---- Long rows, mangled files --------------------------------------------------------------- */

/* A star whose centre's row is unsorted and longer than all others together. */
static void check_star(int64_t leaves, bool asymmetric)
{
    char *text = malloc((size_t)leaves * 32), *end = text;
    end += sprintf(end, "%" PRId64 " %" PRId64 " 001\n", leaves + 1, leaves);
    for (int64_t i = leaves; i > 0; i--) end += sprintf(end, "%" PRId64 " %" PRId64 " ", i + 1, i);
    for (int64_t i = 1; i <= leaves; i++) end += sprintf(end, "\n1 %" PRId64, i + (asymmetric && i == leaves / 2));
    write_file(file, text, (size_t)(end - text));
    outcome o = read_both(file, NULL);
    CHECK_INT(o.status, asymmetric ? PEN_ERR_INPUT : PEN_OK);
    if (asymmetric) CHECK_CONTAINS(o.message, ":2: the edge to ");
    free(text);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A path whose nodes have many weights, the first ones with one digit and the last ones with several. */
static void check_wide(int nodes, int narrow, int digits)
{
    enum { WEIGHTS = 9000 };
    char *text = malloc((size_t)nodes * (WEIGHTS + 4) * 8), *end = text;
    end += sprintf(end, "%d %d 10 %d\n", nodes, nodes - 1, WEIGHTS);
    for (int i = 1; i <= nodes; i++) {
        for (int k = 0; k < WEIGHTS; k++) end += sprintf(end, "%0*d ", i <= narrow ? 1 : digits, 7);
        if (i > 1) end += sprintf(end, "%d ", i - 1);
        end += sprintf(end, i < nodes ? "%d\n" : "\n", i + 1);
    }
    write_file(file, text, (size_t)(end - text));
    CHECK_INT(read_both(file, NULL).status, PEN_OK);
    free(text);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Truncations and random bytes: the same outcome with all ranks as alone, whatever it is. */
static void check_mangled(int dialect, const char *text, int rounds)
{
    static const char bytes[] = "0123456789 \n\n\r\t%#+-.x\xff";
    size_t length = strlen(text);
    char copy[512];
    pen_read_options options = options_of(dialect);
    for (int i = 0; i < rounds; i++) {
        uint64_t random = pen_mix((uint64_t)i + 1000 * (uint64_t)length);
        size_t kept = i % 3 == 0 ? random % length : length;
        memcpy(copy, text, length);
        for (uint64_t k = 0; i % 3 != 0 && k <= random % 3; k++) {
            uint64_t more = pen_mix(random + k);
            copy[more % length] = bytes[(more >> 32) % sizeof bytes]; /* the last one is 0 */
        }
        write_file(file, copy, kept);
        outcome o = read_both(file, &options);
        CHECK(o.status == PEN_OK || o.status == PEN_ERR_INPUT);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* ---- Writing -------------------------------------------------------------------------------- */

/* Collective. Files in the directory. */
static int count_files(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    int count = 0;
    DIR *d = opendir(directory);
    for (const struct dirent *entry; d && (entry = readdir(d));) count += entry->d_name[0] != '.';
    if (d) closedir(d);
    MPI_Barrier(MPI_COMM_WORLD);
    return count;
}

static void check_written(const pen_graph *g, const pen_read_options *options)
{
    pen_graph *again;
    CHECK_STATUS(pen_graph_write(g, file), PEN_OK);
    CHECK_STATUS(pen_graph_read(MPI_COMM_WORLD, file, options, &again), PEN_OK);
    CHECK_INT(graph_hash(again), graph_hash(g));
    pen_graph_destroy(&again);
    CHECK_INT(count_files(), 1);
}

static void check_round_trips(void)
{
    static const int64_t sides[][2] = { { 1, 1 }, { 1, 9 }, { 13, 11 }, { 90, 70 } };
    pen_graph *g;
    for (int i = 0; i < 4; i++) {
        CHECK_STATUS(generate_hex(MPI_COMM_WORLD, sides[i][0], sides[i][1], &g), PEN_OK);
        check_written(g, NULL);
        pen_graph_destroy(&g);
    }
    g = graph_from("random:nodes=20000,degree=12,seed=3");
    check_written(g, NULL);
    pen_graph_destroy(&g);
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        pen_read_options options = options_of(good[i].dialect), plain = options_of(good[i].dialect == D ? D : M);
        write_file(file, good[i].text, strlen(good[i].text));
        CHECK_STATUS(pen_graph_read(MPI_COMM_WORLD, file, &options, &g), PEN_OK);
        check_written(g, &plain);
        pen_graph_destroy(&g);
    }
}

/* Graphs that cannot be read or written: a sentence, the old file as it was, and no temporary file. */
static void check_io(void)
{
    pen_graph *g = NULL;
    char path[128];
    CHECK_INT(read_both(directory, NULL).status, PEN_ERR_IO);
    snprintf(path, sizeof path, "%s/missing", directory);
    outcome o = read_both(path, NULL);
    CHECK_INT(o.status, PEN_ERR_IO);
    CHECK_CONTAINS(o.message, "No such file");
    CHECK_STATUS(pen_graph_read(MPI_COMM_WORLD, NULL, NULL, &g), PEN_ERR_ARGUMENT);

    write_file(file, TEXT(FIG));
    uint64_t hash = read_both(file, NULL).hash;
    g = graph_from("hex:70x70");
    CHECK_STATUS(pen_graph_write(g, directory), PEN_ERR_IO);
    CHECK_STATUS(pen_graph_write(g, "/dev/null"), PEN_ERR_IO);
    CHECK_STATUS(pen_graph_write(g, "/nowhere/at/all"), PEN_ERR_IO);
    limit_files(3000);
    CHECK_STATUS(pen_graph_write(g, file), PEN_ERR_IO);
    CHECK_CONTAINS(pen_error_message(), "cannot write");
    limit_files(-1);
    pen_graph_destroy(&g);
    CHECK_INT(count_files(), 1);
    CHECK_INT(read_both(file, NULL).hash, hash);
}

/* ---- A collection of files, if there is one ------------------------------------------------- */

/* "bad_" is malformed in one of the original readers; these are not for us. */
static bool expected_good(const char *name)
{
    static const char *const good_ones[] = {
        "bad_n_too_big.graph",          /* the last, unterminated, empty line is the node */
        "bad_zero_vertex_weight.graph", /* legal for METIS */
    };
    for (int i = 0; i < 2; i++)
        if (strcmp(name, good_ones[i]) == 0) return true;
    return strncmp(name, "ok_", 3) == 0;
}

static void check_collection(const char *collection, const char *part, bool real)
{
    static const char *const not_clean[] = { "jazz2double.graph", "zoltan_bug.graph", "zoltan_ewgt.graph",
                                             "zoltan_nograph.graph", "zoltan_simple3d.graph" };
    char folder[512];
    snprintf(folder, sizeof folder, "%s/%s", collection, part);
    DIR *d = opendir(folder);
    CHECK(d != NULL);
    for (const struct dirent *entry; d && (entry = readdir(d));) {
        const char *name = entry->d_name;
        char path[1024];
        bool ok = real, chaco = strstr(name, "chaco_vtxnum") != NULL;
        struct stat about;
        for (int i = 0; i < 5; i++) ok = ok && strcmp(name, not_clean[i]) != 0;
        if (!real) ok = expected_good(name);
        if (strstr(name, ".part.")) continue; /* a partition */
        if (!real && !ok && strncmp(name, "bad_", 4) != 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size > 1000000) continue;
        outcome o = read_on(MPI_COMM_WORLD, path,
                            &(pen_read_options){ .dialect = chaco ? PEN_DIALECT_CHACO : PEN_DIALECT_METIS });
        if (o.status != (ok ? PEN_OK : PEN_ERR_INPUT) && check_failed())
            fprintf(stderr, "%s: %s %s\n", path, pen_status_name(o.status), o.message);
    }
    if (d) closedir(d);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1) {
        RUN(check_collection(argv[1], "bad/crafted", false));
        RUN(check_collection(argv[1], "graph", true));
        return check_finish();
    }
    snprintf(directory, sizeof directory, "/tmp/penumbra-graph-XXXXXX");
    if (check_rank() == 0) CHECK(mkdtemp(directory) != NULL);
    MPI_Bcast(directory, sizeof directory, MPI_CHAR, 0, MPI_COMM_WORLD);
    snprintf(file, sizeof file, "%s/graph", directory);

    RUN(check_figure());
    RUN(check_good());
    RUN(check_bad());
    RUN(check_star(5000, false));
    RUN(check_star(500, true));
    RUN(check_wide(8, 5, 2));
    RUN(check_wide(8, 5, 3));
    RUN(check_wide(8, 7, 5));
    RUN(check_mangled(M, FIG, 30));
    RUN(check_mangled(M, "%c\n4 4 111 2\n1 2 3 2 9 4 8\n% here\n0 0 1 1 9 3 7\n\n5 5 5 2 7 4 1\n1 1 1 1 8 3 1\n", 30));
    RUN(check_mangled(D, "5 6 1\n2 1\n3 1 4 5\n\n\n1 2 2 2 3 2\n", 20));
    RUN(check_mangled(C, "#\n4 3 110\n1 5 2\n2 6 1\n2 3\n3 7 2\n3 4\n4 8 3\n\n", 30));
    RUN(check_round_trips());
    RUN(check_io());

    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank() == 0) {
        unlink(file);
        CHECK_INT(rmdir(directory), 0);
    }
    return check_finish();
}

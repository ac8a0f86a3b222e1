/* edges_test - records of arcs: they belong to their node, move with it, are what .init_edges and files made them and
 * phases wrote into them; two of odd sizes, on all kinds of graphs, with nodes moving at random. Every value is
 * compared with what the whole graph says, and the run with the serial loop. What is wrong in a file is told by line.
 */
#include "run/edge_data.h"
#include "tests/support/cases.h"
#include "tests/support/check.h"

enum { STEPS = 8 };

typedef struct cell {
    uint64_t hash;
    double sum;
} cell;
typedef struct odd {
    uint8_t bytes[3];
} odd;
typedef struct wide {
    double x, y;
} wide;
enum { CELL };
enum { ODD, WIDE };

static uint64_t scramble(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ (b + UINT64_C(0x9e3779b97f4a7c15))) * UINT64_C(0xff51afd7ed558ccd);
    return x ^ x >> 29;
}

static int64_t wrong;
static const graph_case *whole;
static bool from_file;

/* The arcs that have a line; those of the file have other bytes. */
static bool has_line(pen_gid from, pen_gid to) { return from_file && scramble((uint64_t)to, (uint64_t)from) % 5 != 0; }

static odd expected(pen_gid from, pen_gid to, int64_t counted)
{
    uint64_t hash = scramble((uint64_t)from, (uint64_t)to) + has_line(from, to);
    return (odd){ { (uint8_t)hash, (uint8_t)(hash + (uint64_t)counted), (uint8_t)(hash >> 16) } };
}

static void init(const pen_view *v) { *PEN_NEXT(v, CELL, cell) = (cell){ scramble((uint64_t)pen_id(v), 1), 0.0 }; }

/* Sees its own and its neighbours' first records. */
static void init_edges(const pen_view *v)
{
    wrong += PEN_SELF(v, CELL, cell)->hash != scramble((uint64_t)pen_id(v), 1);
    for (int32_t i = 0; i < pen_degree(v); i++) {
        uint64_t hash = PEN_NEIGHBOR(v, CELL, cell, i)->hash;
        wrong += hash != scramble((uint64_t)pen_neighbor_id(v, i), 1);
        bool files = from_file;
        from_file = false;
        *PEN_EDGE_OWN(v, ODD, odd, i) = expected(pen_id(v), pen_neighbor_id(v, i), 0);
        from_file = files;
        *PEN_EDGE_OWN(v, WIDE, wide, i) = (wide){ (double)(hash % 1000) / 7, (double)pen_edge_weight(v, i) };
    }
}

static bool right_odd(const pen_view *v, int32_t i, int64_t counted)
{
    odd record = expected(pen_id(v), pen_neighbor_id(v, i), counted);
    return memcmp(PEN_EDGE(v, ODD, odd, i), &record, sizeof record) == 0;
}

/* Reads one edge field and writes the other. */
static void flow(const pen_view *v)
{
    cell next = *PEN_SELF(v, CELL, cell);
    for (int32_t i = 0; i < pen_degree(v); i++) {
        wrong += !right_odd(v, i, pen_step(v)) || v->own_edges[ODD];
        wide *w = PEN_EDGE_OWN(v, WIDE, wide, i);
        wrong += w != PEN_EDGE(v, WIDE, wide, i);
        w->y = 0.5 * w->y + w->x * (double)(PEN_EDGE(v, ODD, odd, i)->bytes[1] + i);
        next.sum += w->y;
        next.hash = scramble(next.hash, PEN_NEIGHBOR(v, CELL, cell, i)->hash);
    }
    *PEN_NEXT(v, CELL, cell) = next;
}

/* Writes edges and no field. */
static void count(const pen_view *v)
{
    wrong += v->next[CELL] || v->own_edges[WIDE];
    for (int32_t i = 0; i < pen_degree(v); i++) PEN_EDGE_OWN(v, ODD, odd, i)->bytes[1]++;
}

static void want(const pen_view *v, pen_wishes *wishes)
{
    wrong += v->own_edges[ODD] || v->own_edges[WIDE];
    for (int32_t i = 0; i < pen_degree(v); i++) {
        wrong += !right_odd(v, i, pen_step(v) + 1);
        pen_want(wishes, whole->gids[PEN_EDGE(v, ODD, odd, i)->bytes[2] % whole->nodes]);
    }
}

static void look(const pen_view *v)
{
    cell next = *PEN_SELF(v, CELL, cell);
    for (int32_t k = 0; k < pen_far_count(v); k++)
        next.hash = scramble(next.hash, PEN_FAR(v, CELL, cell, k)->hash + PEN_EDGE(v, ODD, odd, k)->bytes[2]);
    *PEN_NEXT(v, CELL, cell) = next;
}

static void add_block(const pen_view *v, pen_lid nodes)
{
    for (pen_lid s = v->slot; s < v->slot + nodes; s++) {
        cell next = ((const cell *)v->current[CELL])[s];
        for (uint32_t a = v->rows[s]; a < v->rows[s + 1]; a++) next.sum += ((const wide *)v->edges[WIDE])[a].x;
        ((cell *)v->next[CELL])[s] = next;
    }
}

static void observe(const pen_view *v, pen_observation *observation)
{
    wrong += v->own_edges[ODD] != NULL;
    for (int32_t i = 0; i < pen_degree(v); i++) pen_observe_real(observation, 0, PEN_EDGE(v, WIDE, wide, i)->y);
}

static void print(const pen_view *v, FILE *out)
{
    fprintf(out, "%" PRIx64 " %.17g", PEN_SELF(v, CELL, cell)->hash, PEN_SELF(v, CELL, cell)->sum);
    for (int32_t i = 0; i < pen_degree(v); i++)
        fprintf(out, " %.17g %d", PEN_EDGE(v, WIDE, wide, i)->y, PEN_EDGE(v, ODD, odd, i)->bytes[1]);
}

static bool parse_odd(const char *text, void *record)
{
    odd *o = (odd *)record;
    unsigned bytes[3];
    int end = 0;
    if (sscanf(text, "%2x-%2x-%2x%n", &bytes[0], &bytes[1], &bytes[2], &end) != 3 || text[end] != '\0') return false;
    for (int i = 0; i < 3; i++) {
        if (o->bytes[i] != 0) return false;
        o->bytes[i] = (uint8_t)bytes[i];
    }
    return true;
}

static const pen_field fields[] = { { "cell", sizeof(cell) } };
static const pen_edge_field edge_fields[] = { { "odd", sizeof(odd), parse_odd }, { "wide", sizeof(wide), NULL } };
static const pen_observable observables[] = { { "flow", PEN_SUM_REAL } };
static const pen_phase phases[] = {
    { .name = "flow",
      .node = flow,
      .reads = PEN_FIELD(CELL),
      .writes = PEN_FIELD(CELL),
      .edge_writes = PEN_FIELD(WIDE) },
    { .name = "count", .node = count, .edge_writes = PEN_FIELD(ODD) },
    { .name = "look", .node = look, .writes = PEN_FIELD(CELL), .far = want, .far_reads = PEN_FIELD(CELL) },
    { .name = "add", .block = add_block, .writes = PEN_FIELD(CELL) },
};
static const pen_app app = { .name = "edges",
                             PEN_FIELDS(fields),
                             PEN_PHASES(phases),
                             .init = init,
                             .print = print,
                             PEN_OBSERVABLES(observables),
                             .observe = observe,
                             PEN_EDGE_FIELDS(edge_fields),
                             .init_edges = init_edges };

/* ---- Files ---------------------------------------------------------------------------------------- */

static char odd_file[64], wide_file[64];

/* Rank 0 writes; the others see it afterwards. */
static FILE *begin_file(const char *path) { return fopen(check_rank() == 0 ? path : "/dev/null", "wb"); }

static void end_file(FILE *file)
{
    CHECK(file && fclose(file) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* All arcs that have a line, the last node's first. */
static void write_files(const graph_case *g)
{
    FILE *odds = begin_file(odd_file), *wides = begin_file(wide_file);
    fprintf(odds, "# from to bytes\n\n");
    for (int k = g->nodes - 1; k >= 0; k--)
        for (int j = 0; j < g->degree[k]; j++) {
            pen_gid from = g->gids[k], to = g->gids[g->neighbors[k][j]];
            odd o = expected(from, to, 0);
            if (!has_line(from, to)) continue;
            fprintf(odds, " %" PRIgid "\t%" PRIgid "  %02x-%02x-%02x\n%s", from, to, o.bytes[0], o.bytes[1], o.bytes[2],
                    k % 3 ? "" : "   % a comment\n\r\n");
            fprintf(wides, "%" PRIgid " %" PRIgid " %.17g\t-1e-3 %s", from, to, 0.1 * j, k % 2 ? "\r\n" : "\n");
        }
    fprintf(wides, "#the last line has no newline");
    end_file(odds);
    end_file(wides);
}

static pen_status start(const graph_case *g, pen_graph **graph, const pen_app *a, const char *edge_data,
                        const char *transport, pen_run **run)
{
    const pen_run_options options = {
        .partitioner = "random", .transport = transport, .order = "rcm", .edge_data = edge_data
    };
    *run = NULL;
    if (!*graph) CHECK_STATUS(case_distribute(g, MPI_COMM_WORLD, 11, graph), PEN_OK);
    return pen_run_create(MPI_COMM_WORLD, *graph, a, &options, run);
}

static void check_case(int number, const char *transport, bool files, int64_t piece)
{
    graph_case g = case_make(number);
    pen_graph *graph = NULL;
    pen_run *run;
    char data[256];
    whole = &g;
    from_file = files;
    pen_edge_data_piece = piece;
    if (files) write_files(&g);
    snprintf(data, sizeof data, "wide:%s,odd:%s", wide_file, odd_file);
    CHECK_STATUS(start(&g, &graph, &app, files ? data : NULL, transport, &run), PEN_OK);
    if (run) {
        run->migration_seed = (uint64_t)number;
        run->migration_fraction = number % 2 ? 0.2 : 0.7;
        CHECK_STATUS(pen_run_steps(run, STEPS), PEN_OK);
        int64_t differences = -1;
        char message[256] = "";
        CHECK_STATUS(pen_run_verify(run, &differences, message, sizeof message), PEN_OK);
        CHECK_INT(differences, 0);
        if (differences != 0 && check_rank() == 0) fprintf(stderr, "%s, %s: %s\n", g.name, transport, message);
    }
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
    case_free(&g);
}

/* ---- Without a function, and without a line: zero ------------------------------------------------- */

static void see_zero(const pen_view *v)
{
    PEN_KEEP(v, CELL);
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const wide *w = PEN_EDGE(v, WIDE, wide, i);
        bool given = pen_id(v) == 3 && pen_neighbor_id(v, i) == 4;
        wrong += w->x != (given ? 2.5 : 0.0) || w->y != (given ? -7.0 : 0.0);
    }
}

static void check_zero(void)
{
    const pen_phase see[] = { { .name = "see", .node = see_zero, .writes = PEN_FIELD(CELL) } };
    pen_app plain = app;
    plain.init_edges = NULL;
    plain.phases = see;
    plain.phase_count = 1;
    graph_case g = case_make(3);
    pen_graph *graph = NULL;
    pen_run *run;
    FILE *file = begin_file(wide_file);
    fprintf(file, "3 4 2.5 -7\n");
    end_file(file);
    char data[128];
    snprintf(data, sizeof data, "wide:%s", wide_file);
    CHECK_STATUS(start(&g, &graph, &plain, data, "fence", &run), PEN_OK);
    if (run) {
        run->migration_fraction = 0.5;
        CHECK_STATUS(pen_run_steps(run, 3), PEN_OK);
    }
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
    case_free(&g);
}

/* ---- What is wrong ---------------------------------------------------------------------------------- */

/* The graph is a path of 23 nodes. Comments before the lines put them on several ranks. */
static void check_bad_files(void)
{
    static const struct {
        const char *text;
        int line;
        const char *what;
    } bad[] = {
        { "0 1 1\n", 1, "too few numbers" },
        { "0 1\n", 1, "too few numbers" },
        { "0 1 1 2 3\n", 1, "too many numbers" },
        { "0 1 1 2\n1 0 1 two\n", 2, "not a number" },
        { "0 1 1 nan\n", 1, "not a number" },
        { "0\n", 1, "a line begins with two gids" },
        { "0 -1 1 2\n", 1, "a line begins with two gids" },
        { "0 1x 1 2\n", 1, "a line begins with two gids" },
        { "0 2 1 2\n", 1, "node 0 has no neighbour 2" },
        { "21 22 1 2\n22 21 1 2\n22 23 1 2\n", 3, "node 22 has no neighbour 23" },
        { "0 1 1 2\n\n99 1 1 2\n", 3, "there is no node 99" },
        { "4 5 1 2\n# twice\n5 4 1 2\n5 6 1 2\n4 5 1 2\n6 5 1 2", 5, "the arc 4 5 stands in line " },
        { "7 7 1 2\n9 9 1 2\n", 1, "node 7 has no neighbour 7" },
    };
    graph_case g = case_make(3);
    pen_graph *graph = NULL;
    for (size_t i = 0; i < 2 * sizeof bad / sizeof *bad; i++) {
        const int before = i % 2 ? 40 : 0;
        char data[128], line[128];
        pen_run *run;
        FILE *file = begin_file(wide_file);
        for (int k = 0; k < before; k++) fprintf(file, "# %d\n", k);
        fputs(bad[i / 2].text, file);
        end_file(file);
        pen_edge_data_piece = 1 + (int64_t)i % 3 * 40;
        snprintf(data, sizeof data, "wide:%s", wide_file);
        snprintf(line, sizeof line, "%s:%d: %s", wide_file, before + bad[i / 2].line, bad[i / 2].what);
        CHECK_STATUS(start(&g, &graph, &app, data, "fence", &run), PEN_ERR_INPUT);
        CHECK_CONTAINS(pen_error_message(), line);
        CHECK(!run);
    }
    /* What an application's own function refuses. */
    FILE *file = begin_file(odd_file);
    fprintf(file, "0 1 01-02-0g\n");
    end_file(file);
    char data[128];
    pen_run *run;
    snprintf(data, sizeof data, "odd:%s", odd_file);
    CHECK_STATUS(start(&g, &graph, &app, data, "fence", &run), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), ":1: not what the application takes for a record");
    pen_graph_destroy(&graph);
    case_free(&g);
}

static void check_bad_options(void)
{
    char twice[160];
    snprintf(twice, sizeof twice, "wide:%s,wide:%s", wide_file, wide_file);
    end_file(begin_file(wide_file));
    const struct {
        const char *data;
        pen_status status;
        const char *what;
    } bad[] = {
        { "wide:./nowhere.txt", PEN_ERR_IO, "./nowhere.txt: cannot read" },
        { "wid:./nowhere.txt", PEN_ERR_INPUT, "unknown edge field wid: did you mean wide?" },
        { "wide", PEN_ERR_INPUT, "it is EDGE_FIELD:FILE" },
        { "wide:", PEN_ERR_INPUT, "it is EDGE_FIELD:FILE" },
        { "", PEN_ERR_INPUT, "it is EDGE_FIELD:FILE" },
        { twice, PEN_ERR_INPUT, "two files for wide" },
    };
    graph_case g = case_make(3);
    pen_graph *graph = NULL;
    pen_run *run;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_STATUS(start(&g, &graph, &app, bad[i].data, "fence", &run), bad[i].status);
        CHECK_CONTAINS(pen_error_message(), bad[i].what);
    }
    const pen_edge_field mute = { .name = "mute", .size = 3 }, empty = { .name = "empty" };
    pen_app a = app;
    a.edge_fields = &mute;
    a.edge_field_count = 1;
    CHECK_STATUS(start(&g, &graph, &a, NULL, "fence", &run), PEN_ERR_ARGUMENT); /* phases write the second */
    CHECK_CONTAINS(pen_error_message(), "phase flow writes an unknown edge field");
    a.phases = &phases[3];
    a.phase_count = 1;
    CHECK_STATUS(start(&g, &graph, &a, "mute:/dev/null", "fence", &run), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "records of mute are 3 bytes, no array of doubles");
    a.edge_fields = &empty;
    CHECK_STATUS(start(&g, &graph, &a, NULL, "fence", &run), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "edge field empty has size 0");
    a.edge_field_count = 65;
    CHECK_STATUS(start(&g, &graph, &a, NULL, "fence", &run), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "65 edge fields");
    a.edge_field_count = 0;
    CHECK_STATUS(start(&g, &graph, &a, NULL, "fence", &run), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "init_edges without edge fields");
    a.init_edges = NULL;
    CHECK_STATUS(start(&g, &graph, &a, "wide:/dev/null", "fence", &run), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "edges has no edge fields");
    pen_graph_destroy(&graph);
    case_free(&g);
}

int main(int argc, char **argv)
{
    pen_environment_prepare();
    MPI_Init(&argc, &argv);
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(odd_file, sizeof odd_file, "edges_test.odd.%d", size);
    snprintf(wide_file, sizeof wide_file, "edges_test.wide.%d", size);
    static const char *const transports[] = { "fence", "shared", "overlap", "pscw" };
    for (int i = 0; i < CASES; i++) {
        check_case(i, transports[i % 4], false, 1);
        check_case(i, transports[(i + 1) % 4], true, i % 2 ? 100 : 1 << 20);
    }
    check_zero();
    check_bad_files();
    check_bad_options();
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(wrong, 0);
    if (check_rank() == 0) {
        remove(odd_file);
        remove(wide_file);
    }
    return check_finish();
}

/* own_graph_test - an application that makes its own graph (pen_app.rows). Its rows may be on any ranks; a run on them,
 * directed, weighted and with gaps between gids, has the result of a serial loop; --save-graph writes it and --verify
 * uses it; an error on one rank reaches all ranks. And an application that saves another graph
 * (pen_app.graph.saved_rows).
 * pen_mpi_test(RANKS 1 2 3 5) */
#include "graph/graph.h"
#include "tests/support/check.h"

#include <penumbra_checkpoint.h>

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NODES = 60, READS = 2, STEPS = 5, SEED = 77 };
enum { VALUE };

static pen_gid gid_of(int i) { return INT64_C(1000003) * i * i + 7; }
static int read_by(int i, int k) { return k ? (i + 2) % NODES : (5 * i + 1) % NODES; } /* never itself, nor twice one */
static int64_t weight_of(int i) { return i % 5; }
static int64_t edge_weight_of(int i, int k) { return 1 + (3 * i + k) % 7; }

/* ---- Computation ---------------------------------------------------------------------------- */

static void init(const pen_view *v) { *PEN_NEXT(v, VALUE, uint64_t) = (uint64_t)pen_id(v); }

/* Where a node is, and whether a view knows it. */
static void place(pen_gid gid, double at[2])
{
    at[0] = 0.5 * (double)gid;
    at[1] = (double)(gid % 11) - 5.0;
}

static bool misplaced;
static void check_place(const pen_view *v, pen_gid gid, const double found[2])
{
    double at[2];
    place(gid, at);
    misplaced = misplaced || v->dimensions != 2 || found[0] != at[0] || found[1] != at[1];
}

static void mix(const pen_view *v)
{
    check_place(v, pen_id(v), (const double[]){ pen_coordinate(v, 0), pen_coordinate(v, 1) });
    for (int32_t i = 0; i < pen_degree(v); i++)
        check_place(v, pen_neighbor_id(v, i),
                    (const double[]){ pen_neighbor_coordinate(v, i, 0), pen_neighbor_coordinate(v, i, 1) });
    uint64_t sum = 3 * *PEN_SELF(v, VALUE, uint64_t) + (uint64_t)pen_node_weight(v);
    for (int32_t i = 0; i < pen_degree(v); i++)
        sum += (uint64_t)pen_edge_weight(v, i) * *PEN_NEIGHBOR(v, VALUE, uint64_t, i);
    *PEN_NEXT(v, VALUE, uint64_t) = sum;
}

static void print(const pen_view *v, FILE *out) { fprintf(out, "%" PRIu64, *PEN_SELF(v, VALUE, uint64_t)); }

static void compute_serially(uint64_t values[NODES])
{
    for (int i = 0; i < NODES; i++) values[i] = (uint64_t)gid_of(i);
    for (int step = 0; step < STEPS; step++) {
        uint64_t next[NODES];
        for (int i = 0; i < NODES; i++) {
            next[i] = 3 * values[i] + (uint64_t)weight_of(i);
            for (int k = 0; k < READS; k++) next[i] += (uint64_t)edge_weight_of(i, k) * values[read_by(i, k)];
        }
        memcpy(values, next, sizeof next);
    }
}

/* ---- The graph ------------------------------------------------------------------------------ */

typedef struct parameters {
    int first, every; /* ranks first, first + every, ... have the rows */
    int silent;       /* this rank returns a sentence; -1: none does */
    int doubled;      /* this rank has the first node as well; -1 */
    int broken;       /* this rank's rows are none; -1 */
    int calls, setups;
} parameters;

static const char *rows(void *params, const pen_world *world, int rank, pen_csr *mine)
{
    static pen_gid gids[NODES + 1], neighbors[NODES * READS];
    static int64_t first[NODES + 2], weights[NODES + 1], edge_weights[NODES * READS];
    static double places[2 * (NODES + 1)];
    parameters *p = (parameters *)params;
    int having = (world->ranks - 1 - p->first) / p->every + 1;
    p->calls++;
    CHECK_INT(world->steps, STEPS);
    CHECK_INT(world->seed, SEED);
    CHECK_INT(rank, check_rank());
    CHECK(world->nodes == 0 && world->width == 0 && world->height == 0 && world->depth == 0 && !world->field_sizes);
    CHECK(mine->count == 0 && !mine->gids && !mine->rows && !mine->directed);
    if (p->silent == rank) return "there is no sun";
    *mine = (pen_csr){ 0, gids, first, neighbors, weights, edge_weights, true, NULL, 2, places };
    for (int i = NODES - 1; i >= 0; i--) { /* any order */
        if (rank != p->first + p->every * (i % having)) continue;
        gids[mine->count] = gid_of(i);
        place(gid_of(i), places + 2 * mine->count);
        weights[mine->count] = weight_of(i);
        int64_t at = first[mine->count++];
        for (int k = 0; k < READS; k++, at++) {
            neighbors[at] = gid_of(read_by(i, k));
            edge_weights[at] = edge_weight_of(i, k);
        }
        first[mine->count] = at;
    }
    if (p->doubled == rank) {
        gids[mine->count++] = gid_of(0);
        first[mine->count] = first[mine->count - 1];
    }
    if (p->broken == rank) mine->rows = NULL;
    return NULL;
}

static const char *setup(void *params, const pen_world *world)
{
    ((parameters *)params)->setups++;
    CHECK_INT(world->nodes, NODES);
    CHECK_INT(world->steps, STEPS);
    CHECK_INT(world->seed, SEED);
    return NULL;
}

static const pen_field fields[] = { { .name = "value", .size = sizeof(uint64_t) } };
static const pen_phase phases[] = { { "mix", .node = mix, .reads = PEN_SET(VALUE), .writes = PEN_SET(VALUE) } };
static const pen_app app = { .name = "own",
                             PEN_FIELDS(fields),
                             PEN_PHASES(phases),
                             .init = init,
                             .output.print = print,
                             .setup = setup,
                             .graph.rows = rows };

/* ---- Runs ----------------------------------------------------------------------------------- */

static char saved[64];

static pen_options *options_of(char *more, parameters *p)
{
    static char save[96];
    pen_options *options = NULL;
    char *argv[] = { "own", "--steps=5", "--seed=77", "--quiet", "--verify", save, more };
    snprintf(save, sizeof save, "--save-graph=%s", saved);
    pen_app given = app;
    given.params = p;
    CHECK_STATUS(pen_options_parse(&given, PEN_COUNT_OF(argv) - !more, argv, &options), PEN_OK);
    return options;
}

static uint64_t sum_of(const pen_graph *graph)
{
    uint64_t mine = pen_graph_sum(graph), sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static void check_values(const pen_run *run)
{
    uint64_t values[NODES];
    pen_local local = pen_run_local(run);
    int64_t found = 0, all = 0;
    compute_serially(values);
    for (pen_lid s = 0; s < local.count; s++)
        for (int i = 0; i < NODES; i++) {
            if (local.gids[s] != gid_of(i)) continue;
            found++;
            CHECK(((const uint64_t *)local.fields[VALUE])[s] == values[i]);
        }
    MPI_Allreduce(&found, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(all, NODES);
    CHECK(!misplaced);
}

static void test_run(int first, int every, char *more)
{
    parameters p = { .first = first, .every = every, .silent = -1, .doubled = -1, .broken = -1 };
    pen_options *options = options_of(more, &p);
    pen_graph *graph = NULL, *again = NULL;
    pen_run *run = NULL;
    CHECK_STATUS(pen_options_graph(options, MPI_COMM_WORLD, &graph), PEN_OK);
    CHECK_INT(p.calls, 1);
    CHECK_INT(p.setups, 0);
    CHECK_INT(pen_graph_nodes(graph), NODES);
    CHECK_INT(pen_graph_edges(graph), NODES * READS);
    CHECK(graph->directed);

    /* The file has all of it. */
    CHECK_STATUS(pen_graph_read(MPI_COMM_WORLD, saved, NULL, &again), PEN_OK);
    CHECK(again->directed && pen_graph_edges(again) == NODES * READS);
    CHECK_INT(sum_of(again), sum_of(graph));
    pen_graph_destroy(&again);

    CHECK_STATUS(pen_options_create_run(options, MPI_COMM_WORLD, graph, &run), PEN_OK);
    pen_graph_destroy(&graph);
    CHECK_STATUS(pen_run_steps(run, STEPS), PEN_OK);
    check_values(run);
    CHECK_STATUS(pen_options_report(options, run), PEN_OK);
    CHECK_INT(p.calls, 1);
    pen_run_destroy(&run);
    pen_options_destroy(&options);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank() == 0) CHECK_INT(unlink(saved), 0);
}

static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    for (struct dirent *e; folder && (e = readdir(folder)) != NULL;)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) unlinkat(dirfd(folder), e->d_name, 0);
    if (folder) closedir(folder);
    CHECK_INT(rmdir(path), 0);
}

/* A resumed run makes the graph with the steps and the seed of the run that it resumes. */
static void test_resumed(void)
{
    parameters p = { .every = 1, .silent = -1, .doubled = -1, .broken = -1 };
    pen_app given = app;
    given.params = &p;
    pen_options *options = NULL;
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    char folder[64], words[2][96];
    snprintf(folder, sizeof folder, "%.56s.folder", saved);
    snprintf(words[0], sizeof words[0], "--checkpoint=%s", folder);
    snprintf(words[1], sizeof words[1], "--resume=%s", folder);
    char *first[] = { "own", "--steps=5", "--seed=77", "--quiet", words[0] },
         *second[] = { "own", "--quiet", words[1] };
    if (check_rank() == 0) CHECK_INT(mkdir(folder, 0700), 0);
    for (int resumes = 0; resumes <= 1; resumes++) {
        CHECK_STATUS(pen_options_parse(&given, resumes ? 3 : 5, resumes ? second : first, &options), PEN_OK);
        CHECK_STATUS(pen_options_graph(options, MPI_COMM_WORLD, &graph), PEN_OK);
        CHECK_STATUS(pen_options_create_run(options, MPI_COMM_WORLD, graph, &run), PEN_OK);
        pen_graph_destroy(&graph);
        CHECK_STATUS(pen_run_steps(run, resumes ? pen_options_of_run(options)->steps : 2), PEN_OK);
        if (resumes) check_values(run);
        else CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
        CHECK_INT(p.calls, resumes + 1);
        pen_run_destroy(&run);
        pen_options_destroy(&options);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank() == 0) remove_folder(folder);
}

static void refuse(parameters p, pen_status status, const char *sentence)
{
    pen_options *options = options_of(NULL, &p);
    pen_graph *graph = NULL;
    CHECK_STATUS(pen_options_graph(options, MPI_COMM_WORLD, &graph), status);
    CHECK_CONTAINS(pen_error_message(), sentence);
    CHECK(!graph && access(saved, F_OK) != 0);
    CHECK_INT(p.calls, 1);
    pen_options_destroy(&options);
}

static void test_wrong(int size)
{
    for (int r = 0; r < size; r++) {
        refuse((parameters){ .every = 1, .silent = r, .doubled = -1, .broken = -1 }, PEN_ERR_INPUT,
               "own: there is no sun");
        refuse((parameters){ .every = 1, .silent = -1, .doubled = r, .broken = -1 }, PEN_ERR_INPUT,
               "node 7: another row has the same gid");
        refuse((parameters){ .every = 1, .silent = -1, .doubled = -1, .broken = r }, PEN_ERR_ARGUMENT, "");
    }
}

/* No other graph besides. */
static void test_options(void)
{
    static char *others[] = { "--graph=no such file", "--generate=hex:3x3", "--generate=torus:4x4" };
    for (int k = 0; k < PEN_COUNT_OF(others); k++) {
        pen_options *options = NULL;
        char *argv[] = { "own", others[k] };
        CHECK_STATUS(pen_options_parse(&app, 2, argv, &options), PEN_ERR_INPUT);
        CHECK_CONTAINS(pen_error_message(), "own brings its own graph: no option can name another one");
        CHECK(!options);
    }
}

/* ---- Another graph, that is saved at the end -------------------------------------------------- */

enum { EACH = 2 }; /* nodes of a rank: the first reads the last of the rank before, the others their predecessors */
static int faulty; /* this rank has no graph: it returns an error, or a negative size if `negative` */
static bool negative;

static const char *ring(pen_run *run, void *params, pen_csr *mine)
{
    static pen_gid gids[EACH], neighbors[EACH];
    static int64_t first[EACH + 1], weights[EACH], sizes[EACH], edge_weights[EACH];
    int64_t begin = EACH * (int64_t)check_rank(), nodes;
    CHECK_INT(pen_run_step(run), STEPS);
    CHECK_INT(((parameters *)params)->setups, 1);
    CHECK(mine->count == 0 && !mine->gids && !mine->node_sizes);
    if (faulty == check_rank() && !negative) return "no ring";
    const int size = check_size();
    nodes = EACH * (int64_t)size;
    for (int i = 0; i < EACH; i++) {
        gids[i] = begin + i;
        neighbors[i] = (begin + i + nodes - 1) % nodes;
        weights[i] = 100 + gids[i];
        sizes[i] = faulty == check_rank() ? -1 : 5 * gids[i];
        edge_weights[i] = 1 + neighbors[i];
        first[i + 1] = i + 1;
    }
    *mine = (pen_csr){ EACH, gids, first, neighbors, weights, edge_weights, true, sizes, 0, NULL };
    return NULL;
}

static void check_ring(int size)
{
    int64_t number, nodes = EACH * (int64_t)size, expected[4];
    FILE *file = fopen(saved, "r");
    CHECK(file);
    int64_t head[] = { nodes, nodes, 111 };
    for (int k = 0; file && k < 3; k++) CHECK(fscanf(file, "%" SCNd64, &number) == 1 && number == head[k]);
    for (int64_t i = 0; file && i < nodes; i++) {
        int64_t before = (i + nodes - 1) % nodes;
        expected[0] = 5 * i;
        expected[1] = 100 + i;
        expected[2] = before + 1;
        expected[3] = before + 1;
        for (int k = 0; k < 4; k++) CHECK(fscanf(file, "%" SCNd64, &number) == 1 && number == expected[k]);
    }
    if (file) CHECK(fscanf(file, "%" SCNd64, &number) == EOF);
    if (file) fclose(file);
    CHECK_INT(unlink(saved), 0);
}

static void report(pen_options *options, pen_run *run, int size, const char *sentence)
{
    CHECK_STATUS(pen_run_steps(run, STEPS), PEN_OK);
    CHECK(access(saved, F_OK) != 0);
    CHECK_STATUS(pen_options_report(options, run), sentence ? PEN_ERR_INPUT : PEN_OK);
    if (sentence) CHECK_CONTAINS(pen_error_message(), sentence);
    if (sentence) CHECK(access(saved, F_OK) != 0);
    else if (check_rank() == 0) check_ring(size);
}

static void test_saved(int size, int wrong, bool sizes, const char *sentence)
{
    parameters p = { .every = 1, .silent = -1, .doubled = -1, .broken = -1 };
    pen_app saving = app;
    saving.graph.saved_rows = ring;
    saving.params = &p;
    pen_options *options = NULL;
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    char save[96], *argv[] = { "own", "--steps=5", "--seed=77", "--quiet", save };
    faulty = wrong;
    negative = sizes;
    snprintf(save, sizeof save, "--save-graph=%s", saved);
    CHECK_STATUS(pen_options_parse(&saving, PEN_COUNT_OF(argv), argv, &options), PEN_OK);
    CHECK_STATUS(pen_options_graph(options, MPI_COMM_WORLD, &graph), PEN_OK);
    CHECK_STATUS(pen_options_create_run(options, MPI_COMM_WORLD, graph, &run), PEN_OK);
    pen_graph_destroy(&graph);
    if (run) report(options, run, size, sentence);
    MPI_Barrier(MPI_COMM_WORLD);
    pen_run_destroy(&run);
    pen_options_destroy(&options);
}

CHECKS()
{
    static char far[] = "--migrate-random=3:0.4", blocking[] = "--comm=blocking";
    int size, id = (int)getpid();
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(saved, sizeof saved, "own_graph_test.%d.pen", id);
    RUN(test_run(0, 1, NULL));
    RUN(test_run(0, 2, far));
    RUN(test_run(size - 1, 1, blocking));
    RUN(test_resumed());
    RUN(test_wrong(size));
    RUN(test_options());
    snprintf(saved, sizeof saved, "own_graph_test.%d.graph", id);
    RUN(test_saved(size, -1, false, NULL));
    for (int r = 0; r < size; r++) RUN(test_saved(size, r, false, "own: no ring"));
    for (int r = 0; r < size; r++) RUN(test_saved(size, r, true, "node size -1, must be >= 0"));
}

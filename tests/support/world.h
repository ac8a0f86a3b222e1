/* world.h - what tests work on. Numbers that are scrambled or drawn. Files, and folders with canaries. Small graphs of
 * all degenerate kinds, whole on every rank as lists of neighbours, independent of the library; and a distributed copy
 * of each with rows on random ranks. */
#pragma once

#include "tests/support/canaries.h"
#include "tests/support/check.h"

#include <penumbra.h>

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- Numbers ---------------------------------------------------------------------------------------- */

/* A hash of two numbers, which shares nothing with the library's. */
static inline uint64_t scramble(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ (b + UINT64_C(0x9e3779b97f4a7c15))) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ x >> 31) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ x >> 29;
}

/* A drawn number in [0, below). */
static inline int draw_below(uint64_t *state, int below)
{
    *state = scramble(*state, 77);
    return (int)((*state >> 20) % (uint64_t)below);
}

/* ---- Files ------------------------------------------------------------------------------------------ */

/* Local. The bytes of a file, of which *size says the number, and a 0 after them; the caller frees them. NULL: there is
 * no file. */
static inline char *read_bytes(const char *path, size_t *size)
{
    char *bytes = NULL;
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    FILE *copy = open_memstream(&bytes, size);
    for (int c; (c = getc(file)) != EOF;) putc(c, copy);
    fclose(file);
    fclose(copy);
    return bytes;
}

/* Local. The text of a file, which the caller frees; empty if there is none. */
static inline char *read_file(const char *path)
{
    size_t size;
    char *text = read_bytes(path, &size);
    return text ? text : strdup("");
}

/* Local. Make a file with these bytes. Some file systems wait for the disk if an old one is emptied: it is removed. */
static inline void write_bytes(const char *path, const void *bytes, size_t size)
{
    unlink(path);
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

/* Collective. The same on rank 0, when no rank reads the old file any more. */
static inline void write_file(const char *path, const void *bytes, size_t size)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank() == 0) write_bytes(path, bytes, size);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Collective. The same with a text. */
static inline void write_text(const char *path, const char *text) { write_file(path, text, strlen(text)); }

/* Local. A file that is written can have so many bytes, as if the disk were full; -1: any number. */
static inline void limit_files(int64_t bytes)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    limit.rlim_cur = bytes < 0 ? limit.rlim_max : (rlim_t)bytes;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

/* Local. What standard error gets from now on, release_stderr gives. */
static FILE *caught_stderr;
static int usual_stderr;
static inline void catch_stderr(void)
{
    fflush(stderr);
    caught_stderr = tmpfile();
    usual_stderr = dup(STDERR_FILENO);
    CHECK(caught_stderr && usual_stderr >= 0 && dup2(fileno(caught_stderr), STDERR_FILENO) >= 0);
}
static inline void release_stderr(char *text, size_t size)
{
    fflush(stderr);
    CHECK(dup2(usual_stderr, STDERR_FILENO) >= 0 && close(usual_stderr) == 0);
    rewind(caught_stderr);
    text[fread(text, 1, size - 1, caught_stderr)] = '\0';
    fclose(caught_stderr);
}

/* Collective. Make an empty folder in this one: NAME.XXXXXX with other letters. */
static inline void make_folder(const char *name, char path[64])
{
    snprintf(path, 64, "%s.XXXXXX", name);
    if (check_rank() == 0) CHECK(mkdtemp(path) != NULL && place_canaries(path));
    MPI_Bcast(path, 64, MPI_CHAR, 0, MPI_COMM_WORLD);
}

/* Collective. Remove it with its files; a canary that has changed is a failure. */
static inline void remove_folder(const char *path)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank() > 0) return;
    CHECK(remove_canaries(path));
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;)
        (void)unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder) closedir(folder);
    CHECK(rmdir(path) == 0);
}

/* ---- Graphs ----------------------------------------------------------------------------------------- */

typedef struct graph_case {
    const char *name;
    int nodes;
    bool directed;
    pen_gid *gids;          /* [nodes] ascending */
    int *degree;            /* [nodes] */
    int (*neighbors)[64];   /* [nodes] indices, ascending */
    int64_t (*weights)[64]; /* [nodes] of edges, or NULL */
    int64_t *loads;         /* [nodes] or NULL */
} graph_case;

static inline uint64_t case_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static inline void case_arc(graph_case *g, int from, int to)
{
    int at = 0;
    while (at < g->degree[from] && g->neighbors[from][at] < to) at++;
    if (from == to || g->degree[from] == 64 || (at < g->degree[from] && g->neighbors[from][at] == to)) return;
    for (int i = g->degree[from]++; i > at; i--) g->neighbors[from][i] = g->neighbors[from][i - 1];
    g->neighbors[from][at] = to;
}

static inline void case_edge(graph_case *g, int a, int b)
{
    if (g->degree[a] == 64 || g->degree[b] == 64) return;
    case_arc(g, a, b);
    case_arc(g, b, a);
}

/* So many, directed or not as the case is, among the first nodes. */
static inline void case_random_edges(graph_case *g, int count, int nodes, uint64_t *state)
{
    for (int i = 0; i < count; i++) {
        const int to = (int)(case_random(state) % (uint64_t)nodes), from = (int)(case_random(state) % (uint64_t)nodes);
        (g->directed ? case_arc : case_edge)(g, from, to);
    }
}

static inline graph_case case_new(const char *name, int nodes)
{
    graph_case g = { .name = name, .nodes = nodes };
    g.gids = malloc((size_t)nodes * sizeof *g.gids);
    g.degree = calloc((size_t)nodes, sizeof *g.degree);
    g.neighbors = calloc((size_t)nodes, sizeof *g.neighbors);
    for (int i = 0; i < nodes; i++) g.gids[i] = i;
    return g;
}

static inline void case_free(graph_case *g)
{
    free(g->gids);
    free(g->degree);
    free(g->neighbors);
    free(g->weights);
    free(g->loads);
}

enum { CASES = 12 };

static inline graph_case case_make(int number)
{
    uint64_t state = 1000 + (uint64_t)number;
    graph_case g;
    switch (number) {
    case 0: return case_new("one node", 1);
    case 1:
        g = case_new("two nodes", 2);
        case_edge(&g, 0, 1);
        return g;
    case 2: return case_new("no edges", 9);
    case 3:
        g = case_new("path", 23);
        for (int i = 0; i + 1 < g.nodes; i++) case_edge(&g, i, i + 1);
        return g;
    case 4:
        g = case_new("hub", 60);
        for (int i = 1; i < g.nodes; i++) case_edge(&g, 0, i);
        return g;
    case 5:
        g = case_new("hexagons", 48);
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 8; c++) {
                if (c + 1 < 8) case_edge(&g, r * 8 + c, r * 8 + c + 1);
                if (r + 1 == 6) continue;
                case_edge(&g, r * 8 + c, (r + 1) * 8 + c);
                int slanted = r % 2 ? c + 1 : c - 1;
                if (slanted >= 0 && slanted < 8) case_edge(&g, r * 8 + c, (r + 1) * 8 + slanted);
            }
        return g;
    case 6:
        g = case_new("random with isolated nodes", 70);
        case_random_edges(&g, 120, 60, &state);
        return g;
    case 7:
        g = case_new("sparse gids", 40);
        case_random_edges(&g, 90, 40, &state);
        for (int i = 0; i < g.nodes; i++)
            g.gids[i] = (INT64_C(1) << 61) / 40 * i + (pen_gid)(case_random(&state) % 1000);
        return g;
    case 8:
        g = case_new("directed", 50);
        g.directed = true;
        case_random_edges(&g, 150, 50, &state);
        return g;
    case 9:
        g = case_new("one-way ring", 14);
        g.directed = true;
        for (int i = 0; i < g.nodes; i++) case_arc(&g, i, (i + 1) % g.nodes);
        return g;
    case 10: /* nothing but waiting for consumers holds the far end back */
        g = case_new("one-way path", 16);
        g.directed = true;
        for (int i = 0; i + 1 < g.nodes; i++) case_arc(&g, i, i + 1);
        return g;
    default:
        g = case_new("weights", 45);
        case_random_edges(&g, 110, 45, &state);
        g.loads = malloc((size_t)g.nodes * sizeof *g.loads);
        g.weights = calloc((size_t)g.nodes, sizeof *g.weights);
        for (int i = 0; i < g.nodes; i++) {
            g.loads[i] = (int64_t)(case_random(&state) % 4);
            for (int j = 0; j < g.degree[i]; j++) {
                int low = i < g.neighbors[i][j] ? i : g.neighbors[i][j], high = i + g.neighbors[i][j] - low;
                g.weights[i][j] = 1 + (low * 7 + high * 3) % 10;
            }
        }
        return g;
    }
}

/* Collective. The rows of the case on random ranks, in random order of neighbours. Failing checks print its name from
 * now on. */
static inline pen_status case_distribute(const graph_case *g, MPI_Comm comm, uint64_t seed, pen_graph **graph)
{
    int rank, size, arcs = 0;
    check_with("%s", g->name);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    pen_csr csr = { .directed = g->directed };
    pen_gid *gids = malloc((size_t)g->nodes * sizeof *gids);
    int64_t *rows = malloc(((size_t)g->nodes + 1) * sizeof *rows), *loads = malloc((size_t)g->nodes * sizeof *loads);
    pen_gid *neighbors = malloc((size_t)g->nodes * 64 * sizeof *neighbors);
    int64_t *weights = malloc((size_t)g->nodes * 64 * sizeof *weights);
    rows[0] = 0;
    for (int i = 0; i < g->nodes; i++) {
        if ((int)(case_random(&seed) % (uint64_t)size) != rank) continue;
        int turn = g->degree[i] ? (i * 5) % g->degree[i] : 0;
        for (int j = 0; j < g->degree[i]; j++, arcs++) {
            int k = (j + turn) % g->degree[i];
            neighbors[arcs] = g->gids[g->neighbors[i][k]];
            if (g->weights) weights[arcs] = g->weights[i][k];
        }
        gids[csr.count] = g->gids[i];
        if (g->loads) loads[csr.count] = g->loads[i];
        rows[++csr.count] = arcs;
    }
    csr.gids = gids;
    csr.rows = rows;
    csr.neighbors = neighbors;
    csr.node_weights = g->loads ? loads : NULL;
    csr.edge_weights = g->weights ? weights : NULL;
    pen_status status = pen_graph_from_csr(comm, &csr, graph);
    free(gids);
    free(rows);
    free(loads);
    free(neighbors);
    free(weights);
    return status;
}

/* Collective. The same on all ranks; NULL: a check has failed. */
static inline pen_graph *graph_of(const graph_case *g, uint64_t seed)
{
    pen_graph *graph = NULL;
    CHECK_STATUS(case_distribute(g, MPI_COMM_WORLD, seed, &graph), PEN_OK);
    return graph;
}

/* Collective. A graph by its specification, such as "mesh:16x8". */
static inline pen_graph *graph_from(const char *spec)
{
    pen_graph *graph = NULL;
    CHECK_STATUS(pen_graph_generate(MPI_COMM_WORLD, spec, &graph), PEN_OK);
    return graph;
}

/* Collective. A run on a graph; NULL: a check has failed. */
static inline pen_run *run_with(const pen_graph *graph, const pen_app *app, const pen_run_options *options)
{
    pen_run *run = NULL;
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, app, options, &run), PEN_OK);
    return run;
}

/* Collective. The same on a graph that is freed. */
static inline pen_run *run_on(pen_graph *graph, const pen_app *app, const pen_run_options *options)
{
    pen_run *run = run_with(graph, app, options);
    pen_graph_destroy(&graph);
    return run;
}

/* Collective. The run is the same as the serial computation. */
static inline void expect_verified(pen_run *run)
{
    int64_t differences = -1;
    char message[512] = "";
    CHECK_STATUS(pen_run_verify(run, &differences, message, sizeof message), PEN_OK);
    if (differences != 0) check_fails(__FILE__, __LINE__, "%" PRId64 " differences: %s", differences, message);
}

/* Collective. A run's metrics, in a file in this folder, have this text. */
static inline void expect_metrics(pen_run *run, const char *folder, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/metrics.json", folder);
    CHECK_STATUS(pen_run_metrics(run, path), PEN_OK);
    if (check_rank() > 0) return;
    char *metrics = read_file(path);
    CHECK_CONTAINS(metrics, text);
    free(metrics);
}

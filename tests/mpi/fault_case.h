/* fault_case.h - the computation of fault_test, and its initial files: graphs, values, a partition, a machine, and
 * checkpoints, in a folder of its own, and in memory. */
#pragma once

#include "tests/support/canaries.h"
#include "tests/support/check.h"

#include <dirent.h>
#include <penumbra_checkpoint.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Computation ---------------------------------------------------------------------------- */

typedef struct cell {
    double heat;
} cell;
enum { CELL };

enum { WARM, LINK };

static void init(const pen_view *v)
{
    double heat = (double)(pen_id(v) % 7) + pen_input(v, WARM);
    for (int32_t i = 0; i < pen_degree(v); i++) heat += pen_edge_input(v, LINK, i);
    PEN_NEXT(v, CELL, cell)->heat = heat;
}

static void relax(const pen_view *v)
{
    double sum = PEN_SELF(v, CELL, cell)->heat;
    for (int32_t i = 0; i < pen_degree(v); i++) sum += PEN_NEIGHBOR(v, CELL, cell, i)->heat;
    PEN_NEXT(v, CELL, cell)->heat = sum / (pen_degree(v) + 1);
}

static void print(const pen_view *v, FILE *out) { fprintf(out, "%.17g", PEN_SELF(v, CELL, cell)->heat); }
static double cost(const pen_view *v) { return 1.0 + (double)(pen_id(v) % 5); }
PEN_COST_SWEEP(cost)
static void observe(const pen_view *v, pen_observation *o) { pen_observe_real(o, 0, PEN_SELF(v, CELL, cell)->heat); }
PEN_OBSERVE_SWEEP(observe)

static const pen_field fields[] = { { "cell", sizeof(cell), .plain = true } };
static const pen_phase phases[] = { { "relax", .node = relax, .reads = PEN_SET(CELL), .writes = PEN_SET(CELL),
                                      .cost = cost_sweep } };
static const pen_observable observables[] = { { "heat", PEN_SUM_REAL, 1 } };
static const pen_member members[] = { PEN_MEMBER(CELL, cell, heat, PEN_F64) };
static const pen_input_column inputs[] = {
    [WARM] = { .name = "warm", .otherwise = "0" }, [LINK] = { .name = "link", .of_edges = true, .otherwise = "0" }
};
static const pen_app app = { .name = "fault_test",
                             PEN_FIELDS(fields),
                             PEN_PHASES(phases),
                             PEN_OBSERVABLES(observables, observe_sweep),
                             .output = { .print = print, PEN_MEMBERS(members) },
                             PEN_INPUTS(inputs),
                             .init = init };

/* ---- Files ------------------------------------------------------------------------------------- */

typedef struct bytes {
    char *data;
    size_t size;
} bytes;

static bytes load(const char *path)
{
    bytes b = { NULL, 0 };
    FILE *file = fopen(path, "rb");
    FILE *copy = open_memstream(&b.data, &b.size);
    for (int c; file && (c = getc(file)) != EOF;) putc(c, copy);
    if (file) fclose(file);
    fclose(copy);
    return b;
}

static void store(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

static void empty_folder(const char *path)
{
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) (void)unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder) closedir(folder);
}

static void generation_name(const char *folder, int step, char path[128])
{
    snprintf(path, 128, "%s/step-%012d.checkpoint", folder, step);
}

/* With what is in it, and the folder `copies`. */
static void remove_folder(const char *path)
{
    char copies[128];
    snprintf(copies, sizeof copies, "%s/copies", path);
    empty_folder(copies);
    (void)rmdir(copies);
    empty_folder(path);
    (void)rmdir(path);
}

/* ---- Initial checkpoints --------------------------------------------------------------------- */

static MPI_Comm world;
static int rank, ranks;

/* Of these steps, written by all ranks, or by one; and what is made of them. */
#define GENERATIONS "g.checkpoints"
#define BY_ALL "g.all"
#define BY_ONE "g.one"
#define IN_PARTS "g.parts"
enum { EARLIER = 2, LAST = 4 };
static const pen_run_options usual = { .seed = 1, .steps = LAST };

static char in_memory[64];     /* "shm:NAME", of this folder's name */
static char checkpoint_to[96]; /* that as an option */
static char memory[96];        /* its folder */

static uint64_t sums[LAST + 1]; /* right ones, by step */

/* Collective over `comm`. The checkpoints that are there before. */
static void make_generations(MPI_Comm comm, const pen_graph *graph, const char *folder)
{
    pen_run *run = NULL;
    CHECK_STATUS(pen_run_create(comm, graph, &app, &usual, &run), PEN_OK);
    for (int step = 1; step <= LAST; step++) {
        CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
        if (step <= EARLIER) CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
        CHECK_STATUS(pen_run_checksum(run, &sums[step]), PEN_OK);
    }
    pen_run_destroy(&run);
}

static void make_folders(void)
{
    static const char *const folders[] = { GENERATIONS, BY_ALL, BY_ONE, IN_PARTS };
    for (int i = 0; rank == 0 && i < PEN_COUNT_OF(folders); i++) CHECK(mkdir(folders[i], 0777) == 0);
    PMPI_Barrier(world);
}

/* Rank 0. What is in memory, in a folder from which it can be copied there. */
static void keep_parts(void)
{
    char name[128];
    for (int step = 1; step <= EARLIER; step++) {
        generation_name(memory, step, name);
        bytes b = load(name);
        generation_name(IN_PARTS, step, name);
        store(name, b.data, b.size);
        free(b.data);
    }
}

/* Rank 0. Values of the nodes, as CSV and as an array, and of the arcs. */
static void make_values(void)
{
    FILE *warm = fopen("g.warm", "w"), *link = fopen("g.link", "w"), *array = fopen("g.npy", "wb");
    FILE *graph = fopen("g.graph", "r");
    char line[256];
    fprintf(warm, "gid,warm\n");
    fprintf(link, "source,target,link\n");
    fprintf(array, "\x93NUMPY%c%c%c%c%-117s\n", 1, 0, 118, 0,
            "{'descr': '<f8', 'fortran_order': False, 'shape': (64,), }");
    CHECK(fgets(line, sizeof line, graph) != NULL);
    for (int i = 0; i < 64 && fgets(line, sizeof line, graph); i++) {
        double value = i / 4.0;
        fprintf(warm, "%d,%g\n", 63 - i, value);
        CHECK(fwrite(&value, sizeof value, 1, array) == 1);
        for (const char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n"))
            fprintf(link, "%d,%d,0.%d\n", i, atoi(word) - 1, i);
    }
    fclose(graph);
    fclose(warm);
    fclose(link);
    fclose(array);
}

/* Collective. In a folder of its own, with what the scenarios read. */
static void make_inputs(char *folder, size_t size)
{
    pen_graph *graph = NULL;
    snprintf(folder, size, "fault_test.XXXXXX");
    if (rank == 0 && !mkdtemp(folder)) exit(2);
    PMPI_Bcast(folder, (int)size, MPI_CHAR, 0, world);
    if (chdir(folder) != 0) exit(2);
    if (rank == 0) CHECK(place_canaries("."));
    CHECK_STATUS(pen_graph_generate(world, "hex:8x8", &graph), PEN_OK);
    CHECK_STATUS(pen_graph_write(graph, "g.graph"), PEN_OK);
    CHECK_STATUS(pen_graph_write(graph, "g.pen"), PEN_OK);
    make_folders();
    make_generations(world, graph, BY_ALL);
    snprintf(in_memory, sizeof in_memory, "shm:%s", folder);
    snprintf(memory, sizeof memory, "/dev/shm/penumbra-%lu-%s", (unsigned long)geteuid(), folder);
    snprintf(checkpoint_to, sizeof checkpoint_to, "--checkpoint=%s", in_memory);
    make_generations(world, graph, in_memory);
    pen_graph_destroy(&graph);
    if (rank > 0) return;
    keep_parts();
    make_values();
    CHECK_STATUS(pen_graph_generate(MPI_COMM_SELF, "hex:8x8", &graph), PEN_OK);
    make_generations(MPI_COMM_SELF, graph, BY_ONE);
    pen_graph_destroy(&graph);
    FILE *parts = fopen("g.part", "w");
    for (int i = 0; i < 64; i++) fprintf(parts, "%d\n", i * ranks / 64);
    fclose(parts);
    FILE *machine = fopen("g.machine", "w");
    fprintf(machine, "processors %d\ncluster all %d\n", ranks, ranks);
    fclose(machine);
}

static void remove_inputs(const char *folder)
{
    PMPI_Barrier(world);
    if (rank == 0) {
        static const char *const folders[] = { GENERATIONS, BY_ALL, BY_ONE, IN_PARTS };
        for (int i = 0; i < PEN_COUNT_OF(folders); i++) remove_folder(folders[i]);
        remove_folder(memory);
        CHECK(remove_canaries("."));
        empty_folder(".");
    }
    CHECK(chdir("..") == 0);
    if (rank == 0) CHECK(rmdir(folder) == 0);
}

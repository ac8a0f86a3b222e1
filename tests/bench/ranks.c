/* ranks.c - what grows with the number of ranks: messages and memory of a rank, for 4, 64 and 1024 ranks in one process
 * (support/one_process), of which 16 share a host.
 *
 *     mkdir ranks.checkpoints && ranks_bench [--ranks=N] [--side=16] [--files] [--balancer=SPEC] [--memory=BYTES]
 *
 * Each rank has 16x16 (--side) hexagons of a square. A figure is that of the rank with most of it. Messages of a call
 * are those that a rank sends or receives, whichever are more; a collective operation counts as log2(ranks) of them,
 * and a get as one. Bytes are those asked of malloc, without what the simulator itself uses: held after a call beyond
 * nodes and ghosts, and the most that a rank held during the call beyond what it held before. --memory= also names each
 * block of that size or more that rank 1 allocates in set-up, by its caller, which a debugger finds. --files: graph
 * files only. */
#include "run/apply_change.h"
#include "tests/bench/bench.h"
#include "tests/support/one_process/sim.h"

#include <penumbra_checkpoint.h>
#include <penumbra_output.h>

#include <execinfo.h>
#include <malloc.h>
#include <stdlib.h>

enum { PER_HOST = 16, MOST = 1024, ASKED = 200 };

/* What a rank has used. */
typedef struct usage {
    int64_t sent, received, both; /* messages; collectives are both */
    int64_t held, peak;           /* bytes */
} usage;

static usage now[MOST];
static int64_t named; /* of --memory */
static const char *balancer = "diffusive";

/* ---- Memory ------------------------------------------------------------------------------------------------ */

static usage *mine(void) { return sim_me && !sim_me->inside ? &now[sim_me->number] : NULL; }

static void count_bytes(usage *u, int64_t bytes)
{
    u->held += bytes;
    if (u->held > u->peak) u->peak = u->held;
}

/* What was asked for stands at the end of each block, since malloc makes blocks larger by what is free behind them. */
typedef struct stamp {
    uint64_t mark;
    size_t bytes;
} stamp;

enum { MARK = 0x70656e75 };

static void *end_of(void *block) { return (char *)block + malloc_usable_size(block) - sizeof(stamp); }

static int64_t bytes_of(void *block)
{
    stamp s;
    memcpy(&s, end_of(block), sizeof s);
    return (int64_t)(s.mark == (MARK ^ (uintptr_t)block) ? s.bytes : malloc_usable_size(block));
}

static void *made(void *block, size_t bytes)
{
    usage *u = mine();
    if (!block) return block;
    memcpy(end_of(block), &(stamp){ MARK ^ (uintptr_t)block, bytes }, sizeof(stamp));
    if (!u) return block;
    count_bytes(u, (int64_t)bytes);
    if (named && bytes >= (size_t)named && sim_me->number == 1) {
        void *frames[12];
        sim_me->inside = true;
        fprintf(stderr, "%zu bytes\n", bytes);
        backtrace_symbols_fd(frames, backtrace(frames, 12), 2);
        sim_me->inside = false;
    }
    return block;
}

void *__real_malloc(size_t bytes), *__real_calloc(size_t count, size_t bytes), *__real_realloc(void *old, size_t bytes);
void __real_free(void *block);
#pragma GCC visibility push(default) /* shared objects call them, too */
void *__wrap_malloc(size_t bytes), *__wrap_calloc(size_t count, size_t bytes), *__wrap_realloc(void *old, size_t bytes);
void __wrap_free(void *block);
#pragma GCC visibility pop

void *__wrap_malloc(size_t bytes) { return made(__real_malloc(bytes + sizeof(stamp)), bytes); }

void *__wrap_calloc(size_t count, size_t bytes)
{
    return made(__real_calloc(1, count * bytes + sizeof(stamp)), count * bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    usage *u = mine();
    if (u && old) count_bytes(u, -bytes_of(old));
    return made(__real_realloc(old, bytes + sizeof(stamp)), bytes);
}

void __wrap_free(void *block)
{
    usage *u = mine();
    if (u && block) count_bytes(u, -bytes_of(block));
    __real_free(block);
}

/* ---- Messages ---------------------------------------------------------------------------------------------- */

#define COUNTED(result, name, parameters, arguments, what)                  \
    result __real_##name parameters;                                        \
    __attribute__((visibility("default"))) result __wrap_##name parameters; \
    result __wrap_##name parameters                                         \
    {                                                                       \
        usage *u = &now[sim_me->number];                                    \
        what;                                                               \
        return __real_##name arguments;                                     \
    }

static int levels(MPI_Comm comm)
{
    int size, levels = 0;
    MPI_Comm_size(comm, &size);
    while (1 << levels < size) levels++;
    return levels;
}

COUNTED(int, MPI_Isend, (const void *b, int n, MPI_Datatype t, int r, int g, MPI_Comm c, MPI_Request *q),
        (b, n, t, r, g, c, q), u->sent++)
COUNTED(int, MPI_Send, (const void *b, int n, MPI_Datatype t, int r, int g, MPI_Comm c), (b, n, t, r, g, c), u->sent++)
COUNTED(int, MPI_Irecv, (void *b, int n, MPI_Datatype t, int r, int g, MPI_Comm c, MPI_Request *q),
        (b, n, t, r, g, c, q), u->received++)
COUNTED(int, MPI_Recv, (void *b, int n, MPI_Datatype t, int r, int g, MPI_Comm c, MPI_Status *s), (b, n, t, r, g, c, s),
        u->received++)
COUNTED(int, MPI_Mrecv, (void *b, int n, MPI_Datatype t, MPI_Message *m, MPI_Status *s), (b, n, t, m, s), u->received++)
COUNTED(int, MPI_Get, (void *b, int n, MPI_Datatype t, int r, MPI_Aint d, int m, MPI_Datatype k, MPI_Win w),
        (b, n, t, r, d, m, k, w), u->both++)
COUNTED(int, MPI_Barrier, (MPI_Comm c), (c), u->both += levels(c))
COUNTED(int, MPI_Bcast, (void *b, int n, MPI_Datatype t, int r, MPI_Comm c), (b, n, t, r, c), u->both += levels(c))
COUNTED(int, MPI_Allreduce, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (a, b, n, t, o, c),
        u->both += levels(c))
COUNTED(int, MPI_Exscan, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (a, b, n, t, o, c),
        u->both += levels(c))
COUNTED(int, MPI_Allgather, (const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype k, MPI_Comm c),
        (a, n, t, b, m, k, c), u->both += levels(c))
COUNTED(int, MPI_Gather, (const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype k, int r, MPI_Comm c),
        (a, n, t, b, m, k, r, c), u->both += levels(c))
COUNTED(int, MPI_Gatherv,
        (const void *a, int n, MPI_Datatype t, void *b, const int *m, const int *d, MPI_Datatype k, int r, MPI_Comm c),
        (a, n, t, b, m, d, k, r, c), u->both += levels(c))
COUNTED(int, MPI_Scatter, (const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype k, int r, MPI_Comm c),
        (a, n, t, b, m, k, r, c), u->both += levels(c))
COUNTED(int, MPI_Scatterv,
        (const void *a, const int *n, const int *d, MPI_Datatype t, void *b, int m, MPI_Datatype k, int r, MPI_Comm c),
        (a, n, d, t, b, m, k, r, c), u->both += levels(c))
COUNTED(int, MPI_Allgatherv,
        (const void *a, int n, MPI_Datatype t, void *b, const int *m, const int *d, MPI_Datatype k, MPI_Comm c),
        (a, n, t, b, m, d, k, c), u->both += levels(c))
COUNTED(int, MPI_Reduce, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, int r, MPI_Comm c),
        (a, b, n, t, o, r, c), u->both += levels(c))
COUNTED(int, MPI_Sendrecv,
        (const void *a, int n, MPI_Datatype t, int r, int g, void *b, int m, MPI_Datatype k, int s, int h, MPI_Comm c,
         MPI_Status *e),
        (a, n, t, r, g, b, m, k, s, h, c, e), (u->sent++, u->received++))
COUNTED(int, MPI_Win_fence, (int a, MPI_Win w), (a, w), u->both += levels(MPI_COMM_WORLD))

/* ---- The run ----------------------------------------------------------------------------------------------- */

enum { HEAT };
enum { LETTER };
enum { NEAR, FAR, MAIL, PROGRAMS };
static int ranks, side = 16, program;
static int64_t width;
static bool files_only;

static void init(const pen_view *v) { *PEN_NEXT(v, HEAT, double) = (double)(pen_id(v) % 97); }

static void relax(const pen_view *v)
{
    double sum = *PEN_SELF(v, HEAT, double);
    for (int32_t i = 0; i < pen_degree(v); i++) sum += *PEN_NEIGHBOR(v, HEAT, double, i);
    *PEN_NEXT(v, HEAT, double) = sum / (pen_degree(v) + 1);
}

/* One node of sixteen reads a node anywhere. */
static pen_gid far_node(pen_gid gid, int64_t step) { return (gid * 7919 + step * 104729) % (width * width); }

static void want(const pen_view *v, pen_requests *requests)
{
    if (pen_id(v) % 16 == 0 && pen_step(v) > 0) pen_request(requests, far_node(pen_id(v), pen_step(v)));
}

static void look(const pen_view *v)
{
    double sum = *PEN_SELF(v, HEAT, double);
    for (int32_t k = 0; k < pen_far_count(v); k++) sum += *PEN_FAR(v, HEAT, double, k);
    *PEN_NEXT(v, HEAT, double) = sum;
}

/* One node of sixteen sends to a node anywhere. */
static void send(const pen_view *v)
{
    double sum = *PEN_SELF(v, HEAT, double);
    for (int64_t i = 0; i < pen_mail_count(v, LETTER); i++) sum += *PEN_MAIL(v, LETTER, double, i);
    if (pen_id(v) % 16 == 0) *PEN_SEND(v, LETTER, double, far_node(pen_id(v), pen_step(v))) = sum;
    *PEN_NEXT(v, HEAT, double) = sum;
}

/* In each square of 2x2 ranks one has twice the load. */
static double cost(const pen_view *v)
{
    const pen_gid x = pen_id(v) % width / side, y = pen_id(v) / width / side;
    return x % 2 == 0 && y % 2 == 0 ? 2 : 1;
}
PEN_COST_SWEEP(cost)

static void print(const pen_view *v, FILE *out) { fprintf(out, "%a", *PEN_SELF(v, HEAT, double)); }

static const pen_field fields[] = { { .name = "heat", .size = sizeof(double) } };
static const pen_member members[] = { { .name = "heat", .field = HEAT, .type = PEN_F64 } };
static const pen_phase near_phases[] = { { "relax", .node = relax, .reads = PEN_SET(HEAT), .writes = PEN_SET(HEAT),
                                           .cost = cost_sweep } };
static const pen_phase far_phases[] = {
    { "relax", .node = relax, .reads = PEN_SET(HEAT), .writes = PEN_SET(HEAT), .cost = cost_sweep },
    { "look", .node = look, .writes = PEN_SET(HEAT), .far = want, .far_reads = PEN_SET(HEAT) }
};
static const pen_mail mails[] = { { .name = "letter", .size = sizeof(double) } };
static const pen_phase mail_phases[] = { { "send", .node = send, .writes = PEN_SET(HEAT), .sends = PEN_SET(LETTER),
                                           .receives = PEN_SET(LETTER), .cost = cost_sweep } };

#define OTHERS PEN_FIELDS(fields), .init = init, .output = { .print = print, PEN_MEMBERS(members) }
static const pen_app apps[PROGRAMS] = {
    [NEAR] = { .name = "near", PEN_PHASES(near_phases), OTHERS },
    [FAR] = { .name = "far", PEN_PHASES(far_phases), OTHERS },
    [MAIL] = { .name = "mail", PEN_PHASES(mail_phases), PEN_MAILS(mails), OTHERS },
};

/* ---- Figures ------------------------------------------------------------------------------------------------- */

static int64_t largest(int64_t value)
{
    __real_MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    return value;
}

static usage before[MOST];

static void begin(int rank)
{
    __real_MPI_Barrier(MPI_COMM_WORLD);
    now[rank].peak = now[rank].held;
    before[rank] = now[rank];
}

/* `nodes`: bytes of nodes and ghosts that are held now. */
static void end(int rank, const char *what, int64_t nodes)
{
    const usage *u = &now[rank], *b = &before[rank];
    const int64_t sent = u->sent - b->sent, received = u->received - b->received;
    const int64_t messages = largest((sent > received ? sent : received) + u->both - b->both);
    const int64_t held = largest(u->held - nodes), peak = largest(u->peak - b->held);
    if (rank == 0)
        printf("%-12s %5d ranks %8" PRId64 " messages %8" PRId64 " bytes held %8" PRId64 " bytes at the peak\n", what,
               ranks, messages, held, peak);
}

/* Give the boundary nodes of every fourth column to who reads them. */
static void migrate(pen_run *run)
{
    const pen_store *store = run->store;
    int64_t count = 0;
    pen_move moves[8];
    for (int i = 0; i < store->consumer_count && count < 8; i++)
        if (store->consumers[i].count > 4)
            for (pen_lid k = 0; k < 2 && count < 8; k++) {
                const pen_gid gid = store->gids[store->consumers[i].slots[2 + k]];
                bool again = false;
                for (int64_t m = 0; m < count; m++) again = again || moves[m].gid == gid;
                if (!again) moves[count++] = (pen_move){ .gid = gid, .to = store->consumers[i].rank };
            }
    bench_require(pen_run_migrate(run, PEN_OK, count, moves), "migration");
}

static void resolve(const pen_run *run)
{
    pen_gid gids[ASKED];
    int32_t owners[ASKED];
    for (int i = 0; i < ASKED; i++) gids[i] = far_node(run->comm->rank * ASKED + i, 1);
    bench_require(pen_directory_resolve_with(run->store->directory, PEN_OK, ASKED, gids, owners), "look-up");
}

/* Write the graph to a file, and read it again. */
static void files(int rank, const pen_graph *graph, const char *path, const char *writes, const char *reads)
{
    pen_graph *again = NULL;
    begin(rank);
    bench_require(pen_graph_write(graph, path), path);
    end(rank, writes, 0);
    begin(rank);
    bench_require(pen_graph_read(MPI_COMM_WORLD, path, NULL, &again), path);
    end(rank, reads, 0);
    pen_graph_destroy(&again);
    if (rank == 0) remove(path);
}

static void all(int rank, void *context)
{
    char spec[64];
    snprintf(spec, sizeof spec, "hex:%" PRId64 "x%" PRId64, width, width);
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    begin(rank);
    bench_require(pen_graph_generate(MPI_COMM_WORLD, spec, &graph), "graph");
    if (program == NEAR) end(rank, "graph", 0);
    if (program == NEAR) {
        files(rank, graph, "ranks.graph", "write", "read");
        files(rank, graph, "ranks.pen", "write.pen", "read.pen");
    }
    if (files_only) {
        pen_graph_destroy(&graph);
        return;
    }
    pen_run_options options = { .partitioner = "rect", .transport = "fence" };
    options.balance.balancer = balancer;
    options.balance.load = PEN_LOAD_DECLARED;
    begin(rank);
    bench_require(pen_run_create(MPI_COMM_WORLD, graph, &apps[program], &options, &run), "run");
    pen_graph_destroy(&graph);
#define NODES pen_store_memory_used(run->store)
    if (program == NEAR) end(rank, "set-up", NODES);
    bench_require(pen_run_steps(run, 1), "step");
    if (program != NEAR) { /* The first step has no far reads, and receives no mail. */
        begin(rank);
        bench_require(pen_run_steps(run, 1), "step");
        end(rank, program == FAR ? "far_reads" : "mail", NODES);
    } else {
        begin(rank);
        bench_require(pen_run_steps(run, 1), "step");
        end(rank, "step", NODES);
        begin(rank);
        resolve(run);
        end(rank, "look-up", NODES);
        begin(rank);
        migrate(run);
        end(rank, "migration", NODES);
        bench_require(pen_run_steps(run, 2), "step");
        begin(rank);
        bench_require(pen_run_balance(run), "balance");
        end(rank, "diffusive", NODES);
        begin(rank);
        bench_require(pen_run_output(run, "ranks.npy"), "output");
        end(rank, "output", NODES);
        if (rank == 0) remove("ranks.npy");
        begin(rank);
        bench_require(pen_run_save(run, "ranks.checkpoints"), "checkpoint");
        end(rank, "checkpoint", NODES);
        pen_run_destroy(&run);
        begin(rank);
        bench_require(pen_run_load(MPI_COMM_WORLD, "ranks.checkpoints", &apps[NEAR], &options, &run), "resume");
        end(rank, "resume", NODES);
    }
    pen_run_destroy(&run);
}

int main(int argc, char **argv)
{
    int wanted = 0;
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "--balancer=", 11) == 0) balancer = argv[i] + 11;
        else if (strcmp(argv[i], "--files") == 0) files_only = true;
        else if (sscanf(argv[i], "--ranks=%d", &wanted) != 1 && sscanf(argv[i], "--side=%d", &side) != 1 &&
                 sscanf(argv[i], "--memory=%" SCNd64, &named) != 1)
            return 2;
    static const int sizes[] = { 4, 64, 1024 };
    for (int i = 0; i < 3; i++)
        for (program = NEAR; program < PROGRAMS && (wanted == 0 || wanted == sizes[i]); program++) {
            ranks = sizes[i];
            width = (ranks == 4 ? 2 : ranks == 64 ? 8 : 32) * side;
            memset(now, 0, sizeof now);
            one_process_run(&(one_process){ .ranks = ranks, .hosts = (ranks + PER_HOST - 1) / PER_HOST, .faulty = -1 },
                            all, NULL, NULL);
            if (files_only) break;
        }
    return 0;
}

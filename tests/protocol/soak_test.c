/* soak_test STEPS - many steps of a small graph with each transport: all reads are right to the end; resident memory,
 * open files and shared segments do not grow; and no request, datatype, group, communicator or window is left over.
 * PEN_TEST_SOAK in the environment overrides the number of steps; PEN_TEST_VERBOSE: print times. */
#include "halo/connect.h"
#include "run/state.h"
#include "tests/support/held.h"
#include "tests/support/pmpi.h"
#include "tests/support/world.h"

typedef struct tag {
    pen_gid gid;
    int64_t step;
} tag;
enum { TAG, EXTRA };

static int64_t wrong_reads;

static void init(const pen_view *v)
{
    *PEN_NEXT(v, TAG, tag) = (tag){ pen_id(v), 0 };
    *PEN_NEXT(v, EXTRA, int64_t) = 0;
}

static void advance(const pen_view *v)
{
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const tag *t = PEN_NEIGHBOR(v, TAG, tag, i);
        wrong_reads += t->gid != pen_neighbor_id(v, i) || t->step != pen_step(v);
    }
    *PEN_NEXT(v, TAG, tag) = (tag){ pen_id(v), pen_step(v) + 1 };
}

static void add(const pen_view *v)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < pen_degree(v); i++) {
        wrong_reads += *PEN_NEIGHBOR(v, EXTRA, int64_t, i) != pen_neighbor_id(v, i) * pen_step(v);
        sum += PEN_NEIGHBOR(v, TAG, tag, i)->step;
    }
    wrong_reads += sum != pen_degree(v) * (pen_step(v) + 1);
    *PEN_NEXT(v, EXTRA, int64_t) = pen_id(v) * (pen_step(v) + 1);
}

static const pen_field fields[] = { { .name = "tag", .size = sizeof(tag) },
                                    { .name = "extra", .size = sizeof(int64_t) } };
static const pen_phase phases[] = {
    { "advance", .node = advance, .reads = PEN_SET(TAG), .writes = PEN_SET(TAG) },
    { "add", .node = add, .reads = PEN_SET(TAG, EXTRA), .writes = PEN_SET(EXTRA) },
};
static const pen_app app = { .name = "soak", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init };

/* ---- The soak ------------------------------------------------------------------------------- */

static void soak(const pen_graph *graph, const char *transport, int64_t steps)
{
    /* LEAK: bytes a step; POOLS: bytes of pages that MPI's pools touch late, which are resident from then on */
    enum { TENTHS_A_PART = 3, PARTS = 3, LEAK = 4, POOLS = 64 * 1024 };
    int before = check_failures;
    int64_t open_before = pmpi.open, part = steps * TENTHS_A_PART / 10, least = INT64_MAX, least_heap = INT64_MAX;
    pen_run_options options = { .transport = transport, .partitioner = "block" }; /* a chain of ranks */
    pen_run *run = run_with(graph, &app, &options);
    if (!run) return;
    CHECK_STATUS(pen_run_steps(run, steps - PARTS * part), PEN_OK); /* MPI libraries fill their pools at first */
    int64_t files = held_files(), mappings = held_mappings(), open = pmpi.open;
    double start = MPI_Wtime();
    /* A pool that grows once more, if a rank is late, grows in one of the parts; a leak grows in all. */
    for (int i = 0; i < PARTS; i++) {
        int64_t bytes = held_bytes(), heap = held_heap();
        CHECK_STATUS(pen_run_steps(run, part), PEN_OK);
        int64_t grown = held_bytes() - bytes, grown_heap = held_heap() - heap;
        if (grown < least) least = grown;
        if (grown_heap < least_heap) least_heap = grown_heap;
    }
    double seconds = MPI_Wtime() - start;
    bool tight = least_heap <= LEAK * part && least <= LEAK * part + POOLS;
    CHECK(tight);
    if (!tight)
        fprintf(stderr, "    %" PRId64 " bytes of the heap, %" PRId64 " resident in %" PRId64 " steps\n", least_heap,
                least, part);
    CHECK_INT(held_files(), files);
    CHECK_INT(held_mappings(), mappings);
    CHECK_INT(pmpi.open, open);
    CHECK_INT(wrong_reads, 0);
    wrong_reads = 0;
    pen_local local = pen_run_local(run);
    for (pen_lid i = 0; i < local.count; i++) CHECK_INT(((const tag *)local.fields[TAG])[i].step, steps);
    pen_run_destroy(&run);
    CHECK_INT(pmpi.open, open_before);
    if (check_failures > before) fprintf(stderr, "    in: --comm=%s\n", transport);
    if (check_rank() == 0 && getenv("PEN_TEST_VERBOSE"))
        printf("%-10s %8" PRId64 " steps %10.3f us a step\n", transport, steps, 1e6 * seconds / (double)(PARTS * part));
}

CHECKS()
{
    const char *wanted = getenv("PEN_TEST_SOAK");
    if (!wanted) wanted = argc > 1 ? argv[1] : "";
    int64_t steps = strtoll(wanted, NULL, 10);
    CHECK(steps >= 1000); /* a page is then less than what a small leak makes of a part */
    pen_graph *graph = graph_from("hex:8x8");
    for (int t = 0; pen_transports[t]; t++) RUN(soak(graph, pen_transports[t]->name, steps));
    pen_graph_destroy(&graph);
}

/* migrate_soak_test - many migrations, with far reads and fetches, under each transport: reads are right to the end,
 * and allocated and resident memory, open files, shared mappings, and MPI's objects do not grow. 300 migrations of
 * each; with PEN_TEST_SOAK in the environment 10000.
 * pen_mpi_test(ALONE SOURCES support/pmpi.c RANKS 1 3 TIMEOUT 600) */
#include "debug/parts.h"
#include "halo/connect.h"
#include "tests/support/held.h"
#include "tests/support/pmpi.h"
#include "tests/support/world.h"

#include <stdlib.h>

enum { WIDTH = 16, NODES = WIDTH * WIDTH };

typedef struct tag {
    pen_gid gid;
    int64_t step;
} tag;

static int64_t wrong_reads;

static pen_gid distant(pen_gid gid, int64_t step) { return (gid * 37 + step * 11) % NODES; }

static void init(const pen_view *v) { *PEN_NEXT(v, 0, tag) = (tag){ pen_id(v), 0 }; }

static void want(const pen_view *v, pen_requests *requests)
{
    if (pen_id(v) % 3 == 0) pen_request(requests, distant(pen_id(v), pen_step(v)));
}

static void advance(const pen_view *v)
{
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const tag *t = PEN_NEIGHBOR(v, 0, tag, i);
        wrong_reads += t->gid != pen_neighbor_id(v, i) || t->step != pen_step(v);
    }
    for (int32_t k = 0; k < pen_far_count(v); k++) {
        const tag *t = PEN_FAR(v, 0, tag, k);
        wrong_reads += !t || t->gid != distant(pen_id(v), pen_step(v)) || t->step != pen_step(v);
    }
    *PEN_NEXT(v, 0, tag) = (tag){ pen_id(v), pen_step(v) + 1 };
}

static const pen_field fields[] = { { .name = "tag", .size = sizeof(tag) } };
static const pen_phase phases[] = { { "advance", .node = advance, .reads = PEN_SET(0), .writes = PEN_SET(0),
                                      .far = want, .far_reads = PEN_SET(0) } };
static const pen_app app = { .name = "soak", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init };

static void migrate_and_step(pen_run *run, int64_t count)
{
    pen_gid gids[8];
    tag tags[8];
    bool found[8];
    for (int64_t i = 0; i < count && wrong_reads == 0; i++) {
        const int64_t seed = run->step % 10; /* so that most memory is needed early */
        CHECK_STATUS(pen_run_migrate_random(run, (uint64_t)seed, seed == 0 ? 1.0 : 0.2), PEN_OK);
        CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
        for (int k = 0; k < 8; k++) gids[k] = (run->step * 8 + k) % NODES;
        CHECK_STATUS(pen_run_fetch(run, 0, 8, gids, tags, found), PEN_OK);
        for (int k = 0; k < 8; k++) wrong_reads += !found[k] || tags[k].gid != gids[k] || tags[k].step != run->step;
        MPI_Allreduce(MPI_IN_PLACE, &wrong_reads, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    }
}

static void soak(const pen_graph *graph, const char *transport, int64_t migrations)
{
    enum { PARTS = 3, RESIDENT_SLACK = 1 << 18 };
    int before = check_failures;
    int64_t open_before = pmpi.open, part = migrations / 4, least_heap = INT64_MAX, least_resident = INT64_MAX;
    int64_t heap_leak = part * (migrations < 1000 ? 128 : 32); /* pools grow at first */
    int64_t resident_leak = heap_leak + RESIDENT_SLACK;
    pen_run *run = run_with(graph, &app, &(pen_run_options){ .transport = transport });
    if (!run) return;
    migrate_and_step(run, part); /* pools of MPI and of malloc fill up */
    int64_t files = held_files(), mappings = held_mappings();
    for (int i = 0; i < PARTS; i++) {
        int64_t heap = held_heap(), resident = held_bytes();
        migrate_and_step(run, part);
        heap = held_heap() - heap;
        resident = held_bytes() - resident;
        if (heap < least_heap) least_heap = heap;
        if (resident < least_resident) least_resident = resident;
    }
    CHECK(least_heap <= heap_leak);
    CHECK(least_resident <= resident_leak);
    if (least_heap > heap_leak || least_resident > resident_leak)
        fprintf(stderr, "    in %" PRId64 " migrations %" PRId64 " bytes allocated, %" PRId64 " resident\n", part,
                least_heap, least_resident);
    CHECK_INT(held_files(), files);
    CHECK_INT(held_mappings(), mappings);
    CHECK_INT(wrong_reads, 0);
    pen_run_destroy(&run);
    CHECK_INT(pmpi.open, open_before);
    if (check_failures > before) fprintf(stderr, "    in: --comm=%s\n", transport);
}

CHECKS()
{
    int64_t migrations = getenv("PEN_TEST_SOAK") ? 10000 : 300;
    pen_graph *graph = NULL;
    CHECK_STATUS(generate_hex(MPI_COMM_WORLD, WIDTH, WIDTH, &graph), PEN_OK);
    pen_run *run = run_with(graph, &app, NULL);
    if (run) migrate_and_step(run, 3000); /* what MPI needs for messages of all kinds */
    pen_run_destroy(&run);
    for (int t = 0; pen_transports[t]; t++) RUN(soak(graph, pen_transports[t]->name, migrations));
    pen_graph_destroy(&graph);
}

/* window_test - runs get the windows that they need where there is room for just those, and go on in the old window
 * where one that they can do without cannot be made.
 * pen_mpi_test(RANKS 1 2 3 5) */
#include "base/memory.h"
#include "run/state.h"
#include "tests/support/check.h"
#include "tests/support/world.h"

/* A record is large, so that boundary nodes take pages. */
typedef struct record {
    int64_t sum, rest[15];
} record;

static void init(const pen_view *v) { *PEN_NEXT(v, 0, record) = (record){ .sum = pen_id(v) }; }

static void add(const pen_view *v)
{
    record *next = PEN_NEXT(v, 0, record);
    *next = (record){ .sum = PEN_SELF(v, 0, record)->sum };
    for (int32_t i = 0; i < pen_degree(v); i++) next->sum += PEN_NEIGHBOR(v, 0, record, i)->sum;
}

static const pen_field fields[] = { { .name = "sum", .size = sizeof(record) } };
static const pen_phase phases[] = { { "add", .node = add, .reads = PEN_SET(0), .writes = PEN_SET(0) } };
static const pen_app app = { .name = "window", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init };

/* The sum of all nodes after a step. */
static int64_t sum_of(const pen_run *run)
{
    const pen_local local = pen_run_local(run);
    int64_t sum = 0;
    for (pen_lid s = 0; s < local.count; s++) sum += ((const record *)local.fields[0])[s].sum;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* A step wants a window with fences of the other kind. Memory for its plan is missing, at each point in turn; or there
 * is no room for it (point 0). */
static void test_optional(const pen_graph *graph)
{
    enum { POINTS = 60 };
    const bool last = check_rank() == check_size() - 1;
    int kept = 0;
    int64_t sum = 0;
    for (int point = 0; point < POINTS; point++) {
        pen_run *run = run_with(graph, &app, &(pen_run_options){ .transport = "fence" });
        if (!run) return;
        if (run->comm->meeting) run->comm->meeting->patience.looked = INT64_MAX; /* the host stays as it is found */
        run->store->window.sleeping_fences = !run->comm->sleeping_fences;
        if (point == 0) limit_files(4096);
        if (last) pen_alloc_countdown = point;
        check_with("point %d", point);
        CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
        MPI_Barrier(MPI_COMM_WORLD);
        pen_alloc_countdown = 0;
        limit_files(-1);
        kept += run->store->window.sleeping_fences != run->comm->sleeping_fences;
        if (point == 0) sum = sum_of(run);
        else CHECK_INT(sum_of(run), sum);
        pen_run_destroy(&run);
    }
    CHECK(5 <= kept && kept < POINTS);
}

/* Files of shared memory may be as large as the window, but no larger. */
static void test_room(const pen_graph *graph)
{
    enum { ROOM = 5 * 4096 };
    pen_run *run = run_with(graph, &app, &(pen_run_options){ .transport = "shared" });
    if (!run) return;
    const int64_t mine = run->store->window.bytes + ROOM;
    int64_t all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    pen_run_destroy(&run);
    limit_files(all + (1 << 20));
    run = run_with(graph, &app, &(pen_run_options){ .transport = "shared" });
    MPI_Barrier(MPI_COMM_WORLD);
    limit_files(-1);
    pen_run_destroy(&run);
}

CHECKS()
{
    pen_graph *graph = NULL;
    CHECK_STATUS(generate_random(MPI_COMM_WORLD, 2000, 6.0, 1, &graph), PEN_OK);
    RUN(test_optional(graph));
    RUN(test_room(graph));
    pen_graph_destroy(&graph);
}

/* change_soak_test - a graph grows tenfold and shrinks again, over and over. Allocated and resident memory stay within
 * four times that of a fresh run of the same graph, and allocated memory does not grow. 10 cycles for each of a few
 * transports, with dense gids and sparse ones; with PEN_TEST_SOAK in the environment 250.
 * pen_mpi_test(ALONE RANKS 1 3 TIMEOUT 600) */
#include "run/state.h"
#include "tests/support/held.h"
#include "tests/support/world.h"

#include <stdlib.h>

enum { SIDE = 120, NODES = SIDE * SIDE, TIMES = 10 };

static pen_gid apart; /* between the gids of new nodes */

static pen_gid child(pen_gid gid, int k) { return NODES + (gid * (TIMES - 1) + k) * apart; }

static void init(const pen_view *v) { *PEN_NEXT(v, 0, int64_t) = pen_id(v); }

static void sum_up(const pen_view *v)
{
    int64_t sum = *PEN_SELF(v, 0, int64_t);
    for (int32_t i = 0; i < pen_degree(v); i++) sum += *PEN_NEIGHBOR(v, 0, int64_t, i) % 1000;
    *PEN_NEXT(v, 0, int64_t) = sum % 1000000007;
}

/* In even steps every first node gets a chain of nine new nodes; in odd ones they are removed. */
static void breathe(const pen_view *v, pen_changes *changes)
{
    pen_gid last = pen_id(v);
    if (last >= NODES) {
        pen_remove_node(changes, last);
        return;
    }
    for (int k = 0; k < TIMES - 1 && pen_step(v) % 2 == 0; k++) {
        pen_gid next = child(pen_id(v), k);
        *PEN_FIRST(pen_add_node(changes, next, 1), 0, int64_t) = next;
        pen_add_edge(changes, last, next, 1);
        last = next;
    }
}

static const pen_field fields[] = { { .name = "sum", .size = sizeof(int64_t) } };
static const pen_phase phases[] = { { "sum", .node = sum_up, .reads = PEN_SET(0), .writes = PEN_SET(0) },
                                    { "breathe", .modify = breathe } };
static const pen_app app = { .name = "breathing", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init };

static pen_run *make_run(const char *transport)
{
    pen_graph *graph = NULL;
    CHECK_STATUS(generate_hex(MPI_COMM_WORLD, SIDE, SIDE, &graph), PEN_OK);
    pen_run *run = run_with(graph, &app, &(pen_run_options){ .transport = transport });
    pen_graph_destroy(&graph);
    return run;
}

/* Memory of a run outside the heap, and including it. */
static int64_t held(const pen_run *run, int64_t heap) { return held_heap() - heap + run->store->window.bytes; }

/* Resident memory, without what earlier runs have left. */
static int64_t trimmed(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
    return held_bytes();
}

#ifdef HELD_BY_SANITIZER
enum { HOLDS_BACK = 1 }; /* what is freed */
#else
enum { HOLDS_BACK = 0 };
#endif

static void soak(const char *transport, int cycles)
{
    enum { LITTLE = 1 << 16 };
    const int settled = cycles / 5; /* MPI has made its pools by then */
    int64_t heap = held_heap(), resident = trimmed();
    pen_run *run = make_run(transport);
    int64_t fresh = held(run, heap), early = 0, fresh_resident = held_bytes() - resident;
    for (int i = 0; i < cycles; i++) {
        CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
        CHECK_INT(pen_run_nodes(run), TIMES * NODES);
        CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
        CHECK_INT(pen_run_nodes(run), NODES);
        if (i == settled) early = held(run, heap);
    }
    int64_t late = held(run, heap), late_resident = held_bytes() - resident;
    CHECK(late <= 4 * fresh);
    CHECK(late <= early + LITTLE);
    if (late > 4 * fresh || late > early + LITTLE)
        fprintf(stderr,
                "    fresh %" PRId64 ", after %d cycles %" PRId64 ", after %d %" PRId64 ": --comm=%s, gids %" PRId64
                " apart\n",
                fresh, settled + 1, early, cycles, late, transport, apart);
    CHECK(HOLDS_BACK || late_resident <= 4 * fresh_resident);
    if (!HOLDS_BACK && late_resident > 4 * fresh_resident)
        fprintf(stderr, "    resident: fresh %" PRId64 ", late %" PRId64 ": --comm=%s\n", fresh_resident, late_resident,
                transport);
    pen_run_destroy(&run);
}

CHECKS()
{
    const char *const transports[] = { "fence", "passive", "overlap" };
    int cycles = getenv("PEN_TEST_SOAK") ? 250 : 10;
    apart = 1;
    pen_run *run = make_run("fence"); /* what MPI and the library keep for ever */
    CHECK_STATUS(pen_run_steps(run, 4), PEN_OK);
    pen_run_destroy(&run);
    for (int i = 0; i < PEN_COUNT_OF(transports); i++) {
        apart = i == 1 ? 1000 : 1;
        RUN(soak(transports[i], cycles));
    }
}

/* observed_soak_test - nothing grows with the steps: a tiny graph, observables of a phase and of the step, a condition,
 * declared loads and a balancer that is called now and then; 100000 steps, with PEN_TEST_SOAK in the environment
 * 10000000.
 * pen_mpi_test(ALONE RANKS 1 2 TIMEOUT 600) */
#include "balancing/balance.h"
#include "balancing/history.h"
#include "observables/series.h"
#include "tests/support/held.h"
#include "tests/support/world.h"

#include <stdlib.h>

enum { VALUE };
enum { TOTAL, PEAK };

static void init(const pen_view *v) { *PEN_NEXT(v, VALUE, double) = (double)pen_id(v); }

static void relax(const pen_view *v)
{
    double sum = *PEN_SELF(v, VALUE, double);
    for (int32_t i = 0; i < pen_degree(v); i++) sum += *PEN_NEIGHBOR(v, VALUE, double, i);
    *PEN_NEXT(v, VALUE, double) = sum / (pen_degree(v) + 1) + 1e-9 * pen_observed_real(v, PEAK);
}

static void observe_peak(const pen_view *v, pen_observation *o)
{
    pen_observe_real(o, PEAK, *PEN_SELF(v, VALUE, double));
}
PEN_OBSERVE_SWEEP(observe_peak)

static void observe(const pen_view *v, pen_observation *o) { pen_observe_real(o, TOTAL, *PEN_SELF(v, VALUE, double)); }
PEN_OBSERVE_SWEEP(observe)

static double cost(const pen_view *v) { return (double)(1 + (pen_id(v) + pen_step(v) / 5000) % 4); }
PEN_COST_SWEEP(cost)

static const pen_field fields[] = { { .name = "value", .size = sizeof(double) } };
static const pen_phase phases[] = { { "relax", .node = relax, .cost = cost_sweep, .reads = PEN_SET(VALUE),
                                      .writes = PEN_SET(VALUE), .observe = observe_peak_sweep,
                                      .observes = PEN_SET(PEAK) } };
static const pen_observable observables[] = {
    [TOTAL] = { "total", PEN_SUM_REAL, 1 }, [PEAK] = { "peak", PEN_MAX_REAL, 1 }
};
static const pen_app app = {
    .name = "soak", PEN_FIELDS(fields), PEN_PHASES(phases), PEN_OBSERVABLES(observables, observe_sweep), .init = init
};

CHECKS()
{
    int64_t steps = getenv("PEN_TEST_SOAK") ? 10000000 : 100000, first = steps / 4;
    pen_run_options options = { .balance = { "metis", "every:40:always", .load = PEN_LOAD_DECLARED },
                                .until = "total<0",
                                .steps = steps };
    pen_run *run = run_on(graph_from("hex:3x2"), &app, &options);
    CHECK_STATUS(pen_run_steps(run, first), PEN_OK); /* pools fill, and what is bounded reaches its bounds */
    int64_t heap = held_heap(), resident = held_bytes();
    CHECK_STATUS(pen_run_steps(run, steps - first), PEN_OK);
    heap = held_heap() - heap;
    resident = held_bytes() - resident;
    CHECK_INT(pen_run_step(run), steps);
    CHECK(pen_series_of(run)->stride > 1 && pen_histories_of(run)->load.stride > 1);
    const int ranks = check_size();
    CHECK(ranks == 1 || pen_balance_of(run)->steer.all.calls > 2 * PEN_CALLS_KEPT); /* nothing to balance on one rank */
    CHECK(heap < 64 << 10);
    CHECK(resident < 1 << 20);
    if (check_failures > 0)
        fprintf(stderr, "    %" PRId64 " bytes allocated more, %" PRId64 " resident\n", heap, resident);
    pen_run_destroy(&run);
}

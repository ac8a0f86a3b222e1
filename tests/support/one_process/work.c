/* work.c - declared work for the clock: what nodes of a run cost is what their phase's .cost declares of the state
 * before the phase, else 1 for each node. The linker puts these functions in the place of the library's (--wrap). */
#include "base/affinity.h"
#include "base/queued.h"
#include "run/calls.h"
#include "run/state.h"
#include "tests/support/one_process/sim.h"

#include <stdlib.h>

pen_status __real_pen_run_open(pen_run *run);
pen_status __wrap_pen_run_open(pen_run *run);
pen_status __wrap_pen_run_open(pen_run *run)
{
    if (sim_me) sim_me->run = run;
    return __real_pen_run_open(run);
}

/* The load of nodes of the run's present phase. */
static double load(pen_view *view, const pen_phase *phase, pen_lid first, pen_lid end)
{
    if (!phase->cost) return end - first;
    double sum = 0.0, *costs = sim_allocate((size_t)(end - first) * sizeof *costs);
    pen_call_cost(view, phase->cost, first, end, costs);
    for (pen_lid i = 0; i < end - first; i++) sum += costs[i];
    free(costs);
    return sum;
}

void __real_pen_call_nodes(pen_view *view, const pen_phase *phase, pen_lid first, pen_lid end);
void __wrap_pen_call_nodes(pen_view *view, const pen_phase *phase, pen_lid first, pen_lid end);
void __wrap_pen_call_nodes(pen_view *view, const pen_phase *phase, pen_lid first, pen_lid end)
{
    pen_run *run = sim.clock && sim_me ? sim_me->run : NULL;
    if (run && view == &run->view) one_process_work(load(view, phase, first, end));
    __real_pen_call_nodes(view, phase, first, end);
}

/* With a clock each rank has a core of its own, for which no other program waits. */
void __real_pen_affinity_mine(unsigned char mask[PEN_AFFINITY_BYTES]);
void __wrap_pen_affinity_mine(unsigned char mask[PEN_AFFINITY_BYTES]);
void __wrap_pen_affinity_mine(unsigned char mask[PEN_AFFINITY_BYTES])
{
    if (!sim.clock || !sim_me) {
        __real_pen_affinity_mine(mask);
        return;
    }
    const int core = sim_me->number % (8 * PEN_AFFINITY_BYTES);
    memset(mask, 0, PEN_AFFINITY_BYTES);
    mask[core / 8] = (unsigned char)(1 << core % 8);
}

double __real_pen_queued_seconds(int account);
double __wrap_pen_queued_seconds(int account);
double __wrap_pen_queued_seconds(int account) { return sim.clock && sim_me ? 0.0 : __real_pen_queued_seconds(account); }

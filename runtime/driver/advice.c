/* advice.c - advises at the end of a run how it would have been faster. */
#include "driver/advice.h"
#include "debug/parts.h"
#include "halo/connect.h"
#include "run/parts.h"

PEN_PER_RANK double pen_advice_part = 0.01, pen_advice_ratio = 0.5;

/* The least number of pulls that a trial of a transport makes, doubled for the work around them. */
enum { PULLS = 2 * 70 };

typedef struct spent {
    double loop, communication; /* seconds, as means over the ranks */
    double pulls;
} spent;

static double count_pulls(const pen_run *run)
{
    const uint64_t reads = pen_app_reads(run->app);
    int phases = 0;
    for (int p = 0; p < run->app->phases.count; p++) phases += (run->app->phases.list[p].writes.bits & reads) != 0;
    return (double)phases * (double)(run->step - (run->origin.step > 0 ? run->origin.step : 0));
}

/* Collective. Sum the times and wishes of all ranks. */
static pen_status add_up(const pen_run *run, bool *wanted, spent *s)
{
    const uint64_t *ticks = run->timers.ticks;
    double sums[] = { run->timers.loop,
                      pen_timers_scale(&run->timers) *
                          (double)(ticks[PEN_TIME_COMMUNICATE] + ticks[PEN_TIME_COMMUNICATION_OVERHEAD]),
                      *wanted };
    PEN_TRY(pen_all_reduce(run->comm, MPI_IN_PLACE, sums, 3, MPI_DOUBLE, MPI_SUM));
    *s = (spent){ sums[0] / run->comm->size, sums[1] / run->comm->size, count_pulls(run) };
    *wanted = sums[2] >= run->comm->size;
    return PEN_OK;
}

/* Collective. Try other transports, and print a line if one is much faster. */
static pen_status advise(pen_run *run, bool wanted)
{
    spent s = { .loop = 0.0 };
    pen_transport_times times;
    const pen_transport *now = run->halo->transport;
    PEN_TRY(add_up(run, &wanted, &s));
    const double budget = pen_advice_part * s.loop;
    if (!wanted || !(s.pulls > 0.0) || s.communication <= 0.5 * s.loop || PULLS * s.communication / s.pulls > budget)
        return PEN_OK;
    pen_halo_destroy(&run->halo);
    PEN_TRY(pen_transport_compare(run->store, now, pen_run_carried(run, pen_app_reads(run->app)), &run->timers, budget,
                                  &times));
    const bool explains = s.pulls * times.now > 0.5 * s.communication;
    if (run->files.out && explains && times.fastest && times.least <= pen_advice_ratio * times.now)
        fprintf(run->files.out,
                "advice      communication took %.0f %% of the steps; a pull takes %.2f of its time with --comm=%s: "
                "%.3g us, with %s %.3g us\n",
                100.0 * s.communication / s.loop, times.least / times.now, times.fastest->name, 1e6 * times.least,
                now->name, 1e6 * times.now);
    return PEN_OK;
}

void pen_advise(pen_run *run, bool wanted)
{
    if (run->strict || pen_part_state(run, &pen_part_network_delay) || run->comm->size == 1) return;
    (void)(advise(run, wanted) == PEN_OK);
}

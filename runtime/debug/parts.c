/* parts.c - the parts of the watchdog and of the network's delay. */
#include "debug/parts.h"
#include "debug/delays.h"
#include "debug/watchdog.h"
#include "halo/connect.h"

/* ---- Watchdog (watchdog.h) ---------------------------------------------------------------------- */

static bool wants_watchdog(const pen_app *app, const pen_run_options *options)
{
    (void)app;
    return options->debug.watchdog != 0.0;
}

static pen_status create_watchdog(pen_run *run, void *state, const pen_run_options *options, pen_graph *graph)
{
    (void)graph;
    return pen_watchdog_create(run->comm, options->debug.watchdog, (pen_watchdog **)state);
}

static void destroy_watchdog(pen_run *run, void *state)
{
    (void)run;
    pen_watchdog_destroy((pen_watchdog **)state);
}

const pen_part pen_part_watchdog = {
    .name = "watchdog",
    .state_size = sizeof(pen_watchdog *),
    .wanted = wants_watchdog,
    .create = create_watchdog,
    .destroy = destroy_watchdog,
};

/* ---- Network delay (delays.h) ------------------------------------------------------------------- */

static bool wants_delay(const pen_app *app, const pen_run_options *options)
{
    (void)app;
    return options->debug.network_delay;
}

static pen_status check_delay(pen_run *run, void *state, const pen_run_options *options)
{
    (void)run;
    (void)state;
    return pen_transport_two_sided("a network delay", options->transport);
}

static pen_status create_delay(pen_run *run, void *state, const pen_run_options *options, pen_graph *graph)
{
    (void)graph;
    return pen_delays_create(run->comm, options->debug.network_delay, (pen_delays **)state);
}

static pen_status wrap_transport(pen_run *run, void *state, const pen_run_options *options)
{
    (void)options;
    run->halo->transport = pen_delays_wrap(*(pen_delays **)state, run->halo->transport);
    return PEN_OK;
}

static void destroy_delay(pen_run *run, void *state)
{
    (void)run;
    pen_delays_destroy((pen_delays **)state);
}

const pen_part pen_part_network_delay = {
    .name = "network delay",
    .state_size = sizeof(pen_delays *),
    .wanted = wants_delay,
    .open = check_delay,
    .create = create_delay,
    .begin = wrap_transport,
    .destroy = destroy_delay,
};

/* parts.c - the parts of the watchdog and of the network's delay. */
#include "debug/parts.h"
#include "base/numbers.h"
#include "debug/delays.h"
#include "debug/watchdog.h"
#include "halo/connect.h"

/* ---- Watchdog (watchdog.h) ---------------------------------------------------------------------- */

static pen_status create_watchdog(pen_run *run, void *state, const pen_run_options *options, pen_graph *graph)
{
    return pen_watchdog_create(run->comm, options->debug.watchdog, (pen_watchdog **)state);
}

static void destroy_watchdog(pen_run *run, void *state) { pen_watchdog_destroy((pen_watchdog **)state); }

static pen_status read_watchdog(char *text, pen_run_options *o)
{
    const bool report = strcmp(text, "report") == 0;
    o->debug.watchdog = report ? PEN_WATCHDOG_REPORT : 0.0;
    if (report || strcmp(text, "off") == 0) return PEN_OK;
    pen_status status = pen_read_seconds("--watchdog", text, &o->debug.watchdog);
    return status == PEN_OK ? PEN_OK : pen_fail(status, "%s, report or off", pen_error_message());
}

static const pen_part_option options_of_watchdog[] = {
    { "watchdog", "T",
      "the longest time that a step may take (30s, 10m, 2h), or the run ends with status 5; report (default): no "
      "limit, but after 10 minutes without progress print the activity of the ranks; off. It begins when all ranks "
      "have begun: one that is stopped before MPI_Init has ended is waited for without limit",
      PEN_OPTION_SETS(debug.watchdog), .initial = "report", .special = PEN_WATCHDOG_REPORT,
      .range = "a number of seconds >= 0, or PEN_WATCHDOG_REPORT", .read = read_watchdog },
    { .name = NULL },
};

const pen_part pen_part_watchdog = {
    .name = "watchdog",
    .state_size = sizeof(pen_watchdog *),
    .options = options_of_watchdog,
    .first_decides = true,
    .create = create_watchdog,
    .destroy = destroy_watchdog,
};

/* ---- Network delay (delays.h) ------------------------------------------------------------------- */

static pen_status check_delay(pen_run *run, void *state, const pen_run_options *options)
{
    return pen_transport_two_sided("a network delay", options->transport);
}

static pen_status create_delay(pen_run *run, void *state, const pen_run_options *options, pen_graph *graph)
{
    return pen_delays_create(run->comm, options->debug.tests->network_delay, (pen_delays **)state);
}

static pen_status wrap_transport(pen_run *run, void *state, const pen_run_options *options)
{
    run->halo->transport = pen_delays_wrap(*(pen_delays **)state, run->halo->transport);
    return PEN_OK;
}

static void destroy_delay(pen_run *run, void *state) { pen_delays_destroy((pen_delays **)state); }

static const pen_part_option options_of_network_delay[] = {
    { PEN_OPTION_OF_TESTS(network_delay) },
    { .name = NULL },
};

const pen_part pen_part_network_delay = {
    .name = "network delay",
    .state_size = sizeof(pen_delays *),
    .options = options_of_network_delay,
    .first_decides = true,
    .open = check_delay,
    .create = create_delay,
    .begin = wrap_transport,
    .destroy = destroy_delay,
};

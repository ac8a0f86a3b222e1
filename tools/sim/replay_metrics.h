/* replay_metrics.h - what a replay says to programs: metrics like those of a run, which pen-plot draws. Local. */
#pragma once

#include "tools/sim/replay_run.h"

/* Write them as JSON ("penumbra-metrics/2", of which those members are left out that only a run has): times are
 * predicted, a rank communicates while it waits for the slowest one. `machine` is its name, or NULL. PEN_ERR_IO,
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_metrics_write(const replay_run *run, const char *machine, const char *path);

/* replay_metrics.h - writes the metrics of a replay, like those of a run, for programs such as pen-plot. Local. */
#pragma once

#include "tools/sim/replay_run.h"

/* Write the metrics as JSON ("penumbra-metrics/2", without the members that only a run has): times are predicted; a
 * rank communicates while it waits for the slowest one. `machine` is its name, or NULL. PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_metrics_write(const replay_run *run, const char *machine, const char *path);

/* balance_report.h - what the metrics and the summary say of balancing: hooks of the part (run/part.h). */
#pragma once

#include "balancing/plan.h"
#include "run/report.h"

void pen_balance_metrics(FILE *out, const pen_run *run, const void *state, const pen_report *report);
void pen_balance_summary(FILE *out, const pen_run *run, const void *state, const pen_report *report);

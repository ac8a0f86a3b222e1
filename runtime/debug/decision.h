/* decision.h - decides when a watchdog (watchdog.h) reports a host whose ranks make no progress, and when it ends
 * the run. The caller passes the time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The combined activity of the ranks of one host. */
typedef struct pen_activity {
    uint64_t moves; /* number that grows when a rank begins or ends something, such as a phase or an MPI call */
    uint64_t steps; /* number that grows when a rank begins a step */
    bool inside;    /* some rank is in a function of the library */
    bool stepping;  /* some rank is in pen_run_steps */
} pen_activity;

typedef struct pen_stall {
    int64_t report_after; /* milliseconds without a move after which a stall is reported */
    int64_t step_limit;   /* milliseconds that a step may take; 0: no limit */
    pen_activity last;
    int64_t idle;    /* milliseconds since the last move, while some rank was inside */
    int64_t in_step; /* milliseconds since a rank began a step, while some rank was stepping */
} pen_stall;

typedef enum pen_decision { PEN_DECISION_WAIT, PEN_DECISION_REPORT, PEN_DECISION_END } pen_decision;

/* Local. Decide what to do now, `elapsed` ms after the last call. A stall is reported only once. */
pen_decision pen_decide(pen_stall *stall, const pen_activity *now, int64_t elapsed);

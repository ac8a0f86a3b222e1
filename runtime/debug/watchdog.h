/* watchdog.h - watches whether a run makes progress. Each process has a thread, which sleeps most of the time. It posts
 * what its rank does (base/marks.h) on a board that the ranks of its host share, and reads the posts of the others.
 * Hosts do not communicate for this, and the thread does not call MPI.
 *
 * If no rank of a host has moved for 10 minutes, one line says what each of them does or waits for. If a step exceeds
 * its time limit, the line says so, and all processes of the host call _exit(PEN_WATCHDOG_STATUS), without cleaning up.
 * They do the same if their launcher is gone, since the launcher of Open MPI 5 leaves them running.
 *
 * Only time in which the processes run counts: the clock of a host stands still while all its ranks are stopped or get
 * no processor. */
#pragma once

#include "base/comm.h"
#include "base/per_rank.h"

enum { PEN_WATCHDOG_STATUS = 5 };

typedef struct pen_watchdog pen_watchdog;

/* Milliseconds without progress after which a host is reported. Tests shorten it. */
extern PEN_PER_RANK int64_t pen_watchdog_report_after;

/* Collective. Start to watch these ranks. A step may take `seconds`, or any time (PEN_WATCHDOG_REPORT). *watchdog is
 * NULL in three cases: seconds are 0; there is one rank without a launcher and without a limit; a watchdog is
 * impossible, which a line on standard error reports. PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_watchdog_create(pen_comm *comm, double seconds, pen_watchdog **watchdog);

/* Local. Stop watching this rank. Nulls *watchdog; NULL and a null handle are legal. */
void pen_watchdog_destroy(pen_watchdog **watchdog);

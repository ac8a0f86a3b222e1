/* watchdog.h - whether a run makes progress. In every process a thread, which sleeps most of the time, posts what its
 * rank does (base/marks.h) on a board that the ranks of its host share, and looks at what the others have posted there.
 * Hosts do not talk to each other, and the thread calls no MPI.
 *
 * Where no rank of a host has moved for 10 minutes, one line says what each of them does or waits for. Where a step has
 * taken longer than its limit, if there is one, the same line says so, and all processes of the host end with
 * PEN_WATCHDOG_STATUS, by _exit: nobody can be asked to clean up. The processes end like that, too, if their launcher
 * is gone: that of Open MPI 5 leaves them alone then.
 *
 * Time is that of the processes: a host whose ranks are all stopped, or do not get a processor, does not grow older. */
#ifndef PEN_WATCHDOG_H
#define PEN_WATCHDOG_H

#include "base/comm.h"

enum { PEN_WATCHDOG_STATUS = 5 };

/* In place of a limit. */
enum { PEN_WATCHDOG_OFF = -1, PEN_WATCHDOG_REPORT = 0 };

typedef struct pen_watchdog pen_watchdog;

/* ms without progress after which a host is reported. Tests make it shorter. */
extern int64_t pen_watchdog_report_after;

/* Local. *limit: how many ms a step may take, or one of the above; from a length of time, "report", or "off", which
 * NULL means, too. PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_watchdog_read(const char *text, int64_t *limit);

/* Collective. Watch these ranks from now on. *watchdog is NULL where the limit is PEN_WATCHDOG_OFF; where one rank
 * without a launcher has no limit; and, with a line on standard error, where there can be no watchdog. PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_watchdog_create(pen_comm *comm, int64_t limit, pen_watchdog **watchdog);

/* Local. This rank is not watched any more. Nulls *watchdog; NULL and a null handle are legal. */
void pen_watchdog_destroy(pen_watchdog **watchdog);

#endif

/* watch.h - whether a run still moves. In every process a thread that sleeps most of the time puts up what its rank is
 * at (base/marks.h) on a board that the ranks of a host share, and hosts tell each other by sockets. It calls no MPI.
 *
 * Where all ranks of the run have stood still for as long as was asked, and at least one waits in the library for
 * others, none of which does anything that will end (computing, reading and writing files), is stopped or in the hands
 * of a debugger, it is told once for all what every rank is at and since when, and all processes end with
 * PEN_WATCH_STATUS, by _exit: nobody can be asked to clean up. That somebody computes, or is stopped, for so long is
 * told once, and the run goes on. The same end, within seconds, has a run of which a process is gone, be it the
 * launcher or a host, where the launcher has not ended it before.
 *
 * Time is that of the processes: what is stopped, or does not get the processor, does not grow older. */
#ifndef PEN_WATCH_H
#define PEN_WATCH_H

#include "base/comm.h"

enum { PEN_WATCH_STATUS = 5 };

typedef struct pen_watch pen_watch;

/* Local. PEN_ERR_INPUT where `text` is neither a length of time nor "off"; NULL: off. *seconds 0: off. */
PEN_CHECKED pen_status pen_watch_read(const char *text, double *seconds);

/* Collective. Watch these ranks from now on. *watch is NULL where there is nothing to watch: seconds are 0, there is
 * one rank without a launcher, some rank is in the hands of a debugger; and, with a line on standard error, where
 * the watch is not possible. PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_watch_create(pen_comm *comm, double seconds, pen_watch **watch);

/* Local. This rank is not watched any more. Nulls *watch; NULL and a null handle are legal. */
void pen_watch_destroy(pen_watch **watch);

#endif

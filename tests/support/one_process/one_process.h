/* one_process.h - MPI in one process, from a seed: ranks are threads of which exactly one runs at a time.
 *
 * The functions replace those of the MPI library; of Open MPI only the header and the predefined handles are used. What
 * the MPI standard leaves open is drawn from the seed (ONE_PROCESS_CHOICES). Whatever it forbids is never done. So
 * equal seeds give equal runs, and a seed is the number of an interleaving.
 *
 * A mistake in the use of MPI (unequal collectives, a get outside of an epoch, a call on a freed object), a deadlock
 * and objects that are left over end the process with a report and exit status ONE_PROCESS_WRONG.
 *
 * The functions are for Penumbra: a call of an MPI function that is missing here ends in Open MPI's complaint that it
 * is not initialised. */
#pragma once

#include <mpi.h>
#include <penumbra_plugin.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Exit statuses of a process. */
enum { ONE_PROCESS_WRONG = 86, ONE_PROCESS_DEAD = 87 };

/* What MPI leaves open. Each is drawn where it comes up; a seed also draws how often each is taken, never included. */
#define ONE_PROCESS_CHOICES(X)                                                          \
    X(SWITCH, "another rank runs first when a rank calls MPI")                          \
    X(SLEEP, "a rank runs only when no other one can")                                  \
    X(SEND_LATE, "the buffer of a send is read after the call that started it")         \
    X(SEND_WAITS, "a send ends only when its message is received")                      \
    X(ARRIVE_LATE, "a message is not there yet when its receiver looks")                \
    X(OTHER_SENDER, "of messages from several ranks, a later one is received")          \
    X(NO_FLAG, "a test finds nothing though there is something")                        \
    X(LEAVE_EARLY, "a rank leaves a collective as soon as it has its own result")       \
    X(OTHER_ORDER, "a reduction combines its parts in another order")                   \
    X(GET_LATE, "a get does not read when it is called")                                \
    X(GET_PIECE, "a get reads only a piece at a time")                                  \
    X(START_EARLY, "MPI_Win_start does not wait for the posts")                         \
    X(TWO_COPIES, "a window has a public copy, which is older until a synchronisation") \
    X(PUBLISH_EARLY, "a part of the public copy is renewed before that")                \
    X(ODD_BASE, "the memory of a window is aligned for 8 bytes only")                   \
    X(TIME_PASSES, "between two looks at the clock milliseconds pass")                  \
    X(GARBAGE, "a buffer has garbage until what it receives is there")                  \
    X(SHORT_PATIENCE, "the processor is taken away: better sleep than poll")

typedef enum one_process_choice {
#define ONE_PROCESS_NAME(name, text) ONE_PROCESS_##name,
    ONE_PROCESS_CHOICES(ONE_PROCESS_NAME)
#undef ONE_PROCESS_NAME
        ONE_PROCESS_CHOICE_COUNT
} one_process_choice;

/* A model of time (clock.c says how it counts). With it each rank has a clock, which MPI_Wtime and the system's clocks
 * tell; without it clocks count calls. Times are in seconds. */
typedef struct one_process_clock {
    const pen_machine *machine; /* at least so many processors as ranks; links are in seconds */
    double record;              /* bytes of a unit of the links' data */
    double overhead;            /* of the processor for a message that it sends or receives, and for a get */
    double work;                /* of a load of 1 on a processor of speed 1 */
    double eager;               /* the most bytes of a message that is sent without asking first */
    double served; /* of the target's processor, in its calls of MPI, to answer a get between hosts; 0: it need not */
} one_process_clock;

typedef struct one_process {
    int ranks,
        hosts;     /* hosts: ranks are dealt out to them in blocks; 0: one or, with a clock, the machine's clusters */
    bool cyclic;   /* ranks are dealt out to the hosts one by one */
    uint64_t seed; /* 0: nothing is drawn; a rank runs until it must wait */
    bool separate; /* MPI_WIN_MODEL is MPI_WIN_SEPARATE, except of memory that ranks share */
    bool threads;  /* each rank's thread does its own work, as debuggers need it; slower */
    bool trace;    /* say each call on standard error */
    const one_process_clock *clock; /* NULL: none. Needs seed 0 */

    /* Faults, in that call of that rank, counted from 1; 0: none. A rank that dies does not return from it; when the
     * others wait, the process ends with ONE_PROCESS_DEAD. A call that fails is carried out, and returns an error; it
     * is the first one from there that talks to other ranks or makes something. */
    int64_t dies_at, fails_at;
    int faulty;
} one_process;

/* What came of it. */
typedef struct one_process_result {
    uint64_t trace; /* a hash of all calls in their order, and of all that was drawn */
    int64_t calls, switches;
    double time;                                                             /* the latest clock at the end */
    int64_t taken[ONE_PROCESS_CHOICE_COUNT], left[ONE_PROCESS_CHOICE_COUNT]; /* how often each was drawn, either way */
} one_process_result;

/* Run a function as all ranks, and wait for them. It may call MPI_Init and MPI_Finalize, and need not. `result` may be
 * NULL. To be called by one thread, which is no rank. */
void one_process_run(const one_process *settings, void (*rank_main)(int rank, void *context), void *context,
                     one_process_result *result);

/* Before that: each rank has its own copy of the variables that lie there. */
void one_process_variables(unsigned char *begin, unsigned char *end);

/* In a rank: let others run, if the seed wants it. */
void one_process_pause(void);

/* In a rank: a number below `below` > 0, from the seed. */
unsigned one_process_draw(unsigned below);

/* In a rank: work of a load, which takes time by its clock. */
void one_process_work(double load);

/* The call that fails or the number of calls so far, for reports: of the rank that calls. */
int64_t one_process_calls(void);

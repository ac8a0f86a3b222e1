/* sim.h - what the files of one_process share.
 *
 * No lock is needed: one rank runs at a time (baton.c). For ThreadSanitizer this order does not exist, since it is made
 * by system calls in code that is not instrumented. It is told what MPI orders (sim_release, sim_acquire), and of the
 * memory of users (sim_copy). For AddressSanitizer, what a request uses is poisoned meanwhile (sim_lend). */
#pragma once

#include "tests/support/one_process/one_process.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

/* ---- Objects ------------------------------------------------------------------------------------- */

typedef enum sim_kind {
    SIM_COMM = 1,
    SIM_GROUP,
    SIM_TYPE,
    SIM_OP,
    SIM_INFO,
    SIM_REQUEST,
    SIM_MESSAGE,
    SIM_WINDOW
} sim_kind;

/* The first member of everything behind a handle. */
typedef struct sim_object {
    uint32_t magic; /* while it lives */
    sim_kind kind;
    const char *call; /* that made it */
    const void *place;
    struct sim_object *before, *after; /* of this rank */
} sim_object;

/* A new object of the present rank, zeroed; a handle's object, which must be of that kind; the end of one. */
void *sim_new(sim_kind kind, size_t size);
void *sim_of(sim_kind kind, const void *handle);
void sim_free(sim_kind kind, void *object);
void sim_look_for_leaks(void); /* of the present rank, which must have freed what it has made */

void *sim_allocate(size_t bytes); /* zeroed */

/* ---- Ranks ------------------------------------------------------------------------------------------ */

typedef struct sim_comm sim_comm;
struct sim_shared;

typedef bool sim_ready(void *what);

enum { SIM_WORKS = 8 };

typedef struct sim_interval {
    double begin, end;
} sim_interval;

typedef struct sim_rank {
    int number, host;
    double time, added;            /* clock.c: its clock in seconds; when it last added to a count in shared memory */
    sim_interval works[SIM_WORKS]; /* when it last worked, by its clock */
    unsigned next_work;
    bool queued;       /* queue.c */
    _Atomic(int) turn; /* 1: this thread goes on */
    pthread_t thread;
    void *stack; /* switch.c: where it stopped, */
    unsigned long base;
    unsigned char *park_stack; /* and where its thread waits meanwhile */
    bool ended, dead;
    bool inside;      /* an MPI function */
    sim_ready *ready; /* NULL: it can run */
    void *what;
    int64_t priority;
    const char *call;  /* that it is or was last in */
    const void *place; /* and where that was called */
    int peer, tag;     /* that the call is about; -1 */
    int64_t calls;
    bool fails;          /* this call */
    int late_sends;      /* whose buffers have not been read */
    struct pen_run *run; /* that it has opened last (work.c) */
    sim_object *objects;
    sim_comm *world, *self;
    int initialized; /* 2: and finalised */
    struct sim_window *windows;
    struct sim_request *sends, *receives; /* unread and unfinished ones, in their order */
    unsigned char *variables;             /* of the program (baton.c) */
} sim_rank;

typedef struct sim_world {
    one_process settings;
    const one_process_clock *clock; /* NULL: there is none */
    sim_rank *ranks;
    uint64_t random, trace;
    unsigned rates[ONE_PROCESS_CHOICE_COUNT]; /* of 256 */
    bool priorities;                          /* the ready rank with the highest one runs; else any */
    int64_t lowest;                           /* priority so far */
    int64_t calls, switches, idle;            /* idle: looks in vain since something happened */
    int64_t looks;                            /* ns of the clock that counts looks at it */
    int living;
    bool faulted;
    void (*progress_messages)(void), (*progress_windows)(void); /* of the present rank */
    bool (*messages_get_on)(const sim_rank *rank);              /* whether the first may do something */
    sim_rank *reporting;                                        /* NULL: none */
    one_process_result result;
} sim_world;

extern sim_world sim;
extern _Thread_local sim_rank *sim_me;
extern bool sim_expects_init; /* of the program: else MPI is initialised from the beginning */

/* switch.c. `threads`: each rank's own thread does its work. The present thread becomes a rank's, and stops; it goes on
 * as another rank does, or as the thread that is no rank (NULL); that lets a first rank run until all have ended. */
void sim_switch_prepare(bool threads);
void sim_switch_begin(sim_rank *rank);
void sim_switch_to(sim_rank *to);
void sim_switch_run(sim_rank *first);

/* Begin and end an MPI function, whose result is what sim_leave returns. */
void sim_enter(const char *call, const void *place, int peer, int tag);
int sim_leave(int code);
#define SIM_ENTER(call) sim_enter(call, __builtin_return_address(0), -1, -1)
#define SIM_ENTER_FOR(call, peer, tag) sim_enter(call, __builtin_return_address(0), peer, tag)
#define SIM_LEAVE() sim_leave(MPI_SUCCESS)

/* Wait until ready(what). */
void sim_wait(sim_ready *ready, void *what);

/* A rank that can run first; and the last turn of the present rank. */
sim_rank *sim_first(void);
void sim_end_turns(void);

/* Something has happened; a look was in vain, so that others must run. */
static inline void sim_happened(void) { sim.idle = 0; }
void sim_looked_in_vain(void);

/* Whether a choice is taken. */
bool sim_takes(one_process_choice choice);
unsigned sim_draw(unsigned below);
void sim_note(uint64_t what); /* in the trace */
int64_t sim_now(void);        /* ns, by the clock of this rank's host */

/* End the process with a sentence about the present rank. */
_Noreturn __attribute__((format(printf, 1, 2))) void sim_wrong(const char *format, ...);

/* Report what each rank does, with its stack. */
_Noreturn void sim_report(const char *what);
void sim_describe(const sim_rank *rank); /* with the stack, if it is the present one */
void sim_say_how(const char *what);      /* and how to repeat it */

void sim_progress_messages(void);
bool sim_messages_get_on(const sim_rank *rank);
void sim_progress_windows(void);

/* ---- The clock (clock.c) ------------------------------------------------------------------------------ */

/* Without a clock the functions do nothing, and times are 0. Times are seconds. */
void sim_clock_begin(void), sim_clock_end(void);
static inline void sim_spend(double seconds) /* the present rank */
{
    if (sim.clock) sim_me->time += seconds;
}
static inline void sim_arrive(double time) /* it has waited until then */
{
    if (sim.clock && time > sim_me->time) sim_me->time = time;
}
static inline double sim_overhead(void) { return sim.clock ? sim.clock->overhead : 0.0; }

/* When a message comes that leaves at a time, or later if the host still sends others; `left`, if it is not NULL: when
 * it has left. When a get is complete that begins at a time; a copy by the present rank within a host. */
double sim_transfer(const sim_rank *from, const sim_rank *to, size_t bytes, double at, double *left);
double sim_get_time(const sim_rank *target, size_t bytes, double at);
void sim_copy_time(const sim_rank *from, size_t bytes);

/* queue.c: the ranks that may run. What a rank waits for may have happened: it may run if it waits. */
void sim_queue_begin(void), sim_queue_end(void), sim_queue_add(sim_rank *rank), sim_queue_remove_first(void);
sim_rank *sim_queue_first(void);
void sim_touch(sim_rank *rank);
void sim_touch_all(const struct sim_shared *ranks);

/* An addition to a count in shared memory; the end of a wait for one. */
void sim_added(void);
void sim_event_came(void);

/* ---- Variables of the program (variables.c) ----------------------------------------------------------- */

void sim_variables_begin(int ranks);         /* ranks begin with what they are now */
void sim_variables_switch(int from, int to); /* from: -1: no rank */
void sim_variables_end(void);                /* as before */

/* ---- Sanitizers -------------------------------------------------------------------------------------- */

void sim_release(const void *object);
void sim_acquire(const void *object);
void sim_ignore(bool begin);                             /* what this thread loads and stores */
void sim_copy(void *to, const void *from, size_t bytes); /* memory of the user, both or one */
void sim_copy_unseen(unsigned char *to, const unsigned char *from, size_t bytes);
void sim_lend(void *bytes, size_t size), sim_return(void *bytes, size_t size);
void sim_spoil(void *bytes, size_t size); /* garbage */

/* ---- Communicators ----------------------------------------------------------------------------------- */

/* What its ranks share. */
typedef struct sim_shared {
    int size, users;
    int *numbers; /* [size] of the ranks in the world */
    struct sim_round *rounds;
    struct sim_message **inbox; /* [size] of receivers */
    bool known;                 /* clock.c: */
    double depth, per_byte;     /* seconds of a collective, and of each of its bytes */
} sim_shared;

struct sim_comm {
    sim_object object;
    sim_shared *shared;
    int rank;
    uint64_t round; /* collectives of this rank */
    int in, out;    /* degrees in a graph */
    int *sources, *targets;
};

sim_comm *sim_comm_of(MPI_Comm comm);
sim_rank *sim_rank_of(const sim_comm *c, int rank); /* that must exist */
sim_comm *sim_comm_new(sim_shared *shared, int rank);
sim_shared *sim_shared_new(int size, const int *numbers);
void sim_comm_free(sim_comm *c);
sim_comm *sim_comm_copy(sim_comm *c); /* collective */

typedef struct sim_group {
    sim_object object;
    int size, numbers[];
} sim_group;

sim_group *sim_group_new(int size);
size_t sim_size_of(MPI_Datatype type);
void sim_combine(void *result, const void *part, int count, MPI_Datatype type, MPI_Op op);
bool sim_commutes(MPI_Op op);
bool sim_info_says(MPI_Info info, const char *key);

/* ---- Collectives -------------------------------------------------------------------------------------- */

typedef enum sim_need { SIM_ALL, SIM_ROOT, SIM_LOWER, SIM_NONE } sim_need;

/* What a rank brings to a collective. */
typedef struct sim_part {
    bool here;
    unsigned char *bytes;
    size_t size;
    double time; /* by the rank's clock */
} sim_part;

typedef struct sim_round {
    struct sim_round *next;
    uint64_t number;
    const char *call;
    const void *key; /* that must be equal on all ranks, such as the operation */
    size_t size;     /* likewise */
    int root, arrived, left;
    sim_part *parts; /* [size] */
    void *common;    /* what one of the ranks makes for all */
    bool combined;
    double ends; /* clock.c: when all have come; 0: not known */
} sim_round;

/* Come with bytes; wait for what is needed; go. */
sim_round *sim_come(sim_comm *c, const char *call, int root, const void *key, size_t equal, const void *bytes,
                    size_t size);
void sim_await(sim_comm *c, sim_round *round, sim_need need);
void sim_go(sim_comm *c, sim_round *round);

/* clock.c: the present rank has what it needs; when a round ends to which all have come; seconds of a barrier. */
void sim_round_wait(sim_comm *c, sim_round *round, sim_need need);
double sim_round_time(sim_comm *c, sim_round *round);
double sim_barrier_time(sim_comm *c);

/* ---- Messages ------------------------------------------------------------------------------------------- */

void sim_tell(MPI_Status *status, int source, int tag, size_t bytes);

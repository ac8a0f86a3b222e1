/* baton.c - which rank runs. A rank that runs holds the baton. It gives it away when it must wait, and, as the seed
 * wants, when it calls MPI (switch.c). All threads stay on one processor. */
#include "tests/support/one_process/sim.h"

#include <stdlib.h>
#include <unistd.h>

enum { MOST_IDLE = 2500 }; /* looks in vain, for each rank, until it is said that no rank gets on */

static void give(sim_rank *to)
{
    if (to) {
        sim.switches++;
        sim_note((uint64_t)to->number);
        sim_variables_switch(sim_me->number, to->number);
    }
    sim_switch_to(to);
}

static void pass_to(sim_rank *to)
{
    if (to == sim_me) return;
    give(to);
    if (!sim.reporting) return;
    sim_describe(sim_me);
    sim_switch_to(sim.reporting);
}

/* Each rank shows its own stack. */
void sim_report(const char *what)
{
    sim_say_how(what);
    sim.reporting = sim_me;
    for (int i = 0; i < sim.settings.ranks; i++) {
        sim_rank *r = &sim.ranks[i];
        if (r == sim_me || r->ended) sim_describe(r);
        else sim_switch_to(r);
    }
    fflush(NULL);
    _exit(ONE_PROCESS_WRONG);
}

static bool can_run(const sim_rank *r)
{
    return !r->ended && !r->dead && (!r->ready || sim.messages_get_on(r) || r->ready(r->what));
}

/* By the clocks: it leaves the queue if it is earlier than the present rank, which may go on; NULL: it can go on. */
static sim_rank *earliest(bool may_go_on)
{
    for (sim_rank *r; (r = sim_queue_first());) {
        if (may_go_on && r->time >= sim_me->time) return NULL;
        sim_queue_remove_first();
        if (!can_run(r)) continue;
        if (may_go_on) sim_queue_add(sim_me);
        return r;
    }
    return NULL;
}

/* A rank that can run, but `not`, which may be NULL; NULL: there is none. */
static sim_rank *choose(const sim_rank * not )
{
    const int count = sim.settings.ranks;
    sim_rank *best = NULL;
    if (sim.clock) return earliest(not &&!sim_me->ended);
    const int first = sim.settings.seed ? (int)sim_draw((unsigned)count) : (sim_me ? sim_me->number + 1 : 0);
    for (int i = 0; i < count; i++) {
        sim_rank *r = &sim.ranks[(first + i) % count];
        if (r == not || !can_run(r)) continue;
        if (!sim.priorities) return r;
        if (!best || r->priority > best->priority) best = r;
    }
    return best;
}

static _Noreturn void nobody_can_run(const char *what)
{
    if (!sim.faulted || sim.settings.trace) sim_report(what);
    fprintf(stderr, "one_process: after a fault, no rank gets on\n");
    fflush(NULL);
    _exit(ONE_PROCESS_DEAD);
}

void sim_wait(sim_ready *ready, void *what)
{
    for (;;) {
        if (sim_me->sends || sim_me->receives) sim.progress_messages();
        if (ready(what)) break;
        sim_me->ready = ready;
        sim_me->what = what;
        sim_rank *next = choose(NULL);
        if (!next) nobody_can_run("deadlock");
        pass_to(next);
        sim_me->ready = NULL;
    }
}

void sim_looked_in_vain(void)
{
    if (++sim.idle > (int64_t)MOST_IDLE * sim.settings.ranks) nobody_can_run("no rank gets on");
    sim_me->priority = --sim.lowest;
    sim_spend(sim_overhead() > 0.0 ? sim_overhead() : 1e-7);
    sim_rank *next = choose(sim_me);
    if (next) pass_to(next);
}

sim_rank *sim_first(void) { return choose(NULL); }

void sim_end_turns(void)
{
    sim_me->ended = true;
    sim_rank *next = --sim.living > 0 ? choose(sim_me) : NULL;
    if (sim.living > 0 && !next) nobody_can_run("deadlock");
    sim_ignore(false);
    give(next);
}

void one_process_pause(void)
{
    sim_ignore(true);
    if (sim.priorities && sim_takes(ONE_PROCESS_SLEEP)) sim_me->priority = --sim.lowest;
    if (sim.clock || sim_takes(ONE_PROCESS_SWITCH)) {
        sim_rank *next = choose(sim_me);
        if (next) pass_to(next);
    }
    sim_ignore(false);
}

unsigned one_process_draw(unsigned below) { return sim_draw(below); }
int64_t one_process_calls(void) { return sim_me->calls; }

/* ---- Calls ---------------------------------------------------------------------------------------------- */

static bool never(void *what) { return (void)what, false; }

static _Noreturn void die(void)
{
    sim.faulted = sim_me->dead = true;
    if (sim.settings.trace) fprintf(stderr, "one_process: rank %d dies\n", sim_me->number);
    sim_wait(never, NULL);
    abort();
}

/* Calls that talk to other ranks or make something. What looks at something or frees it does not fail. */
static bool may_fail(const char *call)
{
    static const char *const parts[] = { "_free",    "_size",  "_sync", "_count", "probe",  "_Test",
                                         "_compare", "_local", "_set",  "_attr",  "_commit" };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(call, parts[i])) return false;
    return strncmp(call, "MPI_", 4) == 0;
}

void sim_enter(const char *call, const void *place, int peer, int tag)
{
    sim_rank *r = sim_me;
    if (!r) {
        fprintf(stderr, "one_process: a thread that is no rank calls %s\n", call);
        _exit(ONE_PROCESS_WRONG);
    }
    sim_ignore(true);
    if (r->inside) sim_wrong("%s is called inside of %s", call, r->call);
    if (sim_expects_init && r->initialized != 1 && strncmp(call, "MPI_", 4) == 0 && strncmp(call, "MPI_Init", 8) != 0)
        sim_wrong("%s before MPI_Init or after MPI_Finalize", call);
    r->inside = true;
    r->call = call;
    r->place = place;
    r->peer = peer;
    r->tag = tag;
    r->calls++;
    sim.calls++;
    sim_note((uint64_t)r->number << 32 | (uint64_t)(unsigned)peer);
    if (sim.settings.trace)
        fprintf(stderr, "one_process: rank %d, call %lld: %s %d\n", r->number, (long long)r->calls, call, peer);
    if (r->number == sim.settings.faulty && r->calls == sim.settings.dies_at) die();
    r->fails = r->number == sim.settings.faulty && !sim.faulted && sim.settings.fails_at > 0 &&
               r->calls >= sim.settings.fails_at && may_fail(call);
    sim.faulted = sim.faulted || r->fails;
    if (r->fails && sim.settings.trace) fprintf(stderr, "one_process: rank %d: %s will fail\n", r->number, call);
    one_process_pause();
    sim_ignore(true);
    if (sim_me->sends || sim_me->receives) sim.progress_messages();
    if (sim_me->windows) sim.progress_windows();
}

int sim_leave(int code)
{
    sim_me->inside = false;
    sim_ignore(false);
    return sim_me->fails ? MPI_ERR_OTHER : code;
}

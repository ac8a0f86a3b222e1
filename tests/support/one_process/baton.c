/* baton.c - which rank runs. A rank that runs holds the baton. It gives it away when it must wait, and, as the seed
 * wants, when it calls MPI (switch.c). All threads stay on one processor. */
#define _GNU_SOURCE /* sched_setaffinity */
#include "base/marks.h"
#include "tests/support/one_process/sim.h"

#include <malloc.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

sim_world sim;
_Thread_local sim_rank *sim_me;
bool sim_expects_init;

enum { MOST_BY_PRIORITY = 64, MOST_IDLE = 20000, STACK = 8 << 20 };

/* ---- The baton --------------------------------------------------------------------------------------- */

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
    return !r->ended && !r->dead && (!r->ready || sim_messages_get_on(r) || r->ready(r->what));
}

/* A rank that can run, but `not`, which may be NULL; NULL: there is none. */
static sim_rank *choose(const sim_rank * not )
{
    const int count = sim.settings.ranks;
    sim_rank *best = NULL;
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
    fflush(NULL);
    _exit(ONE_PROCESS_DEAD);
}

void sim_wait(sim_ready *ready, void *what)
{
    for (;;) {
        if (sim_me->sends || sim_me->receives) sim_progress_messages();
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
    if (++sim.idle > MOST_IDLE) nobody_can_run("no rank gets on");
    sim_me->priority = --sim.lowest;
    sim_rank *next = choose(sim_me);
    if (next) pass_to(next);
}

void one_process_pause(void)
{
    sim_ignore(true);
    if (sim_takes(ONE_PROCESS_SLEEP)) sim_me->priority = --sim.lowest;
    if (sim_takes(ONE_PROCESS_SWITCH)) {
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
    one_process_pause();
    sim_ignore(true);
    sim_progress();
}

int sim_leave(int code)
{
    sim_me->inside = false;
    sim_ignore(false);
    return sim_me->fails ? MPI_ERR_OTHER : code;
}

void sim_progress(void)
{
    if (sim_me->sends || sim_me->receives) sim_progress_messages();
    if (sim_me->windows) sim_progress_windows();
}

/* ---- A world --------------------------------------------------------------------------------------------- */

typedef struct job {
    void (*rank_main)(int rank, void *context);
    void *context;
    sim_rank *rank;
} job;

static void end_rank(sim_rank *r)
{
    sim_ignore(true);
    if (r->sends || r->receives) sim_progress_messages();
    sim_comm_free(r->world);
    sim_comm_free(r->self);
    for (const sim_object *o = r->objects; o && !sim.faulted; o = o->after)
        if (o->call) sim_wrong("what %s has made is never freed", o->call);
    r->ended = true;
    sim_rank *next = --sim.living > 0 ? choose(r) : NULL;
    if (sim.living > 0 && !next) nobody_can_run("deadlock");
    sim_ignore(false);
    give(next);
}

static void *begin(void *its)
{
    const job *j = its;
    pen_marks marks = { .step = -1, .awaited = -1 };
    sim_me = j->rank;
    pen_marked = &marks;
    sim_switch_begin(sim_me);
    j->rank_main(sim_me->number, j->context);
    end_rank(sim_me);
    return NULL;
}

/* Caches stay warm, and a woken thread runs at once. */
static void stay_here(void)
{
    const int core = sched_getcpu();
    cpu_set_t here;
    CPU_ZERO(&here);
    if (core < 0) return;
    CPU_SET((size_t)core, &here);
    (void)sched_setaffinity(0, sizeof here, &here);
}

static void set_up(const one_process *settings)
{
    sim = (sim_world){ .settings = *settings, .random = settings->seed, .living = settings->ranks };
    if (sim.settings.hosts < 1) sim.settings.hosts = 1;
    sim.ranks = sim_allocate((size_t)settings->ranks * sizeof *sim.ranks);
    sim.priorities = settings->seed && settings->ranks <= MOST_BY_PRIORITY && sim_draw(3) == 0;
    static const unsigned rates[] = { 0, 4, 16, 64, 128, 224 };
    for (int c = 0; c < ONE_PROCESS_CHOICE_COUNT; c++) sim.rates[c] = settings->seed ? rates[sim_draw(6)] : 0;
    /* More of these would only take time. */
    if (sim.rates[ONE_PROCESS_SLEEP] > 16) sim.rates[ONE_PROCESS_SLEEP] = 16;
    if (sim.rates[ONE_PROCESS_SEND_LATE] > 128) sim.rates[ONE_PROCESS_SEND_LATE] = 128;
    if (sim.rates[ONE_PROCESS_NO_FLAG] > 128) sim.rates[ONE_PROCESS_NO_FLAG] = 128;
    int *numbers = sim_allocate((size_t)settings->ranks * sizeof *numbers);
    for (int i = 0; i < settings->ranks; i++) numbers[i] = i;
    sim_shared *world = sim_shared_new(settings->ranks, numbers);
    for (int i = 0; i < settings->ranks; i++) {
        sim_rank *r = &sim.ranks[i];
        *r = (sim_rank){ .number = i,
                         .host = (int)((int64_t)i * sim.settings.hosts / settings->ranks),
                         .priority = (int64_t)sim_draw(1 << 20) };
        sim_me = r; /* whose objects they are */
        r->world = sim_comm_new(world, i);
        r->self = sim_comm_new(sim_shared_new(1, &numbers[i]), 0);
    }
    sim_me = NULL;
    free(numbers);
}

void one_process_run(const one_process *settings, void (*rank_main)(int rank, void *context), void *context,
                     one_process_result *result)
{
    static bool prepared;
    if (!prepared) {
        stay_here();
        mallopt(M_ARENA_MAX, 1);
    }
    prepared = true;
    set_up(settings);
    sim_switch_prepare(settings->threads);
    job *jobs = sim_allocate((size_t)settings->ranks * sizeof *jobs);
    sim_variables_begin(settings->ranks);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    for (int i = 0; i < settings->ranks; i++) {
        jobs[i] = (job){ rank_main, context, &sim.ranks[i] };
        if (pthread_create(&sim.ranks[i].thread, &attributes, begin, &jobs[i]) != 0) {
            fprintf(stderr, "one_process: cannot start a thread for each of %d ranks\n", settings->ranks);
            _exit(ONE_PROCESS_WRONG);
        }
    }
    pthread_attr_destroy(&attributes);
    sim_rank *first = choose(NULL);
    sim_variables_switch(-1, first->number);
    sim_switch_run(first);
    for (int i = 0; i < settings->ranks; i++) pthread_join(sim.ranks[i].thread, NULL);
    sim_variables_end();
    sim.result.trace = sim.trace;
    sim.result.calls = sim.calls;
    sim.result.switches = sim.switches;
    if (result) *result = sim.result;
    for (int i = 0; i < settings->ranks; i++) free(sim.ranks[i].park_stack);
    free(jobs);
    free(sim.ranks);
}

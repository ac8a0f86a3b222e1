/* run.c - all ranks of a world, from their beginning to their end. */
#define _GNU_SOURCE /* sched_setaffinity, pthread_setname_np */
#include "base/marks.h"
#include "tests/support/one_process/sim.h"

#include <malloc.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_BY_PRIORITY = 64, STACK = 8 << 20 };

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
    sim_look_for_leaks();
    sim_end_turns();
}

static void *begin(void *its)
{
    const job *j = its;
    pen_marks marks = { .step = -1, .awaited = -1 };
    char name[16]; /* for debuggers */
    pen_marked = &marks;
    snprintf(name, sizeof name, "rank %d", j->rank->number);
    (void)pthread_setname_np(pthread_self(), name);
    sim_switch_begin(j->rank); /* what it allocates is not the rank's memory */
    sim_me = j->rank;
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

static int host_of(const one_process *settings, int rank)
{
    if (settings->hosts < 1) return settings->clock->machine->clusters[rank];
    if (settings->cyclic) return rank % settings->hosts;
    return (int)((int64_t)rank * settings->hosts / settings->ranks);
}

static void set_up(const one_process *settings)
{
    sim = (sim_world){ .settings = *settings,
                       .clock = settings->clock,
                       .random = settings->seed,
                       .living = settings->ranks,
                       .progress_messages = sim_progress_messages,
                       .progress_windows = sim_progress_windows,
                       .messages_get_on = sim_messages_get_on };
    if (sim.settings.hosts < 1 && !settings->clock) sim.settings.hosts = 1;
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
    if (settings->clock) sim_clock_begin();
    for (int i = 0; i < settings->ranks; i++) {
        sim_rank *r = &sim.ranks[i];
        *r = (sim_rank){ .number = i, .host = host_of(&sim.settings, i), .priority = (int64_t)sim_draw(1 << 20) };
        sim_me = r; /* whose objects they are */
        r->world = sim_comm_new(world, i);
        r->self = sim_comm_new(sim_shared_new(1, &numbers[i]), 0);
    }
    sim_me = NULL;
    if (sim.clock) sim_queue_begin();
    for (int i = 0; i < settings->ranks && sim.clock; i++) sim_queue_add(&sim.ranks[i]);
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
    sim_rank *first = sim_first();
    sim_variables_switch(-1, first->number);
    sim_switch_run(first);
    for (int i = 0; i < settings->ranks; i++) pthread_join(sim.ranks[i].thread, NULL);
    sim_variables_end();
    sim.result.trace = sim.trace;
    sim.result.calls = sim.calls;
    sim.result.switches = sim.switches;
    for (int i = 0; i < settings->ranks; i++)
        if (sim.ranks[i].time > sim.result.time) sim.result.time = sim.ranks[i].time;
    if (sim.clock) sim_clock_end(), sim_queue_end();
    if (result) *result = sim.result;
    for (int i = 0; i < settings->ranks; i++) free(sim.ranks[i].park_stack);
    free(jobs);
    free(sim.ranks);
}

/* case.c - explored cases: how they are drawn, run, and compared with a run on one rank. */
#include "base/memory.h"
#include "base/sparse.h"
#include "halo/costs.h"
#include "tests/explore/app.h"
#include "tests/explore/drawn.h"
#include "tests/explore/explored.h"

#include <penumbra_checkpoint.h>
#include <penumbra_output.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

const subject subjects[] = {
    { "fence", "fence", ANYTHING, "gets between fences" },
    { "pscw", "pscw", ANYTHING, "post, start, complete, wait" },
    { "passive", "passive", ANYTHING, "lock_all, notices, flush" },
    { "shared", "shared", ANYTHING, "loads from the neighbour's plane" },
    { "blocking", "blocking", ANYTHING, "blocking messages" },
    { "overlap", "overlap", ANYTHING, "messages during the computation" },
    { "persistent", "persistent", ANYTHING, "persistent requests" },
    { "neighbor", "neighbor", ANYTHING, "neighbourhood collective" },
    { "separate", NULL, SEPARATE | ANYTHING, "windows with a private and a public copy" },
    { "diffusive", NULL, BALANCES, "balancing among the ranks" },
    { "changes", NULL, CHANGES | MIGRATES | EDGES, "changes of the graph" },
    { "far", NULL, FAR | MIGRATES, "far reads" },
    { "calls", NULL, CALLS | EDGES | ANYTHING, "records that are put, and changes, between steps" },
    { "observables", NULL, OBSERVES, "observables and globals" },
    { "outputs", NULL, OUTPUTS | OBSERVES | ANYTHING, "result files" },
    { "resume", NULL, RESUMES | ANYTHING, "a checkpoint, and another number of ranks" },
    { "death", NULL, DIES | RESUMES | ANYTHING, "a rank dies; the rest from what is there" },
    { "failure", NULL, FAILS | ANYTHING, "an MPI call fails on a rank" },
    { "memory", NULL, NO_MEMORY | ANYTHING, "an allocation fails on a rank" },
    { "mail", NULL, MAILS | MIGRATES | ANYTHING, "mail to any nodes" },
    { "active", NULL, DRAWN, "active sets: programs that stall and wake" },
};
const int subject_count = PEN_COUNT_OF(subjects);

/* ---- Draws ----------------------------------------------------------------------------------------- */

static int draw(uint64_t *state, int below)
{
    *state = scramble(*state, 77);
    return (int)(*state % (uint64_t)below);
}

static void add_arc(explored *e, int from, int to)
{
    int at = 0;
    while (at < e->degree[from] && e->neighbors[from][at] < to) at++;
    if (from == to || e->degree[from] == MOST_DEGREE || (at < e->degree[from] && e->neighbors[from][at] == to)) return;
    for (int i = e->degree[from]++; i > at; i--) e->neighbors[from][i] = e->neighbors[from][i - 1];
    e->neighbors[from][at] = to;
}

static void add_edge(explored *e, int a, int b)
{
    if (e->degree[a] == MOST_DEGREE || e->degree[b] == MOST_DEGREE) return;
    add_arc(e, a, b);
    if (!e->directed) add_arc(e, b, a);
}

/* A path with short and some long leaps; a grid would cut more evenly than is good for finding mistakes. */
static void draw_graph(explored *e, uint64_t *state)
{
    const int leap = 2 + draw(state, 9), more = draw(state, e->directed ? 2 : 4) ? draw(state, e->nodes) : 0;
    for (int i = 0; i < e->nodes; i++) {
        if (i + 1 < e->nodes && draw(state, 16)) add_edge(e, i, i + 1);
        if (i + leap < e->nodes) add_edge(e, i, i + leap);
    }
    for (int i = 0; i < more; i++) {
        const int from = draw(state, e->nodes), to = draw(state, e->nodes);
        add_edge(e, from, to);
    }
}

void explored_draw(const subject *s, uint64_t seed, int ranks, int hosts, int nodes, int steps, explored *e)
{
    static const char *const transports[] = { "fence",    "pscw",    "passive",    "shared",
                                              "blocking", "overlap", "persistent", "neighbor" };
    static const char *const partitioners[] = { "block", "random", "metis", "block" };
    static const double parts[] = { 0.1, 0.1, 0.02, 0.5 };
    static const int apart[] = { 1, 1, 5, 100 };
    static const int sizes[] = { 64, 40, 64, 20, 7, 64 };
    uint64_t state = scramble(seed, (uint64_t)(s - subjects));
    *e = (explored){ .subject = s, .seed = seed, .features = s->features };
    e->ranks = 2 + draw(&state, 10) % 7;
    e->hosts = 1;
    if (draw(&state, 2) > 0) e->hosts += draw(&state, e->ranks);
    if (e->features & SEPARATE && e->hosts < 2) e->hosts = 2; /* memory that ranks share has one copy */
    e->cyclic = draw(&state, 3) == 0;
    e->then_ranks = 1 + draw(&state, 8);
    e->nodes = sizes[draw(&state, 6)];
    e->steps = 1 + draw(&state, 5);
    e->apart = apart[draw(&state, 4)];
    e->stop = 1 + draw(&state, 5);
    e->transport = s->transport ? s->transport : transports[draw(&state, s->features & SEPARATE ? 4 : 8)];
    if (s->features & MAILS && seed % 64 == 0) e->transport = "auto"; /* mail measures, too */
    e->partitioner = partitioners[draw(&state, 4)];
    e->sparse_radix = (const int[]){ 0, 2, 64 }[draw(&state, 3)];
    e->costs = draw(&state, 6);
    e->fetches = draw(&state, 4) == 0;
    e->moves = parts[draw(&state, 4)];
    const int any = draw(&state, 1 << 11);
    if (e->features & ANYTHING && any >> 9 & 1) e->features |= MAILS;
    if (e->features & ANYTHING)
        e->features |= any & (MIGRATES | FAR | OBSERVES | EDGES | (draw(&state, 2) ? CHANGES : 0));
    e->directed = draw(&state, 4) == 0;
    if (e->features & BALANCES) e->directed = false;
    e->faulty = draw(&state, MOST_RANKS);
    e->fault = 1 + draw(&state, draw(&state, 2) ? 100 : 2000);
    e->fault_step = draw(&state, e->steps + 1);
    if (ranks) e->ranks = e->then_ranks = ranks;
    if (hosts) e->hosts = hosts;
    if (nodes) e->nodes = nodes;
    if (steps) e->steps = steps;
    if (e->hosts > e->ranks) e->hosts = e->ranks;
    if (e->stop > e->steps) e->stop = e->steps;
    e->faulty %= e->ranks;
    draw_graph(e, &state);
    snprintf(e->folder, sizeof e->folder, "explored.%ld", (long)getpid());
}

/* ---- A run --------------------------------------------------------------------------------------------- */

typedef struct job {
    const explored *e;
    const application *a;
    int steps;  /* to compute */
    bool loads; /* from the checkpoint */
    bool saves, files, verifies;
    const char *prefix; /* of files */
    int *saved;         /* the step of the last complete checkpoint, in memory that processes share */
    int no_memory;      /* the rank whose allocation fails; -1: none */
    pen_status status[MOST_RANKS];
    explored_result result;
} job;

static pen_status make_graph(const job *j, int rank, int size, pen_graph **graph)
{
    const explored *e = j->e;
    pen_gid *gids = malloc((size_t)e->nodes * sizeof *gids);
    pen_gid *neighbors = malloc((size_t)e->nodes * MOST_DEGREE * sizeof *neighbors);
    int64_t *rows = malloc(((size_t)e->nodes + 1) * sizeof *rows), end = 0;
    pen_csr mine = { .gids = gids, .rows = rows, .neighbors = neighbors, .directed = e->directed };
    rows[0] = 0;
    for (int i = 0; i < e->nodes; i++) {
        if (scramble((uint64_t)i, e->seed) % (uint64_t)size != (uint64_t)rank) continue;
        for (int k = 0; k < e->degree[i]; k++) neighbors[end++] = (pen_gid)e->neighbors[i][k] * e->apart;
        gids[mine.count++] = (pen_gid)i * e->apart;
        rows[mine.count] = end;
    }
    pen_status status = pen_graph_from_csr(MPI_COMM_WORLD, &mine, graph);
    free(gids);
    free(neighbors);
    free(rows);
    return status;
}

static pen_status sum_up(job *j, int rank, pen_run *run)
{
    const pen_local local = pen_run_local(run);
    const tag *tags = local.fields[TAG];
    uint64_t sum = 0, all = 0;
    for (pen_lid i = 0; i < local.count; i++)
        sum += scramble(scramble((uint64_t)local.gids[i], tags[i].hash), (uint64_t)tags[i].step);
    if (MPI_Allreduce(&sum, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS) return PEN_ERR_MPI;
    if (rank > 0) return PEN_OK;
    if (j->e->features & OBSERVES) {
        const total *t = pen_run_globals(run);
        uint64_t bits;
        memcpy(&bits, &t->sum, sizeof bits);
        all = scramble(all, bits ^ (uint64_t)t->count ^ (uint64_t)pen_run_observed_int(run, COUNT));
    }
    j->result.sum = all;
    j->result.nodes = pen_run_nodes(run);
    return PEN_OK;
}

/* Every rank fetches all nodes, so that the directory must know each of them, and no other. In a step that has failed
 * they may have done its work. */
static pen_status fetch_all(const job *j, pen_run *run)
{
    const int most = 2 * j->e->nodes;
    pen_gid gids[2 * MOST_NODES] = { 0 };
    tag tags[2 * MOST_NODES];
    bool found[2 * MOST_NODES];
    int64_t count = 0, step = -1;
    for (int i = 0; i < most; i++) gids[i] = (pen_gid)i * j->e->apart;
    PEN_TRY(pen_run_fetch(run, TAG, most, gids, tags, found));
    for (int i = 0; i < most; i++) {
        if (!found[i]) continue;
        if (count++ == 0) step = tags[i].step;
        if (tags[i].gid != gids[i] || tags[i].step != step || step - pen_run_step(run) < 0 ||
            step - pen_run_step(run) > 1)
            return pen_fail(PEN_ERR_CHECK, "node %d, fetched: %lld, step %lld", i, (long long)tags[i].gid,
                            (long long)tags[i].step);
    }
    return count == pen_run_nodes(run) ? PEN_OK : pen_fail(PEN_ERR_CHECK, "%lld nodes are found", (long long)count);
}

/* Of a few requests, each rank has its share. */
typedef struct share {
    const explored *e;
    int rank, size;
} share;

static void ask(pen_changes *changes, void *context)
{
    const share *s = context;
    for (int i = s->rank; i < 8; i += s->size) {
        const pen_gid a = (pen_gid)(scramble(s->e->seed, (uint64_t)i) % (uint64_t)s->e->nodes) * s->e->apart,
                      b = (pen_gid)(scramble(s->e->seed, (uint64_t)i + 9) % (uint64_t)s->e->nodes) * s->e->apart;
        if (a != b) pen_add_edge(changes, a, b, 1 + (a ^ b));
    }
}

static pen_status call(const job *j, int rank, pen_run *run)
{
    enum { PUT = 16 };
    share s = { .e = j->e, .rank = rank };
    pen_gid gids[PUT];
    wave waves[PUT];
    int count = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &s.size);
    for (int i = rank; i < PUT && i < s.e->nodes; i += s.size, count++) {
        gids[count] = (pen_gid)((7 * pen_run_step(run) + i) % s.e->nodes) * s.e->apart;
        waves[count] = (wave){ (uint32_t)pen_run_step(run), (uint32_t)scramble((uint64_t)i, s.e->seed),
                               (uint32_t)gids[count] };
    }
    PEN_TRY(pen_run_put(run, WAVE, count, gids, waves));
    return pen_run_step(run) % 2 ? PEN_OK : pen_run_change(run, ask, &s);
}

/* Without memory on a rank, nothing has changed; then there is some again. */
static pen_status step(const job *j, pen_run *run)
{
    const int64_t end = pen_run_step(run) + 1;
    const pen_status status = pen_run_steps(run, 1);
    if (status != PEN_ERR_MEMORY || j->no_memory < 0) return status;
    PEN_TRY(fetch_all(j, run));
    return pen_run_steps(run, end - pen_run_step(run));
}

/* With a serial loop. */
static pen_status verify(pen_run *run)
{
    char message[400];
    int64_t differences = 0;
    PEN_TRY(pen_run_verify(run, &differences, message, sizeof message));
    if (differences == 0) return PEN_OK;
    fprintf(stderr, "explore: on one rank: %s\n", message);
    return PEN_ERR_CHECK;
}

static pen_status compute(job *j, int rank, pen_run *run)
{
    const explored *e = j->e;
    for (int i = 0; i < j->steps; i++) {
        if (rank == j->no_memory && e->fault_step == i + 1) pen_alloc_countdown = 1 + e->fault % 60;
        PEN_TRY(step(j, run));
        if (e->features & CALLS) PEN_TRY(call(j, rank, run));
        if (e->fetches) PEN_TRY(fetch_all(j, run));
        if (j->saves) PEN_TRY(pen_run_save(run, j->e->folder));
        if (j->saves && rank == 0 && j->saved) *j->saved = (int)pen_run_step(run);
    }
    if (j->verifies && !(e->features & CALLS)) PEN_TRY(verify(run));
    return sum_up(j, rank, run);
}

static void rank_main(int rank, void *context)
{
    job *j = context;
    const explored *e = j->e;
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    pen_run_options options = j->a->options;
    char output[100], series[100];
    const int size = check_size();
    static const pen_costs costs[] = {
        { .local = { 1e-6, 1e-9 }, .remote = { 1e-5, 1e-9 }, .copy_record = 2e-9 },
        { .local = { 1e-6, 1e-9 }, .remote = { 1e-5, 1e-9 }, .copy_record = -1e-9 }, /* all records are packed */
        { .local = { 0, 1e-9 }, .remote = { 0, 1e-9 }, .copy_record = 2e-9 }         /* a get for each stretch */
    };
    pen_short_radix = e->sparse_radix;
    pen_costs_assumed = e->costs == 0 ? NULL : &costs[e->costs % 3];
    if (rank == j->no_memory && e->fault_step == 0) pen_alloc_countdown = e->fault;
    if (j->files) {
        snprintf(output, sizeof output, "%s/%s.%s", e->folder, j->prefix, e->seed % 2 ? "npy" : "csv");
        snprintf(series, sizeof series, "%s/%s.observed", e->folder, j->prefix);
        options.output.path = output;
        options.output.observables = series;
    }
    pen_status status = PEN_OK;
    if (!j->loads) status = make_graph(j, rank, size, &graph);
    if (status == PEN_OK)
        status = j->loads ? pen_run_load(MPI_COMM_WORLD, e->folder, &j->a->app, &options, &run)
                          : pen_run_create(MPI_COMM_WORLD, graph, &j->a->app, &options, &run);
    if (status == PEN_OK && j->loads) j->steps = e->steps - (int)pen_run_step(run);
    if (status == PEN_OK) status = compute(j, rank, run);
    if (status == PEN_OK && j->files) status = pen_run_output(run, output);
    j->status[rank] = status;
    if (status != PEN_OK && (e->features & (FAILS | NO_MEMORY | SEPARATE))) {
        if (status == PEN_ERR_MPI) MPI_Abort(MPI_COMM_WORLD, 3);
    } else if (status != PEN_OK) {
        fprintf(stderr, "explore: rank %d: %s: %s\n", rank, pen_status_name(status), pen_error_message());
    }
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
}

static bool all_same(const job *j, int ranks)
{
    for (int r = 1; r < ranks; r++)
        if (j->status[r] != j->status[0]) return false;
    return true;
}

static int fail(const explored *e, const char *what)
{
    fprintf(stderr, "explore: %s, seed %llu: %s\n", e->subject->name, (unsigned long long)e->seed, what);
    return EXPLORED_WRONG;
}

/* Run it on one rank, where nothing is drawn. */
static explored_result alone(const explored *e)
{
    explored one = *e;
    one.features &= ~(MIGRATES | BALANCES);
    application calm;
    explored_application(&one, &calm);
    calm.options.transport = "blocking";
    calm.options.debug.verify = !(e->features & CALLS);
    job j = { .e = e,
              .a = &calm,
              .steps = e->steps,
              .files = e->features & OUTPUTS,
              .prefix = "alone",
              .verifies = true,
              .no_memory = -1 };
    one_process_run(&(one_process){ .ranks = 1, .faulty = -1 }, rank_main, &j, NULL);
    if (j.status[0] != PEN_OK) exit(fail(e, "the run on one rank fails"));
    return j.result;
}

static bool same_files(const char *folder, const char *name)
{
    char command[300];
    snprintf(command, sizeof command, "cmp -s %s/alone%s %s/explored%s", folder, name, folder, name);
    return system(command) == 0;
}

static void empty(const explored *e)
{
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s", e->folder);
    if (system(command) != 0) fprintf(stderr, "explore: cannot remove %s\n", e->folder);
}

static one_process settings_of(const explored *e, uint64_t salt)
{
    return (one_process){ .ranks = e->ranks,
                          .hosts = e->hosts,
                          .cyclic = e->cyclic,
                          .separate = e->features & SEPARATE,
                          .seed = scramble(e->seed, salt) | 1,
                          .faulty = -1,
                          .trace = getenv("EXPLORE_TRACE") != NULL };
}

static int check(const explored *e, const job *j, explored_result expected)
{
    if (j->status[0] != PEN_OK) return 0;
    if (j->result.sum != expected.sum || j->result.nodes != expected.nodes)
        return fail(e, "the result is not that of one rank");
    if (e->features & OUTPUTS &&
        (!same_files(e->folder, e->seed % 2 ? "-hash.npy" : ".csv") || !same_files(e->folder, ".observed")))
        return fail(e, "a file is not that of one rank");
    return 0;
}

/* In a process of its own: 0, 3 (ended by MPI_Abort), ONE_PROCESS_DEAD, or a failure. */
static int run_with_fault(const explored *e, job *j, explored_result expected)
{
    struct itimerval left; /* children inherit no timers */
    getitimer(ITIMER_PROF, &left);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        setitimer(ITIMER_PROF, &left, NULL);
        one_process settings = settings_of(e, 1);
        settings.faulty = e->faulty;
        if (e->features & DIES) settings.dies_at = e->fault;
        else settings.fails_at = e->fault;
        one_process_run(&settings, rank_main, j, NULL);
        if (!all_same(j, e->ranks)) _exit(fail(e, "ranks have different statuses"));
        if (e->features & FAILS && check(e, j, expected)) _exit(EXPLORED_WRONG);
        fflush(NULL);
        _exit(j->status[0] == PEN_OK ? 0 : 3);
    }
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static int run_faulty(const explored *e, job *j, explored_result expected)
{
    const int ended = run_with_fault(e, j, expected);
    if (ended == 0 || ended == 3) return 0;
    if (ended == EXPLORED_WRONG) return ended; /* which it has said */
    if (ended == ONE_PROCESS_DEAD) return (e->features & DIES) ? 0 : fail(e, "an MPI call failed, and ranks wait");
    return fail(e, "a fault ends in a crash");
}

/* The rest of a run, from its checkpoint. */
static int run_rest(const explored *e, const application *a, int saved, job *j)
{
    job rest = { .e = e, .a = a, .loads = true, .no_memory = -1 };
    one_process settings = settings_of(e, 2);
    settings.ranks = e->then_ranks;
    if (settings.hosts > settings.ranks) settings.hosts = settings.ranks;
    one_process_run(&settings, rank_main, &rest, NULL);
    *j = rest;
    if (!all_same(&rest, e->then_ranks)) return fail(e, "ranks that resume have different statuses");
    if (rest.status[0] == PEN_OK || (saved == 0 && rest.status[0] == PEN_ERR_INPUT)) return 0;
    return fail(e, "it cannot be resumed");
}

/* The failure that a run may have. */
static pen_status may_be(const explored *e)
{
    if (e->features & NO_MEMORY) return PEN_ERR_MEMORY;
    return e->features & SEPARATE && e->hosts > 1 && strcmp(e->transport, "passive") == 0 ? PEN_ERR_ENVIRONMENT
                                                                                          : PEN_OK;
}

static int run_in(const explored *e, int *saved, one_process_result *result)
{
    application a;
    explored_application(e, &a);
    const explored_result expected = alone(e);
    job j = { .e = e,
              .a = &a,
              .steps = e->steps,
              .saved = saved,
              .files = e->features & OUTPUTS,
              .prefix = "explored",
              .no_memory = e->features & NO_MEMORY ? e->faulty : -1 };
    if (e->features & RESUMES) j.steps = e->stop, j.saves = true;
    if (e->features & (DIES | FAILS)) {
        if (run_faulty(e, &j, expected)) return EXPLORED_WRONG;
        if (e->features & FAILS) return 0;
    } else {
        const one_process settings = settings_of(e, 1);
        one_process_run(&settings, rank_main, &j, result);
        if (!all_same(&j, e->ranks)) return fail(e, "ranks have different statuses");
        if (j.status[0] != PEN_OK && j.status[0] != may_be(e)) return fail(e, "the run fails");
        if (j.status[0] == PEN_OK && may_be(e) == PEN_ERR_ENVIRONMENT) return fail(e, "passive has separate windows");
    }
    if (e->features & RESUMES && run_rest(e, &a, *saved, &j)) return EXPLORED_WRONG;
    return check(e, &j, expected);
}

int explored_run(const explored *e, one_process_result *result)
{
    const bool folder = e->features & (RESUMES | OUTPUTS | DRAWN);
    int *saved = mmap(NULL, sizeof *saved, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (saved == MAP_FAILED || (folder && mkdir(e->folder, 0777) != 0)) return fail(e, "no memory, or no folder");
    const one_process settings = settings_of(e, 1);
    const int bad = e->features & DRAWN ? explored_run_drawn(e, &settings, result) : run_in(e, saved, result);
    if (folder) empty(e);
    munmap(saved, sizeof *saved);
    return bad;
}

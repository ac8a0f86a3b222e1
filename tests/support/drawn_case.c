/* drawn_case.c - a drawn program's run and the serial computation, step by step (drawn_case.h). */
#include "tests/support/drawn_case.h"

#include "debug/parts.h"
#include "tests/support/drawn_program.h"
#include "tests/support/drawn_rules.h"
#include "tests/support/drawn_world.h"

#include <dirent.h>
#include <penumbra_checkpoint.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum event { NOTHING, MIGRATE, PUT, CHANGE, SET_GLOBALS, RESUME, BALANCE, EVENTS } event;

typedef struct drawn_case {
    MPI_Comm comm;
    int rank, ranks;
    uint64_t seed, state; /* state: of the draws of events, equal on all ranks */
    char folder[100];
    drawn_program *program;
    drawn_world *world;
    pen_run_options options;
    char when[24]; /* options.balance.when */
    pen_run *run;
    char input[200], complaint[200]; /* complaint: the first difference on this rank */
} drawn_case;

__attribute__((format(printf, 2, 3))) static void complain(drawn_case *c, const char *format, ...)
{
    va_list arguments;
    if (c->complaint[0]) return;
    const int at = snprintf(c->complaint, sizeof c->complaint, "step %" PRId64 ", %s: ", c->world->step,
                            c->options.transport);
    va_start(arguments, format);
    vsnprintf(c->complaint + at, sizeof c->complaint - (size_t)at, format, arguments);
    va_end(arguments);
}

/* ---- The run --------------------------------------------------------------------------------------------- */

static pen_status make_graph(const drawn_case *c, pen_graph **graph)
{
    const drawn_program *p = c->program;
    pen_gid gids[DRAWN_NODES], neighbors[DRAWN_NODES * DRAWN_NODES];
    int64_t rows[DRAWN_NODES + 1] = { 0 }, end = 0;
    pen_csr mine = { .gids = gids, .rows = rows, .neighbors = neighbors, .directed = p->directed };
    for (int i = 0; i < DRAWN_NODES; i++) {
        if (!c->world->there[i] || scramble((uint64_t)i, c->seed) % (uint64_t)c->ranks != (uint64_t)c->rank) continue;
        for (int k = 0; k < DRAWN_NODES; k++)
            if (c->world->edge[i][k]) neighbors[end++] = drawn_gid(p, k);
        gids[mine.count++] = drawn_gid(p, i);
        rows[mine.count] = end;
    }
    return pen_graph_from_csr(c->comm, &mine, graph);
}

static bool write_input(const drawn_case *c)
{
    FILE *file = fopen(c->input, "w");
    if (!file) return false;
    fprintf(file, "gid,limit\n");
    for (int i = 0; i < c->program->nodes; i++)
        fprintf(file, "%" PRIgid ",%g\n", drawn_gid(c->program, i), c->world->input[i]);
    return fclose(file) == 0;
}

static pen_status begin(drawn_case *c)
{
    pen_graph *graph = NULL;
    if (c->program->has_input) {
        snprintf(c->input, sizeof c->input, "%s/limit.csv", c->folder);
        if (c->rank == 0 && !write_input(c)) complain(c, "no file %s", c->input);
        MPI_Barrier(c->comm);
        c->options.input = c->input;
    }
    const pen_status status = make_graph(c, &graph);
    if (status != PEN_OK) return status;
    const pen_status created = pen_run_create(c->comm, graph, &c->program->app, &c->options, &c->run);
    pen_graph_destroy(&graph);
    return created;
}

/* Whether the library accepts this condition of the program. */
static bool can_be_quiet(const drawn_program *p)
{
    for (int n = 0; n < p->phases; n++) {
        const pen_phase *phase = &p->phase_list[n];
        if (phase->modify || phase->always || phase->edge_writes.bits) return false;
    }
    return !p->loose;
}

static void draw_options(drawn_case *c, bool off)
{
    static const char *const transports[] = { "fence",    "pscw",    "passive",    "shared",
                                              "blocking", "overlap", "persistent", "neighbor" };
    static const char *const partitioners[] = { "block", "random", "metis" };
    static const pen_order orders[] = { PEN_ORDER_NATURAL, PEN_ORDER_RCM };
    c->options = (pen_run_options){ .seed = c->program->seed };
    c->options.transport = transports[draw_below(&c->state, 8)];
    c->options.partitioner = partitioners[draw_below(&c->state, 3)];
    c->options.order = orders[draw_below(&c->state, 2)];
    c->options.active = off ? PEN_ACTIVE_OFF : PEN_ACTIVE_AUTO;
    if (draw_below(&c->state, 3) == 0 && can_be_quiet(c->program)) c->options.until = "quiet";
    c->options.debug.strict = draw_below(&c->state, 30) == 0;
    if (draw_below(&c->state, 3) == 0 && !c->program->directed && !c->program->phase[c->program->phases - 1].modifies) {
        const int every = 1 + (int)draw_below(&c->state, 9);
        snprintf(c->when, sizeof c->when, "every:%d%s", every, draw_below(&c->state, 2) ? ":always" : "");
        c->options.balance = (pen_balance_options){ "diffusive", c->when,
                                                    .load = c->program->costs ? PEN_LOAD_DECLARED : PEN_LOAD_MEASURED };
    }
}

/* ---- Events between steps -------------------------------------------------------------------------------- */

/* New records of some nodes, some of which are as they were; each from any rank. */
static pen_status put(drawn_case *c)
{
    const drawn_program *p = c->program;
    const int f = draw_below(&c->state, p->fields), part = 1 + draw_below(&c->state, 12);
    const size_t size = (size_t)p->field[f].size;
    pen_gid gids[DRAWN_NODES];
    uint8_t *records = malloc(DRAWN_NODES * size);
    int64_t count = 0;
    for (int i = 0; i < DRAWN_NODES; i++) {
        uint8_t *record = c->world->records[f][i];
        const int state = draw_below(&c->state, 8), from = draw_below(&c->state, c->ranks);
        if (!c->world->there[i] || draw_below(&c->state, part) > 0) continue;
        if (state < 7) {
            drawn_record(p, f, i, state, record);
            c->world->changed[f][i] = c->world->events + 1;
        }
        if (from != c->rank) continue;
        gids[count] = drawn_gid(p, i);
        memcpy(records + (size_t)count++ * size, record, size);
    }
    const pen_status status = pen_run_put(c->run, f, count, gids, records);
    free(records);
    if (c->world->step == 0) drawn_world_observe_first(c->world);
    return status;
}

typedef struct asking {
    const drawn_case *c;
    const drawn_request *requests;
    int count;
} asking;

static void ask(pen_changes *changes, void *context)
{
    const asking *a = context;
    for (int k = 0; k < a->count; k++)
        if (a->requests[k].asker % a->c->ranks == a->c->rank) drawn_ask(a->c->program, &a->requests[k], changes);
}

static pen_status change(drawn_case *c)
{
    drawn_request requests[DRAWN_REQUESTS];
    const int count = drawn_requests(c->world, c->state, requests);
    asking a = { c, requests, count };
    drawn_world_change(c->world, requests, count);
    if (c->world->step == 0 && count > 0) drawn_world_observe_first(c->world);
    return pen_run_change(c->run, ask, &a);
}

static pen_status set_globals(drawn_case *c)
{
    if (!c->program->observes) return PEN_OK;
    c->world->globals.total = draw_below(&c->state, 1000);
    return pen_run_set_globals(c->run, &c->world->globals);
}

static pen_status resume(drawn_case *c)
{
    const pen_status status = pen_run_save(c->run, c->folder);
    if (status != PEN_OK) return status;
    pen_run_destroy(&c->run);
    return pen_run_load(c->comm, c->folder, &c->program->app, &c->options, &c->run);
}

static pen_status happen(drawn_case *c, event what)
{
    switch (what) {
    case MIGRATE: {
        const double part = draw_below(&c->state, 3) ? 0.1 : 0.7;
        return pen_run_migrate_random(c->run, c->state, part);
    }
    case PUT: return put(c);
    case CHANGE: return change(c);
    case SET_GLOBALS: return set_globals(c);
    case RESUME: return resume(c);
    case BALANCE: return c->options.balance.balancer ? pen_run_balance(c->run) : PEN_OK;
    default: return PEN_OK;
    }
}

/* ---- The comparison ------------------------------------------------------------------------------------ */

static bool same_real(double a, double b) { return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b); }

static void compare_observables(drawn_case *c)
{
    const drawn_world *w = c->world;
    const pen_run *run = c->run;
    for (int k = 0; k < DRAWN_COMPONENTS; k++)
        if (pen_run_observed_int(run, PEN_COMPONENT(DRAWN_STATES, k)) != w->states[k])
            complain(c, "a bin of the histogram");
    if (pen_run_observed_int(run, DRAWN_LEAST) != w->least) complain(c, "the least number");
    if (pen_run_observed_int(run, DRAWN_MOST) != w->most) complain(c, "the largest number");
    if (!same_real(pen_run_observed_real(run, DRAWN_SUM), w->sum)) complain(c, "the sum of reals");
    if (!same_real(pen_run_observed_real(run, DRAWN_LOW), w->low)) complain(c, "the lowest real");
    if (!same_real(pen_run_observed_real(run, DRAWN_HIGH), w->high)) complain(c, "the highest real");
    if (w->program->observing >= 0 && w->step > 0 && pen_run_observed_int(run, DRAWN_BEFORE) != w->before)
        complain(c, "the sum before a phase");
    const drawn_globals *globals = pen_run_globals(run);
    if (globals->total != w->globals.total) complain(c, "the globals");
}

static void compare(drawn_case *c)
{
    const drawn_program *p = c->program;
    const pen_local local = pen_run_local(c->run);
    int64_t nodes = 0;
    for (int i = 0; i < DRAWN_NODES; i++) nodes += c->world->there[i];
    if (pen_run_nodes(c->run) != nodes) complain(c, "the number of nodes");
    for (pen_lid s = 0; s < local.count; s++) {
        const int i = drawn_index(p, local.gids[s]);
        if (i < 0 || i >= DRAWN_NODES || !c->world->there[i]) {
            complain(c, "a node that does not exist");
            continue;
        }
        for (int f = 0; f < p->fields; f++) {
            const size_t size = (size_t)p->field[f].size;
            if (memcmp((const char *)local.fields[f] + (size_t)s * size, c->world->records[f][i], size) != 0)
                complain(c, "node %d, field %d", i, f);
        }
    }
    if (p->observes) compare_observables(c);
}

/* ---- A case -------------------------------------------------------------------------------------------- */

/* Whether the run has ended because nothing changes. */
static bool is_quiet(const drawn_case *c)
{
    const int64_t step = c->world->step;
    return c->options.until && step > 0 && step % 16 == 0 && !c->world->stirred;
}

/* Steps with what happens before them. */
static pen_status advance(drawn_case *c)
{
    drawn_program *p = c->program;
    const int what = draw_below(&c->state, 24);
    const pen_status status = happen(c, what < EVENTS ? (event)what : NOTHING);
    if (status != PEN_OK) return status;
    int steps = draw_below(&c->state, 8) ? 1 : 1 + draw_below(&c->state, 20);
    p->request_count = 0;
    if (p->phase[p->phases - 1].modifies && draw_below(&c->state, 6) == 0) {
        p->request_count = drawn_requests(c->world, c->state, p->requests);
        steps = 1;
    }
    for (int i = 0; i < steps && !is_quiet(c); i++) drawn_world_step(c->world);
    const pen_status stepped = pen_run_steps(c->run, steps);
    if (pen_run_step(c->run) != c->world->step) complain(c, "the run ends at step %" PRId64, pen_run_step(c->run));
    return stepped;
}

/* On a rank with a difference the others go on with it, so that none waits. */
static pen_status go_through(drawn_case *c)
{
    pen_status status = begin(c);
    const int turns = 10 + draw_below(&c->state, 40);
    if (status == PEN_OK) compare(c);
    for (int t = 0; t < turns && status == PEN_OK && !is_quiet(c); t++) {
        status = advance(c);
        if (status == PEN_OK) compare(c);
    }
    return status;
}

/* Collective. A folder of the case's own, for checkpoints and input. */
static void begin_folder(drawn_case *c, const char *folder)
{
    snprintf(c->folder, sizeof c->folder, "%s/%" PRIu64, folder, c->seed);
    if (c->rank == 0 && mkdir(c->folder, 0777) != 0) complain(c, "no folder %s", c->folder);
    MPI_Barrier(c->comm);
}

static void end_folder(const drawn_case *c)
{
    if (c->rank > 0) return;
    DIR *folder = opendir(c->folder);
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;)
        (void)unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder) closedir(folder);
    rmdir(c->folder);
}

bool drawn_case_run(MPI_Comm comm, uint64_t seed, const char *folder, bool off, drawn_tally *tally)
{
    drawn_case c = { .comm = comm, .seed = seed, .state = scramble(seed, 3) };
    c.program = malloc(sizeof *c.program);
    c.world = malloc(sizeof *c.world);
    MPI_Comm_rank(comm, &c.rank);
    MPI_Comm_size(comm, &c.ranks);
    drawn_program_draw(seed, c.program);
    drawn_world_begin(c.program, c.world);
    draw_options(&c, off);
    begin_folder(&c, folder);
    const pen_status status = go_through(&c);
    if (status != PEN_OK) complain(&c, "%s: %s", pen_status_name(status), pen_error_message());
    if (c.complaint[0])
        fprintf(stderr, "seed %" PRIu64 ", --active=%s, rank %d of %d: %s\n", seed, off ? "off" : "auto", c.rank,
                c.ranks, c.complaint);
    if (tally) tally->computed += c.world->computed, tally->needed += c.world->needed;
    int wrong = c.complaint[0] != 0;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, comm);
    pen_run_destroy(&c.run);
    end_folder(&c);
    free(c.program);
    free(c.world);
    return !wrong;
}

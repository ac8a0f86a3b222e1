/* wrong - an application that does what it must not, when asked, for the tests: a node's value depends
 * on where the node lies or on how many ranks there are, memory is lost, or a rank dies. $WRONG_NAME, if it is set, is
 * its name. */
#include <penumbra.h>

#include <signal.h>
#include <stdlib.h>

typedef struct {
    int64_t value;
} cell;
enum { CELL, LOG };
enum { LETTER };

typedef struct {
    const char *fault;
    int64_t kill_at;
    int ranks;
} parameters;

static void *volatile lost;

static void init(const pen_view *v)
{
    PEN_NEXT(v, CELL, cell)->value = pen_id(v);
    *PEN_NEXT(v, LOG, int32_t) = 0;
    const char *fault = ((const parameters *)pen_params(v))->fault;
    if (strcmp(fault, "short") == 0 && pen_id(v) == 7) *PEN_SEND(v, LETTER, int32_t, 0) = 1;
}

static void step(const pen_view *v)
{
    const parameters *p = (const parameters *)pen_params(v);
    int64_t value = PEN_SELF(v, CELL, cell)->value;
    for (int32_t i = 0; i < pen_degree(v); i++) value = (value * 31 + PEN_NEIGHBOR(v, CELL, cell, i)->value) % 1000003;
    if (strcmp(p->fault, "field") == 0) value += *PEN_NEIGHBOR(v, LOG + 1, int32_t, 0);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(p->fault, "slot") == 0) value += v->slot;
    if (strcmp(p->fault, "ranks") == 0) value += rank;
    if (strcmp(p->fault, "leak") == 0) lost = malloc(10);
    if (pen_step(v) == p->kill_at && rank == p->ranks - 1) raise(SIGKILL);
    PEN_NEXT(v, CELL, cell)->value = value;
    if (strcmp(p->fault, "log") != 0 || pen_id(v) != 7) *PEN_NEXT(v, LOG, int32_t) = 1;
}
PEN_SWEEP(step)

/* A node without coordinates. */
static void bear(const pen_view *v, pen_changes *changes)
{
    enum { NEW = 1000000 };
    if (pen_id(v) == 0 && pen_step(v) == 2) {
        pen_new_node *born = pen_add_node(changes, NEW, 1);
        PEN_FIRST(born, CELL, cell)->value = 7;
        *PEN_FIRST(born, LOG, int32_t) = 1;
        pen_add_edge(changes, 0, NEW, 1);
    }
    pen_keep(v, CELL);
}

static void print(const pen_view *v, FILE *out) { fprintf(out, "%" PRId64, PEN_SELF(v, CELL, cell)->value); }

static const char *setup(void *params, const pen_world *world)
{
    ((parameters *)params)->ranks = world->ranks;
    return NULL;
}

enum { NODES, DEGREES };
static bool has_fault(const pen_view *v, const char *name)
{
    return strcmp(((const parameters *)pen_params(v))->fault, name) == 0;
}

/* DEGREES has two components, the second of which a number beyond the observables must not hit. */
static void observe_degree(const pen_view *v, pen_observation *o)
{
    if (has_fault(v, "component")) pen_observe_int(o, PEN_COMPONENT(DEGREES, 2), 1);
    pen_observe_int(o, DEGREES + has_fault(v, "beyond"), pen_degree(v));
}
PEN_OBSERVE_SWEEP(observe_degree)

static void observe(const pen_view *v, pen_observation *o)
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pen_observe_int(o, NODES, has_fault(v, "count") && rank > 0 ? 2 : 1);
    if (has_fault(v, "belongs")) observe_degree(v, o);
}
PEN_OBSERVE_SWEEP(observe)

static bool done(const pen_run *run, const void *params)
{
    const char *fault = ((const parameters *)params)->fault;
    if (strcmp(fault, "index") == 0) return pen_run_observed_int(run, 2) > 0;
    if (strcmp(fault, "kind") == 0) return pen_run_observed_real(run, NODES) > 0.0;
    return strcmp(fault, "done") == 0 && pen_run_step(run) == 2;
}

/* Looks at its nodes itself. */
static pen_status output(pen_run *run, int64_t step, void *params, FILE *out)
{
    int32_t sum = 0;
    if (strcmp(((const parameters *)params)->fault, "log") != 0) return PEN_OK;
    const pen_local local = pen_run_local(run);
    for (pen_lid i = 0; i < local.count; i++) sum += ((const int32_t *)local.fields[LOG])[i];
    return sum >= 0 ? PEN_OK : PEN_ERR_INTERNAL;
}

static const char *check(const pen_run *run, const void *params)
{
    static int steps;
    bool broken = strcmp(((const parameters *)params)->fault, "law") == 0 && ++steps == 2;
    return broken && pen_run_observed_int(run, NODES) > 0 ? "the law is broken" : NULL;
}

int main(int argc, char **argv)
{
    static parameters p = { .fault = "none", .kill_at = -1 };
    static const pen_option options[] = {
        { "fault", "NAME",
          "none, slot, ranks, law, leak, count, belongs, beyond, component, index, kind, log, field, birth, short or "
          "done (which is none)",
          PEN_OPTION_TEXT, (void *)&p.fault, 0, 0 },
        { "kill-at", "STEP", "the last rank dies in this step", PEN_OPTION_INT, &p.kill_at, 0, INT64_MAX },
        { .name = NULL },
    };
    static const pen_field fields[] = { { .name = "cell", .size = sizeof(cell) },
                                        { .name = "log", .size = sizeof(int32_t) } };
    static const pen_member members[] = { PEN_MEMBER(CELL, cell, value, PEN_I64) };
    static const pen_phase phases[] = { { "step", .sweep = step_sweep, .reads = PEN_SET(CELL),
                                          .writes = PEN_SET(CELL, LOG), .observe = observe_degree_sweep,
                                          .observes = PEN_SET(DEGREES) },
                                        { "bear", .modify = bear, .writes = PEN_SET(CELL) } };
    static const pen_observable observables[] = {
        [NODES] = { "nodes", PEN_SUM_INT, 1 }, [DEGREES] = { "degrees", PEN_SUM_INT, 2 }
    };
    static const pen_mail mails[] = { [LETTER] = { .name = "letter", .size = sizeof(cell) } };
    const char *name = getenv("WRONG_NAME");
    static pen_app app = { .name = "wrong",
                           PEN_FIELDS(fields),
                           .output = { .print = print, PEN_MEMBERS(members), .write = output },
                           PEN_PHASES(phases),
                           PEN_MAILS(mails),
                           .init = init,
                           .options = options,
                           PEN_OBSERVABLES(observables, observe_sweep),
                           .check = check,
                           .end.done = done,
                           .params = &p,
                           .setup = setup,
                           .end.steps = 30 };
    if (name) app.name = name;
    app.phases.count = 1;
    app.mails.count = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--fault=birth") == 0) app.phases.count = 2;
        if (strcmp(argv[i], "--fault=short") == 0) app.mails.count = 1;
    }
    return pen_main(&app, argc, argv);
}

/* nbody_test - bodies under gravity have, bit for bit, the serial result (nbody_oracle.h), with its tree, its far cells
 * and every node's neighbours: for every transport with every balancer, with random migrations, with bodies that fly
 * from cell to cell, branches that grow and vanish, and fewer nodes than ranks; and mistakes are refused.
 * pen_mpi_test(LINK pen_nbody) */
#include "apps/nbody/nbody.h"
#include "halo/connect.h"
#include "tests/support/nbody_cases.h"
#include "tests/support/nbody_oracle.h"
#include "tests/support/world.h"

#include <unistd.h>

typedef struct body_case {
    const char *name;
    cases_kind kind;
    int64_t count, cell_max, steps;
    double delta, dt, cube;
    bool drawn;  /* by the application */
    bool strict; /* computed in the strict mode as well */
} body_case;

static const body_case cases[] = {
    { "balls", CASES_BALLS, 200, 5, 4, 0.7, 0.1, 0.0, false, false },
    { "a cube", CASES_CUBE, 150, 4, 3, 1.5, 0.3, 0.0, false, false },
    { "a burst", CASES_BURST, 150, 5, 4, 1.0, 0.1, 32.0, false, false },
    { "a crash", CASES_CRASH, 160, 6, 5, 0.9, 0.1, 64.0, false, false },
    { "on faces", CASES_FACES, 150, 5, 3, 0.8, 0.1, 4.0, false, false },
    { "near everything", CASES_CUBE, 100, 8, 3, 0.4, 0.1, 0.0, false, false },
    { "far from everything", CASES_CUBE, 100, 4, 3, 50.0, 0.1, 0.0, false, false },
    { "two levels", CASES_ONE_LEAF, 10, 8, 4, 0.7, 0.3, 8.0, false, true },
    { "one leaf", CASES_ONE_LEAF, 7, 8, 4, 0.7, 0.3, 8.0, false, false },
    { "one body", CASES_CUBE, 1, 1, 3, 0.7, 0.1, 0.0, false, false },
    { "drawn", CASES_CUBE, 128, 6, 4, 0.7, 0.1, 32.0, true, false },
};
enum { DRAWN_SEED = 3 };

/* ---- The command line of a run ---------------------------------------------------------------- */

static char bodies_file[256], dump_file[280];

enum { MOST_WORDS = 24, WORD = 300 };

typedef struct command_line {
    int argc;
    char words[MOST_WORDS][WORD], *argv[MOST_WORDS + 1];
} command_line;

__attribute__((format(printf, 2, 3))) static void add_word(command_line *l, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(l->words[l->argc], WORD, format, arguments);
    va_end(arguments);
    l->argv[l->argc] = l->words[l->argc];
    l->argc++;
}

static void begin_line(command_line *l)
{
    memset(l, 0, sizeof *l);
    add_word(l, "nbody");
    add_word(l, "--quiet");
}

/* The path of the application's bodies. */
static void write_bodies(const bodies_set *set)
{
    MPI_Barrier(MPI_COMM_WORLD);
    FILE *out = check_rank() == 0 ? fopen(bodies_file, "w") : NULL;
    for (int64_t i = 0; out && i < set->count; i++) {
        const bodies_body *b = &set->bodies[i];
        fprintf(out, "%.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", b->mass, b->place[0], b->place[1], b->place[2],
                b->velocity[0], b->velocity[1], b->velocity[2]);
    }
    if (out) fclose(out);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* What settings and a command line lead to. */
typedef struct started {
    nbody settings;
    pen_app app;
    pen_options *options;
    pen_run *run;
} started;

/* The first failure, be it in reading the line, in making the graph, or in making the run. */
static pen_status start(started *s, const nbody *settings, command_line *l)
{
    pen_graph *graph = NULL;
    *s = (started){ .settings = *settings };
    s->app = pen_nbody_app(&s->settings);
    pen_status status = pen_options_parse(&s->app, l->argc, l->argv, &s->options);
    if (status == PEN_OK) status = pen_options_graph(s->options, MPI_COMM_WORLD, &graph);
    if (status == PEN_OK) status = pen_options_create_run(s->options, MPI_COMM_WORLD, graph, &s->run);
    pen_graph_destroy(&graph);
    return status;
}

static void end(started *s)
{
    pen_run_destroy(&s->run);
    pen_options_destroy(&s->options);
    pen_nbody_free(&s->settings);
}

/* ---- Comparing -------------------------------------------------------------------------------- */

/* The first word that differs, with the line that it is in. */
static void tell_difference(const char *found, const char *expected)
{
    int line = 1, word = 1;
    const char *begin = expected, *from = found, *to = expected;
    size_t same = 0;
    for (; found[same] && found[same] == expected[same]; same++) {
        if (expected[same] == '\n') {
            begin = expected + same + 1;
            line++;
            word = 0;
        }
        if (expected[same] == ' ' || expected[same] == '\n') {
            from = found + same + 1;
            to = expected + same + 1;
            word++;
        }
    }
    fprintf(stderr, "    line %d, of node %.*s: word %d is %.*s, expected %.*s\n", line, (int)strcspn(begin, " \n"),
            begin, word, (int)strcspn(from, " \n"), from, (int)strcspn(to, " \n"), to);
}

static void compare(pen_run *run, const char *truth)
{
    CHECK_STATUS(pen_run_dump(run, dump_file), PEN_OK);
    if (check_rank() != 0) return;
    char *text = read_file(dump_file);
    bool equal = strcmp(text, truth) == 0;
    CHECK(equal);
    if (!equal && check_failures <= 10) tell_difference(text, truth);
    free(text);
    unlink(dump_file);
}

/* ---- Ways of running -------------------------------------------------------------------------- */

typedef struct way {
    const char *transport, *partitioner, *balancer;
    int migrates; /* seed of random migrations, 0: none */
    bool strict, verified;
} way;

static nbody settings_of(const body_case *c)
{
    static char number[32];
    nbody s = NBODY_DEFAULTS;
    snprintf(number, sizeof number, "%" PRId64, c->count);
    s.bodies = c->drawn ? number : bodies_file;
    s.cell_max = c->cell_max;
    s.delta = c->delta;
    s.dt = c->dt;
    s.cube = c->cube;
    return s;
}

static void run_way(const body_case *c, way w, const char *truth)
{
    command_line l;
    started s;
    int failures = check_failures;
    const nbody settings = settings_of(c);
    begin_line(&l);
    add_word(&l, "--steps=%" PRId64, c->steps);
    add_word(&l, "--seed=%d", DRAWN_SEED);
    add_word(&l, "--comm=%s", w.transport);
    add_word(&l, "--partitioner=%s", w.partitioner);
    add_word(&l, "--balancer=%s", w.balancer);
    add_word(&l, "--balance-when=every:2:always");
    add_word(&l, "--load=declared");
    if (w.migrates) add_word(&l, "--migrate-random=%d:0.3", w.migrates);
    if (w.strict) add_word(&l, "--check");
    if (w.verified) add_word(&l, "--verify");
    pen_status status = start(&s, &settings, &l);
    if (status == PEN_ERR_ENVIRONMENT) {
        check_leave_out("--comm=%s: %s", w.transport, pen_error_message());
    } else {
        CHECK_STATUS(status, PEN_OK);
        if (status == PEN_OK) CHECK_STATUS(pen_run_steps(s.run, c->steps), PEN_OK);
        if (status == PEN_OK) compare(s.run, truth);
        if (status == PEN_OK && w.verified) CHECK_STATUS(pen_options_report(s.options, s.run), PEN_OK);
    }
    if (check_failures > failures && failures < 10 && check_rank() == 0)
        fprintf(stderr, "    in: %s, --comm=%s --balancer=%s --partitioner=%s, migrations %d\n", c->name, w.transport,
                w.balancer, w.partitioner, w.migrates);
    end(&s);
}

/* The final bodies of the case, on rank 0. */
static char *compute_truth(const body_case *c, const bodies_set *set)
{
    const nbody settings = settings_of(c);
    if (check_rank() != 0) return NULL;
    oracle o = oracle_create(&settings, set);
    for (int64_t i = 0; i < c->steps; i++) oracle_step(&o);
    if (o.wrong[0]) fprintf(stderr, "%s: %s\n", c->name, o.wrong);
    CHECK(!o.wrong[0]);
    char *text = oracle_dump(&o);
    oracle_free(&o);
    return text;
}

static void run_case(const body_case *c)
{
    static const char *const partitioners[] = { "metis", "block", "random:seed=3" };
    static const char *const balancers[] = { "none",  "diffusive", "central", "metis",
                                             "minex", "scotch",    "none",    "pagrid" };
    enum { BALANCERS = PEN_COUNT_OF(balancers) };
    bodies_set set = { NULL, 0 };
    if (!c->drawn) set = cases_place(c->kind, c->count, 5);
    else CHECK(!pen_bodies_draw(c->count, DRAWN_SEED, &set));
    char *truth = compute_truth(c, &set);
    write_bodies(&set);
    int turn = (int)(c - cases), ways = 0, size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int every = size > 2 ? 8 : turn < 5 ? 3 : 4;
    for (int t = 0; pen_transports[t]; t++) {
        if ((t + turn) % every != size % every) continue; /* cases share the transports */
        int b = (t + turn / 2) % BALANCERS;
        run_way(c,
                (way){ pen_transports[t]->name, partitioners[(t + turn) % 3], balancers[b], b % 2 ? 0 : t + 1,
                       c->strict && ways == 0, ways == 0 },
                truth);
        ways++;
    }
    free(truth);
    free(set.bodies);
}

/* ---- Mistakes --------------------------------------------------------------------------------- */

/* Refused at some point, within five steps at the latest, with a sentence that says `part`. */
static void refuse(const nbody *settings, const char *option, const char *part)
{
    started s;
    command_line l;
    begin_line(&l);
    add_word(&l, "--steps=5");
    if (option) add_word(&l, "%s", option);
    pen_status status = start(&s, settings, &l);
    if (status == PEN_OK) status = pen_run_steps(s.run, 5);
    if (status != PEN_ERR_INPUT && status != PEN_ERR_CHECK) CHECK_STATUS(status, PEN_ERR_INPUT);
    else CHECK_CONTAINS(pen_error_message(), part);
    end(&s);
}

static void refuse_settings(void)
{
    static const struct {
        int64_t cell_max;
        double delta, dt, softening, cube;
        const char *bodies, *part;
    } wrong[] = {
        { 0, 0.7, 0.1, 0.05, 32.0, "64", "--cell-max" },
        { NBODY_MOST + 1, 0.7, 0.1, 0.05, 32.0, "64", "--cell-max" },
        { 8, 0.0, 0.1, 0.05, 32.0, "64", "--delta" },
        { 8, -0.7, 0.1, 0.05, 32.0, "64", "--delta" },
        { 8, NAN, 0.1, 0.05, 32.0, "64", "--delta" },
        { 8, INFINITY, 0.1, 0.05, 32.0, "64", "--delta" },
        { 8, 0.7, NAN, 0.05, 32.0, "64", "--dt" },
        { 8, 0.7, INFINITY, 0.05, 32.0, "64", "--dt" },
        { 8, 0.7, 0.1, 0.0, 32.0, "64", "--softening" },
        { 8, 0.7, 0.1, -0.05, 32.0, "64", "--softening" },
        { 8, 0.7, 0.1, NAN, 32.0, "64", "--softening" },
        { 8, 0.7, 0.1, 0.05, 3.0, "64", "--cube" },
        { 8, 0.7, 0.1, 0.05, -2.0, "64", "--cube" },
        { 8, 0.7, 0.1, 0.05, NAN, "64", "--cube" },
        { 8, 0.7, 0.1, 0.05, INFINITY, "64", "--cube" },
        { 8, 0.7, 0.1, 0.05, 0.25, "64", "--cube" },
        { 8, 0.7, 0.1, 0.05, 32.0, "7", "--bodies" },
        { 8, 0.7, 0.1, 0.05, 32.0, "0", "--bodies" },
        { 8, 0.7, 0.1, 0.05, 32.0, "/no/such/file", "/no/such/file" },
    };
    for (int i = 0; i < PEN_COUNT_OF(wrong); i++) {
        const nbody settings = { .bodies = wrong[i].bodies,
                                 .cell_max = wrong[i].cell_max,
                                 .delta = wrong[i].delta,
                                 .dt = wrong[i].dt,
                                 .softening = wrong[i].softening,
                                 .cube = wrong[i].cube };
        refuse(&settings, NULL, wrong[i].part);
    }
    const nbody right = NBODY_DEFAULTS;
    refuse(&right, "--generate=hex:3x3", "own graph");
}

static void refuse_bodies(const bodies_body *bodies, int64_t count, int64_t cell_max, double cube, const char *part)
{
    nbody settings = NBODY_DEFAULTS;
    bodies_body copies[8];
    memcpy(copies, bodies, (size_t)count * sizeof *bodies);
    write_bodies(&(bodies_set){ copies, count });
    settings.bodies = bodies_file;
    settings.dt = 0.5;
    settings.cell_max = cell_max;
    settings.cube = cube;
    refuse(&settings, NULL, part);
}

/* A place, and a velocity along x. */
#define BODY(x, y, z, velocity)                              \
    {                                                        \
        { (x), (y), (z) }, { (velocity), 0.0, 0.0 }, 0x1p-60 \
    }

static void refuse_files(void)
{
    static const bodies_body one_point[] = { BODY(0.3, 0.3, 0.3, 0.0), BODY(0.3, 0.3, 0.3, 0.0),
                                             BODY(0.3, 0.3, 0.3, 0.0) },
                             meeting[] = { BODY(0.3, 0.3, 0.3, 0.0), BODY(1.3, 0.3, 0.3, -1.0) },
                             leaving[] = { BODY(0.3, 0.3, 0.3, 0.0), BODY(1.3, 0.3, 0.3, 4.0) },
                             outside[] = { BODY(0.3, 0.3, 0.3, 0.0), BODY(4.0, 0.3, 0.3, 0.0) };
    const bodies_body nowhere[] = { BODY(0.3, 0.3, 0.3, 0.0), BODY(NAN, 0.3, 0.3, 0.0) };
    refuse_bodies(one_point, 3, 2, 0.0, "close together");
    refuse_bodies(meeting, 2, 1, 0.0, "close together");
    refuse_bodies(leaving, 2, 16, 4.0, "body 1");
    refuse_bodies(outside, 2, 16, 4.0, "body 1");
    refuse_bodies(nowhere, 2, 16, 4.0, bodies_file);
}

CHECKS()
{
    int process = (int)getpid();
    MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(bodies_file, sizeof bodies_file, "%s/nbody_test.%d", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp",
             process);
    snprintf(dump_file, sizeof dump_file, "%s.dump", bodies_file);
    for (int i = 0; i < PEN_COUNT_OF(cases); i++) RUN(run_case(&cases[i]));
    RUN(refuse_settings());
    RUN(refuse_files());
    if (check_rank() == 0) unlink(bodies_file);
}

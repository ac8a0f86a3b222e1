/* halves.c - a program with a main and communicators of its own, which uses the public headers only. The ranks are cut
 * in two halves; each runs the same application at the same time, with parameters and records of its own size. Then all
 * ranks together have two such runs and step them in turn. Each is compared with a loop over plain arrays. All options
 * of Penumbra's programs are understood, and --depth=N: how many values a node remembers in the first half. */
#include <penumbra.h>

#include <stdlib.h>

enum { WIDTH = 9, HEIGHT = 6, NODES = WIDTH * HEIGHT, LONGEST = 16 };

typedef struct parameters {
    int64_t depth; /* values that a record has, the newest first */
    double rate;
} parameters;

enum { MEMORY };

static double first_value(pen_gid gid) { return (double)(gid * gid % 17); }

static void init(const pen_view *v)
{
    const parameters *p = (const parameters *)pen_params(v);
    double *next = (double *)pen_next_record(v, MEMORY);
    for (int64_t k = 0; k < p->depth; k++) next[k] = first_value(pen_id(v));
}

/* The newest value moves towards the oldest ones of the neighbours. */
static void follow(const pen_view *v)
{
    const parameters *p = (const parameters *)pen_params(v);
    const double *self = (const double *)pen_self_record(v, MEMORY);
    double *next = (double *)pen_next_record(v, MEMORY);
    double pull = 0.0;
    for (int32_t i = 0; i < pen_degree(v); i++)
        pull += ((const double *)pen_neighbor_record(v, MEMORY, i))[p->depth - 1] - self[0];
    for (int64_t k = p->depth - 1; k > 0; k--) next[k] = self[k - 1];
    next[0] = self[0] + p->rate * pull;
}

static void print(const pen_view *v, FILE *out) { fprintf(out, "%.17g", *(const double *)pen_self_record(v, MEMORY)); }

static const char *setup(void *params, const pen_world *world)
{
    const parameters *p = (const parameters *)params;
    if (p->depth < 1 || p->depth > LONGEST) return "--depth must be from 1 to 16";
    world->field_sizes[MEMORY] = (size_t)p->depth * sizeof(double);
    return NULL;
}

/* ---- The same serially -------------------------------------------------------------------------- */

static double serial[NODES][LONGEST];

static void compute(const parameters *p, int64_t steps)
{
    static double next[NODES][LONGEST];
    for (int i = 0; i < NODES; i++)
        for (int64_t k = 0; k < p->depth; k++) serial[i][k] = first_value(i);
    for (int64_t s = 0; s < steps; s++) {
        for (int i = 0; i < NODES; i++) {
            double pull = 0.0;
            if (i >= WIDTH) pull += serial[i - WIDTH][p->depth - 1] - serial[i][0];
            if (i % WIDTH > 0) pull += serial[i - 1][p->depth - 1] - serial[i][0];
            if (i % WIDTH < WIDTH - 1) pull += serial[i + 1][p->depth - 1] - serial[i][0];
            if (i < NODES - WIDTH) pull += serial[i + WIDTH][p->depth - 1] - serial[i][0];
            for (int64_t k = p->depth - 1; k > 0; k--) next[i][k] = serial[i][k - 1];
            next[i][0] = serial[i][0] + p->rate * pull;
        }
        memcpy(serial, next, sizeof serial);
    }
}

/* How many of this rank's nodes have another record than they should. */
static int compare(const pen_run *run, const parameters *p)
{
    pen_local local = pen_run_local(run);
    const double *records = (const double *)local.fields[MEMORY];
    int wrong = 0;
    compute(p, pen_run_step(run));
    for (pen_lid i = 0; i < local.count; i++)
        wrong += memcmp(records + i * p->depth, serial[local.gids[i]], (size_t)p->depth * sizeof(double)) != 0;
    return wrong;
}

/* ---- The program ---------------------------------------------------------------------------------- */

static const pen_field fields[] = { { .name = "memory", .size = 0 } };
static const pen_phase phases[] = { { "follow", .node = follow, .reads = PEN_SET(MEMORY), .writes = PEN_SET(MEMORY) } };

/* Each half by itself, as the command line wants it. */
static pen_status run_half(pen_options *options, MPI_Comm comm, const parameters *p, int *wrong)
{
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    pen_status status = pen_options_graph(options, comm, &graph);
    if (status == PEN_OK) status = pen_options_create_run(options, comm, graph, &run);
    pen_graph_destroy(&graph);
    if (status == PEN_OK) status = pen_run_steps(run, pen_options_of_run(options)->steps);
    if (status == PEN_OK) status = pen_options_report(options, run);
    if (status == PEN_OK) *wrong += compare(run, p);
    pen_run_destroy(&run);
    return status;
}

/* Two runs of all ranks, in turn. */
static pen_status run_in_turn(pen_app app, pen_options *options, parameters *both, int *wrong)
{
    pen_graph *graph = NULL;
    pen_run *runs[2] = { NULL, NULL };
    pen_status status = pen_options_graph(options, MPI_COMM_WORLD, &graph);
    for (int r = 0; status == PEN_OK && r < 2; r++) {
        app.params = &both[r];
        status = pen_run_create(MPI_COMM_WORLD, graph, &app, NULL, &runs[r]);
    }
    pen_graph_destroy(&graph);
    for (int s = 0; s < 10; s++)
        for (int r = 0; status == PEN_OK && r < 2; r++) status = pen_run_steps(runs[r], 1 + r);
    for (int r = 0; r < 2; r++) {
        if (status == PEN_OK) *wrong += compare(runs[r], &both[r]);
        pen_run_destroy(&runs[r]);
    }
    return status;
}

int main(int argc, char **argv)
{
    static parameters p = { .depth = 3, .rate = 0.05 };
    static const pen_option own[] = {
        { "depth", "N", "values that a node remembers (3)", PEN_OPTION_INT, &p.depth, 0, 0 },
        { .name = NULL },
    };
    parameters both[2];
    pen_app app = { .name = "halves",
                    PEN_FIELDS(fields),
                    PEN_PHASES(phases),
                    .init = init,
                    .output.print = print,
                    .graph.spec = "generate=mesh:9x6",
                    .options = own,
                    .setup = setup };
    pen_options *options = NULL;
    MPI_Comm half;
    int rank, wrong = 0, any = 0, result;
    pen_environment_prepare();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    app.params = &both[rank % 2];
    pen_status status = pen_options_parse(&app, argc, argv, &options);
    if (status == PEN_OK && !pen_options_answer(options, MPI_COMM_WORLD)) {
        both[0] = p;
        both[1] = (parameters){ .depth = 1 + p.depth % 5, .rate = 0.125 };
        status = run_half(options, half, &both[rank % 2], &wrong);
        int failed = status != PEN_OK, halves;
        MPI_Allreduce(&failed, &halves, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (!halves) status = run_in_turn(app, options, both, &wrong);
    }
    if (status != PEN_OK && rank < 2) fprintf(stderr, "halves: %s\n", pen_error_message());
    if (wrong) fprintf(stderr, "halves: rank %d: %d records differ from the serial loop's\n", rank, wrong);
    pen_options_destroy(&options);
    result = wrong ? 1 : pen_exit_status(status);
    MPI_Allreduce(&result, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return any;
}

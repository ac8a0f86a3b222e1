/* coupled - two plates in contact: the right side of one, which is hot, touches the left side of the other, which is
 * cold. Each is a run of its own, with its own graph, like two models from different authors.
 *
 * It shows: a program with its own main, and handles. Between two steps rank 0 reads the temperatures of the side where
 * they touch from each run (pen_run_fetch), on whatever rank these nodes are, and writes them to the other run
 * (pen_run_put). */
#include <penumbra.h>

#include <math.h>

enum { WIDTH = 40, HEIGHT = 60, STEPS = 2000 };
/* Fields: the node's own temperature, and that of the other plate at the contact; NaN: there is no contact. */
enum { TEMPERATURE, OUTSIDE };

typedef struct plate {
    double start;    /* initial temperature */
    int64_t contact; /* column that touches the other plate */
    const char *picture;
    pen_run *run;
} plate;

static void init(const pen_view *v)
{
    *PEN_NEXT(v, TEMPERATURE, double) = ((const plate *)pen_params(v))->start;
    *PEN_NEXT(v, OUTSIDE, double) = NAN;
}

static void conduct(const pen_view *v)
{
    double here = *PEN_SELF(v, TEMPERATURE, double), outside = *PEN_SELF(v, OUTSIDE, double), flow = 0.0;
    for (int32_t i = 0; i < pen_degree(v); i++) flow += *PEN_NEIGHBOR(v, TEMPERATURE, double, i) - here;
    if (!isnan(outside)) flow += outside - here;
    *PEN_NEXT(v, TEMPERATURE, double) = here + 0.2 * flow;
}
PEN_SWEEP(conduct)

static void print(const pen_view *v, FILE *out) { fprintf(out, "%.17g", *PEN_SELF(v, TEMPERATURE, double)); }

static const pen_field fields[] = { { .name = "temperature", .size = sizeof(double) },
                                    { .name = "outside", .size = sizeof(double) } };
static const pen_phase phases[] = { { "conduct", .sweep = conduct_sweep, .reads = PEN_SET(TEMPERATURE),
                                      .writes = PEN_SET(TEMPERATURE) } };
static const pen_app app = {
    .name = "coupled", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init, .output.print = print
};

/* Collective. Exchange the temperatures of the sides. Only rank 0 reads and writes; other ranks pass no nodes. */
static pen_status exchange(const plate plates[2], int rank)
{
    int64_t count = rank == 0 ? HEIGHT : 0;
    double sides[2][HEIGHT];
    pen_gid gids[2][HEIGHT];
    bool found[HEIGHT];
    pen_status status = PEN_OK;
    for (int i = 0; i < 2 && status == PEN_OK; i++) {
        for (int64_t row = 0; row < HEIGHT; row++) gids[i][row] = row * WIDTH + plates[i].contact;
        status = pen_run_fetch(plates[i].run, TEMPERATURE, count, gids[i], sides[i], found);
    }
    for (int i = 0; i < 2 && status == PEN_OK; i++)
        status = pen_run_put(plates[i].run, OUTSIDE, count, gids[i], sides[1 - i]);
    return status;
}

/* Collective. Create the graph and the run of a plate. */
static pen_status create(plate *mine)
{
    pen_graph *graph = NULL;
    char grid[32];
    const pen_run_options options = { .steps = STEPS };
    pen_app own = app;
    own.params = mine;
    snprintf(grid, sizeof grid, "mesh:%dx%d", WIDTH, HEIGHT);
    pen_status status = pen_graph_generate(MPI_COMM_WORLD, grid, &graph);
    if (status == PEN_OK) status = pen_run_create(MPI_COMM_WORLD, graph, &own, &options, &mine->run);
    pen_graph_destroy(&graph);
    return status;
}

int main(int argc, char **argv)
{
    plate plates[2] = { { 100.0, WIDTH - 1, "left.txt", NULL }, { 0.0, 0, "right.txt", NULL } };
    int rank;
    pen_environment_prepare();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pen_status status = create(&plates[0]);
    if (status == PEN_OK) status = create(&plates[1]);
    for (int step = 0; step < STEPS && status == PEN_OK; step++) {
        status = exchange(plates, rank);
        if (status == PEN_OK) status = pen_run_steps(plates[0].run, 1);
        if (status == PEN_OK) status = pen_run_steps(plates[1].run, 1);
    }
    for (int i = 0; i < 2 && status == PEN_OK; i++) status = pen_run_dump(plates[i].run, plates[i].picture);
    if (status != PEN_OK && rank == 0) fprintf(stderr, "coupled: %s\n", pen_error_message());
    for (int i = 0; i < 2; i++) pen_run_destroy(&plates[i].run);
    MPI_Finalize();
    return pen_exit_status(status);
}

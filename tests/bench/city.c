/* city.c - agents who flock into a city: how long steps take with a balancer, and without.
 *
 *     mpirun --oversubscribe -n 8 city_bench [--side=N] [--city=N] [--steps=N] [--samples=N]
 *
 * One agent begins on each of N x N places, and walks to a place of its own in a square of M x M near a corner, which
 * it reaches along its row and its column, one place in a step. Each agent takes 100 us in each step, in which the
 * place leaves the core to other ranks: so a few cores measure many ranks. Runs with and without the balancer diffusive
 * take turns; their results must be equal. Printed are the seconds of all steps with declared loads (agents of a place)
 * and with measured ones, and their ratios to those without a balancer. */
#include "tests/bench/bench.h"

#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

static int64_t side = 48, city = 12, steps = 100, samples = 3;

typedef struct agent {
    int32_t x, y; /* where it goes */
} agent;
enum { AGENT };
typedef struct place {
    int64_t visits;
} place;
enum { PLACE };

static void init(const pen_view *v)
{
    PEN_NEXT(v, PLACE, place)->visits = 0;
    agent *one = PEN_SEND(v, AGENT, agent, pen_id(v));
    one->x = (int32_t)(side / 8 + pen_random_below(v, 0, city));
    one->y = (int32_t)(side / 8 + pen_random_below(v, 1, city));
}

static void walk(const pen_view *v)
{
    const int64_t agents = pen_mail_count(v, AGENT), x = pen_id(v) % side, y = pen_id(v) / side;
    if (agents > 0) nanosleep(&(struct timespec){ 0, 100000 * agents }, NULL);
    for (int64_t i = 0; i < agents; i++) {
        const agent one = *PEN_MAIL(v, AGENT, agent, i);
        const int64_t right = (one.x > x) - (one.x < x), down = right ? 0 : (one.y > y) - (one.y < y);
        *PEN_SEND(v, AGENT, agent, pen_id(v) + right + side * down) = one;
    }
    PEN_NEXT(v, PLACE, place)->visits = PEN_SELF(v, PLACE, place)->visits + agents;
}
PEN_SWEEP(walk)

static double cost(const pen_view *v) { return (double)pen_mail_count(v, AGENT); }
PEN_COST_SWEEP(cost)

static const pen_mail mails[] = { { .name = "agent", .size = sizeof(agent) } };
static const pen_field fields[] = { { "place", sizeof(place), .plain = true } };
static const pen_phase phases[] = {
    { "walk", .sweep = walk_sweep, .writes = PEN_SET(PLACE), .receives = PEN_SET(AGENT), .sends = PEN_SET(AGENT),
      .cost = cost_sweep },
};
static const pen_app app = { .name = "city", PEN_FIELDS(fields), PEN_MAILS(mails), PEN_PHASES(phases), .init = init };

static double compute(const char *balancer, pen_load_kind load, uint64_t *sum)
{
    char spec[64];
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    snprintf(spec, sizeof spec, "mesh:%" PRId64 "x%" PRId64, side, side);
    bench_require(pen_graph_generate(MPI_COMM_WORLD, spec, &graph), spec);
    const pen_run_options options = { .balance = { .balancer = balancer, .load = load } };
    bench_require(pen_run_create(MPI_COMM_WORLD, graph, &app, &options, &run), app.name);
    pen_graph_destroy(&graph);
    const double seconds = bench_steps(run, steps, app.name) * (double)steps;
    bench_require(pen_run_checksum(run, sum), app.name);
    pen_run_destroy(&run);
    return seconds;
}

int main(int argc, char **argv)
{
    const pen_option options[] = {
        { "side", "N", "there are N x N places (48)", PEN_OPTION_INT, &side, 2, 1 << 14 },
        { "city", "N", "the city has N x N places (12)", PEN_OPTION_INT, &city, 1, 1 << 14 },
        { "steps", "N", "timed steps (100)", PEN_OPTION_INT, &steps, 1, 1000000 },
        { "samples", "N", "samples of a row (3)", PEN_OPTION_INT, &samples, 1, 1000 },
        { .name = NULL },
    };
    bench_start(argc, argv, options);
    prctl(PR_SET_TIMERSLACK, 1000);
    double *times[3] = { bench_room(samples), bench_room(samples), bench_room(samples) };
    for (int64_t i = 0; i < samples; i++) {
        uint64_t sums[3];
        times[0][i] = compute("none", PEN_LOAD_DECLARED, &sums[0]);
        times[1][i] = compute("diffusive", PEN_LOAD_DECLARED, &sums[1]);
        times[2][i] = compute("diffusive", PEN_LOAD_MEASURED, &sums[2]);
        if (sums[0] != sums[1] || sums[0] != sums[2]) bench_require(PEN_ERR_CHECK, "the results differ");
    }
    if (bench_rank == 0) {
        printf("%" PRId64 " agents; seconds of %" PRId64 " steps, and ratios to none\n", side * side, steps);
        for (int k = 0; k < 3; k++) {
            const bench_summary ratio = bench_ratios(times[k], times[0], (int)samples);
            printf("%-20s %8.3f  %.3f [%.3f, %.3f]\n",
                   (const char *[]){ "none", "diffusive, declared", "diffusive, measured" }[k],
                   bench_summarize(times[k], (int)samples).median, ratio.median, ratio.min, ratio.max);
        }
    }
    for (int k = 0; k < 3; k++) free(times[k]);
    return MPI_Finalize();
}

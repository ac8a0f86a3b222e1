/* balance_virtual.c - what the diffusive balancer achieves on virtual ranks, beside METIS from scratch in the same
 * run.
 *
 *     balance_virtual_bench [--case=NAME] [--width=N] [--first=N] [--side=N] [--threads=N] [--horizon=X]
 *                           [--alone] [--settings=KEY=VALUE,...]
 *
 * Both begin with the same owners, then each follows its own. METIS's parts are renamed so that as many nodes as
 * possible stay (exactly, by the library's assignment); its time is that of METIS alone.
 *
 * Cases: disc (a hot disc crosses a square of N x N hexagons, as wide as an eighth of it and as the applications have
 * it), linear (time against nodes), start, phases, ranks, shock (a front crosses a grid), random (loads move in random
 * graphs: the cut beside METIS's from scratch, and beside METIS's repartition with at most as many moves in all, which
 * is the best of 13 weights of staying), opposite (a step has two phases, which load opposite halves of N x N ranks'
 * nodes: its time / that of equal shares of both), and hot and half
 * (a rank, or half of the ranks, have more load, on N x N ranks of 256 nodes from --first=, 8, doubled up to --side=,
 * on so many threads: bytes that a rank sends for the flow and for the whole plan; --alone: without METIS, whose parts
 * to rename takes memory as the square of the ranks, but with the memory that was the most). Default: all. */
#include "base/hash.h"
#include "base/memory.h"
#include "rebalance/balancers.h"
#include "rebalance/diffusive/flow.h"
#include "tests/bench/bench.h"
#include "tests/bench/virtual.h"

#include <math.h>
#include <stdlib.h>

/* The same world with owners of its own, which the caller frees. */
static pen_virtual_world rival_of(const pen_virtual_world *w)
{
    pen_virtual_world rival = *w;
    rival.owners = bench_new_parts(w);
    memcpy(rival.owners, w->owners, (size_t)w->nodes * sizeof *w->owners);
    return rival;
}

/* METIS's next owners; returns how many nodes move. */
static int64_t metis_balance(pen_virtual_world *w, double *seconds)
{
    int32_t *parts = bench_new_parts(w);
    bench_metis(w, parts, seconds);
    return bench_take_parts(w, parts);
}

static void start_with_metis(pen_virtual_world *w)
{
    double seconds;
    bench_metis(w, w->owners, &seconds);
}

/* The balancer's settings. */
static const char *settings = "";

static pen_virtual_outcome balance(pen_virtual_world *w)
{
    pen_virtual_outcome o;
    bench_require(pen_virtual_world_balance(w, &pen_balancer_diffusive, settings, NULL, false, &o), "diffusive");
    return o;
}

static void print(const char *name, const pen_virtual_world *w, pen_quality before, pen_virtual_outcome o)
{
    pen_quality q = bench_measure(w);
    printf("%-24s P=%-5d n=%-8d imbalance %7.3f -> %.4f two-sided %.4f (bound %.3f) cut %7" PRId64 " -> %-7" PRId64
           " pieces %" PRId64 " empty %d moved %4.1f %% rounds %d CPU %.3f s (slowest rank %.4f) exchanges %" PRId64
           " reductions %" PRId64 " bytes/rank %.0f (max %" PRId64 ")\n",
           name, w->ranks, w->nodes, before.imbalance, q.imbalance, q.two_sided, q.bound, before.cut, q.cut, q.pieces,
           q.empty, 100.0 * (double)o.moved / w->nodes, o.rounds, o.seconds, o.slowest, o.exchanges, o.reductions,
           (double)o.bytes / w->ranks, o.max_bytes);
    fflush(stdout);
}

/* One call, beside METIS. */
static void call(const char *name, pen_virtual_world *w, pen_virtual_world *rival)
{
    pen_quality before = bench_measure(w);
    double seconds;
    int64_t moved = metis_balance(rival, &seconds);
    pen_quality theirs = bench_measure(rival);
    print(name, w, before, balance(w));
    pen_quality ours = bench_measure(w);
    printf("%-24s METIS from scratch: imbalance %.4f cut %" PRId64 " pieces %" PRId64
           " moved %4.1f %% CPU %.3f s; cut ratio %.3f\n",
           "", theirs.imbalance, theirs.cut, theirs.pieces, 100.0 * (double)moved / w->nodes, seconds,
           (double)ours.cut / fmax(1.0, (double)theirs.cut));
    fflush(stdout);
}

static void call_once(const char *name, pen_virtual_world *w)
{
    pen_virtual_world rival = rival_of(w);
    call(name, w, &rival);
    free(rival.owners);
    pen_virtual_world_free(w);
}

static void disc(int width, double radius, bool verbose)
{
    enum { POSITIONS = 20 };
    pen_virtual_world w;
    bench_require(pen_virtual_hex(8, width, width, &w), "grid");
    start_with_metis(&w);
    pen_virtual_world rival = rival_of(&w);
    double worst = 0.0, worst_over_bound = 0.0, worst_cut = 0.0, cut = 0.0, metis_cut = 0.0, seconds = 0.0,
           metis_seconds = 0.0;
    int64_t moved = 0, metis_moved = 0, pieces = 0;
    for (int k = 0; k < POSITIONS; k++) {
        bench_heat_disc(&w, width, width * (k + 0.5) / POSITIONS, width / 2.0, radius * width);
        pen_quality before = bench_measure(&w);
        double one;
        metis_moved += metis_balance(&rival, &one);
        metis_seconds += one;
        pen_quality theirs = bench_measure(&rival);
        pen_virtual_outcome o = balance(&w);
        pen_quality ours = bench_measure(&w);
        if (verbose) print("disc", &w, before, o);
        if (verbose) printf("   METIS: imbalance %.4f cut %" PRId64 " CPU %.3f\n", theirs.imbalance, theirs.cut, one);
        seconds += o.seconds;
        moved += o.moved;
        pieces += ours.pieces;
        cut += (double)ours.cut;
        metis_cut += (double)theirs.cut;
        worst = fmax(worst, ours.imbalance);
        worst_over_bound = fmax(worst_over_bound, ours.imbalance / ours.bound);
        worst_cut = fmax(worst_cut, (double)ours.cut / (double)theirs.cut);
    }
    printf("disc of radius %g W, %dx%d, 8 ranks, %d positions: worst imbalance %.4f (%.4f of the bound); cut / METIS "
           "mean %.3f worst %.3f; moved / METIS %.3f (%.1f %% of the nodes a call, METIS %.1f %%); CPU %.3f s, METIS "
           "%.3f s a call, ratio %.3f; pieces %" PRId64 "\n",
           radius, width, width, POSITIONS, worst, worst_over_bound, cut / metis_cut, worst_cut,
           (double)moved / (double)metis_moved, 100.0 * (double)moved / POSITIONS / w.nodes,
           100.0 * (double)metis_moved / POSITIONS / w.nodes, seconds / POSITIONS, metis_seconds / POSITIONS,
           seconds / metis_seconds, pieces);
    fflush(stdout);
    free(rival.owners);
    pen_virtual_world_free(&w);
}

static void linear(void)
{
    static const int widths[] = { 100, 178, 316, 562, 1000 };
    for (int i = 0; i < PEN_COUNT_OF(widths); i++) {
        pen_virtual_world w;
        bench_require(pen_virtual_hex(8, widths[i], widths[i], &w), "grid");
        start_with_metis(&w);
        double least = HUGE_VAL;
        pen_virtual_outcome o;
        bench_heat_disc(&w, widths[i], widths[i] * 0.475, widths[i] / 2.0, widths[i] / 8.0);
        balance(&w);
        bench_heat_disc(&w, widths[i], widths[i] * 0.525, widths[i] / 2.0, widths[i] / 8.0);
        int32_t *owners = bench_new_parts(&w);
        memcpy(owners, w.owners, (size_t)w.nodes * sizeof *owners);
        for (int k = 0; k < 3; k++) {
            memcpy(w.owners, owners, (size_t)w.nodes * sizeof *owners);
            o = balance(&w);
            least = fmin(least, o.seconds);
        }
        printf("linear: n=%-8d CPU %.4f s over all ranks, %.3f us a node, moved %.1f %%\n", w.nodes, least,
               1e6 * least / w.nodes, 100.0 * (double)o.moved / w.nodes);
        free(owners);
        pen_virtual_world_free(&w);
    }
}

static void start(void)
{
    static const int widths[] = { 32, 100, 300 };
    for (int i = 0; i < PEN_COUNT_OF(widths); i++) {
        pen_virtual_world w;
        bench_require(pen_virtual_hex(8, widths[i], widths[i], &w), "grid");
        memset(w.owners, 0, (size_t)w.nodes * sizeof *w.owners);
        call_once("all on rank 0", &w);
    }
}

/* `side` x `side` ranks in blocks of 16 x 16 nodes. */
static void blocks(pen_virtual_world *w, int side)
{
    bench_require(pen_virtual_hex(side * side, 16 * side, 16 * side, w), "grid");
    for (int32_t i = 0; i < w->nodes; i++) w->owners[i] = i / (16 * side) / 16 * side + i % (16 * side) / 16;
}

/* Solve for the first flow alone, as the balancer does; the steps go where rounds go. */
static pen_status solve_flow(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *plan)
{
    plan_team team;
    plan_state s = { .team = &team };
    int32_t *to = NULL;
    pen_status status = pen_team_create(peers, peers->size, &team);
    if (status == PEN_OK) status = PEN_ALLOC(&to, view->count);
    for (pen_lid i = 0; i < view->count && status == PEN_OK; i++) to[i] = peers->rank;
    const plan_items items = { .view = *view, .to = to };
    if (status == PEN_OK) team.shares[0] = (plan_share){ .speed = 1.0, .pinned = -1 };
    if (status == PEN_OK) status = pen_state_create(&team, &items, &s);
    double mean = status == PEN_OK ? s.parts[0].load / peers->size : 0.0;
    if (status == PEN_OK) status = peers->reduce(peers, 1, &mean, 0, NULL);
    team.shares[0].load = mean;
    if (status == PEN_OK) status = pen_flow_solve(&s, 0.005 * mean, false, &plan->rounds);
    pen_state_free(&s);
    pen_team_free(&team);
    free(to);
    return status;
}

static void print_flow(const pen_virtual_world *w, int side)
{
    static const pen_balancer flow = { .name = "flow", .plan = solve_flow };
    pen_virtual_world copy = *w;
    pen_virtual_outcome o;
    bench_require(pen_virtual_world_balance(&copy, &flow, "", NULL, false, &o), "flow");
    printf("%-24s P=%-5d %d steps, at least %d links across, ratio %.2f; bytes/rank %.0f (max %" PRId64
           "), %.1f a step; CPU %.3f s\n",
           "first flow", w->ranks, o.rounds, side - 1, (double)o.rounds / (side - 1), (double)o.bytes / w->ranks,
           o.max_bytes, (double)o.bytes / w->ranks / o.rounds, o.seconds);
}

static void call_alone(const char *name, pen_virtual_world *w)
{
    pen_quality before = bench_measure(w);
    double start = MPI_Wtime();
    pen_virtual_outcome o = balance(w);
    double seconds = MPI_Wtime() - start;
    print(name, w, before, o);
    printf("%-24s %.2f s by the clock on %d threads, at most %.0f MiB so far\n", "", seconds, w->threads,
           bench_memory("/proc/self/status", "VmHWM:") / (1 << 20));
    fflush(stdout);
    pen_virtual_world_free(w);
}

/* Of the cases with many ranks: square roots of their numbers. */
typedef struct extent {
    int64_t first, last, threads;
    bool alone;
} extent;

/* The rank in the middle, or the left half of them, has more load. */
static void hot(const extent *e, bool half)
{
    const char *name = half ? "half of the machine" : "hot spot";
    for (int side = (int)(e->first < e->last ? e->first : e->last); side <= e->last; side *= 2) {
        pen_virtual_world w;
        blocks(&w, side);
        w.threads = (int)e->threads;
        int middle = side / 2 * side + side / 2;
        for (int32_t i = 0; i < w.nodes; i++) {
            if (half) w.loads[i] = w.owners[i] % side < side / 2 ? 3.0 : 1.0;
            else w.loads[i] = w.owners[i] == middle ? 10.0 : 1.0;
        }
        print_flow(&w, side);
        if (e->alone) call_alone(name, &w);
        else call_once(name, &w);
    }
}

/* Sum over two phases of the greatest load, divided by that of equal shares. */
static double step_time(const pen_virtual_world *w)
{
    double *sums, most[2] = { 0.0 };
    bench_require(PEN_ALLOC_ZERO(&sums, 2 * (int64_t)w->ranks), "sums");
    for (int64_t i = 0; i < 2 * (int64_t)w->nodes; i++) {
        double *sum = &sums[2 * (int64_t)w->owners[i / 2] + i % 2];
        *sum += w->phase_loads[i];
        most[i % 2] = fmax(most[i % 2], *sum);
    }
    free(sums);
    return (most[0] + most[1]) * w->ranks / w->nodes;
}

static void opposite(const extent *e)
{
    const struct {
        const char *name;
        const pen_balancer *balancer;
        const char *settings;
    } all[] = { { "diffusive", &pen_balancer_diffusive, "" },
                { "metis", &pen_balancer_metis, "phases=yes,seed=1" },
                { "sums", &pen_balancer_diffusive, "phases=no" } };
    for (int side = (int)(e->first < e->last ? e->first : e->last); side <= e->last; side *= 2)
        for (int k = 0; k < PEN_COUNT_OF(all); k++) {
            pen_virtual_world w;
            pen_virtual_outcome o;
            double *loads;
            blocks(&w, side);
            w.threads = (int)e->threads;
            bench_require(PEN_ALLOC(&loads, 2 * (int64_t)w.nodes), "loads");
            for (int32_t i = 0; i < w.nodes; i++) {
                loads[2 * i] = i < w.nodes / 2;
                loads[2 * i + 1] = 1.0 - loads[2 * i];
            }
            w.phases = 2;
            w.phase_loads = loads;
            bench_require(pen_virtual_world_balance(&w, all[k].balancer, all[k].settings, NULL, false, &o), "plan");
            pen_quality q = bench_measure(&w);
            printf("opposite halves, %-10s P=%-5d n=%-8d step/ideal %.4f cut -> %-7" PRId64
                   " moved %4.1f %% exchanges %" PRId64 " reductions %" PRId64 "\n",
                   all[k].name, w.ranks, w.nodes, step_time(&w), q.cut, 100.0 * (double)o.moved / w.nodes, o.exchanges,
                   o.reductions);
            fflush(stdout);
            free(loads);
            pen_virtual_world_free(&w);
        }
}

static void ranks(void)
{
    pen_virtual_world w;
    bench_require(pen_virtual_hex(64, 128, 128, &w), "grid");
    start_with_metis(&w);
    bench_heat_disc(&w, 128, 40, 64, 16);
    call_once("hex, disc", &w);
    for (int from = 0; from < 2; from++) {
        bench_require(pen_virtual_rmat(64, 14, 100000, 7, &w), "rmat");
        if (from) start_with_metis(&w);
        for (int32_t i = 0; i < w.nodes; i++) w.loads[i] = w.nodes / 4 < i && i < w.nodes / 2 ? 10.0 : 1.0;
        call_once(from ? "rmat, from METIS" : "rmat, from blocks", &w);
    }
}

static void phases(void)
{
    pen_virtual_world w;
    bench_require(pen_virtual_hex(16, 32, 32, &w), "grid");
    start_with_metis(&w);
    pen_virtual_world rival = rival_of(&w);
    for (int k = 0; k < 6; k++) {
        for (int32_t i = 0; i < w.nodes; i++)
            w.loads[i] = i >= k % 3 * w.nodes / 4 && i < k % 3 * w.nodes / 4 + w.nodes / 2 ? 10.0 : 1.0;
        call("three phases", &w, &rival);
    }
    free(rival.owners);
    pen_virtual_world_free(&w);
}

static double shock_load(double off)
{
    if (off < 2.0) return 16.0;
    return off < 6.0 ? 4.0 : 1.0;
}

/* A front in the shape of a cubic crosses a grid; nodes on it weigh 16, those near it 4. */
static void shock(double horizon, bool alone)
{
    pen_virtual_world w;
    bench_require(pen_virtual_hex(8, 80, 80, &w), "grid");
    start_with_metis(&w);
    w.horizon = horizon;
    pen_virtual_world rival = rival_of(&w);
    for (int k = 0; k < 31; k++) {
        for (int32_t i = 0; i < w.nodes; i++) {
            double y = (double)(i / 80) / 40.0 - 1.0;
            w.loads[i] = shock_load(fabs(i % 80 - 2.0 * k - 10.0 - 8.0 * (y * y * y)));
        }
        if (alone) print("shock", &w, bench_measure(&w), balance(&w));
        else call("shock", &w, &rival);
    }
    free(rival.owners);
    pen_virtual_world_free(&w);
}

/* ---- Random graphs --------------------------------------------------------------------------- */

enum { CALLS = 20 };

/* The load of a node at a call: a window moves over the nodes; the hot half changes; loads change here and there. */
static double random_load(const char *kind, const pen_virtual_world *w, int32_t i, int call)
{
    if (strcmp(kind, "window") == 0)
        return (i + w->nodes - call * (w->nodes / CALLS)) % w->nodes < w->nodes / 4 ? 10.0 : 1.0;
    if (strcmp(kind, "half") == 0) return (i < w->nodes / 2) == (call / 5 % 2 > 0) ? 10.0 : 1.0;
    const uint64_t dice = pen_mix((uint64_t)i);
    return 1.0 + (double)(pen_mix(dice + (uint64_t)((call + (int)(dice % 10)) / 10)) % 10);
}

/* METIS's repartition with the best cut, of those that move at most so many nodes; of others the one that moves fewest
 * ones. Returns how many nodes move. */
static int64_t metis_within(pen_virtual_world *w, int64_t most)
{
    enum { EDGE = 16, FIRST = 2, LAST = 64 };
    pen_virtual_world best = { .nodes = 0 };
    int64_t best_moved = 0, best_cut = 0;
    for (int stay = FIRST; stay <= LAST; stay += stay / 4 + 1) {
        pen_virtual_world one = rival_of(w);
        int32_t *parts = bench_new_parts(w);
        bench_metis_near(w, EDGE, stay, parts);
        const int64_t moved = bench_take_parts(&one, parts), cut = bench_measure(&one).cut;
        const bool fits = moved <= most;
        if (best.nodes == 0 || (fits ? best_moved > most || cut < best_cut : moved < best_moved)) {
            free(best.owners);
            best = one;
            best_moved = moved;
            best_cut = cut;
        } else {
            free(one.owners);
        }
    }
    free(w->owners);
    w->owners = best.owners;
    return best_moved;
}

typedef struct path {
    pen_virtual_world world;
    int64_t moved;
    double cut, worst; /* sum of the cuts, and the largest imbalance */
} path;

static void note(path *p, int64_t moved)
{
    const pen_quality q = bench_measure(&p->world);
    p->moved += moved;
    p->cut += (double)q.cut;
    p->worst = fmax(p->worst, q.imbalance);
}

/* Calls on one graph: diffusive, METIS from scratch, and METIS with as many moves as diffusive so far. */
static double random_calls(int ranks, const char *kind)
{
    path ours = { .moved = 0 }, scratch = ours, near = ours;
    bench_require(pen_virtual_random(ranks, 4096, 4 * 4096, 7, &ours.world), "random graph");
    ours.world.horizon = 5.0;
    for (int32_t i = 0; i < ours.world.nodes; i++) ours.world.loads[i] = random_load(kind, &ours.world, i, 0);
    start_with_metis(&ours.world);
    scratch.world = rival_of(&ours.world);
    near.world = rival_of(&ours.world);
    for (int call = 1; call <= CALLS; call++) {
        double seconds;
        for (int32_t i = 0; i < ours.world.nodes; i++) ours.world.loads[i] = random_load(kind, &ours.world, i, call);
        note(&ours, balance(&ours.world).moved);
        note(&scratch, metis_balance(&scratch.world, &seconds));
        note(&near, metis_within(&near.world, ours.moved - near.moved));
    }
    printf("random graph, %-7s P=%-3d n=%d: cut / METIS %.3f (moved / METIS %.3f), at equal moves %.3f (moved %.3f); "
           "moved %.1f %% of the nodes a call, worst imbalance %.3f, METIS %.3f, %.3f\n",
           kind, ranks, ours.world.nodes, ours.cut / scratch.cut, (double)ours.moved / (double)scratch.moved,
           ours.cut / near.cut, (double)ours.moved / (double)near.moved,
           100.0 * (double)ours.moved / CALLS / ours.world.nodes, ours.worst, scratch.worst, near.worst);
    fflush(stdout);
    PEN_FREE_ALL(scratch.world.owners, near.world.owners);
    pen_virtual_world_free(&ours.world);
    return ours.cut / near.cut;
}

static void random_graphs(void)
{
    static const char *const kinds[] = { "window", "half", "noise" };
    double sum = 0.0;
    for (int ranks = 16; ranks <= 64; ranks *= 4)
        for (int k = 0; k < PEN_COUNT_OF(kinds); k++) sum += log(random_calls(ranks, kinds[k]));
    printf("random graphs, cut / METIS's at equal moves: geometric mean %.3f\n", exp(sum / (2 * PEN_COUNT_OF(kinds))));
}

int main(int argc, char **argv)
{
    const char *name = "";
    int64_t width = 1000;
    double horizon = 100.0;
    extent many = { .first = 8, .last = 64, .threads = 2 };
    const pen_option options[] = {
        { "case", "NAME", "disc, linear, start, hot, half, opposite, ranks, random, phases or shock; default all",
          PEN_OPTION_TEXT, &name, 0, 0 },
        { "width", "N", "of the disc's grid (1000)", PEN_OPTION_INT, &width, 10, 4000 },
        { "side", "N", "square root of the most ranks of hot, half and opposite (64)", PEN_OPTION_INT, &many.last, 2,
          128 },
        { "first", "N", "square root of the fewest (8)", PEN_OPTION_INT, &many.first, 2, 128 },
        { "threads", "N", "that they run on (2)", PEN_OPTION_INT, &many.threads, 1, 64 },
        { "settings", "KEY=VALUE,...", "of diffusive", PEN_OPTION_TEXT, &settings, 0, 0 },
        { "horizon", "X", "steps that a plan of shock serves (100)", PEN_OPTION_REAL, &horizon, 0, 0 },
        { "alone", NULL, "hot, half and shock without METIS", PEN_OPTION_FLAG, &many.alone, 0, 0 },
        { .name = NULL },
    };
    bench_start(argc, argv, options);
    bool all = *name == '\0';
    for (int k = 0; k < 2 && (all || strcmp(name, "disc") == 0); k++) disc((int)width, k == 0 ? 0.125 : 0.2, !all);
    if (all || strcmp(name, "linear") == 0) linear();
    if (all || strcmp(name, "start") == 0) start();
    if (all || strcmp(name, "phases") == 0) phases();
    if (all || strcmp(name, "ranks") == 0) ranks();
    if (all || strcmp(name, "hot") == 0) hot(&many, false);
    if (all || strcmp(name, "half") == 0) hot(&many, true);
    if (all || strcmp(name, "opposite") == 0) opposite(&many);
    if (all || strcmp(name, "random") == 0) random_graphs();
    if (all || strcmp(name, "shock") == 0) shock(horizon, many.alone);
    MPI_Finalize();
    return 0;
}

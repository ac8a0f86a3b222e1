/* minex.c - MinEX beside METIS and Scotch on the graphs and grids of Harvey, Das and Biswas (Performance of a
 * heterogeneous grid partitioner for N-body applications), and what they print.
 *
 *     minex_bench [--table=1|2|5|6] [--bodies=16384|262144] [--seed=N] [--repeats=N] [--cost=edge|rank]
 *
 * All partitions are measured in the model, of graph G and of minex.h: processing + max(0, receiving - theta *
 * processing), with theta 0 and 1. Our graphs have about as many vertices and edges as theirs, but three times the
 * work: absolute times cannot be compared, ratios can.
 *
 *   1  heaviest loads by ThroT, UP, 8 clusters, 16 K bodies. Diffusive, from all vertices on processor 0: only from
 *      there, or the like, load must go from fast processors to slow ones, and the shape is theirs
 *   2  calls of the filter, from the same start
 *   5  seconds, the least of --repeats, of runs in turn, UP, 8 clusters, I = 10
 *   6  heaviest loads and imbalances, all 72 grids. METIS with speeds and Scotch get their best: METIS's ufactor 1, 10
 *      and 30, Scotch's imbalance 0.01 and 0.05, the least of these in each row
 */
#include "base/memory.h"
#include "base/options.h"
#include "tests/bench/bench.h"
#include "tests/bench/minex_rivals.h"
#include "view/machine.h"

#include <math.h>
#include <stdlib.h>

enum { FEW = 16384, MANY = 262144 };

static int64_t only_table, only_bodies, seed = 1, repeats = 5;
static const char *cost_name = "edge";
static pen_minex_cost cost;

typedef struct inputs {
    bodies_graph directed, mutual; /* G and G_M */
    pen_minex_graph g, gm;
    int32_t *part;
} inputs;

static inputs make_inputs(int32_t bodies)
{
    inputs in;
    bench_require(bodies_graph_create(bodies, (uint64_t)seed, &in.directed), "graph");
    bench_require(bodies_graph_create(bodies, (uint64_t)seed, &in.mutual), "graph");
    bodies_graph_mutual(&in.mutual);
    in.g = bodies_graph_view(&in.directed);
    in.gm = bodies_graph_view(&in.mutual);
    bench_require(PEN_ALLOC(&in.part, in.g.count), "memory");
    double work = 0.0;
    for (int32_t v = 0; v < in.g.count; v++) work += in.g.work[v];
    printf("%d bodies, seed %" PRId64 ": %" PRId32 " vertices, %" PRId64 " edges, work %.4g\n", bodies, seed,
           in.g.count, in.g.rows[in.g.count] / 2, work);
    return in;
}

static void free_inputs(inputs *in)
{
    bodies_graph_free(&in->directed);
    bodies_graph_free(&in->mutual);
    free(in->part);
}

static void set_owners(inputs *in, int32_t owner)
{
    for (int32_t v = 0; v < in->g.count; v++) in->directed.owners[v] = owner;
}

static pen_machine *make_machine(const char *kind, int processors, int clusters, int between)
{
    char spec[64];
    pen_machine *machine;
    snprintf(spec, sizeof spec, "clusters:%d,between=%d,kind=%s", clusters, between, kind);
    bench_require(pen_machine_generate(spec, processors, &machine), "machine");
    return machine;
}

static const double thetas[] = { 0.0, 1.0 };

static pen_minex_settings make_settings(int theta, bool diffusive)
{
    pen_minex_settings s = pen_minex_defaults(diffusive);
    if (theta > 0) s.tolerance = pen_minex_overlap;
    s.context = &thetas[theta];
    s.cost = cost;
    return s;
}

static pen_minex_metrics measure(const inputs *in, const pen_machine *m, const pen_minex_settings *s)
{
    pen_minex_metrics metrics;
    bench_require(pen_minex_measure(&in->g, m, s, in->part, &metrics, NULL, NULL), "model");
    return metrics;
}

/* ---- Table 1 --------------------------------------------------------------------------------------- */

static void print_table_1(void)
{
    static const struct {
        double throt;
        int theirs[3][2];
    } rows[] = {
        { 0, { { 1157, 1353 }, { 907, 830 }, { 606, 583 } } },  { 2, { { 777, 1345 }, { 457, 829 }, { 221, 465 } } },
        { 8, { { 758, 1347 }, { 426, 813 }, { 221, 465 } } },   { 32, { { 760, 1347 }, { 398, 794 }, { 213, 465 } } },
        { 128, { { 755, 1347 }, { 402, 789 }, { 204, 465 } } }, { 512, { { 755, 1347 }, { 402, 790 }, { 206, 465 } } }
    };
    inputs in = make_inputs(FEW);
    set_owners(&in, 0);
    printf("Table 1: heaviest load in thousands, diffusive from all on processor 0 (in brackets theirs)\n"
           "theta ThroT");
    for (int i = 0; i < 6; i++) printf("   P=%-3d I=%-3d       ", 32 << i / 2, i % 2 ? 100 : 10);
    printf("\n");
    for (int theta = 0; theta < 2; theta++)
        for (int r = 0; r < PEN_COUNT_OF(rows); r++) {
            printf("%-5g %-5g", thetas[theta], rows[r].throt);
            for (int i = 0; i < 6; i++) {
                pen_machine *m = make_machine("UP", 32 << i / 2, 8, i % 2 ? 100 : 10);
                pen_minex_settings s = make_settings(theta, true);
                pen_minex_metrics metrics;
                s.throt = rows[r].throt;
                bench_require(pen_minex_partition(&in.g, m, &s, in.part, &metrics, NULL), "MinEX");
                printf("  %10.0f (%5d)", metrics.heaviest / 1000.0, rows[r].theirs[i / 2][i % 2]);
                pen_machine_destroy(&m);
            }
            printf("\n");
        }
    free_inputs(&in);
}

/* ---- Table 2 --------------------------------------------------------------------------------------- */

static void print_table_2(int32_t bodies)
{
    static const struct {
        int processors, theirs[2][3];
    } rows[] = { { 8, { { 6011, 110, 0 }, { 25183, 222, 0 } } },
                 { 128, { { 19192, 2562, 0 }, { 51876, 4608, 1 } } },
                 { 1024, { { 18555, 2790, 7 }, { 35605, 12639, 2 } } } };
    inputs in = make_inputs(bodies);
    set_owners(&in, 0);
    printf("Table 2: calls of the filter, those that pass, and fail then, I = 10, UP, theta 0 (in brackets theirs)\n");
    for (int r = 0; r < PEN_COUNT_OF(rows); r++) {
        pen_machine *m = make_machine("UP", rows[r].processors, 8, 10);
        pen_minex_settings s = make_settings(0, true);
        pen_minex_counts n;
        const int *theirs = rows[r].theirs[bodies > FEW];
        bench_require(pen_minex_partition(&in.g, m, &s, in.part, NULL, &n), "MinEX");
        printf("P=%-5d total %8" PRId64 " (%6d)  pass %7" PRId64 " (%6d)  fail %5" PRId64 " (%2d)\n",
               rows[r].processors, n.total, theirs[0], n.pass, theirs[1], n.fail, theirs[2]);
        pen_machine_destroy(&m);
    }
    free_inputs(&in);
}

/* ---- Table 5 --------------------------------------------------------------------------------------- */

static double time_of(inputs *in, const pen_machine *m, int who)
{
    pen_minex_settings s = make_settings(0, false);
    double start = MPI_Wtime();
    if (who == 2) rival_metis(&in->mutual, m, false, 30, in->part);
    else bench_require(pen_minex_partition(who == 0 ? &in->g : &in->gm, m, &s, in->part, NULL, NULL), "MinEX");
    return MPI_Wtime() - start;
}

static void print_table_5(int32_t bodies)
{
    static const double theirs[2][4][3] = {
        { { 0.20, 0.20, 0.23 }, { 0.33, 0.32, 1.02 }, { 1.09, 1.13, 1.46 }, { 2.36, 2.39, 2.88 } },
        { { 0.53, 0.55, 0.49 }, { 0.71, 0.69, 0.76 }, { 2.27, 2.30, 2.57 }, { 9.08, 9.17, 4.18 } }
    };
    inputs in = make_inputs(bodies);
    printf("Table 5: seconds (in brackets theirs); MinEX / METIS: median of %" PRId64 " pairs\n", repeats);
    double *seconds[3];
    for (int who = 0; who < 3; who++) seconds[who] = bench_room(repeats);
    for (int r = 0; r < 4; r++) {
        pen_machine *m = make_machine("UP", 16 << 2 * r, 8, 10);
        for (int who = 0; who < 3; who++) time_of(&in, m, who);
        for (int i = 0; i < repeats; i++)
            for (int who = 0; who < 3; who++) seconds[who][i] = time_of(&in, m, who);
        printf("P=%-5d", m->processors);
        static const char *const names[] = { "MinEX-G", "MinEX-GM", "METIS-GM" };
        for (int who = 0; who < 3; who++)
            printf("  %s %.4f (%.2f)", names[who], bench_summarize(seconds[who], (int)repeats).min,
                   theirs[bodies > FEW][r][who]);
        printf("  MinEX-G / METIS %.2f (%.2f)\n", bench_ratios(seconds[0], seconds[2], (int)repeats).median,
               theirs[bodies > FEW][r][0] / theirs[bodies > FEW][r][2]);
        pen_machine_destroy(&m);
    }
    for (int who = 0; who < 3; who++) free(seconds[who]);
    free_inputs(&in);
}

/* ---- Table 6 --------------------------------------------------------------------------------------- */

static const char *const kinds[] = { "UP", "HO", "DN" };

/* Heaviest loads of MinEX-G and METIS, in thousands: UP, HO, DN with 16 K bodies, then with 256 K. */
static const struct {
    int processors, clusters, between, theirs[6][2];
} grids[] = {
    { 32, 4, 10, { { 459, 1362 }, { 197, 196 }, { 461, 1362 }, { 12114, 35474 }, { 5137, 5122 }, { 12122, 35474 } } },
    { 32,
      4,
      100,
      { { 1023, 1363 }, { 921, 1167 }, { 1046, 1363 }, { 12344, 35475 }, { 7239, 5132 }, { 12355, 37475 } } },
    { 32, 8, 10, { { 760, 2919 }, { 197, 196 }, { 763, 2919 }, { 20038, 76017 }, { 5177, 5122 }, { 20095, 76017 } } },
    { 32,
      8,
      100,
      { { 1347, 2920 }, { 1198, 1182 }, { 1371, 2920 }, { 21173, 76018 }, { 7399, 5199 }, { 21634, 76018 } } },
    { 64, 4, 10, { { 234, 761 }, { 106, 108 }, { 235, 761 }, { 6109, 18102 }, { 2590, 2650 }, { 6124, 18102 } } },
    { 64, 4, 100, { { 620, 763 }, { 450, 621 }, { 634, 763 }, { 6627, 18102 }, { 4231, 3334 }, { 6616, 18102 } } },
    { 64, 8, 10, { { 398, 1630 }, { 109, 108 }, { 372, 1630 }, { 10187, 38379 }, { 2590, 2656 }, { 10160, 38379 } } },
    { 64, 8, 100, { { 794, 1632 }, { 549, 841 }, { 798, 1632 }, { 11459, 38791 }, { 4241, 3842 }, { 11982, 38791 } } },
    { 128, 4, 10, { { 121, 755 }, { 94, 131 }, { 194, 917 }, { 3094, 9209 }, { 1384, 1443 }, { 4362, 10105 } } },
    { 128, 4, 100, { { 353, 756 }, { 426, 425 }, { 493, 917 }, { 3654, 9210 }, { 2324, 2337 }, { 6545, 10185 } } },
    { 128, 8, 10, { { 213, 1619 }, { 94, 131 }, { 196, 1619 }, { 5113, 19734 }, { 1353, 1443 }, { 5174, 19374 } } },
    { 128, 8, 100, { { 465, 1619 }, { 428, 604 }, { 476, 1619 }, { 6160, 19735 }, { 2111, 2337 }, { 6620, 19735 } } },
};

typedef struct outcome {
    double heaviest, imbalance;
} outcome;

enum { MINEX, MINEX_MUTUAL, METIS, METIS_SPEEDS, SCOTCH, PARTITIONERS };

static void keep_best(const inputs *in, const pen_machine *m, outcome o[2])
{
    for (int theta = 0; theta < 2; theta++) {
        pen_minex_settings s = make_settings(theta, false);
        pen_minex_metrics metrics = measure(in, m, &s);
        if (o[theta].heaviest == 0.0 || metrics.heaviest < o[theta].heaviest)
            o[theta] = (outcome){ metrics.heaviest, metrics.imbalance };
    }
}

static void try_all(inputs *in, const pen_machine *m, outcome o[PARTITIONERS][2])
{
    static const int ufactors[] = { 30, 10, 1 };
    static const double imbalances[] = { 0.01, 0.05 };
    for (int theta = 0; theta < 2; theta++)
        for (int mutual = 0; mutual < 2; mutual++) {
            pen_minex_settings s = make_settings(theta, false);
            bench_require(pen_minex_partition(mutual ? &in->gm : &in->g, m, &s, in->part, NULL, NULL), "MinEX");
            pen_minex_metrics metrics = measure(in, m, &s);
            o[mutual][theta] = (outcome){ metrics.heaviest, metrics.imbalance };
        }
    rival_metis(&in->mutual, m, false, ufactors[0], in->part);
    keep_best(in, m, o[METIS]);
    for (int i = 0; i < PEN_COUNT_OF(ufactors); i++) {
        rival_metis(&in->mutual, m, true, ufactors[i], in->part);
        keep_best(in, m, o[METIS_SPEEDS]);
    }
    for (int i = 0; i < PEN_COUNT_OF(imbalances); i++) {
        rival_scotch(&in->mutual, m, imbalances[i], in->part);
        keep_best(in, m, o[SCOTCH]);
    }
}

/* Of ratios, all and those of one I. */
typedef struct summary {
    double logarithms, worst;
    int count;
} summary;

static void add_ratio(summary *s, double ratio)
{
    s->logarithms += log(ratio);
    s->worst = fmax(s->worst, ratio);
    s->count++;
}

static void print_summary(const char *what, const summary *s)
{
    printf("%s: geometric mean %.3f, worst %.3f of %d\n", what, exp(s->logarithms / s->count), s->worst, s->count);
}

static void print_table_6(int32_t bodies, summary sums[2][2])
{
    inputs in = make_inputs(bodies);
    summary mine[2][2] = { 0 };
    printf("Table 6: heaviest load in thousands, imbalance; METIS / MinEX-G (in brackets theirs); MinEX-G / the best of"
           " METIS with speeds and Scotch\n"
           "  P C   I    theta  MinEX-G        MinEX-GM       METIS          METIS, speeds  Scotch\n");
    for (int i = 0; i < PEN_COUNT_OF(grids); i++)
        for (int kind = 0; kind < PEN_COUNT_OF(kinds); kind++) {
            pen_machine *m = make_machine(kinds[kind], grids[i].processors, grids[i].clusters, grids[i].between);
            outcome o[PARTITIONERS][2] = { 0 };
            try_all(&in, m, o);
            pen_machine_destroy(&m);
            const int *theirs = grids[i].theirs[(bodies > FEW ? 3 : 0) + kind];
            for (int theta = 0; theta < 2; theta++) {
                double best = fmin(o[METIS_SPEEDS][theta].heaviest, o[SCOTCH][theta].heaviest),
                       ratio = o[MINEX][theta].heaviest / best;
                printf("%3d %d %3d %s %5g", grids[i].processors, grids[i].clusters, grids[i].between, kinds[kind],
                       thetas[theta]);
                for (int k = 0; k < PARTITIONERS; k++)
                    printf("  %8.0f %4.2f", o[k][theta].heaviest / 1000.0, o[k][theta].imbalance);
                printf("  %.2f (%.2f)  %.3f\n", o[METIS][theta].heaviest / o[MINEX][theta].heaviest,
                       (double)theirs[1] / theirs[0], ratio);
                add_ratio(&mine[theta][grids[i].between == 100], ratio);
                add_ratio(&sums[theta][grids[i].between == 100], ratio);
            }
            fflush(stdout);
        }
    for (int i = 0; i < 4; i++) {
        char what[64];
        snprintf(what, sizeof what, "%d bodies, theta %g, I = %d", bodies, thetas[i / 2], i % 2 ? 100 : 10);
        print_summary(what, &mine[i / 2][i % 2]);
    }
    free_inputs(&in);
}

static void print_all_of_table_6(summary sums[2][2])
{
    for (int theta = 0; theta < 2; theta++) {
        char what[64];
        summary s = { sums[theta][0].logarithms + sums[theta][1].logarithms,
                      fmax(sums[theta][0].worst, sums[theta][1].worst), sums[theta][0].count + sums[theta][1].count };
        snprintf(what, sizeof what, "all grids, theta %g", thetas[theta]);
        print_summary(what, &s);
    }
}

int main(int argc, char **argv)
{
    const pen_option options[] = {
        { "table", "N", "1, 2, 5 or 6 only", PEN_OPTION_INT, &only_table, 1, 6 },
        { "bodies", "N", "16384 or 262144 only", PEN_OPTION_INT, &only_bodies, FEW, MANY },
        { "seed", "N", "of the bodies", PEN_OPTION_INT, &seed, 0, INT32_MAX },
        { "repeats", "N", "of table 5", PEN_OPTION_INT, &repeats, 1, 1000 },
        { "cost", "edge|rank", "what receiving counts", PEN_OPTION_TEXT, &cost_name, 0, 0 },
        { 0 },
    };
    if (bench_start(argc, argv, options)) {
        summary sums[2][2] = { 0 };
        cost = strcmp(cost_name, "rank") == 0 ? PEN_MINEX_RANK : PEN_MINEX_EDGE;
        bench_print_setting("minex_bench", 1);
        if (!only_table || only_table == 1) print_table_1();
        for (int32_t bodies = FEW; bodies <= MANY; bodies = bodies == FEW ? MANY : MANY + 1) {
            if (only_bodies && bodies != only_bodies) continue;
            if (!only_table || only_table == 2) print_table_2(bodies);
            if (!only_table || only_table == 5) print_table_5(bodies);
            if (!only_table || only_table == 6) print_table_6(bodies, sums);
        }
        if (!only_table || only_table == 6) print_all_of_table_6(sums);
    }
    MPI_Finalize();
    return 0;
}

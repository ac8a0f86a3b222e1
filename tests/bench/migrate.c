/* migrate.c - what a migration costs: nodes of a field of hexagons change owner, and back.
 *
 *     mpirun -n 2 migrate_bench [--grid=WxH] [--parts=P,P...] [--comm=NAME] [--samples=N]
 *
 * Every round has, on the field and on one of twice the height, a migration of one node from each rank (the linear
 * pass), then for each part P one of as many nodes as P of the smaller field's, in bands next to the borders between
 * the ranks' blocks, as balancing moves them; each of them there and back, of which the mean counts. Printed are,
 * of the slowest rank, nanoseconds per owned node of the first, which should be the same on both fields, what each of
 * the others takes, and what it takes beyond the pass before it, in microseconds per moved node, which should be the
 * same, too; and the doubled field's median over the other's, unless differences go below 0. The checksum must be that
 * of a run without migrations. */
#include "base/options.h"
#include "run/apply_change.h"
#include "tests/bench/bench.h"

#include <stdlib.h>

enum { FIELDS = 2, MAX_PARTS = 8 };

typedef struct bench {
    const char *transport;
    int64_t width, height, samples;
    double parts[MAX_PARTS];
    int count;               /* of parts */
    int64_t band[MAX_PARTS]; /* nodes that each rank but the last one gives away */
    pen_move *moves;
    pen_run *runs[FIELDS];
    double *pass[MAX_PARTS][FIELDS], *whole[MAX_PARTS][FIELDS]; /* [samples] seconds */
    int64_t moved[MAX_PARTS];
} bench;

/* This rank's nodes with gids in the band of `width` nodes before the end of its share go to the next rank
 * and, on the way back, those that came return. */
static int64_t choose(const pen_run *run, int64_t width, bool back, pen_move *moves)
{
    int64_t share = run->world.nodes / run->comm->size, count = 0;
    for (pen_lid s = 0; s < run->store->owned; s++) {
        pen_gid gid = run->store->gids[s];
        int home = (int)(gid / share < run->comm->size ? gid / share : run->comm->size - 1);
        if (back ? home == run->comm->rank : home != run->comm->rank || home == run->comm->size - 1) continue;
        if (!back && gid < (home + 1) * share - width) continue;
        moves[count++] = (pen_move){ gid, back ? home : home + 1 };
    }
    return count;
}

/* The slowest rank's seconds for moving a band there or back, mean of both; how many nodes that are. */
static double timed(const bench *b, pen_run *run, int64_t width, int64_t *moved)
{
    double total = 0.0;
    for (int back = 0; back < 2; back++) {
        int64_t count = choose(run, width, back, b->moves);
        MPI_Allreduce(&count, moved, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
        double start = pen_seconds_now();
        bench_require(pen_run_migrate(run, PEN_OK, count, b->moves), "migration");
        total += bench_slowest(pen_seconds_now() - start);
    }
    return total / 2.0;
}

static pen_run *start_run(const bench *b, int field)
{
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    pen_run_options options = { .partitioner = "block", .transport = b->transport };
    bench_require(generate_hex(MPI_COMM_WORLD, b->width, b->height << field, &graph), "graph");
    bench_require(pen_run_create(MPI_COMM_WORLD, graph, &bench_app, &options, &run), "run");
    pen_graph_destroy(&graph);
    return run;
}

static void start(bench *b)
{
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int f = 0; f < FIELDS; f++) b->runs[f] = start_run(b, f);
    for (int i = 0; i < b->count * FIELDS; i++) {
        b->pass[i / FIELDS][i % FIELDS] = bench_room(b->samples);
        b->whole[i / FIELDS][i % FIELDS] = bench_room(b->samples);
    }
    b->moves = malloc((size_t)b->runs[FIELDS - 1]->world.nodes * sizeof *b->moves);
    bench_require(b->moves ? PEN_OK : PEN_ERR_MEMORY, "moves");
    for (int p = 0; p < b->count; p++) {
        double band = b->parts[p] * (double)b->runs[0]->world.nodes / (ranks > 1 ? ranks - 1 : 1);
        b->band[p] = band < 1.0 ? 1 : (int64_t)band;
        if (b->band[p] > b->runs[0]->world.nodes / ranks)
            bench_require(pen_fail(PEN_ERR_ARGUMENT, "--parts: %g is more than the ranks can give", b->parts[p]),
                          "migrate");
    }
}

static void measure(bench *b)
{
    for (int64_t i = -1; i < b->samples; i++) /* the first one makes larger windows */
        for (int p = 0; p < b->count; p++)
            for (int f = 0; f < FIELDS; f++) {
                double pass = timed(b, b->runs[f], 1, &b->moved[p]);
                double whole = timed(b, b->runs[f], b->band[p], &b->moved[p]);
                if (i < 0) continue;
                b->pass[p][f][i] = pass;
                b->whole[p][f][i] = whole;
            }
}

static uint64_t checksum_of(pen_run *run)
{
    uint64_t checksum;
    bench_require(pen_run_steps(run, 3), "steps");
    bench_require(pen_run_checksum(run, &checksum), "checksum");
    return checksum;
}

/* Returns whether a field's nodes have other values than those that never moved. */
static int validate(const bench *b, int field)
{
    pen_run *still = start_run(b, field);
    uint64_t moved = checksum_of(b->runs[field]), unmoved = checksum_of(still);
    if (moved != unmoved && still->comm->rank == 0)
        printf("WRONG: checksum %016" PRIx64 ", expected %016" PRIx64 "\n", moved, unmoved);
    pen_run_destroy(&still);
    return moved != unmoved;
}

/* Both fields, beside each other: of `values`, times `scale`. */
static void print_line(const bench *b, const char *name, double *const values[FIELDS], const double scale[FIELDS])
{
    printf("%-26s", name);
    bench_summary s[FIELDS];
    for (int f = 0; f < FIELDS; f++) {
        s[f] = bench_summarize(values[f], (int)b->samples);
        printf(" %9.3f %9.3f %9.3f", scale[f] * s[f].min, scale[f] * s[f].median, scale[f] * s[f].max);
    }
    if (s[0].min > 0.0 && s[1].min > 0.0) printf(" %9.3f\n", s[1].median / s[0].median);
    else printf(" %9s\n", "noise");
}

static void report(const bench *b)
{
    double *beyond[FIELDS], owned[FIELDS], milli[FIELDS] = { 1e3, 1e3 };
    for (int f = 0; f < FIELDS; f++) {
        beyond[f] = bench_room(b->samples);
        owned[f] = 1e9 * b->runs[f]->comm->size / (double)b->runs[f]->world.nodes;
    }
    printf("hex %" PRId64 "x%" PRId64 ", then the doubled field, --comm=%s, %" PRId64 " rounds\n", b->width, b->height,
           b->transport, b->samples);
    printf("%-26s %9s %9s %9s %9s %9s %9s %9s\n", "", "min", "median", "max", "min", "median", "max", "doubled");
    print_line(b, "linear pass, ns per owned", b->pass[0], owned);
    for (int p = 0; p < b->count; p++) {
        printf("%g %%, %" PRId64 " nodes\n", 100.0 * b->parts[p], b->moved[p]);
        double each = 1e6 / (double)(b->moved[p] > 0 ? b->moved[p] : 1), micro[FIELDS] = { each, each };
        for (int f = 0; f < FIELDS; f++)
            for (int i = 0; i < b->samples; i++) beyond[f][i] = b->whole[p][f][i] - b->pass[p][f][i];
        print_line(b, "  whole, ms", b->whole[p], milli);
        print_line(b, "  beyond, us per moved node", beyond, micro);
    }
    for (int f = 0; f < FIELDS; f++) free(beyond[f]);
}

static void parse_parts(bench *b, const char *text)
{
    char *end = NULL;
    for (const char *at = text; !end || *end == ','; at = end + 1) {
        double part = strtod(at, &end);
        if (b->count == MAX_PARTS || end == at || !(part > 0.0 && part <= 1.0) || (*end != ',' && *end != '\0'))
            bench_require(pen_fail(PEN_ERR_ARGUMENT, "--parts=%s: at most %d numbers above 0 and up to 1", text,
                                   MAX_PARTS),
                          "migrate");
        b->parts[b->count++] = part;
    }
}

int main(int argc, char **argv)
{
    bench b = { .transport = "fence", .samples = 21 };
    const char *grid = "1000x1000", *parts = "0.0001,0.01,0.1";
    const pen_option options[] = {
        { "grid", "WxH", "hexagons (1000x1000)", PEN_OPTION_TEXT, &grid, 0, 0 },
        { "parts", "P,...", "parts of the nodes that move (0.0001,0.01,0.1)", PEN_OPTION_TEXT, &parts, 0, 0 },
        { "comm", "NAME", "transport (fence)", PEN_OPTION_TEXT, &b.transport, 0, 0 },
        { "samples", "N", "rounds (21)", PEN_OPTION_INT, &b.samples, 1, 1000 },
        { .name = NULL },
    };
    bench_start(argc, argv, options);
    bench_parse_grid(grid, &b.width, &b.height);
    parse_parts(&b, parts);
    start(&b);
    measure(&b);
    int wrong = 0;
    for (int f = 0; f < FIELDS; f++) wrong |= validate(&b, f);
    if (b.runs[0]->comm->rank == 0) {
        report(&b);
    }
    for (int f = 0; f < FIELDS; f++) {
        pen_run_destroy(&b.runs[f]);
        for (int p = 0; p < b.count; p++) free(b.pass[p][f]);
        for (int p = 0; p < b.count; p++) free(b.whole[p][f]);
    }
    free(b.moves);
    MPI_Finalize();
    return wrong;
}

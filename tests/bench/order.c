/* order.c - what the order of nodes in memory is worth: heat as it is in apps/, or the same with records of 8 doubles,
 * on a graph as it is numbered and on the same graph with shuffled numbers, in every order, and on the shuffled one
 * beside the same computation written by hand, whose nodes lie as they are numbered.
 *
 *     mpirun -n 2 order_bench --own=FILE --shuffled=FILE [--doubles=1|8] [--steps=N] [--samples=N] [--setups=N]
 *
 * Set-ups with --order=natural and --order=auto alternate. Then a round takes one sample, of N steps, of every variant,
 * in turn. Printed is a row: the time of a step with own numbers in the natural order (the slowest rank's, for each of
 * its nodes); medians over the rounds of ratios, to that, of `auto` with own numbers and of all with shuffled ones, and
 * of `auto` with shuffled numbers to it with own ones and to the one by hand; how far apart neighbours lie in the
 * natural order and by `auto`, with own numbers and shuffled (on rank 0); the seconds of a set-up with shuffled numbers
 * in the natural order, and the ratios of `auto` to that, own and shuffled. All variants of a graph must agree bit for
 * bit in the end. order.sh launches this for the table. */
#include "base/memory.h"
#include "run/state.h"
#include "store/ordering.h"
#include "tests/bench/bench.h"
#include "tests/bench/step_apps.h"

#include <stdlib.h>

enum { OWN_NATURAL, OWN_AUTO, NATURAL, AUTO, RCM, HILBERT, RUNS, BY_HAND = RUNS, VARIANTS };
static const char *const orders[RUNS] = { "natural", "auto", "natural", "auto", "rcm", "hilbert" };
static const pen_order kinds[RUNS] = { PEN_ORDER_NATURAL, PEN_ORDER_AUTO, PEN_ORDER_NATURAL,
                                       PEN_ORDER_AUTO,    PEN_ORDER_RCM,  PEN_ORDER_HILBERT };

/* ---- The applications -------------------------------------------------------------------------- */

enum { WIDE = 8 };
typedef struct wide {
    double values[WIDE];
} wide;

static double first_value(pen_gid gid, int which) { return (double)((gid + which) % 1000); }

static void init(const pen_view *v)
{
    const int doubles = (int)(v->sizes[0] / sizeof(double));
    for (int d = 0; d < doubles; d++) ((double *)pen_next_record(v, 0))[d] = first_value(pen_id(v), d);
}

static void relax_wide(const pen_view *v)
{
    wide sum = { { 0.0 } };
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const wide *neighbor = PEN_NEIGHBOR(v, 0, wide, i);
        for (int d = 0; d < WIDE; d++) sum.values[d] += neighbor->values[d];
    }
    if (pen_degree(v) == 0) sum = *PEN_SELF(v, 0, wide);
    else
        for (int d = 0; d < WIDE; d++) sum.values[d] /= pen_degree(v);
    *PEN_NEXT(v, 0, wide) = sum;
}

static void choose_app(int64_t doubles)
{
    static const pen_field fields[] = { { .name = "cell", .size = sizeof(wide) } };
    static const pen_phase phases[] = { { "relax", .node = relax_wide, .reads = PEN_SET(0), .writes = PEN_SET(0) } };
    if (doubles == WIDE) bench_kept = (pen_app){ .name = "wide", PEN_FIELDS(fields), PEN_PHASES(phases) };
    else bench_heat_main(0, NULL);
    bench_kept.init = init; /* heat's own values would be 0 nearly everywhere */
}

/* ---- By hand ----------------------------------------------------------------------------------- */

/* Own nodes ascending by number, then copies of others', rank by rank. The graph is undirected, so that those who want
 * nodes are those who have nodes that are wanted. */
typedef struct hand {
    int doubles, partner_count;
    int32_t count;
    uint32_t *rows;
    int32_t *columns;
    int32_t *wanted; /* partner by partner */
    double *values, *next, *packed;
    const pen_partner *producers, *consumers;
    MPI_Request *requests; /* [2*partner_count] */
} hand;

static void hand_exchange(hand *h)
{
    double *packed = h->packed, *shadows = h->values + (int64_t)h->count * h->doubles;
    const int32_t *wanted = h->wanted;
    for (int p = 0; p < h->partner_count; p++) {
        int count = h->producers[p].count * h->doubles;
        MPI_Irecv(shadows, count, MPI_DOUBLE, h->producers[p].rank, 0, MPI_COMM_WORLD, &h->requests[p]);
        shadows += count;
    }
    for (int p = 0; p < h->partner_count; p++) {
        double *begin = packed;
        for (int32_t i = 0; i < h->consumers[p].count; i++, packed += h->doubles)
            memcpy(packed, h->values + (int64_t)*wanted++ * h->doubles, (size_t)h->doubles * sizeof *packed);
        MPI_Isend(begin, (int)(packed - begin), MPI_DOUBLE, h->consumers[p].rank, 0, MPI_COMM_WORLD,
                  &h->requests[h->partner_count + p]);
    }
    MPI_Waitall(2 * h->partner_count, h->requests, MPI_STATUSES_IGNORE);
}

static inline void hand_average(const hand *h, int doubles)
{
    const uint32_t *rows = h->rows;
    const int32_t *columns = h->columns;
    const double *restrict in = h->values;
    double *restrict out = h->next;
    for (int32_t i = 0; i < h->count; i++) {
        double sum[WIDE] = { 0.0 };
        int32_t degree = (int32_t)(rows[i + 1] - rows[i]);
        for (uint32_t k = rows[i]; k < rows[i + 1]; k++)
            for (int d = 0; d < doubles; d++) sum[d] += in[(int64_t)columns[k] * doubles + d];
        for (int d = 0; d < doubles; d++)
            out[(int64_t)i * doubles + d] = degree ? sum[d] / degree : in[(int64_t)i * doubles + d];
    }
}

static void hand_step(hand *h)
{
    double *values = h->next;
    if (h->doubles == WIDE) hand_average(h, WIDE);
    else hand_average(h, 1);
    h->next = h->values;
    h->values = values;
    hand_exchange(h);
}

/* place[s] becomes how many of the run's own nodes have a lower number than the one in slot s. */
static void rank_slots(const pen_store *s, pen_lid *place)
{
    pen_lid *order;
    bench_require(PEN_ALLOC(&order, s->owned), "memory");
    bench_require(pen_order_by_key(s->owned, (const uint64_t *)s->gids, order), "memory");
    for (pen_lid k = 0; k < s->owned; k++) place[order[k]] = k;
    for (pen_lid k = s->owned; k < s->owned + s->shadows; k++) place[k] = k;
    free(order);
}

/* The nodes that a run has on this rank. */
static void hand_create(hand *h, const pen_store *s, int doubles)
{
    const int64_t all = (int64_t)s->owned + s->shadows;
    int64_t wanted = 0;
    pen_lid *place;
    *h = (hand){ .doubles = doubles, .partner_count = s->producer_count, .count = s->owned };
    h->producers = s->producers;
    h->consumers = s->consumers;
    for (int p = 0; p < s->consumer_count; p++) wanted += s->consumers[p].count;
    bench_require(PEN_ALLOC(&place, all), "memory");
    bench_require(PEN_ALLOC_ZERO(&h->rows, (int64_t)s->owned + 1), "memory");
    bench_require(PEN_ALLOC(&h->columns, s->rows[s->owned]), "memory");
    bench_require(PEN_ALLOC(&h->wanted, wanted), "memory");
    bench_require(PEN_ALLOC(&h->requests, 2 * (int64_t)s->producer_count), "memory");
    h->packed = bench_room(wanted * doubles);
    h->values = bench_room(all * doubles);
    h->next = bench_room(all * doubles);
    rank_slots(s, place);
    for (pen_lid i = 0; i < s->owned; i++) {
        h->rows[place[i] + 1] = s->rows[i + 1] - s->rows[i];
        for (int d = 0; d < doubles; d++) h->values[(int64_t)place[i] * doubles + d] = first_value(s->gids[i], d);
    }
    for (pen_lid i = 0; i < s->owned; i++) h->rows[i + 1] += h->rows[i];
    for (pen_lid i = 0; i < s->owned; i++)
        for (uint32_t k = s->rows[i]; k < s->rows[i + 1]; k++)
            h->columns[h->rows[place[i]] + (k - s->rows[i])] = place[s->columns[k]];
    for (int p = 0, at = 0; p < s->consumer_count; p++)
        for (pen_lid i = 0; i < s->consumers[p].count; i++) h->wanted[at++] = place[s->consumers[p].slots[i]];
    free(place);
    hand_exchange(h);
}

static void hand_destroy(hand *h)
{
    PEN_FREE_ALL(h->rows, h->columns, h->wanted, h->requests, h->packed, h->values, h->next);
}

/* ---- Measuring --------------------------------------------------------------------------------- */

typedef struct bench {
    int64_t doubles, steps, samples, setups;
    pen_graph *graphs[2]; /* as it is numbered, and shuffled */
    pen_run *runs[RUNS];  /* NULL: there is none, nodes have no places */
    hand hand;
    double *setup[AUTO + 1];   /* [setups] seconds */
    double *seconds[VARIANTS]; /* [samples] of a step */
} bench;

static pen_graph *graph_of(const bench *b, int variant) { return b->graphs[variant >= NATURAL]; }

/* Seconds, of the slowest rank. */
static double set_up(bench *b, int variant)
{
    const pen_run_options options = { .partitioner = "metis", .order = kinds[variant] };
    pen_run_destroy(&b->runs[variant]);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    pen_status status = pen_run_create(MPI_COMM_WORLD, graph_of(b, variant), &bench_kept, &options, &b->runs[variant]);
    if (variant != HILBERT || status != PEN_ERR_UNSUPPORTED) bench_require(status, orders[variant]);
    return bench_slowest(MPI_Wtime() - start);
}

static double sample(bench *b, int variant)
{
    if (variant != BY_HAND) return b->runs[variant] ? bench_steps(b->runs[variant], b->steps, orders[variant]) : 0.0;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int64_t step = 0; step < b->steps; step++) hand_step(&b->hand);
    return bench_slowest((MPI_Wtime() - start) / (double)b->steps);
}

static void measure(bench *b)
{
    for (int i = 0; i <= AUTO; i++) b->setup[i] = bench_room(b->setups);
    for (int64_t k = 0; k < b->setups; k++)
        for (int i = 0; i <= AUTO; i++) b->setup[i][k] = set_up(b, i);
    set_up(b, RCM);
    set_up(b, HILBERT);
    hand_create(&b->hand, b->runs[NATURAL]->store, (int)b->doubles);
    for (int i = 0; i < VARIANTS; i++) {
        b->seconds[i] = bench_room(b->samples);
        sample(b, i);
    }
    for (int64_t k = 0; k < b->samples; k++)
        for (int i = 0; i < VARIANTS; i++) b->seconds[i][k] = sample(b, i);
}

/* ---- Validation -------------------------------------------------------------------------------- */

/* Whether the run has these values, [nodes * doubles] ascending by number, on all ranks. */
static bool agrees(const pen_run *run, const double *values, size_t record)
{
    pen_local local = pen_run_local(run);
    pen_lid *place;
    int64_t different = 0;
    bench_require(PEN_ALLOC(&place, (int64_t)local.count + run->store->shadows), "memory");
    rank_slots(run->store, place);
    for (pen_lid i = 0; i < local.count; i++)
        different += memcmp((const char *)local.fields[0] + (size_t)i * record,
                            (const char *)values + (size_t)place[i] * record, record) != 0;
    free(place);
    MPI_Allreduce(MPI_IN_PLACE, &different, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return different == 0;
}

/* The exit status. */
static int validate(bench *b, bool speaks)
{
    const size_t record = (size_t)b->doubles * sizeof(double);
    int wrong = 0;
    hand own;
    hand_create(&own, b->runs[OWN_NATURAL]->store, (int)b->doubles);
    for (int64_t step = 0; step < pen_run_step(b->runs[OWN_NATURAL]); step++) hand_step(&own);
    for (int i = 0; i < RUNS; i++) {
        if (!b->runs[i] || agrees(b->runs[i], (i < NATURAL ? &own : &b->hand)->values, record)) continue;
        if (speaks) fprintf(stderr, "%s numbers, %s: values differ\n", i < NATURAL ? "own" : "shuffled", orders[i]);
        wrong = 1;
    }
    hand_destroy(&own);
    return wrong;
}

/* ---- Report ------------------------------------------------------------------------------------ */

static double ratio(const bench *b, int variant, int over)
{
    return bench_ratios(b->seconds[variant], b->seconds[over], (int)b->samples).median;
}

static void report(const bench *b, const char *name)
{
    const pen_ordering *own = &b->runs[OWN_AUTO]->store->ordering, *o = &b->runs[AUTO]->store->ordering;
    double owned = (double)pen_graph_nodes(b->graphs[0]) / b->runs[AUTO]->comm->size;
    char hilbert[16] = "-";
    if (b->runs[HILBERT]) snprintf(hilbert, sizeof hilbert, "%.3f", ratio(b, HILBERT, OWN_NATURAL));
    printf("partitioner metis, %" PRId64 " samples, %" PRId64 " pairs of set-ups\n", b->samples, b->setups);
    printf("%-28s %5s %5s | %-23s | %-48s | %-15s | %-31s | %s\n", "", "", "", "own numbers", "shuffled / own natural",
           "auto, shuffled", "arc span: own, shuffled", "set-up: auto / natural");
    printf("%-28s %5s %5s | %7s %15s | %7s %15s %6s %7s %7s | %7s %7s | %7s %7s %7s %7s | %6s %6s %6s\n", "graph",
           "bytes", "steps", "ns", "auto", "natural", "auto", "rcm", "hilbert", "by hand", "/ own", "/ hand", "natural",
           "auto", "natural", "auto", "s", "own", "shuff.");
    printf("%-28s %5zu %5" PRId64
           " | %7.3f %7.3f %-7s | %7.3f %7.3f %-7s %6.3f %7s %7.3f | %7.3f %7.3f | %7.0f %7.0f %7.0f %7.0f | "
           "%6.2f %6.3f %6.3f\n",
           name, (size_t)b->doubles * sizeof(double), b->steps,
           1e9 * bench_summarize(b->seconds[OWN_NATURAL], (int)b->samples).median / owned,
           ratio(b, OWN_AUTO, OWN_NATURAL), pen_ordering_name(own->is), ratio(b, NATURAL, OWN_NATURAL),
           ratio(b, AUTO, OWN_NATURAL), pen_ordering_name(o->is), ratio(b, RCM, OWN_NATURAL), hilbert,
           ratio(b, BY_HAND, OWN_NATURAL), ratio(b, AUTO, OWN_AUTO), ratio(b, AUTO, BY_HAND), own->natural.span,
           own->now.span, o->natural.span, o->now.span, bench_summarize(b->setup[NATURAL], (int)b->setups).median,
           bench_ratios(b->setup[OWN_AUTO], b->setup[OWN_NATURAL], (int)b->setups).median,
           bench_ratios(b->setup[AUTO], b->setup[NATURAL], (int)b->setups).median);
}

int main(int argc, char **argv)
{
    bench b = { .doubles = 1, .steps = 0, .samples = 11, .setups = 3 };
    const char *own = "", *shuffled = "", *name = "";
    const pen_option options[] = {
        { "own", "FILE", "the graph as it is numbered", PEN_OPTION_TEXT, &own, 0, 0 },
        { "shuffled", "FILE", "the same one, shuffled", PEN_OPTION_TEXT, &shuffled, 0, 0 },
        { "name", "TEXT", "what the row is called", PEN_OPTION_TEXT, &name, 0, 0 },
        { "doubles", "N", "in a record, 1 or 8 (1)", PEN_OPTION_INT, &b.doubles, 1, WIDE },
        { "steps", "N", "steps per sample (some 4 million doubles' worth)", PEN_OPTION_INT, &b.steps, 1, INT32_MAX },
        { "samples", "N", "rounds (11)", PEN_OPTION_INT, &b.samples, 1, 100000 },
        { "setups", "N", "pairs of set-ups (3)", PEN_OPTION_INT, &b.setups, 1, 1000 },
        { .name = NULL },
    };
    bench_start(argc, argv, options);
    if (b.doubles != 1 && b.doubles != WIDE)
        bench_require(pen_fail(PEN_ERR_ARGUMENT, "--doubles=%" PRId64 ": 1 or 8", b.doubles), argv[0]);
    choose_app(b.doubles);
    bench_require(pen_graph_read(MPI_COMM_WORLD, own, NULL, &b.graphs[0]), "--own");
    bench_require(pen_graph_read(MPI_COMM_WORLD, shuffled, NULL, &b.graphs[1]), "--shuffled");
    if (b.steps == 0) b.steps = 1 + 4000000 / pen_graph_nodes(b.graphs[0]) / b.doubles;
    measure(&b);
    int status = validate(&b, bench_rank == 0);
    if (bench_rank == 0) report(&b, name);
    hand_destroy(&b.hand);
    for (int i = 0; i < RUNS; i++) pen_run_destroy(&b.runs[i]);
    for (int i = 0; i < VARIANTS; i++) free(b.seconds[i]);
    for (int i = 0; i <= AUTO; i++) free(b.setup[i]);
    for (int i = 0; i < 2; i++) pen_graph_destroy(&b.graphs[i]);
    MPI_Finalize();
    return status;
}

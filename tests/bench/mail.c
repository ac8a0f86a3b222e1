/* mail.c - messages to any node, and agents, against programs by hand (mail_hand.c).
 *
 *     mpirun -n 2 mail_bench [--nodes=N] [--samples=N] [--steps=N] [--side=N] [--only=TEXT]
 *
 * In the first rows each of N nodes (1000000) reads its messages, and sends 10 of 16 bytes in every step: to any node;
 * nine of ten to its own rank; all to itself. By hand they are sorted by owner, sent by MPI_Alltoallv and sorted by
 * node, or copied if all stay. Values of nodes must be equal; they depend on the order of messages. The last row is the
 * example travellers on N x N places (--side) with 4 people for each, by hand in a loop over an array of people on one
 * core; the places of infections must be equal. Runs and programs by hand take turns. Printed are the medians of
 * nanoseconds a message (an agent) and step, and the median, smallest and largest ratio to by hand; and the bytes of a
 * message that MPI's messages carry to another rank, which are 12 more than its own with --transport=overlap and few
 * where it is pulled; and in all memory for mail: the outbox, batches, mailboxes before and after. */
#include "tests/bench/bench.h"
#include "tests/bench/mail_hand.h"
#include "tests/bench/step_apps.h"
#include "tests/support/pmpi.h"

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static int64_t nodes = 1000000, side = 535, samples = 5, steps = 3;
static const char *only = "", *transport = NULL;

/* ---- Messages ------------------------------------------------------------------------------------------ */

enum { VALUE };
enum { LETTER };

typedef struct parameters {
    goal where;
    span mine;
} parameters;

static void init(const pen_view *v) { *PEN_NEXT(v, VALUE, double) = 0.0; }

static void pass(const pen_view *v)
{
    const parameters *p = (const parameters *)pen_params(v);
    const pen_gid node = pen_id(v);
    const int64_t came = pen_mail_count(v, LETTER);
    double sum = *PEN_SELF(v, VALUE, double);
    for (int64_t i = 0; i < came; i++) sum = letter_sum(sum, PEN_MAIL(v, LETTER, letter, i)->value);
    *PEN_NEXT(v, VALUE, double) = sum;
    for (int64_t k = 0; k < LETTERS; k++)
        *PEN_SEND(v, LETTER, letter,
                  letter_target(p->where, &p->mine, node, k, pen_step(v))) = (letter){ letter_value(sum, k), node };
}
PEN_SWEEP(pass)

static const pen_mail mails[] = { { .name = "letter", .size = sizeof(letter) } };
static const pen_field fields[] = { { "value", sizeof(double), .plain = true } };
static const pen_phase phases[] = {
    { "pass", .sweep = pass_sweep, .writes = PEN_SET(VALUE), .receives = PEN_SET(LETTER), .sends = PEN_SET(LETTER) },
};

/* Bytes of a message, as the run has it: on its way to another rank, and in all memory for mail. */
static double bytes_on_the_way, bytes_in_memory;

static int64_t allocated_bytes(void)
{
#if defined __GLIBC__ && __GLIBC_PREREQ(2, 33)
    const struct mallinfo2 all = mallinfo2();
    return (int64_t)(all.uordblks + all.hblkhd);
#else
    return 0;
#endif
}

static double sum_of_ranks(double value)
{
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return value;
}

/* The number of messages of a step that this rank sends to others. */
static int64_t count_leaving(goal where, const span *mine, int64_t step)
{
    int64_t leaving = 0;
    for (int64_t m = 0; m < mine->count * LETTERS; m++) {
        const int64_t node = mine->first + m / LETTERS, to = letter_target(where, mine, node, m % LETTERS, step);
        leaving += to < mine->first || to >= mine->first + mine->count;
    }
    return leaving;
}

/* Warm up, and measure bytes in the last step. */
static void warm_up(pen_run *run, goal where, const span *mine)
{
    enum { STEPS = 4 }; /* then all memory has been used */
    const int64_t before = allocated_bytes();
    bench_require(pen_run_steps(run, STEPS - 1), "steps");
    const int64_t sent = pmpi.bytes_sent;
    bench_require(pen_run_steps(run, 1), "steps");
    const double leaving = sum_of_ranks((double)count_leaving(where, mine, STEPS - 1));
    const double bytes = sum_of_ranks((double)(pmpi.bytes_sent - sent));
    bytes_on_the_way = leaving > 0 ? bytes / leaving : 0;
    bytes_in_memory = sum_of_ranks((double)(allocated_bytes() - before)) / (double)(nodes * LETTERS);
}

typedef struct times {
    double ours, hand; /* seconds of all steps, of the slowest rank */
} times;

static double seconds_of(pen_run *run, hand_mail *h, hand_town *t, int64_t count)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    if (run) bench_require(pen_run_steps(run, count), "steps");
    if (h) hand_mail_steps(h, count);
    if (t) hand_town_steps(t, count);
    return bench_slowest(MPI_Wtime() - begin);
}

static pen_run *start(const char *spec, const pen_app *app)
{
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    bench_require(pen_graph_generate(MPI_COMM_WORLD, spec, &graph), spec);
    const pen_run_options options = { .partitioner = "block", .transport = transport, .seed = 1 };
    bench_require(pen_run_create(MPI_COMM_WORLD, graph, app, &options, &run), app->name);
    pen_graph_destroy(&graph);
    return run;
}

static times pass_letters(goal where)
{
    const parameters p = { where, { nodes, bench_rank * (nodes / bench_ranks), nodes / bench_ranks } };
    const pen_app app = { .name = "letters",
                          PEN_FIELDS(fields),
                          PEN_MAILS(mails),
                          PEN_PHASES(phases),
                          .init = init,
                          .params = (void *)(uintptr_t)&p };
    char spec[64];
    snprintf(spec, sizeof spec, "mesh:%" PRId64 "x1", nodes);
    pen_run *run = start(spec, &app);
    times t;
    warm_up(run, where, &p.mine);
    hand_mail *h = hand_mail_create(where, p.mine);
    hand_mail_steps(h, pen_run_step(run));
    t.ours = seconds_of(run, NULL, NULL, steps);
    t.hand = seconds_of(NULL, h, NULL, steps);
    const pen_local mine = pen_run_local(run);
    for (pen_lid s = 0; s < mine.count; s++)
        if (((const double *)mine.fields[VALUE])[s] != hand_mail_values(h)[mine.gids[s] - p.mine.first])
            bench_require(PEN_ERR_CHECK, "the messages by hand differ");
    hand_mail_destroy(h);
    pen_run_destroy(&run);
    return t;
}

static times letters_anywhere(void) { return pass_letters(ANYWHERE); }
static times letters_mostly_own(void) { return pass_letters(MOSTLY_OWN); }
static times letters_to_itself(void) { return pass_letters(ITSELF); }

/* ---- Agents -------------------------------------------------------------------------------------------- */

static pen_app travellers;

int bench_pen_main(uint32_t abi, const pen_app *app, int argc, char **argv)
{
    travellers = *app;
    travellers.end.done = NULL; /* all runs have as many steps */
    return 0;
}

enum { DAYS = 50 };
static int64_t people;

static times travel(void)
{
    char spec[64];
    times t;
    snprintf(spec, sizeof spec, "hex:%" PRId64 "x%" PRId64, side, side);
    (void)bench_travellers_main(0, NULL);
    pen_run *run = start(spec, &travellers);
    hand_town *town = hand_town_create(side, side, 1);
    people = hand_town_people(town);
    t.ours = seconds_of(run, NULL, NULL, 2 * DAYS);
    t.hand = seconds_of(NULL, NULL, town, 2 * DAYS);
    const pen_local mine = pen_run_local(run);
    for (pen_lid s = 0; s < mine.count; s++)
        if (((const int32_t(*)[4])mine.fields[0])[s][3] != hand_town_infections(town)[mine.gids[s]])
            bench_require(PEN_ERR_CHECK, "the epidemic by hand differs");
    hand_town_destroy(town);
    pen_run_destroy(&run);
    return t;
}

/* ---- Rows ---------------------------------------------------------------------------------------------- */

static const struct row {
    const char *name;
    times (*take)(void);
    double limit;
} rows[] = {
    { "to any node", letters_anywhere, 1.3 },
    { "90 % to the own rank", letters_mostly_own, 1.2 },
    { "to itself", letters_to_itself, 2.0 },
    { "travellers", travel, 1.5 },
};

static void measure(const struct row *r)
{
    double *ours = bench_room(samples), *hand = bench_room(samples);
    for (int64_t i = 0; i < samples; i++) {
        const times t = r->take();
        const double count = r->take == travel ? (double)people * 2 * DAYS : (double)(nodes * LETTERS * steps);
        ours[i] = 1e9 * t.ours / count * (r->take == travel ? bench_ranks : 1); /* of a core */
        hand[i] = 1e9 * t.hand / count;
    }
    const bench_summary ratio = bench_ratios(ours, hand, (int)samples);
    if (bench_rank == 0)
        printf("%-22s %8.2f %8.2f %8.2f  [%.2f, %.2f]  %g\n", r->name, bench_summarize(ours, (int)samples).median,
               bench_summarize(hand, (int)samples).median, ratio.median, ratio.min, ratio.max, r->limit);
    if (bench_rank == 0 && r->take != travel)
        printf("    bytes of a message: %zu, to another rank %.2f, in memory %.2f\n", sizeof(letter), bytes_on_the_way,
               bytes_in_memory);
    fflush(stdout);
    free(ours);
    free(hand);
}

int main(int argc, char **argv)
{
    const pen_option options[] = {
        { "nodes", "N", "nodes that pass messages (1000000)", PEN_OPTION_INT, &nodes, 1, INT32_MAX / LETTERS },
        { "side", "N", "the epidemic has N x N places (535)", PEN_OPTION_INT, &side, 1, 1 << 14 },
        { "samples", "N", "pairs of runs (5)", PEN_OPTION_INT, &samples, 1, 10000 },
        { "steps", "N", "timed steps with messages, after four others (3)", PEN_OPTION_INT, &steps, 1, 1000 },
        { "transport", "NAME", "as --comm of programs", PEN_OPTION_TEXT, &transport, 0, 0 },
        { "only", "TEXT", "the rows whose names contain it", PEN_OPTION_TEXT, &only, 0, 0 },
        { .name = NULL },
    };
    bench_start(argc, argv, options);
    nodes -= nodes % bench_ranks;
    if (bench_rank == 0) {
        printf("%" PRId64 " nodes, %d messages each; nanoseconds a message and step, an agent and step of a core\n"
               "%-22s %8s %8s %8s  [min, max]  limit\n",
               nodes, LETTERS, "", "ours", "by hand", "ratio");
    }
    for (int i = 0; i < PEN_COUNT_OF(rows); i++)
        if (strstr(rows[i].name, only)) measure(&rows[i]);
    return MPI_Finalize();
}

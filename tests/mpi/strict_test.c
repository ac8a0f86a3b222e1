/* strict_test - the strict mode names node, field and phase of every kind of mistake, on any number of ranks and with
 * every kind of transport; and is silent where records have padding, or parts that nobody writes or reads. */
#include "tests/support/check.h"

/* Two paddings: behind mark, and at the end. */
typedef struct {
    char mark;
    double value;
    int32_t count;
} padded;

typedef struct {
    unsigned few : 3, more : 7;
} bits;

enum { SUM, SIDE, PADDED, BITS };
enum { WRONG = 7, ALSO_WRONG = 12 }; /* the nodes that make the mistake */

static const char *mistake;
static uint64_t calls;

static bool makes(const pen_view *v, const char *name)
{
    return (pen_id(v) == WRONG || pen_id(v) == ALSO_WRONG) && strcmp(mistake, name) == 0;
}

static void write_padded(const pen_view *v, double value)
{
    padded *next = PEN_NEXT(v, PADDED, padded);
    next->mark = 'x';
    next->value = value;
    if (!makes(v, "member")) next->count = 3;
}

static void init(const pen_view *v)
{
    if (!makes(v, "init")) *PEN_NEXT(v, SUM, uint64_t) = (uint64_t)pen_id(v);
    *PEN_NEXT(v, SIDE, uint64_t) = 2;
    if (makes(v, "self in init")) *PEN_NEXT(v, SIDE, uint64_t) = *PEN_SELF(v, SIDE, uint64_t);
    write_padded(v, 0.5);
    PEN_NEXT(v, BITS, bits)->few = 5;
    PEN_NEXT(v, BITS, bits)->more = (unsigned)pen_id(v) & 127;
}

/* Adds up its neighbours; every second node copies its padded record as a whole. */
static void add(const pen_view *v)
{
    uint64_t sum = *PEN_SELF(v, SUM, uint64_t), *scratch = (uint64_t *)pen_scratch_get(v, sizeof(uint64_t));
    for (int32_t i = 0; i < pen_degree(v); i++) {
        sum = (sum * 31 + *PEN_NEIGHBOR(v, SUM, uint64_t, i)) % 1000003;
        const padded *other = PEN_NEIGHBOR(v, PADDED, padded, i);
        sum += (uint64_t)other->count + (uint64_t)other->mark;
        if (makes(v, "read")) sum += *PEN_NEIGHBOR(v, SIDE, uint64_t, i);
        if (makes(v, "change neighbor")) *(uint64_t *)(uintptr_t)PEN_NEIGHBOR(v, SUM, uint64_t, i) = 1;
        if (makes(v, "write neighbor")) ((uint64_t *)v->next[SUM])[pen_neighbor_slot(v, i)] = 1;
    }
    *scratch += !makes(v, "scratch");
    if (makes(v, "scratch")) sum += *scratch;
    if (makes(v, "state")) sum += ++calls;
    if (makes(v, "change")) *(uint64_t *)(uintptr_t)PEN_SELF(v, SUM, uint64_t) = sum;
    if (makes(v, "write")) *PEN_NEXT(v, SIDE, uint64_t) = sum;
    if (makes(v, "copy")) sum = *PEN_NEIGHBOR(v, SIDE, uint64_t, 0);
    if (makes(v, "next")) *PEN_NEXT(v, SUM, uint64_t) += sum;
    else if (!makes(v, "forget")) *PEN_NEXT(v, SUM, uint64_t) = sum;
    if (pen_id(v) % 2) *PEN_NEXT(v, PADDED, padded) = *PEN_SELF(v, PADDED, padded);
    else write_padded(v, PEN_SELF(v, PADDED, padded)->value + 1.0);
}

static void want(const pen_view *v, pen_wishes *wishes)
{
    pen_want(wishes, 19 - pen_id(v));
    pen_want(wishes, 100);
    if (makes(v, "far wish")) pen_want(wishes, PEN_NEIGHBOR(v, PADDED, padded, 0)->value > 0.6 ? 1 : 2);
}

/* Reads its opposite, and writes SIDE, which nobody reads but print. */
static void reach(const pen_view *v)
{
    const uint64_t *far = PEN_FAR(v, SUM, uint64_t, 0);
    uint64_t value = *far + (PEN_FAR(v, SUM, uint64_t, 1) ? 1 : 0);
    if (makes(v, "far read")) value += *PEN_FAR(v, SIDE, uint64_t, 0);
    if (!makes(v, "print")) *PEN_NEXT(v, SIDE, uint64_t) = value;
}

/* The block function's way of it. */
static void turn(const pen_view *v, pen_lid count)
{
    for (pen_lid s = v->slot; s < v->slot + count; s++) {
        const bits *self = (const bits *)v->current[BITS] + s;
        bits *next = (bits *)v->next[BITS] + s;
        next->few = self->few;
        if (strcmp(mistake, "bits") != 0 || v->gids[s] != WRONG) next->more = (self->more + self->few) & 127;
    }
}

static void print(const pen_view *v, FILE *out)
{
    fprintf(out, "%" PRIu64 " %" PRIu64, *PEN_SELF(v, SUM, uint64_t), *PEN_SELF(v, SIDE, uint64_t));
}

static void observe(const pen_view *v, pen_observation *o) { pen_observe_int(o, 0, PEN_SELF(v, BITS, bits)->more); }

static const pen_field fields[] = {
    { "sum", sizeof(uint64_t) }, { "side", sizeof(uint64_t) }, { "padded", sizeof(padded) }, { "bits", sizeof(bits) }
};
static const pen_phase phases[] = {
    { "add", add, .reads = PEN_FIELD(SUM) | PEN_FIELD(PADDED), .writes = PEN_FIELD(SUM) | PEN_FIELD(PADDED) },
    { "reach", reach, .writes = PEN_FIELD(SIDE), .far = want, .far_reads = PEN_FIELD(SUM) },
    { "turn", .block = turn, .writes = PEN_FIELD(BITS) },
};
static const pen_observable observables[] = { { "more", PEN_SUM_INT } };
static const pen_app app = { .name = "mistakes",
                             PEN_FIELDS(fields),
                             PEN_PHASES(phases),
                             .init = init,
                             .print = print,
                             PEN_OBSERVABLES(observables),
                             .observe = observe };

static const struct {
    const char *mistake, *said;
} cases[] = {
    { "forget", "node 7: field sum: the next record is not written (phase add), but read (node 7, .print)" },
    { "init", "node 7: field sum: the next record is not written (phase init), but read (node 2, phase add)" },
    { "member", "node 7: field padded: bytes 16..23 of 24 of the next record are not written (phase init), but "
                "read (node 2, phase add)" },
    { "read", "node 7: field side: a neighbour's record is read, and it is not in .reads (phase add)" },
    { "copy", "node 7: field side: a neighbour's record is read, and it is not in .reads (phase add)" },
    { "write", "node 7: field side: the next record is written, and it is not in .writes (phase add)" },
    { "next", "node 7: field sum: the next record is read before it is written (phase add)" },
    { "state", "node 7: results differ from call to call: they depend on more than records (phase add)" },
    { "change", "node 7: field sum: the current record is changed (phase add)" },
    { "change neighbor", "node 7: field sum: a neighbour's current record is changed (phase add)" },
    { "write neighbor", "node 7: field sum: a neighbour's next record is written (phase add)" },
    { "scratch", "node 7: scratch memory is read before it is written (phase add)" },
    { "self in init", "node 7: field side: the current record is read, and there is none yet (phase init)" },
    { "far wish", "node 7: field padded: a neighbour's record is read, and it is not in .reads (phase reach)" },
    { "far read", "node 7: field side: a far node's record is read, and it is not in .far_reads (phase reach)" },
    { "print", "node 7: field side: the next record is not written (phase reach), but read (node 7, .print)" },
    { "bits", "node 7: field bits: bytes 0..3 of 4 of the next record are not written (phase turn), but read (node 7, "
              ".observe)" },
};

static void test(const pen_graph *graph, const pen_run_options *options, const char *name, const char *said)
{
    pen_run *run = NULL;
    mistake = name;
    calls = 0;
    pen_status status = pen_run_create(MPI_COMM_WORLD, graph, &app, options, &run);
    if (status == PEN_OK) status = pen_run_steps(run, 3);
    if (status != (said ? PEN_ERR_CHECK : PEN_OK) || (said && strcmp(pen_error_message(), said) != 0)) {
        fprintf(stderr, "rank %d: %s, mistake %s: %s, \"%s\", expected \"%s\"\n", check_rank(),
                options->transport ? options->transport : "default", name, pen_status_name(status), pen_error_message(),
                said ? said : "nothing");
        check_failures++;
    }
    pen_run_destroy(&run);
}

static uint64_t checksum(const pen_graph *graph, bool strict)
{
    pen_run *run = NULL;
    uint64_t sum = 0;
    mistake = "none";
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app, &(pen_run_options){ .strict = strict }, &run), PEN_OK);
    CHECK_STATUS(pen_run_steps(run, 6), PEN_OK);
    CHECK_STATUS(pen_run_checksum(run, &sum), PEN_OK);
    pen_run_destroy(&run);
    return sum;
}

/* A mistake is no end of the run: the phase did not count, and is tried again. */
static void test_again(const pen_graph *graph)
{
    pen_run *run = NULL;
    uint64_t sum = 0;
    mistake = "none";
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app, &(pen_run_options){ .strict = true }, &run), PEN_OK);
    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
    mistake = "far read";
    CHECK_STATUS(pen_run_steps(run, 4), PEN_ERR_CHECK);
    CHECK_STATUS(pen_run_steps(run, 4), PEN_ERR_CHECK);
    mistake = "none";
    CHECK_STATUS(pen_run_steps(run, 4), PEN_OK);
    CHECK_STATUS(pen_run_checksum(run, &sum), PEN_OK);
    CHECK(sum == checksum(graph, false));
    pen_run_destroy(&run);
}

int main(int argc, char **argv)
{
    static const char *const transports[] = { "fence",    "pscw",    "passive",    "shared",
                                              "blocking", "overlap", "persistent", "neighbor" };
    pen_graph *graph = NULL;
    pen_environment_prepare();
    MPI_Init(&argc, &argv);
    CHECK_STATUS(pen_graph_hex(MPI_COMM_WORLD, 5, 4, &graph), PEN_OK);
    for (int i = 0; i < PEN_COUNT_OF(cases); i++)
        test(graph, &(pen_run_options){ .strict = true }, cases[i].mistake, cases[i].said);
    for (int t = 0; t < PEN_COUNT_OF(transports); t++) {
        test(graph, &(pen_run_options){ .strict = true, .transport = transports[t] }, "none", NULL);
        test(graph, &(pen_run_options){ .strict = true, .transport = transports[t] }, cases[0].mistake, cases[0].said);
    }
    const pen_run_options moving = {
        .strict = true, .partitioner = "random", .balancer = "metis", .balance_when = "every:1"
    };
    test(graph, &moving, "none", NULL);
    CHECK(checksum(graph, true) == checksum(graph, false));
    test_again(graph);
    pen_graph_destroy(&graph);
    return check_finish();
}

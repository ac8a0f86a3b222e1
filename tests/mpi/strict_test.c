/* strict_test - the strict mode names node, field and phase of every kind of mistake, on any number of ranks and with
 * every kind of transport; and is silent about padding and unused parts of records.
 * pen_mpi_test(RANKS 1 2 3) */
#include "tests/support/world.h"

/* Two paddings: behind mark, and at the end. */
typedef struct {
    char mark;
    double value;
    int32_t count;
} padded;

typedef struct {
    char first[100], last;
} large;

typedef struct {
    unsigned few : 3, more : 7;
} bits;

enum { SUM, SIDE, PADDED, BITS, OUT, QUIET, FLAG };
enum { LINK };
enum { GIVEN, HEIGHT, TOLL };
enum { MORE, PARTS };
enum { WRONG = 7, ALSO_WRONG = 12 }; /* the nodes that make the mistake */

static const char *mistake;
static uint64_t calls, greatest;

static bool all_make(const char *name) { return strcmp(mistake, name) == 0; }

static bool makes(const pen_view *v, const char *name)
{
    return (pen_id(v) == WRONG || pen_id(v) == ALSO_WRONG) && all_make(name);
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
    if (makes(v, "self in init equal")) *PEN_NEXT(v, SIDE, uint64_t) += *PEN_SELF(v, SIDE, uint64_t) == 0;
    write_padded(v, 0.5);
    *PEN_NEXT(v, FLAG, int32_t) = all_make("equal to others") ? 1 : 3;
    PEN_NEXT(v, BITS, bits)->few = 5;
    PEN_NEXT(v, BITS, bits)->more = (unsigned)pen_id(v) & 127;
    *PEN_NEXT(v, OUT, double) = pen_input(v, GIVEN);
    *PEN_NEXT(v, QUIET, uint64_t) = 1;
}

static void init_edges(const pen_view *v)
{
    for (int32_t i = 0; i < pen_degree(v); i++)
        *PEN_EDGE_OWN(v, LINK, uint64_t, i) = (uint64_t)PEN_NEIGHBOR(v, PADDED, padded, i)->mark;
    if (makes(v, "edges of neighbors")) *PEN_EDGE_OWN(v, LINK, uint64_t, 0) = *PEN_NEIGHBOR(v, SIDE, uint64_t, 0);
}

/* For values that are computed on first use, by slot. */
static uint64_t in_table(const pen_view *v, int size, uint64_t value)
{
    static bool all_known[64], *volatile known = all_known; /* no compiler knows how long they are */
    static uint64_t all_values[64], *volatile values = all_values;
    pen_lid at = size ? v->slot % size : v->slot;
    if (!known[at]) values[at] = value;
    known[at] = true;
    return values[at];
}

/* State of the preceding step, in a table with more places than nodes: every call in a step finds the same. */
static uint64_t before_in_table(const pen_view *v, uint32_t place)
{
    enum { PLACES = 1021 };
    static struct {
        int64_t step;
        uint64_t now, before;
    } places[PLACES], *at;
    at = &places[place % PLACES];
    if (at->step != pen_step(v)) at->before = pen_step(v) > 0 ? at->now : 0;
    at->step = pen_step(v);
    at->now = (uint64_t)pen_id(v);
    return at->before;
}

static uint64_t kept(const pen_view *v)
{
    if (all_make("large table")) return before_in_table(v, (uint32_t)v->slot);
    if (all_make("hash table")) return before_in_table(v, (uint32_t)v->slot * 2654435761U >> 12);
    if (!all_make("maximum")) return 0;
    if (greatest < (uint64_t)pen_id(v)) greatest = (uint64_t)pen_id(v);
    return greatest;
}

/* Without end; no compiler knows. */
static uint64_t recurse(volatile uint64_t *depth)
{
    volatile uint64_t next[64] = { *depth + 1 };
    return *depth == UINT64_MAX ? 0 : recurse(next) + next[0];
}

/* Accesses that would cause a segmentation fault, or touch memory of others. */
static uint64_t stray(const pen_view *v)
{
    static volatile int wrong_field = 9, first_column = 1; /* of edges, after their one field */
    if (makes(v, "edge own")) return *PEN_EDGE_OWN(v, LINK, uint64_t, 0);
    if (makes(v, "edge index")) return *PEN_EDGE(v, wrong_field, uint64_t, 0);
    if (makes(v, "edge column")) return (uint64_t)*PEN_EDGE(v, first_column, double, 0);
    if (makes(v, "edge type")) return (uint64_t)PEN_EDGE(v, LINK, padded, 1)->count;
    if (makes(v, "no far")) return *PEN_FAR(v, SIDE, uint64_t, 0);
    if (makes(v, "index")) return *PEN_SELF(v, wrong_field, uint64_t);
    if (makes(v, "negative index")) return *PEN_SELF(v, wrong_field - 10, uint64_t);
    if (makes(v, "node column")) return (uint64_t)*PEN_SELF(v, wrong_field - 2, double);
    if (makes(v, "index of large")) return (uint64_t)PEN_SELF(v, wrong_field, padded)->count;
    if (makes(v, "neighbor index of large")) return (uint64_t)PEN_NEIGHBOR(v, wrong_field, large, 1)->last;
    if (makes(v, "next index of large")) PEN_NEXT(v, wrong_field, large)->last = 1;
    if (makes(v, "edge own of large")) return (uint64_t)PEN_EDGE_OWN(v, LINK, padded, 0)->count;
    if (makes(v, "stack")) return recurse(&(uint64_t){ 0 });
    if (makes(v, "neighbor index")) return *PEN_NEIGHBOR(v, wrong_field, uint64_t, 1);
    if (makes(v, "next index")) *PEN_NEXT(v, wrong_field, uint64_t) = 1;
    if (makes(v, "type")) return (uint64_t)PEN_SELF(v, SUM, padded)->count;
    if (makes(v, "neighbor type")) return *PEN_NEIGHBOR(v, PADDED, uint64_t, 1);
    if (makes(v, "next type")) PEN_NEXT(v, SUM, padded)->count = 1;
    if (makes(v, "column")) return (uint64_t)pen_input(v, GIVEN);
    if (makes(v, "column index")) return (uint64_t)pen_input(v, wrong_field);
    if (makes(v, "wild")) return *(volatile uint64_t *)(uintptr_t)4096;
    if (makes(v, "slot")) return (uint64_t)v->slot;
    if (makes(v, "table")) return in_table(v, 0, (uint64_t)pen_id(v));
    if (strcmp(mistake, "small table") == 0) return in_table(v, 4, (uint64_t)pen_id(v));
    return 0;
}

/* Adds up its neighbours; every second node copies its padded record as a whole. */
static void add(const pen_view *v)
{
    uint64_t sum = *PEN_SELF(v, SUM, uint64_t), *scratch = (uint64_t *)pen_scratch_get(v, sizeof(uint64_t));
    for (int32_t i = 0; i < pen_degree(v); i++) {
        sum = (sum * 31 + *PEN_NEIGHBOR(v, SUM, uint64_t, i)) % 1000003;
        const padded *other = PEN_NEIGHBOR(v, PADDED, padded, i);
        sum += (uint64_t)other->count + (uint64_t)other->mark;
        sum += *PEN_NEIGHBOR(v, FLAG, int32_t, i) == 3;
        sum += (uint64_t)pen_edge_input(v, TOLL, i);
        if (makes(v, "read")) sum += *PEN_NEIGHBOR(v, SIDE, uint64_t, i);
        if (makes(v, "change neighbor")) *(uint64_t *)(uintptr_t)PEN_NEIGHBOR(v, SUM, uint64_t, i) = 1;
        if (makes(v, "write neighbor")) ((uint64_t *)v->next[SUM])[pen_neighbor_slot(v, i)] = 1;
    }
    sum += stray(v) + kept(v) + (uint64_t)pen_input(v, HEIGHT);
    if (makes(v, "next equal")) sum += *PEN_NEXT(v, SUM, uint64_t) == *PEN_SELF(v, SUM, uint64_t);
    *scratch += !makes(v, "scratch");
    if (makes(v, "scratch")) sum += *scratch;
    if (makes(v, "state")) sum += ++calls;
    if (makes(v, "change")) *(uint64_t *)(uintptr_t)PEN_SELF(v, SUM, uint64_t) = sum;
    if (makes(v, "write")) *PEN_NEXT(v, SIDE, uint64_t) = sum;
    if (makes(v, "copy")) sum = *PEN_NEIGHBOR(v, SIDE, uint64_t, 0);
    for (int32_t i = 0; makes(v, "compare") && i < pen_degree(v); i++)
        sum += *PEN_NEIGHBOR(v, SIDE, uint64_t, i) < 1000;
    if (makes(v, "next")) *PEN_NEXT(v, SUM, uint64_t) += sum;
    else if (!makes(v, "forget")) *PEN_NEXT(v, SUM, uint64_t) = sum;
    if (pen_id(v) % 2) *PEN_NEXT(v, PADDED, padded) = *PEN_SELF(v, PADDED, padded);
    else write_padded(v, PEN_SELF(v, PADDED, padded)->value + 1.0);
}

static void want(const pen_view *v, pen_requests *requests)
{
    pen_request(requests, 19 - pen_id(v));
    pen_request(requests, 100);
    if (makes(v, "far wish")) pen_request(requests, PEN_NEIGHBOR(v, PADDED, padded, 0)->value > 0.6 ? 1 : 2);
}

/* Reads its opposite, and writes SIDE, which nobody reads but print, and FLAG, which others only compare. */
static void reach(const pen_view *v)
{
    const uint64_t *far = PEN_FAR(v, SUM, uint64_t, 0);
    uint64_t value = *far + (PEN_FAR(v, SUM, uint64_t, 1) ? 1 : 0);
    if (makes(v, "far type")) value += (uint64_t)PEN_FAR(v, SUM, padded, 0)->count;
    if (makes(v, "far read")) value += *PEN_FAR(v, SIDE, uint64_t, 0);
    if (all_make("far equal to others")) value += *PEN_FAR(v, QUIET, uint64_t, 0) == 3;
    if (makes(v, "far equal")) value += *PEN_FAR(v, SIDE, uint64_t, 0) < 1000;
    if (!makes(v, "print")) *PEN_NEXT(v, SIDE, uint64_t) = value;
    if (!makes(v, "equal") && !makes(v, "equal to others")) *PEN_NEXT(v, FLAG, int32_t) = 1 + (int32_t)pen_id(v) % 3;
    if (pen_far_count(v) != 2) *PEN_NEXT(v, FLAG, int32_t) = 0; /* what `want` requests, and no more */
}

/* A sweep that is written by hand. */
static void turn(const pen_view *v, pen_lid end)
{
    for (pen_lid s = v->slot; s < end; s++) {
        const bits *self = (const bits *)v->current[BITS] + s;
        bits *next = (bits *)v->next[BITS] + s;
        next->few = self->few;
        if (strcmp(mistake, "bits") != 0 || v->gids[s] != WRONG) next->more = (self->more + self->few) & 127;
        if (strcmp(mistake, "result") != 0 || v->gids[s] != WRONG) ((double *)v->next[OUT])[s] = 0.5;
        const bool quiet = strcmp(mistake, "quiet") == 0 || strcmp(mistake, "far equal to others") == 0;
        if (!quiet || v->gids[s] != WRONG) ((uint64_t *)v->next[QUIET])[s] = 3;
    }
}

/* A neighbour's record that no phase has in .reads. */
static uint64_t side(const pen_view *v, const char *name)
{
    return makes(v, name) ? *PEN_NEIGHBOR(v, SIDE, uint64_t, 1) : 0;
}

static void print(const pen_view *v, FILE *out)
{
    fprintf(out, "%" PRIu64 " %" PRIu64, *PEN_SELF(v, SUM, uint64_t), *PEN_SELF(v, SIDE, uint64_t));
    fprintf(out, " %" PRIu64, side(v, "print neighbor"));
    if (makes(v, "print type")) fprintf(out, " %d", PEN_SELF(v, SUM, padded)->count);
}

static void observe(const pen_view *v, pen_observation *o)
{
    pen_observe_int(o, MORE, PEN_SELF(v, BITS, bits)->more + (int64_t)side(v, "observe neighbor"));
}
PEN_OBSERVE_SWEEP(observe)

/* What a phase begins with. */
static void observe_parts(const pen_view *v, pen_observation *o)
{
    pen_observe_int(o, PARTS, (int64_t)*PEN_SELF(v, SIDE, uint64_t) + (int64_t)side(v, "phase observes neighbor"));
}
PEN_OBSERVE_SWEEP(observe_parts)

static double cost(const pen_view *v) { return 1.0 + (double)side(v, "cost of neighbor"); }
PEN_COST_SWEEP(cost)

static const pen_field fields[] = {
    { .name = "sum", .size = sizeof(uint64_t) },  { .name = "side", .size = sizeof(uint64_t) },
    { .name = "padded", .size = sizeof(padded) }, { .name = "bits", .size = sizeof(bits) },
    { .name = "out", .size = sizeof(double) },    { .name = "quiet", .size = sizeof(uint64_t) },
    { .name = "flag", .size = sizeof(int32_t) }
};
static const pen_edge_field edge_fields[] = { { .name = "link", .size = sizeof(uint64_t) } };
static const pen_input_column inputs[] = {
    { .name = "given", .otherwise = "0.25" },
    { .name = "height", .permanent = true, .otherwise = "2.0" },
    { .name = "toll", .of_edges = true, .permanent = true, .otherwise = "3.0" },
};
static const pen_member members[] = { { "out", OUT, PEN_F64, 0, 1 } };
static const pen_phase phases[] = {
    { "add", .node = add, .reads = PEN_SET(SUM, PADDED, FLAG), .writes = PEN_SET(SUM, PADDED), .cost = cost_sweep },
    { "reach", .node = reach, .writes = PEN_SET(SIDE, FLAG), .far = want, .far_reads = PEN_SET(SUM, QUIET),
      .observe = observe_parts_sweep, .observes = PEN_SET(PARTS) },
    { "turn", .sweep = turn, .writes = PEN_SET(BITS, OUT, QUIET) },
};
static const pen_observable observables[] = {
    [MORE] = { "more", PEN_SUM_INT, 1 }, [PARTS] = { "parts", PEN_SUM_INT, 1 }
};
static const pen_app app = { .name = "mistakes",
                             PEN_FIELDS(fields),
                             PEN_PHASES(phases),
                             .init = init,
                             PEN_OBSERVABLES(observables, observe_sweep),
                             PEN_EDGE_FIELDS(edge_fields),
                             .init_edges = init_edges,
                             PEN_INPUTS(inputs),
                             .output = { .print = print, PEN_MEMBERS(members) } };

#define NOT_READ "node 7: field side: a neighbour's record is read, but no phase has it in .reads "

static const struct {
    const char *mistake, *said;
} cases[] = {
    { "forget", "node 7: field sum: the next record is not written (phase add), but read (node 7, .print)" },
    { "init", "node 7: field sum: the next record is not written (phase init), but read (node 2, phase add)" },
    { "member", "node 7: field padded: bytes 16..23 of 24 of the next record are not written (phase init), but "
                "read (node 2, phase add)" },
    { "equal", "node 7: field flag: the next record is not written (phase reach), but read (node 2, phase add)" },
    { "equal to others", "*node 7: field flag: the next record is not written (phase reach), but read (node " },
    { "far equal to others",
      "node 7: field quiet: the next record is not written (phase turn), but read (node 12, phase reach)" },
    { "next equal", "node 7: field sum: the next record is read before it is written (phase add)" },
    { "self in init equal", "node 7: field side: the current record is read, but there is none yet (phase init)" },
    { "far equal", "node 7: field side: a far node's record is read, but it is not in .far_reads (phase reach)" },
    { "read", "node 7: field side: a neighbour's record is read, but it is not in .reads (phase add)" },
    { "copy", "node 7: field side: a neighbour's record is read, but it is not in .reads (phase add)" },
    { "compare", "node 7: field side: a neighbour's record is read, but it is not in .reads (phase add)" },
    { "write", "node 7: field side: the next record is written, but it is not in .writes (phase add)" },
    { "next", "node 7: field sum: the next record is read before it is written (phase add)" },
    { "state", "node 7: results differ from call to call: they depend on more than the records (phase add)" },
    { "change", "node 7: field sum: the current record is changed (phase add)" },
    { "change neighbor", "node 7: field sum: a neighbour's current record is changed (phase add)" },
    { "write neighbor", "node 7: field sum: a neighbour's next record is written (phase add)" },
    { "scratch", "node 7: scratch memory is read before it is written (phase add)" },
    { "self in init", "node 7: field side: the current record is read, but there is none yet (phase init)" },
    { "far wish", "node 7: field padded: a neighbour's record is read, but it is not in .reads (phase reach)" },
    { "far read", "node 7: field side: a far node's record is read, but it is not in .far_reads (phase reach)" },
    { "print", "node 7: field side: the next record is not written (phase reach), but read (node 7, .print)" },
    { "bits", "node 7: field bits: bytes 0..3 of 4 of the next record are not written (phase turn), but read (node 7, "
              ".observe)" },
    { "result", "node 7: field out: the next record is not written (phase turn), but read (node 7, member out)" },
    { "observe neighbor", NOT_READ "(.observe)" },
    { "phase observes neighbor", NOT_READ "(.observe of phase reach)" },
    { "cost of neighbor", NOT_READ "(.cost)" },
    { "print neighbor", NOT_READ "(.print)" },
    { "edges of neighbors", "node 7: field side: a neighbour's record is read, but it is not in .reads (.init_edges)" },
    { "edge own", "node 7: edge field link: an arc's record is reached by PEN_EDGE_OWN, but it is not in .edge_writes "
                  "(phase add)" },
    { "edge index", "node 7: edge field 9 does not exist: mistakes has 1 edge fields (phase add)" },
    { "edge column", "node 7: edge field 1 does not exist: mistakes has 1 edge fields (phase add)" },
    { "edge type", "node 7: edge field link: it is used with a type of 24 bytes, but its records have 8 (phase add)" },
    { "no far", "node 7: field side: a far node's record is read, but the phase has no .far (phase add)" },
    { "index", "node 7: field 9 does not exist: mistakes has 7 fields (phase add)" },
#ifndef __SANITIZE_ADDRESS__ /* the sanitizer of undefined behaviour ends the program at this index */
    { "negative index",
      "node 7: a field of a negative number, or an array that is NULL, is used with a slot (phase add)" },
#endif
    { "node column", "node 7: field 7 does not exist: mistakes has 7 fields (phase add)" },
    { "neighbor index", "node 7: field 9 does not exist: mistakes has 7 fields (phase add)" },
    { "next index", "node 7: field 9 does not exist: mistakes has 7 fields (phase add)" },
    { "type", "node 7: field sum: it is used with a type of 24 bytes, but its records have 8 (phase add)" },
    { "neighbor type", "node 7: field padded: it is used with a type of 8 bytes, but its records have 24 (phase add)" },
    { "next type", "node 7: field sum: it is used with a type of 24 bytes, but its records have 8 (phase add)" },
    { "print type", "node 7: field sum: it is used with a type of 24 bytes, but its records have 8 (.print)" },
    { "far type", "node 7: field sum: a far node's record is read with a type that is larger than it (phase reach)" },
    { "column", "node 7: input column given: it is read after .init, but it is not .permanent (phase add)" },
    { "column index", "node 7: input column 9 does not exist: mistakes has 3 input columns (phase add)" },
    { "index of large", "node 7: field 9 does not exist: mistakes has 7 fields (phase add)" },
    { "neighbor index of large", "node 7: field 9 does not exist: mistakes has 7 fields (phase add)" },
    { "next index of large", "node 7: field 9 does not exist: mistakes has 7 fields (phase add)" },
    { "edge own of large", "node 7: edge field link: an arc's record is reached by PEN_EDGE_OWN, but it is not in "
                           ".edge_writes (phase add)" },
#ifndef __SANITIZE_ADDRESS__ /* the sanitizer has a stack of its own */
    { "stack", "node 7: the stack is used up: the function calls itself without end, or has large arrays (phase add)" },
#endif
    { "wild", "node 7: the function accesses invalid memory (segmentation fault) (phase add)" },
    { "slot", "node 7: results depend on slot numbers, or on data kept by slot between calls (phase add)" },
    { "table", "node 7: results depend on slot numbers, or on data kept by slot between calls (phase add)" },
};

static bool says(const char *said)
{
    size_t all = strlen(said);
    return said[0] == '*' ? strstr(pen_error_message(), said + 1) != NULL
                          : strlen(pen_error_message()) == all && memcmp(pen_error_message(), said, all) == 0;
}

/* `said`: the message of the mistake; after "*" only a part of it. */
static void test(const pen_graph *graph, const pen_run_options *options, const char *name, const char *said)
{
    pen_run *run = NULL;
    mistake = name;
    calls = greatest = 0;
    pen_status status = pen_run_create(MPI_COMM_WORLD, graph, &app, options, &run);
    if (status == PEN_OK) status = pen_run_steps(run, 3);
    if (status != (said ? PEN_ERR_CHECK : PEN_OK) || (said && !says(said))) {
        fprintf(stderr, "rank %d: %s, mistake %s: %s, \"%s\", expected \"%s\"\n", check_rank(),
                options->transport ? options->transport : "default", name, pen_status_name(status), pen_error_message(),
                said ? said : "nothing");
        check_failures++;
    }
    pen_run_destroy(&run);
}

static uint64_t checksum(const pen_graph *graph, bool strict)
{
    uint64_t sum = 0;
    mistake = "none";
    pen_run *run = run_with(graph, &app, &(pen_run_options){ .debug.strict = strict });
    CHECK_STATUS(pen_run_steps(run, 6), PEN_OK);
    CHECK_STATUS(pen_run_checksum(run, &sum), PEN_OK);
    expect_verified(run);
    pen_run_destroy(&run);
    return sum;
}

/* Read only by gather or fetch. */
static void test_delivery(const pen_graph *graph)
{
    static const char
        *const said = "node 7: field quiet: the next record is not written (phase turn), but read (node 7, ";
    pen_records records;
    uint64_t found_records[2];
    bool found[2];
    mistake = "quiet";
    pen_run *run = run_with(graph, &app, &(pen_run_options){ .debug.strict = true });
    CHECK_STATUS(pen_run_gather(run, QUIET, &records), PEN_OK);
    pen_records_free(&records);
    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
    CHECK_STATUS(pen_run_gather(run, QUIET, &records), PEN_ERR_CHECK);
    CHECK_CONTAINS(pen_error_message(), said);
    CHECK_CONTAINS(pen_error_message(), "pen_run_gather)");
    CHECK_STATUS(pen_run_gather(run, OUT, &records), PEN_OK);
    pen_records_free(&records);
    CHECK_STATUS(pen_run_fetch(run, QUIET, 2, (pen_gid[]){ 6, 8 }, found_records, found), PEN_OK);
    int64_t count = check_rank() == 0 ? 2 : 0;
    CHECK_STATUS(pen_run_fetch(run, QUIET, count, (pen_gid[]){ 6, 7 }, found_records, found), PEN_ERR_CHECK);
    CHECK_CONTAINS(pen_error_message(), said);
    CHECK_CONTAINS(pen_error_message(), "pen_run_fetch)");
    pen_run_destroy(&run);
}

/* The node with the largest gid there can be makes a mistake. */
static void zero(const pen_view *v) { *PEN_NEXT(v, 0, uint64_t) = 0; }
static void count_calls(const pen_view *v) { *PEN_NEXT(v, 0, uint64_t) = pen_id(v) == INT64_MAX ? calls++ : 0; }

static void test_largest(void)
{
    static const pen_phase counting[] = { { "count", .node = count_calls, .writes = PEN_SET(0) } };
    static const pen_app counts = { .name = "counts", .fields = { fields, 1 }, PEN_PHASES(counting), .init = zero };
    graph_case g = case_make(1);
    g.gids[1] = INT64_MAX;
    pen_run *run = run_on(graph_of(&g, 1), &counts, &(pen_run_options){ .debug.strict = true });
    CHECK_STATUS(pen_run_steps(run, 1), PEN_ERR_CHECK);
    CHECK_CONTAINS(pen_error_message(), "node 9223372036854775807: results differ from call to call");
    pen_run_destroy(&run);
    case_free(&g);
}

/* A mistake is no end of the run: the phase did not count, and is tried again. */
static void test_again(const pen_graph *graph)
{
    uint64_t sum = 0;
    mistake = "none";
    pen_run *run = run_with(graph, &app, &(pen_run_options){ .debug.strict = true });
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

CHECKS()
{
    static const char *const transports[] = { "fence",    "pscw",    "passive",    "shared",
                                              "blocking", "overlap", "persistent", "neighbor" };
    static const char *const tables[] = { "small table", "large table", "hash table" };
    pen_graph *graph = graph_from("hex:5x4");
    for (int i = 0; i < PEN_COUNT_OF(tables); i++)
        test(graph, &(pen_run_options){ .debug.strict = true }, tables[i],
             "*results depend on slot numbers, or on data kept by slot between calls (phase add)");
    test(graph, &(pen_run_options){ .debug.strict = true }, "maximum",
         "*results differ from call to call: they depend on more than the records (phase add)");
    RUN(test_delivery(graph));
    for (int t = 0; t < PEN_COUNT_OF(transports); t++) {
        RUN(test(graph, &(pen_run_options){ .debug.strict = true, .transport = transports[t] }, "none", NULL));
        for (int i = 0; i < PEN_COUNT_OF(cases); i++)
            test(graph, &(pen_run_options){ .debug.strict = true, .transport = transports[t] }, cases[i].mistake,
                 cases[i].said);
    }
    const pen_run_options moving = { .debug.strict = true,
                                     .partitioner = "random",
                                     .balance = { "metis", .when = "every:1:always" } };
    RUN(test(graph, &moving, "none", NULL));
    CHECK(checksum(graph, true) == checksum(graph, false));
    RUN(test_again(graph));
    RUN(test_largest());
    pen_graph_destroy(&graph);
}

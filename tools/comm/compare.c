/* compare.c - measures every transport on the halo of a graph. A step writes the nodes that other ranks pull and then
 * pulls, on two planes alternately, as a run does. The measured time is from the end of writing until the shadows have
 * arrived. */
#include "tools/comm/compare.h"
#include "base/memory.h"
#include "halo/connect.h"
#include "halo/notify.h"
#include "store/create_store.h"
#include "tools/comm/mail.h"
#include "tools/comm/pattern.h"
#include "tools/comm/petsc_sf.h"
#include "tools/common/order.h"

#include <math.h>
#include <stdlib.h>

/* The bit set of the only field, the record. */
static const uint64_t record_field = 1;

/* One of Penumbra's transports, or a back-end of PETSc's PetscSF, that updates the halo of a pattern, with records of
 * one size. */
typedef struct comm_contender {
    const char *name; /* name of the contender, in static storage */
    bool one_sided;
    pen_field field; /* the only field of the contender's store */
    pen_store *store;
    pen_halo *halo; /* the halo of a transport; NULL: the contender is PetscSF */
    bool by_mail;   /* its records are delivered as mail */
    comm_mail mail;
    petsc_sf *petsc;
    pen_timers timers;
    pen_notices notices; /* for two-sided transports: empty messages with all neighbours */
    int64_t step;        /* number of steps so far */
} comm_contender;

/* The name of the i-th contender of this build; NULL after the last one. */
static const char *contender_name(int i)
{
    int own = 0;
    while (pen_transports[own]) own++;
    return i < own ? pen_transports[i]->name : pen_petsc_sf_name(i - own);
}

/* ---- Opening and closing ---------------------------------------------------------------------- */

static pen_status open_transport(const char *name, comm_contender *c)
{
    PEN_TRY(pen_connect(c->store, name, record_field, &c->timers, NULL, &c->halo));
    c->one_sided = c->halo->transport->one_sided;
    if (c->by_mail) return pen_comm_mail_open(c->halo, &c->mail);
    if (c->one_sided) return PEN_OK;
    return pen_agree(c->store->comm, pen_notices_create(c->halo, false, &c->notices));
}

static pen_status open_petsc(const char *name, comm_contender *c)
{
    c->one_sided = pen_petsc_sf_one_sided(name);
    PEN_TRY(pen_store_open(c->store, PEN_WINDOW_NONE, pen_store_window_bytes(c->store)));
    return pen_petsc_sf_create(c->store, name, &c->petsc);
}

/* Collective. Close a contender. A zeroed one is legal. */
static void contender_close(comm_contender *c)
{
    pen_notices_free(&c->notices);
    pen_petsc_sf_destroy(&c->petsc);
    pen_comm_mail_close(&c->mail);
    pen_halo_destroy(&c->halo);
    pen_store_destroy(&c->store);
}

/* Collective. Open a contender. PEN_ERR_ENVIRONMENT: it cannot run here, for the reason in pen_error_message(); the
 * same on all ranks. Other errors: as pen_store_create and pen_connect. *contender must not move until it is closed. */
static pen_status contender_open(pen_comm *comm, const comm_pattern *pattern, const char *name, size_t record,
                                 bool by_mail, comm_contender *c)
{
    *c = (comm_contender){ .name = name, .field = { .name = "record", .size = record }, .by_mail = by_mail };
    pen_timers_start(&c->timers);
    pen_status status = pen_store_create(comm, pattern->graph, pattern->owner, PEN_ORDER_NATURAL, &c->field, 1,
                                         &c->store);
    if (status == PEN_OK) status = strncmp(name, "petsc-", 6) == 0 ? open_petsc(name, c) : open_transport(name, c);
    if (status != PEN_OK) contender_close(c);
    return status;
}

/* ---- Steps ------------------------------------------------------------------------------------- */

/* Whether the contender pulls a halo as a run does. */
static bool pulls_halo(const comm_contender *c) { return c->halo && !c->by_mail; }

static unsigned char *next_plane(const comm_contender *c) { return pen_store_plane(c->store, 0, 1); }

/* Write the boundary, exchange, and swap the planes. Returns the time in ticks. */
static uint64_t exchange(comm_contender *c)
{
    uint64_t start = pen_ticks(), ticks = 0;
    if (c->by_mail) {
        ticks = pen_comm_mail_deliver(c->halo, &c->mail);
    } else if (c->petsc) {
        pen_petsc_sf_pull(c->petsc, next_plane(c), next_plane(c) + (size_t)c->store->owned * c->field.size);
    } else {
        c->halo->transport->begin(c->halo, record_field);
        c->halo->transport->end(c->halo, record_field);
    }
    if (!c->by_mail) ticks = pen_ticks() - start;
    pen_store_swap_planes(c->store, record_field);
    c->step++;
    return ticks;
}

static double seconds_of(const comm_contender *c, uint64_t ticks, int steps)
{
    return pen_timers_scale(&c->timers) * (double)ticks / steps;
}

/* Collective. Exchange in some steps. Returns seconds per step on this rank. */
static double contender_pull(comm_contender *c, int steps)
{
    uint64_t ticks = 0;
    for (int i = 0; i < steps; i++) {
        memset(next_plane(c), (int)(c->step & 0x7f), (size_t)c->store->boundary * c->field.size);
        ticks += exchange(c);
    }
    return seconds_of(c, ticks, steps);
}

/* Collective. Synchronise in some steps without pulling: one-sided transports use their epochs or notices, two-sided
 * ones an empty message from and to every neighbour. Returns seconds per step on this rank; 0 for PetscSF and mail,
 * which have nothing comparable. */
static double contender_idle(comm_contender *c, int steps)
{
    if (!pulls_halo(c)) return 0.0;
    uint64_t start = pen_ticks();
    for (int i = 0; i < steps; i++) {
        if (c->one_sided) {
            c->halo->transport->begin(c->halo, 0);
            c->halo->transport->end(c->halo, 0);
        } else {
            pen_notices_send(c->halo, &c->notices);
            pen_notices_wait(&c->notices);
        }
    }
    return seconds_of(c, pen_ticks() - start, steps);
}

/* Seconds so far in which this rank copied to or from packed blocks. */
static double contender_copying(const comm_contender *c)
{
    return seconds_of(c, c->timers.ticks[PEN_TIME_COMMUNICATION_OVERHEAD], 1);
}

/* ---- Validation of contenders ------------------------------------------------------------------ */

/* Byte i of the record of a node in a step. */
static unsigned char stamp(pen_gid gid, int64_t step, size_t i)
{
    uint64_t word = pen_mix(pen_mix((uint64_t)gid) + (uint64_t)step + ((uint64_t)(i / 8) << 32));
    return (unsigned char)(word >> i % 8 * 8);
}

/* Collective. Exchange stamps, and check the received ones, unless an error was found before. */
static pen_status check_step(comm_contender *c, pen_status before)
{
    pen_store *store = c->store;
    size_t size = c->field.size;
    unsigned char *records = next_plane(c);
    int64_t step = c->step;
    for (pen_lid slot = 0; slot < store->boundary; slot++)
        for (size_t i = 0; i < size; i++) records[(size_t)slot * size + i] = stamp(store->gids[slot], step, i);
    for (size_t at = (size_t)store->owned * size; at < (size_t)(store->owned + store->shadows) * size; at++)
        records[at] ^= 0x55;
    (void)exchange(c);
    for (pen_lid slot = store->owned; before == PEN_OK && slot < store->owned + store->shadows; slot++)
        for (size_t i = 0; i < size; i++)
            if (records[(size_t)slot * size + i] != stamp(store->gids[slot], step, i))
                return pen_fail(PEN_ERR_INTERNAL,
                                "%s, %zu bytes per record, step %" PRId64 ": node %" PRIgid
                                " arrived at rank %d with data that its owner did not write",
                                c->name, size, step, store->gids[slot], store->comm->rank);
    return before;
}

/* Collective. Do some steps with records whose bytes encode node and step; shadows are poisoned before.
 * PEN_ERR_INTERNAL, the same on all ranks, if a shadow is not the record that its owner wrote in that step. */
static pen_status contender_check(comm_contender *c)
{
    enum { STEPS = 4 };
    pen_status status = PEN_OK;
    for (int i = 0; i < STEPS; i++) status = check_step(c, status);
    return pen_agree(c->store->comm, status);
}

enum { RING_RECORD = 8, RING_NODES = 256, MOST_RING_NEIGHBORS = 6 };

/* A contender, and the row of the table that is measured for it. */
typedef struct entry {
    comm_contender contender;
    comm_row row;
    int steps, idle_steps; /* steps per sample; idle_steps 0: synchronisation has the cost of `like` */
    const struct entry *like;
    /* [rounds] seconds per step of the slowest rank; until the end, `copied` is this rank's. */
    double *seconds, *copied, *idle;
} entry;

typedef struct bench {
    pen_comm *comm;
    const comm_settings *settings;
    comm_comparison *result;
    entry **entries; /* [count] entries, allocated separately since contenders must not move */
    int count;
    double start; /* time when sampling began */
    bool late;    /* the time limit has passed */
} bench;

/* ---- Opening contenders ------------------------------------------------------------------------ */

/* Whether a transport has failed with records of this size or smaller ones. */
static bool refused(const bench *b, const char *name, int64_t record)
{
    for (int i = 0; i < b->result->refusal_count; i++)
        if (strcmp(b->result->refusals[i].transport, name) == 0 && b->result->refusals[i].record <= record) return true;
    return false;
}

static pen_status refuse(bench *b, const char *name, int64_t record)
{
    comm_comparison *result = b->result;
    comm_refusal refusal = { .transport = name, .record = record };
    snprintf(refusal.reason, sizeof refusal.reason, "%s", pen_error_message());
    PEN_TRY(PEN_REALLOC(&result->refusals, (int64_t)result->refusal_count + 1));
    result->refusals[result->refusal_count++] = refusal;
    return PEN_OK;
}

static pen_status new_entry(const bench *b, entry **fresh)
{
    PEN_TRY(PEN_ALLOC_ZERO(fresh, 1));
    PEN_TRY(PEN_ALLOC(&(*fresh)->seconds, b->settings->rounds));
    PEN_TRY(PEN_ALLOC(&(*fresh)->copied, b->settings->rounds));
    return PEN_ALLOC(&(*fresh)->idle, b->settings->rounds);
}

static void free_entry(entry *e)
{
    if (!e) return;
    contender_close(&e->contender);
    PEN_FREE_ALL(e->seconds, e->copied, e->idle, e);
}

/* Collective. Describe a contender: sizes of the halo and memory. `whole`: a rank's slots in a run of the whole
 * graph. */
static pen_status describe(const bench *b, entry *e, comm_sweep sweep, pen_lid whole)
{
    const comm_contender *c = &e->contender;
    const pen_store *store = c->store;
    int64_t record = (int64_t)c->field.size, buffers = pulls_halo(c) ? pen_halo_buffer_bytes(c->halo) : -1;
    int64_t window = c->halo && c->one_sided ? 2 * whole * record : 0; /* without the planes */
    if (c->by_mail) window = c->mail.pull.window.bytes;
    int64_t most[4] = { store->producer_count, store->shadows * record, window, buffers };
    PEN_MPI(MPI_Allreduce(MPI_IN_PLACE, most, 4, MPI_INT64_T, MPI_MAX, b->comm->mpi));
    e->row = (comm_row){ .sweep = sweep,
                         .one_sided = c->one_sided,
                         .ranks = b->comm->size,
                         .record = record,
                         .neighbors = most[0],
                         .halo_bytes = most[1],
                         .window = most[2],
                         .buffers = most[3] };
    snprintf(e->row.transport, sizeof e->row.transport, "%s", c->name);
    snprintf(e->row.eager, sizeof e->row.eager, "%s", c->one_sided ? "-" : b->settings->eager);
    return PEN_OK;
}

/* Collective. Open one contender for a pattern and a size of records. */
static pen_status open_one(bench *b, const comm_pattern *pattern, const char *name, comm_sweep sweep, int64_t record,
                           pen_lid whole)
{
    entry *e = NULL;
    pen_status status = new_entry(b, &e);
    if (status == PEN_OK) status = PEN_REALLOC(&b->entries, (int64_t)b->count + 1);
    status = pen_agree(b->comm, status);
    if (status == PEN_OK)
        status = contender_open(b->comm, pattern, name, (size_t)record, b->settings->mail, &e->contender);
    if (status == PEN_OK) status = contender_check(&e->contender);
    if (status == PEN_OK) status = describe(b, e, sweep, whole);
    if (status == PEN_OK) {
        b->entries[b->count++] = e;
        return PEN_OK;
    }
    free_entry(e);
    return status == PEN_ERR_ENVIRONMENT ? pen_agree(b->comm, refuse(b, name, record)) : status;
}

/* Whether a contender takes part. All two-sided transports deliver mail alike. */
static bool takes_part(const bench *b, const char *name, int64_t record)
{
    static const char *const mail[] = { "fence", "pscw", "passive", "shared", "overlap" };
    bool listed = !b->settings->mail;
    for (int i = 0; i < PEN_COUNT_OF(mail); i++) listed = listed || strcmp(name, mail[i]) == 0;
    return listed && !refused(b, name, record);
}

static pen_status open_all(bench *b, const comm_pattern *pattern, comm_sweep sweep, int64_t record, pen_lid whole)
{
    for (int i = 0; contender_name(i); i++)
        if (takes_part(b, contender_name(i), record))
            PEN_TRY(open_one(b, pattern, contender_name(i), sweep, record, whole));
    return PEN_OK;
}

/* Collective. Mark the entry that --comm=auto chooses. */
static pen_status ask_auto(const bench *b, const comm_pattern *pattern, int64_t record)
{
    comm_contender c;
    PEN_TRY(contender_open(b->comm, pattern, "auto", (size_t)record, false, &c));
    for (int i = 0; i < b->count; i++) {
        comm_row *row = &b->entries[i]->row;
        if (row->record == record && strcmp(row->transport, c.halo->transport->name) == 0) row->chosen = true;
    }
    contender_close(&c);
    return PEN_OK;
}

static pen_status open_halo(bench *b, const pen_graph *graph)
{
    comm_pattern pattern;
    const comm_sweep sweep = b->settings->mail ? COMM_SWEEP_MAIL : COMM_SWEEP_HALO;
    int neighbors = (int)b->settings->neighbors;
    pen_lid whole = neighbors + 1;
    pen_status status = neighbors > 0 ? pen_pattern_ring(b->comm, neighbors, 1, &pattern)
                                      : pen_pattern_cut(b->comm, graph, b->settings->partitioner, b->settings->machine,
                                                        &pattern, &whole);
    PEN_TRY(status);
    for (int i = 0; status == PEN_OK && i < b->settings->record_count; i++) {
        status = open_all(b, &pattern, sweep, b->settings->records[i], whole);
        if (status == PEN_OK && !b->settings->mail) status = ask_auto(b, &pattern, b->settings->records[i]);
    }
    pen_pattern_free(&pattern);
    return status;
}

/* Open contenders for rings. Two ranks have only one possible number of neighbours. */
static pen_status open_rings(bench *b)
{
    for (int k = 1; b->comm->size > 2 && k < b->comm->size && k <= MOST_RING_NEIGHBORS; k++) {
        comm_pattern pattern;
        PEN_TRY(pen_pattern_ring(b->comm, k, RING_NODES, &pattern));
        pen_status status = open_all(b, &pattern, COMM_SWEEP_NEIGHBORS, RING_RECORD, (k + 1) * RING_NODES);
        pen_pattern_free(&pattern);
        PEN_TRY(status);
    }
    return PEN_OK;
}

/* ---- Measurement ------------------------------------------------------------------------------- */

/* Length of a sample in seconds. It is short, so that other work on the machine disturbs few samples. */
static const double sample_seconds = 3e-4;
enum { LEAST_STEPS = 4, MOST_STEPS = 2048 };

typedef double sample_fn(comm_contender *contender, int steps);

/* Collective. Take a sample; *seconds: per step, of the slowest rank. *steps is adapted to the time of a sample: on a
 * busy machine, where a step may wait for a processor, it becomes small. */
static pen_status sample(bench *b, entry *e, sample_fn *take, int *steps, double *seconds)
{
    PEN_MPI(MPI_Barrier(b->comm->mpi));
    double most[2] = { take(&e->contender, *steps) };
    most[1] = pen_seconds_now() - b->start;
    PEN_MPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, b->comm->mpi));
    *seconds = most[0];
    b->late = most[1] > b->settings->seconds;
    double took = *seconds * *steps;
    if (took > 10.0 * sample_seconds && *steps > LEAST_STEPS) *steps /= 2;
    if (took < 0.5 * sample_seconds && *steps < MOST_STEPS) *steps *= 2;
    return PEN_OK;
}

/* Collective. Warm up, and find the number of steps that takes a sample's time; the same on all ranks. */
static pen_status calibrate(bench *b, entry *e, sample_fn *take, int *steps)
{
    double seconds = 0.0;
    *steps = LEAST_STEPS;
    PEN_TRY(sample(b, e, take, steps, &seconds));
    for (int before = 0; *steps > before;) {
        before = *steps;
        PEN_TRY(sample(b, e, take, steps, &seconds));
    }
    return PEN_OK;
}

/* Collective. Compute the bytes, gets and synchronisations of a step from the halo's counts. */
static pen_status count_step(const bench *b, entry *e)
{
    comm_contender *c = &e->contender;
    int64_t sums[3] = { c->store->shadows * (int64_t)c->field.size, c->store->producer_count, -1 };
    if (pulls_halo(c)) {
        c->halo->bytes = c->halo->gets = c->halo->syncs = 0;
        (void)contender_pull(c, 1);
        sums[0] = c->halo->bytes;
        sums[1] = c->halo->gets;
        sums[2] = c->halo->syncs;
    }
    PEN_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_INT64_T, MPI_SUM, b->comm->mpi));
    e->row.bytes = sums[0];
    e->row.gets = sums[1];
    e->row.syncs = pulls_halo(c) ? sums[2] : -1;
    return PEN_OK;
}

/* Compute the medians and an interval of the first samples, which are sorted; `rank` is that of the interval. */
static void summarize(entry *e, int rounds, int rank)
{
    comm_row *row = &e->row;
    int disturbed = 0;
    row->median = pen_median(e->seconds, rounds);
    row->min = e->seconds[0];
    row->max = e->seconds[rounds - 1];
    row->low = rank > 0 ? e->seconds[rank - 1] : -1.0;
    row->high = rank > 0 ? e->seconds[rounds - rank] : -1.0;
    for (int i = 0; i < rounds; i++) disturbed += e->seconds[i] > COMM_DISTURBED * row->min;
    row->noise = (double)disturbed / rounds;
}

/* Whether all medians have narrow intervals. Checked in some rounds only, because sorting takes time. */
static bool all_narrow(const bench *b, int rounds)
{
    enum { LEAST = 50, EVERY = 10 };
    static const double narrow = 0.05; /* largest width of a narrow interval, as a fraction of the median */
    if (rounds < LEAST || rounds % EVERY != 0) return false;
    int rank = pen_median_rank(rounds);
    for (int i = 0; i < b->count; i++) {
        summarize(b->entries[i], rounds, rank);
        const comm_row *row = &b->entries[i]->row;
        if (row->high - row->low > narrow * row->median) return false;
    }
    return true;
}

/* Collective. Summarise an entry over all ranks. */
static pen_status conclude(const bench *b, entry *e)
{
    int rounds = (int)b->result->rounds;
    comm_row *row = &e->row;
    PEN_MPI(MPI_Allreduce(MPI_IN_PLACE, e->copied, rounds, MPI_DOUBLE, MPI_MAX, b->comm->mpi));
    summarize(e, rounds, pen_median_rank(rounds));
    row->copy = pulls_halo(&e->contender) ? pen_median(e->copied, rounds) : -1.0;
    row->sync = e->idle_steps > 0 ? pen_median(e->idle, rounds) : e->like->row.sync;
    if (!pulls_halo(&e->contender)) row->sync = -1.0;
    return PEN_OK;
}

/* The first entry of the same transport with the same neighbours, or this one. */
static const entry *find_like(const bench *b, const entry *e)
{
    int i = 0;
    while (b->entries[i]->contender.name != e->contender.name || b->entries[i]->row.sweep != e->row.sweep ||
           b->entries[i]->row.neighbors != e->row.neighbors)
        i++;
    return b->entries[i];
}

/* Collective. Take a sample of every entry. After the first round, the time limit may end a round early; that round is
 * dropped. */
static pen_status take_round(bench *b)
{
    int64_t round = b->result->rounds;
    for (int i = 0; i < b->count; i++) {
        if (b->late && round > 0) return PEN_OK;
        entry *e = b->entries[i];
        double before = contender_copying(&e->contender);
        int steps = e->steps;
        PEN_TRY(sample(b, e, contender_pull, &e->steps, &e->seconds[round]));
        e->copied[round] = (contender_copying(&e->contender) - before) / steps;
        if (e->idle_steps > 0) PEN_TRY(sample(b, e, contender_idle, &e->idle_steps, &e->idle[round]));
    }
    b->result->rounds++;
    return PEN_OK;
}

static pen_status measure(bench *b)
{
    for (int i = 0; i < b->count; i++) {
        entry *e = b->entries[i];
        e->like = find_like(b, e);
        PEN_TRY(calibrate(b, e, contender_pull, &e->steps));
        if (e->like == e) PEN_TRY(calibrate(b, e, contender_idle, &e->idle_steps));
        PEN_TRY(count_step(b, e));
    }
    b->start = pen_seconds_now();
    do {
        PEN_TRY(take_round(b));
    } while (!b->late && b->result->rounds < b->settings->rounds && !all_narrow(b, (int)b->result->rounds));
    for (int i = 0; i < b->count; i++) {
        PEN_TRY(contender_check(&b->entries[i]->contender));
        PEN_TRY(conclude(b, b->entries[i]));
    }
    return PEN_OK;
}

static pen_status make_table(const bench *b)
{
    comm_comparison *c = b->result;
    PEN_TRY(PEN_ALLOC(&c->rows, b->count));
    for (; c->row_count < b->count; c->row_count++) c->rows[c->row_count] = b->entries[c->row_count]->row;
    return PEN_OK;
}

pen_status pen_compare(pen_comm *comm, const pen_graph *graph, const comm_settings *settings,
                       comm_comparison *comparison)
{
    *comparison = (comm_comparison){ .refusal_count = 0 };
    bench b = { .comm = comm, .settings = settings, .result = comparison };
    pen_status status = open_halo(&b, graph);
    if (status == PEN_OK) status = open_rings(&b);
    if (status == PEN_OK) status = measure(&b);
    if (status == PEN_OK) status = pen_agree(comm, make_table(&b));
    while (b.count > 0) free_entry(b.entries[--b.count]);
    free(b.entries);
    pen_petsc_sf_finish();
    if (status != PEN_OK) pen_comparison_free(comparison);
    return status;
}

void pen_comparison_free(comm_comparison *comparison)
{
    PEN_FREE_ALL(comparison->rows, comparison->refusals);
    *comparison = (comm_comparison){ .refusal_count = 0 };
}

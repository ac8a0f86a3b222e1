/* record.c - gathers the loads and the changes of a run on rank 0, which writes them. */
#include "record/record.h"
#include "balancing/loads.h"
#include "base/memory.h"
#include "base/sparse.h"
#include "store/change.h"
#include "workload/decode.h"
#include "workload/runs.h"
#include "workload/workload.h"

#include <math.h>
#include <stdlib.h>

/* Limits of the coded loads that a rank keeps before it hands them over: values, if no two of them are equal, and
 * steps. */
enum { MOST_KEPT = 1 << 19, MOST_STEPS = 64 };

typedef struct pen_record {
    pen_run_coder coder;
    pen_bytes kept;           /* coded loads by slot, step by step */
    int64_t ends[MOST_STEPS]; /* [steps] ends of the steps in `kept` */
    int steps, together;      /* number of kept steps; and of steps that are handed over together, equal on all ranks */
    /* The first kept step with a load that is no number >= 0, or -1; and the gid of its node. */
    int64_t refused, refused_node;
    bool open;      /* the record has begun and has not ended */
    bool told;      /* rank 0 knows which nodes are here; equal on all ranks */
    int dimensions; /* dimensions of the places in the record */
    pen_workload_times times;
    double seconds;     /* seconds that handing over has taken */
    uint64_t overhead;  /* PEN_TIME_COMPUTE_OVERHEAD of the run after the last noted step */
    pen_failure failed; /* the first failure of handing over, or on rank 0 of writing: nothing is written afterwards */
    /* On rank 0: */
    pen_workload_writer *writer;
    pen_workload_change *pending; /* the change that is being prepared; NULL: none */
} pen_record;

static pen_record *record_of(const pen_run *run) { return pen_part_state(run, &pen_part_record); }

/* ---- Messages to rank 0 ------------------------------------------------------------------------ */

/* A buffer of 64-bit words. */
typedef struct send_buffer {
    int64_t *words; /* [count] the words */
    int64_t count, room;
} send_buffer;

static pen_status reserve(send_buffer *p, int64_t more) { return pen_reserve(&p->words, 8, p->count + more, &p->room); }

static void put_bytes(send_buffer *p, int64_t size, const void *bytes)
{
    if (size % 8 > 0) p->words[p->count + size / 8] = 0;
    if (size > 0) memcpy(p->words + p->count, bytes, (size_t)size);
    p->count += (size + 7) / 8;
}

/* Collective. Send a buffer to rank 0, with the status of this rank so far, and free it. */
static pen_status hand_over(pen_run *run, pen_status status, send_buffer *p, pen_blocks *received)
{
    int to = 0;
    int64_t offsets[] = { 0, 8 * p->count };
    const pen_blocks send = { p->count > 0, &to, offsets, (unsigned char *)p->words };
    status = pen_sparse_exchange(run->comm, status, &send, received);
    free(p->words);
    return status;
}

static const int64_t *words_of(const pen_blocks *blocks, int block)
{
    return (const int64_t *)(const void *)(blocks->data + blocks->offsets[block]);
}

/* ---- Rows -------------------------------------------------------------------------------------- */

/* A row in a send buffer: gid, owner, parent, degree, neighbours, edge weights, coordinates. */
enum { ROW_GID, ROW_OWNER, ROW_PARENT, ROW_DEGREE, ROW_HEAD };

static int64_t row_words(const int64_t *row, int dimensions) { return ROW_HEAD + 2 * row[ROW_DEGREE] + dimensions; }

/* Put the coordinates of a node. In a grid they are those that nodes get when it changes; NaN: the node has none. */
static void put_place(send_buffer *p, const pen_store *store, pen_lid slot, int dimensions)
{
    double at[3] = { NAN, NAN, NAN };
    const double *place = at;
    if (store->dimensions > 0) place = store->coordinates + (int64_t)slot * dimensions;
    else if (store->grid.width > 0) pen_grid_place(&store->grid, store->gids[slot], at);
    put_bytes(p, 8 * dimensions, place);
}

static pen_status put_row(send_buffer *p, const pen_store *store, int dimensions, pen_lid slot, pen_gid parent)
{
    uint32_t first = store->rows[slot], end = store->rows[slot + 1];
    int64_t degree = end - first;
    PEN_TRY(reserve(p, ROW_HEAD + 2 * degree + dimensions));
    int64_t *to = p->words + p->count;
    to[ROW_GID] = store->gids[slot];
    to[ROW_OWNER] = store->comm->rank;
    to[ROW_PARENT] = parent;
    to[ROW_DEGREE] = degree;
    to += ROW_HEAD;
    for (uint32_t a = first; a < end; a++) *to++ = store->gids[store->columns[a]];
    for (uint32_t a = first; a < end; a++) *to++ = store->edge_weights ? store->edge_weights[a] : 1;
    p->count = to - p->words;
    put_place(p, store, slot, dimensions);
    return PEN_OK;
}

static int by_gid(const void *a, const void *b)
{
    return pen_by_gid(*(const pen_gid *const *)a, *(const pen_gid *const *)b);
}

/* Rank 0: sort these rows by gid. The caller frees the result, also after a failure. */
static pen_status sort_rows(const pen_run *run, int64_t count, const int64_t **listed, pen_workload_rows *rows)
{
    int dimensions = record_of(run)->dimensions;
    int64_t arcs = 0;
    if (count > 0) qsort((void *)(uintptr_t)listed, (size_t)count, sizeof *listed, by_gid);
    for (int64_t i = 0; i < count; i++) arcs += listed[i][ROW_DEGREE];
    rows->count = count;
    PEN_TRY(PEN_ALLOC(&rows->gids, count));
    PEN_TRY(PEN_ALLOC(&rows->owners, count));
    PEN_TRY(PEN_ALLOC(&rows->parents, count));
    PEN_TRY(PEN_ALLOC_ZERO(&rows->rows, count + 1));
    PEN_TRY(PEN_ALLOC(&rows->neighbors, arcs));
    PEN_TRY(PEN_ALLOC(&rows->edge_weights, arcs));
    if (dimensions > 0) PEN_TRY(PEN_ALLOC(&rows->coordinates, count * dimensions));
    for (int64_t i = 0; i < count; i++) {
        const int64_t *row = listed[i], degree = row[ROW_DEGREE], first = rows->rows[i];
        size_t bytes = (size_t)degree * sizeof *row;
        rows->gids[i] = row[ROW_GID];
        rows->owners[i] = (int32_t)row[ROW_OWNER];
        rows->parents[i] = row[ROW_PARENT];
        rows->rows[i + 1] = first + degree;
        memcpy(rows->neighbors + first, row + ROW_HEAD, bytes);
        memcpy(rows->edge_weights + first, row + ROW_HEAD + degree, bytes);
        if (dimensions > 0)
            memcpy(rows->coordinates + i * dimensions, row + ROW_HEAD + 2 * degree, (size_t)dimensions * sizeof *row);
    }
    return PEN_OK;
}

static void free_change(pen_workload_change *c)
{
    free(c->died);
    pen_workload_rows_free(&c->rows);
    *c = (pen_workload_change){ .died_count = 0 };
}

/* Rank 0: make the change from the received buffers. Each has the number of removed nodes, their gids, and then rows.
 */
static pen_status take_change(const pen_run *run, const pen_blocks *received, pen_workload_change *change)
{
    int dimensions = record_of(run)->dimensions;
    const int64_t **listed = NULL;
    int64_t count = 0, died = 0;
    for (int i = 0; i < received->count; i++) {
        const int64_t *at = words_of(received, i), *end = words_of(received, i + 1);
        died += *at;
        for (at += 1 + *at; at < end; at += row_words(at, dimensions)) count++;
    }
    change->died_count = died;
    pen_status status = PEN_ALLOC(&change->died, died);
    if (status == PEN_OK) status = pen_alloc(&listed, count, sizeof *listed);
    count = died = 0;
    for (int i = 0; status == PEN_OK && i < received->count; i++) {
        const int64_t *at = words_of(received, i), *end = words_of(received, i + 1);
        memcpy(change->died + died, at + 1, (size_t)*at * sizeof *at);
        died += *at;
        for (at += 1 + *at; at < end; at += row_words(at, dimensions)) listed[count++] = at;
    }
    if (status == PEN_OK) {
        if (died > 0) qsort(change->died, (size_t)died, sizeof *change->died, pen_by_gid);
        status = sort_rows(run, count, listed, &change->rows);
    }
    free((void *)(uintptr_t)listed);
    return status;
}

/* ---- The beginning ----------------------------------------------------------------------------- */

/* Collective. Gather the graph and its owners as a change of an empty graph, which rank 0 frees. */
static pen_status gather_graph(pen_run *run, pen_workload_change *graph)
{
    send_buffer p = { .words = NULL };
    pen_blocks received = { 0 };
    pen_status status = reserve(&p, 1);
    if (status == PEN_OK) p.words[p.count++] = 0;
    for (pen_lid slot = 0; status == PEN_OK && slot < run->store->owned; slot++)
        status = put_row(&p, run->store, record_of(run)->dimensions, slot, PEN_WORKLOAD_NOBODY);
    status = hand_over(run, status, &p, &received);
    if (status == PEN_OK && run->comm->rank == 0) status = take_change(run, &received, graph);
    pen_blocks_free(&received);
    return pen_agree(run->comm, status);
}

static int64_t pulled_bytes(const pen_run *run, int phase)
{
    const pen_phase_traits *traits = &run->traits[phase];
    int64_t bytes = 0;
    for (int f = 0; traits->publishes && f < run->app->fields.count; f++)
        if (traits->pull >> f & 1) bytes += (int64_t)run->app->fields.list[f].size;
    return bytes;
}

/* The words of columns that move with a node, without those of a balancer, since a replay adds the words of its own.
 * The columns of other parts move always or never. */
static int64_t shipped_words(const pen_run *run)
{
    size_t bytes = 0;
    PEN_FOR_COLUMNS(c, p, run)
    if (!c->of_balancer && !c->ships) bytes += c->bytes(p->state);
    return (int64_t)(bytes / sizeof(int64_t));
}

static pen_status create_writer(pen_run *run, const char *path, pen_workload_change *graph)
{
    const pen_app *app = run->app;
    const pen_store *store = run->store;
    pen_row_format format = pen_run_row_format(run);
    format.value_words = shipped_words(run);
    pen_workload_phase *phases = NULL;
    PEN_TRY(PEN_ALLOC(&phases, app->phases.count));
    for (int i = 0; i < app->phases.count; i++)
        phases[i] = (pen_workload_phase){ (char *)(uintptr_t)app->phases.list[i].name, pulled_bytes(run, i) };
    const pen_workload_world world = { .application = (char *)(uintptr_t)app->name,
                                       .ranks = run->comm->size,
                                       .first = run->step,
                                       .steps = run->world.steps < PEN_UNLIMITED ? run->world.steps : 0,
                                       .declared = pen_loads_of(run)->declared,
                                       .directed = store->directed,
                                       .dimensions = record_of(run)->dimensions,
                                       .grid = (int)store->grid.grid,
                                       .width = store->grid.width,
                                       .height = store->grid.height,
                                       .depth = store->grid.depth,
                                       .node_bytes = 8 * pen_row_words(&format, 0),
                                       .arc_bytes = 8 * (pen_row_words(&format, 1) - pen_row_words(&format, 0)),
                                       .phase_count = app->phases.count,
                                       .phases = phases,
                                       .load_phases = pen_loads_of(run)->phases };
    free(graph->rows.parents);
    graph->rows.parents = NULL;
    pen_status status = pen_workload_create(path, &world, &graph->rows, &record_of(run)->writer);
    free(phases);
    return status;
}

/* Allocate memory for the loads of so many nodes, so that steps allocate nothing. */
static pen_status make_room(pen_run *run, pen_record *r, pen_lid owned)
{
    const int phases = pen_loads_of(run)->phases;
    PEN_TRY(pen_run_coder_fit(&r->coder, owned, phases));
    (void)pen_bytes_room(&r->kept, r->together * pen_runs_most(owned, phases));
    return r->kept.status;
}

static pen_status begin_record(pen_run *run, void *state, const pen_run_options *options)
{
    pen_record *r = state;
    pen_workload_change graph = { .died_count = 0 };
    int64_t share = 1 + MOST_KEPT / (1 + run->graph.nodes / run->comm->size);
    r->dimensions = pen_run_dimensions(run);
    r->together = share > MOST_STEPS ? MOST_STEPS : (int)share;
    r->refused = -1;
    pen_status status = pen_agree(run->comm, make_room(run, r, run->store->owned));
    if (status == PEN_OK) status = gather_graph(run, &graph);
    if (status == PEN_OK && run->comm->rank == 0) status = create_writer(run, options->output.record, &graph);
    free_change(&graph);
    status = pen_agree(run->comm, status);
    r->open = status == PEN_OK;
    return status;
}

/* ---- Steps ------------------------------------------------------------------------------------- */

/* A send buffer of steps: whether rank 0 knows the nodes, their number, the step with a refused load and its node, and
 * the number of steps; then the ends of the steps, the nodes, and the coded loads. */
enum { STEPS_TOLD, STEPS_OWNED, STEPS_REFUSED, STEPS_NODE, STEPS_COUNT, STEPS_HEAD };

static pen_status pack_steps(const pen_store *store, const pen_record *r, send_buffer *p)
{
    const int64_t named = r->told ? 0 : store->owned;
    PEN_TRY(reserve(p, STEPS_HEAD + r->steps + named + (r->kept.size + 7) / 8));
    p->words[STEPS_TOLD] = r->told;
    p->words[STEPS_OWNED] = store->owned;
    p->words[STEPS_REFUSED] = r->refused;
    p->words[STEPS_NODE] = r->refused_node;
    p->words[STEPS_COUNT] = r->steps;
    p->count = STEPS_HEAD;
    put_bytes(p, 8 * r->steps, r->ends);
    put_bytes(p, 8 * named, store->gids);
    put_bytes(p, r->kept.size, r->kept.data);
    return PEN_OK;
}

/* Rank 0: find the places of the ranks' nodes, by slot, which is the order of their loads. */
static pen_status find_places(const pen_blocks *received, pen_workload_writer *writer, int64_t *first, int32_t **places)
{
    first[0] = 0;
    for (int i = 0; i < received->count; i++) first[i + 1] = first[i] + words_of(received, i)[STEPS_OWNED];
    PEN_TRY(PEN_ALLOC(places, first[received->count]));
    for (int i = 0; i < received->count; i++) {
        const int64_t *gids = words_of(received, i) + STEPS_HEAD + words_of(received, i)[STEPS_COUNT];
        for (int64_t k = first[i]; k < first[i + 1]; k++) (*places)[k] = pen_workload_writer_place(writer, *gids++);
    }
    return PEN_OK;
}

static pen_status write_order(const pen_record *r, const pen_blocks *received)
{
    int64_t *first;
    int32_t *places = NULL;
    PEN_TRY(PEN_ALLOC(&first, (int64_t)received->count + 1));
    pen_status status = find_places(received, r->writer, first, &places);
    if (status == PEN_OK) status = pen_workload_write_order(r->writer, received->count, first, places);
    PEN_FREE_ALL(first, places);
    return status;
}

/* The part of a step that a rank has sent. */
static pen_workload_part part_of(const int64_t *words, int64_t step)
{
    const int64_t named = words[STEPS_TOLD] ? 0 : words[STEPS_OWNED], *ends = words + STEPS_HEAD;
    const unsigned char *bytes = (const unsigned char *)(ends + words[STEPS_COUNT] + named);
    const int64_t begin = step > 0 ? ends[step - 1] : 0;
    return (pen_workload_part){ bytes + begin, ends[step] - begin };
}

static pen_status write_step(const pen_record *r, const pen_blocks *received, int64_t step, pen_workload_part *parts)
{
    for (int i = 0; i < received->count; i++) {
        const int64_t *words = words_of(received, i);
        if (words[STEPS_REFUSED] == step) return pen_workload_refuse(r->writer, words[STEPS_NODE]);
        parts[i] = part_of(words, step);
    }
    return pen_workload_write_parts(r->writer, received->count, parts);
}

/* Rank 0: write the steps. Every rank has sent a buffer. */
static pen_status write_steps(const pen_record *r, const pen_blocks *received)
{
    const int64_t *words = words_of(received, 0);
    pen_workload_part *parts;
    if (!words[STEPS_TOLD]) PEN_TRY(write_order(r, received));
    PEN_TRY(PEN_ALLOC(&parts, received->count));
    pen_status status = PEN_OK;
    for (int64_t s = 0; s < words[STEPS_COUNT] && status == PEN_OK; s++) status = write_step(r, received, s, parts);
    free(parts);
    return status;
}

/* Collective. Hand the kept loads over to rank 0. Only PEN_ERR_MPI is returned: a run goes on without its record. */
static pen_status flush(pen_run *run, pen_record *r)
{
    send_buffer p = { .words = NULL };
    pen_blocks received = { 0 };
    if (r->steps == 0) return PEN_OK;
    double start = pen_seconds_now();
    const pen_status sent = hand_over(run, pack_steps(run->store, r, &p), &p, &received);
    pen_failure_keep(&r->failed, sent);
    if (run->comm->rank == 0 && r->failed.status == PEN_OK) pen_failure_keep(&r->failed, write_steps(r, &received));
    pen_blocks_free(&received);
    pen_bytes_clear(&r->kept);
    r->steps = 0;
    r->refused = -1;
    r->told = true;
    r->seconds += pen_seconds_now() - start;
    return sent == PEN_ERR_MPI ? sent : PEN_OK;
}

/* Add a step to the sums from which the time is fitted to numbers of nodes and loads. */
static void add_times(pen_workload_times *t, pen_lid owned, double load, double seconds)
{
    const double n = owned, l = load;
    t->nn += n * n;
    t->nl += n * l;
    t->ll += l * l;
    t->nt += n * seconds;
    t->lt += l * seconds;
    t->tt += seconds * seconds;
}

static pen_status note_step(pen_run *run, void *state, uint64_t spent)
{
    pen_record *r = state;
    const pen_loads *loads = pen_loads_of(run);
    if (!r->open) return PEN_OK;
    const pen_lid owned = run->store->owned;
    const int64_t refused = pen_runs_put(&r->coder, owned, loads->phases,
                                         loads->told_apart ? loads->of_phases : loads->of, &r->kept);
    if (refused >= 0 && r->refused < 0) {
        r->refused = r->steps;
        r->refused_node = run->store->gids[refused];
    }
    r->ends[r->steps] = r->kept.size;
    uint64_t overhead = run->timers.ticks[PEN_TIME_COMPUTE_OVERHEAD];
    const double seconds = (double)(spent + overhead - r->overhead) * pen_timers_scale(&run->timers);
    /* Spreading is measured with another clock, and may seem to have taken longer than the step. */
    add_times(&r->times, owned, loads->total, fmax(0.0, seconds - loads->spreading));
    r->overhead = overhead;
    return ++r->steps < r->together ? PEN_OK : flush(run, r);
}

/* ---- Changes ----------------------------------------------------------------------------------- */

/* The node whose place in the graph this node takes: itself, its requester, or none. */
static pen_gid parent_of(const pen_change *change, pen_lid slot)
{
    pen_lid origin = pen_change_origin(change, slot);
    if (origin < 0) return PEN_WORKLOAD_NOBODY;
    pen_gid gid = change->before->gids[origin];
    return gid == change->after->gids[slot] && !change->died[origin] ? PEN_WORKLOAD_STAYED : gid;
}

static pen_status pack_change(const pen_change *change, int dimensions, send_buffer *p)
{
    const pen_store *before = change->before, *after = change->after;
    const pen_placing *placing = &change->placing;
    PEN_TRY(reserve(p, 1 + (int64_t)before->owned));
    int64_t *died = p->words;
    *died = 0;
    for (pen_lid slot = 0; slot < before->owned; slot++)
        if (change->died[slot]) died[1 + (*died)++] = before->gids[slot];
    p->count = 1 + *died;
    for (pen_lid slot = 0; slot < after->owned; slot++)
        if (pen_placing_has_row(placing, placing->id[slot]))
            PEN_TRY(put_row(p, after, dimensions, slot, parent_of(change, slot)));
    return PEN_OK;
}

/* Collective. Gather the change on rank 0. */
static pen_status gather_change(pen_run *run, pen_record *r, const pen_change *change)
{
    send_buffer p = { .words = NULL };
    pen_blocks received = { 0 };
    pen_status status = hand_over(run, pack_change(change, r->dimensions, &p), &p, &received);
    if (status == PEN_OK && run->comm->rank == 0) status = PEN_ALLOC_ZERO(&r->pending, 1);
    if (status == PEN_OK && r->pending) status = take_change(run, &received, r->pending);
    pen_blocks_free(&received);
    return status;
}

static void forget_change(pen_record *r)
{
    if (r->pending) free_change(r->pending);
    free(r->pending);
    r->pending = NULL;
}

static void undo_change(pen_run *run, void *state) { forget_change(state); }

static pen_status prepare_change(pen_run *run, void *state, const pen_change *change)
{
    pen_record *r = state;
    if (!r->open) return PEN_OK;
    PEN_TRY(flush(run, r));
    pen_status status = change->rewired ? gather_change(run, r, change) : PEN_OK;
    if (status == PEN_OK) status = make_room(run, r, change->after->owned);
    return pen_agree(run->comm, status);
}

static void commit_change(pen_run *run, void *state, const pen_change *change)
{
    pen_record *r = state;
    r->told = false;
    r->coder.known = false;
    if (r->pending && r->failed.status == PEN_OK)
        pen_failure_keep(&r->failed, pen_workload_write_change(r->writer, r->pending));
    forget_change(r);
}

/* ---- The end ----------------------------------------------------------------------------------- */

/* Collective. Gather the measurements of all ranks on rank 0. */
static pen_status sum_times(const pen_comm *comm, pen_workload_times *t)
{
    pen_workload_times sums = { .open = t->open };
    PEN_MPI(MPI_Reduce(&t->loop, &sums.loop, 1, MPI_DOUBLE, MPI_MAX, 0, comm->mpi));
    PEN_MPI(MPI_Reduce(&t->nn, &sums.nn, 6, MPI_DOUBLE, MPI_SUM, 0, comm->mpi));
    *t = sums;
    return PEN_OK;
}

static pen_status end_record(pen_run *run, void *state)
{
    pen_record *r = state;
    if (!r->open) return PEN_OK;
    r->times.loop = fmax(0.0, run->timers.loop - r->seconds); /* some is handed over between steps */
    r->times.open = run->end == PEN_END_OPEN;
    pen_status status = flush(run, r);
    if (status == PEN_OK) status = sum_times(run->comm, &r->times);
    if (r->failed.status != PEN_OK) status = pen_failure_again(&r->failed);
    r->open = false;
    return pen_agree(run->comm, pen_workload_finish(&r->writer, status, &r->times));
}

pen_status pen_record_end(pen_run *run) { return end_record(run, record_of(run)); }

static void destroy(pen_run *run, void *state)
{
    pen_record *r = state;
    forget_change(r);
    pen_bytes_free(&r->kept);
    pen_run_coder_free(&r->coder);
    pen_failure_forget(&r->failed);
}

static const pen_part_option options_of_record[] = {
    { "record", "FILE", "write the data that balancers see in each step, for pen-sim", PEN_OPTION_SETS(output.record),
      .output = true, .writes = true },
    { .name = NULL },
};

const pen_part pen_part_record = {
    .name = "record",
    .state_size = sizeof(pen_record),
    .options = options_of_record,
    .first_decides = true,
    .moves = true,
    .ready = begin_record,
    .after_phases = note_step,
    .prepare_change = prepare_change,
    .commit_change = commit_change,
    .undo_change = undo_change,
    .finish = end_record,
    .destroy = destroy,
};

#include "resume/checkpoint_write.h"
#include "balancing/balance.h"
#include "balancing/loads.h"
#include "base/memory.h"
#include "base/memory_stream.h"
#include "resume/checkpoint_state.h"
#include "store/ordering.h"

/* A chunk holds as many nodes as make so many bytes, or one that makes more. */
enum { CHUNK_BYTES = 4 << 20 };

typedef struct save {
    pen_run *run;
    pen_checkpoint_state saved;
    pen_bytes about, own; /* own: of this rank */
    pen_lid *slots;       /* [owned] ascending by gid */
    pen_chunk *chunks;    /* [count] the first is this rank's own, */
    pen_lid *first;       /* [count+1] of the nodes, as they stand in slots, of each of the others */
    int64_t count;
} save;

/* ---- What is said of the run ------------------------------------------------------------------------ */

/* Transient fields have a meaning within a step only. */
static uint64_t kept_fields(const pen_run *run)
{
    uint64_t all = pen_app_fields(run->app);
    return run->phase == 0 ? all & ~pen_app_transient(run->app) : all;
}

static int load_columns(const pen_run *run)
{
    if (!pen_balance_of(run) || pen_loads_of(run)->version != run->store->migrations) return 0;
    return pen_loads_of(run)->steps > 0 ? 2 : 1;
}

static pen_status copy_if(const char *text, char **copy) { return text ? pen_copy_text(text, copy) : PEN_OK; }

static pen_status ask_application(const pen_run *run, char **own)
{
    size_t size = 0;
    if (!run->app->checkpoint.save) return PEN_OK;
    FILE *out = pen_memory_stream(own, &size);
    if (out) run->app->checkpoint.save(run, run->app->params, out);
    if (out && fclose(out) == 0) return PEN_OK;
    return pen_fail(PEN_ERR_MEMORY, "out of memory for the data of %s", run->app->name);
}

static pen_status describe_texts(const pen_run *run, pen_checkpoint_state *s)
{
    PEN_TRY(pen_copy_text(pen_version(), &s->version));
    PEN_TRY(pen_copy_text(run->app->name, &s->application));
    PEN_TRY(pen_checkpoint_state_shape(run->app, &s->shape));
    PEN_TRY(pen_checkpoint_state_settings(run->app, &s->settings));
    PEN_TRY(copy_if(run->contents, &s->contents));
    PEN_TRY(copy_if(run->graph_settings, &s->graph));
    PEN_TRY(copy_if(run->graph_origin, &s->graph_origin));
    PEN_TRY(copy_if(run->partitioner, &s->partitioner));
    PEN_TRY(copy_if(pen_balance_of(run) ? pen_balance_of(run)->name : NULL, &s->balancer));
    return run->comm->rank == 0 ? ask_application(run, &s->own) : PEN_OK;
}

static pen_status describe(const pen_run *run, pen_checkpoint_state *s)
{
    const pen_app *app = run->app;
    const pen_store *store = run->store;
    s->world = run->world;
    s->world.seed = run->seed;
    s->first_edges = run->first_edges;
    s->nodes = run->nodes;
    s->edges = run->edges;
    s->step = run->step;
    s->phase = run->phase;
    s->directed = store->directed;
    s->dimensions = store->dimensions;
    s->weights = store->node_weights != NULL;
    s->edge_weights = store->edge_weights != NULL;
    s->begun = run->begun;
    s->put = run->put;
    s->changed = run->changed.with_changes > 0;
    s->fields = kept_fields(run);
    s->field_count = app->fields.count;
    s->edge_field_count = app->edge_fields.count;
    for (int f = 0; f < app->fields.count; f++) s->sizes[f] = (int64_t)app->fields.list[f].size;
    for (int e = 0; e < app->edge_fields.count; e++) s->edge_sizes[e] = (int64_t)app->edge_fields.list[e].size;
    return describe_texts(run, s);
}

/* Collective. Agree on what rank 0 writes for all ranks, and on what a rank without nodes may not know. */
static pen_status agree_on(pen_run *run, pen_checkpoint_state *s)
{
    int64_t any[3] = { s->weights, s->edge_weights, load_columns(run) }, all[3];
    PEN_TRY(pen_all_reduce(run->comm, any, all, 3, MPI_INT64_T, MPI_MAX));
    PEN_TRY(pen_all_reduce(run->comm, &run->graph_sum, &s->graph_sum, 1, MPI_UINT64_T, MPI_SUM));
    s->weights = all[0] != 0;
    s->edge_weights = all[1] != 0;
    s->averages = pen_balance_of(run) && pen_balance_of(run)->steer.forecast.keeps;
    s->load_columns = (int)all[2];
    return PEN_OK;
}

static pen_status code(save *s)
{
    pen_coder about = { .out = &s->about }, own = { .out = &s->own };
    if (s->run->comm->rank == 0) {
        PEN_TRY(pen_checkpoint_state_code(&about, &s->saved));
        PEN_TRY(pen_checkpoint_state_state(&about, s->run));
    }
    PEN_TRY(pen_checkpoint_state_rank(&own, s->run));
    return s->own.status == PEN_OK ? s->about.status : s->own.status;
}

/* ---- Chunks ---------------------------------------------------------------------------------------- */

static int64_t degree_of(const pen_store *store, pen_lid slot) { return store->rows[slot + 1] - store->rows[slot]; }

static pen_status add_chunk(save *s, int64_t *room, int64_t *more)
{
    PEN_TRY(pen_reserve(&s->chunks, sizeof *s->chunks, s->count + 1, room));
    PEN_TRY(pen_reserve(&s->first, sizeof *s->first, s->count + 2, more));
    s->chunks[s->count++] = (pen_chunk){ .nodes = 0 };
    return PEN_OK;
}

static pen_status cut(save *s)
{
    const pen_store *store = s->run->store;
    int64_t room = 0, more = 0, begins[PEN_CHECKPOINT_COUNT];
    PEN_TRY(PEN_ALLOC(&s->slots, store->owned));
    PEN_TRY(pen_ordering_by_gid(store, s->slots));
    PEN_TRY(add_chunk(s, &room, &more));
    s->chunks[0] = (pen_chunk){ .nodes = PEN_CHUNK_OF_RANK, .bytes = (s->own.size + 7) / 8 * 8 };
    s->first[0] = s->first[1] = 0;
    for (pen_lid i = 0; i < store->owned; i++) {
        pen_chunk *c = &s->chunks[s->count - 1];
        if (c->nodes < 0 || c->bytes >= CHUNK_BYTES) {
            PEN_TRY(add_chunk(s, &room, &more));
            c = &s->chunks[s->count - 1];
        }
        c->nodes++;
        c->arcs += degree_of(store, s->slots[i]);
        c->bytes = pen_checkpoint_state_columns(&s->saved, c->nodes, c->arcs, begins);
        s->first[s->count] = i + 1;
    }
    return PEN_OK;
}

static int64_t *words_at(unsigned char *to, int64_t begin) { return (int64_t *)(void *)(to + begin); }

static void fill_arcs(const save *s, const pen_lid *slots, int64_t nodes, const int64_t *begins, unsigned char *to)
{
    const pen_store *store = s->run->store;
    int64_t at = 0, *neighbors = words_at(to, begins[PEN_CHECKPOINT_NEIGHBORS]),
            *weights = words_at(to, begins[PEN_CHECKPOINT_EDGE_WEIGHTS]);
    for (int64_t i = 0; i < nodes; i++) {
        const uint32_t first = store->rows[slots[i]], end = store->rows[slots[i] + 1];
        for (int e = 0; e < store->edge_field_count && end > first; e++) {
            const size_t size = store->edge_sizes[e];
            memcpy(to + begins[PEN_CHECKPOINT_EDGE_FIELDS + e] + at * (int64_t)size,
                   (const unsigned char *)store->edges[e] + first * size, (end - first) * size);
        }
        for (uint32_t a = first; a < end; a++, at++) {
            neighbors[at] = store->gids[store->columns[a]];
            if (s->saved.edge_weights) weights[at] = store->edge_weights ? store->edge_weights[a] : 1;
        }
    }
}

static void fill_nodes(const save *s, const pen_lid *slots, int64_t nodes, const int64_t *begins, unsigned char *to)
{
    const pen_store *store = s->run->store;
    const pen_loads *loads = pen_loads_of(s->run);
    int64_t *gids = words_at(to, begins[PEN_CHECKPOINT_GIDS]), *degrees = words_at(to, begins[PEN_CHECKPOINT_DEGREES]),
            *weights = words_at(to, begins[PEN_CHECKPOINT_WEIGHTS]);
    double *places = (double *)(void *)(to + begins[PEN_CHECKPOINT_COORDINATES]),
           *costs = (double *)(void *)(to + begins[PEN_CHECKPOINT_LOADS]);
    for (int64_t i = 0; i < nodes; i++) {
        gids[i] = store->gids[slots[i]];
        degrees[i] = degree_of(store, slots[i]);
        if (s->saved.weights) weights[i] = store->node_weights ? store->node_weights[slots[i]] : 1;
        for (int d = 0; d < store->dimensions; d++)
            places[i * store->dimensions + d] = store->coordinates[(int64_t)slots[i] * store->dimensions + d];
        int64_t at = i;
        if (s->saved.averages) {
            const pen_past *past = pen_balance_past(s->run, slots[i]);
            costs[at] = past->average;
            costs[at + nodes] = past->last;
            at += 2 * nodes;
        }
        if (s->saved.load_columns > 0) costs[at] = loads->of[slots[i]];
        if (s->saved.load_columns > 1) costs[at + nodes] = loads->before[slots[i]];
    }
    for (int f = 0; f < s->saved.field_count; f++) {
        const size_t size = store->sizes[f];
        const unsigned char *records = pen_store_plane(store, f, 0);
        for (int64_t i = 0; s->saved.fields >> f & 1 && i < nodes; i++)
            memcpy(to + begins[PEN_CHECKPOINT_FIELDS + f] + (size_t)i * size, records + (size_t)slots[i] * size, size);
    }
}

static void fill(const void *context, int64_t i, unsigned char *to)
{
    const save *s = (const save *)context;
    const pen_chunk *c = &s->chunks[i];
    int64_t begins[PEN_CHECKPOINT_COUNT];
    if (c->nodes == PEN_CHUNK_OF_RANK) {
        memcpy(to, s->own.data, (size_t)s->own.size);
        return;
    }
    pen_checkpoint_state_columns(&s->saved, c->nodes, c->arcs, begins);
    fill_nodes(s, s->slots + s->first[i], c->nodes, begins, to);
    fill_arcs(s, s->slots + s->first[i], c->nodes, begins, to);
}

/* ---- The whole ------------------------------------------------------------------------------------- */

static pen_status prepare(save *s)
{
    PEN_TRY(code(s));
    return cut(s);
}

pen_status pen_checkpoint_state_write(pen_run *run, const pen_location *place, int64_t *bytes)
{
    save s = { .run = run };
    if (run->nodes == 0)
        return pen_fail(PEN_ERR_UNSUPPORTED, "%s: the graph has no nodes left: there is nothing to continue from",
                        run->app->name);
    PEN_FOR_PARTS (p, run, settle) PEN_TRY(p->part->settle(run, p->state));
    pen_status status = pen_agree(run->comm, describe(run, &s.saved));
    if (status == PEN_OK) status = agree_on(run, &s.saved);
    if (status == PEN_OK) {
        status = prepare(&s);
        pen_chunks mine = { .chunks = s.chunks, .count = s.count, .fill = fill, .context = &s };
        status = pen_location_write(run->comm, place, run->step, status, &mine, &s.about, bytes);
    }
    pen_checkpoint_state_free(&s.saved);
    pen_bytes_free(&s.about);
    pen_bytes_free(&s.own);
    PEN_FREE_ALL(s.slots, s.chunks, s.first);
    return status;
}

/* restore.c - restores a run from an open checkpoint: its graph and, once that is distributed, the records of the nodes
 * and the state that all ranks share. */
#include "base/memory.h"
#include "base/sparse.h"
#include "checkpoint/resume_lists.h"
#include "graph/validate.h"
#include "run/observables.h"
#include "strict/strict.h"

#include <stdlib.h>

/* ---- The graph --------------------------------------------------------------------------------------- */

/* Count the nodes and arcs in this rank's chunks. */
static void count(const pen_resume *r, int64_t *nodes, int64_t *arcs)
{
    *nodes = *arcs = 0;
    for (int64_t i = 0; i < r->file.count; i++) {
        const pen_chunk *c = &r->file.chunks[i];
        *nodes += c->nodes > 0 ? c->nodes : 0;
        *arcs += c->arcs;
    }
}

static pen_status allocate(const pen_checkpoint_state *s, int64_t nodes, int64_t arcs, pen_graph *g)
{
    PEN_TRY(PEN_ALLOC(&g->gids, nodes));
    PEN_TRY(PEN_ALLOC(&g->rows, nodes + 1));
    PEN_TRY(PEN_ALLOC(&g->neighbors, arcs));
    if (s->weights) PEN_TRY(PEN_ALLOC(&g->node_weights, nodes));
    if (s->edge_weights) PEN_TRY(PEN_ALLOC(&g->edge_weights, arcs));
    if (s->dimensions > 0) PEN_TRY(PEN_ALLOC(&g->coordinates, nodes * s->dimensions));
    return PEN_OK;
}

/* Copy a column of 8-byte values, [count]. */
static void take_column(const unsigned char *chunk, int64_t begin, int64_t count, void *to)
{
    if (count > 0) memcpy(to, chunk + begin, 8 * (size_t)count);
}

static pen_status fill_graph(const pen_resume *r, pen_graph *g)
{
    const pen_checkpoint_state *s = &r->saved;
    int64_t nodes, arcs, node = 0, arc = 0, begins[PEN_CHECKPOINT_COUNT];
    pen_lid all;
    count(r, &nodes, &arcs);
    PEN_TRY(pen_to_lid(nodes, "nodes", &all));
    PEN_TRY(allocate(s, nodes, arcs, g));
    g->rows[0] = 0;
    for (int64_t i = 0; i < r->file.count; i++) {
        const pen_chunk *c = &r->file.chunks[i];
        const unsigned char *chunk = pen_checkpoint_chunk(&r->file, i);
        if (c->nodes < 0) continue;
        pen_checkpoint_columns(s, c->nodes, c->arcs, begins);
        take_column(chunk, begins[PEN_CHECKPOINT_GIDS], c->nodes, g->gids + node);
        take_column(chunk, begins[PEN_CHECKPOINT_DEGREES], c->nodes, g->rows + node + 1);
        take_column(chunk, begins[PEN_CHECKPOINT_NEIGHBORS], c->arcs, g->neighbors + arc);
        if (s->weights) take_column(chunk, begins[PEN_CHECKPOINT_WEIGHTS], c->nodes, g->node_weights + node);
        if (s->edge_weights) take_column(chunk, begins[PEN_CHECKPOINT_EDGE_WEIGHTS], c->arcs, g->edge_weights + arc);
        if (s->dimensions > 0)
            take_column(chunk, begins[PEN_CHECKPOINT_COORDINATES], c->nodes * s->dimensions,
                        g->coordinates + node * s->dimensions);
        node += c->nodes;
        arc += c->arcs;
    }
    for (int64_t i = 0; i < nodes; i++) g->rows[i + 1] += g->rows[i];
    if (s->graph_origin) PEN_TRY(pen_copy_text(s->graph_origin, &g->origin));
    g->count = all; /* set last, when the arrays are complete */
    return PEN_OK;
}

/* Collective. */
static pen_status make_graph(const pen_resume *r, pen_graph *g)
{
    const pen_checkpoint_state *s = &r->saved;
    g->directed = s->directed;
    g->weight_count = s->weights;
    g->dimensions = s->dimensions;
    if (!s->changed) { /* only a graph that has not changed is a grid */
        g->grid = s->world.grid;
        g->width = s->world.width;
        g->height = s->world.height;
        g->depth = s->world.depth;
    }
    PEN_TRY(pen_agree(g->comm, fill_graph(r, g)));
    if (r->file.ranks != g->comm->size) PEN_TRY(pen_graph_reorder(g, s->nodes));
    PEN_TRY(pen_graph_count(g, g->count, g->gids));
    if (g->dense) {
        free(g->gids);
        g->gids = NULL;
    }
    PEN_TRY(pen_graph_validate(g, PEN_OK, NULL, NULL));
    if (g->nodes == s->nodes && g->edges == s->edges) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "its number of nodes or edges differs from its header");
}

pen_status pen_resume_graph(MPI_Comm comm, const pen_resume *resume, pen_graph **graph)
{
    pen_graph *g;
    PEN_TRY(pen_graph_new(comm, &g));
    pen_status status = make_graph(resume, g);
    if (status == PEN_ERR_INPUT || status == PEN_ERR_ARGUMENT)
        status = pen_fail(PEN_ERR_INPUT, "%s: damaged: %s", resume->file.path, pen_error_message());
    return pen_graph_finish(g, status, graph);
}

/* ---- A node ------------------------------------------------------------------------------------------ */

/* The source of a node's state: the columns of a chunk, or a packed message. */
typedef struct state {
    const unsigned char *records[PEN_MOST_RECORDS], *edges[PEN_MOST_FIELDS];
} state;

/* Node k of a chunk; its arcs begin at `arc`, counted within the chunk. */
static void find_state(const pen_checkpoint_state *s, const unsigned char *chunk, const int64_t *begins, int64_t k,
                       int64_t arc, state *at)
{
    for (int r = 0; r < pen_checkpoint_records(s); r++)
        at->records[r] = chunk + begins[PEN_CHECKPOINT_RECORDS + r] + k * pen_checkpoint_record_bytes(s, r);
    for (int e = 0; e < s->edge_field_count; e++)
        at->edges[e] = chunk + begins[PEN_CHECKPOINT_EDGE_FIELDS + e] + arc * s->edge_sizes[e];
}

/* The length of a node's packed state. */
static int64_t packed_size(const pen_checkpoint_state *s, int64_t degree)
{
    int64_t size = (int64_t)sizeof(pen_gid);
    for (int r = 0; r < pen_checkpoint_records(s); r++) size += pen_checkpoint_record_bytes(s, r);
    for (int e = 0; e < s->edge_field_count; e++) size += degree * s->edge_sizes[e];
    return size;
}

static unsigned char *append(unsigned char *to, const void *from, int64_t size)
{
    if (size > 0) memcpy(to, from, (size_t)size);
    return to + size;
}

static void pack(const pen_checkpoint_state *s, pen_gid gid, const state *at, int64_t degree, unsigned char *to)
{
    to = append(to, &gid, (int64_t)sizeof gid);
    for (int r = 0; r < pen_checkpoint_records(s); r++)
        to = append(to, at->records[r], pen_checkpoint_record_bytes(s, r));
    for (int e = 0; e < s->edge_field_count; e++) to = append(to, at->edges[e], degree * s->edge_sizes[e]);
}

static void unpack(const pen_checkpoint_state *s, const unsigned char *from, int64_t degree, state *at)
{
    from += sizeof(pen_gid);
    for (int r = 0; r < pen_checkpoint_records(s); from += pen_checkpoint_record_bytes(s, r++)) at->records[r] = from;
    for (int e = 0; e < s->edge_field_count; from += degree * s->edge_sizes[e++]) at->edges[e] = from;
}

/* ---- All nodes ----------------------------------------------------------------------------------------- */

typedef void node_fn(void *context, pen_gid gid, int32_t owner, int64_t degree, const state *at);

/* Visit every node of this rank's chunks; `owners` has the nodes' owners in the same order. */
static void for_nodes(const pen_resume *r, const int32_t *owners, node_fn *visit, void *context)
{
    int64_t node = 0, begins[PEN_CHECKPOINT_COUNT];
    for (int64_t i = 0; i < r->file.count; i++) {
        const pen_chunk *c = &r->file.chunks[i];
        const unsigned char *chunk = pen_checkpoint_chunk(&r->file, i);
        if (c->nodes < 0) continue;
        pen_checkpoint_columns(&r->saved, c->nodes, c->arcs, begins);
        const int64_t *gids = (const int64_t *)(const void *)(chunk + begins[PEN_CHECKPOINT_GIDS]),
                      *degrees = (const int64_t *)(const void *)(chunk + begins[PEN_CHECKPOINT_DEGREES]);
        state at;
        for (int64_t k = 0, arc = 0; k < c->nodes; arc += degrees[k++], node++) {
            find_state(&r->saved, chunk, begins, k, arc, &at);
            visit(context, gids[k], owners[node], degrees[k], &at);
        }
    }
}

/* Nodes of other ranks are packed; this rank's own nodes get their state at once. */
typedef struct shipping {
    pen_run *run;
    const pen_checkpoint_state *saved;
    unsigned char *records[PEN_MOST_RECORDS]; /* arrays of this run; NULL: it does not have that column */
    int64_t *bytes;                           /* [ranks] that go there, then where the next node goes */
    pen_blocks send, received;
    bool lost;
} shipping;

/* Where the records of the checkpoint belong. Columns that this run does not have are passed over. */
static pen_status find_records(const pen_run *run, const pen_resume *r, shipping *s)
{
    for (int k = 0; k < s->saved->column_count; k++) PEN_FOR_COLUMNS(column, p, run)
        {
            const size_t bytes = column->bytes(p->state);
            if (bytes == 0 || strcmp(column->name, s->saved->columns[k]) != 0) continue;
            if ((int64_t)bytes != s->saved->column_bytes[k])
                return pen_fail(PEN_ERR_INPUT,
                                "%s: the checkpoint has %" PRId64 " bytes of each node for the %s, but this run has "
                                "%zu",
                                r->file.path, s->saved->column_bytes[k], column->name, bytes);
            s->records[k] = pen_column_get(column, p->state);
        }
    for (int f = 0; f < s->saved->field_count; f++)
        s->records[s->saved->column_count + f] = pen_store_plane(run->store, f, 0);
    return PEN_OK;
}

/* Store the state of a node of this rank. */
static void settle(const shipping *s, pen_lid slot, const state *at)
{
    pen_store *store = s->run->store;
    const uint32_t first = store->rows[slot], end = store->rows[slot + 1];
    for (int e = 0; e < s->saved->edge_field_count && end > first; e++)
        memcpy((unsigned char *)store->edges[e] + first * store->edge_sizes[e], at->edges[e],
               (end - first) * store->edge_sizes[e]);
    for (int r = 0; r < pen_checkpoint_records(s->saved); r++) {
        const int64_t bytes = pen_checkpoint_record_bytes(s->saved, r);
        if (s->records[r]) append(s->records[r] + slot * bytes, at->records[r], bytes);
    }
}

static void measure(void *context, pen_gid gid, int32_t owner, int64_t degree, const state *at)
{
    shipping *s = (shipping *)context;
    if (owner != s->run->comm->rank) s->bytes[owner] += packed_size(s->saved, degree);
}

static int64_t degree_of(const pen_store *store, pen_lid slot) { return store->rows[slot + 1] - store->rows[slot]; }

static void ship(void *context, pen_gid gid, int32_t owner, int64_t degree, const state *at)
{
    shipping *s = (shipping *)context;
    if (owner != s->run->comm->rank) {
        pack(s->saved, gid, at, degree, s->send.data + s->bytes[owner]);
        s->bytes[owner] += packed_size(s->saved, degree);
        return;
    }
    pen_lid slot = pen_store_slot(s->run->store, gid);
    if (slot < 0 || degree_of(s->run->store, slot) != degree) s->lost = true;
    else settle(s, slot, at);
}

static void receive(shipping *s)
{
    const pen_blocks *b = &s->received;
    const unsigned char *at = b->data, *end = at + pen_blocks_bytes(b);
    while (at < end && !s->lost) {
        pen_gid gid;
        state found;
        memcpy(&gid, at, sizeof gid);
        pen_lid slot = pen_store_slot(s->run->store, gid);
        s->lost = slot < 0;
        if (s->lost) break;
        const int64_t degree = degree_of(s->run->store, slot), size = packed_size(s->saved, degree);
        s->lost = size > end - at;
        if (s->lost) break;
        unpack(s->saved, at, degree, &found);
        settle(s, slot, &found);
        at += size;
    }
}

/* Local. List the gids in this rank's chunks, [*count]. The caller frees the array. */
static pen_status list_gids(const pen_resume *r, pen_gid **gids, int64_t *count)
{
    int64_t begins[PEN_CHECKPOINT_COUNT], room = 0;
    *count = 0;
    for (int64_t i = 0; i < r->file.count; i++) {
        const pen_chunk *c = &r->file.chunks[i];
        if (c->nodes < 1) continue; /* the chunk has no nodes, and the array may not exist yet */
        PEN_TRY(pen_reserve(gids, sizeof **gids, *count + c->nodes, &room));
        pen_checkpoint_columns(&r->saved, c->nodes, c->arcs, begins);
        memcpy(*gids + *count, pen_checkpoint_chunk(&r->file, i) + begins[PEN_CHECKPOINT_GIDS], 8 * (size_t)c->nodes);
        *count += c->nodes;
    }
    return PEN_OK;
}

/* Collective. Find the present owners of the nodes. The caller frees *owners. */
static pen_status find_owners(pen_run *run, const pen_resume *r, int32_t **owners)
{
    pen_gid *gids = NULL;
    int64_t count = 0;
    pen_status status = list_gids(r, &gids, &count);
    if (status == PEN_OK) status = PEN_ALLOC(owners, count);
    for (int64_t i = 0; status == PEN_OK && r->stays && i < count; i++) (*owners)[i] = run->comm->rank;
    if (r->stays) status = pen_agree(run->comm, status);
    else status = pen_directory_resolve_with(run->store->directory, status, count, gids, *owners);
    bool lost = false;
    for (int64_t i = 0; status == PEN_OK && i < count; i++) lost = lost || (*owners)[i] < 0;
    free(gids);
    if (lost) status = pen_fail(PEN_ERR_INTERNAL, "%s: it has a node without an owner", r->file.path);
    return status;
}

/* Collective. */
static pen_status bring_nodes(pen_run *run, const pen_resume *r)
{
    shipping s = { .run = run, .saved = &r->saved };
    int32_t *owners = NULL;
    pen_status status = find_owners(run, r, &owners);
    if (status == PEN_OK) status = find_records(run, r, &s);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&s.bytes, run->comm->size);
    if (status == PEN_OK) {
        for_nodes(r, owners, measure, &s);
        status = pen_blocks_open(run->comm->size, s.bytes, &s.send);
    }
    if (status == PEN_OK) for_nodes(r, owners, ship, &s);
    free(owners);
    status = pen_sparse_exchange(run->comm, status, &s.send, &s.received);
    if (status == PEN_OK) receive(&s);
    if (s.lost) status = pen_fail(PEN_ERR_INTERNAL, "%s: a node is not where its state was sent", r->file.path);
    free(s.bytes);
    pen_blocks_free(&s.send);
    pen_blocks_free(&s.received);
    return pen_agree(run->comm, status);
}

/* ---- The state of the run and of a rank ---------------------------------------------------------------------- */

/* Tell the strict mode that all records except transient ones are written. */
static void declare_written(pen_run *run)
{
    const pen_store *store = run->store;
    if (!run->strict) return;
    for (int f = 0; f < run->app->fields.count; f++)
        memset(pen_store_plane(store, run->app->fields.count + f, 0), 0, (size_t)store->owned * store->sizes[f]);
    if (run->phase == 0) pen_strict_forget(run, pen_app_transient(run->app));
}

/* Read this rank's own chunk, if it is the rank that wrote it. */
static pen_status take_own(pen_run *run, const pen_resume *r)
{
    for (int64_t i = 0; r->stays && i < r->file.count; i++) {
        const pen_chunk *c = &r->file.chunks[i];
        const unsigned char *chunk = pen_checkpoint_chunk(&r->file, i);
        pen_scan scan = { .at = chunk, .end = chunk + c->bytes };
        pen_coder coder = { .in = &scan };
        if (c->nodes != PEN_CHUNK_OF_RANK) continue;
        PEN_TRY(pen_parts_code(&coder, run, true));
        if (scan.wrong) return pen_fail(PEN_ERR_INPUT, "%s: damaged: impossible values of a rank", r->file.path);
    }
    return PEN_OK;
}

static pen_status take_state(pen_run *run, pen_resume *r)
{
    const pen_checkpoint_state *s = &r->saved;
    pen_coder coder = { .in = &r->state };
    const pen_status status = pen_checkpoint_code_run(&coder, run);
    if (status != PEN_OK) return pen_fail(status, "%s: %s", r->file.path, pen_error_message());
    if (r->state.wrong) return pen_fail(PEN_ERR_INPUT, "%s: damaged: impossible state", r->file.path);
    run->step = run->origin.step = s->step;
    run->phase = s->phase;
    run->calls.begun = s->begun;
    run->files.owed = s->owed;
    run->graph.first_edges = s->first_edges;
    run->graph.sum = run->comm->rank == 0 ? s->graph_sum : 0;
    run->changed.put = s->put;
    if (run->phase > run->app->phases.count) /* after all of them, if what follows a step's phases has failed */
        return pen_fail(PEN_ERR_INPUT, "%s: damaged: it has no such phase", r->file.path);
    PEN_TRY(take_own(run, r));
    pen_parts_resumed(run, r->stays);
    return PEN_OK;
}

/* Local. Check the state of the nodes, since checksums detect damage, but not forged data. */
static pen_status check_nodes(pen_run *run, const pen_resume *r)
{
    pen_run_view(run, 0, 0);
    for (pen_lid slot = 0; slot < run->store->owned; slot++) {
        run->view.slot = slot;
        if (run->app->checkpoint.valid(&run->view)) continue;
        return pen_fail(PEN_ERR_INPUT, "%s: damaged: impossible values of node %" PRIgid, r->file.path,
                        run->store->gids[slot]);
    }
    return PEN_OK;
}

pen_status pen_resume_state(pen_run *run, pen_resume *r)
{
    PEN_TRY(pen_agree(run->comm, take_state(run, r)));
    PEN_TRY(bring_nodes(run, r));
    PEN_TRY(pen_resume_lists(run, r));
    if (run->app->checkpoint.valid) PEN_TRY(pen_agree(run->comm, check_nodes(run, r)));
    declare_written(run);
    if (pen_app_reads(run->app) != 0) pen_run_pull(run, pen_app_reads(run->app));
    if (run->step > 0 && run->phase == 0) run->end = pen_observables_end(run); /* within a step it is open */
    memset(run->timers.ticks, 0, sizeof run->timers.ticks);
    run->halo->gets = run->halo->syncs = run->halo->bytes = 0;
    return PEN_OK;
}

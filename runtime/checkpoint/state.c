/* state.c - codes the state of a run, and gathers and writes the chunks of a checkpoint. */
#include "checkpoint/state.h"
#include "base/memory.h"
#include "base/memory_stream.h"
#include "base/numbers.h"
#include "checkpoint/lists.h"
#include "store/ordering.h"

#include <limits.h>
#include <stdlib.h>

static void wrong(pen_coder *c)
{
    if (c->in) c->in->wrong = true;
}

/* ---- The state that a reader needs before it has a run ---------------------------------------------- */

static void code_world(pen_coder *c, pen_world *w)
{
    int grid = (int)w->grid;
    int64_t *ints[] = { &w->nodes, &w->steps, &w->width, &w->height, &w->depth };
    for (int i = 0; i < PEN_COUNT_OF(ints); i++) pen_code_int(c, ints[i]);
    pen_code_range(c, &grid, PEN_GRID_NONE, PEN_GRID_TORUS);
    w->grid = (pen_grid)grid;
    pen_code_word(c, &w->seed);
}

static void code_sizes(pen_coder *c, int *count, int64_t *sizes)
{
    pen_code_range(c, count, 0, PEN_MOST_FIELDS);
    for (int i = 0; i < *count; i++) {
        pen_code_int(c, &sizes[i]);
        if (sizes[i] < 1 || sizes[i] > INT_MAX) wrong(c);
    }
}

static pen_status code_columns(pen_coder *c, pen_checkpoint_state *s)
{
    pen_code_range(c, &s->column_count, 0, PEN_MOST_COLUMNS);
    for (int i = 0; i < s->column_count; i++) {
        PEN_TRY(pen_code_text(c, &s->columns[i]));
        pen_code_int(c, &s->column_bytes[i]);
        if (!s->columns[i] || s->column_bytes[i] < 8 || s->column_bytes[i] > INT_MAX || s->column_bytes[i] % 8 != 0)
            wrong(c);
    }
    return PEN_OK;
}

pen_status pen_checkpoint_code_state(pen_coder *c, pen_checkpoint_state *s)
{
    char **texts[] = { &s->version, &s->application,  &s->shape,       &s->settings, &s->contents,
                       &s->graph,   &s->graph_origin, &s->partitioner, &s->own };
    for (int i = 0; i < PEN_COUNT_OF(texts); i++) PEN_TRY(pen_code_text(c, texts[i]));
    code_world(c, &s->world);
    int64_t *ints[] = { &s->first_edges, &s->nodes, &s->edges, &s->step };
    for (int i = 0; i < PEN_COUNT_OF(ints); i++) pen_code_int(c, ints[i]);
    pen_code_range(c, &s->phase, 0, INT_MAX);
    bool *bools[] = { &s->directed, &s->weights, &s->edge_weights, &s->begun, &s->owed, &s->put, &s->changed };
    for (int i = 0; i < PEN_COUNT_OF(bools); i++) pen_code_bool(c, bools[i]);
    pen_code_range(c, &s->dimensions, 0, 3);
    pen_code_word(c, &s->graph_sum);
    pen_code_word(c, &s->fields);
    code_sizes(c, &s->field_count, s->sizes);
    code_sizes(c, &s->edge_field_count, s->edge_sizes);
    PEN_TRY(code_columns(c, s));
    if (!s->version || !s->application || !s->shape || !s->settings || s->world.nodes < 1 || s->world.width < 0 ||
        s->world.height < 0 || s->world.depth < 0 || s->nodes < 1 || s->step < 0)
        wrong(c);
    return PEN_OK;
}

void pen_checkpoint_state_free(pen_checkpoint_state *s)
{
    for (int i = 0; i < PEN_MOST_COLUMNS; i++) free(s->columns[i]);
    PEN_FREE_ALL(s->version, s->application, s->shape, s->settings, s->contents, s->graph, s->graph_origin,
                 s->partitioner, s->own);
    *s = (pen_checkpoint_state){ .version = NULL };
}

/* ---- Description of the application ------------------------------------------------------------------ */

static pen_status close_text(FILE *out)
{
    return out && fclose(out) == 0 ? PEN_OK : pen_fail(PEN_ERR_MEMORY, "out of memory for a checkpoint's texts");
}

static void print_shape(const pen_app *app, FILE *out)
{
    for (int f = 0; f < app->fields.count; f++)
        fprintf(out, "field %s of %zu bytes\n", app->fields.list[f].name, app->fields.list[f].size);
    for (int e = 0; e < app->edge_fields.count; e++)
        fprintf(out, "edge field %s of %zu bytes\n", app->edge_fields.list[e].name, app->edge_fields.list[e].size);
    for (int i = 0; i < app->observables.count; i++) {
        const pen_observable *o = &app->observables.list[i];
        fprintf(out, "observable %s of kind %d", o->name, (int)o->kind);
        if (o->components > 1) fprintf(out, ", %d values", o->components);
        fputc('\n', out);
    }
    const pen_globals *globals = app->globals;
    if (globals) fprintf(out, "globals of %zu bytes\n", globals->size);
    for (int m = 0; globals && m < globals->members.count; m++) {
        const pen_member *member = &globals->members.list[m];
        fprintf(out, "global %s of type %d, %d values\n", member->name, (int)member->type,
                pen_components(member->components));
    }
    for (int k = 0; k < app->mails.count; k++)
        fprintf(out, "mail %s of %zu bytes\n", app->mails.list[k].name, app->mails.list[k].size);
    for (int p = 0; p < app->phases.count; p++) fprintf(out, "phase %s\n", app->phases.list[p].name);
}

pen_status pen_checkpoint_shape(const pen_app *app, char **shape)
{
    size_t size = 0;
    FILE *out = pen_memory_stream(shape, &size);
    if (out) print_shape(app, out);
    return close_text(out);
}

bool pen_checkpoint_is_among(const char *name, const char *list)
{
    size_t length = strlen(name);
    for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && strncmp(at, name, length) == 0) return true;
    return false;
}

static void print_option(const pen_option *o, FILE *out)
{
    const char *text = o->kind == PEN_OPTION_TEXT ? *(const char *const *)o->value : "";
    if (!text) return;
    fprintf(out, "%s=", o->name);
    switch (o->kind) {
    case PEN_OPTION_FLAG: fputs(*(const bool *)o->value ? "yes" : "no", out); break;
    case PEN_OPTION_INT:
    case PEN_OPTION_WORD: fprintf(out, "%" PRId64, *(const int64_t *)o->value); break;
    case PEN_OPTION_REAL: fputs(PEN_REAL_TEXT(*(const double *)o->value), out); break;
    default:
        for (; *text; text++)
            if (*text == '\n') fputs("\\n", out);
            else fputc(*text, out);
    }
    fputc('\n', out);
}

pen_status pen_checkpoint_list_options(const pen_option *table, const char *but, const char *more, char **text)
{
    size_t size = 0;
    FILE *out = pen_memory_stream(text, &size);
    for (const pen_option *o = table; out && o && o->name; o++)
        if (o->value && !pen_checkpoint_is_among(o->name, but)) print_option(o, out);
    if (out && more) fputs(more, out);
    return close_text(out);
}

pen_status pen_checkpoint_settings(const pen_app *app, const char *more, char **settings)
{
    return pen_checkpoint_list_options(app->options, app->checkpoint.may_differ, more, settings);
}

pen_status pen_checkpoint_note_options(pen_run *run, const pen_run_options *options)
{
    size_t size = 0;
    FILE *out = pen_memory_stream(&run->origin.compared, &size);
    PEN_FOR_PARTS (p, run, options)
        for (const pen_part_option *o = p->part->options; out && (o->name || o->member); o++)
            if (o->compared && !o->reads && !pen_checkpoint_is_among(o->name, run->app->checkpoint.may_differ))
                pen_part_option_print(o, o->member ? pen_part_option_base(o, options) : p->state, true, out);
    return close_text(out);
}

/* ---- The state of a run ------------------------------------------------------------------------------ */

pen_status pen_checkpoint_code_run(pen_coder *c, pen_run *run)
{
    pen_run_changed *changed = &run->changed;
    int64_t *ints[] = { &changed->phases,  &changed->with_changes, &changed->added,
                        &changed->removed, &changed->edges_added,  &changed->edges_removed };
    int migrations = run->store->migrations;
    pen_code_range(c, &migrations, 0, INT32_MAX);
    run->store->migrations = migrations;
    for (int i = 0; i < PEN_COUNT_OF(ints); i++) pen_code_int(c, ints[i]);
    return pen_parts_code(c, run, false);
}

/* ---- Chunks ---------------------------------------------------------------------------------------- */

static int64_t add_column(int64_t *at, int64_t bytes)
{
    int64_t begin = *at;
    *at += (bytes + 7) / 8 * 8;
    return begin;
}

int64_t pen_checkpoint_columns(const pen_checkpoint_state *s, int64_t nodes, int64_t arcs, int64_t *begins)
{
    int64_t at = 0, n = 8 * nodes, a = 8 * arcs;
    begins[PEN_CHECKPOINT_GIDS] = add_column(&at, n);
    begins[PEN_CHECKPOINT_DEGREES] = add_column(&at, n);
    begins[PEN_CHECKPOINT_WEIGHTS] = add_column(&at, s->weights ? n : 0);
    begins[PEN_CHECKPOINT_COORDINATES] = add_column(&at, n * s->dimensions);
    begins[PEN_CHECKPOINT_NEIGHBORS] = add_column(&at, a);
    begins[PEN_CHECKPOINT_EDGE_WEIGHTS] = add_column(&at, s->edge_weights ? a : 0);
    for (int r = 0; r < pen_checkpoint_records(s); r++)
        begins[PEN_CHECKPOINT_RECORDS + r] = add_column(&at, nodes * pen_checkpoint_record_bytes(s, r));
    for (int e = 0; e < s->edge_field_count; e++)
        begins[PEN_CHECKPOINT_EDGE_FIELDS + e] = add_column(&at, arcs * s->edge_sizes[e]);
    return at;
}

bool pen_checkpoint_fits(const pen_checkpoint_state *s, const pen_chunk *chunk)
{
    int64_t node = 1, arc = 1, begins[PEN_CHECKPOINT_COUNT];
    for (int r = 0; r < pen_checkpoint_records(s); r++) node += pen_checkpoint_record_bytes(s, r);
    for (int e = 0; e < s->edge_field_count; e++) arc += s->edge_sizes[e];
    /* Check this before multiplying, which could overflow. */
    if (chunk->nodes > chunk->bytes / node || chunk->arcs > chunk->bytes / arc) return false;
    return pen_checkpoint_columns(s, chunk->nodes, chunk->arcs, begins) == chunk->bytes;
}

/* ---- Writing ------------------------------------------------------------------------------------------ */

/* The largest number of bytes of a chunk, unless a single node has more. */
enum { CHUNK_BYTES = 4 << 20 };

typedef struct save {
    pen_run *run;
    pen_checkpoint_state saved;
    const void *columns[PEN_MOST_COLUMNS]; /* [saved.column_count] arrays of the parts, by slot */
    pen_bytes about, own, lists;           /* own: of this rank; lists: of its nodes */
    pen_lid *slots;                        /* [owned] ascending by gid */
    pen_chunk *chunks;                     /* [count] the first is this rank's own, */
    pen_lid *first;                        /* [count+1] of the nodes, as they stand in slots, of each of the others */
    int64_t count;
} save;

/* ---- Description of the run -------------------------------------------------------------------------- */

/* The fields that are saved: transient fields have a meaning within a step only. */
static uint64_t kept_fields(const pen_run *run)
{
    uint64_t all = pen_app_fields(run->app);
    return run->phase == 0 ? all & ~pen_app_transient(run->app) : all;
}

static bool is_saved(const pen_node_column *column, const pen_run_part *p)
{
    return column->saved && column->bytes(p->state) > 0;
}

/* The set of the columns that may be saved and have useful values. */
static int64_t useful_columns(const pen_run *run)
{
    int64_t useful = 0, bit = 1;
    PEN_FOR_COLUMNS(column, p, run)
    {
        if (!is_saved(column, p)) continue;
        if (!column->useful || column->useful(run, p->state)) useful |= bit;
        bit <<= 1;
    }
    return useful;
}

static pen_status choose_columns(save *s, int64_t useful)
{
    int *count = &s->saved.column_count;
    int64_t bit = 1;
    PEN_FOR_COLUMNS(column, p, s->run)
    {
        if (!is_saved(column, p)) continue;
        if (useful & bit) {
            PEN_INVARIANT(*count < PEN_MOST_COLUMNS);
            PEN_TRY(pen_copy_text(column->name, &s->saved.columns[*count]));
            s->saved.column_bytes[*count] = (int64_t)column->bytes(p->state);
            s->columns[(*count)++] = pen_column_get(column, p->state);
        }
        bit <<= 1;
    }
    return PEN_OK;
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
    PEN_TRY(pen_checkpoint_shape(run->app, &s->shape));
    PEN_TRY(pen_checkpoint_settings(run->app, run->origin.compared, &s->settings));
    PEN_TRY(copy_if(run->origin.contents, &s->contents));
    PEN_TRY(copy_if(run->graph.settings, &s->graph));
    PEN_TRY(copy_if(run->graph.name, &s->graph_origin));
    PEN_TRY(copy_if(run->partition.name, &s->partitioner));
    return run->comm->rank == 0 ? ask_application(run, &s->own) : PEN_OK;
}

static pen_status describe(const pen_run *run, pen_checkpoint_state *s)
{
    const pen_app *app = run->app;
    const pen_store *store = run->store;
    s->world = run->world;
    s->first_edges = run->graph.first_edges;
    s->nodes = run->graph.nodes;
    s->edges = run->graph.edges;
    s->step = run->step;
    s->phase = run->phase;
    s->directed = store->directed;
    s->dimensions = store->dimensions;
    s->weights = store->node_weights != NULL;
    s->edge_weights = store->edge_weights != NULL;
    s->begun = run->calls.begun;
    s->owed = run->files.owed || run->files.unwritten.status != PEN_OK;
    s->put = run->changed.put;
    s->changed = run->changed.with_changes > 0;
    s->fields = kept_fields(run);
    s->field_count = app->fields.count;
    s->edge_field_count = app->edge_fields.count;
    for (int f = 0; f < app->fields.count; f++) s->sizes[f] = (int64_t)app->fields.list[f].size;
    for (int e = 0; e < app->edge_fields.count; e++) s->edge_sizes[e] = (int64_t)app->edge_fields.list[e].size;
    return describe_texts(run, s);
}

/* Collective. Agree on the state that rank 0 writes for all ranks, and on data that a rank without nodes may lack. */
static pen_status agree_on(save *s)
{
    pen_run *run = s->run;
    int64_t any[3] = { s->saved.weights, s->saved.edge_weights, useful_columns(run) }, all[3];
    PEN_TRY(pen_all_reduce(run->comm, any, all, 3, MPI_INT64_T, MPI_BOR));
    PEN_TRY(pen_all_reduce(run->comm, &run->graph.sum, &s->saved.graph_sum, 1, MPI_UINT64_T, MPI_SUM));
    s->saved.weights = all[0] != 0;
    s->saved.edge_weights = all[1] != 0;
    return pen_agree(run->comm, choose_columns(s, all[2]));
}

static pen_status code(save *s)
{
    pen_coder about = { .out = &s->about }, own = { .out = &s->own };
    if (s->run->comm->rank == 0) {
        PEN_TRY(pen_checkpoint_code_state(&about, &s->saved));
        PEN_TRY(pen_checkpoint_code_run(&about, s->run));
    }
    PEN_TRY(pen_parts_code(&own, s->run, true));
    PEN_TRY(pen_checkpoint_list(s->run, &s->lists));
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
    if (s->lists.size > 0) {
        PEN_TRY(add_chunk(s, &room, &more));
        s->chunks[1] = (pen_chunk){ .nodes = PEN_CHUNK_OF_LISTS, .bytes = s->lists.size };
        s->first[2] = 0;
    }
    for (pen_lid i = 0; i < store->owned; i++) {
        pen_chunk *c = &s->chunks[s->count - 1];
        if (c->nodes < 0 || c->bytes >= CHUNK_BYTES) {
            PEN_TRY(add_chunk(s, &room, &more));
            c = &s->chunks[s->count - 1];
        }
        c->nodes++;
        c->arcs += degree_of(store, s->slots[i]);
        c->bytes = pen_checkpoint_columns(&s->saved, c->nodes, c->arcs, begins);
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

/* The records of these nodes. */
static void gather(const pen_lid *slots, int64_t nodes, const void *records, size_t size, unsigned char *to)
{
    const unsigned char *from = records;
    for (int64_t i = 0; i < nodes; i++) memcpy(to + (size_t)i * size, from + (size_t)slots[i] * size, size);
}

static void fill_nodes(const save *s, const pen_lid *slots, int64_t nodes, const int64_t *begins, unsigned char *to)
{
    const pen_store *store = s->run->store;
    int64_t *degrees = words_at(to, begins[PEN_CHECKPOINT_DEGREES]),
            *weights = words_at(to, begins[PEN_CHECKPOINT_WEIGHTS]);
    gather(slots, nodes, store->gids, sizeof *store->gids, to + begins[PEN_CHECKPOINT_GIDS]);
    for (int64_t i = 0; i < nodes; i++) {
        degrees[i] = degree_of(store, slots[i]);
        if (s->saved.weights) weights[i] = store->node_weights ? store->node_weights[slots[i]] : 1;
    }
    if (store->dimensions > 0)
        gather(slots, nodes, store->coordinates, (size_t)store->dimensions * sizeof *store->coordinates,
               to + begins[PEN_CHECKPOINT_COORDINATES]);
    for (int r = 0; r < pen_checkpoint_records(&s->saved); r++) {
        const int f = r - s->saved.column_count;
        gather(slots, nodes, f < 0 ? s->columns[r] : pen_store_plane(store, f, 0),
               (size_t)pen_checkpoint_record_bytes(&s->saved, r), to + begins[PEN_CHECKPOINT_RECORDS + r]);
    }
}

static void fill(const void *context, int64_t i, unsigned char *to)
{
    const save *s = (const save *)context;
    const pen_chunk *c = &s->chunks[i];
    int64_t begins[PEN_CHECKPOINT_COUNT];
    if (c->nodes < 0) {
        const pen_bytes *from = c->nodes == PEN_CHUNK_OF_RANK ? &s->own : &s->lists;
        memcpy(to, from->data, (size_t)from->size);
        return;
    }
    pen_checkpoint_columns(&s->saved, c->nodes, c->arcs, begins);
    fill_nodes(s, s->slots + s->first[i], c->nodes, begins, to);
    fill_arcs(s, s->slots + s->first[i], c->nodes, begins, to);
}

/* ---- The whole ------------------------------------------------------------------------------------- */

pen_status pen_checkpoint_write_run(pen_run *run, const pen_location *place, int64_t *bytes)
{
    save s = { .run = run };
    if (run->graph.nodes == 0)
        return pen_fail(PEN_ERR_UNSUPPORTED, "%s: the graph has no nodes left: there is nothing to continue from",
                        run->app->name);
    PEN_FOR_PARTS (p, run, settle) PEN_TRY(p->part->settle(run, p->state));
    pen_status status = pen_agree(run->comm, describe(run, &s.saved));
    if (status == PEN_OK) status = agree_on(&s);
    if (status == PEN_OK) {
        status = code(&s);
        if (status == PEN_OK) status = cut(&s);
        pen_chunks mine = { .chunks = s.chunks, .count = s.count, .fill = fill, .context = &s };
        status = pen_location_write(run->comm, place, run->step, status, &mine, &s.about, bytes);
    }
    pen_checkpoint_state_free(&s.saved);
    pen_bytes_free(&s.about);
    pen_bytes_free(&s.own);
    pen_bytes_free(&s.lists);
    PEN_FREE_ALL(s.slots, s.chunks, s.first);
    return status;
}

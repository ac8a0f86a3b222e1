#include "resume/checkpoint_state.h"
#include "base/memory.h"
#include "base/memory_stream.h"
#include "base/numbers.h"

#include <limits.h>

static void wrong(pen_coder *c)
{
    if (c->in) c->in->wrong = true;
}

/* ---- What is known before there is a run --------------------------------------------------------- */

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

pen_status pen_checkpoint_state_code(pen_coder *c, pen_checkpoint_state *s)
{
    char **texts[] = { &s->version,      &s->application, &s->shape,    &s->settings, &s->contents, &s->graph,
                       &s->graph_origin, &s->partitioner, &s->balancer, &s->own,      &s->observed };
    for (int i = 0; i < PEN_COUNT_OF(texts); i++) PEN_TRY(pen_code_text(c, texts[i]));
    pen_code_int(c, &s->observed_bytes);
    code_world(c, &s->world);
    int64_t *ints[] = { &s->first_edges, &s->nodes, &s->edges, &s->step };
    for (int i = 0; i < PEN_COUNT_OF(ints); i++) pen_code_int(c, ints[i]);
    pen_code_range(c, &s->phase, 0, INT_MAX);
    bool *bools[] = { &s->directed, &s->weights, &s->edge_weights, &s->begun, &s->put, &s->changed };
    for (int i = 0; i < PEN_COUNT_OF(bools); i++) pen_code_bool(c, bools[i]);
    pen_code_range(c, &s->dimensions, 0, 3);
    pen_code_word(c, &s->graph_sum);
    pen_code_word(c, &s->fields);
    code_sizes(c, &s->field_count, s->sizes);
    code_sizes(c, &s->edge_field_count, s->edge_sizes);
    int columns = s->load_columns + (s->averages ? 3 : 0); /* one number, as before there were averages */
    pen_code_range(c, &columns, 0, 5);
    s->averages = columns >= 3;
    s->load_columns = columns % 3;
    if (!s->version || !s->application || !s->shape || !s->settings || s->world.nodes < 1 || s->world.width < 0 ||
        s->world.height < 0 || s->world.depth < 0 || s->nodes < 1 || s->step < 0)
        wrong(c);
    return PEN_OK;
}

void pen_checkpoint_state_free(pen_checkpoint_state *s)
{
    PEN_FREE_ALL(s->version, s->application, s->shape, s->settings, s->contents, s->graph, s->graph_origin,
                 s->partitioner, s->balancer, s->own, s->observed);
    *s = (pen_checkpoint_state){ .version = NULL };
}

/* ---- What an application is ------------------------------------------------------------------------ */

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
    for (int p = 0; p < app->phases.count; p++) fprintf(out, "phase %s\n", app->phases.list[p].name);
}

pen_status pen_checkpoint_state_shape(const pen_app *app, char **shape)
{
    size_t size = 0;
    FILE *out = pen_memory_stream(shape, &size);
    if (out) print_shape(app, out);
    return close_text(out);
}

bool pen_checkpoint_state_is_among(const char *name, const char *list)
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
    case PEN_OPTION_INT: fprintf(out, "%" PRId64, *(const int64_t *)o->value); break;
    case PEN_OPTION_REAL: fputs(PEN_REAL_TEXT(*(const double *)o->value), out); break;
    default: fputs(text, out);
    }
    fputc('\n', out);
}

pen_status pen_checkpoint_state_options(const pen_option *table, const char *but, char **text)
{
    size_t size = 0;
    FILE *out = pen_memory_stream(text, &size);
    for (const pen_option *o = table; out && o && o->name; o++)
        if (o->value && !pen_checkpoint_state_is_among(o->name, but)) print_option(o, out);
    return close_text(out);
}

pen_status pen_checkpoint_state_settings(const pen_app *app, char **settings)
{
    return pen_checkpoint_state_options(app->options, app->checkpoint.indifferent, settings);
}

/* ---- What goes into a run ---------------------------------------------------------------------------- */

static void code_changed(pen_coder *c, pen_run *run)
{
    pen_run_changed *changed = &run->changed;
    int64_t *ints[] = { &changed->phases,  &changed->with_changes, &changed->added,
                        &changed->removed, &changed->edges_added,  &changed->edges_removed };
    for (int i = 0; i < PEN_COUNT_OF(ints); i++) pen_code_int(c, ints[i]);
}

typedef pen_status code_fn(pen_coder *coder, pen_run *run, void *state);

/* Write the length of the data, and the data; none if the part is off. */
static pen_status write_part(pen_bytes *to, code_fn *code, pen_run *run, void *state)
{
    pen_bytes data = { .data = NULL };
    const pen_status status = state ? code(&(pen_coder){ .out = &data }, run, state) : PEN_OK;
    pen_bytes_put_number(to, (uint64_t)data.size);
    unsigned char *room = pen_bytes_room(to, data.size);
    if (room && data.size > 0) memcpy(room, data.data, (size_t)data.size);
    if (room) to->size += data.size;
    if (data.status != PEN_OK) to->status = data.status;
    pen_bytes_free(&data);
    return status;
}

/* *found: there are data. They are passed over if the part is off. */
static pen_status read_part(pen_scan *from, code_fn *code, pen_run *run, void *state, bool *found)
{
    const int64_t size = pen_scan_count(from, from->end - from->at);
    if (size > from->end - from->at) from->wrong = true;
    if (from->wrong) return PEN_OK;
    pen_scan data = { .at = from->at, .end = from->at + size };
    *found = size > 0;
    if (state && *found) PEN_TRY(code(&(pen_coder){ .in = &data }, run, state));
    if (data.wrong) from->wrong = true;
    from->at += size;
    return PEN_OK;
}

/* The data of all parts, in the order of the table: those of the run, or those of a rank. */
static pen_status code_parts(pen_coder *c, pen_run *run, bool of_rank)
{
    for (int i = 0; pen_parts[i]; i++) {
        code_fn *code = of_rank ? pen_parts[i]->code_rank : pen_parts[i]->code;
        void *state = pen_part_state(run, pen_parts[i]);
        bool found = false;
        if (!code) continue;
        PEN_TRY(c->out ? write_part(c->out, code, run, state) : read_part(c->in, code, run, state, &found));
    }
    return PEN_OK;
}

pen_status pen_checkpoint_state_state(pen_coder *c, pen_run *run)
{
    const int values = run->observation->count;
    int migrations = run->store->migrations;
    pen_code_range(c, &migrations, 0, INT32_MAX);
    run->store->migrations = migrations;
    for (int i = 0; i < values; i++) pen_code_int(c, &run->observation->ints[i]);
    pen_code_reals(c, run->observation->reals, values);
    code_changed(c, run);
    return code_parts(c, run, false);
}

pen_status pen_checkpoint_state_rank(pen_coder *c, pen_run *run) { return code_parts(c, run, true); }

/* ---- Chunks ---------------------------------------------------------------------------------------- */

static int64_t add_column(int64_t *at, int64_t bytes)
{
    int64_t begin = *at;
    *at += (bytes + 7) / 8 * 8;
    return begin;
}

int64_t pen_checkpoint_state_columns(const pen_checkpoint_state *s, int64_t nodes, int64_t arcs, int64_t *begins)
{
    int64_t at = 0, n = 8 * nodes, a = 8 * arcs;
    begins[PEN_CHECKPOINT_GIDS] = add_column(&at, n);
    begins[PEN_CHECKPOINT_DEGREES] = add_column(&at, n);
    begins[PEN_CHECKPOINT_WEIGHTS] = add_column(&at, s->weights ? n : 0);
    begins[PEN_CHECKPOINT_COORDINATES] = add_column(&at, n * s->dimensions);
    begins[PEN_CHECKPOINT_NEIGHBORS] = add_column(&at, a);
    begins[PEN_CHECKPOINT_EDGE_WEIGHTS] = add_column(&at, s->edge_weights ? a : 0);
    begins[PEN_CHECKPOINT_LOADS] = add_column(&at, n * pen_checkpoint_loads(s));
    for (int f = 0; f < s->field_count; f++)
        begins[PEN_CHECKPOINT_FIELDS + f] = add_column(&at, s->fields >> f & 1 ? nodes * s->sizes[f] : 0);
    for (int e = 0; e < s->edge_field_count; e++)
        begins[PEN_CHECKPOINT_EDGE_FIELDS + e] = add_column(&at, arcs * s->edge_sizes[e]);
    return at;
}

bool pen_checkpoint_state_fits(const pen_checkpoint_state *s, const pen_chunk *chunk)
{
    int64_t node = 1, arc = 1, begins[PEN_CHECKPOINT_COUNT];
    for (int f = 0; f < s->field_count; f++) node += s->fields >> f & 1 ? s->sizes[f] : 0;
    for (int e = 0; e < s->edge_field_count; e++) arc += s->edge_sizes[e];
    /* Before anything is multiplied. */
    if (chunk->nodes > chunk->bytes / node || chunk->arcs > chunk->bytes / arc) return false;
    return pen_checkpoint_state_columns(s, chunk->nodes, chunk->arcs, begins) == chunk->bytes;
}

/* parts.c - creates, finds and destroys the parts of a run. */
#include "run/parts.h"
#include "base/memory.h"
#include "base/memory_stream.h"
#include "base/option_values.h"
#include "store/change.h"

#include <stdlib.h>

/* Open a part. If the run has it, add it at *to. */
static pen_status open_part(pen_run *run, const pen_part *part, const pen_run_options *options, const pen_words *words,
                            pen_run_part *to)
{
    int own = 0, given = 0;
    const pen_part_option *first = part->options;
    if (part->first_decides && pen_part_option_number(first, pen_part_option_base(first, options)) == 0) return PEN_OK;
    if (part->wanted && !part->wanted(run->app, options)) return PEN_OK;
    PEN_TRY(pen_alloc_zero(&to->state, 1, part->state_size > 0 ? part->state_size : 1));
    pen_status status = pen_part_options_read(part->options, words, to->state, &own, &given);
    if (status == PEN_OK && (part->first_decides || part->wanted || own == 0 || given > 0)) {
        to->part = part;
        return part->open ? part->open(run, to->state, options) : PEN_OK;
    }
    free(to->state);
    to->state = NULL;
    return status;
}

pen_status pen_parts_open(pen_run *run, const pen_run_options *options, const pen_part *const *table,
                          const pen_words *words)
{
    int64_t most = 0;
    while (table[most]) most++;
    PEN_TRY(PEN_ALLOC_ZERO(&run->parts, most + 1));
    pen_run_part *to = run->parts;
    for (const pen_part *const *p = table; *p; p++) {
        PEN_TRY(open_part(run, *p, options, words, to));
        if (to->part) to++;
    }
    return PEN_OK;
}

pen_status pen_parts_note_options(pen_run *run, pen_option_at *at, const pen_run_options *options)
{
    size_t size = 0;
    FILE *out = pen_memory_stream(&run->origin.options, &size);
    for (int i = 0; out && at(i); i++)
        if (at(i)->member) pen_part_option_print(at(i), pen_part_option_base(at(i), options), false, out);
    PEN_FOR_PARTS (p, run, options)
        for (const pen_part_option *o = p->part->options; out && (o->name || o->member); o++)
            if (!o->member) pen_part_option_print(o, p->state, false, out);
    return out && fclose(out) == 0 ? PEN_OK : pen_fail(PEN_ERR_MEMORY, "out of memory for the options");
}

pen_status pen_parts_create(pen_run *run, const pen_run_options *options, pen_graph *graph)
{
    PEN_FOR_PARTS (p, run, create) PEN_TRY(p->part->create(run, p->state, options, graph));
    return PEN_OK;
}

static pen_status make_columns(const pen_run *run, const pen_run_part *p)
{
    for (const pen_node_column *c = p->part->columns; c && c->name; c++) {
        unsigned char *made;
        if (c->bytes(p->state) == 0) continue;
        PEN_TRY(pen_alloc_zero(&made, run->store->owned, c->bytes(p->state)));
        pen_column_set(c, p->state, made);
    }
    return PEN_OK;
}

/* Collective. */
pen_status pen_parts_begin(pen_run *run, const pen_run_options *options)
{
    int count = 0;
    PEN_FOR_COLUMNS(c, p, run) count++;
    PEN_TRY(pen_agree(run->comm, PEN_ALLOC_ZERO(&run->store->values, count)));
    run->store->value_count = count;
    for (const pen_run_part *p = run->parts; p->part; p++) {
        if (p->part->begin) PEN_TRY(p->part->begin(run, p->state, options));
        if (p->part->columns) PEN_TRY(pen_agree(run->comm, make_columns(run, p)));
    }
    return PEN_OK;
}

void pen_parts_describe(const pen_run *run)
{
    pen_node_values *to = run->store->values;
    PEN_FOR_COLUMNS(c, p, run)
    *to++ = (pen_node_values){ c->bytes(p->state), !c->ships || c->ships(p->state), c->inherits,
                               pen_column_get(c, p->state) };
}

void pen_parts_take(const pen_run *run)
{
    const pen_node_values *from = run->store->values;
    PEN_FOR_COLUMNS(c, p, run) pen_column_set(c, p->state, from++->of);
}

pen_status pen_parts_ready(pen_run *run, const pen_run_options *options)
{
    PEN_FOR_PARTS (p, run, ready) PEN_TRY(p->part->ready(run, p->state, options));
    return PEN_OK;
}

pen_row_format pen_run_row_format(const pen_run *run)
{
    pen_parts_describe(run);
    pen_row_format format = pen_change_format(run->store);
    format.dimensions = pen_run_dimensions(run);
    return format;
}

pen_status pen_run_list_bytes(const pen_run *run, int64_t *bytes)
{
    bool any = false;
    int64_t words = 0;
    PEN_FOR_PARTS (p, run, list_words) {
        any = true;
        for (pen_lid slot = 0; slot < run->store->owned; slot++) words += p->part->list_words(p->state, slot);
    }
    *bytes = 0;
    if (!any || run->graph.nodes == 0) return PEN_OK;
    PEN_TRY(pen_sum_int(run->comm, words, &words));
    *bytes = 8 * words / run->graph.nodes;
    return PEN_OK;
}

static int count_parts(const pen_run *run)
{
    int count = 0;
    while (run->parts && run->parts[count].part) count++;
    return count;
}

void pen_parts_finish(pen_run *run)
{
    for (int i = count_parts(run); i-- > 0;) {
        const pen_run_part *p = &run->parts[i];
        if (p->part->finish && p->part->finish(run, p->state) != PEN_OK && run->comm->rank == 0)
            pen_warn("%s", pen_error_message());
    }
}

void pen_parts_destroy(pen_run *run)
{
    for (int i = count_parts(run); i-- > 0;) {
        const pen_run_part *p = &run->parts[i];
        for (const pen_node_column *c = p->part->columns; c && c->name; c++) free(pen_column_get(c, p->state));
        if (p->part->destroy) p->part->destroy(run, p->state);
        free(p->state);
    }
    free(run->parts);
    run->parts = NULL;
}

void *pen_part_state(const pen_run *run, const pen_part *part)
{
    for (const pen_run_part *p = run->parts; p && p->part; p++)
        if (p->part == part) return p->state;
    return NULL;
}

/* ---- Checkpoints ------------------------------------------------------------------------------------ */

static pen_status write_part(pen_coder *c, pen_run *run, const pen_run_part *p, bool of_rank)
{
    pen_bytes data = { .data = NULL };
    char *name = (char *)(uintptr_t)p->part->name;
    const pen_status status = (of_rank ? p->part->code_rank : p->part->code)(&(pen_coder){ .out = &data }, run,
                                                                             p->state);
    int64_t size = data.size;
    if (status == PEN_OK && size > 0) {
        PEN_TRY(pen_code_text(c, &name));
        pen_code_int(c, &size);
        unsigned char *to = pen_bytes_room(c->out, size);
        if (to) memcpy(to, data.data, (size_t)size);
        if (to) c->out->size += size;
    }
    const pen_status coded = data.status;
    pen_bytes_free(&data);
    return status == PEN_OK ? coded : status;
}

/* The part with this name if it has such data, else NULL. */
static pen_run_part *find_part(const pen_run *run, const char *name, bool of_rank)
{
    for (pen_run_part *p = run->parts; p->part; p++)
        if (strcmp(p->part->name, name) == 0 && (of_rank ? p->part->code_rank : p->part->code)) return p;
    return NULL;
}

static pen_status read_part(pen_scan *in, pen_run *run, pen_run_part *p, int64_t size, bool of_rank)
{
    pen_scan own = { .at = in->at, .end = in->at + size };
    in->at = own.end;
    if (!p) return PEN_OK;
    if (p->found[of_rank]) in->wrong = true; /* the checkpoint has the data twice */
    if (in->wrong) return PEN_OK;
    p->found[of_rank] = true;
    PEN_TRY((of_rank ? p->part->code_rank : p->part->code)(&(pen_coder){ .in = &own }, run, p->state));
    in->wrong = in->wrong || own.wrong || own.at != own.end;
    return PEN_OK;
}

pen_status pen_parts_code(pen_coder *c, pen_run *run, bool of_rank)
{
    char *name = NULL;
    for (const pen_run_part *p = run->parts; c->out && p->part; p++)
        if (of_rank ? p->part->code_rank : p->part->code) PEN_TRY(write_part(c, run, p, of_rank));
    PEN_TRY(pen_code_text(c, &name)); /* an empty name ends the list */
    while (c->in && name && !c->in->wrong) {
        int64_t size = 0;
        pen_code_int(c, &size);
        c->in->wrong = c->in->wrong || size < 0 || size > c->in->end - c->in->at;
        pen_status status = PEN_OK;
        if (!c->in->wrong) status = read_part(c->in, run, find_part(run, name, of_rank), size, of_rank);
        free(name);
        name = NULL;
        PEN_TRY(status);
        PEN_TRY(pen_code_text(c, &name));
    }
    free(name);
    return PEN_OK;
}

void pen_parts_resumed(pen_run *run, bool stays)
{
    PEN_FOR_PARTS (p, run, resumed) p->part->resumed(run, p->state, p->found[0] || p->found[1], stays);
}

/* notes.c - keeps loads and the balancer's data with each node. */
#include "view/notes.h"
#include "base/memory.h"

#include <stdlib.h>

static size_t padded(const pen_balancer *b) { return (b->data_bytes + 7) / 8 * 8; }

size_t pen_notes_bytes(const pen_balancer *b) { return b ? padded(b) + (size_t)b->history * sizeof(double) : 0; }

static double *ring(const pen_balancer *b, unsigned char *record) { return (double *)(void *)(record + padded(b)); }

static unsigned char *record_at(const pen_balancer *b, const pen_notes *notes, int64_t record)
{
    return notes->records + (size_t)record * pen_notes_bytes(b);
}

static unsigned char *record_of(const pen_balancer *b, const pen_notes *notes, pen_lid node)
{
    return record_at(b, notes, notes->order ? notes->order[node] : node);
}

void pen_notes_add(const pen_balancer *b, const pen_notes *notes, int64_t count, int64_t step, const double *loads)
{
    if (!b || b->history == 0) return;
    const int64_t at = step % b->history;
    for (int64_t i = 0; i < count; i++) ring(b, record_at(b, notes, i))[at] = loads[i];
}

pen_status pen_notes_show(const pen_balancer *b, const pen_notes *notes, pen_load_view *view)
{
    const int64_t steps = notes->records ? view->step - notes->first : 0;
    unsigned char *data = NULL;
    double *past = NULL;
    const int history = (int)(steps < b->history ? steps : b->history);
    pen_status status = PEN_OK;
    if (history > 0) status = pen_alloc(&past, view->count, (size_t)history * sizeof *past);
    if (status == PEN_OK && b->data_bytes > 0) status = PEN_ALLOC_ZERO(&data, view->count * (int64_t)b->data_bytes);
    if (status != PEN_OK) {
        free(past);
        return status;
    }
    view->history = history;
    view->past_loads = past;
    view->node_data = data;
    for (pen_lid i = 0; i < view->count && notes->records; i++) {
        unsigned char *record = record_of(b, notes, i);
        if (data) memcpy(data + (size_t)i * b->data_bytes, record, b->data_bytes);
        for (int k = 0; k < history; k++) *past++ = ring(b, record)[(view->step - 1 - k) % b->history];
    }
    return PEN_OK;
}

void pen_notes_hide(const pen_balancer *b, const pen_notes *notes, pen_load_view *view)
{
    const unsigned char *data = view->node_data;
    for (pen_lid i = 0; i < view->count && notes->records && data; i++)
        memcpy(record_of(b, notes, i), data + (size_t)i * b->data_bytes, b->data_bytes);
    free(view->node_data);
    free((void *)(uintptr_t)view->past_loads);
    view->history = 0;
    view->past_loads = NULL;
    view->node_data = NULL;
}

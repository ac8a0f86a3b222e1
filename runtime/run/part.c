/* part.c - creates, finds and destroys the parts of a run. */
#include "run/part.h"
#include "base/memory.h"
#include "base/option_values.h"
#include "run/state.h"

#include <stdlib.h>

/* *to gets the part if the run has it. */
static pen_status open_part(pen_run *run, const pen_part *part, const pen_run_options *options, int count,
                            char *const *words, pen_active_part *to)
{
    int own = 0, given = 0;
    if (part->wanted && !part->wanted(run->app, options)) return PEN_OK;
    PEN_TRY(pen_alloc_zero(&to->state, 1, part->state_size > 0 ? part->state_size : 1));
    pen_status status = pen_part_options_read(part->options, count, words, to->state, &own, &given);
    if (status == PEN_OK && (part->wanted || own == 0 || given > 0)) {
        to->part = part;
        return part->open ? part->open(run, to->state, options) : PEN_OK;
    }
    free(to->state);
    to->state = NULL;
    return status;
}

pen_status pen_parts_open(pen_run *run, const pen_run_options *options, int count, char *const *words)
{
    int64_t most = 0;
    while (pen_parts[most]) most++;
    PEN_TRY(PEN_ALLOC_ZERO(&run->parts, most + 1));
    pen_active_part *to = run->parts;
    for (const pen_part *const *p = pen_parts; *p; p++) {
        PEN_TRY(open_part(run, *p, options, count, words, to));
        if (to->part) to++;
    }
    return PEN_OK;
}

pen_status pen_parts_create(pen_run *run, const pen_run_options *options, pen_graph *graph)
{
    PEN_FOR_PARTS (p, run, create) PEN_TRY(p->part->create(run, p->state, options, graph));
    return PEN_OK;
}

pen_status pen_parts_begin(pen_run *run, const pen_run_options *options)
{
    PEN_FOR_PARTS (p, run, begin) PEN_TRY(p->part->begin(run, p->state, options));
    return PEN_OK;
}

pen_status pen_parts_ready(pen_run *run, const pen_run_options *options)
{
    PEN_FOR_PARTS (p, run, ready) PEN_TRY(p->part->ready(run, p->state, options));
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
        const pen_active_part *p = &run->parts[i];
        if (p->part->finish && p->part->finish(run, p->state) != PEN_OK && run->comm->rank == 0)
            pen_warn("%s", pen_error_message());
    }
}

void pen_parts_destroy(pen_run *run)
{
    for (int i = count_parts(run); i-- > 0;) {
        const pen_active_part *p = &run->parts[i];
        if (p->part->destroy) p->part->destroy(run, p->state);
        free(p->state);
    }
    free(run->parts);
    run->parts = NULL;
}

void *pen_part_state(const pen_run *run, const pen_part *part)
{
    for (const pen_active_part *p = run->parts; p && p->part; p++)
        if (p->part == part) return p->state;
    return NULL;
}

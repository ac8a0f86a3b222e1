/* set_globals.c - sets globals for the program between steps, and notes them on rank 0 for the serial computation. */
#include "observables/set_globals.h"
#include "base/hash.h"
#include "base/memory.h"
#include "run/globals.h"
#include "run/observables.h"

#include <limits.h>
#include <stdlib.h>

static pen_status reserve(pen_globals_log *given, size_t size, int64_t count)
{
    PEN_TRY(pen_reserve(&given->steps, sizeof *given->steps, count, &given->step_room));
    return pen_reserve(&given->records, size, count, &given->record_room);
}

/* Local. Note the record; the log has room for one more. */
static void note_given(const pen_run *run, pen_globals_log *given, const void *globals)
{
    const size_t size = run->app->globals->size;
    const bool again = given->count > 0 && given->steps[given->count - 1] == run->step;
    if (!again && memcmp(run->globals, globals, size) == 0) return;
    if (!again) given->count++;
    given->steps[given->count - 1] = run->step;
    memcpy(given->records + (size_t)(given->count - 1) * size, globals, size);
}

pen_status pen_run_set_globals(pen_run *run, const void *globals)
{
    PEN_WITHIN("pen_run_set_globals");
    PEN_TRY(pen_run_ready(run, "pen_run_set_globals"));
    PEN_ARGUMENT(run->globals, "%s: it has no globals that could be set", run->app->name);
    if (run->phase > 0) return pen_fail(PEN_ERR_UNSUPPORTED, "%s: no globals are set within a step", run->app->name);
    const size_t size = run->app->globals->size;
    pen_globals_log *given = pen_part_state(run, &pen_part_given_globals);
    pen_argument hash = { "the globals (hash of their bytes)", NULL, 0 };
    pen_status status = PEN_OK;
    if (globals) hash.number = (int64_t)pen_hash_bytes(globals, size);
    else status = pen_fail(PEN_ERR_ARGUMENT, "pen_run_set_globals: the globals are NULL");
    if (status == PEN_OK && run->comm->rank == 0) status = reserve(given, size, given->count + 1);
    PEN_TRY(pen_agree_equal(run->comm, status, &hash, 1));
    if (run->comm->rank == 0) note_given(run, given, globals);
    memmove(run->globals, globals, size);
    pen_globals_show(run);
    if (run->step > 0) run->end = pen_observables_end(run);
    return PEN_OK;
}

void pen_globals_give(const pen_run *run, int64_t step, int64_t *next, void *globals)
{
    const pen_globals_log *given = pen_part_state(run, &pen_part_given_globals);
    const size_t size = run->app->globals->size;
    if (*next >= given->count || given->steps[*next] != step) return;
    memcpy(globals, given->records + (size_t)(*next)++ * size, size);
}

/* ---- The part ------------------------------------------------------------------------------- */

static bool wanted(const pen_app *app, const pen_run_options *options) { return app->globals; }

static void code_bytes(pen_coder *c, unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        int byte = bytes[i];
        pen_code_range(c, &byte, 0, UCHAR_MAX);
        bytes[i] = (unsigned char)byte;
    }
}

/* Code the record of the globals, and the records that the program has set. */
static pen_status code(pen_coder *c, pen_run *run, void *state)
{
    pen_globals_log *given = state;
    const size_t size = run->app->globals->size;
    int64_t count = given->count, before = -1;
    code_bytes(c, run->globals, size);
    pen_code_int(c, &count);
    if (c->in &&
        (count < 0 || count > (c->in->end - c->in->at) / (int64_t)(size + 1))) { /* each record takes at least a byte */
        c->in->wrong = true;
        count = 0;
    }
    if (c->in) PEN_TRY(reserve(given, size, count));
    for (int64_t i = 0; i < count; i++) {
        pen_code_int(c, &given->steps[i]);
        code_bytes(c, given->records + (size_t)i * size, size);
        if (c->in && given->steps[i] <= before) c->in->wrong = true;
        before = given->steps[i];
    }
    given->count = run->comm->rank == 0 ? count : 0;
    return PEN_OK;
}

static void destroy(pen_run *run, void *state)
{
    pen_globals_log *given = state;
    PEN_FREE_ALL(given->steps, given->records);
}

const pen_part pen_part_given_globals = {
    .name = "globals",
    .state_size = sizeof(pen_globals_log),
    .wanted = wanted,
    .code = code,
    .destroy = destroy,
};

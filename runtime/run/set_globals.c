/* set_globals.c - globals that the program sets between steps. Rank 0 notes them for the serial computation. */
#include "base/hash.h"
#include "run/globals.h"
#include "run/observables.h"

/* Local, with room for one more. */
static void note_given(pen_run *run, const void *globals)
{
    pen_globals_log *given = &run->given;
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
    pen_argument hash = { "the globals (hash of their bytes)", NULL, 0 };
    pen_status status = PEN_OK;
    if (globals) hash.number = (int64_t)pen_hash_bytes(globals, size);
    else status = pen_fail(PEN_ERR_ARGUMENT, "pen_run_set_globals: the globals are NULL");
    if (status == PEN_OK && run->comm->rank == 0)
        status = pen_globals_log_reserve(&run->given, size, run->given.count + 1);
    PEN_TRY(pen_agree_equal(run->comm, status, &hash, 1));
    if (run->comm->rank == 0) note_given(run, globals);
    memmove(run->globals, globals, size);
    pen_globals_show(run);
    if (run->step > 0) run->end = pen_observables_end(run);
    return PEN_OK;
}

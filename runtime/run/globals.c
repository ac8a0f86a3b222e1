/* globals.c - computes the record of the globals, and checks how the application does that. */
#include "run/globals.h"
#include "base/memory.h"
#include "run/members.h"

#include <stdlib.h>

void pen_globals_show(pen_run *run)
{
    pen_values_of_globals(&run->observation->values, run->globals, run->observation->ints, run->observation->reals);
}

static void update(pen_run *run, int phase)
{
    PEN_INSIDE(".globals");
    run->app->globals->update(run, phase, run->app->params, run->globals);
    pen_globals_show(run);
}

/* Local. Call .update again, on a copy of the previous values, and compare. */
static pen_status repeat(pen_run *run, int phase, void *copy)
{
    const pen_observables *o = run->observation;
    const int members = o->count - o->values.members;
    void *first = run->globals;
    int64_t *found;
    PEN_TRY(PEN_ALLOC(&found, members));
    for (int m = 0; m < members; m++) found[m] = pen_observation_bits(o, o->values.members + m);
    run->globals = copy;
    update(run, phase);
    run->globals = first;
    int unequal = 0;
    while (unequal < members && found[unequal] == pen_observation_bits(o, o->values.members + unequal)) unequal++;
    free(found);
    if (unequal == members) return PEN_OK;
    return pen_fail(PEN_ERR_CHECK, ".globals: %s has another value when .update is called again, from the same values",
                    o->table[o->values.members + unequal].name);
}

/* Collective. Whether all ranks have the same. */
static pen_status compare_ranks(pen_run *run, pen_status mine)
{
    const pen_observables *o = run->observation;
    const int members = o->count - o->values.members;
    pen_argument *values = NULL;
    if (mine == PEN_OK) mine = PEN_ALLOC(&values, members);
    for (int m = 0; values && m < members; m++)
        values[m] = (pen_argument){ o->table[o->values.members + m].name, NULL,
                                    pen_observation_bits(o, o->values.members + m) };
    mine = pen_agree_equal(run->comm, mine, values, values ? members : 0);
    free(values);
    if (mine != PEN_ERR_ARGUMENT) return mine;
    return pen_fail(PEN_ERR_CHECK, ".globals: .update depends on the rank: %s", pen_error_message());
}

/* The second half of the record's memory. */
static void *before(const pen_run *run) { return (unsigned char *)run->globals + run->app->globals->size; }

/* Collective. */
static pen_status check(pen_run *run, int phase)
{
    const size_t size = run->app->globals->size;
    void *copy = NULL;
    pen_status status = pen_alloc_zero(&copy, 1, size);
    if (status == PEN_OK) {
        memcpy(copy, before(run), size);
        status = repeat(run, phase, copy);
    }
    free(copy);
    return compare_ranks(run, status);
}

/* Whether there is a record, and the application computes it. */
static bool is_computed(const pen_run *run) { return run->globals && run->app->globals->update; }

void pen_globals_undo(pen_run *run)
{
    if (!is_computed(run)) return;
    memcpy(run->globals, before(run), run->app->globals->size);
    pen_globals_show(run);
}

pen_status pen_globals_update(pen_run *run, int phase)
{
    if (!is_computed(run)) return PEN_OK;
    const size_t size = run->app->globals->size;
    if (run->step == 0 && phase == PEN_BETWEEN_STEPS) memset(run->globals, 0, size);
    memcpy(before(run), run->globals, size);
    update(run, phase);
#ifndef PEN_CHECKING
    if (!run->strict) return PEN_OK;
#endif
    const pen_status status = check(run, phase);
    if (status != PEN_OK) pen_globals_undo(run);
    return status;
}

/* ---- Reading -------------------------------------------------------------------------------- */

const char *pen_globals_time(const pen_run *run, double *time)
{
    const pen_member *member = pen_globals_time_of(run->app);
    const pen_observables *o = run->observation;
    if (!member) return NULL;
    int value = o->values.members;
    for (const pen_member *m = run->app->globals->members.list; m != member; m++)
        value += pen_components(m->components);
    *time = pen_observable_is_int(o->table[value].kind) ? (double)o->ints[value] : o->reals[value];
    return member->name;
}

const void *pen_run_globals(const pen_run *run)
{
    if (!run) pen_die("pen_run_globals: the run is NULL");
    return run->globals;
}

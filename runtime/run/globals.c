/* globals.c - computes the record of the globals, and checks that the application computes it reproducibly. */
#include "run/globals.h"
#include "base/memory.h"
#include "run/members.h"

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

/* The record's memory has three parts: the record, what it was before the last update, and a copy to check updates
 * with. A check needs no other memory: the update has taken place, and could not be repeated if the check failed. */
static void *part(const pen_run *run, int number)
{
    return (unsigned char *)run->globals + (size_t)number * run->app->globals->size;
}
static void *before(const pen_run *run) { return part(run, 1); }

enum { SOME = 16 }; /* number of members that are compared at once */

static int some(int members, int first) { return members - first < SOME ? members - first : SOME; }

/* Local. Call .update again, on a copy of the previous values, and compare. */
static pen_status repeat(pen_run *run, int phase)
{
    pen_observables *o = run->observation;
    const int members = o->count - o->values.members;
    void *first = run->globals, *copy = part(run, 2);
    int unequal = -1;
    memcpy(copy, before(run), run->app->globals->size);
    run->globals = copy;
    update(run, phase);
    run->globals = first;
    for (int m = 0; m < members && unequal < 0; m += SOME) {
        int64_t found[SOME];
        pen_globals_show(run);
        for (int i = 0; i < some(members, m); i++) found[i] = pen_observation_bits(o, o->values.members + m + i);
        pen_values_of_globals(&o->values, copy, o->ints, o->reals);
        for (int i = some(members, m) - 1; i >= 0; i--)
            if (found[i] != pen_observation_bits(o, o->values.members + m + i)) unequal = m + i;
    }
    pen_globals_show(run);
    if (unequal < 0) return PEN_OK;
    return pen_fail(PEN_ERR_CHECK, ".globals: %s has another value when .update is called again, from the same values",
                    o->table[o->values.members + unequal].name);
}

/* Collective. Check that all ranks have the same record. */
static pen_status check(pen_run *run, int phase)
{
    const pen_observables *o = run->observation;
    const int members = o->count - o->values.members;
    pen_status status = repeat(run, phase);
    for (int m = 0; m == 0 || (m < members && status == PEN_OK); m += SOME) {
        pen_argument values[SOME];
        for (int i = 0; i < some(members, m); i++)
            values[i] = (pen_argument){ o->table[o->values.members + m + i].name, NULL,
                                        pen_observation_bits(o, o->values.members + m + i) };
        status = pen_agree_equal(run->comm, status, values, some(members, m));
    }
    if (status != PEN_ERR_ARGUMENT) return status;
    return pen_fail(PEN_ERR_CHECK, ".globals: .update depends on the rank: %s", pen_error_message());
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

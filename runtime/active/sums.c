/* sums.c - the observables after a step, from those after the step before and the nodes that were computed. */
#include "active/sums.h"
#include "run/calls.h"

/* The first stretch of nodes from `from` on that are not in the set; *end is its end. */
static pen_lid next_gap(const pen_bits *b, pen_lid from, pen_lid *end)
{
    pen_lid first = from, last;
    while (first < *end && pen_bits_has(b, first)) first++;
    for (last = first; last < *end && !pen_bits_has(b, last); last++) continue;
    *end = last;
    return first;
}

void pen_sums_lift(pen_run *run, pen_kept_sums *sums, pen_lid first, pen_lid end)
{
    bool *restless = run->view.library.restless;
    run->view.library.restless = NULL;
    for (pen_lid slot, last = first; last < end; first = last) {
        last = end;
        slot = next_gap(&sums->lifted, first, &last);
        if (slot < last) pen_call_observe(&run->view, run->app->observables.observe, sums->lost, slot, last);
        for (; slot < last; slot++) pen_bits_set(&sums->lifted, slot);
    }
    run->view.library.restless = restless;
}

/* Note whether a node of slots [first, end) has asked for more than records. */
static void note_restless(pen_kept_sums *sums, bool *restless, pen_lid first, pen_lid end)
{
    if (end > first && memchr(restless + first, true, (size_t)(end - first))) sums->depends = true;
    memset(restless + first, 0, (size_t)(end - first) * sizeof *restless);
}

/* Let the lifted nodes contribute again. */
static void regain(pen_run *run, pen_active_sets *a, pen_observe_fn *observe)
{
    const pen_lid owned = run->store->owned;
    for (pen_lid first = 0, slot; (slot = pen_bits_next(&a->sums.lifted, first, owned)) < owned;) {
        first = pen_bits_run(&a->sums.lifted, slot, owned);
        pen_call_observe(&run->view, observe, run->observation, slot, first);
        note_restless(&a->sums, a->restless, slot, first);
    }
}

/* Add what the other nodes contributed before. False: some extreme has left, and all nodes must be looked at. */
static bool combine(const pen_kept_sums *sums, pen_observables *o)
{
    pen_observables *lost = sums->lost;
    pen_observation_add_up(o);
    pen_observation_add_up(lost);
    for (int i = 0; i < o->count; i++) {
        if (o->evaluation[i] != PEN_AFTER_STEP) continue;
        if (o->table[i].kind == PEN_SUM_REAL) {
            pen_exact_sum *to = &o->real_sums[i];
            pen_exact_normalize(to);
            pen_exact_normalize(&lost->real_sums[i]);
            for (int w = 0; w < PEN_EXACT_WORDS; w++)
                to->words[w] += sums->reals[i].words[w] - lost->real_sums[i].words[w];
            pen_exact_normalize(to);
        } else if (o->table[i].kind == PEN_SUM_INT) {
            o->int_sums[i] = (int64_t)((uint64_t)o->int_sums[i] + (uint64_t)sums->ints[i] -
                                       (uint64_t)lost->int_sums[i]);
        } else {
            if (lost->extremes[i] <= sums->extremes[i] && sums->extremes[i] != pen_observation_none(o, i)) return false;
            if (sums->extremes[i] < o->extremes[i]) o->extremes[i] = sums->extremes[i];
        }
    }
    return true;
}

static void keep(pen_run *run, pen_kept_sums *sums)
{
    pen_observables *o = run->observation;
    pen_observation_add_up(o);
    for (int i = 0; i < o->count; i++) {
        if (o->table[i].kind == PEN_SUM_REAL) pen_exact_normalize(&o->real_sums[i]);
        sums->ints[i] = o->int_sums[i];
        sums->reals[i] = o->real_sums[i];
        sums->extremes[i] = o->extremes[i];
    }
    pen_bits_clear(&sums->lifted, run->store->owned);
    pen_observation_begin(sums->lost, PEN_AFTER_STEP);
}

void pen_sums_contribute(pen_run *run, pen_active_sets *a, int evaluation, pen_observe_fn *observe)
{
    pen_kept_sums *sums = &a->sums;
    if (!a->tracks || a->version != run->renewed || sums->depends || evaluation != PEN_AFTER_STEP) {
        a->contribute(run, evaluation, observe);
        return;
    }
    run->view.library.restless = a->restless;
    if (sums->valid) {
        regain(run, a, observe);
        sums->valid = combine(sums, run->observation);
        if (!sums->valid) pen_observation_begin(run->observation, PEN_AFTER_STEP);
    }
    if (!sums->valid) {
        a->contribute(run, evaluation, observe);
        note_restless(sums, a->restless, 0, run->store->owned);
    }
    run->view.library.restless = NULL;
    sums->valid = !sums->depends;
    keep(run, sums);
}

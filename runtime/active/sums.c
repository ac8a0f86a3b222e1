/* sums.c - the observables after a step, from those after the step before and the nodes that see what has changed. */
#include "active/sums.h"
#include "run/calls.h"

/* Note whether a node of slots [first, end) has asked for more than records. */
static void note_restless(pen_kept_sums *sums, bool *restless, pen_lid first, pen_lid end)
{
    if (end > first && memchr(restless + first, true, (size_t)(end - first))) sums->depends = true;
    memset(restless + first, 0, (size_t)(end - first) * sizeof *restless);
}

/* The first run of touched nodes from *first on; false: there is none. */
static bool next_run(const pen_run *run, const pen_kept_sums *sums, pen_lid *first, pen_lid *end)
{
    const pen_lid owned = run->store->owned;
    *first = pen_bits_next(&sums->touched, *first, owned);
    if (*first >= owned) return false;
    *end = pen_bits_run(&sums->touched, *first, owned);
    return true;
}

/* Collect what the touched nodes contributed, as .observe sees the kept records. */
static void lose(pen_run *run, pen_kept_sums *sums, pen_observe_fn *observe)
{
    pen_view view = run->view;
    view.library.restless = NULL;
    for (int f = 0; f < run->app->fields.count; f++)
        if (sums->records[f]) view.current[f] = sums->records[f];
    pen_observation_begin(sums->lost, PEN_AFTER_STEP);
    for (pen_lid first = 0, end; next_run(run, sums, &first, &end); first = end)
        pen_call_observe(&view, observe, sums->lost, first, end);
}

/* Let the touched nodes contribute again. */
static void regain(pen_run *run, pen_active_sets *a, pen_observe_fn *observe)
{
    for (pen_lid first = 0, end; next_run(run, &a->sums, &first, &end); first = end) {
        pen_call_observe(&run->view, observe, run->observation, first, end);
        note_restless(&a->sums, a->restless, first, end);
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

/* Keep the records of slots [first, end). */
static void keep_records(const pen_run *run, pen_kept_sums *sums, pen_lid first, pen_lid end)
{
    for (int f = 0; f < run->app->fields.count; f++) {
        if (!sums->records[f] || first == end) continue;
        const size_t size = run->store->sizes[f], at = (size_t)first * size;
        memcpy(sums->records[f] + at, pen_store_plane(run->store, f, 0) + at, (size_t)(end - first) * size);
    }
}

static void keep_sums(const pen_run *run, pen_kept_sums *sums)
{
    pen_observables *o = run->observation;
    pen_observation_add_up(o);
    for (int i = 0; i < o->count; i++) {
        if (o->table[i].kind == PEN_SUM_REAL) pen_exact_normalize(&o->real_sums[i]);
        sums->ints[i] = o->int_sums[i];
        sums->reals[i] = o->real_sums[i];
        sums->extremes[i] = o->extremes[i];
    }
}

/* Keep what the next step is compared with. all: no records are kept yet. */
static void keep(const pen_run *run, pen_kept_sums *sums, bool all)
{
    const pen_lid owned = run->store->owned, slots = owned + run->store->shadows;
    keep_sums(run, sums);
    for (pen_lid first = 0, end; !all && next_run(run, sums, &first, &end); first = end)
        keep_records(run, sums, first, end);
    if (all || sums->arrived) keep_records(run, sums, all ? 0 : owned, slots);
    pen_bits_clear(&sums->touched, owned);
    sums->arrived = false;
}

bool pen_sums_contribute(pen_run *run, void *state, int evaluation, pen_observe_fn *observe)
{
    pen_active_sets *a = state;
    pen_kept_sums *sums = &a->sums;
    if (!a->tracks || a->version != run->renewed || sums->depends || evaluation != PEN_AFTER_STEP) return false;
    const bool kept = sums->valid;
    run->view.library.restless = a->restless;
    if (kept) {
        lose(run, sums, observe);
        regain(run, a, observe);
        sums->valid = combine(sums, run->observation);
        if (!sums->valid) pen_observation_begin(run->observation, PEN_AFTER_STEP);
    }
    if (!sums->valid) {
        pen_call_observe(&run->view, observe, run->observation, 0, run->store->owned);
        note_restless(sums, a->restless, 0, run->store->owned);
    }
    run->view.library.restless = NULL;
    sums->valid = !sums->depends;
    keep(run, sums, !kept);
    return true;
}

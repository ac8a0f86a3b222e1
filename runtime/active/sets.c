/* sets.c - makes the sets of nodes, and the table of the readers of each node. */
#include "active/sets.h"
#include "base/memory.h"

#include <stdlib.h>

static pen_status make_bits(pen_bits *b, pen_lid owned)
{
    *b = (pen_bits){ .any = false };
    PEN_TRY(PEN_ALLOC_ZERO(&b->words, (owned >> 6) + 1));
    return PEN_ALLOC_ZERO(&b->summary, (owned >> 12) + 1);
}

static void free_bits(pen_bits *b) { PEN_FREE_ALL(b->words, b->summary); }

/* Make the table of readers: of shadows; of a directed graph, also of owned nodes. In an undirected graph the readers
 * of an owned node are its neighbours. */
static pen_status make_readers(const pen_store *store, pen_active_sets *a)
{
    const pen_lid end = store->owned + store->shadows, first = store->directed ? 0 : store->owned;
    int64_t arcs = 0;
    a->first = first;
    PEN_TRY(PEN_ALLOC_ZERO(&a->rows, (int64_t)(end - first) + 2));
    uint32_t *next = a->rows + 1; /* next[i + 1] counts the readers of slot first + i; then it is where the next goes */
    for (uint32_t arc = 0; arc < store->rows[store->owned]; arc++)
        if (store->columns[arc] >= first) next[store->columns[arc] - first + 1]++, arcs++;
    for (pen_lid i = 0; i < end - first; i++) next[i + 1] += next[i];
    PEN_TRY(PEN_ALLOC(&a->readers, arcs));
    for (pen_lid slot = 0; slot < store->owned; slot++)
        for (uint32_t arc = store->rows[slot]; arc < store->rows[slot + 1]; arc++)
            if (store->columns[arc] >= first) a->readers[next[store->columns[arc] - first]++] = slot;
    return PEN_OK;
}

/* The fields, with those of the strict mode, that some phase pulls, or changes in place. */
static uint64_t fields_of(const pen_run *run, bool pulled)
{
    uint64_t fields = 0;
    for (int p = 0; p < run->app->phases.count; p++) fields |= pulled ? run->traits[p].pull : run->traits[p].in_place;
    return fields;
}

static pen_status make_other(const pen_run *run, void **other)
{
    const size_t values = (size_t)run->observation->count * sizeof(int64_t);
    const size_t globals = run->app->globals ? run->app->globals->size : 0, bytes = values > globals ? values : globals;
    PEN_TRY(pen_alloc(other, 1, bytes + 1));
    memset(*other, 0x2b, bytes);
    return PEN_OK;
}

static pen_status make_sums(const pen_run *run, pen_kept_sums *sums)
{
    const pen_store *store = run->store;
    const int count = run->observation->count;
    uint64_t written = 0;
    for (int p = 0; p < run->app->phases.count; p++) written |= run->app->phases.list[p].writes.bits;
    PEN_TRY(make_bits(&sums->touched, store->owned));
    PEN_TRY(PEN_ALLOC_ZERO(&sums->records, store->field_count));
    for (int f = 0; f < run->app->fields.count; f++)
        if (written >> f & 1)
            PEN_TRY(pen_alloc(&sums->records[f], (int64_t)store->owned + store->shadows, store->sizes[f]));
    PEN_TRY(pen_observation_create(run->app, &sums->lost));
    PEN_TRY(PEN_ALLOC(&sums->ints, count));
    PEN_TRY(PEN_ALLOC(&sums->extremes, count));
    return PEN_ALLOC(&sums->reals, count);
}

static void free_sums(pen_kept_sums *sums, int fields)
{
    for (int f = 0; sums->records && f < fields; f++) free(sums->records[f]);
    if (sums->lost) pen_observation_destroy(&sums->lost);
    free_bits(&sums->touched);
    PEN_FREE_ALL(sums->records, sums->ints, sums->extremes, sums->reals);
    *sums = (pen_kept_sums){ .depends = sums->depends };
}

static pen_status make(const pen_run *run, pen_active_sets *a)
{
    const pen_store *store = run->store;
    const int phases = run->app->phases.count, fields = store->field_count;
    const uint64_t pulled = fields_of(run, true), in_place = fields_of(run, false);
    PEN_TRY(PEN_ALLOC_ZERO(&a->sets, phases));
    for (int p = 0; p < phases; p++) PEN_TRY(make_bits(&a->sets[p], store->owned));
    PEN_TRY(make_bits(&a->due, store->owned));
    PEN_TRY(PEN_ALLOC_ZERO(&a->restless, store->owned));
    PEN_TRY(PEN_ALLOC_ZERO(&a->arrived, fields));
    PEN_TRY(PEN_ALLOC_ZERO(&a->in_place, fields));
    for (int f = 0; f < fields; f++) {
        if (pulled >> f & 1) PEN_TRY(pen_alloc(&a->arrived[f], store->shadows, store->sizes[f]));
        if (in_place >> f & 1) PEN_TRY(pen_alloc(&a->in_place[f], PEN_RUN_LENGTH, store->sizes[f]));
    }
    PEN_TRY(make_readers(store, a));
    if (run->strict) PEN_TRY(make_other(run, &a->other));
    return run->app->observables.observe && !a->sums.depends ? make_sums(run, &a->sums) : PEN_OK;
}

pen_status pen_sets_make(pen_run *run, pen_active_sets *a)
{
    a->phase_count = run->app->phases.count;
    a->field_count = run->store->field_count;
    const pen_status status = make(run, a);
    if (status != PEN_OK) pen_sets_free(a);
    return status;
}

void pen_sets_free(pen_active_sets *a)
{
    for (int p = 0; a->sets && p < a->phase_count; p++) free_bits(&a->sets[p]);
    for (int f = 0; a->arrived && f < a->field_count; f++) free(a->arrived[f]);
    for (int f = 0; a->in_place && f < a->field_count; f++) free(a->in_place[f]);
    free_bits(&a->due);
    free_sums(&a->sums, a->field_count);
    PEN_FREE_ALL(a->sets, a->restless, a->other, a->arrived, a->in_place, a->rows, a->readers);
    a->sets = NULL;
    a->due = (pen_bits){ .any = false };
    a->restless = NULL;
    a->other = NULL;
    a->arrived = a->in_place = NULL;
    a->rows = NULL;
    a->readers = NULL;
}

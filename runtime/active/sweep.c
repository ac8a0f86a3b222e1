/* sweep.c - computes the nodes that are due, compares their records with those before, and wakes readers. */
#include "active/sweep.h"
#include "strict/strict.h"

/* ---- Waking ----------------------------------------------------------------------------------- */

static void wake_readers(const pen_run *run, pen_active_sets *a, pen_lid slot, uint64_t changed)
{
    const pen_store *store = run->store;
    const bool listed = slot >= a->first;
    const uint32_t *row = listed ? a->rows + (slot - a->first) : store->rows + slot;
    const pen_lid *readers = listed ? a->readers : store->columns;
    for (int p = 0; p < run->app->phases.count; p++) {
        if (!(pen_run_carried(run, run->app->phases.list[p].reads.bits) & changed)) continue;
        for (uint32_t i = row[0]; i < row[1]; i++) {
            if (readers[i] >= store->owned) continue;
            pen_bits_set(&a->sets[p], readers[i]);
            if (a->sums.valid) pen_bits_set(&a->sums.touched, readers[i]);
        }
    }
}

static void wake(const pen_run *run, pen_active_sets *a, pen_lid slot, uint64_t changed)
{
    for (int p = 0; p < run->app->phases.count; p++) pen_bits_set(&a->sets[p], slot);
    if (a->sums.valid) pen_bits_set(&a->sums.touched, slot);
    wake_readers(run, a, slot, changed);
    a->changed = true;
}

/* Give all nodes the same records in both planes: those that sleep need it. */
static void fill_planes(const pen_store *store)
{
    for (int f = 0; f < store->field_count; f++) {
        const unsigned char *now = pen_store_plane(store, f, 0);
        unsigned char *next = pen_store_plane(store, f, 1);
        if (next != now && store->owned > 0) memcpy(next, now, (size_t)store->owned * store->sizes[f]);
    }
}

void pen_active_wake(pen_run *run, pen_active_sets *a, const uint64_t *awake)
{
    const pen_store *store = run->store;
    pen_bits_clear(&a->due, store->owned);
    for (int p = 0; p < run->app->phases.count; p++) {
        pen_bits_clear(&a->sets[p], store->owned);
        if (!awake) pen_bits_fill(&a->sets[p]);
        for (pen_lid slot = 0; awake && slot < store->owned; slot++)
            if (awake[slot] >> p & 1) pen_bits_set(&a->sets[p], slot);
    }
    if (awake) fill_planes(store);
    for (int f = 0; f < store->field_count; f++)
        if (a->arrived[f] && store->shadows > 0)
            memcpy(a->arrived[f], pen_store_plane(store, f, 0) + (size_t)store->owned * store->sizes[f],
                   (size_t)store->shadows * store->sizes[f]);
    memset(a->restless, 0, (size_t)store->owned * sizeof *a->restless);
    a->sums.valid = false;
}

/* ---- Comparing -------------------------------------------------------------------------------- */

static inline bool are_equal(const unsigned char *x, const unsigned char *y, size_t size)
{
    uint64_t words[2];
    uint32_t halves[2];
    switch (size) {
    case 1: return *x == *y;
    case sizeof(uint32_t):
        memcpy(&halves[0], x, sizeof(uint32_t));
        memcpy(&halves[1], y, sizeof(uint32_t));
        return halves[0] == halves[1];
    case sizeof(uint64_t):
        memcpy(&words[0], x, sizeof(uint64_t));
        memcpy(&words[1], y, sizeof(uint64_t));
        return words[0] == words[1];
    default: return memcmp(x, y, size) == 0;
    }
}

/* The fields that the phase writes, with their records of slot `first` before and after; returns their number. Records
 * that will be changed in place are saved. */
static int begin_comparison(const pen_run *run, pen_active_sets *a, const pen_phase *phase, pen_lid first, pen_lid end,
                            pen_compared *fields)
{
    const pen_store *store = run->store;
    const uint64_t writes = pen_run_carried(run, phase->writes.bits), in_place = run->traits[run->phase].in_place;
    int count = 0;
    for (int f = 0; f < store->field_count; f++) {
        if (!(writes >> f & 1)) continue;
        const size_t size = store->sizes[f], at = (size_t)first * size;
        const unsigned char *current = pen_store_plane(store, f, 0) + at;
        fields[count++] = (pen_compared){ pen_bit(f), size, current, pen_store_plane(store, f, 1) + at };
        if (!(in_place >> f & 1)) continue;
        memcpy(a->in_place[f], current, (size_t)(end - first) * size);
        fields[count - 1].before = a->in_place[f];
        fields[count - 1].after = current;
    }
    return count;
}

static uint64_t compare(const pen_compared *fields, int count, pen_lid i)
{
    uint64_t changed = 0;
    for (int k = 0; k < count; k++) {
        const size_t at = (size_t)i * fields[k].size;
        if (!are_equal(fields[k].before + at, fields[k].after + at, fields[k].size)) changed |= fields[k].bit;
    }
    return changed;
}

static void compute(pen_run *run, pen_active_sets *a, const pen_phase *phase, pen_lid first, pen_lid end)
{
    pen_compared fields[PEN_MOST_FIELDS];
    const int count = begin_comparison(run, a, phase, first, end, fields);
    a->sweep(run, phase, first, end);
    for (pen_lid slot = first; slot < end; slot++) {
        const uint64_t changed = compare(fields, count, slot - first);
        if (changed) wake(run, a, slot, changed);
        if (!a->restless[slot]) continue;
        a->restless[slot] = false;
        a->changed = true;
        pen_bits_set(&a->sets[run->phase], slot);
    }
    if (!pen_phase_is_whole(phase)) a->computed += end - first;
}

/* In the strict mode: compute nodes that are not due, and whose records hold their results already, with another step,
 * seed, observables and globals. */
static void compute_sleepers(pen_run *run, pen_active_sets *a, const pen_phase *phase, pen_lid first, pen_lid end)
{
    const pen_view view = run->view;
    run->view.step += 1 << 20;
    run->view.seed ^= UINT64_MAX;
    run->view.library.observed_ints = a->other;
    run->view.library.observed_reals = a->other;
    if (view.library.globals) run->view.library.globals = a->other;
    for (pen_lid slot = first; slot < end; slot++) {
        pen_compared fields[PEN_MOST_FIELDS];
        const int count = begin_comparison(run, a, phase, slot, slot + 1, fields);
        pen_strict_sweep(run, phase, slot, slot + 1); /* without loads */
        if (a->restless[slot] || compare(fields, count, 0)) pen_strict_sleeper(run, slot);
        a->restless[slot] = false;
    }
    run->view = view;
}

void pen_active_compute(pen_run *run, pen_active_sets *a, const pen_phase *phase, pen_lid first, pen_lid end)
{
    if (!a->open || !a->tracks) {
        a->sweep(run, phase, first, end);
        return;
    }
    for (pen_lid slot; first < end;) {
        slot = pen_bits_next(&a->due, first, end);
        if (slot > end) slot = end;
        if (run->strict) compute_sleepers(run, a, phase, first, slot);
        first = slot < end ? pen_bits_run(&a->due, slot, end) : end;
        if (slot < end) compute(run, a, phase, slot, first);
    }
}

/* ---- Shadows ---------------------------------------------------------------------------------- */

void pen_active_arrive(pen_run *run, pen_active_sets *a, uint64_t pulled)
{
    enum { TOGETHER = 64 };
    const pen_store *store = run->store;
    for (int f = 0; f < store->field_count; f++) {
        if (!(pulled >> f & 1)) continue;
        const size_t size = store->sizes[f];
        const unsigned char *now = pen_store_plane(store, f, 1) + (size_t)store->owned * size;
        for (pen_lid i = 0, end; i < store->shadows; i = end) {
            end = store->shadows - i < TOGETHER ? store->shadows : i + TOGETHER;
            if (memcmp(a->arrived[f] + (size_t)i * size, now + (size_t)i * size, (size_t)(end - i) * size) == 0)
                continue;
            for (pen_lid s = i; s < end; s++) {
                unsigned char *last = a->arrived[f] + (size_t)s * size;
                if (are_equal(last, now + (size_t)s * size, size)) continue;
                memcpy(last, now + (size_t)s * size, size);
                a->sums.arrived = true;
                wake_readers(run, a, store->owned + s, pen_bit(f));
            }
        }
    }
}

/* ---- The sample ------------------------------------------------------------------------------- */

/* Whether a node, or a neighbour that it reads and that is on this rank, has other records than before. Fields that are
 * changed in place do not count. */
static bool is_active(const pen_run *run, const pen_compared *fields, int count, pen_lid slot)
{
    const pen_store *store = run->store;
    const uint64_t reads = pen_app_reads(run->app);
    uint64_t changed = compare(fields, count, slot);
    for (uint32_t arc = store->rows[slot]; !changed && arc < store->rows[slot + 1]; arc++)
        if (store->columns[arc] < store->owned) changed = compare(fields, count, store->columns[arc]) & reads;
    return changed;
}

void pen_active_sample(pen_run *run, pen_active_sets *a, const pen_phase *phase)
{
    enum { TOGETHER = 16, EACH = 1024, PLACES = 8 }; /* one node in 64, but from eight places at least */
    const pen_store *store = run->store;
    pen_lid apart = store->owned / PLACES;
    if (apart > EACH) apart = EACH;
    if (apart < TOGETHER) apart = TOGETHER;
    pen_compared fields[PEN_MOST_FIELDS];
    int count = 0;
    for (int f = 0; f < store->field_count; f++)
        if ((phase->writes.bits & ~run->traits[run->phase].in_place) >> f & 1)
            fields[count++] = (pen_compared){ pen_bit(f), store->sizes[f], pen_store_plane(store, f, 0),
                                              pen_store_plane(store, f, 1) };
    for (pen_lid begin = 0; begin < store->owned && !pen_phase_is_whole(phase); begin += apart)
        for (pen_lid slot = begin; slot < store->owned && slot < begin + TOGETHER; slot++) {
            a->hits += a->restless[slot] || is_active(run, fields, count, slot);
            a->looks++;
        }
    memset(a->restless, 0, (size_t)store->owned * sizeof *a->restless);
}

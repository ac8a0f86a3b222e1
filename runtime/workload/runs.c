/* runs.c - codes the loads of a step in runs of equal values. */
#include "workload/runs.h"

/* Runs consist of equal loads, or of loads whose bits have changed in the same way since the previous step. */
enum { VALUES, CHANGES };

/* If runs have more than so many nodes on average, runs of changes are not tried. */
enum { LONG_RUN = 4 };

int64_t pen_runs_most(int64_t count, int phases) { return 2 * PEN_LONGEST_NUMBER + count * (8 * phases + 5); }

pen_status pen_run_coder_fit(pen_run_coder *c, int64_t count, int phases)
{
    PEN_TRY(pen_reserve(&c->starts, sizeof *c->starts, 2 * count, &c->start_room));
    return pen_reserve(&c->before, sizeof *c->before, count * phases, &c->before_room);
}

void pen_run_coder_free(pen_run_coder *c)
{
    PEN_FREE_ALL(c->before, c->starts);
    *c = (pen_run_coder){ .before = NULL };
}

/* ---- Coding ---------------------------------------------------------------------------------- */

/* The coded bits of the k-th load: the load itself, or with `before` its changed bits. */
static inline uint64_t bits_of(const double *loads, const double *before, int64_t k)
{
    return pen_real_bits(loads[k]) ^ (before ? pen_real_bits(before[k]) : 0);
}

/* Whether some of the coded bits k .. k+7 differ from those of the previous node. */
static inline bool differ(const double *loads, const double *before, int64_t k, int phases)
{
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++) bits |= bits_of(loads, before, k + i) ^ bits_of(loads, before, k + i - phases);
    return bits != 0;
}

/* The first node, from `node` on, whose coded bits differ from those of the previous node, or `count`. */
static inline int64_t next_run(const double *loads, const double *before, int64_t node, int64_t count, int phases)
{
    int64_t k = node * phases, end = count * phases;
    while (k + 8 <= end && !differ(loads, before, k, phases)) k += 8;
    while (k < end && bits_of(loads, before, k) == bits_of(loads, before, k - phases)) k++;
    return k / phases;
}

/* Find the first nodes of the runs. Returns the number of runs, up to `most`. */
static inline int64_t find_runs(const double *loads, const double *before, int64_t count, int phases, int64_t most,
                                int32_t *starts)
{
    int64_t runs = 0;
    for (int64_t node = 0; node < count && runs < most; node = next_run(loads, before, node + 1, count, phases))
        starts[runs++] = (int32_t)node;
    return runs;
}

/* Write the lowest bytes of all runs' loads, then their second-lowest bytes, and so on; then the lengths of the runs.
 * Returns the first node with an invalid load, or -1. */
static int64_t put_runs(pen_bytes *b, const double *loads, const double *before, int64_t count, int phases,
                        const int32_t *starts, int64_t runs)
{
    const int64_t values = runs * phases;
    unsigned char *to = b->data + b->size, *length = to + 8 * values;
    int64_t wrong = -1;
    for (int64_t j = 0; j < values; j++) {
        const int64_t k = (int64_t)starts[j / phases] * phases + j % phases;
        const uint64_t bits = bits_of(loads, before, k);
        for (int i = 0; i < 8; i++) to[i * values + j] = (unsigned char)(bits >> 8 * i);
        if (!(loads[k] >= 0.0 && loads[k] <= 1e300) && wrong < 0) wrong = starts[j / phases];
    }
    for (int64_t i = 0; i < runs; i++)
        length = pen_number_put(length, (uint64_t)((i + 1 < runs ? starts[i + 1] : count) - starts[i]));
    b->size = length - b->data;
    return wrong;
}

static int64_t find_wrong(const double *loads, int64_t count, int phases)
{
    for (int64_t k = 0; k < count * phases; k++)
        if (!(loads[k] >= 0.0 && loads[k] <= 1e300)) return k / phases;
    return -1;
}

int64_t pen_runs_put(pen_run_coder *c, int64_t count, int phases, const double *loads, pen_bytes *b)
{
    int32_t *starts = c->starts, *others = c->starts + count;
    if (!pen_bytes_room(b, pen_runs_most(count, phases))) return -1;
    const int64_t runs = find_runs(loads, NULL, count, phases, INT64_MAX, starts);
    const bool keep = runs > count / LONG_RUN;
    const int64_t changes = keep && c->known ? find_runs(loads, c->before, count, phases, runs, others) : runs;
    const bool changed = changes < runs;
    pen_bytes_put_number(b, changed ? CHANGES : VALUES);
    pen_bytes_put_number(b, (uint64_t)changes);
    const int64_t wrong = changed ? find_wrong(loads, count, phases) : -1,
                  first = put_runs(b, loads, changed ? c->before : NULL, count, phases, changed ? others : starts,
                                   changes);
    if (keep) memcpy(c->before, loads, (size_t)(count * phases) * sizeof *loads);
    c->known = keep;
    return changed ? wrong : first;
}

/* ---- Decoding -------------------------------------------------------------------------------- */

static void set(pen_scan *s, bool changed, uint64_t bits, double *load)
{
    *load = pen_real_of(bits ^ (changed ? pen_real_bits(*load) : 0));
    s->wrong = s->wrong || !(*load >= 0.0 && *load <= 1e300);
}

void pen_runs_get(pen_scan *s, int64_t count, int phases, const int32_t *places, double *loads)
{
    const bool changed = pen_scan_count(s, CHANGES) == CHANGES;
    const int64_t runs = pen_scan_count(s, count), values = runs * phases;
    const unsigned char *planes = s->at;
    int64_t node = 0;
    s->wrong = s->wrong || (s->end - s->at) / 8 < values;
    if (!s->wrong) s->at += 8 * values;
    for (int64_t j = 0; j < values && !s->wrong; j += phases) {
        const int64_t end = node + pen_scan_count(s, count - node);
        s->wrong = s->wrong || end == node;
        for (int p = 0; p < phases && !s->wrong; p++) {
            uint64_t bits = 0;
            for (int i = 0; i < 8; i++) bits |= (uint64_t)planes[i * values + j + p] << 8 * i;
            for (int64_t k = node; k < end; k++) set(s, changed, bits, &loads[(places ? places[k] : k) * phases + p]);
        }
        node = end;
    }
    s->wrong = s->wrong || node != count;
}

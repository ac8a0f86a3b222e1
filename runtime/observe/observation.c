#include "observe/observation.h"
#include "base/memory.h"

#include <math.h>

/* Doubles as integers in the same order (-0 before +0), so that minima of both kinds are one
 * reduction; the map is its own inverse. A NaN is before everything, so that it wins every minimum. */
static int64_t order_image(int64_t bits) { return bits < 0 ? (int64_t)((uint64_t)~bits | UINT64_C(1) << 63) : bits; }

static const int64_t nan_image = INT64_MIN;

static int64_t from_real(double value)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return order_image(bits);
}

static double to_real(int64_t image)
{
    int64_t bits = order_image(image);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

pen_status pen_observation_create(const pen_observable *table, int count, pen_observation **observation)
{
    PEN_TRY(PEN_ALLOC_ZERO(observation, 1));
    pen_observation *o = *observation;
    o->table = table;
    o->count = count;
    PEN_TRY(PEN_ALLOC(&o->extremes, count));
    PEN_TRY(PEN_ALLOC(&o->int_sums, count));
    PEN_TRY(PEN_ALLOC(&o->real_sums, count));
    PEN_TRY(PEN_ALLOC(&o->reduced, (int64_t)count * PEN_EXACT_WORDS));
    PEN_TRY(PEN_ALLOC_ZERO(&o->ints, count));
    PEN_TRY(PEN_ALLOC_ZERO(&o->reals, count));
    pen_observation_reset(o);
    return PEN_OK;
}

void pen_observation_destroy(pen_observation **observation)
{
    pen_observation *o = *observation;
    if (!o) return;
    PEN_FREE_ALL(o->extremes, o->int_sums, o->real_sums, o->reduced, o->ints, o->reals, o);
    *observation = NULL;
}

void pen_observation_reset(pen_observation *o)
{
    for (int i = 0; i < o->count; i++) {
        pen_observable_kind kind = o->table[i].kind;
        o->extremes[i] = INT64_MAX;
        if (kind == PEN_MIN_REAL) o->extremes[i] = from_real(INFINITY);
        /* Where maxima are sought, the complement below turns the image around. */
        if (kind == PEN_MAX_REAL) o->extremes[i] = ~from_real(-INFINITY);
        o->int_sums[i] = 0;
    }
    if (o->count) memset(o->real_sums, 0, (size_t)o->count * sizeof *o->real_sums);
}

static void contribute_extreme(pen_observation *o, int index, int64_t image)
{
    if (image < o->extremes[index]) o->extremes[index] = image;
}

static void check_kind(const pen_observation *o, int index, bool is_int)
{
    if (index < 0 || index >= o->count)
        pen_die("pen_observe: index %d, the application has %d observables", index, o->count);
    if (pen_observable_is_int(o->table[index].kind) != is_int)
        pen_die("pen_observe: observable \"%s\" is of the other kind (int or real)", o->table[index].name);
}

void pen_observe_int(pen_observation *o, int index, int64_t value)
{
    check_kind(o, index, true);
    switch (o->table[index].kind) {
    case PEN_MIN_INT: contribute_extreme(o, index, value); break;
    case PEN_MAX_INT: contribute_extreme(o, index, ~value); break;
    default: o->int_sums[index] = (int64_t)((uint64_t)o->int_sums[index] + (uint64_t)value);
    }
}

void pen_observe_real(pen_observation *o, int index, double value)
{
    check_kind(o, index, false);
    switch (o->table[index].kind) {
    case PEN_MIN_REAL: contribute_extreme(o, index, isnan(value) ? nan_image : from_real(value)); break;
    case PEN_MAX_REAL: contribute_extreme(o, index, isnan(value) ? nan_image : ~from_real(value)); break;
    default: pen_exact_add(&o->real_sums[index], value);
    }
}

/* The sums of all observables lie one behind the other: one word, or the words of an accumulator. */
static int pack_sums(pen_observation *o)
{
    int words = 0;
    for (int i = 0; i < o->count; i++) {
        if (o->table[i].kind == PEN_SUM_INT) o->reduced[words++] = o->int_sums[i];
        if (o->table[i].kind != PEN_SUM_REAL) continue;
        pen_exact_normalize(&o->real_sums[i]);
        memcpy(o->reduced + words, o->real_sums[i].words, sizeof o->real_sums[i].words);
        words += PEN_EXACT_WORDS;
    }
    return words;
}

static void unpack_sums(pen_observation *o)
{
    int words = 0;
    for (int i = 0; i < o->count; i++) {
        if (o->table[i].kind == PEN_SUM_INT) o->ints[i] = o->reduced[words++];
        if (o->table[i].kind != PEN_SUM_REAL) continue;
        pen_exact_sum sum = { .pending = 0 };
        memcpy(sum.words, o->reduced + words, sizeof sum.words);
        o->reals[i] = pen_exact_value(&sum);
        words += PEN_EXACT_WORDS;
    }
}

pen_status pen_observation_reduce(pen_comm *comm, pen_observation *o)
{
    int words = pack_sums(o);
    if (words) PEN_MPI(MPI_Allreduce(MPI_IN_PLACE, o->reduced, words, MPI_INT64_T, MPI_SUM, comm->mpi));
    unpack_sums(o);
    if (o->count) PEN_MPI(MPI_Allreduce(MPI_IN_PLACE, o->extremes, o->count, MPI_INT64_T, MPI_MIN, comm->mpi));
    for (int i = 0; i < o->count; i++) {
        switch (o->table[i].kind) {
        case PEN_MIN_INT: o->ints[i] = o->extremes[i]; break;
        case PEN_MAX_INT: o->ints[i] = ~o->extremes[i]; break;
        case PEN_MIN_REAL: o->reals[i] = o->extremes[i] == nan_image ? (double)NAN : to_real(o->extremes[i]); break;
        case PEN_MAX_REAL: o->reals[i] = o->extremes[i] == nan_image ? (double)NAN : to_real(~o->extremes[i]); break;
        default: break;
        }
    }
    return PEN_OK;
}

void pen_observation_text(const pen_observation *o, int index, char *text, size_t size)
{
    if (pen_observable_is_int(o->table[index].kind)) snprintf(text, size, "%" PRId64, o->ints[index]);
    else snprintf(text, size, "%.17g", o->reals[index]);
}

/* observation.c - evaluates observables and reduces them over the ranks. */
#include "observe/observation.h"
#include "base/bytes.h"

#include <math.h>
#include <stdlib.h>

/* Map the bits of doubles to integers in the same order (-0 before +0), so that one reduction finds minima of both
 * kinds. The map is its own inverse. A NaN comes first, so that it wins every minimum. */
static int64_t order_image(int64_t bits) { return bits < 0 ? (int64_t)((uint64_t)~bits | UINT64_C(1) << 63) : bits; }

static const int64_t nan_image = INT64_MIN;

static int64_t from_real(double value) { return order_image((int64_t)pen_real_bits(value)); }
static double to_real(int64_t image) { return pen_real_of((uint64_t)order_image(image)); }

/* The evaluation that sets an observable; -1: it is a value of the globals. */
static int evaluation_of(const pen_app *app, int observable)
{
    if (observable < 0) return PEN_NEVER;
    for (int p = 0; p < app->phases.count && observable < 64; p++)
        if (app->phases.list[p].observes.bits >> observable & 1) return p + 1;
    return PEN_AFTER_STEP;
}

/* The layout of a record: the number of minima, the number of sums, minima, sums. */
enum { MINIMA, SUMS, FIRST };

static void combine(void *theirs, void *ours, int *count, MPI_Datatype *type)
{
    const int64_t *from = (const int64_t *)theirs;
    int64_t *to = (int64_t *)ours;
    for (int record = 0; record < *count; record++) {
        int64_t minima = to[MINIMA], end = FIRST + minima + to[SUMS];
        for (int64_t i = FIRST; i < FIRST + minima; i++)
            if (from[i] < to[i]) to[i] = from[i];
        for (int64_t i = FIRST + minima; i < end; i++) to[i] = (int64_t)((uint64_t)to[i] + (uint64_t)from[i]);
        from += end;
        to += end;
    }
}

static pen_status open_record(pen_observables *o, int words)
{
    if (words == o->record_words) return PEN_OK;
    if (o->record_words) MPI_Type_free(&o->record);
    o->record_words = 0;
    PEN_MPI(MPI_Type_contiguous(words, MPI_INT64_T, &o->record));
    PEN_MPI(MPI_Type_commit(&o->record));
    o->record_words = words;
    return PEN_OK;
}

pen_status pen_observation_create(const pen_app *app, pen_observables **observation)
{
    PEN_TRY(PEN_ALLOC_ZERO(observation, 1));
    pen_observables *o = *observation;
    o->combine = MPI_OP_NULL;
    PEN_TRY(pen_values_create(app, &o->values));
    int count = o->count = o->values.count;
    o->table = o->values.table;
    PEN_TRY(PEN_ALLOC(&o->evaluation, count));
    PEN_TRY(PEN_ALLOC(&o->extremes, count));
    PEN_TRY(PEN_ALLOC(&o->int_sums, count));
    PEN_TRY(PEN_ALLOC_ZERO(&o->real_sums, count));
    PEN_TRY(PEN_ALLOC_ZERO(&o->rooms, count));
    for (int i = 0; i < o->values.members; i++)
        if (pen_observable_is_int(o->table[i].kind)) PEN_TRY(PEN_ALLOC(&o->rooms[i].ints, PEN_OBSERVABLE_ROOM));
        else PEN_TRY(PEN_ALLOC(&o->rooms[i].reals, PEN_OBSERVABLE_ROOM));
    int64_t words = FIRST + 1; /* the most that a reduction can have */
    for (int i = 0; i < count; i++) words += o->table[i].kind == PEN_SUM_REAL ? PEN_EXACT_WORDS : 1;
    PEN_TRY(PEN_ALLOC(&o->reduced, words));
    PEN_TRY(PEN_ALLOC_ZERO(&o->ints, count));
    PEN_TRY(PEN_ALLOC_ZERO(&o->reals, count));
    for (int i = 0; i < count; i++) o->evaluation[i] = evaluation_of(app, o->values.observable[i]);
    PEN_MPI(MPI_Op_create(combine, true, &o->combine));
    return PEN_OK;
}

void pen_observation_destroy(pen_observables **observation)
{
    pen_observables *o = *observation;
    if (!o) return;
    for (int i = 0; o->rooms && i < o->count; i++) PEN_FREE_ALL(o->rooms[i].ints, o->rooms[i].reals);
    if (o->record_words) MPI_Type_free(&o->record);
    if (o->combine != MPI_OP_NULL) MPI_Op_free(&o->combine);
    PEN_FREE_ALL(o->evaluation, o->extremes, o->int_sums, o->real_sums, o->rooms, o->reduced, o->ints, o->reals);
    pen_values_free(&o->values);
    free(o);
    *observation = NULL;
}

int64_t pen_observation_none(const pen_observables *o, int index)
{
    switch (o->table[index].kind) {
    case PEN_MIN_REAL: return from_real(INFINITY);
    case PEN_MAX_REAL: return ~from_real(-INFINITY); /* the complement reverses the order of the images */
    default: return INT64_MAX;
    }
}

static void begin_observable(pen_observables *o, int i)
{
    o->extremes[i] = pen_observation_none(o, i);
    o->int_sums[i] = 0;
    if (o->table[i].kind == PEN_SUM_REAL) pen_exact_clear(&o->real_sums[i]);
}

/* Whether .observe may access the observable's room directly. For other components it calls the library, so that an
 * index beyond the observables is not taken for one. */
static bool is_near(const pen_observables *o, int i)
{
    return i < PEN_OBSERVABLES_NEAR && i < o->values.observable_count;
}

/* Let .observe access the room of an observable. */
static void open_room(pen_observables *o, int i)
{
    const pen_observable_room *room = &o->rooms[i];
    if (!is_near(o, i)) return;
    o->given.ints[i] = room->ints;
    o->given.reals[i] = room->reals;
    if (room->ints) o->given.int_ends[i] = room->ints + PEN_OBSERVABLE_ROOM;
    if (room->reals) o->given.real_ends[i] = room->reals + PEN_OBSERVABLE_ROOM;
}

void pen_observation_begin(pen_observables *o, int evaluation)
{
    o->now = evaluation;
    o->given = (pen_observation){ .all = o };
    for (int i = 0; i < o->count; i++) {
        o->rooms[i].used = 0;
        if (o->evaluation[i] != evaluation) continue;
        begin_observable(o, i);
        open_room(o, i);
    }
}

static void lower(pen_observables *o, int index, int64_t image)
{
    if (image < o->extremes[index]) o->extremes[index] = image;
}

static void add_ints(pen_observables *o, int index, int64_t count, const int64_t *values)
{
    uint64_t sum = 0;
    int64_t least = INT64_MAX, most = INT64_MIN;
    switch (o->table[index].kind) {
    case PEN_SUM_INT:
        for (int64_t i = 0; i < count; i++) sum += (uint64_t)values[i];
        o->int_sums[index] = (int64_t)((uint64_t)o->int_sums[index] + sum);
        break;
    case PEN_MIN_INT:
        for (int64_t i = 0; i < count; i++) least = values[i] < least ? values[i] : least;
        lower(o, index, least);
        break;
    default:
        for (int64_t i = 0; i < count; i++) most = values[i] > most ? values[i] : most;
        lower(o, index, ~most);
    }
}

static void add_reals(pen_observables *o, int index, int64_t count, const double *values)
{
    if (o->table[index].kind == PEN_SUM_REAL) {
        pen_exact_add_all(&o->real_sums[index], count, values);
        return;
    }
    /* The fast path: one comparison of doubles shows that most values are not the minimum. */
    int64_t turned = o->table[index].kind == PEN_MAX_REAL ? -1 : 0, least = o->extremes[index];
    double sign = turned ? -1.0 : 1.0, known = least == nan_image ? (double)NAN : sign * to_real(least ^ turned);
    for (int64_t i = 0; i < count; i++) {
        if (sign * values[i] > known) continue;
        int64_t image = isnan(values[i]) ? nan_image : from_real(values[i]) ^ turned;
        if (image >= least) continue;
        least = image;
        known = sign * values[i];
    }
    o->extremes[index] = least;
}

void pen_observation_add_up(pen_observables *o)
{
    for (int i = 0; i < o->count; i++) {
        pen_observable_room *room = &o->rooms[i];
        bool near = is_near(o, i);
        if (o->evaluation[i] != o->now) continue;
        if (room->ints) add_ints(o, i, near ? o->given.ints[i] - room->ints : room->used, room->ints);
        else add_reals(o, i, near ? o->given.reals[i] - room->reals : room->used, room->reals);
        room->used = 0;
        open_room(o, i);
    }
}

/* The room of an observable. It must take values of that kind now; otherwise the program ends. */
static pen_observable_room *room_for(const pen_observables *o, int index, bool is_int)
{
    if (pen_observable_is_int(o->table[index].kind) != is_int)
        pen_die("pen_observe: observable \"%s\" is of the other kind (int or real)", o->table[index].name);
    if (o->evaluation[index] != o->now)
        pen_die("pen_observe: observable \"%s\" belongs to another .observe", o->table[index].name);
    pen_observable_room *room = &o->rooms[index];
    if (is_near(o, index)) room->used = PEN_OBSERVABLE_ROOM;
    return room;
}

static int64_t *take_int(pen_observables *o, int index, int64_t value)
{
    pen_observable_room *room = room_for(o, index, true);
    if (room->used == PEN_OBSERVABLE_ROOM) {
        add_ints(o, index, room->used, room->ints);
        room->used = 0;
    }
    room->ints[room->used++] = value;
    return room->ints + room->used;
}

static double *take_real(pen_observables *o, int index, double value)
{
    pen_observable_room *room = room_for(o, index, false);
    if (room->used == PEN_OBSERVABLE_ROOM) {
        add_reals(o, index, room->used, room->reals);
        room->used = 0;
    }
    room->reals[room->used++] = value;
    return room->reals + room->used;
}

int64_t *pen_observables_take_int(pen_observables *o, int index, int64_t value)
{
    return take_int(o, pen_values_find(&o->values, "pen_observe", index), value);
}

double *pen_observables_take_real(pen_observables *o, int index, double value)
{
    return take_real(o, pen_values_find(&o->values, "pen_observe", index), value);
}

/* Pack the sums of the evaluation: one word for an integer, an accumulator's words for a real. */
static int pack_sums(pen_observables *o, int64_t *to)
{
    int words = 0;
    for (int i = 0; i < o->count; i++) {
        if (o->evaluation[i] != o->now) continue;
        if (o->table[i].kind == PEN_SUM_INT) to[words++] = o->int_sums[i];
        if (o->table[i].kind != PEN_SUM_REAL) continue;
        pen_exact_sum *sum = &o->real_sums[i];
        pen_exact_normalize(sum);
        memcpy(to + words, sum->words, sizeof sum->words);
        words += PEN_EXACT_WORDS;
    }
    return words;
}

static void unpack_sums(pen_observables *o, const int64_t *from)
{
    for (int i = 0; i < o->count; i++) {
        if (o->evaluation[i] != o->now) continue;
        if (o->table[i].kind == PEN_SUM_INT) o->ints[i] = *from++;
        if (o->table[i].kind != PEN_SUM_REAL) continue;
        pen_exact_sum sum = { .pending = 0 };
        memcpy(sum.words, from, sizeof sum.words);
        o->reals[i] = pen_exact_value(&sum);
        from += PEN_EXACT_WORDS;
    }
}

static bool is_extreme(pen_observable_kind kind) { return kind != PEN_SUM_INT && kind != PEN_SUM_REAL; }

static int pack_extremes(const pen_observables *o, int64_t *to)
{
    int words = 0;
    for (int i = 0; i < o->count; i++)
        if (o->evaluation[i] == o->now && is_extreme(o->table[i].kind)) to[words++] = o->extremes[i];
    return words;
}

static void unpack_extremes(pen_observables *o, const int64_t *from)
{
    for (int i = 0; i < o->count; i++) {
        if (o->evaluation[i] != o->now || !is_extreme(o->table[i].kind)) continue;
        int64_t image = *from++;
        switch (o->table[i].kind) {
        case PEN_MIN_INT: o->ints[i] = image; break;
        case PEN_MAX_INT: o->ints[i] = ~image; break;
        case PEN_MIN_REAL: o->reals[i] = image == nan_image ? (double)NAN : to_real(image); break;
        default: o->reals[i] = image == nan_image ? (double)NAN : to_real(~image);
        }
    }
}

/* The first minimum carries failures. If there are only minima or only sums, MPI's own reduction is faster; a failure
 * then makes the first word negative, in a sum as in a minimum. */
pen_status pen_observation_reduce(pen_comm *comm, pen_observables *o)
{
    int64_t *words = o->reduced + FIRST;
    pen_observation_add_up(o);
    words[0] = -(int64_t)o->failing;
    int minima = 1 + pack_extremes(o, words + 1), sums = pack_sums(o, words + minima), all = minima + sums;
    if (all == 1) return PEN_OK;
    o->reduced[MINIMA] = minima;
    o->reduced[SUMS] = sums;
    if (sums == 0) PEN_TRY(pen_all_reduce(comm, MPI_IN_PLACE, words, all, MPI_INT64_T, MPI_MIN));
    else if (minima == 1) PEN_TRY(pen_all_reduce(comm, MPI_IN_PLACE, words, all, MPI_INT64_T, MPI_SUM));
    else {
        /* A rank without the datatype would let the others wait in the reduction. */
        if (open_record(o, FIRST + all) != PEN_OK) pen_die("%s", pen_error_message());
        PEN_TRY(pen_all_reduce(comm, MPI_IN_PLACE, o->reduced, 1, o->record, o->combine));
    }
    if (words[0] < 0) o->failed = true;
    unpack_extremes(o, words + 1);
    unpack_sums(o, words + minima);
    return PEN_OK;
}

int64_t pen_observation_bits(const pen_observables *o, int index)
{
    int64_t bits = o->ints[index];
    if (!pen_observable_is_int(o->table[index].kind)) memcpy(&bits, &o->reals[index], sizeof bits);
    return bits;
}

void pen_observation_text(const pen_observables *o, int index, char *text, size_t size)
{
    if (pen_observable_is_int(o->table[index].kind)) snprintf(text, size, "%" PRId64, o->ints[index]);
    else snprintf(text, size, "%.17g", o->reals[index]);
}

/* remap.c - assigns new parts to the ranks that have most of them, without a central rank. */
#include "rebalance/remap.h"
#include "base/memory.h"
#include "view/shares.h"

#include <stdlib.h>

/* The overlap of this rank with a part, in bytes. */
typedef struct overlap {
    int32_t part;
    int64_t size;
} overlap;

/* The state of this rank, and of the part of the same number, which this rank manages. */
typedef struct remapping {
    pen_peers *peers;
    overlap *overlaps; /* [count] overlaps, the largest first; a size < 0 marks a part for processors of another kind */
    int count, offered;
    int32_t mine;   /* the part that this rank has got, or -1 */
    int32_t taker;  /* the rank that has got the managed part, or -1 */
    int64_t better; /* bytes of the managed part that `taker` has */
} remapping;

static int by_size(const void *a, const void *b)
{
    const overlap *x = (const overlap *)a, *y = (const overlap *)b;
    if (x->size != y->size) return x->size > y->size ? -1 : 1;
    return pen_by_int32(a, b);
}

static pen_status find_overlaps(const pen_load_view *view, const int32_t *part, remapping *s)
{
    PEN_TRY(PEN_ALLOC(&s->overlaps, view->count));
    overlap *all = s->overlaps;
    for (pen_lid i = 0; i < view->count; i++)
        all[i] = (overlap){ part[i], view->node_bytes + (view->rows[i + 1] - view->rows[i]) * view->arc_bytes };
    qsort(all, (size_t)view->count, sizeof *all, pen_by_int32);
    for (pen_lid i = 0; i < view->count; i++) {
        if (s->count > 0 && all[s->count - 1].part == all[i].part) all[s->count - 1].size += all[i].size;
        else all[s->count++] = all[i];
    }
    /* Parts for processors of another kind are marked: a part is for the kind that the processor with its number
     * has. */
    for (int k = 0; k < s->count; k++)
        if (!pen_processors_are_alike(view->machine, all[k].part, s->peers->rank)) all[k].size = -1;
    qsort(all, (size_t)s->count, sizeof *all, by_size);
    return PEN_OK;
}

/* Collective. Let ranks without a part offer themselves to their next part. *refused becomes the ranks that the managed
 * part does not accept, or accepts no longer. */
static pen_status offer(remapping *s, bool offers, int **refused, int *count)
{
    const pen_parcels *send;
    const pen_blocks *received;
    int to = offers ? s->overlaps[s->offered].part : 0;
    int64_t size = offers ? s->overlaps[s->offered].size : 0;
    PEN_TRY(s->peers->group(s->peers, offers, &to, &size, sizeof size, NULL, &send));
    PEN_TRY(s->peers->exchange(s->peers, false, send, &received));
    PEN_TRY(PEN_ALLOC(refused, received->count));
    for (int i = 0; i < received->count; i++) {
        int32_t loser = received->ranks[i];
        memcpy(&size, received->data + received->offsets[i], sizeof size);
        if (s->taker < 0 || size > s->better || (size == s->better && loser < s->taker)) {
            int32_t rank = loser;
            loser = s->taker;
            s->taker = rank;
            s->better = size;
        }
        if (loser >= 0) (*refused)[(*count)++] = loser;
    }
    return PEN_OK;
}

/* Collective. Tell the refused ranks, which go on to their next part. */
static pen_status refuse(remapping *s, const int *refused, int count)
{
    const pen_parcels *send;
    const pen_blocks *received;
    PEN_TRY(s->peers->group(s->peers, count, refused, refused, sizeof *refused, NULL, &send));
    PEN_TRY(s->peers->exchange(s->peers, false, send, &received));
    if (received->count > 0) s->mine = -1;
    return PEN_OK;
}

/* Collective. Make offers until all are settled; *left becomes the number of parts without an offer. */
static pen_status make_offers(remapping *s, double *left)
{
    s->mine = s->taker = -1;
    for (;;) {
        bool offers = s->mine < 0 && s->offered < s->count && s->overlaps[s->offered].size >= 0;
        double sums[2] = { offers, s->taker < 0 };
        int *refused = NULL, count = 0;
        PEN_TRY(s->peers->reduce(s->peers, 2, sums, 0, NULL));
        *left = sums[1];
        if (!(sums[0] > 0.0)) return PEN_OK;
        pen_status status = offer(s, offers, &refused, &count);
        if (offers) s->mine = s->overlaps[s->offered++].part;
        if (status == PEN_OK) status = refuse(s, refused, count);
        free(refused);
        PEN_TRY(status);
    }
}

/* Collective. Read numbers of `count` distinct ranks. */
static pen_status read_numbers(pen_peers *peers, int count, const int *ranks, int32_t number, int32_t *numbers)
{
    const pen_parcels *send;
    const pen_blocks *received;
    int64_t *order = NULL;
    int32_t *answers = NULL;
    pen_status status = PEN_ALLOC(&order, count);
    if (status == PEN_OK) status = peers->group(peers, count, ranks, ranks, sizeof *ranks, order, &send);
    if (status == PEN_OK) status = peers->exchange(peers, false, send, &received);
    if (status == PEN_OK) status = PEN_ALLOC(&answers, received->count);
    if (status == PEN_OK) {
        for (int i = 0; i < received->count; i++) answers[i] = number;
        status = peers->group(peers, received->count, received->ranks, answers, sizeof *answers, NULL, &send);
    }
    if (status == PEN_OK) status = peers->exchange(peers, false, send, &received);
    for (int i = 0; status == PEN_OK && i < count; i++)
        memcpy(&numbers[i], received->data + order[i] * (int64_t)sizeof *numbers, sizeof *numbers);
    PEN_FREE_ALL(order, answers);
    return status;
}

/* Collective. Give parts without an offer to ranks without a part. A chain leads from the rank with the part's number
 * to the rank whose number is the part that this rank has got, and so on, and ends at a rank without a part, which gets
 * the part. Chains do not meet. The hops double (pointer jumping). */
static pen_status take_left(remapping *s)
{
    int rank = s->peers->rank;
    int32_t end = s->mine < 0 ? rank : s->mine;
    for (int reach = 1; reach < s->peers->size; reach *= 2)
        PEN_TRY(read_numbers(s->peers, end != rank, &end, end, &end));
    if (s->taker < 0) s->taker = end;
    return PEN_OK;
}

/* Collective. Replace the labels of all nodes' parts. */
static pen_status rename_all(const remapping *s, pen_lid nodes, int32_t *part)
{
    int *parts = NULL;
    int32_t *takers = NULL;
    overlap key = { 0, 0 };
    qsort(s->overlaps, (size_t)s->count, sizeof *s->overlaps, pen_by_int32);
    pen_status status = PEN_ALLOC(&parts, s->count);
    if (status == PEN_OK) status = PEN_ALLOC(&takers, s->count);
    for (int k = 0; status == PEN_OK && k < s->count; k++) parts[k] = s->overlaps[k].part;
    if (status == PEN_OK) status = read_numbers(s->peers, s->count, parts, s->taker, takers);
    for (pen_lid i = 0; status == PEN_OK && i < nodes; i++) {
        key.part = part[i];
        const overlap *found = bsearch(&key, s->overlaps, (size_t)s->count, sizeof key, pen_by_int32);
        part[i] = takers[found - s->overlaps];
    }
    PEN_FREE_ALL(parts, takers);
    return status;
}

pen_status pen_remap_parts(const pen_load_view *view, pen_peers *peers, int32_t *part)
{
    remapping s = { .peers = peers };
    double left = 0.0;
    pen_status status = find_overlaps(view, part, &s);
    if (status == PEN_OK) status = make_offers(&s, &left);
    if (status == PEN_OK && left > 0.0) status = take_left(&s);
    if (status == PEN_OK) status = rename_all(&s, view->count, part);
    free(s.overlaps);
    return status;
}

/* rename.c - assigns new parts to the ranks that have most of them, exactly. */
#include "rebalance/rename.h"
#include "base/memory.h"
#include "view/shares.h"

#include <stdlib.h>

/* The overlap of a rank with a part. */
typedef struct overlap {
    int32_t part;
    int64_t size;
} overlap;

typedef struct assignment {
    const pen_machine *machine;
    int ranks;
    int64_t *rows;     /* [ranks+1] index of each rank's first overlap */
    overlap *overlaps; /* [rows[ranks]] overlaps, rank by rank */
    int32_t *rank_of;  /* [ranks] rank that each part is assigned to, or -1 */
    int64_t *mine;     /* [ranks] overlap that each rank is assigned, or -1 */
    /* Data of the search for an augmenting path: */
    int64_t *gain;    /* [ranks] largest gain so far of a path that makes the rank give up its part */
    int64_t *through; /* [ranks] overlap by which another rank takes that part */
    int32_t *taker;   /* [ranks] the other rank that takes the part, or -1: the rank is not reached */
    int32_t *queue;   /* [ranks] circular queue of ranks to visit */
    bool *queued;     /* [ranks] whether the rank is in the queue */
    int32_t *reached; /* [ranks] list of the ranks that the search has reached */
} assignment;

static void release(assignment *a)
{
    PEN_FREE_ALL(a->rows, a->overlaps, a->rank_of, a->mine, a->gain, a->through, a->taker, a->queue, a->queued,
                 a->reached);
}

static pen_status allocate(assignment *a, int32_t nodes)
{
    PEN_TRY(PEN_ALLOC_ZERO(&a->rows, (int64_t)a->ranks + 1));
    PEN_TRY(PEN_ALLOC(&a->overlaps, nodes));
    PEN_TRY(PEN_ALLOC(&a->rank_of, a->ranks));
    PEN_TRY(PEN_ALLOC(&a->mine, a->ranks));
    PEN_TRY(PEN_ALLOC(&a->gain, a->ranks));
    PEN_TRY(PEN_ALLOC(&a->through, a->ranks));
    PEN_TRY(PEN_ALLOC(&a->taker, a->ranks));
    PEN_TRY(PEN_ALLOC(&a->queue, a->ranks));
    PEN_TRY(PEN_ALLOC_ZERO(&a->queued, a->ranks));
    PEN_TRY(PEN_ALLOC(&a->reached, a->ranks));
    for (int r = 0; r < a->ranks; r++) a->rank_of[r] = a->taker[r] = -1;
    for (int r = 0; r < a->ranks; r++) a->mine[r] = -1;
    return PEN_OK;
}

static pen_status find_overlaps(assignment *a, int32_t nodes, const int32_t *owners, const int64_t *sizes,
                                const int32_t *part)
{
    /* Index of part k's overlap with this rank; smaller than the rank's first one: there is none yet. */
    int64_t *at, n = 0;
    PEN_TRY(PEN_ALLOC(&at, a->ranks));
    for (int k = 0; k < a->ranks; k++) at[k] = -1;
    for (int32_t row = 0, rank = 0; rank < a->ranks; rank++) {
        a->rows[rank] = n;
        for (; row < nodes && owners[row] == rank; row++) {
            int32_t k = part[row];
            if (!pen_processors_are_alike(a->machine, k, rank)) continue;
            if (at[k] < a->rows[rank]) {
                at[k] = n;
                a->overlaps[n++] = (overlap){ k, 0 };
            }
            a->overlaps[at[k]].size += sizes[row];
        }
    }
    a->rows[a->ranks] = n;
    free(at);
    return PEN_REALLOC(&a->overlaps, n);
}

/* Give `rank` a part, or none, along the path that gains most. On a path each rank takes the next one's part; the last
 * rank takes a free part or gets none. A circle cannot gain, since the assignment so far is optimal. */
static void assign(assignment *a, int32_t rank)
{
    int64_t best = 0, last = -1; /* overlap that ends the best path; -1: the path ends at a rank without a part */
    int32_t end = rank, head = 0, waiting = 1, count = 1;
    a->gain[rank] = 0;
    a->taker[rank] = rank;
    a->queue[0] = a->reached[0] = rank;
    a->queued[rank] = true;
    while (waiting-- > 0) {
        int32_t u = a->queue[head];
        head = (head + 1) % a->ranks;
        a->queued[u] = false;
        for (int64_t j = a->rows[u]; j < a->rows[u + 1]; j++) {
            int32_t v = a->rank_of[a->overlaps[j].part];
            int64_t gain = a->gain[u] + a->overlaps[j].size;
            if (v >= 0) gain -= a->overlaps[a->mine[v]].size;
            if (v >= 0 && (a->taker[v] < 0 || gain > a->gain[v])) {
                if (a->taker[v] < 0) a->reached[count++] = v;
                a->gain[v] = gain;
                a->taker[v] = u;
                a->through[v] = j;
                if (!a->queued[v]) a->queue[(head + waiting++) % a->ranks] = v;
                a->queued[v] = true;
            }
            if (gain > best) {
                best = gain;
                end = v >= 0 ? v : u;
                last = v >= 0 ? -1 : j;
            }
        }
    }
    for (int64_t take = last;; end = a->taker[end]) {
        int64_t given = end == rank ? -1 : a->through[end];
        a->mine[end] = take;
        if (take >= 0) a->rank_of[a->overlaps[take].part] = end;
        if (end == rank) break;
        take = given;
    }
    for (int32_t i = 0; i < count; i++) a->taker[a->reached[i]] = -1;
}

/* Assign the remaining parts to ranks that have got none; their numbers are equal for every kind of processor. */
static void assign_rest(assignment *a)
{
    for (int32_t k = 0; k < a->ranks; k++) {
        int32_t r = 0;
        if (a->rank_of[k] >= 0) continue;
        while (a->mine[r] >= 0 || !pen_processors_are_alike(a->machine, k, r)) r++;
        a->rank_of[k] = r;
        a->mine[r] = 0;
    }
}

pen_status pen_rename_parts(const pen_machine *machine, int ranks, int32_t nodes, const int32_t *owners,
                            const int64_t *sizes, int32_t *part)
{
    assignment a = { .machine = machine, .ranks = ranks };
    pen_status status = allocate(&a, nodes);
    if (status == PEN_OK) status = find_overlaps(&a, nodes, owners, sizes, part);
    if (status == PEN_OK) {
        for (int32_t r = 0; r < ranks; r++) assign(&a, r);
        assign_rest(&a);
        for (int32_t row = 0; row < nodes; row++) part[row] = a.rank_of[part[row]];
    }
    release(&a);
    return status;
}

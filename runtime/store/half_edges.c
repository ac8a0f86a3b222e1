/* half_edges.c - exchanges half-edge updates and groups them by row. */
#include "store/half_edges.h"
#include "base/memory.h"

#include <stdlib.h>

/* The changes that this rank requests, and the outcomes of their subjects. */
typedef struct outgoing {
    const pen_changes *asked;
    const pen_node_outcome *outcomes;
    bool directed;
    pen_half_edge *halves; /* [count] the requested changes, as half-edges */
    int *ranks;            /* [count] the rank to which each half-edge goes */
    int64_t count;
} outgoing;

static pen_gid gid_of(const outgoing *t, uint32_t subject) { return t->asked->subjects[subject].gid; }

static pen_status check_there(const outgoing *t, uint32_t subject, const char *what)
{
    pen_node_outcome outcome = t->outcomes[subject];
    PEN_ARGUMENT(outcome.before != PEN_OWNER_UNKNOWN || outcome.after != PEN_OWNER_UNKNOWN,
                 "%s of node %" PRIgid ", which exists neither before nor after the change", what, gid_of(t, subject));
    return PEN_OK;
}

static void send_update(outgoing *t, int rank, pen_half_edge half)
{
    t->ranks[t->count] = rank;
    t->halves[t->count++] = half;
}

static pen_status send_removal(outgoing *t, const pen_edge_request *e)
{
    pen_gid from = gid_of(t, e->from), to = gid_of(t, e->to);
    int32_t from_owner = t->outcomes[e->from].before, to_owner = t->outcomes[e->to].before;
    PEN_ARGUMENT(from_owner != PEN_OWNER_UNKNOWN && to_owner != PEN_OWNER_UNKNOWN,
                 "edge %" PRIgid " - %" PRIgid " is to be removed, but does not exist", from, to);
    send_update(t, from_owner, (pen_half_edge){ from, to, 0, to_owner, PEN_HALF_EDGE_REMOVE });
    if (!t->directed) send_update(t, to_owner, (pen_half_edge){ to, from, 0, from_owner, PEN_HALF_EDGE_REMOVE });
    return PEN_OK;
}

static pen_status send_addition(outgoing *t, const pen_edge_request *e)
{
    pen_gid from = gid_of(t, e->from), to = gid_of(t, e->to);
    int32_t from_owner = t->outcomes[e->from].after, to_owner = t->outcomes[e->to].after;
    PEN_TRY(check_there(t, e->from, "an edge"));
    PEN_TRY(check_there(t, e->to, "an edge"));
    if (from_owner == PEN_OWNER_UNKNOWN || to_owner == PEN_OWNER_UNKNOWN) return PEN_OK;
    send_update(t, from_owner, (pen_half_edge){ from, to, e->weight, to_owner, PEN_HALF_EDGE_ADD });
    if (!t->directed) send_update(t, to_owner, (pen_half_edge){ to, from, e->weight, from_owner, PEN_HALF_EDGE_ADD });
    return PEN_OK;
}

static pen_status send_all(outgoing *t)
{
    for (int64_t i = 0; i < t->asked->edge_count; i++) {
        const pen_edge_request *e = &t->asked->edges[i];
        PEN_TRY(e->weight == 0 ? send_removal(t, e) : send_addition(t, e));
    }
    for (int64_t i = 0; i < t->asked->weight_count; i++) {
        const pen_weight_request *w = &t->asked->weights[i];
        int32_t owner = t->outcomes[w->subject].after;
        PEN_TRY(check_there(t, w->subject, "a weight"));
        if (owner != PEN_OWNER_UNKNOWN)
            send_update(t, owner,
                        (pen_half_edge){ gid_of(t, w->subject), -1, w->weight, PEN_OWNER_UNKNOWN,
                                         PEN_HALF_EDGE_WEIGHT });
    }
    return PEN_OK;
}

static pen_status address(outgoing *t, pen_blocks *send)
{
    int64_t most = 2 * t->asked->edge_count + t->asked->weight_count;
    pen_status status = PEN_ALLOC(&t->halves, most);
    if (status == PEN_OK) status = PEN_ALLOC(&t->ranks, most);
    if (status == PEN_OK) status = send_all(t);
    if (status == PEN_OK) status = pen_blocks_group(t->count, t->ranks, t->halves, sizeof *t->halves, send, NULL);
    PEN_FREE_ALL(t->halves, t->ranks);
    return status;
}

static int compare(const void *a, const void *b)
{
    const pen_half_edge *x = (const pen_half_edge *)a, *y = (const pen_half_edge *)b;
    if (x->other != y->other) return x->other < y->other ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    /* Contradicting updates get a defined order, so that the error message is always the same. */
    return (x->weight > y->weight) - (x->weight < y->weight);
}

/* Most rows receive few updates. */
static void sort(pen_half_edge *halves, int64_t count)
{
    enum { FEW = 32 };
    if (count > FEW) {
        qsort(halves, (size_t)count, sizeof *halves, compare);
        return;
    }
    for (int64_t i = 1; i < count; i++) {
        pen_half_edge half = halves[i];
        int64_t at = i;
        for (; at > 0 && compare(&half, &halves[at - 1]) < 0; at--) halves[at] = halves[at - 1];
        halves[at] = half;
    }
}

/* Count the half-edges of each row. group_of[i] becomes the group of half-edge i; groups are numbered in the order of
 * their first half-edge. */
static pen_status find_groups(const pen_half_edge *received, int64_t count, pen_half_edges *h, uint32_t *group_of)
{
    pen_key_table table = { NULL, 0 };
    PEN_TRY(pen_key_table_fit(&table, count));
    for (int64_t i = 0; i < count; i++) {
        uint32_t *entry = pen_key_entry(&table, h->groups, sizeof *h->groups, (uint64_t)received[i].row);
        if (*entry == 0) {
            h->groups[h->group_count] = (pen_half_edge_group){ .row = received[i].row };
            *entry = (uint32_t)++h->group_count;
        }
        group_of[i] = *entry - 1;
        h->groups[group_of[i]].count++;
    }
    pen_key_table_free(&table);
    return PEN_OK;
}

/* Group half-edges by row, then sort each group: much faster than sorting all at once. */
static pen_status group(const pen_half_edge *received, int64_t count, pen_half_edges *h)
{
    pen_lid checked;
    uint32_t *group_of = NULL;
    PEN_TRY(pen_to_lid(count, "changes of a rank's arcs", &checked));
    PEN_TRY(PEN_ALLOC(&h->groups, count));
    PEN_TRY(PEN_ALLOC(&h->of, count));
    pen_status status = PEN_ALLOC(&group_of, count);
    if (status == PEN_OK) status = find_groups(received, count, h, group_of);
    int64_t first = 0;
    for (int64_t g = 0; status == PEN_OK && g < h->group_count; g++) {
        h->groups[g].first = first;
        first += h->groups[g].count;
        h->groups[g].count = 0;
    }
    for (int64_t i = 0; status == PEN_OK && i < count; i++) {
        pen_half_edge_group *its = &h->groups[group_of[i]];
        h->of[its->first + its->count++] = received[i];
    }
    free(group_of);
    PEN_TRY(status);
    for (int64_t g = 0; g < h->group_count; g++) sort(h->of + h->groups[g].first, h->groups[g].count);
    if (h->group_count > 0) qsort(h->groups, (size_t)h->group_count, sizeof *h->groups, pen_by_gid);
    return PEN_OK;
}

pen_status pen_half_edges_exchange(const pen_change *c, const pen_changes *asked, const pen_node_outcome *outcomes,
                                   pen_half_edges *h)
{
    pen_blocks send = { 0 }, received = { 0 };
    outgoing t = { .asked = asked, .outcomes = outcomes, .directed = c->before->directed };
    *h = (pen_half_edges){ .groups = NULL };
    pen_status status = address(&t, &send);
    status = pen_sparse_exchange(c->before->comm, status, &send, &received);
    pen_blocks_free(&send);
    if (status == PEN_OK) {
        int64_t count = received.count ? received.offsets[received.count] / (int64_t)sizeof(pen_half_edge) : 0;
        status = pen_agree(c->before->comm, group((const pen_half_edge *)(const void *)received.data, count, h));
    }
    pen_blocks_free(&received);
    return status;
}

void pen_half_edges_free(pen_half_edges *h)
{
    PEN_FREE_ALL(h->groups, h->of);
    *h = (pen_half_edges){ .groups = NULL };
}

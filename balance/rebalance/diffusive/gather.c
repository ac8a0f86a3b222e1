/* gather.c - gathers the items of all ranks on rank 0, and sends results back. */
#include "rebalance/diffusive/gather.h"

#include "base/key_table.h"
#include "base/memory.h"
#include "rebalance/diffusive/constants.h"

#include <stdlib.h>

/* The head of a rank's message; the arrays of its items follow, each at a multiple of 8. */
typedef struct part_head {
    pen_lid count, shadows;
    uint32_t arcs;
    bool weighted, sized;
    plan_share share;
} part_head;

static int64_t padded(int64_t bytes) { return (bytes + 7) / 8 * 8; }

/* A message that is written, or read from `at` on. */
typedef struct message {
    unsigned char *bytes, *at;
    int64_t length, room;
} message;

/* Write the array that `array` points to, or let it point into the message that is read. */
static pen_status carry(message *m, void *array, int64_t count, size_t size)
{
    const int64_t bytes = count * (int64_t)size, room = padded(bytes);
    const void *from;
    if (m->at) {
        memcpy(array, &m->at, sizeof m->at);
        m->at += room;
        return PEN_OK;
    }
    PEN_TRY(pen_reserve(&m->bytes, 1, m->length + room, &m->room));
    memcpy(&from, array, sizeof from);
    memset(m->bytes + m->length, 0, (size_t)room);
    if (bytes > 0) memcpy(m->bytes + m->length, from, (size_t)bytes);
    m->length += room;
    return PEN_OK;
}

static pen_status carry_items(message *m, plan_share *share, plan_items *items)
{
    pen_load_view *v = &items->view;
    part_head mine = { .count = v->count,
                       .shadows = v->shadows,
                       .arcs = m->at ? 0 : v->rows[v->count],
                       .share = *share,
                       .weighted = v->edge_weights != NULL,
                       .sized = items->sizes != NULL };
    const part_head *head = &mine;
    PEN_TRY(carry(m, &head, 1, sizeof *head));
    *share = head->share;
    v->count = head->count;
    v->shadows = head->shadows;
    PEN_TRY(carry(m, &v->gids, (int64_t)v->count + v->shadows, sizeof *v->gids));
    PEN_TRY(carry(m, &v->loads, v->count, sizeof *v->loads));
    PEN_TRY(carry(m, &v->rows, (int64_t)v->count + 1, sizeof *v->rows));
    PEN_TRY(carry(m, &v->columns, head->arcs, sizeof *v->columns));
    PEN_TRY(carry(m, &items->to, v->count, sizeof *items->to));
    if (head->sized) PEN_TRY(carry(m, &items->sizes, v->count, sizeof *items->sizes));
    return head->weighted ? carry(m, &v->edge_weights, head->arcs, sizeof *v->edge_weights) : PEN_OK;
}

/* The items of all ranks: the writable arrays of `items`. */
typedef struct gathered {
    plan_items items, *parts; /* parts: [ranks] items of each rank */
    pen_lid *starts;          /* [ranks+1] of a rank's items */
    int64_t arcs;
    pen_gid *gids;
    double *loads;
    uint32_t *rows;
    pen_lid *columns, *places; /* neighbours; and the places of one rank's items and shadows among all */
    int64_t *weights;
    pen_key_table index;
} gathered;

static pen_status allocate(int ranks, gathered *all)
{
    int64_t count = 0, most = 0;
    bool weighted = false;
    PEN_TRY(PEN_ALLOC_ZERO(&all->starts, (int64_t)ranks + 1));
    for (int r = 0; r < ranks; r++) {
        const pen_load_view *v = &all->parts[r].view;
        const int64_t known = (int64_t)v->count + v->shadows;
        count += v->count;
        all->arcs += v->rows[v->count];
        most = known > most ? known : most;
        weighted |= v->edge_weights != NULL;
        PEN_TRY(pen_to_lid(count, "items of all ranks", &all->starts[r + 1]));
    }
    if (all->arcs > UINT32_MAX)
        return pen_fail(PEN_ERR_UNSUPPORTED, "%" PRId64 " arcs of all ranks, at most 2^32", all->arcs);
    PEN_TRY(PEN_ALLOC(&all->gids, count));
    PEN_TRY(PEN_ALLOC(&all->loads, count));
    PEN_TRY(PEN_ALLOC(&all->rows, count + 1));
    PEN_TRY(PEN_ALLOC(&all->columns, all->arcs));
    PEN_TRY(PEN_ALLOC(&all->places, most));
    if (weighted) PEN_TRY(PEN_ALLOC(&all->weights, all->arcs));
    PEN_TRY(PEN_ALLOC(&all->items.homes, count));
    PEN_TRY(PEN_ALLOC(&all->items.sizes, count));
    PEN_TRY(PEN_ALLOC(&all->items.to, count));
    return pen_key_table_fit(&all->index, count);
}

static uint32_t *index_entry(const gathered *all, pen_gid gid)
{
    return pen_key_entry(&all->index, all->gids, sizeof *all->gids, (uint64_t)gid);
}

static void add_items(int rank, gathered *all)
{
    const plan_items *part = &all->parts[rank];
    const pen_load_view *v = &part->view;
    for (pen_lid i = 0, at = all->starts[rank]; i < v->count; i++, at++) {
        all->gids[at] = v->gids[i];
        all->loads[at] = v->loads[i];
        all->items.homes[at] = rank;
        all->items.sizes[at] = part->sizes ? part->sizes[i] : 1;
        all->items.to[at] = part->to[i];
        *index_entry(all, v->gids[i]) = (uint32_t)at + 1;
    }
}

/* Add the edges of a rank, after the items of all ranks. *arcs: number of arcs of the ranks before. */
static pen_status add_edges(int rank, uint32_t *arcs, gathered *all)
{
    const pen_load_view *v = &all->parts[rank].view;
    const pen_lid start = all->starts[rank];
    for (pen_lid i = 0; i < v->count; i++) {
        all->rows[start + i] = *arcs + v->rows[i];
        all->places[i] = start + i;
    }
    for (pen_lid i = v->count; i < v->count + v->shadows; i++) {
        all->places[i] = (pen_lid)*index_entry(all, v->gids[i]) - 1;
        if (all->places[i] < 0) return pen_fail(PEN_ERR_INTERNAL, "node %" PRIgid " is on no rank", v->gids[i]);
    }
    for (uint32_t a = 0; a < v->rows[v->count]; a++) all->columns[*arcs + a] = all->places[v->columns[a]];
    for (uint32_t a = 0; a < v->rows[v->count] && all->weights; a++)
        all->weights[*arcs + a] = v->edge_weights ? v->edge_weights[a] : 1;
    *arcs += v->rows[v->count];
    return PEN_OK;
}

/* Of rank 0's own items and those received. */
static pen_status put_together(const plan_share *share, const plan_items *mine, const pen_blocks *received,
                               gathered *all, plan_team *team)
{
    uint32_t arcs = 0;
    PEN_TRY(PEN_ALLOC_ZERO(&all->parts, team->size));
    team->shares[0] = *share;
    all->parts[0] = *mine;
    for (int r = 1; r < team->size; r++)
        PEN_TRY(carry_items(&(message){ .at = received->data + received->offsets[r - 1] }, &team->shares[r],
                            &all->parts[r]));
    PEN_TRY(allocate(team->size, all));
    for (int r = 0; r < team->size; r++) add_items(r, all);
    for (int r = 0; r < team->size; r++) PEN_TRY(add_edges(r, &arcs, all));
    const pen_lid count = all->starts[team->size];
    all->rows[count] = arcs;
    all->items.view = (pen_load_view){ .count = count,
                                       .gids = all->gids,
                                       .loads = all->loads,
                                       .rows = all->rows,
                                       .columns = all->columns,
                                       .edge_weights = all->weights };
    return PEN_OK;
}

static void free_gathered(gathered *all)
{
    PEN_FREE_ALL(all->parts, all->starts, all->gids, all->loads, all->rows, all->columns, all->places, all->weights,
                 all->items.homes, all->items.sizes, all->items.to);
    pen_key_table_free(&all->index);
}

/* A block for every other rank: the context, then to[] of its items. */
static pen_status put_results(int ranks, const gathered *all, const void *context, size_t bytes, int64_t *offsets,
                              message *m)
{
    for (int r = 1; r < ranks; r++) {
        const int32_t *to = all->items.to + all->starts[r];
        PEN_TRY(carry(m, &context, 1, bytes));
        PEN_TRY(carry(m, &to, all->starts[r + 1] - all->starts[r], sizeof *to));
        offsets[r] = m->length;
    }
    return PEN_OK;
}

/* Rank 0: gather, work, and send the results; the other ranks take part with `ranks` empty blocks. */
static pen_status serve(const plan_team *alone, const plan_items *mine, plan_work *work, void *context, size_t bytes)
{
    const pen_blocks *received;
    plan_team team = { .size = 0 };
    gathered all = { .arcs = 0 };
    message m = { .length = 0 };
    int *ranks = NULL;
    int64_t *offsets = NULL;
    pen_status status = PEN_ALLOC(&ranks, alone->size);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&offsets, alone->size);
    for (int r = 1; r < alone->size && status == PEN_OK; r++) ranks[r - 1] = r;
    const pen_parcels nothing = { alone->size - 1, ranks, offsets, "" };
    if (status == PEN_OK) status = alone->peers->exchange(alone->peers, true, &nothing, &received);
    if (status == PEN_OK) status = pen_team_create(NULL, alone->size, &team);
    team.network = alone->network;
    if (status == PEN_OK) status = put_together(&alone->shares[0], mine, received, &all, &team);
    if (status == PEN_OK) status = work(context, &team, &all.items);
    if (status == PEN_OK) status = put_results(alone->size, &all, context, bytes, offsets, &m);
    const pen_parcels results = { alone->size - 1, ranks, offsets, m.bytes };
    if (status == PEN_OK) status = alone->peers->exchange(alone->peers, true, &results, &received);
    for (pen_lid i = 0; i < mine->view.count && status == PEN_OK; i++) mine->to[i] = all.items.to[i];
    PEN_FREE_ALL(m.bytes, ranks, offsets);
    free_gathered(&all);
    pen_team_free(&team);
    return status;
}

/* The other ranks. */
static pen_status request(const plan_team *team, const plan_items *mine, void *context, size_t bytes)
{
    const int64_t none[2] = { 0, 0 };
    const pen_blocks *received;
    const int server = 0;
    message m = { .length = 0 };
    plan_items items = *mine;
    pen_status status = carry_items(&m, &team->shares[0], &items);
    const pen_parcels send = { 1, &server, (int64_t[]){ 0, m.length }, m.bytes }, nothing = { 1, &server, none, "" };
    if (status == PEN_OK) status = team->peers->exchange(team->peers, true, &send, &received);
    free(m.bytes);
    if (status == PEN_OK) status = team->peers->exchange(team->peers, true, &nothing, &received);
    PEN_TRY(status);
    memcpy(context, received->data, bytes);
    if (mine->view.count > 0)
        memcpy(mine->to, received->data + padded((int64_t)bytes), (size_t)mine->view.count * sizeof *mine->to);
    return PEN_OK;
}

pen_status pen_gather_work(const plan_team *team, const plan_items *mine, plan_work *work, void *context, size_t bytes)
{
    return team->peers->rank == 0 ? serve(team, mine, work, context, bytes) : request(team, mine, context, bytes);
}

/* A reduction goes up and down a tree, and an exchange goes straight on from there. */
bool pen_gather_pays(int ranks, double nodes, double arcs)
{
    int hops = 1;
    for (int reach = 1; reach < ranks; reach *= 2) hops += 2;
    return ranks * RANK_TIME + (nodes + arcs) * ITEM_TIME <= hops * HOP_TIME;
}

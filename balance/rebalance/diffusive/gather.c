/* gather.c - gathers the items of all ranks on rank 0, and sends results back. */
#include "rebalance/diffusive/gather.h"

#include "base/key_table.h"
#include "base/memory.h"
#include "rebalance/diffusive/constants.h"

#include <stdlib.h>

/* The head of a message of a rank; the arrays follow, each at a multiple of 8. */
typedef struct part_head {
    pen_lid count, shadows;
    int64_t arcs;
    plan_share share;
    bool weighted, sized;
} part_head;

static int64_t padded(int64_t bytes) { return (bytes + 7) / 8 * 8; }

/* Copy an array to *at, or only count its bytes if *at is NULL. */
static void put(unsigned char **at, int64_t *length, const void *from, int64_t count, size_t size)
{
    const int64_t bytes = count * (int64_t)size;
    if (*at && bytes > 0) memcpy(*at, from, (size_t)bytes);
    if (*at) memset(*at + bytes, 0, (size_t)(padded(bytes) - bytes));
    if (*at) *at += padded(bytes);
    *length += padded(bytes);
}

static int64_t put_items(unsigned char *at, const plan_team *team, const plan_items *items)
{
    const pen_load_view *v = &items->view;
    const part_head head = { .count = v->count,
                             .shadows = v->shadows,
                             .arcs = v->rows[v->count],
                             .share = team->shares[0],
                             .weighted = v->edge_weights != NULL,
                             .sized = items->sizes != NULL };
    int64_t length = 0;
    put(&at, &length, &head, 1, sizeof head);
    put(&at, &length, v->gids, (int64_t)v->count + v->shadows, sizeof *v->gids);
    put(&at, &length, v->loads, v->count, sizeof *v->loads);
    put(&at, &length, v->rows, (int64_t)v->count + 1, sizeof *v->rows);
    put(&at, &length, v->columns, head.arcs, sizeof *v->columns);
    put(&at, &length, v->edge_weights, head.weighted ? head.arcs : 0, sizeof *v->edge_weights);
    put(&at, &length, items->sizes, head.sized ? v->count : 0, sizeof *items->sizes);
    put(&at, &length, items->to, v->count, sizeof *items->to);
    return length;
}

static const void *get(const unsigned char **from, int64_t count, size_t size)
{
    const unsigned char *array = *from;
    *from += padded(count * (int64_t)size);
    return array;
}

/* The items of all ranks: the writable arrays of `items`. */
typedef struct gathered {
    plan_items items;
    pen_lid *starts; /* [ranks+1] place of each rank's first item */
    int64_t arcs;
    pen_gid *gids;
    double *loads;
    uint32_t *rows;
    pen_lid *columns, *places; /* neighbours; and the places of one rank's items and shadows among all */
    int64_t *weights;
    pen_key_table index;
} gathered;

static pen_status allocate(int ranks, const pen_blocks *blocks, gathered *all)
{
    int64_t count = 0, most = 0;
    bool weighted = false;
    PEN_TRY(PEN_ALLOC(&all->starts, (int64_t)ranks + 1));
    for (int r = 0; r < ranks; r++) {
        const part_head *head = (const void *)(blocks->data + blocks->offsets[r]);
        const int64_t known = (int64_t)head->count + head->shadows;
        all->starts[r] = (pen_lid)count;
        count += head->count;
        all->arcs += head->arcs;
        most = known > most ? known : most;
        weighted |= head->weighted;
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

static void add_gids(int rank, const unsigned char *from, gathered *all)
{
    const part_head *head = get(&from, 1, sizeof *head);
    const pen_gid *gids = get(&from, (int64_t)head->count + head->shadows, sizeof *gids);
    for (pen_lid i = 0; i < head->count; i++) {
        const pen_lid at = all->starts[rank] + i;
        all->gids[at] = gids[i];
        all->items.homes[at] = rank;
        *index_entry(all, gids[i]) = (uint32_t)at + 1;
    }
}

/* Add the arrays of a rank, after add_gids of all ranks. *arcs: number of arcs of the ranks before. */
static pen_status add_rank(int rank, const unsigned char *from, int64_t *arcs, gathered *all, plan_team *team)
{
    const pen_lid start = all->starts[rank];
    const part_head *head = get(&from, 1, sizeof *head);
    const pen_gid *gids = get(&from, (int64_t)head->count + head->shadows, sizeof *gids);
    const double *loads = get(&from, head->count, sizeof *loads);
    const uint32_t *rows = get(&from, (int64_t)head->count + 1, sizeof *rows);
    const pen_lid *columns = get(&from, head->arcs, sizeof *columns);
    const int64_t *weights = get(&from, head->weighted ? head->arcs : 0, sizeof *weights);
    const int32_t *sizes = get(&from, head->sized ? head->count : 0, sizeof *sizes);
    const int32_t *to = get(&from, head->count, sizeof *to);
    team->shares[rank] = head->share;
    for (pen_lid i = 0; i < head->count; i++) {
        all->loads[start + i] = loads[i];
        all->rows[start + i] = (uint32_t)*arcs + rows[i];
        all->items.sizes[start + i] = head->sized ? sizes[i] : 1;
        all->items.to[start + i] = to[i];
        all->places[i] = start + i;
    }
    for (pen_lid i = head->count; i < head->count + head->shadows; i++) {
        const uint32_t entry = *index_entry(all, gids[i]);
        if (entry == 0) return pen_fail(PEN_ERR_INTERNAL, "node %" PRIgid " is on no rank", gids[i]);
        all->places[i] = (pen_lid)entry - 1;
    }
    for (int64_t a = 0; a < head->arcs; a++) all->columns[*arcs + a] = all->places[columns[a]];
    for (int64_t a = 0; a < head->arcs && all->weights; a++) all->weights[*arcs + a] = head->weighted ? weights[a] : 1;
    *arcs += head->arcs;
    return PEN_OK;
}

static pen_status put_together(const pen_blocks *blocks, gathered *all, plan_team *team)
{
    int64_t arcs = 0;
    PEN_TRY(allocate(team->size, blocks, all));
    for (int r = 0; r < team->size; r++) add_gids(r, blocks->data + blocks->offsets[r], all);
    for (int r = 0; r < team->size; r++) PEN_TRY(add_rank(r, blocks->data + blocks->offsets[r], &arcs, all, team));
    all->rows[all->starts[team->size]] = (uint32_t)arcs;
    pen_load_view *v = &all->items.view;
    v->count = all->starts[team->size];
    v->gids = all->gids;
    v->loads = all->loads;
    v->rows = all->rows;
    v->columns = all->columns;
    v->edge_weights = all->weights;
    return PEN_OK;
}

static void free_gathered(gathered *all)
{
    PEN_FREE_ALL(all->starts, all->gids, all->loads, all->rows, all->columns, all->places, all->weights,
                 all->items.homes, all->items.sizes, all->items.to);
    pen_key_table_free(&all->index);
}

/* Make a block for every rank: the context, then to[] of its items. */
static pen_status write_results(int ranks, const gathered *all, const void *context, size_t bytes, int64_t *offsets,
                                unsigned char **data)
{
    int64_t length = 0;
    for (int r = 0; r <= ranks; r++)
        offsets[r] = r * padded((int64_t)bytes) + (int64_t)sizeof(int32_t) * all->starts[r];
    PEN_TRY(PEN_ALLOC(data, offsets[ranks]));
    for (int r = 0; r < ranks; r++) {
        unsigned char *at = *data + offsets[r];
        put(&at, &length, context, 1, bytes);
        memcpy(at, all->items.to + all->starts[r],
               (size_t)(all->starts[r + 1] - all->starts[r]) * sizeof *all->items.to);
    }
    return PEN_OK;
}

/* Rank 0: do the work for the items in `blocks`. */
static pen_status work_for_all(const plan_team *alone, const pen_blocks *blocks, plan_work *work, void *context,
                               size_t bytes, int64_t *offsets, unsigned char **data)
{
    plan_team team;
    gathered all = { .arcs = 0 };
    pen_status status = pen_team_create(NULL, alone->size, &team);
    team.network = alone->network;
    if (status == PEN_OK) status = put_together(blocks, &all, &team);
    if (status == PEN_OK) status = work(context, &team, &all.items);
    if (status == PEN_OK) status = write_results(alone->size, &all, context, bytes, offsets, data);
    free_gathered(&all);
    pen_team_free(&team);
    return status;
}

/* Send the items of every rank to rank 0, in one exchange. */
static pen_status send_items(const plan_team *team, const plan_items *mine, const pen_blocks **received)
{
    const int root = 0;
    const int64_t offsets[2] = { 0, put_items(NULL, team, mine) };
    unsigned char *data;
    PEN_TRY(PEN_ALLOC(&data, offsets[1]));
    put_items(data, team, mine);
    const pen_parcels send = { 1, &root, offsets, data };
    const pen_status status = team->peers->exchange(team->peers, false, &send, received);
    free(data);
    return status;
}

pen_status pen_gather_work(const plan_team *team, const plan_items *mine, plan_work *work, void *context, size_t bytes)
{
    const pen_blocks *received = NULL;
    int *ranks = NULL;
    int64_t *offsets = NULL;
    unsigned char *data = NULL;
    const bool works = team->peers->rank == 0;
    pen_status status = send_items(team, mine, &received);
    if (status == PEN_OK && works) {
        status = PEN_ALLOC(&ranks, team->size);
        if (status == PEN_OK) status = PEN_ALLOC(&offsets, (int64_t)team->size + 1);
        for (int r = 0; r < team->size && status == PEN_OK; r++) ranks[r] = r;
        if (status == PEN_OK) status = work_for_all(team, received, work, context, bytes, offsets, &data);
    }
    const pen_parcels send = { works ? team->size : 0, ranks, offsets, data };
    if (status == PEN_OK) status = team->peers->exchange(team->peers, false, &send, &received);
    if (status == PEN_OK) {
        const unsigned char *from = received->data;
        memcpy(context, get(&from, 1, bytes), bytes);
        if (mine->view.count > 0) memcpy(mine->to, from, (size_t)mine->view.count * sizeof *mine->to);
    }
    PEN_FREE_ALL(ranks, offsets, data);
    return status;
}

/* A reduction goes up and down a tree, and an exchange goes straight on from there. */
bool pen_gather_pays(int ranks, double nodes, double arcs)
{
    int hops = 1;
    for (int reach = 1; reach < ranks; reach *= 2) hops += 2;
    return ranks * RANK_TIME + (nodes + arcs) * ITEM_TIME <= hops * HOP_TIME;
}

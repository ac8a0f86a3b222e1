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
    const unsigned char **parts; /* [ranks] what ranks sent */
    pen_lid *starts;             /* [ranks+1] of a rank's items */
    int64_t arcs;
    pen_gid *gids;
    double *loads;
    uint32_t *rows;
    pen_lid *columns, *places; /* neighbours; and the places of one rank's items and shadows among all */
    int64_t *weights;
    pen_key_table index;
} gathered;

static pen_status allocate(int ranks, const unsigned char *const *parts, gathered *all)
{
    int64_t count = 0, most = 0;
    bool weighted = false;
    PEN_TRY(PEN_ALLOC(&all->starts, (int64_t)ranks + 1));
    for (int r = 0; r < ranks; r++) {
        const part_head *head = (const void *)parts[r];
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

/* Of rank 0's own items and those received. */
static pen_status put_together(const unsigned char *own, const pen_blocks *received, gathered *all, plan_team *team)
{
    int64_t arcs = 0;
    PEN_TRY(PEN_ALLOC(&all->parts, team->size));
    for (int r = 0; r < team->size; r++) all->parts[r] = r == 0 ? own : received->data + received->offsets[r - 1];
    PEN_TRY(allocate(team->size, all->parts, all));
    for (int r = 0; r < team->size; r++) add_gids(r, all->parts[r], all);
    for (int r = 0; r < team->size; r++) PEN_TRY(add_rank(r, all->parts[r], &arcs, all, team));
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
    PEN_FREE_ALL(all->parts, all->starts, all->gids, all->loads, all->rows, all->columns, all->places, all->weights,
                 all->items.homes, all->items.sizes, all->items.to);
    pen_key_table_free(&all->index);
}

/* A block for every other rank: the context, then to[] of its items. */
static pen_status write_results(int ranks, const gathered *all, const void *context, size_t bytes, int64_t *offsets,
                                unsigned char **data)
{
    int64_t length = 0;
    for (int r = 0; r < ranks; r++)
        offsets[r] = r * padded((int64_t)bytes) + (int64_t)sizeof(int32_t) * (all->starts[r + 1] - all->starts[1]);
    PEN_TRY(PEN_ALLOC(data, offsets[ranks - 1]));
    for (int r = 1; r < ranks; r++) {
        unsigned char *at = *data + offsets[r - 1];
        const size_t count = (size_t)(all->starts[r + 1] - all->starts[r]);
        put(&at, &length, context, 1, bytes);
        if (count > 0) memcpy(at, all->items.to + all->starts[r], count * sizeof *all->items.to);
    }
    return PEN_OK;
}

/* Rank 0: gather, work, and send the results; the other ranks take part with `ranks` empty blocks. */
static pen_status serve(const plan_team *alone, const plan_items *mine, const unsigned char *own, plan_work *work,
                        void *context, size_t bytes, const int *ranks, int64_t *offsets)
{
    const pen_blocks *received;
    const pen_parcels nothing = { alone->size - 1, ranks, offsets, "" };
    plan_team team;
    gathered all = { .arcs = 0 };
    unsigned char *data = NULL;
    PEN_TRY(alone->peers->exchange(alone->peers, true, &nothing, &received));
    pen_status status = pen_team_create(NULL, alone->size, &team);
    team.network = alone->network;
    if (status == PEN_OK) status = put_together(own, received, &all, &team);
    if (status == PEN_OK) status = work(context, &team, &all.items);
    if (status == PEN_OK) status = write_results(alone->size, &all, context, bytes, offsets, &data);
    const pen_parcels results = { alone->size - 1, ranks, offsets, data };
    if (status == PEN_OK) status = alone->peers->exchange(alone->peers, true, &results, &received);
    for (pen_lid i = 0; i < mine->view.count && status == PEN_OK; i++) mine->to[i] = all.items.to[i];
    free(data);
    free_gathered(&all);
    pen_team_free(&team);
    return status;
}

/* The other ranks. */
static pen_status request(const plan_team *team, const plan_items *mine, const unsigned char *own, int64_t length,
                          void *context, size_t bytes)
{
    const pen_blocks *received;
    const int server = 0;
    const int64_t offsets[2] = { 0, length }, none[2] = { 0, 0 };
    const pen_parcels send = { 1, &server, offsets, own }, nothing = { 1, &server, none, "" };
    PEN_TRY(team->peers->exchange(team->peers, true, &send, &received));
    PEN_TRY(team->peers->exchange(team->peers, true, &nothing, &received));
    const unsigned char *from = received->data;
    memcpy(context, get(&from, 1, bytes), bytes);
    if (mine->view.count > 0) memcpy(mine->to, from, (size_t)mine->view.count * sizeof *mine->to);
    return PEN_OK;
}

pen_status pen_gather_work(const plan_team *team, const plan_items *mine, plan_work *work, void *context, size_t bytes)
{
    const int64_t length = put_items(NULL, team, mine);
    int *ranks = NULL;
    int64_t *offsets = NULL;
    unsigned char *own;
    pen_status status = PEN_ALLOC(&own, length);
    if (status == PEN_OK) put_items(own, team, mine);
    if (status == PEN_OK && team->peers->rank > 0) {
        status = request(team, mine, own, length, context, bytes);
    } else if (status == PEN_OK) {
        status = PEN_ALLOC(&ranks, team->size);
        if (status == PEN_OK) status = PEN_ALLOC_ZERO(&offsets, team->size);
        for (int r = 1; r < team->size && status == PEN_OK; r++) ranks[r - 1] = r;
        if (status == PEN_OK) status = serve(team, mine, own, work, context, bytes, ranks, offsets);
    }
    PEN_FREE_ALL(own, ranks, offsets);
    return status;
}

/* A reduction goes up and down a tree, and an exchange goes straight on from there. */
bool pen_gather_pays(int ranks, double nodes, double arcs)
{
    int hops = 1;
    for (int reach = 1; reach < ranks; reach *= 2) hops += 2;
    return ranks * RANK_TIME + (nodes + arcs) * ITEM_TIME <= hops * HOP_TIME;
}

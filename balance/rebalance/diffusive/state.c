/* state.c - parts, their links, and moves of nodes between them. */
#include "rebalance/diffusive/state.h"

#include "base/memory.h"
#include "rebalance/diffusive/messages.h"

#include <stdlib.h>

/* ---- Room ------------------------------------------------------------------------------------ */

pen_status pen_graph_reserve(plan_graph *g, int64_t needed)
{
    if (needed <= g->room) return PEN_OK;
    pen_lid room;
    PEN_TRY(pen_to_lid(needed + needed / 2 + 64, "nodes known to a rank", &room));
    PEN_TRY(PEN_REALLOC(&g->gids, room));
    PEN_TRY(PEN_REALLOC(&g->where, room));
    PEN_TRY(PEN_REALLOC(&g->degrees, room));
    PEN_TRY(PEN_REALLOC(&g->starts, room));
    PEN_TRY(PEN_REALLOC(&g->loads, room));
    PEN_TRY(PEN_REALLOC(&g->homes, room));
    PEN_TRY(PEN_REALLOC(&g->slots, room));
    PEN_TRY(PEN_REALLOC(&g->sizes, room));
    PEN_TRY(PEN_REALLOC(&g->flags, room));
    PEN_TRY(PEN_REALLOC(&g->scratch, room));
    g->room = room;
    return PEN_OK;
}

pen_status pen_graph_reserve_arcs(plan_graph *g, int64_t needed)
{
    if (needed <= g->arc_room) return PEN_OK;
    if (needed > UINT32_MAX)
        return pen_fail(PEN_ERR_UNSUPPORTED, "%" PRId64 " arcs known to a rank, at most 2^32", needed);
    int64_t room = needed + needed / 2 + 64;
    PEN_TRY(PEN_REALLOC(&g->columns, room));
    PEN_TRY(PEN_REALLOC(&g->weights, room));
    g->arc_room = room;
    return PEN_OK;
}

pen_status pen_list_add(plan_list *list, pen_lid node)
{
    if (list->count == list->room)
        PEN_TRY(pen_reserve(&list->nodes, sizeof *list->nodes, list->count + 1, &list->room));
    list->nodes[list->count++] = node;
    return PEN_OK;
}

/* ---- Links ----------------------------------------------------------------------------------- */

int pen_part_link(const plan_part *part, int rank)
{
    const plan_links *l = &part->links;
    int low = 0, high = l->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (l->ranks[middle] < rank) low = middle + 1;
        else high = middle;
    }
    return low < l->count && l->ranks[low] == rank ? low : -1;
}

/* The link to a rank, which is added if it is new. */
static pen_status add_link(plan_part *p, int rank, int *link)
{
    plan_links *l = &p->links;
    *link = pen_part_link(p, rank);
    if (*link >= 0) return PEN_OK;
    if (l->count == l->room) {
        const int room = 2 * l->room + 8;
        PEN_TRY(PEN_REALLOC(&l->ranks, room));
        PEN_TRY(PEN_REALLOC(&l->contact, room));
        PEN_TRY(PEN_REALLOC(&l->flow, room));
        PEN_TRY(PEN_REALLOC(&l->vain, room));
        l->room = room;
    }
    int at = l->count++;
    for (; at > 0 && l->ranks[at - 1] > rank; at--) {
        l->ranks[at] = l->ranks[at - 1];
        l->contact[at] = l->contact[at - 1];
    }
    l->ranks[at] = rank;
    l->contact[at] = 0;
    *link = at;
    return PEN_OK;
}

/* Add a border node's contacts. *bound: it has a neighbour elsewhere. */
static pen_status add_contacts(plan_part *p, pen_lid node, int *link, bool *bound)
{
    const plan_graph *g = p->graph;
    for (int64_t a = g->starts[node]; a < graph_end(g, node); a++) {
        const int32_t there = g->where[g->columns[a]];
        if (there == p->rank) continue;
        *bound = true;
        if (*link < 0 || *link >= p->links.count || p->links.ranks[*link] != there) PEN_TRY(add_link(p, there, link));
        p->links.contact[*link] += g->weights[a];
    }
    return PEN_OK;
}

/* Find the links from the border, and remove nodes from the border that no longer belong to it. */
static pen_status find_links(plan_part *p, int size)
{
    const plan_links old = p->links;
    const int tree[3] = { p->rank > 0 ? (p->rank - 1) / 2 : size, 2 * p->rank + 1, 2 * p->rank + 2 };
    int link = -1;
    int64_t kept = 0;
    p->links = p->spare;
    p->spare = old;
    p->links.count = 0;
    for (int k = 0; k < 3; k++)
        if (tree[k] < size) PEN_TRY(add_link(p, tree[k], &link));
    for (int64_t b = 0; b < p->border.count; b++) {
        const pen_lid node = p->border.nodes[b];
        bool bound = false;
        PEN_TRY(add_contacts(p, node, &link, &bound));
        if (bound) p->border.nodes[kept++] = node;
        else p->graph->flags[node] &= (unsigned char)~IN_BORDER;
    }
    p->border.count = kept;
    for (int k = 0, i = 0; k < p->links.count; k++) {
        while (i < old.count && old.ranks[i] < p->links.ranks[k]) i++;
        const bool stays = i < old.count && old.ranks[i] == p->links.ranks[k];
        p->links.flow[k] = stays ? old.flow[i] : 0.0;
        p->links.vain[k] = stays ? old.vain[i] : (link_vain){ .next = 0 };
    }
    return PEN_OK;
}

/* The links of all parts whose nodes or neighbours have moved. */
static pen_status renew_links(plan_state *s)
{
    s->links = 0;
    for (int k = 0; k < s->team->count; k++) {
        plan_part *p = &s->parts[k];
        p->changes += p->changed;
        if (p->touched || p->changed) PEN_TRY(find_links(p, s->team->size));
        p->touched = p->changed = false;
        p->first_link = s->links;
        s->links += p->links.count;
    }
    return PEN_OK;
}

/* ---- Moves ----------------------------------------------------------------------------------- */

pen_status pen_part_give(plan_part *p, pen_lid node, int to)
{
    PEN_TRY(pen_reserve(&p->moves, sizeof *p->moves, p->move_count + 1, &p->move_room));
    p->moves[p->move_count++] = (plan_move){ node, to };
    return PEN_OK;
}

pen_status pen_part_add_border(plan_part *p, pen_lid node)
{
    if (p->graph->flags[node] & IN_BORDER) return PEN_OK;
    p->graph->flags[node] |= IN_BORDER;
    return pen_list_add(&p->border, node);
}

pen_status pen_part_adopt(plan_part *p, pen_lid node)
{
    p->changed = true;
    p->own_arcs += p->graph->degrees[node];
    p->load += p->graph->loads[node];
    PEN_TRY(pen_list_add(&p->own, node));
    return p->graph->degrees[node] == 0 ? pen_list_add(&p->loose, node) : pen_part_add_border(p, node);
}

static void drop_others(const plan_part *p, plan_list *list)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < list->count; i++)
        if (part_has(p, list->nodes[i])) list->nodes[kept++] = list->nodes[i];
    list->count = kept;
}

static void release(plan_part *p)
{
    plan_graph *g = p->graph;
    p->changed = true;
    for (int64_t i = 0; i < p->move_count; i++) {
        const pen_lid node = p->moves[i].node;
        p->own_arcs -= g->degrees[node];
        p->load -= g->loads[node];
        g->flags[node] &= (unsigned char)~IN_BORDER;
    }
    drop_others(p, &p->own);
    drop_others(p, &p->border);
    drop_others(p, &p->loose);
}

/* Neighbours of released nodes are at a border. */
static pen_status open_border(plan_state *s, plan_part *p)
{
    const plan_graph *g = p->graph;
    for (int64_t i = 0; i < p->move_count; i++) {
        const pen_lid node = p->moves[i].node;
        for (int64_t a = g->starts[node]; a < graph_end(g, node); a++) {
            if (part_has(p, g->columns[a])) PEN_TRY(pen_part_add_border(p, g->columns[a]));
            else if (!s->team->peers) s->parts[g->where[g->columns[a]]].touched = true;
        }
    }
    return PEN_OK;
}

static pen_status hand_over(plan_state *s)
{
    for (int k = 0; k < s->team->count; k++)
        for (int64_t i = 0; i < s->parts[k].move_count; i++)
            PEN_TRY(pen_part_adopt(&s->parts[s->parts[k].moves[i].to], s->parts[k].moves[i].node));
    return PEN_OK;
}

static pen_status carry_out(plan_state *s, bool linked)
{
    for (int k = 0; k < s->team->count; k++)
        for (int64_t i = 0; i < s->parts[k].move_count; i++)
            s->graph.where[s->parts[k].moves[i].node] = s->parts[k].moves[i].to;
    for (int k = 0; k < s->team->count; k++)
        if (s->parts[k].move_count > 0) release(&s->parts[k]);
    for (int k = 0; k < s->team->count; k++) PEN_TRY(open_border(s, &s->parts[k]));
    PEN_TRY(s->team->peers ? pen_messages_move(s, linked) : hand_over(s));
    for (int k = 0; k < s->team->count; k++) s->parts[k].move_count = 0;
    if (s->team->peers) PEN_TRY(pen_messages_forget(s));
    return renew_links(s);
}

pen_status pen_state_move(plan_state *s)
{
    if (s->team->peers) PEN_TRY(pen_messages_announce(s));
    return carry_out(s, true);
}

/* ---- What ranks tell each other --------------------------------------------------------------- */

pen_status pen_state_share(plan_state *s, size_t size, const void *mine)
{
    s->shared = mine;
    s->shared_size = size;
    if (!s->team->peers) return PEN_OK;
    unsigned char *theirs;
    PEN_TRY(pen_reserve(&s->message, 1, 2 * s->links * (int64_t)size + 1, &s->message_room));
    theirs = s->message + (size_t)s->links * size;
    for (int64_t k = 0; k < s->links; k++) memcpy(s->message + (size_t)k * size, mine, size);
    s->shared = theirs;
    return pen_state_swap(s, size, s->message, theirs);
}

pen_status pen_state_swap(plan_state *s, size_t size, const void *mine, void *theirs)
{
    if (!s->team->peers) {
        for (int k = 0; k < s->team->count; k++)
            for (int i = 0; i < s->parts[k].links.count; i++) {
                const plan_part *p = &s->parts[k], *q = &s->parts[p->links.ranks[i]];
                memcpy((char *)theirs + (size_t)(p->first_link + i) * size,
                       (const char *)mine + (size_t)(q->first_link + pen_part_link(q, k)) * size, size);
            }
        return PEN_OK;
    }
    const plan_links *l = &s->parts[0].links;
    const pen_blocks *received;
    PEN_TRY(pen_reserve(&s->offsets, sizeof *s->offsets, l->count + 1, &s->offset_room));
    for (int k = 0; k <= l->count; k++) s->offsets[k] = k * (int64_t)size;
    const pen_parcels send = { l->count, l->ranks, s->offsets, mine };
    PEN_TRY(s->team->peers->exchange(s->team->peers, true, &send, &received));
    if (received->count != l->count)
        return pen_fail(PEN_ERR_INTERNAL, "%d of %d linked ranks answer", received->count, l->count);
    if (received->count > 0) memcpy(theirs, received->data, (size_t)received->count * size);
    return PEN_OK;
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

void pen_state_sum(plan_state *s)
{
    for (int k = 0; k < s->team->count; k++) {
        plan_part *p = &s->parts[k];
        p->load = p->share->fixed;
        for (int64_t i = 0; i < p->own.count; i++) p->load += s->graph.loads[p->own.nodes[i]];
    }
}

/* Nodes with those that are known as neighbours only. */
static pen_status copy_graph(const plan_team *team, const plan_items *items, plan_graph *g)
{
    const pen_load_view *v = &items->view;
    const int64_t all = (int64_t)v->count + v->shadows, arcs = v->rows[v->count];
    PEN_TRY(pen_graph_reserve(g, all));
    PEN_TRY(pen_graph_reserve_arcs(g, arcs));
    g->count = (pen_lid)all;
    g->arcs = arcs;
    memset(g->flags, 0, (size_t)all);
    memset(g->scratch, 0, (size_t)all * sizeof *g->scratch);
    if (all > 0) memcpy(g->gids, v->gids, (size_t)all * sizeof *g->gids);
    for (pen_lid i = 0; i < v->count; i++) {
        g->homes[i] = g->where[i] = items->homes ? items->homes[i] : team->first;
        g->degrees[i] = (pen_lid)(v->rows[i + 1] - v->rows[i]);
        g->starts[i] = v->rows[i];
        g->loads[i] = v->loads[i];
        g->slots[i] = i;
        g->sizes[i] = items->sizes ? items->sizes[i] : 1;
    }
    for (pen_lid i = v->count; i < g->count; i++) {
        g->where[i] = v->owners[i - v->count];
        g->degrees[i] = -1;
    }
    if (arcs > 0) memcpy(g->columns, v->columns, (size_t)arcs * sizeof *g->columns);
    if (arcs > 0 && v->edge_weights) memcpy(g->weights, v->edge_weights, (size_t)arcs * sizeof *g->weights);
    for (int64_t a = 0; a < arcs && !v->edge_weights; a++) g->weights[a] = 1;
    return PEN_OK;
}

/* The parts with everything at home. */
static pen_status list_nodes(plan_state *s, pen_lid count)
{
    const plan_graph *g = &s->graph;
    for (pen_lid i = 0; i < count; i++) {
        plan_part *p = &s->parts[g->where[i] - s->team->first];
        bool border = false;
        PEN_TRY(pen_list_add(&p->own, i));
        p->own_arcs += g->degrees[i];
        if (g->degrees[i] == 0) PEN_TRY(pen_list_add(&p->loose, i));
        for (int64_t a = g->starts[i]; a < graph_end(g, i) && !border; a++)
            border = g->columns[a] >= count || g->where[g->columns[a]] != p->rank;
        if (border) PEN_TRY(pen_part_add_border(p, i));
    }
    pen_state_sum(s);
    return PEN_OK;
}

pen_status pen_state_create(plan_team *team, const plan_items *items, plan_state *s)
{
    *s = (plan_state){ .team = team };
    plan_graph *g = &s->graph;
    PEN_TRY(PEN_ALLOC_ZERO(&s->parts, team->count));
    PEN_TRY(copy_graph(team, items, g));
    g->network = &team->network;
    for (int k = 0; k < team->count; k++)
        s->parts[k] = (plan_part){ .graph = g, .share = &team->shares[k], .rank = team->first + k, .touched = true };
    if (team->peers) PEN_TRY(pen_index_build(s, g->count));
    PEN_TRY(list_nodes(s, items->view.count));
    for (pen_lid i = 0; i < items->view.count; i++)
        if (items->to[i] != g->where[i]) PEN_TRY(pen_part_give(&s->parts[g->where[i] - team->first], i, items->to[i]));
    return carry_out(s, false);
}

void pen_state_free(plan_state *s)
{
    plan_graph *g = &s->graph;
    for (int k = 0; s->parts && k < s->team->count; k++) {
        plan_part *p = &s->parts[k];
        PEN_FREE_ALL(p->own.nodes, p->border.nodes, p->loose.nodes, p->moves);
        for (plan_links *l = &p->links; l; l = l == &p->links ? &p->spare : NULL)
            PEN_FREE_ALL(l->ranks, l->contact, l->flow, l->vain);
    }
    PEN_FREE_ALL(g->gids, g->where, g->degrees, g->starts, g->loads, g->homes, g->slots, g->sizes, g->flags, g->scratch,
                 g->columns, g->weights, s->parts, s->message, s->offsets);
    pen_key_table_free(&s->index);
    *s = (plan_state){ 0 };
}

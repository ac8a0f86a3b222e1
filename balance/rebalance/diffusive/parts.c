/* parts.c - allocates the graph of a plan, and keeps the nodes, border and links of the parts. */
#include "rebalance/diffusive/parts.h"

#include "base/memory.h"

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
    PEN_TRY(PEN_REALLOC(&g->in_border, room));
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

int pen_part_search_link(const plan_part *p, int rank)
{
    const plan_links *l = &p->links;
    int low = 0, high = l->count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (l->ranks[middle] < rank) low = middle + 1;
        else high = middle;
    }
    if (low == l->count || l->ranks[low] != rank) return -1;
    l->guesses[rank % LINK_GUESSES] = low;
    return low;
}

/* Find the link to a rank, or add it. */
static pen_status add_link(plan_part *p, int rank, int *link)
{
    plan_links *l = &p->links;
    *link = pen_part_link(p, rank);
    if (*link >= 0) return PEN_OK;
    if (l->count == l->room) {
        const int room = 2 * l->room + 8;
        if (!l->guesses) PEN_TRY(PEN_ALLOC_ZERO(&l->guesses, LINK_GUESSES));
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
static pen_status add_contacts(plan_part *p, pen_lid node, bool *bound)
{
    const plan_graph *g = p->graph;
    int link;
    for (int64_t a = g->starts[node], end = graph_end(g, node); a < end; a++) {
        const int32_t there = g->where[g->columns[a]];
        if (there == p->rank) continue;
        *bound = true;
        PEN_TRY(add_link(p, there, &link));
        p->links.contact[link] += g->weights[a];
    }
    return PEN_OK;
}

pen_status pen_part_find_links(plan_part *p, int size)
{
    const plan_links old = p->links;
    const int tree[3] = { p->rank > 0 ? (p->rank - 1) / 2 : size, 2 * p->rank + 1, 2 * p->rank + 2 };
    int link;
    int64_t kept = 0;
    p->links = p->spare;
    p->spare = old;
    p->links.count = 0;
    for (int k = 0; k < 3; k++)
        if (tree[k] < size) PEN_TRY(add_link(p, tree[k], &link));
    for (int64_t b = 0; b < p->border.count; b++) {
        const pen_lid node = p->border.nodes[b];
        bool bound = false;
        PEN_TRY(add_contacts(p, node, &bound));
        if (bound) p->border.nodes[kept++] = node;
        else p->graph->in_border[node] = false;
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

/* ---- Nodes ----------------------------------------------------------------------------------- */

pen_status pen_part_give(plan_part *p, pen_lid node, int to)
{
    PEN_TRY(pen_reserve(&p->moves, sizeof *p->moves, p->move_count + 1, &p->move_room));
    p->moves[p->move_count++] = (plan_move){ node, to };
    return PEN_OK;
}

pen_status pen_part_add_border(plan_part *p, pen_lid node)
{
    if (p->graph->in_border[node]) return PEN_OK;
    p->graph->in_border[node] = true;
    return pen_list_add(&p->border, node);
}

pen_status pen_part_adopt(plan_part *p, pen_lid node)
{
    p->changed = true;
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

void pen_part_release(plan_part *p)
{
    plan_graph *g = p->graph;
    p->changed = true;
    for (int64_t i = 0; i < p->move_count; i++) {
        const pen_lid node = p->moves[i].node;
        p->load -= g->loads[node];
        g->in_border[node] = false;
    }
    drop_others(p, &p->own);
    drop_others(p, &p->border);
    drop_others(p, &p->loose);
}

void pen_part_free(plan_part *p)
{
    PEN_FREE_ALL(p->own.nodes, p->border.nodes, p->loose.nodes, p->moves);
    for (plan_links *l = &p->links; l; l = l == &p->links ? &p->spare : NULL)
        PEN_FREE_ALL(l->guesses, l->ranks, l->contact, l->flow, l->vain);
}

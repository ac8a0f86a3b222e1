/* state.c - moves nodes between parts, and exchanges data between linked ranks. */
#include "rebalance/diffusive/state.h"

#include "base/memory.h"
#include "rebalance/diffusive/messages.h"

#include <stdlib.h>

/* ---- Moves ----------------------------------------------------------------------------------- */

/* Find the links of all parts whose nodes or neighbours have moved. */
static pen_status renew_links(plan_state *s)
{
    s->links = 0;
    for (int k = 0; k < s->team->count; k++) {
        plan_part *p = &s->parts[k];
        p->changes += p->changed;
        if (p->touched || p->changed) PEN_TRY(pen_part_find_links(p, s->team->size));
        p->touched = p->changed = false;
        p->first_link = s->links;
        s->links += p->links.count;
    }
    return PEN_OK;
}

/* Add the neighbours of released nodes to the border. */
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
        if (s->parts[k].move_count > 0) pen_part_release(&s->parts[k]);
    for (int k = 0; k < s->team->count; k++) PEN_TRY(open_border(s, &s->parts[k]));
    PEN_TRY(s->team->peers ? pen_messages_move(s, linked) : hand_over(s));
    for (int k = 0; k < s->team->count; k++) s->parts[k].move_count = 0;
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

/* Add the nodes, and the nodes that are only known as neighbours. */
static pen_status copy_graph(const plan_team *team, const plan_items *items, plan_graph *g)
{
    const pen_load_view *v = &items->view;
    const int64_t all = (int64_t)v->count + v->shadows, arcs = v->rows[v->count];
    PEN_TRY(pen_graph_reserve(g, all));
    PEN_TRY(pen_graph_reserve_arcs(g, arcs));
    g->count = (pen_lid)all;
    g->arcs = arcs;
    if (all > 0) {
        memset(g->in_border, 0, (size_t)all * sizeof *g->in_border);
        memset(g->scratch, 0, (size_t)all * sizeof *g->scratch);
        memcpy(g->gids, v->gids, (size_t)all * sizeof *g->gids);
    }
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

/* Make the parts, with every node at home. */
static pen_status list_nodes(plan_state *s, pen_lid count)
{
    const plan_graph *g = &s->graph;
    for (pen_lid i = 0; i < count; i++) {
        plan_part *p = &s->parts[g->where[i] - s->team->first];
        bool border = false;
        PEN_TRY(pen_list_add(&p->own, i));
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
    for (int k = 0; s->parts && k < s->team->count; k++) pen_part_free(&s->parts[k]);
    PEN_FREE_ALL(g->gids, g->where, g->degrees, g->starts, g->loads, g->homes, g->slots, g->sizes, g->in_border,
                 g->scratch, g->columns, g->weights, s->parts, s->message, s->offsets, s->places);
    pen_key_table_free(&s->index);
    *s = (plan_state){ 0 };
}

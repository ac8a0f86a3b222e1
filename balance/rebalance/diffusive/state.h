/* state.h - a plan in progress: a graph, the rank that has each of its nodes, and the parts of the team's ranks.
 *
 * Planning moves no data. If a process plans for all ranks, its graph is whole. Otherwise it has the nodes of its own
 * part with their neighbours, and others that were shown to it; nodes travel between processes whenever the plan
 * changes. The graph itself does not change while a plan is made, so knowledge of neighbours stays right; a process
 * knows exactly which nodes are its own, and which ranks have their neighbours. Of other nodes this knowledge may be
 * old. */
#pragma once

#include "rebalance/diffusive/parts.h"

/* Items to plan for: those of a rank, as a view, or of all ranks, without shadows. */
typedef struct plan_items {
    pen_load_view view; /* graph and loads; its owners are the future owners of shadows */
    int32_t *homes;     /* [view.count] ranks that have the items; NULL: this rank */
    int32_t *sizes;     /* [view.count] number of nodes in each item; NULL: 1 */
    int32_t *to;        /* [view.count] future rank of each item */
} plan_items;

/* Collective. Make the state in which every item is on its future rank. Call pen_state_free in any case.
 * PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED (2^32 arcs). */
PEN_CHECKED pen_status pen_state_create(plan_team *team, const plan_items *items, plan_state *state);
void pen_state_free(plan_state *state);

/* Collective. Carry out the moves of the parts, and update loads, lists and links. PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED
 * (2^32 arcs). */
PEN_CHECKED pen_status pen_state_move(plan_state *state);

/* Collective. Send mine[k], [team->count] of `size` bytes, to each linked rank. pen_shared is the data from the rank of
 * a link. It is valid until the next collective call, while `mine` exists. */
PEN_CHECKED pen_status pen_state_share(plan_state *state, size_t size, const void *mine);
static inline const void *pen_shared(const plan_state *s, const plan_part *part, int link)
{
    return s->shared + (size_t)(s->team->peers ? link : part->links.ranks[link]) * s->shared_size;
}

/* Collective. Send likewise, but different data over each link: mine and theirs [state->links]; those of a part begin
 * at first_link. */
PEN_CHECKED pen_status pen_state_swap(plan_state *state, size_t size, const void *mine, void *theirs);

/* Local. Recompute the parts' loads, in the order of their nodes. */
void pen_state_sum(plan_state *state);

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
    pen_load_view view; /* the graph and loads; owners: future ones of shadows */
    int32_t *homes;     /* [view.count] ranks that have them; NULL: this rank */
    int32_t *sizes;     /* [view.count] nodes in an item; NULL: 1 */
    int32_t *to;        /* [view.count] the rank where it is to be */
} plan_items;

/* Collective. The state in which every item is where it is to be. Call pen_state_free in any case. PEN_ERR_MEMORY,
 * PEN_ERR_UNSUPPORTED (2^32 arcs). */
PEN_CHECKED pen_status pen_state_create(plan_team *team, const plan_items *items, plan_state *state);
void pen_state_free(plan_state *state);

/* Collective. Carry out the parts' moves: updates loads, lists and links. PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED (2^32
 * arcs). */
PEN_CHECKED pen_status pen_state_move(plan_state *state);

/* Collective. Tell each linked rank mine[k], [team->count] of `size` bytes. pen_shared is what the rank of a link told,
 * until the next collective call and as long as `mine` exists. */
PEN_CHECKED pen_status pen_state_share(plan_state *state, size_t size, const void *mine);
static inline const void *pen_shared(const plan_state *s, const plan_part *part, int link)
{
    return s->shared + (size_t)(s->team->peers ? link : part->links.ranks[link]) * s->shared_size;
}

/* Collective. The same, if a rank tells its links different things: mine and theirs [state->links], those of a part
 * from first_link on. */
PEN_CHECKED pen_status pen_state_swap(plan_state *state, size_t size, const void *mine, void *theirs);

/* Local. Recompute the parts' loads, in the order of their nodes. */
void pen_state_sum(plan_state *state);

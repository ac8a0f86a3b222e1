#include "rebalance/choose.h"
#include "base/memory.h"

enum {
    NEVER = -1, /* in the heap, for this rank */
    DONE = -2
};

pen_status pen_chooser_create(const pen_load_view *view, pen_chooser *c)
{
    *c = (pen_chooser){ .view = view };
    PEN_TRY(PEN_ALLOC(&c->to, view->count));
    PEN_TRY(PEN_ALLOC(&c->gains, view->count));
    PEN_TRY(PEN_ALLOC(&c->links, view->count));
    PEN_TRY(PEN_ALLOC(&c->heap, view->count));
    PEN_TRY(PEN_ALLOC(&c->places, view->count));
    for (pen_lid i = 0; i < view->count; i++) c->to[i] = -1;
    return PEN_OK;
}

void pen_chooser_free(pen_chooser *c)
{
    PEN_FREE_ALL(c->to, c->gains, c->links, c->heap, c->places);
    memset(c, 0, sizeof *c);
}

/* ---- The heap --------------------------------------------------------------------------------- */

static bool is_better(const pen_chooser *c, pen_lid a, pen_lid b)
{
    if (c->gains[a] != c->gains[b]) return c->gains[a] > c->gains[b];
    if (c->links[a] != c->links[b]) return c->links[a] > c->links[b];
    return c->view->gids[a] < c->view->gids[b];
}

static void put(pen_chooser *c, pen_lid place, pen_lid node)
{
    c->heap[place] = node;
    c->places[node] = place;
}

static void sift_up(pen_chooser *c, pen_lid place, pen_lid node)
{
    for (pen_lid parent; place > 0 && is_better(c, node, c->heap[parent = (place - 1) / 2]); place = parent)
        put(c, place, c->heap[parent]);
    put(c, place, node);
}

static pen_lid pop(pen_chooser *c)
{
    pen_lid top = c->heap[0], node = c->heap[--c->waiting], place = 0;
    for (pen_lid child; (child = 2 * place + 1) < c->waiting; place = child) {
        if (child + 1 < c->waiting && is_better(c, c->heap[child + 1], c->heap[child])) child++;
        if (!is_better(c, c->heap[child], node)) break;
        put(c, place, c->heap[child]);
    }
    put(c, place, node);
    c->places[top] = DONE;
    return top;
}

/* ---- Nodes ------------------------------------------------------------------------------------ */

static double weight(const pen_load_view *view, uint32_t arc)
{
    return view->edge_weights ? (double)view->edge_weights[arc] : 1;
}

/* Where a neighbour will be: -1: here. */
static int32_t whereabouts(const pen_chooser *c, pen_lid neighbor)
{
    return neighbor < c->view->count ? c->to[neighbor] : c->view->owners[neighbor - c->view->count];
}

static void offer(pen_chooser *c, pen_lid node, int32_t rank)
{
    double here = 0, there = 0;
    for (uint32_t j = c->view->rows[node]; j < c->view->rows[node + 1]; j++) {
        int32_t at = whereabouts(c, c->view->columns[j]);
        if (at == rank) there += weight(c->view, j);
        if (at < 0) here += weight(c->view, j);
    }
    c->gains[node] = there - here;
    c->links[node] = there;
    sift_up(c, c->waiting++, node);
}

/* Offer the nodes that have a neighbour there. */
static void offer_border(pen_chooser *c, int32_t rank)
{
    const pen_load_view *view = c->view;
    c->waiting = 0;
    for (pen_lid i = 0; i < view->count; i++) {
        c->places[i] = c->to[i] < 0 ? NEVER : DONE;
        for (uint32_t j = view->rows[i]; c->places[i] == NEVER && j < view->rows[i + 1]; j++)
            if (whereabouts(c, view->columns[j]) == rank) offer(c, i, rank);
    }
}

static void choose(pen_chooser *c, pen_lid node, int32_t rank)
{
    const pen_load_view *view = c->view;
    c->to[node] = rank;
    for (uint32_t j = view->rows[node]; j < view->rows[node + 1]; j++) {
        pen_lid neighbor = view->columns[j];
        if (neighbor >= view->count || c->places[neighbor] == DONE) continue;
        if (c->places[neighbor] == NEVER) {
            offer(c, neighbor, rank);
        } else {
            c->gains[neighbor] += 2 * weight(view, j);
            c->links[neighbor] += weight(view, j);
            sift_up(c, c->places[neighbor], neighbor);
        }
    }
}

pen_lid pen_choose_one(pen_chooser *c, int32_t rank)
{
    offer_border(c, rank);
    if (c->waiting == 0) return -1;
    pen_lid node = pop(c);
    c->to[node] = rank;
    return node;
}

double pen_choose(pen_chooser *c, int32_t rank, double amount)
{
    const pen_load_view *view = c->view;
    double chosen = 0;
    bool all = false;
    pen_lid vain = 0; /* nodes without load that were chosen last, from the heap's far end, which nobody needs */
    offer_border(c, rank);
    while (chosen < amount) {
        if (c->waiting == 0 && !all) {
            all = true;
            for (pen_lid i = 0; i < view->count; i++)
                if (c->places[i] == NEVER && view->loads[i] > 0) offer(c, i, rank);
        }
        if (c->waiting == 0) break;
        pen_lid node = pop(c);
        if (view->loads[node] / 2 > amount - chosen) continue;
        choose(c, node, rank);
        chosen += view->loads[node];
        vain = view->loads[node] > 0 ? 0 : vain + 1;
        if (vain > 0) c->heap[view->count - vain] = node;
    }
    for (; vain > 0; vain--) c->to[c->heap[view->count - vain]] = -1;
    return chosen;
}

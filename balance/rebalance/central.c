/* central.c - the heuristic of Botadra and others (IPDPS 2007): rank 0 finds pairs of a busy processor and an idle
 * neighbour in the graph of processors. In all pairs at the same time, nodes move from the busy to the idle processor,
 * so that the edge cut stays low. */
#include "base/memory.h"
#include "base/sparse.h"
#include "rebalance/balancers.h"
#include "rebalance/processors.h"
#include "view/shares.h"

#include <math.h>
#include <stdlib.h>

/* Chooses nodes one after the other for ranks that get load, with a low cut. The best node is the one whose move leaves
 * the lowest cut; of equal nodes the one with most edges to its destination, which keeps parts round; of equal nodes
 * the one with the lowest gid. */
typedef struct chooser {
    const pen_load_view *view;
    int32_t *to;     /* [count] rank for which a node was chosen, or -1 */
    double *gains;   /* [count] for nodes in the heap: decrease of the cut if the node moved */
    double *links;   /* [count] for nodes in the heap: weight of the edges to the rank that the node would move to */
    pen_lid *heap;   /* [count] the heap: its first `waiting` entries are in use, with the best node at the top */
    pen_lid *places; /* [count] position of each node in the heap, or < 0 */
    pen_lid waiting;
} chooser;

enum {
    NEVER = -1, /* the node has not been in the heap for this rank */
    DONE = -2
};

/* Allocate a chooser. Call chooser_free also after a failure. */
static pen_status chooser_create(const pen_load_view *view, chooser *c)
{
    *c = (chooser){ .view = view };
    PEN_TRY(PEN_ALLOC(&c->to, view->count));
    PEN_TRY(PEN_ALLOC(&c->gains, view->count));
    PEN_TRY(PEN_ALLOC(&c->links, view->count));
    PEN_TRY(PEN_ALLOC(&c->heap, view->count));
    PEN_TRY(PEN_ALLOC(&c->places, view->count));
    for (pen_lid i = 0; i < view->count; i++) c->to[i] = -1;
    return PEN_OK;
}

static void chooser_free(chooser *c) { PEN_FREE_ALL(c->to, c->gains, c->links, c->heap, c->places); }

/* ---- The heap --------------------------------------------------------------------------------- */

static bool is_better(const chooser *c, pen_lid a, pen_lid b)
{
    if (c->gains[a] != c->gains[b]) return c->gains[a] > c->gains[b];
    if (c->links[a] != c->links[b]) return c->links[a] > c->links[b];
    return c->view->gids[a] < c->view->gids[b];
}

static void put(chooser *c, pen_lid place, pen_lid node)
{
    c->heap[place] = node;
    c->places[node] = place;
}

static void sift_up(chooser *c, pen_lid place, pen_lid node)
{
    for (pen_lid parent; place > 0 && is_better(c, node, c->heap[parent = (place - 1) / 2]); place = parent)
        put(c, place, c->heap[parent]);
    put(c, place, node);
}

static pen_lid pop(chooser *c)
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

/* ---- Choice of nodes -------------------------------------------------------------------------- */

static double weight(const pen_load_view *view, uint32_t arc)
{
    return view->edge_weights ? (double)view->edge_weights[arc] : 1;
}

/* The future rank of a neighbour; -1: this one. */
static int32_t whereabouts(const chooser *c, pen_lid neighbor)
{
    return neighbor < c->view->count ? c->to[neighbor] : c->view->owners[neighbor - c->view->count];
}

static void add_candidate(chooser *c, pen_lid node, int32_t rank)
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

/* Add the nodes with a neighbour on `rank` to the heap. */
static void add_border(chooser *c, int32_t rank)
{
    const pen_load_view *view = c->view;
    c->waiting = 0;
    for (pen_lid i = 0; i < view->count; i++) {
        c->places[i] = c->to[i] < 0 ? NEVER : DONE;
        for (uint32_t j = view->rows[i]; c->places[i] == NEVER && j < view->rows[i + 1]; j++)
            if (whereabouts(c, view->columns[j]) == rank) add_candidate(c, i, rank);
    }
}

static void choose(chooser *c, pen_lid node, int32_t rank)
{
    const pen_load_view *view = c->view;
    c->to[node] = rank;
    for (uint32_t j = view->rows[node]; j < view->rows[node + 1]; j++) {
        pen_lid neighbor = view->columns[j];
        if (neighbor >= view->count || c->places[neighbor] == DONE) continue;
        if (c->places[neighbor] == NEVER) {
            add_candidate(c, neighbor, rank);
        } else {
            c->gains[neighbor] += 2 * weight(view, j);
            c->links[neighbor] += weight(view, j);
            sift_up(c, c->places[neighbor], neighbor);
        }
    }
}

/* Choose the best node with a neighbour on `rank`. Returns the node, or -1. */
static pen_lid choose_one(chooser *c, int32_t rank)
{
    add_border(c, rank);
    if (c->waiting == 0) return -1;
    pen_lid node = pop(c);
    c->to[node] = rank;
    return node;
}

/* Choose nodes for a rank, with a total load as near to `amount` as possible. Each time the best node is chosen; nodes
 * chosen before count as moved, and nodes with a neighbour there are preferred. Nodes without load are chosen only on
 * the way to others. Returns their load. */
static double choose_amount(chooser *c, int32_t rank, double amount)
{
    const pen_load_view *view = c->view;
    double chosen = 0;
    bool all = false;
    /* Number of nodes without load that were chosen last; they are kept at the unused end of the heap. */
    pen_lid vain = 0;
    add_border(c, rank);
    while (chosen < amount) {
        if (c->waiting == 0 && !all) {
            all = true;
            for (pen_lid i = 0; i < view->count; i++)
                if (c->places[i] == NEVER && view->loads[i] > 0) add_candidate(c, i, rank);
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

/* The time that a processor takes for its load. */
static double time_of(const pen_machine *machine, const double *loads, int32_t rank)
{
    return loads[rank] / pen_speed_of(machine, rank);
}

/* Find the least busy of a rank's neighbours; of equal ones the one with the longer buffer, then the lower rank; NULL:
 * the rank has no neighbour. */
static pen_border *find_idle(const pen_processors *graph, const pen_machine *machine, const double *loads, int32_t rank)
{
    pen_border *idle = NULL;
    double least = 0;
    for (int64_t j = graph->rows[rank]; j < graph->rows[rank + 1]; j++) {
        pen_border *b = &graph->borders[j];
        double its = time_of(machine, loads, b->to);
        if (idle && (its > least || (its == least && b->buffer <= idle->buffer))) continue;
        idle = b;
        least = its;
    }
    return idle;
}

/* ---- The published rule ----------------------------------------------------------------------- */

/* A rank is busy if it has load and a neighbour, and takes at least 25 % longer than every neighbour. A flow of 1
 * stands for one node, whatever its load. */
static pen_status pair(const pen_machine *machine, pen_processors *graph)
{
    const double *loads = graph->loads;
    for (int32_t r = 0; r < graph->ranks; r++) {
        bool busy = graph->loads[r] > 0;
        for (int64_t j = graph->rows[r]; j < graph->rows[r + 1]; j++)
            busy = busy && time_of(machine, loads, r) >= 1.25 * time_of(machine, loads, graph->borders[j].to);
        pen_border *idle = find_idle(graph, machine, loads, r);
        if (busy && idle) idle->flow = 1;
    }
    return PEN_OK;
}

/* ---- The rule with fixes ---------------------------------------------------------------------- */

/* By the published rule two heavy neighbours are not busy, and a heavy region stays as it is. Here a rank is busy if it
 * is above the mean, and pairs are formed again and again, with the loads that the ranks will have, until no rank is
 * busy: load flows from the inside of a heavy region through its rim. No rank sends more than its initial load. */
static pen_status flow(const pen_machine *machine, pen_processors *graph)
{
    enum { SWEEPS = 1000 }; /* a limit of the cost for thousands of ranks; 16 ranks need far fewer sweeps */
    const double little = 0.01;
    double *loads, *left, mean = 0, speeds = machine ? machine->total_speed / graph->ranks : 1;
    PEN_TRY(PEN_ALLOC(&loads, graph->ranks));
    pen_status status = PEN_ALLOC(&left, graph->ranks);
    for (int r = 0; status == PEN_OK && r < graph->ranks; r++) {
        loads[r] = left[r] = graph->loads[r];
        mean += graph->loads[r] / graph->ranks / speeds;
    }
    bool flowing = status == PEN_OK;
    for (int sweep = 0; flowing && sweep < SWEEPS; sweep++) {
        flowing = false;
        for (int32_t r = 0; r < graph->ranks; r++) {
            pen_border *there = find_idle(graph, machine, loads, r);
            double speed = pen_speed_of(machine, r);
            if (loads[r] <= mean * speed * (1 + little) || !there) continue;
            pen_border *back = &graph->borders[pen_processors_border(graph, there->to, r)];
            double others = pen_speed_of(machine, there->to);
            /* The level at which both ranks take equally long. */
            double level = (loads[r] * others - loads[there->to] * speed) / (speed + others);
            double amount = fmin(fmin(level, loads[r] - mean * speed), left[r] + fmax(back->flow, 0));
            if (amount < little * little * mean * speed) continue;
            left[r] -= amount - fmin(amount, fmax(back->flow, 0));
            left[there->to] += fmin(amount, fmax(back->flow, 0));
            there->flow += amount;
            back->flow -= amount;
            loads[r] -= amount;
            loads[there->to] += amount;
            flowing = true;
        }
    }
    PEN_FREE_ALL(loads, left);
    return status;
}

/* ---- All steps together ----------------------------------------------------------------------- */

static int most_first(const void *a, const void *b)
{
    const pen_share *x = a, *y = b;
    if (x->amount != y->amount) return x->amount > y->amount ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* On rank 0. List the flows out of each rank, the largest first. */
static pen_status list_shares(const pen_processors *graph, int64_t **rows, pen_share **shares)
{
    int64_t n = 0;
    PEN_TRY(PEN_ALLOC(rows, (int64_t)graph->ranks + 1));
    PEN_TRY(PEN_ALLOC(shares, graph->rows[graph->ranks]));
    for (int r = 0; r < graph->ranks; r++) {
        (*rows)[r] = n;
        for (int64_t j = graph->rows[r]; j < graph->rows[r + 1]; j++)
            if (graph->borders[j].flow > 0)
                (*shares)[n++] = (pen_share){ graph->borders[j].to, graph->borders[j].flow };
        qsort(*shares + (*rows)[r], (size_t)(n - (*rows)[r]), sizeof **shares, most_first);
    }
    (*rows)[graph->ranks] = n;
    return PEN_OK;
}

/* Collective. Decide how much this rank sends to which ranks. */
static pen_status decide(const pen_load_view *view, pen_peers *peers, bool published, pen_share **mine, int *count)
{
    int64_t *rows = NULL;
    pen_share *shares = NULL;
    pen_processors graph;
    pen_status status = pen_processors_gather(view, peers, !published, &graph);
    if (status == PEN_OK && peers->rank == 0) {
        status = published ? pair(view->machine, &graph) : flow(view->machine, &graph);
        if (status == PEN_OK) status = list_shares(&graph, &rows, &shares);
    }
    pen_processors_free(&graph);
    if (status == PEN_OK) status = pen_processors_tell(peers, rows, shares, mine, count);
    PEN_FREE_ALL(rows, shares);
    return status;
}

/* Collective. Whether the slowest rank's time falls if each rank sends the nodes that it has chosen: their loads are
 * not exactly the flows. */
static pen_status is_worth_it(const pen_load_view *view, pen_peers *peers, pen_share *chosen, int count, bool *better)
{
    pen_blocks send = { count, NULL, NULL, NULL };
    const pen_blocks *received;
    double *amounts = NULL, maxima[2] = { 0, 0 };
    for (pen_lid i = 0; i < view->count; i++) maxima[0] += view->loads[i];
    maxima[1] = maxima[0];
    qsort(chosen, (size_t)count, sizeof *chosen, pen_by_gid);
    pen_status status = PEN_ALLOC(&send.ranks, count);
    if (status == PEN_OK) status = PEN_ALLOC(&send.offsets, (int64_t)count + 1);
    if (status == PEN_OK) status = PEN_ALLOC(&amounts, count);
    if (status == PEN_OK) {
        send.data = (unsigned char *)amounts;
        send.offsets[0] = 0;
        for (int k = 0; k < count; k++) {
            send.ranks[k] = (int)chosen[k].rank;
            send.offsets[k + 1] = (k + 1) * (int64_t)sizeof *amounts;
            amounts[k] = chosen[k].amount;
            maxima[1] -= chosen[k].amount;
        }
        const pen_parcels parcels = pen_blocks_parcels(&send);
        status = peers->exchange(peers, false, &parcels, &received);
    }
    PEN_FREE_ALL(send.ranks, send.offsets, amounts);
    PEN_TRY(status);
    for (int k = 0; k < received->count; k++) {
        double amount;
        memcpy(&amount, received->data + received->offsets[k], sizeof amount);
        maxima[1] += amount;
    }
    for (int k = 0; k < 2; k++) maxima[k] /= view->speed;
    PEN_TRY(peers->reduce(peers, 0, NULL, 2, maxima));
    /* The factor allows for rounding: the same loads in another order may add up to less. */
    *better = maxima[1] < maxima[0] * (1 - 1e-12);
    return PEN_OK;
}

static pen_status central_plan(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *plan)
{
    bool published = *(const bool *)state, better = true;
    plan->regardless = published;
    pen_share *shares = NULL;
    chooser c = { .to = NULL };
    int count = 0;
    double owed = 0; /* load that earlier ranks did not get because nodes are heavy; < 0: they got too much */
    pen_status status = decide(view, peers, published, &shares, &count);
    if (status == PEN_OK) status = chooser_create(view, &c);
    for (int k = 0; status == PEN_OK && k < count; k++) {
        int32_t rank = (int32_t)shares[k].rank;
        if (published) {
            choose_one(&c, rank);
        } else {
            owed += shares[k].amount;
            shares[k].amount = choose_amount(&c, rank, owed);
            owed -= shares[k].amount;
        }
    }
    if (status == PEN_OK && !published) status = is_worth_it(view, peers, shares, count, &better);
    if (status == PEN_OK && better)
        for (pen_lid i = 0; i < view->count; i++)
            if (c.to[i] >= 0) plan->moves[plan->count++] = (pen_move){ view->gids[i], c.to[i] };
    chooser_free(&c);
    free(shares);
    return status;
}

static const pen_setting settings[] = {
    { .name = "published", .help = "one node per pair, as published", .kind = PEN_OPTION_FLAG },
    { .name = NULL },
};

const pen_balancer pen_balancer_central = {
    .name = "central",
    .summary = "pairs of a busy rank and an idle neighbour, chosen by rank 0",
    .settings = settings,
    .state_size = sizeof(bool),
    .plan = central_plan,
    .reentrant = true,
};

/* diffusive.c - the decentralised balancer: pieces, flows and pairwise exchange, planned on proxies.
 *
 * Weaver and Schnabel (Automatic mapping and load balancing of pointer-based dynamic data structures on distributed
 * memory machines, SHPCC 1992) move pieces that are badly connected, then choose nodes for flows between processors.
 * Here the flow is solved for before anything moves (Hu and Blake), borders are refined in pairs (as Walshaw and
 * Cross do), and data moves once, at the end, from the first owner to the last.
 *
 * All of it happens first to clusters of clusters, then to smaller ones near the new borders, and at last to nodes
 * there (levels.h, stage.h): borders get the shape that is good for them from afar, and most nodes are never looked at.
 * Among clusters parts are reshaped before loads are balanced (LOOSE). Hot disc, 500x500, 8 ranks, radius W/8 and 0.2
 * W, cut beside that of METIS from scratch, mean and worst over 20 positions: single nodes, flows by contact 1.10
 * / 1.26 and 1.14 / 1.24; flows by load 1.06 / 1.17 and 1.04 / 1.12; clusters as well 1.03 / 1.13 and 1.05 / 1.15;
 * reshaped in a slack of 0.15 1.00 / 1.14 and 1.04 / 1.11, of 0.2 1.01 / 1.07 and 1.00 / 1.08.
 *
 * Where loads have to go through many ranks (FAR), clusters that are larger than usual are carried first, and shape is
 * left for later; what is wrong here and there after a round is mended there. Half of 4096 ranks with three times the
 * load of the others, processor time beside that of METIS from scratch, bytes a rank beside those at 256 ranks: nodes
 * carried and all ranks at work in every round 5.9 and 2.75, clusters carried 4.0 and 1.65, mended where it is 3.4 and
 * 1.1; cut 1.067, 1.062 and 1.075 of METIS's.
 *
 * Where the messages between ranks would take longer than the work, rank 0 works for all (offload.h): on the whole
 * graph, or on the stages of a large one. Exchanges and reductions of a call, and its time on 2 cores next to nothing
 * else: 64x64 hexagons, 2, 4 and 8 ranks, 3 in place of 400 to 2300, 1.7 ms in place of 1.9, 7.8 in place of 19, and
 * 23 in place of 77; hot disc, 1000x1000, 8 ranks, 54 in place of 1840.
 *
 * Loads that are handed on from rank to rank leave every rank with others' nodes: at the end parts change names where
 * that moves far fewer nodes (RENAMES, KEEPS). Half of 64, 256 and 1024 ranks loaded: 51, 45 and 47 % of the nodes
 * move in place of 78, 88 and 94 %; METIS from scratch with renamed parts moves 53 to 54 %.
 *
 * A graph of few nodes (SMALL) that is not DENSE is mostly borders: it is planned node by node and worked on hard.
 * Reshaping in a slack of LOOSE is what moves outlying pieces there, those with more edges to another rank than to the
 * rest of their own; many states are seen so, and the best is taken, by the cut and the most edges that a rank has cut.
 * Where a plan will not serve for long, moving many nodes is dear (MANY), and by turns every node away from home costs
 * FM a 16th of an edge. A shock wave through a quadtree of 2086 cells, 8 ranks, from three partitions, 31 calls: worst
 * and mean of the edges of a rank that are cut, beside METIS's, 1.02-1.17 and 0.97-1.06, with 4.4-6.3 % of the nodes
 * moved a call and 20.7 % in the worst one, became 0.98-1.10 and 1.01-1.04, 3.4-4.2 % and 12.1 %. */
#include "base/memory.h"
#include "rebalance/balancers.h"
#include "rebalance/diffusive/constants.h"
#include "rebalance/diffusive/flow.h"
#include "rebalance/diffusive/offload.h"
#include "rebalance/diffusive/phases.h"
#include "rebalance/diffusive/pieces.h"
#include "rebalance/diffusive/refine.h"
#include "rebalance/diffusive/select.h"
#include "rebalance/diffusive/stage.h"
#include "rebalance/remap.h"
#include "view/check.h"

#include <math.h>
#include <stdlib.h>

typedef struct diffusive_settings {
    double tolerance;
    int64_t rounds, coarsest, gather, phases; /* the last ones: one of the words GATHER_; 0 or 1 */
} diffusive_settings;

/* Where plans are made: on rank 0 if that is faster, always or never. */
enum { GATHER_AUTO, GATHER_ALWAYS, GATHER_NEVER };

/* The quality of a state, compared in this order. */
typedef struct diffusive_score {
    double excess; /* the heaviest load, at least that of the goal */
    double lack;   /* the largest deviation of a load from its target, at least that of the goal */
    double pieces; /* connected parts beyond one per rank */
    double cost;   /* edges cut, and a little for every node moved (prices) */
    double heaviest, off;
} diffusive_score;

/* A node of the best state that is not at home: its home, and its index there. */
typedef struct placed {
    int32_t home;
    pen_lid slot;
} placed;

typedef struct diffusive_best {
    diffusive_score score;
    pen_lid count;
    placed *nodes; /* [count] of other ranks */
} diffusive_best;

/* ---- States ---------------------------------------------------------------------------------- */

/* A state as good as this ends the search. */
typedef struct goal {
    double load, off;
} goal;

/* Costs, in cut edges. */
typedef struct price_list {
    double node, many; /* a node that moves; and besides, if all nodes do: of a part, that to the power of 4 */
    double most;       /* an edge of the rank that has most of them cut, for each rank */
} price_list;

static void settle(diffusive_score *score, const goal *enough)
{
    score->excess = fmax(score->heaviest, enough->load);
    score->lack = fmax(score->off, enough->off);
}

static pen_status evaluate(proxies *p, const diffusive_target *target, const goal *enough, const price_list *prices,
                           int64_t pieces, diffusive_score *score)
{
    int64_t away = 0, nodes = 0;
    double cut = 0.0;
    pen_proxies_sum(p);
    for (int k = 0; k < p->links.count; k++)
        cut += (double)p->links.contact[k] *
               ((double)price_between(&p->network, p->peers->rank, p->links.ranks[k]) / PRICE_OF_EDGE);
    for (pen_lid i = 0; i < p->count; i++) {
        if (!proxy_is_mine(p, i)) continue;
        nodes += p->sizes[i];
        away += p->homes[i] != p->peers->rank ? p->sizes[i] : 0;
    }
    double sums[4] = { (double)pieces, cut, (double)away, (double)nodes },
           maxima[3] = { p->load / target->speed, fabs(p->load - target->load) / target->speed, cut };
    PEN_TRY(p->peers->reduce(p->peers, 4, sums, 3, maxima));
    double moved = sums[2] / sums[3];
    *score = (diffusive_score){ .pieces = sums[0],
                                .cost = 0.5 * sums[1] + prices->most * p->peers->size * maxima[2] +
                                        sums[2] * (prices->node + prices->many * pow(moved, 4.0)),
                                .heaviest = maxima[0],
                                .off = maxima[1] };
    settle(score, enough);
    return PEN_OK;
}

static bool is_better(const diffusive_score *a, const diffusive_score *b)
{
    double grain = 1e-9 * b->excess;
    if (fabs(a->excess - b->excess) > grain) return a->excess < b->excess;
    if (fabs(a->lack - b->lack) > grain) return a->lack < b->lack;
    return a->pieces != b->pieces ? a->pieces < b->pieces : a->cost < b->cost;
}

static pen_status keep(const proxies *p, const diffusive_score *score, diffusive_best *best)
{
    pen_lid count = 0;
    for (pen_lid i = 0; i < p->count; i++) count += proxy_is_mine(p, i) && p->homes[i] != p->peers->rank;
    PEN_TRY(PEN_REALLOC(&best->nodes, count));
    best->score = *score;
    best->count = 0;
    for (pen_lid i = 0; i < p->count; i++)
        if (proxy_is_mine(p, i) && p->homes[i] != p->peers->rank)
            best->nodes[best->count++] = (placed){ p->homes[i], p->home_slots[i] };
    return PEN_OK;
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

/* The deviation of a rank's load from its target: of `all` ranks, or only of those beyond the slack; then the other
 * ranks share the sum. */
static pen_status find_excess(proxies *p, const diffusive_target *target, bool all, double *excess)
{
    double shared;
    *excess = p->load - target->load;
    if (all) return PEN_OK;
    if (fabs(*excess) <= target->slack * target->mean * target->speed) *excess = 0.0;
    shared = *excess;
    PEN_TRY(p->peers->reduce(p->peers, 1, &shared, 0, NULL));
    *excess -= shared * target->speed / p->peers->size;
    return PEN_OK;
}

static pen_status transfer(proxies *p, const diffusive_target *target, bool all)
{
    int steps;
    double moved = 0.0, before = HUGE_VAL, excess;
    for (int number = 0; number < MOST_TRANSFERS; number++) {
        PEN_TRY(find_excess(p, target, all, &excess));
        double off = fabs(excess) / target->speed;
        PEN_TRY(p->peers->reduce(p->peers, 0, NULL, 1, &off));
        if (off <= 0.5 * target->slack * target->mean) break;
        bool anew = !(moved > 0.0);
        if (anew) {
            if (off > PROGRESS * before) break;
            before = off;
            PEN_TRY(pen_flow_solve(p, p->load - excess, 0.25 * target->slack * target->mean * target->slowest,
                                   target->clusters, &steps));
        }
        PEN_TRY(pen_select_nodes(p, target, &moved));
        PEN_TRY(p->peers->reduce(p->peers, 0, NULL, 1, &moved));
        if (anew && !(moved > 0.0)) break;
    }
    return PEN_OK;
}

/* Trade long, thin borders with a loose tolerance; the next flow restores the balance with nodes nearby. */
static pen_status reshape(proxies *p, const diffusive_target *target, int sweep)
{
    diffusive_target loose = *target;
    int64_t left;
    loose.slack = LOOSE;
    for (int k = 0; k < SWEEPS; k++) PEN_TRY(pen_refine_pairs(p, &loose, sweep + k, true));
    return pen_pieces_repair(p, target, FULL * target->mean, NULL, &left);
}

/* The effort of a stage. */
typedef struct effort {
    int rounds;   /* at most */
    bool first;   /* the pieces of the first state are not counted yet */
    bool carries; /* loads only: borders are refined later */
    bool coarse;  /* clusters are reshaped, too */
    bool finest;  /* nodes, not clusters */
    int patience; /* rounds in a row without improvement before it ends; 0: it ends when the goal is reached */
} effort;

/* *best is the state at the start and becomes the best one seen; *pieces are those at the start. */
static pen_status improve(proxies *p, const diffusive_target *usual, const effort *e, const goal *enough,
                          const price_list *prices, diffusive_best *best, double *pieces, int *rounds)
{
    diffusive_target turn = *usual, *target = &turn;
    int vain = 0;
    diffusive_score now = { .pieces = 1.0 };
    int64_t found, left;
    for (int round = 0; round < e->rounds && (e->patience == 0 || vain < e->patience); round++, ++*rounds) {
        target->away = round % 2 == 0 ? usual->away : 0; /* alternate between few moves and the best shape */
        double full = (FULL + FULLER * round) * target->mean;
        const uint64_t changes = p->changes;
        if (now.pieces > 0.0) PEN_TRY(pen_pieces_repair(p, target, full, &found, &left));
        if (round == 0 && e->first) {
            *pieces = (double)found;
            PEN_TRY(p->peers->reduce(p->peers, 1, pieces, 0, NULL));
            best->score.pieces = *pieces;
        }
        if (e->coarse) PEN_TRY(reshape(p, target, -SWEEPS * (round + 1)));
        /* After a round, only ranks with a deviation go on; if that helps but is not enough, all take part again. */
        bool all = round % 2 == 0 || e->coarse;
        PEN_TRY(transfer(p, target, all));
        bool active = all || p->changes != changes;
        int sweeps = e->carries ? 0 : SWEEPS;
        for (int sweep = 0; sweep < sweeps; sweep++)
            PEN_TRY(pen_refine_pairs(p, target, round * SWEEPS + sweep, active));
        PEN_TRY(pen_pieces_repair(p, target, (1.0 + target->slack) * target->mean, NULL, &left));
        PEN_TRY(evaluate(p, target, enough, prices, left, &now));
        const diffusive_score before = best->score;
        bool better = is_better(&now, &best->score);
        if (better) PEN_TRY(keep(p, &now, best));
        bool good = now.heaviest <= enough->load && now.off <= enough->off && !(now.pieces > 0.0);
        vain = better ? 0 : vain + 1;
        bool mended = all || now.excess < before.excess || now.lack < before.lack;
        if (e->patience == 0 && (good || !mended || (all && !better))) break;
    }
    return PEN_OK;
}

/* Every rank sends the nodes that it has in the best state to their homes: to[] of the homes' nodes. */
static pen_status send_homes(pen_peers *peers, const diffusive_best *best, int32_t *to)
{
    int64_t count = best->count;
    int *ranks = NULL;
    pen_lid *slots = NULL;
    const pen_parcels *send;
    const pen_blocks *received = NULL;
    pen_status status = PEN_ALLOC(&ranks, count);
    if (status == PEN_OK) status = PEN_ALLOC(&slots, count);
    for (int64_t i = 0; i < count && status == PEN_OK; i++) {
        ranks[i] = best->nodes[i].home;
        slots[i] = best->nodes[i].slot;
    }
    if (status == PEN_OK) status = peers->group(peers, count, ranks, slots, sizeof *slots, NULL, &send);
    if (status == PEN_OK) status = peers->exchange(peers, false, send, &received);
    for (int k = 0; status == PEN_OK && k < received->count; k++)
        for (int64_t at = received->offsets[k]; at < received->offsets[k + 1]; at += (int64_t)sizeof(pen_lid)) {
            pen_lid slot;
            memcpy(&slot, received->data + at, sizeof slot);
            to[slot] = received->ranks[k];
        }
    PEN_FREE_ALL(ranks, slots);
    return status;
}

/* ---- Stages ---------------------------------------------------------------------------------- */

/* A rank's work on a level, and its result. No pointers: it may be sent to rank 0. */
typedef struct task {
    diffusive_target target;
    double heaviest; /* least time of the heaviest node, as a load of a rank of mean speed */
    price_list prices;
    effort effort;
    int rounds;                 /* so far; after `effort`, where it needs no more bytes */
    diffusive_score first, now; /* at the start, and of the best state */
} task;

/* A plan in the making. */
typedef struct planner {
    const diffusive_settings *settings;
    pen_peers *peers;
    diffusive_network network;
    bool small, freely; /* the graph has few nodes and is not dense; most of them must or may move */
    levels levels;
    int usual; /* levels; there are more if loads go far */
    stage stage;
    task task;
} planner;

static bool gathers(const diffusive_settings *settings, int ranks, const double *nodes_and_arcs)
{
    return settings->gather == GATHER_ALWAYS ||
           (settings->gather == GATHER_AUTO && pen_offload_pays(ranks, nodes_and_arcs[0], nodes_and_arcs[1]));
}

/* The tolerance on a level, since clusters are coarse. *gather: the level is small enough to be gathered. */
static pen_status find_slack(planner *r, int k, bool *gather)
{
    diffusive_target *target = &r->task.target;
    const pen_load_view *v = &r->stage.view;
    double largest = 0.0, sizes[2] = { v->count, v->rows[v->count] };
    for (pen_lid i = 0; i < v->count; i++) largest = fmax(largest, v->loads[i]);
    PEN_TRY(r->peers->reduce(r->peers, 2, sizes, 1, &largest));
    *gather = gathers(r->settings, r->peers->size, sizes);
    target->slack = r->settings->tolerance;
    target->clusters = k > 0;
    if (k > 0)
        target->slack = fmax(target->slack, k < r->usual ? fmin(largest / target->mean, CLUSTER) : 2.0 * CLUSTER);
    return PEN_OK;
}

static effort find_effort(const planner *r, int k)
{
    bool first = k == r->levels.count - 1, carries = k >= r->usual, hard = r->small && (k == 0 || k == r->usual - 1);
    bool coarse = hard || (k > 0 && !carries);
    int rounds = (int)(hard ? HARD_ROUNDS * r->settings->rounds : r->settings->rounds);
    return (effort){ .rounds = carries ? 1 : rounds,
                     .first = first,
                     .carries = carries,
                     .coarse = coarse,
                     .finest = k == 0,
                     .patience = hard ? HARD_PATIENCE : coarse && first };
}

/* Improve the state of the stage. */
static pen_status work(task *t, const offload_part *part, proxies *p, diffusive_best *best)
{
    double usual = fmax(t->target.mean, t->heaviest);
    goal enough = { (1.0 + t->target.slack) * usual, t->target.slack * usual };
    PEN_TRY(pen_proxies_place(p, part->sizes, part->to));
    if (t->effort.first) {
        PEN_TRY(evaluate(p, &t->target, &enough, &t->prices, 0, &t->first));
        t->now = t->first;
    }
    /* A rank below the mean gets no load that puts another rank above the present maximum. */
    if (t->effort.finest)
        t->target.slack = fmin(t->target.slack, fmax(t->first.heaviest - t->target.mean, t->heaviest) / t->target.mean);
    enough.load = fmin(enough.load, t->first.heaviest);
    settle(&t->now, &enough);
    PEN_TRY(keep(p, &t->now, best));
    PEN_TRY(improve(p, &t->target, &t->effort, &enough, &t->prices, best, &t->first.pieces, &t->rounds));
    settle(&t->first, &enough);
    t->now = best->score;
    return PEN_OK;
}

/* A task, on this rank or for another one: find the best state of a level, from that of the level before. */
static pen_status carry_out(const void *context, pen_peers *peers, offload_part *part)
{
    proxies p;
    diffusive_best best = { 0 };
    pen_status status = pen_proxies_create(&part->view, peers, true, &p);
    p.network = *(const diffusive_network *)context;
    p.fixed = ((const task *)part->state)->target.fixed;
    if (status == PEN_OK) status = work(part->state, part, &p, &best);
    pen_proxies_free(&p);
    for (pen_lid i = 0; i < part->view.count; i++) part->to[i] = peers->rank;
    if (status == PEN_OK) status = send_homes(peers, &best, part->to);
    free(best.nodes);
    return status;
}

static pen_status plan_level(planner *r, int k)
{
    bool gather;
    PEN_TRY(k == r->levels.count - 1 ? pen_stage_create(&r->levels, &r->stage)
                                     : pen_stage_refine(&r->levels, &r->stage));
    PEN_TRY(find_slack(r, k, &gather));
    r->task.effort = find_effort(r, k);
    offload_part mine = { r->stage.view, r->stage.sizes, r->stage.to, &r->task };
    return gather ? pen_offload_run(r->peers, carry_out, &r->network, sizeof r->task, &mine)
                  : carry_out(&r->network, r->peers, &mine);
}

/* Create the levels; more of them if loads must go far, since these pass through many ranks. */
static pen_status make_levels(planner *r)
{
    proxies p;
    int steps;
    double through = 0.0, heaviest = CLUSTER * r->task.target.mean;
    if (r->small && r->freely) {
        int64_t coarsest = r->settings->coarsest < CARRIED ? r->settings->coarsest : CARRIED;
        PEN_TRY(pen_levels_add(&r->levels, coarsest, heaviest));
        r->usual = r->levels.count;
        return PEN_OK;
    }
    PEN_TRY(pen_levels_add(&r->levels, (r->small ? 2 : 1) * r->settings->coarsest, heaviest));
    r->usual = r->levels.count;
    PEN_TRY(pen_stage_create(&r->levels, &r->stage));
    pen_status status = pen_proxies_create(&r->stage.view, r->peers, true, &p);
    p.fixed = r->task.target.fixed;
    pen_proxies_sum(&p);
    if (status == PEN_OK)
        status = pen_flow_solve(&p, r->task.target.load, 0.1 * FAR * r->task.target.mean * r->task.target.slowest,
                                false, &steps);
    for (int k = 0; k < p.links.count && status == PEN_OK; k++) through += fmax(p.links.flow[k], 0.0);
    pen_proxies_free(&p);
    pen_stage_free(&r->stage);
    PEN_TRY(status);
    PEN_TRY(r->peers->reduce(r->peers, 0, NULL, 1, &through));
    return through > FAR * r->task.target.mean ? pen_levels_add(&r->levels, CARRIED, heaviest) : PEN_OK;
}

static pen_status find_prices(const pen_load_view *view, double nodes, double arcs, double load, planner *r)
{
    double off = fabs(load - r->task.target.load) / r->task.target.speed;
    PEN_TRY(r->peers->reduce(r->peers, 0, NULL, 1, &off));
    r->small = nodes <= SMALL && nodes >= (double)INSIDE * r->peers->size && arcs <= DENSE * nodes;
    bool far_off = off > FREELY * r->task.target.mean;
    r->freely = far_off || view->horizon >= LONG;
    r->task.prices.node = fmin(0.25, 1.0 / view->horizon);
    if (!r->small) return PEN_OK;
    r->task.prices.most = MOST;
    if (far_off) r->task.prices.node = 0.0;
    if (!r->freely) r->task.prices.many = MANY;
    r->task.target.away = !r->freely;
    return PEN_OK;
}

/* to[i], [view->count]: the new rank of node i. */
static pen_status diffuse(const void *given, const pen_load_view *view, pen_peers *peers, double fixed, int32_t *to,
                          int *rounds);

/* The state of a whole plan: `fixed` before it is made, `rounds` after. */
typedef union whole {
    double fixed;
    int rounds;
} whole;

/* Make the whole plan, on this rank or for another one. */
static pen_status diffuse_part(const void *context, pen_peers *peers, offload_part *part)
{
    whole *w = part->state;
    int rounds = 0;
    const pen_status status = diffuse(context, &part->view, peers, w->fixed, part->to, &rounds);
    w->rounds = rounds;
    return status;
}

static pen_status plan_levels(planner *r, const pen_load_view *view, int32_t *to)
{
    pen_status status = pen_levels_create(view, r->peers, &r->levels);
    if (status == PEN_OK) status = make_levels(r);
    for (int k = r->levels.count - 1; k >= 0 && status == PEN_OK; k--) status = plan_level(r, k);
    if (status == PEN_OK && is_better(&r->task.now, &r->task.first))
        for (pen_lid i = 0; i < view->count; i++) to[i] = r->stage.to[r->stage.items[0][i]];
    pen_stage_free(&r->stage);
    pen_levels_free(&r->levels);
    return status;
}

/* After a broad shift nearly all nodes move: loads are passed on from rank to rank, and every rank ends with nodes of
 * other ranks. Then each part goes to the rank that has most of it, among equal processors; not if a node is pinned.
 * This changes which ranks have borders, and disturbs the next calls, so it must save many moves. */
static pen_status keep_at_home(const pen_load_view *view, pen_peers *peers, const diffusive_target *target, int32_t *to)
{
    int32_t *part;
    double nodes[3] = { view->count, 0.0, target->pinned >= 0 }, again = 0.0;
    if (view->node_bytes + view->arc_bytes == 0) return PEN_OK; /* a partitioner: no node has a home yet */
    for (pen_lid i = 0; i < view->count; i++) nodes[1] += to[i] != peers->rank;
    PEN_TRY(peers->reduce(peers, 3, nodes, 0, NULL));
    if (!(nodes[1] > RENAMES * nodes[0]) || nodes[2] > 0.0) return PEN_OK;
    PEN_TRY(PEN_ALLOC(&part, view->count));
    for (pen_lid i = 0; i < view->count; i++) part[i] = to[i];
    pen_status status = pen_remap_parts(view, peers, part);
    for (pen_lid i = 0; i < view->count && status == PEN_OK; i++) again += part[i] != peers->rank;
    if (status == PEN_OK) status = peers->reduce(peers, 1, &again, 0, NULL);
    for (pen_lid i = 0; i < view->count && status == PEN_OK && again < KEEPS * nodes[1]; i++) to[i] = part[i];
    free(part);
    return status;
}

static pen_status diffuse(const void *given, const pen_load_view *view, pen_peers *peers, double fixed, int32_t *to,
                          int *rounds)
{
    const diffusive_settings *settings = given;
    for (pen_lid i = 0; i < view->count; i++) to[i] = peers->rank;
    double mine = fixed, heaviest = 0.0;
    for (pen_lid i = 0; i < view->count; i++) {
        mine += view->loads[i];
        heaviest = fmax(heaviest, view->loads[i]);
    }
    double sums[4] = { mine, view->speed, view->count, view->rows[view->count] };
    double maxima[3] = { heaviest, view->speed, -view->speed };
    PEN_TRY(peers->reduce(peers, 4, sums, 3, maxima));
    if (peers->size == 1 || !(sums[0] > 0.0)) return PEN_OK;
    if (gathers(settings, peers->size, &sums[2])) {
        diffusive_settings there = *settings;
        there.gather = GATHER_NEVER;
        whole w = { .fixed = fixed };
        offload_part part = { *view, NULL, to, &w };
        const pen_status status = pen_offload_run(peers, diffuse_part, &there, sizeof w, &part);
        *rounds = w.rounds;
        return status;
    }
    const diffusive_sums of_all = { sums[0], sums[1], sums[2], maxima[0], maxima[1], -maxima[2] };
    planner r = { .settings = settings, .peers = peers };
    r.task.heaviest = of_all.heaviest / (of_all.fastest * peers->size / of_all.speed);
    PEN_TRY(pen_target_find(view, peers, settings->tolerance, &of_all, &r.task.target));
    r.task.target.fixed = fixed;
    PEN_TRY(pen_network_find(view, peers, &r.network));
    PEN_TRY(find_prices(view, of_all.nodes, sums[3], mine, &r));
    PEN_TRY(plan_levels(&r, view, to));
    PEN_TRY(keep_at_home(view, peers, &r.task.target, to));
    *rounds = r.task.rounds;
    return PEN_OK;
}

/* ---- The plug-ins ---------------------------------------------------------------------------- */

static const pen_setting settings[] = {
    { "tolerance", "X", "0.02", "allowed deviation of loads from the mean", PEN_OPTION_REAL,
      offsetof(diffusive_settings, tolerance), 0, 0.99 },
    { "rounds", "N", "4", "maximum number of rounds on a level", PEN_OPTION_INT, offsetof(diffusive_settings, rounds),
      1, 1000 },
    { "coarsest", "N", "64", "minimum number of clusters per rank on the coarsest level", PEN_OPTION_INT,
      offsetof(diffusive_settings, coarsest), 1, INT32_MAX },
    { "gather", "auto|always|never", "auto",
      "whether rank 0 plans for all ranks, with the same result; auto: if that is faster", PEN_OPTION_WORD,
      offsetof(diffusive_settings, gather), 0, 0 },
    { "phases", "no|yes", "yes", "whether every phase is balanced whose loads are known", PEN_OPTION_WORD,
      offsetof(diffusive_settings, phases), 0, 0 },
    { .name = NULL },
};

static pen_status plan(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *plan)
{
    int32_t *to;
    PEN_TRY(PEN_ALLOC(&to, view->count));
    pen_status status = ((const diffusive_settings *)state)->phases
                            ? pen_phases_plan(diffuse, state, view, peers, to, &plan->rounds)
                            : diffuse(state, view, peers, 0.0, to, &plan->rounds);
    if (status == PEN_OK) pen_plan_fill(plan, view, peers->rank, to);
    free(to);
    return status;
}

static pen_status partition(const void *given, const pen_load_view *graph, pen_peers *peers, int parts, int32_t *part)
{
    int rounds = 0;
    if (parts != peers->size)
        return pen_fail(PEN_ERR_UNSUPPORTED, "partitioner diffusive: %d parts on %d ranks, must be as many", parts,
                        peers->size);
    return diffuse(given, graph, peers, 0.0, part, &rounds);
}

const pen_balancer pen_balancer_diffusive = {
    .name = "diffusive",
    .summary = "flows between neighbouring ranks, borders refined in pairs; decentralised",
    .settings = settings,
    .state_size = sizeof(diffusive_settings),
    .plan = plan,
    .reentrant = true,
};

const pen_partitioner pen_partitioner_diffusive = {
    .name = "diffusive",
    .summary = "the balancer, starting from contiguous blocks of nodes; as many parts as ranks",
    .settings = settings,
    .settings_size = sizeof(diffusive_settings),
    .partition = partition,
    .reentrant = true,
};

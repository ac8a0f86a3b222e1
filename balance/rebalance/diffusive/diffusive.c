/* diffusive.c - the decentralised balancer: pieces, flows and pairwise exchange, planned without moving data.
 *
 * Weaver and Schnabel (Automatic mapping and load balancing of pointer-based dynamic data structures on distributed
 * memory machines, SHPCC 1992) move pieces that are badly connected, then choose nodes for flows between processors.
 * Here the flow is solved for before anything moves (Hu and Blake), borders are refined in pairs (as Walshaw and
 * Cross do), and data moves once, at the end, from the first owner to the last.
 *
 * All of it happens first to clusters of clusters, then to smaller ones near the new borders, and at last to nodes
 * there (levels.h, stage.h): borders get the shape that is good for them from afar, and most nodes are never looked at.
 * Among clusters parts are reshaped before loads are balanced (LOOSE). A graph of few nodes (SMALL) that is not DENSE
 * is mostly borders: it is planned with more effort, and the state with the best cut and the fewest edges of the worst
 * rank is taken. After broad shifts parts change names where that moves far fewer nodes (RENAMES, KEEPS).
 *
 * If messages would take longer than the work, rank 0 plans for all ranks (team.h, gather.h): the whole graph, or the
 * stages of a large one. balance/README.md has the figures. */
#include "base/memory.h"
#include "rebalance/balancers.h"
#include "rebalance/diffusive/constants.h"
#include "rebalance/diffusive/gather.h"
#include "rebalance/diffusive/phases.h"
#include "rebalance/diffusive/search.h"
#include "rebalance/diffusive/stage.h"
#include "rebalance/remap.h"
#include "view/check.h"

#include <math.h>
#include <stdlib.h>

typedef struct diffusive_settings {
    double tolerance;
    int64_t rounds, coarsest, gather, phases; /* `gather` is one of the words GATHER_; `phases` is 0 or 1 */
} diffusive_settings;

/* Whether rank 0 makes plans for all ranks: if that is faster, always or never. */
enum { GATHER_AUTO, GATHER_ALWAYS, GATHER_NEVER };

/* A plan of a team in the making. */
typedef struct planner {
    const diffusive_settings *settings;
    plan_team *team;
    const plan_items *items; /* items of the whole graph */
    double nodes;            /* of all ranks */
    bool small, freely;      /* the graph has few nodes and is not dense; most of them must or may move */
    levels levels;
    stage stage;
    plan_task task;
} planner;

static bool gathers(const diffusive_settings *settings, int ranks, const double *nodes_and_arcs)
{
    return settings->gather == GATHER_ALWAYS ||
           (settings->gather == GATHER_AUTO && pen_gather_pays(ranks, nodes_and_arcs[0], nodes_and_arcs[1]));
}

/* ---- Levels ---------------------------------------------------------------------------------- */

/* The tolerance on a level, since clusters are coarse. *gather: the level is small enough to be gathered. */
static pen_status find_slack(planner *r, int k, bool *gather)
{
    plan_target *target = &r->task.target;
    const pen_load_view *v = &r->stage.input.view;
    double largest = 0.0, sizes[2] = { v->count, v->rows[v->count] };
    for (pen_lid i = 0; i < v->count; i++) largest = fmax(largest, v->loads[i]);
    PEN_TRY(pen_team_sum(r->team, 2, sizes, 1, &largest));
    *gather = r->team->peers && gathers(r->settings, r->team->size, sizes);
    target->slack = r->settings->tolerance;
    target->clusters = k > 0;
    if (k > 0) target->slack = fmax(target->slack, fmin(largest / target->mean, CLUSTER));
    return PEN_OK;
}

static plan_effort find_effort(const planner *r, int k)
{
    const int rounds = (int)r->settings->rounds;
    const bool first = k == r->levels.count - 1;
    return (plan_effort){ .rounds = rounds,
                          .vain = k > 0 || r->small ? VAIN : 1,
                          .reshapes = k > 0 || (first && r->small) ? rounds : r->small,
                          .thorough = k > 0 ? first : r->small,
                          .first = first };
}

static pen_status search_for(void *task, plan_team *team, const plan_items *items)
{
    return pen_search(team, items, task);
}

static pen_status plan_level(planner *r, int k)
{
    bool gather;
    PEN_TRY(k == r->levels.count - 1 ? pen_stage_create(&r->levels, &r->stage)
                                     : pen_stage_refine(&r->levels, &r->stage));
    PEN_TRY(find_slack(r, k, &gather));
    r->task.effort = find_effort(r, k);
    return gather ? pen_gather_work(r->team, &r->stage.input, search_for, &r->task, sizeof r->task)
                  : pen_search(r->team, &r->stage.input, &r->task);
}

static pen_status plan_levels(planner *r)
{
    const plan_items *items = r->items;
    int64_t coarsest = (r->small ? 2 : 1) * r->settings->coarsest;
    if (r->small && r->freely) coarsest = r->settings->coarsest < CARRIED ? r->settings->coarsest : CARRIED;
    pen_status status = pen_levels_create(&items->view, items->homes, r->team, &r->levels);
    if (status == PEN_OK) status = pen_levels_add(&r->levels, coarsest, CLUSTER * r->task.target.mean);
    for (int k = r->levels.count - 1; k >= 0 && status == PEN_OK; k--) status = plan_level(r, k);
    if (status == PEN_OK && pen_score_is_better(&r->task.now, &r->task.first))
        for (pen_lid i = 0; i < items->view.count; i++) items->to[i] = r->stage.input.to[r->stage.items[0][i]];
    pen_stage_free(&r->stage);
    pen_levels_free(&r->levels);
    return status;
}

/* ---- Targets and the price ----------------------------------------------------------------------- */

static void find_price(planner *r, double arcs, double off, double horizon)
{
    plan_task *t = &r->task;
    const bool far_off = off > FREELY * t->target.mean;
    r->small = r->nodes <= SMALL && r->nodes >= (double)INSIDE * r->team->size && arcs <= DENSE * r->nodes;
    r->freely = far_off || horizon >= LONG;
    t->price = fmin(0.25, 1.0 / horizon);
    if (!r->small) return;
    t->most = MOST;
    if (far_off) t->price = 0.0;
    t->target.away = !r->freely;
}

/* Convert the speeds of shares to multiples of the mean speed, and find the targets of the team. */
static pen_status find_targets(planner *r, double horizon)
{
    plan_team *team = r->team;
    plan_target *target = &r->task.target;
    const pen_load_view *v = &r->items->view;
    for (int k = 0; k < team->count; k++) {
        plan_share *share = &team->shares[k];
        *share = (plan_share){ .speed = share->speed, .fixed = share->fixed, .load = share->fixed, .pinned = -1 };
    }
    for (pen_lid i = 0; i < v->count; i++) {
        plan_share *share = &team->shares[r->items->homes ? r->items->homes[i] : 0];
        share->load += v->loads[i];
        if (!(v->loads[i] > share->heaviest)) continue;
        share->heaviest = v->loads[i];
        share->pinned = v->gids[i];
    }
    for (int k = 0; k < team->count; k++) {
        const plan_share *share = &team->shares[k];
        const double values[5] = { share->load, share->speed, share->heaviest, share->speed, -share->speed };
        memcpy(team->values[k], values, sizeof values);
    }
    PEN_TRY(pen_team_reduce(team, 2, 3));
    const double load = team->values[0][0], speed = team->values[0][1] / team->size;
    const double heaviest = team->values[0][2], fastest = team->values[0][3] / speed;
    *target = (plan_target){ .mean = load / team->size,
                             .slowest = -team->values[0][4] / speed,
                             .heaviest = heaviest / fastest,
                             .slack = r->settings->tolerance };
    for (int k = 0; k < team->count; k++) team->shares[k].speed /= speed;
    double off, sizes[2] = { v->count, v->rows[v->count] };
    PEN_TRY(pen_team_find_targets(team, load, fastest, target, &off));
    PEN_TRY(pen_team_sum(team, 2, sizes, 1, &off));
    r->nodes = sizes[0];
    find_price(r, sizes[1], off, horizon);
    return PEN_OK;
}

/* ---- Plans ------------------------------------------------------------------------------------ */

/* The input and output of a plan. The part that is sent has no pointers. */
typedef struct whole {
    int rounds;
    bool pinned;         /* a node stays where it is */
    double nodes, moved; /* of all ranks */
    double horizon;      /* the first member that is not sent */
    const diffusive_settings *settings;
} whole;

/* Make the whole plan of a team. */
static pen_status plan_whole(void *context, plan_team *team, const plan_items *items)
{
    whole *w = context;
    planner r = { .settings = w->settings, .team = team, .items = items };
    pen_status status = find_targets(&r, w->horizon);
    if (status == PEN_OK) status = plan_levels(&r);
    double sums[2] = { 0.0, 0.0 };
    for (int k = 0; k < team->count; k++) sums[1] += team->shares[k].pinned >= 0;
    for (pen_lid i = 0; i < items->view.count; i++)
        sums[0] += items->to[i] != (items->homes ? items->homes[i] : team->first);
    if (status == PEN_OK) status = pen_team_sum(team, 2, sums, 0, NULL);
    w->rounds = r.task.rounds;
    w->nodes = r.nodes;
    w->moved = sums[0];
    w->pinned = sums[1] > 0.0;
    return status;
}

/* Rename parts. After a broad shift nearly all nodes move: loads are passed on from rank to rank, and every rank ends
 * with nodes of other ranks. Then each part goes to the rank that has most of it, among equal processors, unless a node
 * is pinned. This changes which ranks have borders, and disturbs the next calls, so it must save many moves. */
static pen_status keep_at_home(const whole *w, const pen_load_view *view, pen_peers *peers, int32_t *to)
{
    int32_t *part;
    double again = 0.0;
    if (view->node_bytes + view->arc_bytes == 0) return PEN_OK; /* this is a partitioner, so no node has a home yet */
    if (!(w->moved > RENAMES * w->nodes) || w->pinned) return PEN_OK;
    PEN_TRY(PEN_ALLOC(&part, view->count));
    for (pen_lid i = 0; i < view->count; i++) part[i] = to[i];
    pen_status status = pen_remap_parts(view, peers, part);
    for (pen_lid i = 0; i < view->count && status == PEN_OK; i++) again += part[i] != peers->rank;
    if (status == PEN_OK) status = peers->reduce(peers, 1, &again, 0, NULL);
    for (pen_lid i = 0; i < view->count && status == PEN_OK && again < KEEPS * w->moved; i++) to[i] = part[i];
    free(part);
    return status;
}

/* Make the plan of this rank: to[i], [view->count], is the new rank of node i. */
static pen_status diffuse(const void *given, const pen_load_view *view, pen_peers *peers, double fixed, int32_t *to,
                          int *rounds)
{
    const diffusive_settings *settings = given;
    const plan_items items = { .view = *view, .to = to };
    plan_team team;
    double sums[3] = { fixed, view->count, view->rows[view->count] };
    for (pen_lid i = 0; i < view->count; i++) {
        to[i] = peers->rank;
        sums[0] += view->loads[i];
    }
    PEN_TRY(peers->reduce(peers, 3, sums, 0, NULL));
    if (peers->size == 1 || !(sums[0] > 0.0)) return PEN_OK;
    whole w = { .horizon = view->horizon, .settings = settings };
    pen_status status = pen_team_create(peers, peers->size, &team);
    if (status == PEN_OK) {
        team.shares[0] = (plan_share){ .speed = view->speed, .fixed = fixed };
        status = pen_network_find(view, peers, &team.network);
    }
    if (status == PEN_OK)
        status = gathers(settings, peers->size, &sums[1])
                     ? pen_gather_work(&team, &items, plan_whole, &w, offsetof(whole, horizon))
                     : plan_whole(&w, &team, &items);
    pen_team_free(&team);
    if (status == PEN_OK) status = keep_at_home(&w, view, peers, to);
    *rounds = w.rounds;
    return status;
}
/* ---- The plug-ins ---------------------------------------------------------------------------- */

static const pen_setting settings[] = {
    { "tolerance", "X", "0.02", "allowed deviation of loads from the mean", PEN_OPTION_REAL,
      offsetof(diffusive_settings, tolerance), 0, 0.99 },
    { "rounds", "N", "5", "maximum number of rounds on a level", PEN_OPTION_INT, offsetof(diffusive_settings, rounds),
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

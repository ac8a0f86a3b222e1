/* diffusive.c - the decentralised balancer: pieces, flows and pairwise exchange, planned on proxies.
 *
 * Weaver and Schnabel (Automatic mapping and load balancing of pointer-based dynamic data structures on distributed
 * memory machines, SHPCC 1992) move pieces that are badly connected, then choose nodes for flows between processors.
 * Here the flow is solved for before anything moves (Hu and Blake), borders are refined in pairs (as Walshaw and
 * Cross do), and data moves once, at the end, from the first owner to the last. */
#include "base/memory.h"
#include "base/options.h"
#include "rebalance/balancers.h"
#include "rebalance/diffusive/flow.h"
#include "rebalance/diffusive/pieces.h"
#include "rebalance/diffusive/refine.h"
#include "rebalance/diffusive/select.h"
#include "view/check.h"

#include <math.h>
#include <stdlib.h>

enum {
    MOST_TRANSFERS = 256, /* flows through other ranks go step by step */
    SWEEPS = 2            /* of refinement, in a round */
};
#define PROGRESS 0.8 /* a flow that leaves more than this of the imbalance is the last of its round */
#define FULL 1.25    /* of the mean: what a rank may come to by pieces, before loads are balanced */
#define SETTINGS "tolerance=X (0.02: how far loads may be from the mean), rounds=N (4: at most)"

typedef struct diffusive_settings {
    double tolerance;
    int64_t rounds;
} diffusive_settings;

/* How good a state is, in this order. */
typedef struct diffusive_score {
    double excess; /* heaviest load, or what is good enough where it is below */
    double pieces; /* connected parts beyond one per rank */
    double cost;   /* edges cut, and a little for every node moved */
    double heaviest;
} diffusive_score;

/* A node that a rank has in the best state, for its home. */
typedef struct placed {
    int32_t home;
    pen_lid slot;
} placed;

typedef struct diffusive_best {
    diffusive_score score;
    pen_lid count;
    placed *nodes; /* [count] those of other ranks */
} diffusive_best;

/* ---- Aim ------------------------------------------------------------------------------------- */

/* A rank whose heaviest node is above the mean cannot get below it; the others share the rest. Each step takes
 * more ranks out of the mean, until none is left above it. */
static pen_status find_aim(const pen_load_view *view, pen_peers *peers, const diffusive_settings *settings,
                           double total, double heaviest, diffusive_aim *aim)
{
    double mean = total / peers->size, own = 0.0;
    pen_lid heaviest_own = 0;
    aim->pinned = -1;
    for (pen_lid i = 0; i < view->count; i++)
        if (view->loads[i] > own) own = view->loads[heaviest_own = i];
    while (heaviest > mean) {
        double sums[2] = { own > mean ? own : 0.0, own > mean };
        PEN_TRY(peers->reduce(peers, 2, sums, 0, NULL));
        double rest = sums[1] < peers->size ? (total - sums[0]) / (peers->size - sums[1]) : mean;
        if (!(rest < mean)) break;
        mean = fmax(rest, 0.0);
    }
    if (own > mean) aim->pinned = view->gids[heaviest_own];
    aim->mean = total / peers->size;
    aim->target = fmax(own, mean);
    aim->slack = settings->tolerance;
    return PEN_OK;
}

/* ---- States ---------------------------------------------------------------------------------- */

static pen_status evaluate(proxies *p, double enough, double dear, int64_t pieces, diffusive_score *score)
{
    int64_t cut = 0, away = 0;
    pen_proxies_sum(p);
    for (int k = 0; k < p->links.count; k++) cut += p->links.contact[k];
    for (pen_lid i = 0; i < p->count; i++) away += proxy_is_mine(p, i) && p->homes[i] != p->peers->rank;
    double sums[2] = { (double)pieces, 0.5 * (double)cut + dear * (double)away }, heaviest = p->load;
    PEN_TRY(p->peers->reduce(p->peers, 2, sums, 1, &heaviest));
    *score = (diffusive_score){ fmax(heaviest, enough), sums[0], sums[1], heaviest };
    return PEN_OK;
}

static bool is_better(const diffusive_score *a, const diffusive_score *b)
{
    double grain = 1e-9 * b->excess;
    if (fabs(a->excess - b->excess) > grain) return a->excess < b->excess;
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

static pen_status transfer(proxies *p, const diffusive_aim *aim)
{
    int steps;
    double moved = 0.0, before = HUGE_VAL;
    for (int number = 0; number < MOST_TRANSFERS; number++) {
        double off = fabs(p->load - aim->target);
        PEN_TRY(p->peers->reduce(p->peers, 0, NULL, 1, &off));
        if (off <= 0.5 * aim->slack * aim->mean) break;
        bool anew = !(moved > 0.0);
        if (anew) {
            if (off > PROGRESS * before) break;
            before = off;
            PEN_TRY(pen_flow_solve(p, aim->target, 0.25 * aim->slack * aim->mean, &steps));
        }
        PEN_TRY(pen_select_nodes(p, aim, &moved));
        PEN_TRY(p->peers->reduce(p->peers, 0, NULL, 1, &moved));
        if (anew && !(moved > 0.0)) break;
    }
    return PEN_OK;
}

/* *best is the state at the start, its pieces not counted yet, and becomes the best one seen. */
static pen_status improve(proxies *p, const diffusive_aim *aim, const diffusive_settings *settings, double enough,
                          double dear, diffusive_best *best, int *rounds)
{
    bool better = true;
    diffusive_score now = { .pieces = 1.0 };
    int64_t found, left;
    for (*rounds = 0; *rounds < settings->rounds && better; ++*rounds) {
        if (now.pieces > 0.0) PEN_TRY(pen_pieces_repair(p, aim, FULL * aim->mean, &found, &left));
        if (*rounds == 0) {
            best->score.pieces = (double)found;
            PEN_TRY(p->peers->reduce(p->peers, 1, &best->score.pieces, 0, NULL));
        }
        PEN_TRY(transfer(p, aim));
        for (int sweep = 0; sweep < SWEEPS; sweep++) PEN_TRY(pen_refine_pairs(p, aim, *rounds * SWEEPS + sweep));
        PEN_TRY(pen_pieces_repair(p, aim, (1.0 + aim->slack) * aim->mean, NULL, &left));
        PEN_TRY(evaluate(p, enough, dear, left, &now));
        better = is_better(&now, &best->score);
        if (better) PEN_TRY(keep(p, &now, best));
        if (better && now.excess <= enough && !(now.pieces > 0.0)) better = false;
    }
    return PEN_OK;
}

/* Every rank tells the homes of the nodes that it has in the best state: to[] of home's nodes. */
static pen_status tell_homes(pen_peers *peers, const diffusive_best *best, int32_t *to)
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

/* to[i], [view->count]: the rank that node i shall live on. */
static pen_status diffuse(const diffusive_settings *settings, const pen_load_view *view, pen_peers *peers, int32_t *to,
                          int *rounds)
{
    for (pen_lid i = 0; i < view->count; i++) to[i] = peers->rank;
    double total = 0.0, maxima[2] = { 0.0, view->edge_weights != NULL };
    for (pen_lid i = 0; i < view->count; i++) {
        total += view->loads[i];
        maxima[0] = fmax(maxima[0], view->loads[i]);
    }
    PEN_TRY(peers->reduce(peers, 1, &total, 2, maxima));
    if (peers->size == 1 || !(total > 0.0)) return PEN_OK;
    diffusive_aim aim;
    PEN_TRY(find_aim(view, peers, settings, total, maxima[0], &aim));
    proxies p;
    diffusive_best best = { 0 };
    double enough = (1.0 + settings->tolerance) * fmax(aim.mean, maxima[0]), dear = fmin(0.25, 1.0 / view->horizon);
    pen_status status = pen_proxies_create(view, peers, maxima[1] > 0.0, &p);
    if (status == PEN_OK) status = evaluate(&p, 0.0, dear, 0, &best.score);
    if (status == PEN_OK) status = improve(&p, &aim, settings, fmin(enough, best.score.heaviest), dear, &best, rounds);
    pen_proxies_free(&p);
    if (status == PEN_OK) status = tell_homes(peers, &best, to);
    free(best.nodes);
    return status;
}

/* ---- What is offered ------------------------------------------------------------------------- */

static pen_status parse(const char *owner, char *text, diffusive_settings *settings)
{
    *settings = (diffusive_settings){ .tolerance = 0.02, .rounds = 4 };
    const pen_option table[] = {
        { "tolerance", "X", NULL, PEN_OPTION_REAL, &settings->tolerance, 0, 0 },
        { "rounds", "N", NULL, PEN_OPTION_INT, &settings->rounds, 1, 1000 },
        { .name = NULL },
    };
    pen_status status = pen_settings_parse(owner, text, table);
    if (status == PEN_OK && !(settings->tolerance >= 0.0 && settings->tolerance < 1.0))
        status = pen_fail(PEN_ERR_INPUT, "%s: tolerance=%g, must be >= 0 and < 1", owner, settings->tolerance);
    return status;
}

static const char *create(char *text, pen_settings_fn *unused, void **state)
{
    (void)unused;
    diffusive_settings *settings;
    if (PEN_ALLOC(&settings, 1) != PEN_OK) return pen_error_message();
    if (parse("balancer diffusive", text, settings) != PEN_OK) {
        free(settings);
        return pen_error_message();
    }
    *state = settings;
    return NULL;
}

static pen_status plan(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *plan)
{
    int32_t *to;
    PEN_TRY(PEN_ALLOC(&to, view->count));
    pen_status status = diffuse((const diffusive_settings *)state, view, peers, to, &plan->rounds);
    if (status == PEN_OK) pen_plan_fill(plan, view, peers->rank, to);
    free(to);
    return status;
}

static pen_status partition(char *text, const pen_load_view *graph, pen_peers *peers, int parts, int32_t *part)
{
    diffusive_settings settings;
    int rounds = 0;
    PEN_TRY(parse("partitioner diffusive", text, &settings));
    if (parts != peers->size)
        return pen_fail(PEN_ERR_UNSUPPORTED, "partitioner diffusive: %d parts on %d ranks, must be as many", parts,
                        peers->size);
    return diffuse(&settings, graph, peers, part, &rounds);
}

const pen_balancer pen_balancer_diffusive = {
    .name = "diffusive",
    .summary = "flows between neighbouring ranks, borders refined in pairs; decentralised",
    .settings = SETTINGS,
    .create = create,
    .plan = plan,
    .destroy = free,
};

const pen_partitioner pen_partitioner_diffusive = {
    .name = "diffusive",
    .summary = "as the balancer, from contiguous blocks of nodes; as many parts as ranks",
    .settings = SETTINGS,
    .partition = partition,
};

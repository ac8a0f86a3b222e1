/* search.c - searches for the best state in rounds of flows, refinement and repair. */
#include "rebalance/diffusive/search.h"

#include "base/memory.h"
#include "rebalance/diffusive/constants.h"
#include "rebalance/diffusive/flow.h"
#include "rebalance/diffusive/pieces.h"
#include "rebalance/diffusive/refine.h"
#include "rebalance/diffusive/select.h"

#include <math.h>
#include <stdlib.h>

/* A node that is not at home: its home, its index there, and the rank that has it. */
typedef struct placed {
    int32_t home;
    pen_lid slot;
    int32_t where;
} placed;

/* The present state of a search, and the best one seen. */
typedef struct search {
    plan_state state;
    plan_task *task;
    struct {
        double load, off; /* a state as good as this ends the search */
    } enough;
    placed *away; /* [away_count] nodes of the best state that are on this team's ranks and not at home */
    int64_t away_count, away_room;
} search;

/* ---- Scores ---------------------------------------------------------------------------------- */

static void settle(const search *s, plan_score *score)
{
    score->excess = fmax(score->heaviest, s->enough.load);
    score->lack = fmax(score->off, s->enough.off);
}

static pen_status evaluate(search *s, int64_t pieces, plan_score *score)
{
    plan_team *team = s->state.team;
    const plan_graph *g = &s->state.graph;
    pen_state_sum(&s->state);
    for (int i = 0; i < team->count; i++) {
        const plan_part *p = &s->state.parts[i];
        double cut = 0.0;
        int64_t away = 0;
        for (int k = 0; k < p->links.count; k++)
            cut += (double)p->links.contact[k] *
                   ((double)price_between(&team->network, p->rank, p->links.ranks[k]) / PRICE_OF_EDGE);
        for (int64_t n = 0; n < p->own.count; n++) {
            const pen_lid node = p->own.nodes[n];
            away += g->homes[node] != p->rank ? g->sizes[node] : 0;
        }
        const double values[6] = { i == 0 ? (double)pieces : 0.0,
                                   cut,
                                   (double)away,
                                   p->load / p->share->speed,
                                   fabs(p->load - p->share->load) / p->share->speed,
                                   cut };
        memcpy(team->values[i], values, sizeof values);
    }
    PEN_TRY(pen_team_reduce(team, 3, 3));
    const double *all = team->values[0];
    *score = (plan_score){ .pieces = all[0],
                           .cost = 0.5 * all[1] + s->task->most * team->size * all[5] + s->task->price * all[2],
                           .heaviest = all[3],
                           .off = all[4] };
    settle(s, score);
    return PEN_OK;
}

bool pen_score_is_better(const plan_score *a, const plan_score *b)
{
    const double grain = 1e-9 * b->excess;
    if (fabs(a->excess - b->excess) > grain) return a->excess < b->excess;
    if (fabs(a->lack - b->lack) > grain) return a->lack < b->lack;
    return a->pieces != b->pieces ? a->pieces < b->pieces : a->cost < b->cost;
}

static pen_status keep(search *s)
{
    const plan_graph *g = &s->state.graph;
    s->away_count = 0;
    for (int i = 0; i < s->state.team->count; i++) {
        const plan_part *p = &s->state.parts[i];
        for (int64_t n = 0; n < p->own.count; n++) {
            const pen_lid node = p->own.nodes[n];
            if (g->homes[node] == p->rank) continue;
            PEN_TRY(pen_reserve(&s->away, sizeof *s->away, s->away_count + 1, &s->away_room));
            s->away[s->away_count++] = (placed){ g->homes[node], g->slots[node], p->rank };
        }
    }
    return PEN_OK;
}

/* Set the future ranks of the items to those of the best state. */
static pen_status tell_homes(const search *s, const plan_items *items)
{
    pen_peers *peers = s->state.team->peers;
    const int64_t count = s->away_count;
    int *ranks = NULL;
    const pen_parcels *send;
    const pen_blocks *received = NULL;
    for (pen_lid i = 0; i < items->view.count; i++) items->to[i] = items->homes ? items->homes[i] : peers->rank;
    for (int64_t i = 0; i < count && !peers; i++) items->to[s->away[i].slot] = s->away[i].where;
    if (!peers) return PEN_OK;
    pen_status status = PEN_ALLOC(&ranks, count);
    for (int64_t i = 0; i < count && status == PEN_OK; i++) ranks[i] = s->away[i].home;
    if (status == PEN_OK) status = peers->group(peers, count, ranks, s->away, sizeof *s->away, NULL, &send);
    if (status == PEN_OK) status = peers->exchange(peers, false, send, &received);
    const int64_t end = status == PEN_OK && received->count > 0 ? received->offsets[received->count] : 0;
    for (int64_t at = 0; at < end; at += (int64_t)sizeof(placed)) {
        const placed *one = (const void *)(received->data + at);
        items->to[one->slot] = one->where;
    }
    free(ranks);
    return status;
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

/* Find the largest deviation of a load from its target, as a load of a rank of mean speed. */
static pen_status find_off(const search *s, double *off)
{
    plan_team *team = s->state.team;
    for (int i = 0; i < team->count; i++)
        team->values[i][0] = fabs(s->state.parts[i].load - team->shares[i].load) / team->shares[i].speed;
    PEN_TRY(pen_team_reduce(team, 0, 1));
    *off = team->values[0][0];
    return PEN_OK;
}

/* Choose nodes for the flows. *moved: the largest load that a rank gives. */
static pen_status send_flows(search *s, const plan_target *target, double *moved)
{
    plan_team *team = s->state.team;
    for (int i = 0; i < team->count; i++) {
        PEN_TRY(pen_select_nodes(&s->state.parts[i], target, &team->values[i][0]));
        team->values[i][1] = s->state.parts[i].move_count > 0; /* moves are counted, since nodes may have load 0 */
    }
    PEN_TRY(pen_team_reduce(team, 0, 2));
    *moved = team->values[0][0];
    return team->values[0][1] > 0.0 ? pen_state_move(&s->state) : PEN_OK;
}

static pen_status transfer(search *s, const plan_target *target)
{
    enum { MOST_TRANSFERS = 256 };
    int steps;
    double moved = 0.0, before = HUGE_VAL, off;
    for (int number = 0; number < MOST_TRANSFERS; number++) {
        PEN_TRY(find_off(s, &off));
        if (off <= 0.5 * target->slack * target->mean) break;
        const bool again = !(moved > 0.0);
        if (again) {
            if (off > PROGRESS * before) break;
            before = off;
            PEN_TRY(pen_flow_solve(&s->state, 0.25 * target->slack * target->mean * target->slowest, target->clusters,
                                   &steps));
        }
        PEN_TRY(send_flows(s, target, &moved));
        if (again && !(moved > 0.0)) break;
    }
    return PEN_OK;
}

/* Trade long, thin borders with a loose tolerance; the next flow restores the balance with nodes nearby. */
static pen_status reshape(search *s, const plan_target *target, int sweep)
{
    plan_target loose = *target;
    int64_t left;
    loose.slack = LOOSE;
    for (int k = 0; k < SWEEPS; k++) PEN_TRY(pen_refine_pairs(&s->state, &loose, sweep + k));
    return pen_pieces_repair(&s->state, FULL * target->mean, NULL, &left);
}

/* Count the pieces of the plan's first state. */
static pen_status count_pieces(search *s, int64_t found)
{
    double pieces = (double)found;
    PEN_TRY(pen_team_sum(s->state.team, 1, &pieces, 0, NULL));
    s->task->first.pieces = s->task->now.pieces = pieces;
    return PEN_OK;
}

/* Do a round. *now: the score after it. */
static pen_status play_round(search *s, int round, plan_score *now)
{
    const plan_effort *e = &s->task->effort;
    const plan_target *target = &s->task->target;
    int64_t found, left;
    if (now->pieces > 0.0) PEN_TRY(pen_pieces_repair(&s->state, (FULL + FULLER * round) * target->mean, &found, &left));
    if (round == 0 && e->first) PEN_TRY(count_pieces(s, found));
    if (round < e->reshapes) PEN_TRY(reshape(s, target, -SWEEPS * (round + 1)));
    PEN_TRY(transfer(s, target));
    for (int sweep = 0; sweep < SWEEPS; sweep++) PEN_TRY(pen_refine_pairs(&s->state, target, round * SWEEPS + sweep));
    PEN_TRY(pen_pieces_repair(&s->state, (1.0 + target->slack) * target->mean, NULL, &left));
    return evaluate(s, left, now);
}

static pen_status improve(search *s)
{
    plan_task *t = s->task;
    const plan_effort *e = &t->effort;
    plan_score now = { .pieces = 1.0 };
    int vain = 0;
    for (int round = 0; round < e->rounds && vain < e->vain; round++) {
        PEN_TRY(play_round(s, round, &now));
        t->rounds++;
        const bool better = pen_score_is_better(&now, &t->now);
        if (better) PEN_TRY(keep(s));
        if (better) t->now = now;
        vain = better ? 0 : vain + 1;
        const bool good = now.heaviest <= s->enough.load && now.off <= s->enough.off && !(now.pieces > 0.0);
        if (good && !e->thorough) break;
    }
    return PEN_OK;
}

static pen_status run(search *s, const plan_items *items)
{
    plan_task *t = s->task;
    plan_target *target = &t->target;
    const double usual = fmax(target->mean, target->heaviest);
    PEN_TRY(pen_state_create(s->state.team, items, &s->state));
    s->enough.load = (1.0 + target->slack) * usual;
    s->enough.off = target->slack * usual;
    if (t->effort.first) {
        PEN_TRY(evaluate(s, 0, &t->first));
        t->now = t->first;
    }
    /* A rank below the mean gets no load that puts another rank above the present maximum. */
    if (!target->clusters)
        target->slack = fmin(target->slack, fmax(t->first.heaviest - target->mean, target->heaviest) / target->mean);
    s->enough.load = fmin(s->enough.load, t->first.heaviest);
    settle(s, &t->now);
    PEN_TRY(keep(s));
    PEN_TRY(improve(s));
    settle(s, &t->first);
    return tell_homes(s, items);
}

pen_status pen_search(plan_team *team, const plan_items *items, plan_task *task)
{
    search s = { .state = { .team = team }, .task = task };
    const pen_status status = run(&s, items);
    pen_state_free(&s.state);
    free(s.away);
    return status;
}

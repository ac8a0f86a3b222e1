/* flow.c - computes conductances of links, and solves for flows by conjugate gradients over all parts. */
#include "rebalance/diffusive/flow.h"

#include "base/memory.h"
#include "rebalance/diffusive/constants.h"

#include <math.h>

/* The unknowns of a part. */
typedef struct flow_row {
    double diagonal, x, r, u, direction, image, product;
} flow_row;

typedef struct flow_system {
    plan_state *state;
    double *conductance, *mine, *theirs; /* [links] */
    flow_row *rows;                      /* [parts] */
    double *told;                        /* [parts] */
} flow_system;

/* density[k]: the sum over the edges to link k of their weight times the load of the node at this end. */
static void find_densities(const plan_part *p, double *density)
{
    const plan_graph *g = p->graph;
    for (int k = 0; k < p->links.count; k++) density[k] = 0.0;
    for (int64_t b = 0; b < p->border.count; b++) {
        const pen_lid node = p->border.nodes[b];
        for (int64_t a = g->starts[node]; a < graph_end(g, node); a++) {
            const int32_t there = g->where[g->columns[a]];
            if (there == p->rank) continue;
            density[pen_part_link(p, there)] += (double)g->weights[a] * g->loads[node] / g->sizes[node];
        }
    }
}

static pen_status prepare(flow_system *s, bool by_load)
{
    plan_team *team = s->state->team;
    for (int i = 0; i < team->count; i++) {
        const plan_part *p = &s->state->parts[i];
        double *density = s->mine + p->first_link, *sums = team->values[i];
        find_densities(p, density);
        sums[0] = sums[1] = sums[2] = 0.0;
        for (int k = 0; k < p->links.count; k++) {
            sums[0] += (double)p->links.contact[k];
            sums[1] += p->links.contact[k] > 0;
            sums[2] += density[k];
        }
    }
    PEN_TRY(pen_team_reduce(team, 3, 0));
    const double *sums = team->values[0];
    const double usual = sums[2] > 0.0 ? sums[2] / sums[0] : 1.0;
    const double weak = TREE_CONDUCTANCE * usual * (sums[1] > 0.0 ? sums[0] / sums[1] : 1.0);
    PEN_TRY(pen_state_swap(s->state, sizeof *s->mine, s->mine, s->theirs));
    for (int i = 0; i < team->count; i++) {
        const plan_part *p = &s->state->parts[i];
        for (int k = 0; k < p->links.count; k++) {
            const int64_t at = p->first_link + k;
            const double contact = (double)p->links.contact[k];
            const double dense = by_load ? s->mine[at] + s->theirs[at] + LEAST_DENSITY * usual * contact
                                         : usual * contact;
            const double price = (double)price_between(&team->network, p->rank, p->links.ranks[k]) / PRICE_OF_EDGE;
            s->conductance[at] = (contact > 0.0 ? dense : weak) / price;
            s->rows[i].diagonal += s->conductance[at];
        }
    }
    return PEN_OK;
}

/* product: the Laplacian of the links times s->told. */
static pen_status multiply(flow_system *s)
{
    PEN_TRY(pen_state_share(s->state, sizeof *s->told, s->told));
    for (int i = 0; i < s->state->team->count; i++) {
        const plan_part *p = &s->state->parts[i];
        s->rows[i].product = 0.0;
        for (int k = 0; k < p->links.count; k++)
            s->rows[i].product += s->conductance[p->first_link + k] *
                                  (s->told[i] - *(const double *)pen_shared(s->state, p, k));
    }
    return PEN_OK;
}

static pen_status solve(flow_system *s, double left, int *steps)
{
    enum { MOST_STEPS = 10000 };
    plan_team *team = s->state->team;
    double step = 0.0, before = 0.0;
    for (*steps = 0; *steps < MOST_STEPS; ++*steps) {
        for (int i = 0; i < team->count; i++) s->told[i] = s->rows[i].u = s->rows[i].r / s->rows[i].diagonal;
        PEN_TRY(multiply(s));
        for (int i = 0; i < team->count; i++) {
            const flow_row *row = &s->rows[i];
            team->values[i][0] = row->r * row->u;
            team->values[i][1] = row->product * row->u;
            team->values[i][2] = fabs(row->r);
        }
        PEN_TRY(pen_team_reduce(team, 2, 1));
        const double *sums = team->values[0];
        if (sums[2] <= left) break;
        const double kept = *steps > 0 ? sums[0] / before : 0.0;
        const double curvature = *steps > 0 ? sums[1] - kept * sums[0] / step : sums[1];
        if (!(curvature > 0.0)) break; /* only rounding errors are left */
        before = sums[0];
        step = sums[0] / curvature;
        for (int i = 0; i < team->count; i++) {
            flow_row *row = &s->rows[i];
            row->direction = row->u + kept * row->direction;
            row->image = row->product + kept * row->image;
            row->x += step * row->direction;
            row->r -= step * row->image;
        }
    }
    for (int i = 0; i < team->count; i++) s->told[i] = s->rows[i].x;
    PEN_TRY(multiply(s));
    for (int i = 0; i < team->count; i++) {
        const plan_part *p = &s->state->parts[i];
        for (int k = 0; k < p->links.count; k++)
            p->links.flow[k] = s->conductance[p->first_link + k] *
                               (s->told[i] - *(const double *)pen_shared(s->state, p, k));
    }
    return PEN_OK;
}

pen_status pen_flow_solve(plan_state *state, double left, bool by_load, int *steps)
{
    flow_system s = { .state = state };
    pen_status status = PEN_ALLOC(&s.conductance, 3 * state->links);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&s.rows, state->team->count);
    if (status == PEN_OK) status = PEN_ALLOC(&s.told, state->team->count);
    if (status == PEN_OK) {
        s.mine = s.conductance + state->links;
        s.theirs = s.mine + state->links;
        for (int i = 0; i < state->team->count; i++) s.rows[i].r = state->parts[i].load - state->team->shares[i].load;
        status = prepare(&s, by_load);
    }
    if (status == PEN_OK) status = solve(&s, left, steps);
    PEN_FREE_ALL(s.conductance, s.rows, s.told);
    return status;
}

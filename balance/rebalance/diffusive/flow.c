#include "rebalance/diffusive/flow.h"

#include "base/memory.h"

#include <math.h>

/* So weak that even over the paths of a million ranks almost nothing takes the tree if there is another way. */
#define TREE_CONDUCTANCE 1e-6
#define LEAST_DENSITY 0.01 /* of the usual density at borders, so that load also flows where nodes have none */

enum { MOST_STEPS = 10000 };

typedef struct flow_system {
    double *conductance, *mine, *theirs; /* [links] */
    double diagonal;
} flow_system;

/* density[k]: the sum over the edges to link k of their weight times the load of the node at this end. */
static void find_densities(const proxies *p, double *density)
{
    int link = -1;
    for (int k = 0; k < p->links.count; k++) density[k] = 0.0;
    for (pen_lid b = 0; b < p->border_count; b++) {
        pen_lid node = p->border[b];
        if (!proxy_is_mine(p, node)) continue;
        for (int64_t a = p->starts[node]; a < proxy_end(p, node); a++) {
            int32_t there = p->where[p->columns[a]];
            if (there == p->peers->rank) continue;
            if (link < 0 || p->links.ranks[link] != there) link = pen_proxies_link(p, there);
            density[link] += (double)proxy_weight(p, a) * p->loads[node] / p->sizes[node];
        }
    }
}

static pen_status prepare(proxies *p, bool by_load, flow_system *s)
{
    const proxy_links *l = &p->links;
    PEN_TRY(PEN_ALLOC(&s->conductance, l->count));
    PEN_TRY(PEN_ALLOC(&s->mine, l->count));
    PEN_TRY(PEN_ALLOC(&s->theirs, l->count));
    find_densities(p, s->mine);
    double sums[3] = { 0.0, 0.0, 0.0 };
    for (int k = 0; k < l->count; k++) {
        sums[0] += (double)l->contact[k];
        sums[1] += l->contact[k] > 0;
        sums[2] += s->mine[k];
    }
    PEN_TRY(p->peers->reduce(p->peers, 3, sums, 0, NULL));
    double usual = sums[2] > 0.0 ? sums[2] / sums[0] : 1.0;
    double weak = TREE_CONDUCTANCE * usual * (sums[1] > 0.0 ? sums[0] / sums[1] : 1.0);
    PEN_TRY(pen_proxies_swap(p, sizeof *s->mine, s->mine, s->theirs));
    for (int k = 0; k < l->count; k++) {
        double contact = (double)l->contact[k];
        double dense = by_load ? s->mine[k] + s->theirs[k] + LEAST_DENSITY * usual * contact : usual * contact;
        double price = (double)price_between(&p->network, p->peers->rank, l->ranks[k]) / PRICE_OF_EDGE;
        s->conductance[k] = (contact > 0.0 ? dense : weak) / price;
        s->diagonal += s->conductance[k];
    }
    return PEN_OK;
}

/* Row of the Laplacian of the links times the ranks' values x. */
static pen_status multiply(proxies *p, const flow_system *s, double x, double *product)
{
    for (int k = 0; k < p->links.count; k++) s->mine[k] = x;
    PEN_TRY(pen_proxies_swap(p, sizeof *s->mine, s->mine, s->theirs));
    *product = 0.0;
    for (int k = 0; k < p->links.count; k++) *product += s->conductance[k] * (x - s->theirs[k]);
    return PEN_OK;
}

static pen_status solve(proxies *p, const flow_system *s, double excess, double left, int *steps)
{
    double x = 0.0, r = excess, direction = 0.0, image = 0.0, step = 0.0, before = 0.0, product;
    for (*steps = 0; *steps < MOST_STEPS; ++*steps) {
        double u = r / s->diagonal;
        PEN_TRY(multiply(p, s, u, &product));
        double sums[2] = { r * u, product * u }, residual = fabs(r);
        PEN_TRY(p->peers->reduce(p->peers, 2, sums, 1, &residual));
        if (residual <= left) break;
        double kept = *steps > 0 ? sums[0] / before : 0.0;
        double curvature = *steps > 0 ? sums[1] - kept * sums[0] / step : sums[1];
        if (!(curvature > 0.0)) break; /* only rounding errors are left */
        before = sums[0];
        step = sums[0] / curvature;
        direction = u + kept * direction;
        image = product + kept * image;
        x += step * direction;
        r -= step * image;
    }
    PEN_TRY(multiply(p, s, x, &product));
    for (int k = 0; k < p->links.count; k++) p->links.flow[k] = s->conductance[k] * (x - s->theirs[k]);
    return PEN_OK;
}

pen_status pen_flow_solve(proxies *p, double target, double left, bool by_load, int *steps)
{
    flow_system s = { 0 };
    pen_status status = prepare(p, by_load, &s);
    if (status == PEN_OK) status = solve(p, &s, p->load - target, left, steps);
    PEN_FREE_ALL(s.conductance, s.mine, s.theirs);
    return status;
}

/* geometric.c - rcb and sfc: balancers and partitioners that use only the places and loads of nodes.
 *
 * Recursive coordinate bisection (Berger and Bokhari, A partitioning strategy for nonuniform problems on
 * multiprocessors, IEEE Transactions on Computers, 1987), and the Hilbert curve. As balancers they compute all cuts
 * again: if loads change a little, cuts move a little, and parts stay on the ranks that have most of them. */
#include "base/memory.h"
#include "partition/bisect.h"
#include "rebalance/balancers.h"
#include "rebalance/remap.h"
#include "view/check.h"

#include <stdlib.h>

static const pen_setting settings[] = {
    { "tolerance", "X", "0.01", "allowed deviation of loads from the mean", PEN_OPTION_REAL,
      offsetof(pen_bisection, tolerance), 0, 0.99 },
    { .name = NULL },
};

static pen_status plan(bool curve, const void *state, const pen_load_view *view, pen_peers *peers, pen_plan *plan)
{
    const pen_bisection how = { curve, ((const pen_bisection *)state)->tolerance };
    int32_t *to;
    PEN_TRY(PEN_ALLOC(&to, view->count));
    pen_status status = pen_bisect(&how, view, peers, peers->size, to);
    if (status == PEN_OK) status = pen_remap_parts(view, peers, to);
    if (status == PEN_OK) pen_plan_fill(plan, view, peers->rank, to);
    free(to);
    return status;
}

static pen_status plan_rcb(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *to)
{
    return plan(false, state, view, peers, to);
}

static pen_status plan_sfc(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *to)
{
    return plan(true, state, view, peers, to);
}

static pen_status partition_rcb(const void *given, const pen_load_view *graph, pen_peers *peers, int parts,
                                int32_t *part)
{
    const pen_bisection how = { false, ((const pen_bisection *)given)->tolerance };
    return pen_bisect(&how, graph, peers, parts, part);
}

static pen_status partition_sfc(const void *given, const pen_load_view *graph, pen_peers *peers, int parts,
                                int32_t *part)
{
    const pen_bisection how = { true, ((const pen_bisection *)given)->tolerance };
    return pen_bisect(&how, graph, peers, parts, part);
}

static const char rcb_summary[] =
    "cuts space into halves, recursively; needs coordinates, no rank holds the whole graph";
static const char sfc_summary[] =
    "cuts a space-filling curve (Hilbert); needs coordinates, no rank holds the whole graph";

const pen_balancer pen_balancer_rcb = {
    .name = "rcb",
    .summary = rcb_summary,
    .settings = settings,
    .state_size = sizeof(pen_bisection),
    .plan = plan_rcb,
    .reentrant = true,
};

const pen_balancer pen_balancer_sfc = {
    .name = "sfc",
    .summary = sfc_summary,
    .settings = settings,
    .state_size = sizeof(pen_bisection),
    .plan = plan_sfc,
    .reentrant = true,
};

const pen_partitioner pen_partitioner_rcb = {
    .name = "rcb",
    .summary = rcb_summary,
    .settings = settings,
    .settings_size = sizeof(pen_bisection),
    .partition = partition_rcb,
    .reentrant = true,
};

const pen_partitioner pen_partitioner_sfc = {
    .name = "sfc",
    .summary = sfc_summary,
    .settings = settings,
    .settings_size = sizeof(pen_bisection),
    .partition = partition_sfc,
    .reentrant = true,
};

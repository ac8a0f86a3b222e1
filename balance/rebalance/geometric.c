/* geometric.c - rcb and sfc: balancers and partitioners to whom only the places of nodes matter.
 *
 * Recursive coordinate bisection (Berger and Bokhari, A partitioning strategy for nonuniform problems on
 * multiprocessors, IEEE Transactions on Computers, 1987), and the Hilbert curve. As balancers they cut anew: where
 * loads change a little cuts move a little, and parts stay on the ranks that have most of them. */
#include "base/memory.h"
#include "partition/bisect.h"
#include "rebalance/balancers.h"
#include "rebalance/settle.h"
#include "view/check.h"

#include <stdlib.h>

#define SETTINGS "tolerance=X (0.01): how far loads may be from the mean; lines are straighter for it"

/* NULL, or what is wrong. */
static const char *parse_settings(char *settings, pen_settings_fn *parse, pen_bisection *how)
{
    how->tolerance = 0.01;
    const pen_option table[] = { { "tolerance", "X", NULL, PEN_OPTION_REAL, &how->tolerance, 0, 0 }, { .name = NULL } };
    const char *complaint = PEN_PARSE(parse, settings, table);
    if (complaint) return complaint;
    return how->tolerance >= 0.0 && how->tolerance < 1.0 ? NULL : "tolerance must be >= 0 and < 1";
}

static const char *create(bool curve, char *settings, pen_settings_fn *parse, void **state)
{
    pen_bisection *how = malloc(sizeof *how);
    if (!how) return "out of memory";
    how->curve = curve;
    const char *complaint = parse_settings(settings, parse, how);
    if (complaint) free(how);
    else *state = how;
    return complaint;
}

static const char *create_rcb(char *settings, pen_settings_fn *parse, void **state)
{
    return create(false, settings, parse, state);
}

static const char *create_sfc(char *settings, pen_settings_fn *parse, void **state)
{
    return create(true, settings, parse, state);
}

static pen_status plan(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *plan)
{
    int32_t *to;
    PEN_TRY(PEN_ALLOC(&to, view->count));
    pen_status status = pen_bisect((const pen_bisection *)state, view, peers, peers->size, to);
    if (status == PEN_OK) status = pen_settle_parts(view, peers, to);
    if (status == PEN_OK) pen_plan_fill(plan, view, peers->rank, to);
    free(to);
    return status;
}

static pen_status partition(bool curve, char *settings, const pen_load_view *graph, pen_peers *peers, int parts,
                            int32_t *part)
{
    pen_bisection how = { .curve = curve };
    const char *complaint = parse_settings(settings, peers->parse, &how);
    if (complaint) return peers->fail(PEN_ERR_INPUT, "%s", complaint);
    return pen_bisect(&how, graph, peers, parts, part);
}

static pen_status partition_rcb(char *settings, const pen_load_view *graph, pen_peers *peers, int parts, int32_t *part)
{
    return partition(false, settings, graph, peers, parts, part);
}

static pen_status partition_sfc(char *settings, const pen_load_view *graph, pen_peers *peers, int parts, int32_t *part)
{
    return partition(true, settings, graph, peers, parts, part);
}

const pen_balancer pen_balancer_rcb = {
    .name = "rcb",
    .summary = "cuts space in two, and the halves again; needs coordinates, no rank sees all",
    .settings = SETTINGS,
    .create = create_rcb,
    .plan = plan,
    .destroy = free,
};

const pen_balancer pen_balancer_sfc = {
    .name = "sfc",
    .summary = "cuts a curve through space (Hilbert); needs coordinates, no rank sees all",
    .settings = SETTINGS,
    .create = create_sfc,
    .plan = plan,
    .destroy = free,
};

const pen_partitioner pen_partitioner_rcb = {
    .name = "rcb",
    .summary = "cuts space in two, and the halves again; needs coordinates, no rank sees all",
    .settings = SETTINGS,
    .partition = partition_rcb,
};

const pen_partitioner pen_partitioner_sfc = {
    .name = "sfc",
    .summary = "cuts a curve through space (Hilbert); needs coordinates, no rank sees all",
    .settings = SETTINGS,
    .partition = partition_sfc,
};

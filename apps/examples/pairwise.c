/* pairwise - an example of a balancer, to be copied: a rank with more load than its least loaded neighbour
 * gives it nodes at their border, half of the difference at most.
 *
 *     cc -std=c11 -O2 -shared -fPIC -o pairwise.so pairwise.c
 *     mpirun -n 4 pen-hex --balancer=./pairwise.so:share=0.4 --balance-when=every:1 --imbalance=disc --load=declared
 *
 * Typical steps of a balancer: ask the neighbour ranks, decide alone, and list the moves. */
#include <penumbra_plugin.h>

#include <stdlib.h>

typedef struct {
    double share;
} pairwise_settings;

static const pen_setting settings[] = {
    { "share", "R", "0.5", "of the difference", PEN_OPTION_REAL, offsetof(pairwise_settings, share), 0, 1 },
    { .name = NULL },
};

/* Collective. Find the neighbour with the least load, and the difference between `load` and that load. */
static pen_status least_loaded(pen_peers *peers, const pen_load_view *view, double load, int *ranks, double *loads,
                               int *rank, double *less)
{
    const pen_parcels *mine;
    const pen_blocks *theirs;
    int count = peers->neighbors(view, ranks);
    for (int i = 0; i < count; i++) loads[i] = load;
    pen_status status = peers->group(peers, count, ranks, loads, sizeof *loads, NULL, &mine);
    if (status == PEN_OK) status = peers->exchange(peers, true, mine, &theirs);
    for (int i = 0; status == PEN_OK && i < theirs->count; i++) {
        double other;
        memcpy(&other, theirs->data + theirs->offsets[i], sizeof other);
        if (load - other <= *less) continue;
        *less = load - other;
        *rank = theirs->ranks[i];
    }
    return status;
}

static bool touches(const pen_load_view *view, pen_lid node, int rank)
{
    for (uint32_t j = view->rows[node]; j < view->rows[node + 1]; j++)
        if (view->columns[j] >= view->count && view->owners[view->columns[j] - view->count] == rank) return true;
    return false;
}

static pen_status plan(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *plan)
{
    const pairwise_settings *mine = state;
    int *ranks = malloc(((size_t)view->shadows + 1) * sizeof *ranks), to = 0;
    double *loads = malloc(((size_t)view->shadows + 1) * sizeof *loads), load = 0.0, less = 0.0;
    pen_status status = PEN_OK;
    for (pen_lid v = 0; v < view->count; v++) load += view->loads[v];
    if (!ranks || !loads) status = peers->fail(PEN_ERR_MEMORY, "out of memory");
    if (status == PEN_OK) status = least_loaded(peers, view, load, ranks, loads, &to, &less);
    double left = less * mine->share;
    for (pen_lid v = 0; status == PEN_OK && v < view->count && left > 0.0; v++) {
        if (view->loads[v] > left || !touches(view, v, to)) continue;
        plan->moves[plan->count++] = (pen_move){ view->gids[v], to };
        left -= view->loads[v];
    }
    free(ranks);
    free(loads);
    return status;
}

static const pen_balancer pairwise = { .name = "pairwise",
                                       .summary = "halves differences between neighbours",
                                       .settings = settings,
                                       .state_size = sizeof(pairwise_settings),
                                       .plan = plan };

PEN_PLUGIN(.balancer = &pairwise);

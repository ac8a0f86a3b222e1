/* pairwise - an example of a balancer, to be copied: a rank with more load than its least loaded neighbour
 * gives it nodes at their border, half of the difference at most.
 *
 *     mpicc -std=c11 -O2 -shared -fPIC -o pairwise.so pairwise.c
 *     mpirun -n 4 hex --balancer=./pairwise.so --imbalance=three-phase --load=declared
 *
 * What is usual in such a function: ask the neighbour ranks, decide alone, and name moves. */
#include <penumbra_plugin.h>

#include <stdlib.h>

/* The ranks that own shadows, ascending, each once; [shadows] is enough. */
static int list_neighbors(const pen_load_view *view, int *ranks)
{
    int count = 0;
    for (pen_lid i = 0; i < view->shadows; i++) {
        int at = count;
        while (at > 0 && ranks[at - 1] > view->owners[i]) at--;
        if (at > 0 && ranks[at - 1] == view->owners[i]) continue;
        for (int j = count++; j > at; j--) ranks[j] = ranks[j - 1];
        ranks[at] = view->owners[i];
    }
    return count;
}

/* Collective. The neighbour with the least load, and how much less than `load` that is. */
static pen_status least_loaded(pen_peers *peers, double load, const pen_blocks *send, int *rank, double *less)
{
    const pen_blocks *loads;
    pen_status status = peers->exchange(peers, true, send, &loads);
    *less = 0.0;
    if (status != PEN_OK) return status;
    for (int i = 0; i < loads->count; i++) {
        double theirs;
        memcpy(&theirs, loads->data + loads->offsets[i], sizeof theirs);
        if (load - theirs <= *less) continue;
        *less = load - theirs;
        *rank = loads->ranks[i];
    }
    return PEN_OK;
}

static bool touches(const pen_load_view *view, pen_lid node, int rank)
{
    for (uint32_t j = view->rows[node]; j < view->rows[node + 1]; j++)
        if (view->columns[j] >= view->count && view->owners[view->columns[j] - view->count] == rank) return true;
    return false;
}

static pen_status plan(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *plan)
{
    (void)state;
    int *ranks = malloc(((size_t)view->shadows + 1) * sizeof *ranks), to = 0;
    int64_t *offsets = malloc(((size_t)view->shadows + 1) * sizeof *offsets);
    double *copies = malloc(((size_t)view->shadows + 1) * sizeof *copies), load = 0.0, less = 0.0;
    pen_status status = PEN_ERR_MEMORY;
    if (ranks && offsets && copies) {
        pen_blocks send = { list_neighbors(view, ranks), ranks, offsets, (unsigned char *)copies };
        for (pen_lid v = 0; v < view->count; v++) load += view->loads[v];
        for (int i = 0; i <= send.count; i++) offsets[i] = i * (int64_t)sizeof load;
        for (int i = 0; i < send.count; i++) copies[i] = load;
        status = least_loaded(peers, load, &send, &to, &less);
    }
    double left = less / 2.0;
    for (pen_lid v = 0; status == PEN_OK && v < view->count && left > 0.0; v++) {
        if (view->loads[v] > left || !touches(view, v, to)) continue;
        plan->moves[plan->count++] = (pen_move){ view->gids[v], to };
        left -= view->loads[v];
    }
    free(ranks);
    free(offsets);
    free(copies);
    return status;
}

static const pen_balancer pairwise = {
    .name = "pairwise", .summary = "halves differences between neighbours", .settings = "", .plan = plan
};

PEN_API const pen_plugin penumbra_plugin = { PEN_PLUGIN_ABI, .balancer = &pairwise };

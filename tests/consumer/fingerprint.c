/* fingerprint - a balancer that reports what it sees: the report's rounds are a hash of all ranks' views, bit for bit.
 * It moves some nodes, so that views change. It keeps a note with each node, compares it with the view of the next
 * call, and counts. */
#include <penumbra_plugin.h>

enum { HISTORY = 3 };

/* What a node has with it; 13 bytes, so that nothing is aligned by chance. */
typedef struct {
    char gid[8], load[4], calls;
} note;

enum { NODES, NEW, STRANGERS, FORGOTTEN };
static const char *const counters[] = { "nodes", "new nodes", "\"strangers\"", "forgotten loads", NULL };

static uint64_t add(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    if (!at) return hash * 31 + 7;
    for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * UINT64_C(1099511628211);
    return hash;
}

static uint64_t see(const pen_load_view *view, int rank)
{
    const size_t own = (size_t)view->count, all = own + (size_t)view->shadows, arcs = view->rows[own];
    const int64_t numbers[] = {
        rank,        view->count,           view->shadows, view->node_bytes, view->arc_bytes,     view->step,
        view->width, view->height,          view->depth,   view->dimensions, (int64_t)view->grid, view->host,
        view->hosts, view->machine != NULL, view->history
    };
    const double reals[] = { view->horizon, view->speed };
    uint64_t hash = add(UINT64_C(14695981039346656037), numbers, sizeof numbers);
    hash = add(hash, reals, sizeof reals);
    hash = add(hash, view->gids, all * sizeof *view->gids);
    hash = add(hash, view->owners, (all - own) * sizeof *view->owners);
    hash = add(hash, view->loads, own * sizeof *view->loads);
    hash = add(hash, view->rows, (own + 1) * sizeof *view->rows);
    hash = add(hash, view->columns, arcs * sizeof *view->columns);
    hash = add(hash, view->edge_weights, arcs * sizeof *view->edge_weights);
    hash = add(hash, view->reads, arcs * sizeof *view->reads);
    hash = add(hash, view->past_loads, own * (size_t)view->history * sizeof *view->past_loads);
    hash = add(hash, view->node_data, own * sizeof(note));
    return add(hash, view->coordinates, own * (size_t)view->dimensions * sizeof *view->coordinates);
}

/* Compare what a node has with what it has noted in the last call, and note what it has now. If calls are one step
 * apart, the load noted then is the one before the last. */
static void compare(const pen_load_view *view, pen_lid node, double *counts)
{
    note *own = (note *)view->node_data + node;
    const double *past = view->past_loads ? view->past_loads + (int64_t)node * view->history : view->loads + node;
    const float load = (float)view->loads[node], before = view->history > 1 ? (float)past[1] : load;
    counts[NODES]++;
    counts[NEW] += own->calls == 0;
    counts[STRANGERS] += own->calls > 0 && memcmp(own->gid, &view->gids[node], sizeof own->gid) != 0;
    counts[FORGOTTEN] += past[0] != view->loads[node] ||
                         (own->calls > 0 && memcmp(own->load, &before, sizeof own->load) != 0);
    memcpy(own->gid, &view->gids[node], sizeof own->gid);
    memcpy(own->load, &load, sizeof own->load);
    own->calls = 1;
}

static pen_status plan(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *plan)
{
    double sum = (double)(see(view, peers->rank) >> 40), none = 0.0; /* 24 bits: up to 64 ranks fit an int */
    pen_status status = peers->reduce(peers, 1, &sum, 0, &none);
    (void)state;
    plan->rounds = (int)sum;
    plan->regardless = true;
    for (pen_lid i = 0; i < view->count; i++) compare(view, i, plan->counts);
    for (pen_lid i = 0; i < view->count; i += 7)
        plan->moves[plan->count++] = (pen_move){ view->gids[i], (peers->rank + 1) % peers->size };
    return status;
}

static const pen_balancer fingerprint = { .name = "fingerprint",
                                          .summary = "tells what it sees",
                                          .plan = plan,
                                          .history = HISTORY,
                                          .data_bytes = sizeof(note),
                                          .counters = counters };

PEN_PLUGIN(.balancer = &fingerprint);

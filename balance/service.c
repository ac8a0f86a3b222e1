/* service.c - partitions and balances graphs that belong to no run (penumbra_partition.h). */
#include "balance/partitioners.h"
#include "balance/registry.h"
#include "base/key_table.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/sparse.h"
#include "graph/graph.h"
#include "partition/partition.h"
#include "rebalance/balancers.h"
#include "view/check.h"
#include "view/machine.h"
#include "view/neighbors.h"
#include "view/peers.h"
#include "view/quality.h"
#include "view/view.h"
#include <penumbra_partition.h>

#include <math.h>
#include <stdlib.h>

/* Check that an array for each of this rank's nodes is given; a rank without nodes may pass NULL. */
static pen_status given(const pen_graph *graph, const int32_t *array, const char *what)
{
    return graph->count > 0 ? pen_given(array, what) : PEN_OK;
}

pen_status pen_graph_partition(const pen_graph *graph, const char *partitioner, const char *machine, int parts,
                               int32_t *part)
{
    PEN_C_LOCALE;
    pen_machine *made = NULL;
    PEN_TRY(pen_mpi_ready());
    PEN_ARGUMENT(graph, "pen_graph_partition needs a graph");
    const pen_argument arguments[] = { { "partitioner", partitioner, 0 },
                                       { "machine", machine, 0 },
                                       { "parts", NULL, parts } };
    PEN_TRY(pen_agree_equal(graph->comm, given(graph, part, "the parts"), arguments, PEN_COUNT_OF(arguments)));
    PEN_ARGUMENT(parts >= 1, "%d parts, must be at least 1", parts);
    if (!partitioner) PEN_TRY(pen_partition_choose(graph, parts, &partitioner));
    if (machine) PEN_TRY(pen_machine_open(graph->comm, machine, parts, &made));
    pen_status status = pen_partition(graph, partitioner, made, parts, part);
    pen_machine_destroy(&made);
    return status;
}

/* ---- Exchange with the owners ------------------------------------------------------------------- */

/* A node as it is sent to its owner; its arcs are sent separately. */
typedef struct told_node {
    pen_gid gid;
    double load;
    int64_t owner, degree;
} told_node;

typedef struct told_arc {
    pen_gid gid; /* gid of the neighbour */
    int64_t owner, weight;
} told_arc;

/* The nodes that this rank owns, in the order in which they were received. */
typedef struct ownership {
    pen_blocks nodes, arcs; /* received nodes (told_node) and arcs (told_arc) */
    pen_blocks places;      /* received coordinates, if the graph has any */
    int64_t *order;         /* [graph->count] index of each node among the nodes that were sent */
    pen_load_view view;
    int32_t *to; /* [view.count] destination of each node */
} ownership;

static void free_ownership(ownership *o)
{
    pen_load_view_free(&o->view);
    pen_blocks_free(&o->nodes);
    pen_blocks_free(&o->arcs);
    pen_blocks_free(&o->places);
    PEN_FREE_ALL(o->order, o->to);
}

static int64_t length_of(const pen_blocks *blocks, size_t size)
{
    return blocks->count > 0 ? blocks->offsets[blocks->count] / (int64_t)size : 0;
}

/* Local. Check arrays of the caller, [graph->count] or NULL: loads, and owners or parts (`what`) in [0, most]. */
static pen_status check_nodes(const pen_graph *graph, const double *loads, const char *what, const int32_t *owners,
                              int most)
{
    for (pen_lid i = 0; i < graph->count; i++) {
        if (loads && !(loads[i] >= 0.0 && loads[i] <= 1e300))
            return pen_fail(PEN_ERR_INPUT, "node %" PRIgid " has load %g, must be a number >= 0",
                            pen_graph_gid(graph, i), loads[i]);
        if (owners && (owners[i] < 0 || owners[i] > most))
            return pen_fail(PEN_ERR_INPUT, "node %" PRIgid " has %s %" PRId32 ", must be 0..%d",
                            pen_graph_gid(graph, i), what, owners[i], most);
    }
    return PEN_OK;
}

static pen_status check(const pen_graph *graph, const pen_rebalance *how)
{
    PEN_TRY(check_nodes(graph, how->loads, "owner", how->owners, graph->comm->size - 1));
    if (how->horizon >= 0.0 && how->horizon <= 1e300 && how->node_bytes >= 0 && how->arc_bytes >= 0) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "horizon %g, node_bytes %" PRId64 " and arc_bytes %" PRId64 " must be >= 0",
                    how->horizon, how->node_bytes, how->arc_bytes);
}

/* Collective. Send the rows to the owners of the nodes; the nodes of a part go to rank part % size. */
static pen_status tell_owners(const pen_graph *graph, const double *loads, const int32_t *owners, ownership *o)
{
    int64_t count = graph->count, arcs = graph->rows[graph->count];
    int32_t *heads = NULL, *ranks = NULL, *to = NULL;
    told_node *nodes = NULL;
    told_arc *list = NULL;
    pen_blocks node_blocks = { 0 }, arc_blocks = { 0 }, place_blocks = { 0 };
    /* Bytes of a node's coordinates, the same on all ranks. */
    size_t place = (size_t)graph->dimensions * sizeof *graph->coordinates;
    pen_status status = PEN_ALLOC(&heads, arcs);
    if (status == PEN_OK) status = PEN_ALLOC(&ranks, count);
    if (status == PEN_OK) status = PEN_ALLOC(&to, arcs);
    if (status == PEN_OK) status = PEN_ALLOC(&nodes, count);
    if (status == PEN_OK) status = PEN_ALLOC(&list, arcs);
    if (status == PEN_OK) status = PEN_ALLOC(&o->order, count);
    status = pen_neighbor_values(graph, status, owners, heads);
    for (pen_lid i = 0; status == PEN_OK && i < graph->count; i++) {
        double load = loads ? loads[i] : (double)pen_graph_load(graph, i);
        nodes[i] = (told_node){ pen_graph_gid(graph, i), load, owners[i], graph->rows[i + 1] - graph->rows[i] };
        ranks[i] = owners[i] % graph->comm->size;
        for (int64_t a = graph->rows[i]; a < graph->rows[i + 1]; a++) {
            to[a] = ranks[i];
            list[a] = (told_arc){ graph->neighbors[a], heads[a], graph->edge_weights ? graph->edge_weights[a] : 1 };
        }
    }
    if (status == PEN_OK) status = pen_blocks_group(count, ranks, nodes, sizeof *nodes, &node_blocks, o->order);
    if (status == PEN_OK) status = pen_blocks_group(arcs, to, list, sizeof *list, &arc_blocks, NULL);
    if (status == PEN_OK && place > 0)
        status = pen_blocks_group(count, ranks, graph->coordinates, place, &place_blocks, NULL);
    PEN_FREE_ALL(heads, ranks, to, nodes, list);
    status = pen_sparse_exchange(graph->comm, status, &node_blocks, &o->nodes);
    if (status == PEN_OK) status = pen_sparse_exchange(graph->comm, PEN_OK, &arc_blocks, &o->arcs);
    if (status == PEN_OK && place > 0) status = pen_sparse_exchange(graph->comm, PEN_OK, &place_blocks, &o->places);
    pen_blocks_free(&node_blocks);
    pen_blocks_free(&arc_blocks);
    pen_blocks_free(&place_blocks);
    return status;
}

/* Collective. Make the view of the received nodes; with `mutual` as balancers see it, otherwise neighbours are those
 * that a node reads. */
static pen_status make_view(const pen_graph *graph, bool mutual, ownership *o)
{
    const told_node *nodes = (const told_node *)(const void *)o->nodes.data;
    const told_arc *arcs = (const told_arc *)(const void *)o->arcs.data;
    int64_t count = length_of(&o->nodes, sizeof *nodes), arc_count = length_of(&o->arcs, sizeof *arcs);
    pen_gid *gids = NULL, *neighbors = NULL;
    double *loads = NULL;
    int64_t *rows = NULL, *weights = NULL;
    int32_t *owners = NULL;
    pen_lid narrow = 0;
    pen_status status = pen_to_lid(count, "nodes of one rank", &narrow);
    if (status == PEN_OK) status = PEN_ALLOC(&gids, count);
    if (status == PEN_OK) status = PEN_ALLOC(&loads, count);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&rows, count + 1);
    if (status == PEN_OK) status = PEN_ALLOC(&neighbors, arc_count);
    if (status == PEN_OK) status = PEN_ALLOC(&owners, arc_count);
    if (status == PEN_OK) status = PEN_ALLOC(&weights, arc_count);
    if (status == PEN_OK) status = PEN_ALLOC(&o->to, count);
    for (int64_t i = 0; status == PEN_OK && i < count; i++) {
        gids[i] = nodes[i].gid;
        loads[i] = nodes[i].load;
        rows[i + 1] = rows[i] + nodes[i].degree;
    }
    for (int64_t a = 0; status == PEN_OK && a < arc_count; a++) {
        neighbors[a] = arcs[a].gid;
        owners[a] = (int32_t)(arcs[a].owner % graph->comm->size);
        weights[a] = arcs[a].weight;
    }
    status = pen_agree(graph->comm, status);
    const pen_view_rows listed = { narrow, gids, loads, rows, neighbors, owners, weights, NULL };
    if (status == PEN_OK && graph->directed && mutual)
        status = pen_load_view_create_mutual(graph->comm, &listed, &o->view);
    else if (status == PEN_OK)
        status = pen_agree(graph->comm, pen_load_view_create(graph->comm->rank, &listed, &o->view));
    PEN_FREE_ALL(gids, neighbors, loads, rows, weights, owners);
    return status;
}

/* Finds the index of a node in the view, whose gids are in any order. */
typedef struct finder {
    const pen_load_view *view;
    pen_key_table places;
} finder;

static pen_lid find_node(const void *context, pen_gid gid)
{
    const finder *f = context;
    return (pen_lid)*pen_key_entry(&f->places, f->view->gids, sizeof *f->view->gids, (uint64_t)gid) - 1;
}

/* Collective. Ask the balancer for a plan, check it (check.h), and set o->to. */
static pen_status take_plan(const pen_chosen_balancer *balancer, pen_plan *plan, pen_peers *peers, ownership *o)
{
    const pen_load_view *view = &o->view;
    const pen_notes none = { .records = NULL };
    finder f = { .view = view };
    pen_lid *nodes = NULL;
    pen_status status = pen_key_table_fit(&f.places, view->count);
    if (status == PEN_OK) status = PEN_ALLOC(&nodes, view->count);
    for (pen_lid i = 0; status == PEN_OK && i < view->count; i++) {
        *pen_key_entry(&f.places, view->gids, sizeof *view->gids, (uint64_t)view->gids[i]) = (uint32_t)i + 1;
        o->to[i] = peers->rank;
    }
    if (status == PEN_OK && balancer->kind)
        status = pen_plan_ask(balancer->kind, balancer->state, view, NULL, &none, peers, find_node, &f, plan, nodes);
    for (int64_t m = 0; status == PEN_OK && m < plan->count; m++) o->to[nodes[m]] = plan->moves[m].to;
    pen_key_table_free(&f.places);
    free(nodes);
    return status;
}

/* Collective. Create the peers and notes, and take the plan. */
static pen_status ask_balancer(const pen_graph *graph, const pen_chosen_balancer *balancer, ownership *o)
{
    pen_mpi_peers peers;
    pen_plan plan = { .count = 0 };
    pen_status status = pen_agree(graph->comm, PEN_ALLOC(&plan.moves, o->view.count));
    if (status == PEN_OK) status = pen_peers_begin(graph->comm, &peers);
    if (status == PEN_OK) {
        status = pen_peers_end(&peers, take_plan(balancer, &plan, &peers.peers, o), NULL);
    }
    free(plan.moves);
    return status;
}

/* Collective. Send the results back to the ranks that sent the nodes. */
static pen_status answer(const pen_graph *graph, ownership *o, int32_t *owners)
{
    pen_blocks send = { .count = o->nodes.count }, received = { 0 };
    pen_status status = PEN_ALLOC(&send.ranks, send.count);
    if (status == PEN_OK) status = PEN_ALLOC(&send.offsets, (int64_t)send.count + 1);
    for (int b = 0; status == PEN_OK && b <= send.count; b++) {
        if (b < send.count) send.ranks[b] = o->nodes.ranks[b];
        send.offsets[b] = send.count > 0 ? o->nodes.offsets[b] / (int64_t)sizeof(told_node) * (int64_t)sizeof *o->to
                                         : 0;
    }
    send.data = (unsigned char *)o->to;
    status = pen_sparse_exchange(graph->comm, status, &send, &received);
    PEN_FREE_ALL(send.ranks, send.offsets);
    const int32_t *answers = (const int32_t *)(const void *)received.data;
    for (pen_lid i = 0; status == PEN_OK && i < graph->count; i++) owners[i] = answers[o->order[i]];
    pen_blocks_free(&received);
    return status;
}

/* Collective. Rebalance the graph. */
static pen_status rebalance(const pen_graph *graph, const pen_rebalance *how, const pen_chosen_balancer *balancer,
                            int32_t *owners)
{
    ownership o = { .order = NULL };
    pen_machine *machine = NULL;
    int32_t *now = NULL;
    pen_status status = check(graph, how);
    if (status == PEN_OK) status = PEN_ALLOC(&now, graph->count);
    for (pen_lid i = 0; status == PEN_OK && i < graph->count; i++)
        now[i] = how->owners ? how->owners[i] : graph->comm->rank;
    status = pen_agree(graph->comm, status);
    if (status == PEN_OK && how->machine)
        status = pen_machine_open(graph->comm, how->machine, graph->comm->size, &machine);
    if (status == PEN_OK) status = tell_owners(graph, how->loads, now, &o);
    if (status == PEN_OK) status = make_view(graph, true, &o);
    if (status == PEN_OK) {
        const pen_world world = pen_graph_world(graph);
        const double *coordinates = (const double *)(const void *)o.places.data;
        pen_load_view_place(&o.view, graph->comm, &world, graph->dimensions, coordinates);
        pen_load_view_set_machine(&o.view, graph->comm->rank, machine);
        o.view.horizon = how->horizon > 0.0 ? fmax(1.0, how->horizon) : 100.0;
        o.view.node_bytes = how->node_bytes > 0 ? how->node_bytes : 64;
        o.view.arc_bytes = how->arc_bytes > 0 ? how->arc_bytes : 8;
        status = ask_balancer(graph, balancer, &o);
    }
    if (status == PEN_OK) status = answer(graph, &o, owners);
    pen_machine_destroy(&machine);
    free_ownership(&o);
    free(now);
    return status;
}

pen_status pen_graph_rebalance_abi(uint32_t abi, const pen_graph *graph, const pen_rebalance *theirs, int32_t *owners)
{
    PEN_C_LOCALE;
    pen_rebalance how = { .balancer = NULL };
    pen_chosen_balancer balancer = { .kind = NULL };
    PEN_TRY(pen_abi_check(abi, PEN_PARTITION_ABI));
    PEN_TRY(pen_mpi_ready());
    PEN_ARGUMENT(graph, "pen_graph_rebalance needs a graph");
    if (theirs) how = *theirs;
    pen_status status = given(graph, owners, "the owners");
    if (status == PEN_OK) status = pen_balancer_open(how.balancer ? how.balancer : "diffusive", &balancer);
    pen_argument arguments[] = { { "balancer", how.balancer, 0 },
                                 { "machine", how.machine, 0 },
                                 { "node_bytes", NULL, how.node_bytes },
                                 { "arc_bytes", NULL, how.arc_bytes },
                                 { "horizon", NULL, 0 } };
    memcpy(&arguments[4].number, &how.horizon, sizeof how.horizon);
    status = pen_agree_equal(graph->comm, status, arguments, PEN_COUNT_OF(arguments));
    if (status == PEN_OK) status = rebalance(graph, &how, &balancer, owners);
    pen_balancer_close(&balancer);
    return status;
}

/* ---- Quality ------------------------------------------------------------------------------------ */

/* Collective. Measure the quality; o->view has all nodes of this rank's parts (quality.h). */
static pen_status find_quality(const pen_graph *graph, int parts, const pen_machine *machine, ownership *o,
                               pen_quality *quality)
{
    const told_node *nodes = (const told_node *)(const void *)o->nodes.data;
    const told_arc *arcs = (const told_arc *)(const void *)o->arcs.data;
    pen_load_view seen = o->view;
    int32_t *elsewhere = NULL;
    pen_status status = pen_agree(graph->comm, PEN_ALLOC(&elsewhere, seen.shadows));
    if (status == PEN_OK) {
        for (pen_lid i = 0; i < seen.count; i++) o->to[i] = (int32_t)(nodes[i].owner / graph->comm->size);
        for (uint32_t a = 0; a < seen.rows[seen.count]; a++)
            if (seen.columns[a] >= seen.count) elsewhere[seen.columns[a] - seen.count] = (int32_t)arcs[a].owner;
        seen.owners = elsewhere;
        seen.machine = machine;
        status = pen_quality_of_division(graph->comm, &seen, graph->directed, parts, o->to, quality);
    }
    free(elsewhere);
    return status;
}

pen_status pen_partition_quality_abi(uint32_t abi, const pen_graph *graph, const double *loads, const char *machine,
                                     int parts, const int32_t *part, pen_partition_metrics *metrics)
{
    PEN_C_LOCALE;
    pen_machine *made = NULL;
    pen_quality q;
    ownership o = { .order = NULL };
    PEN_TRY(pen_abi_check(abi, PEN_PARTITION_ABI));
    PEN_TRY(pen_mpi_ready());
    PEN_ARGUMENT(graph, "pen_partition_quality needs a graph");
    const pen_argument arguments[] = { { "machine", machine, 0 }, { "parts", NULL, parts } };
    pen_status status = pen_given(metrics, "the metrics");
    if (status == PEN_OK) status = given(graph, part, "the parts");
    PEN_TRY(pen_agree_equal(graph->comm, status, arguments, PEN_COUNT_OF(arguments)));
    PEN_ARGUMENT(parts >= 1, "%d parts, must be at least 1", parts);
    PEN_TRY(pen_agree(graph->comm, check_nodes(graph, loads, "part", part, parts - 1)));
    if (machine) PEN_TRY(pen_machine_open(graph->comm, machine, parts, &made));
    status = tell_owners(graph, loads, part, &o);
    if (status == PEN_OK) status = make_view(graph, false, &o);
    if (status == PEN_OK) status = find_quality(graph, parts, made, &o, &q);
    if (status == PEN_OK)
        *metrics = (pen_partition_metrics){ q.cut,      q.volume,    q.max_volume, q.pieces + parts - q.empty,
                                            q.empty,    q.imbalance, q.bound,      q.dilation,
                                            q.step_time };
    free_ownership(&o);
    pen_machine_destroy(&made);
    return status;
}

/* distribute.c - gives the nodes of a graph their owners, slots and halos, when a run is created. */
#include "loop/distribute.h"
#include "balance/partitioners.h"
#include "base/memory.h"
#include "base/shm_capacity.h"
#include "checkpoint/resume.h"
#include "halo/connect.h"
#include "partition/partition.h"
#include "run/apply_change.h"
#include "run/quality.h"
#include "store/create_store.h"
#include "strict/strict.h"

#include <stdlib.h>

/* Allocate the records of the arcs, which are zero. */
static pen_status make_edges(pen_run *run)
{
    const pen_app *app = run->app;
    pen_store *store = run->store;
    size_t sizes[PEN_MOST_FIELDS];
    for (int e = 0; e < app->edge_fields.count; e++) sizes[e] = app->edge_fields.list[e].size;
    PEN_TRY(pen_store_describe_edges(store, app->edge_fields.count, sizes));
    PEN_TRY(pen_store_lay_edges(store, store->rows[store->owned], false));
    for (int e = 0; e < store->edge_field_count; e++) memset(store->edges[e], 0, store->rows[store->owned] * sizes[e]);
    return PEN_OK;
}

/* Collective. Choose the owners of the nodes: those of the checkpoint if its number of ranks and partitioner are the
 * same, otherwise the partitioner's. */
static pen_status choose_owners(pen_run *run, const pen_graph *graph, int32_t *owner)
{
    pen_resume *resume = run->origin.resume;
    if (!run->partition.name) {
        const char *name;
        PEN_TRY(pen_partition_choose(graph, run->comm->size, &name));
        PEN_TRY(pen_agree(run->comm, pen_copy_text(name, &run->partition.name)));
    }
    if (resume)
        resume->stays = resume->file.ranks == run->comm->size && resume->saved.partitioner &&
                        strcmp(resume->saved.partitioner, run->partition.name) == 0;
    if (!resume || !resume->stays) {
        PEN_TRY(pen_partition(graph, run->partition.name, run->partition.machine, run->comm->size, owner));
        return pen_partition_dilation(graph, run->partition.name, run->comm->size, owner, &run->partition.dilation);
    }
    for (pen_lid i = 0; i < graph->count; i++) owner[i] = run->comm->rank;
    run->partition.dilation = -1;
    return PEN_OK;
}

/* Collective. Ship the nodes to their owners, and give them slots. */
static pen_status distribute(pen_run *run, const pen_graph *graph, pen_order order)
{
    int32_t *owner = NULL;
    pen_status status = pen_agree(run->comm, PEN_ALLOC(&owner, graph->count));
    if (status == PEN_OK) status = choose_owners(run, graph, owner);
    if (status == PEN_OK)
        status = pen_store_create(run->comm, graph, owner, order,
                                  run->strict ? pen_strict_fields(run) : run->app->fields.list,
                                  run->strict ? 2 * run->app->fields.count : run->app->fields.count, &run->store);
    free(owner);
    /* In the strict mode transient records are marked as meaningless, and the marks must be kept. */
    if (status == PEN_OK && !run->strict) run->store->transient = pen_app_transient(run->app);
    if (status == PEN_OK) status = pen_agree(run->comm, make_edges(run));
    if (status == PEN_OK) status = pen_run_quality(run, &run->partition.quality);
    pen_return_freed(); /* returns the memory that the partitioner has freed */
    return status;
}

/* Collective. Create the parts, which may give the graph other coordinates, and distribute the graph. */
static pen_status place_and_distribute(pen_run *run, const pen_graph *given, const pen_run_options *options)
{
    pen_graph graph = *given;
    pen_status status = pen_parts_create(run, options, &graph);
    run->graph.sum = pen_graph_sum(&graph);
    if (status == PEN_OK) status = distribute(run, &graph, options->order);
    if (graph.coordinates != given->coordinates) free(graph.coordinates);
    return status;
}

pen_status pen_run_distribute(pen_run *run, const pen_graph *graph, const pen_run_options *options)
{
    pen_comm *comm = run->comm;
    pen_run_partition *p = &run->partition;
    if (p->machine_name) PEN_TRY(pen_machine_open(comm, p->machine_name, comm->size, &p->machine));
    PEN_TRY(place_and_distribute(run, graph, options));
    pen_shm_capacity_may_wait(true);
    const pen_status status = pen_connect(run->store, options->transport, pen_run_carried(run, pen_app_reads(run->app)),
                                          &run->timers, options->debug.explain, &run->halo);
    pen_shm_capacity_may_wait(false);
    PEN_TRY(status);
    if (!pen_app_modifies(run->app)) return PEN_OK;
    return pen_agree(comm,
                     pen_app_changes(run->app, run->store->field_count, run->store->sizes, &run->changed.requests));
}

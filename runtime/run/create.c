/* create.c - the beginning and the end of a run. */
#include "store/create.h"
#include "balance/partitioners.h"
#include "base/memory.h"
#include "halo/connect.h"
#include "partition/partition.h"
#include "run/balance.h"
#include "run/far.h"
#include "run/loads.h"
#include "run/quality.h"
#include "run/reach.h"
#include "run/steps.h"

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static pen_status create_local(pen_run *run, const pen_app *app, const pen_graph *graph, const char *partitioner)
{
    run->nodes = graph->nodes;
    run->edges = graph->edges;
    PEN_TRY(pen_copy_text(partitioner, &run->partitioner));
    return pen_run_open(run, app);
}

/* Collective. Nodes to their owners, slots. */
static pen_status distribute(pen_run *run, const pen_graph *graph)
{
    int32_t *owner = NULL;
    pen_status status = pen_agree(run->comm, PEN_ALLOC(&owner, graph->count));
    if (status == PEN_OK) status = pen_partition(graph, run->partitioner, run->comm->size, owner);
    if (status == PEN_OK)
        status = pen_partition_dilation(graph, run->partitioner, run->comm->size, owner, &run->dilation);
    if (status == PEN_OK)
        status = pen_store_create(run->comm, graph, owner, run->app->fields, run->app->field_count, &run->store);
    free(owner);
    if (status == PEN_OK) status = pen_run_quality(run, &run->quality);
#ifdef __GLIBC__
    malloc_trim(0); /* glibc would keep what a partitioner has freed, up to 32 MiB a block, for good */
#endif
    return status;
}

static pen_status check_arguments(MPI_Comm comm, const pen_graph *graph, const pen_app *app)
{
    PEN_ARGUMENT(comm != MPI_COMM_NULL, "the communicator is MPI_COMM_NULL");
    PEN_ARGUMENT(graph && app, "pen_run_create needs a graph and an application");
    PEN_TRY(pen_app_check(app));
    int relation = MPI_UNEQUAL;
    PEN_MPI(MPI_Comm_compare(comm, graph->comm->mpi, &relation));
    PEN_ARGUMENT(relation == MPI_IDENT || relation == MPI_CONGRUENT, "the graph lives on other ranks than the run");
    return PEN_OK;
}

pen_status pen_run_create(MPI_Comm comm, const pen_graph *graph, const pen_app *app, const pen_run_options *options,
                          pen_run **run)
{
    static const pen_run_options defaults = { .partitioner = NULL };
    if (!options) options = &defaults;
    PEN_TRY(check_arguments(comm, graph, app));
    double start = pen_seconds_now();
    pen_comm *own = NULL;
    PEN_TRY(pen_comm_create(comm, &own));
    pen_run *r = NULL;
    pen_status status = PEN_ALLOC_ZERO(&r, 1);
    if (status == PEN_OK) status = create_local(r, app, graph, options->partitioner ? options->partitioner : "metis");
    if (status == PEN_OK && app->setup) {
        pen_world world = { graph->nodes, options->steps, graph->width, graph->height, own->size };
        const char *complaint = app->setup(app->params, &world);
        if (complaint) status = pen_fail(PEN_ERR_INPUT, "%s: %s", app->name, complaint);
    }
    if (status == PEN_OK) status = pen_balance_create(app, options, &r->balance);
    status = pen_agree(own, status);
    if (!r) {
        pen_comm_destroy(&own);
        return status;
    }
    r->comm = own;
    pen_timers_start(&r->timers);
    pen_history_start(&r->history);
    if (status == PEN_OK) status = distribute(r, graph);
    if (status == PEN_OK)
        status = pen_connect(r->store, options->transport, pen_app_reads(app), &r->timers, options->explain, &r->halo);
    if (status == PEN_OK && r->balance) status = pen_balance_begin(r);
    if (status != PEN_OK) {
        pen_run_destroy(&r);
        return status;
    }
    pen_run_bind(r);
    pen_run_initialize(r);
    r->steps = options->steps;
    r->timers.init = pen_seconds_now() - start;
    *run = r;
    return PEN_OK;
}

void pen_run_destroy(pen_run **run)
{
    if (!run || !*run) return;
    pen_run *r = *run;
    pen_balance_destroy(&r->balance);
    pen_loads_destroy(&r->loads);
    pen_reach_destroy(&r->reach);
    pen_far_destroy(&r->far);
    pen_run_close(r);
    free(r);
    *run = NULL;
}

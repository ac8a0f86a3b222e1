/* create_run.c - the beginning and the end of a run. */
#include "loop/create_run.h"
#include "base/numbers.h"
#include "base/queued.h"
#include "base/resident.h"
#include "loop/distribute.h"
#include "loop/steps.h"
#include "run/close.h"
#include "strict/strict.h"

#include <penumbra_checkpoint.h>
#include <stdlib.h>

static pen_status check_arguments(MPI_Comm comm, const pen_graph *graph, const pen_app *app, pen_run **run)
{
    PEN_ARGUMENT(graph && app && run, "pen_run_create needs a graph, an application and a pointer to the run");
    int relation = MPI_UNEQUAL;
    PEN_MPI(MPI_Comm_compare(comm, graph->comm->mpi, &relation));
    PEN_ARGUMENT(relation == MPI_IDENT || relation == MPI_CONGRUENT,
                 "graph and run have communicators of different ranks");
    return PEN_OK;
}

/* Collective, when nodes have slots and halos. Make the first state, or restore that of the checkpoint. */
static pen_status begin(pen_run *run, const pen_run_options *options)
{
    PEN_TRY(pen_parts_begin(run, options));
    pen_run_bind(run);
    PEN_TRY(run->origin.resume ? pen_resume_state(run, run->origin.resume) : pen_run_initialize(run));
    return pen_parts_ready(run, options);
}

pen_status pen_run_make(MPI_Comm comm, const pen_source *from, const pen_run_options *theirs, pen_run **run)
{
    PEN_C_LOCALE;
    PEN_WITHIN("pen_run_create");
    double start = pen_seconds_now();
    int64_t resident = pen_resident_now();
    pen_run_options options = { .steps = 0 };
    pen_comm *own = NULL;
    PEN_TRY(pen_comm_create(comm, &own));
    pen_run *r = NULL;
    pen_status status = check_arguments(comm, from->graph, from->app, run);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&r, 1);
    if (status == PEN_OK) r->comm = own;
    status = pen_run_adopt(own, status, from, theirs, &options, r);
    if (!r) {
        pen_comm_destroy(&own);
        return status;
    }
    r->origin.resident = resident;
    pen_timers_start(&r->timers);
    if (status == PEN_OK) status = pen_run_distribute(r, from->graph, &options);
    if (status == PEN_OK) status = begin(r, &options);
    r->origin.resume = NULL;
    if (status == PEN_OK) r->timers.init = pen_seconds_now() - start;
    if (status == PEN_OK && pen_barrier(own) != PEN_OK) /* setting up is not part of the steps */
        status = pen_fail(PEN_ERR_MPI, "MPI_Barrier failed");
    if (status == PEN_OK) r->timers.queued = pen_queued_now();
    if (status == PEN_OK) *run = r;
    else pen_run_destroy(&r);
    return status;
}

pen_status pen_run_create_abi(uint32_t abi, MPI_Comm comm, const pen_graph *graph, const pen_app *app,
                              const pen_run_options *options, pen_run **run)
{
    PEN_TRY(pen_abi_check(abi, PEN_ABI));
    return pen_run_make(comm, &(pen_source){ .graph = graph, .app = app }, options, run);
}

/* Collective. */
static pen_status load(pen_comm *comm, const char *path, pen_source *from, const pen_run_options *options,
                       pen_run **run)
{
    pen_graph *graph = NULL;
    PEN_TRY(pen_resume_open(comm, path, &from->resume));
    PEN_TRY(pen_resume_graph(comm->mpi, from->resume, &graph));
    from->graph = graph;
    pen_status status = pen_run_make(comm->mpi, from, options, run);
    pen_graph_destroy(&graph);
    return status;
}

pen_status pen_run_load_abi(uint32_t abi, MPI_Comm comm, const char *path, const pen_app *app,
                            const pen_run_options *options, pen_run **run)
{
    PEN_C_LOCALE;
    PEN_WITHIN("pen_run_load");
    PEN_TRY(pen_abi_check(abi, PEN_ABI));
    PEN_TRY(pen_mpi_ready());
    pen_comm *own = NULL;
    pen_source from = { .app = app };
    PEN_TRY(pen_comm_create(comm, &own));
    pen_status status = PEN_OK;
    if (!path || !app) status = pen_fail(PEN_ERR_ARGUMENT, "pen_run_load needs a path and an application");
    status = pen_agree_equal(own, status, &(pen_argument){ "path", path, 0 }, 1);
    if (status == PEN_OK) status = load(own, path, &from, options, run);
    pen_resume_free(&from.resume);
    pen_comm_destroy(&own);
    return status;
}

void pen_run_destroy(pen_run **run)
{
    if (!run || !*run) return;
    pen_mpi_require("pen_run_destroy");
    pen_run *r = *run;
    if (r->calls.inside) pen_die("%s: pen_run_destroy within pen_run_steps", r->app->name);
    PEN_WITHIN("pen_run_destroy");
    pen_parts_finish(r);
    pen_strict_destroy(&r->strict);
    pen_run_close(r);
    free(r);
    *run = NULL;
}

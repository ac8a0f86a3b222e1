/* create_run.c - the beginning and the end of a run. */
#include "loop/create_run.h"
#include "balance/partitioners.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/queued.h"
#include "base/resident.h"
#include "checkpoint/checkpointing.h"
#include "halo/connect.h"
#include "loop/compare_app.h"
#include "loop/steps.h"
#include "partition/partition.h"
#include "run/apply_change.h"
#include "run/far.h"
#include "run/members.h"
#include "run/quality.h"
#include "run/reach.h"
#include "run/run_options.h"
#include "store/create_store.h"
#include "strict/strict.h"

#include <penumbra_checkpoint.h>
#include <stdlib.h>

static pen_status create_local(pen_run *run, const pen_graph *graph, const pen_run_options *options)
{
    run->first_edges = run->edges = graph->edges;
    run->nodes = graph->nodes;
    PEN_TRY(pen_copy_text(options->partitioner ? options->partitioner : "metis", &run->partitioner));
    if (options->machine) PEN_TRY(pen_copy_text(options->machine, &run->machine_name));
    if (graph->origin) PEN_TRY(pen_copy_text(graph->origin, &run->graph_origin));
    return pen_run_open(run);
}

/* Records of the arcs, still zero. */
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
static pen_status choose_owners(pen_run *run, const pen_graph *graph, pen_resume *resume, int32_t *owner)
{
    if (resume)
        resume->stays = resume->file.ranks == run->comm->size && resume->saved.partitioner &&
                        strcmp(resume->saved.partitioner, run->partitioner) == 0;
    if (!resume || !resume->stays) {
        PEN_TRY(pen_partition(graph, run->partitioner, run->machine, run->comm->size, owner));
        return pen_partition_dilation(graph, run->partitioner, run->comm->size, owner, &run->dilation);
    }
    for (pen_lid i = 0; i < graph->count; i++) owner[i] = run->comm->rank;
    run->dilation = -1;
    return PEN_OK;
}

/* Collective. Nodes to their owners, slots. */
static pen_status distribute(pen_run *run, const pen_graph *graph, pen_resume *resume, pen_order order)
{
    int32_t *owner = NULL;
    pen_status status = pen_agree(run->comm, PEN_ALLOC(&owner, graph->count));
    if (status == PEN_OK) status = choose_owners(run, graph, resume, owner);
    if (status == PEN_OK)
        status = pen_store_create(run->comm, graph, owner, order,
                                  run->strict ? pen_strict_fields(run) : run->app->fields.list,
                                  run->strict ? 2 * run->app->fields.count : run->app->fields.count, &run->store);
    free(owner);
    /* In the strict mode transient records are marked as meaningless, and the marks must be kept. */
    if (status == PEN_OK && !run->strict) run->store->transient = pen_app_transient(run->app);
    if (status == PEN_OK) status = pen_agree(run->comm, make_edges(run));
    if (status == PEN_OK) status = pen_run_quality(run, &run->quality);
    pen_return_freed(); /* which the partitioner has freed */
    return status;
}

static pen_status check_arguments(MPI_Comm comm, const pen_graph *graph, const pen_app *app, pen_run **run)
{
    PEN_ARGUMENT(graph && app && run, "pen_run_create needs a graph, an application and a pointer to the run");
    int relation = MPI_UNEQUAL;
    PEN_MPI(MPI_Comm_compare(comm, graph->comm->mpi, &relation));
    PEN_ARGUMENT(relation == MPI_IDENT || relation == MPI_CONGRUENT,
                 "graph and run have communicators of different ranks");
    return PEN_OK;
}

/* Local. Let the application complete its description, including the sizes of its fields. */
static pen_status set_up(pen_run *run)
{
    pen_app *app = run->app;
    size_t sizes[PEN_MOST_FIELDS];
    for (int f = 0; f < app->fields.count; f++) sizes[f] = app->fields.list[f].size;
    pen_world world = run->world;
    world.field_sizes = sizes;
    const char *complaint = app->setup ? app->setup(app->params, &world) : NULL;
    if (complaint) return pen_fail(PEN_ERR_INPUT, "%s: %s", app->name, complaint);
    return pen_app_settle(app, sizes);
}

/* Local. .setup gets the world of the run's beginning, except for the number of ranks; the application gets its own
 * saved data back. */
static pen_status resume_world(pen_run *run, pen_resume *resume)
{
    const pen_app *app = run->app;
    const pen_checkpoint_state *saved = &resume->saved;
    const int ranks = run->world.ranks;
    const uint64_t seed = run->world.seed;
    int64_t steps = run->world.steps;
    PEN_TRY(pen_resume_belongs(resume, app, seed));
    if (run->verifies) PEN_TRY(pen_resume_verifies(resume));
    PEN_TRY(pen_resume_steps(resume, app, &steps));
    run->world = saved->world;
    run->world.seed = seed;
    run->world.steps = steps;
    run->world.ranks = ranks;
    if (!saved->own || !app->checkpoint.restore) return PEN_OK;
    const char *complaint = app->checkpoint.restore(app->params, saved->own);
    if (!complaint) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "%s: %s: %s", resume->file.path, app->name, complaint);
}

/* Rank 0. */
static pen_status note_reads(pen_run *run, const pen_source *from, const pen_run_options *options)
{
    const char *resume = from->resume ? from->resume->file.path : NULL;
    PEN_TRY(pen_resume_files(run->app, options, from->graph->origin, resume, NULL, 0, &run->reads));
    return pen_resume_contents(from->resume, &run->reads, run->app, &run->contents);
}

/* Local. Copy the caller's options and application, check them, and call .setup. */
static pen_status adopt(pen_run *run, const pen_source *from, const pen_run_options *theirs, pen_run_options *options)
{
    const pen_graph *graph = from->graph;
    PEN_TRY(pen_run_options_adopt(theirs, options));
    PEN_TRY(pen_app_copy(from->app, &run->app));
    PEN_TRY(pen_app_check(run->app));
    PEN_TRY(pen_app_keep_inputs(run->app));
    PEN_TRY(create_local(run, graph, options));
    if (from->graph_settings) PEN_TRY(pen_copy_text(from->graph_settings, &run->graph_settings));
    if (options->params) run->app->params = options->params;
    run->world = pen_graph_world(graph);
    run->world.seed = options->seed;
    run->world.steps = options->steps;
    run->verifies = options->debug.verify;
    run->resumed = from->resume ? from->resume->saved.step : -1;
    PEN_TRY(pen_resume_accept(from->resume, run->app, options->checkpoint.accept));
    if (from->resume) PEN_TRY(resume_world(run, from->resume));
    PEN_TRY(set_up(run));
    if (from->resume) PEN_TRY(pen_resume_check(from->resume, run->app));
    PEN_TRY(pen_members_fit(run->app));
    run->out = graph->comm->rank == 0 ? options->out : NULL;
    PEN_TRY(pen_parts_open(run, options, from->word_count, from->words));
    if (graph->comm->rank == 0) PEN_TRY(note_reads(run, from, options));
    if (from->resume) PEN_TRY(pen_copy_text(from->resume->accepted, &run->accepted));
    if (options->debug.strict) PEN_TRY(pen_strict_create(run));
    return PEN_OK;
}

/* Collective, when nodes have slots and halos. Make the first state, or restore that of the checkpoint. */
static pen_status begin(pen_run *run, const pen_source *from, const pen_run_options *options)
{
    pen_run_bind(run);
    if (from->resume) PEN_TRY(pen_resume_state(run, from->resume, options));
    else PEN_TRY(pen_run_initialize(run, options));
    return pen_parts_ready(run, options);
}

/* Collective. Parts may give the graph other coordinates. */
static pen_status deal_out(pen_run *run, const pen_source *from, const pen_run_options *options)
{
    pen_graph graph = *from->graph;
    pen_status status = pen_parts_create(run, options, &graph);
    run->graph_sum = pen_graph_sum(&graph);
    if (status == PEN_OK) status = distribute(run, &graph, from->resume, options->order);
    if (graph.coordinates != from->graph->coordinates) free(graph.coordinates);
    return status;
}

/* Collective. Build the run from the parts that each rank has prepared. */
static pen_status build(pen_run *r, const pen_source *from, const pen_run_options *options)
{
    pen_comm *own = r->comm;
    PEN_TRY(pen_checkpointing_create(own, &options->checkpoint, from->resume, &r->checkpointing));
    if (r->machine_name) PEN_TRY(pen_machine_open(own, r->machine_name, own->size, &r->machine));
    PEN_TRY(deal_out(r, from, options));
    PEN_TRY(pen_connect(r->store, options->transport, pen_run_carried(r, pen_app_reads(r->app)), &r->timers,
                        options->debug.explain, &r->halo));
    PEN_TRY(pen_parts_begin(r, options));
    if (pen_app_modifies(r->app))
        PEN_TRY(pen_agree(own, pen_app_changes(r->app, r->store->field_count, r->store->sizes, &r->changes)));
    return begin(r, from, options);
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
    if (status == PEN_OK) status = adopt(r, from, theirs, &options);
    status = pen_run_options_agree(own, status, &options);
    if (status == PEN_OK) status = pen_app_agree(own, status, r->app);
    if (!r) {
        pen_comm_destroy(&own);
        return status;
    }
    r->resident = resident;
    r->seed = options.seed;
    pen_timers_start(&r->timers);
    if (status == PEN_OK) status = build(r, from, &options);
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
    if (r->stepping) pen_die("%s: pen_run_destroy within pen_run_steps", r->app->name);
    PEN_WITHIN("pen_run_destroy");
    pen_parts_finish(r);
    pen_checkpointing_destroy(&r->checkpointing, pen_run_is_over(r));
    pen_reach_destroy(&r->reach);
    pen_far_destroy(&r->far);
    pen_reads_free(&r->reads);
    pen_run_end_inputs(r);
    pen_strict_destroy(&r->strict);
    pen_changes_destroy(&r->changes);
    pen_graph_destroy(&r->origin);
    pen_machine_destroy(&r->machine);
    free(r->machine_name);
    pen_run_close(r);
    free(r);
    *run = NULL;
}

/* create.c - the beginning and the end of a run. */
#include "store/create.h"
#include "balance/partitioners.h"
#include "base/abi.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/resident.h"
#include "halo/connect.h"
#include "halo/delays.h"
#include "partition/partition.h"
#include "run/balance.h"
#include "run/edge_data.h"
#include "run/far.h"
#include "run/loads.h"
#include "run/migrate.h"
#include "run/observables.h"
#include "run/quality.h"
#include "run/reach.h"
#include "run/record.h"
#include "run/reporting.h"
#include "run/steps.h"
#include "run/strict.h"
#include "store/ordering.h"

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static pen_status create_local(pen_run *run, const pen_graph *graph, const pen_run_options *options)
{
    run->first_edges = run->edges = graph->edges;
    run->nodes = graph->nodes;
    run->graph_sum = pen_graph_sum(graph);
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
    for (int e = 0; e < app->edge_field_count; e++) sizes[e] = app->edge_fields[e].size;
    PEN_TRY(pen_store_describe_edges(store, app->edge_field_count, sizes));
    PEN_TRY(pen_store_lay_edges(store, store->rows[store->owned], false));
    for (int e = 0; e < store->edge_field_count; e++) memset(store->edges[e], 0, store->rows[store->owned] * sizes[e]);
    return PEN_OK;
}

/* Collective. Nodes to their owners, slots. */
static pen_status distribute(pen_run *run, const pen_graph *graph, pen_order order)
{
    int32_t *owner = NULL;
    pen_status status = pen_agree(run->comm, PEN_ALLOC(&owner, graph->count));
    if (status == PEN_OK) status = pen_partition(graph, run->partitioner, run->machine, run->comm->size, owner);
    if (status == PEN_OK)
        status = pen_partition_dilation(graph, run->partitioner, run->comm->size, owner, &run->dilation);
    if (status == PEN_OK)
        status = pen_store_create(run->comm, graph, owner, order,
                                  run->strict ? pen_strict_fields(run) : run->app->fields,
                                  run->strict ? 2 * run->app->field_count : run->app->field_count, &run->store);
    free(owner);
    /* In the strict mode it is told that they mean nothing: that must not come to nothing. */
    if (status == PEN_OK && !run->strict) run->store->transient = run->app->transient;
    if (status == PEN_OK) status = pen_agree(run->comm, make_edges(run));
    if (status == PEN_OK) status = pen_run_quality(run, &run->quality);
#ifdef __GLIBC__
    malloc_trim(0); /* glibc would keep what a partitioner has freed, up to 32 MiB a block, for good */
#endif
    return status;
}

static pen_status check_arguments(MPI_Comm comm, const pen_graph *graph, const pen_app *app)
{
    PEN_TRY(pen_mpi_ready());
    PEN_ARGUMENT(comm != MPI_COMM_NULL, "the communicator is MPI_COMM_NULL");
    PEN_ARGUMENT(graph && app, "pen_run_create needs a graph and an application");
    int relation = MPI_UNEQUAL;
    PEN_MPI(MPI_Comm_compare(comm, graph->comm->mpi, &relation));
    PEN_ARGUMENT(relation == MPI_IDENT || relation == MPI_CONGRUENT, "the graph lives on other ranks than the run");
    return PEN_OK;
}

/* Local. The application completes what it has, the sizes of its fields included. */
static pen_status set_up(pen_run *run)
{
    pen_app *app = run->app;
    size_t sizes[PEN_MOST_FIELDS];
    for (int f = 0; f < app->field_count; f++) sizes[f] = app->fields[f].size;
    pen_world world = run->world;
    world.field_sizes = sizes;
    const char *complaint = app->setup ? app->setup(app->params, &world) : NULL;
    if (complaint) return pen_fail(PEN_ERR_INPUT, "%s: %s", app->name, complaint);
    return pen_app_settle(app, sizes);
}

/* Collective. */
static pen_status check_equal(pen_comm *comm, const pen_run_options *o)
{
    const struct {
        const char *name, *value;
    } texts[] = { { "partitioner", o->partitioner },       { "order", o->order },
                  { "transport", o->transport },           { "balancer", o->balancer },
                  { "balance_when", o->balance_when },     { "load", o->load },
                  { "balance_cost", o->balance_cost },     { "until", o->until },
                  { "observables", o->observables },       { "edge_data", o->edge_data },
                  { "migrate_random", o->migrate_random }, { "machine", o->machine },
                  { "network_delay", o->network_delay },   { "record", o->record } };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        PEN_TRY(pen_equal_text(comm, texts[i].name, texts[i].value));
    PEN_TRY(pen_equal_int(comm, "steps", o->steps));
    PEN_TRY(pen_equal_int(comm, "seed", (int64_t)o->seed));
    PEN_TRY(pen_equal_int(comm, "strict", o->strict));
    PEN_TRY(pen_equal_int(comm, "verify", o->verify));
    return pen_equal_int(comm, "trace", o->trace);
}

/* Local. What the caller hands over, as ours; its settings are checked, and it is set up. */
static pen_status adopt(pen_run *run, const pen_abi *abi, const pen_graph *graph, const pen_app *app,
                        const pen_run_options *theirs, pen_run_options *options, pen_order *order)
{
    pen_abi sizes = pen_abi_of(abi);
    if (theirs) PEN_TRY(pen_adopt("pen_run_options", theirs, sizes.run_options, options, sizeof *options));
    PEN_TRY(pen_ordering_read(options->order, order));
    PEN_TRY(pen_app_adopt(abi, app, &run->app));
    PEN_TRY(pen_app_check(run->app));
    PEN_TRY(create_local(run, graph, options));
    if (options->params) run->app->params = options->params;
    run->world = pen_graph_world(graph);
    run->world.seed = options->seed;
    run->world.steps = options->steps;
    run->verifies = options->verify;
    PEN_TRY(set_up(run));
    PEN_TRY(pen_observables_check(run->app, options));
    PEN_TRY(pen_reporting_start(options, graph->comm->rank == 0, &run->reporting));
    run->out = graph->comm->rank == 0 ? options->out : NULL;
    if (options->migrate_random)
        PEN_TRY(pen_migration_read(options->migrate_random, &run->migration_seed, &run->migration_fraction));
    if (options->network_delay) PEN_TRY(pen_transport_two_sided("--network-delay", options->transport));
    if (options->edge_data) PEN_TRY(pen_edge_sources_create(run->app, options->edge_data, &run->edge_sources));
    if (options->strict) PEN_TRY(pen_strict_create(run));
    return pen_balance_create(run->app, options, &run->balance);
}

/* Collective. What every rank has settled by itself must be the same on all of them. */
static pen_status compare_sizes(pen_comm *comm, const pen_app *app)
{
    int64_t most[2 * PEN_MOST_FIELDS], mine[2 * PEN_MOST_FIELDS];
    for (int f = 0; f < app->field_count; f++) {
        mine[2 * f] = (int64_t)app->fields[f].size;
        mine[2 * f + 1] = -mine[2 * f];
    }
    PEN_MPI(MPI_Allreduce(mine, most, 2 * app->field_count, MPI_INT64_T, MPI_MAX, comm->mpi));
    for (int f = 0; f < app->field_count; f++)
        PEN_ARGUMENT(most[2 * f] == -most[2 * f + 1],
                     "%s: .setup has settled field %s at %" PRId64 " bytes on some rank and at %" PRId64 " on another",
                     app->name, app->fields[f].name, -most[2 * f + 1], most[2 * f]);
    return PEN_OK;
}

pen_status pen_run_create_abi(const pen_abi *abi, MPI_Comm comm, const pen_graph *graph, const pen_app *app,
                              const pen_run_options *theirs, pen_run **run)
{
    PEN_C_LOCALE;
    PEN_TRY(check_arguments(comm, graph, app));
    double start = pen_seconds_now();
    int64_t resident = pen_resident_now();
    pen_run_options options = { .partitioner = NULL };
    pen_order order = PEN_ORDER_AUTO;
    pen_comm *own = NULL;
    PEN_TRY(pen_comm_create(comm, &own));
    pen_run *r = NULL;
    pen_status status = PEN_ALLOC_ZERO(&r, 1);
    if (status == PEN_OK) status = adopt(r, abi, graph, app, theirs, &options, &order);
    status = pen_agree(own, status);
    if (status == PEN_OK) status = check_equal(own, &options);
    if (status == PEN_OK && r->app->setup) status = compare_sizes(own, r->app);
    if (!r) {
        pen_comm_destroy(&own);
        return status;
    }
    r->comm = own;
    r->resident = resident;
    r->seed = options.seed;
    pen_timers_start(&r->timers);
    pen_history_start(&r->history);
    pen_history_start(&r->changed.history);
    if (status == PEN_OK && r->machine_name) status = pen_machine_open(own, r->machine_name, own->size, &r->machine);
    if (status == PEN_OK && options.network_delay) status = pen_delays_create(own, options.network_delay, &r->delays);
    if (status == PEN_OK) status = distribute(r, graph, order);
    if (status == PEN_OK)
        status = pen_connect(r->store, options.transport, pen_run_carried(r, pen_app_reads(r->app)), &r->timers,
                             options.explain, &r->halo);
    if (status == PEN_OK) r->halo->delays = r->delays;
    if (status == PEN_OK && r->balance) status = pen_balance_begin(r);
    if (status == PEN_OK && pen_app_modifies(r->app))
        status = pen_agree(own, pen_changes_create(r->store->field_count, r->store->sizes, &r->changes));
    if (status != PEN_OK) {
        pen_run_destroy(&r);
        return status;
    }
    pen_run_bind(r);
    status = pen_run_initialize(r, &options);
    if (status == PEN_OK && options.record) status = pen_record_begin(r, options.record);
    if (status != PEN_OK) {
        pen_run_destroy(&r);
        return status;
    }
    r->timers.init = pen_seconds_now() - start;
    if (options.trace) status = pen_trace_create(own, &r->trace);
    if (status == PEN_OK && MPI_Barrier(own->mpi) != MPI_SUCCESS) /* what others still set up is no part of the steps */
        status = pen_fail(PEN_ERR_MPI, "MPI_Barrier failed");
    if (status == PEN_OK) *run = r;
    else pen_run_destroy(&r);
    return status;
}

void pen_run_destroy(pen_run **run)
{
    if (!run || !*run) return;
    pen_mpi_require("pen_run_destroy");
    pen_run *r = *run;
    if (r->record && pen_record_end(r) != PEN_OK && r->comm->rank == 0) pen_warn("%s", pen_error_message());
    pen_balance_destroy(&r->balance);
    pen_loads_destroy(&r->loads);
    pen_reach_destroy(&r->reach);
    pen_far_destroy(&r->far);
    pen_edge_sources_destroy(&r->edge_sources);
    pen_strict_destroy(&r->strict);
    pen_changes_destroy(&r->changes);
    pen_graph_destroy(&r->origin);
    pen_machine_destroy(&r->machine);
    free(r->machine_name);
    pen_delays_destroy(&r->delays);
    pen_run_close(r);
    free(r);
    *run = NULL;
}

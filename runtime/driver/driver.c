/* driver.c - pen_main: the command line that every application shares. */
#include "balance/partitioners.h"
#include "base/environment.h"
#include "base/options.h"
#include "base/output.h"
#include "driver/metrics.h"
#include "driver/verify.h"
#include "graph/generators.h"
#include "graph/graph_options.h"
#include "halo/connect.h"
#include "observe/progress.h"
#include "run/balance.h"

#include <stdlib.h>

#ifndef PEN_VERSION
#error "the build defines PEN_VERSION"
#endif

enum { EXIT_DIFFERENCE = 1 };

typedef struct command {
    pen_graph_options graph;
    int64_t steps;
    const char *partitioner, *balancer, *balance_when, *load, *balance_cost, *transport, *migrate_random;
    bool verify;
    const char *dump, *metrics, *observables, *trace, *progress;
    bool explain, quiet, help, version, list_partitioners, list_balancers, list_transports;
} command;

/* What the hook after every step needs. */
typedef struct reporting {
    const command *command;
    pen_progress progress;
} reporting;

/* A column holds what most numbers of its kind need. */
static int column_width(const pen_observable *observable)
{
    int number = pen_observable_is_int(observable->kind) ? 10 : 24, name = (int)strlen(observable->name);
    return number > name ? number : name;
}

static void print_observables(const pen_run *run)
{
    const pen_observable *table = run->app->observables;
    if (run->step == 1) {
        printf("%10s", "step");
        for (int i = 0; i < run->app->observable_count; i++) printf(" %*s", column_width(&table[i]), table[i].name);
        putchar('\n');
    }
    printf("%10" PRId64, run->step);
    for (int i = 0; i < run->app->observable_count; i++) {
        char text[64];
        pen_observation_text(run->observation, i, text, sizeof text);
        printf(" %*s", column_width(&table[i]), text);
    }
    putchar('\n');
}

static void after_step(pen_run *run, void *context)
{
    reporting *r = (reporting *)context;
    if (run->comm->rank != 0) return;
    if (run->app->observable_count > 0 && !r->command->quiet) print_observables(run);
    pen_progress_show(&r->progress, run->step);
}

static pen_status verify(pen_run *run, const pen_graph *graph, const command *c, int *exit)
{
    int64_t differences;
    char message[512];
    PEN_TRY(pen_verify(run, graph, &differences, message, sizeof message));
    if (differences > 0) *exit = EXIT_DIFFERENCE;
    if (run->comm->rank != 0) return PEN_OK;
    if (differences > 0)
        fprintf(stderr, "%s: --verify: %" PRId64 " differences, the first: %s\n", run->app->name, differences, message);
    else if (!c->quiet)
        printf("verified    equal to the serial computation\n");
    return PEN_OK;
}

static pen_status write_trace(const pen_run *run, const char *path, bool speaks)
{
    int64_t dropped;
    PEN_TRY(pen_trace_write(run->comm, run->trace, run->app->name, pen_timers_scale(&run->timers), path, &dropped));
    if (speaks) printf("trace       %s\n", path);
    if (dropped > 0 && run->comm->rank == 0)
        pen_warn("the trace lacks the last %" PRId64 " events: a rank keeps %d", dropped, PEN_TRACE_EVENTS);
    return PEN_OK;
}

/* Reports and files of a finished run. */
static pen_status report(pen_run *run, const command *c)
{
    pen_report summary;
    pen_status status = pen_report_create(run, &summary);
    bool speaks = run->comm->rank == 0 && !c->quiet;
    if (status == PEN_OK && speaks) pen_report_print(run, &summary, stdout);
    if (status == PEN_OK && c->dump) {
        status = pen_run_dump(run, c->dump);
        if (status == PEN_OK && speaks) printf("dump        %s\n", c->dump);
    }
    if (status == PEN_OK && c->metrics) {
        status = pen_report_write(run, &summary, c->metrics);
        if (status == PEN_OK && speaks) printf("metrics     %s\n", c->metrics);
    }
    if (status == PEN_OK && c->observables) {
        status = pen_report_observables(run, c->observables);
        if (status == PEN_OK && speaks) printf("observables %s\n", c->observables);
    }
    pen_report_free(&summary);
    if (status == PEN_OK && c->trace) status = write_trace(run, c->trace, speaks);
    return status;
}

static pen_status parse_migration(const char *text, uint64_t *seed, double *fraction)
{
    char digits[32];
    size_t length = strcspn(text, ":");
    int64_t number;
    *fraction = 0.1;
    if (length < sizeof digits) {
        memcpy(digits, text, length);
        digits[length] = '\0';
        bool right = pen_parse_int(digits, &number) &&
                     (text[length] == '\0' || pen_parse_real(text + length + 1, fraction));
        *seed = right ? (uint64_t)number : 0;
        if (right && *fraction >= 0.0 && *fraction <= 1.0) return PEN_OK;
    }
    return pen_fail(PEN_ERR_INPUT, "--migrate-random=%s: it is SEED or SEED:PART, PART from 0 to 1", text);
}

static pen_status execute(pen_run *run, const pen_graph *graph, const command *c, int *exit)
{
    reporting r = { .command = c };
    PEN_TRY(pen_progress_start(c->progress, run->comm->rank == 0 && !c->quiet, c->steps, &r.progress));
    if (r.progress.on || (run->app->observable_count > 0 && !c->quiet)) {
        run->after_step = after_step;
        run->context = &r;
    }
    if (c->migrate_random) PEN_TRY(parse_migration(c->migrate_random, &run->migration_seed, &run->migration_fraction));
    run->out = run->comm->rank == 0 && !c->quiet ? stdout : NULL;
    if (c->trace) PEN_TRY(pen_trace_create(run->comm, &run->trace));
    PEN_MPI(MPI_Barrier(run->comm->mpi)); /* so that what others still set up is not part of the steps' time */
    PEN_TRY(pen_run_steps(run, c->steps));
    pen_progress_end(&r.progress);
    PEN_TRY(report(run, c));
    return c->verify ? verify(run, graph, c, exit) : PEN_OK;
}

/* What can be found out before anything is read or computed. */
static pen_status check_modes(pen_comm *comm, const pen_app *app, const command *c)
{
    pen_progress unused;
    uint64_t seed;
    double fraction;
    PEN_TRY(pen_progress_start(c->progress, false, 0, &unused));
    if (c->migrate_random) PEN_TRY(parse_migration(c->migrate_random, &seed, &fraction));
    if ((c->dump || c->verify) && !app->print)
        return pen_fail(PEN_ERR_INPUT, "%s: --dump and --verify need an application that prints its nodes", app->name);
    if (c->dump) PEN_TRY(pen_output_check(comm, c->dump));
    if (c->metrics) PEN_TRY(pen_output_check(comm, c->metrics));
    if (c->observables && app->observable_count == 0)
        return pen_fail(PEN_ERR_INPUT, "%s: --observables needs an application that has some", app->name);
    if (c->observables) PEN_TRY(pen_output_check(comm, c->observables));
    if (c->trace) PEN_TRY(pen_output_check(comm, c->trace));
    return PEN_OK;
}

static pen_status run_command(pen_comm *comm, const pen_app *app, const command *c, int *exit)
{
    PEN_TRY(check_modes(comm, app, c));
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    pen_status status = pen_graph_options_read(comm, &c->graph, &graph);
    if (status == PEN_OK) {
        pen_run_options options = { .partitioner = c->partitioner,
                                    .transport = c->transport,
                                    .steps = c->steps,
                                    .balancer = c->balancer,
                                    .balance_when = c->balance_when,
                                    .load = c->load,
                                    .balance_cost = c->balance_cost,
                                    .explain = c->explain ? stdout : NULL };
        status = pen_run_create(comm->mpi, graph, app, &options, &run);
    }
    if (!c->verify) pen_graph_destroy(&graph);
    if (status == PEN_OK) status = execute(run, graph, c, exit);
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
    return status;
}

/* The requests that end before there is a graph. */
static bool answer(int rank, const pen_app *app, const command *c, const pen_option_group *groups, int count)
{
    if (!c->help && !c->version && !c->graph.list_generators && !c->list_partitioners && !c->list_balancers &&
        !c->list_transports)
        return false;
    if (rank != 0) return true;
    if (c->help) {
        printf("Usage: mpirun -n RANKS %s [OPTION ...]\n", app->name);
        if (app->default_graph) printf("Without a graph option: --%s\n", app->default_graph);
        pen_options_print(stdout, groups, count);
    } else if (c->version) {
        char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
        int length;
        MPI_Get_library_version(library, &length);
        printf("penumbra %s\n%s\n", PEN_VERSION, library);
    } else if (c->graph.list_generators) {
        pen_generators_list(stdout);
    } else if (c->list_partitioners) {
        pen_partition_list(stdout);
    } else if (c->list_balancers) {
        pen_balancer_list(stdout);
    } else {
        pen_transport_list(stdout);
    }
    return true;
}

static pen_status parse(const pen_app *app, int argc, char **argv, const pen_option_group *groups, int count,
                        const command *c, char *default_graph, size_t size)
{
    PEN_TRY(pen_options_parse(argc, argv, groups, count));
    if (pen_graph_options_named(&c->graph) || !app->default_graph) return PEN_OK;
    snprintf(default_graph, size, "--%s", app->default_graph);
    char *arguments[] = { argv[0], default_graph };
    return pen_options_parse(2, arguments, groups, count);
}

static int run_program(pen_comm *comm, const pen_app *app, int argc, char **argv)
{
    command c = { .steps = 100, .progress = "auto" };
    pen_graph_options_start(&c.graph);
    const pen_option run_options[] = {
        { "steps", "N", "steps to run (100)", PEN_OPTION_INT, &c.steps, 0, INT64_MAX },
        { "iterations", "N", "the same", PEN_OPTION_INT, &c.steps, 0, INT64_MAX },
        { "partitioner", "NAME[:SETTINGS]", "how nodes are given to ranks (metis)", PEN_OPTION_TEXT, &c.partitioner, 0,
          0 },
        { "list-partitioners", NULL, "list them", PEN_OPTION_FLAG, &c.list_partitioners, 0, 0 },
        { "balancer", "NAME[:SETTINGS]",
          "how nodes move to ranks with less load while the run goes on (none); a path: a plug-in", PEN_OPTION_TEXT,
          &c.balancer, 0, 0 },
        { "list-balancers", NULL, "list them", PEN_OPTION_FLAG, &c.list_balancers, 0, 0 },
        { "balance-when", "WHEN", "auto (default): when it pays; every:N: after every N steps", PEN_OPTION_TEXT,
          &c.balance_when, 0, 0 },
        { "load", "KIND", "measured (default): seconds in node functions; declared: by the application, reproducible",
          PEN_OPTION_TEXT, &c.load, 0, 0 },
        { "balance-cost", "BASE[:PER_NODE]",
          "declared cost of a balancer's call, and per node that the busiest rank moves (5% of a mean rank's step, "
          "half a mean node)",
          PEN_OPTION_TEXT, &c.balance_cost, 0, 0 },
        { "comm", "NAME", "the transport (fence); auto: the fastest here", PEN_OPTION_TEXT, &c.transport, 0, 0 },
        { "explain-comm", NULL, "print what gets cost here, and how the pulls are planned", PEN_OPTION_FLAG, &c.explain,
          0, 0 },
        { "list-comm", NULL, "list them", PEN_OPTION_FLAG, &c.list_transports, 0, 0 },
        { "migrate-random", "SEED[:PART]", "before every step move this part (0.1) of the nodes to random ranks",
          PEN_OPTION_TEXT, &c.migrate_random, 0, 0 },
        { "verify", NULL, "recompute serially and compare; exit status 1 on any difference", PEN_OPTION_FLAG, &c.verify,
          0, 0 },
        { .name = NULL },
    };
    const pen_option output_options[] = {
        { "dump", "FILE", "write \"gid text\" per node, ascending gid", PEN_OPTION_TEXT, &c.dump, 0, 0 },
        { "metrics", "FILE", "write times, partition, halo and observables as JSON", PEN_OPTION_TEXT, &c.metrics, 0,
          0 },
        { "observables", "FILE", "write the observables of every step as CSV", PEN_OPTION_TEXT, &c.observables, 0, 0 },
        { "trace", "FILE", "write what every rank did when, for Perfetto or chrome://tracing", PEN_OPTION_TEXT,
          &c.trace, 0, 0 },
        { "progress", "MODE", "progress line on standard error: auto (on a terminal, default), on, off",
          PEN_OPTION_TEXT, &c.progress, 0, 0 },
        { "quiet", NULL, "print nothing but errors", PEN_OPTION_FLAG, &c.quiet, 0, 0 },
        { "help", NULL, "print this", PEN_OPTION_FLAG, &c.help, 0, 0 },
        { "version", NULL, "print the versions of Penumbra and MPI", PEN_OPTION_FLAG, &c.version, 0, 0 },
        { .name = NULL },
    };
    const pen_option_group groups[] = {
        { "Graph", c.graph.table },
        { "Run", run_options },
        { "Output", output_options },
        { app->name, app->options },
    };
    const int count = PEN_COUNT_OF(groups);
    char default_graph[256];
    int exit = 0;
    pen_status status = parse(app, argc, argv, groups, count, &c, default_graph, sizeof default_graph);
    if (status == PEN_OK) {
        if (answer(comm->rank, app, &c, groups, count)) return 0;
        status = run_command(comm, app, &c, &exit);
    }
    if (status == PEN_OK) return exit;
    if (comm->rank == 0) fprintf(stderr, "%s: %s\n", app->name, pen_error_message());
    return pen_exit_status(status);
}

int pen_main(const pen_app *app, int argc, char **argv)
{
    pen_environment_prepare();
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS) {
        fprintf(stderr, "%s: MPI_Init failed\n", app->name);
        return pen_exit_status(PEN_ERR_MPI);
    }
    pen_comm *comm = NULL;
    pen_status status = pen_comm_create(MPI_COMM_WORLD, &comm);
    int result = pen_exit_status(status);
    if (status == PEN_OK)
        result = run_program(comm, app, argc, argv);
    else
        fprintf(stderr, "%s: %s\n", app->name, pen_error_message());
    pen_comm_destroy(&comm);
    MPI_Finalize();
    return result;
}

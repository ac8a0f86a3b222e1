#include "driver/options.h"
#include "balance/partitioners.h"
#include "balance/registry.h"
#include "base/output.h"
#include "graph/generators.h"
#include "halo/connect.h"
#include "observe/progress.h"

#ifndef PEN_VERSION
#error "the build defines PEN_VERSION"
#endif

static void fill_run_table(pen_command *c)
{
    const pen_option run_options[] = {
        { "steps", "N", "steps to run (100)", PEN_OPTION_INT, &c->run.steps, 0, INT64_MAX },
        { "iterations", "N", "the same", PEN_OPTION_INT, &c->run.steps, 0, INT64_MAX },
        { "partitioner", "NAME[:SETTINGS]", "how nodes are given to ranks (metis)", PEN_OPTION_TEXT,
          &c->run.partitioner, 0, 0 },
        { "list-partitioners", NULL, "list them", PEN_OPTION_FLAG, &c->list_partitioners, 0, 0 },
        { "balancer", "NAME[:SETTINGS]",
          "how nodes move to ranks with less load while the run goes on (none); a path: a plug-in", PEN_OPTION_TEXT,
          &c->run.balancer, 0, 0 },
        { "list-balancers", NULL, "list them", PEN_OPTION_FLAG, &c->list_balancers, 0, 0 },
        { "balance-when", "WHEN", "auto (default): when it pays; every:N: after every N steps", PEN_OPTION_TEXT,
          &c->run.balance_when, 0, 0 },
        { "load", "KIND", "measured (default): seconds in node functions; declared: by the application, reproducible",
          PEN_OPTION_TEXT, &c->run.load, 0, 0 },
        { "balance-cost", "BASE[:PER_NODE]",
          "declared cost of a balancer's call, and per node that the busiest rank moves (5% of a mean rank's step, "
          "half a mean node)",
          PEN_OPTION_TEXT, &c->run.balance_cost, 0, 0 },
        { "comm", "NAME", "the transport (fence); auto: the fastest here", PEN_OPTION_TEXT, &c->run.transport, 0, 0 },
        { "explain-comm", NULL, "print what gets cost here, and how the pulls are planned", PEN_OPTION_FLAG,
          &c->explain, 0, 0 },
        { "list-comm", NULL, "list them", PEN_OPTION_FLAG, &c->list_transports, 0, 0 },
        { "migrate-random", "SEED[:PART]", "before every step move this part (0.1) of the nodes to random ranks",
          PEN_OPTION_TEXT, &c->migrate_random, 0, 0 },
        { "verify", NULL, "recompute serially and compare; exit status 1 on any difference", PEN_OPTION_FLAG,
          &c->verify, 0, 0 },
    };
    _Static_assert(sizeof run_options / sizeof *run_options == PEN_RUN_OPTION_COUNT, "an entry each");
    memcpy(c->run_table, run_options, sizeof run_options);
}

static void fill_file_table(pen_command *c)
{
    const pen_option file_options[] = {
        { "dump", "FILE", "write \"gid text\" per node, ascending gid", PEN_OPTION_TEXT, &c->dump, 0, 0 },
        { "metrics", "FILE", "write times, partition, halo and observables as JSON", PEN_OPTION_TEXT, &c->metrics, 0,
          0 },
        { "observables", "FILE", "write the observables of every step as CSV", PEN_OPTION_TEXT, &c->observables, 0, 0 },
        { "trace", "FILE", "write what every rank did when, for Perfetto or chrome://tracing", PEN_OPTION_TEXT,
          &c->trace, 0, 0 },
        { "progress", "MODE", "progress line on standard error: auto (on a terminal, default), on, off",
          PEN_OPTION_TEXT, &c->progress, 0, 0 },
        { "quiet", NULL, "print nothing but errors", PEN_OPTION_FLAG, &c->quiet, 0, 0 },
        { "help", NULL, "print this", PEN_OPTION_FLAG, &c->help, 0, 0 },
        { "version", NULL, "print the versions of Penumbra and MPI", PEN_OPTION_FLAG, &c->version, 0, 0 },
    };
    _Static_assert(sizeof file_options / sizeof *file_options == PEN_FILE_OPTION_COUNT, "an entry each");
    memcpy(c->file_table, file_options, sizeof file_options);
}

pen_status pen_command_read(const pen_app *app, int argc, char **argv, pen_command *c)
{
    *c = (pen_command){ .run = { .steps = 100 }, .progress = "auto" };
    pen_graph_options_start(&c->graph);
    fill_run_table(c);
    fill_file_table(c);
    const pen_option_group groups[] = {
        { "Graph", c->graph.table }, { "Run", c->run_table }, { "Output", c->file_table }, { app->name, app->options }
    };
    memcpy(c->groups, groups, sizeof groups);
    PEN_TRY(pen_options_parse(argc, argv, c->groups, PEN_OPTION_GROUP_COUNT));
    c->run.explain = c->explain ? stdout : NULL;
    if (pen_graph_options_named(&c->graph) || !app->default_graph) return PEN_OK;
    snprintf(c->default_graph, sizeof c->default_graph, "--%s", app->default_graph);
    char *arguments[] = { argv[0], c->default_graph };
    return pen_options_parse(2, arguments, c->groups, PEN_OPTION_GROUP_COUNT);
}

bool pen_command_answer(const pen_command *c, const pen_app *app, int rank)
{
    if (!c->help && !c->version && !c->graph.list_generators && !c->list_partitioners && !c->list_balancers &&
        !c->list_transports)
        return false;
    if (rank != 0) return true;
    if (c->help) {
        printf("Usage: mpirun -n RANKS %s [OPTION ...]\n", app->name);
        if (app->default_graph) printf("Without a graph option: --%s\n", app->default_graph);
        pen_options_print(stdout, c->groups, PEN_OPTION_GROUP_COUNT);
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

static pen_status parse_migration(const char *text, uint64_t *seed, double *fraction)
{
    char piece[32];
    const char *part = pen_text_cut(text, ':', piece, sizeof piece);
    int64_t number;
    *fraction = 0.1;
    bool right = pen_parse_int(piece, &number) && (!part || pen_parse_real(part, fraction));
    if (!right || *fraction < 0.0 || *fraction > 1.0)
        return pen_fail(PEN_ERR_INPUT, "--migrate-random=%s: it is SEED or SEED:PART, PART from 0 to 1", text);
    *seed = (uint64_t)number;
    return PEN_OK;
}

pen_status pen_command_check(pen_command *c, const pen_app *app, pen_comm *comm)
{
    pen_progress unused;
    PEN_TRY(pen_progress_start(c->progress, false, 0, &unused));
    if (c->migrate_random) PEN_TRY(parse_migration(c->migrate_random, &c->migration_seed, &c->migration_fraction));
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

#include "driver/options.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/output.h"
#include "checkpoint/resume.h"
#include "driver/version.h"
#include "input/files.h"
#include "observables/reporting.h"
#include "results/results.h"
#include "run/app.h"
#include "run/observables.h"
#include "run/reads.h"

#include <stdlib.h>

/* NOT_GIVEN: a value that --steps and --seed cannot have. */
enum { NOT_GIVEN = -1, USUAL_STEPS = 100, USUAL_SEED = 1 };

/* The number of steps if the command line has neither --steps nor --until. */
static int64_t default_steps(const pen_app *app)
{
    if (app->end.steps > 0) return app->end.steps;
    return app->end.done ? PEN_UNLIMITED : USUAL_STEPS;
}

static void describe_steps(const pen_app *app, char *help, size_t size)
{
    int64_t steps = default_steps(app);
    if (steps == PEN_UNLIMITED) snprintf(help, size, "most steps to run (until it is done)");
    else snprintf(help, size, "most steps to run (%" PRId64 "; with --until no limit)", steps);
}

static void fill_run_table(pen_command *c)
{
    const pen_option run_options[] = {
        { "steps", "N", c->steps_help, PEN_OPTION_INT, &c->run.steps, 0, INT64_MAX },
        { "until", "OBSERVABLE<VALUE",
          "end after the first step after which this holds; also <=, >, >=; A<1,B>2: all of them", PEN_OPTION_TEXT,
          &c->run.until, 0, 0 },
        { "partitioner", "NAME[:SETTINGS]", "the algorithm that assigns nodes to ranks (metis)", PEN_OPTION_TEXT,
          &c->run.partitioner, 0, 0 },
        { "order", "NAME",
          "order of a rank's nodes in memory: natural (by number), rcm, hilbert, or auto (default): natural if "
          "neighbours have near numbers, otherwise the better one",
          PEN_OPTION_TEXT, &c->texts.order, 0, 0 },
        { "balancer", "NAME[:SETTINGS]",
          "the algorithm that moves nodes to ranks with less load during the run (none); a path: a plug-in",
          PEN_OPTION_TEXT, &c->run.balance.balancer, 0, 0 },
        { "balance-when", "WHEN",
          "auto (default): when it pays; every:N: after every N steps; change: after changes of the graph; every "
          "and change skip calls that cost more than they can gain, unless :always is appended",
          PEN_OPTION_TEXT, &c->texts.balance_when, 0, 0 },
        { "machine", "NAME[:SETTINGS]|FILE", "speeds of the processors, and the network between them (all equal)",
          PEN_OPTION_TEXT, &c->run.machine, 0, 0 },
        { "load", "KIND",
          "measured (default): seconds in node functions; declared: costs from the application, reproducible",
          PEN_OPTION_TEXT, &c->texts.load, 0, 0 },
        { "balance-cost", "BASE[:PER_NODE]",
          "cost of a balancer's call, in declared units, and per node that the busiest rank sends or gets (with a "
          "--machine with latencies, from messages and bytes; else 5% of the mean rank's load, half the mean node's)",
          PEN_OPTION_TEXT, &c->texts.balance_cost, 0, 0 },
        { "comm", "NAME[:SETTINGS]",
          "the transport (fence, also without NAME); auto: the fastest here; explain: print the hosts, packages and "
          "cores of the ranks, the cost of gets, and the plan of the pulls; delay=FILE: delay messages, to emulate a "
          "slow network: lines FROM TO SECONDS [PER_BYTE]",
          PEN_OPTION_TEXT, &c->comm, 0, 0 },
        { "list", PEN_LIST_WHAT, "print these names and their settings, and exit", PEN_OPTION_TEXT, &c->list, 0, 0 },
        { "seed", "N", "seed of the random numbers of a run (1; with --resume the checkpoint's)", PEN_OPTION_INT,
          &c->seed, 0, INT64_MAX },
        { "migrate-random", "SEED[:PART]", "before every step, move this part (0.1) of the nodes to random ranks",
          PEN_OPTION_TEXT, &c->texts.migrate_random, 0, 0 },
        { "verify", NULL, "recompute serially and compare; exit status 1 on any difference", PEN_OPTION_FLAG,
          &c->verify, 0, 0 },
        { "watchdog", "T",
          "the longest time that a step may take (30s, 10m, 2h), or the run ends with status 5; report (default): no "
          "limit, but after 10 minutes without progress print the activity of the ranks; off. It begins when all ranks "
          "have begun: one that is stopped before MPI_Init has ended is waited for without limit",
          PEN_OPTION_TEXT, &c->texts.watchdog, 0, 0 },
        { "check", NULL, "report illegal accesses of node functions with node, field and phase; exit status 1",
          PEN_OPTION_FLAG, &c->run.debug.strict, 0, 0 },
        { "input", "FILE|NAMES:FILE",
          "read values of nodes or edges, and coordinates (x, y, z), from CSV (NAMES: gid=COLUMN,...) or NumPy's .npy "
          "(NAMES: its columns); can be given several times",
          PEN_OPTION_TEXT, &c->run.input, 1, 0 }, /* several times */
    };
    _Static_assert(sizeof run_options / sizeof *run_options == PEN_RUN_OPTION_COUNT, "an entry each");
    memcpy(c->run_table, run_options, sizeof run_options);
}

static void fill_file_table(pen_command *c)
{
    const pen_option file_options[] = {
        { "dump", "FILE", "write a line \"gid text\" per node, in ascending order of gids", PEN_OPTION_TEXT, &c->dump,
          0, 0 },
        { "metrics", "FILE", "write times, partition, halo and observables as JSON", PEN_OPTION_TEXT, &c->metrics, 0,
          0 },
        { "observables", "FILE|-|-,FILE[:every=N]",
          "write the observables as CSV during the run, a line after every N-th step (1); -: print them; -,FILE: both",
          PEN_OPTION_TEXT, &c->observables, 0, 0 },
        { "output", "PATTERN",
          "write members of all nodes' records to .npy, .csv, .vtu, .pvtu or .pvd; may contain {step} and {name}",
          PEN_OPTION_TEXT, &c->run.output.path, 0, 0 },
        { "output-every", "N",
          "write --output before the first step, after every N-th and after the last (only after the last)",
          PEN_OPTION_INT, &c->run.output.every, 1, INT64_MAX },
        { "output-fields", "A,B", "the members that --output writes; also gid, owner, load", PEN_OPTION_TEXT,
          &c->run.output.fields, 0, 0 },
        { "record", "FILE", "write the data that balancers see in each step, for pen-sim", PEN_OPTION_TEXT,
          &c->run.output.record, 0, 0 },
        { "checkpoint", "DIR",
          "write checkpoints into this folder (shm: the hosts' memory), also on SIGUSR1, and before ending on SIGTERM",
          PEN_OPTION_TEXT, &c->run.checkpoint.folder, 0, 0 },
        { "checkpoint-every", "N|TIME",
          "write a checkpoint after every N steps, or that long after the last one: 90s, 10m, 2h (10m)",
          PEN_OPTION_TEXT, &c->texts.checkpoint_every, 0, 0 },
        { "checkpoint-before", "TIME",
          "write a checkpoint and end before HH:MM, YYYY-MM-DDTHH:MM or @SECONDS since 1970", PEN_OPTION_TEXT,
          &c->texts.checkpoint_before, 0, 0 },
        { "resume", "[DIR]",
          "continue from the newest checkpoint in DIR (default: that of --checkpoint), on any number of ranks",
          PEN_OPTION_TEXT, &c->resume, 0, 0 },
        { "accept", "OPTION[,...]",
          "with --resume: continue although these options have changed: the application's, steps, seed or input",
          PEN_OPTION_TEXT, &c->run.checkpoint.accept, 0, 0 },
        { "trace", "FILE", "write the times of all ranks' activities, for Perfetto or chrome://tracing",
          PEN_OPTION_TEXT, &c->trace, 0, 0 },
        { "progress", "MODE", "print a progress line on standard error: auto (default: on a terminal), on, off",
          PEN_OPTION_TEXT, &c->texts.progress, 0, 0 },
        { "quiet", NULL, "print nothing but errors", PEN_OPTION_FLAG, &c->quiet, 0, 0 },
        { "help", NULL, "print this help; also -h", PEN_OPTION_FLAG, &c->help, 0, 0 },
        { "version", NULL,
          "print the versions of Penumbra, MPI and packages, and the transports, partitioners and balancers built in",
          PEN_OPTION_FLAG, &c->version, 0, 0 },
    };
    _Static_assert(sizeof file_options / sizeof *file_options == PEN_FILE_OPTION_COUNT, "an entry each");
    memcpy(c->file_table, file_options, sizeof file_options);
}

/* An application's option hides the library's option of that name, also one that is newer than the application. */
static void leave_names(const pen_option *own, pen_option *table)
{
    int kept = 0;
    for (int i = 0; table[i].name; i++) {
        const pen_option *theirs = own;
        while (theirs && theirs->name && strcmp(theirs->name, table[i].name) != 0) theirs++;
        const bool named = theirs && theirs->name;
        if (named && (theirs->value || !theirs->help)) continue;
        table[kept] = table[i];
        if (named) {
            table[kept].argument = theirs->argument;
            table[kept].help = theirs->help;
        }
        kept++;
    }
    table[kept].name = NULL;
}

static const pen_former_option former_options[] = { { "explain", "--comm=:explain, or --comm=NAME:explain" },
                                                    { "network-delay", "--comm=NAME:delay=FILE" },
                                                    { "observables-every", "--observables=FILE:every=N" },
                                                    { "print-observables", "--observables=-" },
                                                    { .name = NULL } };

static pen_status split_transport(pen_command *c)
{
    const pen_option settings[] = { { "explain", NULL, NULL, PEN_OPTION_FLAG, &c->explain, 0, 0 },
                                    { "delay", "FILE", NULL, PEN_OPTION_TEXT, &c->run.debug.network_delay, 0, 0 },
                                    { .name = NULL } };
    if (!c->comm) return PEN_OK;
    PEN_TRY(pen_spec_split(c->comm, &c->transport));
    c->run.transport = *c->transport.name ? c->transport.name : NULL;
    return pen_settings_parse("--comm", c->transport.settings, settings);
}

/* --observables is -, FILE or -,FILE, and ":every=N" may follow; other colons belong to the name of the file. */
static pen_status split_observables(pen_command *c)
{
    static const char EVERY[] = ":every=";
    pen_output_options *o = &c->run.output;
    const pen_option settings[] = { { "every", "N", NULL, PEN_OPTION_INT, &o->observables_every, 1, INT64_MAX },
                                    { .name = NULL } };
    if (!c->observables) return PEN_OK;
    PEN_TRY(pen_copy_text(c->observables, &c->observed));
    char *text = c->observed, *colon = strrchr(text, ':');
    if (colon && strncmp(colon, EVERY, sizeof EVERY - 1) == 0) {
        *colon = '\0';
        PEN_TRY(pen_settings_parse("--observables", colon + 1, settings));
    }
    o->print_observables = strcmp(text, "-") == 0 || strncmp(text, "-,", 2) == 0;
    if (o->print_observables) text = text[1] ? text + 2 : NULL;
    o->observables = text;
    return PEN_OK;
}

/* A resumed run: 0, as the checkpoint says. */
static int64_t steps_not_given(const pen_command *c, const pen_app *app)
{
    if (c->resume) return 0;
    return c->run.until ? PEN_UNLIMITED : default_steps(app);
}

pen_status pen_command_read(const pen_app *app, int argc, char **argv, pen_command *c)
{
    *c = (pen_command){ .run = { .steps = NOT_GIVEN },
                        .texts = { .progress = "auto", .watchdog = "report" },
                        .seed = NOT_GIVEN };
    pen_graph_options_start(&c->graph);
    if (app->graph.saved_rows)
        c->graph.table[PEN_GRAPH_OPTION_SAVE]
            .help = "write the graph after the last step: binary if FILE ends in .pen, otherwise METIS text";
    describe_steps(app, c->steps_help, sizeof c->steps_help);
    fill_run_table(c);
    fill_file_table(c);
    leave_names(app->options, c->graph.table);
    leave_names(app->options, c->run_table);
    leave_names(app->options, c->file_table);
    const pen_option_group groups[] = {
        { "Graph", c->graph.table, pen_former_graph_options },
        { "Run", c->run_table, former_options },
        { "Output", c->file_table, NULL },
        { app->name, app->options, NULL },
    };
    memcpy(c->groups, groups, sizeof groups);
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    c->program = argc > 0 ? argv[0] : app->name;
    if (slash) c->program = slash + 1;
    PEN_TRY(pen_option_groups_parse(argc, argv, c->groups, PEN_OPTION_GROUP_COUNT));
    PEN_TRY(pen_list_find(c->list, &c->print_list));
    PEN_TRY(pen_option_texts_read(&c->texts, &c->run));
    PEN_TRY(split_transport(c));
    PEN_TRY(split_observables(c));
    if (c->run.input) PEN_TRY(pen_option_join(argc, argv, "input", ';', &c->inputs));
    c->run.input = c->inputs;
    if (c->run.steps == NOT_GIVEN) c->run.steps = steps_not_given(c, app);
    c->takes_seed = c->seed == NOT_GIVEN && c->resume;
    c->run.seed = c->seed == NOT_GIVEN ? USUAL_SEED : (uint64_t)c->seed;
    c->run.debug.explain = c->explain ? stdout : NULL;
    c->run.out = c->quiet ? NULL : stdout;
    if (c->quiet) c->run.progress = PEN_PROGRESS_OFF;
    c->run.debug.trace = c->trace != NULL;
    if (app->graph.rows && pen_graph_options_named(&c->graph))
        return pen_fail(PEN_ERR_INPUT, "%s brings its own graph: no option can name another one", app->name);
    if (c->resume && !*c->resume && !c->run.checkpoint.folder)
        return pen_fail(PEN_ERR_INPUT, "--resume needs a folder, or --checkpoint=DIR");
    if (c->resume && !*c->resume) c->resume = c->run.checkpoint.folder;
    if (c->run.checkpoint.accept && !c->resume) return pen_fail(PEN_ERR_INPUT, "--accept needs --resume");
    if (pen_graph_options_named(&c->graph) || !app->graph.spec || c->resume) return PEN_OK;
    snprintf(c->default_graph, sizeof c->default_graph, "--%s", app->graph.spec);
    char *arguments[] = { argv[0], c->default_graph };
    return pen_option_groups_parse(2, arguments, c->groups, PEN_OPTION_GROUP_COUNT);
}

void pen_command_free(pen_command *c)
{
    PEN_FREE_ALL(c->inputs, c->observed);
    c->inputs = c->observed = NULL;
    pen_spec_free(&c->transport);
}

/* An application with its own graph refuses options that name another one: the help does not show them. */
static void print_options(const pen_command *c, const pen_app *app)
{
    pen_option_group groups[PEN_OPTION_GROUP_COUNT];
    memcpy(groups, c->groups, sizeof groups);
    if (app->graph.rows) groups[0].options = pen_option_find(c->graph.table, "save-graph"); /* the last one */
    pen_option_groups_print(stdout, groups, PEN_OPTION_GROUP_COUNT);
}

bool pen_command_answer(const pen_command *c, const pen_app *app, int rank)
{
    if (!c->help && !c->version && !c->print_list) return false;
    if (rank != 0) return true;
    if (c->help) {
        printf("Usage: mpirun -n RANKS %s [OPTION ...]\n", c->program);
        const char *named = app->graph.spec ? app->graph.spec : "generate=torus:64x64";
        printf("Example: mpirun -n 4 %s%s%s --steps=100 --metrics=run.json\n", c->program, app->graph.rows ? "" : " --",
               app->graph.rows ? "" : named);
        if (app->graph.rows) printf("It brings its own graph.\n");
        else if (app->graph.spec) printf("Without a graph option: --%s\n", app->graph.spec);
        fputs(PEN_HELP_WITH_WORDS, stdout);
        print_options(c, app);
    } else if (c->version) {
        pen_version_print(app->name, stdout);
    } else {
        c->print_list(stdout);
    }
    return true;
}

/* Rank 0. Two outputs must not have one name, and no output must have the name of an input. */
static pen_status check_names(const pen_command *c, const pen_app *app)
{
    pen_reads reads;
    const pen_written files[] = {
        { "dump", c->dump }, { "metrics", c->metrics }, { "trace", c->trace }, { "save-graph", c->graph.save_graph }
    };
    pen_status status = pen_resume_files(app, &c->run, c->graph.graph, c->resume, files, PEN_COUNT_OF(files), &reads);
    pen_reads_free(&reads);
    return status;
}

/* Local. Check the names and first lines of files. */
static pen_status check_inputs(const pen_command *c, const pen_app *app, int rank)
{
    pen_input_files *files = NULL;
    PEN_TRY(pen_app_check(app));
    if (c->graph.save_graph) PEN_TRY(pen_graph_check_path(c->graph.save_graph));
    if (rank == 0) PEN_TRY(check_names(c, app));
    pen_status status = pen_input_files_create(app, c->run.input, !c->resume || c->verify, &files);
    pen_input_files_destroy(&files);
    return status;
}

/* Local. */
static pen_status check_output(const pen_app *app, const pen_run_options *o)
{
    if (!o->output.path && (o->output.every > 0 || o->output.fields))
        return pen_fail(PEN_ERR_INPUT, "--output-every and --output-fields need --output=PATTERN");
    return pen_results_check(app, o);
}

static pen_argument argument_of(const pen_option *o)
{
    pen_argument a = { .name = o->name };
    switch (o->kind) {
    case PEN_OPTION_FLAG: a.number = *(const bool *)o->value; break;
    case PEN_OPTION_INT: a.number = *(const int64_t *)o->value; break;
    case PEN_OPTION_REAL: memcpy(&a.number, o->value, sizeof a.number); break;
    default: a.text = *(const char *const *)o->value;
    }
    return a;
}

/* Collective. Check that all ranks have the same options: otherwise some would wait in calls that others skip. */
static pen_status check_equal(const pen_command *c, pen_comm *comm)
{
    pen_argument *arguments = NULL;
    int64_t room = 0;
    int count = 0;
    pen_status status = PEN_OK;
    for (int g = 0; g < PEN_OPTION_GROUP_COUNT; g++)
        for (const pen_option *o = c->groups[g].options; status == PEN_OK && o && o->name; o++) {
            if (!o->value) continue;
            status = pen_reserve(&arguments, sizeof *arguments, count + 1, &room);
            if (status == PEN_OK) arguments[count++] = argument_of(o);
        }
    status = pen_agree_equal(comm, status, arguments, count);
    free(arguments);
    return status;
}

/* Local. Can fail on one rank alone, for lack of memory. */
static pen_status check_options(const pen_command *c, const pen_app *app, int rank)
{
    PEN_TRY(check_output(app, &c->run));
    if ((c->dump || c->verify) && !app->print)
        return pen_fail(PEN_ERR_INPUT, "%s: --dump and --verify need an application that prints its nodes", app->name);
    PEN_TRY(pen_observables_check(app, &c->run));
    return check_inputs(c, app, rank);
}

pen_status pen_command_check(pen_command *c, const pen_app *app, pen_comm *comm)
{
    PEN_C_LOCALE;
    PEN_TRY(check_equal(c, comm));
    c->run.debug.verify = c->verify;
    PEN_TRY(pen_agree(comm, check_options(c, app, comm->rank)));
    if (c->dump) PEN_TRY(pen_output_check(comm, c->dump));
    if (c->metrics) PEN_TRY(pen_output_check(comm, c->metrics));
    if (c->run.output.observables) PEN_TRY(pen_output_check(comm, c->run.output.observables));
    if (c->trace) PEN_TRY(pen_output_check(comm, c->trace));
    if (c->graph.save_graph) PEN_TRY(pen_output_check(comm, c->graph.save_graph));
    if (c->run.output.record) PEN_TRY(pen_output_check(comm, c->run.output.record));
    return PEN_OK;
}

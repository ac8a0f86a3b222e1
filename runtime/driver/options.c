/* options.c - reads, answers and checks the command line that every application shares. */
#include "driver/options.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/option_values.h"
#include "base/output.h"
#include "checkpoint/resume.h"
#include "driver/lines.h"
#include "driver/version.h"
#include "input/files.h"
#include "loop/compare_app.h"
#include "loop/parts.h"
#include "observables/reporting.h"
#include "results/results.h"
#include "run/app.h"
#include "run/reads.h"

#include <stdlib.h>

/* NOT_GIVEN: a value that --steps and --seed cannot have. */
enum { NOT_GIVEN = -1, USUAL_STEPS = 100, USUAL_SEED = 1 };

/* The number of steps if the command line has neither --steps nor --until. */
static int64_t default_steps(const pen_app *app)
{
    if (app->end.steps > 0) return app->end.steps;
    return app->end.done || app->end.quiet ? PEN_UNLIMITED : USUAL_STEPS;
}

static void describe_steps(const pen_app *app, char *help, size_t size)
{
    int64_t steps = default_steps(app);
    if (steps == PEN_UNLIMITED) snprintf(help, size, "most steps to run (until it is done)");
    else snprintf(help, size, "most steps to run (%" PRId64 "; with --until no limit)", steps);
}

/* What a program does before and after its run. */
static const pen_part_option program_options[] = {
    { "list", PEN_LIST_WHAT, "print these names and their settings, and exit", PEN_OPTION_AT(pen_command, list) },
    { "dump", "FILE", "write a line \"gid text\" per node, in ascending order of gids",
      PEN_OPTION_AT(pen_command, dump), .output = true, .writes = true },
    { "metrics", "FILE", "write times, partition, halo and observables as JSON", PEN_OPTION_AT(pen_command, metrics),
      .output = true, .writes = true },
    { "trace", "FILE", "write the times of all ranks' activities, for Perfetto or chrome://tracing",
      PEN_OPTION_AT(pen_command, trace), .output = true, .writes = true },
    { "resume", "[DIR]",
      "continue from the newest checkpoint in DIR (default: that of --checkpoint), on any number of ranks",
      PEN_OPTION_AT(pen_command, resume), .output = true },
    { "quiet", NULL, "print nothing but errors", PEN_OPTION_AT(pen_command, quiet), .output = true },
    { "help", NULL, "print this help; also -h", PEN_OPTION_AT(pen_command, help), .output = true },
    { "version", NULL,
      "print the versions of Penumbra, MPI and packages, and the transports, partitioners and balancers built in",
      PEN_OPTION_AT(pen_command, version), .output = true },
};

/* The place where the command line puts the value of the i-th option of a run. */
static void *place_of(pen_command *c, const pen_part_option *o, int i)
{
    const bool member = o->member && !o->read && !o->repeats;
    return member ? (void *)((unsigned char *)&c->run + o->offset) : &c->values[i].given;
}

/* Make the tables of both groups. */
static pen_status fill_tables(pen_command *c)
{
    int options = 0, count[2] = { 0, 0 };
    while (pen_run_option(options)) options++;
    PEN_TRY(PEN_ALLOC_ZERO(&c->values, options));
    c->value_count = options;
    for (int g = 0; g < 2; g++) PEN_TRY(PEN_ALLOC_ZERO(&c->tables[g], options + PEN_COUNT_OF(program_options) + 1));
    for (int i = 0; i < options; i++) {
        const pen_part_option *o = pen_run_option(i);
        if (!o->name) continue;
        pen_option *entry = &c->tables[o->output][count[o->output]++];
        *entry = pen_part_option_entry(o, place_of(c, o, i));
        if (strcmp(o->name, "steps") == 0) entry->help = c->steps_help;
    }
    for (int i = 0; i < PEN_COUNT_OF(program_options); i++) {
        const pen_part_option *o = &program_options[i];
        c->tables[o->output][count[o->output]++] = pen_part_option_entry(o, (unsigned char *)c + o->offset);
    }
    return PEN_OK;
}

/* An application's option hides the library's option of that name, also one that is newer than the application. */
static void leave_names(const pen_option *own, pen_option *table)
{
    int kept = 0;
    for (int i = 0; table[i].name; i++) {
        bool hides;
        const pen_option *theirs = pen_option_of_app(own, table[i].name, &hides);
        if (hides) continue;
        table[kept] = table[i];
        if (theirs) {
            table[kept].argument = theirs->argument;
            table[kept].help = theirs->help;
        }
        kept++;
    }
    table[kept].name = NULL;
}

static pen_argument argument_of(const pen_option *o)
{
    pen_argument a = { .name = o->name };
    switch (o->kind) {
    case PEN_OPTION_FLAG: a.number = *(const bool *)o->value; break;
    case PEN_OPTION_INT:
    case PEN_OPTION_WORD: a.number = *(const int64_t *)o->value; break;
    case PEN_OPTION_REAL: memcpy(&a.number, o->value, sizeof a.number); break;
    default: a.text = *(const char *const *)o->value;
    }
    return a;
}

/* Whether the command line gives the option of that name. */
static bool is_given(const pen_command *c, const char *name)
{
    for (int g = 0; g < PEN_COUNT_OF(c->tables); g++) {
        const pen_option *entry = pen_option_find(c->tables[g], name);
        if (!entry) continue;
        const pen_argument value = argument_of(entry);
        return value.text || value.number != 0;
    }
    return false;
}

/* Set the members of c->run that follow from texts. */
static pen_status read_texts(pen_command *c, int argc, char **argv)
{
    const pen_part_option *o;
    for (int i = 0; (o = pen_run_option(i)); i++)
        if (o->needs && is_given(c, o->name) && !is_given(c, o->needs))
            return pen_fail(PEN_ERR_INPUT, "--%s needs --%s", o->name, o->needs);
    for (int i = 0; (o = pen_run_option(i)); i++) {
        pen_part_option at_start = *o;
        at_start.offset = 0;
        if (!o->member && pen_part_option_check(&at_start, &c->values[i].given) != PEN_OK && is_given(c, o->name))
            return pen_fail(PEN_ERR_INPUT, "--%s", pen_error_message());
        char **copy = &c->values[i].copy;
        const char *text = c->values[i].given.text ? c->values[i].given.text : o->initial;
        if (!o->member || !(o->read || o->repeats) || !text) continue;
        if (o->repeats) PEN_TRY(pen_option_join(argc, argv, o->name, ';', copy));
        else PEN_TRY(pen_copy_text(text, copy));
        if (o->read) PEN_TRY(o->read(*copy, &c->run));
        else memcpy((unsigned char *)&c->run + o->offset, copy, sizeof *copy);
    }
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
    *c = (pen_command){ .run = { .steps = NOT_GIVEN, .seed = (uint64_t)NOT_GIVEN } };
    c->run.debug.tests = &c->tests;
    pen_graph_options_start(&c->graph);
    if (app->graph.saved_rows)
        c->graph.save->help = "write the graph after the last step: binary if FILE ends in .pen, otherwise METIS text";
    describe_steps(app, c->steps_help, sizeof c->steps_help);
    PEN_TRY(fill_tables(c));
    leave_names(app->options, c->graph.table);
    leave_names(app->options, c->tables[0]);
    leave_names(app->options, c->tables[1]);
    const pen_option_group groups[] = {
        { "Graph", c->graph.table },
        { "Run", c->tables[0] },
        { "Output", c->tables[1] },
        { app->name, app->options },
    };
    memcpy(c->groups, groups, sizeof c->groups);
    c->program = argc > 0 ? pen_path_base(argv[0]) : app->name;
    c->words = argv;
    c->word_count = argc;
    PEN_TRY(pen_option_groups_parse(argc, argv, c->groups, PEN_COUNT_OF(c->groups)));
    PEN_TRY(pen_list_find(c->list, &c->print_list));
    PEN_TRY(read_texts(c, argc, argv));
    if (c->resume && c->run.steps == 0)
        return pen_fail(PEN_ERR_INPUT,
                        "--steps=0: give the steps of the whole run, or omit --steps: then they are those "
                        "of the run that is resumed");
    if (c->run.steps == NOT_GIVEN) c->run.steps = steps_not_given(c, app);
    const bool seeded = c->run.seed != (uint64_t)NOT_GIVEN;
    c->takes_seed = !seeded && c->resume;
    if (!seeded) c->run.seed = USUAL_SEED;
    c->run.out = c->quiet ? NULL : stdout;
    if (c->quiet) c->run.progress = PEN_PROGRESS_OFF;
    c->run.debug.trace = c->trace != NULL;
    if (app->graph.rows && pen_graph_options_named(&c->graph))
        return pen_fail(PEN_ERR_INPUT, "%s brings its own graph: no option can name another one", app->name);
    if (c->resume && !*c->resume && !c->run.checkpoint.folder)
        return pen_fail(PEN_ERR_INPUT, "--resume needs a folder, or --checkpoint=DIR");
    if (c->resume && !*c->resume) c->resume = c->run.checkpoint.folder;
    if (pen_graph_options_named(&c->graph) || !app->graph.spec || c->resume) return PEN_OK;
    snprintf(c->default_graph, sizeof c->default_graph, "--%s", app->graph.spec);
    char *arguments[] = { NULL, c->default_graph };
    pen_status status = pen_option_groups_parse(2, arguments, c->groups, PEN_COUNT_OF(c->groups));
    if (status == PEN_OK) return PEN_OK;
    return pen_fail(status, "pen_app.graph.spec \"%s\" must be a graph option without \"--\", as generate=hex:9x9: %s",
                    app->graph.spec, pen_error_message());
}

void pen_command_free(pen_command *c)
{
    for (int i = 0; i < c->value_count; i++) free(c->values[i].copy);
    PEN_FREE_ALL(c->values, c->tables[0], c->tables[1]);
    *c = (pen_command){ .program = NULL };
}

/* An application with its own graph refuses options that name another one: the help does not show them. */
static void print_options(const pen_command *c, const pen_app *app)
{
    pen_option_group groups[PEN_COUNT_OF(c->groups)];
    memcpy(groups, c->groups, sizeof groups);
    if (app->graph.rows) groups[0].options = pen_option_find(c->graph.table, "save-graph"); /* the last one */
    pen_option_groups_print(stdout, groups, PEN_COUNT_OF(c->groups));
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

/* List the files that are written. */
static int list_written(const pen_command *c, pen_written *files)
{
    const pen_part_option *o;
    int count = pen_reads_written(pen_run_option, &c->run, files);
    for (int i = 0; (o = pen_run_option(i)); i++)
        if (o->writes && !o->member) files[count++] = (pen_written){ o->name, c->values[i].given.text };
    for (o = program_options; o < program_options + PEN_COUNT_OF(program_options); o++)
        if (o->writes) files[count++] = (pen_written){ o->name, pen_part_option_argument(o, c).text };
    files[count++] = (pen_written){ "save-graph", c->graph.save_graph };
    return count;
}

/* Rank 0. Two outputs must not have one name, and no output must have the name of an input. */
static pen_status check_names(const pen_command *c, const pen_app *app)
{
    pen_reads reads;
    pen_written files[PEN_MOST_WRITTEN];
    const int count = list_written(c, files);
    pen_status status = pen_resume_files(app, pen_run_option, &c->run, c->graph.graph, c->resume, files, count, &reads);
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
    pen_status status = pen_input_files_create(app, c->run.input, !c->resume || c->run.debug.verify, &files);
    pen_input_files_destroy(&files);
    return status;
}

/* Collective. Check that all ranks have the same options: otherwise some would wait in calls that others skip. */
static pen_status check_equal(const pen_command *c, pen_comm *comm)
{
    pen_argument *arguments = NULL;
    int64_t room = 0;
    int count = 0;
    pen_status status = PEN_OK;
    for (int g = 0; g < PEN_COUNT_OF(c->groups); g++)
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
    PEN_TRY(pen_results_check(app, &c->run));
    if ((c->dump || c->run.debug.verify) && !pen_has_lines(app))
        return pen_fail(PEN_ERR_INPUT, "%s: --dump and --verify need an application with members or a print function",
                        app->name);
    PEN_TRY(pen_observables_check(app, &c->run));
    return check_inputs(c, app, rank);
}

pen_status pen_command_check(pen_command *c, const pen_app *app, pen_comm *comm)
{
    PEN_C_LOCALE;
    PEN_TRY(check_equal(c, comm));
    PEN_TRY(pen_agree(comm, check_options(c, app, comm->rank)));
    PEN_TRY(pen_app_agree(comm, app));
    pen_written files[PEN_MOST_WRITTEN];
    const int count = list_written(c, files);
    for (int i = 0; i < count; i++)
        if (files[i].path) PEN_TRY(pen_output_check(comm, files[i].path));
    return PEN_OK;
}

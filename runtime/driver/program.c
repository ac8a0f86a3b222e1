/* program.c - the command line of a program with its own main, as a handle: parses it, answers it, carries it out. */
#include "base/memory.h"
#include "base/numbers.h"
#include "base/output.h"
#include "base/resident.h"
#include "checkpoint/checkpointing.h"
#include "debug/watchdog.h"
#include "driver/advice.h"
#include "driver/options.h"
#include "driver/report.h"
#include "inputs/inputs.h"
#include "loop/create_run.h"
#include "observables/until.h"
#include "record/record.h"
#include "results/results.h"
#include "view/topology.h"

#include <stdlib.h>

struct pen_options {
    pen_app *app; /* a copy of the application, owned */
    pen_command command;
    bool checked;
    double start;       /* time in seconds when the program began */
    pen_resume *resume; /* the checkpoint of --resume, from pen_options_graph to pen_options_create_run; else NULL */
    int64_t resident;   /* resident bytes of this process before it made the graph; 0: no graph was made; -1: unknown */
};

pen_status pen_options_parse_abi(uint32_t abi, const pen_app *app, int argc, char **argv, pen_options **options)
{
    PEN_C_LOCALE;
    PEN_TRY(pen_abi_check(abi, PEN_ABI));
    PEN_ARGUMENT(app && app->name, "an application needs a name");
    PEN_TRY(pen_given(options, "the options"));
    pen_options *o;
    PEN_TRY(PEN_ALLOC_ZERO(&o, 1));
    pen_status status = pen_app_copy(app, &o->app);
    if (status == PEN_OK) status = pen_command_read(o->app, argc, argv, &o->command);
    o->start = pen_seconds_now();
    if (status == PEN_OK) *options = o;
    else pen_options_destroy(&o);
    return status;
}

void pen_options_begun(pen_options *options, double start) { options->start = start; }

void pen_options_destroy(pen_options **options)
{
    if (!options || !*options) return;
    pen_resume_free(&(*options)->resume);
    pen_app_free(&(*options)->app);
    pen_command_free(&(*options)->command);
    free(*options);
    *options = NULL;
}

bool pen_options_answer(const pen_options *options, MPI_Comm comm)
{
    int rank = 0;
    if (!options) return false;
    MPI_Comm_rank(comm, &rank);
    return pen_command_answer(&options->command, options->app, rank);
}

/* Collective. Check the options once, before long computations begin. */
static pen_status check(pen_options *options, pen_comm *comm)
{
    if (!options->checked) PEN_TRY(pen_command_check(&options->command, options->app, comm));
    options->checked = true;
    return PEN_OK;
}

/* Local. Write the options that describe the graph as a text, which the caller frees. */
static pen_status name_graph(const pen_options *options, char **settings)
{
    return pen_checkpoint_list_options(options->command.graph.table, "save-graph", NULL, settings);
}

/* The source of an application's own graph: .rows, or .saved_rows of a run. */
typedef struct row_source {
    const pen_options *options;
    pen_comm *comm;
    pen_run *run; /* the run whose graph .saved_rows describes; NULL: use .rows */
} row_source;

static const char *ask_rows(const row_source *from, pen_csr *mine)
{
    const pen_app *app = from->options->app;
    const pen_run_options *run = &from->options->command.run;
    if (from->run) return app->graph.saved_rows(from->run, from->run->app->params, mine);
    const pen_resume *resume = from->options->resume;
    const int64_t steps = resume && run->steps == 0 ? resume->saved.world.steps : run->steps;
    const pen_world world = { .steps = steps, .ranks = from->comm->size, .seed = run->seed };
    return app->graph.rows(app->params, &world, from->comm->rank, mine);
}

/* Local. Get the rows from the application, and check them. */
static pen_status take_rows(const row_source *from, pen_csr *mine)
{
    *mine = (pen_csr){ .count = 0 };
    const char *wrong = ask_rows(from, mine);
    return wrong ? pen_fail(PEN_ERR_INPUT, "%s: %s", from->options->app->name, wrong) : PEN_OK;
}

/* Collective. Make a graph of the application's rows. */
static pen_status graph_of_rows(const row_source *from, pen_graph **graph)
{
    pen_csr mine;
    PEN_TRY(pen_agree(from->comm, take_rows(from, &mine)));
    return pen_graph_from_csr(from->comm->mpi, &mine, graph);
}

/* Collective. Give the graph the coordinates that input files have. */
static pen_status place_named(const pen_options *options, pen_graph *named)
{
    pen_input_files *files = NULL;
    double *coordinates = NULL;
    pen_status status = pen_input_files_create(options->app, options->command.run.input, false, &files);
    status = pen_agree(named->comm, status);
    if (status == PEN_OK && files->places.path) status = pen_inputs_place(files, named, &coordinates);
    if (coordinates) {
        free(named->coordinates);
        named->coordinates = coordinates;
        named->dimensions = files->places.count;
    }
    pen_input_files_destroy(&files);
    return status;
}

/* Collective. If the command line names a graph, check that it is the checkpoint's. Files are compared by content,
 * under any name. A generator with the same settings makes the same graph. */
static pen_status compare_named_graph(const pen_options *options, pen_comm *comm)
{
    pen_graph_options o = options->command.graph;
    char *settings = NULL;
    pen_graph *named = NULL;
    if (!pen_graph_options_named(&o)) return PEN_OK;
    o.save_graph = NULL;
    const char *saved = options->resume->saved.graph;
    PEN_TRY(pen_agree(comm, name_graph(options, &settings)));
    const bool same = saved && !o.graph && strcmp(saved, settings) == 0;
    free(settings);
    if (same) return PEN_OK;
    PEN_TRY(pen_graph_options_read(comm, &o, &named));
    pen_status status = place_named(options, named);
    if (status == PEN_OK) status = pen_resume_compare(comm, options->resume, named);
    pen_graph_destroy(&named);
    return status;
}

/* Collective. Make the graph of the checkpoint. An application that makes its own graph, and has not saved its other
 * data, makes the graph again to restore them. */
static pen_status resume_graph(pen_options *options, pen_comm *comm, pen_graph **graph)
{
    const pen_app *app = options->app;
    PEN_TRY(pen_resume_open(comm, options->command.resume, &options->resume));
    if (options->command.takes_seed) options->command.run.seed = options->resume->saved.world.seed;
    if (options->command.graph.save_graph && !app->graph.saved_rows && comm->rank == 0)
        pen_warn("--save-graph=%s: a resumed run does not write its graph, which it had when it began",
                 options->command.graph.save_graph);
    PEN_TRY(compare_named_graph(options, comm));
    if (app->graph.rows && !app->checkpoint.restore) {
        pen_csr mine;
        PEN_TRY(pen_agree(comm, take_rows(&(row_source){ options, comm, NULL }, &mine)));
    }
    return pen_resume_graph(comm->mpi, options->resume, graph);
}

static pen_status make_graph(pen_options *options, pen_comm *comm, pen_graph **graph)
{
    pen_graph_options o = options->command.graph;
    if (options->command.resume) return resume_graph(options, comm, graph);
    /* If the application has .saved_rows, the saved graph is made of these when all steps are done. */
    if (options->app->graph.saved_rows) o.save_graph = NULL;
    if (!options->app->graph.rows) return pen_graph_options_read(comm, &o, graph);
    pen_graph *made = NULL;
    PEN_TRY(graph_of_rows(&(row_source){ options, comm, NULL }, &made));
    return pen_graph_options_save(&o, made, graph);
}

static pen_status watch_and_make_graph(pen_options *options, pen_comm *comm, pen_graph **graph)
{
    pen_watchdog *watchdog = NULL;
    PEN_TRY(pen_watchdog_create(comm, options->command.run.debug.watchdog, &watchdog));
    pen_status status = make_graph(options, comm, graph);
    pen_watchdog_destroy(&watchdog);
    return status;
}

pen_status pen_options_graph(pen_options *options, MPI_Comm comm, pen_graph **graph)
{
    PEN_WITHIN("pen_options_graph");
    pen_comm *own;
    PEN_ARGUMENT(options, "pen_options_graph: the options are NULL");
    options->resident = pen_resident_now();
    PEN_TRY(pen_comm_create(comm, &own));
    pen_status status = pen_agree(own, pen_given(graph, "the graph"));
    if (status == PEN_OK) status = check(options, own);
    if (status == PEN_OK) status = watch_and_make_graph(options, own, graph);
    pen_comm_destroy(&own);
    return status;
}

pen_run_options *pen_options_of_run(pen_options *options) { return options ? &options->command.run : NULL; }

pen_status pen_options_check_end(const pen_options *options)
{
    const pen_command *c = &options->command;
    const pen_app *app = options->app;
    if (!c->resume || c->run.steps > 0 || options->resume->saved.world.steps < PEN_UNLIMITED) return PEN_OK;
    if (c->run.until || app->end.done || app->end.quiet) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "--resume=%s: the run had no limit of steps: give --until or --steps", c->resume);
}

/* Collective. Create the run. The options of the graph go into its checkpoints. `own` has the same ranks. */
static pen_status create_run(pen_options *options, MPI_Comm comm, pen_comm *own, const pen_graph *graph, pen_run **run)
{
    pen_command *c = &options->command;
    char *settings = NULL;
    pen_source from = { .graph = graph, .app = options->app, .resume = options->resume };
    from.words = (pen_words){ c->word_count, c->words, options->app->options };
    pen_status status = options->app->graph.rows ? PEN_OK : name_graph(options, &settings);
    from.graph_settings = settings;
    if (status == PEN_OK && c->resume && !options->resume)
        status = pen_fail(PEN_ERR_ARGUMENT, "--resume: the graph must be that of pen_options_graph, for one run");
    status = pen_agree(own, status);
    if (status == PEN_OK) status = pen_run_make(comm, &from, &c->run, run);
    pen_resume_free(&options->resume);
    free(settings);
    return status;
}

/* Collective. Check the placement of ranks that options demand, and print one line about placement that should be
 * corrected. */
static pen_status tell_topology(const pen_command *c, pen_comm *comm)
{
    char sentence[PEN_ADVICE];
    if (c->run.debug.explain) PEN_TRY(pen_topology_explain(comm, stdout));
    if (c->quiet) return PEN_OK;
    PEN_TRY(pen_topology_advise(comm, sentence));
    if (sentence[0] && comm->rank == 0) pen_warn("%s", sentence);
    return PEN_OK;
}

pen_status pen_options_create_run(pen_options *options, MPI_Comm comm, const pen_graph *graph, pen_run **run)
{
    PEN_WITHIN("pen_options_create_run");
    pen_comm *own;
    PEN_ARGUMENT(options && graph, "pen_options_create_run: the %s NULL", options ? "graph is" : "options are");
    PEN_TRY(pen_comm_create(comm, &own));
    pen_status status = check(options, own);
    if (status == PEN_OK) status = tell_topology(&options->command, own);
    if (status == PEN_OK) status = create_run(options, comm, own, graph, run);
    pen_comm_destroy(&own);
    PEN_TRY(status);
    if (options->command.resume) options->command.run.steps = (*run)->world.steps - (*run)->step;
    if (options->command.run.steps < 0) options->command.run.steps = 0;
    (*run)->timers.begun = options->start;
    if (options->resident != 0) (*run)->origin.resident = options->resident;
    return PEN_OK;
}

/* ---- Results at the end ----------------------------------------------------------------------- */

/* Report a written file, unless output is quiet. The failure of one file does not stop the others: the first failure is
 * kept in run->files.unwritten, further ones are printed at once. */
static void told(pen_run *run, pen_status status, const char *what, const char *path)
{
    if (status == PEN_OK && run->files.out) fprintf(run->files.out, "%-11s %s\n", what, path);
    if (status == PEN_OK) return;
    const char *kept = run->files.unwritten.message;
    if (run->files.unwritten.status != PEN_OK && run->comm->rank == 0 && kept && strcmp(kept, pen_error_message()) != 0)
        pen_warn("%s", pen_error_message());
    pen_failure_keep(&run->files.unwritten, status);
}

static pen_status save_graph(const pen_options *options, pen_run *run)
{
    pen_graph *graph = NULL;
    PEN_TRY(graph_of_rows(&(row_source){ options, run->comm, run }, &graph));
    pen_status status = pen_graph_write(graph, options->command.graph.save_graph);
    pen_graph_destroy(&graph);
    return status;
}

/* Write the files. Expensive parts of the report are computed only if they are printed. */
static pen_status write_reports(const pen_options *options, pen_run *run)
{
    const pen_command *c = &options->command;
    pen_report report = { .ranks = NULL };
    int64_t printed; /* a program may have changed `out`, and rank 0 alone has it */
    PEN_TRY(pen_max_int(run->comm, run->files.out != NULL, &printed));
    const pen_status created = printed || c->metrics ? pen_report_create(run, &report) : PEN_OK;
    if (created != PEN_OK) {
        pen_report_free(&report);
        return created;
    }
    if (run->files.out) pen_summary_print(run, &report, run->files.out);
    if (c->dump) told(run, pen_run_dump(run, c->dump), "dump", c->dump);
    if (run->app->graph.saved_rows && c->graph.save_graph)
        told(run, save_graph(options, run), "graph", c->graph.save_graph);
    if (c->run.output.observables) told(run, PEN_OK, "observables", c->run.output.observables);
    if (c->run.output.path) told(run, pen_results_end(run), "output", pen_results_name(run));
    if (c->trace) told(run, pen_run_trace(run, c->trace), "trace", c->trace);
    if (pen_part_state(run, &pen_part_record)) told(run, pen_record_end(run), "record", c->run.output.record);
    if (c->metrics) /* written last, since they contain the time of all steps before */
        told(run, pen_metrics_write(run, &report, c->metrics), "metrics", c->metrics);
    pen_report_free(&report);
    const pen_status status = pen_failure_again(&run->files.unwritten);
    if (status == PEN_OK || pen_run_is_over(run)) return status;
    return pen_fail(status, "%s; so the run ended after step %" PRId64 ", and its other files have that state",
                    pen_error_message(), run->step);
}

static pen_status verify(pen_run *run)
{
    int64_t differences;
    char message[512];
    PEN_TRY(pen_run_verify(run, &differences, message, sizeof message));
    /* A checkpoint has no values of --input, but the serial computation begins at the first step. */
    if (differences > 0)
        return pen_fail(PEN_ERR_CHECK,
                        "--verify: %" PRId64 " differences, the first: %s; %s--check looks for the mistake",
                        differences, message,
                        run->origin.step >= 0 && run->app->inputs.count > 0
                            ? "a resumed run needs the --input of the first run for --verify; with it, "
                            : "");
    if (run->files.out) fprintf(run->files.out, "verified    equal to the serial computation\n");
    return PEN_OK;
}

static void tell_cut_off(const pen_run *run)
{
    const char *until = pen_until_text(run);
    pen_warn("%s: ended after %" PRId64 " steps, its maximum, before %s%s: --steps=N allows more", run->app->name,
             run->step, until ? "--until=" : "it was done", until ? until : "");
}

pen_status pen_options_report(pen_options *options, pen_run *run)
{
    PEN_C_LOCALE;
    PEN_WITHIN("pen_options_report");
    PEN_TRY(pen_run_ready(run, "pen_options_report"));
    PEN_ARGUMENT(options, "pen_options_report: the options are NULL");
    PEN_ARGUMENT(!options->command.run.output.path || pen_results_name(run),
                 "pen_options_report: the run was created without --output of the options");
    if (run->strict && run->files.out)
        fprintf(run->files.out,
                "checked     no mistake of a node function found\n"
                "            Not detected: results that depend on the rank, on values kept by gid from earlier "
                "steps (use --verify --migrate-random=1 on several ranks), or on static data that calls for "
                "other nodes rarely change; comparisons of records that are not written or must not be read "
                "with values that few or no nodes have; reads by slots of other nodes or beyond the number "
                "of neighbours, far nodes and messages; messages read with a type of another size; and unwritten "
                "parts of records that are only gathered, fetched or read by pen_run_local.\n");
    if (pen_report_cut_off(run) && run->comm->rank == 0) tell_cut_off(run);
    pen_status status = write_reports(options, run);
    if (status == PEN_OK && options->command.run.debug.verify) status = verify(run);
    if (status == PEN_OK) status = pen_agree(run->comm, run->files.out == stdout ? pen_stdout_flush() : PEN_OK);
    if (status == PEN_OK) status = pen_checkpointing_saved(run);
    if (status != PEN_OK) pen_checkpointing_stay(run); /* results of the run are not written yet */
    return status;
}

void pen_options_advise(const pen_options *options, pen_run *run)
{
    const char *name = options->command.run.transport;
    pen_advise(run, !options->command.quiet && !(name && strcmp(name, "auto") == 0));
}

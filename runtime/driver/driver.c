/* driver.c - pen_main: a program that is one run. */
#include "base/environment.h"
#include "driver/options.h"
#include "driver/report.h"
#include "driver/verify.h"
#include "observe/progress.h"

enum { EXIT_DIFFERENCE = 1 };

/* What the hook after every step needs. */
typedef struct reporting {
    bool quiet;
    pen_progress progress;
} reporting;

static void after_step(pen_run *run, void *context)
{
    reporting *r = (reporting *)context;
    if (run->comm->rank != 0) return;
    if (run->app->observable_count > 0 && !r->quiet) pen_summary_observables(run, stdout);
    pen_progress_show(&r->progress, run->step);
}

static pen_status verify(pen_run *run, const pen_graph *graph, const pen_command *c, int *exit)
{
    int64_t differences;
    char message[512];
    PEN_TRY(pen_verify(run, graph, &differences, message, sizeof message));
    if (differences > 0) *exit = EXIT_DIFFERENCE;
    if (run->comm->rank != 0) return PEN_OK;
    if (differences > 0)
        fprintf(stderr, "%s: --verify: %" PRId64 " differences, the first: %s\n", run->app->name, differences, message);
    else if (!c->quiet) printf("verified    equal to the serial computation\n");
    return PEN_OK;
}

/* Say that a file is written, where somebody listens. */
static pen_status told(pen_status status, bool speaks, const char *what, const char *path)
{
    if (status == PEN_OK && speaks) printf("%-11s %s\n", what, path);
    return status;
}

/* Reports and files of a finished run. */
static pen_status report(pen_run *run, const pen_command *c)
{
    pen_report summary;
    pen_status status = pen_report_create(run, &summary);
    bool speaks = run->comm->rank == 0 && !c->quiet;
    if (status == PEN_OK && speaks) pen_summary_print(run, &summary, stdout);
    if (status == PEN_OK && c->dump) status = told(pen_run_dump(run, c->dump), speaks, "dump", c->dump);
    if (status == PEN_OK && c->metrics)
        status = told(pen_metrics_write(run, &summary, c->metrics), speaks, "metrics", c->metrics);
    pen_report_free(&summary);
    if (status == PEN_OK && c->observables)
        status = told(pen_observables_write(run, c->observables), speaks, "observables", c->observables);
    if (status == PEN_OK && c->trace) status = told(pen_trace_write(run, c->trace), speaks, "trace", c->trace);
    return status;
}

static pen_status execute(pen_run *run, const pen_graph *graph, const pen_command *c, int *exit)
{
    reporting r = { .quiet = c->quiet };
    PEN_TRY(pen_progress_start(c->progress, run->comm->rank == 0 && !c->quiet, c->run.steps, &r.progress));
    if (r.progress.on || (run->app->observable_count > 0 && !c->quiet)) {
        run->after_step = after_step;
        run->context = &r;
    }
    run->migration_seed = c->migration_seed;
    run->migration_fraction = c->migration_fraction;
    run->out = run->comm->rank == 0 && !c->quiet ? stdout : NULL;
    if (c->trace) PEN_TRY(pen_trace_create(run->comm, &run->trace));
    PEN_MPI(MPI_Barrier(run->comm->mpi)); /* so that what others still set up is not part of the steps' time */
    PEN_TRY(pen_run_steps(run, c->run.steps));
    pen_progress_end(&r.progress);
    PEN_TRY(report(run, c));
    return c->verify ? verify(run, graph, c, exit) : PEN_OK;
}

static pen_status run_command(pen_comm *comm, const pen_app *app, pen_command *c, int *exit)
{
    PEN_TRY(pen_command_check(c, app, comm));
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    pen_status status = pen_graph_options_read(comm, &c->graph, &graph);
    if (status == PEN_OK) status = pen_run_create(comm->mpi, graph, app, &c->run, &run);
    if (!c->verify) pen_graph_destroy(&graph);
    if (status == PEN_OK) status = execute(run, graph, c, exit);
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
    return status;
}

static int run_program(pen_comm *comm, const pen_app *app, int argc, char **argv)
{
    pen_command c;
    int exit = 0;
    pen_status status = pen_command_read(app, argc, argv, &c);
    if (status == PEN_OK) {
        if (pen_command_answer(&c, app, comm->rank)) return 0;
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
    if (status == PEN_OK) result = run_program(comm, app, argc, argv);
    else fprintf(stderr, "%s: %s\n", app->name, pen_error_message());
    pen_comm_destroy(&comm);
    MPI_Finalize();
    return result;
}

/* driver.c - pen_main: a program that is one run. */
#include "base/environment.h"
#include "base/finalize.h"
#include "base/output.h"
#include "checkpoint/checkpointing.h"
#include "driver/options.h"
#include "observe/timers.h"
#include "run/state.h"

/* Collective. Parse the command lines, which may differ between ranks. If one is wrong, all ranks fail. *answered: some
 * rank asked for --help or another text. */
static pen_status parse(uint32_t abi, const pen_app *app, int argc, char **argv, pen_options **options, bool *answered)
{
    pen_comm *comm;
    PEN_TRY(pen_comm_create(MPI_COMM_WORLD, &comm));
    pen_status status = pen_agree(comm, pen_options_parse_abi(abi, app, argc, argv, options));
    int64_t answers = status == PEN_OK && pen_options_answer(*options, MPI_COMM_WORLD);
    if (status == PEN_OK) status = pen_max_int(comm, answers, &answers);
    *answered = answers != 0;
    pen_comm_destroy(&comm);
    return status;
}

static pen_status run_command(pen_options *options)
{
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    pen_status status = pen_options_graph(options, MPI_COMM_WORLD, &graph);
    if (status == PEN_OK) status = pen_options_check_end(options);
    if (status == PEN_OK) status = pen_options_create_run(options, MPI_COMM_WORLD, graph, &run);
    pen_graph_destroy(&graph);
    if (status == PEN_OK) status = pen_run_steps(run, pen_options_of_run(options)->steps);
    if (run && (status == PEN_OK || status == run->files.unwritten.status)) status = pen_options_report(options, run);
    if (status == PEN_OK) pen_options_advise(options, run);
    pen_run_destroy(&run);
    return status;
}

/* Print the message after the application's name, unless it begins with that name. */
static void complain(const char *name)
{
    const char *message = pen_error_message();
    size_t length = strlen(name);
    bool named = strncmp(message, name, length) == 0 && strncmp(message + length, ": ", 2) == 0;
    fprintf(stderr, "%s%s%s\n", named ? "" : name, named ? "" : ": ", message);
}

int pen_main_abi(uint32_t abi, const pen_app *app, int argc, char **argv)
{
    const char *name = app && app->name ? app->name : argv[0];
    int level;
    double start = pen_seconds_now();
    pen_checkpointing_listen();
    if (pen_environment_is_alone()) pen_environment_alone();
    pen_environment_prepare();
    pen_environment_catch_limits();
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) {
        fprintf(stderr, "%s: MPI_Init failed\n", name);
        return pen_exit_status(PEN_ERR_MPI);
    }
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pen_options *options = NULL;
    bool answered;
    pen_status status = parse(abi, app, argc, argv, &options, &answered);
    if (status == PEN_OK) pen_options_begun(options, start);
    if (status == PEN_OK) status = answered ? pen_stdout_flush() : run_command(options);
    if (status != PEN_OK && rank == 0) complain(name);
    pen_options_destroy(&options);
    pen_finalize();
    return pen_exit_status(status);
}

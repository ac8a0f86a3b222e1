/* forged_case.h - what the files of forged_test share. */
#pragma once

#include "tests/support/world.h"

#include <penumbra_checkpoint.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static int rank;

static void observe_nothing(const pen_view *v, pen_observation *o) {}
PEN_OBSERVE_SWEEP(observe_nothing)

/* Collective. Resume from the records that `init` writes. `what`: the sentence of the refusal; NULL: it is accepted. */
static void try_init(pen_graph *graph, pen_app app, pen_node_fn *init, const char *what)
{
    pen_app forger = app;
    const pen_run_options options = { .seed = 1, .steps = 3 };
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    make_folder("forged_test", folder);
    if (what) {
        forger.init = init;
        forger.observables.observe = observe_nothing_sweep;
    }
    pen_run *run = run_with(graph, &forger, &options);
    CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
    pen_run_destroy(&run);
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, &app, &options, &run), what ? PEN_ERR_INPUT : PEN_OK);
    if (what) CHECK_CONTAINS(pen_error_message(), what);
    if (run) CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
    pen_run_destroy(&run);
    remove_folder(folder);
}

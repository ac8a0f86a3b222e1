/* close.c - frees a run. */
#include "run/close.h"
#include "base/memory.h"
#include "run/far.h"
#include "run/parts.h"
#include "run/reach.h"
#include "store/requests.h"

void pen_run_close(pen_run *run)
{
    pen_reach_destroy(&run->reach);
    pen_far_destroy(&run->far);
    pen_run_end_inputs(run);
    pen_changes_destroy(&run->changed.requests);
    pen_graph_destroy(&run->graph.first);
    pen_halo_destroy(&run->halo);
    pen_store_destroy(&run->store);
    pen_parts_destroy(run);
    pen_machine_destroy(&run->partition.machine);
    pen_reads_free(&run->files.reads);
    pen_failure_forget(&run->files.unwritten);
    pen_observation_destroy(&run->observation);
    pen_scratch_free(&run->view.library.scratch);
    PEN_FREE_ALL(run->traits, run->shown.edges, run->shown.inputs, run->partition.name, run->partition.machine_name,
                 run->graph.name, run->graph.settings, run->origin.options, run->origin.compared, run->origin.contents,
                 run->origin.accepted, run->globals);
    pen_app_free(&run->app);
    pen_comm_destroy(&run->comm);
}

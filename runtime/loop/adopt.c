/* adopt.c - copies and checks the application and the options of a run, and opens its parts. */
#include "loop/adopt.h"
#include "base/memory.h"
#include "loop/compare_app.h"
#include "loop/parts.h"
#include "run/members.h"
#include "run/run_options.h"
#include "strict/strict.h"

static pen_status create_local(pen_run *run, const pen_graph *graph, const pen_run_options *options)
{
    run->graph.first_edges = run->graph.edges = graph->edges;
    run->graph.nodes = graph->nodes;
    if (options->partitioner) PEN_TRY(pen_copy_text(options->partitioner, &run->partition.name));
    if (options->machine) PEN_TRY(pen_copy_text(options->machine, &run->partition.machine_name));
    if (graph->origin) PEN_TRY(pen_copy_text(graph->origin, &run->graph.name));
    return pen_run_open(run);
}

/* Local. Let the application complete its description, including the sizes of its fields. */
static pen_status set_up(pen_run *run)
{
    pen_app *app = run->app;
    size_t sizes[PEN_MOST_FIELDS];
    for (int f = 0; f < app->fields.count; f++) sizes[f] = app->fields.list[f].size;
    pen_world world = run->world;
    world.field_sizes = sizes;
    const char *complaint = app->setup ? app->setup(app->params, &world) : NULL;
    if (complaint) return pen_fail(PEN_ERR_INPUT, "%s: %s", app->name, complaint);
    return pen_app_settle(app, sizes);
}

/* Local. Restore the world of the beginning of the run, except for the number of ranks, for .setup. Pass the saved data
 * of the application to it. */
static pen_status resume_world(pen_run *run, pen_resume *resume)
{
    const pen_app *app = run->app;
    const pen_checkpoint_state *saved = &resume->saved;
    const int ranks = run->world.ranks;
    const uint64_t seed = run->world.seed;
    int64_t steps = run->world.steps;
    PEN_TRY(pen_resume_belongs(resume, app, seed));
    if (run->graph.verifies) PEN_TRY(pen_resume_verifies(resume, app));
    PEN_TRY(pen_resume_steps(resume, app, &steps));
    run->world = saved->world;
    run->world.seed = seed;
    run->world.steps = steps;
    run->world.ranks = ranks;
    if (!saved->own || !app->checkpoint.restore) return PEN_OK;
    const char *complaint = app->checkpoint.restore(app->params, saved->own);
    if (!complaint) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "%s: %s: %s", resume->file.path, app->name, complaint);
}

/* Rank 0. Note the files that the run reads, which outputs must not replace. */
static pen_status note_reads(pen_run *run, const pen_source *from, const pen_run_options *options)
{
    const char *resume = from->resume ? from->resume->file.path : NULL;
    pen_written files[PEN_MOST_WRITTEN];
    const int count = pen_reads_written(pen_run_option, options, files);
    PEN_TRY(pen_resume_files(run->app, pen_run_option, options, from->graph->origin, resume, files, count,
                             &run->files.reads));
    return pen_resume_contents(from->resume, &run->files.reads, run->app, pen_run_option, &run->origin.contents);
}

static pen_status adopt(pen_run *run, const pen_source *from, const pen_run_options *theirs, pen_run_options *options)
{
    const pen_graph *graph = from->graph;
    PEN_TRY(pen_run_options_adopt(pen_run_option, theirs, options));
    PEN_TRY(pen_app_copy(from->app, &run->app));
    PEN_TRY(pen_app_check(run->app));
    PEN_TRY(pen_app_add_permanent(run->app));
    PEN_TRY(create_local(run, graph, options));
    if (from->graph_settings) PEN_TRY(pen_copy_text(from->graph_settings, &run->graph.settings));
    run->world = pen_graph_world(graph);
    run->world.seed = options->seed;
    run->world.steps = options->steps;
    run->graph.verifies = options->debug.verify;
    run->origin.resume = from->resume;
    run->origin.step = from->resume ? from->resume->saved.step : -1;
    PEN_TRY(pen_resume_accept(from->resume, run->app, options->checkpoint.accept, pen_run_option));
    if (from->resume) PEN_TRY(resume_world(run, from->resume));
    PEN_TRY(set_up(run));
    PEN_TRY(pen_members_fit(run->app));
    pen_members_note_plain(run->app);
    run->files.out = graph->comm->rank == 0 ? options->out : NULL;
    PEN_TRY(pen_parts_open(run, options, pen_parts, &from->words));
    PEN_TRY(pen_checkpoint_note_options(run, options));
    if (from->resume) PEN_TRY(pen_resume_check(from->resume, run->app, run->origin.compared));
    if (graph->comm->rank == 0) PEN_TRY(pen_parts_note_options(run, pen_run_option, options));
    if (graph->comm->rank == 0) PEN_TRY(note_reads(run, from, options));
    if (from->resume) PEN_TRY(pen_copy_text(from->resume->accepted, &run->origin.accepted));
    if (options->debug.strict) PEN_TRY(pen_strict_create(run));
    return PEN_OK;
}

pen_status pen_run_adopt(pen_comm *comm, pen_status mine, const pen_source *from, const pen_run_options *theirs,
                         pen_run_options *options, pen_run *run)
{
    if (mine == PEN_OK) mine = adopt(run, from, theirs, options);
    PEN_TRY(pen_run_options_agree(comm, mine, pen_run_option, options));
    return pen_app_agree(comm, run->app);
}

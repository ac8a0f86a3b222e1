/* inputs.c - reads the coordinates of a graph, and the values of the nodes and arcs of a run, from files. */
#include "inputs/inputs.h"
#include "base/memory.h"
#include "graph/graph.h"

#include <stdlib.h>

/* The nodes of a graph before they are sent to their owners. */
typedef struct placing {
    const pen_graph *graph;
    pen_gid *gids;  /* [count] gids of the nodes */
    uint32_t *rows; /* [count+1] rows without arcs, all 0 */
    pen_pages *index_of;
    pen_directory *directory;
    int32_t *owners; /* [count] this rank for every node */
    double *values;  /* [dimensions*count] values, coordinate by coordinate */
    double **columns;
} placing;

static pen_lid find_in_graph(void *context, pen_gid gid)
{
    const uint64_t *index = pen_pages_find(((const placing *)context)->index_of, gid);
    return index ? (pen_lid)*index : -1;
}

static pen_status resolve_in_graph(void *context, pen_status mine, int64_t count, const pen_gid *gids, int32_t *owners)
{
    return pen_directory_resolve_with(((const placing *)context)->directory, mine, count, gids, owners);
}

/* Local. */
static pen_status list_nodes(const pen_input_files *files, placing *p)
{
    const pen_lid count = p->graph->count;
    PEN_TRY(PEN_ALLOC(&p->gids, count));
    PEN_TRY(PEN_ALLOC(&p->owners, count));
    PEN_TRY(PEN_ALLOC_ZERO(&p->rows, (int64_t)count + 1));
    PEN_TRY(PEN_ALLOC(&p->values, (int64_t)count * files->places.count));
    PEN_TRY(PEN_ALLOC_ZERO(&p->columns, files->column_count));
    PEN_TRY(pen_pages_create(count, &p->index_of));
    for (pen_lid i = 0; i < count; i++) {
        p->gids[i] = pen_graph_gid(p->graph, i);
        p->owners[i] = p->graph->comm->rank;
        PEN_TRY(pen_pages_set(p->index_of, p->gids[i], (uint64_t)i));
    }
    for (int d = 0; d < files->places.count; d++) p->columns[files->own + d] = p->values + (int64_t)d * count;
    return PEN_OK;
}

/* Collective. */
static pen_status read_places(const pen_input_files *files, placing *p)
{
    pen_comm *comm = p->graph->comm;
    const pen_lid count = p->graph->count;
    PEN_TRY(pen_agree(comm, list_nodes(files, p)));
    PEN_TRY(pen_directory_create_within(comm, count, &p->directory));
    PEN_TRY(pen_directory_update(p->directory, count, p->gids, p->owners, NULL));
    const pen_input_nodes nodes = { .comm = comm,
                                    .directed = p->graph->directed,
                                    .count = count,
                                    .gids = p->gids,
                                    .rows = p->rows,
                                    .context = p,
                                    .find = find_in_graph,
                                    .resolve = resolve_in_graph };
    return pen_input_read_places(files, &nodes, p->columns);
}

pen_status pen_inputs_place(const pen_input_files *files, const pen_graph *graph, double **coordinates)
{
    placing p = { .graph = graph };
    const int dimensions = files->places.count;
    pen_status status = read_places(files, &p);
    if (status == PEN_OK) status = PEN_ALLOC(coordinates, (int64_t)graph->count * dimensions);
    status = pen_agree(graph->comm, status);
    for (int64_t i = 0; status == PEN_OK && i < graph->count; i++)
        for (int d = 0; d < dimensions; d++)
            (*coordinates)[i * dimensions + d] = p.values[(int64_t)d * graph->count + i];
    if (status != PEN_OK) {
        free(*coordinates);
        *coordinates = NULL;
    }
    pen_pages_destroy(&p.index_of);
    pen_directory_destroy(&p.directory);
    PEN_FREE_ALL(p.gids, p.rows, p.owners, p.values, p.columns);
    return status;
}

static pen_lid find(void *context, pen_gid gid) { return pen_store_slot((const pen_store *)context, gid); }

static pen_status resolve(void *context, pen_status mine, int64_t count, const pen_gid *gids, int32_t *owners)
{
    return pen_directory_resolve_with(((const pen_store *)context)->directory, mine, count, gids, owners);
}

/* Allocate the values. Kept columns are records of the nodes and arcs, and count as written from now on. */
static pen_status make_room(pen_run *run, double **values)
{
    const pen_app *app = run->app;
    const pen_store *store = run->store;
    for (int c = 0; c < app->inputs.count; c++) {
        const int field = pen_app_permanent_field(app, c), edge_field = pen_app_permanent_edge_field(app, c);
        int64_t count = app->inputs.list[c].of_edges ? (int64_t)store->rows[store->owned] : store->owned;
        if (field >= 0) values[c] = (double *)(void *)pen_store_plane(store, field, 0);
        else if (edge_field >= 0) values[c] = (double *)store->edges[edge_field];
        else PEN_TRY(PEN_ALLOC(&values[c], count));
        if (field >= 0 && run->strict)
            memset(pen_store_plane(store, app->fields.count + field, 0), 0, (size_t)count * sizeof(double));
        run->shown.inputs[c] = values[c];
    }
    return PEN_OK;
}

pen_status pen_inputs_begin(pen_run *run)
{
    const pen_store *store = run->store;
    double **values = NULL;
    if (run->app->inputs.count == 0) return PEN_OK;
    pen_status status = PEN_ALLOC_ZERO(&values, run->app->inputs.count);
    if (status == PEN_OK) status = make_room(run, values);
    status = pen_agree(run->comm, status);
    const pen_input_nodes nodes = { .comm = run->comm,
                                    .directed = store->directed,
                                    .count = store->owned,
                                    .gids = store->gids,
                                    .rows = store->rows,
                                    .columns = store->columns,
                                    .context = run->store,
                                    .find = find,
                                    .resolve = resolve };
    if (status == PEN_OK) status = pen_input_read(pen_input_files_of(run), &nodes, values);
    free(values);
    return status;
}

static void warn_of(const pen_input_file *file)
{
    if (file->single > 0)
        pen_warn("%s: %" PRId64 " edges have one row, which is used for both directions, and the others have two rows",
                 file->path, file->single);
    if (file->way != PEN_INPUT_BY_ROW || file->is_npy) return;
    pen_warn("%s: it has no column gid: its rows are taken in order, for the nodes 0, 1, 2, ...", file->path);
}

/* Print a warning for each table whose rows are taken in order, or that has one row for some edges and two for others.
 */
static void warn(const pen_input_files *files)
{
    bool brings_more = false; /* the file with the coordinates also has columns of the application */
    for (int i = 0; i < files->count; i++) {
        warn_of(&files->of[i]);
        brings_more = brings_more || files->of[i].path == files->places.path;
    }
    if (files->places.path && !brings_more) warn_of(&files->places);
}

/* ---- The part ------------------------------------------------------------------------------- */

static bool wanted(const pen_app *app, const pen_run_options *options)
{
    return app->inputs.count > 0 || options->input;
}

/* Open the files. A resumed run has the values in its checkpoint, and reads files only for pen_run_verify. */
static pen_status open_files(pen_run *run, void *state, const pen_run_options *options)
{
    const bool whole = run->origin.step < 0 || options->debug.verify;
    return pen_input_files_create(run->app, options->input, whole, (pen_input_files **)state);
}

/* Give the graph its coordinates, unless it comes from a checkpoint, which has them. */
static pen_status place(pen_run *run, void *state, const pen_run_options *options, pen_graph *graph)
{
    const pen_input_files *files = *(pen_input_files **)state;
    double *coordinates = NULL;
    if (run->origin.step >= 0 || !files->places.path) return PEN_OK;
    PEN_TRY(pen_inputs_place(files, graph, &coordinates));
    graph->coordinates = coordinates;
    graph->dimensions = files->places.count;
    return PEN_OK;
}

static pen_status begin(pen_run *run, void *state, const pen_run_options *options)
{
    if (run->origin.step >= 0) return PEN_OK;
    PEN_TRY(pen_inputs_begin(run));
    if (run->comm->rank == 0) warn(*(pen_input_files **)state);
    return PEN_OK;
}

static void destroy(pen_run *run, void *state) { pen_input_files_destroy((pen_input_files **)state); }

static const pen_part_option options_of_inputs[] = {
    { "input", "FILE|NAMES:FILE",
      "read values of nodes or edges, and coordinates (x, y, z), from CSV (NAMES: gid=COLUMN,...) or NumPy's .npy "
      "(NAMES: its columns); can be given several times",
      PEN_OPTION_SETS(input), .repeats = true, .compared = true, .reads = true },
    { .name = NULL },
};

const pen_part pen_part_inputs = {
    .name = "inputs",
    .state_size = sizeof(pen_input_files *),
    .options = options_of_inputs,
    .wanted = wanted,
    .open = open_files,
    .create = place,
    .begin = begin,
    .destroy = destroy,
};

/* results.c - writes the state of a run to files of results, when it is due. */
#include "results/results.h"
#include "balancing/loads.h"
#include "base/memory.h"
#include "base/memory_stream.h"
#include "base/numbers.h"
#include "base/output.h"
#include "observe/timers.h"
#include "output/series.h"
#include "output/tables.h"
#include "output/vtu.h"
#include "results/mesh_files.h"
#include "run/globals.h"
#include "strict/strict.h"

#include <math.h>
#include <penumbra_output.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct pen_results {
    pen_naming naming;  /* names of the files; without a stem: only pen_run_output writes files */
    char *name;         /* pattern of the names, as given by the user; NULL without a stem */
    char *fields;       /* names of the wanted members; NULL: those that fit the kind of file */
    char *mesh_files;   /* pen_output_options.mesh, or NULL */
    pen_mesh_part mesh; /* the mesh whose cells are the nodes; without places: not read yet, or there is none */
    int64_t every;      /* number of steps between files; 0: only the last state is written */
    int64_t written;    /* step of the last files; -1: there are none */
    double time;        /* physical time of the written state (pen_globals.time), else its step */
    pen_drawn_series series;
    pen_sequence sequence; /* order of the nodes in files; without shares: not known yet */
    struct {
        int64_t states, bytes;
        double seconds; /* seconds of this rank */
    } totals;
} pen_results;

static pen_results *results_of(const pen_run *run) { return pen_part_state(run, &pen_part_results); }

/* ---- Options ---------------------------------------------------------------------------------------------------- */

static bool is_drawn(pen_output_kind kind) { return kind == PEN_OUTPUT_VTU || kind == PEN_OUTPUT_PVTU; }

/* Choose the columns of a file of this kind. Gids are dense or not. */
static pen_status choose(const pen_app *app, pen_output_kind kind, const char *fields, bool dense, pen_columns *columns)
{
    const bool gid = kind == PEN_OUTPUT_CSV || (kind == PEN_OUTPUT_NPY && !dense);
    return pen_columns_choose(app, fields, is_drawn(kind), gid, columns);
}

/* Whether the nodes are cells of a mesh. `files`: pen_output_options.mesh. */
static bool is_mesh(const pen_app *app, const char *files) { return files || app->output.mesh; }

/* Check that nodes can be drawn: as cells of a mesh, or with places of so many dimensions. */
static pen_status check_places(const pen_app *app, const char *path, pen_output_kind kind, const char *mesh_files,
                               int dimensions)
{
    pen_cells cells;
    if (!is_drawn(kind) || is_mesh(app, mesh_files)) return PEN_OK;
    if (dimensions == 0)
        return pen_fail(PEN_ERR_INPUT,
                        "--output=%s: the graph is not a grid and has no coordinates; generators make them with the "
                        "setting coordinates (geometric:nodes=1000,coordinates), .pen files keep them, --input=FILE "
                        "reads them from columns x and y, and added nodes need them, too (in C, by "
                        "pen_set_coordinates); "
                        "--output-mesh=POINTS:CELLS draws nodes as cells of a mesh",
                        path);
    if (app->output.shape == PEN_SHAPE_NONE || pen_cells_of_shape(app->output.shape, dimensions, &cells) == PEN_OK)
        return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "--output=%s: %s", path, pen_error_message());
}

static int dimensions_of(const pen_graph *graph)
{
    const pen_world grid = pen_graph_world(graph);
    return graph->dimensions > 0 ? graph->dimensions : pen_grid_dimensions(&grid);
}

pen_status pen_results_check(const pen_app *app, const pen_run_options *o)
{
    pen_naming naming = { .stem = NULL };
    pen_columns columns = { .count = 0 };
    if (!o->output.path) return PEN_OK;
    PEN_TRY(pen_naming_read(o->output.path, o->output.every > 0, &naming));
    pen_status status = choose(app, naming.kind, o->output.fields, true, &columns);
    pen_columns_free(&columns);
    pen_naming_free(&naming);
    return status;
}

/* ---- The beginning ---------------------------------------------------------------------------------------------- */

static pen_status open_results(pen_run *run, void *state, const pen_run_options *o)
{
    pen_results *s = state;
    s->written = -1;
    s->every = o->output.every;
    if (o->output.mesh) PEN_TRY(pen_copy_text(o->output.mesh, &s->mesh_files));
    PEN_TRY(pen_results_check(run->app, o));
    if (o->output.fields) PEN_TRY(pen_copy_text(o->output.fields, &s->fields));
    if (!o->output.path) return PEN_OK;
    PEN_TRY(pen_naming_read(o->output.path, s->every > 0, &s->naming));
    if (!s->mesh_files || is_drawn(s->naming.kind) || run->app->output.write) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "--output-mesh needs --output=FILE.vtu, .pvtu or .pvd, but it is %s",
                    o->output.path);
}

/* Check that the nodes can be drawn. */
static pen_status create_results(pen_run *run, void *state, const pen_run_options *options, pen_graph *graph)
{
    const pen_results *s = state;
    if (!options->output.path) return PEN_OK;
    return check_places(run->app, options->output.path, s->naming.kind, s->mesh_files, dimensions_of(graph));
}

static pen_status name_results(const pen_run *run, pen_results *s)
{
    if (!s->naming.series) return pen_naming_name(&s->naming, "{name}", &s->name);
    PEN_TRY(pen_naming_series(&s->naming, &s->name));
    /* A state that an earlier run wrote only because it ended there is not part of a longer run's series. */
    const bool was_end = run->origin.step > 0 && (s->every == 0 || run->origin.step % s->every != 0);
    return pen_drawn_series_open(run->comm, s->name, run->origin.step - was_end, &s->series);
}

/* The pattern of the names of a run's files. */
typedef struct pattern {
    const pen_naming *naming;
    pen_columns columns;
} pattern;

static bool can_be(const void *context, const char *name)
{
    const pattern *p = (const pattern *)context;
    for (int c = 0; c < p->columns.count; c++)
        if (pen_naming_can_be(p->naming, p->columns.of[c].name, name)) return true;
    return false;
}

/* Rank 0. Make the folder, and warn about files that killed runs have left in it. */
static pen_status look_around(const pen_run *run, const char *path)
{
    pattern p = { .naming = &results_of(run)->naming };
    pen_naming_folder(path);
    PEN_TRY(pen_columns_choose(run->app, results_of(run)->fields, false, true, &p.columns));
    pen_new_file_tell_left(path, can_be, &p);
    pen_columns_free(&p.columns);
    return PEN_OK;
}

/* Collective. Test whether the first file of a column can be created; at first make the folder. */
static pen_status try_file(pen_run *run, const char *column, bool first)
{
    char *path = NULL;
    pen_status status = pen_naming_path(&results_of(run)->naming, run->step, column, &path);
    if (status == PEN_OK && run->comm->rank == 0 && first) status = look_around(run, path);
    status = pen_agree(run->comm, status);
    if (status == PEN_OK) status = pen_output_try(run->comm, path);
    free(path);
    return status;
}

/* Collective. Test whether the first files can be created, and that of a series. */
static pen_status try_files(pen_run *run)
{
    const pen_results *s = results_of(run);
    const pen_output_kind kind = s->naming.kind;
    pen_columns columns = { .count = 0 };
    pen_status status = pen_agree(run->comm, choose(run->app, kind, s->fields, true, &columns));
    for (int c = 0; status == PEN_OK && c < (kind == PEN_OUTPUT_NPY ? columns.count : 1); c++)
        status = try_file(run, columns.of[c].name, c == 0);
    pen_columns_free(&columns);
    return status == PEN_OK && s->naming.series ? pen_output_try(run->comm, s->name) : status;
}

/* Local. Get this rank's part of the mesh from the files, or from the application. */
static pen_status take_mesh(pen_run *run, const pen_results *s, pen_mesh_rows *rows)
{
    *rows = (pen_mesh_rows){ .points = NULL };
    if (s->mesh_files) return pen_mesh_rows_read(run->comm, s->mesh_files, rows);
    const char *wrong = run->app->output.mesh(run->app->params, &run->world, run->comm->rank, &rows->mesh);
    return wrong ? pen_fail(PEN_ERR_INPUT, "%s: %s", run->app->name, wrong) : PEN_OK;
}

/* Collective. Read the mesh, if there is one and it has not been read. */
static pen_status read_mesh(pen_run *run, pen_results *s)
{
    pen_mesh_rows rows;
    if (!is_mesh(run->app, s->mesh_files) || s->mesh.places) return PEN_OK;
    pen_status status = pen_mesh_distribute(run->comm, take_mesh(run, s, &rows), &rows.mesh, &s->mesh);
    pen_mesh_rows_free(&rows);
    if (status == PEN_OK && s->mesh.all_cells != run->world.nodes)
        status = pen_fail(PEN_ERR_INPUT, "mesh: it has %" PRId64 " cells, but the graph has %" PRId64 " nodes",
                          s->mesh.all_cells, run->world.nodes);
    if (status != PEN_OK) pen_mesh_part_free(&s->mesh);
    return status;
}

static pen_status begin_results(pen_run *run, void *state, const pen_run_options *options)
{
    if (!options->output.path) return PEN_OK;
    if (run->strict && options->output.every > 0 && !run->origin.resume) PEN_TRY(pen_strict_deliver(run));
    if (is_drawn(((pen_results *)state)->naming.kind)) PEN_TRY(read_mesh(run, state));
    PEN_TRY(pen_agree(run->comm, name_results(run, state)));
    return try_files(run);
}

static void destroy(pen_run *run, void *state)
{
    pen_results *s = state;
    (void)(pen_drawn_series_settle(&s->series) == PEN_OK);
    pen_naming_free(&s->naming);
    pen_drawn_series_free(&s->series);
    pen_sequence_free(&s->sequence);
    pen_mesh_part_free(&s->mesh);
    PEN_FREE_ALL(s->name, s->fields, s->mesh_files);
}

const char *pen_results_name(const pen_run *run) { return results_of(run)->name; }

/* ---- Writing ---------------------------------------------------------------------------------------------------- */

/* Collective. Find the order of the nodes in files, at first and after nodes have moved. */
static pen_status follow_nodes(pen_run *run)
{
    pen_sequence *sequence = &results_of(run)->sequence;
    if (sequence->shares && sequence->version == run->store->migrations) return PEN_OK;
    pen_sequence_free(sequence);
    return pen_sequence_make(run->comm, run->store, sequence);
}

/* Local. Find the loads of the nodes: *loads[s * *stride]. *own is an array made for this, or NULL; the caller frees
 * it. */
static pen_status find_loads(const pen_run *run, const double **loads, size_t *stride, double **own)
{
    static const double zero = 0.0, one = 1.0;
    const pen_store *store = run->store;
    const bool known = pen_loads_of(run) && pen_loads_of(run)->version == store->migrations;
    *loads = pen_loads_of(run) ? &zero : &one;
    *stride = 0;
    if (!known && (pen_loads_of(run) || !store->node_weights)) return PEN_OK;
    *stride = sizeof(double);
    *loads = known ? pen_loads_of(run)->of : NULL;
    if (known) return PEN_OK;
    PEN_TRY(PEN_ALLOC(own, store->owned));
    for (pen_lid s = 0; s < store->owned; s++) (*own)[s] = (double)store->node_weights[s];
    *loads = *own;
    return PEN_OK;
}

/* Local. Ask the application for the sides of the nodes: *sides [3*owned]. The caller frees it. */
static pen_status find_sides(pen_run *run, double **sides)
{
    pen_view *v = &run->view;
    PEN_TRY(PEN_ALLOC(sides, 3 * (int64_t)run->store->owned));
    pen_run_view(run, 0, 0);
    for (v->slot = 0; v->slot < run->store->owned; v->slot++) {
        double *s = *sides + 3 * (int64_t)v->slot;
        s[0] = s[1] = s[2] = 1.0;
        if (run->app->output.sides) run->app->output.sides(v, s);
        for (int d = 0; d < 3; d++)
            PEN_ARGUMENT(s[d] > 0.0 && isfinite(s[d]), "%s: .sides gives node %" PRIgid " a side of %g, must be > 0",
                         run->app->name, pen_id(v), s[d]);
    }
    return PEN_OK;
}

/* Local. Find the places of the nodes and the shape in which they are drawn. The caller frees *places and *sides. If
 * the graph may change, it is never drawn as cells of a grid, since it can stop being one. */
static pen_status arrange(pen_run *run, pen_vtu *v, double **places, double **sides)
{
    const pen_app *app = run->app;
    const pen_store *store = run->store;
    v->dimensions = pen_store_dimensions(store);
    if (v->mesh) return PEN_OK;
    if (app->output.shape == PEN_SHAPE_NONE && store->grid.grid != PEN_GRID_NONE && !pen_app_modifies(app)) {
        v->cells = pen_cells_of(&store->grid);
        return PEN_OK;
    }
    PEN_TRY(pen_store_places(store, &v->places, places));
    if (app->output.shape == PEN_SHAPE_NONE) return PEN_OK;
    PEN_TRY(pen_cells_of_shape(app->output.shape, v->dimensions, &v->cells));
    PEN_TRY(find_sides(run, sides));
    v->sides = *sides;
    return PEN_OK;
}

/* Collective. Find the mesh of the nodes: *mesh, NULL if they are no cells of one. */
static pen_status find_mesh(pen_run *run, const pen_mesh_part **mesh)
{
    pen_results *s = results_of(run);
    *mesh = NULL;
    PEN_TRY(read_mesh(run, s));
    if (!s->mesh.places) return PEN_OK;
    *mesh = &s->mesh;
    if (s->sequence.dense && s->sequence.count == s->mesh.all_cells) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT,
                    "mesh: it has the cells of the nodes 0 to %" PRId64 ", but the graph has other nodes",
                    s->mesh.all_cells - 1);
}

/* Collective. Draw the columns. */
static pen_status draw(pen_run *run, const pen_naming *naming, const pen_columns *columns, const char *path,
                       int64_t *bytes)
{
    const pen_store *store = run->store;
    pen_vtu v = { .comm = run->comm,
                  .store = store,
                  .sequence = &results_of(run)->sequence,
                  .columns = columns,
                  .time = results_of(run)->time,
                  .put_off = naming->series };
    double *places = NULL, *sides = NULL;
    PEN_TRY(check_places(run->app, path, naming->kind, results_of(run)->mesh_files, pen_store_dimensions(store)));
    PEN_TRY(find_mesh(run, &v.mesh));
    pen_status status = pen_agree(run->comm, arrange(run, &v, &places, &sides));
    if (status == PEN_OK)
        status = naming->kind == PEN_OUTPUT_PVTU ? pen_pvtu_write(&v, path, bytes) : pen_vtu_write(&v, path, bytes);
    PEN_FREE_ALL(places, sides);
    return status;
}

/* Collective. */
static pen_status write_columns(pen_run *run, const pen_naming *naming, const pen_columns *columns, const char *path,
                                int64_t *bytes)
{
    const pen_sequence *sequence = &results_of(run)->sequence;
    switch (naming->kind) {
    case PEN_OUTPUT_NPY: return pen_npy_write(run->comm, run->store, sequence, columns, naming, run->step, bytes);
    case PEN_OUTPUT_CSV: return pen_csv_write(run->comm, run->store, sequence, columns, path, bytes);
    default: return draw(run, naming, columns, path, bytes);
    }
}

/* Local. A column of the physical time, which is the same for all nodes. */
static pen_status add_time(const char *name, const double *time, pen_columns *columns)
{
    PEN_TRY(PEN_REALLOC(&columns->of, columns->count + 1));
    columns->of[columns->count++] = (pen_column){ .kind = PEN_COLUMN_LOAD,
                                                  .name = name,
                                                  .type = PEN_F64,
                                                  .components = 1,
                                                  .bytes = sizeof *time,
                                                  .from = (const unsigned char *)time };
    return PEN_OK;
}

/* Local. Replace the pattern by the names of all files. */
static pen_status name_files(pen_results *s, const pen_columns *columns)
{
    char *names = NULL;
    size_t size = 0;
    pen_status status = PEN_OK;
    FILE *text = pen_memory_stream(&names, &size);
    for (int c = 0; text && c < columns->count && status == PEN_OK; c++) {
        char *name = NULL;
        status = pen_naming_name(&s->naming, columns->of[c].name, &name);
        if (status == PEN_OK) fprintf(text, "%s%s", c > 0 ? ", " : "", name);
        free(name);
    }
    if ((!text || fclose(text) != 0) && status == PEN_OK)
        status = pen_fail(PEN_ERR_MEMORY, "out of memory for the names of results");
    free(status == PEN_OK ? s->name : names);
    if (status == PEN_OK) s->name = names;
    return status;
}

/* Collective. Whether the files need the nodes' gids: they are not the positions, or an old file has gids, which would
 * be those of another graph. */
static pen_status needs_gids(const pen_run *run, const pen_naming *naming, bool *needs)
{
    char *path = NULL;
    int64_t any = !results_of(run)->sequence.dense;
    *needs = any != 0;
    if (any || naming->kind != PEN_OUTPUT_NPY) return PEN_OK;
    pen_status status = run->comm->rank == 0 ? pen_naming_path(naming, run->step, "gid", &path) : PEN_OK;
    if (path) any = access(path, F_OK) == 0;
    free(path);
    status = pen_agree(run->comm, status);
    if (status == PEN_OK) status = pen_max_int(run->comm, any, &any);
    *needs = any != 0;
    return status;
}

/* Local. Find the columns of the files, the places of their values, and the name of the file, if there is only one. */
static pen_status prepare(const pen_run *run, const pen_naming *naming, bool gids, pen_columns *columns, double **own,
                          char **path)
{
    pen_results *s = results_of(run);
    const double *loads;
    size_t stride;
    s->time = (double)run->step;
    const char *time = pen_globals_time(run, &s->time);
    PEN_TRY(choose(run->app, naming->kind, s->fields, !gids, columns));
    PEN_TRY(find_loads(run, &loads, &stride, own));
    for (int c = 0; c < columns->count; c++) pen_column_of_store(run->store, &columns->of[c], loads, stride);
    if (time && naming->kind == PEN_OUTPUT_CSV) PEN_TRY(add_time(time, &s->time, columns));
    if (naming == &s->naming && naming->kind == PEN_OUTPUT_NPY) PEN_TRY(name_files(s, columns));
    return pen_naming_path(naming, run->step, columns->of[0].name, path);
}

/* Collective. Write the present state, and add it to the series. */
static pen_status write_state(pen_run *run, const pen_naming *naming, pen_drawn_series *series)
{
    const double start = pen_seconds_now();
    pen_columns columns = { .count = 0 };
    double *own = NULL;
    char *path = NULL;
    int64_t bytes = 0;
    pen_mark_doing("files of results");
    PEN_TRY(follow_nodes(run));
    bool gids;
    PEN_TRY(needs_gids(run, naming, &gids));
    pen_status status = pen_agree(run->comm, prepare(run, naming, gids, &columns, &own, &path));
    if (status == PEN_OK && run->comm->rank == 0) pen_naming_folder(path);
    if (status == PEN_OK) status = write_columns(run, naming, &columns, path, &bytes);
    if (status == PEN_OK && series && run->comm->rank == 0)
        status = pen_drawn_series_add(series, run->step, results_of(run)->time, path, pen_seconds_now());
    if (series) status = pen_agree(run->comm, status);
    pen_columns_free(&columns);
    PEN_FREE_ALL(own, path);
    PEN_TRY(status);
    results_of(run)->totals.states++;
    results_of(run)->totals.bytes += bytes;
    results_of(run)->totals.seconds += pen_seconds_now() - start;
    return PEN_OK;
}

static pen_status settle(pen_run *run, void *state)
{
    return pen_agree(run->comm, pen_drawn_series_settle(&((pen_results *)state)->series));
}

/* Collective. Write the state, unless it is written already. */
static pen_status write_due(pen_run *run, pen_results *s)
{
    if (s->written == run->step) return PEN_OK;
    PEN_TRY(write_state(run, &s->naming, s->naming.series ? &s->series : NULL));
    s->written = run->step;
    return PEN_OK;
}

/* Local, equal on all ranks. Check that the nodes still have places; nodes that have lost them never get any. */
static pen_status check_now(const pen_run *run, const pen_results *s)
{
    return run->changed.requests
               ? check_places(run->app, s->name, s->naming.kind, s->mesh_files, pen_store_dimensions(run->store))
               : PEN_OK;
}

pen_status pen_results_end(pen_run *run)
{
    pen_results *s = results_of(run);
    PEN_TRY(check_now(run, s));
    PEN_TRY(write_due(run, s));
    return settle(run, s);
}

static pen_status write_step(pen_run *run, void *state)
{
    pen_results *s = state;
    if (!s->name || run->files.unwritten.status != PEN_OK) return PEN_OK;
    const bool last = run->end != PEN_END_OPEN || (run->step > 0 && run->step == run->world.steps);
    const bool due = last || (s->every > 0 && run->step % s->every == 0);
    const double start = pen_seconds_now();
    pen_status status = check_now(run, s);
    if (status == PEN_OK && due) status = last ? pen_results_end(run) : write_due(run, s);
    pen_failure_keep(&run->files.unwritten, status);
    run->timers.loop -= pen_seconds_now() -
                        start; /* the time does not count as part of the steps, as for other output */
    return status;
}

static pen_status spare_piece(const pen_run *run, const char *whole, int rank)
{
    char *piece = NULL;
    pen_status status = pen_naming_piece(whole, rank, &piece);
    if (status == PEN_OK) status = pen_reads_spare(&run->files.reads, "pen_run_output", piece);
    free(piece);
    return status;
}

/* Local. Parse a path, and check that its files do not replace one that the run reads. */
static pen_status read_path(const pen_run *run, const char *path, pen_naming *naming)
{
    pen_columns columns = { .count = 0 };
    PEN_ARGUMENT(path, "pen_run_output needs a path");
    PEN_TRY(pen_naming_read(path, false, naming));
    if (naming->series) return pen_fail(PEN_ERR_INPUT, "%s: use pen_output_options.path for a series", path);
    const int pieces = naming->kind == PEN_OUTPUT_PVTU && run->files.reads.count > 0 ? run->comm->size : 0;
    pen_status status = choose(run->app, naming->kind, results_of(run)->fields, false, &columns);
    for (int c = 0; status == PEN_OK && c < columns.count; c++) {
        char *file = NULL;
        status = pen_naming_path(naming, run->step, columns.of[c].name, &file);
        if (status == PEN_OK) status = pen_reads_spare(&run->files.reads, "pen_run_output", file);
        for (int r = 0; status == PEN_OK && c == 0 && r < pieces; r++) status = spare_piece(run, file, r);
        free(file);
    }
    pen_columns_free(&columns);
    return status;
}

pen_status pen_run_output(pen_run *run, const char *path)
{
    PEN_C_LOCALE;
    PEN_WITHIN("pen_run_output");
    pen_naming naming = { .stem = NULL };
    PEN_TRY(pen_run_ready(run, "pen_run_output"));
    pen_status status = read_path(run, path, &naming);
    status = pen_agree_equal(run->comm, status, &(pen_argument){ "path", path, 0 }, 1);
    if (status == PEN_OK) status = write_state(run, &naming, NULL);
    pen_naming_free(&naming);
    return status;
}

/* ---- The part --------------------------------------------------------------------------------------------------- */

static void metrics(FILE *out, const pen_run *run, const void *state, const struct pen_report *report)
{
    const pen_results *s = state;
    fprintf(out, ",\n  \"output\": {\"states\": %" PRId64 ", \"bytes\": %" PRId64 ", \"seconds\": %.9f}",
            s->totals.states, s->totals.bytes, s->totals.seconds);
}

static const pen_part_option options_of_results[] = {
    { "output", "PATTERN",
      "write members of all nodes' records to .npy, .csv, .vtu, .pvtu or .pvd; may contain {step} and {name}",
      PEN_OPTION_SETS(output.path), .output = true },
    { "output-every", "N",
      "write --output before the first step, after every N-th and after the last (only after the last)",
      PEN_OPTION_SETS(output.every), .low = 1, .needs = "output=PATTERN", .output = true },
    { "output-fields", "A,B", "the members that --output writes; also gid, owner, load", PEN_OPTION_SETS(output.fields),
      .needs = "output=PATTERN", .output = true },
    { "output-mesh", "POINTS:CELLS[:surface]",
      "nodes are the cells of a mesh in .vtu files: NumPy arrays (.npy) of the points' coordinates, and of each cell's "
      "points",
      PEN_OPTION_SETS(output.mesh), .output = true, .reads = true },
    { .name = NULL },
};

const pen_part pen_part_results = {
    .name = "results",
    .state_size = sizeof(pen_results),
    .options = options_of_results,
    .open = open_results,
    .create = create_results,
    .ready = begin_results,
    .write = write_step,
    .settle = settle,
    .metrics = metrics,
    .destroy = destroy,
};

#include "run/inputs.h"
#include "base/memory.h"

#include <stdlib.h>

pen_status pen_inputs_create(pen_run *run, const pen_run_options *options, bool whole)
{
    return pen_input_files_create(run->app, options->input, whole, &run->input_files);
}

static pen_lid find(void *context, pen_gid gid)
{
    const pen_store *store = (const pen_store *)context;
    const uint64_t *slot = pen_pages_find(store->slot_of, gid);
    return slot && *slot < (uint64_t)store->owned ? (pen_lid)*slot : -1;
}

static pen_status resolve(void *context, pen_status mine, int64_t count, const pen_gid *gids, int32_t *owners)
{
    return pen_directory_resolve(((const pen_store *)context)->directory, mine, count, gids, owners);
}

/* Values to be filled in: those that are kept are records of the nodes and arcs, and written from now on. */
static pen_status make_room(pen_run *run, double **values)
{
    const pen_app *app = run->app;
    const pen_store *store = run->store;
    for (int c = 0; c < app->input_count; c++) {
        const int field = pen_app_kept_field(app, c), edge_field = pen_app_kept_edge_field(app, c);
        int64_t count = app->inputs[c].of_edges ? (int64_t)store->rows[store->owned] : store->owned;
        if (field >= 0) values[c] = (double *)(void *)pen_store_plane(store, field, 0);
        else if (edge_field >= 0) values[c] = (double *)store->edges[edge_field];
        else PEN_TRY(PEN_ALLOC(&values[c], count));
        if (field >= 0 && run->strict)
            memset(pen_store_plane(store, app->field_count + field, 0), 0, (size_t)count * sizeof(double));
        run->inputs[c] = values[c];
    }
    return PEN_OK;
}

pen_status pen_inputs_begin(pen_run *run)
{
    const pen_store *store = run->store;
    double **values = NULL;
    if (run->app->input_count == 0) return PEN_OK;
    pen_status status = PEN_ALLOC_ZERO(&values, run->app->input_count);
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
    if (status == PEN_OK) status = pen_input_read(run->input_files, &nodes, values);
    free(values);
    return status;
}

void pen_inputs_warn(const pen_run *run)
{
    const pen_input_files *files = run->input_files;
    for (int i = 0; run->comm->rank == 0 && i < files->count; i++)
        if (files->of[i].way == PEN_INPUT_BY_ROW && !files->of[i].is_npy)
            pen_warn("%s: it has no column gid: its rows are taken in order, for the nodes 0, 1, 2, ...",
                     files->of[i].path);
}

void pen_inputs_end(pen_run *run)
{
    for (int c = 0; run->inputs && c < run->app->input_count; c++) {
        if (run->app->inputs[c].kept) continue;
        free((void *)(uintptr_t)run->inputs[c]);
        run->inputs[c] = NULL;
    }
}

pen_status pen_inputs_changes(const pen_app *app, int field_count, const size_t *sizes, pen_changes **changes)
{
    size_t edge_bytes = 0;
    PEN_TRY(pen_changes_create(field_count, sizes, changes));
    for (int e = 0; e < app->edge_field_count; e++) edge_bytes += app->edge_fields[e].size;
    for (int c = 0; c < app->input_count; c++) {
        const int field = pen_app_kept_field(app, c), edge_field = pen_app_kept_edge_field(app, c);
        const double *otherwise = &app->inputs[c].otherwise;
        size_t at = 0;
        for (int e = 0; e < edge_field; e++) at += app->edge_fields[e].size;
        if (field >= 0) PEN_TRY(pen_changes_begin_with(*changes, field, otherwise, sizeof *otherwise));
        if (edge_field >= 0)
            PEN_TRY(pen_changes_begin_arcs_with(*changes, edge_bytes, at, otherwise, sizeof *otherwise));
    }
    return PEN_OK;
}

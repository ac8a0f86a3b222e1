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

/* Values to be filled in: those that are kept are records of the nodes, and written from now on. */
static pen_status make_room(pen_run *run, double **values)
{
    const pen_app *app = run->app;
    const pen_store *store = run->store;
    for (int c = 0; c < app->input_count; c++) {
        int field = pen_app_kept_field(app, c);
        int64_t count = app->inputs[c].of_edges ? (int64_t)store->rows[store->owned] : store->owned;
        if (field < 0) PEN_TRY(PEN_ALLOC(&values[c], count));
        else values[c] = (double *)(void *)pen_store_plane(store, field, 0);
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

void pen_inputs_end(pen_run *run)
{
    for (int c = 0; run->inputs && c < run->app->input_count; c++) {
        if (pen_app_kept_field(run->app, c) >= 0) continue;
        free((void *)(uintptr_t)run->inputs[c]);
        run->inputs[c] = NULL;
    }
}

pen_status pen_inputs_changes(const pen_app *app, int field_count, const size_t *sizes, pen_changes **changes)
{
    PEN_TRY(pen_changes_create(field_count, sizes, changes));
    for (int c = 0; c < app->input_count; c++) {
        int field = pen_app_kept_field(app, c);
        if (field >= 0) PEN_TRY(pen_changes_begin_with(*changes, field, &app->inputs[c].otherwise, sizeof(double)));
    }
    return PEN_OK;
}

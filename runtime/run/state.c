#include "run/state.h"
#include "base/memory.h"

#include <stdlib.h>

typedef struct pen_scratch {
    void *memory;
    size_t size;
} pen_scratch;

void *pen_scratch_get(const pen_view *v, size_t bytes)
{
    pen_scratch *scratch = v->scratch;
    if (bytes > scratch->size || !scratch->memory) {
        free(scratch->memory);
        scratch->size = bytes < 1024 ? 1024 : 2 * bytes;
        scratch->memory = malloc(scratch->size);
        if (!scratch->memory) pen_die("out of memory: %zu bytes of scratch memory", scratch->size);
    }
    return scratch->memory;
}

pen_status pen_run_open(pen_run *run, const pen_app *app)
{
    run->app = app;
    PEN_TRY(PEN_ALLOC(&run->traits, app->phase_count));
    PEN_TRY(PEN_ALLOC_ZERO(&run->current, app->field_count));
    PEN_TRY(PEN_ALLOC_ZERO(&run->next, app->field_count));
    PEN_TRY(PEN_ALLOC_ZERO(&run->view.scratch, 1));
    PEN_TRY(pen_observation_create(app->observables, app->observable_count, &run->observation));
    pen_app_traits(app, run->traits);
    return PEN_OK;
}

void pen_run_close(pen_run *run)
{
    pen_trace_destroy(&run->trace);
    pen_halo_destroy(&run->halo);
    pen_store_destroy(&run->store);
    pen_observation_destroy(&run->observation);
    if (run->view.scratch) free(run->view.scratch->memory);
    PEN_FREE_ALL(run->series.ints, run->series.reals, run->view.scratch, run->traits, run->current, run->next,
                 run->partitioner);
    pen_comm_destroy(&run->comm);
}

void pen_run_bind(pen_run *run)
{
    const pen_store *store = run->store;
    run->view = (pen_view){ .rows = store->rows,
                            .columns = store->columns,
                            .gids = store->gids,
                            .node_weights = store->node_weights,
                            .edge_weights = store->edge_weights,
                            .current = run->current,
                            .next = run->next,
                            .sizes = store->sizes,
                            .params = run->app->params,
                            .scratch = run->view.scratch };
}

void pen_run_view(pen_run *run, uint64_t writes)
{
    for (int f = 0; f < run->app->field_count; f++) {
        run->current[f] = pen_store_plane(run->store, f, 0);
        run->next[f] = writes >> f & 1 ? pen_store_plane(run->store, f, 1) : NULL;
    }
    run->view.step = run->step;
}

void pen_run_sweep(pen_run *run, const pen_phase *phase, pen_lid first, pen_lid end)
{
    pen_view *view = &run->view;
    pen_node_fn *node = phase->node;
    if (first == end) return;
    if (!node) {
        view->slot = first;
        phase->block(view, end - first);
        return;
    }
    for (pen_lid slot = first; slot < end; slot++) {
        view->slot = slot;
        node(view);
    }
}

pen_local pen_run_local(const pen_run *run)
{
    for (int f = 0; f < run->app->field_count; f++) run->current[f] = pen_store_plane(run->store, f, 0);
    return (pen_local){ run->store->owned, run->store->gids, run->current };
}

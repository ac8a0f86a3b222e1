/* state.c - the view of a run and its planes, and sweeps. */
#include "run/state.h"
#include "base/memory.h"
#include "run/calls.h"
#include "store/change.h"

#include <math.h>
#include <stdlib.h>

typedef struct pen_scratch {
    void *memory;
    size_t size;
    bool poisoned; /* new memory is filled with `pattern` */
    unsigned char pattern;
} pen_scratch;

void *pen_scratch_get(const pen_view *v, size_t bytes)
{
    pen_scratch *scratch = v->library.scratch;
    if (bytes > scratch->size || !scratch->memory) {
        free(scratch->memory);
        scratch->size = bytes < 1024 ? 1024 : 2 * bytes;
        scratch->memory = malloc(scratch->size);
        if (!scratch->memory) pen_die("out of memory: %zu bytes of scratch memory", scratch->size);
        if (scratch->poisoned) memset(scratch->memory, scratch->pattern, scratch->size);
    }
    return scratch->memory;
}

void pen_scratch_poison(pen_scratch *scratch, unsigned char pattern)
{
    free(scratch->memory);
    *scratch = (pen_scratch){ .poisoned = true, .pattern = pattern };
}

pen_status pen_run_open(pen_run *run)
{
    const pen_app *app = run->app;
    run->sweep = pen_run_sweep;
    PEN_TRY(PEN_ALLOC(&run->traits, app->phases.count));
    PEN_TRY(PEN_ALLOC_ZERO(&run->shown.edges, app->edge_fields.count));
    PEN_TRY(PEN_ALLOC_ZERO(&run->shown.inputs, app->inputs.count));
    PEN_TRY(PEN_ALLOC_ZERO(&run->view.library.scratch, 1));
    PEN_TRY(pen_observation_create(app, &run->observation));
    if (app->globals) PEN_TRY(pen_alloc_zero(&run->globals, 3, app->globals->size));
    pen_app_traits(app, run->traits);
    return PEN_OK;
}

void pen_scratch_free(pen_scratch **scratch)
{
    if (*scratch) free((*scratch)->memory);
    free(*scratch);
    *scratch = NULL;
}

void pen_run_end_inputs(pen_run *run)
{
    for (int c = 0; run->shown.inputs && c < run->app->inputs.count; c++) {
        if (run->app->inputs.list[c].permanent) continue;
        free((void *)(uintptr_t)run->shown.inputs[c]);
        run->shown.inputs[c] = NULL;
    }
}

const double pen_nowhere[3] = { NAN, NAN, NAN };

/* Show the current planes. Kept input columns are among them, or among the records of the arcs. */
static void show_current(pen_run *run)
{
    for (int f = 0; f < run->app->fields.count; f++) run->view.current[f] = pen_store_plane(run->store, f, 0);
    for (int c = 0; c < run->app->inputs.count; c++) {
        const int field = pen_app_permanent_field(run->app, c), edge_field = pen_app_permanent_edge_field(run->app, c);
        if (field >= 0) run->shown.inputs[c] = (const double *)run->view.current[field];
        if (edge_field >= 0) run->shown.inputs[c] = (const double *)run->store->edges[edge_field];
    }
}

void pen_run_bind(pen_run *run)
{
    const pen_store *store = run->store;
    run->view = (pen_view){ .rows = store->rows,
                            .columns = store->columns,
                            .gids = store->gids,
                            .node_weights = store->node_weights,
                            .edge_weights = store->edge_weights,
                            .sizes = store->sizes,
                            .params = run->app->params,
                            .dimensions = store->dimensions,
                            .coordinates = store->dimensions > 0 ? store->coordinates : pen_nowhere,
                            .readers = store->readers,
                            .seed = run->world.seed,
                            .edges = (const void *const *)store->edges,
                            .own_edges = run->shown.edges,
                            .inputs = run->shown.inputs,
                            .library = { .scratch = run->view.library.scratch,
                                         .observed_ints = run->observation->ints,
                                         .observed_reals = run->observation->reals,
                                         .components = run->observation->values.components,
                                         .globals = run->globals,
                                         .mailboxes = run->view.library.mailboxes,
                                         .outboxes = run->view.library.outboxes } };
    show_current(run);
}

pen_status pen_run_ready(const pen_run *run, const char *function)
{
    PEN_ARGUMENT(run, "%s: the run is NULL", function);
    return pen_mpi_ready();
}

void pen_run_view(pen_run *run, uint64_t writes, uint64_t in_place)
{
    show_current(run);
    for (int f = 0; f < run->app->fields.count; f++)
        run->view.next[f] = writes >> f & 1 ? pen_store_plane(run->store, f, !(in_place >> f & 1)) : NULL;
    pen_run_open_edges(run, 0);
    run->view.step = run->step;
}

void pen_run_open_edges(pen_run *run, uint64_t writes)
{
    for (int e = 0; e < run->app->edge_fields.count; e++)
        run->shown.edges[e] = writes >> e & 1 ? run->store->edges[e] : NULL;
}

static void ask_nodes(pen_run *run, const pen_phase *phase, pen_lid first, pen_lid end)
{
    for (run->view.slot = first; run->view.slot < end; run->view.slot++) {
        pen_changes_by(run->changed.requests, run->view.slot, pen_id(&run->view));
        phase->modify(&run->view, run->changed.requests);
    }
}

#ifdef PEN_CHECKING
static const bool poisons = true;
#else
static const bool poisons = false;
#endif

/* Prepare the next records of some slots: copies of the current ones if the phase keeps them; in the checking build,
 * NaN in those that it must write. */
static void prepare(const pen_run *run, const pen_phase *phase, pen_lid first, pen_lid end)
{
    for (int f = 0; f < run->app->fields.count; f++) {
        const size_t size = run->store->sizes[f], at = (size_t)first * size, bytes = (size_t)(end - first) * size;
        const unsigned char *current = run->view.current[f];
        unsigned char *next = run->view.next[f];
        if (!next || next == current) continue;
        if (poisons) memset(next + at, 0xff, bytes);
        if (phase->updates.bits >> f & 1) memcpy(next + at, current + at, bytes);
    }
}

void pen_run_sweep(pen_run *run, const pen_phase *phase, pen_lid first, pen_lid end)
{
    pen_view *view = &run->view;
    if (first == end) return;
    if (poisons || phase->updates.bits) prepare(run, phase, first, end);
    if (phase->modify) {
        ask_nodes(run, phase, first, end);
        return;
    }
    pen_call_nodes(view, phase, first, end);
}

void pen_run_flip(pen_run *run, uint64_t fields)
{
    pen_store_swap_planes(run->store, pen_run_carried(run, fields));
    show_current(run);
}

void pen_run_pull(pen_run *run, uint64_t fields)
{
    uint64_t carried = pen_run_carried(run, fields);
    pen_run_flip(run, fields);
    run->halo->transport->begin(run->halo, carried);
    run->halo->transport->end(run->halo, carried);
    pen_run_flip(run, fields);
}

#include "driver/oracle.h"
#include "base/memory.h"
#include "driver/oracle_change.h"
#include "run/inputs.h"
#include "run/observables.h"

#include <stdlib.h>

/* What next records are made of, so that one which a node forgets to write is not the same here as in the run. */
enum { UNWRITTEN = 0x5a };

static pen_status lay_out_fields(pen_oracle *s)
{
    const pen_app *app = s->app;
    PEN_TRY(PEN_ALLOC(&s->sizes, app->field_count));
    PEN_TRY(PEN_ALLOC_ZERO(&s->now, app->field_count));
    PEN_TRY(PEN_ALLOC_ZERO(&s->then, app->field_count));
    PEN_TRY(PEN_ALLOC_ZERO(&s->current, app->field_count));
    PEN_TRY(PEN_ALLOC_ZERO(&s->next, app->field_count));
    for (int f = 0; f < app->field_count; f++) {
        s->sizes[f] = app->fields[f].size;
        PEN_TRY(pen_alloc_zero(&s->now[f], s->nodes, s->sizes[f]));
        PEN_TRY(pen_alloc_zero(&s->then[f], s->nodes, s->sizes[f]));
    }
    PEN_TRY(PEN_ALLOC_ZERO(&s->edges, app->edge_field_count));
    PEN_TRY(PEN_ALLOC_ZERO(&s->own_edges, app->edge_field_count));
    for (int e = 0; e < app->edge_field_count; e++)
        PEN_TRY(pen_alloc_zero(&s->edges[e], s->rows[s->nodes], app->edge_fields[e].size));
    PEN_TRY(PEN_ALLOC_ZERO(&s->inputs, app->input_count));
    return pen_observation_create(app, &s->observation);
}

/* ---- Values that files bring -------------------------------------------------------------------- */

static pen_lid find_node(void *context, pen_gid gid) { return pen_oracle_find((const pen_oracle *)context, gid); }

/* All nodes are here. */
static pen_status find_owners(void *context, pen_status mine, int64_t count, const pen_gid *gids, int32_t *owners)
{
    for (int64_t i = 0; mine == PEN_OK && i < count; i++)
        owners[i] = find_node(context, gids[i]) >= 0 ? 0 : PEN_OWNER_UNKNOWN;
    return mine;
}

/* The same files as the run, by as few ranks as can be. */
static pen_status read_inputs(pen_oracle *s, pen_comm *self, double **values)
{
    const pen_input_nodes nodes = { .comm = self,
                                    .directed = s->directed,
                                    .count = s->nodes,
                                    .gids = s->gids,
                                    .rows = s->rows,
                                    .columns = s->columns,
                                    .context = s,
                                    .find = find_node,
                                    .resolve = find_owners };
    for (int c = 0; c < s->app->input_count; c++) {
        const pen_input_column *column = &s->app->inputs[c];
        const int field = pen_app_kept_field(s->app, c), edge_field = pen_app_kept_edge_field(s->app, c);
        if (field >= 0) values[c] = (double *)s->now[field];
        else if (edge_field >= 0) values[c] = (double *)s->edges[edge_field];
        else PEN_TRY(PEN_ALLOC(&values[c], column->of_edges ? (int64_t)s->rows[s->nodes] : s->nodes));
        s->inputs[c] = values[c];
    }
    return pen_input_read(s->shown.input_files, &nodes, values);
}

static pen_status begin_inputs(pen_oracle *s)
{
    pen_comm *self = NULL;
    double **values = NULL;
    if (s->app->input_count == 0) return PEN_OK;
    PEN_TRY(pen_comm_create(MPI_COMM_SELF, &self));
    pen_status status = PEN_ALLOC_ZERO(&values, s->app->input_count);
    if (status == PEN_OK) status = read_inputs(s, self, values);
    free(values);
    pen_comm_destroy(&self);
    return status;
}

static void drop_inputs(pen_oracle *s)
{
    for (int c = 0; s->inputs && c < s->app->input_count; c++) {
        if (s->app->inputs[c].kept) continue;
        free((void *)(uintptr_t)s->inputs[c]);
        s->inputs[c] = NULL;
    }
}

/* ---- Computing ---------------------------------------------------------------------------------- */

static void open_edges(pen_oracle *s, uint64_t writes)
{
    for (int e = 0; e < s->app->edge_field_count; e++) s->own_edges[e] = writes >> e & 1 ? s->edges[e] : NULL;
}

static void init_edges(pen_oracle *s)
{
    for (int f = 0; f < s->app->field_count; f++) {
        s->current[f] = s->now[f];
        s->next[f] = NULL;
    }
    open_edges(s, UINT64_MAX);
    for (s->view.slot = 0; s->view.slot < s->nodes; s->view.slot++) s->app->init_edges(&s->view);
}

static pen_status compute_far(pen_oracle *s, const pen_phase *phase)
{
    for (int f = 0; f < s->app->field_count; f++) {
        s->current[f] = s->now[f];
        s->next[f] = NULL;
    }
    open_edges(s, 0);
    PEN_TRY(PEN_REALLOC(&s->first, (int64_t)s->nodes + 1));
    s->wishes.count = 0;
    for (pen_lid i = 0; i < s->nodes; i++) {
        s->view.slot = i;
        s->first[i] = s->wishes.count;
        phase->far(&s->view, &s->wishes);
    }
    s->first[s->nodes] = s->wishes.count;
    PEN_TRY(s->wishes.status);
    PEN_TRY(PEN_REALLOC(&s->wanted, s->wishes.room));
    for (int64_t i = 0; i < s->wishes.count; i++) s->wanted[i] = pen_oracle_find(s, s->wishes.gids[i]);
    s->far = (pen_far){ s->first, s->wishes.gids, s->wanted, s->nodes, NULL };
    s->view.far = &s->far;
    return PEN_OK;
}

static pen_status ask_nodes(pen_oracle *s, const pen_phase *phase)
{
    if (!s->changes) PEN_TRY(pen_inputs_changes(s->app, s->app->field_count, s->sizes, &s->changes));
    pen_changes_begin(s->changes, s->view.dimensions > 0 ? s->view.dimensions : pen_grid_dimensions(&s->grid));
    for (; s->view.slot < s->nodes; s->view.slot++) {
        pen_changes_by(s->changes, s->view.slot, pen_id(&s->view));
        phase->modify(&s->view, s->changes);
    }
    return pen_changes_status(s->changes);
}

/* Transient records mean nothing any more. */
static void forget(pen_oracle *s)
{
    for (int f = 0; f < s->app->field_count; f++)
        if (s->app->transient >> f & 1) memset(s->now[f], UNWRITTEN, (size_t)s->nodes * s->sizes[f]);
}

static pen_status compute_phase(pen_oracle *s, const pen_phase *phase)
{
    PEN_INSIDE(phase->name);
    s->view.far = NULL;
    if (phase->far) PEN_TRY(compute_far(s, phase));
    for (int f = 0; f < s->app->field_count; f++) {
        s->current[f] = s->now[f];
        s->next[f] = phase->writes >> f & 1 ? s->then[f] : NULL;
        if (s->next[f]) memset(s->then[f], UNWRITTEN, (size_t)s->nodes * s->sizes[f]);
        if (phase->keeps >> f & 1) memcpy(s->then[f], s->now[f], (size_t)s->nodes * s->sizes[f]);
    }
    open_edges(s, phase->edge_writes);
    s->view.slot = 0;
    if (phase->block && s->nodes > 0) phase->block(&s->view, s->nodes);
    if (phase->node)
        for (; s->view.slot < s->nodes; s->view.slot++) phase->node(&s->view);
    if (phase->modify) PEN_TRY(ask_nodes(s, phase));
    for (int f = 0; f < s->app->field_count; f++)
        if (phase->writes >> f & 1) {
            void *old = s->now[f];
            s->now[f] = s->then[f];
            s->then[f] = old;
        }
    if (!phase->modify) return PEN_OK;
    if (pen_changes_any(s->changes)) PEN_TRY(pen_oracle_change(s));
    forget(s);
    return PEN_OK;
}

/* Evaluate observables on the records as they are, in this step. */
static pen_status evaluate(pen_oracle *s, int evaluation, pen_observe_fn *observe, pen_observe_block_fn *block,
                           int64_t step)
{
    pen_comm self = { .mpi = MPI_COMM_SELF };
    if (!observe && !block) return PEN_OK;
    for (int f = 0; f < s->app->field_count; f++) {
        s->current[f] = s->now[f];
        s->next[f] = NULL;
    }
    s->view.step = step;
    open_edges(s, 0);
    pen_observation_begin(s->observation, evaluation);
    for (s->view.slot = 0; s->view.slot < s->nodes; s->view.slot++)
        if (block) block(&s->view, 1, s->observation);
        else observe(&s->view, s->observation);
    return pen_observation_reduce(&self, s->observation);
}

static pen_status compute_step(pen_oracle *s)
{
    const pen_app *app = s->app;
    for (int p = 0; p < app->phase_count; p++) {
        PEN_TRY(evaluate(s, p + 1, app->phases[p].observe, app->phases[p].observe_block, s->shown.step));
        s->view.step = s->shown.step;
        PEN_TRY(compute_phase(s, &app->phases[p]));
    }
    forget(s);
    PEN_TRY(evaluate(s, PEN_AFTER_STEP, app->observe, app->observe_block, s->shown.step));
    s->shown.step++;
    s->shown.end = pen_observables_end(&s->shown);
    return PEN_OK;
}

static pen_status compute_steps(pen_oracle *s, int64_t steps)
{
    pen_phase init = { "init", s->app->init, .writes = ~pen_app_kept_fields(s->app) };
    PEN_TRY(begin_inputs(s));
    PEN_TRY(compute_phase(s, &init));
    if (s->app->init_edges) init_edges(s);
    drop_inputs(s);
    PEN_TRY(evaluate(s, PEN_AFTER_STEP, s->app->observe, s->app->observe_block, -1));
    while (s->shown.step < steps && s->shown.end == PEN_END_OPEN) PEN_TRY(compute_step(s));
    open_edges(s, 0);
    for (int f = 0; f < s->app->field_count; f++) s->current[f] = s->now[f];
    s->view.step = s->shown.step;
    return PEN_OK;
}

pen_status pen_oracle_compute(const pen_run *run, const pen_rows *rows, const pen_graph *graph, pen_oracle *s)
{
    *s = (pen_oracle){ .app = run->app, .directed = graph->directed, .grid = pen_graph_world(graph) };
    PEN_TRY(pen_oracle_lay_out(s, rows));
    PEN_TRY(lay_out_fields(s));
    s->view = (pen_view){ .current = s->current,
                          .next = s->next,
                          .sizes = s->sizes,
                          .params = run->app->params,
                          .scratch = run->view.scratch,
                          .observed_ints = s->observation->ints,
                          .observed_reals = s->observation->reals,
                          .dimensions = rows->format.dimensions,
                          .seed = run->seed,
                          .own_edges = s->own_edges,
                          .inputs = s->inputs };
    pen_oracle_bind(s);
    s->shown = *run;
    s->shown.nodes = run->world.nodes;
    s->shown.edges = run->first_edges;
    s->shown.observation = s->observation;
    s->shown.step = 0;
    s->shown.end = PEN_END_OPEN;
    return compute_steps(s, run->step);
}

void pen_oracle_free(pen_oracle *s)
{
    pen_oracle_drop(s);
    pen_changes_destroy(&s->changes);
    drop_inputs(s);
    PEN_FREE_ALL(s->sizes, s->current, s->next, s->own_edges, s->inputs, s->wishes.gids, s->first, s->wanted);
    pen_observation_destroy(&s->observation);
}

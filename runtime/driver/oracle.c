#include "driver/oracle.h"
#include "base/memory.h"

#include <stdlib.h>

static pen_lid find_gid(const pen_oracle *s, pen_gid gid)
{
    const pen_gid *found = s->nodes ? (const pen_gid *)bsearch(&gid, s->gids, (size_t)s->nodes, sizeof gid, pen_by_gid)
                                    : NULL;
    return found ? (pen_lid)(found - s->gids) : -1;
}

static pen_status lay_out_graph(pen_oracle *s, const pen_rows *rows)
{
    int64_t arcs = 0, at = 0;
    for (pen_lid i = 0; i < rows->count; i++) arcs += pen_row_degree(rows->records[i]);
    if (arcs > UINT32_MAX) return pen_fail(PEN_ERR_UNSUPPORTED, "--verify: %" PRId64 " arcs do not fit one rank", arcs);
    s->nodes = rows->count;
    PEN_TRY(PEN_ALLOC(&s->gids, s->nodes));
    PEN_TRY(PEN_ALLOC(&s->rows, (int64_t)s->nodes + 1));
    PEN_TRY(PEN_ALLOC(&s->columns, arcs));
    if (rows->format.loads) PEN_TRY(PEN_ALLOC(&s->node_weights, s->nodes));
    if (rows->format.edge_weights) PEN_TRY(PEN_ALLOC(&s->edge_weights, arcs));
    for (pen_lid i = 0; i < s->nodes; i++) s->gids[i] = pen_row_gid(rows->records[i]);
    for (pen_lid i = 0; i < s->nodes; i++) {
        const int64_t *record = rows->records[i];
        s->rows[i] = (uint32_t)at;
        if (rows->format.loads) s->node_weights[i] = pen_row_load(record);
        for (int64_t j = 0; j < pen_row_degree(record); j++, at++) {
            s->columns[at] = find_gid(s, pen_row_neighbors(record)[j]);
            if (rows->format.edge_weights) s->edge_weights[at] = pen_row_edge_weights(&rows->format, record)[j];
        }
    }
    s->rows[s->nodes] = (uint32_t)at;
    return PEN_OK;
}

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
    return pen_observation_create(app->observables, app->observable_count, &s->observation);
}

static pen_status compute_far(pen_oracle *s, const pen_phase *phase)
{
    for (int f = 0; f < s->app->field_count; f++) {
        s->current[f] = s->now[f];
        s->next[f] = NULL;
    }
    if (!s->first) PEN_TRY(PEN_ALLOC(&s->first, (int64_t)s->nodes + 1));
    s->wishes.count = 0;
    for (pen_lid i = 0; i < s->nodes; i++) {
        s->view.slot = i;
        s->first[i] = s->wishes.count;
        phase->far(&s->view, &s->wishes);
    }
    s->first[s->nodes] = s->wishes.count;
    PEN_TRY(s->wishes.status);
    PEN_TRY(PEN_REALLOC(&s->wanted, s->wishes.room));
    for (int64_t i = 0; i < s->wishes.count; i++) s->wanted[i] = find_gid(s, s->wishes.gids[i]);
    s->far = (pen_far){ s->first, s->wishes.gids, s->wanted, s->nodes, NULL };
    s->view.far = &s->far;
    return PEN_OK;
}

static pen_status compute_phase(pen_oracle *s, const pen_phase *phase)
{
    s->view.far = NULL;
    if (phase->far) PEN_TRY(compute_far(s, phase));
    for (int f = 0; f < s->app->field_count; f++) {
        s->current[f] = s->now[f];
        s->next[f] = phase->writes >> f & 1 ? s->then[f] : NULL;
    }
    s->view.slot = 0;
    if (phase->block && s->nodes > 0) phase->block(&s->view, s->nodes);
    if (phase->node)
        for (; s->view.slot < s->nodes; s->view.slot++) phase->node(&s->view);
    for (int f = 0; f < s->app->field_count; f++)
        if (phase->writes >> f & 1) {
            void *old = s->now[f];
            s->now[f] = s->then[f];
            s->then[f] = old;
        }
    return PEN_OK;
}

static pen_status compute_steps(pen_oracle *s, int64_t steps)
{
    const pen_app *app = s->app;
    pen_phase init = { "init", app->init, .writes = UINT64_MAX };
    PEN_TRY(compute_phase(s, &init));
    for (s->view.step = 0; s->view.step < steps; s->view.step++)
        for (int p = 0; p < app->phase_count; p++) PEN_TRY(compute_phase(s, &app->phases[p]));
    for (int f = 0; f < app->field_count; f++) s->current[f] = s->now[f];
    s->view.step = steps;
    return PEN_OK;
}

static pen_status compute_observe(pen_oracle *s, pen_comm *self, int64_t steps)
{
    s->view.step = steps - 1;
    for (pen_lid i = 0; i < s->nodes; i++) {
        s->view.slot = i;
        s->app->observe(&s->view, s->observation);
    }
    s->view.step = steps;
    return pen_observation_reduce(self, s->observation);
}

pen_status pen_oracle_compute(const pen_run *run, const pen_rows *rows, pen_oracle *s)
{
    *s = (pen_oracle){ .app = run->app };
    PEN_TRY(lay_out_graph(s, rows));
    PEN_TRY(lay_out_fields(s));
    s->view = (pen_view){ .rows = s->rows,
                          .columns = s->columns,
                          .gids = s->gids,
                          .node_weights = s->node_weights,
                          .edge_weights = s->edge_weights,
                          .current = s->current,
                          .next = s->next,
                          .sizes = s->sizes,
                          .params = run->app->params,
                          .scratch = run->view.scratch };
    PEN_TRY(compute_steps(s, run->step));
    pen_comm self = { .mpi = MPI_COMM_SELF };
    return run->app->observe && run->step > 0 ? compute_observe(s, &self, run->step) : PEN_OK;
}

void pen_oracle_free(pen_oracle *s)
{
    for (int f = 0; f < s->app->field_count; f++) {
        if (s->now) free(s->now[f]);
        if (s->then) free(s->then[f]);
    }
    PEN_FREE_ALL(s->gids, s->rows, s->columns, s->node_weights, s->edge_weights, s->sizes, s->now, s->then, s->current,
                 s->next, s->wishes.gids, s->first, s->wanted);
    pen_observation_destroy(&s->observation);
}

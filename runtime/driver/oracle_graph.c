/* oracle_graph.c - the arrays of the serial computation that belong to its graph. */
#include "driver/oracle_graph.h"
#include "base/memory.h"

#include <stdlib.h>

pen_lid pen_oracle_find(const pen_oracle *s, pen_gid gid)
{
    const pen_gid *found = s->nodes ? (const pen_gid *)bsearch(&gid, s->gids, (size_t)s->nodes, sizeof gid, pen_by_gid)
                                    : NULL;
    return found ? (pen_lid)(found - s->gids) : -1;
}

pen_status pen_oracle_lay_out(pen_oracle *s, const pen_rows *rows)
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
    const int dimensions = rows->format.dimensions;
    if (dimensions > 0) PEN_TRY(PEN_ALLOC(&s->coordinates, (int64_t)s->nodes * dimensions));
    if (s->directed) PEN_TRY(PEN_ALLOC_ZERO(&s->readers, s->nodes));
    for (pen_lid i = 0; i < s->nodes; i++) s->gids[i] = pen_row_gid(rows->records[i]);
    for (pen_lid i = 0; i < s->nodes; i++) {
        const int64_t *record = rows->records[i];
        s->rows[i] = (uint32_t)at;
        if (rows->format.loads) s->node_weights[i] = record[pen_row_load_at(&rows->format, pen_row_degree(record))];
        for (int d = 0; d < dimensions; d++)
            memcpy(&s->coordinates[(int64_t)i * dimensions + d],
                   record + pen_row_coordinates_at(&rows->format, pen_row_degree(record)) + d, sizeof(double));
        for (int64_t j = 0; j < pen_row_degree(record); j++, at++) {
            s->columns[at] = pen_oracle_find(s, pen_row_neighbors(record)[j]);
            if (s->directed) s->readers[s->columns[at]]++;
            if (rows->format.edge_weights) s->edge_weights[at] = pen_row_edge_weights(&rows->format, record)[j];
        }
    }
    s->rows[s->nodes] = (uint32_t)at;
    return PEN_OK;
}

void pen_oracle_bind(pen_oracle *s)
{
    s->view.rows = s->rows;
    s->view.columns = s->columns;
    s->view.gids = s->gids;
    s->view.node_weights = s->node_weights;
    s->view.edge_weights = s->edge_weights;
    s->view.coordinates = s->coordinates ? s->coordinates : pen_nowhere;
    s->view.readers = s->readers;
    s->view.edges = (const void *const *)s->edges;
    for (int c = 0; c < s->app->inputs.count; c++) {
        const int field = pen_app_permanent_field(s->app, c), edge_field = pen_app_permanent_edge_field(s->app, c);
        if (field >= 0) s->inputs[c] = (const double *)s->now[field];
        if (edge_field >= 0) s->inputs[c] = (const double *)s->edges[edge_field];
    }
}

void pen_oracle_forget(pen_oracle *s)
{
    s->gids = NULL;
    s->rows = NULL;
    s->columns = NULL;
    s->node_weights = s->edge_weights = NULL;
    s->coordinates = NULL;
    s->readers = NULL;
    s->now = s->then = s->edges = NULL;
}

void pen_oracle_drop(pen_oracle *s)
{
    for (int f = 0; f < s->app->fields.count; f++) {
        if (s->now) free(s->now[f]);
        if (s->then) free(s->then[f]);
    }
    for (int e = 0; s->edges && e < s->app->edge_fields.count; e++) free(s->edges[e]);
    PEN_FREE_ALL(s->gids, s->rows, s->columns, s->node_weights, s->edge_weights, s->coordinates, s->readers, s->now,
                 s->then, s->edges);
    pen_oracle_forget(s);
}

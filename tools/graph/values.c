/* values.c - writes real weights of edges. */
#include "tools/graph/values.h"
#include "base/csv.h"
#include "base/npy.h"
#include "tools/graph/examine.h"

#include <math.h>
#include <stdlib.h>

void pen_values_write_field(writer *out, const char *text)
{
    if (pen_csv_is_plain(text)) {
        pen_writer_text(out, text);
        return;
    }
    pen_writer_char(out, '"');
    for (; *text; text++) {
        if (*text == '"') pen_writer_char(out, '"');
        pen_writer_char(out, *text);
    }
    pen_writer_char(out, '"');
}

void pen_values_write_rows(writer *out, const file_graph *g, bool labels)
{
    pen_writer_text(out, "source,target,value\n");
    for (int64_t i = 0; i < g->nodes; i++)
        for (int64_t a = g->rows[i]; a < g->rows[i + 1]; a++) {
            pen_writer_number(out, labels ? g->labels[i] : i, ',');
            pen_writer_number(out, labels ? g->labels[g->neighbors[a]] : g->neighbors[a], ',');
            pen_writer_real(out, g->values[a]);
            pen_writer_char(out, '\n');
        }
}

pen_status pen_values_write_array(writer *out, const file_graph *g, bool labels)
{
    const pen_npy array = { .kind = 'f', .size = 8, .dimensions = 1, .shape = { pen_file_graph_arcs(g), 1 } };
    char header[PEN_NPY_WRITTEN];
    row_entry *entries;
    for (int64_t i = 1; labels && i < g->nodes; i++)
        if (g->labels[i] < g->labels[i - 1])
            return pen_fail(PEN_ERR_UNSUPPORTED, "the ids of the nodes do not ascend: --values-to needs a .csv file");
    PEN_TRY(PEN_ALLOC(&entries, pen_file_graph_longest_row(g)));
    pen_writer_bytes(out, header, pen_npy_header(&array, header));
    for (int64_t i = 0; i < g->nodes; i++) {
        pen_file_graph_sort_row(g, i, entries);
        for (int64_t k = 0; k < g->rows[i + 1] - g->rows[i]; k++)
            pen_writer_bytes(out, &g->values[g->rows[i] + entries[k].index], sizeof *g->values);
    }
    free(entries);
    return PEN_OK;
}

pen_status pen_values_from_weights(const char *path, file_graph *g)
{
    if (g->values) return PEN_OK;
    if (!g->edge_weights) return pen_fail(PEN_ERR_INPUT, "%s: there are no weights that an edge can have", path);
    PEN_TRY(PEN_ALLOC(&g->values, pen_file_graph_arcs(g)));
    for (int64_t a = 0; a < pen_file_graph_arcs(g); a++) g->values[a] = (double)g->edge_weights[a];
    return PEN_OK;
}

pen_status pen_values_scale(const char *path, double scale, file_graph *g, double *most)
{
    PEN_TRY(pen_values_from_weights(path, g));
    if (!g->edge_weights) PEN_TRY(PEN_ALLOC(&g->edge_weights, pen_file_graph_arcs(g)));
    *most = 0.0;
    for (int64_t a = 0; a < pen_file_graph_arcs(g); a++) {
        const double scaled = g->values[a] * scale, whole = round(scaled), change = fabs(whole - scaled);
        if (!(fabs(whole) <= 0x1p53))
            return pen_fail(PEN_ERR_INPUT, "%s: weight %g times %g is beyond +-2^53: choose a smaller --scale", path,
                            g->values[a], scale);
        if (change > *most) *most = change;
        g->edge_weights[a] = (int64_t)whole;
    }
    free(g->values);
    g->values = NULL;
    return PEN_OK;
}

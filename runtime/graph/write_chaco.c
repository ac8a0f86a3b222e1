/* write_chaco.c - writing METIS text in parallel.
 *
 * Every rank makes its text twice, first to know its length and with it the place in the file. */
#include "base/memory.h"
#include "base/output.h"
#include "graph/chaco.h"

#include <stdlib.h>

enum { CHUNK = 256 * 1024, NUMBER = 24 /* bytes of the longest number with its separator */ };

typedef struct writer {
    pen_output *output; /* the file; NULL: only count bytes */
    int64_t length;     /* bytes of the text so far */
    int64_t begin;      /* offset of this rank's text in the file */
    int64_t used;
    pen_status status;
    char *buffer; /* [CHUNK] text that is not written yet */
} writer;

static void flush(writer *w)
{
    if (w->output && w->status == PEN_OK)
        w->status = pen_output_write(w->output, w->buffer, w->used, w->begin + w->length);
    w->length += w->used;
    w->used = 0;
}

static void put(writer *w, int64_t number, char separator)
{
    char digits[NUMBER];
    int n = 0;
    if (w->used + NUMBER > CHUNK) flush(w);
    for (uint64_t rest = (uint64_t)number; n == 0 || rest > 0; rest /= 10) digits[n++] = (char)('0' + rest % 10);
    while (n > 0) w->buffer[w->used++] = digits[--n];
    w->buffer[w->used++] = separator;
}

/* Turn the last separator of the line into a newline; a line without separators gets one at its end. */
static void end_line(writer *w, bool empty)
{
    if (empty) {
        if (w->used == CHUNK) flush(w);
        w->used++;
    }
    w->buffer[w->used - 1] = '\n';
}

static void put_header(writer *w, const pen_graph *g)
{
    int format = (g->node_sizes ? 100 : 0) + (g->weight_count > 0 ? 10 : 0) + (g->edge_weights ? 1 : 0);
    put(w, g->nodes, ' ');
    put(w, g->edges, ' ');
    if (format > 0) put(w, format, ' ');
    if (g->weight_count > 1) put(w, g->weight_count, ' ');
    end_line(w, false);
}

static void put_row(writer *w, const pen_graph *g, pen_lid row)
{
    int64_t begin = g->rows[row], end = g->rows[row + 1];
    if (g->node_sizes) put(w, g->node_sizes[row], ' ');
    for (int k = 0; k < g->weight_count; k++) put(w, g->node_weights[(int64_t)row * g->weight_count + k], ' ');
    for (int64_t k = begin; k < end; k++) {
        put(w, g->neighbors[k] + 1, ' ');
        if (g->edge_weights) put(w, g->edge_weights[k], ' ');
    }
    end_line(w, begin == end && !g->node_sizes && g->weight_count == 0);
}

static pen_status put_all(writer *w, const pen_graph *g)
{
    w->length = 0;
    if (g->comm->rank == 0) put_header(w, g);
    for (pen_lid i = 0; i < g->count && w->status == PEN_OK; i++) put_row(w, g, i);
    flush(w);
    return w->status;
}

/* Collective. Write the whole text, each rank its share. */
static pen_status write_text(writer *w, const pen_graph *g, const char *path)
{
    PEN_TRY(put_all(w, g));
    PEN_TRY(pen_prefix_int(g->comm, w->length, &w->begin));
    PEN_TRY(pen_output_create(g->comm, path, &w->output));
    return pen_output_commit(&w->output, put_all(w, g));
}

pen_status pen_chaco_write(const pen_graph *graph, const char *path)
{
    if (!graph->dense)
        return pen_fail(PEN_ERR_UNSUPPORTED,
                        "a Chaco/METIS file needs gids 0..n-1, contiguous on each rank, in rank order");
    writer w = { .status = PEN_OK };
    pen_status status = pen_agree(graph->comm, PEN_ALLOC(&w.buffer, CHUNK));
    if (status == PEN_OK) status = write_text(&w, graph, path);
    free(w.buffer);
    return status;
}

/* generate.c - sizes, blocks of nodes and exchanges that generators share. */
#include "graph/generate.h"
#include "base/memory.h"
#include "base/options.h"

pen_status pen_generate_sizes(const char *kind, char **settings, int least, int most, int64_t sizes[3], int *dimensions)
{
    char *text = *settings, *end = text + strcspn(text, ",");
    int n = 0;
    *settings = *end ? end + 1 : end;
    *end = '\0';
    sizes[0] = sizes[1] = sizes[2] = 1;
    for (const char *rest = text; rest; n++) {
        char digits[24];
        rest = pen_text_cut(rest, 'x', digits, sizeof digits);
        int64_t others = n < most ? sizes[0] * sizes[1] * sizes[2] : 0;
        if (n == most || !pen_parse_int(digits, &sizes[n]) || sizes[n] < 1 || sizes[n] > (INT64_C(1) << 62) / others)
            return pen_fail(PEN_ERR_INPUT,
                            "generator %s: sizes \"%s\", must be %s, each at least 1, product at most 2^62", kind, text,
                            most == 3 ? "WxH or WxHxD" : "WxH");
    }
    *dimensions = n;
    if (n < least) return pen_fail(PEN_ERR_INPUT, "generator %s: sizes \"%s\", must be WxH", kind, text);
    return PEN_OK;
}

pen_status pen_generate_block(pen_graph *g, int64_t nodes)
{
    g->nodes = nodes;
    g->dense = true;
    g->first = pen_block_begin(nodes, g->comm->size, g->comm->rank);
    PEN_TRY(pen_to_lid(pen_block_begin(nodes, g->comm->size, g->comm->rank + 1) - g->first, "nodes", &g->count));
    PEN_TRY(PEN_ALLOC(&g->rows, (int64_t)g->count + 1));
    g->rows[0] = 0;
    return PEN_OK;
}

pen_status pen_generate_finish(pen_graph *g, pen_status status, pen_graph **graph)
{
    int64_t arcs = 0;
    if (status == PEN_OK) status = pen_given(graph, "the graph");
    status = pen_agree(g->comm, status);
    if (status == PEN_OK) status = pen_sum_int(g->comm, g->rows[g->count], &arcs);
    g->edges = arcs / 2;
    return pen_graph_finish(g, status, graph);
}

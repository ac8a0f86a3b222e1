/* labels.c - finds nodes by labels. */
#include "tools/graph/labels.h"

#include <stdlib.h>

pen_status pen_label_index_create(const file_graph *g, int64_t base, label_index *index)
{
    *index = (label_index){ .count = g->nodes, .base = base };
    if (!g->labels) return PEN_OK;
    PEN_TRY(PEN_ALLOC(&index->sorted, g->nodes));
    for (int64_t i = 0; i < g->nodes; i++) index->sorted[i] = (struct label_node){ g->labels[i], i };
    qsort(index->sorted, (size_t)g->nodes, sizeof *index->sorted, pen_by_gid);
    return PEN_OK;
}

void pen_label_index_free(label_index *index)
{
    free(index->sorted);
    *index = (label_index){ 0 };
}

int64_t pen_label_index_find(const label_index *index, int64_t label)
{
    if (!index->sorted) return label >= index->base && label - index->base < index->count ? label - index->base : -1;
    struct label_node wanted = { label, 0 };
    const struct label_node *found = bsearch(&wanted, index->sorted, (size_t)index->count, sizeof wanted, pen_by_gid);
    return found ? found->node : -1;
}

pen_status pen_label_map_write(const char *path, const file_graph *g, const pen_lid *order)
{
    writer out;
    PEN_TRY(pen_writer_open(path, &out));
    pen_writer_text(&out, "# new old\n");
    for (int64_t i = 0; i < g->nodes; i++) {
        const int64_t label = g->labels || !order ? pen_file_graph_label(g, i) : g->base + order[i];
        pen_writer_line(&out, '\t', (const int64_t[]){ i, label }, 2);
    }
    return pen_writer_close(&out, PEN_OK);
}

/* labels.h - from a file's labels to nodes, and a file of both. All Local. */
#pragma once

#include "tools/common/writer.h"
#include "tools/graph/file_graph.h"

typedef struct label_index {
    int64_t count;
    int64_t base; /* without labels, that of node i is base + i */
    struct label_node {
        int64_t label, node;
    } * sorted; /* [count] by label, NULL without labels */
} label_index;

/* `base`: of a graph without labels. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_label_index_create(const file_graph *g, int64_t base, label_index *index);
void pen_label_index_free(label_index *index);

/* Write the id map: a comment, then a line "node label" per node, nodes from 0 on; without labels, the numbers of the
 * file. Failures of `out` need no check. */
void pen_label_map_write(const file_graph *g, writer *out);

/* The node of a label, or -1. */
int64_t pen_label_index_find(const label_index *index, int64_t label);

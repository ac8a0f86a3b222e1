/* labels.h - finds the nodes of a file's labels, and writes both to a file. All Local. */
#pragma once

#include "tools/common/writer.h"
#include "tools/graph/file_graph.h"

typedef struct label_index {
    int64_t count;
    int64_t base; /* without labels, node i has the label base + i */
    struct label_node {
        int64_t label, node;
    } * sorted; /* [count] labels and nodes, ascending by label; NULL: there are no labels */
} label_index;

/* Make an index. `base` is that of a graph without labels. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_label_index_create(const file_graph *g, int64_t base, label_index *index);
void pen_label_index_free(label_index *index);

/* Write the id map: a comment, then a line "node label" per node, nodes from 0 on; without labels, the numbers of the
 * file, where node i was node order[i]; NULL: node i. The status of pen_writer_open or pen_writer_close. */
PEN_CHECKED pen_status pen_label_map_write(const char *path, const file_graph *g, const pen_lid *order);

/* Find the node with a label; -1: there is none. */
int64_t pen_label_index_find(const label_index *index, int64_t label);

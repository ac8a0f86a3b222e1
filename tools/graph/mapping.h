/* mapping.h - files that say which part each node is in. All Local.
 *
 * METIS .part.K (also .ptn of the Walshaw archive, whose '%' lines may stand anywhere): line i has the part of
 * node i. Scotch .map: a count, then that many pairs "label part" in any order, separated by any white space;
 * labels are the graph's, or without labels its numbers from a base on. */
#pragma once

#include "tools/common/writer.h"
#include "tools/graph/file_graph.h"
#include "tools/graph/findings.h"
#include "tools/graph/input.h"

typedef enum mapping_kind { MAPPING_BY_CONTENT, MAPPING_METIS, MAPPING_SCOTCH } mapping_kind;

/* Read into parts[0 .. g->nodes-1], each 0 .. INT_MAX; *count becomes the largest part and one. Every node must have
 * exactly one part. Stricter than Scotch, which leaves a node that the file does not name, or gives part -1,
 * unmapped, and ignores labels that the graph does not have: all three are findings. By content: a file whose second
 * line that is no comment has two numbers is Scotch's. Without labels, the base is the smallest number in the
 * file. PEN_ERR_INPUT where there are findings of severity error (parts without a valid line are then 0),
 * PEN_ERR_MEMORY, PEN_ERR_IO. */
PEN_CHECKED pen_status pen_mapping_read(input *in, mapping_kind kind, const file_graph *g, int *parts, int *count,
                                        findings *f);

/* Write parts[0 .. g->nodes-1]; of Scotch's, nodes are called by their labels, or without by their number from `base`
 * on. Failures of `out` need no check. kind is not MAPPING_BY_CONTENT. */
void pen_mapping_write(const file_graph *g, const int *parts, mapping_kind kind, int64_t base, writer *out);

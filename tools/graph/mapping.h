/* mapping.h - reads and writes files with the part of each node. All Local.
 *
 * METIS .part.K, also .ptn of the Walshaw archive: line i has the part of node i; '%' lines are comments. Scotch .map:
 * a count, then that many pairs "label part" in any order, separated by white space; labels are the graph's, or without
 * labels consecutive numbers. */
#pragma once

#include "base/scanner.h"
#include "tools/common/writer.h"
#include "tools/graph/file_graph.h"
#include "tools/graph/findings.h"

typedef enum mapping_kind { MAPPING_BY_CONTENT, MAPPING_METIS, MAPPING_SCOTCH } mapping_kind;

/* Read parts into parts[0 .. g->nodes-1], each 0 .. INT_MAX; *count becomes the largest part + 1. Every node must have
 * exactly one part; nodes without a part or with part -1, and unknown labels, are findings, although Scotch accepts
 * them. MAPPING_BY_CONTENT: a file whose second line has two numbers is Scotch's. Without labels, the nodes' numbers
 * begin with the smallest one in the file. PEN_ERR_INPUT after findings of severity error (parts without a valid line
 * are 0), PEN_ERR_MEMORY, PEN_ERR_IO. */
PEN_CHECKED pen_status pen_mapping_read(pen_scanner *in, mapping_kind kind, const file_graph *g, int *parts, int *count,
                                        findings *f);

/* Write parts[0 .. g->nodes-1]; Scotch's kind has the labels. Failures of `out` need no check. kind is not
 * MAPPING_BY_CONTENT. */
void pen_mapping_write(const file_graph *g, const int *parts, mapping_kind kind, writer *out);

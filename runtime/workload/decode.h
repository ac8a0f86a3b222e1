/* decode.h - decodes the blocks of a record, and checks each as far as it can be checked alone; codes the first one.
 * All Local; scan->wrong says that a value is impossible. */
#pragma once

#include "base/coder.h"
#include "workload/workload.h"

/* Code the world. PEN_ERR_MEMORY. The caller frees a *world that was read, also after an error. */
PEN_CHECKED pen_status pen_code_world(pen_coder *coder, pen_workload_world *world);
void pen_workload_world_free(pen_workload_world *world);

/* Decode gids [*count], which ascend. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_decode_gids(pen_scan *scan, int64_t *count, pen_gid **gids);

/* Decode the rows of a graph, or of a change. PEN_ERR_MEMORY. The caller frees *rows, also after an error. */
PEN_CHECKED pen_status pen_decode_rows(pen_scan *scan, const pen_workload_world *world, bool change,
                                       pen_workload_rows *rows);
void pen_workload_rows_free(pen_workload_rows *rows);

/* The order in which steps list the nodes, in parts that are coded independently. */
typedef struct pen_load_order {
    int64_t parts;   /* number of parts; 0: a single part of all places, ascending */
    int64_t *first;  /* [parts+1] beginning of each part in `places` */
    int32_t *places; /* [first[parts]] places of the nodes, part after part */
} pen_load_order;

/* Decode an order, which replaces *order. It is not checked that each node has its place once. PEN_ERR_MEMORY. The
 * caller frees *order, also after an error. */
PEN_CHECKED pen_status pen_decode_order(pen_scan *scan, int32_t places, pen_load_order *order);
void pen_load_order_free(pen_load_order *order);

/* Decode the loads[places*phases] of a step; loads has those of the previous step. */
void pen_decode_loads(pen_scan *scan, const pen_load_order *order, int32_t places, int phases, double *loads);

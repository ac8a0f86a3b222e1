/* decode.h - decodes the blocks of a record, and checks each as far as it can be checked alone. All Local; scan->wrong
 * says that a value is impossible. */
#pragma once

#include "base/bytes.h"
#include "workload/workload.h"

/* PEN_ERR_MEMORY. The caller frees *world, also after an error. */
PEN_CHECKED pen_status pen_decode_world(pen_scan *scan, pen_workload_world *world);
void pen_workload_world_free(pen_workload_world *world);

/* Gids [*count], ascending. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_decode_gids(pen_scan *scan, int64_t *count, pen_gid **gids);

/* Rows of a graph, or of a change. PEN_ERR_MEMORY. The caller frees *rows, also after an error. */
PEN_CHECKED pen_status pen_decode_rows(pen_scan *scan, const pen_workload_world *world, bool change,
                                       pen_workload_rows *rows);
void pen_workload_rows_free(pen_workload_rows *rows);

/* The order in which steps have the nodes, in parts, each of which is coded alone. */
typedef struct pen_load_order {
    int64_t parts;   /* 0: a single one, of all places, ascending */
    int64_t *first;  /* [parts+1] */
    int32_t *places; /* [first[parts]] */
} pen_load_order;

/* It takes the place of *order. Whether each node has its place once is not checked. PEN_ERR_MEMORY. The caller frees
 * *order, also after an error. */
PEN_CHECKED pen_status pen_decode_order(pen_scan *scan, int32_t places, pen_load_order *order);
void pen_load_order_free(pen_load_order *order);

/* loads[places*phases] of a step, from those of the step before. */
void pen_decode_loads(pen_scan *scan, const pen_load_order *order, int32_t places, int phases, double *loads);

/* decode.h - decodes the blocks of a record, and checks each as far as it can be checked alone. All Local; scan->wrong
 * describes an error. */
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

/* loads[count] of a step, from those of the step before. */
void pen_decode_loads(pen_scan *scan, int64_t count, double *loads);

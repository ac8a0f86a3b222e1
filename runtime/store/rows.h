/* rows.h - adjacency rows on their way from the ranks that read them to the ranks that own them. */
#ifndef PEN_ROWS_H
#define PEN_ROWS_H

#include "graph.h"
#include "sparse.h"

/* The rows that a rank got. */
typedef struct pen_rows {
    pen_lid count;
    const int64_t **records;  /* [count] ascending by gid, each { gid, degree, load, neighbours [degree], edge weights [degree] or nothing } */
    bool edge_weights;        /* equal on all ranks */
    bool loads;               /* the graph has node weights; equal on all ranks */
    pen_blocks blocks;        /* what the records point into */
} pen_rows;

static inline pen_gid pen_row_gid(const int64_t *record) { return record[0]; }
static inline int64_t pen_row_degree(const int64_t *record) { return record[1]; }
static inline int64_t pen_row_load(const int64_t *record) { return record[2]; }
static inline const pen_gid *pen_row_neighbors(const int64_t *record) { return record + 3; }
static inline const int64_t *pen_row_edge_weights(const int64_t *record) { return record + 3 + record[1]; }

/* Collective. Ship row i of the graph to rank owner[i], [graph->count]. */
PEN_CHECKED pen_status pen_rows_ship(pen_comm *comm, const pen_graph *graph, const int32_t *owner, pen_rows *rows);

/* Local. Frees what the structure holds and zeroes it. */
void pen_rows_free(pen_rows *rows);

#endif

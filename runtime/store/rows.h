/* rows.h - adjacency rows on their way to the ranks that own them: from the ranks that read them, and
 * from owner to owner. */
#pragma once

#include "base/sparse.h"
#include "graph/graph.h"

/* Optional contents of records, in addition to gid, degree and neighbours; equal on all ranks. */
typedef struct pen_row_format {
    bool loads; /* the record has the node's weight; true if the graph has node weights */
    bool edge_weights;
    bool owners;         /* the record has the future owners of the neighbours */
    bool readers;        /* the record has the number of nodes that read this one */
    int dimensions;      /* dimensions of the node's coordinates */
    int64_t edge_bytes;  /* bytes of an arc's records, all edge fields together */
    int64_t value_words; /* 64-bit words of values that callers keep of a node (store.h) */
    int64_t state_words; /* 64-bit words of the fields' records */
} pen_row_format;

/* Rows that a rank has received. */
typedef struct pen_rows {
    pen_row_format format;
    pen_lid count;
    /* [count] records, ascending by gid. Each is { gid, degree, neighbours [degree], owners [degree] or nothing, edge
     * weights [degree] or nothing, load or nothing, coordinates [dimensions], readers or nothing, records of the arcs,
     * field by field, values, state }. */
    int64_t **records;
    pen_blocks blocks; /* the received memory that the records point to */
} pen_rows;

static inline pen_gid pen_row_gid(const int64_t *record) { return record[0]; }
static inline int64_t pen_row_degree(const int64_t *record) { return record[1]; }
enum { PEN_ROW_NEIGHBORS_AT = 2 };
static inline const pen_gid *pen_row_neighbors(const int64_t *record) { return record + PEN_ROW_NEIGHBORS_AT; }
/* The words of the neighbours after placing, which overwrites gids with ids (placing.h). */
static inline const int64_t *pen_row_neighbor_ids(const int64_t *record) { return record + PEN_ROW_NEIGHBORS_AT; }
static inline const int64_t *pen_row_owners(const int64_t *record) { return record + PEN_ROW_NEIGHBORS_AT + record[1]; }
static inline const int64_t *pen_row_edge_weights(const pen_row_format *format, const int64_t *record)
{
    return record + PEN_ROW_NEIGHBORS_AT + record[1] * (format->owners ? 2 : 1);
}
static inline int64_t pen_row_load_at(const pen_row_format *format, int64_t degree)
{
    return PEN_ROW_NEIGHBORS_AT + degree * (1 + format->owners + format->edge_weights);
}
static inline int64_t pen_row_coordinates_at(const pen_row_format *format, int64_t degree)
{
    return pen_row_load_at(format, degree) + format->loads;
}
static inline int64_t pen_row_readers_at(const pen_row_format *format, int64_t degree)
{
    return pen_row_coordinates_at(format, degree) + format->dimensions;
}
static inline int64_t pen_row_edges_at(const pen_row_format *format, int64_t degree)
{
    return pen_row_readers_at(format, degree) + format->readers;
}
static inline int64_t pen_row_words(const pen_row_format *format, int64_t degree)
{
    return pen_row_edges_at(format, degree) + (degree * format->edge_bytes + 7) / 8 + format->value_words +
           format->state_words;
}
static inline int64_t pen_row_values_at(const pen_row_format *format, int64_t degree)
{
    return pen_row_words(format, degree) - format->state_words - format->value_words;
}
static inline const int64_t *pen_row_state(const pen_row_format *format, const int64_t *record)
{
    return record + pen_row_words(format, record[1]) - format->state_words;
}

/* Collective. Ship row i of the graph to rank owner[i], [graph->count], without owners and state. */
PEN_CHECKED pen_status pen_rows_ship(pen_comm *comm, const pen_graph *graph, const int32_t *owner, pen_rows *rows);

/* Local. Find and sort the records in rows->blocks, whose format is set. */
PEN_CHECKED pen_status pen_rows_index(pen_rows *rows);

/* Local. Frees what the structure holds and zeroes it. */
void pen_rows_free(pen_rows *rows);

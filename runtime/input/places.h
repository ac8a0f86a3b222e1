/* places.h - where values end up: at the nodes and arcs of this rank, each of which gets one. All Local. */
#ifndef PEN_INPUT_PLACES_H
#define PEN_INPUT_PLACES_H

#include "input/nodes.h"
#include "input/rows.h"

/* A row as it is sent to the owner of its node; its values follow. */
typedef struct pen_input_message {
    pen_gid node;
    int64_t other; /* of an arc: the neighbour's gid, or of PEN_INPUT_BY_ROW which of its neighbours it is */
    int64_t where; /* the row; ~row: the arc back, which gets these values unless the file has a row for it */
} pen_input_message;

typedef struct pen_input_places {
    const pen_input_file *file;
    const pen_input_nodes *nodes;
    double *const *values; /* [columns] of the application */
    int64_t count;         /* of nodes, or arcs, here */
    int64_t *where;        /* [count] the row that came, as in a message; NOWHERE */
} pen_input_places;

/* PEN_ERR_MEMORY; pen_input_places_free also then. */
PEN_CHECKED pen_status pen_input_places_create(const pen_input_file *file, const pen_input_nodes *nodes,
                                               double *const *values, pen_input_places *places);
void pen_input_places_free(pen_input_places *places);

/* What came for a node here; what is wrong with it goes to *fault. */
void pen_input_place(const pen_input_places *places, const pen_input_message *message, const double *values,
                     pen_input_fault *fault);

/* The lowest gid of a node here that has got nothing, or has such an arc, to *neighbor; INT64_MAX: none. */
pen_gid pen_input_missing(const pen_input_places *places, pen_gid *neighbor);

#endif

/* halves.h - what the owners of rows are told when edges change: each owner of the half at its own node. */
#ifndef PEN_HALVES_H
#define PEN_HALVES_H

#include "directory/proposal.h"
#include "store/change.h"

/* Of an arc of a row, or of its node's weight. */
typedef struct pen_half {
    pen_gid row;
    pen_gid other; /* WEIGHT: -1 */
    int64_t weight;
    int32_t owner; /* of the other node as it will be; ADD */
    enum { PEN_HALF_WEIGHT, PEN_HALF_REMOVE, PEN_HALF_ADD } kind;
} pen_half;

/* The halves of one row. */
typedef struct pen_half_group {
    pen_gid row; /* first: by which they are sorted */
    int64_t first, count;
} pen_half_group;

typedef struct pen_halves {
    pen_half_group *groups; /* [group_count] ascending by row */
    int64_t group_count;
    pen_half *of; /* group by group, sorted by the other node, kind and weight */
} pen_halves;

/* Collective. Tell the owners of rows what was asked for, and hear the same; fates are those of the subjects. Errors,
 * agreed on: PEN_ERR_ARGUMENT (an edge of a node that is not there; one to be removed of a node that was not),
 * PEN_ERR_MEMORY, PEN_ERR_MPI. On failure, too, pen_halves_free. */
PEN_CHECKED pen_status pen_halves_exchange(const pen_change *change, const pen_changes *asked, const pen_fate *fates,
                                           pen_halves *halves);
void pen_halves_free(pen_halves *halves);

#endif

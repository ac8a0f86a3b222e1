/* workload.h - workload records: what balancers would have seen of a run, step by step, in a file
 * ("penumbra-workload/2", described by tools/package/schema/penumbra-workload-2.txt).
 *
 * Nodes have places. The first graph's nodes have consecutive places, ascending by gid. A removed node leaves a hole.
 * New nodes, ascending by gid, fill the holes, the newest hole first, and then places at the end. So the number of
 * places stays small, and writers and readers of a record number nodes alike. All functions are Local. */
#pragma once

#include "base/memory.h"

/* Bytes pulled for every shadow after a phase; 0: none. */
typedef struct pen_workload_phase {
    char *name;
    int64_t bytes;
} pen_workload_phase;

/* What does not change. */
typedef struct pen_workload_world {
    char *application;
    int ranks;                     /* of the run that was recorded */
    int64_t steps;                 /* that were to be run; 0: not known */
    bool declared;                 /* loads are, in units; else measured, in seconds */
    bool directed;                 /* the graph is */
    int dimensions;                /* of the nodes' coordinates; 0: they have none */
    int grid;                      /* pen_grid, and */
    int64_t width, height, depth;  /* its width and height; 0: the graph is not a grid */
    int64_t node_bytes, arc_bytes; /* that a node's migration costs (pen_load_view) */
    int phase_count;               /* of a step */
    pen_workload_phase *phases;    /* [phase_count] */
    int load_phases;               /* synchronising phases whose loads are told apart (pen_load_view); 0 counts as 1 */
} pen_workload_world;

/* The data of a new node, without its row. */
enum { PEN_WORKLOAD_STAYED = -2, PEN_WORKLOAD_NOBODY = -1 };

/* Nodes with their rows: those of the first graph, or those whose rows a change replaced. */
typedef struct pen_workload_rows {
    int64_t count;
    pen_gid *gids; /* [count] ascending */
    int32_t
        *owners; /* [count] first graph: the first owner; change: the rank of a new node without a requester, else -1 */
    pen_gid *parents;      /* [count] change: the node that requested this one and whose rank it came to;
                              PEN_WORKLOAD_NOBODY: none did; PEN_WORKLOAD_STAYED: it is not new. Else NULL */
    int64_t *rows;         /* [count+1] */
    pen_gid *neighbors;    /* [rows[count]] that it reads, ascending within a row, each once, never itself */
    int64_t *edge_weights; /* [rows[count]] >= 1, or NULL: all 1 */
    double *coordinates; /* [count*dimensions], ignored for nodes that stayed; NULL: there are none. NaN for a new node:
                            it has no coordinates, and from now on no node has */
} pen_workload_rows;

/* A change of the graph. A gid may be removed and added in one change. */
typedef struct pen_workload_change {
    int64_t died_count;
    pen_gid *died; /* [died_count] ascending */
    pen_workload_rows rows;
} pen_workload_change;

/* Measured times. Over all steps and ranks, a rank's step took t seconds in node functions and in observing for n nodes
 * with a total load of l. All is 0 in a record that does not come from a run. */
typedef struct pen_workload_times {
    double loop;                   /* seconds of all steps, of the slowest rank */
    double nn, nl, ll, nt, lt, tt; /* sums of n n, n l, l l, n t, l t, t t */
} pen_workload_times;

/* ---- Writing --------------------------------------------------------------------------------- */

typedef struct pen_workload_writer pen_workload_writer;

/* Begin a record as a temporary file for `path`, which must be a regular file if it exists. Arguments are copied.
 * PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED (2^31 nodes). */
PEN_CHECKED pen_status pen_workload_create(const char *path, const pen_workload_world *world,
                                           const pen_workload_rows *graph, pen_workload_writer **writer);

/* Write a change of the graph. New nodes have load 0 until the next step. PEN_ERR_IO, PEN_ERR_MEMORY; PEN_ERR_INTERNAL:
 * a removed node does not exist, or an added one does. */
PEN_CHECKED pen_status pen_workload_write_change(pen_workload_writer *writer, const pen_workload_change *change);

/* A step is done: loads, [places*load_phases] place by place, 0 in holes. PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_ARGUMENT
 * (a load is no number >= 0). */
PEN_CHECKED pen_status pen_workload_write_step(pen_workload_writer *writer, const double *loads);

/* The same with loads that were coded elsewhere: first the order in which steps have the nodes from now until the graph
 * changes, in parts, and then for each step the nodes of each part as pen_runs_put (runs.h) has coded them. A load that
 * is not a number >= 0 must be refused instead, which fails like pen_workload_write_step. PEN_ERR_IO, PEN_ERR_MEMORY.
 */
typedef struct pen_workload_part {
    const unsigned char *bytes;
    int64_t size;
} pen_workload_part;
PEN_CHECKED pen_status pen_workload_write_order(pen_workload_writer *writer, int parts, const int64_t *first,
                                                const int32_t *places);
PEN_CHECKED pen_status pen_workload_write_parts(pen_workload_writer *writer, int parts, const pen_workload_part *part);
PEN_CHECKED pen_status pen_workload_refuse(const pen_workload_writer *writer, pen_gid gid);

/* How many places there are; and the place of a node that is there, else -1. */
int32_t pen_workload_writer_places(const pen_workload_writer *writer);
int32_t pen_workload_writer_place(const pen_workload_writer *writer, pen_gid gid);

/* End the record. It gets its name if `status` is PEN_OK and everything was written; otherwise it is removed. *writer
 * may be NULL, and becomes NULL. Returns `status`, or the first failure of writing. */
PEN_CHECKED pen_status pen_workload_finish(pen_workload_writer **writer, pen_status status,
                                           const pen_workload_times *times);

/* ---- Reading --------------------------------------------------------------------------------- */

/* A record that is being read: the graph and the loads as they are now. */
typedef struct pen_workload {
    pen_workload_world world;
    int64_t step;               /* steps read */
    int32_t nodes;              /* that are there now */
    int32_t places;             /* of these, and holes */
    pen_gid *gids;              /* [places] -1: a hole */
    double *loads;              /* [places] in the last step; 0 in holes, and of nodes that have come since */
    double *phase_loads;        /* [places*world.load_phases] the same in its phases; NULL: there is one */
    uint32_t *rows;             /* [places+1] empty of holes */
    int32_t *columns;           /* [rows[places]] places, ascending by gid within a row */
    int64_t *edge_weights;      /* [rows[places]] or NULL: all 1 */
    double *coordinates;        /* [places*world.dimensions] or NULL */
    int dimensions;             /* of all present nodes: the world's; 0: some have come without coordinates */
    bool has_changed;           /* the graph, which is no grid any more then */
    pen_workload_rows first;    /* after opening: the graph as it was written */
    pen_workload_change change; /* the last one, and in places: */
    int32_t *died;              /* [change.died_count] where they were */
    int32_t *changed;           /* [change.rows.count] where the nodes are */
    int32_t *parents; /* [change.rows.count] the requester's place before the change; -1: it has none, or the node is
                         not new */
    pen_workload_times times; /* at the end */
    struct pen_workload_reading *reading;
} pen_workload;

typedef enum pen_workload_event { PEN_WORKLOAD_CHANGE, PEN_WORKLOAD_STEP, PEN_WORKLOAD_END } pen_workload_event;

/* Open a record and read its first graph. PEN_ERR_IO; PEN_ERR_INPUT: not a record, truncated, damaged or inconsistent;
 * PEN_ERR_UNSUPPORTED: another version, or compressed, and this build has no zstd; PEN_ERR_MEMORY. On failure there is
 * nothing to close. */
PEN_CHECKED pen_status pen_workload_open(const char *path, pen_workload *workload);

/* Bytes of a node's migration as it is now: coordinates that nodes have lost are not shipped. */
static inline int64_t pen_workload_node_bytes(const pen_workload *w)
{
    return w->world.node_bytes - (int64_t)sizeof(double) * (w->world.dimensions - w->dimensions);
}

/* Read the next event into *event. Data after the end are an error. Errors: as above. */
PEN_CHECKED pen_status pen_workload_next(pen_workload *workload, pen_workload_event *event);

/* Frees all that it holds. */
void pen_workload_close(pen_workload *workload);

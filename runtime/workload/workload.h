/* workload.h - workload records: the data of a run that balancers would have seen, step by step, in a file
 * ("penumbra-workload/2", described by tools/package/schema/penumbra-workload-2.txt).
 *
 * Nodes have places. The first graph's nodes have consecutive places, ascending by gid. A removed node leaves a hole.
 * New nodes, ascending by gid, fill the holes, the newest hole first, and then places at the end. So the number of
 * places stays small, and writers and readers of a record number nodes alike. All functions are Local. */
#pragma once

#include "base/memory.h"

/* Bytes that are pulled for every shadow after a phase; 0: none. */
typedef struct pen_workload_phase {
    char *name;
    int64_t bytes;
} pen_workload_phase;

/* The constant properties of a record. */
typedef struct pen_workload_world {
    char *application;
    int ranks;                     /* number of ranks of the recorded run */
    int64_t first;                 /* number of steps of the run before the record */
    int64_t steps;                 /* number of steps that the run was to take, with those before; 0: unknown */
    bool declared;                 /* loads are declared, in units; else they are measured, in seconds */
    bool directed;                 /* whether the graph is directed */
    int dimensions;                /* dimensions of the nodes' coordinates; 0: they have none */
    int grid;                      /* kind of the grid, a pen_grid */
    int64_t width, height, depth;  /* sizes of the grid; 0: the graph is not a grid */
    int64_t node_bytes, arc_bytes; /* bytes that migrating a node costs, per node and per arc (pen_load_view) */
    int phase_count;               /* number of phases of a step */
    pen_workload_phase *phases;    /* [phase_count] the phases */
    int load_phases; /* number of synchronising phases with separate loads (pen_load_view); 0 counts as 1 */
} pen_workload_world;

/* The data of a new node, without its row. */
enum { PEN_WORKLOAD_STAYED = -2, PEN_WORKLOAD_NOBODY = -1 };

/* Nodes with their rows: those of the first graph, or those whose rows a change replaced. */
typedef struct pen_workload_rows {
    int64_t count;
    pen_gid *gids; /* [count] gids, ascending */
    /* [count] in the first graph, the first owner. In a change, the rank of a new node without a requester, else -1. */
    int32_t *owners;
    /* [count] in a change, the node that requested the new one, which got the requester's rank; PEN_WORKLOAD_NOBODY: no
     * node did; PEN_WORKLOAD_STAYED: the node is not new. NULL in the first graph. */
    pen_gid *parents;
    int64_t *rows; /* [count+1] row pointers */
    /* [rows[count]] nodes that are read, ascending within a row, each once, never the node itself. */
    pen_gid *neighbors;
    int64_t *edge_weights; /* [rows[count]] edge weights >= 1, or NULL: all are 1 */
    /* [count*dimensions] coordinates, ignored for nodes that stayed; NULL: there are none. NaN: a new node has no
     * coordinates, and from now on no node has any. */
    double *coordinates;
} pen_workload_rows;

/* A change of the graph. A gid may be removed and added in one change. */
typedef struct pen_workload_change {
    int64_t died_count;
    pen_gid *died; /* [died_count] gids of removed nodes, ascending */
    pen_workload_rows rows;
} pen_workload_change;

/* What is known at the end: sums of measured times, over all steps and ranks. A rank's step took t seconds in node
 * functions and in observing, for n nodes with a total load of l. All sums are 0 in a record that does not come from a
 * run. */
typedef struct pen_workload_times {
    double loop;                   /* seconds of all steps, of the slowest rank */
    double nn, nl, ll, nt, lt, tt; /* sums of n n, n l, l l, n t, l t, t t */
    bool open;                     /* the run had not ended, and could have taken more steps */
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

/* Write the loads of a finished step, [places*load_phases] place by place, 0 in holes. PEN_ERR_IO, PEN_ERR_MEMORY,
 * PEN_ERR_ARGUMENT (a load is not a number >= 0). */
PEN_CHECKED pen_status pen_workload_write_step(pen_workload_writer *writer, const double *loads);

/* Write loads that were coded by the caller: first the order in which steps list the nodes from now until the graph
 * changes, in parts; then, for each step, the nodes of each part as pen_runs_put (runs.h) has coded them. Refuse a load
 * that is not a number >= 0, which fails like pen_workload_write_step. PEN_ERR_IO, PEN_ERR_MEMORY. */
typedef struct pen_workload_part {
    const unsigned char *bytes;
    int64_t size;
} pen_workload_part;
PEN_CHECKED pen_status pen_workload_write_order(pen_workload_writer *writer, int parts, const int64_t *first,
                                                const int32_t *places);
PEN_CHECKED pen_status pen_workload_write_parts(pen_workload_writer *writer, int parts, const pen_workload_part *part);
PEN_CHECKED pen_status pen_workload_refuse(const pen_workload_writer *writer, pen_gid gid);

/* The number of places; and the place of an existing node, else -1. */
int32_t pen_workload_writer_places(const pen_workload_writer *writer);
int32_t pen_workload_writer_place(const pen_workload_writer *writer, pen_gid gid);

/* End the record. It gets its name if `status` is PEN_OK and everything was written; otherwise it is removed. *writer
 * may be NULL, and becomes NULL. Returns `status`, or the first failure of writing. */
PEN_CHECKED pen_status pen_workload_finish(pen_workload_writer **writer, pen_status status,
                                           const pen_workload_times *times);

/* ---- Reading --------------------------------------------------------------------------------- */

/* A record that is being read: the present graph and loads. */
typedef struct pen_workload {
    pen_workload_world world;
    int64_t step;   /* number of steps of the run, with those before the record, up to the last one read */
    int32_t nodes;  /* number of present nodes */
    int32_t places; /* number of places: of present nodes and holes */
    pen_gid *gids;  /* [places] gid of each place; -1: a hole */
    double *loads;  /* [places] loads in the last step; 0 for holes and for nodes added since */
    /* [places*world.load_phases] loads in each phase of the last step; NULL: there is only one phase. */
    double *phase_loads;
    uint32_t *rows;        /* [places+1] row pointers; rows of holes are empty */
    int32_t *columns;      /* [rows[places]] places of the nodes that are read, ascending by gid within a row */
    int64_t *edge_weights; /* [rows[places]] edge weights, or NULL: all are 1 */
    double *coordinates;   /* [places*world.dimensions] coordinates, or NULL */
    /* Dimensions of all nodes' coordinates: world.dimensions, or 0 if some nodes were added without coordinates. */
    int dimensions;
    bool has_changed;           /* the graph has changed, so it is not a grid any more */
    pen_workload_rows first;    /* the graph as it was written; valid after opening */
    pen_workload_change change; /* the last change of the graph */
    int32_t *died;              /* [change.died_count] places that removed nodes had */
    int32_t *changed;           /* [change.rows.count] places of the nodes */
    /* [change.rows.count] place of the requester before the change; -1: there is none, or the node is not new. */
    int32_t *parents;
    pen_workload_times times; /* valid at the end */
    struct pen_workload_reading *reading;
} pen_workload;

typedef enum pen_workload_event { PEN_WORKLOAD_CHANGE, PEN_WORKLOAD_STEP, PEN_WORKLOAD_END } pen_workload_event;

/* Open a record and read its first graph. PEN_ERR_IO; PEN_ERR_INPUT: not a record, truncated, damaged or inconsistent;
 * PEN_ERR_UNSUPPORTED: another version, or compressed, and this build has no zstd; PEN_ERR_MEMORY. On failure there is
 * nothing to close. */
PEN_CHECKED pen_status pen_workload_open(const char *path, pen_workload *workload);

/* Bytes that migrating a node costs now: coordinates that nodes have lost are not shipped. */
static inline int64_t pen_workload_node_bytes(const pen_workload *w)
{
    return w->world.node_bytes - (int64_t)sizeof(double) * (w->world.dimensions - w->dimensions);
}

/* Read the next event into *event. Data after the end is an error. Errors: as for pen_workload_open. */
PEN_CHECKED pen_status pen_workload_next(pen_workload *workload, pen_workload_event *event);

/* Free the record and close the file. */
void pen_workload_close(pen_workload *workload);

/* workload.h - workload records: what balancers would have seen of a run, step by step, in a file
 * ("penumbra-workload/1", which tools/package/schema/penumbra-workload-1.txt describes).
 *
 * Nodes have places. Those of the first graph follow each other by ascending gid. A node that goes leaves a hole; nodes
 * that come, ascending by gid, take the holes, the youngest one first, and then places at the end. So places stay few,
 * and whoever writes a record and whoever reads it number nodes alike. All functions are Local. */
#pragma once

#include "base/memory.h"

/* Bytes that are pulled for every shadow behind a phase; 0: nothing is. */
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
    int64_t width, height, depth;  /* its sizes; 0 where the graph is none */
    int64_t node_bytes, arc_bytes; /* that a node's migration costs (pen_load_view) */
    int phase_count;               /* of a step */
    pen_workload_phase *phases;    /* [phase_count] */
} pen_workload_world;

/* What is said of a node that came, besides its row. */
enum { PEN_WORKLOAD_STAYED = -2, PEN_WORKLOAD_NOBODY = -1 };

/* Nodes with their rows: of the first graph, or those that a change gave other rows. */
typedef struct pen_workload_rows {
    int64_t count;
    pen_gid *gids;         /* [count] ascending */
    int32_t *owners;       /* [count] of the first graph: the first owner; of a change: the rank where a node came that
                            * nobody asked for, -1 of others */
    pen_gid *parents;      /* [count] of a change: the node that asked for this one, and whose rank it came on;
                            * PEN_WORKLOAD_NOBODY: none did; PEN_WORKLOAD_STAYED: it was there before. Else NULL */
    int64_t *rows;         /* [count+1] */
    pen_gid *neighbors;    /* [rows[count]] that it reads, ascending within a row, each once, never itself */
    int64_t *edge_weights; /* [rows[count]] >= 1, or NULL: all 1 */
    double *coordinates;   /* [count*dimensions], of nodes that stayed not looked at; NULL: there are none; of a node
                            * that came NaN: it has none, and so has no other from now on */
} pen_workload_rows;

/* How the graph has changed at once. A gid may go and come again. */
typedef struct pen_workload_change {
    int64_t died_count;
    pen_gid *died; /* [died_count] ascending */
    pen_workload_rows rows;
} pen_workload_change;

/* How long it took, where it was recorded. A rank's step took, over all steps and ranks, t seconds in node functions
 * and in observing for n nodes of load l together; of a record that no run has made all is 0. */
typedef struct pen_workload_times {
    double loop;                   /* seconds of all steps, of the slowest rank */
    double nn, nl, ll, nt, lt, tt; /* sums of n n, n l, l l, n t, l t, t t */
} pen_workload_times;

/* ---- Writing --------------------------------------------------------------------------------- */

typedef struct pen_workload_writer pen_workload_writer;

/* Begin a record beside `path`, where nothing but a regular file may be. Nothing of the arguments is kept.
 * PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED (2^31 nodes). */
PEN_CHECKED pen_status pen_workload_create(const char *path, const pen_workload_world *world,
                                           const pen_workload_rows *graph, pen_workload_writer **writer);

/* The graph has changed; nodes that came have load 0 so far. PEN_ERR_IO, PEN_ERR_MEMORY; PEN_ERR_INTERNAL: a node
 * goes that is not there, or comes that is. */
PEN_CHECKED pen_status pen_workload_write_change(pen_workload_writer *writer, const pen_workload_change *change);

/* A step is done: loads[place], [places], 0 in holes. PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_ARGUMENT (a load is no
 * number >= 0). */
PEN_CHECKED pen_status pen_workload_write_step(pen_workload_writer *writer, const double *loads);

/* How many places there are; and the place of a node that is there, else -1. */
int32_t pen_workload_writer_places(const pen_workload_writer *writer);
int32_t pen_workload_writer_place(const pen_workload_writer *writer, pen_gid gid);

/* Where `status` is PEN_OK and all was written, the record gets its name, else it vanishes; *writer becomes NULL, and
 * may have been. Returns `status`, or what writing ended with. */
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
    uint32_t *rows;             /* [places+1] empty of holes */
    int32_t *columns;           /* [rows[places]] places, ascending by gid within a row */
    int64_t *edge_weights;      /* [rows[places]] or NULL: all 1 */
    double *coordinates;        /* [places*world.dimensions] or NULL */
    int dimensions;             /* of what nodes have now: the world's; 0: some have come without coordinates */
    bool has_changed;           /* the graph, which is no grid any more then */
    pen_workload_rows first;    /* after opening: the graph as it was written */
    pen_workload_change change; /* the last one, and in places: */
    int32_t *died;              /* [change.died_count] where they were */
    int32_t *changed;           /* [change.rows.count] where the nodes are */
    int32_t *parents;           /* [change.rows.count] where who asked for it was, before the change; -1: nobody, or it
                                 * was there before */
    pen_workload_times times;   /* at the end */
    struct pen_workload_reading *reading;
} pen_workload;

typedef enum pen_workload_event { PEN_WORKLOAD_CHANGE, PEN_WORKLOAD_STEP, PEN_WORKLOAD_END } pen_workload_event;

/* Open a record and read its first graph. PEN_ERR_IO; PEN_ERR_INPUT: it is none, is cut or damaged, or says what cannot
 * be; PEN_ERR_UNSUPPORTED: another version, or compressed, and this build has no zstd; PEN_ERR_MEMORY. On failure there
 * is nothing to close. */
PEN_CHECKED pen_status pen_workload_open(const char *path, pen_workload *workload);

/* Bytes of a node's migration as it is now: coordinates that nodes have lost are not shipped. */
static inline int64_t pen_workload_node_bytes(const pen_workload *w)
{
    return w->world.node_bytes - (int64_t)sizeof(double) * (w->world.dimensions - w->dimensions);
}

/* Read on: what came next is in *event. Behind the end nothing may follow. Errors: as above. */
PEN_CHECKED pen_status pen_workload_next(pen_workload *workload, pen_workload_event *event);

/* Frees all that it holds. */
void pen_workload_close(pen_workload *workload);

/* oracle_graph.h - the data of the serial computation with which a run is compared, and the arrays in it that belong to
 * its graph. All Local. */
#pragma once

#include "driver/oracle_mail.h"
#include "run/far.h"
#include "run/state.h"
#include "store/rows.h"

/* The whole computation on one rank. Node i has the i-th smallest gid; columns are such indices. */
typedef struct pen_oracle {
    const pen_app *app;
    bool directed;
    pen_lid nodes;
    pen_gid *gids;
    uint32_t *rows;
    pen_lid *columns;
    int64_t *node_weights, *edge_weights;
    double *coordinates; /* [nodes*dimensions] coordinates, or NULL */
    pen_world grid;      /* the grid, if the graph is one and has not changed; else its width is 0 */
    int32_t *readers;    /* [nodes] number of nodes that read each node; NULL: the graph is undirected */
    size_t *sizes;
    void **now, **then;    /* [fields] records before and after a phase, [nodes] each */
    const void **current;  /* [fields] current records, as the view shows them */
    void **next;           /* [fields] next records, as the view shows them */
    void **edges;          /* [edge fields] records of the arcs */
    void **own_edges;      /* [edge fields] records of the arcs that are written, as the view shows them */
    const double **inputs; /* [input columns] values from files, as the view shows them */
    pen_view view;
    pen_observables *observation;
    void *globals; /* the record of app->globals, or NULL */
    int64_t given; /* number of records of run->given that have been taken over */
    pen_requests requests;
    int64_t *first;       /* [nodes+1] index of each node's first far request */
    pen_lid *wanted;      /* [requests.room] the requested nodes, or -1 */
    bool *restless;       /* [nodes] the nodes that have asked for what can change; NULL: the run cannot end by quiet */
    bool changed;         /* a phase of this step has changed a record */
    pen_far far;          /* the far nodes of the view */
    pen_oracle_post post; /* undelivered mail */
    pen_changes *changes; /* changes that nodes request in a phase; NULL: no phase changes the graph */
    /* The run that .done sees: a copy of the compared run with step, observables and globals of this computation. */
    pen_run shown;
} pen_oracle;

/* Lay out the graph with these rows, whose directedness is known. PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED (2^32 arcs). */
PEN_CHECKED pen_status pen_oracle_lay_out(pen_oracle *oracle, const pen_rows *rows);

/* The index of the node with a gid; -1: there is no such node. */
pen_lid pen_oracle_find(const pen_oracle *oracle, pen_gid gid);

/* Free the arrays that belong to one graph, including records; set them to NULL without freeing them; let the view
 * point to them. */
void pen_oracle_drop(pen_oracle *oracle);
void pen_oracle_forget(pen_oracle *oracle);
void pen_oracle_bind(pen_oracle *oracle);

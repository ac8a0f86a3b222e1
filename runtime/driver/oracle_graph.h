/* oracle_graph.h - the serial computation that a run is compared with: its arrays, and those among them that a graph
 * has. All Local. */
#pragma once

#include "run/far.h"
#include "run/state.h"
#include "store/rows.h"

/* The whole computation on one rank: node i has the i-th smallest gid, and columns are such indices. */
typedef struct pen_oracle {
    const pen_app *app;
    bool directed;
    pen_lid nodes;
    pen_gid *gids;
    uint32_t *rows;
    pen_lid *columns;
    int64_t *node_weights, *edge_weights;
    double *coordinates; /* [nodes*dimensions], or NULL */
    pen_world grid;      /* which the graph is, until it changes; else no width */
    int32_t *readers;    /* [nodes] of a directed graph, or NULL */
    size_t *sizes;
    void **now, **then;    /* [fields] records before and after a phase, [nodes] each */
    const void **current;  /* [fields] of the view */
    void **next;           /* [fields] of the view */
    void **edges;          /* [edge fields] records of the arcs */
    void **own_edges;      /* [edge fields] of the view */
    const double **inputs; /* [input columns] of the view */
    pen_view view;
    pen_observables *observation;
    void *globals; /* the record of app->globals, or NULL */
    int64_t given; /* records of run->given that it has had */
    pen_wishes wishes;
    int64_t *first;       /* [nodes+1] where a node's wishes begin */
    pen_lid *wanted;      /* [wishes.room] the nodes wanted, or -1 */
    pen_far far;          /* of the view */
    pen_changes *changes; /* what nodes ask for in a phase; NULL: no phase changes the graph */
    pen_run shown; /* what .done sees: the run that is compared, with step, observables and globals of this one */
} pen_oracle;

/* Lay out the graph with these rows, whose directedness is known. PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED (2^32 arcs). */
PEN_CHECKED pen_status pen_oracle_lay_out(pen_oracle *oracle, const pen_rows *rows);

/* Place of a gid among the nodes; -1: there is no such node. */
pen_lid pen_oracle_find(const pen_oracle *oracle, pen_gid gid);

/* The arrays that belong to one graph, records included: free them; set them to NULL without; let the view see them. */
void pen_oracle_drop(pen_oracle *oracle);
void pen_oracle_forget(pen_oracle *oracle);
void pen_oracle_bind(pen_oracle *oracle);

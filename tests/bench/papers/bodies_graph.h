/* bodies_graph.h - the graphs of Harvey, Das and Biswas (Performance of a heterogeneous grid partitioner for N-body
 * applications), whose vertices are the leaves of the bodies' octree. */
#pragma once

#include "partition/minex/minex.h"
#include "tests/bench/papers/bodies.h"

/* The paper's 16 K bodies are 16384 with (12, 0.72), 256 K are 262144 with (64, 0.93): they give about as many vertices
 * and edges as the paper has. */
typedef struct bodies_case {
    int32_t cell_most;
    double closeness;
} bodies_case;

static inline bodies_case bodies_case_of(int32_t count)
{
    return count > 65536 ? (bodies_case){ 64, 0.93 } : (bodies_case){ 12, 0.72 };
}

/* A graph whose arrays are the caller's, who frees them with pen_bodies_graph_free. Vertices are in the order of their
 * paths from the root. */
typedef struct bodies_graph {
    int32_t count;
    int64_t *rows;                       /* [count+1] */
    int32_t *columns;                    /* [rows[count]] ascending */
    double *work, *size, *reads, *feeds; /* [count], [count], [rows[count]], [rows[count]] */
    int32_t *owners;                     /* [count] all -1 at first */
} bodies_graph;

/* Local. The paper's G. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_bodies_graph_of(const bodies_tree *tree, double closeness, bodies_graph *graph);

/* Local. That of `count` bodies that are just placed. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_bodies_graph_create(int32_t count, uint64_t seed, bodies_graph *graph);

/* Local. That of a file as `nbody --save-graph=FILE` writes it: node weights are the work, vertex sizes the bodies, and
 * arcs lead to what is read and weigh its bodies. *bodies: all of them. PEN_ERR_INPUT where the file is none of that,
 * PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_bodies_graph_read(const char *path, bodies_graph *graph, int32_t *bodies);

/* Local. A leaf's owner is that of most of its bodies, the least of equally many; of_bodies[], by body. PEN_ERR_MEMORY.
 */
PEN_CHECKED pen_status pen_bodies_graph_own(const bodies_tree *tree, const int32_t *of_bodies, bodies_graph *graph);

/* Local. The paper's G_M: both weights of an edge are the larger number of bodies. */
void pen_bodies_graph_mutual(bodies_graph *graph);

/* Local. As MinEX takes it. */
pen_minex_graph pen_bodies_graph_view(const bodies_graph *graph);
void pen_bodies_graph_free(bodies_graph *graph);

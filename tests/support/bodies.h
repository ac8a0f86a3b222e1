/* bodies.h - the graphs of Harvey, Das and Biswas (Performance of a heterogeneous grid partitioner for N-body
 * applications): two Plummer spheres that are about to merge, in an octree whose leaves are the vertices.
 *
 * What the paper leaves open, or has slips in, is chosen here. The cube (-32, 32)^3 is split in the middle of cells
 * that have more than `cell_most` bodies. A cell's size is the diagonal of the box around its bodies. A cell w is close
 * to a leaf v where size(w) >= closeness * distance of their centres of mass; v's bodies see those of close leaves one
 * by one, and far cells, the largest of them, as single bodies. The paper's 16 K bodies are 16384 with (12, 0.72), 256
 * K are 262144 with (64, 0.93): they give about as many vertices and edges as the paper has. */
#ifndef BODIES_H
#define BODIES_H

#include "partition/minex/minex.h"

typedef struct bodies_body {
    double place[3], velocity[3];
} bodies_body;

/* Local. `count` bodies, even, of mass 1 / count: a Plummer sphere of radius 1 and mass 1/2 (G = 1) up to r = 9, with
 * velocities of the same by von Neumann's rejection; and the same once more, 64 / (9 pi) further in each direction. */
void bodies_place(int32_t count, uint64_t seed, bodies_body *bodies);

/* A graph whose arrays are the caller's, who frees them with bodies_graph_free. Vertices are in the order of their
 * paths from the root. owners are all -1. */
typedef struct bodies_graph {
    int32_t count;
    int64_t *rows;                       /* [count+1] */
    int32_t *columns;                    /* [rows[count]] ascending */
    double *work, *size, *reads, *feeds; /* [count], [count], [rows[count]], [rows[count]] */
    int32_t *owners;                     /* [count] */
} bodies_graph;

/* Local. The paper's G, of bodies in any order. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status bodies_graph_of(int32_t count, const bodies_body *bodies, int32_t cell_most, double closeness,
                                       bodies_graph *graph);

/* Local. bodies_place and bodies_graph_of: of 16384 or 262144 bodies, those of the paper. */
PEN_CHECKED pen_status bodies_graph_create(int32_t count, uint64_t seed, bodies_graph *graph);

/* Local. The paper's G_M: both weights of an edge are the larger number of bodies. */
void bodies_graph_mutual(bodies_graph *graph);

/* Local. As MinEX takes it. */
pen_minex_graph bodies_graph_view(const bodies_graph *graph);
void bodies_graph_free(bodies_graph *graph);

#endif

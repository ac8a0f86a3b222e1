/* order.h - orders of nodes in memory: measures how well an order uses the cache, and makes better ones. All Local. */
#pragma once

#include "base/per_rank.h"
#include "base/status.h"

/* A graph in CSR form: nodes, and the nodes that they read. */
typedef struct pen_order_graph {
    pen_lid count;
    const uint32_t *rows;   /* [count+1] row pointers */
    const pen_lid *columns; /* [rows[count]] nodes that are read, >= 0; entries >= count are ignored */
} pen_order_graph;

/* The cost of an order for a sweep over the nodes. */
typedef struct pen_locality {
    double span; /* mean distance of the two ends of an arc, in places */
    /* Cache misses per arc of a sweep with a cache of pen_order_cache bytes. Records that follow recently read ones do
     * not count, since they are prefetched. 0 is the best value. */
    double misses;
} pen_locality;

/* Cache size, in bytes, for which orders are made: part of a core's private cache. Tests make it smaller. */
extern PEN_PER_RANK int64_t pen_order_cache;

/* An order with at most so many misses per arc is good enough: they cost about one per cent of a step. */
#define PEN_ORDER_GOOD 0.02

/* Measure an order: order[k] is the node in place k, [count]; NULL: nodes are in the order of their numbers. `record`
 * is the size of a node's record in bytes. For many nodes and a given order, only a part in the middle is measured, and
 * the measurement of a bad order ends early. Errors: PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_order_measure(const pen_order_graph *graph, const pen_lid *order, size_t record,
                                         pen_locality *locality);

/* Reverse Cuthill-McKee: breadth-first search from a peripheral node of each component, neighbours of low degree
 * first; then the order is reversed (Cuthill and McKee, Reducing the bandwidth of sparse symmetric matrices, 1969;
 * George and Liu, An implementation of a pseudoperipheral node finder, ACM TOMS 5, 1979). Equal degrees come in the
 * order of the columns. Arcs are followed in their direction; an undirected graph has both arcs of each edge.
 * order[k], [count], becomes the node in place k. Errors: PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_order_rcm(const pen_order_graph *graph, pen_lid *order);

/* Sort by ascending keys, [count]; nodes with equal keys keep their order. order: as above. Errors: PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_order_by_key(pen_lid count, const uint64_t *keys, pen_lid *order);

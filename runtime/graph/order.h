/* order.h - in which order nodes lie, so that what is read together is near each other: how good an order is, and
 * better ones. All Local. */
#pragma once

#include "base/status.h"

/* Nodes and whom they read. */
typedef struct pen_order_graph {
    pen_lid count;
    const uint32_t *rows;   /* [count+1] */
    const pen_lid *columns; /* [rows[count]] >= 0; those that are not below count are not looked at */
} pen_order_graph;

/* What an order costs a sweep over the nodes. */
typedef struct pen_locality {
    double span;   /* mean distance of the two places of an arc */
    double misses; /* per arc, of a sweep through a cache that holds pen_order_cache bytes of records, but for records
                    * behind others that were read of late, which are fetched ahead; 0: it is as good as can be */
} pen_locality;

/* The cache that orders are made for: a part of what a core of today has to itself. Tests make it smaller. */
extern int64_t pen_order_cache;

/* Up to so many misses an arc an order is good enough: about one step in a hundred is lost. */
#define PEN_ORDER_GOOD 0.02

/* Measure an order: order[k] is the node in place k, [count]; NULL: as they are numbered. `record` is the bytes of a
 * node's record. Of many nodes in an order that is given only a part in the middle is looked at, and the rest of a bad
 * one is not. Errors: PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_order_measure(const pen_order_graph *graph, const pen_lid *order, size_t record,
                                         pen_locality *locality);

/* Reverse Cuthill-McKee: breadth first, neighbours with few neighbours first, from a node at the rim, each component
 * for itself; then all the other way round (Cuthill and McKee, Reducing the bandwidth of sparse symmetric matrices,
 * 1969; George and Liu, An implementation of a pseudoperipheral node finder, ACM TOMS 5, 1979). Equal degrees come in
 * the order of the columns. Arcs are followed as they are given, so in undirected graphs there are both. order[k],
 * [count], becomes the node in place k. Errors: PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_order_rcm(const pen_order_graph *graph, pen_lid *order);

/* By ascending keys, [count]; equal ones as they are numbered. order: as above. Errors: PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_order_by_key(pen_lid count, const uint64_t *keys, pen_lid *order);

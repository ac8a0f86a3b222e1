/* create_store.h - makes a store from a graph in any distribution over the ranks. */
#pragma once

#include "store/store.h"

/* Collective. Ship the graph's rows to their owners (owner[i] of the graph's local node i) and give every node its
 * slot, in the requested order. The store has no window yet. The graph is not needed afterwards. */
PEN_CHECKED pen_status pen_store_create(pen_comm *comm, const pen_graph *graph, const int32_t *owner, pen_order order,
                                        const pen_field *fields, int field_count, pen_store **store);

/* Collective. In a directed graph, fill store->readers: the number of nodes that read each node. In an undirected
 * graph nothing is done. PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED (a count beyond 2^31 - 1), PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_store_count_readers(pen_store *store);

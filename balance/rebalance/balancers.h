/* balancers.h - the built-in balancers, for the table of names. They do not use MPI. */
#pragma once

#include <penumbra_partition.h>
#include <penumbra_plugin.h>

/* Sequential, on rank 0: pairs of processors (central.c), and partitions of the gathered graph (repartition.c). */
extern const pen_balancer pen_balancer_central, pen_balancer_metis, pen_balancer_scotch;

/* Decentralised: pieces, flows and pairwise exchange (diffusive/diffusive.c). The partitioner starts from
 * where the nodes are, and needs as many parts as ranks. */
extern const pen_balancer pen_balancer_diffusive;
extern const pen_partitioner pen_partitioner_diffusive;

/* Sequential, on rank 0, by what a step is estimated to take on a machine, communication included (mapped.c): after
 * Harvey, Das and Biswas, and after Huang, Aubanel and Bhavsar. */
extern const pen_balancer pen_balancer_minex, pen_balancer_pagrid;
extern const pen_partitioner pen_partitioner_minex, pen_partitioner_pagrid;

/* Collective. pen_graph_minex on a view; owners[i] in [-1, parts) and part[i], [view->count], which is an input where
 * how->measure says so. The arguments have been checked. */
PEN_CHECKED pen_status pen_minex_of_view(const pen_minex *how, const pen_load_view *view, pen_peers *peers, int parts,
                                         const int32_t *owners, int32_t *part, pen_minex_metrics *metrics);

/* Recursive bisection of space, and of a space-filling curve (geometric.c): nodes' places count, edges do not. */
extern const pen_balancer pen_balancer_rcb, pen_balancer_sfc;
extern const pen_partitioner pen_partitioner_rcb, pen_partitioner_sfc;

/* balancers.h - the built-in balancers, for the table of names. They do not use MPI. */
#pragma once

#include <penumbra_plugin.h>

/* Sequential, on rank 0: pairs of processors (central.c), and partitions of the gathered graph (repartition.c). */
extern const pen_balancer pen_balancer_central, pen_balancer_metis, pen_balancer_scotch;

/* Decentralised: pieces, flows and pairwise exchange (diffusive/diffusive.c). The partitioner of this name starts from
 * the present distribution, and needs as many parts as ranks. */
extern const pen_balancer pen_balancer_diffusive;
extern const pen_partitioner pen_partitioner_diffusive;

/* Sequential, on rank 0, by the estimated time of a step on a machine, communication included (mapped.c): after Harvey,
 * Das and Biswas, and after Huang, Aubanel and Bhavsar. */
extern const pen_balancer pen_balancer_minex, pen_balancer_pagrid;
extern const pen_partitioner pen_partitioner_minex, pen_partitioner_pagrid;

/* Recursive bisection of space, and of a space-filling curve (geometric.c): they use nodes' places, but no edges. */
extern const pen_balancer pen_balancer_rcb, pen_balancer_sfc;
extern const pen_partitioner pen_partitioner_rcb, pen_partitioner_sfc;

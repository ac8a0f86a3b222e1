/* balancers.h - the built-in balancers, for the table of names. */
#ifndef PEN_BALANCERS_H
#define PEN_BALANCERS_H

#include "penumbra_plugin.h"

/* Decentralised: pieces, flows and pairwise exchange (diffusive/diffusive.c). The partitioner starts from
 * where the nodes are, and needs as many parts as ranks. */
extern const pen_balancer pen_balancer_diffusive;
extern const pen_partitioner pen_partitioner_diffusive;

#endif

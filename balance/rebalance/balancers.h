/* balancers.h - the built-in balancers, as penumbra_plugin.h describes them. None knows MPI. */
#ifndef PEN_BALANCERS_H
#define PEN_BALANCERS_H

#include "penumbra_plugin.h"

extern const pen_balancer pen_balancer_central, pen_balancer_metis, pen_balancer_scotch;

#endif

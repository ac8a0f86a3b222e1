/* machine_host.h - the machine that the ranks are on (machine.h). */
#ifndef PEN_MACHINE_HOST_H
#define PEN_MACHINE_HOST_H

#include "base/comm.h"
#include <penumbra_plugin.h>

/* Local. Whether the name is "host", whatever settings stand behind it. */
bool pen_machine_is_host(const char *spec);

/* Collective. Its machine, for `parts` parts, which must be as many as ranks, or 0. Clusters are numbered by their
 * lowest ranks, so that they are numbered as hosts where each is one. PEN_ERR_INPUT (bad settings, other parts),
 * PEN_ERR_UNSUPPORTED (more than PEN_MOST_CLUSTERS clusters), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_machine_of_host(pen_comm *comm, const char *spec, int parts, pen_machine **machine);

#endif

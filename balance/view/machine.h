/* machine.h - the machine for which algorithms work: processors of different speeds, and the network between them
 * (penumbra_plugin.h).
 *
 * A machine has the name of a generator with its settings:
 *
 *     flat[:P][,cost=C,latency=L,speeds=S:S:...]     every processor next to every other
 *     hypercube:D, torus:AxBxC, tree:AxBxC           distances in hops; tree: processors are leaves, and there are A
 *                                                    subtrees at the top; costs=C:C:... are the costs between two
 *                                                    processors whose paths part at the top, a level below, ...
 *     clusters:C[,between=I,kind=HO|UP|DN]           C clusters with equal numbers of processors; I (1) is the cost
 *                                                    between two of them
 *
 *     host[,between=I,packages=J]                    the ranks, with a cluster per host; I (10) is the cost between
 *                                                    two hosts. If Penumbra was built with hwloc, and ranks are bound,
 *                                                    each package and NUMA node to which ranks are bound is a cluster;
 *                                                    J (2) is the cost between two of a host. Ranks of a host that
 *                                                    are not bound, or bound to several, are one more cluster
 *
 * or it is read from a text file with these lines (% begins a comment, names are single words):
 *
 *     processors N                                   the number of all processors; the first line
 *     cluster NAME COUNT [speed=S,cost=C,latency=L]  processors, numbered in the order of the lines; the links between
 *                                                    them have cost C (1) and latency L (0)
 *     switch NAME                                    a switch, which has no processors
 *     link NAME NAME [cost=C,latency=L]              a link between two clusters or switches; the link between
 *                                                    processors of two clusters is the cheapest path, of equal ones
 *                                                    the one with the least latency
 *
 *     seconds BYTES                                  times are seconds, and a unit of data has so many bytes; without
 *                                                    this line times are relative
 *
 * HO, UP and DN are the grids of Harvey, Das and Biswas (Performance of a heterogeneous grid partitioner for N-body
 * applications): processors of cluster i, from 1, work 1, 2i-1 and 2i-1 times slower than the fastest ones, and links
 * within it cost 1, 2i-1 and 2C+1-2i (they print 2C-1-2i, which would be negative in the last one). */
#pragma once

#include "base/comm.h"
#include "view/machine_generate.h"
#include "view/machine_text.h"

/* Collective. Create the machine with a name above, or that of the file at a path, which only rank 0 reads.
 * pen_machine_open (partition/partition.h) also reads files of Scotch. Errors: those of pen_machine_generate and
 * pen_machine_parse; PEN_ERR_IO, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_machine_create(pen_comm *comm, const char *spec, int parts, pen_machine **machine);

/* Local. Destroy a machine. Nulls *machine; NULL and a null handle are legal. */
void pen_machine_destroy(pen_machine **machine);

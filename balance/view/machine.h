/* machine.h - the machine that algorithms work for: processors of different speeds, and the network between them
 * (penumbra_plugin.h).
 *
 * A machine is named by what generates it,
 *
 *     flat[:P][,cost=C,latency=L,speeds=S:S:...]     every processor next to every other
 *     hypercube:D, torus:AxBxC, tree:AxBxC           distances in hops; tree: processors are leaves, A is the number of
 *                                                    subtrees at the top; costs=C:C:... of a tree: what two processors
 *                                                    are apart whose paths part at the top, a level below, ...
 *     clusters:C[,between=I,kind=HO|UP|DN]           as many processors in each of C clusters; I (1) is what lies
 *                                                    between two of them
 *
 *     host[,between=I,packages=J]                    the ranks, in clusters as the hosts that they are on: I (10) lies
 *                                                    between two hosts. Where Penumbra was built with hwloc, and
 *                                                    ranks are bound, also as the packages and NUMA nodes that they
 *                                                    are bound to: J (2) lies between two of a host. Ranks that are
 *                                                    bound to none, or to several, are a cluster of the host's own
 *
 * or is read from a file of text, in lines (behind % nothing counts, names are single words):
 *
 *     processors N                                   how many there are in all; the first line
 *     cluster NAME COUNT [speed=S,cost=C,latency=L]  processors, numbered in the order of the lines; each pair of them
 *                                                    is C (1) and L (0) apart
 *     switch NAME                                    no processor
 *     link NAME NAME [cost=C,latency=L]              between two of these; what lies between processors of two clusters
 *                                                    is the cheapest path, of equal ones the one of least latency
 *
 *     seconds BYTES                                  times are seconds, and a unit of data is so many bytes; without
 *                                                    this line they are relative
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

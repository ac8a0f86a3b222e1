/* architecture.h - Scotch's target architectures: networks of processors, with distances. The text is that of Scotch's
 * .tgt files; a line end counts as a blank:
 *
 *     cmplt N                           every processor next to every other
 *     cmpltw N weight{N}                the same, of different speeds
 *     hcub D                            hypercube of 2^D
 *     mesh2D X Y, mesh3D X Y Z, meshXD K size{K}, and torus2D, torus3D, torusXD likewise; processor
 *                                       numbers go along X first
 *     tleaf L (size link){L}            tree with the processors as leaves; their number is the sizes' product.
 *                                       The distance of two leaves is the sum of the links from their level
 *                                       to the level of their first common ancestor
 *     ltleaf L (size link){L} P number{P}   the same, with the numbers of the leaves permuted
 *     sub K number{K} architecture      some processors, at least 2, of an architecture
 *     deco 0|1 ...                      decomposition-defined, written by hand or by amk_grf
 *
 * Scotch does not validate this text, so any other text is refused here. Also refused are varcmplt and varhcub, which
 * have no number of processors; deco 2, whose tables refer to each other; and sub of a sub or of a deco. */
#pragma once

#include "base/comm.h"
#include <penumbra_plugin.h>

#include <scotch.h>

_Static_assert(sizeof(SCOTCH_Num) == sizeof(int32_t), "gather.h has 32-bit integers: this Scotch has 64-bit ones");

typedef struct pen_architecture {
    SCOTCH_Arch scotch;
    int32_t processors;
    int64_t diameter; /* an upper bound of all distances */
} pen_architecture;

/* Collective. Create the architecture `text`, which begins with the name of an architecture, in any case, or is the
 * path of a file of such text, which only rank 0 reads. NULL is the complete architecture of `parts` processors; "host"
 * is that of the ranks' hosts, packages and caches (architecture_host.h). Errors: PEN_ERR_INPUT (no such text or file;
 * a number of processors other than `parts`, unless that is 0), PEN_ERR_UNSUPPORTED (an architecture that is refused,
 * see above), PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_architecture_create(pen_comm *comm, const char *text, int parts,
                                               pen_architecture **architecture);

/* Local. Create the architecture of a machine with `processors` processors, with its `network` or as a complete one.
 * NULL: complete, with equal processors. Speeds and costs are rounded; latencies are ignored. PEN_ERR_UNSUPPORTED (a
 * network of more than 1024 processors), PEN_ERR_MEMORY, PEN_ERR_INTERNAL. */
PEN_CHECKED pen_status pen_architecture_of_machine(const pen_machine *machine, bool network, int parts,
                                                   pen_architecture **architecture);

/* Local. Get the processors as Scotch's domains, [processors], which the caller frees. PEN_ERR_MEMORY,
 * PEN_ERR_INTERNAL. */
PEN_CHECKED pen_status pen_architecture_processors(const pen_architecture *architecture, SCOTCH_ArchDom **processors);

/* Local. Destroy an architecture. Nulls *architecture; NULL and a null handle are legal. */
void pen_architecture_destroy(pen_architecture **architecture);

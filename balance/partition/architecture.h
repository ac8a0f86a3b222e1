/* architecture.h - Scotch's target architectures: networks of processors, and what lies between two of
 * them. The text is that of Scotch's .tgt files, blanks and line ends alike:
 *
 *     cmplt N                           every processor next to every other
 *     cmpltw N weight{N}                the same, of different speeds
 *     hcub D                            hypercube of 2^D
 *     mesh2D X Y, mesh3D X Y Z, meshXD K size{K}, and torus2D, torus3D, torusXD likewise; processor
 *                                       numbers go along X first
 *     tleaf L (size link){L}            tree, processors at its leaves, as many as the sizes' product; two
 *                                       leaves are as far apart as the links from the leaves' level up to
 *                                       that of their first common ancestor add up to
 *     ltleaf L (size link){L} P number{P}   the same, with the numbers of the leaves permuted
 *     sub K number{K} architecture      some processors, at least 2, of an architecture
 *     deco 0|1 ...                      decomposition-defined, by hand or by amk_grf
 *
 * Scotch reads this without looking: what is not exactly so is refused before Scotch sees it. Refused
 * besides are varcmplt and varhcub, which have no number of processors, deco 2, whose tables point into
 * each other, and sub of a sub or of a deco. */
#pragma once

#include "base/comm.h"
#include <penumbra_plugin.h>

#include <scotch.h>

_Static_assert(sizeof(SCOTCH_Num) == sizeof(int32_t), "gather.h has 32-bit integers: this Scotch has 64-bit ones");

typedef struct pen_architecture {
    SCOTCH_Arch scotch;
    int32_t processors;
    int64_t diameter; /* no distance is larger */
} pen_architecture;

/* Collective. `text` begins with the name of an architecture, in any case, or is the path of a file of such
 * text, which only rank 0 reads; NULL is the complete one of `parts` processors, and "host" that of the ranks'
 * hosts, packages and caches (architecture_host.h). Errors: PEN_ERR_INPUT (no
 * such text or file; a number of processors that is not `parts`, where that is not 0), PEN_ERR_UNSUPPORTED (what is
 * refused besides), PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_architecture_create(pen_comm *comm, const char *text, int parts,
                                               pen_architecture **architecture);

/* Local. The architecture of a machine of so many processors, with its `network` or as if all were next to each
 * other; NULL: they are, and equal. Speeds and
 * costs are rounded, latencies do not exist there. PEN_ERR_UNSUPPORTED (a network of more than 1024 processors),
 * PEN_ERR_MEMORY, PEN_ERR_INTERNAL. */
PEN_CHECKED pen_status pen_architecture_of_machine(const pen_machine *machine, bool network, int parts,
                                                   pen_architecture **architecture);

/* Local. The processors as Scotch's domains, [processors], which the caller frees. PEN_ERR_MEMORY, PEN_ERR_INTERNAL. */
PEN_CHECKED pen_status pen_architecture_processors(const pen_architecture *architecture, SCOTCH_ArchDom **processors);

/* Local. Nulls *architecture; NULL and a null handle are legal. */
void pen_architecture_destroy(pen_architecture **architecture);

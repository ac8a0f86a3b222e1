/* proposal.h - nodes are to be added and removed: what becomes of a gid, agreed on by the homes, and taken back as long
 * as nobody has carried it out.
 *
 * Every rank says what it wants of some gids. A gid's home puts together what all ranks want of it, and finds what
 * cannot be: it alone can, since it knows whether there is a node. */
#ifndef PEN_PROPOSAL_H
#define PEN_PROPOSAL_H

#include "directory/directory.h"

/* What one rank wants of a gid; nothing at all is a question. */
typedef struct pen_claim {
    pen_gid gid;
    pen_gid by;      /* adds: the lowest among those who add wins, and its rank gets the node */
    int64_t weight;  /* adds: the same from all */
    uint64_t record; /* adds: a hash of the first records, the same from all */
    uint64_t place;  /* adds: a hash of the coordinates, the same from all; 0: there are none */
    int32_t removes, adds;
} pen_claim;

/* How it is told that claims for a node differ in their coordinates. */
#define PEN_TWO_PLACES "with two different sets of coordinates, or once without any"

/* What becomes of it. */
typedef struct pen_fate {
    int32_t before, after; /* owners, or PEN_OWNER_UNKNOWN */
    int32_t removed;       /* the node of before; one that comes after is another */
} pen_fate;

/* A node of this rank that is removed. */
typedef struct pen_removal {
    pen_gid gid;
    int32_t after; /* as above */
} pen_removal;

/* Collective, and all return the same status; `mine` as in directory.h. Propose: claims are [count], each gid at most
 * once on a rank; fates[i] becomes that of claims[i]; *removals, [*removed], are this rank's nodes that go, the
 * caller's to free. The directory then answers as if added nodes were there already, with `version`, and removed ones
 * still, until one of the two below, which must come first before another proposal. Errors: PEN_ERR_ARGUMENT (to add a
 * node that is there and not removed; to remove one that is not there; claims that contradict each other),
 * PEN_ERR_UNSUPPORTED (2^31 claims), PEN_ERR_MEMORY, PEN_ERR_MPI. Nothing is proposed then. */
PEN_CHECKED pen_status pen_directory_propose(pen_directory *directory, pen_status mine, int32_t version, int64_t count,
                                             const pen_claim *claims, pen_fate *fates, int64_t *removed,
                                             pen_removal **removals);

/* Local, never fail. Carry the proposal out; or take it back. Nothing happens where there is none. */
void pen_directory_enact(pen_directory *directory);
void pen_directory_withdraw(pen_directory *directory);

#endif

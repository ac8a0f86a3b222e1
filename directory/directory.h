/* directory.h - who owns a gid: a distributed hash directory.
 *
 * The home of a gid is the hash of its page (64 consecutive gids) over the ranks and never changes;
 * homes keep owner and version of their gids in pages (pages.h). A version counts a node's moves:
 * updates are idempotent, the newest version wins, stale updates that arrive late do nothing.
 * Batches, in any order, travel as pages with a bitmap of the gids meant (batch.h), grouped by home: duplicates fall
 * away, neighbouring gids share a look-up, answers come back in page order without the questions and land in request
 * order. Time and memory are linear in the batch, whatever the number of ranks.
 *
 * Every function names what it needs of all ranks. After PEN_ERR_MPI the directory can only be
 * destroyed; after any other failure it is, on every rank, as it was before the call. */
#ifndef PEN_DIRECTORY_H
#define PEN_DIRECTORY_H

#include "base/comm.h"

typedef struct pen_directory pen_directory;

enum { PEN_OWNER_UNKNOWN = -1 };

/* Collective. An empty directory; the caller destroys it. `comm` must outlive it. `expected` >= 0 is a
 * hint: how many gids this rank will announce. Errors: PEN_ERR_ARGUMENT, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_directory_create(pen_comm *comm, int64_t expected, pen_directory **directory);

/* Local. Nulls *directory; NULL and a null handle are legal. */
void pen_directory_destroy(pen_directory **directory);

/* Collective, and all return the same status. A rank may pass any number of gids >= 0, also none and
 * with repetitions, and passes its status so far in `mine`: a failure there, too, is returned on all
 * ranks (its other arguments are then not looked at).
 *
 * update: gids[i] is owned by owners[i] (a rank) since its versions[i]-th move (versions NULL: 0 for
 *         all). An update whose version is not newer than the known one does nothing, except that an
 *         equal version with another owner is PEN_ERR_INPUT (two owners of one gid), naming the gid;
 *         so for updates within one call, wherever they come from.
 * remove: forget gids and their versions; unknown ones are ignored.
 * resolve: owners[i] gets the owner of gids[i], or PEN_OWNER_UNKNOWN; untouched on failure.
 *
 * Arrays are [count]. Errors: PEN_ERR_ARGUMENT (a gid, owner or version out of range), PEN_ERR_UNSUPPORTED
 * (count beyond 2^31 - 1), PEN_ERR_MEMORY, PEN_ERR_MPI, and those said above. */
PEN_CHECKED pen_status pen_directory_update(pen_directory *directory, pen_status mine, int64_t count,
                                            const pen_gid *gids, const int32_t *owners, const int32_t *versions);
PEN_CHECKED pen_status pen_directory_remove(pen_directory *directory, pen_status mine, int64_t count,
                                            const pen_gid *gids);
PEN_CHECKED pen_status pen_directory_resolve(pen_directory *directory, pen_status mine, int64_t count,
                                             const pen_gid *gids, int32_t *owners);

/* Local. Whether what is kept here has its home here, an owner among the ranks, and sound pages. */
bool pen_directory_is_valid(const pen_directory *directory);

/* Local. Gids whose home is this rank, and bytes that it holds for them. */
int64_t pen_directory_count(const pen_directory *directory);
int64_t pen_directory_memory_used(const pen_directory *directory);

#endif

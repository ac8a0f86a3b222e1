/* directory.h - who owns a gid: a distributed hash directory.
 *
 * The home of a gid is the hash of its page (64 consecutive gids) over the ranks and never changes;
 * homes keep owner and version of their gids in pages (pages.h). A version counts a node's moves:
 * updates are idempotent, the newest version wins, stale updates that arrive late do nothing.
 * Batches are deduplicated, grouped by home, sorted so that neighbouring gids share a look-up, and
 * exchanged sparsely; answers come back without the questions and land in request order. */
#ifndef PEN_DIRECTORY_H
#define PEN_DIRECTORY_H

#include "comm.h"

typedef struct pen_directory pen_directory;

enum { PEN_OWNER_UNKNOWN = -1 };

/* Collective. `comm` must outlive the directory; `expected`: how many gids this rank will announce. */
PEN_CHECKED pen_status pen_directory_create(pen_comm *comm, int64_t expected, pen_directory **directory);

/* Collective. Nulls *directory; NULL and a null handle are legal. */
void pen_directory_destroy(pen_directory **directory);

/* Collective; every rank may pass any number of gids, also 0, and its status so far in `mine` (a
 * failure on any rank is returned on all, and the directory is unchanged on ranks ... see below).
 *
 * update: gids[i] is owned by owners[i] since its versions[i]-th move (versions NULL: 0 for all).
 *         An update with a version not newer than the known one does nothing, except that an equal
 *         version with another owner is PEN_ERR_INPUT (two owners of one gid), naming the gid.
 * remove: forget gids; unknown ones are ignored.
 * resolve: owners[i] gets the owner of gids[i], or PEN_OWNER_UNKNOWN; gids may repeat. */
PEN_CHECKED pen_status pen_directory_update(pen_directory *directory, pen_status mine, int64_t count, const pen_gid *gids,
                                            const int32_t *owners, const int32_t *versions);
PEN_CHECKED pen_status pen_directory_remove(pen_directory *directory, pen_status mine, int64_t count, const pen_gid *gids);
PEN_CHECKED pen_status pen_directory_resolve(pen_directory *directory, pen_status mine, int64_t count, const pen_gid *gids,
                                             int32_t *owners);

/* Local: the invariants hold here. */
bool pen_directory_is_valid(const pen_directory *directory);

/* Local: bytes held by this rank. */
int64_t pen_directory_memory_used(const pen_directory *directory);

#endif

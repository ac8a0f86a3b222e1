/* migrate.h - nodes change owner, in three acts: prepare (allocate and exchange everything), agree,
 * commit (copy and swap, which cannot fail). If any rank cannot prepare, nothing has changed anywhere.
 *
 * The old owner tells every rank that shadows a moving node, and ships row and state straight to the new
 * owner, with the owners that the node's neighbours will have: nothing is looked up. */
#ifndef PEN_MIGRATE_H
#define PEN_MIGRATE_H

#include "store/place.h"
#include <penumbra_plugin.h>

typedef struct pen_migration {
    pen_store *before; /* not owned */
    pen_store *after;  /* owned until commit; has no window and no directory yet */
    int32_t *owner;    /* [slots before] as they will be; a block of `after` */
    pen_lid *leaving;  /* [moved] slots before, ascending */
    pen_row_format format;
    pen_rows arriving;
    pen_placing placing;
    pen_lid moved; /* nodes leaving this rank */
    int64_t bytes; /* shipped for them */
} pen_migration;

/* Local. What is shipped of a node. */
pen_row_format pen_migration_format(const pen_store *store);

/* Collective; every rank passes its own nodes' moves (each node once; a move to this rank itself is
 * none), possibly none, and its status so far. PEN_ERR_ARGUMENT: a gid that is not this rank's, a node
 * twice, a rank out of range; PEN_ERR_MEMORY, PEN_ERR_MPI. On failure *migration is empty and nothing
 * has changed; so where no rank moves anything, which costs no more than to agree on it. */
PEN_CHECKED pen_status pen_migration_prepare(pen_store *store, pen_status mine, int64_t count, const pen_move *moves,
                                             pen_migration *migration);

/* Collective, the last thing that can fail, when migration->after has its window: the directory learns
 * the new owners. On failure the migration is still to be undone. */
PEN_CHECKED pen_status pen_migration_announce(pen_migration *migration);

/* Local, never fails. Copy the current records of all fields to the next planes of migration->after, and
 * make it the owner of directory and slots. The caller pulls the shadows, makes the next planes current,
 * and destroys the store before. */
void pen_migration_commit(pen_migration *migration);

/* Local. Forget a prepared migration. migration->after must have no window any more. */
void pen_migration_undo(pen_migration *migration);

#endif

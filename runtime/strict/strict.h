/* strict.h - the strict mode (--check). It computes every node twice, in two replicas (checker.h). The replicas differ
 * in everything that a node function must not depend on. Further calls show it real records in place of the data that
 * it must not see.
 *
 * A bit of a next record that still has the replica's pattern was not written. That alone is no mistake: the bit may be
 * padding, or no function may read it. The store therefore has a second field of the same size for every field of the
 * application. Its records mark the unwritten bits, and are pulled, fetched and moved together with the field. A reader
 * sees unwritten bits as a pattern, a different one in each replica, and then as they were before, or as other nodes
 * have written them. So the strict mode finds a node that computes with unwritten bits, and the node that did not write
 * them. */
#pragma once

#include "run/far.h"

/* Local, before the store is created. Start the mode. PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED (more than 32 fields). */
PEN_CHECKED pen_status pen_strict_create(pen_run *run);
void pen_strict_destroy(struct pen_strict **strict);

/* Local. The fields of the store, [2*fields]. */
const pen_field *pen_strict_fields(const pen_run *run);

/* Collective, before a phase. Make the replicas. `none_yet`: the phase is init. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_strict_begin(pen_run *run, const pen_phase *phase, bool none_yet);

/* Local. Called in place of phase->far. */
pen_far_request_fn pen_strict_want;

/* Collective, after far reads. Add the far nodes to the replicas. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_strict_far(pen_run *run);

/* Local. Called in place of a sweep. Writes the same next records as the sweep, except for nodes whose functions do not
 * return. */
pen_sweep pen_strict_sweep;

/* Local, in a phase. Report a node that steps may leave out, although its result depends on more than records. */
void pen_strict_sleeper(pen_run *run, pen_lid slot);

/* Collective, after a phase, before its planes change roles. PEN_ERR_CHECK: a mistake was found; the message
 * describes the one of the node with the lowest gid. PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_strict_end(pen_run *run);

/* Local. Mark the current records of these fields as not written. */
void pen_strict_forget(const pen_run *run, uint64_t fields);

/* Collective, after the phases of a step. Check whether .print, .observe or .cost read data that they must not read,
 * and whether .members or the checksum deliver data that was not written. Errors: as pen_strict_end. */
PEN_CHECKED pen_status pen_strict_step(pen_run *run);

/* Collective. Check the uses of the first state: by .observe; and by .members, if it is written. Errors: as
 * pen_strict_end. */
PEN_CHECKED pen_status pen_strict_start(pen_run *run);
PEN_CHECKED pen_status pen_strict_deliver(pen_run *run);

/* Collective. Check a phase's .observe before the phase runs. pen_strict_init_edges checks .init_edges before the
 * actual call. Errors: as pen_strict_end. */
PEN_CHECKED pen_status pen_strict_observe(pen_run *run, const pen_phase *phase);
PEN_CHECKED pen_status pen_strict_init_edges(pen_run *run);

/* Collective. Check the records of a field that are about to be gathered. Errors: as pen_strict_end. */
PEN_CHECKED pen_status pen_strict_gather(pen_run *run, int field);

/* Local. Check a record that is fetched; `unwritten` marks its unwritten bits. pen_strict_end reports a mistake. */
void pen_strict_fetched(pen_run *run, int field, pen_gid gid, const unsigned char *unwritten);

/* Local. Check all records of this rank before they are given to a caller that expects no error: a mistake ends the
 * program. */
void pen_strict_local(const pen_run *run);

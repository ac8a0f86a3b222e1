/* strict.h - the strict mode (--check): every node is computed twice, in two replicas (checker.h) that differ in all
 * that must not matter.
 *
 * Bits of a next record that keep the replica's pattern were not written. That alone is no mistake: they may be
 * padding, or a part that nobody will read. Behind every field of the application the store has another one of the same
 * size, whose records tell these bits; they are pulled, got and moved with the field's own. Unwritten bits are seen as
 * a pattern, another in each replica; so whoever computes with them is found, and the node that has not written them.
 */
#ifndef PEN_STRICT_H
#define PEN_STRICT_H

#include "run/far.h"

/* Local, before there is a store. PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED (more than 32 fields). */
PEN_CHECKED pen_status pen_strict_create(pen_run *run);
void pen_strict_destroy(struct pen_strict **strict);

/* Local. What the store has, [2*fields]. */
const pen_field *pen_strict_fields(const pen_run *run);

/* Collective, before a phase; `none_yet`: it is init. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_strict_begin(pen_run *run, const pen_phase *phase, bool none_yet);

/* Local, in place of phase->far. */
pen_far_ask pen_strict_want;

/* Collective, after far reads. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_strict_far(pen_run *run);

/* Local, in place of a sweep: next records are written as it writes them, but of nodes whose functions do not return.
 */
pen_sweep pen_strict_sweep;

/* Collective, after a phase, before its planes change roles. PEN_ERR_CHECK: a mistake was found; the message tells
 * that of the node with the lowest gid. PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_strict_end(pen_run *run);

/* Local. The current records of these fields count as not written. */
void pen_strict_forget(const pen_run *run, uint64_t fields);

/* Collective, after the phases of a step: do .print, .observe or .cost read what they must not, and is anything
 * delivered by .members or the checksum that was not written? Errors as pen_strict_end. */
PEN_CHECKED pen_status pen_strict_step(pen_run *run);

/* The same of the first state, as far as it is used: by .observe and, where it `delivers`, .members. */
PEN_CHECKED pen_status pen_strict_start(pen_run *run, bool delivers);

/* The same of a phase's .observe, before it; and .init_edges, before it is called in earnest, as a phase. */
PEN_CHECKED pen_status pen_strict_observe(pen_run *run, const pen_phase *phase);
PEN_CHECKED pen_status pen_strict_init_edges(pen_run *run);

/* Collective: all records of a field are gathered. Errors as pen_strict_end. */
PEN_CHECKED pen_status pen_strict_gather(pen_run *run, int field);

/* Local. A record is fetched of which these bits were not written; pen_strict_end tells. */
void pen_strict_fetched(pen_run *run, int field, pen_gid gid, const unsigned char *unwritten);

/* Local. All records of this rank are handed out, by a function that cannot fail: a mistake ends the program. */
void pen_strict_local(const pen_run *run);

#endif

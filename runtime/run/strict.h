/* strict.h - the strict mode (--check): every node is computed twice, in two worlds (worlds.h) that differ in all that
 * must not matter. Where the outcomes differ the node function does what it must not; more tries find out what.
 *
 * Bits of a next record that keep the world's pattern were not written. That alone is no mistake: they may be padding,
 * or a part that nobody will read. Behind every field of the application the store has another one of the same size,
 * whose records tell these bits; they are pulled, got and moved with the field's own. Unwritten bits are seen as a
 * pattern, another in each world; so whoever computes with them is found, and the node that has not written them. */
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

/* Local, in place of a sweep: next records are written as it writes them. */
pen_sweep pen_strict_sweep;

/* Collective, after a phase, before its planes change roles. PEN_ERR_CHECK: a mistake was found; the message tells
 * that of the node with the lowest gid. PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_strict_end(pen_run *run);

/* Local. The current records of these fields count as not written. */
void pen_strict_forget(const pen_run *run, uint64_t fields);

/* Collective, after the phases of a step. Do .print, .observe or .cost read what was not written? Errors as
 * pen_strict_end. */
PEN_CHECKED pen_status pen_strict_step(pen_run *run);

#endif

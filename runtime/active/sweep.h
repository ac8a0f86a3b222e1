/* sweep.h - computes the nodes that are due, compares records, and wakes readers. All Local. */
#pragma once

#include "active/sets.h"

/* Begin to track, and note the present shadows. awake[owned]: for each node a bit for each phase whose set has it;
 * NULL: all sets have all nodes. */
void pen_active_wake(pen_run *run, pen_active_sets *a, const uint64_t *awake);

/* Compute the nodes of slots [first, end) that are due, and wake those that read what changes. */
void pen_active_compute(pen_run *run, pen_active_sets *a, const pen_phase *phase, pen_lid first, pen_lid end);

/* Wake the readers of shadows that have changed, after the pull of a phase. */
void pen_active_arrive(pen_run *run, pen_active_sets *a, uint64_t pulled);

/* Look at a sample of the nodes that a phase has computed. */
void pen_active_sample(pen_run *run, pen_active_sets *a, const pen_phase *phase);

/* set_globals.h - the records of the globals that the program has set (pen_run_set_globals), for the serial
 * computation. */
#pragma once

#include "run/parts.h"

/* The records that the program has set, on rank 0: at most one per step, the last one that differed from the record
 * before. Empty on other ranks. */
typedef struct pen_globals_log {
    int64_t count, step_room, record_room;
    int64_t *steps;         /* [count] number of finished steps when each record was set, ascending */
    unsigned char *records; /* [count*size] the records */
} pen_globals_log;

extern const pen_part pen_part_given_globals;

/* Local, of a run with globals. Put the record that the program has set after `step` steps into *globals, if there is
 * one; *next is the first given record that was not put, and moves on. */
void pen_globals_give(const pen_run *run, int64_t step, int64_t *next, void *globals);

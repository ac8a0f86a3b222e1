/* csv.h - the observables of all steps as a table for programs. */
#ifndef PEN_CSV_H
#define PEN_CSV_H

#include "run/state.h"

/* Collective. Write their names, then a line a step. PEN_ERR_MEMORY, PEN_ERR_IO. */
PEN_CHECKED pen_status pen_observables_write(pen_run *run, const char *path);

#endif

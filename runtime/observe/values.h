/* values.h - single observed values: components of observables, and named members of the globals. Each has a name like
 * an observable of one component. */
#pragma once

#include "base/status.h"

typedef struct pen_values {
    const char *app;                   /* name of the application */
    const pen_observable *observables; /* [observable_count] the application's observables */
    int observable_count;
    int count;
    /* [count] one entry per value: first components of all observables, then their components 1, 2, ..., then members
     * of the globals. */
    pen_observable *table;
    int *observable; /* [count] the observable of which a value is a component; -1: a member of the globals */
    int *order;      /* [count] the values in the order of files, where all components of an observable are adjacent */
    int *components; /* [observable_count] number of components of each observable, as in pen_view.components */
    const pen_globals *globals;
    int members; /* index of the first member of the globals in the table */
} pen_values;

/* Local. Name the values of an application that has passed pen_app_check. Call pen_values_free also after a failure.
 * PEN_ERR_ARGUMENT (two of one name), PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_values_create(const pen_app *app, pen_values *values);
void pen_values_free(pen_values *values);

/* Local. Read the members of a record of globals into ints[count] or reals[count], by their kinds. */
void pen_values_of_globals(const pen_values *values, const void *globals, int64_t *ints, double *reals);

/* Local. The index of the value of an observable, or of a PEN_COMPONENT. If there is none, the program ends, with
 * `function` in the message. */
int pen_values_find(const pen_values *values, const char *function, int index);

/* Local. The number of values of an observable or a member. */
static inline int pen_components(int components) { return components > 0 ? components : 1; }

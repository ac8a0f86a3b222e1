/* values.h - the single values that are observed: the observables, further components of those that have several, and
 * the named members of the globals. Each value has a name like an observable of one component. */
#pragma once

#include "base/status.h"

typedef struct pen_values {
    const char *app;                   /* the application's name */
    const pen_observable *observables; /* [observable_count] the application's */
    int observable_count;
    int count;
    pen_observable *table; /* [count] the application's observables first, then components 1, 2, ..., then members */
    int *observable;       /* [count] to which a value belongs; -1: a member of the globals */
    int *order;            /* [count] the values in the order of files: all components of an observable together */
    int *components;       /* [observable_count] see pen_view.components */
    const pen_globals *globals;
    int members; /* where in the table these begin */
} pen_values;

/* All Local. */

/* For an application that has passed pen_app_check. Call pen_values_free also after a failure. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_values_create(const pen_app *app, pen_values *values);
void pen_values_free(pen_values *values);

/* The values of the members of a record of globals, into ints[count] or reals[count] as their kinds are. */
void pen_values_of_globals(const pen_values *values, const void *globals, int64_t *ints, double *reals);

/* The index of the value of a component of an observable. If there is no such component, the program ends, with
 * `function` in the message. */
int pen_values_find(const pen_values *values, const char *function, int index, int component);

/* How many values an observable or a member has. */
static inline int pen_components(int components) { return components > 0 ? components : 1; }

/* app.h - an application's description (penumbra.h), copied and checked, and what follows from it. */
#pragma once

#include "base/status.h"

/* What a phase means for the halo; it does not change during a run. */
typedef struct pen_phase_traits {
    bool publishes;    /* the phase writes a field that some phase reads from neighbours */
    uint64_t pull;     /* the written fields that are read from neighbours before they are written again */
    uint64_t in_place; /* the written fields that are changed in place, and read by their own node only */
    uint64_t shadows;  /* the fields whose shadows are current when the phase begins */
    int load;          /* index of the load that the phase adds to: that of the next synchronisation (pen_load_view) */
} pen_phase_traits;

/* All Local. */

/* Copy an application with its tables. Names, functions, values of options and params still belong to the caller. Free
 * it by pen_app_free. PEN_ERR_MEMORY; then it is NULL. */
PEN_CHECKED pen_status pen_app_copy(const pen_app *app, pen_app **copy);
void pen_app_free(pen_app **copy);

/* The largest number of components of observables. A file of observables has a column for each, which takes 5 kB. */
enum { PEN_MOST_COMPONENTS = 1024 };

/* Settle the sizes of the fields of a copy, [app->fields.count]. PEN_ERR_ARGUMENT: one is 0. */
PEN_CHECKED pen_status pen_app_settle(pen_app *copy, const size_t *sizes);

/* Check an application. PEN_ERR_ARGUMENT, with a message that names the mistake. */
PEN_CHECKED pen_status pen_app_check(const pen_app *app);

/* Add fields and edge fields for the permanent input columns to a checked copy, after the application's own ones.
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_app_add_permanent(pen_app *copy);

/* For such a copy: the numbers of the application's own fields and edge fields; the field or edge field of an input
 * column (-1: it has none); and the number of all fields. */
int pen_app_own_fields(const pen_app *copy);
int pen_app_own_edge_fields(const pen_app *copy);
int pen_app_permanent_field(const pen_app *copy, int column);
int pen_app_permanent_edge_field(const pen_app *copy, int column);
uint64_t pen_app_permanent_fields(const pen_app *copy);

/* The element of a set (pen_set.bits). */
static inline uint64_t pen_bit(int index) { return UINT64_C(1) << index; }

/* The set of all fields; and of the fields that some phase reads from neighbours. */
uint64_t pen_app_fields(const pen_app *app);
bool pen_app_is_plain(const pen_app *app); /* whether all fields are plain */
uint64_t pen_app_transient(const pen_app *app);
uint64_t pen_app_reads(const pen_app *app);
uint64_t pen_app_mails(const pen_app *app); /* the set of all kinds of mail */
bool pen_app_modifies(const pen_app *app);  /* whether some phase may change the graph */

bool pen_app_declares(const pen_app *app); /* whether some phase has a cost function */

/* The cost function if exactly one phase has one, else NULL. It counts for whole steps. */
pen_cost_fn *pen_app_cost(const pen_app *app);

/* Compute the traits of all phases, [app->phases.count]. */
void pen_app_traits(const pen_app *app, pen_phase_traits *traits);

/* until.h - conditions on observables, which end a run: "OBSERVABLE<VALUE[,OBSERVABLE>=VALUE ...]". */
#pragma once

#include "observe/observation.h"

typedef enum pen_comparison { PEN_BELOW, PEN_AT_MOST, PEN_ABOVE, PEN_AT_LEAST } pen_comparison;

typedef struct pen_condition {
    int observable;
    pen_comparison comparison;
    int64_t whole; /* the bound, if the observable is of an _INT kind */
    double real;   /* the bound, if the observable is of a _REAL kind */
} pen_condition;

typedef struct pen_until {
    char *text;                /* the text that the user gave */
    pen_condition *conditions; /* [count] the conditions */
    int count;
} pen_until;

/* Local. Read conditions on these observables [count]; text NULL means no conditions. Call pen_until_free also after a
 * failure. PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_until_read(const char *text, const pen_observable *table, int count, pen_until *until);
void pen_until_free(pen_until *until);

/* Local. Whether there are conditions, and all of them hold. A NaN fulfils none. */
bool pen_until_holds(const pen_until *until, const pen_observables *observation);

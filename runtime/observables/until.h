/* until.h - conditions on observables, which end a run: "OBSERVABLE<VALUE[,OBSERVABLE>=VALUE ...]". */
#pragma once

#include "run/parts.h"

typedef enum pen_comparison { PEN_BELOW, PEN_AT_MOST, PEN_ABOVE, PEN_AT_LEAST } pen_comparison;

typedef struct pen_condition {
    int observable;
    pen_comparison comparison;
    int64_t whole; /* the bound, if the observable is of an _INT kind */
    double real;   /* the bound, if the observable is of a _REAL kind */
} pen_condition;

/* The run ends when all conditions hold. A NaN fulfils none. */
typedef struct pen_until {
    char *text;                /* the text that the user gave */
    pen_condition *conditions; /* [count] the conditions, at least one */
    int count;
} pen_until;

extern const pen_part pen_part_until;

/* Local. The text of a run's conditions; NULL: there are none. */
static inline const char *pen_until_text(const pen_run *run)
{
    const pen_until *until = pen_part_state(run, &pen_part_until);
    return until ? until->text : NULL;
}

/* Local. Check conditions on these observables [count]; text NULL means no conditions. PEN_ERR_INPUT, PEN_ERR_MEMORY.
 */
PEN_CHECKED pen_status pen_until_check(const char *text, const pen_observable *table, int count);

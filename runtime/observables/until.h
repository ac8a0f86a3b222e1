/* until.h - conditions on observables, which end a run: "OBSERVABLE<VALUE[,OBSERVABLE>=VALUE ...]", and the
 * condition that nothing changes: "quiet". */
#pragma once

#include "run/parts.h"

typedef enum pen_comparison { PEN_BELOW, PEN_AT_MOST, PEN_ABOVE, PEN_AT_LEAST } pen_comparison;

/* The observable of the condition "quiet"; and the number of steps from one look at whether it holds to the next. */
enum { PEN_QUIET = -1, PEN_QUIET_STEPS = 16 };

typedef struct pen_condition {
    int observable; /* index of the observable, or PEN_QUIET */
    pen_comparison comparison;
    int64_t whole; /* the bound, if the observable is of an _INT kind */
    double real;   /* the bound, if the observable is of a _REAL kind */
} pen_condition;

/* The run ends when all conditions hold. A NaN fulfils none. */
typedef struct pen_until {
    char *text;                /* the text that the user gave */
    pen_condition *conditions; /* [count] the conditions, at least one */
    int count;
    bool quiet; /* one of them is "quiet" */
} pen_until;

extern const pen_part pen_part_until;

/* Local. The text of a run's conditions; NULL: there are none. */
static inline const char *pen_until_text(const pen_run *run)
{
    const pen_until *until = pen_part_state(run, &pen_part_until);
    return until ? until->text : NULL;
}

/* Local. Whether a run can end because nothing changes any more: by its application, or by a condition. */
static inline bool pen_until_quiet(const pen_run *run)
{
    const pen_until *until = pen_part_state(run, &pen_part_until);
    return run->app->end.quiet || (until && until->quiet);
}

/* Local. Check conditions on these observables [count]; text NULL means no conditions. PEN_ERR_INPUT, PEN_ERR_MEMORY.
 */
PEN_CHECKED pen_status pen_until_check(const char *text, const pen_observable *table, int count);

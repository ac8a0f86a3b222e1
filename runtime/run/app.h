/* app.h - what an application's description (penumbra.h) says and implies. */
#ifndef PEN_APP_H
#define PEN_APP_H

#include "base/status.h"

/* What a phase means for the halo, settled once. */
typedef struct pen_phase_traits {
    bool publishes;   /* it writes a field that some phase reads from neighbours */
    uint64_t pull;    /* of the fields written, those read from neighbours before they are rewritten */
    uint64_t shadows; /* fields whose shadows are current when the phase begins */
} pen_phase_traits;

/* All Local. */

/* PEN_ERR_ARGUMENT, with what is wrong. */
PEN_CHECKED pen_status pen_app_check(const pen_app *app);

/* The fields that it has; those that some phase reads from neighbours. */
uint64_t pen_app_fields(const pen_app *app);
uint64_t pen_app_reads(const pen_app *app);

/* Of all phases, [app->phase_count]. */
void pen_app_traits(const pen_app *app, pen_phase_traits *traits);

#endif

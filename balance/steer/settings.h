/* settings.h - what the user wants of balancing. */
#ifndef PEN_STEER_SETTINGS_H
#define PEN_STEER_SETTINGS_H

#include "base/status.h"

typedef struct pen_steer_settings {
    bool declared;         /* loads are, in units; else measured, in seconds */
    int64_t every;         /* balance after every so many steps; 0: when it pays */
    double base, per_node; /* declared cost of a call, and of the most nodes moved, in units; < 0: the default */
} pen_steer_settings;

/* Local. Of the options' texts (--load, --balance-when, --balance-cost), each of which may be NULL. PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_steer_settings_read(const char *load, const char *when, const char *cost,
                                               pen_steer_settings *settings);

#endif

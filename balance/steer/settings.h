/* settings.h - what the user wants of balancing. */
#ifndef PEN_STEER_SETTINGS_H
#define PEN_STEER_SETTINGS_H

#include "base/status.h"

/* When to balance: when it pays; after every so many steps; after every step in which the graph changed. */
typedef enum pen_steer_when { PEN_WHEN_PAYS, PEN_WHEN_EVERY, PEN_WHEN_CHANGED } pen_steer_when;

typedef struct pen_steer_settings {
    bool declared; /* loads are, in units; else measured, in seconds */
    pen_steer_when when;
    int64_t every;         /* so many steps */
    double base, per_node; /* declared cost of a call, and of the most nodes moved, in units; < 0: the default */
} pen_steer_settings;

/* Local. Of the options' texts (--load, --balance-when, --balance-cost), each of which may be NULL. PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_steer_settings_read(const char *load, const char *when, const char *cost,
                                               pen_steer_settings *settings);

#endif

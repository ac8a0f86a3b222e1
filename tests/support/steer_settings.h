/* steer_settings.h - settings of balancing for tests. */
#pragma once

#include "steer/steer.h"

#include <stdlib.h>

/* The settings that these texts of a command line stand for; each may be NULL. Wrong texts end the test. */
static inline pen_steer_settings settings_of(pen_load_kind load, const char *when, const char *cost)
{
    pen_steer_settings settings = { .load = load };
    if (pen_steer_settings_read(when, cost, &settings) != PEN_OK) abort();
    return settings;
}

static inline pen_steer_settings declared(const char *when, const char *cost)
{
    return settings_of(PEN_LOAD_DECLARED, when, cost);
}

static inline pen_steer_settings measured(const char *when, const char *cost)
{
    return settings_of(PEN_LOAD_MEASURED, when, cost);
}

/* steer_settings.h - settings of balancing for tests. */
#pragma once

#include "steer/steer.h"

#include <stdlib.h>

/* The settings that these texts of a command line stand for; each may be NULL. Wrong texts end the test. */
static inline pen_balance_options settings_of(const char *load, const char *when, const char *cost)
{
    pen_balance_options settings = { .balancer = NULL };
    if (pen_steer_options_read(load, when, cost, &settings) != PEN_OK) abort();
    return settings;
}

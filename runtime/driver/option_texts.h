/* option_texts.h - options of a run that the command line gives as texts, and their parser. */
#pragma once

#include "base/status.h"

/* The texts of the command line; NULL: the option is not given. */
typedef struct pen_option_texts {
    const char *order, *progress, *watchdog, *migrate_random;
    const char *balance_when, *load, *balance_cost;
    const char *checkpoint_every, *checkpoint_before;
} pen_option_texts;

/* Local. Set the members of *options that the texts stand for. PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_option_texts_read(const pen_option_texts *texts, pen_run_options *options);

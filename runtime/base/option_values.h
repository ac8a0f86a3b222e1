/* option_values.h - reads, checks and compares the values of options that tables describe. */
#pragma once

#include "base/comm.h"
#include "base/part_option.h"

/* All Local. */

/* The option as the command line parses it, into *value. A text that .read takes, or that is joined, is a const char *.
 * `value` may be NULL: the entry is for messages only. */
pen_option pen_part_option_entry(const pen_part_option *option, void *value);

/* The structure that has the member of an option: these options, or their settings of tests. */
const void *pen_part_option_base(const pen_part_option *option, const pen_run_options *options);

/* The value at `base`, such a structure or a part's state: its bits as a number, 0 for false and NULL. */
int64_t pen_part_option_number(const pen_part_option *option, const void *base);

/* The value at `base` as ranks compare it. */
pen_argument pen_part_option_argument(const pen_part_option *option, const void *base);

/* Print the value at `base`, unless it is 0 or NULL: as a member of a JSON object after a comma, or as a line
 * "name=value". */
void pen_part_option_print(const pen_part_option *option, const void *base, bool line, FILE *out);

/* Whether the value at `base` is within its range. PEN_ERR_ARGUMENT. */
PEN_CHECKED pen_status pen_part_option_check(const pen_part_option *option, const void *base);

/* A checked command line, for options that only a part knows. */
typedef struct pen_words {
    int count;
    char *const *list;       /* [count] the words, which live as long as the run */
    const pen_option *hides; /* the application's options, which may hide those of parts */
} pen_words;

/* Set the members of a part's state by its table: from words "--name=value", otherwise to their initial values. Add the
 * number of these options to *own, and of those that are given to *given. PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_part_options_read(const pen_part_option *table, const pen_words *words, void *state,
                                             int *own, int *given);

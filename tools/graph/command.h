/* command.h - the table of pen-graph's subcommands. */
#ifndef PEN_COMMAND_H
#define PEN_COMMAND_H

#include "format.h"
#include "options.h"

/* A subcommand is one file and one line in the table in main.c. run: argv[0] is its name, then come its words;
 * what it returns is reported by main: PEN_OK ends with status 0 (or *exit_status), anything else with 2. */
typedef struct command {
    const char *name;
    const char *words;     /* "IN OUT" */
    const char *summary;   /* one line */
    const char *output;    /* what "-o FILE" names (words.h); NULL where there is no -o */
    pen_status (*run)(int argc, char **argv, int *exit_status);
} command;

extern const command command_convert, command_check, command_info, command_make, command_part, command_draw;

/* Local. Take the options ("--...", parsed against `options`) out of argv, and set words[0 .. *count-1] to the rest,
 * at most `most`; "-" is a word, and so is everything behind "--". --help prints `c`'s help on standard output and
 * sets *help. PEN_ERR_INPUT. */
PEN_CHECKED pen_status command_words(const command *c, int argc, char **argv, const pen_option *options, int least,
                                     int most, const char **words, int *count, bool *help);

#endif

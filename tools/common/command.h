/* command.h - a program with subcommands: the table of them, their words, and what main does. All Local. */
#ifndef PEN_COMMAND_H
#define PEN_COMMAND_H

#include "base/options.h"

/* A subcommand is one file and one line in the table in main.c. run: argv[0] is its name, then come its words;
 * PEN_OK ends with status 0 (or *exit_status), anything else as pen_command_main says. */
typedef struct command {
    const char *name;
    const char *words;   /* "IN OUT" */
    const char *summary; /* one line */
    const char *output;  /* what "-o FILE" names; NULL where there is no -o */
    pen_status (*run)(int argc, char **argv, int *exit_status);
} command;

typedef struct program {
    const char *name; /* begins every sentence */
    const command *const *commands;
    int count;
    void (*print_rest)(void); /* the end of --help */
} program;

/* What main returns: find the subcommand and run it, or print --help (a line per command, then print_rest) or
 * --version. A failure is told in one line; then the status is 3 where this machine cannot do what was asked
 * (PEN_ERR_ENVIRONMENT), else 2. */
int pen_command_main(const program *p, int argc, char **argv);

/* Take the options ("--...", parsed against `options`) out of argv, and set words[0 .. *count-1] to the rest,
 * at most `most`; "-" is a word, and so is everything behind "--". --help prints `c`'s help on standard output and
 * sets *help. PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_command_words(const command *c, int argc, char **argv, const pen_option *options, int least,
                                         int most, const char **words, int *count, bool *help);

/* Take "-o FILE" out of the words; *path stays as it is where there is none. PEN_ERR_INPUT where the file is
 * missing, or named twice. */
PEN_CHECKED pen_status pen_command_take_output(int *argc, char **argv, const char **path);

#endif

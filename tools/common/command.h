/* command.h - a program with subcommands: the table of them, their words, and what main does. All Local. */
#pragma once

#include "base/options.h"

/* A subcommand is one file and one line in the table in main.c. run: argv[0] is its name, followed by its words. PEN_OK
 * ends with status 0 (or *exit_status), any other status as pen_command_main says. */
typedef struct command {
    const char *name;
    const char *words;   /* "IN OUT" */
    const char *summary; /* one line */
    const char *output;  /* the argument of "-o FILE"; NULL if there is no -o */
    pen_status (*run)(int argc, char **argv, int *exit_status);
} command;

typedef struct program {
    const char *name; /* begins every sentence */
    const command *const *commands;
    int count;
    void (*print_rest)(void); /* the end of --help */
} program;

/* What main returns: find the subcommand and run it, or print --help (a line per command, then print_rest) or
 * --version. A failure is printed as one line; then the status is 3 if this machine cannot do what was asked
 * (PEN_ERR_ENVIRONMENT), else 2. */
int pen_command_main(const program *p, int argc, char **argv);

/* Before a file is written: refuse a command line that names a file twice, as input and output, or as two outputs.
 * PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_command_may_write(const char *path);

/* What a command's line says besides options. */
typedef struct command_words {
    char **words; /* [count] after the options in argv, which is reordered */
    int count;
    const char *output; /* of "-o FILE", NULL: not given */
    bool help;          /* --help: it has been printed, and that is all */
} command_words;

/* Parse the options ("--...") against `options`, and find the words, `least` to `most` of them; "-" is a word, and so
 * is everything after "--". PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_command_words(const command *c, int argc, char **argv, const pen_option *options, int least,
                                         int most, command_words *line);

/* command.h - programs with subcommands: the table of them, their arguments, and the main function. All Local. */
#pragma once

#include "base/options.h"

/* A subcommand, which is one file, and one line in the program's table. run: argv[0] is its name, followed by its
 * arguments. After PEN_OK the exit status is *exit_status, 0 by default; otherwise see pen_command_main. */
typedef struct command {
    const char *name;
    const char *words;   /* names of the subcommand's arguments, such as "IN OUT" */
    const char *summary; /* summary, one line */
    const char *output;  /* argument of the option "-o FILE"; NULL: there is no -o */
    pen_status (*run)(int argc, char **argv, int *exit_status);
} command;

typedef struct program {
    const char *name; /* name of the program, which begins every message */
    const command *const *commands;
    int count;
    void (*print_rest)(void); /* prints the end of --help */
} program;

/* Find the subcommand and run it, or print --help (a line per command, then print_rest) or --version. Returns the exit
 * status. A failure is printed as one line, with the status of pen_exit_status. */
int pen_command_main(const program *p, int argc, char **argv);

/* Check a path before writing a file: refuse a path that names no file (pen_output_named; "-"), and a command line that
 * names it twice, as input and output, or as two outputs. PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_command_may_write(const char *path);

/* The same for a path that is made from the command line's words: refuse one that any word names. */
PEN_CHECKED pen_status pen_command_may_write_derived(const char *path);

/* Find a name in a list: *index. Otherwise pen_unknown_name: PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_choose(const char *what, const char *name, const char *const *names, int count, int *index);

/* The arguments of the command line without options. */
typedef struct command_words {
    char **words; /* [count] arguments after the options in argv, which is reordered */
    int count;
    const char *output; /* value of "-o FILE", or NULL */
    bool help;          /* --help was printed; nothing is left to do */
} command_words;

/* Parse the options ("--...") against `options`, and find the words, `least` to `most` of them; "-" is a word, and so
 * is everything after "--". PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_command_words(const command *c, int argc, char **argv, const pen_option *options, int least,
                                         int most, command_words *line);

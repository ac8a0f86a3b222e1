/* options.h - the command line that every application shares. */
#pragma once

#include "base/options.h"
#include "base/part_option.h"
#include "driver/list.h"
#include "graph/graph_options.h"

/* The value of an option of a run that does not go to its member at once, as the command line gives it. */
typedef struct pen_command_value {
    union {
        bool flag;
        int64_t number;
        double real;
        const char *text;
    } given;
    char *copy; /* of the text, which members point into */
} pen_command_value;

typedef struct pen_command {
    pen_graph_options graph;
    pen_run_options run;
    pen_test_options tests; /* run.debug.tests */
    const char *dump, *metrics, *trace;
    const char *resume; /* a checkpoint, or a folder of them; "": that of --checkpoint */
    bool quiet, help, version;
    const char *list;
    pen_list print_list;   /* NULL: nothing is to be listed */
    bool takes_seed;       /* the seed is the checkpoint's */
    pen_option *tables[2]; /* of the options of run and output */
    pen_option_group groups[4];
    pen_command_value *values; /* [value_count] of the options of a run (pen_run_option) */
    int value_count;
    char **words; /* [word_count] the command line */
    int word_count;
    char default_graph[256], steps_help[64];
    const char *program; /* the name by which it was called */
} pen_command;

/* Local. Set the defaults, and read the command line into *command, which stays where it is; pen_command_free
 * also after a failure. PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_command_read(const pen_app *app, int argc, char **argv, pen_command *command);
void pen_command_free(pen_command *command);

/* Local. Answer a request that needs no graph, on rank 0; false: there is no such request. */
bool pen_command_answer(const pen_command *command, const pen_app *app, int rank);

/* Collective. All checks that need neither input nor computation: whether a run of this application can do what the
 * options ask, and whether its files can be written. PEN_ERR_INPUT, PEN_ERR_IO. */
PEN_CHECKED pen_status pen_command_check(pen_command *command, const pen_app *app, pen_comm *comm);

/* Local. A program began earlier, by pen_seconds_now, than it read its command line. */
void pen_options_begun(pen_options *options, double start);

/* Local, equal on all ranks, after pen_options_graph. PEN_ERR_INPUT: nothing would end a resumed run, since the first
 * one had no limit of steps, as --until makes one. */
PEN_CHECKED pen_status pen_options_check_end(const pen_options *options);

/* Collective, after all else, before the run is destroyed: pen_advise, unless the user wants no output or has chosen
 * the fastest transport. */
void pen_options_advise(const pen_options *options, pen_run *run);

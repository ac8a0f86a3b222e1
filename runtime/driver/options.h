/* options.h - the command line that every application shares. */
#pragma once

#include "base/options.h"
#include "driver/list.h"
#include "driver/option_texts.h"
#include "graph/graph_options.h"

enum { PEN_RUN_OPTION_COUNT = 17, PEN_FILE_OPTION_COUNT = 17, PEN_OPTION_GROUP_COUNT = 4 };

typedef struct pen_command {
    pen_graph_options graph;
    pen_run_options run;
    pen_option_texts texts; /* for `run` */
    bool verify, explain;
    const char *dump, *metrics, *trace;
    const char *observables; /* FILE, - or -,FILE, then [:every=N] */
    const char *comm;        /* NAME[:SETTINGS]; :SETTINGS: the default transport */
    int64_t seed;
    bool takes_seed;    /* the seed is the checkpoint's */
    const char *resume; /* a checkpoint, or a folder of them; "": that of --checkpoint */
    bool quiet, help, version;
    const char *list;
    pen_list print_list; /* NULL: nothing is to be listed */
    pen_option run_table[PEN_RUN_OPTION_COUNT + 1], file_table[PEN_FILE_OPTION_COUNT + 1];
    pen_option_group groups[PEN_OPTION_GROUP_COUNT];
    char default_graph[256], steps_help[64];
    const char *program; /* the name by which it was called */
    char *inputs;        /* all that --input says */
    char *observed;      /* a copy of `observables`, which `run` points into */
    pen_spec transport;  /* `comm`, cut in two */
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

/* Collective, after all else, before the run is destroyed: pen_advise, unless the user wants no output or has chosen
 * the fastest transport. */
void pen_options_advise(const pen_options *options, pen_run *run);

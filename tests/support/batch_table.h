/* batch_table.h - the tests that run together, for both of their runners. */
#pragma once

#include "tests/support/batch_world.h"

typedef struct batch_case {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *argument;           /* or "" */
    unsigned char *variables, *end; /* its own ones with static storage, if ranks share a process */
} batch_case;

/* The test `name`, or that of `name:CASE`, where $PEN_CASE becomes CASE (check.h); ends the program if there is none.
 */
const batch_case *batch_find(const char *name);

/* The folder of its own is the working one. Returns whether it fails. */
bool batch_run(const batch_case *c);

/* Print the tests, and the cases that they RUN, each as batch_find takes it. */
void batch_list(void);

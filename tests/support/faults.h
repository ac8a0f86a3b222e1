/* faults.h - calls of the library that fail on request. For tests linked by pen_fault_test (mpi/fault_tests.cmake), the
 * linker redirects the library's own calls to these functions (--wrap), so that internal calls of MPI and of the
 * partitioners' libraries never fail. All Local. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum fault_kind {
    FAULT_MEMORY,  /* malloc and its like: NULL */
    FAULT_FILE,    /* open, read, write, close, rename, ...: -1, EIO or ENOSPC; a failing close closes all the same */
    FAULT_SHORT,   /* pread and pwrite do half of it, which is no failure */
    FAULT_MAKING,  /* MPI calls that create something: they create it, and return an error */
    FAULT_TALKING, /* the same of MPI calls in which ranks wait for each other */
    FAULT_KINDS
} fault_kind;

extern const char *const fault_names[FAULT_KINDS];

/* The nth call of that kind from now on fails; with n = 0 none does, and calls are counted. */
void fault_arm(fault_kind kind, int64_t n);

/* No call fails any more. How many there have been; *failed, unless NULL, gets the name of the one that failed, or
 * NULL. */
int64_t fault_disarm(const char **failed);

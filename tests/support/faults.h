/* faults.h - calls of the library that fail on request. A test that is linked by pen_fault_test (mpi/fault_tests.cmake)
 * has these between the library's own code and what it calls: the linker puts them there (--wrap), so that what MPI and
 * the partitioners' libraries do for themselves never fails. All Local. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum fault_kind {
    FAULT_MEMORY,  /* malloc and its like: NULL */
    FAULT_FILE,    /* open, read, write, close, rename, ...: -1, EIO or ENOSPC; what is closed is closed all the same */
    FAULT_SHORT,   /* pread and pwrite do half of it, which is no failure */
    FAULT_MAKING,  /* MPI calls that make something: what they do is done, and they return an error */
    FAULT_TALKING, /* the same of MPI calls in which ranks wait for each other */
    FAULT_KINDS
} fault_kind;

extern const char *const fault_names[FAULT_KINDS];

/* The nth call of that kind from now on fails; with n = 0 none does, and calls are counted. */
void fault_arm(fault_kind kind, int64_t n);

/* No call fails any more. How many there have been; *failed, unless NULL, gets the name of the one that failed, or
 * NULL. */
int64_t fault_disarm(const char **failed);

/* pmpi.h - the MPI calls of a test, counted through MPI's profiling interface. A program that links pmpi.c has them
 * counted; nothing else changes. */
#pragma once

#include <mpi.h>
#include <stdint.h>

/* What may occur in a step, or hold ranks together. */
/* clang-format off */
#define PMPI_STEP_CALLS(X)                                                                                           \
    X(Get)                                                                                                           \
    X(Win_fence) X(Win_post) X(Win_start) X(Win_complete) X(Win_wait) X(Win_sync) X(Win_flush_all) X(Isend) X(Irecv) \
        X(Recv) X(Startall) X(Waitall) X(Neighbor_alltoallw) X(Iprobe) X(Allreduce) X(Barrier) X(Sendrecv)
/* clang-format on */

#define PMPI_NAME(call) CALL_##call,
enum { PMPI_STEP_CALLS(PMPI_NAME) PMPI_CALLS };
#undef PMPI_NAME

typedef struct pmpi_counters {
    int64_t calls[PMPI_CALLS];
    int64_t bytes_got, bytes_sent; /* by gets; by Isend */
    int64_t open;                  /* requests, datatypes, groups, communicators and windows that were made and
                                    * not freed or completed */
} pmpi_counters;

extern pmpi_counters pmpi;
extern const char *const pmpi_names[PMPI_CALLS];

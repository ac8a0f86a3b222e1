/* check.h - checks for MPI test programs: silent on success. A failing check prints file, line, rank and both operands,
 * and the program continues, so that no rank is left waiting. main ends with `return check_finish();`. */
#pragma once

#include "tests/support/batch_world.h"
#include "tests/support/generate.h"

#include <penumbra.h>

#include <stdarg.h>
#include <stdlib.h>

static int check_failures;

static inline int check_rank(void)
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/* A wrong loop must not drown the first failure. */
static inline bool check_failed(void) { return ++check_failures <= 10; }

#define CHECK(condition)                                                                                   \
    do {                                                                                                   \
        if (!(condition) && check_failed())                                                                \
            fprintf(stderr, "%s:%d: rank %d: not so: %s\n", __FILE__, __LINE__, check_rank(), #condition); \
    } while (0)

/* Both operands are converted to int64_t. */
#define CHECK_INT(found, expected)                                                                                \
    do {                                                                                                          \
        int64_t check_found_ = (int64_t)(found), check_expected_ = (int64_t)(expected);                           \
        if (check_found_ != check_expected_ && check_failed())                                                    \
            fprintf(stderr, "%s:%d: rank %d: %s is %" PRId64 ", expected %" PRId64 " (%s)\n", __FILE__, __LINE__, \
                    check_rank(), #found, check_found_, check_expected_, #expected);                              \
    } while (0)

#define CHECK_STATUS(call, expected)                                                                         \
    do {                                                                                                     \
        pen_status check_status_ = (call), check_wanted_ = (expected);                                       \
        if (check_status_ != check_wanted_ && check_failed())                                                \
            fprintf(stderr, "%s:%d: rank %d: %s is %s, expected %s; last message: %s\n", __FILE__, __LINE__, \
                    check_rank(), #call, pen_status_name(check_status_), pen_status_name(check_wanted_),     \
                    pen_error_message());                                                                    \
    } while (0)

/* `text` contains `part`. */
#define CHECK_CONTAINS(text, part)                                                                                     \
    do {                                                                                                               \
        const char *check_text_ = (text), *check_part_ = (part);                                                       \
        if (!strstr(check_text_, check_part_) && check_failed())                                                       \
            fprintf(stderr, "%s:%d: rank %d: %s is \"%s\", without \"%s\"\n", __FILE__, __LINE__, check_rank(), #text, \
                    check_text_, check_part_);                                                                         \
    } while (0)

/* A part that cannot be tried here: the summary of tools/check counts the sentence, once for all ranks. */
__attribute__((format(printf, 1, 2))) static inline void check_leave_out(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "skipped: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
}

/* Collective. Finalise; 1 on all ranks if any rank's check failed. */
static inline int check_finish(void)
{
    int any = 0;
    MPI_Allreduce(&check_failures, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return any > 0;
}

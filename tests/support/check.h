/* check.h - checks for MPI test programs: silent on success. A failing check prints file, line, rank, case and both
 * operands, and the program continues, so that no rank is left waiting. A program is CHECKS() { ... }, which runs cases
 * by RUN; a main of its own ends with `return check_finish();`. */
#pragma once

#include "base/test_options.h"
#include "tests/support/batch_world.h"
#include "tests/support/generate.h"

#include <penumbra.h>

#include <stdarg.h>
#include <stdlib.h>

static int check_failures, check_cases_run;
static char check_name[128], check_detail[128]; /* which failing checks print */

static inline int check_rank(void)
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

static inline int check_size(void)
{
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

/* Whether a case is to run: $PEN_CASE, if set, is how the chosen ones begin. */
static inline bool check_begin(const char *name)
{
    const char *chosen = getenv("PEN_CASE");
    if (chosen && strncmp(name, chosen, strlen(chosen)) != 0) return false;
    check_cases_run++;
    snprintf(check_name, sizeof check_name, ", %s", name);
    *check_detail = '\0';
    return true;
}

/* Run a case: a call, whose text is its name. `core_tests --list` lists the calls (batch.c). */
#define RUN(call)                                                                                                  \
    do {                                                                                                           \
        static const char *const check_listed_ __attribute__((section("check_cases"), used)) = __FILE__ ":" #call; \
        if (check_begin(#call)) call;                                                                              \
        *check_name = *check_detail = '\0';                                                                        \
    } while (0)

/* Say what a case works on, such as a graph and a transport. */
__attribute__((format(printf, 1, 2))) static inline void check_with(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int used = snprintf(check_detail, sizeof check_detail, ", with ");
    vsnprintf(check_detail + used, sizeof check_detail - (size_t)used, format, arguments);
    va_end(arguments);
}

/* Whether all cases run, so that totals over them can be checked. */
static inline bool check_all_cases(void) { return getenv("PEN_CASE") == NULL; }

/* A wrong loop must not drown the first failure. */
static inline bool check_failed(void) { return ++check_failures <= 10; }

/* Print where and in which case a check fails, and why. */
__attribute__((format(printf, 3, 4))) static inline void check_fails(const char *file, int line, const char *format,
                                                                     ...)
{
    char text[2048];
    if (!check_failed()) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s:%d: rank %d%s%s: %s\n", file, line, check_rank(), check_name, check_detail, text);
}

#define CHECK(condition)                                                             \
    do {                                                                             \
        if (!(condition)) check_fails(__FILE__, __LINE__, "not so: %s", #condition); \
    } while (0)

/* Both operands are converted to int64_t. */
#define CHECK_INT(found, expected)                                                                                \
    do {                                                                                                          \
        int64_t check_found_ = (int64_t)(found), check_expected_ = (int64_t)(expected);                           \
        if (check_found_ != check_expected_)                                                                      \
            check_fails(__FILE__, __LINE__, "%s is %" PRId64 ", expected %" PRId64 " (%s)", #found, check_found_, \
                        check_expected_, #expected);                                                              \
    } while (0)

#define CHECK_STATUS(call, expected)                                                                          \
    do {                                                                                                      \
        pen_status check_status_ = (call), check_wanted_ = (expected);                                        \
        if (check_status_ != check_wanted_)                                                                   \
            check_fails(__FILE__, __LINE__, "%s is %s, expected %s; last message: %s", #call,                 \
                        pen_status_name(check_status_), pen_status_name(check_wanted_), pen_error_message()); \
    } while (0)

/* `text` contains `part`. */
#define CHECK_CONTAINS(text, part)                                                                            \
    do {                                                                                                      \
        const char *check_text_ = (text), *check_part_ = (part);                                              \
        if (!strstr(check_text_, check_part_))                                                                \
            check_fails(__FILE__, __LINE__, "%s is \"%s\", without \"%s\"", #text, check_text_, check_part_); \
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
    CHECK(check_all_cases() || check_cases_run > 0); /* a case begins as $PEN_CASE says */
    MPI_Allreduce(&check_failures, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return any > 0;
}

/* A program: what follows is run within MPI, and has argc and argv. */
#define CHECKS()                                      \
    static void check_program(int argc, char **argv); \
    int main(int argc, char **argv)                   \
    {                                                 \
        pen_environment_prepare();                    \
        MPI_Init(&argc, &argv);                       \
        check_program(argc, argv);                    \
        return check_finish();                        \
    }                                                 \
    static void check_program(int argc, char **argv)

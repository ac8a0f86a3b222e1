/* status.h - how a failure is described, passed up and, once, reported.
 *
 * A function that fails records a sentence with pen_fail and returns the status; callers pass it up
 * with PEN_TRY. Collective functions do not return before the ranks have agreed (comm.h). */
#pragma once

#include <penumbra.h>

#include "base/marks.h"

#if defined(__GNUC__)
#define PEN_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define PEN_PRINTF(text, first)
#endif

/* Local. Record the sentence that pen_error_message returns, and return `status`. No rank, no
 * newline: the reporter adds them. Where others' text brings line ends along, they become blanks, and other control
 * characters what pen_show makes of them. */
pen_status pen_fail(pen_status status, const char *format, ...) PEN_PRINTF(2, 3);

/* Local. Copy a text that may come from a file, so that a terminal shows all of it and obeys none: control characters
 * (of ASCII, and U+0080 to U+009F) and bytes that are not UTF-8 become "\x1b". What does not fit is cut off, and what
 * has been through this stays the same. */
void pen_show(const char *text, char *shown, size_t room);

/* Local. Replace the recorded sentence by one that another rank had (used by agreement). */
void pen_error_set(const char *message);

/* Local. Record that the MPI call `call` returned `code`, with MPI's own words. Returns PEN_ERR_MPI. */
pen_status pen_fail_mpi(int code, const char *call);

/* Local. Hand a message to the program's handler. False: it has set none, and the caller prints the message. */
bool pen_message_handled(pen_message_kind kind, const char *text);

/* Local. A warning, one line: there is something to say, but nobody who could return it. Without a handler it is
 * printed on standard error, as "penumbra: ...". */
void pen_warn(const char *format, ...) PEN_PRINTF(1, 2);

/* Local. What PEN_MPI returns, where it returns: see there. */
pen_status pen_mpi_failed(int code, const char *call);

/* The last resort, for failures inside a step where no agreement is possible: rank-prefixed text,
 * then MPI_Abort. Does not return. */
_Noreturn void pen_die(const char *format, ...) PEN_PRINTF(1, 2);

/* Pass a failure up. */
#define PEN_TRY(call)                                  \
    do {                                               \
        pen_status try_status_ = (call);               \
        if (try_status_ != PEN_OK) return try_status_; \
    } while (0)

/* Call MPI; on failure record its words and return PEN_ERR_MPI, for the callers to agree on. But from a call in which
 * ranks wait for each other (a message, a reduction) nobody returns with a failure of its own: those that did not see
 * it would wait for this rank in the next one for ever, and agreeing takes such calls, too. That ends the program, by
 * pen_die. */
#define PEN_MPI(call)                                                          \
    do {                                                                       \
        int mpi_code_ = PEN_MARKED(call);                                      \
        if (mpi_code_ != MPI_SUCCESS) return pen_mpi_failed(mpi_code_, #call); \
    } while (0)

/* The same in a loop of polls, where calls are no progress: a mark around the loop says what it waits for (marks.h). */
#define PEN_MPI_POLL(call)                                                     \
    do {                                                                       \
        int mpi_code_ = (call);                                                \
        if (mpi_code_ != MPI_SUCCESS) return pen_mpi_failed(mpi_code_, #call); \
    } while (0)

/* Check a caller's argument, always: `PEN_ARGUMENT(width >= 1, "width %" PRId64 ", must be >= 1", width)`. */
#define PEN_ARGUMENT(condition, ...)                                      \
    do {                                                                  \
        if (!(condition)) return pen_fail(PEN_ERR_ARGUMENT, __VA_ARGS__); \
    } while (0)

/* Check an invariant of our own, in the checking build. */
#ifdef PEN_CHECKING
#define PEN_INVARIANT(condition)                                                                  \
    do {                                                                                          \
        if (!(condition)) pen_die("%s:%d: broken invariant: %s", __FILE__, __LINE__, #condition); \
    } while (0)
#else
#define PEN_INVARIANT(condition) ((void)0)
#endif

/* What a macro stands for, as text. */
#define PEN_TEXT_OF(macro) PEN_QUOTE(macro)
#define PEN_QUOTE(text) #text

/* status.h - describes a failure, passes it up and reports it once.
 *
 * A function that fails records a sentence with pen_fail and returns the status; callers pass it up with PEN_TRY.
 * Collective functions do not return before the ranks have agreed (comm.h). */
#pragma once

#include <penumbra.h>

#include "base/marks.h"

#if defined(__GNUC__)
#define PEN_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define PEN_PRINTF(text, first)
#endif

/* Local. Record the sentence that pen_error_message returns, and return `status`. No rank, no newline: the reporter
 * adds them. Line ends in inserted text become blanks; pen_show replaces other control characters. */
pen_status pen_fail(pen_status status, const char *format, ...) PEN_PRINTF(2, 3);

/* Local. Copy a text that may come from a file, so that a terminal shows it and executes no control sequence:
 * control characters (of ASCII, and U+0080 to U+009F) and bytes that are not UTF-8 become "\x1b". Text that does not
 * fit is cut off. A second call does not change the result. */
void pen_show(const char *text, char *shown, size_t room);

/* Local. Copy a text like pen_show, and return the copy. The result of PEN_SHOWN is valid until the end of the block
 * around it. */
enum { PEN_SHOWN_SIZE = 4096 };
const char *pen_shown(const char *text, char shown[PEN_SHOWN_SIZE]);
#define PEN_SHOWN(text) pen_shown(text, (char[PEN_SHOWN_SIZE]){ 0 })

/* A failure that is reported later, with its sentence. */
typedef struct pen_failure {
    pen_status status; /* status of the failure; PEN_OK: there is no failure */
    char *message;     /* message of the failure; NULL if there is no failure, or no memory for it */
} pen_failure;

/* Local. Keep a failure, unless one is kept already; fail like the kept failure, if there is one; forget the
 * failure. */
void pen_failure_keep(pen_failure *failure, pen_status status);
PEN_CHECKED pen_status pen_failure_again(const pen_failure *failure);
void pen_failure_forget(pen_failure *failure);

/* Local. Replace the recorded sentence by that of another rank (used by agreement). */
void pen_error_set(const char *message);

/* Local. Record that the MPI call `call` returned `code`, with MPI's error string. Returns PEN_ERR_MPI. */
pen_status pen_fail_mpi(int code, const char *call);

/* Local. Pass a message to the program's handler. False: there is no handler, and the caller prints the message. */
bool pen_message_handled(pen_message_kind kind, const char *text);

/* Local. Report a warning of one line, which no status can return. Without a handler it is printed on standard
 * error, as "penumbra: ...". */
void pen_warn(const char *format, ...) PEN_PRINTF(1, 2);

/* Local. The result of PEN_MPI after a failed call, unless it ends the program (see there). */
pen_status pen_mpi_failed(int code, const char *call);

/* End the program as a last resort, for failures inside a step where no agreement is possible: text with the rank, then
 * MPI_Abort, once the launcher has read the text or a second has passed. Does not return. */
_Noreturn void pen_die(const char *format, ...) PEN_PRINTF(1, 2);

/* Pass a failure up. */
#define PEN_TRY(call)                                  \
    do {                                               \
        pen_status try_status_ = (call);               \
        if (try_status_ != PEN_OK) return try_status_; \
    } while (0)

/* Call MPI. On failure record MPI's error string and return PEN_ERR_MPI, on which the callers agree. A failed call in
 * which ranks wait for each other (a message, a reduction) ends the program by pen_die: the other ranks did not see the
 * failure and would wait for this rank forever, and an agreement needs such calls itself. */
#define PEN_MPI(call)                                                          \
    do {                                                                       \
        int mpi_code_ = PEN_MARKED(call);                                      \
        if (mpi_code_ != MPI_SUCCESS) return pen_mpi_failed(mpi_code_, #call); \
    } while (0)

/* Check a caller's argument, always: `PEN_ARGUMENT(width >= 1, "width %" PRId64 ", must be >= 1", width)`. */
#define PEN_ARGUMENT(condition, ...)                                      \
    do {                                                                  \
        if (!(condition)) return pen_fail(PEN_ERR_ARGUMENT, __VA_ARGS__); \
    } while (0)

/* Local. Check that a program was compiled with headers that have the library's structures (PEN_ABI).
 * PEN_ERR_UNSUPPORTED. */
PEN_CHECKED pen_status pen_abi_check(uint32_t theirs, uint32_t ours);

/* Local. Check that the caller has passed a place for a result, or an array: `what` names it. PEN_ERR_ARGUMENT.
 * Functions in which ranks wait for each other agree on it. */
PEN_CHECKED pen_status pen_given(const void *place, const char *what);

/* Check an invariant of our own, in the checking build. */
#ifdef PEN_CHECKING
#define PEN_INVARIANT(condition)                                                                  \
    do {                                                                                          \
        if (!(condition)) pen_die("%s:%d: broken invariant: %s", __FILE__, __LINE__, #condition); \
    } while (0)
#else
#define PEN_INVARIANT(condition) ((void)0)
#endif

/* The expansion of a macro, as text. */
#define PEN_TEXT_OF(macro) PEN_QUOTE(macro)
#define PEN_QUOTE(text) #text

/* status.c - records, prints and passes on failures. */
#include "base/status.h"
#include "base/members.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE_SIZE = 1024 };

static _Thread_local char last_message[MESSAGE_SIZE];

static const struct {
    pen_status status;
    const char *name, *text;
} table[] = {
    { PEN_OK, "PEN_OK", "success" },
    { PEN_ERR_ARGUMENT, "PEN_ERR_ARGUMENT", "an argument is out of its legal range; nothing changed" },
    { PEN_ERR_INPUT, "PEN_ERR_INPUT", "a file or an option is malformed; nothing changed" },
    { PEN_ERR_MEMORY, "PEN_ERR_MEMORY", "out of memory; nothing changed except as the function's description says" },
    { PEN_ERR_IO, "PEN_ERR_IO", "reading or writing a file failed; a file under its final name is untouched" },
    { PEN_ERR_MPI, "PEN_ERR_MPI", "an MPI call failed; the object is unusable" },
    { PEN_ERR_ENVIRONMENT, "PEN_ERR_ENVIRONMENT", "this MPI set-up lacks a feature that is needed" },
    { PEN_ERR_UNSUPPORTED, "PEN_ERR_UNSUPPORTED", "not available in this build or for this input; nothing changed" },
    { PEN_ERR_INTERNAL, "PEN_ERR_INTERNAL", "a broken invariant of the library" },
    { PEN_ERR_CHECK, "PEN_ERR_CHECK",
      "the application's check, pen_run_verify or the strict mode found a wrong computation" },
    { PEN_ERR_STOPPED, "PEN_ERR_STOPPED", "the run ended on request, and a checkpoint has its state" },
};

const char *pen_status_name(pen_status status)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].status == status) return table[i].name;
    return "PEN_ERR_?";
}

const char *pen_status_text(pen_status status)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].status == status) return table[i].text;
    return "unknown status";
}

int pen_exit_status(pen_status status)
{
    switch (status) {
    case PEN_OK: return 0;
    case PEN_ERR_CHECK: return 1;
    case PEN_ERR_STOPPED: return 4;
    case PEN_ERR_ARGUMENT:
    case PEN_ERR_INPUT:
    case PEN_ERR_IO:
    case PEN_ERR_UNSUPPORTED: return 2;
    default: return 3;
    }
}

const char *pen_version(void)
{
    return PEN_TEXT_OF(PEN_VERSION_MAJOR) "." PEN_TEXT_OF(PEN_VERSION_MINOR) "." PEN_TEXT_OF(PEN_VERSION_PATCH);
}

void pen_show(const char *text, char *shown, size_t room)
{
    size_t used = 0;
    while (*text) {
        char escaped[5];
        int bytes;
        const int32_t c = pen_utf8_decode(text, &bytes);
        const bool plain = (c >= ' ' && c < 0x7F) || c >= 0xA0; /* characters from 0x80 to 0x9F are controls */
        if (!plain) bytes = 1;
        const size_t length = plain ? (size_t)bytes : 4;
        if (used + length >= room) break;
        if (!plain) snprintf(escaped, sizeof escaped, "\\x%02x", (unsigned char)*text);
        memcpy(shown + used, plain ? text : escaped, length);
        used += length;
        text += bytes;
    }
    shown[used] = '\0';
}

const char *pen_shown(const char *text, char shown[PEN_SHOWN_SIZE])
{
    pen_show(text, shown, PEN_SHOWN_SIZE);
    return shown;
}

/* Make one line of a message, shown[MESSAGE_SIZE], which may be among the arguments. */
static void show_line(const char *format, va_list arguments, char *shown)
{
    char message[MESSAGE_SIZE], text[MESSAGE_SIZE];
    vsnprintf(message, sizeof message, format, arguments);
    pen_members_name(message, text, sizeof text);
    for (char *c = text; *c; c++)
        if (*c >= '\t' && *c <= '\r') *c = ' ';
    for (size_t length = strlen(text); length > 0 && text[length - 1] == ' '; length--) text[length - 1] = '\0';
    pen_show(text, shown, MESSAGE_SIZE);
}

const char *pen_error_message(void) { return last_message; }

void pen_failure_keep(pen_failure *failure, pen_status status)
{
    if (status == PEN_OK || failure->status != PEN_OK) return;
    *failure = (pen_failure){ status, strdup(pen_error_message()) };
}

pen_status pen_failure_again(const pen_failure *f)
{
    if (f->status == PEN_OK) return PEN_OK;
    return pen_fail(f->status, "%s", f->message ? f->message : "out of memory");
}

void pen_failure_forget(pen_failure *failure)
{
    free(failure->message);
    *failure = (pen_failure){ .status = PEN_OK };
}

void pen_error_set(const char *message) { snprintf(last_message, sizeof last_message, "%s", message); }

pen_status pen_fail(pen_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    show_line(format, arguments, last_message);
    va_end(arguments);
    return status;
}

pen_status pen_abi_check(uint32_t theirs, uint32_t ours)
{
    if (theirs == ours) return PEN_OK;
    return pen_fail(PEN_ERR_UNSUPPORTED,
                    "the program was compiled with headers that do not fit this library, Penumbra %s: compile it again "
                    "(its PEN_ABI is %" PRIu32 ", the library's is %" PRIu32 ")",
                    pen_version(), theirs, ours);
}

pen_status pen_given(const void *place, const char *what)
{
    PEN_ARGUMENT(place, "the pointer to %s is NULL", what);
    return PEN_OK;
}

pen_status pen_fail_mpi(int code, const char *call)
{
    char words[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, words, &length);
    int name = (int)strcspn(call, "(");
    return pen_fail(PEN_ERR_MPI, "%.*s: %s", name, call, words);
}

/* Whether ranks wait for each other in an MPI call of this name. */
static bool is_waited_for(const char *name, int length)
{
    static const char *const calls[] = {
        "MPI_Allgather", "MPI_Allgatherv", "MPI_Allreduce", "MPI_Barrier",   "MPI_Bcast",
        "MPI_Exscan",    "MPI_Gather",     "MPI_Gatherv",   "MPI_Get",       "MPI_Get_count",
        "MPI_Irecv",     "MPI_Isend",      "MPI_Mprobe",    "MPI_Mrecv",     "MPI_Recv",
        "MPI_Reduce",    "MPI_Scan",       "MPI_Scatter",   "MPI_Scatterv",  "MPI_Send",
        "MPI_Sendrecv",  "MPI_Wait",       "MPI_Waitall",   "MPI_Win_fence", "MPI_Reduce_scatter_block"
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        if (strncmp(calls[i], name, (size_t)length) == 0 && calls[i][length] == '\0') return true;
    return false;
}

pen_status pen_mpi_failed(int code, const char *call)
{
    pen_status status = pen_fail_mpi(code, call);
    if (is_waited_for(call, (int)strcspn(call, "("))) pen_die("%s", last_message);
    return status;
}

static int world_rank(void)
{
    int initialized = 0, finalized = 0, rank = -1;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (initialized && !finalized) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

static _Atomic(const pen_message_handler *) message_handler;

void pen_set_message_handler(const pen_message_handler *handler) { atomic_store(&message_handler, handler); }

bool pen_message_handled(pen_message_kind kind, const char *text)
{
    const pen_message_handler *handler = atomic_load(&message_handler);
    if (handler) handler->take(handler->context, kind, text);
    return handler != NULL;
}

void pen_warn(const char *format, ...)
{
    char shown[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    show_line(format, arguments, shown);
    va_end(arguments);
    if (!pen_message_handled(PEN_MESSAGE_WARNING, shown)) fprintf(stderr, "penumbra: %s\n", shown);
}

/* Waits, for a second at most, until the launcher has read standard error: when a rank ends all, MPICH's drops what it
 * has not read (once in a hundred times). */
static void wait_for_launcher(void)
{
    int unread = 0;
    for (int i = 0; i < 1000 && ioctl(STDERR_FILENO, FIONREAD, &unread) == 0 && unread > 0; i++)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

void pen_die(const char *format, ...)
{
    char shown[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    show_line(format, arguments, shown);
    va_end(arguments);
    int rank = world_rank();
    fprintf(stderr, "penumbra: rank %d: %s\n", rank, shown);
    fflush(NULL);
    if (rank >= 0) {
        wait_for_launcher();
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    exit(3);
}

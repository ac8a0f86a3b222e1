/* penumbra_basics.h - the basics of all headers: integers, status, versions, messages, options. No MPI.
 *
 * penumbra.h and penumbra_plugin.h include this header. */
#ifndef PENUMBRA_BASICS_H
#define PENUMBRA_BASICS_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Attributes of functions and symbols. PEN_API exports a symbol from a shared object; it precedes the one symbol of a
 * plug-in. PEN_CHECKED makes the compiler warn if a caller ignores the result. PEN_ALIGNED begins a function at a cache
 * line, so that the speed of its loop does not depend on where the linker puts it. */
#if defined(__GNUC__)
#define PEN_API __attribute__((visibility("default")))
#define PEN_CHECKED __attribute__((warn_unused_result))
#define PEN_ALIGNED __attribute__((aligned(64)))
#else
#define PEN_API
#define PEN_CHECKED
#define PEN_ALIGNED
#endif

/* ---- Integers ------------------------------------------------------------------------------- */

/* A node's global id: any non-negative value; ids need not be dense. */
typedef int64_t pen_gid;
#define PRIgid PRId64

/* A slot: the index of a node in the arrays of its rank. Owned nodes come first, then the shadows (ghost nodes:
 * neighbours that other ranks own). */
typedef int32_t pen_lid;
#define PRIlid PRId32

/* ---- Status --------------------------------------------------------------------------------- */

/* The status of a function that can fail, and the changes that it has made then. */
typedef enum pen_status {
    PEN_OK = 0,
    PEN_ERR_ARGUMENT = -1,    /* an argument is out of its legal range; nothing changed */
    PEN_ERR_INPUT = -2,       /* a file or an option is malformed; nothing changed */
    PEN_ERR_MEMORY = -3,      /* out of memory; nothing changed except as the function's description says */
    PEN_ERR_IO = -4,          /* reading or writing failed; a file under its final name is untouched */
    PEN_ERR_MPI = -5,         /* an MPI call failed; the object is unusable, destroy it */
    PEN_ERR_ENVIRONMENT = -6, /* this MPI set-up cannot do that; the message has the remedy */
    PEN_ERR_UNSUPPORTED = -7, /* not available in this build or for this input; nothing changed */
    PEN_ERR_INTERNAL = -8,    /* a broken invariant of the library: please report it */
    PEN_ERR_CHECK = -9,       /* the application's .check, --verify or the strict mode found a fault */
    PEN_ERR_STOPPED = -10     /* the run was asked to end; a checkpoint has its state */
} pen_status;

/* Local. Return the name of a status, such as "PEN_ERR_INPUT", and a sentence about it. Never NULL. Static storage. */
PEN_API const char *pen_status_name(pen_status status);
PEN_API const char *pen_status_text(pen_status status);

/* Local. Return the message of the last failed call on this thread: one line, without newline. Never NULL. Valid until
 * the next call that can fail. After a collective failure it is the same on every rank. */
PEN_API const char *pen_error_message(void);

/* ---- Versions ------------------------------------------------------------------------------- */

/* Version of this header. Within a major version, members of structures keep their places and meaning. A program or a
 * plug-in works with a newer library until a structure grows that they share; then the library refuses it with one
 * sentence, and it must be compiled again (PEN_ABI, PEN_PLUGIN_ABI). Programs can test the version with the
 * preprocessor. */
#define PEN_VERSION_MAJOR 1
#define PEN_VERSION_MINOR 0
#define PEN_VERSION_PATCH 0

/* The version as one number to compare: 10203 is 1.2.3. */
#define PEN_VERSION (PEN_VERSION_MAJOR * 10000 + PEN_VERSION_MINOR * 100 + PEN_VERSION_PATCH)

/* Local. Return the version of the linked library, such as "1.0.0". Static storage. */
PEN_API const char *pen_version(void);

/* Local, also before MPI_Init. Return a description of the linked library's build, in lines: compiler, flags, commit
 * ("unknown" if it was built neither in a git checkout nor from an archive of one), and the versions of packages.
 * --version of every program prints it; include it in bug reports. Static storage. */
PEN_API const char *pen_build_info(void);

/* ---- Messages ------------------------------------------------------------------------------- */

/* Kinds of messages of the library other than errors, which functions return. */
typedef enum pen_message_kind {
    PEN_MESSAGE_WARNING, /* something is not as requested or expected; the program continues */
    /* The progress of a run (pen_run_options.progress), at most ten times a second; each message replaces the previous
     * one; "" when pen_run_steps ends. */
    PEN_MESSAGE_PROGRESS
} pen_message_kind;

/* A receiver of messages. `take` gets one line, without "penumbra: " and without newline, valid during the call. It
 * must return soon, and must call neither MPI nor the library. It is called on the thread that calls the library, and
 * on the thread of a run's watchdog, if there is one; so two threads can call it at once. */
typedef struct pen_message_handler {
    void (*take)(void *context, pen_message_kind kind, const char *text);
    void *context;
} pen_message_handler;

/* Local, at any time, also before MPI_Init. Set the receiver of this process's messages, for all its runs; each rank
 * sets its own. NULL: print messages on standard error, as at first. *handler is not copied: it must live until another
 * one is set and, if it is used with watchdogs, until their runs are destroyed. Rank 0 gets the messages that all ranks
 * know; any other message goes to the rank that knows it. The last message of a process that is about to be ended is
 * always printed on standard error (penumbra_process(7)). */
PEN_API void pen_set_message_handler(const pen_message_handler *handler);

/* ---- Options -------------------------------------------------------------------------------- */

/* The type of an option's value. */
typedef enum pen_option_kind {
    PEN_OPTION_FLAG, /* bool:        "--name" */
    PEN_OPTION_INT,  /* int64_t */
    PEN_OPTION_REAL, /* double, finite */
    PEN_OPTION_TEXT, /* const char *: points into argv; if .argument begins with '[', the value may be left out: "" */
    PEN_OPTION_WORD  /* int64_t: the index, from 0, of one of the words in .argument, "kway|recursive" */
} pen_option_kind;

/* An option of the command line, "--name=VALUE". If the option is not given, the value does not change: initialise it
 * with the default. A table ends with an entry whose name is NULL.
 *
 * In pen_app.options, an entry whose value is NULL changes the library's option of that name: the help shows this
 * argument and this help. If its help is NULL, too, the option does not exist. */
typedef struct pen_option {
    const char *name;     /* name without the dashes */
    const char *argument; /* shown after "=" in the help, e.g. "N"; NULL for a flag */
    const char *help;     /* description, one line */
    pen_option_kind kind;
    void *value;
    int64_t low, high; /* legal range of an _INT, if low < high */
} pen_option;

/* ---- Grids and arrays ----------------------------------------------------------------------- */

/* The kind of a grid. Its gids number its places: gid = (layer * height + row) * width + column. */
typedef enum pen_grid {
    PEN_GRID_NONE,   /* not a grid; or if width > 0, a grid of unknown kind */
    PEN_GRID_SQUARE, /* neighbours share a side, in 2 or 3 dimensions: mesh:... */
    PEN_GRID_HEX,    /* hexagons in offset rows: hex:... */
    PEN_GRID_TORUS   /* like squares, with opposite sides joined: torus:... */
} pen_grid;

/* The number of elements of an array. */
#define PEN_COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

#ifdef __cplusplus
}
#endif

#endif

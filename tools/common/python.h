/* python.h - runs a script of the Python package, whose standard input and output are one socket. All Local.
 *
 * The script reads all that it gets before it answers, so that no side waits for the other. */
#pragma once

#include <penumbra.h>
#include <sys/types.h>

typedef struct python {
    pid_t process;
    int socket;
} python;

/* Find a script of the Python package, which is installed, or built, next to this program: its path, in script[size].
 * PEN_ERR_ENVIRONMENT. */
PEN_CHECKED pen_status pen_python_script(const char *name, char *script, size_t size);

/* Start "python3 SCRIPT WORD...", where the script is in the Python package of this program's installation. A word that
 * is NULL ends the list, of at most ten. PEN_ERR_ENVIRONMENT: there is no Python, or no socket. */
PEN_CHECKED pen_status pen_python_start(const char *script, const char *const *words, python *p);

/* Send bytes. Where the process has ended they are dropped, and its answer tells why. */
void pen_python_put(const python *p, const void *bytes, int64_t size);

/* End the input of the process. */
void pen_python_put_end(const python *p);

/* Receive up to `size` bytes; returns their number, which is less at the end. */
int64_t pen_python_get(const python *p, void *bytes, int64_t size);

/* The answer of a script: texts, of which the first one is a failure; each ends in '\0'. */
enum { PYTHON_TEXTS = 6 };
typedef struct python_answer {
    char *texts[PYTHON_TEXTS];
} python_answer;

/* Run a script with these words and `input` [size]; its answer is PYTHON_TEXTS sizes and the texts. PEN_ERR_INPUT with
 * the script's failure, PEN_ERR_MEMORY, and as pen_python_start. The caller frees *all, which is zero at first. */
PEN_CHECKED pen_status pen_python_ask(const char *script, const char *const *words, const char *input, size_t size,
                                      python_answer *all);
void pen_python_answer_free(python_answer *all);

/* Wait for the end of the process; returns `status` or, if that is PEN_OK, PEN_ERR_ENVIRONMENT if it failed. */
pen_status pen_python_finish(python *p, pen_status status);

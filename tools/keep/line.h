/* line.h - the command line of a run: a launcher and its options, a program and its options, among which is
 * --checkpoint=DIR. All Local. */
#ifndef PEN_KEEP_LINE_H
#define PEN_KEEP_LINE_H

#include "base/status.h"

typedef struct line {
    char **words; /* [count], the caller's */
    int count;
    int program;        /* the word that names the program; before it is what the launcher gets */
    const char *folder; /* of checkpoints */
} line;

/* PEN_ERR_INPUT: no command, or no --checkpoint=DIR in it. */
PEN_CHECKED pen_status pen_line_read(int count, char **words, line *l);

/* The step of the newest checkpoint in the folder; -1: there is none. PEN_ERR_INPUT (no such folder), PEN_ERR_MEMORY.
 */
PEN_CHECKED pen_status pen_line_newest(const line *l, int64_t *step);

/* The words of a start, ended by NULL, the caller's to free; they are those of `from`, which has l->count words where
 * nothing was put before the program. `resumes`: there are checkpoints, from which it goes on; `again`: by all means,
 * also if the user named others to begin with. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_line_words(const line *from, bool resumes, bool again, char ***words);

/* The name by which the program begins its sentences: "hex" for bin/pen-hex. */
const char *pen_line_name(const line *l);

#endif

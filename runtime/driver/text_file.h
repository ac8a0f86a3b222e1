/* text_file.h - a file that rank 0 prints. */
#ifndef PEN_TEXT_FILE_H
#define PEN_TEXT_FILE_H

#include "base/comm.h"

typedef struct pen_text_file {
    char *text; /* [size] */
    size_t size;
    FILE *out;
} pen_text_file;

/* Local. Where rank 0 prints; NULL on the other ranks, and where there is no memory. */
FILE *pen_text_file_begin(const pen_comm *comm, pen_text_file *text);

/* Collective. Write what was printed; `what` it is, for a message. PEN_ERR_MEMORY, PEN_ERR_IO. */
PEN_CHECKED pen_status pen_text_file_end(pen_comm *comm, pen_text_file *text, const char *path, const char *what);

#endif

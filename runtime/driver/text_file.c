#include "driver/text_file.h"
#include "base/output.h"

#include <stdlib.h>

FILE *pen_text_file_begin(const pen_comm *comm, pen_text_file *t)
{
    *t = (pen_text_file){ .text = NULL };
    if (comm->rank == 0) t->out = open_memstream(&t->text, &t->size);
    return t->out;
}

pen_status pen_text_file_end(pen_comm *comm, pen_text_file *t, const char *path, const char *what)
{
    pen_status status = PEN_OK;
    if (comm->rank == 0 && (!t->out || fclose(t->out) != 0))
        status = pen_fail(PEN_ERR_MEMORY, "out of memory for the %s", what);
    status = pen_output_text(comm, path, t->text, t->size, status);
    free(t->text);
    return status;
}

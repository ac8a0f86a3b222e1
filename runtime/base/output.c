#include "base/output.h"
#include "base/memory.h"
#include "base/new_file.h"
#include "base/transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct pen_output {
    pen_comm *comm;
    pen_new_file file;
    bool put_off; /* its bytes are on the disk later than its name */
};

pen_status pen_output_create(pen_comm *comm, const char *path, pen_output **output)
{
    pen_output *o;
    pen_status status = PEN_ALLOC_ZERO(&o, 1);
    int64_t mark = 0;
    if (status == PEN_OK) {
        *o = (pen_output){ .comm = comm, .file = PEN_NO_FILE };
        if (comm->rank == 0) status = pen_new_file_create(path, &o->file);
        mark = o->file.mark;
    }
    status = pen_agree_with(comm, status, path, &mark);
    if (status != PEN_OK) {
        if (o) status = pen_new_file_finish(&o->file, status);
        free(o);
        return status;
    }
    status = pen_agree(comm, comm->rank > 0 ? pen_new_file_join(path, mark, &o->file) : PEN_OK);
    if (status != PEN_OK) return pen_output_commit(&o, status);
    *output = o;
    return PEN_OK;
}

pen_status pen_output_write(pen_output *output, const void *bytes, int64_t size, int64_t offset)
{
    return pen_write_at(output->file.file, output->file.path, bytes, size, offset);
}

void pen_output_put_off(pen_output *output) { output->put_off = true; }

pen_status pen_output_settle(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 && errno == ENOENT) return PEN_OK; /* somebody does not want it any more */
    if (file < 0) return pen_fail(PEN_ERR_IO, "%s: cannot open: %s", path, strerror(errno));
    pen_status status = pen_store(file, path);
    close(file);
    return status;
}

/* Its bytes are on the disk before its name is, or a host that loses power would leave the name alone. */
static pen_status give_name(pen_output *o, pen_status status)
{
    if (status == PEN_OK && !o->put_off) status = pen_store(o->file.file, o->file.path);
    return pen_new_file_finish(&o->file, status);
}

pen_status pen_output_commit(pen_output **output, pen_status mine)
{
    pen_output *o = *output;
    const bool first = o->comm->rank == 0;
    const pen_status closed = first ? PEN_OK : pen_new_file_leave(&o->file);
    pen_status status = pen_agree(o->comm, mine == PEN_OK ? closed : mine);
    if (first) mine = give_name(o, status);
    if (status == PEN_OK) status = pen_agree(o->comm, mine);
    free(o);
    *output = NULL;
    return status;
}

pen_status pen_output_alone(const char *path, const char *text, size_t size)
{
    pen_new_file file;
    PEN_TRY(pen_new_file_create(path, &file));
    pen_status status = pen_write_at(file.file, path, text, (int64_t)size, 0);
    if (status == PEN_OK) status = pen_store(file.file, path);
    return pen_new_file_finish(&file, status);
}

pen_status pen_output_text(pen_comm *comm, const char *path, const char *text, size_t size, pen_status mine)
{
    PEN_TRY(pen_agree_equal(comm, mine, &(pen_argument){ "path", path, 0 }, 1));
    if (comm->rank == 0) mine = pen_output_alone(path, text, size);
    return pen_agree(comm, mine);
}

pen_status pen_output_check(pen_comm *comm, const char *path)
{
    pen_output *output = NULL;
    if (comm->rank == 0) pen_new_file_sweep(path);
    PEN_TRY(pen_output_create(comm, path, &output));
    pen_status removed = pen_output_commit(&output, PEN_ERR_IO);
    (void)removed;
    return PEN_OK;
}

#include "base/memory.h"
#include "base/output.h"
#include "checkpoint/format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static pen_status put(const pen_new_file *file, const void *bytes, int64_t size, int64_t offset)
{
    return pen_write_at(file->file, file->path, bytes, size, offset);
}

/* Local. This rank's chunks, the first of which begins at `offset`. */
static pen_status put_chunks(const pen_new_file *file, const pen_chunks *mine, int64_t offset)
{
    int64_t largest = 0;
    unsigned char *buffer;
    for (int64_t i = 0; i < mine->count; i++)
        if (mine->chunks[i].bytes > largest) largest = mine->chunks[i].bytes;
    PEN_TRY(pen_alloc(&buffer, largest, 1));
    pen_status status = PEN_OK;
    for (int64_t i = 0; i < mine->count && status == PEN_OK; i++) {
        pen_chunk *c = &mine->chunks[i];
        memset(buffer, 0, (size_t)c->bytes);
        mine->fill(mine->context, i, buffer);
        c->offset = offset;
        c->rank = mine->rank;
        c->checksum = pen_checksum(buffer, c->bytes);
        status = put(file, buffer, c->bytes, offset);
        offset += c->bytes;
    }
    free(buffer);
    return status;
}

/* Collective. All lines of the table on rank 0, [*count]; elsewhere NULL. */
static pen_status gather_table(pen_comm *comm, const pen_chunks *mine, pen_chunk **table, int64_t *count)
{
    int *counts = NULL, *begins = NULL, here = 0;
    MPI_Datatype line = MPI_DATATYPE_NULL;
    bool root = comm->rank == 0;
    *table = NULL;
    *count = 0;
    pen_status status = pen_to_int(mine->count, "chunks of a checkpoint", &here);
    if (status == PEN_OK && root) status = PEN_ALLOC(&counts, comm->size);
    if (status == PEN_OK && root) status = PEN_ALLOC(&begins, comm->size);
    status = pen_agree(comm, status);
    if (status == PEN_OK) PEN_MPI(MPI_Gather(&here, 1, MPI_INT, counts, 1, MPI_INT, 0, comm->mpi));
    for (int r = 0; status == PEN_OK && root && r < comm->size; *count += counts[r++]) begins[r] = (int)*count;
    if (status == PEN_OK && *count > INT32_MAX) status = pen_fail(PEN_ERR_UNSUPPORTED, "2^31 chunks of a checkpoint");
    if (status == PEN_OK && root) status = PEN_ALLOC(table, *count);
    if (status == PEN_OK) status = pen_checkpoint_line(&line);
    status = pen_agree(comm, status);
    if (status == PEN_OK) PEN_MPI(MPI_Gatherv(mine->chunks, here, line, *table, counts, begins, line, 0, comm->mpi));
    if (line != MPI_DATATYPE_NULL) MPI_Type_free(&line);
    PEN_FREE_ALL(counts, begins);
    return status;
}

/* Rank 0. */
static pen_status put_rest(const pen_new_file *file, const pen_chunks *mine, const pen_chunk *table, int64_t count,
                           const pen_bytes *about, int64_t *size)
{
    const int64_t lines = count * (int64_t)sizeof *table;
    pen_checkpoint_header h = { .order = PEN_CHECKPOINT_ORDER,
                                .version = PEN_CHECKPOINT_VERSION,
                                .chunks = count,
                                .table = (int64_t)sizeof h,
                                .ranks = mine->ranks,
                                .set = mine->set,
                                .table_checksum = pen_checksum(table, lines),
                                .about_checksum = pen_checksum(about->data, about->size) };
    memcpy(h.magic, PEN_CHECKPOINT_MAGIC, sizeof h.magic);
    if (count > 0) h.table = table[count - 1].offset + table[count - 1].bytes;
    h.about = h.table + lines;
    *size = h.size = h.about + about->size;
    h.checksum = pen_checkpoint_header_checksum(&h);
    PEN_TRY(put(file, table, lines, h.table));
    PEN_TRY(put(file, about->data, about->size, h.about));
    return put(file, &h, sizeof h, 0);
}

/* Collective. Sync the file to the disk. One rank of each host does this for all ranks of that host. */
static pen_status store(pen_comm *comm, const pen_new_file *file, pen_status status)
{
    PEN_TRY(pen_agree(comm, status));
    return comm->host_rank == 0 ? pen_file_sync(file->file, file->path) : PEN_OK;
}

/* Collective. */
static pen_status write_all(pen_comm *comm, const char *path, const pen_chunks *mine, const pen_bytes *about,
                            pen_new_file *file, int64_t *size)
{
    int64_t bytes = 0, before = 0, count = 0;
    pen_chunk *table = NULL;
    for (int64_t i = 0; i < mine->count; i++) bytes += mine->chunks[i].bytes;
    PEN_TRY(pen_prefix_int(comm, bytes, &before));
    PEN_TRY(pen_new_file_create_shared(comm, path, PEN_OK, file));
    pen_status status = put_chunks(file, mine, (int64_t)sizeof(pen_checkpoint_header) + before);
    status = pen_agree(comm, status);
    if (status == PEN_OK) status = gather_table(comm, mine, &table, &count);
    if (status == PEN_OK && comm->rank == 0) status = put_rest(file, mine, table, count, about, size);
    free(table);
    return store(comm, file, status);
}

pen_status pen_checkpoint_write(pen_comm *comm, const char *path, pen_status mine, const pen_chunks *chunks,
                                const pen_bytes *about, pen_new_file *file, int64_t *size)
{
    *file = (pen_new_file)PEN_NO_FILE;
    *size = 0;
    pen_status status = pen_agree(comm, mine == PEN_OK ? about->status : mine);
    if (status != PEN_OK) return status;
    status = write_all(comm, path, chunks, about, file, size);
    const pen_status closed = comm->rank > 0 ? pen_new_file_leave(file) : PEN_OK;
    return pen_agree(comm, status == PEN_OK ? closed : status);
}

/* The name is on the disk when its folder is. */
static pen_status store_name(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash) slash[slash == path] = '\0';
    const char *folder = slash ? path : ".";
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return pen_fail(PEN_ERR_IO, "%s: cannot write: %s", folder, strerror(errno));
    pen_status status = pen_file_sync(file, folder);
    close(file);
    return status;
}

pen_status pen_checkpoint_finish(pen_new_file *file, pen_status status)
{
    char *path = NULL;
    if (!file->path) return status;
    if (status == PEN_OK) status = pen_copy_text(file->path, &path);
    status = pen_new_file_finish(file, status);
    if (status == PEN_OK) status = store_name(path);
    free(path);
    return status;
}

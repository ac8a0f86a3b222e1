#include "base/output.h"
#include "checkpoint/format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct writing {
    pen_comm *comm;
    char *beside; /* what the file is called until it is whole */
    MPI_File file;
} writing;

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* A file system that fills up writes what there is room for, and says so the next time. */
static pen_status put(const writing *w, const void *bytes, int64_t size, int64_t offset)
{
    const char *from = (const char *)bytes;
    while (size > 0) {
        int piece = size < PEN_CHECKPOINT_PIECE ? (int)size : PEN_CHECKPOINT_PIECE, written = 0;
        MPI_Status about;
        int code = MPI_File_write_at(w->file, offset, from, piece, MPI_BYTE, &about);
        if (code == MPI_SUCCESS) MPI_Get_count(&about, MPI_BYTE, &written);
        if (code != MPI_SUCCESS) return pen_checkpoint_fail(w->beside, "write", code);
        if (written <= 0)
            return pen_fail(PEN_ERR_IO, "%s: cannot write: %s", w->beside, strerror(errno ? errno : ENOSPC));
        from += written;
        size -= written;
        offset += written;
    }
    return PEN_OK;
}

/* Local. This rank's chunks, the first of which begins at `offset`. */
static pen_status put_chunks(const writing *w, const pen_chunks *mine, int64_t offset)
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
        status = put(w, buffer, c->bytes, offset);
        offset += c->bytes;
    }
    free(buffer);
    return status;
}

/* ---- What rank 0 writes ------------------------------------------------------------------------ */

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
    free(counts);
    free(begins);
    return status;
}

/* Rank 0. */
static pen_status put_rest(const writing *w, const pen_chunks *mine, const pen_chunk *table, int64_t count,
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
    PEN_TRY(put(w, table, lines, h.table));
    PEN_TRY(put(w, about->data, about->size, h.about));
    return put(w, &h, sizeof h, 0);
}

/* ---- The file -------------------------------------------------------------------------------- */

static pen_status open_file(writing *w)
{
    int code = MPI_File_open(MPI_COMM_SELF, w->beside, MPI_MODE_WRONLY, MPI_INFO_NULL, &w->file);
    if (code == MPI_SUCCESS) return PEN_OK;
    w->file = MPI_FILE_NULL;
    return pen_checkpoint_fail(w->beside, "open (do all hosts see this folder?)", code);
}

/* Rank 0. An empty file, in place of what a run may have left. */
static pen_status create_file(const char *path)
{
    int file = pen_output_new_file(path);
    if (file < 0 || close(file) != 0) return pen_fail(PEN_ERR_IO, "%s: cannot create: %s", path, strerror(errno));
    return PEN_OK;
}

/* Collective. On the disk: what the ranks of a host have written one of them can bring there, all at once. */
static pen_status store(writing *w, pen_status status)
{
    PEN_TRY(pen_agree(w->comm, status));
    int code = w->comm->host_rank == 0 ? MPI_File_sync(w->file) : MPI_SUCCESS;
    return code == MPI_SUCCESS ? PEN_OK : pen_checkpoint_fail(w->beside, "write to the disk", code);
}

/* Local. */
static pen_status close_file(writing *w, pen_status status)
{
    if (w->file == MPI_FILE_NULL) return status;
    int code = MPI_File_close(&w->file);
    return code == MPI_SUCCESS || status != PEN_OK ? status : pen_checkpoint_fail(w->beside, "close", code);
}

/* Rank 0. The name is on the disk when its folder is. */
static pen_status rename_file(const char *beside, const char *path)
{
    if (rename(beside, path) != 0) return pen_fail(PEN_ERR_IO, "%s: cannot rename: %s", beside, strerror(errno));
    char *folder;
    PEN_TRY(pen_copy_text(path, &folder));
    char *slash = strrchr(folder, '/');
    if (slash) slash[slash == folder] = '\0';
    int file = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool stored = file >= 0 && fsync(file) == 0;
    pen_status status = stored ? PEN_OK : pen_fail(PEN_ERR_IO, "%s: cannot write: %s", folder, strerror(errno));
    if (file >= 0) close(file);
    free(folder);
    return status;
}

/* Collective. */
static pen_status write_all(writing *w, const pen_chunks *mine, const pen_bytes *about, int64_t *size)
{
    int64_t bytes = 0, before = 0, count = 0;
    pen_chunk *table = NULL;
    PEN_TRY(pen_agree(w->comm, w->comm->rank == 0 ? create_file(w->beside) : PEN_OK));
    for (int64_t i = 0; i < mine->count; i++) bytes += mine->chunks[i].bytes;
    PEN_TRY(pen_prefix_int(w->comm, bytes, &before));
    pen_status status = open_file(w);
    if (status == PEN_OK) status = put_chunks(w, mine, (int64_t)sizeof(pen_checkpoint_header) + before);
    status = pen_agree(w->comm, status);
    if (status == PEN_OK) status = gather_table(w->comm, mine, &table, &count);
    if (status == PEN_OK && w->comm->rank == 0) status = put_rest(w, mine, table, count, about, size);
    free(table);
    status = store(w, status);
    return pen_agree(w->comm, close_file(w, status));
}

pen_status pen_checkpoint_write(pen_comm *comm, const char *path, pen_status mine, const pen_chunks *chunks,
                                const pen_bytes *about, int64_t *size)
{
    writing w = { .comm = comm, .file = MPI_FILE_NULL };
    *size = 0;
    if (mine == PEN_OK) mine = about->status;
    if (mine == PEN_OK) mine = pen_output_beside(path, &w.beside);
    pen_status status = pen_agree(comm, mine);
    if (status == PEN_OK) status = write_all(&w, chunks, about, size);
    free(w.beside);
    return status;
}

pen_status pen_checkpoint_finish(const char *path, pen_status status)
{
    char *beside;
    PEN_TRY(pen_output_beside(path, &beside));
    if (status == PEN_OK) status = rename_file(beside, path);
    if (status != PEN_OK) unlink(beside);
    free(beside);
    return status;
}

/* file.c - reads and writes the files of checkpoints, with checksums. */
#include "checkpoint/file.h"
#include "base/memory.h"
#include "base/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

const char *pen_xxhash_version(void)
{
    static PEN_PER_RANK char text[32];
    const unsigned version = XXH_versionNumber();
    snprintf(text, sizeof text, "%u.%u.%u", version / 10000, version / 100 % 100, version % 100);
    return text;
}

uint64_t pen_checksum(const void *bytes, int64_t size) { return XXH3_64bits(bytes, (size_t)size); }

uint64_t pen_checkpoint_header_checksum(const pen_checkpoint_header *header)
{
    return pen_checksum(header, (int64_t)offsetof(pen_checkpoint_header, checksum));
}

/* Make the MPI type of an entry of the table. Unless *line is MPI_DATATYPE_NULL, the caller frees it, also after a
 * failure. */
static pen_status make_line(MPI_Datatype *line)
{
    PEN_MPI(MPI_Type_contiguous((int)sizeof(pen_chunk), MPI_BYTE, line));
    PEN_MPI(MPI_Type_commit(line));
    return PEN_OK;
}

/* ---- Writing ----------------------------------------------------------------------------------- */

static pen_status put(const pen_new_file *file, const void *bytes, int64_t size, int64_t offset)
{
    return pen_write_at(file->file, file->path, bytes, size, offset);
}

/* Local. Write this rank's chunks, the first of which begins at `offset`. */
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

/* Collective. Gather all lines of the table on rank 0, [*count]; NULL on other ranks. */
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
    if (status == PEN_OK) status = make_line(&line);
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
    PEN_TRY(pen_agree(comm, status));
    /* One rank of each host brings the bytes of all ranks of that host to the disk. */
    return comm->host_rank == 0 ? pen_file_sync(file->file, file->path) : PEN_OK;
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

/* Bring a name to the disk, by syncing its folder. */
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

/* ---- Reading on rank 0 ------------------------------------------------------------------------- */

enum { FOREIGN_ORDER = 0x04030201 };

/* Whether the counts and offsets of a header fit into the size of the file. */
static bool is_laid_out(const pen_checkpoint_header *h, int64_t size)
{
    const int64_t line = (int64_t)sizeof(pen_chunk), first = (int64_t)sizeof *h;
    if (h->size != size || h->chunks < 0 || h->chunks > size / line || h->chunks > INT_MAX) return false;
    if (h->table < first || h->table > size || h->about < h->table || h->about > size) return false;
    return h->about - h->table == h->chunks * line && h->ranks >= 1 && h->ranks <= INT_MAX;
}

static pen_status check_header(const char *path, const pen_checkpoint_header *h, size_t bytes, int64_t size)
{
    const char *fault = NULL;
    if (bytes < sizeof *h) fault = "it ends within the header";
    else if (memcmp(h->magic, PEN_CHECKPOINT_MAGIC, sizeof h->magic) != 0) fault = "its first bytes are wrong";
    if (fault) return pen_fail(PEN_ERR_INPUT, "%s: not a checkpoint: %s", path, fault);
    if (h->order == FOREIGN_ORDER)
        return pen_fail(PEN_ERR_UNSUPPORTED, "%s: written on a machine of the other byte order", path);
    if (h->order == PEN_CHECKPOINT_ORDER && h->version != PEN_CHECKPOINT_VERSION)
        return pen_fail(PEN_ERR_UNSUPPORTED, "%s: a checkpoint of version %" PRIu32 ", this library reads version %d",
                        path, h->version, PEN_CHECKPOINT_VERSION);
    if (h->checksum != pen_checkpoint_header_checksum(h))
        return pen_fail(PEN_ERR_INPUT, "%s: damaged: the checksum of the header is wrong", path);
    if (h->size != size)
        return pen_fail(PEN_ERR_INPUT, "%s: damaged: it has %" PRId64 " bytes, its header says %" PRId64, path, size,
                        h->size);
    return is_laid_out(h, size) ? PEN_OK
                                : pen_fail(PEN_ERR_INPUT, "%s: damaged: its header has impossible values", path);
}

/* Read `size` bytes at `offset`. The caller frees them, also after a failure. */
static pen_status load_part(const char *path, FILE *file, const char *what, int64_t offset, int64_t size,
                            uint64_t checksum, void *bytes)
{
    unsigned char *part;
    pen_status status = pen_alloc(&part, size, 1);
    memcpy(bytes, &part, sizeof part);
    PEN_TRY(status);
    if (fseeko(file, (off_t)offset, SEEK_SET) != 0 || fread(part, 1, (size_t)size, file) != (size_t)size)
        return pen_fail(PEN_ERR_IO, "%s: cannot read: %s", path, ferror(file) ? strerror(errno) : "it became shorter");
    if (pen_checksum(part, size) == checksum) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "%s: damaged: the checksum of the %s is wrong", path, what);
}

/* Check that chunks follow each other without gaps, and that their ranks ascend. */
static pen_status check_table(const char *path, const pen_checkpoint_header *h, const pen_chunk *table)
{
    int64_t at = (int64_t)sizeof *h, rank = 0;
    bool good = true;
    for (int64_t i = 0; i < h->chunks && good; i++) {
        const pen_chunk *c = &table[i];
        good = c->offset == at && c->bytes >= 0 && c->bytes % 8 == 0 && c->bytes <= h->table - at && c->rank >= rank &&
               c->rank < h->ranks && c->nodes >= PEN_CHUNK_OF_LISTS && c->nodes <= c->bytes / 8 && c->arcs >= 0 &&
               c->arcs <= c->bytes / 8;
        at += c->bytes;
        rank = c->rank;
    }
    if (good && at == h->table) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "%s: damaged: its table has impossible values", path);
}

static pen_status read_file(const char *path, FILE *file, int64_t size, pen_checkpoint_header *h, unsigned char **about,
                            pen_chunk **table)
{
    const size_t bytes = fread(h, 1, sizeof *h, file);
    if (ferror(file)) return pen_fail(PEN_ERR_IO, "%s: cannot read: %s", path, strerror(errno));
    PEN_TRY(check_header(path, h, bytes, size));
    PEN_TRY(load_part(path, file, "table", h->table, h->about - h->table, h->table_checksum, table));
    PEN_TRY(check_table(path, h, *table));
    return load_part(path, file, "part about the run", h->about, h->size - h->about, h->about_checksum, about);
}

pen_status pen_checkpoint_read_head(const char *path, bool own, pen_checkpoint_header *h, unsigned char **about,
                                    pen_chunk **table)
{
    FILE *file;
    int64_t size;
    PEN_TRY(pen_regular_open(path, own, &file, &size));
    pen_status status = read_file(path, file, size, h, about, table);
    fclose(file);
    return status;
}

/* ---- Distribution of chunks -------------------------------------------------------------------- */

void pen_checkpoint_deal(const pen_checkpoint_header *h, const pen_chunk *table, int ranks, int *begins)
{
    const int64_t all = h->table - (int64_t)sizeof *h;
    int64_t i = 0;
    for (int r = 0; r < ranks; r++) {
        const double share = (double)all / ranks * r;
        while (i < h->chunks &&
               (h->ranks == ranks ? table[i].rank < r : (double)(table[i].offset - (int64_t)sizeof *h) < share))
            i++;
        begins[r] = (int)i;
    }
    begins[ranks] = (int)h->chunks;
}

pen_status pen_checkpoint_deal_out(pen_comm *comm, const pen_checkpoint_header *h, const pen_chunk *table,
                                   pen_checkpoint *c)
{
    int *begins = NULL, *counts = NULL, here = 0;
    MPI_Datatype line = MPI_DATATYPE_NULL;
    pen_status status = PEN_OK;
    if (comm->rank == 0) status = PEN_ALLOC(&begins, (int64_t)comm->size + 1);
    if (status == PEN_OK && comm->rank == 0) status = PEN_ALLOC(&counts, comm->size);
    status = pen_agree(comm, status);
    if (status == PEN_OK && comm->rank == 0) {
        pen_checkpoint_deal(h, table, comm->size, begins);
        for (int r = 0; r < comm->size; r++) counts[r] = begins[r + 1] - begins[r];
    }
    if (status == PEN_OK) PEN_MPI(MPI_Scatter(counts, 1, MPI_INT, &here, 1, MPI_INT, 0, comm->mpi));
    c->count = here;
    if (status == PEN_OK) status = PEN_ALLOC(&c->chunks, here);
    if (status == PEN_OK) status = make_line(&line);
    status = pen_agree(comm, status);
    if (status == PEN_OK) PEN_MPI(MPI_Scatterv(table, counts, begins, line, c->chunks, here, line, 0, comm->mpi));
    if (line != MPI_DATATYPE_NULL) MPI_Type_free(&line);
    PEN_FREE_ALL(begins, counts);
    return status;
}

pen_status pen_checkpoint_share(pen_comm *comm, int from, unsigned char **bytes, int64_t *size)
{
    int count;
    PEN_TRY(pen_broadcast(comm, size, (int)sizeof *size, from));
    PEN_TRY(pen_to_int(*size, "bytes about a run", &count));
    PEN_TRY(pen_agree(comm, comm->rank != from ? pen_alloc(bytes, count, 1) : PEN_OK));
    PEN_TRY(pen_broadcast(comm, *bytes, count, from));
    return PEN_OK;
}

/* Collective. Send the header and `about`, which rank 0 has read, to all ranks. */
static pen_status tell(pen_comm *comm, const pen_checkpoint_header *h, const pen_chunk *table, pen_checkpoint *c)
{
    int64_t ranks = h->ranks;
    c->about_size = h->size - h->about;
    PEN_TRY(pen_broadcast(comm, &ranks, (int)sizeof ranks, 0));
    c->ranks = (int)ranks;
    PEN_TRY(pen_checkpoint_share(comm, 0, &c->about, &c->about_size));
    return pen_checkpoint_deal_out(comm, h, table, c);
}

pen_status pen_checkpoint_open(pen_comm *comm, const char *path, pen_checkpoint *c)
{
    pen_checkpoint_header h = { .chunks = 0 };
    pen_chunk *table = NULL;
    *c = (pen_checkpoint){ .ranks = 0 };
    pen_status status = pen_copy_text(path, &c->path);
    if (status == PEN_OK && comm->rank == 0) status = pen_checkpoint_read_head(path, false, &h, &c->about, &table);
    if (status == PEN_OK && h.set != 0)
        status = pen_fail(PEN_ERR_INPUT, "%s: it is one host's shard of a checkpoint: --resume=shm finds all shards",
                          path);
    status = pen_agree(comm, status);
    if (status == PEN_OK) status = tell(comm, &h, table, c);
    free(table);
    return status;
}

/* ---- Chunks ---------------------------------------------------------------------------------- */

pen_status pen_checkpoint_check(const pen_checkpoint *c)
{
    for (int64_t i = 0; i < c->count; i++)
        if (pen_checksum(pen_checkpoint_chunk(c, i), c->chunks[i].bytes) != c->chunks[i].checksum)
            return pen_fail(PEN_ERR_INPUT, "%s: damaged: the checksum of bytes %" PRId64 " to %" PRId64 " is wrong",
                            c->path, c->chunks[i].offset, c->chunks[i].offset + c->chunks[i].bytes - 1);
    return PEN_OK;
}

static pen_status load(pen_checkpoint *c)
{
    int file;
    int64_t all;
    if (c->count == 0) return PEN_OK;
    const pen_chunk *first = &c->chunks[0], *last = &c->chunks[c->count - 1];
    const int64_t size = last->offset + last->bytes - first->offset;
    PEN_TRY(pen_alloc(&c->data, size, 1));
    pen_status status = pen_regular_descriptor(c->path, false, &file, &all);
    if (status != PEN_OK) return pen_fail(status, "%s (do all hosts see it?)", pen_error_message());
    status = pen_read_at(file, c->path, c->data, size, first->offset);
    close(file); /* no error of closing matters, since all data have been read */
    return status == PEN_OK ? pen_checkpoint_check(c) : status;
}

pen_status pen_checkpoint_load(pen_comm *comm, pen_checkpoint *c) { return pen_agree(comm, load(c)); }

void pen_checkpoint_close(pen_checkpoint *c)
{
    PEN_FREE_ALL(c->path, c->about, c->chunks, c->data);
    *c = (pen_checkpoint){ .ranks = 0 };
}

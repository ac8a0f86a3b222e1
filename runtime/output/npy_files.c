/* npy_files.c - writes columns as NumPy files. */
#include "base/memory.h"
#include "base/npy.h"
#include "base/output.h"
#include "output/sequence.h"
#include "output/tables.h"

#include <stdlib.h>

typedef struct npy_file {
    pen_output *output; /* the file; NULL: not begun */
    int64_t begin;      /* offset of the values in the file */
} npy_file;

typedef struct npy_files {
    const pen_columns *columns;
    npy_file *files; /* [columns] the file of each column */
} npy_files;

/* Collective. Begin the file of a column. mine: this rank's status so far. */
static pen_status begin_file(pen_comm *comm, const pen_column *column, int64_t count, const char *path, pen_status mine,
                             npy_file *file)
{
    char header[PEN_NPY_WRITTEN];
    const pen_npy array = { .kind = pen_type_kind(column->type),
                            .size = (int)pen_type_size(column->type),
                            .dimensions = column->components > 1 ? 2 : 1,
                            .shape = { count, column->components } };
    PEN_TRY(pen_agree(comm, mine));
    PEN_TRY(pen_output_create(comm, path, &file->output));
    file->begin = pen_npy_header(&array, header);
    return comm->rank == 0 ? pen_output_write(file->output, header, file->begin, 0) : PEN_OK;
}

/* Collective. Begin all files. A failure of this rank alone may be returned, once all files are begun. */
static pen_status begin_all(pen_comm *comm, const pen_columns *columns, const pen_naming *naming, int64_t step,
                            int64_t count, npy_file *files)
{
    pen_status status = PEN_OK;
    for (int c = 0; c < columns->count; c++) {
        char *path = NULL;
        if (status == PEN_OK) status = pen_naming_path(naming, step, columns->of[c].name, &path);
        status = begin_file(comm, &columns->of[c], count, path, status, &files[c]);
        free(path);
        if (!files[c].output) return status; /* a file is begun on all ranks or on none */
    }
    return status;
}

static pen_status take(void *context, const pen_piece *piece)
{
    const npy_files *n = (const npy_files *)context;
    for (int c = 0; c < n->columns->count; c++) {
        const int64_t bytes = (int64_t)n->columns->of[c].bytes;
        PEN_TRY(pen_output_write(n->files[c].output, piece->values[c], piece->count * bytes,
                                 n->files[c].begin + piece->first * bytes));
    }
    return PEN_OK;
}

pen_status pen_npy_write(pen_comm *comm, const pen_store *store, const pen_sequence *sequence,
                         const pen_columns *columns, const pen_naming *naming, int64_t step, int64_t *bytes)
{
    npy_files n = { .columns = columns };
    pen_status made = PEN_ALLOC_ZERO(&n.files, columns->count);
    made = pen_agree(comm, made);
    if (made != PEN_OK) free(n.files);
    PEN_TRY(made);
    pen_status status = begin_all(comm, columns, naming, step, sequence->count, n.files);
    if (n.files[columns->count - 1].output)
        status = pen_deliver(comm, status, store, sequence, columns, NULL, take, &n);
    for (int c = 0; c < columns->count && status == PEN_OK; c++) status = pen_output_sync(n.files[c].output);
    for (int c = 0; c < columns->count && n.files[c].output; c++) {
        *bytes += n.files[c].begin + sequence->count * (int64_t)columns->of[c].bytes;
        const pen_status done = pen_output_commit(&n.files[c].output, status);
        if (status == PEN_OK) status = done;
    }
    free(n.files);
    return status;
}

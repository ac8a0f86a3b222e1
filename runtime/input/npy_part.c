/* npy_part.c - reads a rank's block of rows of a NumPy array. */
#include "input/npy_part.h"
#include "graph/graph.h"
#include "input/source.h"

#include <errno.h>

struct pen_npy_part {
    const pen_input_file *file;
    pen_npy array; /* description of the rows in `data`, which have the file's format */
    FILE *plain;   /* the file, if rows are read at their offsets; NULL: they are read in sequence from `source` */
    pen_byte_source source; /* the stream of an unpacked file; unused if this rank has no rows or reads at offsets */
    int64_t row, end;       /* numbers of the next row, and of the row after the last one */
    char *data;
    int64_t room;
};

static pen_status too_short(const pen_npy_part *part)
{
    return pen_fail(PEN_ERR_INPUT, "%s: it is shorter than its header says", part->file->path);
}

static pen_status open_file(pen_npy_part *part)
{
    const pen_input_file *file = part->file;
    int64_t size;
    if (file->size < 0 && !(file->array.fortran && file->width > 1))
        return pen_source_open(file->path, file->body, &part->source, NULL);
    PEN_TRY(pen_source_file(file->path, &part->plain, &size));
    return pen_npy_check_size(file->path, &file->array, size);
}

pen_status pen_npy_part_open(const pen_comm *comm, const pen_input_file *file, pen_npy_part **part)
{
    const int64_t rows = file->array.shape[0];
    PEN_TRY(PEN_ALLOC_ZERO(part, 1));
    pen_npy_part *p = *part;
    p->file = file;
    p->array = file->array;
    if (file->size >= 0) {
        p->row = pen_block_begin(rows, comm->size, comm->rank);
        p->end = pen_block_begin(rows, comm->size, comm->rank + 1);
    } else if (comm->rank == 0) {
        p->end = rows;
    }
    return p->row < p->end || (file->size < 0 && comm->rank == 0) ? open_file(p) : PEN_OK;
}

void pen_npy_part_close(pen_npy_part **part)
{
    if (!*part) return;
    if ((*part)->plain) fclose((*part)->plain);
    pen_source_close(&(*part)->source);
    PEN_FREE_ALL((*part)->data, *part);
    *part = NULL;
}

/* Read elements that are contiguous in the file. */
static pen_status fetch(pen_npy_part *part, int64_t element, int64_t count, char *to)
{
    const int64_t bytes = count * part->array.size;
    int64_t got;
    if (part->source.state) {
        PEN_TRY(pen_source_read(&part->source, to, bytes, &got));
        return got == bytes ? PEN_OK : too_short(part);
    }
    errno = 0;
    if (fseeko(part->plain, (off_t)(part->file->body + element * part->array.size), SEEK_SET) == 0 &&
        fread(to, 1, (size_t)bytes, part->plain) == (size_t)bytes)
        return PEN_OK;
    return errno ? pen_fail(PEN_ERR_IO, "%s: %s", part->file->path, strerror(errno)) : too_short(part);
}

/* Check that a stream has no bytes after the array. */
static pen_status check_end(pen_npy_part *part)
{
    char byte;
    int64_t got = 0;
    if (part->source.state) PEN_TRY(pen_source_read(&part->source, &byte, 1, &got));
    if (got == 0) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "%s: it is longer than its header says", part->file->path);
}

/* Read the next `count` rows into `data`, as an array with so many rows. */
static pen_status fetch_rows(pen_npy_part *part, int64_t count)
{
    const pen_npy *whole = &part->file->array;
    const int64_t width = whole->shape[1];
    PEN_TRY(pen_reserve(&part->data, (size_t)whole->size, count * width, &part->room));
    part->array.shape[0] = count;
    if (!whole->fortran) return fetch(part, part->row * width, count * width, part->data);
    for (int64_t c = 0; c < width; c++)
        PEN_TRY(fetch(part, pen_npy_index(whole, part->row, c), count, part->data + c * count * whole->size));
    return PEN_OK;
}

static bool take_keys(const pen_npy_part *part, int64_t i, pen_input_rows *rows)
{
    for (int k = 0; k < pen_input_key_count(part->file); k++) {
        pen_gid *gid = &rows->keys[k][rows->count];
        const int64_t index = pen_npy_index(&part->array, i, part->file->keys[k]);
        if (pen_npy_whole(&part->array, part->data, index, gid) && *gid >= 0) continue;
        pen_input_wrong(&rows->fault, part->row + i, "%s: %.17g is not the number of a node",
                        pen_input_key_name(part->file, k), pen_npy_real(&part->array, part->data, index));
        return false;
    }
    return true;
}

static void take_row(const pen_npy_part *part, int64_t i, pen_input_rows *rows)
{
    const pen_input_file *file = part->file;
    char digits[PEN_NPY_DIGITS];
    bool good = take_keys(part, i, rows);
    for (int c = 0; good && c < file->count; c++) {
        const int64_t index = pen_npy_index(&part->array, i, file->from[c]);
        double value = pen_npy_real(&part->array, part->data, index);
        rows->values[rows->count * file->count + c] = value;
        good = !pen_npy_is_rounded(&part->array, part->data, index, digits);
        if (!good)
            pen_input_wrong(&rows->fault, part->row + i, "%s: no double is %s", rows->columns[file->column[c]].name,
                            digits);
        else good = pen_input_value_fits(rows, c, value, part->row + i);
    }
    if (good) rows->where[rows->count++] = part->row + i;
}

pen_status pen_npy_part_read(pen_npy_part *part, int64_t limit, pen_input_rows *rows, bool *more)
{
    int64_t end = part->end < limit ? part->end : limit, count = end > part->row ? end - part->row : 0;
    if (count > rows->room) count = rows->room;
    rows->count = 0;
    rows->first = part->row;
    if (count > 0) PEN_TRY(fetch_rows(part, count));
    for (int64_t i = 0; i < count; i++) take_row(part, i, rows);
    part->row += count;
    *more = part->row < end;
    return part->row == part->end ? check_end(part) : PEN_OK;
}

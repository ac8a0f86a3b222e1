#include "output/appended.h"
#include "base/memory.h"
#include "base/memory_stream.h"

#include <stdlib.h>

const char *pen_byte_order(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first ? "LittleEndian" : "BigEndian";
}

pen_status pen_appended_create(pen_comm *comm, int most, bool zlib, pen_appended *a)
{
    *a = (pen_appended){ .comm = comm, .zlib = zlib };
    return PEN_ALLOC_ZERO(&a->arrays, most);
}

void pen_appended_destroy(pen_appended *a)
{
    for (int i = 0; i < a->count; i++) pen_squeeze_destroy(&a->arrays[i].squeeze);
    free(a->arrays);
    *a = (pen_appended){ .arrays = NULL };
}

pen_status pen_appended_declare(pen_appended *a, const pen_array *array, int64_t begin)
{
    pen_array *new = &a->arrays[a->count++];
    *new = *array;
    new->at = begin;
    return a->zlib ? pen_squeeze_create(begin, &new->squeeze) : PEN_OK;
}

/* ---- The text ------------------------------------------------------------------------------------------------- */

void pen_appended_print(const pen_appended *a, pen_array_place place, bool offsets, FILE *out)
{
    for (int i = 0; i < a->count; i++) {
        const pen_array *array = &a->arrays[i];
        if (array->place != place) continue;
        fprintf(out, "        <%s type=\"%s\" Name=\"%s\"", offsets ? "DataArray" : "PDataArray", array->type,
                array->name);
        if (array->components > 1) fprintf(out, " NumberOfComponents=\"%d\"", array->components);
        if (offsets) fprintf(out, " format=\"appended\" offset=\"%" PRId64 "\"", array->offset);
        fputs("/>\n", out);
    }
}

static void print_place(const pen_appended *a, const char *name, pen_array_place place, FILE *out)
{
    fprintf(out, "      <%s>\n", name);
    pen_appended_print(a, place, true, out);
    fprintf(out, "      </%s>\n", name);
}

static void print_text(const pen_appended *a, FILE *out)
{
    fprintf(out,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" "
            "header_type=\"UInt64\"%s>\n  <UnstructuredGrid>\n    <FieldData>\n"
            "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">%" PRId64
            "</DataArray>\n    </FieldData>\n    <Piece NumberOfPoints=\"%" PRId64 "\" NumberOfCells=\"%" PRId64
            "\">\n",
            pen_byte_order(), a->zlib ? " compressor=\"vtkZLibDataCompressor\"" : "", a->step, a->points, a->cells);
    print_place(a, "PointData", PEN_ARRAY_OF_POINTS, out);
    print_place(a, "CellData", PEN_ARRAY_OF_CELLS, out);
    print_place(a, "Points", PEN_ARRAY_POINTS, out);
    print_place(a, "Cells", PEN_ARRAY_CELLS, out);
    fputs("    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_", out);
}

static const char END[] = "\n  </AppendedData>\n</VTKFile>\n";

/* Local. The offsets are known: the text is the same on all ranks, and says where the arrays begin; rank 0 writes it.
 */
static pen_status write_text(pen_appended *a, int64_t end)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = pen_memory_stream(&text, &size);
    pen_status status = PEN_OK;
    if (out) print_text(a, out);
    if (!out || fclose(out) != 0) status = pen_fail(PEN_ERR_MEMORY, "out of memory for the beginning of a file");
    a->base = (int64_t)size;
    if (status == PEN_OK && a->comm->rank == 0) status = pen_output_write(a->file, text, (int64_t)size, 0);
    if (status == PEN_OK && a->comm->rank == 0) status = pen_output_write(a->file, END, sizeof END - 1, a->base + end);
    free(text);
    return status;
}

/* ---- As they are ------------------------------------------------------------------------------------------------ */

enum { WORD = 8 }; /* bytes of a number in front of an array */

static pen_status begin_plain(pen_appended *a, int64_t *end)
{
    *end = 0;
    for (int i = 0; i < a->count; i++) {
        a->arrays[i].offset = *end;
        *end += WORD + a->arrays[i].total;
    }
    PEN_TRY(write_text(a, *end));
    for (int i = 0; i < a->count && a->comm->rank == 0; i++) {
        const uint64_t size = (uint64_t)a->arrays[i].total;
        PEN_TRY(pen_output_write(a->file, &size, WORD, a->base + a->arrays[i].offset));
    }
    return PEN_OK;
}

/* ---- Compressed -------------------------------------------------------------------------------------------------- */

/* Collective. Where this rank's blocks of an array are among all. */
typedef struct share {
    int64_t blocks, bytes; /* of the ranks before */
} share;

static pen_status count_blocks(pen_comm *comm, pen_array *array, share *before)
{
    const int64_t mine[2] = { array->squeezed.blocks, array->squeezed.bytes };
    int64_t all[2], until[2];
    PEN_MPI(MPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_SUM, comm->mpi));
    PEN_MPI(MPI_Scan(mine, until, 2, MPI_INT64_T, MPI_SUM, comm->mpi));
    array->blocks = all[0];
    array->squeezed_bytes = all[1];
    *before = (share){ until[0] - mine[0], until[1] - mine[1] };
    return PEN_OK;
}

/* Local. In front of the blocks stand how many there are, how long they were, how long the last one was, if it was
 * shorter, and how long each is. */
static pen_status write_blocks(const pen_appended *a, const pen_array *array, share before)
{
    const int64_t at = a->base + array->offset, sizes = at + 3 * WORD;
    const uint64_t head[3] = { (uint64_t)array->blocks, PEN_SQUEEZE_BLOCK, (uint64_t)array->total % PEN_SQUEEZE_BLOCK };
    const pen_squeezed *s = &array->squeezed;
    if (a->comm->rank == 0) PEN_TRY(pen_output_write(a->file, head, sizeof head, at));
    PEN_TRY(pen_output_write(a->file, s->sizes, s->blocks * WORD, sizes + before.blocks * WORD));
    return pen_output_write(a->file, s->data, s->bytes, sizes + array->blocks * WORD + before.bytes);
}

/* Collective. */
static pen_status squeeze_all(pen_appended *a, pen_status mine, share *before, int64_t *end)
{
    *end = 0;
    for (int i = 0; i < a->count; i++) {
        pen_array *array = &a->arrays[i];
        PEN_TRY(pen_squeeze_end(a->comm, mine, array->squeeze, &array->squeezed));
        PEN_TRY(count_blocks(a->comm, array, &before[i]));
        array->offset = *end;
        *end += (3 + array->blocks) * WORD + array->squeezed_bytes;
    }
    return PEN_OK;
}

/* Collective. Only now is it known where anything is. */
static pen_status write_squeezed(pen_appended *a, pen_status mine, int64_t *end)
{
    share *before;
    PEN_TRY(pen_agree(a->comm, PEN_ALLOC(&before, a->count)));
    pen_status status = squeeze_all(a, mine, before, end);
    if (status == PEN_OK) status = write_text(a, *end);
    for (int i = 0; status == PEN_OK && i < a->count; i++) status = write_blocks(a, &a->arrays[i], before[i]);
    free(before);
    return status;
}

/* ---- The file --------------------------------------------------------------------------------------------------- */

pen_status pen_appended_open(pen_appended *a, pen_status mine, const char *path)
{
    int64_t end;
    PEN_TRY(pen_agree(a->comm, mine));
    PEN_TRY(pen_output_create(a->comm, path, &a->file));
    if (a->put_off) pen_output_put_off(a->file);
    if (a->zlib) return PEN_OK;
    return begin_plain(a, &end);
}

pen_status pen_appended_add(pen_appended *a, int i, const void *bytes, int64_t size)
{
    pen_array *array = &a->arrays[i];
    if (a->zlib) return pen_squeeze_add(array->squeeze, bytes, size);
    const int64_t at = array->at;
    array->at += size;
    return pen_output_write(a->file, bytes, size, a->base + array->offset + WORD + at);
}

pen_status pen_appended_close(pen_appended *a, pen_status mine, int64_t *bytes)
{
    int64_t end = 0;
    if (a->zlib) mine = write_squeezed(a, mine, &end);
    for (int i = 0; !a->zlib && i < a->count; i++) end += WORD + a->arrays[i].total;
    *bytes = a->base + end + (int64_t)sizeof END - 1;
    return pen_output_commit(&a->file, mine);
}

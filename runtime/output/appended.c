/* appended.c - writes the arrays of a .vtu file. */
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

pen_status pen_appended_create(pen_comm *comm, int most, pen_appended *a)
{
    *a = (pen_appended){ .comm = comm };
    return PEN_ALLOC_ZERO(&a->arrays, most);
}

void pen_appended_destroy(pen_appended *a)
{
    free(a->arrays);
    *a = (pen_appended){ .arrays = NULL };
}

void pen_appended_declare(pen_appended *a, const pen_array *array, int64_t begin)
{
    pen_array *new = &a->arrays[a->count++];
    *new = *array;
    new->at = begin;
}

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
            "header_type=\"UInt64\">\n  <UnstructuredGrid>\n    <FieldData>\n"
            "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">%.17g"
            "</DataArray>\n    </FieldData>\n    <Piece NumberOfPoints=\"%" PRId64 "\" NumberOfCells=\"%" PRId64
            "\">\n",
            pen_byte_order(), a->time, a->points, a->cells);
    print_place(a, "PointData", PEN_ARRAY_OF_POINTS, out);
    print_place(a, "CellData", PEN_ARRAY_OF_CELLS, out);
    print_place(a, "Points", PEN_ARRAY_POINTS, out);
    print_place(a, "Cells", PEN_ARRAY_CELLS, out);
    fputs("    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_", out);
}

static const char END[] = "\n  </AppendedData>\n</VTKFile>\n";

/* Local. Write the XML text, on rank 0. The offsets of the arrays are known, so the text is the same on all ranks. */
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

enum { WORD = 8 }; /* bytes of the length that precedes an array */

static pen_status begin(pen_appended *a)
{
    int64_t end = 0;
    for (int i = 0; i < a->count; i++) {
        a->arrays[i].offset = end;
        end += WORD + a->arrays[i].total;
    }
    PEN_TRY(write_text(a, end));
    for (int i = 0; i < a->count && a->comm->rank == 0; i++) {
        const uint64_t size = (uint64_t)a->arrays[i].total;
        PEN_TRY(pen_output_write(a->file, &size, WORD, a->base + a->arrays[i].offset));
    }
    return PEN_OK;
}

pen_status pen_appended_open(pen_appended *a, pen_status mine, const char *path)
{
    PEN_TRY(pen_agree(a->comm, mine));
    PEN_TRY(pen_output_create(a->comm, path, &a->file));
    if (a->put_off) pen_output_put_off(a->file);
    return begin(a);
}

pen_status pen_appended_add(pen_appended *a, int i, const void *bytes, int64_t size)
{
    pen_array *array = &a->arrays[i];
    const int64_t at = array->at;
    array->at += size;
    return pen_output_write(a->file, bytes, size, a->base + array->offset + WORD + at);
}

pen_status pen_appended_close(pen_appended *a, pen_status mine, int64_t *bytes)
{
    int64_t end = 0;
    for (int i = 0; i < a->count; i++) end += WORD + a->arrays[i].total;
    *bytes = a->base + end + (int64_t)sizeof END - 1;
    return pen_output_commit(&a->file, mine);
}

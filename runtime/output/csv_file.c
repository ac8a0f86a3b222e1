/* csv_file.c - writes a state as CSV. */
#include "base/memory_stream.h"
#include "base/output.h"
#include "output/sequence.h"
#include "output/tables.h"

#include <stdlib.h>

typedef struct csv_file {
    const pen_columns *columns;
    FILE *out; /* stream that collects this rank's lines */
} csv_file;

static void print_names(const pen_columns *columns, FILE *out)
{
    for (int c = 0; c < columns->count; c++) {
        const pen_column *column = &columns->of[c];
        for (int k = 0; k < column->components; k++) {
            fprintf(out, "%s%s", c + k > 0 ? "," : "", column->name);
            if (column->components > 1) fprintf(out, "_%d", k);
        }
    }
    fputc('\n', out);
}

static pen_status take(void *context, const pen_piece *piece)
{
    const csv_file *f = (const csv_file *)context;
    for (int64_t i = 0; i < piece->count; i++)
        for (int c = 0; c < f->columns->count; c++) {
            const pen_column *column = &f->columns->of[c];
            const size_t size = pen_type_size(column->type);
            for (int k = 0; k < column->components; k++) {
                const bool last = c + 1 == f->columns->count && k + 1 == column->components;
                pen_value_print(column->type, piece->values[c] + (size_t)i * column->bytes + (size_t)k * size, f->out);
                fputc(last ? '\n' : ',', f->out);
            }
        }
    return PEN_OK;
}

/* Collective. Write the text of all ranks, in the order of ranks. */
static pen_status write_text(pen_comm *comm, const char *path, const char *text, int64_t size, int64_t *bytes)
{
    pen_output *output = NULL;
    int64_t before = 0;
    PEN_TRY(pen_output_create(comm, path, &output));
    pen_status status = pen_prefix_int(comm, size, &before);
    if (status == PEN_OK) status = pen_sum_int(comm, size, bytes);
    if (status == PEN_OK) status = pen_output_write(output, text, size, before);
    return pen_output_commit(&output, status);
}

pen_status pen_csv_write(pen_comm *comm, const pen_store *store, const pen_sequence *sequence,
                         const pen_columns *columns, const char *path, int64_t *bytes)
{
    char *text = NULL;
    size_t size = 0;
    csv_file f = { .columns = columns, .out = pen_memory_stream(&text, &size) };
    pen_status status = f.out ? PEN_OK : pen_fail(PEN_ERR_MEMORY, "%s: out of memory", path);
    if (f.out && comm->rank == 0) print_names(columns, f.out);
    status = pen_deliver(comm, status, store, sequence, columns, NULL, take, &f);
    pen_status mine = status;
    if (f.out && fclose(f.out) != 0) mine = pen_fail(PEN_ERR_MEMORY, "%s: out of memory", path);
    status = pen_agree(comm, mine);
    if (status == PEN_OK) status = write_text(comm, path, text, (int64_t)size, bytes);
    free(text);
    return status;
}

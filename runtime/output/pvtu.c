/* pvtu.c - a file for each rank's nodes, and one that names them. */
#include "base/memory.h"
#include "base/memory_stream.h"
#include "base/xml.h"
#include "output/naming.h"
#include "output/segments.h"
#include "output/vtu_writer.h"

#include <stdlib.h>

static void forget_ghosts(pen_ghosts *ghosts)
{
    for (int c = 0; ghosts->values && c < ghosts->columns; c++) free(ghosts->values[c]);
    free(ghosts->values);
}

static pen_status allocate_ghosts(const pen_vtu *v, pen_ghosts *ghosts)
{
    ghosts->columns = v->columns->count;
    PEN_TRY(PEN_ALLOC_ZERO(&ghosts->values, ghosts->columns));
    for (int c = 0; c < ghosts->columns; c++)
        PEN_TRY(pen_alloc(&ghosts->values[c], v->store->shadows, v->columns->of[c].bytes));
    return PEN_OK;
}

/* Collective. The values of the shadows, from their owners. */
static pen_status learn_ghosts(const pen_vtu *v, pen_ghosts *ghosts)
{
    const int32_t own = v->comm->rank;
    PEN_TRY(pen_agree(v->comm, allocate_ghosts(v, ghosts)));
    for (int c = 0; c < ghosts->columns; c++) {
        const pen_column *column = &v->columns->of[c];
        const bool tells = column->from != NULL; /* else it is the owner */
        PEN_TRY(pen_shadows_learn(v->comm, PEN_OK, v->store, tells ? column->from : (const unsigned char *)&own,
                                  tells ? column->stride : 0, column->bytes, ghosts->values[c]));
    }
    return PEN_OK;
}

/* Local. This rank's own nodes, as one rank alone sees them. */
static pen_status own_sequence(const pen_vtu *v, pen_sequence *s)
{
    const int64_t owned = v->store->owned;
    PEN_TRY(PEN_ALLOC_ZERO(&s->starts, 2));
    PEN_TRY(PEN_ALLOC_ZERO(&s->cuts, 2));
    PEN_TRY(PEN_ALLOC(&s->slots, owned));
    PEN_TRY(PEN_ALLOC(&s->places, owned));
    s->count = s->starts[1] = s->cuts[1] = owned;
    if (owned > 0) memcpy(s->slots, v->sequence->slots, (size_t)owned * sizeof *s->slots);
    for (int64_t i = 0; i < owned; i++) s->places[i] = (uint32_t)i;
    return PEN_OK;
}

/* Local. Columns that only others know must be told by the owner itself. */
static pen_status own_columns(const pen_vtu *v, const int32_t *own, pen_columns *columns)
{
    PEN_TRY(PEN_ALLOC(&columns->of, v->columns->count));
    columns->count = v->columns->count;
    memcpy(columns->of, v->columns->of, (size_t)columns->count * sizeof *columns->of);
    for (int c = 0; c < columns->count; c++)
        if (!columns->of[c].from) columns->of[c].from = (const unsigned char *)own;
    return PEN_OK;
}

/* Local: the one rank of a communicator writes its file. */
static pen_status write_piece(const pen_vtu *v, const pen_ghosts *ghosts, const char *whole, pen_vtu_writer *w,
                              int64_t *bytes)
{
    char *path = NULL;
    const int32_t own = v->comm->rank;
    pen_comm alone = { .mpi = MPI_COMM_SELF, .size = 1, .host = MPI_COMM_SELF, .host_size = 1, .hosts = 1 };
    pen_sequence sequence = { .version = 0 };
    pen_columns columns = { .count = 0 };
    pen_vtu mine = *v;
    pen_status status = pen_naming_piece(whole, own, &path);
    if (status == PEN_OK) status = own_sequence(v, &sequence);
    if (status == PEN_OK) status = own_columns(v, &own, &columns);
    mine.comm = &alone;
    mine.put_off = false;
    mine.sequence = &sequence;
    mine.columns = &columns;
    *w = (pen_vtu_writer){ .vtu = &mine, .piece = true, .ghosts = ghosts };
    if (status == PEN_OK) status = pen_vtu_writer_run(w, path, bytes);
    w->vtu = v;
    free(path);
    pen_sequence_free(&sequence);
    pen_columns_free(&columns);
    return status;
}

static void print_place(const pen_appended *a, const char *name, pen_array_place place, FILE *out)
{
    fprintf(out, "    <P%s>\n", name);
    pen_appended_print(a, place, false, out);
    fprintf(out, "    </P%s>\n", name);
}

static pen_status print_pieces(const char *path, int ranks, FILE *out)
{
    for (int r = 0; r < ranks; r++) {
        char *piece;
        PEN_TRY(pen_naming_piece(pen_naming_base(path), r, &piece));
        fputs("    <Piece Source=\"", out);
        pen_xml_text(piece, out);
        fputs("\"/>\n", out);
        free(piece);
    }
    return PEN_OK;
}

static pen_status print_all(const pen_vtu_writer *w, const char *path, FILE *out)
{
    const pen_appended *a = &w->file;
    fprintf(out,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PUnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" "
            "header_type=\"UInt64\">\n  <PUnstructuredGrid GhostLevel=\"%d\">\n",
            pen_byte_order(), w->ghosts != NULL);
    print_place(a, "PointData", PEN_ARRAY_OF_POINTS, out);
    print_place(a, "CellData", PEN_ARRAY_OF_CELLS, out);
    print_place(a, "Points", PEN_ARRAY_POINTS, out);
    PEN_TRY(print_pieces(path, w->vtu->comm->size, out));
    fputs("  </PUnstructuredGrid>\n</VTKFile>\n", out);
    return PEN_OK;
}

/* Collective. The file that names the others, when they are there. */
static pen_status write_names(const pen_vtu_writer *w, const char *path, int64_t *bytes)
{
    const bool first = w->vtu->comm->rank == 0;
    char *text = NULL;
    size_t size = 0;
    FILE *out = first ? pen_memory_stream(&text, &size) : NULL;
    pen_status status = out ? print_all(w, path, out) : PEN_OK;
    if (first && (!out || fclose(out) != 0)) status = pen_fail(PEN_ERR_MEMORY, "%s: out of memory", path);
    *bytes += (int64_t)size;
    status = pen_output_text(w->vtu->comm, path, text, size, status);
    free(text);
    return status;
}

pen_status pen_pvtu_write(const pen_vtu *v, const char *path, int64_t *bytes)
{
    pen_ghosts ghosts = { .values = NULL };
    pen_vtu_writer w = { .vtu = v };
    const bool points = v->cells.corners == 0;
    int64_t mine = 0;
    pen_status status = points ? learn_ghosts(v, &ghosts) : PEN_OK;
    if (status == PEN_OK) status = pen_agree(v->comm, write_piece(v, points ? &ghosts : NULL, path, &w, &mine));
    if (status == PEN_OK) status = write_names(&w, path, &mine);
    if (status == PEN_OK) status = pen_sum_int(v->comm, mine, bytes);
    pen_vtu_writer_free(&w);
    forget_ghosts(&ghosts);
    return status;
}

/* vtu.c - writes a state as one VTK file of all nodes, or as one file per rank and a list of these. */
#include "output/vtu.h"
#include "base/memory.h"
#include "base/memory_stream.h"
#include "base/xml.h"
#include "output/appended.h"
#include "output/columns.h"
#include "output/segments.h"

#include <stdlib.h>

/* Values of the shadows that are points of a piece. */
typedef struct pen_ghosts {
    unsigned char **values; /* [columns] arrays of values, each [shadows] */
    int columns;
} pen_ghosts;

typedef struct pen_vtu_writer {
    const pen_vtu *vtu;
    bool piece;               /* the file has only this rank's nodes, and corners are not shared */
    const pen_ghosts *ghosts; /* the ghosts of a piece whose nodes are points, or NULL */
    pen_columns columns;      /* the columns of the file, and those that the geometry needs */
    /* Indices in `columns` of gids of a grid's nodes, places, and sides of shapes; -1: not needed. */
    int gid, place, sides;
    pen_lists lists;           /* the lines that begin at each node */
    int64_t part, before, all; /* numbers of lines: in this rank's part, in the parts before it, and in all parts */
    pen_appended file;
    int points, connectivity, offsets, types, ghost; /* indices of the arrays */
    bool wide;                                       /* numbers of points and cells have 64 bits */
    int64_t connected; /* number of entries of the connectivity array before the next cell */
    int64_t *numbers;
    double *places;
    unsigned char *marks;
    int64_t numbers_room, places_room, marks_room;
} pen_vtu_writer;

PEN_PER_RANK int64_t pen_vtu_narrow = INT32_MAX;

enum { VTK_VERTEX = 1, VTK_LINE = 3, AT_ONCE = 1 << 14 };

static bool has_mesh(const pen_vtu_writer *w) { return w->vtu->mesh != NULL; }
static bool has_cells(const pen_vtu_writer *w) { return has_mesh(w) || w->vtu->cells.corners > 0; }
static bool has_shapes(const pen_vtu_writer *w) { return w->vtu->cells.shape != PEN_SHAPE_NONE; }

/* Whether cells share no corners, so that the corners of a cell are consecutive points. */
static bool owns_corners(const pen_vtu_writer *w) { return has_shapes(w) || w->piece; }

static int64_t ghost_count(const pen_vtu_writer *w) { return w->ghosts ? w->vtu->store->shadows : 0; }

/* ---- Columns and lines ---------------------------------------------------------------------------------------- */

/* Local. Append a column; returns its index. */
static int add_column(pen_columns *c, const void *from, size_t bytes)
{
    c->of[c->count] = (pen_column){ .kind = PEN_COLUMN_GID, .from = from, .stride = bytes, .bytes = bytes };
    return c->count++;
}

/* Local. Choose the columns of the file, and those that its geometry needs. */
static pen_status choose_columns(pen_vtu_writer *w)
{
    enum { MORE = 2 };
    const pen_vtu *v = w->vtu;
    pen_columns *c = &w->columns;
    const bool grid = has_cells(w) && !has_shapes(w) && !has_mesh(w);
    PEN_TRY(PEN_ALLOC(&c->of, (int64_t)v->columns->count + MORE));
    c->count = v->columns->count;
    memcpy(c->of, v->columns->of, (size_t)c->count * sizeof *c->of);
    w->gid = w->place = w->sides = -1;
    if (!grid && !has_mesh(w)) w->place = add_column(c, v->places, (size_t)v->dimensions * sizeof *v->places);
    if (has_shapes(w)) w->sides = add_column(c, v->sides, 3 * sizeof *v->sides);
    if (grid && !v->sequence->dense) w->gid = add_column(c, v->store->gids, sizeof(pen_gid));
    return PEN_OK;
}

/* Collective. Number the nodes' points, [owned+shadows]. mine: this rank's status so far. */
static pen_status number_points(const pen_vtu_writer *w, pen_status mine, int64_t *points)
{
    const pen_vtu *v = w->vtu;
    const pen_store *store = v->store;
    const pen_sequence *s = v->sequence;
    for (int share = 0; mine == PEN_OK && share < s->share_count; share++) {
        const int64_t start = pen_sequence_start(s, s->shares[share].rank);
        for (int64_t i = s->shares[share].begin; i < s->shares[share + 1].begin; i++)
            points[s->slots[i]] = start + pen_sequence_place(s, store, start, i);
    }
    if (!w->piece)
        return pen_shadows_learn(v->comm, mine, store, (const unsigned char *)points, sizeof *points, sizeof *points,
                                 mine == PEN_OK ? (unsigned char *)(points + store->owned) : NULL);
    for (pen_lid i = 0; mine == PEN_OK && i < store->shadows; i++) points[store->owned + i] = store->owned + i;
    return mine;
}

/* Collective. Count the lines, and find the first one of this rank's part. */
static pen_status count_lines(pen_vtu_writer *w)
{
    const pen_vtu *v = w->vtu;
    int64_t *counts;
    const pen_status status = pen_agree(v->comm, PEN_ALLOC_ZERO(&counts, v->comm->size));
    if (status != PEN_OK) free(counts);
    PEN_TRY(status);
    const pen_sequence *s = v->sequence;
    for (const pen_share *share = s->shares; share < s->shares + s->share_count; share++)
        for (int64_t i = share->begin; i < share[1].begin; i++) {
            const pen_lid slot = s->slots[i];
            counts[share->rank] += w->lists.begins[slot + 1] - w->lists.begins[slot];
        }
    PEN_MPI(MPI_Reduce_scatter_block(counts, &w->part, 1, MPI_INT64_T, MPI_SUM, v->comm->mpi));
    free(counts);
    PEN_TRY(pen_prefix_int(v->comm, w->part, &w->before));
    return pen_sum_int(v->comm, w->part, &w->all);
}

/* Collective. Make the nodes' lists of lines. */
static pen_status draw_lines(pen_vtu_writer *w)
{
    const pen_store *store = w->vtu->store;
    int64_t *points;
    pen_status status = PEN_ALLOC(&points, (int64_t)store->owned + store->shadows);
    status = number_points(w, status, points);
    if (status == PEN_OK) status = pen_agree(w->vtu->comm, pen_segments_draw(store, points, &w->lists));
    free(points);
    return status == PEN_OK ? count_lines(w) : status;
}

/* ---- Declarations of arrays ----------------------------------------------------------------------------------- */

/* Local. Declare an array of `count` entries, of which `before` belong to lower ranks. *number is its index. */
static void declare(pen_vtu_writer *w, pen_array a, size_t bytes, int64_t count, int64_t before, int *number)
{
    *number = w->file.count;
    a.total = count * (int64_t)bytes;
    pen_appended_declare(&w->file, &a, before * (int64_t)bytes);
}

static void declare_columns(pen_vtu_writer *w, int64_t nodes, int64_t first)
{
    int number;
    for (int c = 0; c < w->vtu->columns->count; c++) {
        const pen_column *column = &w->columns.of[c];
        const pen_array a = { has_mesh(w) || w->vtu->cells.corners > 1 ? PEN_ARRAY_OF_CELLS : PEN_ARRAY_OF_POINTS,
                              column->name, pen_type_vtk(column->type), .components = column->components };
        declare(w, a, column->bytes, nodes, first, &number);
    }
}

/* Declare the arrays of the geometry. all and before: numbers of points, cells, and entries of the connectivity, in
 * total and on lower ranks. */
static void declare_geometry(pen_vtu_writer *w, const int64_t all[3], const int64_t before[3])
{
    const size_t size = w->wide ? sizeof(int64_t) : sizeof(int32_t);
    const char *type = w->wide ? "Int64" : "Int32";
    const pen_array points = { PEN_ARRAY_POINTS, "Points", "Float64", .components = 3 };
    const pen_array connectivity = { PEN_ARRAY_CELLS, "connectivity", type, .components = 1 };
    const pen_array offsets = { PEN_ARRAY_CELLS, "offsets", type, .components = 1 };
    const pen_array types = { PEN_ARRAY_CELLS, "types", "UInt8", .components = 1 };
    const pen_array ghost = { PEN_ARRAY_OF_POINTS, "vtkGhostType", "UInt8", .components = 1 };
    declare(w, points, 3 * sizeof(double), all[0], before[0], &w->points);
    declare(w, connectivity, size, all[2], before[2], &w->connectivity);
    declare(w, offsets, size, all[1], before[1], &w->offsets);
    declare(w, types, 1, all[1], before[1], &w->types);
    if (w->ghosts) declare(w, ghost, 1, all[0], before[0], &w->ghost);
}

/* Local. The number of the first shared corner that a rank writes. */
static int64_t corner_begin(const pen_vtu_writer *w, int64_t rank)
{
    return pen_block_begin(w->vtu->cells.corner_count, w->vtu->comm->size, rank);
}

static pen_status declare_all(pen_vtu_writer *w)
{
    enum { PLAIN = 5 };
    const pen_vtu *v = w->vtu;
    const int64_t corners = v->cells.corners, nodes = v->sequence->count;
    const int64_t first = pen_sequence_start(v->sequence, v->comm->rank);
    int64_t all[3] = { nodes + ghost_count(w), nodes + w->all, nodes + 2 * w->all };
    int64_t before[3] = { first, first + w->before, first + 2 * w->before };
    if (corners > 0) {
        all[0] = owns_corners(w) ? nodes * corners : v->cells.corner_count;
        before[0] = owns_corners(w) ? first * corners : corner_begin(w, v->comm->rank);
        all[2] = nodes * corners;
        before[2] = first * corners;
    }
    if (has_mesh(w)) {
        all[0] = v->mesh->all_points;
        before[0] = v->mesh->first_point;
        all[2] = v->mesh->all_corners;
        before[2] = v->mesh->first_corner;
    }
    w->wide = all[0] > pen_vtu_narrow || all[2] > pen_vtu_narrow;
    w->connected = before[2];
    PEN_TRY(pen_appended_create(v->comm, v->columns->count + PLAIN, &w->file));
    w->file.points = all[0];
    w->file.cells = all[1];
    w->file.time = v->time;
    w->file.put_off = v->put_off;
    declare_columns(w, nodes + ghost_count(w), first);
    declare_geometry(w, all, before);
    return PEN_OK;
}

/* ---- Contents of arrays ---------------------------------------------------------------------------------------- */

/* Local. Write w->numbers [count], narrowed in place if 32 bits suffice. */
static pen_status add_numbers(pen_vtu_writer *w, int array, int64_t count)
{
    if (w->wide) return pen_appended_add(&w->file, array, w->numbers, count * (int64_t)sizeof *w->numbers);
    unsigned char *to = (unsigned char *)w->numbers;
    for (int64_t i = 0; i < count; i++) {
        const int32_t narrow = (int32_t)w->numbers[i];
        memcpy(to + (size_t)i * sizeof narrow, &narrow, sizeof narrow);
    }
    return pen_appended_add(&w->file, array, to, count * (int64_t)sizeof(int32_t));
}

static pen_status room_for(pen_vtu_writer *w, int64_t numbers, int64_t places, int64_t marks)
{
    PEN_TRY(pen_reserve(&w->numbers, sizeof *w->numbers, numbers, &w->numbers_room));
    PEN_TRY(pen_reserve(&w->places, 3 * sizeof *w->places, places, &w->places_room));
    return pen_reserve(&w->marks, 1, marks, &w->marks_room);
}

static pen_status add_places(pen_vtu_writer *w, int64_t count)
{
    return pen_appended_add(&w->file, w->points, w->places, count * 3 * (int64_t)sizeof(double));
}

static pen_gid gid_of(const pen_vtu_writer *w, const pen_piece *p, int64_t i)
{
    pen_gid gid = p->first + i;
    if (w->gid >= 0) memcpy(&gid, p->values[w->gid] + (size_t)i * sizeof gid, sizeof gid);
    return gid;
}

static double *real_at(unsigned char *values, int64_t i) { return (double *)(void *)values + i; }

/* Write the corners of cells that share none; the corners of a grid's cells are in w->numbers. */
static pen_status add_own_corners(pen_vtu_writer *w, const pen_piece *p)
{
    const pen_cells *cells = &w->vtu->cells;
    const int64_t count = p->count * cells->corners, dimensions = w->vtu->dimensions;
    for (int64_t i = 0; i < count && !has_shapes(w); i++) pen_corner_place(cells, w->numbers[i], w->places + 3 * i);
    for (int64_t i = 0; i < p->count && has_shapes(w); i++)
        pen_shape_corners(cells, (int)dimensions, real_at(p->values[w->place], i * dimensions),
                          real_at(p->values[w->sides], 3 * i), w->places + 3 * i * cells->corners);
    for (int64_t i = 0; i < count; i++) w->numbers[i] = p->first * cells->corners + i;
    return add_places(w, count);
}

static pen_status add_cells(pen_vtu_writer *w, const pen_piece *p)
{
    const pen_cells *cells = &w->vtu->cells;
    const int64_t corners = cells->corners;
    PEN_TRY(room_for(w, p->count * corners + PEN_MOST_CORNERS, owns_corners(w) ? p->count * corners : 0, p->count));
    for (int64_t i = 0; i < p->count && !has_shapes(w); i++)
        pen_cell_corners(cells, gid_of(w, p, i), w->numbers + i * corners);
    if (owns_corners(w)) PEN_TRY(add_own_corners(w, p));
    PEN_TRY(add_numbers(w, w->connectivity, p->count * corners));
    for (int64_t i = 0; i < p->count; i++) w->numbers[i] = (p->first + i + 1) * corners;
    memset(w->marks, cells->type, (size_t)p->count);
    PEN_TRY(add_numbers(w, w->offsets, p->count));
    return pen_appended_add(&w->file, w->types, w->marks, p->count);
}

/* Write cells of the mesh. */
static pen_status add_mesh_cells(pen_vtu_writer *w, const pen_piece *p)
{
    const pen_mesh_part *mesh = w->vtu->mesh;
    const int64_t first = p->first - mesh->first_cell, *rows = mesh->rows + first;
    const int64_t corners = rows[p->count] - rows[0];
    PEN_TRY(room_for(w, corners + p->count, 0, 0));
    if (corners > 0) memcpy(w->numbers, mesh->corners + rows[0], (size_t)corners * sizeof *w->numbers);
    PEN_TRY(add_numbers(w, w->connectivity, corners));
    for (int64_t i = 0; i < p->count; i++) w->numbers[i] = mesh->first_corner + rows[i + 1];
    PEN_TRY(add_numbers(w, w->offsets, p->count));
    return pen_appended_add(&w->file, w->types, mesh->types + first, p->count);
}

/* Write points [count] at these places. */
static pen_status add_points(pen_vtu_writer *w, int64_t count, const unsigned char *places)
{
    const size_t dimensions = (size_t)w->vtu->dimensions;
    for (int64_t i = 0; i < count; i++) {
        double at[3] = { 0.0, 0.0, 0.0 };
        memcpy(at, places + (size_t)i * dimensions * sizeof(double), dimensions * sizeof(double));
        memcpy(w->places + 3 * i, at, sizeof at);
    }
    return add_places(w, count);
}

static pen_status add_ghost_marks(pen_vtu_writer *w, int64_t count, unsigned char mark)
{
    if (!w->ghosts) return PEN_OK;
    PEN_TRY(room_for(w, 0, 0, count));
    if (count > 0) memset(w->marks, mark, (size_t)count);
    return pen_appended_add(&w->file, w->ghost, w->marks, count);
}

/* Write the points and cells of nodes: each node, then its lines. */
static pen_status add_nodes(pen_vtu_writer *w, const pen_piece *p)
{
    const int64_t lines = p->begins[p->count], cells = p->count + lines, numbers = p->count + 2 * lines;
    int64_t n = 0, c = 0;
    PEN_TRY(room_for(w, numbers, p->count, cells));
    PEN_TRY(add_points(w, p->count, p->values[w->place]));
    for (int64_t i = 0; i < p->count; i++) {
        w->numbers[n++] = p->first + i;
        w->marks[c++] = VTK_VERTEX;
        for (int64_t k = p->begins[i]; k < p->begins[i + 1]; k++) {
            w->numbers[n++] = p->first + i;
            w->numbers[n++] = p->entries[k];
            w->marks[c++] = VTK_LINE;
        }
    }
    PEN_TRY(add_numbers(w, w->connectivity, numbers));
    for (int64_t i = 0; i < cells; i++) {
        w->connected += w->marks[i] == VTK_LINE ? 2 : 1;
        w->numbers[i] = w->connected;
    }
    PEN_TRY(add_numbers(w, w->offsets, cells));
    PEN_TRY(pen_appended_add(&w->file, w->types, w->marks, cells));
    return add_ghost_marks(w, p->count, 0);
}

static pen_status take(void *context, const pen_piece *piece)
{
    pen_vtu_writer *w = (pen_vtu_writer *)context;
    for (int c = 0; c < w->vtu->columns->count; c++)
        PEN_TRY(pen_appended_add(&w->file, c, piece->values[c], piece->count * (int64_t)w->columns.of[c].bytes));
    if (has_mesh(w)) return add_mesh_cells(w, piece);
    return has_cells(w) ? add_cells(w, piece) : add_nodes(w, piece);
}

/* Local. Write this rank's share of the shared corners. */
static pen_status add_shared_corners(pen_vtu_writer *w)
{
    const int rank = w->vtu->comm->rank;
    const int64_t end = corner_begin(w, rank + 1);
    PEN_TRY(room_for(w, 0, AT_ONCE, 0));
    for (int64_t first = corner_begin(w, rank); first < end; first += AT_ONCE) {
        const int64_t count = end - first < AT_ONCE ? end - first : AT_ONCE;
        for (int64_t i = 0; i < count; i++) pen_corner_place(&w->vtu->cells, first + i, w->places + 3 * i);
        PEN_TRY(add_places(w, count));
    }
    return PEN_OK;
}

/* Local. Write the points after those of the rank's own nodes. */
static pen_status add_ghosts(pen_vtu_writer *w)
{
    const pen_store *store = w->vtu->store;
    const int64_t count = store->shadows;
    for (int c = 0; c < w->vtu->columns->count; c++)
        PEN_TRY(pen_appended_add(&w->file, c, w->ghosts->values[c], count * (int64_t)w->columns.of[c].bytes));
    PEN_TRY(room_for(w, 0, count, 0));
    PEN_TRY(add_points(w, count, (const unsigned char *)(w->vtu->places + (int64_t)store->owned * w->vtu->dimensions)));
    return add_ghost_marks(w, count, 1);
}

static pen_status add_rest(pen_vtu_writer *w)
{
    const pen_mesh_part *mesh = w->vtu->mesh;
    if (mesh) return pen_appended_add(&w->file, w->points, mesh->places, 3 * mesh->points * (int64_t)sizeof(double));
    if (has_cells(w) && !owns_corners(w)) return add_shared_corners(w);
    return w->ghosts ? add_ghosts(w) : PEN_OK;
}

/* ---- Files -------------------------------------------------------------------------------------------------- */

/* Collective. Write the file of a writer whose vtu, piece and ghosts are set. Call vtu_writer_close and vtu_writer_free
 * also after a failure. A failure of this rank alone may be returned. */
static pen_status vtu_writer_run(pen_vtu_writer *w, const char *path)
{
    const pen_vtu *v = w->vtu;
    PEN_TRY(pen_agree(v->comm, choose_columns(w)));
    if (!has_cells(w)) PEN_TRY(draw_lines(w));
    pen_status status = pen_appended_open(&w->file, declare_all(w), path);
    if (!w->file.file) return status;
    status = pen_deliver(v->comm, status, v->store, v->sequence, &w->columns, has_cells(w) ? NULL : &w->lists, take, w);
    return status == PEN_OK ? add_rest(w) : status;
}

/* Collective. Close the file. It gets its name if the status of all ranks is PEN_OK. */
static pen_status vtu_writer_close(pen_vtu_writer *w, pen_status mine, int64_t *bytes)
{
    return w->file.file ? pen_appended_close(&w->file, mine, bytes) : mine;
}

static void vtu_writer_free(pen_vtu_writer *w)
{
    pen_columns_free(&w->columns);
    pen_segments_forget(&w->lists);
    pen_appended_destroy(&w->file);
    PEN_FREE_ALL(w->numbers, w->places, w->marks);
}

pen_status pen_vtu_write(const pen_vtu *vtu, const char *path, int64_t *bytes)
{
    pen_vtu_writer w = { .vtu = vtu };
    pen_status status = vtu_writer_run(&w, path);
    status = vtu_writer_close(&w, status, bytes);
    vtu_writer_free(&w);
    return status;
}

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

/* Collective. Get the values of the shadows from their owners. */
static pen_status learn_ghosts(const pen_vtu *v, pen_ghosts *ghosts)
{
    const int32_t own = v->comm->rank;
    PEN_TRY(pen_agree(v->comm, allocate_ghosts(v, ghosts)));
    for (int c = 0; c < ghosts->columns; c++) {
        const pen_column *column = &v->columns->of[c];
        const bool tells = column->from != NULL; /* a column without values has the owner of each node */
        PEN_TRY(pen_shadows_learn(v->comm, PEN_OK, v->store, tells ? column->from : (const unsigned char *)&own,
                                  tells ? column->stride : 0, column->bytes, ghosts->values[c]));
    }
    return PEN_OK;
}

/* Local. Make a sequence of this rank's nodes, as if it were the only rank. */
static pen_status own_sequence(const pen_vtu *v, pen_sequence *s)
{
    const int64_t owned = v->store->owned;
    PEN_TRY(PEN_ALLOC_ZERO(&s->shares, 2));
    PEN_TRY(PEN_ALLOC(&s->slots, owned));
    PEN_TRY(PEN_ALLOC(&s->places, owned));
    s->count = owned;
    s->ranks = 1;
    s->share_count = owned > 0;
    s->shares[s->share_count].begin = v->store->owned;
    if (owned > 0) memcpy(s->slots, v->sequence->slots, (size_t)owned * sizeof *s->slots);
    for (int64_t i = 0; i < owned; i++) s->places[i] = (uint32_t)i;
    return PEN_OK;
}

/* Local. Fill columns of owners with this rank's number, since no delivery does it. */
static pen_status own_columns(const pen_vtu *v, const int32_t *own, pen_columns *columns)
{
    PEN_TRY(PEN_ALLOC(&columns->of, v->columns->count));
    columns->count = v->columns->count;
    memcpy(columns->of, v->columns->of, (size_t)columns->count * sizeof *columns->of);
    for (int c = 0; c < columns->count; c++)
        if (!columns->of[c].from) columns->of[c].from = (const unsigned char *)own;
    return PEN_OK;
}

/* A rank's file, which it writes as if it were the only rank. */
typedef struct rank_file {
    char *path;
    int32_t own; /* number of this rank, which owns all nodes in the file */
    pen_comm alone;
    pen_sequence sequence;
    pen_columns columns;
    pen_mesh_part mesh; /* the cells of its nodes */
    pen_vtu vtu;
    pen_vtu_writer writer;
} rank_file;

/* Collective. Get the cells of this rank's own nodes, whose gids are the cells' numbers. */
static pen_status own_cells(const pen_vtu *v, pen_mesh_part *mesh)
{
    const int64_t owned = v->store->owned;
    int64_t *numbers;
    pen_status status = PEN_ALLOC(&numbers, owned);
    for (int64_t i = 0; status == PEN_OK && i < owned; i++) numbers[i] = v->store->gids[v->sequence->slots[i]];
    status = pen_mesh_get(v->comm, status, v->mesh, owned, numbers, mesh);
    free(numbers);
    return status;
}

/* Local. Write the file to the disk, but without its final name; call rank_file_free also after a failure. */
static pen_status rank_file_write(const pen_vtu *v, const pen_ghosts *ghosts, const char *whole, rank_file *p)
{
    p->own = v->comm->rank;
    p->alone = (pen_comm){ .mpi = MPI_COMM_SELF, .size = 1, .host = MPI_COMM_SELF, .host_size = 1, .hosts = 1 };
    p->vtu = *v;
    p->vtu.comm = &p->alone;
    p->vtu.put_off = false;
    p->vtu.sequence = &p->sequence;
    p->vtu.columns = &p->columns;
    if (v->mesh) p->vtu.mesh = &p->mesh;
    p->writer = (pen_vtu_writer){ .vtu = &p->vtu, .piece = true, .ghosts = ghosts };
    PEN_TRY(pen_naming_piece(whole, p->own, &p->path));
    PEN_TRY(own_sequence(v, &p->sequence));
    PEN_TRY(own_columns(v, &p->own, &p->columns));
    PEN_TRY(vtu_writer_run(&p->writer, p->path));
    return pen_output_sync(p->writer.file.file);
}

static void rank_file_free(rank_file *p)
{
    vtu_writer_free(&p->writer);
    pen_sequence_free(&p->sequence);
    pen_columns_free(&p->columns);
    pen_mesh_part_free(&p->mesh);
    free(p->path);
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
        PEN_TRY(pen_naming_piece(pen_path_base(path), r, &piece));
        fputs("    <Piece Source=\"", out);
        pen_xml_text(piece, out);
        fputs("\"/>\n", out);
        free(piece);
    }
    return PEN_OK;
}

static pen_status print_all(const pen_vtu_writer *w, const char *path, int ranks, FILE *out)
{
    const pen_appended *a = &w->file;
    fprintf(out,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PUnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" "
            "header_type=\"UInt64\">\n  <PUnstructuredGrid GhostLevel=\"%d\">\n",
            pen_byte_order(), w->ghosts != NULL);
    print_place(a, "PointData", PEN_ARRAY_OF_POINTS, out);
    print_place(a, "CellData", PEN_ARRAY_OF_CELLS, out);
    print_place(a, "Points", PEN_ARRAY_POINTS, out);
    PEN_TRY(print_pieces(path, ranks, out));
    fputs("  </PUnstructuredGrid>\n</VTKFile>\n", out);
    return PEN_OK;
}

/* Collective. Write the file that lists the pieces, but without its final name. A failure of rank 0 alone may be
 * returned. */
static pen_status write_list(pen_comm *comm, const pen_vtu_writer *w, const char *path, pen_output **list,
                             int64_t *bytes)
{
    const bool first = comm->rank == 0;
    char *text = NULL;
    size_t size = 0;
    FILE *out = first ? pen_memory_stream(&text, &size) : NULL;
    pen_status status = out ? print_all(w, path, comm->size, out) : PEN_OK;
    if (first && (!out || fclose(out) != 0)) status = pen_fail(PEN_ERR_MEMORY, "%s: out of memory", path);
    *bytes = (int64_t)size;
    status = pen_agree(comm, status);
    if (status == PEN_OK) status = pen_output_create(comm, path, list);
    if (status == PEN_OK && first) status = pen_output_write(*list, text, (int64_t)size, 0);
    if (status == PEN_OK) status = pen_output_sync(*list);
    free(text);
    return status;
}

/* No file gets its final name before all are on the disk, and the list gets it last. */
pen_status pen_pvtu_write(const pen_vtu *v, const char *path, int64_t *bytes)
{
    pen_ghosts ghosts = { .values = NULL };
    pen_output *list = NULL;
    const bool points = v->cells.corners == 0 && !v->mesh;
    int64_t of_piece = 0, of_list = 0;
    rank_file mine = { .path = NULL };
    pen_status status = points ? learn_ghosts(v, &ghosts) : PEN_OK;
    if (v->mesh) status = own_cells(v, &mine.mesh);
    if (status == PEN_OK) status = pen_agree(v->comm, rank_file_write(v, points ? &ghosts : NULL, path, &mine));
    if (status == PEN_OK) status = pen_agree(v->comm, write_list(v->comm, &mine.writer, path, &list, &of_list));
    status = vtu_writer_close(&mine.writer, status, &of_piece);
    if (list) status = pen_output_commit(&list, status);
    if (status == PEN_OK) status = pen_sum_int(v->comm, of_piece + of_list, bytes);
    rank_file_free(&mine);
    forget_ghosts(&ghosts);
    return status;
}

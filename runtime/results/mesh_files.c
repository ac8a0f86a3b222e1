/* mesh_files.c - reads this rank's rows of the points and cells of a mesh. */
#include "results/mesh_files.h"
#include "base/memory.h"
#include "base/npy.h"
#include "graph/graph.h"
#include "input/source.h"

#include <errno.h>
#include <stdlib.h>

/* Rows of an array, with the array's format. */
typedef struct part {
    pen_npy array; /* description of these rows */
    unsigned char *data;
    int64_t first; /* number of the first row */
} part;

static pen_status read_at(const char *path, FILE *file, int64_t offset, void *to, int64_t bytes)
{
    errno = 0;
    if (fseeko(file, (off_t)offset, SEEK_SET) == 0 && fread(to, 1, (size_t)bytes, file) == (size_t)bytes) return PEN_OK;
    return errno ? pen_fail(PEN_ERR_IO, "%s: %s", path, strerror(errno))
                 : pen_fail(PEN_ERR_INPUT, "%s: it is shorter than its header says", path);
}

/* Read the rows [p->first, p->first + p->array.shape[0]) of an array. */
static pen_status read_rows(const char *path, FILE *file, const pen_npy *whole, part *p)
{
    const int64_t size = whole->size, count = p->array.shape[0], width = whole->shape[1];
    PEN_TRY(PEN_ALLOC(&p->data, count * width * size));
    if (!whole->fortran)
        return read_at(path, file, whole->begin + p->first * width * size, p->data, count * width * size);
    for (int64_t c = 0; c < width; c++)
        PEN_TRY(read_at(path, file, whole->begin + pen_npy_index(whole, p->first, c) * size, p->data + c * count * size,
                        count * size));
    return PEN_OK;
}

static pen_status parse(const char *path, FILE *file, int64_t size, pen_npy *whole)
{
    const int64_t most = size < PEN_NPY_MOST ? size : PEN_NPY_MOST;
    char *head;
    PEN_TRY(PEN_ALLOC(&head, most));
    pen_status status = read_at(path, file, 0, head, most);
    if (status == PEN_OK) status = pen_npy_parse(path, head, most, whole);
    free(head);
    return status == PEN_OK ? pen_npy_check_size(path, whole, size) : status;
}

/* Read this rank's rows. The caller frees p->data, also after a failure. */
static pen_status read_part(const pen_comm *comm, const char *path, part *p)
{
    FILE *file;
    int64_t size;
    pen_npy whole;
    PEN_TRY(pen_source_file(path, &file, &size));
    pen_status status = parse(path, file, size, &whole);
    if (status == PEN_OK) {
        p->array = whole;
        p->first = pen_block_begin(whole.shape[0], comm->size, comm->rank);
        p->array.shape[0] = pen_block_begin(whole.shape[0], comm->size, comm->rank + 1) - p->first;
        status = read_rows(path, file, &whole, p);
    }
    fclose(file);
    return status;
}

static pen_status take_points(const char *path, const part *p, pen_mesh_rows *rows)
{
    const int64_t count = p->array.shape[0], width = p->array.shape[1];
    if (width < 2 || width > 3)
        return pen_fail(PEN_ERR_INPUT, "%s: points have 2 or 3 coordinates, not %" PRId64, path, width);
    PEN_TRY(PEN_ALLOC(&rows->points, count * width));
    for (int64_t i = 0; i < count; i++)
        for (int64_t d = 0; d < width; d++)
            rows->points[i * width + d] = pen_npy_real(&p->array, p->data, pen_npy_index(&p->array, i, d));
    rows->mesh.dimensions = (int)width;
    rows->mesh.point_count = count;
    rows->mesh.points = rows->points;
    return PEN_OK;
}

static pen_status take_cells(const char *path, const part *p, pen_mesh_rows *rows)
{
    const int64_t count = p->array.shape[0], width = p->array.shape[1];
    int64_t corners = 0;
    PEN_TRY(PEN_ALLOC_ZERO(&rows->rows, count + 1));
    PEN_TRY(PEN_ALLOC(&rows->corners, count * width));
    for (int64_t i = 0; i < count; i++) {
        for (int64_t c = 0; c < width; c++) {
            int64_t *corner = &rows->corners[corners];
            if (!pen_npy_whole(&p->array, p->data, pen_npy_index(&p->array, i, c), corner))
                return pen_fail(PEN_ERR_INPUT, "%s: row %" PRId64 ": %.17g is not the number of a point", path,
                                p->first + i, pen_npy_real(&p->array, p->data, pen_npy_index(&p->array, i, c)));
            corners += *corner != -1;
        }
        rows->rows[i + 1] = corners;
    }
    rows->mesh.cell_count = count;
    rows->mesh.rows = rows->rows;
    rows->mesh.corners = rows->corners;
    return PEN_OK;
}

static pen_status read_both(const pen_comm *comm, char *text, pen_mesh_rows *rows)
{
    typedef pen_status take_fn(const char *path, const part *p, pen_mesh_rows *rows);
    take_fn *const takes[] = { take_points, take_cells };
    char *at = text;
    for (int i = 0; i < 2; i++) {
        part p = { .data = NULL };
        const char *path = strsep(&at, ":");
        if (!path || !*path) return pen_fail(PEN_ERR_INPUT, "--output-mesh needs two files: POINTS.npy:CELLS.npy");
        pen_status status = read_part(comm, path, &p);
        if (status == PEN_OK) status = takes[i](path, &p, rows);
        free(p.data);
        PEN_TRY(status);
    }
    rows->mesh.surface = at != NULL;
    if (!at || strcmp(at, "surface") == 0) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "--output-mesh=POINTS:CELLS:%s: only \"surface\" can follow the files", at);
}

pen_status pen_mesh_rows_read(const pen_comm *comm, const char *text, pen_mesh_rows *rows)
{
    char *copy;
    *rows = (pen_mesh_rows){ .points = NULL };
    PEN_TRY(pen_copy_text(text, &copy));
    const pen_status status = read_both(comm, copy, rows);
    free(copy);
    return status;
}

void pen_mesh_rows_free(pen_mesh_rows *rows) { PEN_FREE_ALL(rows->points, rows->rows, rows->corners); }

/* mesh.c - checks the mesh that the ranks give, distributes it in blocks, and gets cells from these. */
#include "output/mesh.h"
#include "base/memory.h"
#include "base/sparse.h"
#include "graph/graph.h"

#include <math.h>
#include <stdlib.h>

/* VTK's numbers of cell types by the number of corners. */
enum { MOST_SOLID = 8, VTK_POLYGON = 7 };
static const unsigned char flat_types[] = { 0, 1, 3, 5, 9 },
                           solid_types[MOST_SOLID + 1] = { 0, 1, 3, 5, 10, 14, 13, 0, 12 };

/* The type of a cell; 0: there is none with so many corners. */
static unsigned char type_of(bool is_flat, int64_t corners)
{
    if (corners < 1 || (!is_flat && corners > MOST_SOLID)) return 0;
    if (!is_flat) return solid_types[corners];
    return corners < PEN_COUNT_OF(flat_types) ? flat_types[corners] : VTK_POLYGON;
}

static bool is_flat(const pen_mesh *m) { return m->dimensions == 2 || m->surface; }

void pen_mesh_part_free(pen_mesh_part *p)
{
    PEN_FREE_ALL(p->places, p->rows, p->corners, p->types);
    *p = (pen_mesh_part){ .places = NULL };
}

/* ---- Checks ----------------------------------------------------------------------------------------------------- */

static pen_status check_points(const pen_mesh *m, int64_t first)
{
    for (int64_t i = 0; i < m->point_count * m->dimensions; i++)
        if (!isfinite(m->points[i]))
            return pen_fail(PEN_ERR_INPUT, "mesh: coordinate %" PRId64 " of point %" PRId64 " is not finite",
                            i % m->dimensions, first + i / m->dimensions);
    return PEN_OK;
}

static pen_status check_cell(const pen_mesh *m, int64_t i, int64_t first, int64_t points)
{
    const int64_t corners = m->rows[i + 1] - m->rows[i];
    if (!type_of(is_flat(m), corners))
        return pen_fail(PEN_ERR_INPUT, "mesh: the cell of node %" PRId64 " has %" PRId64 " corners; %s", first + i,
                        corners, is_flat(m) ? "a polygon has 3 or more" : "a solid has 4, 5, 6 or 8");
    for (int64_t k = m->rows[i]; k < m->rows[i + 1]; k++)
        if (m->corners[k] < 0 || m->corners[k] >= points)
            return pen_fail(PEN_ERR_INPUT,
                            "mesh: the cell of node %" PRId64 " has the point %" PRId64
                            ", but points are numbered from 0 to %" PRId64,
                            first + i, m->corners[k], points - 1);
    return PEN_OK;
}

static pen_status check(const pen_mesh *m, const pen_mesh_part *all, int64_t first_point, int64_t first_cell)
{
    PEN_TRY(check_points(m, first_point));
    for (int64_t i = 0; i < m->cell_count; i++) PEN_TRY(check_cell(m, i, first_cell, all->all_points));
    return PEN_OK;
}

/* Collective. Check that all ranks that give something give it with the same dimensions. *flat: cells are polygons. */
static pen_status check_kind(pen_comm *comm, pen_status mine, const pen_mesh *m, bool *flat)
{
    const bool gives = m->point_count > 0 || m->cell_count > 0;
    const int kind = 2 * m->dimensions + m->surface;
    if (mine == PEN_OK && gives && m->dimensions != 2 && m->dimensions != 3)
        mine = pen_fail(PEN_ERR_INPUT, "mesh: points have %d coordinates, not 2 or 3", m->dimensions);
    PEN_TRY(pen_agree(comm, mine));
    int64_t most = 0, least = 0;
    PEN_TRY(pen_max_int(comm, gives ? kind : 0, &most));
    PEN_TRY(pen_max_int(comm, gives ? -kind : INT32_MIN, &least));
    *flat = most / 2 == 2 || most % 2 == 1;
    if (most == 0 || least == -most) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "mesh: ranks give points with different numbers of coordinates");
}

/* ---- Distribution ----------------------------------------------------------------------------------------------- */

/* Items that a rank gives: the numbers first .. first + count - 1 of `all`. Item i has the words [begins[i],
 * begins[i+1]) of `words`, or, without begins, `size` words. */
typedef struct items {
    int64_t all, first, count;
    const int64_t *begins;
    int64_t size;
    const int64_t *words;
} items;

static int64_t begin_of(const items *t, int64_t i) { return t->begins ? t->begins[i] : i * t->size; }

/* The index here of the first item that is in the block of a rank, or in a later one. */
static int64_t cut(const items *t, int ranks, int rank)
{
    const int64_t at = pen_block_begin(t->all, ranks, rank) - t->first;
    if (at < 0) return 0;
    return at < t->count ? at : t->count;
}

static pen_status pack(const pen_comm *comm, const items *t, pen_blocks *blocks)
{
    int64_t *bytes;
    PEN_TRY(PEN_ALLOC(&bytes, comm->size));
    for (int r = 0; r < comm->size; r++)
        bytes[r] = (begin_of(t, cut(t, comm->size, r + 1)) - begin_of(t, cut(t, comm->size, r))) *
                   (int64_t)sizeof *t->words;
    const pen_status status = pen_blocks_open(comm->size, bytes, blocks);
    if (status == PEN_OK && pen_blocks_bytes(blocks) > 0)
        memcpy(blocks->data, t->words, (size_t)pen_blocks_bytes(blocks));
    free(bytes);
    return status;
}

/* Collective. Get the items of this rank's block, in their order. */
static pen_status spread(pen_comm *comm, pen_status mine, const items *t, pen_blocks *received)
{
    pen_blocks blocks = { .count = 0 };
    if (mine == PEN_OK) mine = pack(comm, t, &blocks);
    const pen_status status = pen_sparse_exchange(comm, mine, &blocks, received);
    pen_blocks_free(&blocks);
    return status;
}

/* Collective. Distribute the points, each as three numbers. */
static pen_status spread_points(pen_comm *comm, const pen_mesh *m, int64_t first, pen_mesh_part *p)
{
    double *places;
    pen_blocks received = { .count = 0 };
    pen_status status = PEN_ALLOC_ZERO(&places, 3 * m->point_count);
    for (int64_t i = 0; status == PEN_OK && i < m->point_count; i++)
        memcpy(places + 3 * i, m->points + i * m->dimensions, (size_t)m->dimensions * sizeof *places);
    const items points = { .all = p->all_points,
                           .first = first,
                           .count = m->point_count,
                           .size = 3,
                           .words = (const int64_t *)(const void *)places };
    status = spread(comm, status, &points, &received);
    if (status == PEN_OK) status = PEN_ALLOC(&p->places, 3 * p->points);
    if (status == PEN_OK && p->points > 0) memcpy(p->places, received.data, (size_t)pen_blocks_bytes(&received));
    pen_blocks_free(&received);
    free(places);
    return pen_agree(comm, status);
}

/* Local. Make the part's cells of their numbers of corners, each followed by the corners. */
static pen_status unpack_cells(const int64_t *words, int64_t count, pen_mesh_part *p)
{
    PEN_TRY(PEN_ALLOC_ZERO(&p->rows, p->cells + 1));
    PEN_TRY(PEN_ALLOC(&p->corners, count - p->cells));
    PEN_TRY(PEN_ALLOC(&p->types, p->cells));
    for (int64_t i = 0; i < p->cells; i++) {
        const int64_t corners = *words++;
        memcpy(p->corners + p->rows[i], words, (size_t)corners * sizeof *words);
        p->rows[i + 1] = p->rows[i] + corners;
        p->types[i] = type_of(p->is_flat, corners);
        words += corners;
    }
    return PEN_OK;
}

/* Local. The cells that this rank gives, as words for unpack_cells. */
static pen_status pack_cells(const pen_mesh *m, int64_t **begins, int64_t **words)
{
    const int64_t corners = m->cell_count > 0 ? m->rows[m->cell_count] - m->rows[0] : 0;
    PEN_TRY(PEN_ALLOC_ZERO(begins, m->cell_count + 1));
    PEN_TRY(PEN_ALLOC(words, m->cell_count + corners));
    for (int64_t i = 0; i < m->cell_count; i++) {
        const int64_t count = m->rows[i + 1] - m->rows[i];
        int64_t *cell = *words + (*begins)[i];
        cell[0] = count;
        memcpy(cell + 1, m->corners + m->rows[i], (size_t)count * sizeof *cell);
        (*begins)[i + 1] = (*begins)[i] + 1 + count;
    }
    return PEN_OK;
}

/* Collective. */
static pen_status spread_cells(pen_comm *comm, const pen_mesh *m, int64_t first, pen_mesh_part *p)
{
    int64_t *begins = NULL, *words = NULL;
    pen_blocks received = { .count = 0 };
    const pen_status packed = pack_cells(m, &begins, &words);
    const items cells = {
        .all = p->all_cells, .first = first, .count = m->cell_count, .begins = begins, .words = words
    };
    pen_status status = spread(comm, packed, &cells, &received);
    if (status == PEN_OK)
        status = unpack_cells((const int64_t *)(const void *)received.data,
                              pen_blocks_bytes(&received) / (int64_t)sizeof *words, p);
    pen_blocks_free(&received);
    PEN_FREE_ALL(begins, words);
    PEN_TRY(pen_agree(comm, status));
    PEN_TRY(pen_prefix_int(comm, p->rows[p->cells], &p->first_corner));
    return pen_sum_int(comm, p->rows[p->cells], &p->all_corners);
}

pen_status pen_mesh_distribute(pen_comm *comm, pen_status mine, const pen_mesh *m, pen_mesh_part *p)
{
    int64_t first_point = 0, first_cell = 0;
    *p = (pen_mesh_part){ .places = NULL };
    PEN_TRY(check_kind(comm, mine, m, &p->is_flat));
    PEN_TRY(pen_sum_int(comm, m->point_count, &p->all_points));
    PEN_TRY(pen_sum_int(comm, m->cell_count, &p->all_cells));
    PEN_TRY(pen_prefix_int(comm, m->point_count, &first_point));
    PEN_TRY(pen_prefix_int(comm, m->cell_count, &first_cell));
    PEN_TRY(pen_agree(comm, check(m, p, first_point, first_cell)));
    p->first_point = pen_block_begin(p->all_points, comm->size, comm->rank);
    p->points = pen_block_begin(p->all_points, comm->size, comm->rank + 1) - p->first_point;
    p->first_cell = pen_block_begin(p->all_cells, comm->size, comm->rank);
    p->cells = pen_block_begin(p->all_cells, comm->size, comm->rank + 1) - p->first_cell;
    PEN_TRY(spread_points(comm, m, first_point, p));
    return spread_cells(comm, m, first_cell, p);
}

/* ---- Cells by number -------------------------------------------------------------------------------------------- */

/* Local. The items that ranks have asked for by their numbers, a block for each rank. */
static pen_status pack_asked(const pen_comm *comm, const items *t, const pen_blocks *asked, pen_blocks *blocks)
{
    const int64_t *numbers = (const int64_t *)(const void *)asked->data;
    int64_t *bytes, n = 0;
    PEN_TRY(PEN_ALLOC_ZERO(&bytes, comm->size));
    for (int b = 0; b < asked->count; b++)
        for (; n < asked->offsets[b + 1] / (int64_t)sizeof *numbers; n++)
            bytes[asked->ranks[b]] += begin_of(t, numbers[n] - t->first + 1) - begin_of(t, numbers[n] - t->first);
    const int64_t count = n;
    for (int r = 0; r < comm->size; r++) bytes[r] *= (int64_t)sizeof *t->words;
    const pen_status status = pen_blocks_open(comm->size, bytes, blocks);
    free(bytes);
    PEN_TRY(status);
    int64_t *to = (int64_t *)(void *)blocks->data;
    for (n = 0; n < count; n++)
        for (int64_t k = begin_of(t, numbers[n] - t->first); k < begin_of(t, numbers[n] - t->first + 1); k++)
            *to++ = t->words[k];
    return PEN_OK;
}

/* Collective. Get items [count] by their numbers, which ascend, from the blocks of all ranks: *received has their words
 * in that order. t: the items of this rank's block. */
static pen_status get(pen_comm *comm, pen_status mine, const items *t, int64_t count, const int64_t *numbers,
                      pen_blocks *received)
{
    pen_blocks asked = { .count = 0 }, replies = { .count = 0 };
    int *ranks = NULL;
    if (mine == PEN_OK) mine = PEN_ALLOC(&ranks, count);
    for (int64_t i = 0; mine == PEN_OK && i < count; i++) ranks[i] = pen_block_rank(t->all, comm->size, numbers[i]);
    pen_status status = pen_sparse_send(comm, mine, count, ranks, numbers, sizeof *numbers, &asked);
    free(ranks);
    if (status == PEN_OK) status = pen_sparse_exchange(comm, pack_asked(comm, t, &asked, &replies), &replies, received);
    pen_blocks_free(&asked);
    pen_blocks_free(&replies);
    return status;
}

/* Local. Number the points that the cells use: numbers[0..*count-1] are those of the mesh, ascending, and the corners
 * become places in `numbers`. */
static pen_status number_points(pen_mesh_part *p, int64_t **numbers, int64_t *count)
{
    const int64_t corners = p->rows[p->cells];
    PEN_TRY(PEN_ALLOC(numbers, corners));
    if (corners == 0) return PEN_OK;
    memcpy(*numbers, p->corners, (size_t)corners * sizeof **numbers);
    qsort(*numbers, (size_t)corners, sizeof **numbers, pen_by_gid);
    for (int64_t k = 0; k < corners; k++)
        if (*count == 0 || (*numbers)[k] != (*numbers)[*count - 1]) (*numbers)[(*count)++] = (*numbers)[k];
    for (int64_t k = 0; k < corners; k++) {
        const int64_t *at = (const int64_t *)bsearch(&p->corners[k], *numbers, (size_t)*count, sizeof *at, pen_by_gid);
        p->corners[k] = at - *numbers;
    }
    return PEN_OK;
}

pen_status pen_mesh_get(pen_comm *comm, pen_status mine, const pen_mesh_part *mesh, int64_t count, const int64_t *cells,
                        pen_mesh_part *p)
{
    const pen_mesh here = { .cell_count = mesh->cells, .rows = mesh->rows, .corners = mesh->corners };
    int64_t *begins = NULL, *words = NULL, *numbers = NULL, points = 0;
    pen_blocks of_cells = { .count = 0 }, of_points = { .count = 0 };
    *p = (pen_mesh_part){ .all_cells = count, .cells = count, .is_flat = mesh->is_flat };
    if (mine == PEN_OK) mine = pack_cells(&here, &begins, &words);
    items t = { mesh->all_cells, mesh->first_cell, mesh->cells, .begins = begins, .words = words };
    pen_status status = get(comm, mine, &t, count, cells, &of_cells);
    if (status == PEN_OK) {
        mine = unpack_cells((const int64_t *)(const void *)of_cells.data,
                            pen_blocks_bytes(&of_cells) / (int64_t)sizeof *words, p);
        if (mine == PEN_OK) mine = number_points(p, &numbers, &points);
        t = (items){ mesh->all_points, mesh->first_point, mesh->points, .size = 3,
                     .words = (const int64_t *)(const void *)mesh->places };
        status = get(comm, mine, &t, points, numbers, &of_points);
    }
    if (status == PEN_OK) status = pen_agree(comm, PEN_ALLOC(&p->places, 3 * points));
    if (status == PEN_OK) {
        p->all_points = p->points = points;
        p->all_corners = p->rows[count];
        if (points > 0) memcpy(p->places, of_points.data, (size_t)pen_blocks_bytes(&of_points));
    }
    pen_blocks_free(&of_cells);
    pen_blocks_free(&of_points);
    PEN_FREE_ALL(begins, words, numbers);
    return status;
}

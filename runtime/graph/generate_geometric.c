/* generate_geometric.c - random geometric graphs: points in the unit square, joined if they are near each other.
 *
 * A grid of cells, none narrower than the radius, is cut into blocks of cells. Every rank draws a share of the points,
 * by their numbers, and sends each point to the rank of its cell. Gids follow the order of cells, so near nodes have
 * near gids, and ranks hold contiguous ranges. Then every rank gets the points of the cells around its own.
 *
 * The result is a graph by construction. Both ends decide from the same coordinates whether two points are near, with
 * the same answer, since x - y is exactly -(y - x). Each candidate of a point is examined once, in the order of
 * gids. */
#include "base/memory.h"
#include "base/options.h"
#include "graph/generate.h"

#include <math.h>
#include <stdlib.h>

typedef struct point {
    pen_gid gid;
    double x, y;
} point;

typedef struct geometry {
    double radius;
    int64_t side, cells; /* numbers of cells along a side, and of all cells */
    int64_t begin, end;  /* this rank's cells: [begin, end) */
} geometry;

static int64_t along(const geometry *m, double x)
{
    int64_t i = (int64_t)(x * (double)m->side);
    return i < m->side ? i : m->side - 1;
}

static int64_t cell_of(const geometry *m, const point *p) { return along(m, p->y) * m->side + along(m, p->x); }

/* Choose the cells: not many more than nodes, and a little wider than the radius because of rounding. */
static geometry make_cells(const pen_comm *comm, int64_t nodes, double radius)
{
    double side = sqrt((double)nodes);
    if (side * radius > 0.999) side = 0.999 / radius;
    geometry m = { .radius = radius, .side = side < 1 ? 1 : (int64_t)side };
    m.cells = m.side * m.side;
    m.begin = pen_block_begin(m.cells, comm->size, comm->rank);
    m.end = pen_block_begin(m.cells, comm->size, comm->rank + 1);
    return m;
}

static const point *points_in(const pen_blocks *blocks, int64_t *count)
{
    *count = pen_blocks_bytes(blocks) / (int64_t)sizeof(point);
    return (const point *)(const void *)blocks->data;
}

/* Collective. Draw points, and get those of this rank's cells, in the order of their numbers. */
static pen_status draw(pen_comm *comm, const geometry *m, int64_t nodes, uint64_t seed, pen_blocks *drawn)
{
    int64_t begin = pen_block_begin(nodes, comm->size, comm->rank);
    int64_t count = pen_block_begin(nodes, comm->size, comm->rank + 1) - begin;
    point *points = NULL;
    int *to = NULL;
    pen_status status = PEN_ALLOC(&points, count);
    if (status == PEN_OK) status = PEN_ALLOC(&to, count);
    for (int64_t i = 0; status == PEN_OK && i < count; i++) {
        uint64_t number = pen_mix(seed) + 2 * (uint64_t)(begin + i);
        points[i] = (point){ 0, pen_unit_real(pen_mix(number)), pen_unit_real(pen_mix(number + 1)) };
        to[i] = pen_block_rank(m->cells, comm->size, cell_of(m, &points[i]));
    }
    status = pen_sparse_send(comm, status, count, to, points, sizeof *points, drawn);
    PEN_FREE_ALL(to, points);
    return status;
}

/* Find where each of the cells [begin, end) begins among `count` points of these cells; allocates
 * starts[end-begin+1]. */
static pen_status find_cells(const geometry *m, int64_t begin, int64_t end, const point *points, int64_t count,
                             int64_t **starts)
{
    PEN_TRY(PEN_ALLOC_ZERO(starts, end - begin + 1));
    int64_t *s = *starts;
    for (int64_t i = 0; i < count; i++) s[cell_of(m, &points[i]) - begin + 1]++;
    for (int64_t c = 0; c < end - begin; c++) s[c + 1] += s[c];
    return PEN_OK;
}

/* Order the points by cells, stably, and number them from g->first. Sets g->count, rows and, if requested,
 * coordinates. */
static pen_status take_points(pen_graph *g, const geometry *m, const pen_blocks *drawn, bool coordinates, point **own)
{
    int64_t count, *next = NULL;
    const point *points = points_in(drawn, &count);
    pen_lid narrow;
    PEN_TRY(pen_to_lid(count, "nodes", &narrow));
    PEN_TRY(PEN_ALLOC(own, count));
    PEN_TRY(PEN_ALLOC_ZERO(&g->rows, count + 1));
    g->dimensions = coordinates ? 2 : 0;
    if (coordinates) PEN_TRY(PEN_ALLOC(&g->coordinates, 2 * count));
    PEN_TRY(find_cells(m, m->begin, m->end, points, count, &next));
    g->count = narrow;
    for (int64_t i = 0; i < count; i++) {
        int64_t at = next[cell_of(m, &points[i]) - m->begin]++;
        (*own)[at] = (point){ g->first + at, points[i].x, points[i].y };
        if (coordinates) memcpy(&g->coordinates[2 * at], &points[i].x, 2 * sizeof(double));
    }
    free(next);
    return PEN_OK;
}

/* Find the cell and its neighbours: up to three runs of cells, each from first to last. Returns the number of runs. */
static int cells_around(const geometry *m, int64_t cell, int64_t runs[3][2])
{
    int64_t row = cell / m->side, column = cell % m->side;
    int n = 0;
    for (int64_t r = row > 0 ? row - 1 : 0; r <= row + 1 && r < m->side; r++, n++) {
        runs[n][0] = r * m->side + (column > 0 ? column - 1 : 0);
        runs[n][1] = r * m->side + (column < m->side - 1 ? column + 1 : column);
    }
    return n;
}

/* Find the ranks, including this one, that have cells around the point's cell. Returns their number. */
static int ranks_around(const pen_comm *comm, const geometry *m, const point *p, int ranks[9])
{
    int64_t runs[3][2];
    int n = 0, count = cells_around(m, cell_of(m, p), runs);
    for (int i = 0; i < count; i++) {
        int rank = pen_block_rank(m->cells, comm->size, runs[i][0]);
        int last = pen_block_rank(m->cells, comm->size, runs[i][1]);
        for (; rank <= last; rank++)
            if (n == 0 || rank > ranks[n - 1]) ranks[n++] = rank;
    }
    return n;
}

/* Collective. Get all points of this rank's cells and of the cells around them, ascending by gid. */
static pen_status gather(pen_graph *g, pen_status mine, const geometry *m, const point *own, pen_blocks *near)
{
    int64_t count = 0;
    int ranks[9], *to = NULL;
    point *copies = NULL;
    for (pen_lid i = 0; mine == PEN_OK && i < g->count; i++) count += ranks_around(g->comm, m, &own[i], ranks);
    if (mine == PEN_OK) mine = PEN_ALLOC(&copies, count);
    if (mine == PEN_OK) mine = PEN_ALLOC(&to, count);
    for (int64_t i = 0, k = 0; mine == PEN_OK && k < count; i++)
        for (int j = 0, n = ranks_around(g->comm, m, &own[i], ranks); j < n; j++, k++) {
            copies[k] = own[i];
            to[k] = ranks[j];
        }
    mine = pen_sparse_send(g->comm, mine, count, to, copies, sizeof *copies, near);
    PEN_FREE_ALL(to, copies);
    return mine;
}

/* Find the neighbours of a point, in ascending order, and write them to `neighbors` unless that is NULL. Returns their
 * number. points[starts[i]] is the first point of cell `begin` + i. */
static int64_t find_neighbors(const geometry *m, const point *p, const point *points, const int64_t *starts,
                              int64_t begin, pen_gid *neighbors)
{
    int64_t runs[3][2], n = 0;
    int count = cells_around(m, cell_of(m, p), runs);
    for (int i = 0; i < count; i++)
        for (int64_t k = starts[runs[i][0] - begin]; k < starts[runs[i][1] + 1 - begin]; k++) {
            double x = points[k].x - p->x, y = points[k].y - p->y;
            if (x * x + y * y > m->radius * m->radius || points[k].gid == p->gid) continue;
            if (neighbors) neighbors[n] = points[k].gid;
            n++;
        }
    return n;
}

static pen_status connect(pen_graph *g, const geometry *m, const point *own, const pen_blocks *near)
{
    int64_t begin = m->begin - m->side - 1, end = m->end + m->side + 1, count, *starts;
    const point *points = points_in(near, &count);
    if (begin < 0) begin = 0;
    if (end > m->cells) end = m->cells;
    PEN_TRY(find_cells(m, begin, end, points, count, &starts));
    for (pen_lid i = 0; i < g->count; i++)
        g->rows[i + 1] = g->rows[i] + find_neighbors(m, &own[i], points, starts, begin, NULL);
    pen_status status = PEN_ALLOC(&g->neighbors, g->rows[g->count]);
    for (pen_lid i = 0; status == PEN_OK && i < g->count; i++)
        find_neighbors(m, &own[i], points, starts, begin, g->neighbors + g->rows[i]);
    free(starts);
    return status;
}

static pen_status make_geometric(pen_graph *g, int64_t nodes, double radius, uint64_t seed, bool coordinates)
{
    const geometry m = make_cells(g->comm, nodes, radius);
    pen_blocks drawn = { 0 }, near = { 0 };
    point *own = NULL;
    g->nodes = nodes;
    g->dense = true;
    PEN_TRY(draw(g->comm, &m, nodes, seed, &drawn));
    int64_t count;
    points_in(&drawn, &count);
    pen_status status = pen_prefix_int(g->comm, count, &g->first);
    if (status == PEN_OK) status = take_points(g, &m, &drawn, coordinates, &own);
    pen_blocks_free(&drawn);
    status = gather(g, status, &m, own, &near);
    if (status == PEN_OK) status = connect(g, &m, own, &near);
    pen_blocks_free(&near);
    free(own);
    return status;
}

pen_status pen_generate_geometric(pen_graph *g, char *settings)
{
    int64_t nodes = 0, seed = 1;
    double degree = NAN, radius = NAN;
    bool coordinates = false;
    const pen_option options[] = {
        { "nodes", "N", "", PEN_OPTION_INT, &nodes, 1, INT64_C(1) << 60 },
        { "degree", "D", "", PEN_OPTION_REAL, &degree, 0, 0 },
        { "radius", "R", "", PEN_OPTION_REAL, &radius, 0, 0 },
        { "seed", "N", "", PEN_OPTION_INT, &seed, 0, INT64_MAX },
        { "coordinates", NULL, "", PEN_OPTION_FLAG, &coordinates, 0, 0 },
        { .name = NULL },
    };
    PEN_TRY(pen_settings_parse("generator geometric", settings, options));
    if (nodes == 0) return pen_fail(PEN_ERR_INPUT, "generator geometric needs nodes=N");
    if (!isnan(degree) && !isnan(radius)) return pen_fail(PEN_ERR_INPUT, "generator geometric: give degree or radius");
    if (degree < 0 || radius < 0) return pen_fail(PEN_ERR_INPUT, "generator geometric: degree and radius must be >= 0");
    if (isnan(degree)) degree = 6;
    if (isnan(radius)) radius = sqrt(degree / (3.141592653589793 * (double)nodes));
    return make_geometric(g, nodes, radius, (uint64_t)seed, coordinates);
}

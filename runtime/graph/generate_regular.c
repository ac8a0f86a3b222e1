/* generate_regular.c - graphs whose neighbours follow from a formula: hexagons, meshes, tori, trees.
 *
 * They are valid by construction: each formula gives distinct neighbours in range, in ascending order, and is
 * symmetric. */
#include "base/memory.h"
#include "base/options.h"
#include "graph/generate.h"

enum { MOST = 6 };

typedef struct shape shape;

/* A function that gives the neighbours of a node in ascending order, and returns their number. */
typedef int neighbors_fn(const shape *s, pen_gid gid, pen_gid neighbors[MOST]);

struct shape {
    int64_t sizes[3]; /* numbers of nodes in each dimension; the first coordinate varies fastest with the gid */
    int dimensions;
    bool around; /* opposite sides of the mesh are joined */
    neighbors_fn *neighbors;
    pen_grid grid;
};

static pen_status make_rows(pen_graph *g, const shape *s)
{
    PEN_TRY(pen_generate_block(g, s->sizes[0] * s->sizes[1] * s->sizes[2]));
    g->grid = s->grid;
    g->width = s->sizes[0];
    g->height = s->sizes[1];
    g->depth = s->sizes[2];
    PEN_TRY(PEN_ALLOC(&g->neighbors, MOST * (int64_t)g->count));
    for (pen_lid i = 0; i < g->count; i++)
        g->rows[i + 1] = g->rows[i] + s->neighbors(s, g->first + i, g->neighbors + g->rows[i]);
    return PEN_REALLOC(&g->neighbors, g->rows[g->count]);
}

static pen_status place_nodes(pen_graph *g, const shape *s)
{
    const pen_world grid = pen_graph_world(g);
    PEN_TRY(PEN_ALLOC(&g->coordinates, (int64_t)g->count * s->dimensions));
    g->dimensions = s->dimensions;
    for (pen_lid i = 0; i < g->count; i++) {
        double at[3];
        pen_grid_place(&grid, g->first + i, at);
        memcpy(g->coordinates + (int64_t)i * s->dimensions, at, (size_t)s->dimensions * sizeof *at);
    }
    return PEN_OK;
}

/* Parse "coordinates", the only setting except the sizes. */
static pen_status parse_coordinates(const char *owner, char *settings, bool *coordinates)
{
    const pen_option options[] = { { "coordinates", NULL, "", PEN_OPTION_FLAG, coordinates, 0, 0 }, { .name = NULL } };
    return pen_settings_parse(owner, settings, options);
}

static int hex_neighbors(const shape *s, pen_gid gid, pen_gid neighbors[MOST])
{
    int64_t width = s->sizes[0], height = s->sizes[1];
    /* `left` is the column of the left neighbours in the rows above and below. */
    int64_t row = gid / width, column = gid % width, left = column - (row % 2 == 0);
    int n = 0;
    for (int64_t r = row - 1; r <= row + 1; r++) {
        if (r < 0 || r >= height) continue;
        for (int side = 0; side < 2; side++) {
            int64_t c = r == row ? column - 1 + 2 * side : left + side;
            if (c >= 0 && c < width) neighbors[n++] = r * width + c;
        }
    }
    return n;
}

pen_status pen_generate_hex(pen_graph *g, char *settings)
{
    shape s = { .neighbors = hex_neighbors, .grid = PEN_GRID_HEX };
    bool coordinates = false;
    PEN_TRY(pen_generate_sizes("hex", &settings, 2, 2, s.sizes, &s.dimensions));
    PEN_TRY(parse_coordinates("generator hex", settings, &coordinates));
    PEN_TRY(make_rows(g, &s));
    return coordinates ? place_nodes(g, &s) : PEN_OK;
}

static void insert(pen_gid *neighbors, int *count, pen_gid neighbor)
{
    int i = (*count)++;
    for (; i > 0 && neighbors[i - 1] > neighbor; i--) neighbors[i] = neighbors[i - 1];
    neighbors[i] = neighbor;
}

/* Neighbours in a mesh or torus. A ring of two nodes has one edge, and a ring of one node none, as in a mesh. */
static int mesh_neighbors(const shape *s, pen_gid gid, pen_gid neighbors[MOST])
{
    int n = 0;
    int64_t stride = 1, rest = gid;
    for (int d = 0; d < s->dimensions; d++) {
        int64_t size = s->sizes[d], at = rest % size;
        bool around = s->around && size > 2;
        if (at > 0 || around) insert(neighbors, &n, at > 0 ? gid - stride : gid + (size - 1) * stride);
        if (at < size - 1 || around) insert(neighbors, &n, at < size - 1 ? gid + stride : gid - (size - 1) * stride);
        rest /= size;
        stride *= size;
    }
    return n;
}

static pen_status make_mesh(pen_graph *g, const char *kind, bool around, char *settings)
{
    shape s = { .around = around, .neighbors = mesh_neighbors, .grid = around ? PEN_GRID_TORUS : PEN_GRID_SQUARE };
    char owner[32];
    bool coordinates = false;
    snprintf(owner, sizeof owner, "generator %s", kind);
    PEN_TRY(pen_generate_sizes(kind, &settings, 2, 3, s.sizes, &s.dimensions));
    PEN_TRY(parse_coordinates(owner, settings, &coordinates));
    PEN_TRY(make_rows(g, &s));
    return coordinates ? place_nodes(g, &s) : PEN_OK;
}

pen_status pen_generate_mesh(pen_graph *g, char *settings) { return make_mesh(g, "mesh", false, settings); }
pen_status pen_generate_torus(pen_graph *g, char *settings) { return make_mesh(g, "torus", true, settings); }

/* Nodes are numbered like a heap: the children of i are arity * i + 1 to arity * i + arity, as far as these exist.
 * Returns the number of children. */
static int64_t children(const pen_graph *g, int64_t arity, pen_gid gid, pen_gid *first)
{
    *first = 0;
    if (gid > (g->nodes - 1) / arity) return 0; /* the test avoids overflow */
    *first = arity * gid + 1;
    return g->nodes - *first < arity ? g->nodes - *first : arity;
}

/* Place the nodes of level l at y = l, with equal distances in x from 0 to 1. */
static pen_status place_tree(pen_graph *g, int64_t arity)
{
    /* Of the present level: its first gid, its largest number of nodes, and its number. */
    double first = 0.0, width = 1.0, level = 0.0;
    PEN_TRY(PEN_ALLOC(&g->coordinates, 2 * (int64_t)g->count));
    g->dimensions = 2;
    if (arity == 1) first = level = (double)g->first;
    for (pen_lid i = 0; i < g->count; i++) {
        const double gid = (double)(g->first + i);
        for (; gid >= first + width; level++, width *= (double)arity) first += width;
        g->coordinates[2 * (int64_t)i] = (gid - first + 0.5) / width;
        g->coordinates[2 * (int64_t)i + 1] = level;
    }
    return PEN_OK;
}

pen_status pen_generate_tree(pen_graph *g, char *settings)
{
    int64_t nodes = 0, arity = 2;
    bool coordinates = false;
    const int64_t most = INT64_C(1) << 62;
    const pen_option options[] = {
        { "nodes", "N", "", PEN_OPTION_INT, &nodes, 1, most },
        { "arity", "K", "", PEN_OPTION_INT, &arity, 1, most },
        { "coordinates", NULL, "", PEN_OPTION_FLAG, &coordinates, 0, 0 },
        { .name = NULL },
    };
    PEN_TRY(pen_settings_parse("generator tree", settings, options));
    if (nodes == 0) return pen_fail(PEN_ERR_INPUT, "generator tree needs nodes=N");
    PEN_TRY(pen_generate_block(g, nodes));
    pen_gid child;
    for (pen_lid i = 0; i < g->count; i++)
        g->rows[i + 1] = g->rows[i] + (g->first + i > 0) + children(g, arity, g->first + i, &child);
    PEN_TRY(PEN_ALLOC(&g->neighbors, g->rows[g->count]));
    for (pen_lid i = 0; i < g->count; i++) {
        pen_gid gid = g->first + i, *neighbors = g->neighbors + g->rows[i];
        int64_t n = children(g, arity, gid, &child);
        if (gid > 0) *neighbors++ = (gid - 1) / arity;
        for (int64_t k = 0; k < n; k++) neighbors[k] = child + k;
    }
    return coordinates ? place_tree(g, arity) : PEN_OK;
}

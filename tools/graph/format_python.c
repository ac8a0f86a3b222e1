/* format_python.c - formats that the Python package reads and writes (tools/python/penumbra/formats.py).
 *
 * To read a format, penumbra_formats.py gets the text and returns a graph; to write one, it gets a graph and returns
 * the text. A graph is a frame, and after it the arrays that the frame announces. */
#include "tools/common/python.h"
#include "tools/graph/arcs.h"
#include "tools/graph/format.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* How a graph comes: not at all; as arcs to be merged (pen_arc_list_graph) or kept (pen_arc_list_rows); as rows. */
enum { FORM_NONE, FORM_MERGED, FORM_KEPT, FORM_ROWS };

/* The head of a graph, 8-byte integers in the machine's order; formats.py has the same. */
typedef struct frame {
    int64_t form, has; /* has: HOLDS_SIZES, HOLDS_EDGE_WEIGHTS, HOLDS_VALUES, HOLDS_LABELS, HOLDS_PARTS */
    int64_t nodes, arcs, weight_count, dimensions, base, directed, grid, width, height, depth;
    int64_t values, gaps;                            /* notes of the reader */
    int64_t names_size, columns_size, messages_size; /* bytes of texts that follow the arrays */
} frame;

/* ---- The arrays of a graph ---------------------------------------------------------------------- */

typedef struct array {
    void **memory; /* place of the array's address */
    int64_t size;  /* bytes; 0: there is no such array */
} array;

enum { ARRAYS = 9 };

/* The arrays of a graph in the order of the socket. Arcs come as `ends` in place of rows and neighbours. */
static void list_arrays(const frame *f, file_graph *g, arc_list *list, array arrays[ARRAYS])
{
    const bool rows = f->form == FORM_ROWS, arcs = f->form == FORM_MERGED || f->form == FORM_KEPT;
    const int64_t word = sizeof(int64_t);
    const array all[ARRAYS] = {
        { (void **)(rows ? &g->rows : &list->ends), rows ? word * (f->nodes + 1) : arcs * 2 * word * f->arcs },
        { (void **)&g->neighbors, rows * word * f->arcs },
        { (void **)(rows ? &g->edge_weights : &list->weights), f->has & HOLDS_EDGE_WEIGHTS ? word * f->arcs : 0 },
        { (void **)(rows ? &g->values : &list->values), f->has & HOLDS_VALUES ? word * f->arcs : 0 },
        { (void **)&g->node_weights, word * f->nodes * f->weight_count },
        { (void **)&g->node_sizes, f->has & HOLDS_SIZES ? word * f->nodes : 0 },
        { (void **)&g->labels, f->has & HOLDS_LABELS ? word * f->nodes : 0 },
        { (void **)&g->part, f->has & HOLDS_PARTS ? 4 * f->nodes : 0 },
        { (void **)&g->coordinates, word * f->nodes * f->dimensions },
    };
    memcpy(arrays, all, sizeof all);
}

static pen_status get_array(const python *p, void **memory, int64_t size)
{
    PEN_TRY(pen_alloc(memory, size, 1));
    return pen_python_get(p, *memory, size) == size ? PEN_OK
                                                    : pen_fail(PEN_ERR_ENVIRONMENT, "the Python process has ended");
}

/* ---- Reading ------------------------------------------------------------------------------------ */

/* Add the findings of the lines "error|note LINE COLUMN TEXT". A line "needs TEXT" is a failure. */
static pen_status add_messages(char *messages, const char *name, findings *f)
{
    for (char *line = messages, *next; *line; line = next) {
        char kind[8] = "";
        long long row = 0, column = 0;
        int begin = 0;
        next = line + strcspn(line, "\n");
        if (*next) *next++ = '\0';
        if (strncmp(line, "needs ", 6) == 0) return pen_fail(PEN_ERR_ENVIRONMENT, "%s: %s", name, line + 6);
        if (sscanf(line, "%7s %lld %lld %n", kind, &row, &column, &begin) == 3 && begin > 0)
            pen_findings_add(f, strcmp(kind, "note") == 0 ? FINDING_NOTE : FINDING_ERROR, row, column, "%s",
                             line + begin);
    }
    return PEN_OK;
}

/* Set the beginnings of the names, which are one after the other, each with its end. */
static pen_status take_names(file_graph *g, int64_t size)
{
    int64_t at = 0, node = 0;
    PEN_TRY(PEN_ALLOC(&g->name_begins, g->nodes));
    for (; node < g->nodes && at < size; node++) {
        g->name_begins[node] = at;
        at += (int64_t)strnlen(g->names + at, (size_t)(size - at)) + 1;
    }
    return node == g->nodes && at == size ? PEN_OK : pen_fail(PEN_ERR_INTERNAL, "names of other nodes");
}

static pen_status take_graph(const frame *f, arc_list *list, file_graph *g)
{
    const int64_t *nodes = f->form == FORM_ROWS ? g->neighbors : list->ends;
    for (int64_t i = 0; i < (f->form == FORM_ROWS ? 1 : 2) * f->arcs; i++)
        if (nodes[i] < 0 || nodes[i] >= f->nodes) return pen_fail(PEN_ERR_INTERNAL, "an arc to no node");
    list->count = f->arcs;
    list->weighted = f->has & HOLDS_EDGE_WEIGHTS;
    list->valued = f->has & HOLDS_VALUES;
    if (f->form == FORM_ROWS) return PEN_OK;
    return (f->form == FORM_MERGED ? pen_arc_list_graph : pen_arc_list_rows)(list, f->nodes, g);
}

/* Receive a graph, after its frame. */
static pen_status get_graph(const python *p, const frame *f, file_graph *g, arc_list *list)
{
    array arrays[ARRAYS];
    char *columns = NULL;
    g->weight_count = f->weight_count;
    g->dimensions = (int)f->dimensions;
    g->base = f->base;
    g->directed = f->directed != 0;
    g->grid = (pen_grid)f->grid;
    g->width = f->width;
    g->height = f->height;
    g->depth = f->depth;
    g->notes.values = f->values;
    g->notes.gaps = f->gaps;
    list_arrays(f, g, list, arrays);
    for (int k = 0; k < ARRAYS; k++)
        if (arrays[k].size > 0) PEN_TRY(get_array(p, arrays[k].memory, arrays[k].size));
    g->nodes = f->form == FORM_NONE ? 0 : f->nodes;
    if (f->names_size > 0) PEN_TRY(get_array(p, (void **)&g->names, f->names_size));
    if (f->names_size > 0) PEN_TRY(take_names(g, f->names_size));
    const pen_status status = get_array(p, (void **)&columns, f->columns_size);
    if (status == PEN_OK) snprintf(g->notes.columns, sizeof g->notes.columns, "%.*s", (int)f->columns_size, columns);
    free(columns);
    return status;
}

/* Receive the answer. *f is its frame, and the graph has what came with it. */
static pen_status get_answer(const python *p, const char *name, const char *format, file_graph *g, arc_list *list,
                             findings *found, frame *f)
{
    char *messages = NULL;
    if (pen_python_get(p, f, sizeof *f) != sizeof *f)
        return pen_fail(PEN_ERR_ENVIRONMENT,
                        "%s: format %s needs Python 3 and Penumbra's Python package (Debian's is python3-penumbra)",
                        name, format);
    PEN_TRY(get_graph(p, f, g, list));
    PEN_TRY(PEN_ALLOC_ZERO(&messages, f->messages_size + 1));
    const bool whole = pen_python_get(p, messages, f->messages_size) == f->messages_size;
    const pen_status status = whole ? add_messages(messages, name, found)
                                    : pen_fail(PEN_ERR_ENVIRONMENT, "the Python process has ended");
    free(messages);
    return status;
}

static pen_status read_python(const graph_format *format, pen_scanner *in, const format_options *options, file_graph *g,
                              findings *found)
{
    char common[40];
    snprintf(common, sizeof common, "common=%" PRId64, options->common);
    const char *words[] = { "reading", format->name, common, NULL, NULL, NULL, NULL, NULL };
    int count = 3;
    python p;
    frame f;
    arc_list list = { 0 };
    if (options->directed) words[count++] = "directed";
    if (options->nodal) words[count++] = "nodal";
    if (options->reals) words[count++] = "reals";
    if (format->read_path) words[count++] = in->name; /* which Python opens */
    PEN_TRY(pen_python_start("penumbra_formats.py", words, &p));
    for (; pen_scanner_more(in); in->at = in->end) pen_python_put(&p, in->at, in->end - in->at);
    pen_python_put_end(&p);
    pen_status status = in->status;
    if (status == PEN_OK) status = get_answer(&p, in->name, format->name, g, &list, found, &f);
    status = pen_python_finish(&p, status);
    if (status == PEN_OK && f.form == FORM_NONE) {
        status = pen_findings_status(found, in->name);
        if (status == PEN_OK) status = pen_fail(PEN_ERR_INTERNAL, "%s: no graph, and no reason", in->name);
    }
    if (status == PEN_OK) status = take_graph(&f, &list, g);
    pen_arc_list_free(&list);
    return status;
}

extern const graph_format pen_format_meshio; /* below */

static pen_status read_meshio(const char *path, const format_options *options, file_graph *g, findings *found)
{
    pen_scanner none = { .name = path, .at = path, .end = path, .ended = true };
    if (strcmp(path, "-") != 0 && access(path, R_OK) != 0)
        return pen_fail(PEN_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    return read_python(&pen_format_meshio, &none, options, g, found);
}

/* ---- Writing ------------------------------------------------------------------------------------ */

static unsigned arrays_of(const file_graph *g)
{
    return (g->node_sizes ? HOLDS_SIZES : 0U) | (g->edge_weights ? HOLDS_EDGE_WEIGHTS : 0U) |
           (g->values ? HOLDS_VALUES : 0U) | (g->labels ? HOLDS_LABELS : 0U) | (g->part ? HOLDS_PARTS : 0U);
}

static void put_graph(const python *p, const file_graph *g)
{
    frame f = { .form = FORM_ROWS,
                .has = arrays_of(g),
                .nodes = g->nodes,
                .arcs = pen_file_graph_arcs(g),
                .weight_count = g->weight_count,
                .dimensions = g->dimensions,
                .base = g->base,
                .directed = g->directed,
                .grid = g->grid,
                .width = g->width,
                .height = g->height,
                .depth = g->depth };
    file_graph all = *g;
    arc_list none = { 0 };
    array arrays[ARRAYS];
    list_arrays(&f, &all, &none, arrays);
    for (int64_t i = 0; g->names && i < g->nodes; i++) f.names_size += (int64_t)strlen(pen_file_graph_name(g, i)) + 1;
    pen_python_put(p, &f, sizeof f);
    for (int k = 0; k < ARRAYS; k++) pen_python_put(p, *arrays[k].memory, arrays[k].size);
    for (int64_t i = 0; g->names && i < g->nodes; i++)
        pen_python_put(p, pen_file_graph_name(g, i), (int64_t)strlen(pen_file_graph_name(g, i)) + 1);
    pen_python_put_end(p);
}

static pen_status write_python(const graph_format *format, const file_graph *g, writer *out)
{
    const char *const words[] = { "writing", format->name, NULL };
    char text[65536];
    findings found;
    file_graph none = { 0 };
    arc_list list = { 0 };
    python p;
    frame f;
    PEN_TRY(pen_python_start("penumbra_formats.py", words, &p));
    put_graph(&p, g);
    pen_findings_init(&found, 1);
    pen_status status = get_answer(&p, "writing", format->name, &none, &list, &found, &f);
    pen_findings_free(&found);
    for (int64_t size; status == PEN_OK && (size = pen_python_get(&p, text, sizeof text)) > 0;)
        pen_writer_bytes(out, text, size);
    return pen_python_finish(&p, status);
}

/* ---- The formats -------------------------------------------------------------------------------- */

enum {
    LISTED = HOLDS_NO_NODES | HOLDS_NO_EDGES, /* what lists of edges hold */
    ARCS = LISTED | HOLDS_EDGE_WEIGHTS | HOLDS_ANY_EDGE_WEIGHTS | HOLDS_DIRECTED | HOLDS_ORDER,
    MESH = LISTED | HOLDS_ISOLATED,
    XML = LISTED | HOLDS_NODE_WEIGHT | HOLDS_NODE_WEIGHTS | HOLDS_SIZES | HOLDS_EDGE_WEIGHTS | HOLDS_LABELS |
          HOLDS_DIRECTED | HOLDS_ISOLATED | HOLDS_LOOPS | HOLDS_DUPLICATES | HOLDS_COORDINATES |
          HOLDS_ZERO_NODE_WEIGHTS | HOLDS_ANY_EDGE_WEIGHTS | HOLDS_NEGATIVE_NODE_WEIGHTS | HOLDS_NAMES | HOLDS_VALUES |
          HOLDS_PARTS
};

#define BY_PYTHON .python = true, .read = read_python
#define PYTHON_FORMAT(id, writes, has, ends, text)                                                      \
    const graph_format pen_format_##id = {                                                              \
        .name = #id, .endings = (ends), .summary = (text), .holds = (has), BY_PYTHON, .write = (writes) \
    }

PYTHON_FORMAT(dimacs9, write_python, ARCS | HOLDS_ISOLATED, ".gr",
              "DIMACS-9 shortest paths: weighted arcs; reads PACE and Galois as well");
PYTHON_FORMAT(pace, write_python, LISTED | HOLDS_ISOLATED, "",
              "PACE (.gr, told from DIMACS-9 by content): edges without weights");
PYTHON_FORMAT(galois, write_python, ARCS | HOLDS_ISOLATED, "",
              "Galois binary (.gr, told from DIMACS-9 by content), also with weights");
PYTHON_FORMAT(col, write_python, LISTED | HOLDS_ISOLATED, ".col", "DIMACS colouring: edges without weights");
PYTHON_FORMAT(parhip, write_python,
              LISTED | HOLDS_NODE_WEIGHT | HOLDS_EDGE_WEIGHTS | HOLDS_ISOLATED | HOLDS_ZERO_NODE_WEIGHTS |
                  HOLDS_ANY_EDGE_WEIGHTS | HOLDS_NEGATIVE_NODE_WEIGHTS | HOLDS_ORDER,
              ".bgf .parhip", "ParHIP binary, also with weights");
PYTHON_FORMAT(snap, write_python, ARCS | HOLDS_LABELS, ".el .wel .edgelist .edges .txt",
              "SNAP edge list, also with weights; read: ids may be names");
PYTHON_FORMAT(mesh, NULL, MESH | HOLDS_NODE_WEIGHT | HOLDS_NODE_WEIGHTS | HOLDS_ZERO_NODE_WEIGHTS, ".mesh",
              "METIS mesh: its dual graph, or with --nodal its nodal graph; cannot be written");
PYTHON_FORMAT(graphml, write_python, XML | HOLDS_GRID, ".graphml",
              "GraphML, with all properties of a graph as attributes");
PYTHON_FORMAT(gexf, write_python, XML, ".gexf", "GEXF, for Gephi");
const graph_format pen_format_meshio = {
    .name = "meshio",
    .endings = ".vtk .vtu .msh .xdmf .xmf .med .cgns .exo .ex2 .e .h5m .hmf .inp .avs .bdf .nas .fem .su2 .ugrid .vol "
               ".stl .ply .obj .off .mdpa .f3grid .post .dato .dat .tec .ele .node .meshb .wkt",
    .summary = "element meshes of 30 formats that meshio reads, as a graph with coordinates; see mesh",
    .holds = MESH | HOLDS_COORDINATES,
    .python = true,
    .read_path = read_meshio,
};

/* format_xml.c - writes GraphML and GEXF, for programs that show graphs. read_xml.c reads them.
 *
 * The id of a node is its label or number, as in other formats. Named nodes are numbered from 0, and the name is an
 * attribute (GraphML) or the label (GEXF). Attributes of nodes: weight (weight2, weight3, ...), size, part; in GraphML
 * also x, y, z, in GEXF a position. Edges have a weight; each is written once. GraphML has a grid's properties as
 * attributes of the graph: grid, width, height, depth. GEXF is version 1.2draft, which all readers know. */
#include "tools/graph/read_xml.h"

#ifdef PEN_HAVE_EXPAT
#define READ_GRAPHML pen_graphml_read
#define READ_GEXF pen_gexf_read
#else
#define READ_GRAPHML NULL
#define READ_GEXF NULL
#endif

/* Write a node's id in the file. */
static void write_id(writer *out, const file_graph *g, int64_t node)
{
    pen_writer_integer(out, g->names ? node : pen_file_graph_label(g, node));
}

/* The number of integer attributes of a node: its weights, size and part. */
static int64_t attribute_count(const file_graph *g)
{
    return g->weight_count + (g->node_sizes != NULL) + (g->part != NULL);
}

static void write_title(writer *out, const file_graph *g, int64_t attribute)
{
    if (attribute >= g->weight_count)
        pen_writer_text(out, g->node_sizes && attribute == g->weight_count ? "size" : "part");
    else if (attribute == 0) pen_writer_text(out, "weight");
    else pen_writer_print(out, "weight%" PRId64, attribute + 1);
}

static int64_t attribute_value(const file_graph *g, int64_t node, int64_t attribute)
{
    if (attribute < g->weight_count) return g->node_weights[node * g->weight_count + attribute];
    return g->node_sizes && attribute == g->weight_count ? g->node_sizes[node] : g->part[node];
}

static void write_weight(writer *out, const file_graph *g, int64_t arc)
{
    if (g->edge_weights) pen_writer_integer(out, g->edge_weights[arc]);
    else pen_writer_real(out, g->values[arc]);
}

/* Whether an entry is written: of the two entries of an undirected edge, the one in the row of the lower node; a loop
 * has one. */
static bool is_written(const file_graph *g, int64_t node, int64_t arc)
{
    return g->directed || g->neighbors[arc] >= node;
}

/* ---- GraphML -------------------------------------------------------------------------------- */

static void write_key(writer *out, const char *id, const char *of, const char *type)
{
    pen_writer_print(out, "<key id=\"%s\" for=\"%s\"", id, of);
    pen_writer_print(out, " attr.name=\"%s\" attr.type=\"%s\"/>\n", id[0] == 'e' ? "weight" : id, type);
}

static void write_keys(writer *out, const file_graph *g)
{
    for (int64_t a = 0; a < attribute_count(g); a++) {
        pen_writer_print(out, "<key id=\"a%" PRId64 "\" for=\"node\" attr.name=\"", a);
        write_title(out, g, a);
        pen_writer_text(out, "\" attr.type=\"long\"/>\n");
    }
    if (g->names) write_key(out, "name", "node", "string");
    for (int d = 0; d < g->dimensions; d++) write_key(out, (const char *[]){ "x", "y", "z" }[d], "node", "double");
    if (g->values || g->edge_weights) write_key(out, "e", "edge", g->edge_weights ? "long" : "double");
    if (g->width == 0) return;
    write_key(out, "grid", "graph", "string");
    write_key(out, "width", "graph", "long");
    write_key(out, "height", "graph", "long");
    write_key(out, "depth", "graph", "long");
}

static void write_grid(writer *out, const file_graph *g)
{
    static const char *const kinds[] = {
        [PEN_GRID_NONE] = "unknown", [PEN_GRID_SQUARE] = "mesh", [PEN_GRID_HEX] = "hex", [PEN_GRID_TORUS] = "torus"
    };
    if (g->width == 0) return;
    pen_writer_print(out, "<data key=\"grid\">%s</data>", kinds[g->grid]);
    pen_writer_print(out, "<data key=\"width\">%" PRId64 "</data>", g->width);
    pen_writer_print(out, "<data key=\"height\">%" PRId64 "</data>", g->height);
    pen_writer_print(out, "<data key=\"depth\">%" PRId64 "</data>\n", g->depth);
}

static void write_graphml_node(writer *out, const file_graph *g, int64_t i)
{
    pen_writer_text(out, "<node id=\"");
    write_id(out, g, i);
    pen_writer_text(out, "\">");
    for (int64_t a = 0; a < attribute_count(g); a++) {
        pen_writer_print(out, "<data key=\"a%" PRId64 "\">", a);
        pen_writer_integer(out, attribute_value(g, i, a));
        pen_writer_text(out, "</data>");
    }
    if (g->names) {
        pen_writer_text(out, "<data key=\"name\">");
        pen_writer_xml(out, pen_file_graph_name(g, i));
        pen_writer_text(out, "</data>");
    }
    for (int d = 0; d < g->dimensions; d++) {
        pen_writer_print(out, "<data key=\"%c\">", "xyz"[d]);
        pen_writer_real(out, g->coordinates[i * g->dimensions + d]);
        pen_writer_text(out, "</data>");
    }
    pen_writer_text(out, "</node>\n");
}

static void write_graphml_edge(writer *out, const file_graph *g, int64_t from, int64_t arc)
{
    pen_writer_text(out, "<edge source=\"");
    write_id(out, g, from);
    pen_writer_text(out, "\" target=\"");
    write_id(out, g, g->neighbors[arc]);
    if (g->values || g->edge_weights) {
        pen_writer_text(out, "\"><data key=\"e\">");
        write_weight(out, g, arc);
        pen_writer_text(out, "</data></edge>\n");
    } else {
        pen_writer_text(out, "\"/>\n");
    }
}

static pen_status write_graphml(const file_graph *g, writer *out)
{
    pen_writer_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                         "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\"\n"
                         "  xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"\n"
                         "  xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns"
                         " http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n");
    write_keys(out, g);
    pen_writer_print(out, "<graph edgedefault=\"%s\">\n", g->directed ? "directed" : "undirected");
    write_grid(out, g);
    for (int64_t i = 0; i < g->nodes; i++) write_graphml_node(out, g, i);
    for (int64_t i = 0; i < g->nodes; i++)
        for (int64_t a = g->rows[i]; a < g->rows[i + 1]; a++)
            if (is_written(g, i, a)) write_graphml_edge(out, g, i, a);
    pen_writer_text(out, "</graph>\n</graphml>\n");
    return PEN_OK;
}

/* ---- GEXF ----------------------------------------------------------------------------------- */

static void write_attributes(writer *out, const file_graph *g)
{
    if (attribute_count(g) == 0) return;
    pen_writer_text(out, "<attributes class=\"node\">\n");
    for (int64_t a = 0; a < attribute_count(g); a++) {
        pen_writer_print(out, "<attribute id=\"%" PRId64 "\" title=\"", a);
        write_title(out, g, a);
        pen_writer_text(out, "\" type=\"long\"/>\n");
    }
    pen_writer_text(out, "</attributes>\n");
}

static void write_position(writer *out, const file_graph *g, int64_t i)
{
    pen_writer_text(out, "<viz:position");
    for (int d = 0; d < 3; d++) {
        pen_writer_print(out, " %c=\"", "xyz"[d]);
        pen_writer_real(out, d < g->dimensions ? g->coordinates[i * g->dimensions + d] : 0.0);
        pen_writer_char(out, '"');
    }
    pen_writer_text(out, "/>");
}

static void write_gexf_node(writer *out, const file_graph *g, int64_t i)
{
    pen_writer_text(out, "<node id=\"");
    write_id(out, g, i);
    pen_writer_text(out, "\" label=\"");
    if (g->names) pen_writer_xml(out, pen_file_graph_name(g, i));
    else write_id(out, g, i);
    pen_writer_text(out, "\">");
    if (attribute_count(g) > 0) pen_writer_text(out, "<attvalues>");
    for (int64_t a = 0; a < attribute_count(g); a++) {
        pen_writer_print(out, "<attvalue for=\"%" PRId64 "\" value=\"", a);
        pen_writer_integer(out, attribute_value(g, i, a));
        pen_writer_text(out, "\"/>");
    }
    if (attribute_count(g) > 0) pen_writer_text(out, "</attvalues>");
    if (g->dimensions > 0) write_position(out, g, i);
    pen_writer_text(out, "</node>\n");
}

static void write_gexf_edge(writer *out, const file_graph *g, int64_t number, int64_t from, int64_t arc)
{
    pen_writer_text(out, "<edge id=\"");
    pen_writer_integer(out, number);
    pen_writer_text(out, "\" source=\"");
    write_id(out, g, from);
    pen_writer_text(out, "\" target=\"");
    write_id(out, g, g->neighbors[arc]);
    if (g->values || g->edge_weights) {
        pen_writer_text(out, "\" weight=\"");
        write_weight(out, g, arc);
    }
    pen_writer_text(out, "\"/>\n");
}

static pen_status write_gexf(const file_graph *g, writer *out)
{
    int64_t number = 0;
    pen_writer_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                         "<gexf xmlns=\"http://www.gexf.net/1.2draft\" xmlns:viz=\"http://www.gexf.net/1.2draft/viz\"\n"
                         "  version=\"1.2\">\n");
    pen_writer_print(out, "<graph mode=\"static\" defaultedgetype=\"%s\">\n", g->directed ? "directed" : "undirected");
    write_attributes(out, g);
    pen_writer_text(out, "<nodes>\n");
    for (int64_t i = 0; i < g->nodes; i++) write_gexf_node(out, g, i);
    pen_writer_text(out, "</nodes>\n<edges>\n");
    for (int64_t i = 0; i < g->nodes; i++)
        for (int64_t a = g->rows[i]; a < g->rows[i + 1]; a++)
            if (is_written(g, i, a)) write_gexf_edge(out, g, number++, i, a);
    pen_writer_text(out, "</edges>\n</graph>\n</gexf>\n");
    return PEN_OK;
}

/* ---- The table's entries -------------------------------------------------------------------- */

enum {
    HELD = HOLDS_NODE_WEIGHT | HOLDS_NODE_WEIGHTS | HOLDS_SIZES | HOLDS_EDGE_WEIGHTS | HOLDS_LABELS | HOLDS_DIRECTED |
           HOLDS_ISOLATED | HOLDS_LOOPS | HOLDS_DUPLICATES | HOLDS_COORDINATES | HOLDS_ZERO_NODE_WEIGHTS |
           HOLDS_ANY_EDGE_WEIGHTS | HOLDS_NEGATIVE_NODE_WEIGHTS | HOLDS_NO_NODES | HOLDS_NO_EDGES | HOLDS_NAMES |
           HOLDS_VALUES | HOLDS_PARTS
};

const graph_format pen_format_graphml = {
    .name = "graphml",
    .endings = ".graphml",
    .summary = "GraphML, with all properties of a graph as attributes",
    .holds = HELD | HOLDS_GRID,
    .read = READ_GRAPHML,
    .write = write_graphml,
};

const graph_format pen_format_gexf = {
    .name = "gexf",
    .endings = ".gexf",
    .summary = "GEXF, for Gephi",
    .holds = HELD,
    .read = READ_GEXF,
    .write = write_gexf,
};

/* read_xml.c - reads GraphML and GEXF of format_xml.c and of other programs.
 *
 * Ids that are integers are the graph's labels; other ids are names. If all nodes have a different "name" (GraphML) or
 * label (GEXF), and not all equal the ids, these are the names. Nodes are in the order of the file. Attributes of
 * nodes: weight (weight2, weight3, ...), size, part, and x, y, z (in GEXF the position). A node without one gets the
 * declared default, or else 1 for weights and sizes and 0 for the others. Edges have a weight, 1 by default. Other
 * attributes are ignored, and named in the notes. Loops and parallel edges are kept.
 *
 * Refused: hyperedges, graphs and nodes inside nodes, a second graph, graphs that change in time (GEXF), and entities.
 * In a directed graph, an edge that is declared undirected or mutual becomes two arcs. */
#include "tools/graph/read_xml.h"
#include "tools/graph/arcs.h"
#include "tools/graph/fields.h"
#include "tools/graph/names.h"

#include <expat.h>
#include <stdarg.h>
#include <stdlib.h>

/* The meanings of attributes. Numeric attributes of nodes have columns. */
enum { PART, SIZE, X, Y, Z, WEIGHT, MOST_WEIGHTS = 64, COLUMNS = WEIGHT + MOST_WEIGHTS };
enum { EDGE_WEIGHT = COLUMNS, NAME, GRID, WIDTH, HEIGHT, DEPTH, IGNORED };

typedef union cell {
    int64_t whole;
    double real; /* a real number, for the coordinates X, Y, Z */
} cell;

typedef struct column {
    bool there;
    cell usual, *cells; /* [count] values; the nodes after `count` have the usual value */
    int64_t count, room;
} column;

typedef struct reader {
    input *in;
    findings *f;
    file_graph *g;
    XML_Parser parser;
    pen_status status; /* the first failure, which stops reading */
    /* The first failure of reading, which stops it. */
    bool gexf, root, graph, in_node, in_edge;
    name_table keys; /* keys of declared attributes: 'n' (of nodes), 'e' or 'g', and the attribute's id */
    int *meanings;   /* [keys.count] meaning of each attribute */
    int64_t meaning_room;
    char class;           /* class of the attributes that are being declared (GEXF) */
    int64_t declared_key; /* number of the first attribute of the last declaration */
    int text_depth;       /* number of open elements, from the one whose text is collected; 0: no text is collected */
    int64_t text_key;     /* attribute of the text; -1: the text is ignored */
    bool text_usual;      /* the text is the usual value of the attribute */
    char *text;
    int64_t length, text_room;
    name_table ids, names;
    bool *declared; /* [declared_count] whether the node is declared */
    int64_t declared_count, declared_room, nodes;
    int64_t node;
    bool named, names_differ; /* all nodes so far have names; some name differs from its id */
    column columns[COLUMNS];
    arc_list arcs;
    bool weighted; /* some edge has had a weight */
    bool both;     /* the edge that is being read becomes two arcs */
    int64_t from, to, weight, usual_weight;
    double value, usual_value;
    int64_t others; /* number of weights of edges that are not integers */
    int64_t sides[3];
} reader;

/* ---- Errors --------------------------------------------------------------------------------- */

static void wrong(reader *r, const char *format, ...) PEN_PRINTF(2, 3);
static void wrong(reader *r, const char *format, ...)
{
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pen_findings_add(r->f, FINDING_ERROR, (int64_t)XML_GetCurrentLineNumber(r->parser),
                     (int64_t)XML_GetCurrentColumnNumber(r->parser) + 1, "%s", text);
}

static void stop(reader *r, pen_status status)
{
    if (status == PEN_OK || r->status != PEN_OK) return;
    r->status = status;
    XML_StopParser(r->parser, XML_FALSE);
}

static void refuse(reader *r, const char *what)
{
    const int64_t line = (int64_t)XML_GetCurrentLineNumber(r->parser);
    if (r->status == PEN_OK) stop(r, pen_field_refuse(r->in, r->f, line, "%s", what));
}

/* ---- Attributes ----------------------------------------------------------------------------- */

static const char *local_name(const char *name)
{
    const char *colon = strrchr(name, ':');
    return colon ? colon + 1 : name;
}

/* The value of an XML attribute of an element, or NULL. */
static const char *get(const char *const *attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp(local_name(attributes[0]), name) == 0) return attributes[1];
    return NULL;
}

static int meaning_of(const reader *r, char class, const char *title)
{
    static const struct {
        char class;
        const char *title;
        int meaning;
    } known[] = {
        { 'n', "weight", WEIGHT }, { 'n', "size", SIZE },   { 'n', "part", PART },     { 'n', "x", X },
        { 'n', "y", Y },           { 'n', "z", Z },         { 'n', "name", NAME },     { 'e', "weight", EDGE_WEIGHT },
        { 'g', "grid", GRID },     { 'g', "width", WIDTH }, { 'g', "height", HEIGHT }, { 'g', "depth", DEPTH },
    };
    for (int i = 0; i < PEN_COUNT_OF(known); i++)
        if (known[i].class == class && strcmp(known[i].title, title) == 0)
            return known[i].meaning == NAME && r->gexf ? IGNORED : known[i].meaning;
    char text[32];
    for (int k = 1; class == 'n' && k < MOST_WEIGHTS; k++) {
        snprintf(text, sizeof text, "weight%d", k + 1);
        if (strcmp(text, title) == 0) return WEIGHT + k;
    }
    return IGNORED;
}

static void note_ignored(reader *r, const char *title)
{
    char *text = r->g->notes.columns;
    const size_t used = strlen(text), room = sizeof r->g->notes.columns;
    if (!pen_path_ends_in(text, title))
        snprintf(text + used, room - used, "%s%.40s", used ? ", " : "attributes ignored: ", title);
}

/* Find the number of an attribute among the keys, -1 after a failure. An undeclared attribute is ignored. */
static int64_t find_key(reader *r, char class, const char *id, bool declared)
{
    int64_t number = -1, known = r->keys.count;
    const int64_t size = (int64_t)strlen(id) + 2;
    char *name;
    pen_status status = PEN_ALLOC(&name, size);
    if (status == PEN_OK) {
        snprintf(name, (size_t)size, "%c%s", class, id);
        status = pen_names_add(&r->keys, name, &number);
        free(name);
    }
    if (status == PEN_OK) status = pen_reserve(&r->meanings, sizeof *r->meanings, r->keys.count, &r->meaning_room);
    stop(r, status);
    if (status != PEN_OK) return -1;
    if (number == known) r->meanings[number] = IGNORED;
    if (number == known && !declared) note_ignored(r, id);
    return number;
}

static void declare(reader *r, char class, const char *id, const char *title)
{
    const int64_t key = id ? find_key(r, class, id, true) : -1;
    if (!id) refuse(r, "the declaration of an attribute has no id");
    if (key < 0) return;
    const int meaning = meaning_of(r, class, title ? title : id);
    r->meanings[key] = meaning;
    if (meaning == IGNORED) note_ignored(r, title ? title : id);
    if (meaning >= COLUMNS || r->columns[meaning].there) return;
    r->columns[meaning].there = true;
    if (meaning >= WEIGHT || meaning == SIZE) r->columns[meaning].usual.whole = 1;
}

/* ---- Values --------------------------------------------------------------------------------- */

/* Give the nodes before `count` that have no cell yet the usual value. */
static pen_status fill(column *c, int64_t count)
{
    PEN_TRY(pen_reserve(&c->cells, sizeof *c->cells, count, &c->room));
    while (c->count < count) c->cells[c->count++] = c->usual;
    return PEN_OK;
}

static void take_name(reader *r, const char *name)
{
    int64_t number = -1;
    stop(r, pen_names_add(&r->names, name, &number));
    if (number != r->node) r->named = false;
    else if (strcmp(name, pen_names_get(&r->ids, r->node)) != 0) r->names_differ = true;
}

static void take_number(reader *r, int meaning, const char *text, bool usual)
{
    int64_t whole;
    double value;
    bool is_whole;
    if (!pen_field_number(text, &whole, &value, &is_whole)) {
        wrong(r, "'%.40s' is not a finite number", text);
        return;
    }
    if (meaning == EDGE_WEIGHT) {
        *(usual ? &r->usual_weight : &r->weight) = is_whole ? whole : 1;
        *(usual ? &r->usual_value : &r->value) = value;
        r->weighted = true;
        r->others += !is_whole;
        return;
    }
    if (meaning >= WIDTH) {
        r->sides[meaning - WIDTH] = is_whole ? whole : 0;
        return;
    }
    cell is = { .whole = whole };
    const bool real = meaning >= X && meaning <= Z, below = meaning == SIZE || meaning == PART;
    if (real) is.real = value;
    else if (!is_whole && meaning >= WEIGHT) is.whole = 1;
    else if (!is_whole || (below && whole < 0) || (meaning == PART && whole >= INT32_MAX)) {
        wrong(r, "%s %.40s, must be an integer from 0 on", meaning == PART ? "part" : "size", text);
        return;
    }
    if (!is_whole && !real) r->g->notes.values++;
    column *c = &r->columns[meaning];
    if (usual) c->usual = is;
    else {
        const pen_status status = fill(c, r->node + 1);
        stop(r, status);
        if (status == PEN_OK) c->cells[r->node] = is;
    }
}

static void take(reader *r, int64_t key, const char *text, bool usual)
{
    static const char *const grids[] = {
        [PEN_GRID_NONE] = "unknown", [PEN_GRID_SQUARE] = "mesh", [PEN_GRID_HEX] = "hex", [PEN_GRID_TORUS] = "torus"
    };
    const int meaning = key < 0 ? IGNORED : r->meanings[key];
    if (meaning == IGNORED || r->status != PEN_OK) return;
    if (meaning == NAME && !usual) take_name(r, text);
    for (int i = 0; meaning == GRID && i < PEN_COUNT_OF(grids); i++)
        if (strcmp(text, grids[i]) == 0) r->g->grid = (pen_grid)i;
    if (meaning != NAME && meaning != GRID) take_number(r, meaning, text, usual);
}

/* ---- Elements ------------------------------------------------------------------------------- */

static pen_status add_node(reader *r, const char *id)
{
    PEN_TRY(pen_names_add(&r->ids, id, &r->node));
    PEN_TRY(pen_reserve(&r->declared, sizeof *r->declared, r->ids.count, &r->declared_room));
    while (r->declared_count < r->ids.count) r->declared[r->declared_count++] = false;
    return PEN_OK;
}

static void begin_node(reader *r, const char *const *attributes)
{
    const char *id = get(attributes, "id"), *label = r->gexf ? get(attributes, "label") : NULL;
    if (!id || r->in_node) {
        refuse(r, id ? "a node inside a node" : "a node without an id");
        return;
    }
    const pen_status status = add_node(r, id);
    stop(r, status);
    if (status != PEN_OK) return;
    if (r->declared[r->node]) wrong(r, "node '%.40s' is there twice", id);
    r->nodes += !r->declared[r->node];
    r->declared[r->node] = r->in_node = true;
    if (label) take_name(r, label);
}

static void begin_edge(reader *r, const char *const *attributes)
{
    const char *source = get(attributes, "source"), *target = get(attributes, "target");
    const char *weight = r->gexf ? get(attributes, "weight") : NULL;
    const char *kind = get(attributes, r->gexf ? "type" : "directed");
    if (!source || !target || r->in_edge) {
        refuse(r, r->in_edge ? "an edge inside an edge" : "an edge without source or target");
        return;
    }
    stop(r, pen_names_add(&r->ids, source, &r->from));
    stop(r, pen_names_add(&r->ids, target, &r->to));
    const bool arc = kind && (strcmp(kind, "directed") == 0 || strcmp(kind, "true") == 0);
    r->both = kind && !arc && r->g->directed && r->from != r->to;
    if (arc && !r->g->directed) wrong(r, "a directed edge in an undirected graph");
    r->weight = r->usual_weight;
    r->value = r->usual_value;
    r->in_edge = true;
    if (weight) take_number(r, EDGE_WEIGHT, weight, false);
}

static void end_edge(reader *r)
{
    r->in_edge = false;
    stop(r, pen_arc_list_add(&r->arcs, r->from, r->to, r->weight, r->value));
    if (r->both) stop(r, pen_arc_list_add(&r->arcs, r->to, r->from, r->weight, r->value));
}

static void begin_graph(reader *r, const char *const *attributes)
{
    const char *directed = get(attributes, r->gexf ? "defaultedgetype" : "edgedefault");
    const char *mode = r->gexf ? get(attributes, "mode") : NULL;
    if (r->graph) refuse(r, "a second graph");
    if (mode && strcmp(mode, "dynamic") == 0) refuse(r, "a graph that changes in time");
    r->graph = true;
    if (directed && strcmp(directed, "directed") == 0) r->g->directed = true;
}

/* Collect the text of this element. With `usual`, it is the usual value of the attributes from r->declared_key on. */
static void begin_text(reader *r, int64_t key, bool usual)
{
    r->text_depth = 1;
    r->text_key = key;
    r->text_usual = usual;
    r->length = 0;
}

static void begin_graphml(reader *r, const char *name, const char *const *attributes)
{
    const char *of = get(attributes, "for"), *key = get(attributes, "key");
    if (strcmp(name, "key") == 0) {
        static const char *const classes[] = { "node", "edge", "graph" };
        r->declared_key = r->keys.count;
        for (int c = 0; c < PEN_COUNT_OF(classes); c++)
            if (!of || strcmp(of, "all") == 0 ? *classes[c] != 'g' : strcmp(of, classes[c]) == 0)
                declare(r, *classes[c], get(attributes, "id"), get(attributes, "attr.name"));
    } else if (strcmp(name, "default") == 0) begin_text(r, -1, true);
    else if (strcmp(name, "hyperedge") == 0) refuse(r, "a hyperedge");
    else if (strcmp(name, "data") == 0) {
        char class = 'g';
        if (r->in_node) class = 'n';
        if (r->in_edge) class = 'e';
        begin_text(r, key ? find_key(r, class, key, false) : -1, false);
    }
}

static void begin_gexf(reader *r, const char *name, const char *const *attributes)
{
    const char *of = get(attributes, "class"), *key = get(attributes, "for"), *value = get(attributes, "value");
    static const char *const axes[] = { "x", "y", "z" };
    if (strcmp(name, "attributes") == 0) r->class = of ? *of : 'a';
    else if (strcmp(name, "attribute") == 0) {
        r->declared_key = r->keys.count;
        declare(r, r->class, get(attributes, "id"), get(attributes, "title"));
    } else if (strcmp(name, "default") == 0) begin_text(r, -1, true);
    else if (strcmp(name, "attvalue") == 0 && (r->in_node || r->in_edge)) {
        if (!key) key = get(attributes, "id"); /* the XML attribute's name before version 1.2 */
        if (key && value) take(r, find_key(r, r->in_node ? 'n' : 'e', key, false), value, false);
        else wrong(r, "a value without an attribute");
    }
    for (int d = 0; d < 3 && r->in_node && strcmp(name, "position") == 0; d++) {
        r->columns[X + d].there = true;
        if (get(attributes, axes[d])) take_number(r, X + d, get(attributes, axes[d]), false);
    }
}

static void begin_element(void *state, const char *element, const char **attributes)
{
    reader *r = state;
    const char *name = local_name(element), *const *of = (const char *const *)attributes;
    if (r->status != PEN_OK) return;
    if (!r->root && strcmp(name, r->gexf ? "gexf" : "graphml") != 0)
        refuse(r, r->gexf ? "the first element must be gexf" : "the first element must be graphml");
    r->root = true;
    if (r->status != PEN_OK) return;
    if (r->text_depth > 0) r->text_depth++;
    else if (strcmp(name, "graph") == 0) begin_graph(r, of);
    else if (strcmp(name, "node") == 0) begin_node(r, of);
    else if (strcmp(name, "edge") == 0) begin_edge(r, of);
    else (r->gexf ? begin_gexf : begin_graphml)(r, name, of);
}

static void end_element(void *state, const char *element)
{
    reader *r = state;
    const char *name = local_name(element);
    if (r->status != PEN_OK) return;
    if (r->text_depth > 0 && --r->text_depth == 0) {
        stop(r, pen_reserve(&r->text, 1, r->length + 1, &r->text_room));
        if (r->status != PEN_OK) return;
        r->text[r->length] = '\0';
        if (!r->text_usual) take(r, r->text_key, r->text, false);
        for (int64_t k = r->declared_key; r->text_usual && k < r->keys.count; k++) take(r, k, r->text, true);
    } else if (r->text_depth > 0) {
        return;
    } else if (strcmp(name, "node") == 0) {
        r->in_node = false;
    } else if (strcmp(name, "edge") == 0) {
        end_edge(r);
    }
}

static void add_text(void *state, const char *text, int length)
{
    reader *r = state;
    if (r->text_depth != 1 || r->status != PEN_OK) return;
    if (!r->text_usual && (r->text_key < 0 || r->meanings[r->text_key] == IGNORED)) return;
    const pen_status status = pen_reserve(&r->text, 1, r->length + length, &r->text_room);
    stop(r, status);
    if (status != PEN_OK) return;
    memcpy(r->text + r->length, text, (size_t)length);
    r->length += length;
}

static void refuse_entity(void *state, const XML_Char *name, int parameter, const XML_Char *value, int length,
                          const XML_Char *base, const XML_Char *system, const XML_Char *public,
                          const XML_Char *notation)
{
    (void)name, (void)parameter, (void)value, (void)length, (void)base, (void)system, (void)public, (void)notation;
    refuse(state, "the file declares entities, which are not read");
}

/* ---- The graph ------------------------------------------------------------------------------ */

/* Whether ids have no leading zeros, so that equal integers have equal texts. */
static bool is_canonical(const name_table *ids)
{
    for (int64_t i = 0; i < ids->count; i++)
        if (pen_names_get(ids, i)[0] == '0' && pen_names_get(ids, i)[1] != '\0') return false;
    return true;
}

static pen_status give_ids(reader *r, int64_t nodes)
{
    file_graph *g = r->g;
    const bool named = r->named && r->names.count == nodes && r->names_differ;
    if (!named && r->names_differ) note_ignored(r, r->gexf ? "label" : "name");
    if (named) pen_names_give(&r->names, g);
    else if (is_canonical(&r->ids)) PEN_TRY(pen_names_integers(&r->ids, &g->labels));
    if (!named && !g->labels) pen_names_give(&r->ids, g);
    if (!g->labels) return PEN_OK;
    int64_t base = nodes > 0 ? g->labels[0] : 1;
    for (int64_t i = 0; i < nodes; i++)
        if (base > 1 || g->labels[i] != base + i) return PEN_OK;
    g->base = base;
    free(g->labels);
    g->labels = NULL;
    return PEN_OK;
}

static pen_status give_columns(reader *r, int64_t nodes)
{
    file_graph *g = r->g;
    column *of = r->columns;
    for (int c = 0; c < COLUMNS; c++) {
        if (of[c].there && c >= WEIGHT) g->weight_count = c - WEIGHT + 1;
        if (of[c].there && c >= X && c <= Z) g->dimensions = c - X + 1;
    }
    for (int c = 0; c < COLUMNS; c++) {
        if (!of[c].there && c >= WEIGHT) of[c].usual.whole = 1; /* a missing weight between other weights is 1 */
        if (of[c].there || (c >= X && c < X + g->dimensions) || (c >= WEIGHT && c < WEIGHT + g->weight_count))
            PEN_TRY(fill(&of[c], nodes));
    }
    bool flat = g->dimensions == 3;
    for (int64_t i = 0; i < nodes && flat; i++) flat = of[Z].cells[i].real == 0.0;
    if (flat) g->dimensions = 2;
    if (g->weight_count > 0) PEN_TRY(PEN_ALLOC(&g->node_weights, nodes * g->weight_count));
    if (of[SIZE].there) PEN_TRY(PEN_ALLOC(&g->node_sizes, nodes));
    if (of[PART].there) PEN_TRY(PEN_ALLOC(&g->part, nodes));
    if (g->dimensions > 0) PEN_TRY(PEN_ALLOC(&g->coordinates, nodes * g->dimensions));
    for (int64_t i = 0; i < nodes; i++) {
        for (int64_t k = 0; k < g->weight_count; k++)
            g->node_weights[i * g->weight_count + k] = of[WEIGHT + k].cells[i].whole;
        if (g->node_sizes) g->node_sizes[i] = of[SIZE].cells[i].whole;
        if (g->part) g->part[i] = (int32_t)of[PART].cells[i].whole;
        for (int d = 0; d < g->dimensions; d++) g->coordinates[i * g->dimensions + d] = of[X + d].cells[i].real;
    }
    return PEN_OK;
}

static void give_grid(reader *r, int64_t nodes)
{
    const int64_t *sides = r->sides;
    if (sides[0] == 0 && sides[1] == 0 && sides[2] == 0) {
        r->g->grid = PEN_GRID_NONE;
        return;
    }
    if (sides[0] < 1 || sides[1] < 1 || sides[2] < 1 || sides[0] > nodes || sides[1] > nodes / sides[0] ||
        sides[2] != nodes / (sides[0] * sides[1]) || nodes % (sides[0] * sides[1]) != 0) {
        wrong(r, "a grid of %" PRId64 " x %" PRId64 " x %" PRId64 ", but %" PRId64 " nodes", sides[0], sides[1],
              sides[2], nodes);
        return;
    }
    r->g->width = sides[0];
    r->g->height = sides[1];
    r->g->depth = sides[2];
}

static pen_status build(reader *r, bool reals)
{
    const int64_t nodes = r->ids.count;
    if (!r->graph) refuse(r, "there is no graph");
    if (r->status != PEN_OK) return r->status;
    for (int64_t i = 0; i < nodes && r->nodes < nodes; i++)
        if (i >= r->declared_count || !r->declared[i]) {
            wrong(r, "%" PRId64 " nodes of edges are not there, the first is '%.40s'", nodes - r->nodes,
                  pen_names_get(&r->ids, i));
            break;
        }
    if (!reals) r->g->notes.values += r->others;
    if (r->others > 0 || !r->weighted) r->arcs.weighted = false;
    if (!r->weighted) {
        free(r->arcs.values);
        r->arcs.values = NULL;
        r->arcs.valued = false;
    }
    give_grid(r, nodes);
    PEN_TRY(give_columns(r, nodes));
    PEN_TRY(give_ids(r, nodes));
    return pen_arc_list_rows(&r->arcs, nodes, r->g);
}

static pen_status parse(reader *r)
{
    enum XML_Status good = XML_STATUS_OK;
    while (good == XML_STATUS_OK && pen_input_more(r->in)) {
        good = XML_Parse(r->parser, r->in->at, (int)(r->in->end - r->in->at), 0);
        r->in->at = r->in->end;
    }
    if (r->in->status != PEN_OK) return r->in->status;
    if (good == XML_STATUS_OK) good = XML_Parse(r->parser, r->in->end, 0, 1);
    if (good == XML_STATUS_OK || r->status != PEN_OK) return r->status;
    const enum XML_Error error = XML_GetErrorCode(r->parser);
    if (error == XML_ERROR_NO_MEMORY) return pen_fail(PEN_ERR_MEMORY, "%s: out of memory", r->in->name);
    char text[120];
    snprintf(text, sizeof text, "no XML: %s", XML_ErrorString(error));
    refuse(r, text);
    return r->status;
}

static pen_status read_xml(input *in, bool gexf, const format_options *options, file_graph *g, findings *f)
{
    reader *r; /* allocated, since it is too large for the stack */
    PEN_TRY(PEN_ALLOC_ZERO(&r, 1));
    *r = (reader){ .in = in,
                   .f = f,
                   .g = g,
                   .gexf = gexf,
                   .named = true,
                   .class = 'n',
                   .usual_weight = 1,
                   .usual_value = 1.0,
                   .arcs = { .weighted = true, .valued = options->reals } };
    g->directed = options->directed;
    r->parser = XML_ParserCreate(NULL);
    pen_status status = r->parser ? PEN_OK : pen_fail(PEN_ERR_MEMORY, "%s: out of memory", in->name);
    if (status == PEN_OK) {
        XML_SetUserData(r->parser, r);
        XML_SetElementHandler(r->parser, begin_element, end_element);
        XML_SetCharacterDataHandler(r->parser, add_text);
        XML_SetEntityDeclHandler(r->parser, refuse_entity);
        status = parse(r);
    }
    if (status == PEN_OK) status = build(r, options->reals);
    for (int c = 0; c < COLUMNS; c++) free(r->columns[c].cells);
    pen_names_free(&r->keys);
    pen_names_free(&r->ids);
    pen_names_free(&r->names);
    pen_arc_list_free(&r->arcs);
    if (r->parser) XML_ParserFree(r->parser);
    PEN_FREE_ALL(r->meanings, r->text, r->declared, r);
    return status;
}

pen_status pen_graphml_read(input *in, const format_options *options, file_graph *g, findings *f)
{
    return read_xml(in, false, options, g, f);
}

pen_status pen_gexf_read(input *in, const format_options *options, file_graph *g, findings *f)
{
    return read_xml(in, true, options, g, f);
}

/* format_mesh.c - METIS meshes, read as the graph of the elements (dual) or of the nodes (nodal).
 *
 *     file := comment* ne [ncon] element{ne}        element := w{ncon} node node*        '%' in column 1: a comment
 *
 * Nodes are numbered from 1 to the largest number that occurs. Two elements are neighbours in the dual graph if they
 * share options->common nodes (default 1), or all but one of the nodes of one of them, as in m2gmetis. Two nodes are
 * neighbours in the nodal graph if an element has both. Neighbours ascend. The elements' weights are the dual graph's;
 * for a nodal graph they are dropped, and counted as values.
 *
 * Errors, some of which METIS accepts: a line without nodes, a node twice in an element, weights that are not integers
 * >= 0, data after the last element, and text after a line's numbers. A graph with far more edges than the text has
 * bytes (every element at one node) is refused. */
#include "tools/graph/fields.h"
#include "tools/graph/format.h"

#include <stdlib.h>

enum { ARCS_ALWAYS = 1 << 22, ARCS_PER_BYTE = 512 };

/* Lists of numbers: those of list i are items[begins[i] .. begins[i+1]-1]. */
typedef struct lists {
    int64_t count, *begins, *items, room;
} lists;

typedef struct mesh {
    lists elements; /* the nodes of each element */
    int64_t nodes;
    int64_t weight_count, *weights;
    int64_t header_line, bytes;
} mesh;

static void lists_free(lists *l)
{
    PEN_FREE_ALL(l->begins, l->items);
    *l = (lists){ 0 };
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* Find the next element's line, after comments; false at the end. With `blank`, empty lines are skipped. */
static bool next_line(input *in, bool blank)
{
    while (pen_input_more(in)) {
        if (*in->at == '%') {
            pen_input_skip_line(in);
            continue;
        }
        pen_input_skip_blanks(in);
        if (!pen_input_more(in)) return false;
        if (!blank || !pen_input_line_end(in)) return true;
    }
    return false;
}

static pen_status read_header(input *in, findings *f, mesh *m)
{
    if (!next_line(in, false)) return pen_field_refuse(in, f, in->line, "the file has no header");
    m->header_line = in->line;
    if (!pen_field_integer(in, f, "the number of elements", 0, INT64_MAX, &m->elements.count))
        return pen_findings_status(f, in->name);
    pen_input_skip_blanks(in);
    if (pen_input_more(in) && pen_input_is_digit(*in->at) &&
        !pen_field_integer(in, f, "the number of weights", 0, INT64_MAX, &m->weight_count))
        m->weight_count = 0;
    if (!pen_field_end(in, f)) pen_input_skip_line(in);
    /* Every element takes at least two bytes, and two more for every weight. */
    int64_t room = pen_input_left(in) + 1;
    if (m->weight_count > room || m->elements.count > room / (m->weight_count + 1))
        return pen_field_refuse(in, f, m->header_line, "the header announces more elements than the file can hold");
    return PEN_OK;
}

/* Read the line as element `at`; faulty numbers are dropped. */
static pen_status read_element(input *in, findings *f, mesh *m, int64_t at)
{
    int64_t count = m->elements.begins[at], begin = count, line = in->line, node;
    for (int64_t k = 0; k < m->weight_count; k++) {
        int64_t *weight = &m->weights[at * m->weight_count + k];
        *weight = 1;
        if (pen_field_integer(in, f, "a weight", 0, INT64_MAX, weight)) continue;
        pen_input_skip_line(in);
        for (; k < m->weight_count; k++) m->weights[at * m->weight_count + k] = 1;
        m->elements.begins[at + 1] = count;
        return PEN_OK;
    }
    while (!pen_field_over(in)) {
        if (!pen_field_integer(in, f, "a node", 1, INT64_MAX, &node)) {
            pen_input_skip_line(in);
            break;
        }
        PEN_TRY(pen_reserve(&m->elements.items, sizeof node, count + 1, &m->elements.room));
        m->elements.items[count++] = node - 1;
        if (node > m->nodes) m->nodes = node;
    }
    if (count == begin) pen_findings_add(f, FINDING_ERROR, line, 0, "an element without nodes");
    m->elements.begins[at + 1] = count;
    return PEN_OK;
}

static pen_status read_elements(input *in, findings *f, mesh *m)
{
    int64_t at = 0;
    lists *l = &m->elements;
    PEN_TRY(PEN_ALLOC_ZERO(&l->begins, l->count + 1));
    if (m->weight_count > 0) PEN_TRY(PEN_ALLOC_ZERO(&m->weights, l->count * m->weight_count));
    for (; next_line(in, at == l->count); at++) {
        int64_t line = in->line;
        if (at == l->count) {
            pen_findings_add(f, FINDING_ERROR, line, 0, "data after the last element");
            break;
        }
        PEN_TRY(read_element(in, f, m, at));
        int64_t begin = l->begins[at], size = l->begins[at + 1] - begin;
        if (size > 0) qsort(l->items + begin, (size_t)size, sizeof *l->items, pen_by_gid);
        int64_t kept = size > 0;
        for (int64_t i = 1; i < size; i++)
            if (l->items[begin + i] != l->items[begin + i - 1]) l->items[begin + kept++] = l->items[begin + i];
        if (kept < size) pen_findings_add(f, FINDING_ERROR, line, 0, "a node occurs in its element more than once");
        l->begins[at + 1] = begin + kept;
    }
    if (at < l->count)
        pen_findings_add(f, FINDING_ERROR, in->line, 0, "the file ends after %" PRId64 " of %" PRId64 " elements", at,
                         l->count);
    for (; at < l->count; at++) {
        l->begins[at + 1] = l->begins[at];
        for (int64_t k = 0; k < m->weight_count; k++) m->weights[at * m->weight_count + k] = 1;
    }
    m->bytes = pen_input_offset(in);
    return PEN_OK;
}

/* ---- Graphs --------------------------------------------------------------------------------- */

/* List for every node the elements that have it, ascending. */
static pen_status invert(const lists *elements, int64_t nodes, lists *inverse)
{
    inverse->count = nodes;
    PEN_TRY(PEN_ALLOC_ZERO(&inverse->begins, nodes + 2));
    PEN_TRY(PEN_ALLOC(&inverse->items, elements->begins[elements->count]));
    for (int64_t i = 0; i < elements->begins[elements->count]; i++) inverse->begins[elements->items[i] + 2]++;
    for (int64_t i = 0; i < nodes; i++) inverse->begins[i + 2] += inverse->begins[i + 1];
    for (int64_t e = 0; e < elements->count; e++)
        for (int64_t i = elements->begins[e]; i < elements->begins[e + 1]; i++)
            inverse->items[inverse->begins[elements->items[i] + 1]++] = e;
    return PEN_OK;
}

static int64_t size_of(const lists *l, int64_t i) { return l->begins[i + 1] - l->begins[i]; }

/* Connect lists: two lists of `own` are neighbours if they share `common` items, or all but one of the items of one of
 * them. `sharing` has for every item the lists with it. The first pass counts. `marks` [own->count] is 0 before and
 * after; `found` [own->count] is scratch. */
static pen_status connect(const lists *own, const lists *sharing, int64_t common, int64_t most, int64_t *marks,
                          int64_t *found, file_graph *g)
{
    for (int pass = 0; pass < 2; pass++) {
        int64_t arcs = 0;
        g->rows[0] = 0;
        for (int64_t i = 0; i < own->count; i++) {
            int64_t count = 0, begin = arcs;
            for (int64_t k = own->begins[i]; k < own->begins[i + 1]; k++) {
                int64_t item = own->items[k];
                for (int64_t j = sharing->begins[item]; j < sharing->begins[item + 1]; j++)
                    if (marks[sharing->items[j]]++ == 0) found[count++] = sharing->items[j];
            }
            for (int64_t j = 0; j < count; j++) {
                int64_t other = found[j], shared = marks[other];
                marks[other] = 0;
                if (other == i) continue;
                if (shared < common && shared < size_of(own, i) - 1 && shared < size_of(own, other) - 1) continue;
                if (pass == 1) g->neighbors[arcs] = other;
                arcs++;
            }
            if (arcs > most) return PEN_ERR_INPUT;
            if (pass == 1 && arcs > begin)
                qsort(g->neighbors + begin, (size_t)(arcs - begin), sizeof *g->neighbors, pen_by_gid);
            g->rows[i + 1] = arcs;
        }
        if (pass == 0) PEN_TRY(PEN_ALLOC(&g->neighbors, arcs));
    }
    return PEN_OK;
}

static pen_status build(const mesh *m, bool nodal, int64_t common, input *in, findings *f, file_graph *g)
{
    lists inverse = { 0 };
    pen_status status = invert(&m->elements, m->nodes, &inverse);
    const lists *own = nodal ? &inverse : &m->elements, *sharing = nodal ? &m->elements : &inverse;
    int64_t *marks = NULL, *found = NULL, most = ARCS_ALWAYS + ARCS_PER_BYTE * m->bytes;
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&g->rows, own->count + 1);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&marks, own->count);
    if (status == PEN_OK) status = PEN_ALLOC(&found, own->count);
    if (status == PEN_OK) {
        g->nodes = own->count;
        status = connect(own, sharing, common, most, marks, found, g);
        if (status == PEN_ERR_INPUT)
            status = pen_field_refuse(in, f, m->header_line,
                                      "the graph has more than %d edges for every byte of the mesh", ARCS_PER_BYTE / 2);
    }
    PEN_FREE_ALL(marks, found);
    lists_free(&inverse);
    return status;
}

static pen_status read_mesh(input *in, const format_options *options, file_graph *g, findings *f)
{
    mesh m = { 0 };
    PEN_TRY(read_header(in, f, &m));
    pen_status status = read_elements(in, f, &m);
    if (status == PEN_OK && !pen_field_nodes_fit(in, f, m.header_line, m.nodes)) status = PEN_ERR_INPUT;
    if (status == PEN_OK)
        status = build(&m, options->nodal, options->nodal || options->common < 1 ? 1 : options->common, in, f, g);
    if (status == PEN_OK && !options->nodal && m.weight_count > 0) {
        g->weight_count = m.weight_count;
        g->node_weights = m.weights;
        m.weights = NULL;
    } else if (m.weight_count > 0) {
        g->notes.values = m.elements.count * m.weight_count;
    }
    lists_free(&m.elements);
    free(m.weights);
    return status;
}

const graph_format pen_format_mesh = {
    .name = "mesh",
    .endings = ".mesh",
    .summary = "METIS mesh: its dual graph, or with --nodal its nodal graph; cannot be written",
    .holds = HOLDS_NODE_WEIGHT | HOLDS_NODE_WEIGHTS | HOLDS_ZERO_NODE_WEIGHTS | HOLDS_ISOLATED | HOLDS_NO_NODES |
             HOLDS_NO_EDGES,
    .read = read_mesh,
};

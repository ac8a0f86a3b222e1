#include "tools/graph/gexf_time.h"
#include "tools/common/ticker.h"
#include "tools/common/xml.h"
#include "workload/workload.h"

#include <stdlib.h>

/* From one step to another, both included. */
typedef struct span {
    int64_t begin, end;
} span;

typedef struct node_span {
    pen_gid gid;
    span when;
} node_span;

typedef struct load_span {
    pen_gid gid;
    span when;
    double load;
} load_span;

typedef struct edge_span {
    pen_gid from, to;
    span when;
    int64_t weight;
} edge_span;

/* Where a node was when it came. */
typedef struct origin {
    pen_gid gid;
    int64_t begin;
    int32_t owner; /* -1: not known */
    double at[3];
} origin;

/* A list that grows. */
#define LIST(type)           \
    struct {                 \
        type *list;          \
        int64_t count, room; \
    }

#define APPEND(to, ...)                                                                      \
    do {                                                                                     \
        PEN_TRY(pen_reserve(&(to)->list, sizeof *(to)->list, (to)->count + 1, &(to)->room)); \
        (to)->list[(to)->count++] = __VA_ARGS__;                                             \
    } while (0)

typedef LIST(edge_span) edge_list;

/* A place, and the node that is there now: since when; its load, since when (0: it has had no step); its edges, which
 * ascend. Of an undirected graph, the node with the lower gid has an edge. */
typedef struct place {
    pen_gid gid; /* -1: nobody is there */
    int64_t begin, load_begin;
    double load;
    edge_list row;
} place;

/* What has come to its end, and what is there. */
typedef struct history {
    const pen_workload *w;
    bool weighted;    /* some edge has a weight */
    bool changed;     /* since the last step */
    edge_list before; /* room for a row */
    LIST(place) places;
    LIST(node_span) nodes;
    LIST(load_span) loads;
    LIST(origin) origins;
    edge_list edges;
    LIST(span) spans; /* room for those of a node or an edge */
} history;

/* ---- Reading -------------------------------------------------------------------------------- */

static pen_status end_load(history *h, place *p, int64_t end)
{
    if (p->load_begin > 0 && p->load_begin <= end)
        APPEND(&h->loads, (load_span){ p->gid, { p->load_begin, end }, p->load });
    p->load_begin = 0;
    return PEN_OK;
}

static pen_status end_edge(history *h, edge_span edge, int64_t end)
{
    edge.when.end = end;
    if (edge.when.begin <= end) APPEND(&h->edges, edge);
    return PEN_OK;
}

static pen_status end_node(history *h, place *p, int64_t node_end, int64_t load_end)
{
    if (p->begin <= node_end) APPEND(&h->nodes, (node_span){ p->gid, { p->begin, node_end } });
    PEN_TRY(end_load(h, p, load_end));
    for (int64_t i = 0; i < p->row.count; i++) PEN_TRY(end_edge(h, p->row.list[i], node_end));
    p->row.count = 0;
    p->gid = -1;
    return PEN_OK;
}

/* What the node reads from now on: edges that were there before go on, where their weight is the same. */
static pen_status take_row(history *h, int32_t number)
{
    const pen_workload *w = h->w;
    place *p = &h->places.list[number];
    int64_t old = 0;
    edge_list before = p->row;
    p->row = h->before;
    p->row.count = 0;
    h->before = before;
    for (uint32_t a = w->rows[number]; a < w->rows[number + 1]; a++) {
        edge_span edge = { p->gid, w->gids[w->columns[a]], { w->step + 1, 0 }, 1 };
        if (!w->world.directed && edge.to < edge.from) continue;
        if (w->edge_weights) edge.weight = w->edge_weights[a];
        for (; old < before.count && before.list[old].to < edge.to; old++)
            PEN_TRY(end_edge(h, before.list[old], w->step));
        if (old < before.count && before.list[old].to == edge.to) {
            if (before.list[old].weight == edge.weight) edge.when.begin = before.list[old].when.begin;
            else PEN_TRY(end_edge(h, before.list[old], w->step));
            old++;
        }
        APPEND(&p->row, edge);
    }
    for (; old < before.count; old++) PEN_TRY(end_edge(h, before.list[old], w->step));
    return PEN_OK;
}

static pen_status begin_node(history *h, int32_t number, int32_t owner)
{
    const pen_workload *w = h->w;
    place *p = &h->places.list[number];
    int dimensions = w->world.dimensions < 3 ? w->world.dimensions : 3;
    origin from = { w->gids[number], w->step + 1, owner, { 0.0 } };
    for (int d = 0; d < dimensions; d++) from.at[d] = w->coordinates[(int64_t)number * w->world.dimensions + d];
    p->gid = w->gids[number];
    p->begin = w->step + 1;
    p->load_begin = 0;
    APPEND(&h->origins, from);
    return PEN_OK;
}

/* Places that were not there before are empty. */
static pen_status make_places(history *h)
{
    PEN_TRY(pen_reserve(&h->places.list, sizeof *h->places.list, h->w->places, &h->places.room));
    while (h->places.count < h->w->places) h->places.list[h->places.count++] = (place){ .gid = -1 };
    return PEN_OK;
}

static pen_status take_first(history *h)
{
    const pen_workload *w = h->w;
    PEN_TRY(make_places(h));
    h->weighted = w->edge_weights != NULL;
    for (int32_t i = 0; i < w->places; i++) PEN_TRY(begin_node(h, i, w->first.owners[i]));
    for (int32_t i = 0; i < w->places; i++) PEN_TRY(take_row(h, i));
    return PEN_OK;
}

static pen_status take_change(history *h)
{
    const pen_workload *w = h->w;
    const pen_workload_change *change = &w->change;
    h->changed = true;
    h->weighted |= w->edge_weights != NULL;
    for (int64_t i = 0; i < change->died_count; i++)
        PEN_TRY(end_node(h, &h->places.list[w->died[i]], w->step, w->step));
    PEN_TRY(make_places(h));
    for (int64_t i = 0; i < change->rows.count; i++)
        if (change->rows.parents[i] != PEN_WORKLOAD_STAYED)
            PEN_TRY(begin_node(h, w->changed[i], change->rows.owners[i]));
    for (int64_t i = 0; i < change->rows.count; i++) PEN_TRY(take_row(h, w->changed[i]));
    return PEN_OK;
}

static pen_status take_step(history *h)
{
    const pen_workload *w = h->w;
    h->changed = false;
    for (int32_t i = 0; i < w->places; i++) {
        place *p = &h->places.list[i];
        if (p->gid < 0 || (p->load_begin > 0 && p->load == w->loads[i])) continue;
        PEN_TRY(end_load(h, p, w->step - 1));
        p->load = w->loads[i];
        p->load_begin = w->step;
    }
    return PEN_OK;
}

/* *last: the last step of the graph. */
static pen_status read_record(const char *path, pen_workload *w, history *h, int64_t *last)
{
    pen_workload_event event = PEN_WORKLOAD_STEP;
    PEN_TRY(take_first(h));
    while (event != PEN_WORKLOAD_END) {
        PEN_TRY(pen_workload_next(w, &event));
        pen_ticker_bytes("reading", path, w->step, w->world.steps > 0 ? w->world.steps : -1);
        if (event == PEN_WORKLOAD_CHANGE) PEN_TRY(take_change(h));
        if (event == PEN_WORKLOAD_STEP) PEN_TRY(take_step(h));
    }
    *last = h->changed || w->step == 0 ? w->step + 1 : w->step;
    for (int64_t i = 0; i < h->places.count; i++)
        if (h->places.list[i].gid >= 0) PEN_TRY(end_node(h, &h->places.list[i], *last, w->step));
    return PEN_OK;
}

/* ---- Order ---------------------------------------------------------------------------------- */

static int compare(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int by_node(const void *a, const void *b)
{
    const node_span *x = a, *y = b;
    return x->gid == y->gid ? compare(x->when.begin, y->when.begin) : compare(x->gid, y->gid);
}

static int by_load(const void *a, const void *b)
{
    const load_span *x = a, *y = b;
    return x->gid == y->gid ? compare(x->when.begin, y->when.begin) : compare(x->gid, y->gid);
}

static int by_origin(const void *a, const void *b)
{
    const origin *x = a, *y = b;
    return x->gid == y->gid ? compare(x->begin, y->begin) : compare(x->gid, y->gid);
}

static int by_edge(const void *a, const void *b)
{
    const edge_span *x = a, *y = b;
    if (x->from != y->from) return compare(x->from, y->from);
    return x->to == y->to ? compare(x->when.begin, y->when.begin) : compare(x->to, y->to);
}

#define SORT(of, order)                                                                         \
    do {                                                                                        \
        if ((of)->count > 0) qsort((of)->list, (size_t)(of)->count, sizeof *(of)->list, order); \
    } while (0)

/* ---- Writing -------------------------------------------------------------------------------- */

/* One more interval of what is written next; one that follows the last one at once makes it longer. */
static pen_status add_span(history *h, span when)
{
    if (h->spans.count > 0 && h->spans.list[h->spans.count - 1].end + 1 == when.begin)
        h->spans.list[h->spans.count - 1].end = when.end;
    else APPEND(&h->spans, when);
    return PEN_OK;
}

static void write_span(span when, writer *out)
{
    pen_writer_print(out, " start=\"%" PRId64 "\"", when.begin);
    pen_writer_print(out, " end=\"%" PRId64 "\"", when.end);
}

/* A single interval stands in the element itself, unless it is all the time. */
static void write_only_span(const history *h, int64_t last, writer *out)
{
    const span *first = h->spans.list;
    if (h->spans.count == 1 && (first->begin > 1 || first->end < last)) write_span(*first, out);
}

static void write_spells(const history *h, writer *out)
{
    if (h->spans.count < 2) return;
    pen_writer_text(out, "<spells>");
    for (int64_t i = 0; i < h->spans.count; i++) {
        pen_writer_text(out, "<spell");
        write_span(h->spans.list[i], out);
        pen_writer_text(out, "/>");
    }
    pen_writer_text(out, "</spells>");
}

static void write_position(const origin *from, writer *out)
{
    pen_writer_text(out, "<viz:position");
    for (int d = 0; d < 3; d++) {
        pen_writer_print(out, " %c=\"", "xyz"[d]);
        pen_writer_real(out, from->at[d]);
        pen_writer_char(out, '"');
    }
    pen_writer_text(out, "/>");
}

static void write_load(const load_span *load, writer *out)
{
    pen_writer_text(out, "<attvalue for=\"load\" value=\"");
    pen_writer_real(out, load->load);
    pen_writer_char(out, '"');
    write_span(load->when, out);
    pen_writer_text(out, "/>");
}

/* *load is the first of the node's loads, and becomes that of the next node. */
static void write_node(const history *h, const origin *from, int64_t last, int64_t *load, writer *out)
{
    pen_writer_print(out, "<node id=\"%" PRId64 "\"", from->gid);
    pen_writer_print(out, " label=\"%" PRId64 "\"", from->gid);
    write_only_span(h, last, out);
    pen_writer_text(out, "><attvalues>");
    if (from->owner >= 0) pen_writer_print(out, "<attvalue for=\"owner\" value=\"%" PRId32 "\"/>", from->owner);
    for (; *load < h->loads.count && h->loads.list[*load].gid == from->gid; ++*load)
        write_load(&h->loads.list[*load], out);
    pen_writer_text(out, "</attvalues>");
    write_spells(h, out);
    if (h->w->dimensions > 0) write_position(from, out);
    pen_writer_text(out, "</node>\n");
}

static pen_status write_nodes(history *h, int64_t last, writer *out)
{
    int64_t load = 0, from = 0;
    for (int64_t i = 0; i < h->nodes.count;) {
        pen_gid gid = h->nodes.list[i].gid;
        h->spans.count = 0;
        for (; i < h->nodes.count && h->nodes.list[i].gid == gid; i++) PEN_TRY(add_span(h, h->nodes.list[i].when));
        while (h->origins.list[from].gid < gid) from++;
        write_node(h, &h->origins.list[from], last, &load, out);
    }
    return PEN_OK;
}

static void write_edge(const history *h, int64_t number, const edge_span *edges, int64_t count, int64_t last,
                       writer *out)
{
    pen_writer_print(out, "<edge id=\"%" PRId64 "\"", number);
    pen_writer_print(out, " source=\"%" PRId64 "\"", edges->from);
    pen_writer_print(out, " target=\"%" PRId64 "\"", edges->to);
    write_only_span(h, last, out);
    pen_writer_char(out, '>');
    if (h->weighted) pen_writer_text(out, "<attvalues>");
    for (int64_t i = 0; h->weighted && i < count; i++) {
        pen_writer_print(out, "<attvalue for=\"weight\" value=\"%" PRId64 "\"", edges[i].weight);
        write_span(edges[i].when, out);
        pen_writer_text(out, "/>");
    }
    if (h->weighted) pen_writer_text(out, "</attvalues>");
    write_spells(h, out);
    pen_writer_text(out, "</edge>\n");
}

static pen_status write_edges(history *h, int64_t last, writer *out)
{
    int64_t number = 0;
    for (int64_t i = 0; i < h->edges.count;) {
        const edge_span *first = &h->edges.list[i];
        h->spans.count = 0;
        for (; i < h->edges.count && h->edges.list[i].from == first->from && h->edges.list[i].to == first->to; i++)
            PEN_TRY(add_span(h, h->edges.list[i].when));
        write_edge(h, number++, first, &h->edges.list[i] - first, last, out);
    }
    return PEN_OK;
}

/* Version 1.2, which readers know that do not know 1.3, as networkx. */
static void write_head(const history *h, int64_t last, writer *out)
{
    const pen_workload_world *world = &h->w->world;
    pen_writer_text(out,
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gexf xmlns=\"http://www.gexf.net/1.2draft\" "
                    "xmlns:viz=\"http://www.gexf.net/1.2draft/viz\" version=\"1.2\">\n<meta><creator>Penumbra</creator>"
                    "<description>");
    pen_xml_text(out, world->application);
    pen_writer_print(out, ", ranks: %d, loads are %s", world->ranks, world->declared ? "declared" : "seconds");
    pen_writer_text(out, "</description></meta>\n<graph mode=\"dynamic\" timeformat=\"integer\"");
    write_span((span){ 1, last }, out);
    pen_writer_print(out, " defaultedgetype=\"%sdirected\">\n", world->directed ? "" : "un");
    pen_writer_text(out, "<attributes class=\"node\" mode=\"static\">\n"
                         "<attribute id=\"owner\" title=\"owner\" type=\"integer\"/>\n</attributes>\n"
                         "<attributes class=\"node\" mode=\"dynamic\">\n"
                         "<attribute id=\"load\" title=\"load\" type=\"double\"/>\n</attributes>\n");
    if (h->weighted)
        pen_writer_text(out, "<attributes class=\"edge\" mode=\"dynamic\">\n"
                             "<attribute id=\"weight\" title=\"weight\" type=\"double\"/>\n</attributes>\n");
}

static pen_status write_all(history *h, int64_t last, writer *out)
{
    SORT(&h->nodes, by_node);
    SORT(&h->loads, by_load);
    SORT(&h->origins, by_origin);
    SORT(&h->edges, by_edge);
    write_head(h, last, out);
    pen_writer_text(out, "<nodes>\n");
    PEN_TRY(write_nodes(h, last, out));
    pen_writer_text(out, "</nodes>\n<edges>\n");
    PEN_TRY(write_edges(h, last, out));
    pen_writer_text(out, "</edges>\n</graph>\n</gexf>\n");
    return PEN_OK;
}

static void free_history(history *h)
{
    for (int64_t i = 0; i < h->places.count; i++) free(h->places.list[i].row.list);
    PEN_FREE_ALL(h->before.list, h->places.list, h->nodes.list, h->loads.list, h->origins.list, h->edges.list,
                 h->spans.list);
}

pen_status pen_gexf_write_record(const char *path, writer *out)
{
    pen_workload w;
    int64_t last;
    PEN_TRY(pen_workload_open(path, &w));
    history h = { .w = &w };
    pen_status status = read_record(path, &w, &h, &last);
    if (status == PEN_OK) status = write_all(&h, last, out);
    free_history(&h);
    pen_workload_close(&w);
    return status;
}

/* scene_graph.c - the scene of a graph. */
#include "base/memory.h"
#include "tools/common/order.h"
#include "tools/graph/scene.h"

#include <math.h>
#include <stdlib.h>

static const double graph_widths[] = { 0.3, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0, 11.0, 15.0 };

enum {
    OWN_COLOURS = 8,    /* parts that have a colour each */
    MANY_EDGES = 60000, /* beyond, there are areas */
    MANY_LONG_EDGES = 20000,
    AREA_REACH = 8,     /* pixels */
    AREA_REACH_3D = 40, /* in three dimensions, where they cover what is behind */
    INSIDE = 0,
    CUT,
    DOT /* layers */
};

/* ---- Places --------------------------------------------------------------------------------- */

/* Seen from above the front right: turned by 30 degrees about the third axis, then tilted by 25. */
static void project(const double *at, double *x, double *y, double *depth)
{
    double away = 0.5 * at[0] + 0.8660254037844386 * at[1];
    *x = 0.8660254037844386 * at[0] - 0.5 * at[1];
    *y = 0.9063077870366499 * at[2] + 0.42261826174069944 * away;
    *depth = 0.9063077870366499 * away - 0.42261826174069944 * at[2];
}

static void widen(double value, double *low, double *high)
{
    if (!(value >= *low) && !isnan(*low)) *low = value; /* a NaN stays, and is found */
    if (!(value <= *high) && !isnan(*high)) *high = value;
}

static pen_status place(scene *s, const picture_options *options)
{
    const picture_graph *g = s->graph;
    int64_t n = g->nodes;
    int d = g->dimensions;
    double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY }, size = options->size;
    PEN_TRY(PEN_ALLOC(&s->x, n));
    PEN_TRY(PEN_ALLOC(&s->y, n));
    if (d == 3) PEN_TRY(PEN_ALLOC(&s->depth, n));
    for (int64_t i = 0; i < n; i++) {
        const double *at = g->coordinates + i * d;
        if (d == 3) project(at, &s->x[i], &s->y[i], &s->depth[i]);
        else {
            s->x[i] = at[0];
            s->y[i] = d == 2 ? at[1] : 0.0;
        }
        widen(s->x[i], &low[0], &high[0]);
        widen(s->y[i], &low[1], &high[1]);
    }
    for (int k = 0; k < 2 && options->has_window; k++) {
        low[k] = fmin(options->window[k], options->window[k + 2]);
        high[k] = fmax(options->window[k], options->window[k + 2]);
    }
    double wide = high[0] - low[0], tall = high[1] - low[1], longest = fmax(wide, tall), margin = size / 50.0;
    if (!isfinite(wide) || !isfinite(tall))
        return pen_fail(PEN_ERR_INPUT, "coordinates are from (%g, %g) to (%g, %g), must be finite", low[0], low[1],
                        high[0], high[1]);
    double scale = longest > 0.0 ? (size - 2.0 * margin) / longest : 0.0;
    if (!isfinite(scale)) scale = 0.0;
    double width = fmax(wide * scale, size / 4.0); /* there is room for the caption */
    for (int64_t i = 0; i < n; i++) {
        s->x[i] = margin + (width - wide * scale) / 2.0 + (s->x[i] - low[0]) * scale;
        s->y[i] = margin + (high[1] - s->y[i]) * scale;
        if (s->depth) s->depth[i] *= scale;
    }
    s->width = (int)(width + 2.0 * margin);
    s->field_height = tall * scale + 2.0 * margin;
    return PEN_OK;
}

static double distance(const scene *s, int64_t u, int64_t v)
{
    double dx = s->x[v] - s->x[u], dy = s->y[v] - s->y[u];
    return sqrt(dx * dx + dy * dy);
}

static pen_status measure_reach(scene *s)
{
    const picture_graph *g = s->graph;
    int64_t most = 0;
    for (int64_t u = 0; u < g->nodes; u++)
        if (g->rows[u + 1] - g->rows[u] > most) most = g->rows[u + 1] - g->rows[u];
    double *lengths;
    PEN_TRY(PEN_ALLOC(&s->reach, g->nodes));
    PEN_TRY(PEN_ALLOC(&lengths, most));
    double alone = fmin(20.0, sqrt(s->width * s->field_height / (double)g->nodes));
    for (int64_t u = 0; u < g->nodes; u++) {
        const int64_t *row = g->neighbors + g->rows[u];
        int64_t degree = g->rows[u + 1] - g->rows[u];
        for (int64_t k = 0; k < degree; k++) lengths[k] = distance(s, u, row[k]);
        qsort(lengths, (size_t)degree, sizeof *lengths, pen_ascending_real);
        s->reach[u] = degree ? lengths[(degree - 1) / 2] : alone;
    }
    free(lengths);
    return PEN_OK;
}

/* ---- Colours -------------------------------------------------------------------------------- */

/* Nodes by part: those of part p are order[begin[p] .. begin[p+1]-1]. */
static void sort_by_part(const picture_graph *g, int64_t *begin, int64_t *order)
{
    for (int64_t u = 0; u < g->nodes; u++) begin[pen_picture_part(g, u) + 1]++;
    for (int32_t p = 0; p < g->parts; p++) begin[p + 1] += begin[p];
    for (int64_t u = g->nodes; u-- > 0;) order[--begin[pen_picture_part(g, u) + 1]] = u;
    for (int32_t p = 0; p < g->parts; p++) begin[p] = begin[p + 1];
    begin[g->parts] = g->nodes;
}

/* Part by part, the colour that the fewest edges to parts that have one speak against; among these one of the
 * first eight, and then the rarest. */
static void colour_greedily(const picture_graph *g, const int64_t *begin, const int64_t *order, int8_t *colour)
{
    int64_t uses[PEN_COLOURS] = { 0 };
    memset(colour, -1, (size_t)g->parts);
    for (int32_t p = 0; p < g->parts; p++) {
        int64_t against[PEN_COLOURS] = { 0 };
        for (int64_t i = begin[p]; i < begin[p + 1]; i++)
            for (int64_t k = g->rows[order[i]]; k < g->rows[order[i] + 1]; k++) {
                int32_t other = pen_picture_part(g, g->neighbors[k]);
                if (colour[other] >= 0) against[colour[other]]++;
            }
        int best = 0;
        for (int c = 1; c < PEN_COLOURS; c++)
            if (against[c] < against[best] ||
                (against[c] == against[best] && (c >= OWN_COLOURS) == (best >= OWN_COLOURS) && uses[c] < uses[best]))
                best = c;
        colour[p] = (int8_t)best;
        uses[best]++;
    }
}

static pen_status choose_colours(scene *s)
{
    const picture_graph *g = s->graph;
    PEN_TRY(PEN_ALLOC(&s->colour, g->parts));
    if (g->parts <= OWN_COLOURS) {
        for (int32_t p = 0; p < g->parts; p++) s->colour[p] = (int8_t)p;
        if (g->values) s->colour[0] = PEN_LIGHT_GREY; /* of edges */
        return PEN_OK;
    }
    int64_t *begin, *order = NULL;
    PEN_TRY(PEN_ALLOC_ZERO(&begin, (int64_t)g->parts + 2));
    pen_status status = PEN_ALLOC(&order, g->nodes);
    if (status == PEN_OK) {
        sort_by_part(g, begin, order);
        colour_greedily(g, begin, order, s->colour);
    }
    free(begin);
    free(order);
    return status;
}

/* ---- Strokes -------------------------------------------------------------------------------- */

static uint16_t make_style(int layer, int colour, double width)
{
    int w = PEN_COUNT_OF(graph_widths) - 1;
    while (w > 0 && graph_widths[w] > width) w--;
    return (uint16_t)((layer * PEN_PALETTE + colour) * SCENE_WIDTHS + w);
}

static bool is_visible(const scene *s, int64_t u, int64_t v)
{
    return fmax(s->x[u], s->x[v]) >= 0.0 && fmin(s->x[u], s->x[v]) <= s->width && fmax(s->y[u], s->y[v]) >= 0.0 &&
           fmin(s->y[u], s->y[v]) <= s->field_height;
}

static bool is_long(const scene *s, int64_t u, int64_t v)
{
    return distance(s, u, v) > 0.1 * fmax(s->width, s->field_height) && is_visible(s, u, v);
}

static int64_t count_long(const scene *s)
{
    const picture_graph *g = s->graph;
    int64_t count = 0;
    for (int64_t u = 0; u < g->nodes; u++)
        for (int64_t k = g->rows[u]; k < g->rows[u + 1]; k++)
            count += (g->directed || g->neighbors[k] > u) && is_long(s, u, g->neighbors[k]);
    return count;
}

/* False where the edge does not show, or is within an area. */
static bool style_edge(const scene *s, int64_t u, int64_t v, uint16_t *style)
{
    double length = distance(s, u, v);
    if (s->values.shape != SHAPE_DOT) return false;
    bool cut = pen_picture_part(s->graph, u) != pen_picture_part(s->graph, v),
         pale = length > 6.0 * fmax(s->reach[u], s->reach[v]);
    if (!is_visible(s, u, v) || (s->omits_long && is_long(s, u, v))) return false;
    if (!cut && pen_scene_is_area(s, u) && pen_scene_is_area(s, v)) return false;
    double width = cut ? fmin(fmax(0.2 * length, 1.0), s->depth ? 2.0 : 4.0) : fmin(fmax(0.1 * length, 0.5), 2.0);
    *style = make_style(cut ? CUT : INSIDE, cut ? PEN_DARK : s->colour[pen_picture_part(s->graph, u)],
                        pale ? 0.0 : width);
    return true;
}

static bool style_dot(const scene *s, int64_t u, uint16_t *style)
{
    double width = (s->depth ? 0.2 : 0.4) * s->reach[u]; /* small ones, to see what is behind */
    *style = make_style(DOT, s->colour[pen_picture_part(s->graph, u)], width);
    return !s->graph->values && !pen_scene_is_area(s, u) && width >= 2.0 && is_visible(s, u, u);
}

/* Counts into *count; where `strokes` is not NULL it gets them. */
static void list_strokes(const scene *s, scene_stroke *strokes, int64_t *count)
{
    const picture_graph *g = s->graph;
    *count = 0;
    for (int64_t u = 0; u < g->nodes; u++) {
        uint16_t style;
        for (int64_t k = g->rows[u]; k < g->rows[u + 1]; k++) {
            int64_t v = g->neighbors[k];
            if ((!g->directed && v <= u) || !style_edge(s, u, v, &style)) continue;
            if (strokes) strokes[*count] = (scene_stroke){ (int32_t)u, (int32_t)v, style };
            ++*count;
        }
        if (!style_dot(s, u, &style)) continue;
        if (strokes) strokes[*count] = (scene_stroke){ (int32_t)u, (int32_t)u, style };
        ++*count;
    }
}

static pen_status make_strokes(scene *s)
{
    scene_stroke *listed;
    list_strokes(s, NULL, &s->stroke_count);
    PEN_TRY(PEN_ALLOC(&listed, s->stroke_count));
    pen_status status = PEN_ALLOC(&s->strokes, s->stroke_count);
    if (status == PEN_OK) {
        list_strokes(s, listed, &s->stroke_count);
        pen_scene_sort_strokes(s, listed);
    }
    free(listed);
    return status;
}

/* ---- Caption -------------------------------------------------------------------------------- */

static void write_caption(scene *s, int size, int64_t long_edges)
{
    const picture_graph *g = s->graph;
    int64_t cut = 0, arcs = g->rows[g->nodes];
    for (int64_t u = 0; u < g->nodes; u++)
        for (int64_t k = g->rows[u]; k < g->rows[u + 1]; k++)
            if (pen_picture_part(g, u) != pen_picture_part(g, g->neighbors[k]))
                cut += g->edge_weights ? g->edge_weights[k] : 1;
    s->text_height = fmax(7.0, size / 100.0);
    pen_scene_add_label(s, -1, "%s", g->title);
    pen_scene_add_label(s, -1, "%" PRId64 " nodes", g->nodes);
    pen_scene_add_label(s, -1, g->directed ? "%" PRId64 " arcs" : "%" PRId64 " edges", g->directed ? arcs : arcs / 2);
    if (g->part) {
        pen_scene_add_label(s, -1, "%" PRId32 " parts", g->parts);
        pen_scene_add_label(s, -1, "cut %" PRId64, g->directed ? cut : cut / 2);
        for (int32_t p = 0; p < g->parts && g->parts <= OWN_COLOURS; p++)
            pen_scene_add_label(s, s->colour[p], "%" PRId32, p);
    }
    if (s->omits_long && s->values.shape == SHAPE_DOT)
        pen_scene_add_label(s, -1, "%" PRId64 " long edges left out", long_edges);
    if (g->values) pen_scene_add_label(s, -1, "%s", g->values->title);
    if (g->values && g->values->missing) pen_scene_add_label(s, PEN_GREY, "no value");
    pen_scene_lay_out_labels(s);
    if (g->values) pen_scene_add_bar(s);
}

pen_status pen_scene_create(const picture_graph *graph, const picture_options *options, scene *s)
{
    *s = (scene){ .graph = graph, .area_reach = -1.0 };
    memcpy(s->widths, graph_widths, sizeof graph_widths);
    if (graph->nodes > INT32_MAX)
        return pen_fail(PEN_ERR_UNSUPPORTED, "%" PRId64 " nodes, at most 2^31 - 1 can be drawn", graph->nodes);
    if (graph->rows[graph->nodes] / 2 > MANY_EDGES) s->area_reach = graph->dimensions == 3 ? AREA_REACH_3D : AREA_REACH;
    PEN_TRY(place(s, options));
    PEN_TRY(measure_reach(s));
    if (graph->values) PEN_TRY(pen_scene_shape_values(s, options));
    PEN_TRY(choose_colours(s));
    int64_t count = count_long(s);
    s->omits_long = count > MANY_LONG_EDGES;
    PEN_TRY(make_strokes(s));
    write_caption(s, options->size, count);
    return graph->values ? pen_scene_take_values(s, 0) : PEN_OK;
}

/* scene_values.c - nodes that have values: their shapes and colours, and the bar that explains them. */
#include "base/memory.h"
#include "tools/common/colour_map.h"
#include "tools/graph/scene.h"

#include <math.h>

/* Cells where the nodes of a grid lie as they should: neighbours are at one distance everywhere. */
static void choose_shape(scene *s)
{
    const picture_graph *g = s->graph;
    double low = s->reach[0], high = low;
    for (int64_t u = 1; u < g->nodes; u++) {
        low = fmin(low, s->reach[u]);
        high = fmax(high, s->reach[u]);
    }
    s->values.shape = SHAPE_DOT;
    s->values.side = low;
    if (g->grid == PEN_GRID_NONE || g->dimensions != 2 || g->nodes < 2 || s->area_reach >= 0.0) return;
    if (low > 0.0 && high <= 1.001 * low) s->values.shape = g->grid == PEN_GRID_HEX ? SHAPE_HEXAGON : SHAPE_SQUARE;
}

/* Where nodes' centres reach the margin, whole cells are to be within it. */
static void make_room(scene *s, double margin)
{
    double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY };
    for (int64_t u = 0; u < s->graph->nodes; u++) {
        const double at[2] = { s->x[u], s->y[u] };
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], at[k]);
            high[k] = fmax(high[k], at[k]);
        }
    }
    double across = high[0] - low[0], down = high[1] - low[1], longest = fmax(across, down);
    double cell = (s->values.shape == SHAPE_HEXAGON ? 1.1547005383792517 : 1.0) * s->values.side;
    double scale = longest / (longest + cell), centre = 0.5 * (low[0] + high[0]);
    s->width = (int)fmax(s->width, scale * (across + cell) + 2.0 * margin);
    s->field_height = scale * (down + cell) + 2.0 * margin;
    for (int64_t u = 0; u < s->graph->nodes; u++) {
        s->x[u] = 0.5 * s->width + scale * (s->x[u] - centre);
        s->y[u] = margin + scale * (0.5 * cell + s->y[u] - low[1]);
        s->reach[u] *= scale;
    }
    s->values.side *= scale;
}

pen_status pen_scene_shape_values(scene *s, const picture_options *options)
{
    scene_values *v = &s->values;
    int64_t nodes = s->graph->nodes;
    PEN_TRY(PEN_ALLOC(&v->shade, nodes));
    PEN_TRY(PEN_ALLOC(&v->order, nodes));
    PEN_TRY(PEN_ALLOC(&v->read, nodes));
    for (int i = 0; i < SCENE_SHADES; i++) v->colours[i] = pen_colour_map(i / (SCENE_SHADES - 1.0));
    v->colours[SCENE_NO_VALUE] = pen_palette[PEN_GREY];
    choose_shape(s);
    if (s->values.shape != SHAPE_DOT && !options->has_window) make_room(s, options->size / 50.0);
    return PEN_OK;
}

/* Where all values are the same, in the middle. Halves are subtracted, which never are too large. */
static int shade_of(const picture_values *values, double value)
{
    double span = 0.5 * values->high - 0.5 * values->low, place = 0.5;
    if (isnan(value)) return SCENE_NO_VALUE;
    if (span > 0.0) place = (0.5 * value - 0.5 * values->low) / span;
    return (int)(fmin(fmax(place, 0.0), 1.0) * (SCENE_SHADES - 1) + 0.5);
}

pen_status pen_scene_take_values(scene *s, int64_t frame)
{
    const picture_graph *g = s->graph;
    scene_values *v = &s->values;
    const char *name;
    int64_t at[SCENE_SHADES + 2] = { 0 };
    PEN_TRY(g->values->read(g->values->state, frame, v->read, &name));
    snprintf(v->name.text, sizeof v->name.text, "%s", name);
    pen_scene_measure(s, &v->name);
    for (int64_t u = 0; u < g->nodes; u++) {
        v->shade[u] = (uint16_t)shade_of(g->values, v->read[u]);
        at[v->shade[u] + 1]++;
    }
    for (int i = 0; i <= SCENE_SHADES; i++) at[i + 1] += at[i];
    for (int64_t u = 0; u < g->nodes; u++) v->order[at[v->shade[u]]++] = (int32_t)u;
    return PEN_OK;
}

/* A line of its own: the lowest value, the bar, the highest one, and the frame's name. */
void pen_scene_add_bar(scene *s)
{
    scene_values *v = &s->values;
    const picture_values *values = s->graph->values;
    double h = s->text_height, x = s->width / 50.0, y = s->height;
    scene_label *low = pen_scene_add_label(s, -1, "%g", values->low);
    pen_scene_measure(s, low);
    low->x = x;
    v->bar_x = low->x + low->width + 0.5 * h;
    v->bar_y = y - h;
    v->bar_width = s->width / 4.0;
    scene_label *high = pen_scene_add_label(s, -1, "%g", values->high);
    pen_scene_measure(s, high);
    high->x = v->bar_x + v->bar_width + 0.5 * h;
    low->y = high->y = v->name.y = y;
    v->name.x = high->x + high->width + 2.0 * h;
    v->name.colour = -1;
    s->height = (int)(y + 2.0 * h);
}

double pen_scene_dot(const scene *s, int64_t u) { return fmin(fmax(0.8 * s->reach[u], 3.0), s->width / 40.0); }

int pen_scene_corners(const scene *s, double xy[12])
{
    int corners = s->values.shape == SHAPE_HEXAGON ? 6 : 4;
    double turn = 2.0 * M_PI / corners, radius = 0.5 * s->values.side / cos(0.5 * turn);
    for (int i = 0; i < corners; i++) {
        xy[2 * i] = radius * cos((i + 0.5) * turn);
        xy[2 * i + 1] = radius * sin((i + 0.5) * turn);
    }
    return corners;
}

#include "tools/graph/raster.h"
#include "tools/common/colour_map.h"

#include <cairo-pdf.h>
#include <math.h>
#include <stdlib.h>

enum { WHITE = 0xFFFFFF };

static void set_colour(cairo_t *c, uint32_t colour)
{
    cairo_set_source_rgb(c, (colour >> 16) / 255.0, (colour >> 8 & 255) / 255.0, (colour & 255) / 255.0);
}

/* Of the nodes whose squares' corners a pixel is within, it shows the nearest: on paper, or in three dimensions to
 * the viewer. */
static void draw_areas(const scene *s, cairo_surface_t *image, float *nearest)
{
    const picture_graph *g = s->graph;
    uint32_t *pixels = (uint32_t *)(void *)cairo_image_surface_get_data(image);
    int64_t stride = cairo_image_surface_get_stride(image) / 4;
    for (int64_t i = (int64_t)s->width * s->height; i-- > 0;) nearest[i] = INFINITY;
    cairo_surface_flush(image);
    for (int64_t u = 0; u < g->nodes; u++) {
        if (!pen_scene_is_area(s, u)) continue;
        double r = fmax(s->reach[u], 1.0) * 0.7072;
        int left = (int)fmax(s->x[u] - r, 0.0), right = (int)fmin(s->x[u] + r, s->width - 1.0);
        int top = (int)fmax(s->y[u] - r, 0.0), bottom = (int)fmin(s->y[u] + r, s->height - 1.0);
        uint32_t colour = pen_scene_node_colour(s, u);
        for (int y = top; y <= bottom; y++)
            for (int x = left; x <= right; x++) {
                double dx = x + 0.5 - s->x[u], dy = y + 0.5 - s->y[u], square = dx * dx + dy * dy;
                float key = (float)(s->depth ? s->depth[u] : square), *best = &nearest[(int64_t)y * s->width + x];
                if (square > r * r || key >= *best) continue;
                *best = key;
                pixels[y * stride + x] = colour;
            }
    }
    cairo_surface_mark_dirty(image);
}

/* Whether an area lies in front of the node. */
static bool is_hidden(const scene *s, const float *nearest, int32_t u)
{
    double x = s->x[u], y = s->y[u];
    return nearest && s->depth && x >= 0.0 && x < s->width && y >= 0.0 && y < s->height &&
           nearest[(int64_t)y * s->width + (int)x] < s->depth[u] - s->reach[u];
}

/* One by one on pixels, where strokes that cross in one path take long, and with few shades, which compress better and
 * look the same; as one path of each style elsewhere. */
static void draw_strokes(const scene *s, cairo_t *c, const float *nearest, bool pixels)
{
    int style = -1;
    cairo_set_line_cap(c, CAIRO_LINE_CAP_ROUND);
    cairo_set_antialias(c, pixels ? CAIRO_ANTIALIAS_FAST : CAIRO_ANTIALIAS_DEFAULT);
    for (int64_t i = 0; i < s->stroke_count; i++) {
        scene_stroke k = s->strokes[i];
        if (is_hidden(s, nearest, k.from) || is_hidden(s, nearest, k.to)) continue;
        if (k.style != style) {
            cairo_stroke(c);
            set_colour(c, pen_palette[stroke_colour(k.style)]);
            cairo_set_line_width(c, stroke_width(s, k.style));
            style = k.style;
        }
        cairo_move_to(c, s->x[k.from], s->y[k.from]);
        cairo_line_to(c, s->x[k.to], s->y[k.to]);
        if (pixels) cairo_stroke(c);
    }
    cairo_stroke(c);
    cairo_set_antialias(c, CAIRO_ANTIALIAS_DEFAULT);
}

static void draw_node(const scene *s, cairo_t *c, int64_t u, const double *xy, int corners)
{
    set_colour(c, pen_scene_node_colour(s, u));
    if (corners == 0) {
        cairo_arc(c, s->x[u], s->y[u], 0.5 * pen_scene_dot(s, u), 0.0, 2.0 * M_PI);
        cairo_fill(c);
        return;
    }
    for (int i = 0; i < corners; i++) cairo_line_to(c, s->x[u] + xy[2 * i], s->y[u] + xy[2 * i + 1]);
    cairo_close_path(c);
    cairo_fill_preserve(c);
    cairo_stroke(c);
}

/* Cells have edges of their own colour, so that nothing shines through between them. */
static void draw_nodes(const scene *s, cairo_t *c)
{
    double xy[12];
    int corners = s->values.shape == SHAPE_DOT ? 0 : pen_scene_corners(s, xy);
    cairo_set_line_width(c, SCENE_SEAM);
    for (int64_t u = 0; s->graph && s->graph->values && u < s->graph->nodes; u++)
        if (!pen_scene_is_area(s, u)) draw_node(s, c, u, xy, corners);
}

static void draw_text(const scene *s, cairo_t *c, const scene_label *label, double x)
{
    cairo_move_to(c, x, label->y);
    if (label->inside) {
        cairo_text_path(c, label->text);
        set_colour(c, WHITE);
        cairo_set_line_width(c, SCENE_HALO * s->text_height);
        cairo_stroke(c);
        cairo_move_to(c, x, label->y);
    }
    set_colour(c, pen_palette[PEN_DARK]);
    cairo_show_text(c, label->text);
}

static void draw_bar(const scene *s, cairo_t *c)
{
    const scene_values *v = &s->values;
    cairo_pattern_t *bar = cairo_pattern_create_linear(v->bar_x, 0.0, v->bar_x + v->bar_width, 0.0);
    for (int i = 0; i <= SCENE_BAR_STEPS; i++) {
        uint32_t colour = pen_colour_map((double)i / SCENE_BAR_STEPS);
        cairo_pattern_add_color_stop_rgb(bar, (double)i / SCENE_BAR_STEPS, (colour >> 16) / 255.0,
                                         (colour >> 8 & 255) / 255.0, (colour & 255) / 255.0);
    }
    cairo_set_source(c, bar);
    cairo_rectangle(c, v->bar_x, v->bar_y, v->bar_width, s->text_height);
    cairo_fill(c);
    cairo_pattern_destroy(bar);
    draw_text(s, c, &v->name, v->name.x);
}

static void draw_labels(const scene *s, cairo_t *c)
{
    double h = s->text_height;
    set_colour(c, WHITE);
    cairo_rectangle(c, 0.0, floor(s->field_height), s->width, s->height);
    cairo_fill(c);
    pen_scene_font(c, h);
    for (int i = 0; i < s->label_count; i++) {
        const scene_label *label = &s->labels[i];
        double x = label->x;
        if (label->colour >= 0) {
            set_colour(c, pen_palette[label->colour]);
            cairo_arc(c, x + 0.5 * h, label->y - 0.5 * h, 0.5 * h, 0.0, 2.0 * M_PI);
            cairo_fill(c);
            x += 1.5 * h;
        }
        draw_text(s, c, label, x);
    }
    if (s->graph && s->graph->values) draw_bar(s, c);
}

/* Where cairo writes what it makes. */
static cairo_status_t append(void *out, const unsigned char *bytes, unsigned int size)
{
    pen_writer_bytes(out, bytes, size);
    return CAIRO_STATUS_SUCCESS;
}

static pen_status check(cairo_status_t code)
{
    return code == CAIRO_STATUS_SUCCESS ? PEN_OK
                                        : pen_fail(PEN_ERR_MEMORY, "drawing: %s", cairo_status_to_string(code));
}

/* Everything but the labels as pixels, in *image, which the caller destroys whatever the status. */
static pen_status make_image(const scene *s, cairo_surface_t **image)
{
    float *nearest = NULL;
    *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, s->width, s->height);
    PEN_TRY(check(cairo_surface_status(*image)));
    if (s->area_reach >= 0.0) PEN_TRY(PEN_ALLOC(&nearest, (int64_t)s->width * s->height));
    cairo_t *c = cairo_create(*image);
    set_colour(c, WHITE);
    cairo_paint(c);
    if (nearest) draw_areas(s, *image, nearest);
    draw_strokes(s, c, nearest, true);
    draw_nodes(s, c);
    pen_status status = check(cairo_status(c));
    cairo_destroy(c);
    free(nearest);
    return status;
}

pen_status pen_png_write(const scene *s, bool labels, writer *out)
{
    cairo_surface_t *image;
    pen_status status = make_image(s, &image);
    if (status == PEN_OK && labels) {
        cairo_t *c = cairo_create(image);
        draw_labels(s, c);
        status = check(cairo_status(c));
        cairo_destroy(c);
    }
    if (status == PEN_OK) status = check(cairo_surface_write_to_png_stream(image, append, out));
    cairo_surface_destroy(image);
    return status;
}

static pen_status draw_page(const scene *s, cairo_t *c)
{
    cairo_surface_t *image = NULL;
    pen_status status = PEN_OK;
    if (s->area_reach >= 0.0) {
        status = make_image(s, &image);
        cairo_set_source_surface(c, image, 0.0, 0.0);
        cairo_paint(c);
    } else {
        draw_strokes(s, c, NULL, false);
        draw_nodes(s, c);
    }
    draw_labels(s, c);
    cairo_surface_destroy(image);
    return status == PEN_OK ? check(cairo_status(c)) : status;
}

pen_status pen_pdf_write(const scene *s, writer *out)
{
    cairo_surface_t *page = cairo_pdf_surface_create_for_stream(append, out, s->width, s->height);
    cairo_pdf_surface_set_metadata(page, CAIRO_PDF_METADATA_CREATE_DATE, ""); /* the same at any time */
    cairo_t *c = cairo_create(page);
    pen_status status = draw_page(s, c);
    cairo_destroy(c);
    cairo_surface_finish(page);
    if (status == PEN_OK) status = check(cairo_surface_status(page));
    cairo_surface_destroy(page);
    return status;
}

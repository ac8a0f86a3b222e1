/* picture.c - scenes become PNG, PDF or SVG.
 *
 * Pixels and PDF are cairo's. SVG is written here: cairo's is three times as large, and its text is curves, which no
 * search finds. */
#include "tools/graph/picture.h"
#ifdef PEN_HAVE_CAIRO
#include "tools/graph/scene.h"

#include <cairo-pdf.h>
#include <math.h>
#include <stdlib.h>

/* ---- Pixels and PDF ------------------------------------------------------------------------- */

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
        uint32_t colour = pen_palette[s->colour[g->part ? g->part[u] : 0]];
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
        cairo_move_to(c, x, label->y);
        if (label->inside) {
            cairo_text_path(c, label->text);
            set_colour(c, WHITE);
            cairo_set_line_width(c, SCENE_HALO * h);
            cairo_stroke(c);
            cairo_move_to(c, x, label->y);
        }
        set_colour(c, pen_palette[PEN_DARK]);
        cairo_show_text(c, label->text);
    }
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
    pen_status status = check(cairo_status(c));
    cairo_destroy(c);
    free(nearest);
    return status;
}

static pen_status write_png(const scene *s, bool labels, writer *out)
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
    }
    draw_labels(s, c);
    cairo_surface_destroy(image);
    return status == PEN_OK ? check(cairo_status(c)) : status;
}

static pen_status write_pdf(const scene *s, writer *out)
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

/* ---- SVG ------------------------------------------------------------------------------------ */

/* In tenths of pixels, which are whole numbers. */
static long tenths(double pixels) { return (long)floor(10.0 * pixels + 0.5); }

static void write_strokes(const scene *s, writer *out)
{
    pen_writer_text(out, "<g transform=\"scale(.1)\" fill=\"none\" stroke-linecap=\"round\">\n");
    for (int64_t i = 0; i < s->stroke_count;) {
        uint16_t style = s->strokes[i].style;
        pen_writer_print(out, "<path stroke=\"#%06" PRIX32 "\" stroke-width=\"%g\" d=\"",
                         pen_palette[stroke_colour(style)], 10.0 * stroke_width(s, style));
        for (int64_t k = 0; i < s->stroke_count && s->strokes[i].style == style; i++, k++) {
            const scene_stroke *line = &s->strokes[i];
            long x = tenths(s->x[line->from]), y = tenths(s->y[line->from]);
            pen_writer_print(out, "%sM%ld %ld", k % 8 ? "" : "\n", x, y);
            if (line->from == line->to) pen_writer_text(out, "h0");
            else pen_writer_print(out, "l%ld %ld", tenths(s->x[line->to]) - x, tenths(s->y[line->to]) - y);
        }
        pen_writer_text(out, "\"/>\n");
    }
    pen_writer_text(out, "</g>\n");
}

static void write_base64(const unsigned char *bytes, int64_t length, writer *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int64_t i = 0; i < length; i += 3) {
        int64_t left = length - i;
        uint32_t three = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0);
        if (i % 96 == 0) pen_writer_char(out, '\n');
        for (int k = 0; k < 4; k++) pen_writer_char(out, k <= left ? digits[three >> (18 - 6 * k) & 63] : '=');
    }
}

static pen_status write_image(const scene *s, writer *out)
{
    char *bytes;
    int64_t length;
    writer png;
    PEN_TRY(pen_writer_open_memory(&bytes, &length, &png));
    PEN_TRY(pen_writer_close(&png, write_png(s, false, &png)));
    pen_writer_print(out, "<image width=\"%d\" height=\"%d\" ", s->width, s->height);
    pen_writer_text(out, "href=\"data:image/png;base64,");
    write_base64((const unsigned char *)bytes, length, out);
    pen_writer_text(out, "\"/>\n");
    free(bytes);
    return PEN_OK;
}

static void write_labels(const scene *s, writer *out)
{
    double h = s->text_height;
    pen_writer_print(out, "<rect y=\"%d\" ", (int)s->field_height);
    pen_writer_text(out, "width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<g font-family=\"sans-serif\"");
    pen_writer_print(out, " font-size=\"%.1f\" fill=\"#%06" PRIX32 "\">\n", SCENE_FONT * h, pen_palette[PEN_DARK]);
    for (int i = 0; i < s->label_count; i++) {
        const scene_label *label = &s->labels[i];
        bool dot = label->colour >= 0;
        if (dot) {
            pen_writer_print(out, "<circle cx=\"%.1f\" cy=\"%.1f\"", label->x + 0.5 * h, label->y - 0.5 * h);
            pen_writer_print(out, " r=\"%.1f\" fill=\"#%06" PRIX32 "\"/>\n", 0.5 * h, pen_palette[label->colour]);
        }
        pen_writer_print(out, "<text x=\"%.1f\" y=\"%.1f\"", label->x + (dot ? 1.5 * h : 0.0), label->y);
        if (label->inside)
            pen_writer_print(out, " paint-order=\"stroke\" stroke=\"#fff\" stroke-width=\"%.1f\"", SCENE_HALO * h);
        pen_writer_print(out, " textLength=\"%.1f\" lengthAdjust=\"spacingAndGlyphs\">", label->width);
        for (const char *at = label->text; *at; at++)
            if (strchr("&<>", *at)) pen_writer_print(out, "&#%d;", *at);
            else pen_writer_char(out, *at);
        pen_writer_text(out, "</text>\n");
    }
    pen_writer_text(out, "</g>\n");
}

static pen_status write_svg(const scene *s, writer *out)
{
    pen_writer_text(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" ");
    pen_writer_print(out, "width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", s->width, s->height, s->width,
                     s->height);
    pen_writer_text(out, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    if (s->area_reach >= 0.0) PEN_TRY(write_image(s, out));
    else write_strokes(s, out);
    write_labels(s, out);
    pen_writer_text(out, "</svg>\n");
    return PEN_OK;
}

static pen_status write_scene(const scene *s, picture_kind kind, writer *out)
{
    switch (kind) {
    case PICTURE_SVG: return write_svg(s, out);
    case PICTURE_PDF: return write_pdf(s, out);
    default: return write_png(s, true, out);
    }
}

pen_status pen_picture_draw(const picture_graph *graph, const picture_options *options, writer *out)
{
    scene s;
    pen_status status = pen_scene_create(graph, options, &s);
    if (status == PEN_OK) status = write_scene(&s, options->kind, out);
    pen_scene_free(&s);
    return status;
}

pen_status pen_picture_draw_machine(const pen_machine *machine, const char *title, const picture_options *options,
                                    writer *out)
{
    scene s;
    pen_status status = pen_scene_of_machine(machine, title, options, &s);
    if (status == PEN_OK) status = write_scene(&s, options->kind, out);
    pen_scene_free(&s);
    return status;
}
#else
static pen_status refuse(void)
{
    return pen_fail(PEN_ERR_UNSUPPORTED, "this build has no cairo, by which pictures are drawn");
}

pen_status pen_picture_draw(const picture_graph *graph, const picture_options *options, writer *out)
{
    (void)graph, (void)options, (void)out;
    return refuse();
}

pen_status pen_picture_draw_machine(const pen_machine *machine, const char *title, const picture_options *options,
                                    writer *out)
{
    (void)machine, (void)title, (void)options, (void)out;
    return refuse();
}
#endif

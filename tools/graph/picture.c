/* picture.c - scenes become pixels or SVG. */
#include "tools/graph/picture.h"
#include "base/memory.h"
#include "tools/graph/canvas.h"
#include "tools/graph/scene.h"

#include <math.h>
#include <stdlib.h>

/* ---- Pixels --------------------------------------------------------------------------------- */

/* Of the nodes whose squares' corners a pixel is within, it shows the nearest: on paper, or in three dimensions to
 * the viewer. */
static void draw_areas(const scene *s, canvas *c, float *nearest)
{
    const picture_graph *g = s->graph;
    for (int64_t i = (int64_t)c->width * c->height; i-- > 0;) nearest[i] = INFINITY;
    for (int64_t u = 0; u < g->nodes; u++) {
        if (!pen_scene_is_area(s, u)) continue;
        double r = fmax(s->reach[u], 1.0) * 0.7072;
        int left = (int)fmax(s->x[u] - r, 0.0), right = (int)fmin(s->x[u] + r, c->width - 1.0);
        int top = (int)fmax(s->y[u] - r, 0.0), bottom = (int)fmin(s->y[u] + r, c->height - 1.0);
        uint32_t colour = pen_scene_colours[s->colour[g->part ? g->part[u] : 0]];
        for (int y = top; y <= bottom; y++)
            for (int x = left; x <= right; x++) {
                double dx = x + 0.5 - s->x[u], dy = y + 0.5 - s->y[u], square = dx * dx + dy * dy;
                float key = (float)(s->depth ? s->depth[u] : square), *best = &nearest[(int64_t)y * c->width + x];
                if (square > r * r || key >= *best) continue;
                *best = key;
                pen_canvas_set(c, x, y, colour);
            }
    }
}

/* Whether an area lies in front of the node. */
static bool is_hidden(const scene *s, const canvas *c, const float *nearest, int32_t u)
{
    double x = s->x[u], y = s->y[u];
    return s->depth && x >= 0.0 && x < c->width && y >= 0.0 && y < c->height &&
           nearest[(int64_t)y * c->width + (int)x] < s->depth[u] - s->reach[u];
}

static pen_status draw_pixels(const scene *s, canvas *c)
{
    float *nearest = NULL;
    if (s->area_reach >= 0.0) {
        PEN_TRY(PEN_ALLOC(&nearest, (int64_t)c->width * c->height));
        draw_areas(s, c, nearest);
    }
    for (int64_t i = 0; i < s->stroke_count; i++) {
        scene_stroke k = s->strokes[i];
        if (nearest && (is_hidden(s, c, nearest, k.from) || is_hidden(s, c, nearest, k.to))) continue;
        pen_canvas_line(c, s->x[k.from], s->y[k.from], s->x[k.to], s->y[k.to], stroke_width(k.style),
                        pen_scene_colours[stroke_colour(k.style)]);
    }
    free(nearest);
    return PEN_OK;
}

static void draw_labels(const scene *s, canvas *c)
{
    pen_canvas_clear(c, (int)s->field_height);
    for (int i = 0; i < s->label_count; i++) {
        const scene_label *label = &s->labels[i];
        double x = label->x, y = label->y, h = s->text_height;
        if (label->colour >= 0) {
            pen_canvas_line(c, x + 0.5 * h, y - 0.5 * h, x + 0.5 * h, y - 0.5 * h, h, pen_scene_colours[label->colour]);
            x += 1.5 * h;
        }
        pen_canvas_text(c, x, y, h, pen_scene_colours[DARK], label->text);
    }
}

static pen_status make_png(const scene *s, bool labels, unsigned char **bytes, int64_t *length)
{
    canvas c;
    PEN_TRY(pen_canvas_create(s->width, s->height, &c));
    pen_status status = draw_pixels(s, &c);
    if (status == PEN_OK && labels) draw_labels(s, &c);
    if (status == PEN_OK) status = pen_canvas_png(&c, bytes, length);
    pen_canvas_free(&c);
    return status;
}

/* ---- SVG ------------------------------------------------------------------------------------ */

/* In tenths of pixels, which are whole numbers. */
static long tenths(double pixels) { return (long)floor(10.0 * pixels + 0.5); }

static void write_strokes(const scene *s, FILE *out)
{
    fputs("<g transform=\"scale(.1)\" fill=\"none\" stroke-linecap=\"round\">\n", out);
    for (int64_t i = 0; i < s->stroke_count;) {
        uint16_t style = s->strokes[i].style;
        fprintf(out, "<path stroke=\"#%06" PRIX32 "\" stroke-width=\"%g\" d=\"",
                pen_scene_colours[stroke_colour(style)], 10.0 * stroke_width(style));
        for (int64_t k = 0; i < s->stroke_count && s->strokes[i].style == style; i++, k++) {
            const scene_stroke *line = &s->strokes[i];
            long x = tenths(s->x[line->from]), y = tenths(s->y[line->from]);
            fprintf(out, "%sM%ld %ld", k % 8 ? "" : "\n", x, y);
            if (line->from == line->to)
                fputs("h0", out);
            else
                fprintf(out, "l%ld %ld", tenths(s->x[line->to]) - x, tenths(s->y[line->to]) - y);
        }
        fputs("\"/>\n", out);
    }
    fputs("</g>\n", out);
}

static void write_base64(const unsigned char *bytes, int64_t length, FILE *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int64_t i = 0; i < length; i += 3) {
        int64_t left = length - i;
        uint32_t three = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0);
        if (i % 96 == 0) putc('\n', out);
        for (int k = 0; k < 4; k++) putc(k <= left ? digits[three >> (18 - 6 * k) & 63] : '=', out);
    }
}

static pen_status write_image(const scene *s, FILE *out)
{
    unsigned char *bytes;
    int64_t length;
    PEN_TRY(make_png(s, false, &bytes, &length));
    fprintf(out, "<image width=\"%d\" height=\"%d\" href=\"data:image/png;base64,", s->width, s->height);
    write_base64(bytes, length, out);
    fputs("\"/>\n", out);
    free(bytes);
    return PEN_OK;
}

static void write_text(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (*text == '&' || *text == '<' || *text == '>')
            fprintf(out, "&#%d;", *text);
        else
            putc(*text >= ' ' && *text <= '~' ? *text : '?', out);
    }
}

static void write_labels(const scene *s, FILE *out)
{
    double h = s->text_height;
    fprintf(out, "<rect y=\"%d\" width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n", (int)s->field_height);
    fprintf(out, "<g font-family=\"sans-serif\" font-size=\"%.1f\" fill=\"#%06" PRIX32 "\">\n", 1.38 * h,
            pen_scene_colours[DARK]);
    for (int i = 0; i < s->label_count; i++) {
        const scene_label *label = &s->labels[i];
        bool dot = label->colour >= 0;
        if (dot)
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"#%06" PRIX32 "\"/>\n", label->x + 0.5 * h,
                    label->y - 0.5 * h, 0.5 * h, pen_scene_colours[label->colour]);
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" textLength=\"%.1f\" lengthAdjust=\"spacingAndGlyphs\">",
                label->x + (dot ? 1.5 * h : 0.0), label->y, label->width);
        write_text(label->text, out);
        fputs("</text>\n", out);
    }
    fputs("</g>\n", out);
}

static pen_status make_svg(const scene *s, unsigned char **bytes, int64_t *length)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return pen_fail(PEN_ERR_MEMORY, "out of memory for a picture");
    pen_status status = PEN_OK;
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
            s->width, s->height, s->width, s->height);
    fputs("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", out);
    if (s->area_reach >= 0.0)
        status = write_image(s, out);
    else
        write_strokes(s, out);
    write_labels(s, out);
    fputs("</svg>\n", out);
    bool failed = ferror(out) != 0;
    if ((fclose(out) != 0 || failed) && status == PEN_OK)
        status = pen_fail(PEN_ERR_MEMORY, "out of memory for a picture");
    if (status != PEN_OK) {
        free(text);
        return status;
    }
    *bytes = (unsigned char *)text;
    *length = (int64_t)size;
    return PEN_OK;
}

pen_status pen_picture_draw(const picture_graph *graph, const picture_options *options, unsigned char **bytes,
                            int64_t *length)
{
    scene s;
    pen_status status = pen_scene_create(graph, options, &s);
    if (status == PEN_OK) status = options->svg ? make_svg(&s, bytes, length) : make_png(&s, true, bytes, length);
    pen_scene_free(&s);
    return status;
}

/* svg.c - scenes become SVG.
 *
 * It is written here, not by cairo, whose is three times as large, and its text is curves, which no search finds. */
#include "tools/graph/svg.h"
#include "tools/common/colour_map.h"
#include "tools/graph/raster.h"

#include <math.h>
#include <stdlib.h>

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
    PEN_TRY(pen_writer_close(&png, pen_png_write(s, false, &png)));
    pen_writer_print(out, "<image width=\"%d\" height=\"%d\" ", s->width, s->height);
    pen_writer_text(out, "href=\"data:image/png;base64,");
    write_base64((const unsigned char *)bytes, length, out);
    pen_writer_text(out, "\"/>\n");
    free(bytes);
    return PEN_OK;
}

static void write_text(const scene *s, const scene_label *label, double x, writer *out)
{
    pen_writer_print(out, "<text x=\"%.1f\" y=\"%.1f\"", x, label->y);
    if (label->inside)
        pen_writer_print(out, " paint-order=\"stroke\" stroke=\"#fff\" stroke-width=\"%.1f\"",
                         SCENE_HALO * s->text_height);
    pen_writer_print(out, " textLength=\"%.1f\" lengthAdjust=\"spacingAndGlyphs\">", label->width);
    for (const char *at = label->text; *at; at++)
        if (strchr("&<>", *at)) pen_writer_print(out, "&#%d;", *at);
        else pen_writer_char(out, *at);
    pen_writer_text(out, "</text>\n");
}

static void begin_labels(const scene *s, writer *out)
{
    pen_writer_text(out, "<g font-family=\"sans-serif\"");
    pen_writer_print(out, " font-size=\"%.1f\" fill=\"#%06" PRIX32 "\">\n", SCENE_FONT * s->text_height,
                     pen_palette[PEN_DARK]);
}

static void write_bar(const scene *s, writer *out)
{
    const scene_values *v = &s->values;
    pen_writer_text(out, "<linearGradient id=\"bar\">\n");
    for (int i = 0; i <= SCENE_BAR_STEPS; i++) {
        double place = (double)i / SCENE_BAR_STEPS;
        pen_writer_print(out, "<stop offset=\"%g\" stop-color=\"#%06" PRIX32 "\"/>\n", place, pen_colour_map(place));
    }
    pen_writer_text(out, "</linearGradient>\n");
    pen_writer_print(out, "<rect x=\"%.1f\" y=\"%.1f\"", v->bar_x, v->bar_y);
    pen_writer_print(out, " width=\"%.1f\" height=\"%.1f\" fill=\"url(#bar)\"/>\n", v->bar_width, s->text_height);
}

static void write_labels(const scene *s, writer *out)
{
    double h = s->text_height;
    pen_writer_print(out, "<rect y=\"%d\" ", (int)s->field_height);
    pen_writer_text(out, "width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    if (s->graph && s->graph->values) write_bar(s, out);
    begin_labels(s, out);
    for (int i = 0; i < s->label_count; i++) {
        const scene_label *label = &s->labels[i];
        bool dot = label->colour >= 0;
        if (dot) {
            pen_writer_print(out, "<circle cx=\"%.1f\" cy=\"%.1f\"", label->x + 0.5 * h, label->y - 0.5 * h);
            pen_writer_print(out, " r=\"%.1f\" fill=\"#%06" PRIX32 "\"/>\n", 0.5 * h, pen_palette[label->colour]);
        }
        write_text(s, label, label->x + (dot ? 1.5 * h : 0.0), out);
    }
    pen_writer_text(out, "</g>\n");
}

/* ---- Nodes that have values ----------------------------------------------------------------- */

static void write_cell(const scene *s, int64_t u, const double *xy, int corners, writer *out)
{
    long x = 0, y = 0;
    for (int i = 0; i < corners; i++) {
        long to_x = tenths(s->x[u] + xy[2 * i]), to_y = tenths(s->y[u] + xy[2 * i + 1]);
        pen_writer_print(out, "%c%ld %ld", i ? 'l' : 'M', to_x - x, to_y - y);
        x = to_x;
        y = to_y;
    }
    pen_writer_char(out, 'z');
}

/* Nodes of one colour are one path. */
static void write_cells(const scene *s, writer *out)
{
    double xy[12];
    int corners = pen_scene_corners(s, xy);
    pen_writer_print(out, "<g transform=\"scale(.1)\" stroke-width=\"%g\">\n", 10.0 * SCENE_SEAM);
    for (int64_t i = 0; i < s->graph->nodes;) {
        uint16_t shade = s->values.shade[s->values.order[i]];
        uint32_t colour = s->values.colours[shade];
        pen_writer_print(out, "<path fill=\"#%06" PRIX32 "\" stroke=\"#%06" PRIX32 "\" d=\"", colour, colour);
        for (; i < s->graph->nodes && s->values.shade[s->values.order[i]] == shade; i++) {
            pen_writer_char(out, '\n');
            write_cell(s, s->values.order[i], xy, corners, out);
        }
        pen_writer_text(out, "\"/>\n");
    }
    pen_writer_text(out, "</g>\n");
}

static void write_dots(const scene *s, writer *out)
{
    for (int64_t i = 0; i < s->graph->nodes; i++) {
        int64_t u = s->values.order[i];
        pen_writer_print(out, "<circle cx=\"%.1f\" cy=\"%.1f\"", s->x[u], s->y[u]);
        pen_writer_print(out, " r=\"%.1f\" fill=\"#%06" PRIX32 "\"/>\n", 0.5 * pen_scene_dot(s, u),
                         pen_scene_node_colour(s, u));
    }
}

/* A frame is shown while its turn is; where nothing moves, the first one is. */
static void write_turn(int64_t frame, int64_t frames, writer *out)
{
    double begin = (double)frame / (double)frames, end = (double)(frame + 1) / (double)frames;
    bool first = frame == 0, last = frame == frames - 1;
    pen_writer_print(out, "<g visibility=\"%s\">\n", first ? "visible" : "hidden");
    pen_writer_text(out, "<animate attributeName=\"visibility\" calcMode=\"discrete\" repeatCount=\"indefinite\"");
    pen_writer_print(out, " dur=\"%gs\" values=\"", (double)frames / FRAMES_PER_SECOND);
    pen_writer_print(out, "%svisible%s\" keyTimes=\"0", first ? "" : "hidden;", last ? "" : ";hidden");
    if (!first) pen_writer_print(out, ";%.9g", begin);
    if (!last) pen_writer_print(out, ";%.9g", end);
    pen_writer_text(out, "\"/>\n");
}

static pen_status write_frame(const scene *s, writer *out)
{
    pen_writer_print(out, "<svg width=\"%d\" height=\"%d\">\n", s->width, (int)s->field_height); /* cuts at its edges */
    if (s->area_reach >= 0.0) PEN_TRY(write_image(s, out));
    else if (s->values.shape == SHAPE_DOT) write_dots(s, out);
    else write_cells(s, out);
    pen_writer_text(out, "</svg>\n");
    if (s->values.name.text[0] == '\0') return PEN_OK;
    begin_labels(s, out);
    write_text(s, &s->values.name, s->values.name.x, out);
    pen_writer_text(out, "</g>\n");
    return PEN_OK;
}

static pen_status write_frames(scene *s, writer *out)
{
    int64_t frames = s->graph->values->frames;
    for (int64_t k = 0; k < frames; k++) {
        if (k > 0) PEN_TRY(pen_scene_take_values(s, k));
        if (frames > 1) write_turn(k, frames, out);
        PEN_TRY(write_frame(s, out));
        if (frames > 1) pen_writer_text(out, "</g>\n");
    }
    return PEN_OK;
}

/* ---- All of it ------------------------------------------------------------------------------ */

pen_status pen_svg_write(scene *s, writer *out)
{
    bool valued = s->graph && s->graph->values;
    pen_writer_text(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" ");
    pen_writer_print(out, "width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", s->width, s->height, s->width,
                     s->height);
    pen_writer_text(out, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    if (s->area_reach >= 0.0 && !valued) PEN_TRY(write_image(s, out));
    if (s->area_reach < 0.0) write_strokes(s, out);
    write_labels(s, out);
    if (valued) PEN_TRY(write_frames(s, out));
    pen_writer_text(out, "</svg>\n");
    return PEN_OK;
}

#include "tools/graph/scene.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdlib.h>

void pen_scene_sort_strokes(scene *s, const scene_stroke *listed)
{
    enum { STYLES = SCENE_LAYERS * PEN_PALETTE * SCENE_WIDTHS };
    int64_t at[STYLES + 1] = { 0 };
    for (int64_t i = 0; i < s->stroke_count; i++) at[listed[i].style + 1]++;
    for (int k = 0; k < STYLES; k++) at[k + 1] += at[k];
    for (int64_t i = 0; i < s->stroke_count; i++) s->strokes[at[listed[i].style]++] = listed[i];
}

uint32_t pen_scene_node_colour(const scene *s, int64_t u)
{
    if (s->graph->values) return s->values.colours[s->values.shade[u]];
    return pen_palette[s->colour[pen_picture_part(s->graph, u)]];
}

scene_label *pen_scene_add_label(scene *s, int colour, const char *format, ...)
{
    scene_label *label = &s->labels[s->label_count++];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(label->text, sizeof label->text, format, arguments);
    va_end(arguments);
    label->colour = colour;
    return label;
}

void pen_scene_font(cairo_t *c, double height)
{
    cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(c, SCENE_FONT * height);
}

/* cairo takes UTF-8 only: in other texts what is no ASCII becomes '?', and so does what cannot be seen. */
void pen_scene_measure(const scene *s, scene_label *label)
{
    cairo_surface_t *nowhere = cairo_image_surface_create(CAIRO_FORMAT_A8, 0, 0);
    cairo_t *c = cairo_create(nowhere);
    pen_scene_font(c, s->text_height);
    char *text = label->text;
    cairo_text_extents_t extents;
    cairo_glyph_t *glyphs = NULL;
    int count;
    bool utf8 = cairo_scaled_font_text_to_glyphs(cairo_get_scaled_font(c), 0.0, 0.0, text, -1, &glyphs, &count, NULL,
                                                 NULL, NULL) == CAIRO_STATUS_SUCCESS;
    cairo_glyph_free(glyphs);
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f || (!utf8 && (unsigned char)*at > '~')) *at = '?';
    cairo_text_extents(c, text, &extents);
    label->width = extents.x_advance;
    cairo_destroy(c);
    cairo_surface_destroy(nowhere);
}

/* From left to right, in as many lines as it takes. */
void pen_scene_lay_out_labels(scene *s)
{
    double left = s->width / 50.0, x = left, y = s->field_height + s->text_height;
    for (int i = 0; i < s->label_count; i++) {
        scene_label *label = &s->labels[i];
        pen_scene_measure(s, label);
        if (label->inside) {
            label->x -= 0.5 * label->width;
            continue;
        }
        double width = label->width + (label->colour >= 0 ? 1.5 * s->text_height : 0.0);
        if (x > left && x + width > s->width - left) {
            x = left;
            y += 2.0 * s->text_height;
        }
        label->x = x;
        label->y = y;
        x += width + s->text_height;
    }
    s->height = (int)(y + 2.0 * s->text_height);
}

void pen_scene_free(scene *s)
{
    free(s->x);
    free(s->y);
    free(s->depth);
    free(s->reach);
    free(s->colour);
    free(s->strokes);
    PEN_FREE_ALL(s->values.shade, s->values.order, s->values.read);
    *s = (scene){ 0 };
}

/* scene.h - what a picture shows, before it is drawn. */
#ifndef PEN_SCENE_H
#define PEN_SCENE_H

#include "tools/common/palette.h"
#include "tools/graph/picture_graph.h"
#include <penumbra_plugin.h>

#include <cairo.h>

enum { SCENE_WIDTHS = 16, SCENE_LAYERS = 3, SCENE_LABELS = 192 };

/* A line, or where both ends are the same node a dot, in one of few styles; PEN_DARK is for cut edges and text. */
typedef struct scene_stroke {
    int32_t from, to;
    uint16_t style; /* (layer * PEN_PALETTE + colour) * SCENE_WIDTHS + width */
} scene_stroke;

static inline int stroke_colour(uint16_t style) { return style / SCENE_WIDTHS % PEN_PALETTE; }

/* Text below the picture; with a colour of its own it begins with a dot of that colour. Or in the picture, with a white
 * border, so that it can be read on anything. */
typedef struct scene_label {
    char text[96];
    int colour;   /* of the dot, -1: none */
    bool inside;  /* the picture; x is given as that of the text's middle then */
    double x, y;  /* where the text, or the dot, begins */
    double width; /* of the text alone */
} scene_label;

typedef struct scene {
    const picture_graph *graph;  /* NULL: a machine */
    int width, height;           /* pixels, caption included */
    double field_height;         /* without it */
    bool omits_long;             /* edges that are long on paper: too many to be seen */
    double *x, *y, *depth;       /* [nodes] pixels; depth: distance from the viewer, NULL in two dimensions */
    double *reach;               /* [nodes] how far away neighbours are, in the middle */
    int8_t *colour;              /* [parts] */
    double area_reach;           /* nodes of at most this reach are areas, not dots; negative: none */
    double widths[SCENE_WIDTHS]; /* of strokes, pixels */
    int64_t stroke_count;
    scene_stroke *strokes; /* ordered by style: what comes later is drawn over it */
    double text_height;
    int label_count;
    scene_label labels[SCENE_LABELS];
} scene;

static inline double stroke_width(const scene *s, uint16_t style) { return s->widths[style % SCENE_WIDTHS]; }

static inline bool pen_scene_is_area(const scene *s, int64_t u) { return s->reach[u] <= s->area_reach; }

/* Local. Lay everything out; pen_scene_free frees it, also after a failure. As pen_picture_draw. */
PEN_CHECKED pen_status pen_scene_create(const picture_graph *graph, const picture_options *options, scene *s);
void pen_scene_free(scene *s);

/* Local. The same of a machine, as pen_picture_draw_machine. */
PEN_CHECKED pen_status pen_scene_of_machine(const pen_machine *machine, const char *title,
                                            const picture_options *options, scene *s);

/* Local. For those who make scenes: one label more, of at most SCENE_LABELS, whose place pen_scene_lay_out_labels finds
 * when all are there, and the picture's height with it; and strokes of s->strokes put in order, as `listed` has them.
 */
scene_label *pen_scene_add_label(scene *s, int colour, const char *format, ...) PEN_PRINTF(3, 4);
void pen_scene_lay_out_labels(scene *s);
void pen_scene_sort_strokes(scene *s, const scene_stroke *listed);

#define SCENE_HALO 0.4  /* width of the white around text in a picture, of its height */
#define SCENE_FONT 1.38 /* size of a font whose capitals are of height 1, about */

/* Local. Choose the font whose capitals are `height` pixels high. */
void pen_scene_font(cairo_t *c, double height);

#endif

/* scene.h - what a picture shows, before it is drawn. */
#ifndef PEN_SCENE_H
#define PEN_SCENE_H

#include "tools/common/palette.h"
#include "tools/graph/picture_graph.h"

#include <cairo.h>

enum { SCENE_WIDTHS = 12 };

extern const double pen_scene_widths[SCENE_WIDTHS];

/* A line, or where both ends are the same node a dot, in one of few styles; PEN_DARK is for cut edges and text. */
typedef struct scene_stroke {
    int32_t from, to;
    uint16_t style; /* (layer * (PEN_COLOURS + 1) + colour) * SCENE_WIDTHS + width */
} scene_stroke;

static inline int stroke_colour(uint16_t style) { return style / SCENE_WIDTHS % (PEN_COLOURS + 1); }
static inline double stroke_width(uint16_t style) { return pen_scene_widths[style % SCENE_WIDTHS]; }

/* Text below the picture; with a colour of its own it begins with a dot of that colour. */
typedef struct scene_label {
    char text[96];
    int colour;   /* of the dot, -1: none */
    double x, y;  /* where the text, or the dot, begins */
    double width; /* of the text alone */
} scene_label;

typedef struct scene {
    const picture_graph *graph;
    int width, height;     /* pixels, caption included */
    double field_height;   /* without it */
    bool omits_long;       /* edges that are long on paper: too many to be seen */
    double *x, *y, *depth; /* [nodes] pixels; depth: distance from the viewer, NULL in two dimensions */
    double *reach;         /* [nodes] how far away neighbours are, in the middle */
    int8_t *colour;        /* [parts] */
    double area_reach;     /* nodes of at most this reach are areas, not dots; negative: none */
    int64_t stroke_count;
    scene_stroke *strokes; /* ordered by style: what comes later is drawn over it */
    double text_height;
    int label_count;
    scene_label labels[24];
} scene;

static inline bool pen_scene_is_area(const scene *s, int64_t u) { return s->reach[u] <= s->area_reach; }

/* Local. Lay everything out; pen_scene_free frees it, also after a failure. As pen_picture_draw. */
PEN_CHECKED pen_status pen_scene_create(const picture_graph *graph, const picture_options *options, scene *s);
void pen_scene_free(scene *s);

#define SCENE_FONT 1.38 /* size of a font whose capitals are of height 1, about */

/* Local. Choose the font whose capitals are `height` pixels high. */
void pen_scene_font(cairo_t *c, double height);

#endif

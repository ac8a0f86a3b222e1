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

typedef enum scene_shape { SHAPE_DOT, SHAPE_SQUARE, SHAPE_HEXAGON } scene_shape;

enum { SCENE_SHADES = 256, SCENE_NO_VALUE = SCENE_SHADES, SCENE_BAR_STEPS = 32 };

/* Nodes that have values, of one frame at a time. */
typedef struct scene_values {
    scene_shape shape;
    double side;                        /* of a cell: from one side to the opposite one, pixels */
    uint32_t colours[SCENE_SHADES + 1]; /* 0xRRGGBB */
    uint16_t *shade;                    /* [nodes], an index of colours; SCENE_NO_VALUE: the node has none */
    int32_t *order;                     /* [nodes], by shade */
    double *read;                       /* [nodes] */
    double bar_x, bar_y, bar_width;     /* of the bar, pixels; it is as high as text */
    scene_label name;                   /* of the frame */
} scene_values;

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
    scene_values values;
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

/* Local. How wide a label's text is, in label->width; what cannot be drawn becomes '?'. */
void pen_scene_measure(const scene *s, scene_label *label);

/* Local. Of a graph whose nodes have values (s->graph->values): choose the nodes' shapes, before there are strokes;
 * add the bar below the labels, when they are laid out; take the values of a frame. PEN_ERR_MEMORY, and what reading
 * them ends with. */
PEN_CHECKED pen_status pen_scene_shape_values(scene *s, const picture_options *options);
void pen_scene_add_bar(scene *s);
PEN_CHECKED pen_status pen_scene_take_values(scene *s, int64_t frame);

/* Local. Diameter of the dot of a node that has a value; and the corners of a cell: its corners are
 * (x[u] + xy[2*i], y[u] + xy[2*i+1]) for i in 0 .. the number returned - 1. */
double pen_scene_dot(const scene *s, int64_t u);
int pen_scene_corners(const scene *s, double xy[12]);

/* Local. The colour of the node, 0xRRGGBB. */
uint32_t pen_scene_node_colour(const scene *s, int64_t u);

#define SCENE_SEAM 0.6  /* pixels: width of the line around a cell, half of which is outside */
#define SCENE_HALO 0.4  /* width of the white around text in a picture, of its height */
#define SCENE_FONT 1.38 /* size of a font whose capitals are of height 1, about */

/* Local. Choose the font whose capitals are `height` pixels high. */
void pen_scene_font(cairo_t *c, double height);

#endif

/* palette.h - the colours of all pictures, 0xRRGGBB: distinct for the colour-blind (after Okabe and Ito, "Color
 * universal design", 2008), and lighter and darker ones. */
#ifndef PEN_PALETTE_H
#define PEN_PALETTE_H

#include <stdint.h>

enum {
    PEN_BLUE,
    PEN_ORANGE,
    PEN_GREEN,
    PEN_PINK,
    PEN_SKY,
    PEN_VERMILION,
    PEN_GREY = 7,
    PEN_BROWN = 13,
    PEN_COLOURS = 16,
    PEN_DARK = PEN_COLOURS, /* for lines and text over the others */
    PEN_LIGHT_GREY,
    PEN_PALE, /* below others */
    PEN_PALETTE
};

enum { PEN_LINE_COLOURS = 8 };

extern const uint32_t pen_palette[PEN_PALETTE];

/* Of curves one after the other, the most different ones first: indices into the palette. */
extern const uint8_t pen_line_colours[PEN_LINE_COLOURS];

/* The colour of curve `i`, from 0. */
static inline uint32_t pen_line_colour(int i) { return pen_palette[pen_line_colours[i % PEN_LINE_COLOURS]]; }

#endif

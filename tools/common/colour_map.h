/* colour_map.h - values as colours. All Local.
 *
 * The way from dark violet over blue, green and yellow is a helix in Oklab (B. Ottosson, "A perceptual color space for
 * image processing", 2020): lightness and hue grow in proportion to the value, and the chroma is constant. So equal
 * steps of a value are equal steps to the eye, larger values are lighter also in print without colours, and for the
 * colour-blind. All of it lies within sRGB. */
#ifndef PEN_COLOUR_MAP_H
#define PEN_COLOUR_MAP_H

#include <stdint.h>

/* 0xRRGGBB of a place on the map, from 0, the darkest, to 1. */
uint32_t pen_colour_map(double place);

#endif

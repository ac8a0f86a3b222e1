/* frames.h - pictures of a run: bodies as light on dark ground, and around each rank's bodies a thin line. */
#ifndef NBODY_FRAMES_H
#define NBODY_FRAMES_H

#include <inttypes.h>
#include <stdio.h>

/* A body, seen along z. */
typedef struct nbody_light {
    double x, y, mass;
    int32_t owner;
} nbody_light;

typedef struct nbody_picture {
    const nbody_light *lights; /* [count], any order */
    int64_t count;
    int32_t ranks; /* owners are 0 to ranks - 1 */
    double centre[2],
        reach; /* the view: centre - reach to centre + reach in x and y, the same in all pictures of a run */
    int64_t step, leaves;
    double time, imbalance; /* of the head line; imbalance <= 0: not told */
} nbody_picture;

/* Local, a pen_frame_fn. Print the picture as SVG; `picture` is a const nbody_picture *. What is outside of the view is
 * left out. A region is where the bodies of one rank outweigh those of each other one, smoothed, and are not too few;
 * where all bodies are of one rank there is nothing to tell apart. */
void pen_nbody_draw(FILE *out, const void *picture);

#endif

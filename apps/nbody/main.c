/* nbody - two spheres of bodies, or those of a file, under gravity. */
#include "apps/nbody/nbody.h"

int main(int argc, char **argv)
{
    static nbody s = NBODY_DEFAULTS;
    static const pen_option options[] = {
        { "bodies", "N|FILE",
          "how many bodies two Plummer spheres have, drawn by --seed (16384), or a file of them: text or .npy, a line "
          "each of mass x y z vx vy vz",
          PEN_OPTION_TEXT, (void *)&s.bodies, 0, 0 },
        { "cell-max", "N", "bodies in a leaf of the tree (16)", PEN_OPTION_INT, &s.cell_max, 1, NBODY_MOST },
        { "delta", "X", "a cell is close where its size is at least so many times its distance (0.7)", PEN_OPTION_REAL,
          &s.delta, 0, 0 },
        { "dt", "X", "time of a step (0.025)", PEN_OPTION_REAL, &s.dt, 0, 0 },
        { "softening", "X", "length below which forces are soft (0.05)", PEN_OPTION_REAL, &s.softening, 0, 0 },
        { "cube", "H",
          "bodies are between -H and H, a power of two (the least that is twice as far as any body at first)",
          PEN_OPTION_REAL, &s.cube, 0, 0 },
        { "check-forces", "N", "compare forces on N bodies with direct sums after the last step", PEN_OPTION_INT,
          &s.check_forces, 0, INT64_MAX },
        { "frames", "DIR", "write pictures, DIR/0000.svg after the first step and so on", PEN_OPTION_TEXT,
          (void *)&s.frames, 0, 0 },
        { .name = NULL },
    };
    pen_app app = pen_nbody_app(&s);
    app.options = options;
    int result = pen_main(&app, argc, argv);
    pen_nbody_free(&s);
    return result;
}

/* nbody - two spheres of bodies, or those of a file, under gravity. */
#include "apps/nbody/nbody.h"

int main(int argc, char **argv)
{
    static nbody s = NBODY_DEFAULTS;
    static const pen_option options[] = {
        { "bodies", "N|FILE",
          "number of bodies of two random Plummer spheres (16384), or a file of bodies, text or .npy: mass x y z vx vy "
          "vz per line",
          PEN_OPTION_TEXT, (void *)&s.bodies, 0, 0 },
        { "cell-max", "N", "maximum number of bodies in a leaf of the tree (16)", PEN_OPTION_INT, &s.cell_max, 1,
          NBODY_MOST },
        { "delta", "X", "a cell is close if its size is at least X times its distance (0.7)", PEN_OPTION_REAL, &s.delta,
          0, 0 },
        { "dt", "X", "time of a step (0.025)", PEN_OPTION_REAL, &s.dt, 0, 0 },
        { "softening", "X", "length below which forces are softened (0.05)", PEN_OPTION_REAL, &s.softening, 0, 0 },
        { "cube", "H",
          "all coordinates must stay between -H and H, a power of two (default: the smallest that is twice the largest "
          "coordinate at the start)",
          PEN_OPTION_REAL, &s.cube, 0, 0 },
        { "check-forces", "N", "compare forces on N bodies with direct sums after the last step", PEN_OPTION_INT,
          &s.check_forces, 0, INT64_MAX },
        { .name = NULL },
    };
    for (int i = 1; i < argc; i++) /* members of results need the length of records; the library reports errors */
        if (sscanf(argv[i], "--cell-max=%" SCNd64, &s.cell_max) == 1 && (s.cell_max < 1 || s.cell_max > NBODY_MOST))
            s.cell_max = 1;
    pen_app app = pen_nbody_app(&s);
    app.options = options;
    int result = pen_main(&app, argc, argv);
    pen_nbody_free(&s);
    return result;
}

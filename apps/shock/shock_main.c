/* shock - a wave crosses a grid. The mesh is fine around the wave: cells are split ahead of it and merge after it, so
 * that the graph changes in every step. DYNO's experiment of 1992 (R. P. Weaver, R. B. Schnabel). */
#include "apps/shock/shock.h"

#include <stdlib.h>

enum { LINE = 256 };

/* The value of an option, if the argument is that option; else NULL. */
static const char *value_of(const char *argument, const char *name)
{
    size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 ? argument + length : NULL;
}

static const char *refuse(void *params, const pen_world *world)
{
    (void)params, (void)world;
    return "--graph needs --steps, --moves or --until";
}

/* Copy the command line to arguments[argc + 2], ending with NULL; returns the number of arguments. --steps, if neither
 * it nor --until is given, becomes two more than the moves of the wave. *app refuses graphs for which these are not
 * known, since only the command line is. Widths that no mesh can have are left to the library. */
static int read_line(int argc, char **argv, char **arguments, char steps[LINE], pen_app *app)
{
    int64_t width = 40, moves = -1;
    bool counted = false, from_file = false;
    for (int i = 0; i < argc; i++) {
        const char *size = value_of(argv[i], "--generate=mesh:"), *number = value_of(argv[i], "--moves=");
        arguments[i] = argv[i];
        if (size) width = strtoll(size, NULL, 10);
        if (number) moves = strtoll(number, NULL, 10);
        from_file = from_file || value_of(argv[i], "--graph=");
        counted = counted || value_of(argv[i], "--steps=") || value_of(argv[i], "--until=") ||
                  value_of(argv[i], "--resume"); /* the checkpoint knows the grid */
    }
    if (from_file && moves < 0 && !counted) app->setup = refuse;
    else if (!counted && width > 0 && width <= INT32_MAX && moves <= SHOCK_MOST_MOVES)
        snprintf(arguments[argc++] = steps, LINE, "--steps=%" PRId64, pen_shock_moves(moves, width) + 2);
    arguments[argc] = NULL;
    return argc;
}

int main(int argc, char **argv)
{
    static shock s = { .depth = 2, .moves = -1, .wave = "cubic" };
    static const pen_option options[] = {
        { "depth", "N", "maximum number of times that a cell is split (2)", PEN_OPTION_INT, &s.depth, 0, MESH_DEEPEST },
        { "moves", "N",
          "number of moves of the wave, one cell of the grid per step (three quarters of the columns); the default of "
          "--steps is two more",
          PEN_OPTION_INT, &s.moves, 0, SHOCK_MOST_MOVES },
        { "wave", "SHAPE", "shape of the wave: cubic (default), line or circle", PEN_OPTION_TEXT, (void *)&s.wave, 0,
          0 },
        { "generate", "mesh:WxH", "the size of the mesh in squares (40x40)", PEN_OPTION_TEXT, NULL, 0, 0 },
        { "graph", "FILE",
          "read such a mesh, written with --save-graph=FILE.pen or by pen-graph; with --steps, --moves or --until",
          PEN_OPTION_TEXT, NULL, 0, 0 },
        { .name = NULL },
    };
    char steps[LINE], **arguments = (char **)malloc(((size_t)argc + 2) * sizeof *arguments);
    if (!arguments) return 2;
    pen_app app = pen_shock_app(&s);
    app.graph.spec = "generate=mesh:40x40";
    app.options = options;
    int result = pen_main(&app, read_line(argc, argv, arguments, steps, &app), arguments);
    free(arguments);
    return result;
}

/* battlefield - a combat on a field of hexagons: units of two sides find, fight and pass each other, and with them
 * the load moves over the field. rules.h has the rules, scenario.h the format of scenarios. */
#include "apps/battlefield/battlefield.h"

#include <stdlib.h>

/* Find the size of the field, which the scenario gives unless the command line does. .setup reports errors in the
 * scenario. */
static void find_size(int argc, char **argv, char *grid, size_t size)
{
    static const char option[] = "--scenario=";
    for (int i = 1; i < argc; i++) {
        char *text;
        int32_t width, height;
        if (strncmp(argv[i], option, sizeof option - 1) != 0 || pen_scenario_load(argv[i] + sizeof option - 1, &text))
            continue;
        pen_scenario_size(text, &width, &height);
        if (width > 0) snprintf(grid, size, "generate=hex:%dx%d", width, height);
        free(text);
    }
}

int main(int argc, char **argv)
{
    static battle b = { BATTLE_DEFAULT };
    static const pen_option options[] = {
        { "scenario", "NAME",
          "meeting (default), breakthrough, encirclement, scatter, or a file (format: man pen-battlefield)",
          PEN_OPTION_TEXT, (void *)&b.name, 0, 0 },
        { "battle-seed", "N", "seed of the dice (1)", PEN_OPTION_INT, &b.seed, 0, INT64_MAX },
        { GRAIN_WORK_OPTION(&b.work, "engaged unit") },
        { .name = NULL },
    };
    char grid[64] = "generate=hex:32x32";
    find_size(argc, argv, grid, sizeof grid);
    pen_app app = pen_battlefield_app(&b);
    app.graph.spec = grid;
    app.options = options;
    int result = pen_main(&app, argc, argv);
    pen_scenario_free(&b.plan);
    return result;
}

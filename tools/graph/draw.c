/* draw.c - pen-graph draw: a picture of a graph whose nodes have places, or of a machine. */
#include "tools/graph/commands.h"
#include "tools/graph/draw_values.h"
#include "tools/graph/picture.h"
#include "tools/graph/words.h"
#include "view/machine.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

typedef struct choices {
    const char *coordinates, *part, *values, *range, *from, *window, *machine;
    int64_t size, parts;
    bool directed;
} choices;

static pen_status parse_window(const char *text, picture_options *options)
{
    if (!text) return PEN_OK;
    char number[64];
    const char *at = text;
    bool good = true;
    for (int k = 0; k < 4 && good; k++) {
        at = pen_text_cut(at, ',', number, sizeof number);
        good = pen_parse_real(number, &options->window[k]) && (at != NULL) == (k < 3);
    }
    options->has_window = true;
    if (!good) return pen_fail(PEN_ERR_INPUT, "--window=%s, must be four numbers: X0,Y0,X1,Y1", text);
    if (!(options->window[0] != options->window[2] && options->window[1] != options->window[3]))
        return pen_fail(PEN_ERR_INPUT, "--window=%s is empty", text);
    return PEN_OK;
}

/* What is flat is drawn as it lies, and not in projection. */
static void flatten(file_graph *g)
{
    if (g->dimensions != 3) return;
    double *c = g->coordinates;
    for (int64_t i = 1; i < g->nodes; i++)
        if (c[3 * i + 2] != c[2]) return;
    for (int64_t i = 0; i < g->nodes; i++) memmove(c + 2 * i, c + 3 * i, 2 * sizeof *c);
    g->dimensions = 2;
}

/* A grid's nodes are where the generator with the setting `coordinates` puts them. */
static pen_status place_grid(file_graph *g)
{
    int dimensions = g->depth > 1 ? 3 : 2;
    if (g->width == 0 || g->grid == PEN_GRID_NONE) return PEN_OK;
    PEN_TRY(PEN_ALLOC(&g->coordinates, g->nodes * dimensions));
    g->dimensions = dimensions;
    for (int64_t i = 0; i < g->nodes; i++) {
        double *at = g->coordinates + i * dimensions;
        int64_t row = i / g->width % g->height;
        at[0] = (double)(i % g->width);
        at[1] = (double)row;
        if (dimensions == 3) at[2] = (double)(i / g->width / g->height);
        if (g->grid != PEN_GRID_HEX) continue;
        at[0] += 0.5 * (double)(row % 2);
        at[1] *= sqrt(0.75);
    }
    return PEN_OK;
}

static pen_status read_all(const char *path, const choices *c, file_graph *g, int32_t **part, int *parts)
{
    PEN_TRY(pen_words_read_graph(path, c->from, c->directed, g));
    if (g->nodes == 0) return pen_fail(PEN_ERR_INPUT, "%s: the graph has no nodes", path);
    if (c->coordinates) {
        findings f;
        pen_findings_init(&f, FINDINGS_LIMIT);
        PEN_TRY(pen_words_report(&f, c->coordinates, pen_words_read_coordinates(c->coordinates, g, &f)));
    }
    if (g->dimensions == 0) PEN_TRY(place_grid(g));
    if (g->dimensions == 0)
        return pen_fail(PEN_ERR_INPUT, "%s does not say where its nodes are: give --coords=FILE", path);
    flatten(g);
    if (!c->part) return PEN_OK;
    findings f;
    pen_findings_init(&f, FINDINGS_LIMIT);
    return pen_words_report(&f, c->part, pen_words_read_parts(c->part, g, part, parts, &f));
}

static pen_status choose_kind(const char *picture, picture_kind *kind)
{
    static const char *const endings[] = { [PICTURE_PNG] = ".png", [PICTURE_SVG] = ".svg", [PICTURE_PDF] = ".pdf" };
    for (int i = 0; i < PEN_COUNT_OF(endings); i++) {
        *kind = (picture_kind)i;
        if (pen_path_ends_in(picture, endings[i])) return PEN_OK;
    }
    return pen_fail(PEN_ERR_INPUT, "%s: a picture's name ends in .svg, .pdf or .png", picture);
}

static pen_status draw(const char *path, const choices *c, const char *picture)
{
    picture_options options = { .size = (int)c->size };
    PEN_TRY(choose_kind(picture, &options.kind));
    PEN_TRY(parse_window(c->window, &options));
    file_graph g = { 0 };
    int32_t *part = NULL;
    int parts = 1;
    pen_status status = read_all(path, c, &g, &part, &parts);
    if (status == PEN_OK) {
        const picture_graph drawn = { .title = pen_words_file_name(path),
                                      .nodes = g.nodes,
                                      .rows = g.rows,
                                      .neighbors = g.neighbors,
                                      .edge_weights = g.edge_weights,
                                      .directed = g.directed,
                                      .dimensions = g.dimensions,
                                      .coordinates = g.coordinates,
                                      .part = part,
                                      .parts = parts,
                                      .grid = g.grid };
        if (c->values) status = pen_draw_values(&g, &drawn, &options, c->values, c->range, picture);
        else status = pen_picture_write(&drawn, &options, picture);
    }
    free(part);
    pen_file_graph_free(&g);
    return status;
}

static pen_status draw_machine(const choices *c, const char *picture)
{
    picture_options options = { .size = (int)c->size };
    pen_machine *machine = NULL;
    writer out;
    if (c->coordinates || c->part || c->window || c->values)
        return pen_fail(PEN_ERR_INPUT,
                        "draw: --coords, --part, --values and --window are of graphs, not of the machine %s",
                        c->machine);
    PEN_TRY(choose_kind(picture, &options.kind));
    PEN_TRY(pen_words_open_machine(c->machine, (int)c->parts, &machine));
    pen_status status = pen_writer_open(picture, &out);
    if (status == PEN_OK)
        status = pen_writer_close(&out,
                                  pen_picture_draw_machine(machine, pen_words_file_name(c->machine), &options, &out));
    pen_machine_destroy(&machine);
    return status;
}

static pen_status run(int argc, char **argv, int *exit_status)
{
    (void)exit_status;
    choices c = { .size = 1600 };
    const pen_option options[] = {
        { "coords", "XYZ", "where the nodes are, if FILE does not say it; as in convert", PEN_OPTION_TEXT,
          &c.coordinates, 0, 0 },
        { "part", "FILE", "colour by part: METIS .part or Scotch .map", PEN_OPTION_TEXT, &c.part, 0, 0 },
        { "values", "FILE|FOLDER[:COLUMN]", "colour by values of .npy, .csv or a --dump; several in an .svg move",
          PEN_OPTION_TEXT, &c.values, 0, 0 },
        { "range", "LOW:HIGH", "values of the first and last colour; default: the smallest and largest one",
          PEN_OPTION_TEXT, &c.range, 0, 0 },
        { "size", "N", "pixels of the longer side (1600)", PEN_OPTION_INT, &c.size, PICTURE_SIZE_MIN,
          PICTURE_SIZE_MAX },
        { "window", "X0,Y0,X1,Y1", "show this much of the plane only", PEN_OPTION_TEXT, &c.window, 0, 0 },
        { "from", "FORMAT", "format of FILE; default: by its ending", PEN_OPTION_TEXT, &c.from, 0, 0 },
        { "directed", NULL, "arcs need no reverse", PEN_OPTION_FLAG, &c.directed, 0, 0 },
        { "machine", "NAME[:SETTINGS]|FILE", "a machine instead (part --list-machines)", PEN_OPTION_TEXT, &c.machine, 0,
          0 },
        { "parts", "K", "the machine's processors that are drawn; default: all", PEN_OPTION_INT, &c.parts, 1, INT_MAX },
        { .name = NULL },
    };
    command_words line;
    PEN_TRY(pen_command_words(&pen_command_draw, argc, argv, options, 0, 1, &line));
    if (line.help) return PEN_OK;
    const char *path = line.count > 0 ? line.words[0] : NULL;
    if (path && !c.machine && pen_words_name_machine(path)) {
        c.machine = path;
        path = NULL;
    }
    if (!path == !c.machine)
        return pen_fail(PEN_ERR_INPUT, "draw: give either a graph's or a machine's FILE, or --machine=NAME");
    if (c.parts && path) return pen_fail(PEN_ERR_INPUT, "draw: --parts=%" PRId64 " is of a machine", c.parts);
    if (c.part && c.values) return pen_fail(PEN_ERR_INPUT, "draw: give either --part or --values");
    if (c.range && !c.values) return pen_fail(PEN_ERR_INPUT, "draw: --range=%s is of --values", c.range);
    if (!line.output) return pen_fail(PEN_ERR_INPUT, "draw: no picture is named: -o PICTURE.svg, .pdf or .png");
    return path ? draw(path, &c, line.output) : draw_machine(&c, line.output);
}

const command pen_command_draw = { "draw", "[FILE] [--coords=XYZ] -o PICTURE",
                                   "Draw a graph, coloured by parts or values, or a machine",
                                   "the picture; its name ends in .svg, .pdf or .png", run };

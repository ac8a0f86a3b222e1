/* make.c - pen-graph make: writes a graph of the library's generators, in any format. */
#include "graph/binary.h"
#include "graph/generators.h"
#include "tools/common/start_mpi.h"
#include "tools/graph/commands.h"
#include "tools/graph/coordinates.h"
#include "tools/graph/formats.h"
#include "tools/graph/library.h"
#include "tools/graph/lose.h"

#include <stdlib.h>

typedef struct choices {
    const char *output, *to, *coordinates;
    bool list;
} choices;

/* Join the words, of which the first is "KIND" or "KIND:SETTING", to "KIND:SETTINGS"; with `coordinates`, this setting
 * is added. The caller frees the result. */
static pen_status join(char **words, int count, bool coordinates, char **spec)
{
    size_t size = sizeof ",coordinates";
    for (int i = 0; i < count; i++) size += strlen(words[i]) + 1;
    PEN_TRY(PEN_ALLOC(spec, (int64_t)size));
    strcpy(*spec, words[0]);
    bool settings = strchr(words[0], ':') != NULL;
    for (int i = 1; i < count; i++, settings = true) {
        strcat(*spec, settings ? "," : ":");
        strcat(*spec, words[i]);
    }
    if (coordinates && !strstr(*spec, "coordinates")) strcat(*spec, settings ? ",coordinates" : ":coordinates");
    return PEN_OK;
}

/* Write the graph. The library writes its own format itself, with all properties from the generator. */
static pen_status write_graph(pen_graph **graph, const graph_format *format, const choices *c)
{
    if (format == &pen_format_penumbra && !c->coordinates && !pen_path_is_stream(c->output))
        return pen_binary_write(*graph, c->output);
    file_graph g = { 0 };
    pen_status status = pen_library_give(graph, &g);
    unsigned losses = 0;
    char text[256];
    if (status == PEN_OK) status = pen_file_graph_losses(&g, format->holds, &losses);
    losses &= ~(unsigned)HOLDS_TOLD; /* properties that can be generated again are not lost */
    if (c->coordinates) losses &= ~(unsigned)HOLDS_COORDINATES;
    if (status == PEN_OK && losses != 0) {
        pen_losses_text(losses, text, sizeof text);
        status = pen_fail(PEN_ERR_INPUT, "%s: format %s cannot hold this: %s%s", c->output, format->name, text,
                          losses & HOLDS_COORDINATES ? "; --coords-to=FILE writes them to a file of their own" : "");
    }
    if (status == PEN_OK && c->coordinates) status = pen_coordinates_write(&g, "chaco", c->coordinates);
    if (status == PEN_OK) status = pen_format_write(format, &g, c->output);
    pen_file_graph_free(&g);
    return status;
}

static pen_status make(char **words, int count, const choices *c)
{
    const graph_format *format;
    char *spec;
    pen_graph *graph = NULL;
    PEN_TRY(pen_format_find(c->to, c->output, &format));
    PEN_TRY(pen_format_may_write(format, (const char *const[]){ c->output, c->coordinates }, 2));
    PEN_TRY(pen_start_mpi());
    PEN_TRY(join(words, count, c->coordinates != NULL, &spec));
    pen_status status = pen_graph_generate(MPI_COMM_SELF, spec, &graph);
    if (status == PEN_OK) status = write_graph(&graph, format, c);
    pen_graph_destroy(&graph);
    free(spec);
    return status;
}

static pen_status run(int argc, char **argv, int *exit_status)
{
    choices c = { .output = NULL };
    const pen_option options[] = {
        { "coords-to", "FILE", "write the coordinates to FILE, if the kind has them", PEN_OPTION_TEXT, &c.coordinates,
          0, 0 },
        { "to", "FORMAT", "format of the file; default: by its ending", PEN_OPTION_TEXT, &c.to, 0, 0 },
        { "list", NULL, "print all kinds and their settings, and exit", PEN_OPTION_FLAG, &c.list, 0, 0 },
        { .name = NULL },
    };
    command_words line;
    PEN_TRY(pen_command_words(&pen_command_make, argc, argv, options, 0, 16, &line));
    if (line.help) return PEN_OK;
    if (c.list) {
        pen_generators_list(stdout);
        return PEN_OK;
    }
    c.output = line.output;
    if (line.count == 0)
        return pen_fail(PEN_ERR_INPUT,
                        "make: give a kind of graph and its settings, as in hex:500x400; --list prints all");
    if (!c.output) return pen_fail(PEN_ERR_INPUT, "make: give the output: -o FILE");
    return make(line.words, line.count, &c);
}

const command pen_command_make = { "make", "KIND:SETTINGS -o FILE", "Generate a graph; --list prints the kinds",
                                   "the graph, in the format of its ending or --to; - is standard output", run };

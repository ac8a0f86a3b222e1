/* convert.c - pen-graph convert: a graph from one format to another, and what that drops or merges. */
#include "tools/graph/commands.h"
#include "tools/graph/coordinates.h"
#include "tools/graph/formats.h"
#include "tools/graph/labels.h"
#include "tools/graph/lose.h"
#include "tools/graph/words.h"

typedef struct choices {
    const char *from, *to, *coordinates, *coordinates_to, *coordinates_kind;
    bool lossy, quiet;
    format_options format;
} choices;

static void tell(int64_t count, const char *what, const char *file)
{
    if (count > 0) fprintf(stderr, "pen-graph: %s: %" PRId64 " %s\n", file, count, what);
}

static void tell_notes(const file_notes *notes, const char *file)
{
    tell(notes->loops, "loops dropped", file);
    tell(notes->duplicates, "duplicates merged", file);
    tell(notes->conflicts, "weights dropped that differ from those of the same edge", file);
    tell(notes->reversed, "edges listed in both directions, merged", file);
    tell(notes->one_way, "edges listed in one direction, now undirected", file);
    tell(notes->values, "values dropped that are no weights", file);
    tell(notes->gaps, "ids that do not occur", file);
}

static pen_status read_graph(const graph_format *format, const char *path, const choices *c, file_graph *g)
{
    findings f;
    pen_findings_init(&f, FINDINGS_LIMIT);
    pen_status status = pen_format_read(format, path, &c->format, g, &f);
    if (f.errors > 1) pen_findings_print(&f, path, stderr);
    if (status == PEN_OK) status = pen_findings_status(&f, path);
    pen_findings_free(&f);
    return status;
}

static pen_status read_coordinates(const choices *c, file_graph *g)
{
    if (!c->coordinates) return PEN_OK;
    findings f;
    pen_findings_init(&f, FINDINGS_LIMIT);
    return pen_words_report(&f, c->coordinates, pen_words_read_coordinates(c->coordinates, g, &f));
}

static pen_status write_coordinates(const choices *c, const file_graph *g)
{
    if (!c->coordinates_to) return PEN_OK;
    if (g->dimensions == 0)
        return pen_fail(PEN_ERR_INPUT, "there are no coordinates to write to %s", c->coordinates_to);
    writer out;
    PEN_TRY(pen_writer_open(c->coordinates_to, &out));
    return pen_writer_close(&out, pen_coordinates_write(g, c->coordinates_kind, &out));
}

static pen_status write_map(const char *path, const file_graph *g)
{
    writer out;
    PEN_TRY(pen_writer_open(path, &out));
    pen_label_map_write(g, &out);
    return pen_writer_close(&out, PEN_OK);
}

/* What the target cannot hold: refused, or taken from the graph and told. */
static pen_status fit(const graph_format *to, const char *in, const choices *c, file_graph *g)
{
    unsigned losses;
    char text[400];
    PEN_TRY(pen_file_graph_losses(g, to->holds, &losses));
    if (c->coordinates_to) losses &= ~(unsigned)HOLDS_COORDINATES;
    if (c->format.map) losses &= ~(unsigned)HOLDS_LABELS;
    unsigned grave = losses & ~(unsigned)HOLDS_TOLD;
    bool dropped = pen_file_notes_lossy(&g->notes);
    pen_losses_text(grave && !c->lossy ? grave : losses, text, sizeof text);
    if (grave == 0 || c->lossy) {
        if (grave != 0 || (losses != 0 && !c->quiet)) fprintf(stderr, "pen-graph: %s: dropped: %s\n", in, text);
        PEN_TRY(pen_file_graph_lose(g, to->holds, losses));
    }
    if (!c->quiet || dropped) tell_notes(&g->notes, in);
    if (c->lossy) return PEN_OK;
    if (grave != 0)
        return pen_fail(PEN_ERR_INPUT, "%s: format %s cannot hold this: %s; --lossy converts without", in, to->name,
                        text);
    if (dropped)
        return pen_fail(PEN_ERR_INPUT,
                        "%s: not everything in the file is a graph's, as said above; --lossy converts the rest", in);
    return PEN_OK;
}

static pen_status convert(const char *in, const char *out, const choices *c, file_graph *g)
{
    const graph_format *from, *to;
    PEN_TRY(pen_format_find(c->from, in, &from));
    PEN_TRY(pen_format_find(c->to, out, &to));
    PEN_TRY(read_graph(from, in, c, g));
    PEN_TRY(read_coordinates(c, g));
    PEN_TRY(fit(to, in, c, g));
    PEN_TRY(write_coordinates(c, g));
    if (c->format.map) PEN_TRY(write_map(c->format.map, g));
    return pen_format_write(to, g, out);
}

static pen_status run(int argc, char **argv, int *exit_status)
{
    choices c = { .coordinates_kind = "chaco" };
    const pen_option options[] = {
        { "from", "FORMAT", "format of IN; default: by its ending", PEN_OPTION_TEXT, &c.from, 0, 0 },
        { "to", "FORMAT", "format of OUT; default: by its ending", PEN_OPTION_TEXT, &c.to, 0, 0 },
        { "lossy", NULL, "drop what OUT's format cannot hold, and say what", PEN_OPTION_FLAG, &c.lossy, 0, 0 },
        { "directed", NULL, "the entries of IN are arcs: add no reverse, and miss none", PEN_OPTION_FLAG,
          &c.format.directed, 0, 0 },
        { "values", NULL, "take a matrix's values as edge weights", PEN_OPTION_FLAG, &c.format.values, 0, 0 },
        { "nodal", NULL, "of a mesh: its nodes' graph, not its elements'", PEN_OPTION_FLAG, &c.format.nodal, 0, 0 },
        { "common", "N", "nodes that neighbouring elements share; default: 1", PEN_OPTION_INT, &c.format.common, 0,
          INT64_MAX },
        { "map", "FILE", "write the id map here: nodes' numbers from 0 on, and their ids in IN", PEN_OPTION_TEXT,
          &c.format.map, 0, 0 },
        { "coords", "FILE", "read coordinates: Chaco, .xyz, Scotch, DIMACS .co or a matrix, by content",
          PEN_OPTION_TEXT, &c.coordinates, 0, 0 },
        { "coords-to", "FILE", "write the coordinates here", PEN_OPTION_TEXT, &c.coordinates_to, 0, 0 },
        { "coords-kind", "KIND", "as which: chaco (default), scotch, dimacs, matrix", PEN_OPTION_TEXT,
          &c.coordinates_kind, 0, 0 },
        { "quiet", NULL, "do not say what is merged, or lost without harm", PEN_OPTION_FLAG, &c.quiet, 0, 0 },
        { NULL, NULL, NULL, PEN_OPTION_FLAG, NULL, 0, 0 },
    };
    command_words line;
    (void)exit_status;
    PEN_TRY(pen_command_words(&pen_command_convert, argc, argv, options, 2, 2, &line));
    if (line.help) return PEN_OK;
    PEN_TRY(pen_coordinates_check(c.coordinates_kind));
    file_graph g = { 0 };
    pen_status status = convert(line.words[0], line.words[1], &c, &g);
    pen_file_graph_free(&g);
    return status;
}

const command pen_command_convert = { "convert", "IN OUT", "Write a graph in another format", NULL, run };

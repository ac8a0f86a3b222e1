/* convert.c - pen-graph convert: converts a graph from one format to another, and reports what that drops or merges. */
#include "base/numbers.h"
#include "tools/graph/commands.h"
#include "tools/graph/coordinates.h"
#include "tools/graph/formats.h"
#include "tools/graph/labels.h"
#include "tools/graph/library.h"
#include "tools/graph/lose.h"
#include "tools/graph/values.h"
#include "tools/graph/words.h"

typedef struct choices {
    const char *from, *to, *coordinates, *coordinates_to, *coordinates_kind, *values_to, *ids_to, *weights, *part;
    double scale; /* factor of weights; 0: weights are unchanged */
    bool lossy, quiet, transpose;
    format_options format;
} choices;

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

static pen_status write_coordinates(const choices *c, const file_graph *g)
{
    if (!c->coordinates_to) return PEN_OK;
    if (g->dimensions == 0)
        return pen_fail(PEN_ERR_INPUT, "there are no coordinates to write to %s", c->coordinates_to);
    return pen_coordinates_write(g, c->coordinates_kind, c->coordinates_to);
}

/* Whether the gids in a run of OUT are the labels; otherwise they are the nodes' indices. */
static bool has_labels(const graph_format *to, const file_graph *g)
{
    return g->labels && (to->holds & HOLDS_LABELS) != 0;
}

/* Write the gid of every node in a run of OUT, and its id in IN. */
static pen_status write_ids(const choices *c, const graph_format *to, const file_graph *g)
{
    if (!c->ids_to) return PEN_OK;
    writer out;
    const bool labels = has_labels(to, g);
    PEN_TRY(pen_writer_open(c->ids_to, &out));
    pen_writer_text(&out, "gid,id\n");
    for (int64_t i = 0; i < g->nodes; i++) {
        const char *name = pen_file_graph_name(g, i);
        pen_writer_number(&out, labels ? g->labels[i] : i, ',');
        if (name) pen_values_write_field(&out, name);
        else pen_writer_integer(&out, pen_file_graph_label(g, i));
        pen_writer_char(&out, '\n');
    }
    return pen_writer_close(&out, PEN_OK);
}

static pen_status transpose(const char *in, const choices *c, file_graph *g)
{
    if (!c->transpose) return PEN_OK;
    if (g->directed) return pen_file_graph_transpose(g, NULL);
    if (!c->quiet)
        fprintf(stderr,
                "pen-graph: %s: the graph is undirected, --transpose changes nothing (is --directed missing?)\n",
                PEN_SHOWN(in));
    return PEN_OK;
}

/* ---- Values in separate files --------------------------------------------------------------- */

static pen_status read_with_values(const graph_format *from, const char *in, const choices *c, file_graph *g)
{
    choices with = *c;
    double most;
    with.format.reals = true;
    PEN_TRY(read_graph(from, in, &with, g));
    if (c->values_to) return pen_values_from_weights(in, g);
    PEN_TRY(pen_values_scale(in, c->scale, g, &most));
    if (!c->quiet && most > 0.0)
        fprintf(stderr, "pen-graph: %s: scaled weights are rounded, by at most %.3g\n", PEN_SHOWN(in), most);
    return PEN_OK;
}

static pen_status write_values(const choices *c, const graph_format *to, const file_graph *g)
{
    writer out;
    if (!c->values_to) return PEN_OK;
    PEN_TRY(pen_writer_open(c->values_to, &out));
    if (!pen_path_ends_in(c->values_to, ".csv"))
        return pen_writer_close(&out, pen_values_write_array(&out, g, has_labels(to, g)));
    pen_values_write_rows(&out, g, has_labels(to, g));
    return pen_writer_close(&out, PEN_OK);
}

/* ---- Conversion between formats ------------------------------------------------------------- */

/* Whether labels are consecutive numbers, so that the first one suffices. */
static bool counts_up(const file_graph *g)
{
    bool up = g->labels != NULL;
    for (int64_t i = 1; up && i < g->nodes; i++) up = g->labels[i] == g->labels[0] + i;
    return up;
}

static const char *remedy(unsigned losses)
{
    if (losses & HOLDS_EMPTY) return "";
    if (losses & (HOLDS_NAMES | HOLDS_LABELS)) return ", --ids-to=FILE writes them";
    return losses & HOLDS_COORDINATES ? ", --coords-to=FILE writes them" : "";
}

/* Adapt the graph to the target format: refuse properties that the format lacks, or drop them and report that. */
static pen_status fit(const graph_format *to, const char *in, const choices *c, file_graph *g)
{
    unsigned losses;
    char text[400];
    if (to == &pen_format_penumbra) PEN_TRY(pen_library_check_labels(g, in));
    PEN_TRY(pen_file_graph_losses(g, to->holds, &losses));
    if (c->coordinates_to) losses &= ~(unsigned)HOLDS_COORDINATES;
    if (c->format.map || c->ids_to) losses &= ~(unsigned)HOLDS_LABELS;
    if (c->ids_to) losses &= ~(unsigned)HOLDS_NAMES;
    if ((losses & HOLDS_ISOLATED) && (c->coordinates_to || c->format.map || c->ids_to || c->values_to))
        return pen_fail(PEN_ERR_INPUT,
                        "%s: format %s cannot hold isolated nodes, so the files of --ids-to, --map, --values-to and "
                        "--coords-to would not belong to it",
                        in, to->name);
    unsigned grave = losses & ~(unsigned)(HOLDS_TOLD | (counts_up(g) ? HOLDS_LABELS : 0));
    file_notes notes = g->notes;
    if (c->weights) notes.conflicts = 0; /* the options have requested a rule for conflicting weights */
    bool dropped = notes.loops || notes.conflicts || notes.values; /* merging equal entries loses nothing */
    pen_losses_text(grave && !c->lossy ? grave : losses, text, sizeof text);
    if (grave == 0 || c->lossy) {
        if (grave != 0 || (losses != 0 && !c->quiet))
            fprintf(stderr, "pen-graph: %s: dropped: %s\n", PEN_SHOWN(in), text);
        PEN_TRY(pen_file_graph_lose(g, to->holds, losses));
    }
    if (!c->quiet || dropped) pen_words_tell_notes(g, in);
    if (c->lossy) return PEN_OK;
    if (grave != 0)
        return pen_fail(PEN_ERR_INPUT, "%s: format %s cannot hold this: %s%s%s", in, to->name, text,
                        grave & HOLDS_EMPTY ? "" : "; --lossy converts without", remedy(grave));
    if (dropped) return pen_fail(PEN_ERR_INPUT, "%s: something is dropped, see above; --lossy converts the rest", in);
    return PEN_OK;
}

static pen_status convert(const char *in, const char *out, choices *c, file_graph *g)
{
    const graph_format *from, *to;
    const char *const outputs[] = { out, c->coordinates_to, c->format.map, c->ids_to, c->values_to };
    int parts;
    PEN_TRY(pen_format_find(c->from, in, &from));
    PEN_TRY(pen_format_find(c->to, out, &to));
    PEN_TRY(pen_format_may_write(to, outputs, PEN_COUNT_OF(outputs)));
    c->format.reals = (to->holds & HOLDS_VALUES) != 0;
    if (c->values_to || c->scale > 0.0) PEN_TRY(read_with_values(from, in, c, g));
    else PEN_TRY(read_graph(from, in, c, g));
    if (c->format.map && g->names)
        return pen_fail(PEN_ERR_INPUT, "%s: nodes have names, and --map is for numbers: use --ids-to=FILE instead", in);
    PEN_TRY(transpose(in, c, g));
    if (c->coordinates) PEN_TRY(pen_words_read_coordinates(c->coordinates, g, NULL));
    if (c->part) PEN_TRY(pen_words_read_parts(c->part, g, &g->part, &parts, NULL));
    PEN_TRY(fit(to, in, c, g));
    if (!c->quiet && to == &pen_format_penumbra && !g->labels && (from->holds & HOLDS_LABELS) && g->base > 0)
        fprintf(stderr, "pen-graph: %s: ids from %" PRId64 " on become gids from 0 on\n", PEN_SHOWN(in), g->base);
    PEN_TRY(write_coordinates(c, g));
    if (c->format.map) PEN_TRY(pen_label_map_write(c->format.map, g, NULL));
    PEN_TRY(write_ids(c, to, g));
    PEN_TRY(write_values(c, to, g));
    return pen_format_write(to, g, out);
}

static pen_status run(int argc, char **argv, int *exit_status)
{
    static const char *const rules[] = {
        [WEIGHT_FIRST] = "first", [WEIGHT_MIN] = "min", [WEIGHT_MAX] = "max", [WEIGHT_SUM] = "sum"
    };
    choices c = { .coordinates_kind = "chaco" };
    int rule = WEIGHT_FIRST;
    const char *scale = NULL;
    const pen_option options[] = {
        { "from", "FORMAT", "format of IN; default: by its ending", PEN_OPTION_TEXT, &c.from, 0, 0 },
        { "to", "FORMAT", "format of OUT; default: by its ending", PEN_OPTION_TEXT, &c.to, 0, 0 },
        { "lossy", NULL, "drop data that OUT's format cannot hold, and list it", PEN_OPTION_FLAG, &c.lossy, 0, 0 },
        { "directed", NULL,
          "entries of IN are arcs (\"0 1\": node 0 reads node 1); reverse arcs are neither added nor required",
          PEN_OPTION_FLAG, &c.format.directed, 0, 0 },
        { "transpose", NULL, "reverse all arcs, so that a link \"a b\" makes b read a, as PageRank needs",
          PEN_OPTION_FLAG, &c.transpose, 0, 0 },
        { "weights", "RULE", "weight of an edge that IN has more than once: first (default), min, max, sum",
          PEN_OPTION_TEXT, &c.weights, 0, 0 },
        { "values", NULL, "take a matrix's values as edge weights", PEN_OPTION_FLAG, &c.format.values, 0, 0 },
        { "values-to", "FILE",
          "write real weights to FILE, for --input of a run on OUT: .csv (source,target,value) or .npy (by ascending "
          "nodes and neighbours)",
          PEN_OPTION_TEXT, &c.values_to, 0, 0 },
        { "scale", "X", "multiply real weights by X, and round them to integers (halves away from 0)", PEN_OPTION_TEXT,
          &scale, 0, 0 },
        { "weight-column", "NAME",
          "CSV: column of the weights, empty for none; default: weight, otherwise the first column of numbers",
          PEN_OPTION_TEXT, &c.format.weight_column, 0, 0 },
        { "nodal", NULL, "mesh: make the graph of the nodes instead of the elements", PEN_OPTION_FLAG, &c.format.nodal,
          0, 0 },
        { "common", "N", "mesh: number of nodes that neighbouring elements share; default: 1", PEN_OPTION_INT,
          &c.format.common, 0, INT64_MAX },
        { "map", "FILE", "write the nodes' numbers, from 0 on, and their ids in IN to FILE", PEN_OPTION_TEXT,
          &c.format.map, 0, 0 },
        { "ids-to", "FILE", "write the nodes' gids in a run and their ids in IN to FILE, as CSV: gid,id",
          PEN_OPTION_TEXT, &c.ids_to, 0, 0 },
        { "coords", "FILE",
          "read coordinates: Chaco, .xyz, Scotch, DIMACS .co, a matrix, or CSV with columns x, y, z, by content",
          PEN_OPTION_TEXT, &c.coordinates, 0, 0 },
        { "coords-to", "FILE", "write the coordinates to FILE", PEN_OPTION_TEXT, &c.coordinates_to, 0, 0 },
        { "coords-kind", "KIND", "format of --coords-to: chaco (default), scotch, dimacs, matrix", PEN_OPTION_TEXT,
          &c.coordinates_kind, 0, 0 },
        { "part", "FILE", "the nodes' parts, for .graphml and .gexf: METIS .part or Scotch .map", PEN_OPTION_TEXT,
          &c.part, 0, 0 },
        { "quiet", NULL, "do not report merged edges and harmless losses", PEN_OPTION_FLAG, &c.quiet, 0, 0 },
        { NULL, NULL, NULL, PEN_OPTION_FLAG, NULL, 0, 0 },
    };
    command_words line;
    PEN_TRY(pen_command_words(&pen_command_convert, argc, argv, options, 2, 2, &line));
    if (line.help) return PEN_OK;
    PEN_TRY(pen_coordinates_check(c.coordinates_kind));
    if (scale && (!pen_parse_real(scale, &c.scale) || c.scale <= 0.0))
        return pen_fail(PEN_ERR_INPUT, "--scale=%s: must be a number > 0", scale);
    if (scale && c.values_to)
        return pen_fail(PEN_ERR_INPUT, "--scale and --values-to: integers and reals of one weight; give one of both");
    if (c.values_to && !pen_path_ends_in(c.values_to, ".csv") && !pen_path_ends_in(c.values_to, ".npy"))
        return pen_fail(PEN_ERR_INPUT, "--values-to=%s: the name ends in .csv or .npy", c.values_to);
    if (c.weights) PEN_TRY(pen_choose("--weights", c.weights, rules, PEN_COUNT_OF(rules), &rule));
    c.format.weights = (weight_rule)rule;
    file_graph g = { 0 };
    pen_status status = convert(line.words[0], line.words[1], &c, &g);
    pen_file_graph_free(&g);
    return status;
}

const command pen_command_convert = { "convert", "IN OUT", "Write a graph in another format", NULL, run };

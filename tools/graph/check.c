/* check.c - pen-graph check: lists all errors of a file, and writes a corrected file. */
#include "tools/graph/commands.h"
#include "tools/graph/examine.h"
#include "tools/graph/formats.h"
#include "tools/graph/lose.h"
#include "tools/graph/words.h"

#include <stdlib.h>

typedef struct choices {
    const char *from, *fix, *to, *coordinates, *part;
    int64_t limit;
    bool directed;
    FILE *report; /* standard output, unless the repaired graph goes there */
} choices;

static void tell(FILE *report, int64_t count, const char *what)
{
    if (count > 0) fprintf(report, "repaired: %" PRId64 " %s\n", count, what);
}

/* List the repairs: those of the text, then those of the graph, some of which the reader makes. */
static void tell_repairs(FILE *report, const findings *f, const file_notes *before, const file_notes *after)
{
    if (f->errors > 0) fprintf(report, "repaired: the %" PRId64 " errors above\n", f->errors);
    tell(report, after->loops, "loops dropped");
    tell(report, after->duplicates - before->duplicates, "further occurrences of a neighbour dropped");
    tell(report, after->one_way - before->one_way, "reverses of arcs added");
    tell(report, after->conflicts, "weights made equal to that of the same edge");
}

static pen_status fix(const graph_format *from, const graph_format *to, const choices *c, const findings *f,
                      file_graph *g)
{
    if (g->notes.values > 0)
        return pen_fail(PEN_ERR_INPUT, "%s: format %s cannot hold %" PRId64 " values of the edges", c->fix, to->name,
                        g->notes.values);
    const file_notes before = g->notes;
    PEN_TRY(pen_file_graph_repair(g, from->holds));
    findings left;
    pen_findings_init(&left, 1);
    pen_status status = pen_file_graph_examine(g, from->holds, &left);
    if (status == PEN_OK) status = pen_findings_status(&left, c->fix);
    pen_findings_free(&left);
    PEN_TRY(status);
    unsigned losses;
    char text[256];
    PEN_TRY(pen_file_graph_losses(g, to->holds, &losses));
    losses &= ~(unsigned)HOLDS_TOLD;
    if (c->coordinates) losses &= ~(unsigned)HOLDS_COORDINATES; /* coordinates have a separate file */
    pen_losses_text(losses, text, sizeof text);
    if (losses != 0) return pen_fail(PEN_ERR_INPUT, "%s: format %s cannot hold this: %s", c->fix, to->name, text);
    const file_notes after = g->notes;
    PEN_TRY(pen_format_write(to, g, c->fix));
    tell_repairs(c->report, f, &before, &after);
    return PEN_OK;
}

/* Check a file of coordinates, or of parts, that belongs to the graph. */
static pen_status check_companion(const char *path, bool coordinates, const choices *c, const graph_format *to,
                                  file_graph *g, int *exit_status)
{
    findings f;
    int32_t *part = NULL;
    int parts;
    pen_findings_init(&f, c->limit);
    pen_status status = coordinates ? pen_words_read_coordinates(path, g, &f)
                                    : pen_words_read_parts(path, g, &part, &parts, &f);
    pen_findings_print(&f, path, c->report);
    if (f.errors > 0) *exit_status = 2;
    if (status == PEN_ERR_INPUT && f.errors > 0) status = PEN_OK;
    const bool invents = c->fix && (to->holds & HOLDS_COORDINATES); /* the repaired graph would have made-up ones */
    if (status == PEN_OK && f.errors > 0 && coordinates && invents)
        status = pen_fail(PEN_ERR_INPUT, "%s: coordinates are not repaired: correct them, or leave out --coords", path);
    if (status == PEN_OK && f.errors == 0 && coordinates)
        fprintf(c->report, "%s: of %d dimensions: nothing wrong\n", PEN_SHOWN(path), g->dimensions);
    if (status == PEN_OK && f.errors == 0 && !coordinates)
        fprintf(c->report, "%s: %d parts: nothing wrong\n", PEN_SHOWN(path), parts);
    pen_findings_free(&f);
    free(part);
    return status;
}

static pen_status check(const char *path, const choices *c, file_graph *g, findings *f, int *exit_status)
{
    const graph_format *from, *to;
    PEN_TRY(pen_format_find(c->from, path, &from));
    to = from;
    if (c->fix && (c->to || from->write == NULL || from->python)) PEN_TRY(pen_format_find(c->to, c->fix, &to));
    if (c->fix) PEN_TRY(pen_format_may_write(to, &c->fix, 1));
    const format_options options = { .directed = c->directed,
                                     .values = c->fix != NULL,
                                     .reals = c->fix && (to->holds & HOLDS_VALUES) };
    pen_status status = pen_format_read(from, path, &options, g, f);
    pen_findings_print(f, path, c->report);
    if (status != PEN_OK && (status != PEN_ERR_INPUT || f->errors == 0 || c->fix)) return status;
    if (f->errors > 0) *exit_status = 2;
    if (f->errors == 0 && !c->fix)
        printf("%s: %s, %" PRId64 " nodes, %" PRId64 " %s: nothing wrong\n", PEN_SHOWN(path), from->name, g->nodes,
               pen_file_graph_edges(g), g->directed ? "arcs" : "edges");
    if (c->coordinates && status == PEN_OK) PEN_TRY(check_companion(c->coordinates, true, c, to, g, exit_status));
    if (c->part && status == PEN_OK) PEN_TRY(check_companion(c->part, false, c, to, g, exit_status));
    return c->fix ? fix(from, to, c, f, g) : PEN_OK;
}

static pen_status run(int argc, char **argv, int *exit_status)
{
    choices c = { .limit = FINDINGS_LIMIT };
    const pen_option options[] = {
        { "from", "FORMAT", "format of FILE; default: by its ending", PEN_OPTION_TEXT, &c.from, 0, 0 },
        { "limit", "N", "maximum number of faults to print; default 20", PEN_OPTION_INT, &c.limit, 1, INT64_MAX },
        { "fix", "FILE", "write a repaired graph to FILE, and list the repairs", PEN_OPTION_TEXT, &c.fix, 0, 0 },
        { "to", "FORMAT", "format of the repaired graph; default: the same", PEN_OPTION_TEXT, &c.to, 0, 0 },
        { "coords", "FILE", "check this file of coordinates too; as in convert", PEN_OPTION_TEXT, &c.coordinates, 0,
          0 },
        { "part", "FILE", "check this file of parts too: METIS .part or Scotch .map", PEN_OPTION_TEXT, &c.part, 0, 0 },
        { "directed", NULL, "the graph is directed", PEN_OPTION_FLAG, &c.directed, 0, 0 },
        { NULL, NULL, NULL, PEN_OPTION_FLAG, NULL, 0, 0 },
    };
    command_words line;
    PEN_TRY(pen_command_words(&pen_command_check, argc, argv, options, 1, 1, &line));
    if (line.help) return PEN_OK;
    c.report = c.fix && strcmp(c.fix, "-") == 0 ? stderr : stdout;
    file_graph g = { 0 };
    findings f;
    pen_findings_init(&f, c.limit);
    pen_status status = check(line.words[0], &c, &g, &f, exit_status);
    pen_findings_free(&f);
    pen_file_graph_free(&g);
    return status;
}

const command pen_command_check = { "check", "FILE", "List all faults of a file, or repair it", NULL, run };

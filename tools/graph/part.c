/* part.c - pen-graph part: partitions a graph, or compares partitioners. */
#include "balance/partitioners.h"
#include "base/memory.h"
#include "driver/list.h"
#include "graph/binary.h"
#include "observe/timers.h"
#include "partition/partition.h"
#include "tools/common/start_mpi.h"
#include "tools/common/ticker.h"
#include "tools/graph/commands.h"
#include "tools/graph/formats.h"
#include "tools/graph/library.h"
#include "tools/graph/mapping.h"
#include "tools/graph/values.h"
#include "tools/graph/words.h"
#include "view/machine.h"
#include "view/quality.h"

#include <limits.h>
#include <stdlib.h>

typedef struct choices {
    char *partitioners; /* the named partitioners, one per line */
    const char *machine, *from, *to, *output;
    bool directed, compare;
    const char *list;
} choices;

/* Read the graph. The library reads a plain file of its own format itself. *g keeps the labels and the base, by which
 * files of parts name nodes. */
static pen_status read_graph(const char *path, const choices *c, file_graph *g, pen_graph **graph)
{
    const graph_format *format;
    PEN_TRY(pen_format_find(c->from, path, &format));
    PEN_TRY(pen_start_mpi());
    if (format == &pen_format_penumbra && !pen_path_is_stream(path)) {
        const pen_read_options reading = { .directed = c->directed };
        PEN_TRY(pen_binary_read(MPI_COMM_SELF, path, &reading, graph));
        g->nodes = (*graph)->nodes;
        g->base = 0; /* nodes are named by their gids, as in files that convert makes of this format */
        if ((*graph)->dense) return PEN_OK;
        PEN_TRY(pen_library_give(graph, g));
    } else {
        const format_options options = { .directed = c->directed };
        PEN_TRY(pen_words_read_graph(path, c->from, &options, g));
        if (g->notes.values > 0)
            fprintf(stderr,
                    "pen-graph: %s: %" PRId64 " values are not used as weights; pen-graph convert can keep them\n",
                    PEN_SHOWN(path), g->notes.values);
    }
    return pen_library_take(g, false, graph);
}

/* ---- The table ------------------------------------------------------------------------------ */

/* A graph that is partitioned, and the last partition. */
typedef struct task {
    const pen_graph *graph;
    const pen_machine *machine;
    int parts;
    int32_t *part; /* [graph->nodes] the parts */
    pen_quality quality;
    double seconds; /* the time that it took */
    writer *csv;    /* of a comparison, the CSV file; NULL: none */
} task;

static void print_heading(FILE *out, const task *t)
{
    fprintf(out, "partitioner                     cut  imbalance     bound  max volume  extra pieces  seconds%s\n",
            t->machine ? "     dilation  estimated step" : "");
}

static pen_status partition(task *t, const char *spec)
{
    pen_ticker_step("partitioning with", spec);
    t->seconds = pen_seconds_now();
    pen_status status = pen_partition(t->graph, spec, t->machine, t->parts, t->part);
    t->seconds = pen_seconds_now() - t->seconds;
    pen_ticker_end();
    PEN_TRY(status);
    return pen_quality_of_graph(t->graph, t->machine, t->parts, t->part, &t->quality);
}

static void print_quality(FILE *out, const char *spec, const task *t)
{
    const pen_quality *q = &t->quality;
    fprintf(out, "%-24s %10" PRId64 " %10.4f %9.4f %11" PRId64 " %13" PRId64 " %8.3f", spec, q->cut, q->imbalance,
            q->bound, q->max_volume, q->pieces, t->seconds);
    if (t->machine) fprintf(out, " %12.6g %15.6g", q->dilation, q->step_time);
    fputc('\n', out);
}

static void write_record(const task *t, const char *spec, const char *problem)
{
    const pen_quality *q = &t->quality;
    char numbers[256] = ",,,,,,", more[64] = ",,";
    if (!problem)
        snprintf(numbers, sizeof numbers, ",%" PRId64 ",%.6g,%.6g,%" PRId64 ",%" PRId64 ",%.6g", q->cut, q->imbalance,
                 q->bound, q->max_volume, q->pieces, t->seconds);
    if (!problem && t->machine) snprintf(more, sizeof more, ",%.6g,%.6g", q->dilation, q->step_time);
    pen_values_write_field(t->csv, spec);
    pen_writer_text(t->csv, numbers);
    if (t->machine) pen_writer_text(t->csv, more);
    pen_writer_char(t->csv, ',');
    if (problem) pen_values_write_field(t->csv, problem);
    pen_writer_char(t->csv, '\n');
}

/* Partition, and print a row; if the partitioner fails, the row has the reason. */
static pen_status compare_one(task *t, const char *spec)
{
    pen_status status = partition(t, spec);
    if (status == PEN_ERR_MEMORY || status == PEN_ERR_MPI) return status;
    if (status == PEN_OK) print_quality(stdout, spec, t);
    else printf("%-24s - %s\n", spec, pen_error_message());
    if (t->csv) write_record(t, spec, status == PEN_OK ? NULL : pen_error_message());
    return PEN_OK;
}

/* Whether a partitioner is compared only if named: file needs a path, and diffusive a rank for each part. */
static bool is_special(const char *name) { return strcmp(name, "file") == 0 || strcmp(name, "diffusive") == 0; }

/* Compare the built-in partitioners, then those in `named`, one per line, which may be plug-ins or have settings. */
static pen_status compare(task *t, char *named)
{
    const char *name;
    print_heading(stdout, t);
    if (t->csv) {
        pen_writer_text(t->csv, "partitioner,cut,imbalance,bound,max_volume,extra_pieces,seconds");
        pen_writer_text(t->csv, t->machine ? ",dilation,estimated_step,problem\n" : ",problem\n");
    }
    for (int i = 0; (name = pen_partition_name(i)) != NULL; i++)
        if (!is_special(name)) PEN_TRY(compare_one(t, name));
    for (char *next = strtok(named, "\n"); next; next = strtok(NULL, "\n")) {
        bool listed = false;
        for (int i = 0; (name = pen_partition_name(i)) != NULL; i++)
            listed = listed || (!is_special(name) && strcmp(name, next) == 0);
        if (!listed) PEN_TRY(compare_one(t, next));
    }
    return PEN_OK;
}

/* Compare, as a table on standard output and, unless `path` is NULL, as a CSV file. */
static pen_status compare_all(task *t, char *named, const char *path)
{
    writer csv;
    if (!path) return compare(t, named);
    t->csv = &csv;
    PEN_TRY(pen_writer_open(path, &csv));
    return pen_writer_close(&csv, compare(t, named));
}

/* ---- The file ------------------------------------------------------------------------------- */

static pen_status find_kind(const char *name, const char *path, mapping_kind *kind)
{
    static const char *const names[] = { "metis", "scotch" };
    int scotch = pen_path_ends_in(path, ".map");
    if (name) PEN_TRY(pen_choose("format of parts", name, names, PEN_COUNT_OF(names), &scotch));
    *kind = scotch ? MAPPING_SCOTCH : MAPPING_METIS;
    return PEN_OK;
}

static pen_status write_parts(const file_graph *g, const int32_t *part, mapping_kind kind, const char *path)
{
    writer out;
    PEN_TRY(pen_writer_open(path, &out));
    pen_mapping_write(g, part, kind, &out);
    return pen_writer_close(&out, PEN_OK);
}

/* Make the name FILE.part.K, like METIS's programs. The caller frees it. */
static pen_status name_output(const char *path, int parts, char **name)
{
    if (strcmp(path, "-") == 0)
        return pen_fail(PEN_ERR_INPUT, "part: with standard input, give the file of parts: -o FILE");
    size_t size = strlen(path) + 32;
    PEN_TRY(PEN_ALLOC(name, (int64_t)size));
    snprintf(*name, size, "%s.part.%d", path, parts);
    return PEN_OK;
}

/* ---- The command ---------------------------------------------------------------------------- */

/* Limit the memory for parts; more parts than SENSIBLE exceed any machine, and nearly all would be empty. */
static pen_status check_parts(int parts, const pen_graph *graph)
{
    enum { SENSIBLE = 1 << 24 };
    if (parts <= SENSIBLE || parts <= graph->nodes) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "part: %d parts of %" PRId64 " nodes, at most %d may be empty", parts, graph->nodes,
                    SENSIBLE);
}

static pen_status part_graph(const char *path, int parts, const choices *c)
{
    char *named = NULL;
    const char *to = c->output;
    mapping_kind kind = MAPPING_METIS;
    file_graph g = { .base = 1 };
    pen_graph *graph = NULL;
    pen_machine *machine = NULL;
    task t = { .parts = parts };
    if (!to && !c->compare) {
        PEN_TRY(name_output(path, parts, &named));
        to = named;
    }
    pen_status status = c->compare ? PEN_OK : find_kind(c->to, to, &kind);
    if (status == PEN_OK && named) status = pen_command_may_write_derived(named);
    if (status == PEN_OK) status = pen_writer_try(&to, 1);
    if (status == PEN_OK) status = read_graph(path, c, &g, &graph);
    if (status == PEN_OK) status = check_parts(parts, graph);
    if (status == PEN_OK && c->machine) status = pen_machine_open(graph->comm, c->machine, parts, &machine);
    if (status == PEN_OK) status = PEN_ALLOC(&t.part, graph->nodes);
    t.graph = graph;
    t.machine = machine;
    if (status == PEN_OK && c->compare) status = compare_all(&t, c->partitioners, to);
    if (status == PEN_OK && !c->compare) {
        status = partition(&t, c->partitioners);
        if (status == PEN_OK) status = write_parts(&g, t.part, kind, to);
        if (status == PEN_OK) {
            FILE *table = strcmp(to, "-") == 0 ? stderr : stdout;
            print_heading(table, &t);
            print_quality(table, c->partitioners, &t);
            if (named) printf("written to %s\n", PEN_SHOWN(named));
        }
    }
    PEN_FREE_ALL(named, t.part);
    pen_machine_destroy(&machine);
    pen_graph_destroy(&graph);
    pen_file_graph_free(&g);
    return status;
}

static pen_status run(int argc, char **argv, int *exit_status)
{
    choices c = { .compare = false };
    const char *partitioner = "metis";
    const pen_option options[] = {
        { "partitioner", "NAME[:SETTINGS]", "the partitioner (metis); with --compare also several times",
          PEN_OPTION_TEXT, &partitioner, 1, 0 },
        { "compare", NULL, "run all partitioners that need no setting, and the named ones; print a table",
          PEN_OPTION_FLAG, &c.compare, 0, 0 },
        { "list", PEN_LIST_WHAT, "print these names and their settings, and exit", PEN_OPTION_TEXT, &c.list, 0, 0 },
        { "machine", "NAME[:SETTINGS]|FILE", "the machine of the parts: speeds of processors, and their network",
          PEN_OPTION_TEXT, &c.machine, 0, 0 },
        { "to", "metis|scotch", "format of PARTS (scotch if its name ends in .map, otherwise metis)", PEN_OPTION_TEXT,
          &c.to, 0, 0 },
        { "from", "FORMAT", "format of FILE; default: by its ending", PEN_OPTION_TEXT, &c.from, 0, 0 },
        { "directed", NULL, "the graph is directed: arcs need no reverse", PEN_OPTION_FLAG, &c.directed, 0, 0 },
        { .name = NULL },
    };
    command_words line;
    int64_t parts;
    pen_list print_list;
    PEN_TRY(pen_command_words(&pen_command_part, argc, argv, options, 0, 2, &line));
    if (line.help) return PEN_OK;
    PEN_TRY(pen_list_find(c.list, &print_list));
    if (print_list) {
        print_list(stdout);
        return PEN_OK;
    }
    c.output = line.output;
    if (line.count < 2) return pen_fail(PEN_ERR_INPUT, "part: give a graph and the number of parts: part FILE K");
    if (!pen_parse_int(line.words[1], &parts) || parts < 1 || parts > INT_MAX)
        return pen_fail(PEN_ERR_INPUT, "part: \"%s\" parts, must be a number from 1 to %d", line.words[1], INT_MAX);
    if (c.compare && c.output && !pen_path_ends_in(c.output, ".csv"))
        return pen_fail(PEN_ERR_INPUT, "part: --compare writes a table: -o %s must end in .csv", c.output);
    PEN_TRY(pen_option_join(argc, argv, "partitioner", '\n', &c.partitioners));
    if (!c.partitioners) PEN_TRY(pen_copy_text(partitioner, &c.partitioners));
    const bool several = !c.compare && strchr(c.partitioners, '\n') != NULL;
    pen_status status = several ? pen_fail(PEN_ERR_INPUT, "part: several partitioners need --compare")
                                : part_graph(line.words[0], (int)parts, &c);
    free(c.partitioners);
    return status;
}

const command pen_command_part = {
    "part", "FILE K [-o PARTS]", "Partition a graph, and print the quality",
    "the nodes' parts, one per line; default: FILE.part.K, as METIS names it; with --compare a table, *.csv", run
};

/* info.c - pen-graph info: describes a graph, the memory of a run on it, a partition's quality, and machines. */
#include "tools/common/start_mpi.h"
#include "tools/graph/commands.h"
#include "tools/graph/describe.h"
#include "tools/graph/examine.h"
#include "tools/graph/formats.h"
#include "tools/graph/words.h"
#include "view/machine.h"

#include <limits.h>
#include <stdlib.h>

typedef struct choices {
    const char *from, *machine, *part;
    int64_t ranks, bytes, parts;
    bool json;
    format_options format;
} choices;

/* ---- Degrees and weights -------------------------------------------------------------------- */

/* Print a histogram with classes 0, 1, 2, 3, 4, 5-8, 9-16, ... */
static void print_histogram(const int64_t *sorted, int64_t count)
{
    enum { SINGLE = 4, WIDTH = 40 };
    for (int64_t at = 0, low = 0; at < count;) {
        int64_t high = low <= SINGLE ? low : 2 * (low - 1), begin = at;
        while (at < count && sorted[at] <= high) at++;
        if (at > begin) {
            char range[48];
            snprintf(range, sizeof range, low == high ? "%" PRId64 : "%" PRId64 "-%" PRId64, low, high);
            int width = (int)((double)(at - begin) / (double)count * WIDTH + 0.5);
            printf("  degree %13s %12" PRId64 "  %.*s\n", range, at - begin, width,
                   "****************************************");
        }
        low = high + 1;
    }
}

static pen_status print_degrees(const file_graph *g)
{
    int64_t *degrees;
    PEN_TRY(PEN_ALLOC(&degrees, g->nodes));
    for (int64_t i = 0; i < g->nodes; i++) degrees[i] = g->rows[i + 1] - g->rows[i];
    qsort(degrees, (size_t)g->nodes, sizeof *degrees, pen_by_gid);
    printf("degree       min %" PRId64 ", median %" PRId64 ", max %" PRId64 ", mean %.2f\n", degrees[0],
           degrees[g->nodes / 2], degrees[g->nodes - 1], (double)pen_file_graph_arcs(g) / (double)g->nodes);
    print_histogram(degrees, g->nodes);
    free(degrees);
    return PEN_OK;
}

static void print_range(const char *what, const int64_t *values, int64_t count, int64_t stride)
{
    if (!values || count == 0) return;
    int64_t low = values[0], high = values[0];
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t value = values[i * stride];
        low = value < low ? value : low;
        high = value > high ? value : high;
        sum += (double)value;
    }
    printf("%-12s min %" PRId64 ", max %" PRId64 ", mean %.2f\n", what, low, high, sum / (double)count);
}

static void print_weights(const file_graph *g)
{
    for (int64_t k = 0; k < g->weight_count; k++)
        print_range("node weight", g->node_weights + k, g->nodes, g->weight_count);
    print_range("node size", g->node_sizes, g->nodes, 1);
    print_range("edge weight", g->edge_weights, pen_file_graph_arcs(g), 1);
    if (g->notes.values > 0)
        printf("edge weight  none: %" PRId64 " values are not used; pen-graph convert can keep them\n",
               g->notes.values);
}

/* ---- Order of nodes -------------------------------------------------------------------------- */

/* Print how far apart the numbers of neighbours are: the maximum (bandwidth), the mean, and the profile, which adds up
 * the distance from the first entry to the diagonal in every row of the lower triangle. */
static void print_order(const file_graph *g)
{
    int64_t bandwidth = 0, profile = 0;
    double sum = 0.0;
    for (int64_t i = 0; i < g->nodes; i++) {
        int64_t first = i;
        for (int64_t a = g->rows[i]; a < g->rows[i + 1]; a++) {
            int64_t to = g->neighbors[a], span = to < i ? i - to : to - i;
            if (span > bandwidth) bandwidth = span;
            if (to < first) first = to;
            sum += (double)span;
        }
        profile += i - first;
    }
    int64_t arcs = pen_file_graph_arcs(g);
    printf("order        bandwidth %" PRId64 ", profile %" PRId64 ", mean arc span %.2f\n", bandwidth, profile,
           arcs > 0 ? sum / (double)arcs : 0.0);
}

/* ---- Components and diameter ---------------------------------------------------------------- */

typedef struct search {
    const file_graph *g;
    int64_t *queue;    /* [nodes] queue of the search */
    int64_t *distance; /* [nodes] distance of each node; -1: not reached */
} search;

/* Search the component of `start`. Returns its number of nodes; queue[0 .. result-1] has them by distance. */
static int64_t breadth_first(search *s, int64_t start)
{
    int64_t end = 1;
    s->queue[0] = start;
    s->distance[start] = 0;
    for (int64_t at = 0; at < end; at++) {
        int64_t i = s->queue[at];
        for (int64_t a = s->g->rows[i]; a < s->g->rows[i + 1]; a++) {
            int64_t to = s->g->neighbors[a];
            if (s->distance[to] >= 0) continue;
            s->distance[to] = s->distance[i] + 1;
            s->queue[end++] = to;
        }
    }
    return end;
}

/* Search a component again, and reset the distances. Returns a farthest node. */
static int64_t search_again(search *s, int64_t start, int64_t *eccentricity)
{
    int64_t count = breadth_first(s, start), last = s->queue[count - 1];
    *eccentricity = s->distance[last];
    for (int64_t k = 0; k < count; k++) s->distance[s->queue[k]] = -1;
    return last;
}

/* Print bounds of the diameter, by double sweeps: a node farthest from a farthest node has a large eccentricity. The
 * diameter is between the eccentricity of any node and twice that. */
static void print_diameter(search *s, int64_t start)
{
    enum { SWEEPS = 6 };
    int64_t low = 0, high = INT64_MAX, eccentricity;
    for (int k = 0; k < SWEEPS && low < high; k++) {
        start = search_again(s, start, &eccentricity);
        if (eccentricity > low) low = eccentricity;
        if (2 * eccentricity < high) high = 2 * eccentricity;
    }
    if (low == high) printf("diameter     %" PRId64 "\n", low);
    else printf("diameter     at least %" PRId64 ", at most %" PRId64 "\n", low, high);
}

static void print_components(search *s)
{
    int64_t components = 0, largest = 0, isolated = 0, start = 0;
    for (int64_t i = 0; i < s->g->nodes; i++) s->distance[i] = -1;
    for (int64_t i = 0; i < s->g->nodes; i++) {
        if (s->distance[i] >= 0) continue;
        int64_t count = breadth_first(s, i);
        components++;
        isolated += count == 1;
        if (count > largest) {
            largest = count;
            start = i;
        }
    }
    printf("components   %" PRId64 ", the largest with %" PRId64 " nodes; %" PRId64 " of one node\n", components,
           largest, isolated);
    for (int64_t i = 0; i < s->g->nodes; i++) s->distance[i] = -1;
    print_diameter(s, start);
}

/* ---- Memory of a run ------------------------------------------------------------------------ */

/* Of the ranks of a run, the largest numbers of shadows, of bytes, and of bytes while it is set up. */
typedef struct memory {
    int64_t shadows, held, peak;
} memory;

/* The memory of a rank during a run (runtime/store/store.h, directory/pages.h). Per arc: a 4-byte slot. Per owned node:
 * a 4-byte row, an 8-byte gid, about 10 bytes each in the directory and in the map to slots, if the graph is directed
 * the number of its readers. Per shadow: a gid and the map. For both: two planes of the state, and weights. While rows
 * are shipped, the input graph and messages add about 48 bytes per node, 18 per arc, 48 per shadow. The estimate is
 * within 5 % for grids, meshes and random graphs of degree 4 to 20. A partitioner may take more than that on rank 0.
 * seen: [nodes], used here. */
static memory find_memory(const file_graph *g, const choices *c, int64_t ranks, int64_t *seen)
{
    memory most = { 0, 0, 0 };
    for (int64_t i = 0; i < g->nodes; i++) seen[i] = -1;
    for (int64_t rank = 0, begin = 0; rank < ranks && begin < g->nodes; rank++) {
        int64_t end = begin + g->nodes / ranks + (rank < g->nodes % ranks), shadows = 0;
        for (int64_t a = g->rows[begin]; a < g->rows[end]; a++) {
            int64_t to = g->neighbors[a];
            if (to >= begin && to < end) continue;
            shadows += seen[to] != rank;
            seen[to] = rank;
        }
        int64_t owned = end - begin, arcs = g->rows[end] - g->rows[begin];
        int64_t weights = 8 * (owned * (g->weight_count > 0) + (g->edge_weights ? arcs : 0));
        int64_t held = (g->directed ? 36 : 32) * owned + 4 * arcs + 18 * shadows + 2 * c->bytes * (owned + shadows) +
                       weights;
        if (held > most.held) most.held = held;
        if (shadows > most.shadows) most.shadows = shadows;
        int64_t shipping = held + 48 * owned + 18 * arcs + 48 * shadows + 2 * weights;
        if (shipping > most.peak) most.peak = shipping;
        begin = end;
    }
    return most;
}

static void print_memory(const memory *most, const choices *c, int64_t ranks)
{
    printf("a run        on %" PRId64 " ranks, %" PRId64
           " bytes of state per node, nodes in the file's order: at most %" PRId64
           " shadows, about %.1f MB per rank, and %.1f MB while it is set up\n",
           ranks, c->bytes, most->shadows, (double)most->held / 1e6, (double)most->peak / 1e6);
}

/* ---- The command ---------------------------------------------------------------------------- */

/* Describe the machine, and the quality of a partition on it, which has *read parts. --parts may exceed them; the other
 * parts are empty. */
static pen_status describe_partition(const choices *c, const file_graph *g, int *read)
{
    int parts = 0;
    int32_t *part = NULL;
    pen_machine *machine = NULL;
    pen_status status = PEN_OK;
    if (c->part) status = pen_words_read_parts(c->part, g, &part, &parts, NULL);
    if (c->part) *read = parts;
    if (c->parts > parts) parts = (int)c->parts;
    if (status == PEN_OK && c->machine) status = pen_open_machine(c->machine, parts, &machine);
    if (status == PEN_OK && c->machine)
        status = c->json ? pen_print_machine(machine) : pen_describe_machine(c->machine, machine);
    if (status == PEN_OK && c->part) status = pen_describe_partition(c->part, g, parts, part, machine);
    pen_machine_destroy(&machine);
    free(part);
    return status;
}

static pen_status describe(const char *path, const graph_format *format, const choices *c, file_graph *g)
{
    int parts = 8; /* number of parts, if there is no partition */
    printf("file         %s, %s\n", PEN_SHOWN(path), format->name);
    printf("nodes        %" PRId64 "\n%s        %" PRId64 "\n", g->nodes, g->directed ? "arcs " : "edges",
           pen_file_graph_edges(g));
    if (g->nodes == 0) return PEN_OK;
    PEN_TRY(print_degrees(g));
    print_weights(g);
    if (g->labels) print_range("label", g->labels, g->nodes, 1);
    print_order(g);
    PEN_TRY(describe_partition(c, g, &parts));
    const int64_t ranks = c->ranks > 0 ? c->ranks : parts;
    memory most = { 0, 0, 0 };
    search s = { .g = g };
    pen_status status = PEN_ALLOC(&s.queue, g->nodes);
    if (status == PEN_OK) status = PEN_ALLOC(&s.distance, g->nodes);
    if (status == PEN_OK) most = find_memory(g, c, ranks, s.queue);
    if (status == PEN_OK && g->directed) { /* components are those of the graph without directions */
        g->directed = false;
        status = pen_file_graph_repair(g, 0);
    }
    if (status == PEN_OK) {
        print_components(&s);
        print_memory(&most, c, ranks);
    }
    PEN_FREE_ALL(s.queue, s.distance);
    return status;
}

static pen_status show(const char *path, const choices *c)
{
    const graph_format *format;
    file_graph g = { 0 };
    PEN_TRY(pen_format_find(c->from, path, &format));
    pen_status status = pen_words_read_graph(path, c->from, &c->format, &g);
    if (status == PEN_OK) status = describe(path, format, c, &g);
    pen_file_graph_free(&g);
    return status;
}

static pen_status run(int argc, char **argv, int *exit_status)
{
    choices c = { .bytes = 8 };
    int parts;
    const pen_option options[] = {
        { "from", "FORMAT", "format of FILE; default: by its ending", PEN_OPTION_TEXT, &c.from, 0, 0 },
        { "directed", NULL, "the graph is directed", PEN_OPTION_FLAG, &c.format.directed, 0, 0 },
        { "ranks", "P", "number of ranks of a run, for its memory; default: the number of parts, or 8", PEN_OPTION_INT,
          &c.ranks, 1, INT64_MAX },
        { "bytes", "N", "bytes per node of all fields of the run; default 8", PEN_OPTION_INT, &c.bytes, 0, 1 << 20 },
        { "part", "PARTS", "describe this partition: METIS .part or Scotch .map", PEN_OPTION_TEXT, &c.part, 0, 0 },
        { "machine", "NAME[:SETTINGS]|FILE",
          "describe this machine, and the partition's time on it (part --list=machines)", PEN_OPTION_TEXT, &c.machine,
          0, 0 },
        { "parts", "K", "number of processors of the machine to use; default: all, or the number of parts",
          PEN_OPTION_INT, &c.parts, 1, INT_MAX },
        { "json", NULL, "write JSON; only for a machine without a graph", PEN_OPTION_FLAG, &c.json, 0, 0 },
        { NULL, NULL, NULL, PEN_OPTION_FLAG, NULL, 0, 0 },
    };
    command_words line;
    PEN_TRY(pen_command_words(&pen_command_info, argc, argv, options, 0, 1, &line));
    if (line.help) return PEN_OK;
    const char *path = line.count > 0 ? line.words[0] : NULL;
    if (path && !c.machine && (pen_path_ends_in(path, ".machine") || pen_path_ends_in(path, ".tgt"))) {
        c.machine = path;
        path = NULL;
    }
    if (!path && !c.machine)
        return pen_fail(PEN_ERR_INPUT, "info: missing FILE: give the file of a graph or machine, or --machine=NAME");
    if (c.part && !path) return pen_fail(PEN_ERR_INPUT, "info: --part=%s needs a graph", c.part);
    if (c.parts && !c.machine) return pen_fail(PEN_ERR_INPUT, "info: --parts=%" PRId64 " needs a machine", c.parts);
    if (c.json && (path || !c.machine)) return pen_fail(PEN_ERR_INPUT, "info: --json needs a machine, and no graph");
    return path ? show(path, &c) : describe_partition(&c, NULL, &parts);
}

const command pen_command_info = { "info", "[FILE]", "Degrees, components, diameter, memory of a run; or a machine",
                                   NULL, run };

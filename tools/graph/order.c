/* order.c - pen-graph order: renumbers the nodes so that neighbours are close, or at random for comparison. */
#include "graph/order.h"
#include "partition/places.h"
#include "tools/graph/commands.h"
#include "tools/graph/formats.h"
#include "tools/graph/labels.h"
#include "tools/graph/library.h"
#include "tools/graph/lose.h"
#include "tools/graph/words.h"

#include <stdlib.h>

enum { RCM, HILBERT, NATURAL, RANDOM };
static const char *const orders[] = { "rcm", "hilbert", "natural", "random" };

typedef struct choices {
    const char *by, *map, *from, *to;
    int order;
    int64_t seed;
    bool directed, lossy;
} choices;

/* ---- Orders of nodes ------------------------------------------------------------------------- */

static pen_status order_by_rcm(const file_graph *g, pen_lid *order)
{
    uint32_t *rows = NULL;
    pen_lid *columns = NULL;
    const int64_t arcs = pen_file_graph_arcs(g);
    if (arcs > UINT32_MAX)
        return pen_fail(PEN_ERR_UNSUPPORTED, "%" PRId64 " arcs, at most 2^32 - 1 can be ordered", arcs);
    pen_status status = PEN_ALLOC(&rows, g->nodes + 1);
    if (status == PEN_OK) status = PEN_ALLOC(&columns, arcs);
    if (status == PEN_OK) {
        for (int64_t i = 0; i <= g->nodes; i++) rows[i] = (uint32_t)g->rows[i];
        for (int64_t a = 0; a < arcs; a++) columns[a] = (pen_lid)g->neighbors[a];
        const pen_order_graph graph = { (pen_lid)g->nodes, rows, columns };
        status = pen_order_rcm(&graph, order);
    }
    PEN_FREE_ALL(rows, columns);
    return status;
}

static pen_status order_by_place(const file_graph *g, pen_lid *order)
{
    pen_gid *gids;
    PEN_TRY(PEN_ALLOC(&gids, g->nodes));
    for (int64_t i = 0; i < g->nodes; i++) gids[i] = i;
    const pen_load_view view = { .count = (pen_lid)g->nodes,
                                 .gids = gids,
                                 .dimensions = g->dimensions,
                                 .coordinates = g->coordinates,
                                 .grid = g->grid,
                                 .width = g->width,
                                 .height = g->height,
                                 .depth = g->depth };
    pen_status status = pen_places_order(&view, order);
    free(gids);
    return status == PEN_ERR_UNSUPPORTED ? pen_fail(PEN_ERR_INPUT, "%s", pen_error_message()) : status;
}

/* Find an order: order[k] becomes the node that gets number k. */
static pen_status find_order(const file_graph *g, const choices *c, pen_lid *order)
{
    uint64_t *keys;
    if (c->order == RCM) return order_by_rcm(g, order);
    if (c->order == HILBERT) return order_by_place(g, order);
    PEN_TRY(PEN_ALLOC(&keys, g->nodes));
    if (c->order == NATURAL)
        for (int64_t i = 0; i < g->nodes; i++) keys[i] = (uint64_t)pen_file_graph_label(g, i) ^ UINT64_C(1) << 63;
    else
        for (int64_t i = 0; i < g->nodes; i++) keys[i] = pen_mix(pen_mix((uint64_t)c->seed) ^ (uint64_t)i);
    pen_status status = pen_order_by_key((pen_lid)g->nodes, keys, order);
    free(keys);
    return status;
}

/* ---- The graph in an order ------------------------------------------------------------------- */

/* Bring an array of `bytes` bytes per node, or NULL, into the order. `array` is the address of its pointer. */
static pen_status permute(void *array, const pen_lid *order, int64_t count, int64_t bytes)
{
    char **values = array, *to;
    if (!*values) return PEN_OK;
    PEN_TRY(PEN_ALLOC(&to, count * bytes));
    for (int64_t k = 0; k < count; k++) memcpy(to + k * bytes, *values + order[k] * bytes, (size_t)bytes);
    free(*values);
    *values = to;
    return PEN_OK;
}

static pen_status renumber(file_graph *g, const pen_lid *order)
{
    pen_lid *place;
    bool moved = false;
    PEN_TRY(PEN_ALLOC(&place, g->nodes));
    for (int64_t k = 0; k < g->nodes; k++) {
        place[order[k]] = (pen_lid)k;
        moved |= order[k] != k;
    }
    for (int64_t a = 0; a < pen_file_graph_arcs(g); a++) g->neighbors[a] = place[g->neighbors[a]];
    free(place);
    PEN_TRY(pen_file_graph_transpose(g, order));
    PEN_TRY(pen_file_graph_transpose(g, NULL)); /* the second time brings the arcs back into their rows */
    if (moved) { /* the nodes of a grid are numbered row by row, so the result is not a grid */
        g->grid = PEN_GRID_NONE;
        g->width = g->height = g->depth = 0;
    }
    PEN_TRY(permute(&g->node_weights, order, g->nodes, 8 * g->weight_count));
    PEN_TRY(permute(&g->node_sizes, order, g->nodes, 8));
    PEN_TRY(permute(&g->labels, order, g->nodes, 8));
    PEN_TRY(permute(&g->name_begins, order, g->nodes, 8));
    PEN_TRY(permute(&g->part, order, g->nodes, sizeof *g->part));
    return permute(&g->coordinates, order, g->nodes, 8 * g->dimensions);
}

/* ---- The command ----------------------------------------------------------------------------- */

/* Find *losses, the properties that the target format cannot hold. */
static pen_status check_losses(const char *in, const graph_format *to, const choices *c, const file_graph *g,
                               unsigned *losses)
{
    char text[400];
    if (to == &pen_format_penumbra) PEN_TRY(pen_library_check_labels(g, in));
    PEN_TRY(pen_file_graph_losses(g, to->holds, losses));
    *losses &= ~(unsigned)HOLDS_TOLD;
    if (g->notes.loops || g->notes.conflicts || g->notes.values) {
        pen_words_tell_notes(g, in);
        if (!c->lossy)
            return pen_fail(PEN_ERR_INPUT, "%s: something is dropped, see above; --lossy orders the rest", in);
    }
    if (*losses == 0) return PEN_OK;
    pen_losses_text(*losses, text, sizeof text);
    if (!c->lossy)
        return pen_fail(PEN_ERR_INPUT, "%s: format %s cannot hold this: %s%s", in, to->name, text,
                        *losses & HOLDS_EMPTY ? "" : "; --lossy orders without");
    fprintf(stderr, "pen-graph: %s: dropped: %s\n", PEN_SHOWN(in), text);
    return PEN_OK;
}

static pen_status reorder(const char *in, const char *out, const choices *c, file_graph *g)
{
    const graph_format *to;
    unsigned losses = 0;
    PEN_TRY(pen_format_find(c->to, out, &to));
    PEN_TRY(pen_format_may_write(to, (const char *const[]){ out, c->map }, 2));
    const format_options options = { .directed = c->directed,
                                     .values = true,
                                     .reals = (to->holds & HOLDS_VALUES) != 0 };
    PEN_TRY(pen_words_read_graph(in, c->from, &options, g));
    if (g->nodes > INT32_MAX)
        return pen_fail(PEN_ERR_UNSUPPORTED, "%s: %" PRId64 " nodes, at most 2^31 - 1 can be ordered", in, g->nodes);
    if (c->map && g->names)
        return pen_fail(PEN_ERR_INPUT,
                        "%s: nodes have names, and --map is for numbers: convert it with --ids-to=FILE first", in);
    pen_lid *order;
    PEN_TRY(PEN_ALLOC(&order, g->nodes));
    pen_status status = find_order(g, c, order);
    if (status == PEN_OK) status = renumber(g, order);
    if (status == PEN_OK) status = check_losses(in, to, c, g, &losses);
    if (status == PEN_OK && c->map) status = pen_label_map_write(c->map, g, order);
    if (status == PEN_OK && losses) status = pen_file_graph_lose(g, to->holds, losses);
    if (status == PEN_OK) status = pen_format_write(to, g, out);
    free(order);
    return status;
}

static pen_status run(int argc, char **argv, int *exit_status)
{
    choices c = { .by = "rcm", .seed = 1 };
    const pen_option options[] = {
        { "by", "ORDER",
          "rcm (default): reverse Cuthill-McKee; hilbert: along a Hilbert curve; natural: by ids; random",
          PEN_OPTION_TEXT, &c.by, 0, 0 },
        { "seed", "N", "seed of the random order; default 1", PEN_OPTION_INT, &c.seed, 0, INT64_MAX },
        { "map", "FILE", "write the nodes' numbers, from 0 on, and their ids in IN to FILE", PEN_OPTION_TEXT, &c.map, 0,
          0 },
        { "from", "FORMAT", "format of IN; default: by its ending", PEN_OPTION_TEXT, &c.from, 0, 0 },
        { "to", "FORMAT", "format of OUT; default: by its ending", PEN_OPTION_TEXT, &c.to, 0, 0 },
        { "lossy", NULL, "drop data that OUT's format cannot hold, and list it", PEN_OPTION_FLAG, &c.lossy, 0, 0 },
        { "directed", NULL, "entries of IN are arcs", PEN_OPTION_FLAG, &c.directed, 0, 0 },
        { NULL, NULL, NULL, PEN_OPTION_FLAG, NULL, 0, 0 },
    };
    command_words line;
    PEN_TRY(pen_command_words(&pen_command_order, argc, argv, options, 2, 2, &line));
    if (line.help) return PEN_OK;
    PEN_TRY(pen_choose("order", c.by, orders, PEN_COUNT_OF(orders), &c.order));
    file_graph g = { 0 };
    pen_status status = reorder(line.words[0], line.words[1], &c, &g);
    pen_file_graph_free(&g);
    return status;
}

const command pen_command_order = { "order", "IN OUT", "Renumber the nodes so that neighbours are close", NULL, run };

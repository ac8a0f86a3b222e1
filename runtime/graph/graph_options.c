#include "graph/graph_options.h"
#include "base/options.h"

void pen_graph_options_start(pen_graph_options *o)
{
    *o = (pen_graph_options){ .dialect = "metis", .seed = 1 };
    const pen_option table[] = {
        { "graph", "FILE", "read a graph file: Chaco/METIS text or Penumbra binary", PEN_OPTION_TEXT, &o->graph, 0, 0 },
        { "grid", "WxH", "generate a field of hexagons", PEN_OPTION_TEXT, &o->grid, 0, 0 },
        { "nodes", "N", "generate a connected random graph of mean degree 6", PEN_OPTION_INT, &o->nodes, 1,
          INT64_C(1) << 62 },
        { "seed", "N", "seed of --nodes, and of random numbers in a run (1)", PEN_OPTION_INT, &o->seed, 0, INT64_MAX },
        { "generate", "KIND:SETTINGS", "generate a graph: hex, mesh, torus, tree, random, geometric, rmat",
          PEN_OPTION_TEXT, &o->generate, 0, 0 },
        { "directed", NULL, "neighbours are those that a node reads from; arcs need no reverse", PEN_OPTION_FLAG,
          &o->directed, 0, 0 },
        { "dialect", "NAME",
          "what a 1xx fmt in the file means: metis (vertex sizes, default) or chaco (vertex numbers)", PEN_OPTION_TEXT,
          &o->dialect, 0, 0 },
        { "load-weight", "K", "which of several vertex weights is the load, from 0 (0)", PEN_OPTION_INT,
          &o->load_weight, 0, INT32_MAX },
        { "save-graph", "FILE", "write the graph: binary where FILE ends in .pen, else METIS text", PEN_OPTION_TEXT,
          &o->save_graph, 0, 0 },
        { .name = NULL },
    };
    _Static_assert(sizeof table == sizeof o->table, "PEN_GRAPH_OPTION_COUNT options");
    memcpy(o->table, table, sizeof table);
    const pen_option own_table[] = {
        { "seed", "N", "seed of random numbers (1)", PEN_OPTION_INT, &o->seed, 0, INT64_MAX },
        { "save-graph", "FILE", "write the graph: binary where FILE ends in .pen, else METIS text", PEN_OPTION_TEXT,
          &o->save_graph, 0, 0 },
        { .name = NULL },
    };
    _Static_assert(sizeof own_table == sizeof o->own_table, "PEN_OWN_GRAPH_OPTION_COUNT options");
    memcpy(o->own_table, own_table, sizeof own_table);
}

bool pen_graph_options_named(const pen_graph_options *o) { return o->graph || o->grid || o->generate || o->nodes > 0; }

static pen_status parse_grid(const char *text, int64_t *width, int64_t *height)
{
    char digits[64];
    const char *second = pen_text_cut(text, 'x', digits, sizeof digits);
    if (!second || !pen_parse_int(digits, width) || !pen_parse_int(second, height) || *width < 1 || *height < 1)
        return pen_fail(PEN_ERR_INPUT, "--grid=%s: it is WIDTHxHEIGHT, both at least 1", text);
    return PEN_OK;
}

static pen_status read_graph(pen_comm *comm, const pen_graph_options *o, pen_graph **graph)
{
    char spec[128];
    if ((o->graph != NULL) + (o->grid != NULL) + (o->generate != NULL) + (o->nodes > 0) > 1)
        return pen_fail(PEN_ERR_INPUT, "give one of --graph, --grid, --nodes and --generate");
    if (o->grid) {
        int64_t width, height;
        PEN_TRY(parse_grid(o->grid, &width, &height));
        snprintf(spec, sizeof spec, "hex:%" PRId64 "x%" PRId64, width, height);
        return pen_graph_generate(comm->mpi, spec, graph);
    }
    if (o->nodes > 0) {
        snprintf(spec, sizeof spec, "random:nodes=%" PRId64 ",seed=%" PRId64, o->nodes, o->seed);
        return pen_graph_generate(comm->mpi, spec, graph);
    }
    if (o->generate) return pen_graph_generate(comm->mpi, o->generate, graph);
    if (!o->graph)
        return pen_fail(PEN_ERR_INPUT, "no graph: give --graph=FILE, --grid=WxH, --nodes=N or --generate=KIND");
    bool chaco = strcmp(o->dialect, "chaco") == 0;
    if (!chaco && strcmp(o->dialect, "metis") != 0)
        return pen_fail(PEN_ERR_INPUT, "--dialect=%s: it is metis or chaco", o->dialect);
    pen_read_options options = { .dialect = chaco ? PEN_DIALECT_CHACO : PEN_DIALECT_METIS,
                                 .directed = o->directed,
                                 .load_weight = (int)o->load_weight };
    return pen_graph_read(comm->mpi, o->graph, &options, graph);
}

pen_status pen_graph_options_save(const pen_graph_options *o, pen_graph *made, pen_graph **graph)
{
    pen_status status = o->save_graph ? pen_graph_write(made, o->save_graph) : PEN_OK;
    if (status == PEN_OK) *graph = made;
    else pen_graph_destroy(&made);
    return status;
}

pen_status pen_graph_options_read(pen_comm *comm, const pen_graph_options *o, pen_graph **graph)
{
    pen_graph *read = NULL;
    PEN_TRY(read_graph(comm, o, &read));
    return pen_graph_options_save(o, read, graph);
}

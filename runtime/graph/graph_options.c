/* graph_options.c - the options that name a graph, and reading the graph that they name. */
#include "graph/graph_options.h"
#include "base/memory.h"

#include <stdlib.h>

void pen_graph_options_start(pen_graph_options *o)
{
    *o = (pen_graph_options){ .graph = NULL };
    const pen_option table[] = {
        { "graph", "FILE[:SETTINGS]",
          "read a graph file, Chaco/METIS text or Penumbra binary; directed: a node's neighbours are those that it "
          "reads, and need not read it; chaco: a 1xx fmt means vertex numbers, not sizes; load=K: which of several "
          "vertex weights is the load, from 0 (0). A name with a colon in it ends with one",
          PEN_OPTION_TEXT, &o->graph, 0, 0 },
        { "generate", "KIND:SETTINGS", "generate a graph: hex, mesh, torus, tree, random, geometric, rmat",
          PEN_OPTION_TEXT, &o->generate, 0, 0 },
        { "save-graph", "FILE", "write the graph: binary where FILE ends in .pen, else METIS text", PEN_OPTION_TEXT,
          &o->save_graph, 0, 0 },
        { .name = NULL },
    };
    _Static_assert(sizeof table == sizeof o->table, "an entry each");
    memcpy(o->table, table, sizeof table);
    o->save = &o->table[PEN_COUNT_OF(table) - 2];
}

bool pen_graph_options_named(const pen_graph_options *o) { return o->graph || o->generate; }

/* Local. Split FILE[:SETTINGS] at its last colon. The path is a copy that the caller frees. */
static pen_status split_file(const char *text, char **path, pen_read_options *read)
{
    bool chaco = false, directed = false;
    int64_t load = 0;
    const pen_option settings[] = { { "directed", NULL, NULL, PEN_OPTION_FLAG, &directed, 0, 0 },
                                    { "chaco", NULL, NULL, PEN_OPTION_FLAG, &chaco, 0, 0 },
                                    { "load", "K", NULL, PEN_OPTION_INT, &load, 0, INT32_MAX },
                                    { .name = NULL } };
    char owner[256];
    snprintf(owner, sizeof owner, "--graph=%s", text);
    PEN_TRY(pen_copy_text(text, path));
    char *colon = strrchr(*path, ':');
    if (!colon) return PEN_OK;
    *colon = '\0';
    PEN_TRY(pen_settings_parse(owner, colon + 1, settings));
    *read = (pen_read_options){ .dialect = chaco ? PEN_DIALECT_CHACO : PEN_DIALECT_METIS,
                                .directed = directed,
                                .load_weight = (int)load };
    return PEN_OK;
}

static pen_status read_file(pen_comm *comm, const char *text, pen_graph **graph)
{
    pen_read_options options = { .dialect = PEN_DIALECT_METIS };
    char *path = NULL;
    pen_status status = pen_agree(comm, split_file(text, &path, &options));
    if (status == PEN_OK) status = pen_graph_read(comm->mpi, path, &options, graph);
    free(path);
    return status;
}

static pen_status read_graph(pen_comm *comm, const pen_graph_options *o, pen_graph **graph)
{
    if (o->graph && o->generate) return pen_fail(PEN_ERR_INPUT, "give --graph or --generate, not both");
    if (o->generate) return pen_graph_generate(comm->mpi, o->generate, graph);
    if (o->graph) return read_file(comm, o->graph, graph);
    return pen_fail(PEN_ERR_INPUT, "no graph: give --graph=FILE or --generate=KIND, as --generate=hex:8x8");
}

pen_status pen_graph_options_save(const pen_graph_options *o, pen_graph *made, pen_graph **graph)
{
    return pen_graph_finish(made, o->save_graph ? pen_graph_write(made, o->save_graph) : PEN_OK, graph);
}

pen_status pen_graph_options_read(pen_comm *comm, const pen_graph_options *o, pen_graph **graph)
{
    pen_graph *read = NULL;
    PEN_TRY(read_graph(comm, o, &read));
    return pen_graph_options_save(o, read, graph);
}

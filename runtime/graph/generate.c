/* generate.c - generators by name, and what they have in common. */
#include "graph/generate.h"
#include "base/memory.h"
#include "base/options.h"

#include <stdlib.h>

static const struct {
    const char *name, *settings, *summary;
    pen_generator_fn *generate;
} table[] = {
    { "hex", "WxH[,coordinates]", "a field of hexagons in offset rows, up to 6 neighbours", pen_generate_hex },
    { "mesh", "WxH[xD][,coordinates]", "a grid of 2 or 3 dimensions, up to 4 or 6 neighbours", pen_generate_mesh },
    { "torus", "WxH[xD][,coordinates]", "the same, with opposite sides joined", pen_generate_torus },
    { "tree", "nodes=N[,arity=K]", "a complete tree: every node but the last has K (2) children or none",
      pen_generate_tree },
    { "random", "nodes=N[,degree=D,seed=N]", "connected, of mean degree about D (6); seed 1", pen_generate_random },
    { "geometric", "nodes=N[,degree=D|radius=R,seed=N,coordinates]",
      "points in the unit square; neighbours are those within R,\n"
      "by default such that the mean degree is about D (6), less at the border; seed 1",
      pen_generate_geometric },
    { "rmat", "scale=S[,factor=F,a=A,b=B,c=C,seed=N]",
      "R-MAT: 2^S nodes; F (16) times as many edges drawn with probabilities\n"
      "A (0.57), B (0.19), C (0.19) and the rest of 1; loops and duplicates dropped; seed 1",
      pen_generate_rmat },
};

enum { COUNT = sizeof table / sizeof table[0] };

static pen_status generate(pen_graph *g, const pen_spec *spec)
{
    const char *names[COUNT];
    for (int i = 0; i < COUNT; i++) {
        if (strcmp(table[i].name, spec->name) == 0) return table[i].generate(g, spec->settings);
        names[i] = table[i].name;
    }
    return pen_unknown_name("generator", spec->name, names, COUNT);
}

pen_status pen_graph_generate(MPI_Comm comm, const char *spec, pen_graph **graph)
{
    PEN_ARGUMENT(spec, "spec is NULL");
    pen_graph *g;
    PEN_TRY(pen_graph_new(comm, &g));
    pen_spec cut = { NULL, NULL };
    pen_status status = pen_agree(g->comm, pen_spec_split(spec, &cut));
    if (status == PEN_OK) status = generate(g, &cut);
    pen_spec_free(&cut);
    return pen_generate_finish(g, status, graph);
}

void pen_generate_list(FILE *out)
{
    for (int i = 0; i < COUNT; i++) {
        fprintf(out, "%s:%s\n", table[i].name, table[i].settings);
        pen_settings_print(out, table[i].summary);
    }
}

/* ---- What they have in common --------------------------------------------------------------- */

pen_status pen_generate_sizes(const char *kind, char **settings, int least, int most, int64_t sizes[3], int *dimensions)
{
    char *text = *settings, *end = text + strcspn(text, ",");
    int n = 0;
    *settings = *end ? end + 1 : end;
    *end = '\0';
    sizes[0] = sizes[1] = sizes[2] = 1;
    for (const char *rest = text; rest; n++) {
        char digits[24];
        rest = pen_text_cut(rest, 'x', digits, sizeof digits);
        int64_t others = n < most ? sizes[0] * sizes[1] * sizes[2] : 0;
        if (n == most || !pen_parse_int(digits, &sizes[n]) || sizes[n] < 1 || sizes[n] > (INT64_C(1) << 62) / others)
            return pen_fail(PEN_ERR_INPUT,
                            "generator %s: sizes \"%s\", must be %s, each at least 1, product at most 2^62", kind, text,
                            most == 3 ? "WxH or WxHxD" : "WxH");
    }
    *dimensions = n;
    if (n < least) return pen_fail(PEN_ERR_INPUT, "generator %s: sizes \"%s\", must be WxH", kind, text);
    return PEN_OK;
}

pen_status pen_generate_block(pen_graph *g, int64_t nodes)
{
    g->nodes = nodes;
    g->dense = true;
    g->first = pen_block_begin(nodes, g->comm->size, g->comm->rank);
    PEN_TRY(pen_to_lid(pen_block_begin(nodes, g->comm->size, g->comm->rank + 1) - g->first, "nodes", &g->count));
    PEN_TRY(PEN_ALLOC(&g->rows, (int64_t)g->count + 1));
    g->rows[0] = 0;
    return PEN_OK;
}

pen_status pen_generate_send(pen_comm *comm, pen_status mine, int64_t count, const int *to, const void *records,
                             size_t size, pen_blocks *received)
{
    pen_blocks send = { 0 };
    if (mine == PEN_OK) mine = pen_blocks_group(count, to, records, size, &send, NULL);
    mine = pen_sparse_exchange(comm, mine, &send, received);
    pen_blocks_free(&send);
    return mine;
}

pen_status pen_generate_finish(pen_graph *g, pen_status status, pen_graph **graph)
{
    int64_t arcs = 0;
    status = pen_agree(g->comm, status);
    if (status == PEN_OK) status = pen_sum_int(g->comm, g->rows[g->count], &arcs);
    if (status != PEN_OK) {
        pen_graph_destroy(&g);
        return status;
    }
    g->edges = arcs / 2;
    *graph = g;
    return PEN_OK;
}

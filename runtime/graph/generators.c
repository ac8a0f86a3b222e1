/* generators.c - the table of generators, and pen_graph_generate. */
#include "graph/generators.h"
#include "base/numbers.h"
#include "base/options.h"
#include "graph/generate.h"

static const struct {
    const char *name, *settings, *summary;
    pen_generator_fn *generate;
} table[] = {
    { "hex", "WxH[,coordinates]", "a field of hexagons in offset rows, up to 6 neighbours", pen_generate_hex },
    { "mesh", "WxH[xD][,coordinates]", "a grid of 2 or 3 dimensions, up to 4 or 6 neighbours", pen_generate_mesh },
    { "torus", "WxH[xD][,coordinates]", "the same, with opposite sides joined", pen_generate_torus },
    { "tree", "nodes=N[,arity=K,coordinates]", "a complete tree: every node but the last has K (2) children or none",
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
    PEN_C_LOCALE;
    PEN_WITHIN("pen_graph_generate");
    pen_graph *g;
    PEN_TRY(pen_graph_new(comm, &g));
    pen_spec cut = { NULL, NULL };
    const pen_argument argument = { "generator", spec, 0 };
    pen_status status = spec ? pen_spec_split(spec, &cut) : pen_fail(PEN_ERR_ARGUMENT, "spec is NULL");
    status = pen_agree_equal(g->comm, status, &argument, 1);
    if (status == PEN_OK) status = generate(g, &cut);
    pen_spec_free(&cut);
    if (status == PEN_OK) pen_graph_came_from(g, "%s", spec);
    return pen_generate_finish(g, status, graph);
}

void pen_generators_list(FILE *out)
{
    for (int i = 0; i < COUNT; i++) {
        fprintf(out, "%s:%s\n", table[i].name, table[i].settings);
        pen_settings_print(out, table[i].summary);
    }
}

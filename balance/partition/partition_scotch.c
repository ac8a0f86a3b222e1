/* partition_scotch.c - the partitioner scotch. */
#include "base/memory.h"
#include "base/options.h"
#include "partition/partition.h"
#include "partition/scotch_call.h"
#include "partition/sequential.h"
#include "view/neighbors.h"

#include <stdlib.h>

/* Collective. Compute Scotch's communication cost (Pellegrini and Roman, HPCN 1996): *cost becomes the sum over all
 * edges (arcs if directed) of weight * distance between the processors of its ends' parts. part[i] in [0,
 * architecture->processors) for each local node. The sum must fit 62 bits. */
static pen_status dilation_cost(const pen_graph *graph, const pen_architecture *architecture, const int32_t *part,
                                int64_t *cost)
{
    int32_t *heads = NULL;
    int64_t mine = 0;
    /* A copy, since Scotch's function lacks const; the owned data does not change. */
    SCOTCH_Arch arch = architecture->scotch;
    SCOTCH_ArchDom *processors = NULL;
    pen_status status = pen_architecture_processors(architecture, &processors);
    if (status == PEN_OK) status = PEN_ALLOC(&heads, graph->rows[graph->count]);
    status = pen_neighbor_values(graph, status, part, heads);
    for (pen_lid i = 0; status == PEN_OK && i < graph->count; i++)
        for (int64_t j = graph->rows[i]; j < graph->rows[i + 1]; j++)
            if (heads[j] != part[i])
                mine += (graph->edge_weights ? graph->edge_weights[j] : 1) *
                        SCOTCH_archDomDist(&arch, &processors[part[i]], &processors[heads[j]]);
    PEN_FREE_ALL(processors, heads);
    PEN_TRY(status);
    PEN_TRY(pen_sum_int(graph->comm, mine, &mine));
    *cost = graph->directed ? mine : mine / 2;
    return PEN_OK;
}

static const char owner[] = "partitioner scotch";

static pen_status raise_loads(pen_serial_graph *s)
{
    int64_t total = 0, zeros = 0, scale;
    if (!s->loads) return PEN_OK;
    for (int32_t row = 0; row < s->nodes; row++) {
        total += s->loads[row];
        zeros += s->loads[row] == 0;
    }
    PEN_TRY(pen_scotch_scale(owner, total, zeros, &scale));
    for (int32_t row = 0; row < s->nodes; row++) s->loads[row] = pen_scotch_load(s->loads[row], scale);
    return PEN_OK;
}

typedef struct mapping {
    const pen_scotch_settings *settings;
    pen_architecture *architecture;
} mapping;

static pen_status divide(const void *wanted, pen_serial_graph *graph, const pen_machine *machine, int parts,
                         int32_t *part)
{
    const mapping *m = wanted;
    PEN_TRY(raise_loads(graph));
    return pen_scotch_call(owner, graph, m->settings, m->architecture, NULL, part);
}

static pen_status partition(const void *settings, const pen_graph *graph, const pen_machine *machine, int parts,
                            int32_t *part)
{
    mapping m = { settings, NULL };
    const char *name = m.settings->arch;
    if (name || !machine) PEN_TRY(pen_architecture_create(graph->comm, name, parts, &m.architecture));
    else PEN_TRY(pen_agree(graph->comm, pen_architecture_of_machine(machine, true, parts, &m.architecture)));
    pen_status status = pen_partition_sequentially(graph, owner, divide, &m, machine, parts, part);
    pen_architecture_destroy(&m.architecture);
    return status;
}

static const pen_setting settings[] = {
    { "arch", "TEXT|FILE", NULL,
      "the network as in Scotch's .tgt files: cmplt N, cmpltw N WEIGHT..., hcub D,\n"
      "           mesh2D X Y, mesh3D X Y Z, meshXD K SIZE..., torus2D, torus3D and torusXD likewise,\n"
      "           tleaf LEVELS SIZE LINK..., ltleaf, sub, deco, with one processor per part; or host: the\n           "
      "ranks, by the hosts, packages and shared caches that hwloc finds for them",
      PEN_OPTION_TEXT, offsetof(pen_scotch_settings, arch), 0, 0 },
    PEN_SCOTCH_SETTINGS,
    { .name = NULL },
};

const pen_partitioner pen_partitioner_scotch = {
    .name = "scotch",
    .summary = "Scotch: maps onto a network of processors; rank 0 gathers the graph",
    .settings = settings,
    .settings_size = sizeof(pen_scotch_settings),
    .of_graph = partition,
};

/* Collective. Like pen_partition_dilation, for a specification of scotch. */
static pen_status dilation(const pen_graph *graph, const char *text, int parts, const int32_t *part, int64_t *cost)
{
    void *parsed;
    pen_architecture *architecture = NULL;
    pen_status status = pen_settings_make(owner, text, settings, sizeof(pen_scotch_settings), NULL, &parsed);
    PEN_TRY(pen_agree(graph->comm, status));
    const char *name = ((const pen_scotch_settings *)parsed)->arch;
    if (name) status = pen_architecture_create(graph->comm, name, parts, &architecture);
    if (name && status == PEN_OK) status = dilation_cost(graph, architecture, part, cost);
    pen_architecture_destroy(&architecture);
    free(parsed);
    return status;
}

pen_status pen_partition_dilation(const pen_graph *graph, const char *spec, int parts, const int32_t *part,
                                  int64_t *cost)
{
    int64_t found = -1;
    pen_spec cut = { NULL, NULL };
    pen_status status = pen_agree(graph->comm, pen_spec_split(spec, &cut));
    if (status == PEN_OK && strcmp(cut.name, "scotch") == 0)
        status = dilation(graph, cut.settings, parts, part, &found);
    pen_spec_free(&cut);
    if (status == PEN_OK) *cost = found;
    return status;
}

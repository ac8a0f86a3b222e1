#include "balance/partitioners.h"
#include "balance/plugin.h"
#include "base/options.h"
#include "partition/partition.h"
#include "rebalance/balancers.h"
#include "view/check.h"
#include "view/peers.h"
#include "view/view.h"

/* ---- Those that see a graph as balancers do --------------------------------------------------- */

/* Collective. Failures are told by the partitioner's `name`. */
static pen_status carry_out(const char *name, const pen_partitioner *partitioner, char *settings,
                            const pen_graph *graph, const pen_machine *machine, int parts, int32_t *part)
{
    pen_load_view view;
    pen_mpi_peers peers;
    PEN_TRY(pen_load_view_of_graph(graph, true, &view));
    pen_load_view_set_machine(&view, graph->comm->rank, machine);
    pen_status status = pen_peers_begin(graph->comm, &peers);
    if (status == PEN_OK) {
        status = partitioner->partition(settings, &view, &peers.peers, parts, part);
        status = pen_peers_end(&peers, status, NULL);
    }
    pen_load_view_free(&view);
    bool named = strncmp(pen_error_message(), "partitioner ", strlen("partitioner ")) == 0;
    if (status == PEN_OK || named) return status;
    return pen_fail(status, "partitioner %s: %s", name, pen_error_message());
}

static pen_status partition_plugin(const char *path, const pen_graph *graph, char *settings, const pen_machine *machine,
                                   int parts, int32_t *part)
{
    pen_loaded_plugin *plugin = NULL;
    pen_status status = pen_plugin_open(path, &plugin);
    if (status == PEN_OK && !plugin->has_partitioner)
        status = pen_fail(PEN_ERR_INPUT, "plug-in %s has no partitioner", path);
    status = pen_agree(graph->comm, status);
    if (status == PEN_OK) status = carry_out(path, &plugin->partitioner, settings, graph, machine, parts, part);
    pen_plugin_close(&plugin);
    return status;
}

/* ---- By name ---------------------------------------------------------------------------------- */

static const struct {
    const char *name, *summary, *settings;
    pen_partitioner_fn *function;
    const pen_partitioner *partitioner; /* in place of a function: it sees the graph as balancers do */
} table[] = {
    { "metis", "METIS: few cut edges, equal loads; the graph's adjacency visits rank 0",
      "method=kway|recursive (kway; recursive below 32 nodes per part), objective=cut|volume (cut),\n"
      "ufactor=N (allowed imbalance in 1/1000; METIS's own), contiguous=yes|no (no), seed=N",
      pen_partition_metis, NULL },
    { "scotch", "Scotch: maps onto a network of processors; the graph's adjacency visits rank 0",
      "arch=TEXT|FILE (complete): the network as in Scotch's .tgt files: cmplt N, cmpltw N WEIGHT...,\n"
      "hcub D, mesh2D X Y, mesh3D X Y Z, meshXD K SIZE..., torus2D, torus3D and torusXD likewise,\n"
      "tleaf LEVELS SIZE LINK..., ltleaf, sub, deco; it must have as many processors as there are parts;\n"
      "host: the ranks, as hwloc sees the hosts, packages and shared caches that they are bound to\n"
      "seed=N (1), imbalance=R (0.01), strategy=default|quality|speed|balance|safety|recursive",
      pen_partition_scotch, NULL },
    { "ptscotch", "PT-Scotch: in parallel, no rank holds the graph; the result depends on the number of ranks",
      "seed=N (1), imbalance=R (0.01), strategy=default|quality|speed|balance|safety|recursive", pen_partition_ptscotch,
      NULL },
    { "minex", "MinEX: parts by the time of a step on a machine; the graph's adjacency visits rank 0",
      "ratio=R (1): time of a mean arc over a link of cost 1 / of a mean node, units: as they are, seed=N (1),\n"
      "throt=T (32), theta=X (0): how much of communication is hidden, cost=edge|rank (edge), coarsest=N (400)",
      NULL, &pen_partitioner_minex },
    { "pagrid", "a short longest time of a step on a machine; the graph's adjacency visits rank 0",
      "ratio=R (1): time of a mean arc over a link of cost 1 / of a mean node, units: as they are, seed=N (1)", NULL,
      &pen_partitioner_pagrid },
    { "block", "contiguous ranges of gids, cut by load", "", pen_partition_block, NULL },
    { "row", "bands of a grid's rows", "width=N, height=N: where the graph was not generated as a grid; one is enough",
      pen_partition_row, NULL },
    { "column", "bands of a grid's columns", "width=N, height=N: as for row", pen_partition_column, NULL },
    { "rect", "rectangles of a grid, as near to squares as the number of parts allows",
      "rows=N, columns=N: of parts; width=N, height=N: as for row", pen_partition_rect, NULL },
    { "gray", "tiles a grid by a hypercube's 2^k ranks in gray code; from 16 a hexagon and its neighbours are on seven",
      "width=N, height=N: as for row", pen_partition_gray, NULL },
    { "diffusive", "pieces, flows and exchange between neighbours, from where the nodes are; as many parts as ranks",
      "tolerance=X (0.02): how far loads may be from the mean, rounds=N (4): at most", NULL,
      &pen_partitioner_diffusive },
    { "rcb", "cuts space in two, and the halves again; needs coordinates, no rank sees all",
      "tolerance=X (0.01): how far loads may be from the mean; lines are straighter for it", NULL,
      &pen_partitioner_rcb },
    { "sfc", "cuts a curve through space (Hilbert); needs coordinates, no rank sees all",
      "tolerance=X (0.01): how far loads may be from the mean", NULL, &pen_partitioner_sfc },
    { "random", "a hash of the gid", "seed=N (1)", pen_partition_random, NULL },
    { "one", "all nodes on rank 0, for balancers that deal them out", "", pen_partition_one, NULL },
    { "file", "a METIS .part file: one part number per line, from 0", "PATH", pen_partition_file, NULL },
};

enum { COUNT = PEN_COUNT_OF(table) };

static pen_status partition_by_name(const pen_graph *graph, const pen_spec *spec, const pen_machine *machine, int parts,
                                    int32_t *part)
{
    const char *names[COUNT];
    for (int i = 0; i < COUNT; i++) {
        names[i] = table[i].name;
        if (strcmp(names[i], spec->name) != 0) continue;
        if (table[i].function) return table[i].function(graph, spec->settings, machine, parts, part);
        return carry_out(names[i], table[i].partitioner, spec->settings, graph, machine, parts, part);
    }
    return pen_plugin_unknown("partitioner", spec->name, names, COUNT);
}

static pen_status check_parts(const pen_graph *graph, const char *name, int parts, const int32_t *part)
{
    pen_lid i = pen_parts_check(graph->count, part, parts);
    if (i < 0) return PEN_OK;
    return pen_fail(PEN_ERR_INTERNAL, "partitioner %s: rank %d: node %" PRIgid " gets part %" PRId32 ", must be 0..%d",
                    name, graph->comm->rank, pen_graph_gid(graph, i), part[i], parts - 1);
}

pen_status pen_partition(const pen_graph *graph, const char *spec, const pen_machine *machine, int parts, int32_t *part)
{
    PEN_ARGUMENT(parts >= 1, "%d parts, must be at least 1", parts);
    PEN_ARGUMENT(!machine || machine->processors == parts, "%d parts for %" PRId32 " processors", parts,
                 machine->processors);
    pen_spec cut = { NULL, NULL };
    pen_status status = pen_agree(graph->comm, pen_spec_split(spec, &cut));
    if (status == PEN_OK) {
        if (pen_is_plugin(cut.name)) status = partition_plugin(cut.name, graph, cut.settings, machine, parts, part);
        else status = partition_by_name(graph, &cut, machine, parts, part);
        status = pen_agree(graph->comm, status == PEN_OK ? check_parts(graph, cut.name, parts, part) : status);
        /* What others' code does wrong is an input that is wrong. */
        if (status == PEN_ERR_INTERNAL && pen_is_plugin(cut.name)) status = PEN_ERR_INPUT;
    }
    pen_spec_free(&cut);
    return status;
}

void pen_partition_list(FILE *out)
{
    for (int i = 0; i < COUNT; i++) {
        fprintf(out, "%-9s %s\n", table[i].name, table[i].summary);
        pen_settings_print(out, table[i].settings);
    }
    fputs("PATH      a plug-in, a shared object with a slash in its name: ./mine.so[:settings]\n", out);
}

const char *pen_partition_name(int i) { return i < COUNT ? table[i].name : NULL; }

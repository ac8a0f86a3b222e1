/* partitioners.c - the list of partitioners. */
#include "balance/partitioners.h"
#include "balance/plugin.h"
#include "base/options.h"
#include "partition/partition.h"
#include "rebalance/balancers.h"
#include "view/check.h"
#include "view/peers.h"
#include "view/view.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static const pen_partitioner *const partitioners[] = {
    &pen_partitioner_metis,  &pen_partitioner_scotch, &pen_partitioner_ptscotch,  &pen_partitioner_minex,
    &pen_partitioner_pagrid, &pen_partitioner_block,  &pen_partitioner_row,       &pen_partitioner_column,
    &pen_partitioner_rect,   &pen_partitioner_gray,   &pen_partitioner_diffusive, &pen_partitioner_rcb,
    &pen_partitioner_sfc,    &pen_partitioner_random, &pen_partitioner_one,       &pen_partitioner_file,
};

enum { COUNT = PEN_COUNT_OF(partitioners), LONGEST_OWNER = 128 };

/* Collective. Call a partitioner that sees a graph as balancers do. */
static pen_status partition_view(const pen_partitioner *partitioner, const void *settings, const pen_graph *graph,
                                 const pen_machine *machine, int parts, int32_t *part)
{
    pen_load_view view;
    pen_mpi_peers peers;
    PEN_TRY(pen_load_view_of_graph(graph, true, &view));
    pen_load_view_set_machine(&view, graph->comm->rank, machine);
    for (pen_lid i = 0; i < graph->count; i++) part[i] = -1; /* no part, wherever the partitioner sets none */
    pen_status status = pen_peers_begin(graph->comm, &peers);
    if (status == PEN_OK) {
        status = partitioner->partition(settings, &view, &peers.peers, parts, part);
        status = pen_peers_end(&peers, status, NULL);
    }
    pen_load_view_free(&view);
    return status;
}

/* Collective. Call a partitioner; messages of failures begin with its `name`. */
static pen_status carry_out(const char *name, const pen_partitioner *partitioner, const char *text,
                            const pen_graph *graph, const pen_machine *machine, int parts, int32_t *part)
{
    char owner[LONGEST_OWNER];
    void *settings;
    snprintf(owner, sizeof owner, "partitioner %s", name);
    pen_status status = pen_settings_make(owner, text, partitioner->settings, partitioner->settings_size,
                                          partitioner->check, &settings);
    status = pen_agree(graph->comm, status);
    if (status == PEN_OK && partitioner->of_graph)
        status = partitioner->of_graph(settings, graph, machine, parts, part);
    else if (status == PEN_OK) status = partition_view(partitioner, settings, graph, machine, parts, part);
    free(settings);
    bool named = strncmp(pen_error_message(), "partitioner ", strlen("partitioner ")) == 0;
    if (status == PEN_OK || named) return status;
    return pen_fail(status, "%s: %s", owner, pen_error_message());
}

static pen_status partition_plugin(const char *path, const pen_graph *graph, const char *settings,
                                   const pen_machine *machine, int parts, int32_t *part)
{
    pen_loaded_plugin *plugin = NULL;
    pen_status status = pen_plugin_open(path, &plugin);
    if (status == PEN_OK && !plugin->table->partitioner)
        status = pen_fail(PEN_ERR_INPUT, "plug-in %s has no partitioner", path);
    status = pen_agree(graph->comm, status);
    if (status == PEN_OK) status = carry_out(path, plugin->table->partitioner, settings, graph, machine, parts, part);
    pen_plugin_close(&plugin);
    return status;
}

static pen_status partition_by_name(const pen_graph *graph, const pen_spec *spec, const pen_machine *machine, int parts,
                                    int32_t *part)
{
    const char *names[COUNT];
    for (int i = 0; i < COUNT; i++) {
        names[i] = partitioners[i]->name;
        if (strcmp(names[i], spec->name) != 0) continue;
        return carry_out(names[i], partitioners[i], spec->settings, graph, machine, parts, part);
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
        /* An error in a plug-in is wrong input, not a fault of the library. */
        if (status == PEN_ERR_INTERNAL && pen_is_plugin(cut.name)) status = PEN_ERR_INPUT;
    }
    pen_spec_free(&cut);
    return status;
}

PEN_PER_RANK double pen_partition_patience = 10.0, pen_partition_share = 0.5;

/* What METIS takes of nodes and arcs, measured with 1024x1024 hexagons in 64 and 1024 parts: seconds for each and the
 * root of the number of parts, and bytes, with those of the gathered graph. */
static const double SECONDS = 4.3e-9, BYTES = 24.0;

pen_status pen_partition_choose(const pen_graph *graph, int parts, const char **name)
{
    double items = (double)graph->count + (double)graph->rows[graph->count];
    PEN_TRY(pen_all_reduce(graph->comm, MPI_IN_PLACE, &items, 1, MPI_DOUBLE, MPI_SUM));
    const double seconds = items * SECONDS * sqrt(parts), bytes = items * BYTES;
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    int much = seconds > pen_partition_patience || bytes > pen_partition_share * memory;
    PEN_TRY(pen_broadcast(graph->comm, &much, (int)sizeof much, 0));
    *name = pen_partitioner_metis.name;
    if (!much || graph->comm->size == 1) return PEN_OK;
    if (graph->dimensions > 0 || graph->width > 0) *name = pen_partitioner_sfc.name;
    else if (!graph->directed && pen_ptscotch_built) *name = pen_partitioner_ptscotch.name;
    if (graph->comm->rank > 0) return PEN_OK;
    if (*name == pen_partitioner_metis.name)
        pen_warn("partitioner metis takes about %.0f s and %.1f GB on one rank: --partitioner=block takes neither",
                 seconds, bytes / 1e9);
    else
        pen_warn("partitioner %s, since metis would take about %.0f s and %.1f GB on one rank: --partitioner=metis or "
                 "=%s is without this line",
                 *name, seconds, bytes / 1e9, *name);
    return PEN_OK;
}

void pen_partition_list(FILE *out)
{
    for (int i = 0; i < COUNT; i++)
        pen_settings_list(out, partitioners[i]->name, partitioners[i]->summary, partitioners[i]->settings);
    fputs("PATH      a plug-in, a shared object with a slash and no colon in its name: ./mine.so[:settings]\n", out);
}

const char *pen_partition_name(int i) { return i < COUNT ? partitioners[i]->name : NULL; }

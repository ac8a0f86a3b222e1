/* through_view.c - partitioners that see a graph as balancers do: plug-ins, and diffusive. */
#include "balance/registry.h"
#include "base/memory.h"
#include "partition/partition.h"
#include "rebalance/balancers.h"
#include "view/peers.h"
#include "view/view.h"

static pen_status carry_out(const pen_partitioner *partitioner, const char *settings, const pen_graph *graph, int parts,
                            int32_t *part)
{
    pen_load_view view;
    pen_mpi_peers peers;
    PEN_TRY(pen_load_view_of_graph(graph, &view));
    pen_status status = pen_peers_begin(graph->comm, &peers);
    if (status == PEN_OK) {
        status = partitioner->partition(settings, &view, &peers.peers, parts, part);
        status = pen_peers_end(&peers, status, NULL);
    }
    pen_load_view_free(&view);
    return status;
}

pen_status pen_partition_diffusive(const pen_graph *graph, char *settings, int parts, int32_t *part)
{
    return carry_out(&pen_partitioner_diffusive, settings, graph, parts, part);
}

pen_status pen_partition_plugin(const char *path, const pen_graph *graph, const char *settings, int parts,
                                int32_t *part)
{
    void *object = NULL;
    const pen_plugin *plugin = NULL;
    pen_status status = pen_plugin_open(path, &object, &plugin);
    if (status == PEN_OK && !plugin->partitioner)
        status = pen_fail(PEN_ERR_INPUT, "plug-in %s has no partitioner", path);
    status = pen_agree(graph->comm, status);
    if (status == PEN_OK) status = carry_out(plugin->partitioner, settings, graph, parts, part);
    pen_plugin_close(object);
    return status;
}

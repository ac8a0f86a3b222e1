/* network.c - the links between the processors of a machine. */
#include "view/network.h"
#include "base/memory.h"

#include <stdlib.h>

static pen_link times(pen_link link, int64_t count)
{
    return (pen_link){ link.latency * (double)count, link.cost * (double)count };
}

/* The link in a torus, which takes the shorter way around in every dimension. */
static pen_link link_in_torus(const pen_network *n, int32_t from, int32_t to)
{
    int64_t hops = 0;
    for (int d = 0; d < n->levels; d++) {
        int32_t size = n->sizes[d], apart = abs(from % size - to % size);
        hops += apart < size - apart ? apart : size - apart;
        from /= size;
        to /= size;
    }
    return times(n->links[0], hops);
}

static pen_link link_in_tree(const pen_network *n, int32_t from, int32_t to)
{
    int level = n->levels - 1;
    for (; level > 0; level--) {
        from /= n->sizes[level];
        to /= n->sizes[level];
        if (from == to) break;
    }
    return n->links[level];
}

static pen_link find_link(const pen_machine *machine, int32_t from, int32_t to)
{
    const pen_network *n = pen_network_of(machine);
    if (from == to) return (pen_link){ 0.0, 0.0 };
    if (n->kind == PEN_NETWORK_TORUS) return link_in_torus(n, from, to);
    if (n->kind == PEN_NETWORK_TREE) return link_in_tree(n, from, to);
    return n->links[(int64_t)machine->clusters[from] * machine->cluster_count + machine->clusters[to]];
}

pen_status pen_network_create(const char *name, int64_t processors, int parts, pen_network_kind kind, int64_t links,
                              pen_network **network)
{
    if (processors < parts)
        return pen_fail(PEN_ERR_INPUT, "machine %s: it has %" PRId64 " processors, fewer than parts, %d", name,
                        processors, parts);
    if (processors == 0)
        return pen_fail(PEN_ERR_INPUT, "machine %s: it gives no number of processors, and no number of parts is given",
                        name);
    if (parts == 0) PEN_TRY(pen_to_int(processors, "processors", &parts));
    pen_network *n = NULL;
    double *speeds = NULL;
    int32_t *clusters = NULL;
    pen_status status = PEN_ALLOC_ZERO(&n, 1);
    if (status == PEN_OK) status = PEN_ALLOC(&n->links, links);
    if (status == PEN_OK) status = PEN_ALLOC(&speeds, parts);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&clusters, parts);
    if (status != PEN_OK) {
        if (n) free(n->links);
        PEN_FREE_ALL(n, speeds, clusters);
        return status;
    }
    for (int p = 0; p < parts; p++) speeds[p] = 1.0;
    n->kind = kind;
    n->machine = (pen_machine){
        .processors = parts, .speeds = speeds, .cluster_count = 1, .clusters = clusters, .link = find_link
    };
    *network = n;
    return PEN_OK;
}

pen_machine *pen_network_finish(pen_network *n)
{
    for (int32_t p = 0; p < n->machine.processors; p++) n->machine.total_speed += n->machine.speeds[p];
    return &n->machine;
}

pen_status pen_machine_of_clusters(const char *name, int32_t count, const int32_t *sizes, const double *speeds,
                                   const pen_link *inner, const pen_link *between, int parts, pen_machine **machine)
{
    pen_network *n;
    int64_t processors = 0;
    int32_t p = 0;
    for (int32_t c = 0; c < count; c++) processors += sizes[c];
    PEN_TRY(pen_network_create(name, processors, parts, PEN_NETWORK_TABLE, (int64_t)count * count, &n));
    double *speed = (double *)(uintptr_t)n->machine.speeds;
    int32_t *cluster = (int32_t *)(uintptr_t)n->machine.clusters;
    n->machine.cluster_count = count;
    for (int32_t c = 0; c < count; c++) {
        for (int32_t k = 0; k < sizes[c] && p < n->machine.processors; k++, p++) {
            speed[p] = speeds[c];
            cluster[p] = c;
        }
        for (int32_t d = 0; d < count; d++) {
            int32_t low = c < d ? c : d, high = c < d ? d : c;
            n->links[(int64_t)c * count + d] = c == d ? inner[c] : between[(int64_t)low * count + high];
        }
    }
    *machine = pen_network_finish(n);
    return PEN_OK;
}

void pen_network_destroy(pen_network *n)
{
    PEN_FREE_ALL((void *)(uintptr_t)n->machine.speeds, (void *)(uintptr_t)n->machine.clusters, n->links, n->names, n);
}

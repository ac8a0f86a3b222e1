#include "base/memory.h"
#include "base/options.h"
#include "base/text_file.h"
#include "view/network.h"

#include <errno.h>
#include <stdlib.h>

/* ---- What lies between ------------------------------------------------------------------------- */

static pen_link times(pen_link link, int64_t count)
{
    return (pen_link){ link.latency * (double)count, link.cost * (double)count };
}

/* Along every dimension the shorter way around. */
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
    const pen_network *n = (const pen_network *)(const void *)machine;
    if (from == to) return (pen_link){ 0.0, 0.0 };
    if (n->kind == PEN_NETWORK_TORUS) return link_in_torus(n, from, to);
    if (n->kind == PEN_NETWORK_TREE) return link_in_tree(n, from, to);
    return n->links[(int64_t)machine->clusters[from] * machine->cluster_count + machine->clusters[to]];
}

/* ---- Making ------------------------------------------------------------------------------------ */

pen_status pen_network_create(const char *name, int64_t processors, int parts, pen_network_kind kind, int64_t links,
                              pen_network **network)
{
    if (processors < parts)
        return pen_fail(PEN_ERR_INPUT, "machine %s: it has %" PRId64 " processors, fewer than parts, %d", name,
                        processors, parts);
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
        for (int32_t k = 0; k < sizes[c] && p < parts; k++, p++) {
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

void pen_machine_destroy(pen_machine **machine)
{
    if (!machine || !*machine) return;
    pen_network *n = (pen_network *)(void *)*machine;
    PEN_FREE_ALL((void *)(uintptr_t)n->machine.speeds, (void *)(uintptr_t)n->machine.clusters, n->links, n);
    *machine = NULL;
}

/* ---- By name or path --------------------------------------------------------------------------- */

static bool is_path(const char *spec)
{
    size_t name = strcspn(spec, ":,");
    return memchr(spec, '/', name) || memchr(spec, '.', name);
}

/* On rank 0. */
static pen_status read_text(const char *path, char **text)
{
    FILE *file = fopen(path, "r");
    if (!file) return pen_fail(PEN_ERR_IO, "machine %s: %s", path, strerror(errno));
    pen_status status = pen_text_read("machine", path, file, text);
    fclose(file);
    return status;
}

/* Collective. Ranks of one host are next to each other; what lies between two hosts costs more. */
static pen_status create_host(pen_comm *comm, const char *spec, int parts, pen_machine **machine)
{
    char settings[64];
    pen_link between = { 0.0, 10.0 };
    pen_network *n = NULL;
    const pen_option table[] = { { "between", "I", NULL, PEN_OPTION_REAL, &between.cost, 0, 0 }, { .name = NULL } };
    snprintf(settings, sizeof settings, "%s", spec + strcspn(spec, ",:"));
    pen_status status = pen_settings_parse("machine host", settings + (settings[0] != '\0'), table);
    if (status == PEN_OK && !(between.cost >= 0.0))
        status = pen_fail(PEN_ERR_INPUT, "machine host: between=%g, must be >= 0", between.cost);
    if (status == PEN_OK && parts != comm->size)
        status = pen_fail(PEN_ERR_INPUT, "machine host: it has the ranks for processors, %d, not %d", comm->size,
                          parts);
    if (status == PEN_OK && comm->hosts > PEN_MOST_CLUSTERS)
        status = pen_fail(PEN_ERR_UNSUPPORTED, "machine host: %d hosts, at most %d", comm->hosts, PEN_MOST_CLUSTERS);
    if (status == PEN_OK)
        status = pen_network_create("host", parts, parts, PEN_NETWORK_TABLE, (int64_t)comm->hosts * comm->hosts, &n);
    PEN_TRY(pen_agree(comm, status));
    int32_t *hosts = (int32_t *)(uintptr_t)n->machine.clusters;
    hosts[comm->rank] = comm->host_number;
    n->machine.cluster_count = comm->hosts;
    for (int64_t k = 0; k < (int64_t)comm->hosts * comm->hosts; k++)
        n->links[k] = k / comm->hosts == k % comm->hosts ? (pen_link){ 0.0, 1.0 } : between;
    *machine = pen_network_finish(n);
    PEN_MPI(MPI_Allgather(MPI_IN_PLACE, 1, MPI_INT32_T, hosts, 1, MPI_INT32_T, comm->mpi));
    return PEN_OK;
}

static bool is_host(const char *spec) { return strncmp(spec, "host", 4) == 0 && strcspn(spec, ",:") == 4; }

pen_status pen_machine_create(pen_comm *comm, const char *spec, int parts, pen_machine **machine)
{
    char *text = NULL;
    pen_machine *made = NULL;
    bool path = is_path(spec);
    if (is_host(spec)) return create_host(comm, spec, parts, machine);
    pen_status status = pen_agree(comm, path && comm->rank == 0 ? read_text(spec, &text) : PEN_OK);
    if (status == PEN_OK && path) status = pen_text_distribute(comm, &text);
    if (status == PEN_OK)
        status = pen_agree(comm, path ? pen_machine_parse(spec, text, parts, &made)
                                      : pen_machine_generate(spec, parts, &made));
    free(text);
    if (status == PEN_OK) *machine = made;
    else pen_machine_destroy(&made);
    return status;
}

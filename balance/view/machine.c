/* machine.c - creates machines by their names. */
#include "view/machine.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/text_file.h"
#include "view/network.h"
#include "view/topology.h"

#include <math.h>
#include <penumbra_plugin.h>
#include <stdlib.h>

/* Whether the name is "host", with any settings. */
static bool machine_is_host(const char *spec) { return strncmp(spec, "host", 4) == 0 && strcspn(spec, ",:") == 4; }

typedef struct costs {
    double between, packages; /* costs between two hosts, and between two packages of a host */
} costs;

static pen_status parse(const char *spec, costs *c)
{
    char settings[96];
    const char *given = spec + strcspn(spec, ",:");
    *c = (costs){ .between = 10.0, .packages = 2.0 };
    const pen_option table[] = { { "between", "I", NULL, PEN_OPTION_REAL, &c->between, 0, 0 },
                                 { "packages", "J", NULL, PEN_OPTION_REAL, &c->packages, 0, 0 },
                                 { .name = NULL } };
    if (strlen(given) >= sizeof settings)
        return pen_fail(PEN_ERR_INPUT, "machine host: settings of more than %zu bytes", sizeof settings - 1);
    memcpy(settings, given, strlen(given) + 1);
    PEN_TRY(pen_settings_parse("machine host", settings + (settings[0] != '\0'), table));
    if (fmin(c->between, c->packages) >= 0.0 && fmax(c->between, c->packages) <= PEN_MOST_MEASURE) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "machine host: between=%g and packages=%g must be >= 0, at most 1e290", c->between,
                    c->packages);
}

static bool is_one_cluster(const pen_seat *a, const pen_seat *b)
{
    return a->host == b->host && a->binding.package == b->binding.package &&
           a->binding.numa_node == b->binding.numa_node;
}

/* Number the different places in the order in which they first occur; first[c] becomes the first rank of cluster c. */
static pen_status number_places(int ranks, const pen_seat *seats, int32_t *clusters, int32_t *first, int32_t *count)
{
    *count = 0;
    for (int r = 0; r < ranks; r++) {
        int32_t c = 0;
        while (c < *count && !is_one_cluster(&seats[first[c]], &seats[r])) c++;
        if (c == PEN_MOST_CLUSTERS)
            return pen_fail(PEN_ERR_UNSUPPORTED, "machine host: ranks are in more than %d places", PEN_MOST_CLUSTERS);
        if (c == *count) first[(*count)++] = r;
        clusters[r] = c;
    }
    return PEN_OK;
}

static double cost_between(const costs *c, const pen_seat *seats, int32_t a, int32_t b)
{
    if (a == b) return 1.0;
    return seats[a].host != seats[b].host ? c->between : c->packages;
}

static pen_status make(int ranks, const pen_seat *seats, const costs *c, pen_machine **machine)
{
    int32_t *clusters, first[PEN_MOST_CLUSTERS], count;
    pen_network *n = NULL;
    PEN_TRY(PEN_ALLOC(&clusters, ranks));
    pen_status status = number_places(ranks, seats, clusters, first, &count);
    if (status == PEN_OK)
        status = pen_network_create("host", ranks, ranks, PEN_NETWORK_TABLE, (int64_t)count * count, &n);
    if (status == PEN_OK) {
        memcpy((void *)(uintptr_t)n->machine.clusters, clusters, (size_t)ranks * sizeof *clusters);
        n->machine.cluster_count = count;
        for (int64_t k = 0; k < (int64_t)count * count; k++)
            n->links[k] = (pen_link){ 0.0, cost_between(c, seats, first[k / count], first[k % count]) };
        *machine = pen_network_finish(n);
    }
    free(clusters);
    return status;
}

/* Collective. Create the machine of the ranks' hosts for `parts` parts, which must be the number of ranks, or 0.
 * Clusters are numbered by their lowest ranks, so a cluster has the number of its host if each host is one.
 * PEN_ERR_INPUT (bad settings, other parts), PEN_ERR_UNSUPPORTED (more than PEN_MOST_CLUSTERS clusters),
 * PEN_ERR_MEMORY, PEN_ERR_MPI. */
static pen_status machine_of_host(pen_comm *comm, const char *spec, int parts, pen_machine **machine)
{
    costs c;
    pen_seat *seats = NULL;
    pen_machine *made = NULL;
    pen_status status = parse(spec, &c);
    if (status == PEN_OK && parts > 0 && parts != comm->size)
        status = pen_fail(PEN_ERR_INPUT, "machine host: its processors are the ranks, %d, not %d", comm->size, parts);
    status = pen_agree(comm, status);
    if (status == PEN_OK) status = pen_topology_seats(comm, &seats);
    if (status == PEN_OK) status = pen_agree(comm, make(comm->size, seats, &c, &made));
    free(seats);
    if (status == PEN_OK) *machine = made;
    else if (made) pen_network_destroy((pen_network *)(void *)made);
    return status;
}

void pen_machine_destroy(pen_machine **machine)
{
    if (!machine || !*machine) return;
    pen_network_destroy((pen_network *)(void *)*machine);
    *machine = NULL;
}

static bool is_path(const char *spec)
{
    size_t name = strcspn(spec, ":,");
    return memchr(spec, '/', name) || memchr(spec, '.', name);
}

pen_status pen_machine_create(pen_comm *comm, const char *spec, int parts, pen_machine **machine)
{
    char *text = NULL;
    pen_machine *made = NULL;
    bool path = is_path(spec);
    if (machine_is_host(spec)) return machine_of_host(comm, spec, parts, machine);
    pen_status status = path ? pen_text_load(comm, "machine", spec, &text) : PEN_OK;
    if (status == PEN_OK)
        status = pen_agree(comm, path ? pen_machine_parse(spec, text, parts, &made)
                                      : pen_machine_generate(spec, parts, &made));
    free(text);
    if (status == PEN_OK) *machine = made;
    else pen_machine_destroy(&made);
    return status;
}

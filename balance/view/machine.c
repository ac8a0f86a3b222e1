#include "view/machine.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/text_file.h"
#include "view/network.h"

#include <errno.h>
#include <stdlib.h>

void pen_machine_destroy(pen_machine **machine)
{
    if (!machine || !*machine) return;
    pen_network_destroy((pen_network *)(void *)*machine);
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
    status = pen_agree(comm, status);
    if (status != PEN_OK) {
        if (n) pen_network_destroy(n);
        return status;
    }
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

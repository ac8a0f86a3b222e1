/* topology.c - describes and judges the placement of ranks. */
#include "view/topology.h"
#include "base/affinity.h"
#include "base/memory.h"

#include <stdlib.h>
#include <unistd.h>

pen_status pen_topology_seats(pen_comm *comm, pen_seat **seats)
{
    const pen_seat mine = { comm->host_number, pen_binding_find() };
    int words = (int)(sizeof mine / sizeof(int32_t));
    pen_seat *all = NULL;
    pen_status status = pen_agree(comm, PEN_ALLOC(&all, comm->size));
    if (status == PEN_OK) {
        int code = PEN_MARKED(MPI_Allgather(&mine, words, MPI_INT32_T, all, words, MPI_INT32_T, comm->mpi));
        status = pen_agree(comm, code == MPI_SUCCESS ? PEN_OK : pen_fail_mpi(code, "MPI_Allgather"));
    }
    if (status == PEN_OK) *seats = all;
    else free(all);
    return status;
}

enum { WORDS = 200 };

typedef struct description {
    int32_t host;
    char name[64], machine[WORDS], binding[WORDS];
} description;

static void name_host(char *name, size_t size)
{
    if (gethostname(name, size) != 0) snprintf(name, size, "host");
    name[size - 1] = '\0';
}

/* Print the ranks `from` .. `to`, which have the same binding. */
static void print_ranks(const description *d, int from, int to, FILE *out)
{
    const char *binding = d->binding[0] ? d->binding : "its binding is unknown";
    if (from == to) fprintf(out, "topology    rank %d on %s: %s\n", from, d->name, binding);
    else fprintf(out, "topology    ranks %d to %d on %s: %s\n", from, to, d->name, binding);
}

static void print_all(const pen_comm *comm, const description *all, FILE *out)
{
    int32_t hosts = 0;
    for (int r = 0; r < comm->size; r++) {
        if (all[r].host != hosts) continue; /* hosts are numbered by their lowest ranks */
        hosts++;
        fprintf(out, "topology    host %s: %s\n", all[r].name,
                all[r].machine[0] ? all[r].machine : "this build has no hwloc, which sees packages and cores");
    }
    for (int from = 0, to; from < comm->size && *pen_binding_version(); from = to + 1) {
        to = from;
        while (to + 1 < comm->size && all[to + 1].host == all[from].host &&
               strcmp(all[to + 1].binding, all[from].binding) == 0)
            to++;
        print_ranks(&all[from], from, to, out);
    }
}

pen_status pen_topology_explain(pen_comm *comm, FILE *out)
{
    description mine = { .host = comm->host_number }, *all = NULL;
    name_host(mine.name, sizeof mine.name);
    pen_binding_describe(mine.binding, mine.machine, WORDS);
    PEN_TRY(pen_agree(comm, comm->rank == 0 ? PEN_ALLOC(&all, comm->size) : PEN_OK));
    int bytes = (int)sizeof mine;
    int code = PEN_MARKED(MPI_Gather(&mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, 0, comm->mpi));
    pen_status status = pen_agree(comm, code == MPI_SUCCESS ? PEN_OK : pen_fail_mpi(code, "MPI_Gather"));
    if (status == PEN_OK && comm->rank == 0) print_all(comm, all, out);
    free(all);
    return status;
}

/* Whether two ranks may run on the same processors, although there is a processor for each rank. */
static bool is_suspect(const unsigned char *masks, int ranks)
{
    unsigned char all[PEN_AFFINITY_BYTES] = { 0 };
    for (int r = 0; r < ranks; r++)
        for (int i = 0; i < PEN_AFFINITY_BYTES; i++)
            all[i] = (unsigned char)(all[i] | masks[(size_t)r * PEN_AFFINITY_BYTES + (size_t)i]);
    int used = pen_affinity_count(all);
    if (ranks > used && sysconf(_SC_NPROCESSORS_ONLN) <= used) return false;
    for (int r = 1; r < ranks; r++)
        for (int q = 0; q < r; q++)
            if (memcmp(masks + (size_t)q * PEN_AFFINITY_BYTES, masks + (size_t)r * PEN_AFFINITY_BYTES,
                       PEN_AFFINITY_BYTES) == 0)
                return true;
    return false;
}

static void say(const pen_crowding *c, char sentence[PEN_ADVICE])
{
    static const char remedy[] =
        "bind each to a core of its own, as mpirun --bind-to core does (--comm=:explain says more)";
    char host[64];
    name_host(host, sizeof host);
    if (c->sharing > 0)
        snprintf(sentence, PEN_ADVICE, "%d ranks on %s share %d core%s, and %d %s free: %s", (int)c->sharing, host,
                 (int)c->shared, c->shared == 1 ? "" : "s", (int)c->free, c->free == 1 ? "is" : "are", remedy);
    else if (c->unbound > 0)
        snprintf(sentence, PEN_ADVICE, "%d ranks on %s are not bound, and may be moved between its %d %s: %s",
                 (int)c->unbound, host, (int)(c->packages > 1 ? c->packages : c->numa_nodes),
                 c->packages > 1 ? "packages" : "NUMA nodes", remedy);
}

/* Judge the ranks of this host; only the lowest one may get a sentence. */
static pen_status look(pen_comm *comm, char sentence[PEN_ADVICE])
{
    unsigned char mine[PEN_AFFINITY_BYTES], *masks = NULL;
    bool first = comm->host_rank == 0;
    pen_crowding found;
    pen_affinity_mine(mine);
    pen_status status = first ? PEN_ALLOC(&masks, (int64_t)comm->host_size * PEN_AFFINITY_BYTES) : PEN_OK;
    status = pen_agree(comm, status);
    if (status == PEN_OK) {
        int code = PEN_MARKED(
            MPI_Gather(mine, PEN_AFFINITY_BYTES, MPI_BYTE, masks, PEN_AFFINITY_BYTES, MPI_BYTE, 0, comm->host));
        status = code == MPI_SUCCESS ? PEN_OK : pen_fail_mpi(code, "MPI_Gather");
    }
    if (status == PEN_OK && first && is_suspect(masks, comm->host_size) &&
        pen_binding_judge(masks, comm->host_size, &found))
        say(&found, sentence);
    free(masks);
    return pen_agree(comm, status);
}

pen_status pen_topology_advise(pen_comm *comm, char sentence[PEN_ADVICE])
{
    sentence[0] = '\0';
    if (*pen_binding_version() == '\0') return PEN_OK;
    PEN_TRY(look(comm, sentence));
    int64_t mine = sentence[0] ? comm->size - comm->rank : 0, most;
    PEN_TRY(pen_max_int(comm, mine, &most));
    if (most > 0) PEN_TRY(pen_broadcast(comm, sentence, PEN_ADVICE, comm->size - (int)most));
    return PEN_OK;
}

/* machine_host_test.c - the machine that ranks are on: a pretended host of two packages, or NUMA nodes, which ranks are
 * bound to in turn, every third one to both. */
#define _GNU_SOURCE /* sched_setaffinity */
#include "base/comm.h"
#include "tests/support/check.h"
#include "view/machine.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* Whether this process may, and now does, run on these processors alone. */
static bool bind_to(int first, int last)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (size_t cpu = (size_t)first; cpu <= (size_t)last; cpu++) CPU_SET(cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0 && sched_getaffinity(0, sizeof set, &set) == 0 &&
           CPU_COUNT(&set) == last - first + 1;
}

static void test_bound(pen_comm *comm, const char *host, const char *spec, double between_parts)
{
    pen_machine *m = NULL;
    setenv("HWLOC_SYNTHETIC", host, 1);
    CHECK_STATUS(pen_machine_create(comm, spec, comm->size, &m), PEN_OK);
    CHECK_INT(m->cluster_count, comm->size < 3 ? comm->size : 3);
    for (int p = 0; p < comm->size; p++) {
        CHECK_INT(m->clusters[p], p % 3);
        for (int q = 0; q < comm->size; q++) CHECK(m->link(m, p, q).cost == (p % 3 == q % 3 ? p != q : between_parts));
    }
    pen_machine_destroy(&m);
}

/* Equal on all ranks, and known: a single host, and one of which hwloc sees nothing. */
static void test_whole(pen_comm *comm, const char *host)
{
    pen_machine *m = NULL;
    setenv("HWLOC_SYNTHETIC", host, 1);
    CHECK_STATUS(pen_machine_create(comm, "host", comm->size, &m), PEN_OK);
    CHECK_INT(m->cluster_count, 1);
    pen_machine_destroy(&m);
}

static void test_refused(pen_comm *comm)
{
    pen_machine *m = NULL;
    CHECK_STATUS(pen_machine_create(comm, "host,packages=-1", comm->size, &m), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "packages=-1 must be >= 0");
    CHECK_STATUS(pen_machine_create(comm, "host,between=-1", comm->size, &m), PEN_ERR_INPUT);
    CHECK_STATUS(pen_machine_create(comm, "host,between=1e308", comm->size, &m), PEN_ERR_INPUT);
    char spec[200];
    snprintf(spec, sizeof spec, "host,between=%0120d", 4);
    CHECK_STATUS(pen_machine_create(comm, spec, comm->size, &m), PEN_ERR_INPUT);
    CHECK_STATUS(pen_machine_create(comm, "host", comm->size + 1, &m), PEN_ERR_INPUT);
    CHECK(m == NULL);
}

int main(int argc, char **argv)
{
    pen_comm *comm = NULL;
    pen_environment_prepare();
    MPI_Init(&argc, &argv);
    CHECK_STATUS(pen_comm_create(MPI_COMM_WORLD, &comm), PEN_OK);
    static const int first[] = { 0, 1, 0 }, last[] = { 0, 1, 1 };
    int mine = bind_to(first[comm->rank % 3], last[comm->rank % 3]), all;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (all) {
        setenv("HWLOC_THISSYSTEM", "1", 1);
        RUN(test_bound(comm, "package:2 core:1 pu:1", "host", 2.0));
        RUN(test_bound(comm, "numa:2 core:1 pu:1", "host,packages=3.5", 3.5));
        RUN(test_whole(comm, "package:1 core:2 pu:1"));
        unsetenv("HWLOC_THISSYSTEM");
        RUN(test_whole(comm, "package:2 core:1 pu:1"));
        RUN(test_refused(comm));
    } else if (comm->rank == 0) {
        check_leave_out("ranks cannot be bound to processors 0 and 1");
    }
    pen_comm_destroy(&comm);
    int failed = check_finish();
    return all ? failed : 77;
}

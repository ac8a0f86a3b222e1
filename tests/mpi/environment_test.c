/* environment_test.c - the probe finds the kind of window that its caller expects here, for all ranks
 * together and for both halves of them at once, and a window of the real size then works; or it finds
 * none, and the reason has the given text.
 *
 *     environment_test ALL HALF BYTES [TEXT]      ALL, HALF: shared, allocated, none, any, - to omit
 *
 * environment_test.sh launches it in every situation that is known to be awkward. */
#include "base/environment.h"
#include "tests/support/check.h"

static void use_window(pen_comm *comm, pen_window_kind kind, MPI_Aint bytes)
{
    MPI_Win window;
    unsigned char *base = NULL, found = 255;
    int code = kind == PEN_WINDOW_SHARED ? MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, comm->mpi, &base, &window)
                                         : MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, comm->mpi, &base, &window);
    CHECK_INT(code, MPI_SUCCESS);
    if (code != MPI_SUCCESS) return;
    memset(base, comm->rank, (size_t)bytes);
    int next = (comm->rank + 1) % comm->size;
    MPI_Win_fence(0, window);
    MPI_Get(&found, 1, MPI_BYTE, next, bytes - 1, 1, MPI_BYTE, window);
    MPI_Win_fence(0, window);
    CHECK_INT(found, next);
    MPI_Win_free(&window);
}

static void probe(MPI_Comm mpi, const char *expected, MPI_Aint bytes, const char *text)
{
    static const char *const names[] = { "none", "shared", "allocated", "hosts" };
    pen_comm *comm;
    pen_window_kind kind = PEN_WINDOW_NONE;
    CHECK_STATUS(pen_comm_create(mpi, &comm), PEN_OK);
    CHECK_STATUS(pen_environment_probe(comm, bytes, false, &kind), PEN_OK);
    if (strcmp(expected, "any") != 0 && strcmp(names[kind], expected) != 0) {
        fprintf(stderr, "rank %d: found %s (%s), expected %s\n", comm->rank, names[kind], pen_environment_reason(),
                expected);
        check_failures++;
    }
    if (kind == PEN_WINDOW_NONE) CHECK_CONTAINS(pen_environment_reason(), text);
    else CHECK_CONTAINS("", pen_environment_reason());
    if (kind != PEN_WINDOW_NONE) use_window(comm, kind, bytes);
    kind = PEN_WINDOW_SHARED;
    CHECK_STATUS(pen_environment_probe(comm, comm->rank == comm->size - 1 ? -1 : 1, false, &kind), PEN_ERR_ARGUMENT);
    CHECK_INT(kind, PEN_WINDOW_SHARED);
    pen_comm_destroy(&comm);
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: environment_test ALL HALF BYTES [TEXT]\n");
        return 2;
    }
    pen_environment_prepare();
    MPI_Init(&argc, &argv);
    const char *text = argc > 4 ? argv[4] : "";
    MPI_Aint bytes = (MPI_Aint)strtoll(argv[3], NULL, 10);
    probe(MPI_COMM_WORLD, argv[1], bytes, text);
    /* Takes milliseconds, or minutes if ranks spin on cores that others need. */
    for (int i = 0; i < 2000; i++) MPI_Barrier(MPI_COMM_WORLD);

    MPI_Comm half;
    int rank = check_rank(), size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2, rank, &half);
    if (strcmp(argv[2], "-") != 0) probe(half, argv[2], bytes, text);
    MPI_Comm_free(&half);
    return check_finish();
}

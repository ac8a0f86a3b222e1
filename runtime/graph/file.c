/* file.c - graph files of both formats: which one it is. */
#include "base/abi.h"
#include "base/compress.h"
#include "base/numbers.h"
#include "graph/binary.h"
#include "graph/chaco.h"
#include "graph/foreign.h"

/* A file that is refused may be one of another format: rank 0 looks. */
static pen_status read_text(MPI_Comm comm, int rank, const char *path, const pen_read_options *options,
                            pen_graph **graph)
{
    char hint[512] = "";
    pen_status status = pen_chaco_read(comm, path, options, graph);
    if (status != PEN_ERR_INPUT) return status;
    if (rank == 0) pen_foreign_hint(path, hint, sizeof hint);
    PEN_MPI(MPI_Bcast(hint, (int)sizeof hint, MPI_CHAR, 0, comm));
    return pen_fail(status, "%s%s", pen_error_message(), hint);
}

pen_status pen_graph_read_abi(const pen_abi *abi, MPI_Comm comm, const char *path, const pen_read_options *theirs,
                              pen_graph **graph)
{
    PEN_C_LOCALE;
    PEN_WITHIN("pen_graph_read");
    pen_read_options options = { .dialect = PEN_DIALECT_METIS };
    PEN_TRY(pen_mpi_ready());
    PEN_ARGUMENT(comm != MPI_COMM_NULL, "the communicator is MPI_COMM_NULL");
    if (theirs) PEN_TRY(pen_adopt("pen_read_options", theirs, pen_abi_of(abi).read_options, &options, sizeof options));
    int rank, mine[2] = { !path || !graph, 0 }, any[2];
    PEN_MPI(MPI_Comm_rank(comm, &rank));
    if (rank == 0 && path)
        mine[1] = pen_binary_recognise(path); /* a file that cannot be read is its reader's business */
    PEN_MPI(MPI_Allreduce(mine, any, 2, MPI_INT, MPI_MAX, comm));
    PEN_ARGUMENT(!any[0], "the path, or the pointer to the graph, is NULL");
    PEN_TRY(any[1] ? pen_binary_read(comm, path, &options, graph) : read_text(comm, rank, path, &options, graph));
    pen_graph_came_from(*graph, "%s", path);
    return PEN_OK;
}

pen_status pen_graph_check_path(const char *path)
{
    if (!pen_path_is_compressed(path)) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "%s: graphs are written without compression: pen-graph convert compresses them",
                    path);
}

pen_status pen_graph_write(const pen_graph *graph, const char *path)
{
    PEN_C_LOCALE;
    PEN_WITHIN("pen_graph_write");
    PEN_ARGUMENT(graph, "pen_graph_write: the graph is NULL");
    PEN_TRY(pen_mpi_ready());
    const pen_status mine = path ? pen_graph_check_path(path) : pen_fail(PEN_ERR_ARGUMENT, "path is NULL");
    PEN_TRY(pen_agree_equal(graph->comm, mine, &(pen_argument){ "path", path, 0 }, 1));
    size_t length = strlen(path);
    bool binary = length >= 4 && strcmp(path + length - 4, ".pen") == 0;
    return binary ? pen_binary_write(graph, path) : pen_chaco_write(graph, path);
}

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
    PEN_ARGUMENT(path, "path is NULL");
    if (theirs) PEN_TRY(pen_adopt("pen_read_options", theirs, pen_abi_of(abi).read_options, &options, sizeof options));
    int rank, binary = 0;
    PEN_MPI(MPI_Comm_rank(comm, &rank));
    if (rank == 0) binary = pen_binary_recognise(path); /* a file that cannot be read is its reader's business */
    PEN_MPI(MPI_Bcast(&binary, 1, MPI_INT, 0, comm));
    PEN_TRY(binary ? pen_binary_read(comm, path, &options, graph) : read_text(comm, rank, path, &options, graph));
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
    PEN_ARGUMENT(graph && path, "graph and path must not be NULL");
    PEN_TRY(pen_mpi_ready());
    PEN_TRY(pen_agree_equal(graph->comm, pen_graph_check_path(path), &(pen_argument){ "path", path, 0 }, 1));
    size_t length = strlen(path);
    bool binary = length >= 4 && strcmp(path + length - 4, ".pen") == 0;
    return binary ? pen_binary_write(graph, path) : pen_chaco_write(graph, path);
}

/* file.c - graph files of both formats: which one it is. */
#include "graph/binary.h"
#include "graph/chaco.h"

pen_status pen_graph_read(MPI_Comm comm, const char *path, const pen_read_options *options, pen_graph **graph)
{
    static const pen_read_options defaults = { .dialect = PEN_DIALECT_METIS };
    PEN_ARGUMENT(path, "path is NULL");
    int rank, binary = 0;
    PEN_MPI(MPI_Comm_rank(comm, &rank));
    if (rank == 0) binary = pen_binary_recognise(path); /* a file that cannot be read is its reader's business */
    PEN_MPI(MPI_Bcast(&binary, 1, MPI_INT, 0, comm));
    if (!options) options = &defaults;
    return binary ? pen_binary_read(comm, path, options, graph) : pen_chaco_read(comm, path, options, graph);
}

pen_status pen_graph_write(const pen_graph *graph, const char *path)
{
    PEN_ARGUMENT(graph && path, "graph and path must not be NULL");
    size_t length = strlen(path);
    bool binary = length >= 4 && strcmp(path + length - 4, ".pen") == 0;
    return binary ? pen_binary_write(graph, path) : pen_chaco_write(graph, path);
}

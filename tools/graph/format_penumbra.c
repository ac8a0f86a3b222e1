/* format_penumbra.c - the library's binary format, read and written by the library (runtime/graph/binary.h). */
#include "base/scanner.h"
#include "graph/binary.h"
#include "tools/common/start_mpi.h"
#include "tools/graph/format.h"
#include "tools/graph/input.h"
#include "tools/graph/library.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* A message without the path with which it begins, since findings have the path. */
static const char *without_path(const char *message, const char *path)
{
    size_t length = strlen(path);
    return strncmp(message, path, length) == 0 && strncmp(message + length, ": ", 2) == 0 ? message + length + 2
                                                                                          : message;
}

static pen_status read_plain(const char *path, const format_options *options, file_graph *g, findings *f)
{
    const pen_read_options reading = { .directed = options->directed };
    pen_graph *graph;
    PEN_TRY(pen_start_mpi());
    pen_status status = pen_binary_read(MPI_COMM_SELF, path, &reading, &graph);
    if (status == PEN_ERR_INPUT) PEN_LINE_ERROR(f, 0, "%s", without_path(pen_error_message(), path));
    return status == PEN_OK ? pen_library_give(&graph, g) : status;
}

static pen_status write_plain(file_graph *g, const char *path)
{
    pen_graph *graph = NULL;
    PEN_TRY(pen_library_check_labels(g, path));
    PEN_TRY(pen_start_mpi());
    pen_status status = pen_library_take(g, true, &graph);
    if (status == PEN_OK) status = pen_binary_write(graph, path);
    pen_graph_destroy(&graph);
    return status;
}

/* Make a plain temporary file for a stream: the library reads and writes at offsets. */
static pen_status make_temporary(char **path)
{
    const char *folder = getenv("TMPDIR");
    if (!folder || !*folder) folder = "/tmp";
    size_t size = strlen(folder) + sizeof "/penumbra-XXXXXX";
    PEN_TRY(PEN_ALLOC(path, (int64_t)size));
    snprintf(*path, size, "%s/penumbra-XXXXXX", folder);
    int file = mkstemp(*path);
    if (file >= 0) {
        close(file);
        return PEN_OK;
    }
    pen_status status = pen_fail(PEN_ERR_IO, "cannot write %s: %s", *path, strerror(errno));
    free(*path);
    return status;
}

/* Copy a file; either path may be that of a stream. */
static pen_status copy_file(const char *from, const char *to)
{
    pen_scanner in;
    writer out;
    PEN_TRY(pen_input_open(from, &in));
    pen_status status = pen_writer_open(to, &out);
    if (status != PEN_OK) return pen_scanner_close(&in, status);
    for (; pen_scanner_more(&in); in.at = in.end) pen_writer_bytes(&out, in.at, in.end - in.at);
    return pen_writer_close(&out, pen_scanner_close(&in, PEN_OK));
}

/* Replace the temporary file's path in a message by the user's. */
static pen_status rename_failure(pen_status status, const char *plain, const char *path)
{
    const char *rest = without_path(pen_error_message(), plain);
    return status == PEN_OK || rest == pen_error_message() ? status : pen_fail(status, "%s: %s", path, rest);
}

static pen_status read_penumbra(const char *path, const format_options *options, file_graph *g, findings *f)
{
    char *plain;
    if (!pen_path_is_stream(path)) return read_plain(path, options, g, f);
    PEN_TRY(make_temporary(&plain));
    pen_status status = copy_file(path, plain);
    if (status == PEN_OK) status = rename_failure(read_plain(plain, options, g, f), plain, path);
    unlink(plain);
    free(plain);
    return status;
}

static pen_status write_penumbra(file_graph *g, const char *path)
{
    char *plain;
    if (!pen_path_is_stream(path)) return write_plain(g, path);
    PEN_TRY(make_temporary(&plain));
    pen_status status = rename_failure(write_plain(g, plain), plain, path);
    if (status == PEN_OK) status = copy_file(plain, path);
    unlink(plain);
    free(plain);
    return status;
}

const graph_format pen_format_penumbra = {
    .name = "penumbra",
    .endings = ".pen",
    .summary = "Penumbra binary: all properties of a graph, with checksums; rows are sorted",
    .holds = HOLDS_NODE_WEIGHT | HOLDS_NODE_WEIGHTS | HOLDS_SIZES | HOLDS_EDGE_WEIGHTS | HOLDS_LABELS | HOLDS_DIRECTED |
             HOLDS_ISOLATED | HOLDS_COORDINATES | HOLDS_ZERO_NODE_WEIGHTS | HOLDS_NO_EDGES | HOLDS_GRID,
    .read_path = read_penumbra,
    .write_path = write_penumbra,
};

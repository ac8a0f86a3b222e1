/* write_chaco.c - writing METIS text in parallel.
 *
 * Every rank makes its text twice, first to know its length and with it the place in the file. The file
 * grows under a temporary name beside the final one. */
#include "graph.h"
#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 256 * 1024, NUMBER = 24 /* bytes of the longest number and its separator */ };

typedef struct output {
    int file;         /* -1: only count */
    int64_t length;   /* of the text so far */
    int64_t begin;    /* where this rank's text begins in the file */
    size_t used;
    pen_status status;
    char *buffer;     /* [CHUNK] */
} output;

static void flush(output *o)
{
    const char *from = o->buffer;
    off_t at = (off_t)(o->begin + o->length);
    o->length += (int64_t)o->used;
    for (size_t left = o->file >= 0 && o->status == PEN_OK ? o->used : 0; left > 0;) {
        ssize_t bytes = pwrite(o->file, from, left, at);
        if (bytes < 0 && errno == EINTR) continue;
        if (bytes <= 0) {
            o->status = pen_fail(PEN_ERR_IO, "writing failed: %s", strerror(errno));
            break;
        }
        from += bytes;
        at += bytes;
        left -= (size_t)bytes;
    }
    o->used = 0;
}

static void put(output *o, int64_t number, char separator)
{
    char digits[NUMBER];
    int n = 0;
    if (o->used + NUMBER > CHUNK) flush(o);
    for (uint64_t rest = (uint64_t)number; n == 0 || rest > 0; rest /= 10) digits[n++] = (char)('0' + rest % 10);
    while (n > 0) o->buffer[o->used++] = digits[--n];
    o->buffer[o->used++] = separator;
}

/* The line's last separator, or where there is none its end, becomes a newline. */
static void end_line(output *o, bool empty)
{
    if (empty) {
        if (o->used == CHUNK) flush(o);
        o->used++;
    }
    o->buffer[o->used - 1] = '\n';
}

static void put_header(output *o, const pen_graph *g)
{
    int format = (g->node_sizes ? 100 : 0) + (g->weight_count > 0 ? 10 : 0) + (g->edge_weights ? 1 : 0);
    put(o, g->nodes, ' ');
    put(o, g->edges, ' ');
    if (format > 0) put(o, format, ' ');
    if (g->weight_count > 1) put(o, g->weight_count, ' ');
    end_line(o, false);
}

static void put_row(output *o, const pen_graph *g, pen_lid row)
{
    int64_t begin = g->rows[row], end = g->rows[row + 1];
    if (g->node_sizes) put(o, g->node_sizes[row], ' ');
    for (int k = 0; k < g->weight_count; k++) put(o, g->node_weights[(int64_t)row * g->weight_count + k], ' ');
    for (int64_t k = begin; k < end; k++) {
        put(o, g->neighbors[k] + 1, ' ');
        if (g->edge_weights) put(o, g->edge_weights[k], ' ');
    }
    end_line(o, begin == end && !g->node_sizes && g->weight_count == 0);
}

static pen_status put_all(output *o, const pen_graph *g)
{
    o->length = 0;
    if (g->comm->rank == 0) put_header(o, g);
    for (pen_lid i = 0; i < g->count && o->status == PEN_OK; i++) put_row(o, g, i);
    flush(o);
    return o->status;
}

/* Refuse to put a file in the place of a device, a directory, ... */
static pen_status check_target(const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return pen_fail(PEN_ERR_IO, "cannot write %s: it is not a regular file", path);
    return PEN_OK;
}

static pen_status open_output(output *o, const char *name, int flags)
{
    o->file = open(name, O_WRONLY | flags, 0666);
    return o->file >= 0 ? PEN_OK : pen_fail(PEN_ERR_IO, "cannot write %s: %s", name, strerror(errno));
}

/* Collective. Everybody's text into the file `name`, which rank 0 creates. */
static pen_status write_all(output *o, const pen_graph *g, const char *name)
{
    pen_comm *comm = g->comm;
    pen_status status = comm->rank == 0 ? open_output(o, name, O_CREAT | O_EXCL) : PEN_OK;
    PEN_TRY(pen_agree(comm, status));
    if (comm->rank != 0) status = open_output(o, name, 0);
    if (status == PEN_OK) status = put_all(o, g);
    if (o->file >= 0 && close(o->file) != 0 && status == PEN_OK)
        status = pen_fail(PEN_ERR_IO, "cannot write %s: %s", name, strerror(errno));
    return pen_agree(comm, status);
}

static pen_status write_beside(output *o, const pen_graph *g, const char *path, char *name, size_t size)
{
    int64_t process = (int64_t)getpid();
    PEN_MPI(MPI_Bcast(&process, 1, MPI_INT64_T, 0, g->comm->mpi));
    snprintf(name, size, "%s.%" PRId64 ".tmp", path, process);
    PEN_TRY(put_all(o, g));
    PEN_TRY(pen_prefix_int(g->comm, o->length, &o->begin));
    pen_status status = write_all(o, g, name);
    if (g->comm->rank == 0) {
        if (status == PEN_OK && rename(name, path) != 0)
            status = pen_fail(PEN_ERR_IO, "cannot rename %s to %s: %s", name, path, strerror(errno));
        if (status != PEN_OK) unlink(name);
    }
    return pen_agree(g->comm, status);
}

pen_status pen_graph_write(const pen_graph *graph, const char *path)
{
    PEN_ARGUMENT(graph && path, "graph and path must not be NULL");
    if (!graph->dense)
        return pen_fail(PEN_ERR_UNSUPPORTED, "a Chaco/METIS file needs gids 0..n-1, contiguous on each rank, in rank order");
    output o = { .file = -1, .status = PEN_OK };
    char *name = NULL;
    size_t size = strlen(path) + 32;
    pen_status status = graph->comm->rank == 0 ? check_target(path) : PEN_OK;
    if (status == PEN_OK) status = PEN_ALLOC(&name, (int64_t)size);
    if (status == PEN_OK) status = PEN_ALLOC(&o.buffer, CHUNK);
    status = pen_agree(graph->comm, status);
    if (status == PEN_OK) status = write_beside(&o, graph, path, name, size);
    free(o.buffer);
    free(name);
    return status;
}

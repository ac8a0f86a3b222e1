/* partition_file.c - the partitioner file: parts from a METIS .part file. Its line i has the part of node i - 1,
 * counted from 0, and nothing else. Rank 0 reads, and sends a chunk at a time; an empty message ends the sequence. */
#include "base/memory.h"
#include "base/options.h"
#include "base/text_file.h"
#include "partition/partition.h"

#include <errno.h>
#include <stdlib.h>

enum {
    CHUNK = 1 << 16, /* number of nodes per message */
    TAG_COUNT = 13,
    TAG_PARTS = 14,
    WORD = 32
};

typedef struct reader {
    const char *path;
    FILE *file;
    int64_t left; /* number of bytes that are not read yet */
    int64_t line; /* number of the line that is being read, from 1 */
    int64_t nodes;
    int parts;
    pen_status status;
} reader;

static pen_status fail_io(const reader *r) { return pen_fail(PEN_ERR_IO, "%s: %s", r->path, strerror(errno)); }

static bool is_blank(int c) { return c == ' ' || c == '\t' || c == '\r'; }

static int next_character(reader *r) { return r->left-- > 0 ? getc(r->file) : EOF; }

static int skip_blanks(reader *r)
{
    int c;
    do c = next_character(r);
    while (is_blank(c));
    return c;
}

/* Read the first word of the line; *next becomes the offset after it and the blanks that follow. A long word becomes
 * one that is no number. */
static void read_word(reader *r, char word[WORD], int *next)
{
    int n = 0, c = skip_blanks(r);
    for (; c != '\n' && c != EOF && !is_blank(c); c = next_character(r))
        if (n < WORD) word[n++] = (char)c;
    if (n == WORD) memcpy(&word[WORD - 4], "...", 4);
    else word[n] = '\0';
    *next = is_blank(c) ? skip_blanks(r) : c;
}

static pen_status read_part(reader *r, int32_t *part)
{
    char word[WORD];
    int next;
    int64_t number;
    read_word(r, word, &next);
    if (ferror(r->file)) return fail_io(r);
    if (word[0] == '\0' && next == EOF)
        return pen_fail(PEN_ERR_INPUT, "%s:%" PRId64 ": the file ends here, but the graph has %" PRId64 " nodes",
                        r->path, r->line, r->nodes);
    if (next != '\n' && next != EOF)
        return pen_fail(PEN_ERR_INPUT, "%s:%" PRId64 ": more than one word, must be one part number", r->path, r->line);
    if (word[0] == '+' || !pen_parse_int(word, &number))
        return pen_fail(PEN_ERR_INPUT, "%s:%" PRId64 ": \"%s\", must be a part number", r->path, r->line, word);
    if (number < 0 || number >= r->parts)
        return pen_fail(PEN_ERR_INPUT, "%s:%" PRId64 ": part %" PRId64 ", must be 0..%d", r->path, r->line, number,
                        r->parts - 1);
    r->line++;
    *part = (int32_t)number;
    return PEN_OK;
}

/* Check that only empty lines follow the last part. */
static pen_status check_end(reader *r)
{
    int c;
    do c = skip_blanks(r);
    while (c == '\n');
    if (ferror(r->file)) return fail_io(r);
    if (c == EOF) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "%s:%" PRId64 ": a line too many, the graph has %" PRId64 " nodes", r->path, r->line,
                    r->nodes);
}

static int chunk_size(int64_t left) { return (int)(left < CHUNK ? left : CHUNK); }

/* Rank 0: read the parts of all ranks and send them, up to the first failure, which stays in r->status. */
static pen_status serve(reader *r, const pen_graph *graph, int32_t *chunk, int32_t *part)
{
    pen_comm *comm = graph->comm;
    for (int target = 0; target < comm->size; target++) {
        int64_t count = graph->count;
        if (target > 0) PEN_MPI(MPI_Recv(&count, 1, MPI_INT64_T, target, TAG_COUNT, comm->mpi, MPI_STATUS_IGNORE));
        for (int64_t from = 0; from < count; from += CHUNK) {
            int n = chunk_size(count - from);
            int32_t *out = target == 0 ? part + from : chunk;
            for (int k = 0; k < n && r->status == PEN_OK; k++) r->status = read_part(r, &out[k]);
            if (target > 0)
                PEN_MPI(MPI_Send(chunk, r->status == PEN_OK ? n : 0, MPI_INT32_T, target, TAG_PARTS, comm->mpi));
            if (r->status != PEN_OK) break;
        }
    }
    if (r->status == PEN_OK) r->status = check_end(r);
    return PEN_OK;
}

static pen_status receive(const pen_graph *graph, int32_t *part)
{
    int64_t count = graph->count;
    PEN_MPI(MPI_Send(&count, 1, MPI_INT64_T, 0, TAG_COUNT, graph->comm->mpi));
    int got = 1;
    for (int64_t from = 0; from < count && got > 0; from += CHUNK) {
        MPI_Status envelope;
        PEN_MPI(
            MPI_Recv(part + from, chunk_size(count - from), MPI_INT32_T, 0, TAG_PARTS, graph->comm->mpi, &envelope));
        PEN_MPI(MPI_Get_count(&envelope, MPI_INT32_T, &got));
    }
    return PEN_OK;
}

static pen_status partition(const void *settings, const pen_graph *graph, const pen_machine *machine, int parts,
                            int32_t *part)
{
    pen_comm *comm = graph->comm;
    reader r = { .path = *(const char *const *)settings, .line = 1, .nodes = graph->nodes, .parts = parts };
    int32_t *chunk = NULL;
    if (r.path[0] == '\0') return pen_fail(PEN_ERR_INPUT, "partitioner file needs a path: file:PATH");
    if (!graph->dense)
        return pen_fail(PEN_ERR_UNSUPPORTED,
                        "partitioner file: its lines are for the gids 0, 1, ..., but this graph has other gids");
    if (comm->rank == 0) {
        r.status = PEN_ALLOC(&chunk, CHUNK);
        if (r.status == PEN_OK) r.status = pen_regular_open(r.path, false, &r.file, &r.left);
    }
    pen_status status = pen_agree(comm, r.status);
    if (status == PEN_OK) {
        status = comm->rank == 0 ? serve(&r, graph, chunk, part) : receive(graph, part);
        if (status == PEN_OK) status = pen_agree(comm, r.status);
    }
    if (r.file) fclose(r.file);
    free(chunk);
    return status;
}

static const pen_setting settings[] = {
    { .name = "", .argument = "PATH", .kind = PEN_OPTION_TEXT },
    { .name = NULL },
};

const pen_partitioner pen_partitioner_file = {
    .name = "file",
    .summary = "a METIS .part file: one part number per line, from 0",
    .settings = settings,
    .settings_size = sizeof(const char *),
    .of_graph = partition,
};

/* binary.c - the binary graph format, read and written in parallel.
 *
 * Every rank reads a contiguous share of each section with pread, and writes with pwrite (base/output.h). No call is
 * collective, so no rank waits for one that fails, and shares are too large for collective buffering to help. MPI-IO is
 * not faster, and Open MPI's keeps a semaphore and a mapped file for each open file: what a killed run leaves of them
 * blocks the next run, and a full temporary folder ends the program. */
#include "graph/binary.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text_file.h"
#include "graph/validate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

typedef enum section { GIDS, ROWS, NEIGHBORS, NODE_WEIGHTS, NODE_SIZES, EDGE_WEIGHTS, COORDINATES, SECTIONS } section;

enum {
    DIRECTED = 1,
    HAS_GIDS = 2,
    HAS_SIZES = 4,
    HAS_EDGE_WEIGHTS = 8,
    GRID = 16,
    GRIDS = 3,
    FLAGS = 15 + GRIDS * GRID
};

enum {
    WORD = 8,
    VERSION = 1,
    ORDER = 0x01020304,
    FOREIGN_ORDER = 0x04030201,
    CHUNK = 128 * 1024 /* number of words that are read or written at once */
};

static const unsigned char MAGIC[8] = { 0x89, 'P', 'E', 'N', '\r', '\n', 0x1A, '\n' };

typedef struct header {
    unsigned char magic[8];
    uint32_t order, version;
    int64_t flags, nodes, arcs, weight_count, dimensions, width, height, size;
    int64_t begins[SECTIONS];
    uint64_t checksums[SECTIONS];
    uint64_t checksum;
} header;

_Static_assert(sizeof(header) == 200 && sizeof(double) == WORD, "the header is written as it lies in memory");

/* A binary graph file, as one rank reads or writes it. */
typedef struct binary {
    const char *path;
    header header;
    int file;                /* descriptor of the file that is read */
    pen_output *output;      /* the file that is written */
    uint64_t sums[SECTIONS]; /* checksums of the words that this rank has read or written */
} binary;

/* ---- Layout and checksums ------------------------------------------------------------------- */

static uint64_t sum_words(const void *words, int64_t first, int64_t count)
{
    uint64_t sum = 0, word;
    for (int64_t i = 0; i < count; i++) {
        memcpy(&word, (const char *)words + i * WORD, WORD);
        sum += pen_mix(word + (uint64_t)(first + i) * PEN_MIX_STEP);
    }
    return sum;
}

static uint64_t header_checksum(const header *h)
{
    return sum_words(h, 0, (int64_t)(offsetof(header, checksum) / WORD));
}

static int64_t section_words(const header *h, section s)
{
    switch (s) {
    case GIDS: return h->flags & HAS_GIDS ? h->nodes : 0;
    case ROWS: return h->nodes + 1;
    case NEIGHBORS: return h->arcs;
    case NODE_WEIGHTS: return h->nodes * h->weight_count;
    case NODE_SIZES: return h->flags & HAS_SIZES ? h->nodes : 0;
    case EDGE_WEIGHTS: return h->flags & HAS_EDGE_WEIGHTS ? h->arcs : 0;
    default: return h->nodes * h->dimensions;
    }
}

/* Compute where the sections begin; returns the size of the file. */
static int64_t lay_out(const header *h, int64_t begins[SECTIONS])
{
    int64_t at = (int64_t)sizeof *h;
    for (section s = GIDS; s < SECTIONS; s++) {
        begins[s] = at;
        at += section_words(h, s) * WORD;
    }
    return at;
}

static pen_grid grid_of(const header *h) { return (pen_grid)(h->flags / GRID & GRIDS); }

/* Whether layers and the kind of the grid contradict: only squares and tori have layers. */
static bool grid_fault(const header *h)
{
    if (h->width == 0 && h->height == 0) return grid_of(h) != PEN_GRID_NONE;
    if (h->width <= 0 || h->height <= 0) return true;
    if (h->nodes % h->width != 0 || h->nodes / h->width % h->height != 0) return true;
    bool layers = grid_of(h) == PEN_GRID_SQUARE || grid_of(h) == PEN_GRID_TORUS;
    return !layers && h->nodes / h->width != h->height;
}

/* The error in a header whose checksum is right; NULL: there is no error. */
static const char *header_fault(const header *h, int64_t size)
{
    const int64_t most = size / WORD;
    int64_t begins[SECTIONS];
    if (h->flags & ~(int64_t)FLAGS) return "flags that this version does not know";
    if (h->nodes < 1 || h->arcs < 0 || h->weight_count < 0) return "negative counts, or no nodes";
    if (h->dimensions < 0 || h->dimensions > 3) return "coordinates of less than 0 or more than 3 dimensions";
    if (grid_fault(h)) return "a grid of another size than the graph";
    /* Checked before any multiplication, which could overflow. */
    if (h->nodes > most || h->arcs > most || h->weight_count > most / h->nodes || lay_out(h, begins) != size)
        return "counts that do not fit the size of the file";
    if (memcmp(begins, h->begins, sizeof begins) != 0) return "sections that do not begin where they should";
    return NULL;
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* Read the header and the size of the file. */
static pen_status load_header(const char *path, header *h, size_t *bytes, int64_t *size)
{
    FILE *file;
    PEN_TRY(pen_regular_open(path, false, &file, size));
    *bytes = fread(h, 1, sizeof *h, file);
    pen_status status = ferror(file) ? pen_fail(PEN_ERR_IO, "%s: cannot read: %s", path, strerror(errno)) : PEN_OK;
    fclose(file);
    return status;
}

static pen_status check_header(const char *path, header *h)
{
    size_t bytes = 0;
    int64_t size = 0;
    PEN_TRY(load_header(path, h, &bytes, &size));
    const char *fault = NULL;
    if (bytes < sizeof *h) fault = "the file ends within the header of a binary graph";
    else if (memcmp(h->magic, MAGIC, sizeof MAGIC) != 0)
        fault = "the first bytes are damaged (was it transferred as text?)";
    else if (h->order == FOREIGN_ORDER) fault = "written on a machine of the other byte order";
    else if (h->order == ORDER && h->version != VERSION)
        return pen_fail(PEN_ERR_INPUT, "%s: a binary graph of version %" PRIu32 ", this library reads version %d", path,
                        h->version, VERSION);
    else if (h->checksum != header_checksum(h)) fault = "the header is damaged: its checksum is wrong";
    else if (h->size != size)
        return pen_fail(PEN_ERR_INPUT, "%s: the file has %" PRId64 " bytes, the header says %" PRId64, path, size,
                        h->size);
    else if ((fault = header_fault(h, size)))
        return pen_fail(PEN_ERR_INPUT, "%s: the header announces %s", path, fault);
    return fault ? pen_fail(PEN_ERR_INPUT, "%s: %s", path, fault) : PEN_OK;
}

bool pen_binary_recognise(const char *path)
{
    unsigned char bytes[4] = { 0 };
    FILE *file;
    int64_t size;
    bool read = pen_regular_open(path, false, &file, &size) == PEN_OK && fread(bytes, sizeof bytes, 1, file) == 1;
    if (file) fclose(file);
    return read && (bytes[0] == MAGIC[0] || memcmp(bytes + 1, MAGIC + 1, 3) == 0);
}

/* Local. Read words [first, first + count) of a section, and add them to its sum while they are in a cache. */
static pen_status read_words(binary *b, section s, int64_t first, int64_t count, void *words)
{
    for (int64_t done = 0; done < count; done += CHUNK) {
        const int64_t left = count - done, n = left < CHUNK ? left : CHUNK;
        char *to = (char *)words + done * WORD;
        PEN_TRY(pen_read_at(b->file, b->path, to, n * WORD, b->header.begins[s] + (first + done) * WORD));
        b->sums[s] += sum_words(to, first + done, n);
    }
    return PEN_OK;
}

/* Allocate and read words [first, first + count) of a section that the file has. */
static pen_status load(binary *b, section s, int64_t first, int64_t count, void *words)
{
    void *block;
    PEN_TRY(pen_alloc(&block, count, WORD));
    memcpy(words, &block, sizeof block);
    return read_words(b, s, first, count, block);
}

/* Collective. Compare the sums of sections [from, to), which all ranks together have read. */
static pen_status check_sums(const binary *b, pen_comm *comm, section from, section to)
{
    static const char *const names[SECTIONS] = { "gids",       "rows",         "neighbours", "node weights",
                                                 "node sizes", "edge weights", "coordinates" };
    uint64_t sums[SECTIONS];
    PEN_TRY(pen_all_reduce(comm, b->sums, sums, SECTIONS, MPI_UINT64_T, MPI_SUM));
    for (section s = from; s < to; s++)
        if (sums[s] != b->header.checksums[s])
            return pen_fail(PEN_ERR_INPUT, "%s: damaged: the checksum of the %s is wrong", b->path, names[s]);
    return PEN_OK;
}

/* Turn this rank's offsets among all arcs into offsets among its own, if they are ascending and in range. */
static pen_status make_local(const binary *b, pen_graph *g, int64_t *first_arc)
{
    int64_t *rows = g->rows, first = rows[0], last = rows[g->count];
    bool good = g->comm->rank == 0 ? first == 0 : first >= 0;
    good = good && (g->comm->rank == g->comm->size - 1 ? last == b->header.arcs : last <= b->header.arcs);
    for (pen_lid i = 0; i < g->count; i++) good = good && rows[i] <= rows[i + 1];
    if (!good) return pen_fail(PEN_ERR_INPUT, "%s: the rows are not ascending", b->path);
    for (pen_lid i = 0; i <= g->count; i++) rows[i] -= first;
    *first_arc = first;
    return PEN_OK;
}

/* Collective. Read this rank's share of the rows; its arcs begin at *first_arc of all arcs. `mine` is this rank's
 * status so far. */
static pen_status read_rows(binary *b, pen_status mine, pen_graph *g, int64_t *first_arc)
{
    if (mine == PEN_OK) mine = load(b, ROWS, g->first, (int64_t)g->count + 1, &g->rows);
    /* The last word of a rank's share is the first one of the next rank's, and must count once. */
    if (mine == PEN_OK && g->comm->rank < g->comm->size - 1)
        b->sums[ROWS] -= sum_words(g->rows + g->count, g->first + g->count, 1);
    PEN_TRY(pen_agree(g->comm, mine));
    PEN_TRY(check_sums(b, g->comm, ROWS, NEIGHBORS));
    return pen_agree(g->comm, make_local(b, g, first_arc));
}

static pen_status read_rest(binary *b, pen_graph *g, int64_t first_arc)
{
    const int64_t arcs = g->rows[g->count], weights = g->weight_count, dimensions = g->dimensions,
                  flags = b->header.flags;
    PEN_TRY(load(b, NEIGHBORS, first_arc, arcs, &g->neighbors));
    if (flags & HAS_GIDS) PEN_TRY(load(b, GIDS, g->first, g->count, &g->gids));
    if (weights > 0) PEN_TRY(load(b, NODE_WEIGHTS, g->first * weights, g->count * weights, &g->node_weights));
    if (flags & HAS_SIZES) PEN_TRY(load(b, NODE_SIZES, g->first, g->count, &g->node_sizes));
    if (flags & HAS_EDGE_WEIGHTS) PEN_TRY(load(b, EDGE_WEIGHTS, first_arc, arcs, &g->edge_weights));
    if (dimensions > 0) PEN_TRY(load(b, COORDINATES, g->first * dimensions, g->count * dimensions, &g->coordinates));
    return PEN_OK;
}

/* Collective. Rank 0 reads the header for all. */
static pen_status read_header(binary *b, pen_comm *comm, int load_weight)
{
    PEN_TRY(pen_agree(comm, comm->rank == 0 ? check_header(b->path, &b->header) : PEN_OK));
    PEN_TRY(pen_broadcast(comm, &b->header, (int)sizeof b->header, 0));
    int64_t weights = b->header.weight_count > 0 ? b->header.weight_count : 1;
    if (load_weight < 0 || load_weight >= weights)
        return pen_fail(PEN_ERR_INPUT, "%s: load weight %d, the file has weights 0..%" PRId64, b->path, load_weight,
                        weights - 1);
    return PEN_OK;
}

/* Set the members that the header determines, and this rank's share of the nodes. */
static pen_status begin_graph(const header *h, const pen_read_options *options, pen_graph *g)
{
    int rank = g->comm->rank, size = g->comm->size;
    g->nodes = h->nodes;
    g->directed = options->directed || (h->flags & DIRECTED);
    g->dense = !(h->flags & HAS_GIDS);
    g->load_weight = options->load_weight;
    g->dimensions = (int)h->dimensions;
    g->width = h->width;
    g->height = h->height;
    g->depth = h->width > 0 ? h->nodes / h->width / h->height : 0;
    g->grid = grid_of(h);
    g->first = pen_block_begin(h->nodes, size, rank);
    PEN_TRY(pen_to_int(h->weight_count, "weights per node", &g->weight_count));
    return pen_to_lid(pen_block_begin(h->nodes, size, rank + 1) - g->first, "nodes", &g->count);
}

/* Validate the graph, and put the file's name before the message of a failure. */
static pen_status validate(const char *path, pen_graph *g)
{
    char message[768];
    pen_status status = pen_graph_validate(g, PEN_OK, NULL, NULL);
    if (status != PEN_ERR_INPUT) return status;
    snprintf(message, sizeof message, "%s", pen_error_message());
    return pen_fail(status, "%s: %s", path, message);
}

static pen_status read_graph(binary *b, pen_graph *g, const pen_read_options *options)
{
    int64_t first_arc = 0;
    PEN_TRY(read_header(b, g->comm, options->load_weight));
    pen_status status = begin_graph(&b->header, options, g);
    b->file = open(b->path, O_RDONLY | O_CLOEXEC);
    if (status == PEN_OK && b->file < 0)
        status = pen_fail(PEN_ERR_IO, "%s: cannot open (do all hosts see it?): %s", b->path, strerror(errno));
    PEN_TRY(read_rows(b, status, g, &first_arc));
    PEN_TRY(pen_agree(g->comm, read_rest(b, g, first_arc)));
    PEN_TRY(check_sums(b, g->comm, GIDS, SECTIONS));
    return validate(b->path, g);
}

pen_status pen_binary_read(MPI_Comm comm, const char *path, const pen_read_options *options, pen_graph **graph)
{
    binary b = { .path = path, .file = -1 };
    pen_graph *g;
    PEN_TRY(pen_graph_new(comm, &g));
    pen_status status = pen_graph_read_equal(g->comm, path, options);
    if (status == PEN_OK) status = read_graph(&b, g, options);
    if (b.file >= 0) close(b.file); /* all data has been read, so the file is not needed */
    return pen_graph_finish(g, status, graph);
}

/* ---- Writing -------------------------------------------------------------------------------- */

/* Local. Write words [first, first + count) of a section, and add them to its sum. */
static pen_status write_words(binary *b, section s, int64_t first, int64_t count, const void *words)
{
    for (int64_t done = 0; done < count; done += CHUNK) {
        int64_t n = count - done < CHUNK ? count - done : CHUNK;
        const char *from = (const char *)words + done * WORD;
        b->sums[s] += sum_words(from, first + done, n);
        PEN_TRY(pen_output_write(b->output, from, n * WORD, b->header.begins[s] + (first + done) * WORD));
    }
    return PEN_OK;
}

/* Write the row offsets among all arcs; this rank's arcs begin at first_arc. The last rank also writes the final
 * offset. */
static pen_status write_rows(binary *b, const pen_graph *g, int64_t first, int64_t first_arc)
{
    int64_t count = g->count + (g->comm->rank == g->comm->size - 1), *chunk;
    PEN_TRY(PEN_ALLOC(&chunk, count < CHUNK ? count : CHUNK));
    pen_status status = PEN_OK;
    for (int64_t done = 0; done < count && status == PEN_OK; done += CHUNK) {
        int64_t n = count - done < CHUNK ? count - done : CHUNK;
        for (int64_t i = 0; i < n; i++) chunk[i] = first_arc + g->rows[done + i];
        status = write_words(b, ROWS, first + done, n, chunk);
    }
    free(chunk);
    return status;
}

static pen_status write_sections(binary *b, const pen_graph *g, int64_t first, int64_t first_arc)
{
    const int64_t arcs = g->rows[g->count], weights = g->weight_count, dimensions = g->dimensions;
    PEN_TRY(write_rows(b, g, first, first_arc));
    PEN_TRY(write_words(b, NEIGHBORS, first_arc, arcs, g->neighbors));
    if (!g->dense) PEN_TRY(write_words(b, GIDS, first, g->count, g->gids));
    if (weights > 0) PEN_TRY(write_words(b, NODE_WEIGHTS, first * weights, g->count * weights, g->node_weights));
    if (g->node_sizes) PEN_TRY(write_words(b, NODE_SIZES, first, g->count, g->node_sizes));
    if (g->edge_weights) PEN_TRY(write_words(b, EDGE_WEIGHTS, first_arc, arcs, g->edge_weights));
    if (dimensions > 0) PEN_TRY(write_words(b, COORDINATES, first * dimensions, g->count * dimensions, g->coordinates));
    return PEN_OK;
}

/* Collective. Make the header, except its checksums. */
static pen_status make_header(header *h, const pen_graph *g)
{
    int64_t arcs = g->rows[g->count];
    *h = (header){ .order = ORDER,
                   .version = VERSION,
                   .nodes = g->nodes,
                   .weight_count = g->weight_count,
                   .dimensions = g->dimensions,
                   .width = g->width,
                   .height = g->height };
    memcpy(h->magic, MAGIC, sizeof MAGIC);
    h->flags = (g->directed ? DIRECTED : 0) | (g->dense ? 0 : HAS_GIDS) | (g->node_sizes ? HAS_SIZES : 0) |
               (g->edge_weights ? HAS_EDGE_WEIGHTS : 0) | (int64_t)g->grid * GRID;
    PEN_TRY(pen_sum_int(g->comm, arcs, &h->arcs));
    h->size = lay_out(h, h->begins);
    return PEN_OK;
}

/* Collective. All ranks write their words, then rank 0 writes the header. */
static pen_status write_file(binary *b, const pen_graph *g)
{
    int64_t first, first_arc;
    PEN_TRY(make_header(&b->header, g));
    PEN_TRY(pen_prefix_int(g->comm, g->count, &first));
    PEN_TRY(pen_prefix_int(g->comm, g->rows[g->count], &first_arc));
    pen_status status = write_sections(b, g, first, first_arc);
    PEN_TRY(pen_all_reduce(g->comm, b->sums, b->header.checksums, SECTIONS, MPI_UINT64_T, MPI_SUM));
    b->header.checksum = header_checksum(&b->header);
    if (status == PEN_OK && g->comm->rank == 0) status = pen_output_write(b->output, &b->header, sizeof b->header, 0);
    return status;
}

pen_status pen_binary_write(const pen_graph *graph, const char *path)
{
    binary b = { .path = path };
    PEN_TRY(pen_output_create(graph->comm, path, &b.output));
    return pen_output_commit(&b.output, write_file(&b, graph));
}

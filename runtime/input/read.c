/* read.c - reads input files, and sends the values to the owners of nodes. */
#include "input/read.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/sparse.h"
#include "input/csv_part.h"
#include "input/files.h"
#include "input/npy_part.h"
#include "input/ranking.h"

#include <penumbra_partition.h>
#include <stdlib.h>

/* A row as it is sent to the owner of its node; its values follow. */
typedef struct pen_input_message {
    pen_gid node;
    int64_t other; /* for an arc: gid of the neighbour; with PEN_INPUT_BY_ROW the neighbour's index in the row */
    /* Place of the row in the file; ~place for the opposite arc, which gets these values unless the file has a row for
     * it. */
    int64_t where;
} pen_input_message;

typedef struct pen_input_places {
    const pen_input_file *file;
    const pen_input_nodes *nodes;
    double *const *values; /* [columns] the application's arrays of values */
    int64_t count;         /* number of nodes, or of arcs, on this rank */
    int64_t *where;        /* [count] place of the row that set each value, as in a message; NOWHERE: none has */
} pen_input_places;

#define NOWHERE INT64_MIN

/* Allocate the places of values. The caller frees places->where, also after a failure. */
static pen_status input_places_create(const pen_input_file *file, const pen_input_nodes *nodes, double *const *values,
                                      pen_input_places *places)
{
    const int64_t count = file->of_edges ? (int64_t)nodes->rows[nodes->count] : nodes->count;
    *places = (pen_input_places){ .file = file, .nodes = nodes, .values = values, .count = count };
    PEN_TRY(PEN_ALLOC(&places->where, count));
    for (int64_t i = 0; i < count; i++) places->where[i] = NOWHERE;
    return PEN_OK;
}

/* The arc of a node to the neighbour with a gid; -1: there is no such arc. */
static int64_t find_arc(const pen_input_nodes *nodes, pen_lid node, pen_gid to)
{
    uint32_t low = nodes->rows[node], high = nodes->rows[node + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (nodes->gids[nodes->columns[middle]] < to) low = middle + 1;
        else high = middle;
    }
    bool found = low < nodes->rows[node + 1] && nodes->gids[nodes->columns[low]] == to;
    return found ? (int64_t)low : -1;
}

/* The index of the node or arc that a message is for; -1: it does not exist. */
static int64_t place_of(const pen_input_places *places, const pen_input_message *message)
{
    const pen_input_nodes *nodes = places->nodes;
    pen_lid node = nodes->find(nodes->context, message->node);
    if (node < 0 || !places->file->of_edges) return node;
    if (places->file->way == PEN_INPUT_BY_ROW) return (int64_t)nodes->rows[node] + message->other;
    return find_arc(nodes, node, message->other);
}

static void refuse_twice(const pen_input_places *places, const pen_input_message *message, int64_t before,
                         pen_input_fault *fault)
{
    const char *unit = places->file->is_npy ? "row" : "line";
    int64_t first = before < message->where ? before : message->where, second = before + message->where - first;
    if (places->file->of_edges)
        pen_input_wrong(fault, second, "the arc %" PRIgid " %" PRIgid " is in %s %" PRId64 " already", message->node,
                        message->other, unit, first);
    else pen_input_wrong(fault, second, "node %" PRIgid " is in %s %" PRId64 " already", message->node, unit, first);
}

/* Store a message for a node of this rank; *fault gets the first error. */
static void input_place(const pen_input_places *places, const pen_input_message *message, const double *values,
                        pen_input_fault *fault)
{
    const int64_t place = place_of(places, message);
    const bool back = message->where < 0;
    if (place < 0) {
        if (!back)
            pen_input_wrong(fault, message->where, "node %" PRIgid " has no neighbour %" PRIgid, message->node,
                            message->other);
        return;
    }
    int64_t *where = &places->where[place];
    if (back && *where != NOWHERE) return;
    if (*where >= 0) {
        refuse_twice(places, message, *where, fault);
        if (message->where < *where) *where = message->where; /* the lower place is the one that a third row repeats */
        return;
    }
    *where = message->where;
    for (int i = 0; i < places->file->count; i++) places->values[places->file->column[i]][place] = values[i];
}

/* The lowest gid of this rank's nodes for which a value is missing. If arcs have values, *neighbor is the other end of
 * an arc without one. -1: no value is missing. */
static pen_gid input_missing(const pen_input_places *places, pen_gid *neighbor)
{
    const pen_input_nodes *nodes = places->nodes;
    pen_gid lowest = -1;
    for (pen_lid node = 0; node < nodes->count; node++) {
        uint32_t first = nodes->rows[node], end = nodes->rows[node + 1];
        if (lowest >= 0 && nodes->gids[node] >= lowest) continue;
        if (!places->file->of_edges) {
            if (places->where[node] == NOWHERE) lowest = nodes->gids[node];
            continue;
        }
        while (first < end && places->where[first] != NOWHERE) first++;
        if (first == end) continue;
        lowest = nodes->gids[node];
        *neighbor = nodes->gids[nodes->columns[first]];
    }
    return lowest;
}

/* The working data for reading one file. */
typedef struct reading {
    const pen_input_file *file;
    const pen_input_nodes *nodes;
    pen_comm *comm;
    pen_csv_part *csv;
    pen_npy_part *npy;
    pen_input_rows rows;
    pen_input_places places;
    pen_ranking ranking;
    bool ranked, dense; /* `ranked`: `ranking` has been created. `dense`: the i-th node has gid i. */
    int64_t total[2];   /* numbers of nodes and of arcs in the whole graph */
    int64_t limit;      /* place of the first wrong row found so far; INT64_MAX: none */
    int64_t read;       /* number of rows that all ranks have read */
    pen_gid *gids;      /* [room] gids of the nodes that messages are for */
    int64_t *others;    /* [room] the neighbour that each message is about */
    int32_t *owners;    /* [room] owners of the nodes that messages are for */
    unsigned char *messages;
    size_t stride; /* bytes of a message with its values */
} reading;

/* ---- Beginning to read a file --------------------------------------------------------------------- */

/* The name of a column that needs a row for each direction of an edge; NULL: none. */
static const char *strict_column(const reading *r)
{
    for (int i = 0; i < r->file->count; i++) {
        const pen_input_column *column = &r->rows.columns[r->file->column[i]];
        if (column->each_direction && !r->nodes->directed) return column->name;
    }
    return NULL;
}

/* The number of messages for a row: one, or two for an undirected edge, one per direction. */
static int messages_of(const reading *r)
{
    return r->file->way == PEN_INPUT_BY_ENDS && !r->nodes->directed && !strict_column(r) ? 2 : 1;
}

static pen_status make_room(reading *r, double *const *values, const pen_input_column *columns)
{
    PEN_TRY(pen_input_rows_create(r->file, columns, &r->rows));
    PEN_TRY(input_places_create(r->file, r->nodes, values, &r->places));
    const int64_t most = r->rows.room * messages_of(r);
    r->stride = sizeof(pen_input_message) + (size_t)r->file->count * sizeof(double);
    PEN_TRY(PEN_ALLOC(&r->gids, most));
    PEN_TRY(PEN_ALLOC(&r->others, most));
    PEN_TRY(PEN_ALLOC(&r->owners, most));
    return pen_alloc(&r->messages, most, r->stride);
}

/* Collective. Count the nodes and arcs of the graph, and find out whether gids are 0, 1, 2, ... */
static pen_status count_nodes(reading *r)
{
    pen_gid largest = -1;
    for (pen_lid i = 0; i < r->nodes->count; i++)
        if (r->nodes->gids[i] > largest) largest = r->nodes->gids[i];
    PEN_TRY(pen_sum_int(r->comm, r->nodes->count, &r->total[0]));
    PEN_TRY(pen_sum_int(r->comm, r->nodes->rows[r->nodes->count], &r->total[1]));
    PEN_TRY(pen_max_int(r->comm, largest, &largest));
    r->dense = largest == r->total[0] - 1;
    return PEN_OK;
}

static pen_status check_length(const reading *r)
{
    const pen_input_file *file = r->file;
    const int64_t rows = file->array.shape[0], wanted = r->total[file->of_edges];
    if (!file->is_npy || file->way != PEN_INPUT_BY_ROW || rows == wanted) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "%s: %" PRId64 " rows, but the graph has %" PRId64 " %s", file->path, rows, wanted,
                    file->of_edges ? "arcs" : "nodes");
}

/* Refuse a file of nodes without gids unless the graph's gids are 0, 1, 2, ..., so that row i is node i. */
static pen_status check_order(const reading *r)
{
    const pen_input_file *file = r->file;
    if (file->way != PEN_INPUT_BY_ROW || file->of_edges || r->dense) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT,
                    "%s: it has no column gid, and the graph's gids are not 0 to %" PRId64
                    ", so that the nodes of its rows are unknown: name the column of the gids, %s:%s",
                    file->path, r->total[0] - 1, file->is_npy ? "NAME,gid,..." : "gid=COLUMN", file->path);
}

/* Collective. Sort the nodes with their arcs over all ranks. */
static pen_status rank_nodes(reading *r)
{
    const pen_input_nodes *nodes = r->nodes;
    int64_t *degrees = NULL;
    pen_status status = PEN_ALLOC(&degrees, nodes->count);
    for (pen_lid i = 0; status == PEN_OK && i < nodes->count; i++) degrees[i] = nodes->rows[i + 1] - nodes->rows[i];
    status = pen_agree(r->comm, status);
    r->ranked = true;
    if (status == PEN_OK) status = pen_ranking_create(r->comm, nodes->count, nodes->gids, degrees, &r->ranking);
    free(degrees);
    return status;
}

/* Collective. Prepare to read a file. */
static pen_status begin(reading *r, double *const *values, const pen_input_column *columns)
{
    PEN_TRY(pen_agree(r->comm, make_room(r, values, columns)));
    PEN_TRY(count_nodes(r));
    PEN_TRY(check_length(r));
    PEN_TRY(check_order(r));
    if (r->file->way == PEN_INPUT_BY_ROW && r->file->of_edges) PEN_TRY(rank_nodes(r));
    if (!r->file->is_npy) return pen_csv_part_open(r->comm, r->file, &r->csv);
    return pen_agree(r->comm, pen_npy_part_open(r->comm, r->file, &r->npy));
}

static void end(reading *r)
{
    pen_csv_part_close(&r->csv);
    pen_npy_part_close(&r->npy);
    pen_input_rows_free(&r->rows);
    if (r->ranked) pen_ranking_free(&r->ranking);
    PEN_FREE_ALL(r->places.where, r->gids, r->others, r->owners, r->messages);
}

/* ---- One piece of a file -------------------------------------------------------------------------- */

/* Refuse rows beyond the number of nodes, and drop them. */
static void drop_surplus(reading *r)
{
    pen_input_rows *rows = &r->rows;
    const int64_t most = r->total[r->file->of_edges] > rows->first ? r->total[r->file->of_edges] - rows->first : 0;
    if (r->file->way != PEN_INPUT_BY_ROW || rows->count <= most) return;
    pen_input_wrong(&rows->fault, rows->where[most], "another row, but the graph has %" PRId64 " nodes", r->total[0]);
    rows->count = most;
}

/* Collective. Find the nodes or arcs that the rows belong to. */
static pen_status name_rows(reading *r, pen_status mine)
{
    const pen_input_rows *rows = &r->rows;
    if (r->file->way != PEN_INPUT_BY_ROW) {
        for (int64_t i = 0; mine == PEN_OK && i < rows->count; i++) {
            r->gids[i] = rows->keys[0][i];
            r->others[i] = r->file->of_edges ? rows->keys[1][i] : 0;
        }
        return mine;
    }
    if (r->ranked)
        return pen_ranking_name(&r->ranking, mine, rows->first, mine == PEN_OK ? rows->count : 0, r->gids, r->others);
    for (int64_t i = 0; mine == PEN_OK && i < rows->count; i++) r->gids[i] = rows->first + i;
    return mine;
}

/* Write the messages to nodes that exist. A row of another node is wrong; its opposite arc is not reported as well. */
static pen_status write_messages(reading *r, pen_blocks *send)
{
    const pen_input_rows *rows = &r->rows;
    const int64_t messages = rows->count * messages_of(r);
    const size_t bytes = (size_t)r->file->count * sizeof(double);
    int64_t kept = 0;
    for (int64_t i = 0; i < messages; i++) {
        const bool back = i >= rows->count;
        const int64_t row = back ? i - rows->count : i, where = rows->where[row];
        if (r->owners[i] == PEN_OWNER_UNKNOWN) {
            if (!back) pen_input_wrong(&r->rows.fault, where, "there is no node %" PRIgid, r->gids[i]);
            continue;
        }
        pen_input_message message = { r->gids[i], r->others[i], back ? ~where : where };
        unsigned char *to = r->messages + (size_t)kept * r->stride;
        memcpy(to, &message, sizeof message);
        memcpy(to + sizeof message, rows->values + row * r->file->count, bytes);
        r->owners[kept++] = r->owners[i];
    }
    return pen_blocks_group(kept, r->owners, r->messages, r->stride, send, NULL);
}

/* Collective. Send the messages to the owners of the nodes. */
static pen_status ship(reading *r, pen_status mine, pen_blocks *received)
{
    pen_blocks send = { 0 };
    const int64_t count = r->rows.count, messages = mine == PEN_OK ? count * messages_of(r) : 0;
    for (int64_t i = count; i < messages; i++) {
        r->gids[i] = r->others[i - count];
        r->others[i] = r->gids[i - count];
    }
    PEN_TRY(r->nodes->resolve(r->nodes->context, mine, messages, r->gids, r->owners));
    pen_status status = pen_sparse_exchange(r->comm, write_messages(r, &send), &send, received);
    pen_blocks_free(&send);
    return status;
}

static void place_all(reading *r, const pen_blocks *received)
{
    const int64_t bytes = pen_blocks_bytes(received);
    for (int64_t at = 0; at < bytes; at += (int64_t)r->stride) {
        const pen_input_message *message = (const pen_input_message *)(const void *)(received->data + at);
        input_place(&r->places, message, (const double *)(const void *)(message + 1), &r->rows.fault);
    }
}

/* Collective. Read a piece on every rank; *more is equal on all ranks. After an error, rows that precede it in the file
 * are still read, since one of them may be the first wrong row. */
static pen_status do_piece(reading *r, bool *more)
{
    pen_blocks received = { 0 };
    bool mine = false;
    int64_t sums[2], any, first;
    pen_status status = r->csv ? pen_csv_part_read(r->csv, r->limit, &r->rows, &mine)
                               : pen_npy_part_read(r->npy, r->limit, &r->rows, &mine);
    if (status == PEN_OK) drop_surplus(r);
    status = name_rows(r, status);
    PEN_TRY(ship(r, status, &received));
    place_all(r, &received);
    pen_blocks_free(&received);
    PEN_TRY(pen_max_int(r->comm, -r->rows.fault.where, &first));
    r->limit = -first;
    sums[0] = r->rows.count;
    PEN_TRY(pen_sum_int(r->comm, sums[0], &sums[1]));
    r->read += sums[1];
    PEN_TRY(pen_max_int(r->comm, mine, &any));
    *more = any != 0;
    return PEN_OK;
}

/* ---- A whole file --------------------------------------------------------------------------------- */

/* Collective. Report the first wrong row, if there is one. */
static pen_status tell_fault(reading *r)
{
    const pen_input_fault *fault = &r->rows.fault;
    pen_status status = PEN_OK;
    if (r->limit == INT64_MAX) return PEN_OK;
    if (fault->where == r->limit)
        status = r->file->is_npy
                     ? pen_fail(PEN_ERR_INPUT, "%s: row %" PRId64 ": %s", r->file->path, r->limit, fault->text)
                     : pen_fail(PEN_ERR_INPUT, "%s:%" PRId64 ": %s", r->file->path, r->limit, fault->text);
    return pen_agree(r->comm, status);
}

static pen_status tell_missing_arc(const reading *r, pen_gid from, pen_gid to)
{
    const char *strict = strict_column(r);
    char why[128] = "";
    if (strict) snprintf(why, sizeof why, "; %.60s needs a row for each direction of an edge", strict);
    return pen_fail(PEN_ERR_INPUT, "%s: no row for the arc %" PRIgid " %" PRIgid "%s", r->file->path, from, to, why);
}

/* Collective. Check that all nodes or arcs have got values. */
static pen_status check_missing(reading *r)
{
    pen_gid neighbor = 0, lowest = input_missing(&r->places, &neighbor);
    const int64_t mine = lowest < 0 ? -1 : INT64_MAX - lowest;
    int64_t greatest;
    pen_status status = PEN_OK;
    PEN_TRY(pen_max_int(r->comm, mine, &greatest));
    if (greatest < 0) return PEN_OK;
    if (r->file->way == PEN_INPUT_BY_ROW)
        return pen_fail(PEN_ERR_INPUT, "%s: %" PRId64 " rows, but the graph has %" PRId64 " nodes", r->file->path,
                        r->read, r->total[0]);
    if (mine == greatest)
        status = r->file->of_edges ? tell_missing_arc(r, lowest, neighbor)
                                   : pen_fail(PEN_ERR_INPUT, "%s: no row for node %" PRIgid, r->file->path, lowest);
    return pen_agree(r->comm, status);
}

/* Collective. *single becomes the number of edges with one row if other edges have two, else 0. */
static pen_status count_single(const reading *r, int64_t *single)
{
    int64_t count = 0;
    for (int64_t i = 0; i < r->places.count; i++) count += r->places.where[i] < 0;
    PEN_TRY(pen_sum_int(r->comm, count, &count));
    *single = 2 * count < r->total[1] ? count : 0;
    return PEN_OK;
}

/* Collective. Read all pieces. */
static pen_status read_all(reading *r, int64_t *single)
{
    for (bool more = true; more;) PEN_TRY(do_piece(r, &more));
    PEN_TRY(tell_fault(r));
    PEN_TRY(check_missing(r));
    return r->file->of_edges ? count_single(r, single) : PEN_OK;
}

static void fill_otherwise(const pen_input_files *files, const pen_input_nodes *nodes, double *const *values)
{
    for (int c = 0; c < files->own; c++) {
        int64_t count = files->columns[c].of_edges ? (int64_t)nodes->rows[nodes->count] : nodes->count;
        const double otherwise = pen_input_otherwise(&files->columns[c]);
        for (int64_t i = 0; i < count && files->file[c] < 0; i++) values[c][i] = otherwise;
    }
}

/* Collective. Read one file. */
static pen_status read_file(const pen_input_file *file, const pen_input_column *columns, const pen_input_nodes *nodes,
                            double *const *values, int64_t *single)
{
    reading r = { .file = file, .nodes = nodes, .comm = nodes->comm, .limit = INT64_MAX, .rows.fault = PEN_NO_FAULT };
    pen_status status = begin(&r, values, columns);
    if (status == PEN_OK) status = read_all(&r, single);
    end(&r);
    return status;
}

pen_status pen_input_read(const pen_input_files *files, const pen_input_nodes *nodes, double *const *values)
{
    PEN_C_LOCALE;
    fill_otherwise(files, nodes, values);
    for (int i = 0; i < files->count; i++)
        PEN_TRY(read_file(&files->of[i], files->columns, nodes, values, &files->of[i].single));
    return PEN_OK;
}

pen_status pen_input_read_places(const pen_input_files *files, const pen_input_nodes *nodes, double *const *values)
{
    PEN_C_LOCALE;
    return read_file(&files->places, files->columns, nodes, values, NULL);
}

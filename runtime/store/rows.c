/* rows.c - ships adjacency rows to the ranks that own their nodes. */
#include "store/rows.h"
#include "base/memory.h"

#include <stdlib.h>

static void pack_row(const pen_graph *graph, const pen_row_format *format, pen_lid i, int64_t *record)
{
    int64_t degree = graph->rows[i + 1] - graph->rows[i];
    size_t bytes = (size_t)degree * sizeof(int64_t);
    record[0] = pen_graph_gid(graph, i);
    record[1] = degree;
    memcpy(record + PEN_ROW_NEIGHBORS_AT, graph->neighbors + graph->rows[i], bytes);
    if (format->edge_weights)
        memcpy(record + PEN_ROW_NEIGHBORS_AT + degree, graph->edge_weights + graph->rows[i], bytes);
    if (format->loads) record[pen_row_load_at(format, degree)] = pen_graph_load(graph, i);
    if (graph->dimensions > 0)
        memcpy(record + pen_row_coordinates_at(format, degree), graph->coordinates + (int64_t)i * graph->dimensions,
               (size_t)graph->dimensions * sizeof *graph->coordinates);
}

static pen_status pack(const pen_comm *comm, const pen_graph *graph, const pen_row_format *format, const int32_t *owner,
                       pen_blocks *send)
{
    int64_t *bytes; /* allocated once per communicator, for this call only */
    PEN_TRY(PEN_ALLOC_ZERO(&bytes, comm->size));
    for (pen_lid i = 0; i < graph->count; i++)
        bytes[owner[i]] += 8 * pen_row_words(format, graph->rows[i + 1] - graph->rows[i]);
    pen_status status = pen_blocks_open(comm->size, bytes, send);
    for (pen_lid i = 0; status == PEN_OK && i < graph->count; i++) {
        pack_row(graph, format, i, (int64_t *)(void *)(send->data + bytes[owner[i]]));
        bytes[owner[i]] += 8 * pen_row_words(format, graph->rows[i + 1] - graph->rows[i]);
    }
    free(bytes);
    return status;
}

typedef struct labelled_record {
    /* The gid; the first member, because records are sorted by it. A copy, since comparing through pointers misses the
     * cache. */
    pen_gid gid;
    int64_t *record;
} labelled_record;

static pen_status sort_records(pen_rows *rows)
{
    labelled_record *labels;
    PEN_TRY(PEN_ALLOC(&labels, rows->count));
    for (pen_lid i = 0; i < rows->count; i++)
        labels[i] = (labelled_record){ pen_row_gid(rows->records[i]), rows->records[i] };
    qsort(labels, (size_t)rows->count, sizeof *labels, pen_by_gid);
    for (pen_lid i = 0; i < rows->count; i++) rows->records[i] = labels[i].record;
    free(labels);
    return PEN_OK;
}

pen_status pen_rows_index(pen_rows *rows)
{
    int64_t *words = (int64_t *)(void *)rows->blocks.data;
    int64_t end = rows->blocks.count ? rows->blocks.offsets[rows->blocks.count] / 8 : 0, count = 0, room = 0;
    /* False if gids of arriving records do not ascend, as happens if the graph's gids are not dense. */
    bool sorted = true;
    for (int64_t at = 0; at < end; at += pen_row_words(&rows->format, words[at + 1])) {
        if (count == room) {
            room = room ? 2 * room : 256;
            PEN_TRY(PEN_REALLOC(&rows->records, room));
        }
        sorted = sorted && (count == 0 || pen_row_gid(rows->records[count - 1]) < words[at]);
        rows->records[count++] = words + at;
    }
    PEN_TRY(pen_to_lid(count, "nodes", &rows->count));
    return sorted ? PEN_OK : sort_records(rows);
}

pen_status pen_rows_ship(pen_comm *comm, const pen_graph *graph, const int32_t *owner, pen_rows *rows)
{
    *rows = (pen_rows){ .format = { .loads = graph->weight_count > 0,
                                    .edge_weights = graph->edge_weights != NULL,
                                    .dimensions = graph->dimensions } };
    pen_blocks send = { 0 };
    pen_status status = pack(comm, graph, &rows->format, owner, &send);
    status = pen_sparse_exchange(comm, status, &send, &rows->blocks);
    pen_blocks_free(&send);
    if (status == PEN_OK) status = pen_agree(comm, pen_rows_index(rows));
    if (status != PEN_OK) pen_rows_free(rows);
    return status;
}

void pen_rows_free(pen_rows *rows)
{
    free(rows->records);
    pen_blocks_free(&rows->blocks);
    memset(rows, 0, sizeof *rows);
}

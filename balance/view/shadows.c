/* shadows.c - sends records of nodes to the ranks that have them as shadows. */
#include "view/shadows.h"
#include "base/key_table.h"
#include "base/memory.h"

/* Records that are sent to other ranks, and the numbers of these. */
typedef struct letters {
    int64_t count, room;
    int *to;
    unsigned char *records;
} letters;

static pen_status add(letters *l, int rank, const void *record, size_t size)
{
    if (l->count == l->room) {
        l->room = 2 * l->room + 64;
        PEN_TRY(PEN_REALLOC(&l->to, l->room));
        PEN_TRY(PEN_REALLOC(&l->records, l->room * (int64_t)size));
    }
    l->to[l->count] = rank;
    memcpy(l->records + (size_t)l->count++ * size, record, size);
    return PEN_OK;
}

/* Write one record of every node for each rank that has neighbours of the node. */
static pen_status write_all(const pen_load_view *view, pen_lid count, const pen_lid *nodes, const void *records,
                            size_t size, letters *l)
{
    for (pen_lid i = 0; i < count; i++) {
        int64_t first = l->count;
        for (uint32_t a = view->rows[nodes[i]]; a < view->rows[nodes[i] + 1]; a++) {
            if (view->columns[a] < view->count) continue;
            int rank = view->owners[view->columns[a] - view->count];
            bool told = false;
            for (int64_t k = first; k < l->count && !told; k++) told = l->to[k] == rank;
            if (!told) PEN_TRY(add(l, rank, (const char *)records + (size_t)i * size, size));
        }
    }
    return PEN_OK;
}

static pen_status read_all(const pen_load_view *view, const pen_blocks *received, size_t size, void *theirs)
{
    const pen_gid *gids = view->gids + view->count;
    int64_t bytes = received->count > 0 ? received->offsets[received->count] : 0;
    pen_key_table places = { 0 };
    pen_status status = pen_key_table_fit(&places, view->shadows);
    for (pen_lid k = 0; k < view->shadows && status == PEN_OK; k++)
        *pen_key_entry(&places, gids, sizeof *gids, (uint64_t)gids[k]) = (uint32_t)k + 1;
    for (int64_t at = 0; at < bytes && status == PEN_OK; at += (int64_t)size) {
        pen_gid gid;
        memcpy(&gid, received->data + at, sizeof gid);
        uint32_t entry = *pen_key_entry(&places, gids, sizeof *gids, (uint64_t)gid);
        if (entry == 0) status = pen_fail(PEN_ERR_INTERNAL, "an update of %" PRIgid ", which is not a shadow", gid);
        else memcpy((char *)theirs + (size_t)(entry - 1) * size, received->data + at, size);
    }
    pen_key_table_free(&places);
    return status;
}

pen_status pen_shadows_tell(pen_peers *peers, const pen_load_view *view, pen_lid count, const pen_lid *nodes,
                            const void *records, size_t size, void *theirs)
{
    letters l = { 0 };
    const pen_parcels *send = NULL;
    const pen_blocks *received = NULL;
    pen_status status = write_all(view, count, nodes, records, size, &l);
    if (status == PEN_OK) status = peers->group(peers, l.count, l.to, l.records, size, NULL, &send);
    if (status == PEN_OK) status = peers->exchange(peers, true, send, &received);
    if (status == PEN_OK) status = read_all(view, received, size, theirs);
    PEN_FREE_ALL(l.to, l.records);
    return status;
}

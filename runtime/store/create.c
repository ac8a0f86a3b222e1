#include "store/create.h"
#include "base/memory.h"
#include "store/place.h"

/* Collective. Tell the directory whose these nodes are. */
static pen_status announce(pen_store *store, const pen_rows *rows)
{
    pen_gid *gids = NULL;
    int32_t *owners = NULL;
    pen_status status = PEN_ALLOC(&gids, rows->count);
    if (status == PEN_OK) status = PEN_ALLOC(&owners, rows->count);
    for (pen_lid i = 0; status == PEN_OK && i < rows->count; i++) {
        gids[i] = pen_row_gid(rows->records[i]);
        owners[i] = store->comm->rank;
    }
    status = pen_directory_update(store->directory, status, rows->count, gids, owners, NULL);
    PEN_FREE_ALL(gids, owners);
    return status;
}

static pen_status fill(pen_store *store, const pen_rows *rows)
{
    PEN_TRY(pen_directory_create(store->comm, rows->count, &store->directory));
    PEN_TRY(announce(store, rows));
    pen_placing placing = { .store = store, .rows = rows };
    pen_status status = pen_place(&placing);
    if (status == PEN_OK) pen_place_settle(&placing);
    pen_placing_free(&placing);
    return status;
}

pen_status pen_store_create(pen_comm *comm, const pen_graph *graph, const int32_t *owner, const pen_field *fields,
                            int field_count, pen_store **store)
{
    pen_store *s = NULL;
    pen_status status = pen_agree(comm, pen_store_new(comm, fields, field_count, &s));
    if (status == PEN_OK) {
        pen_rows rows;
        s->directed = graph->directed;
        status = pen_rows_ship(comm, graph, owner, &rows);
        if (status == PEN_OK) {
            status = fill(s, &rows);
            pen_rows_free(&rows);
        }
    }
    if (status != PEN_OK) {
        pen_store_destroy(&s);
        return status;
    }
    *store = s;
    return PEN_OK;
}

/* store.c - the arrays and planes of one rank's nodes. */
#include "store/store.h"
#include "base/memory.h"

#include <stdlib.h>

pen_status pen_store_new(pen_comm *comm, const pen_field *fields, int field_count, pen_store **store)
{
    pen_store *s;
    PEN_TRY(PEN_ALLOC_ZERO(&s, 1));
    s->comm = comm;
    s->fields = fields;
    s->field_count = field_count;
    s->window.mpi = MPI_WIN_NULL;
    pen_status status = PEN_ALLOC(&s->sizes, field_count);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&s->offsets, 2 * (int64_t)field_count);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&s->plane, field_count);
    if (status != PEN_OK) {
        pen_store_destroy(&s);
        return status;
    }
    for (int f = 0; f < field_count; f++) s->sizes[f] = fields[f].size;
    *store = s;
    return PEN_OK;
}

bool pen_block_is_waste(const pen_block *block, int64_t needed)
{
    enum { TIMES = 4, LITTLE = 1 << 12 };
    return block->bytes > TIMES * needed + LITTLE;
}

void pen_block_free(pen_block *block)
{
    free(block->memory);
    *block = (pen_block){ NULL, 0 };
}

pen_status pen_store_array(pen_store *store, int block, int64_t count, size_t size, bool slack, void *array)
{
    pen_block *b = &store->blocks[block];
    int64_t bytes = count * (int64_t)size;
    if (!b->memory || b->bytes < bytes || pen_block_is_waste(b, bytes)) {
        if (slack) bytes += bytes / 8;
        pen_block_free(b);
        PEN_TRY(pen_alloc(&b->memory, bytes, 1));
        b->bytes = bytes;
    }
    memcpy(array, &b->memory, sizeof b->memory);
    return PEN_OK;
}

pen_status pen_store_places(const pen_store *store, const double **places, double **made)
{
    const int dimensions = pen_store_dimensions(store);
    const pen_lid all = store->owned + store->shadows;
    *places = store->coordinates;
    *made = NULL;
    if (dimensions == store->dimensions) return PEN_OK;
    PEN_TRY(PEN_ALLOC(made, (int64_t)all * dimensions));
    for (pen_lid s = 0; s < all; s++) {
        double at[3];
        pen_grid_place(&store->grid, store->gids[s], at);
        memcpy(*made + (int64_t)s * dimensions, at, (size_t)dimensions * sizeof *at);
    }
    *places = *made;
    return PEN_OK;
}

pen_status pen_store_describe_edges(pen_store *store, int count, const size_t *sizes)
{
    PEN_TRY(PEN_ALLOC(&store->edge_sizes, count));
    PEN_TRY(PEN_ALLOC_ZERO(&store->edges, count));
    if (count > 0) memcpy(store->edge_sizes, sizes, (size_t)count * sizeof *sizes);
    store->edge_field_count = count;
    return PEN_OK;
}

static int64_t pad(int64_t bytes) { return (bytes + PEN_CACHE_LINE - 1) / PEN_CACHE_LINE * PEN_CACHE_LINE; }

pen_status pen_store_lay_edges(pen_store *store, int64_t arcs, bool slack)
{
    int64_t bytes = 0;
    unsigned char *at;
    if (store->edge_field_count == 0) return PEN_OK;
    for (int e = 0; e < store->edge_field_count; e++) bytes += pad(arcs * (int64_t)store->edge_sizes[e]);
    PEN_TRY(pen_store_array(store, PEN_EDGE_RECORDS, bytes, 1, slack, &at));
    for (int e = 0; e < store->edge_field_count; e++) {
        store->edges[e] = at;
        at += pad(arcs * (int64_t)store->edge_sizes[e]);
    }
    return PEN_OK;
}

size_t pen_store_edge_bytes(const pen_store *store)
{
    size_t bytes = 0;
    for (int e = 0; e < store->edge_field_count; e++) bytes += store->edge_sizes[e];
    return bytes;
}

int64_t pen_store_offset(const pen_store *store, pen_lid capacity, bool swapped, int field, int plane)
{
    int64_t offset = 0;
    for (int f = 0; f <= field; f++) {
        if (f == store->field_count) break;
        int64_t bytes = (int64_t)capacity * (int64_t)store->sizes[f];
        int64_t padded = pad(bytes);
        if (f == field) return offset + (plane ^ swapped) * padded;
        offset += 2 * padded;
    }
    return offset;
}

int64_t pen_store_window_bytes(const pen_store *store)
{
    return pen_store_offset(store, store->capacity, false, store->field_count, 0);
}

static void set_offsets(pen_store *store)
{
    for (int f = 0; f < store->field_count; f++)
        for (int plane = 0; plane < 2; plane++)
            store->offsets[2 * f + plane] = pen_store_offset(store, store->capacity, store->swapped, f, plane);
}

pen_status pen_store_open(pen_store *store, pen_window_kind kind, int64_t bytes)
{
    set_offsets(store);
    return pen_window_create(store->comm, kind, bytes, &store->window);
}

void pen_store_borrow(pen_store *store, const pen_window *window)
{
    store->window = window ? *window : (pen_window){ .mpi = MPI_WIN_NULL };
    if (window) set_offsets(store);
}

static void free_partners(pen_partner *partners, int count)
{
    for (int i = 0; i < count; i++) free(partners[i].slots);
    free(partners);
}

void pen_store_destroy(pen_store **store)
{
    if (!store || !*store) return;
    pen_store *s = *store;
    pen_window_destroy(&s->window);
    pen_directory_destroy(&s->directory);
    pen_pages_destroy(&s->slot_of);
    free_partners(s->producers, s->producer_count);
    free_partners(s->consumers, s->consumer_count);
    for (int i = 0; i < PEN_BLOCKS; i++) PEN_FREE_ALL(s->blocks[i].memory, s->spares[i].memory);
    for (int i = 0; s->made && i < s->value_count; i++) free(s->made[i]);
    PEN_FREE_ALL(s->sizes, s->edge_sizes, s->edges, s->offsets, s->plane, s->values, s->made, s);
    *store = NULL;
}

int64_t pen_store_memory_used(const pen_store *store)
{
    int64_t bytes = 0;
    for (int i = 0; i < PEN_BLOCKS; i++) bytes += store->blocks[i].bytes + store->spares[i].bytes;
    for (int i = 0; store->values && i < store->value_count; i++)
        bytes += (int64_t)store->values[i].bytes * store->owned;
    bytes += pen_directory_memory_used(store->directory) + pen_pages_memory_used(store->slot_of);
    return bytes + store->window.bytes;
}

pen_status pen_store_not_owner(const pen_store *store, pen_gid gid)
{
    return pen_fail(PEN_ERR_INTERNAL, "the directory says that rank %d owns node %" PRIgid ", which it does not",
                    store->comm->rank, gid);
}

void pen_store_name_owners(const pen_store *store, int32_t *owners)
{
    for (int p = 0; p < store->producer_count; p++)
        for (pen_lid i = 0; i < store->producers[p].count; i++) *owners++ = store->producers[p].rank;
}

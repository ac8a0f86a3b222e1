/* store.h - the nodes of one rank: slots, adjacency, fields and planes.
 *
 * Slots [0, boundary) have the boundary nodes: owned nodes that other ranks read. They are sorted by the set of
 * these ranks, so that the pull of each consumer consists of a few long stretches. Slots [boundary, owned) have the
 * interior nodes, in ascending order of gids (the natural order) or in an order that makes better use of the cache
 * (ordering.h). Slots [owned, owned + shadows) have the shadows, by rank of the producer and then by the producer's
 * slots, so that a pull copies contiguous slots to contiguous slots. No slot is empty. Each field has two planes of
 * `capacity` records in the window. */
#pragma once

#include "directory/directory.h"
#include "directory/pages.h"
#include "graph/order.h"
#include "store/rows.h"
#include "store/window.h"

/* The nodes that this rank pulls from another rank, or that the other rank pulls from this one. */
typedef struct pen_partner {
    int rank;
    pen_lid count;
    pen_lid *slots; /* [count] slots of the nodes in their owner's numbering, ascending */
} pen_partner;

/* The large arrays of a store. Each migration fills a new set of them. The memory of the old set is kept for the
 * next migration, since the page faults of fresh memory cost as much as filling it. The last ones are needed during
 * a migration only. */
enum {
    PEN_ROWS,
    PEN_COLUMNS,
    PEN_GIDS,
    PEN_NODE_WEIGHTS,
    PEN_EDGE_WEIGHTS,
    PEN_COORDINATES,
    PEN_READERS,
    PEN_EDGE_RECORDS,
    PEN_OF_STORE,
    PEN_OWNER = PEN_OF_STORE,
    PEN_SLOT,
    PEN_ID,
    PEN_BLOCKS
};

typedef struct pen_block {
    void *memory;
    int64_t bytes;
} pen_block;

/* Local. Whether a block is so much larger than needed that its memory should be freed; and free a block. */
bool pen_block_is_waste(const pen_block *block, int64_t needed);
void pen_block_free(pen_block *block);

/* The order of interior nodes in memory. */
typedef struct pen_ordering {
    pen_order asked, is; /* the requested order, and the present one; `is` is PEN_ORDER_AUTO until an order is chosen */
    pen_locality natural; /* locality of the first nodes in their natural order */
    pen_locality now;     /* locality of the present order when it was last measured */
    double chosen;        /* misses of the present order when it was chosen */
    int64_t strangers;    /* number of nodes that have arrived since the last measurement */
    bool worse;           /* the order has become worse; the next migration chooses again */
} pen_ordering;

/* Values of each owned node that a caller keeps. They follow the nodes through changes of the store. */
typedef struct pen_node_values {
    size_t bytes;  /* bytes of a node's values, a multiple of 8; 0: there are none */
    bool ships;    /* values move with their nodes; otherwise a migration makes all of them zero */
    bool inherits; /* a new node gets the values of the node that requested it, else zeros */
    void *of;      /* [owned*bytes] values by slot, allocated by malloc; a change replaces the array */
} pen_node_values;

typedef struct pen_store {
    pen_comm *comm;          /* the run's communicator, not owned */
    const pen_field *fields; /* [field_count] the application's fields */
    int field_count;
    size_t *sizes;      /* [field_count] bytes of a record of each field */
    uint64_t transient; /* bit set of the fields whose records are dropped when the store changes */

    bool directed; /* whether the graph is directed */
    pen_ordering ordering;
    pen_lid boundary, owned, shadows, capacity;
    uint32_t *rows;        /* [owned+1] CSR row pointers */
    pen_lid *columns;      /* [rows[owned]] slots of the neighbours, ascending by gid within a row */
    pen_gid *gids;         /* [owned+shadows] gids by slot */
    int64_t *node_weights; /* [owned] weights of the nodes, or NULL */
    int64_t *edge_weights; /* [rows[owned]] weights of the edges, or NULL */
    pen_world grid;        /* the grid, if the graph was generated as one and has not changed; else its width is 0 */
    int dimensions;        /* dimensions of the coordinates; 0: the graph has none */
    double *coordinates;   /* [(owned+shadows)*dimensions] coordinates, node by node, or NULL */
    int32_t *readers;      /* [owned] number of nodes that read each node; NULL if the graph is undirected */

    pen_node_values *values; /* [value_count] the callers' values, which the caller describes before each change */
    int value_count;
    void **made; /* [value_count] arrays of values that a change is filling; they are not in use yet */

    int edge_field_count;
    size_t *edge_sizes; /* [edge_field_count] bytes of an arc's record of each edge field */
    void **edges; /* [edge_field_count] records of the arcs, [rows[owned]] for each edge field; all in one block */

    /* Producers own this rank's shadows: the first producer's shadows begin at slot `owned`, the next one's follow.
     * Consumers shadow nodes of this rank. Both ascending by rank. */
    pen_partner *producers, *consumers;
    int producer_count, consumer_count;

    pen_directory *directory; /* finds the owner of each gid */
    /* Version of the store: the number of migrations and changes of the graph so far, equal on all ranks. */
    int32_t migrations;
    pen_pages *slot_of; /* maps gids of owned nodes and shadows to slots */

    pen_block blocks[PEN_BLOCKS]; /* memory of the arrays above */
    pen_block spares[PEN_BLOCKS]; /* memory for the next migration */

    pen_window window;
    bool swapped; /* in this rank's memory, plane 1 of each field comes before plane 0 */
    /* [2*field_count] offsets of this rank's planes in the window; plane p of field f has index 2*f+p. */
    int64_t *offsets;
    int *plane; /* [field_count] the current plane, 0 or 1; equal on all ranks */
} pen_store;

/* Local. An empty store, to be filled (create_store.h, change.h). `fields` must outlive it. */
PEN_CHECKED pen_status pen_store_new(pen_comm *comm, const pen_field *fields, int field_count, pen_store **store);

/* Local. Room for `count` elements in a block; *array points to it, contents unspecified. With `slack`, a block that
 * is larger than its spare gets some more room for later growth. A spare that is four times too large is freed. */
PEN_CHECKED pen_status pen_store_array(pen_store *store, int block, int64_t count, size_t size, bool slack,
                                       void *array);

/* Local. Bytes of a record that are kept when nodes move or the graph changes; 0 for a transient field. */
static inline size_t pen_store_carried(const pen_store *store, int field)
{
    return store->transient >> field & 1 ? 0 : store->sizes[field];
}

/* Local. Set the sizes of the records of arcs, [count]. No record exists yet. */
PEN_CHECKED pen_status pen_store_describe_edges(pen_store *store, int count, const size_t *sizes);

/* Local. Allocate the records of `arcs` arcs, contents unspecified. */
PEN_CHECKED pen_status pen_store_lay_edges(pen_store *store, int64_t arcs, bool slack);

/* Local. The sum of the sizes of an arc's records. */
size_t pen_store_edge_bytes(const pen_store *store);

/* Collective. Make the window of the given kind, with `bytes` of payload: the planes, followed by the halo's part. */
PEN_CHECKED pen_status pen_store_open(pen_store *store, pen_window_kind kind, int64_t bytes);

/* Local. The dimensions of the nodes' places: of their coordinates, or of the grid; 0: nodes have no places. */
static inline int pen_store_dimensions(const pen_store *store)
{
    return store->dimensions > 0 ? store->dimensions : pen_grid_dimensions(&store->grid);
}

/* Local. The failure of a rank that does not own a node although the directory says so: PEN_ERR_INTERNAL. */
pen_status pen_store_not_owner(const pen_store *store, pen_gid gid);

/* The slot of an owned node; -1: this rank owns no such node. */
static inline pen_lid pen_store_slot(const pen_store *store, pen_gid gid)
{
    const uint64_t *slot = gid >= 0 ? pen_pages_find(store->slot_of, gid) : NULL;
    return slot && *slot < (uint64_t)store->owned ? (pen_lid)*slot : -1;
}

/* Local. The places of owned nodes and shadows, *places[(owned+shadows)*pen_store_dimensions]: the store's
 * coordinates, or those that follow from the grid, in memory that the caller frees (*made). PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_store_places(const pen_store *store, const double **places, double **made);

/* Local. Use the window of another store, with the same capacity; NULL: stop using it. */
void pen_store_borrow(pen_store *store, const pen_window *window);

/* Local. Payload bytes that the planes need on this rank. */
int64_t pen_store_window_bytes(const pen_store *store);

/* Collective where the store has a window, else Local. Nulls *store; NULL and a null handle are legal. */
void pen_store_destroy(pen_store **store);

/* Local. Offset in the payload of plane 0 or 1 of a field, on a rank with that capacity, whose planes are swapped
 * or not. The offset of field field_count, plane 0, not swapped, is the size of the payload. */
int64_t pen_store_offset(const pen_store *store, pen_lid capacity, bool swapped, int field, int plane);

/* Local. This rank's plane of a field: the current one (which = 0) or the other (which = 1). */
static inline unsigned char *pen_store_plane(const pen_store *store, int field, int which)
{
    return pen_window_payload(&store->window) + store->offsets[2 * field + (store->plane[field] ^ which)];
}

/* Local. Exchange the planes of these fields, given as a bit set. */
static inline void pen_store_swap_planes(pen_store *store, uint64_t fields)
{
    for (int f = 0; f < store->field_count; f++)
        if (fields >> f & 1) store->plane[f] ^= 1;
}

/* Local. Bytes of memory held by this rank: for adjacency and tables, and for the window. */
int64_t pen_store_memory_used(const pen_store *store);

/* Local. Get the owners of the shadows, owners[shadows]. */
void pen_store_name_owners(const pen_store *store, int32_t *owners);

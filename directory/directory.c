/* directory.c - finds and changes the owners of gids. */
#include "directory/directory.h"
#include "base/memory.h"
#include "directory/batch.h"
#include "directory/entries.h"

#include <math.h>
#include <stdlib.h>

pen_status pen_directory_create_within(pen_comm *comm, int64_t expected, pen_directory **directory)
{
    pen_directory *new;
    pen_status status = PEN_ALLOC_ZERO(&new, 1);
    if (status == PEN_OK) status = pen_given(directory, "the directory");
    if (status == PEN_OK) status = pen_pages_create(expected, &new->pages);
    status = pen_agree(comm, status);
    if (status != PEN_OK) {
        pen_directory_destroy(&new);
        return status;
    }
    new->comm = comm;
    *directory = new;
    return PEN_OK;
}

pen_status pen_directory_create(MPI_Comm comm, int64_t expected, pen_directory **directory)
{
    pen_comm *own;
    PEN_TRY(pen_mpi_ready());
    PEN_ARGUMENT(comm != MPI_COMM_NULL, "the communicator is MPI_COMM_NULL");
    PEN_TRY(pen_comm_create(comm, &own));
    pen_status status = pen_directory_create_within(own, expected, directory);
    if (status == PEN_OK) (*directory)->own = own;
    else pen_comm_destroy(&own);
    return status;
}

void pen_directory_destroy(pen_directory **directory)
{
    if (!directory || !*directory) return;
    if ((*directory)->own) pen_mpi_require("pen_directory_destroy");
    pen_comm_destroy(&(*directory)->own);
    pen_pages_destroy(&(*directory)->pages);
    free(*directory);
    *directory = NULL;
}

/* ---- Resolve and remove --------------------------------------------------------------------- */

typedef pen_page_mask item; /* an item of a batch */

/* Write the owners of the gids of an item. */
static int64_t reply_to_item(pen_pages *pages, item question, int32_t *owners)
{
    pen_page_walk walk = pen_pages_page(pages, question.page);
    int64_t n = 0;
    for (uint64_t left = question.mask; left; left &= left - 1) {
        const uint64_t *entry = pen_page_step(&walk, left & -left);
        owners[n++] = entry ? pen_entry_owner(*entry) : PEN_OWNER_UNKNOWN;
    }
    return n;
}

static void reply(const pen_directory *directory, pen_inquiry *inquiry)
{
    int32_t *owners = (int32_t *)(void *)inquiry->outgoing.data;
    int64_t gids = 0;
    for (int b = 0; b < inquiry->received.count; b++) {
        item items[PEN_PAGES_TOGETHER];
        pen_batch_reader reader = pen_batch_open(&inquiry->received, b, &gids);
        for (int n; (n = pen_batch_read(&reader, items, NULL)) > 0;) {
            pen_pages_prefetch(directory->pages, n, items);
            for (int i = 0; i < n; i++) owners += reply_to_item(directory->pages, items[i], owners);
        }
    }
}

/* Group the gids of a call by their homes, and prepare an owner for each gid of the received blocks. */
static pen_status build_questions(const pen_directory *directory, int64_t count, const pen_gid *gids, pen_batch *b,
                                  int64_t **reply_bytes)
{
    PEN_TRY(pen_batch_build(directory->comm->size, PEN_BATCH_GIDS, count, gids, b));
    PEN_TRY(PEN_ALLOC_ZERO(reply_bytes, b->blocks.count));
    for (int i = 0; i < b->blocks.count; i++) {
        (void)pen_batch_open(&b->blocks, i, &(*reply_bytes)[i]);
        (*reply_bytes)[i] *= (int64_t)sizeof(int32_t);
    }
    return PEN_OK;
}

pen_status pen_directory_resolve_with(pen_directory *directory, pen_status mine, int64_t count, const pen_gid *gids,
                                      int32_t *owners)
{
    PEN_ARGUMENT(directory, "pen_directory_resolve: the directory is NULL");
    pen_batch b = { 0 };
    pen_inquiry inquiry;
    int64_t *reply_bytes = NULL;
    if (mine == PEN_OK && count > 0) mine = pen_given(owners, "the owners");
    if (mine == PEN_OK) mine = build_questions(directory, count, gids, &b, &reply_bytes);
    pen_status status = pen_sparse_request(directory->comm, mine, &b.blocks, reply_bytes, &inquiry);
    if (status == PEN_OK) {
        reply(directory, &inquiry);
        status = pen_sparse_reply(directory->comm, &inquiry);
    }
    /* Replies arrive in the order of ranks, like the questions that were sent. */
    const int32_t *found = (const int32_t *)(const void *)inquiry.replies.data;
    pen_batch_cursor cursor = PEN_BATCH_START;
    for (int64_t i = 0; status == PEN_OK && i < count; i++) owners[i] = found[pen_batch_find(&b, &cursor, i, gids[i])];
    free(reply_bytes);
    pen_inquiry_free(&inquiry);
    pen_batch_free(&b);
    return status;
}

pen_status pen_directory_resolve(pen_directory *directory, int64_t count, const pen_gid *gids, int32_t *owners)
{
    PEN_TRY(pen_mpi_ready());
    return pen_directory_resolve_with(directory, PEN_OK, count, gids, owners);
}

pen_status pen_directory_remove(pen_directory *directory, int64_t count, const pen_gid *gids)
{
    PEN_TRY(pen_mpi_ready());
    PEN_ARGUMENT(directory, "pen_directory_remove: the directory is NULL");
    pen_batch b = { 0 };
    pen_blocks received;
    pen_status status = pen_batch_build(directory->comm->size, PEN_BATCH_GIDS, count, gids, &b);
    status = pen_sparse_exchange(directory->comm, status, &b.blocks, &received);
    for (int block = 0; status == PEN_OK && block < received.count; block++) {
        int64_t gone = 0;
        item items[PEN_PAGES_TOGETHER];
        pen_batch_reader reader = pen_batch_open(&received, block, &gone);
        for (int n; (n = pen_batch_read(&reader, items, NULL)) > 0;)
            for (int i = 0; i < n; i++)
                for (uint64_t left = items[i].mask; left; left &= left - 1)
                    pen_pages_remove(directory->pages, pen_page_gid(items[i].page, __builtin_ctzll(left)));
    }
    if (status == PEN_OK) pen_pages_compact(directory->pages);
    pen_blocks_free(&received);
    pen_batch_free(&b);
    return status;
}

/* ---- Update --------------------------------------------------------------------------------- */

/* Set *known to the newer of two entries of a gid. */
static pen_status merge(pen_gid gid, uint64_t *known, uint64_t update)
{
    if (update >> 32 > *known >> 32) {
        *known = update;
    } else if (update >> 32 == *known >> 32 && update != *known) {
        return pen_fail(PEN_ERR_INPUT,
                        "gid %" PRIgid " has two owners, ranks %" PRId32 " and %" PRId32 ", since its move %" PRIu64,
                        gid, pen_entry_owner(*known), pen_entry_owner(update), (update >> 32) - 1);
    }
    return PEN_OK;
}

/* The arguments of a rank's update. */
typedef struct owner_update {
    int64_t count;
    const pen_gid *gids;     /* [count] gids */
    const int32_t *owners;   /* [count] owners of the gids */
    const int32_t *versions; /* [count] versions of the gids, or NULL */
} owner_update;

/* Build the blocks for the homes, with the newest entry of each gid. */
static pen_status build_updates(const pen_directory *directory, const owner_update *c, pen_batch *b)
{
    enum { AHEAD = 16 };
    int ranks = directory->comm->size;
    if (c->count > 0) PEN_TRY(pen_given(c->owners, "the owners"));
    PEN_TRY(pen_batch_build(ranks, PEN_BATCH_ENTRIES, c->count, c->gids, b));
    uint64_t *words = (uint64_t *)(void *)b->blocks.data;
    pen_batch_cursor cursor = PEN_BATCH_START;
    for (int64_t i = 0; i < c->count; i++) {
        if (i + AHEAD < c->count) pen_batch_prefetch(b, i + AHEAD);
        pen_gid gid = c->gids[i];
        int32_t owner = c->owners[i], version = c->versions ? c->versions[i] : 0;
        PEN_ARGUMENT(owner >= 0 && owner < ranks, "gid %" PRIgid ": owner %" PRId32 ", must be 0..%d", gid, owner,
                     ranks - 1);
        PEN_ARGUMENT(version >= 0, "gid %" PRIgid ": version %" PRId32 ", must be >= 0", gid, version);
        PEN_TRY(merge(gid, &words[pen_batch_find(b, &cursor, i, gid)], pen_entry_of(owner, version)));
    }
    return PEN_OK;
}

/* Merge the entries of an update into those of an item's gids, which are present; `had` has those that were present
 * before. Each entry of the update is replaced by the previous entry, 0 if there was none. */
static pen_status apply_item(pen_page_walk known, item update, uint64_t had, uint64_t *entries)
{
    pen_status status = PEN_OK;
    for (uint64_t left = update.mask; left; left &= left - 1, entries++) {
        uint64_t bit = left & -left, old = 0, *entry = pen_page_step(&known, bit);
        if (had & bit) {
            old = *entry;
            if (status == PEN_OK) status = merge(pen_page_gid(update.page, __builtin_ctzll(left)), entry, *entries);
        }
        *entries = old;
    }
    return status;
}

/* Apply the updates of a block. *done is increased by the number of items that must be undone if this or another rank
 * fails. */
static pen_status apply(pen_pages *pages, const pen_blocks *received, int block, int64_t *done)
{
    item items[PEN_PAGES_TOGETHER];
    uint64_t *entries[PEN_PAGES_TOGETHER], had;
    pen_page_walk known;
    int64_t gids = 0;
    pen_batch_reader reader = pen_batch_open(received, block, &gids);
    for (int n; (n = pen_batch_read(&reader, items, entries)) > 0;) {
        pen_pages_prefetch(pages, n, items);
        for (int i = 0; i < n; i++) {
            PEN_TRY(pen_pages_add(pages, items[i].page, items[i].mask, entries[i], &had, &known));
            ++*done;
            PEN_TRY(apply_item(known, items[i], had, entries[i]));
        }
    }
    return PEN_OK;
}

/* Undo the first `done` items of a block. Their order does not matter, since a rank has one entry per gid. */
static void undo(pen_pages *pages, const pen_blocks *received, int block, int64_t done)
{
    item items[PEN_PAGES_TOGETHER];
    uint64_t *entries[PEN_PAGES_TOGETHER];
    int64_t gids = 0;
    pen_batch_reader reader = pen_batch_open(received, block, &gids);
    for (int n; (n = pen_batch_read(&reader, items, entries)) > 0;)
        for (int i = 0; i < n && done-- > 0; i++)
            for (uint64_t left = items[i].mask, *entry = entries[i]; left; left &= left - 1, entry++) {
                pen_gid gid = pen_page_gid(items[i].page, __builtin_ctzll(left));
                if (*entry) *pen_pages_find(pages, gid) = *entry;
                else pen_pages_remove(pages, gid);
            }
}

/* Mark a block's pages, whose hashes ascend, up to a hash in the bitmap. Returns the number of new marks. */
static int64_t mark_pages(pen_batch_reader reader, uint32_t limit, uint64_t *bitmap, uint64_t words)
{
    item items[PEN_PAGES_TOGETHER];
    uint64_t *entries[PEN_PAGES_TOGETHER];
    int64_t marks = 0;
    for (int n; (n = pen_batch_read(&reader, items, entries)) > 0;)
        for (int i = 0; i < n; i++) {
            uint64_t hash = pen_mix(items[i].page), word = pen_hash_range(hash << 32, words), bit = hash >> 32 & 63;
            if ((uint32_t)hash > limit) return marks;
            marks += !(bitmap[word] >> bit & 1);
            bitmap[word] |= UINT64_C(1) << bit;
        }
    return marks;
}

/* Reserve memory for the different pages that were received. Their number is estimated by linear counting (Whang,
 * Vander-Zanden, Taylor, ACM TODS 15(2), 1990); if they are many, those with small hashes are a sample. Skipped if
 * there is no memory for the estimate. */
static void reserve(pen_pages *pages, const pen_blocks *received)
{
    enum { MANY = 1 << 15, SHARE = 8 };
    int64_t most = 0, marks = 0, gids = 0;
    for (int i = 0; i < received->count; i++) {
        pen_batch_reader reader = pen_batch_open(received, i, &gids);
        most += reader.end - reader.next;
    }
    most -= gids; /* apart from entries, each page takes at least a word */
    if (most <= pen_pages_in_use(pages)) return;
    uint32_t share = most > MANY ? SHARE : 1;
    uint64_t *bitmap, words = (uint64_t)most / 8 + 1; /* the bitmap has at least 8 bits per page */
    if (PEN_ALLOC_ZERO(&bitmap, (int64_t)(words / share) + 1) != PEN_OK) return;
    for (int i = 0; i < received->count; i++)
        marks += mark_pages(pen_batch_open(received, i, &gids), UINT32_MAX / share, bitmap, words);
    free(bitmap);
    double bits = 64 * (double)words / share;
    pen_pages_reserve(pages, (int64_t)(1.01 * share * -bits * log1p(-(double)marks / bits)));
}

/* Apply the received updates; if any rank fails, none is applied. */
static pen_status commit(const pen_directory *directory, const pen_blocks *received)
{
    pen_status status = PEN_OK;
    reserve(directory->pages, received);
    int begun = 0;
    int64_t done = 0;
    while (status == PEN_OK && begun < received->count) {
        done = 0;
        status = apply(directory->pages, received, begun++, &done);
    }
    status = pen_agree(directory->comm, status);
    for (; status != PEN_OK && begun > 0; done = INT64_MAX) undo(directory->pages, received, --begun, done);
    return status;
}

pen_status pen_directory_update_with(pen_directory *directory, pen_status mine, int64_t count, const pen_gid *gids,
                                     const int32_t *owners, const int32_t *versions)
{
    PEN_ARGUMENT(directory, "pen_directory_update: the directory is NULL");
    pen_batch b = { 0 };
    pen_blocks received;
    owner_update said = { count, gids, owners, versions };
    if (mine == PEN_OK) mine = build_updates(directory, &said, &b);
    pen_status status = pen_sparse_exchange(directory->comm, mine, &b.blocks, &received);
    /* Freed before the pages grow, which can use this memory: faulting in fresh pages is half of the cost. */
    pen_batch_free(&b);
    if (status == PEN_OK) status = commit(directory, &received);
    pen_blocks_free(&received);
    return status;
}

pen_status pen_directory_update(pen_directory *directory, int64_t count, const pen_gid *gids, const int32_t *owners,
                                const int32_t *versions)
{
    PEN_TRY(pen_mpi_ready());
    return pen_directory_update_with(directory, PEN_OK, count, gids, owners, versions);
}

/* ---- Inspection ----------------------------------------------------------------------------- */

static bool page_is_valid(const void *context, uint64_t page, uint64_t present, const uint64_t *entries)
{
    const pen_directory *directory = context;
    bool valid = pen_page_home(page, directory->comm->size) == directory->comm->rank;
    for (int i = 0; i < pen_page_size(present); i++)
        valid = valid && entries[i] >> 32 > 0 && pen_entry_owner(entries[i]) >= 0 &&
                pen_entry_owner(entries[i]) < directory->comm->size;
    return valid;
}

bool pen_directory_is_valid(const pen_directory *directory)
{
    return pen_pages_is_valid(directory->pages, page_is_valid, directory);
}

int64_t pen_directory_count(const pen_directory *directory) { return pen_pages_count(directory->pages); }

int64_t pen_directory_memory_used(const pen_directory *directory)
{
    return (int64_t)sizeof *directory + pen_pages_memory_used(directory->pages);
}

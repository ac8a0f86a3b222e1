#include "directory.h"
#include "hash.h"
#include "pages.h"
#include "sparse.h"

#include <stdlib.h>

struct pen_directory {
    pen_comm *comm;
    pen_pages *pages; /* entries of the gids whose home is here */
};

/* An entry: version + 1 in the high half, owner in the low one. 0, older than all, is no entry. */
static uint64_t entry_of(int32_t owner, int32_t version) { return ((uint64_t)version + 1) << 32 | (uint32_t)owner; }
static int32_t owner_of(uint64_t entry) { return (int32_t)(entry & UINT32_MAX); }

static int home_of(const pen_directory *directory, uint64_t page)
{
    return (int)pen_hash_range(pen_mix(page), (uint64_t)directory->comm->size);
}

pen_status pen_directory_create(pen_comm *comm, int64_t expected, pen_directory **directory)
{
    pen_directory *new;
    pen_status status = PEN_ALLOC_ZERO(&new, 1);
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

void pen_directory_destroy(pen_directory **directory)
{
    if (!directory || !*directory) return;
    pen_pages_destroy(&(*directory)->pages);
    free(*directory);
    *directory = NULL;
}

/* ---- Batches -------------------------------------------------------------------------------- */

/* Some gids of one page. Records of this form travel to the home of the page. */
typedef struct item {
    uint64_t page, mask;
} item;

/* The gids of a call, grouped into one item per page. */
typedef struct batch {
    int64_t count;      /* items */
    item *items;        /* [count] in the order in which their pages first occur in the call */
    uint32_t *item_of;  /* [gids of the call] */
    pen_blocks blocks;  /* the items grouped by home */
    int64_t *position;  /* [count] of an item in blocks */
    int64_t *before;    /* [count+1] by position: gids in the items before; the last: in all */
} batch;

static void batch_free(batch *b)
{
    free(b->items);
    free(b->item_of);
    free(b->position);
    free(b->before);
    pen_blocks_free(&b->blocks);
}

/* Items by page: open addressing, at most half full, of indices + 1. */
typedef struct item_table {
    int64_t size; /* a power of 2 */
    uint32_t *slots;
} item_table;

static uint32_t *slot_of(const item_table *table, const item *items, uint64_t page)
{
    uint64_t slot = pen_mix(page);
    while (table->slots[slot & (uint64_t)(table->size - 1)] &&
           items[table->slots[slot & (uint64_t)(table->size - 1)] - 1].page != page)
        slot++;
    return &table->slots[slot & (uint64_t)(table->size - 1)];
}

/* Small at first: where gids are dense, few pages are many gids, and a table that fits the cache counts. */
static pen_status grow(batch *b, item_table *table)
{
    enum { SMALLEST = 1024, FACTOR = 4 };
    int64_t size = table->size ? table->size * FACTOR : SMALLEST;
    if (size > UINT32_MAX) return pen_fail(PEN_ERR_MEMORY, "too many pages in one directory call: %" PRId64, b->count);
    uint32_t *slots;
    PEN_TRY(PEN_REALLOC(&b->items, size / 2));
    PEN_TRY(PEN_ALLOC_ZERO(&slots, size));
    free(table->slots);
    *table = (item_table){ size, slots };
    for (int64_t i = 0; i < b->count; i++) *slot_of(table, b->items, b->items[i].page) = (uint32_t)(i + 1);
    return PEN_OK;
}

static pen_status collect(batch *b, item_table *table, int64_t count, const pen_gid *gids)
{
    PEN_TRY(PEN_ALLOC(&b->item_of, count));
    PEN_TRY(grow(b, table));
    uint32_t last = UINT32_MAX;
    for (int64_t i = 0; i < count; i++) {
        PEN_ARGUMENT(gids[i] >= 0, "gid %" PRIgid " in a directory call, must be >= 0", gids[i]);
        uint64_t page = pen_page_of(gids[i]);
        if (last == UINT32_MAX || b->items[last].page != page) {
            uint32_t *slot = slot_of(table, b->items, page);
            if (!*slot && b->count == table->size / 2) {
                PEN_TRY(grow(b, table));
                slot = slot_of(table, b->items, page);
            }
            if (!*slot) {
                b->items[b->count++] = (item){ page, 0 };
                *slot = (uint32_t)b->count;
            }
            last = *slot - 1;
        }
        b->items[last].mask |= pen_page_bit(gids[i]);
        b->item_of[i] = last;
    }
    return PEN_OK;
}

static pen_status group(const pen_directory *directory, batch *b, int *homes)
{
    PEN_TRY(PEN_ALLOC(&b->position, b->count));
    PEN_TRY(PEN_ALLOC(&b->before, b->count + 1));
    for (int64_t i = 0; i < b->count; i++) homes[i] = home_of(directory, b->items[i].page);
    PEN_TRY(pen_blocks_group(b->count, homes, b->items, sizeof(item), &b->blocks, b->position));
    const item *sent = (const item *)(const void *)b->blocks.data;
    b->before[0] = 0;
    for (int64_t i = 0; i < b->count; i++) b->before[i + 1] = b->before[i] + pen_page_size(sent[i].mask);
    return PEN_OK;
}

static pen_status batch_build(const pen_directory *directory, int64_t count, const pen_gid *gids, batch *b)
{
    item_table table = { 0, NULL };
    pen_status status = collect(b, &table, count, gids);
    free(table.slots);
    int *homes = NULL;
    if (status == PEN_OK) status = PEN_ALLOC(&homes, b->count);
    if (status == PEN_OK) status = group(directory, b, homes);
    free(homes);
    return status;
}

/* Where the gid of request i comes among all gids of the batch, in the order in which they are sent. */
static int64_t batch_place(const batch *b, int64_t i, pen_gid gid)
{
    uint32_t k = b->item_of[i];
    return b->before[b->position[k]] + pen_page_index(b->items[k].mask, pen_page_bit(gid));
}

/* ---- Resolve and remove --------------------------------------------------------------------- */

/* The owners of the gids of an item. */
static int64_t answer_item(pen_pages *pages, item question, int32_t *owners)
{
    uint64_t present;
    const uint64_t *entries = pen_pages_page(pages, question.page, &present);
    int64_t n = 0;
    for (uint64_t left = question.mask; left; left &= left - 1) {
        uint64_t bit = left & -left;
        owners[n++] = present & bit ? owner_of(entries[pen_page_index(present, bit)]) : PEN_OWNER_UNKNOWN;
    }
    return n;
}

/* *answers gets a block for each block of questions; its lists are those of the questions. */
static pen_status answer(const pen_directory *directory, pen_blocks *questions, pen_blocks *answers)
{
    const item *items = (const item *)(const void *)questions->data;
    int64_t count = questions->count > 0 ? questions->offsets[questions->count] / (int64_t)sizeof(item) : 0, total = 0;
    for (int64_t i = 0; i < count; i++) total += pen_page_size(items[i].mask);
    int32_t *owners;
    PEN_TRY(PEN_ALLOC(&owners, total));
    answers->data = (unsigned char *)owners;
    enum { AHEAD = 8 };
    int64_t done = 0, i = 0;
    for (int b = 0; b < questions->count; b++) {
        int64_t end = questions->offsets[b + 1] / (int64_t)sizeof(item);
        for (; i < end; i++) {
            if (i + AHEAD < count) pen_pages_prefetch(directory->pages, items[i + AHEAD].page);
            done += answer_item(directory->pages, items[i], owners + done);
        }
        questions->offsets[b + 1] = done * (int64_t)sizeof *owners;
    }
    answers->count = questions->count;
    answers->ranks = questions->ranks;
    answers->offsets = questions->offsets;
    return PEN_OK;
}

pen_status pen_directory_resolve(pen_directory *directory, pen_status mine, int64_t count, const pen_gid *gids,
                                 int32_t *owners)
{
    batch b = { 0 };
    pen_blocks questions, answers = { 0 }, replies = { 0 };
    if (mine == PEN_OK) mine = batch_build(directory, count, gids, &b);
    pen_status status = pen_sparse_exchange(directory->comm, mine, &b.blocks, &questions);
    if (status == PEN_OK) {
        mine = answer(directory, &questions, &answers);
        status = pen_sparse_exchange(directory->comm, mine, &answers, &replies);
    }
    /* Replies come in rank order, as the questions were sent. */
    const int32_t *found = (const int32_t *)(const void *)replies.data;
    for (int64_t i = 0; status == PEN_OK && i < count; i++) owners[i] = found[batch_place(&b, i, gids[i])];
    free(answers.data);
    pen_blocks_free(&questions);
    pen_blocks_free(&replies);
    batch_free(&b);
    return status;
}

pen_status pen_directory_remove(pen_directory *directory, pen_status mine, int64_t count, const pen_gid *gids)
{
    batch b = { 0 };
    pen_blocks received;
    if (mine == PEN_OK) mine = batch_build(directory, count, gids, &b);
    pen_status status = pen_sparse_exchange(directory->comm, mine, &b.blocks, &received);
    if (status == PEN_OK && received.count > 0) {
        const item *items = (const item *)(const void *)received.data;
        for (int64_t i = 0; i < received.offsets[received.count] / (int64_t)sizeof(item); i++)
            for (uint64_t left = items[i].mask; left; left &= left - 1)
                pen_pages_remove(directory->pages, pen_page_gid(items[i].page, __builtin_ctzll(left)));
    }
    pen_blocks_free(&received);
    batch_free(&b);
    return status;
}

/* ---- Update --------------------------------------------------------------------------------- */

/* *known becomes the newer of two entries of a gid. */
static pen_status merge(pen_gid gid, uint64_t *known, uint64_t news)
{
    if (news >> 32 > *known >> 32) {
        *known = news;
    } else if (news >> 32 == *known >> 32 && news != *known) {
        return pen_fail(PEN_ERR_INPUT, "gid %" PRIgid " has two owners, ranks %" PRId32 " and %" PRId32 ", since its move %"
                        PRIu64, gid, owner_of(*known), owner_of(news), (news >> 32) - 1);
    }
    return PEN_OK;
}

/* Updates travel as words: an item, then an entry for each of its gids. */
static pen_status pack(const pen_directory *directory, const batch *b, int64_t count, const pen_gid *gids,
                       const int32_t *owners, const int32_t *versions, pen_blocks *updates)
{
    int64_t length = 2 * b->count + b->before[b->count];
    uint64_t *words;
    PEN_TRY(PEN_ALLOC_ZERO(&words, length));
    updates->data = (unsigned char *)words;
    PEN_TRY(PEN_ALLOC(&updates->offsets, (int64_t)b->blocks.count + 1));
    updates->count = b->blocks.count;
    updates->ranks = b->blocks.ranks;
    for (int k = 0; k <= b->blocks.count; k++) {
        int64_t position = b->blocks.offsets[k] / (int64_t)sizeof(item);
        updates->offsets[k] = (2 * position + b->before[position]) * (int64_t)sizeof *words;
    }
    const item *items = (const item *)(const void *)b->blocks.data;
    for (int64_t i = 0; i < b->count; i++) memcpy(words + 2 * i + b->before[i], &items[i], sizeof(item));
    for (int64_t i = 0; i < count; i++) {
        int32_t version = versions ? versions[i] : 0;
        PEN_ARGUMENT(owners[i] >= 0 && owners[i] < directory->comm->size, "gid %" PRIgid ": owner %" PRId32 ", must be 0..%d",
                     gids[i], owners[i], directory->comm->size - 1);
        PEN_ARGUMENT(version >= 0, "gid %" PRIgid ": version %" PRId32 ", must be >= 0", gids[i], version);
        uint64_t *place = words + 2 * (b->position[b->item_of[i]] + 1) + batch_place(b, i, gids[i]);
        PEN_TRY(merge(gids[i], place, entry_of(owners[i], version)));
    }
    return PEN_OK;
}

/* Merge entries into those of an item's gids, which are present; each is replaced by what was known. */
static pen_status apply_item(pen_pages *pages, item update, uint64_t *entries)
{
    uint64_t present, *known = pen_pages_page(pages, update.page, &present);
    pen_status status = PEN_OK;
    for (uint64_t left = update.mask; left; left &= left - 1, entries++) {
        uint64_t *place = known + pen_page_index(present, left & -left), old = *place;
        if (status == PEN_OK) status = merge(pen_page_gid(update.page, __builtin_ctzll(left)), place, *entries);
        *entries = old;
    }
    return status;
}

/* Apply a block; *done gets the words that are to be undone should this or another rank fail. */
static pen_status apply(pen_pages *pages, uint64_t *words, int64_t length, int64_t *done)
{
    for (*done = 0; *done < length;) {
        item update;
        memcpy(&update, words + *done, sizeof update);
        PEN_TRY(pen_pages_add(pages, update.page, update.mask));
        pen_status status = apply_item(pages, update, words + *done + 2);
        *done += 2 + pen_page_size(update.mask);
        PEN_TRY(status);
    }
    return PEN_OK;
}

static void undo(pen_pages *pages, const uint64_t *words, int64_t length)
{
    for (int64_t at = 0; at < length;) {
        item update;
        memcpy(&update, words + at, sizeof update);
        at += 2;
        for (uint64_t left = update.mask; left; left &= left - 1, at++) {
            pen_gid gid = pen_page_gid(update.page, __builtin_ctzll(left));
            if (words[at])
                *pen_pages_find(pages, gid) = words[at];
            else
                pen_pages_remove(pages, gid);
        }
    }
}

static int64_t first_word(const pen_blocks *blocks, int i) { return blocks->offsets[i] / (int64_t)sizeof(uint64_t); }

/* Apply what was received, or nothing if any rank fails. */
static pen_status commit(const pen_directory *directory, pen_blocks *received)
{
    uint64_t *words = (uint64_t *)(void *)received->data;
    pen_status status = PEN_OK;
    int last = -1; /* block */
    int64_t done = 0;
    while (status == PEN_OK && last + 1 < received->count) {
        last++;
        status = apply(directory->pages, words + first_word(received, last),
                       first_word(received, last + 1) - first_word(received, last), &done);
    }
    status = pen_agree(directory->comm, status);
    if (status == PEN_OK) return PEN_OK;
    /* Backwards, since two blocks may name one gid. */
    for (; last >= 0; last--) {
        undo(directory->pages, words + first_word(received, last), done);
        if (last > 0) done = first_word(received, last) - first_word(received, last - 1);
    }
    return status;
}

pen_status pen_directory_update(pen_directory *directory, pen_status mine, int64_t count, const pen_gid *gids,
                                const int32_t *owners, const int32_t *versions)
{
    batch b = { 0 };
    pen_blocks updates = { 0 }, received;
    if (mine == PEN_OK) mine = batch_build(directory, count, gids, &b);
    if (mine == PEN_OK) mine = pack(directory, &b, count, gids, owners, versions, &updates);
    pen_status status = pen_sparse_exchange(directory->comm, mine, &updates, &received);
    if (status == PEN_OK) status = commit(directory, &received);
    pen_blocks_free(&received);
    free(updates.data);
    free(updates.offsets);
    batch_free(&b);
    return status;
}

/* ---- Inspection ----------------------------------------------------------------------------- */

static bool page_is_valid(const void *context, uint64_t page, uint64_t present, const uint64_t *entries)
{
    const pen_directory *directory = context;
    bool valid = home_of(directory, page) == directory->comm->rank;
    for (int i = 0; i < pen_page_size(present); i++)
        valid = valid && entries[i] >> 32 > 0 && owner_of(entries[i]) >= 0 && owner_of(entries[i]) < directory->comm->size;
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

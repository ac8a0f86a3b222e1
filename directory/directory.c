#include "directory.h"
#include "hash.h"
#include "pages.h"
#include "sparse.h"

#include <math.h>
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

/* The gids of a call, grouped into items. */
typedef struct batch {
    int64_t count;      /* items */
    item *items;        /* [count] until they are in blocks */
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

/* The mask of item k, when it is in blocks. */
static uint64_t mask_of(const batch *b, uint32_t k)
{
    return ((const item *)(const void *)b->blocks.data)[b->position[k]].mask;
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
    uint32_t *slots;
    PEN_TRY(PEN_REALLOC(&b->items, size / 2));
    PEN_TRY(PEN_ALLOC_ZERO(&slots, size));
    free(table->slots);
    *table = (item_table){ size, slots };
    for (int64_t i = 0; i < b->count; i++) *slot_of(table, b->items, b->items[i].page) = (uint32_t)(i + 1);
    return PEN_OK;
}

/* One item per page, in the order in which pages first occur. */
static pen_status collect_pages(batch *b, item_table *table, int64_t count, const pen_gid *gids)
{
    PEN_TRY(grow(b, table));
    uint32_t last = UINT32_MAX;
    for (int64_t i = 0; i < count; i++) {
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

/* One item per run of gids of one page. */
static pen_status collect_runs(batch *b, int64_t count, const pen_gid *gids)
{
    PEN_TRY(PEN_ALLOC(&b->items, count));
    for (int64_t i = 0; i < count; i++) {
        if (i == 0 || b->items[b->count - 1].page != pen_page_of(gids[i]))
            b->items[b->count++] = (item){ pen_page_of(gids[i]), 0 };
        b->items[b->count - 1].mask |= pen_page_bit(gids[i]);
        b->item_of[i] = (uint32_t)(b->count - 1);
    }
    return PEN_OK;
}

static pen_status collect(batch *b, bool distinct, int64_t count, const pen_gid *gids)
{
    pen_lid narrow;
    PEN_TRY(pen_to_lid(count, "gids in one directory call", &narrow));
    for (int64_t i = 0; i < count; i++)
        PEN_ARGUMENT(gids[i] >= 0, "gid %" PRIgid " in a directory call, must be >= 0", gids[i]);
    PEN_TRY(PEN_ALLOC(&b->item_of, count));
    if (!distinct) return collect_runs(b, count, gids);
    item_table table = { 0, NULL };
    pen_status status = collect_pages(b, &table, count, gids);
    free(table.slots);
    return status;
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

/* `distinct`: every page once, whatever the order of the gids; else only runs are put together, which is
 * as good where gids come in order, as they mostly do, and costs no table. */
static pen_status batch_build(const pen_directory *directory, bool distinct, int64_t count, const pen_gid *gids, batch *b)
{
    pen_status status = collect(b, distinct, count, gids);
    int *homes = NULL;
    if (status == PEN_OK) status = PEN_ALLOC(&homes, b->count);
    if (status == PEN_OK) status = group(directory, b, homes);
    free(homes);
    free(b->items); /* the blocks have them too */
    b->items = NULL;
    return status;
}

/* Look-ups of items in a row wait for memory together. */
static void prefetch(const pen_pages *pages, const item *items, int64_t i, int64_t count)
{
    enum { SOONER = 4, LATER = 8 };
    if (i + LATER < count) pen_pages_prefetch(pages, items[i + LATER].page, items[i + SOONER].page);
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
    int64_t done = 0, i = 0;
    for (int b = 0; b < questions->count; b++) {
        int64_t end = questions->offsets[b + 1] / (int64_t)sizeof(item);
        for (; i < end; i++) {
            prefetch(directory->pages, items, i, count);
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
    if (mine == PEN_OK) mine = batch_build(directory, true, count, gids, &b);
    pen_status status = pen_sparse_exchange(directory->comm, mine, &b.blocks, &questions);
    if (status == PEN_OK) {
        mine = answer(directory, &questions, &answers);
        status = pen_sparse_exchange(directory->comm, mine, &answers, &replies);
    }
    /* Replies come in rank order, as the questions were sent. */
    const int32_t *found = (const int32_t *)(const void *)replies.data;
    for (int64_t i = 0; status == PEN_OK && i < count; i++) {
        uint32_t k = b.item_of[i];
        owners[i] = found[b.before[b.position[k]] + pen_page_index(mask_of(&b, k), pen_page_bit(gids[i]))];
    }
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
    if (mine == PEN_OK) mine = batch_build(directory, false, count, gids, &b);
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
        return pen_fail(PEN_ERR_INPUT, "gid %" PRIgid " has two owners, ranks %" PRId32 " and %" PRId32
                        ", since its move %" PRIu64, gid, owner_of(*known), owner_of(news), (news >> 32) - 1);
    }
    return PEN_OK;
}

/* Updates for a home travel as words: the number of items, the items, then the entries of their gids. */
typedef struct news {
    int64_t count;
    const item *items;   /* [count] */
    uint64_t *entries;   /* [gids of the items] */
} news;

static news read_news(const pen_blocks *blocks, int i)
{
    uint64_t *words = (uint64_t *)(void *)(blocks->data + blocks->offsets[i]);
    int64_t count = (int64_t)words[0];
    return (news){ count, (const item *)(void *)(words + 1), words + 1 + 2 * count };
}

/* The blocks of updates without the entries: where those of the item at a position begin goes to at[]. */
static pen_status lay_out(const batch *b, pen_blocks *updates, uint64_t **at)
{
    int64_t blocks = b->blocks.count, length = blocks + 2 * b->count + b->before[b->count];
    PEN_TRY(pen_alloc_zero(&updates->data, length, sizeof(uint64_t)));
    PEN_TRY(PEN_ALLOC(&updates->offsets, blocks + 1));
    updates->count = b->blocks.count;
    updates->ranks = b->blocks.ranks;
    uint64_t *words = (uint64_t *)(void *)updates->data, *next = words;
    for (int k = 0; k < blocks; k++) {
        int64_t first = b->blocks.offsets[k], bytes = b->blocks.offsets[k + 1] - first;
        int64_t begin = first / (int64_t)sizeof(item), end = begin + bytes / (int64_t)sizeof(item);
        updates->offsets[k] = (next - words) * (int64_t)sizeof *words;
        *next++ = (uint64_t)(end - begin);
        memcpy(next, b->blocks.data + first, (size_t)bytes);
        next += 2 * (end - begin);
        for (int64_t i = begin; i < end; i++) at[i] = next + (b->before[i] - b->before[begin]);
        next += b->before[end] - b->before[begin];
    }
    updates->offsets[blocks] = length * (int64_t)sizeof *words;
    return PEN_OK;
}

static pen_status fill_in(const pen_directory *directory, const batch *b, int64_t count, const pen_gid *gids,
                          const int32_t *owners, const int32_t *versions, uint64_t *const *at)
{
    int ranks = directory->comm->size;
    for (int64_t i = 0; i < count; i++) {
        int32_t version = versions ? versions[i] : 0;
        PEN_ARGUMENT(owners[i] >= 0 && owners[i] < ranks, "gid %" PRIgid ": owner %" PRId32 ", must be 0..%d", gids[i],
                     owners[i], ranks - 1);
        PEN_ARGUMENT(version >= 0, "gid %" PRIgid ": version %" PRId32 ", must be >= 0", gids[i], version);
        uint32_t k = b->item_of[i];
        uint64_t *entry = at[b->position[k]] + pen_page_index(mask_of(b, k), pen_page_bit(gids[i]));
        PEN_TRY(merge(gids[i], entry, entry_of(owners[i], version)));
    }
    return PEN_OK;
}

static pen_status pack(const pen_directory *directory, const batch *b, int64_t count, const pen_gid *gids,
                       const int32_t *owners, const int32_t *versions, pen_blocks *updates)
{
    uint64_t **at;
    PEN_TRY(PEN_ALLOC(&at, b->count));
    pen_status status = lay_out(b, updates, at);
    if (status == PEN_OK) status = fill_in(directory, b, count, gids, owners, versions, at);
    free(at);
    return status;
}

/* Merge entries into those of an item's gids, which are present; each is replaced by what was known. */
static pen_status apply_item(pen_pages *pages, item update, uint64_t *entries)
{
    uint64_t present, *known = pen_pages_page(pages, update.page, &present);
    bool all = present == update.mask;
    pen_status status = PEN_OK;
    for (uint64_t left = update.mask; left; left &= left - 1, entries++) {
        uint64_t *place = all ? known++ : known + pen_page_index(present, left & -left), old = *place;
        if (status == PEN_OK) status = merge(pen_page_gid(update.page, __builtin_ctzll(left)), place, *entries);
        *entries = old;
    }
    return status;
}

/* n.count becomes the items that are to be undone should this or another rank fail. */
static pen_status apply(pen_pages *pages, news *n)
{
    uint64_t *entries = n->entries;
    int64_t count = n->count;
    for (n->count = 0; n->count < count;) {
        item update = n->items[n->count];
        prefetch(pages, n->items, n->count, count);
        PEN_TRY(pen_pages_add(pages, update.page, update.mask));
        n->count++;
        PEN_TRY(apply_item(pages, update, entries));
        entries += pen_page_size(update.mask);
    }
    return PEN_OK;
}

/* Backwards, since two items may name one gid. */
static void undo(pen_pages *pages, const news *n)
{
    const uint64_t *entry = n->entries;
    for (int64_t i = 0; i < n->count; i++) entry += pen_page_size(n->items[i].mask);
    for (int64_t i = n->count - 1; i >= 0; i--) {
        entry -= pen_page_size(n->items[i].mask);
        for (uint64_t left = n->items[i].mask, k = 0; left; left &= left - 1, k++) {
            pen_gid gid = pen_page_gid(n->items[i].page, __builtin_ctzll(left));
            if (entry[k])
                *pen_pages_find(pages, gid) = entry[k];
            else
                pen_pages_remove(pages, gid);
        }
    }
}

/* Tell the pages how many of them will be there at least: as many as different ones were received, by
 * linear counting (Whang, Vander-Zanden, Taylor, ACM TODS 15(2), 1990). Without memory for it, do not. */
static void reserve(pen_pages *pages, const pen_blocks *received)
{
    int64_t items = 0, marks = 0;
    for (int i = 0; i < received->count; i++) items += read_news(received, i).count;
    uint64_t *bitmap, words = (uint64_t)items / 8 + 1; /* 8 bits or more per item */
    if (PEN_ALLOC_ZERO(&bitmap, (int64_t)words) != PEN_OK) return;
    for (int i = 0; i < received->count; i++) {
        news n = read_news(received, i);
        for (int64_t k = 0; k < n.count; k++) {
            uint64_t hash = pen_mix(n.items[k].page), word = pen_hash_range(hash << 32, words), bit = hash >> 32 & 63;
            marks += !(bitmap[word] >> bit & 1);
            bitmap[word] |= UINT64_C(1) << bit;
        }
    }
    free(bitmap);
    double bits = 64 * (double)words;
    pen_pages_reserve(pages, (int64_t)(1.01 * -bits * log1p(-(double)marks / bits)));
}

/* Apply what was received, or nothing if any rank fails. */
static pen_status commit(const pen_directory *directory, const pen_blocks *received)
{
    pen_status status = PEN_OK;
    reserve(directory->pages, received);
    news last = { 0 };
    int begun = 0;
    while (status == PEN_OK && begun < received->count) {
        last = read_news(received, begun++);
        status = apply(directory->pages, &last);
    }
    status = pen_agree(directory->comm, status);
    if (status == PEN_OK || begun == 0) return status;
    undo(directory->pages, &last);
    for (int i = begun - 2; i >= 0; i--) {
        last = read_news(received, i);
        undo(directory->pages, &last);
    }
    return status;
}

pen_status pen_directory_update(pen_directory *directory, pen_status mine, int64_t count, const pen_gid *gids,
                                const int32_t *owners, const int32_t *versions)
{
    batch b = { 0 };
    pen_blocks updates = { 0 }, received;
    if (mine == PEN_OK) mine = batch_build(directory, false, count, gids, &b);
    if (mine == PEN_OK) mine = pack(directory, &b, count, gids, owners, versions, &updates);
    pen_status status = pen_sparse_exchange(directory->comm, mine, &updates, &received);
    /* Before the pages grow, which can use this memory: faulting in fresh pages is half of the cost. */
    free(updates.data);
    free(updates.offsets);
    batch_free(&b);
    if (status == PEN_OK) status = commit(directory, &received);
    pen_blocks_free(&received);
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

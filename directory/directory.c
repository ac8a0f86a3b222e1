#include "directory/directory.h"
#include "base/key_table.h"
#include "base/memory.h"
#include "base/sparse.h"
#include "directory/pages.h"

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

static pen_status check_gid(pen_gid gid)
{
    PEN_ARGUMENT(gid >= 0, "gid %" PRIgid " in a directory call, must be >= 0", gid);
    return PEN_OK;
}

/* ---- Batches -------------------------------------------------------------------------------- */

typedef pen_page_mask item; /* records of this form travel to the home of the page */

/* The gids of a call, grouped into items. */
typedef struct batch {
    int64_t count;     /* items */
    item *items;       /* [count] until they are in blocks */
    uint32_t *item_of; /* [gids of the call] */
    pen_blocks blocks; /* the items grouped by home */
    int64_t *position; /* [count] of an item in blocks */
    int64_t *before;   /* [count+1] by position: gids in the items before; the last: in all */
} batch;

static void batch_free(batch *b)
{
    PEN_FREE_ALL(b->items, b->item_of, b->position, b->before);
    pen_blocks_free(&b->blocks);
}

/* The mask of item k, when it is in blocks. */
static uint64_t mask_of(const batch *b, uint32_t k)
{
    return ((const item *)(const void *)b->blocks.data)[b->position[k]].mask;
}

static uint32_t *item_entry(const pen_key_table *table, const batch *b, uint64_t page)
{
    return pen_key_entry(table, b->items, sizeof *b->items, page);
}

/* Small at first: where gids are dense, few pages are many gids, and a table that fits the cache counts. */
static pen_status grow(batch *b, pen_key_table *table)
{
    enum { SMALLEST = 1024, FACTOR = 4 };
    uint64_t size = table->size ? table->size * FACTOR : SMALLEST;
    PEN_TRY(PEN_REALLOC(&b->items, (int64_t)size / 2));
    PEN_TRY(pen_key_table_resize(table, size));
    for (int64_t i = 0; i < b->count; i++) *item_entry(table, b, b->items[i].page) = (uint32_t)(i + 1);
    return PEN_OK;
}

/* One item per page, in the order in which pages first occur. */
static pen_status collect_pages(batch *b, pen_key_table *table, int64_t count, const pen_gid *gids)
{
    PEN_TRY(grow(b, table));
    uint32_t last = UINT32_MAX;
    for (int64_t i = 0; i < count; i++) {
        uint64_t page = pen_page_of(gids[i]);
        if (last == UINT32_MAX || b->items[last].page != page) {
            uint32_t *entry = item_entry(table, b, page);
            if (!*entry && pen_key_table_is_full(table, b->count)) {
                PEN_TRY(grow(b, table));
                entry = item_entry(table, b, page);
            }
            if (!*entry) {
                b->items[b->count++] = (item){ page, 0 };
                *entry = (uint32_t)b->count;
            }
            last = *entry - 1;
        }
        b->items[last].mask |= pen_page_bit(gids[i]);
        b->item_of[i] = last;
    }
    return PEN_OK;
}

static pen_status collect(batch *b, int64_t count, const pen_gid *gids)
{
    pen_lid narrow;
    PEN_TRY(pen_to_lid(count, "gids in one directory call", &narrow));
    for (int64_t i = 0; i < count; i++) PEN_TRY(check_gid(gids[i]));
    PEN_TRY(PEN_ALLOC(&b->item_of, count));
    pen_key_table table = { NULL, 0 };
    pen_status status = collect_pages(b, &table, count, gids);
    pen_key_table_free(&table);
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

static pen_status batch_build(const pen_directory *directory, int64_t count, const pen_gid *gids, batch *b)
{
    pen_status status = collect(b, count, gids);
    int *homes = NULL;
    if (status == PEN_OK) status = PEN_ALLOC(&homes, b->count);
    if (status == PEN_OK) status = group(directory, b, homes);
    free(homes);
    free(b->items); /* the blocks have them too */
    b->items = NULL;
    return status;
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
            if (i % PEN_PAGES_TOGETHER == 0) pen_pages_prefetch(directory->pages, count - i, items + i);
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
        return pen_fail(PEN_ERR_INPUT,
                        "gid %" PRIgid " has two owners, ranks %" PRId32 " and %" PRId32 ", since its move %" PRIu64,
                        gid, owner_of(*known), owner_of(news), (news >> 32) - 1);
    }
    return PEN_OK;
}

/* Updates for a home travel as words: the number of items, the items, then the entries of their gids. */
typedef struct news {
    int64_t count;
    const item *items; /* [count] */
    uint64_t *entries; /* [gids of the items] */
} news;

static news read_news(const pen_blocks *blocks, int i)
{
    uint64_t *words = (uint64_t *)(void *)(blocks->data + blocks->offsets[i]);
    int64_t count = (int64_t)words[0];
    return (news){ count, (const item *)(void *)(words + 1), words + 1 + 2 * count };
}

/* Gids of one page that ascend are one item: as good as one item per page where gids come in order, as they
 * mostly do, and needs no table. What else there is of a page, or of a gid, its home merges. */
static bool continues(const pen_gid *gids, int64_t i)
{
    return gids[i] > gids[i - 1] && pen_page_of(gids[i]) == pen_page_of(gids[i - 1]);
}

/* first[] gets where the items begin, grouped by home. */
static pen_status find_items(const pen_directory *directory, int64_t count, const pen_gid *gids, pen_blocks *first)
{
    int64_t *begins = NULL, items = 0;
    int *homes = NULL;
    pen_status status = PEN_ALLOC(&begins, count);
    if (status == PEN_OK) status = PEN_ALLOC(&homes, count);
    for (int64_t i = 0; status == PEN_OK && i < count; i++) {
        status = check_gid(gids[i]);
        if (i > 0 && continues(gids, i)) continue;
        begins[items] = i;
        homes[items++] = home_of(directory, pen_page_of(gids[i]));
    }
    if (status == PEN_OK) status = pen_blocks_group(items, homes, begins, sizeof *begins, first, NULL);
    PEN_FREE_ALL(begins, homes);
    return status;
}

/* What a rank says of its gids: the arguments of an update. */
typedef struct claims {
    int64_t count;
    const pen_gid *gids;     /* [count] */
    const int32_t *owners;   /* [count] */
    const int32_t *versions; /* [count] or NULL */
    int32_t ranks;
} claims;

static pen_status pack_item(const claims *c, int64_t i, item *out, uint64_t **entry)
{
    *out = (item){ pen_page_of(c->gids[i]), 0 };
    do {
        int32_t version = c->versions ? c->versions[i] : 0;
        PEN_ARGUMENT(c->owners[i] >= 0 && c->owners[i] < c->ranks,
                     "gid %" PRIgid ": owner %" PRId32 ", must be 0..%" PRId32, c->gids[i], c->owners[i], c->ranks - 1);
        PEN_ARGUMENT(version >= 0, "gid %" PRIgid ": version %" PRId32 ", must be >= 0", c->gids[i], version);
        out->mask |= pen_page_bit(c->gids[i]);
        *(*entry)++ = entry_of(c->owners[i], version);
    } while (++i < c->count && continues(c->gids, i));
    return PEN_OK;
}

/* `first` as find_items made it; its ranks become those of the updates. */
static pen_status pack(const claims *c, pen_blocks *first, pen_blocks *updates)
{
    int64_t items = first->offsets[first->count] / (int64_t)sizeof(int64_t),
            length = first->count + 2 * items + c->count;
    PEN_TRY(pen_alloc(&updates->data, length, sizeof(uint64_t)));
    PEN_TRY(PEN_ALLOC(&updates->offsets, (int64_t)first->count + 1));
    updates->ranks = first->ranks;
    first->ranks = NULL;
    updates->offsets[0] = 0;
    const int64_t *begins = (const int64_t *)(const void *)first->data;
    uint64_t *words = (uint64_t *)(void *)updates->data, *next = words;
    for (int b = 0; b < first->count; b++) {
        int64_t n = (first->offsets[b + 1] - first->offsets[b]) / (int64_t)sizeof *begins;
        *next = (uint64_t)n;
        item *out = (item *)(void *)(next + 1);
        next += 1 + 2 * n;
        for (int64_t k = 0; k < n; k++) PEN_TRY(pack_item(c, *begins++, &out[k], &next));
        updates->offsets[++updates->count] = (next - words) * (int64_t)sizeof *words;
    }
    return PEN_OK;
}

static pen_status build_updates(const pen_directory *directory, const claims *c, pen_blocks *updates)
{
    pen_lid narrow;
    PEN_TRY(pen_to_lid(c->count, "gids in one directory call", &narrow));
    pen_blocks first = { 0 };
    pen_status status = find_items(directory, c->count, c->gids, &first);
    if (status == PEN_OK) status = pack(c, &first, updates);
    pen_blocks_free(&first);
    return status;
}

/* Merge entries into those of an item's gids, which are present; `had` were before. Each is replaced by what
 * was known, 0 where nothing was. */
static pen_status apply_item(pen_pages *pages, item update, uint64_t had, uint64_t *entries)
{
    pen_status status = PEN_OK;
    uint64_t present, *known = pen_pages_page(pages, update.page, &present);
    for (uint64_t left = update.mask; left; left &= left - 1, entries++) {
        uint64_t bit = left & -left, old = 0;
        if (had & bit) {
            uint64_t *place = known + pen_page_index(present, bit);
            old = *place;
            if (status == PEN_OK) status = merge(pen_page_gid(update.page, __builtin_ctzll(left)), place, *entries);
        }
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
        uint64_t had;
        if (n->count % PEN_PAGES_TOGETHER == 0) pen_pages_prefetch(pages, count - n->count, n->items + n->count);
        PEN_TRY(pen_pages_add(pages, update.page, update.mask, entries, &had));
        n->count++;
        PEN_TRY(apply_item(pages, update, had, entries));
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
            if (entry[k]) *pen_pages_find(pages, gid) = entry[k];
            else pen_pages_remove(pages, gid);
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
    pen_blocks updates = { 0 }, received;
    claims said = { count, gids, owners, versions, directory->comm->size };
    if (mine == PEN_OK) mine = build_updates(directory, &said, &updates);
    pen_status status = pen_sparse_exchange(directory->comm, mine, &updates, &received);
    /* Before the pages grow, which can use this memory: faulting in fresh pages is half of the cost. */
    pen_blocks_free(&updates);
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
        valid = valid && entries[i] >> 32 > 0 && owner_of(entries[i]) >= 0 &&
                owner_of(entries[i]) < directory->comm->size;
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

/* batch.c - groups the gids of a directory call by the homes of their pages. */
#include "directory/batch.h"
#include "base/memory.h"

#include <stdlib.h>

/* ---- Items ------------------------------------------------------------------------------------- */

/* Where an item is sorted: the high bits of the key are its home, and the key's other bits are those of the hash by
 * which the home finds the page. */
typedef struct place {
    uint32_t key, item;
} place;

typedef struct builder {
    pen_batch *batch;
    int homes;
    int home_bits;       /* number of high bits of the key that are the home */
    uint64_t lowest;     /* the lowest page */
    int64_t span;        /* number of pages from the lowest to the highest */
    int64_t stretches;   /* number of stretches of consecutive gids of one page */
    const pen_gid *gids; /* the gids of the call if each is an item, else NULL */
    int64_t count;       /* number of items */
    place *places[2];    /* [count] places of the items; the second array is for sorting */
    uint32_t *table;     /* [span] item + 1 of each page, or 0; NULL if the span is too large for a table */
} builder;

static pen_status look_at_gids(builder *b, int64_t count, const pen_gid *gids)
{
    pen_lid narrow;
    PEN_ARGUMENT(count >= 0, "%" PRId64 " gids in a directory call, must be >= 0", count);
    PEN_TRY(pen_to_lid(count, "gids in one directory call", &narrow));
    pen_gid lowest = INT64_MAX, highest = 0, before = -1;
    for (int64_t i = 0; i < count; i++) {
        lowest = gids[i] < lowest ? gids[i] : lowest;
        highest = gids[i] > highest ? gids[i] : highest;
        b->stretches += pen_page_of(gids[i]) != pen_page_of(before);
        before = gids[i];
    }
    PEN_ARGUMENT(lowest >= 0, "gid %" PRIgid " in a directory call, must be >= 0", lowest);
    b->lowest = pen_page_of(lowest);
    b->span = count > 0 ? (int64_t)(pen_page_of(highest) - b->lowest) + 1 : 0;
    while (b->homes > INT64_C(1) << b->home_bits) b->home_bits++;
    return PEN_OK;
}

/* Take an array from the batch's memory; its size is a multiple of 8. */
static void *take(unsigned char **next, int64_t count, size_t size)
{
    void *taken = *next;
    *next += ((size_t)count * size + 7) / 8 * 8;
    return taken;
}

/* All arrays share one block, which malloc caches between calls; separate blocks are unmapped and page-faulted in on
 * each call. */
static pen_status make_room(builder *b, pen_batch_kind kind, int64_t count, const pen_gid *gids)
{
    enum {
        PER_GID = 2, /* a table is worthwhile if the span has at most PER_GID pages per gid */
        ALONE = 2    /* if a stretch has on average at most ALONE gids, each gid is an item */
    };
    pen_batch *batch = b->batch;
    bool near = b->span <= PER_GID * count;
    if (!near && ALONE * b->stretches >= count) b->gids = gids;
    int64_t places = b->stretches < b->span ? b->stretches : b->span, items = places, indices = count;
    if (b->gids) {
        places = count;
        items = indices = 0;
    }
    int64_t homes = b->homes < places ? b->homes : places;
    int64_t words = homes + (2 * places < count ? 2 * places : count) + (kind == PEN_BATCH_ENTRIES ? count : 0);
    int64_t bytes = 8 * words + items * (int64_t)sizeof *batch->items + 2 * places * (int64_t)sizeof(place) +
                    homes * 12 + indices * (int64_t)sizeof *batch->item_of + (near ? 4 * b->span : 0) + 64;
    PEN_TRY(PEN_ALLOC(&batch->memory, bytes));
    unsigned char *next = batch->memory;
    batch->blocks.data = take(&next, words, sizeof(uint64_t));
    batch->items = take(&next, items, sizeof *batch->items);
    for (int i = 0; i < 2; i++) b->places[i] = take(&next, places, sizeof(place));
    batch->blocks.offsets = take(&next, homes + 1, sizeof *batch->blocks.offsets);
    batch->blocks.ranks = take(&next, homes, sizeof *batch->blocks.ranks);
    batch->item_of = take(&next, indices, sizeof *batch->item_of);
    if (near) {
        b->table = take(&next, b->span, sizeof *b->table);
        memset(b->table, 0, (size_t)b->span * sizeof *b->table);
    }
    return PEN_OK;
}

static void new_place(builder *b, uint64_t page)
{
    uint64_t hash = pen_mix(page), home = pen_hash_range(hash, (uint64_t)b->homes);
    uint32_t item = (uint32_t)b->count++;
    b->places[0][item] = (place){ (uint32_t)((home << 32 | (uint32_t)hash) >> b->home_bits), item };
}

static uint32_t new_item(builder *b, uint64_t page)
{
    b->batch->items[b->count] = (pen_batch_item){ { page }, 0 };
    new_place(b, page);
    return (uint32_t)b->count - 1;
}

/* Make an item of each gid. */
static void collect_gids(builder *b, int64_t count)
{
    for (int64_t i = 0; i < count; i++) new_place(b, pen_page_of(b->gids[i]));
}

/* Make an item of each page; without a table of the span, of each page that differs from the previous gid's page. */
static void collect_pages(builder *b, int64_t count, const pen_gid *gids)
{
    for (int64_t i = 0; i < count;) {
        uint64_t page = pen_page_of(gids[i]), mask = 0;
        uint32_t none = 0, *known = b->table ? &b->table[page - b->lowest] : &none;
        if (!*known) *known = new_item(b, page) + 1;
        uint32_t item = *known - 1;
        do {
            mask |= pen_page_bit(gids[i]);
            b->batch->item_of[i] = item;
        } while (++i < count && pen_page_of(gids[i]) == page);
        b->batch->items[item].mask |= mask;
    }
}

/* ---- Sorting ----------------------------------------------------------------------------------- */

static pen_page_mask item_at(const builder *b, place p)
{
    if (b->gids) return (pen_page_mask){ pen_page_of(b->gids[p.item]), pen_page_bit(b->gids[p.item]) };
    return (pen_page_mask){ b->batch->items[p.item].at.page, b->batch->items[p.item].mask };
}

static bool is_after(const builder *b, place one, place other)
{
    if (one.key != other.key) return one.key > other.key;
    return item_at(b, one).page > item_at(b, other).page;
}

/* Radix sort by as many high bits of the keys as there are items; keys are hashes. The insertion sort afterwards moves
 * items by a few places only. Two large digits are fastest if all arrays stay in the nearer caches, otherwise small
 * digits are. Returns the array with the result. */
static place *sort(builder *b)
{
    enum { DIGIT = 9, SMALL_DIGIT = 6 };
    int bits = 1;
    while (bits < 32 && b->count >> (bits - 1) > 0) bits++;
    int passes = bits <= 2 * DIGIT ? (bits + DIGIT - 1) / DIGIT : (bits + SMALL_DIGIT - 1) / SMALL_DIGIT;
    int digit = (bits + passes - 1) / passes;
    uint32_t most = (UINT32_C(1) << digit) - 1;
    place *from = b->places[0], *to = b->places[1];
    for (int shift = passes * digit < 32 ? 32 - passes * digit : 0; shift < 32; shift += digit) {
        uint32_t next[(1 << DIGIT) + 1];
        memset(next, 0, (most + 2) * sizeof *next);
        for (int64_t i = 0; i < b->count; i++) next[(from[i].key >> shift & most) + 1]++;
        for (uint32_t d = 0; d < most; d++) next[d + 1] += next[d];
        for (int64_t i = 0; i < b->count; i++) to[next[from[i].key >> shift & most]++] = from[i];
        place *swap = from;
        from = to;
        to = swap;
    }
    for (int64_t i = 1; i < b->count; i++) {
        place moved = from[i];
        int64_t at = i;
        for (; at > 0 && is_after(b, from[at - 1], moved); at--) from[at] = from[at - 1];
        from[at] = moved;
    }
    return from;
}

/* ---- Packing ----------------------------------------------------------------------------------- */

/* Merge the items of one page, which begin at places[0]. Returns their number. */
static int64_t merge_items(const builder *b, const place *places, int64_t count, pen_page_mask *merged)
{
    *merged = item_at(b, places[0]);
    int64_t n = 1;
    for (; n < count && places[n].key == places[0].key && item_at(b, places[n]).page == merged->page; n++)
        merged->mask |= item_at(b, places[n]).mask;
    return n;
}

/* Note that the gids of an item have their places from `first` on. */
static void settle(const builder *b, uint32_t item, int64_t first, uint64_t mask)
{
    if (b->gids) b->batch->at[item] = first + pen_page_index(mask, pen_page_bit(b->gids[item]));
    else b->batch->items[item] = (pen_batch_item){ { .first = first }, mask };
}

static uint64_t *write_item(uint64_t *next, pen_page_mask item)
{
    if (pen_page_size(item.mask) == 1) {
        *next++ = PEN_BATCH_ONE | (uint64_t)pen_page_gid(item.page, __builtin_ctzll(item.mask));
    } else {
        *next++ = item.page;
        *next++ = item.mask;
    }
    return next;
}

static void prefetch_item(const builder *b, uint32_t item)
{
    if (b->gids) {
        __builtin_prefetch(&b->gids[item]);
        __builtin_prefetch(&b->batch->at[item], 1);
    } else {
        __builtin_prefetch(&b->batch->items[item], 1);
    }
}

static void pack(const builder *b, pen_batch_kind kind, const place *places)
{
    enum { AHEAD = 16 };
    pen_blocks *blocks = &b->batch->blocks;
    uint64_t *words = (uint64_t *)(void *)blocks->data, *next = words, *head = words;
    int64_t gids = 0;
    for (int64_t i = 0; i < b->count;) {
        int home = (int)((uint64_t)places[i].key >> (32 - b->home_bits));
        if (i + AHEAD < b->count) prefetch_item(b, places[i + AHEAD].item);
        if (blocks->count == 0 || blocks->ranks[blocks->count - 1] != home) {
            blocks->ranks[blocks->count] = home;
            blocks->offsets[blocks->count++] = (next - words) * (int64_t)sizeof *words;
            *(head = next++) = 0;
        }
        pen_page_mask merged;
        int64_t end = i + merge_items(b, places + i, b->count - i, &merged);
        next = write_item(next, merged);
        for (; i < end; i++) settle(b, places[i].item, kind == PEN_BATCH_ENTRIES ? next - words : gids, merged.mask);
        *head += (uint64_t)pen_page_size(merged.mask);
        gids += pen_page_size(merged.mask);
        if (kind == PEN_BATCH_GIDS) continue;
        for (uint64_t left = merged.mask; left; left &= left - 1) *next++ = 0; /* memset is slow for so few */
    }
    blocks->offsets[blocks->count] = (next - words) * (int64_t)sizeof *words;
}

pen_batch_reader pen_batch_open(const pen_blocks *blocks, int block, int64_t *gids)
{
    uint64_t *begin = (uint64_t *)(void *)(blocks->data + blocks->offsets[block]);
    *gids += (int64_t)*begin;
    return (pen_batch_reader){ begin + 1, (uint64_t *)(void *)(blocks->data + blocks->offsets[block + 1]) };
}

int pen_batch_read(pen_batch_reader *reader, pen_page_mask items[PEN_PAGES_TOGETHER],
                   uint64_t *entries[PEN_PAGES_TOGETHER])
{
    int n = 0;
    uint64_t *next = reader->next;
    for (; n < PEN_PAGES_TOGETHER && next < reader->end; n++) {
        if (*next & PEN_BATCH_ONE) {
            pen_gid gid = (pen_gid)(*next++ & ~PEN_BATCH_ONE);
            items[n] = (pen_page_mask){ pen_page_of(gid), pen_page_bit(gid) };
        } else {
            items[n] = (pen_page_mask){ next[0], next[1] };
            next += 2;
        }
        if (!entries) continue;
        entries[n] = next;
        next += pen_page_size(items[n].mask);
    }
    reader->next = next;
    return n;
}

/* ---- All steps together ------------------------------------------------------------------------ */

pen_status pen_batch_build(int homes, pen_batch_kind kind, int64_t count, const pen_gid *gids, pen_batch *batch)
{
    builder b = { .batch = batch, .homes = homes };
    *batch = (pen_batch){ 0 };
    if (count > 0) PEN_TRY(pen_given(gids, "the gids"));
    PEN_TRY(look_at_gids(&b, count, gids));
    PEN_TRY(make_room(&b, kind, count, gids));
    if (b.gids) collect_gids(&b, count);
    else collect_pages(&b, count, gids);
    const place *sorted = sort(&b);
    /* The array that sorting no longer needs. */
    if (b.gids) batch->at = (int64_t *)(void *)b.places[sorted == b.places[0]];
    pack(&b, kind, sorted);
    return PEN_OK;
}

void pen_batch_free(pen_batch *batch)
{
    free(batch->memory);
    *batch = (pen_batch){ 0 };
}

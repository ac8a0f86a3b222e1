#include "directory/pages.h"
#include "base/hash.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>

/* uthash: its own hash is slow for one word, so pen_mix takes its place (low bits: the directory
 * chooses homes by the high ones); running out of memory undoes the insertion and is reported; and
 * new_page decides when buckets double, since they cost 16 bytes each. */
#define HASH_NONFATAL_OOM 1
#define HASH_FUNCTION(key, length, hash) ((hash) = (unsigned)pen_mix(*(const uint64_t *)(key)))
#define HASH_KEYCMP(a, b, length) (*(const uint64_t *)(a) != *(const uint64_t *)(b))
#include <uthash.h>
#undef HASH_BKT_CAPACITY_THRESH
#define HASH_BKT_CAPACITY_THRESH (UINT_MAX / 2)

enum {
    SMALLEST_SLAB = 16,  /* pages */
    CHAIN = 3,           /* pages per bucket, at most on average */
    HUGE_PAGE = 2 << 20, /* bytes */
    SLAB_SHARE = 32,     /* a new slab holds that fraction of the pages so far: what it wastes is bounded */
    MALLOC_OVERHEAD = 16 /* what malloc keeps beside a block, about */
};

typedef struct page {
    UT_hash_handle hh;
    uint64_t number;
    uint64_t present; /* not 0 while the page is in the table */
    union {
        uint64_t one;      /* where one bit is set */
        uint64_t *many;    /* [room(bits set)] else, owned */
        struct page *next; /* in the list of free pages */
    } values;
} page;

typedef struct slab {
    struct slab *next;
    int64_t count;
    page pages[];
} slab;

struct pen_pages {
    page *table;         /* uthash */
    page *last;          /* found last, or NULL */
    page *spare;         /* pages that were freed */
    slab *slabs;         /* the newest first */
    int64_t fresh;       /* pages at the end of the newest slab that have never been used */
    int64_t capacity;    /* pages in all slabs */
    int64_t reserved;    /* pages that will come */
    int64_t count;       /* gids */
    int64_t block_bytes; /* of slabs and of values outside pages */
};

/* Values outside the page that a page of `count` gids has room for. */
static int64_t room(int count) { return count <= 1 ? 0 : (count + 7) / 8 * 8; }

static int64_t room_bytes(int count)
{
    return count <= 1 ? 0 : room(count) * (int64_t)sizeof(uint64_t) + MALLOC_OVERHEAD;
}

static uint64_t *values_of(page *p) { return (p->present & (p->present - 1)) == 0 ? &p->values.one : p->values.many; }

/* Faulting in small pages one by one was a quarter of the time of a large update. */
static void ask_for_huge_pages(slab *s, int64_t bytes)
{
#ifdef MADV_HUGEPAGE
    uintptr_t from = ((uintptr_t)s + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    uintptr_t to = ((uintptr_t)s + (uintptr_t)bytes) / HUGE_PAGE * HUGE_PAGE;
    if (to > from) (void)madvise((void *)from, to - from, MADV_HUGEPAGE); /* refused, it is slower and no failure */
#else
    (void)s, (void)bytes;
#endif
}

static pen_status new_slab(pen_pages *pages, int64_t count)
{
    count = count > SMALLEST_SLAB ? count : SMALLEST_SLAB;
    slab *s;
    int64_t bytes = (int64_t)sizeof(slab) + count * (int64_t)sizeof(page);
    PEN_TRY(pen_alloc(&s, bytes, 1));
    ask_for_huge_pages(s, bytes);
    s->next = pages->slabs;
    pages->slabs = s;
    s->count = pages->fresh = count;
    pages->capacity += count;
    pages->block_bytes += bytes + MALLOC_OVERHEAD;
    return PEN_OK;
}

pen_status pen_pages_create(int64_t expected, pen_pages **pages)
{
    PEN_ARGUMENT(expected >= 0, "expected gids %" PRId64 ", must be >= 0", expected);
    pen_pages *new;
    PEN_TRY(PEN_ALLOC_ZERO(&new, 1));
    pen_status status = new_slab(new, expected / 64);
    if (status != PEN_OK) {
        free(new);
        return status;
    }
    *pages = new;
    return PEN_OK;
}

void pen_pages_destroy(pen_pages **pages)
{
    if (!pages || !*pages) return;
    for (page *p = (*pages)->table; p; p = p->hh.next)
        if (pen_page_size(p->present) > 1) free(p->values.many);
    HASH_CLEAR(hh, (*pages)->table);
    for (slab *s = (*pages)->slabs, *next; s; s = next) {
        next = s->next;
        free(s);
    }
    free(*pages);
    *pages = NULL;
}

static unsigned hash_of(uint64_t number) { return (unsigned)pen_mix(number); }

static page *lookup(pen_pages *pages, uint64_t number, unsigned hash)
{
    if (pages->last && pages->last->number == number) return pages->last;
    page *p;
    HASH_FIND_BYHASHVALUE(hh, pages->table, &number, sizeof number, hash, p);
    if (p) pages->last = p;
    return p;
}

/* Enough buckets for the pages that are there or will come: doubling a table that is still small is cheap,
 * while later every page is visited. Without memory chains grow longer, which is no failure. */
static void widen(UT_hash_table *table, int64_t reserved)
{
    int64_t pages = table->num_items > reserved ? table->num_items : reserved;
    int failed = 0;
    while (pages > CHAIN * (int64_t)table->num_buckets && !failed) HASH_EXPAND_BUCKETS(hh, table, failed);
}

/* A page without gids, in the table. */
static pen_status new_page(pen_pages *pages, uint64_t number, unsigned hash, page **out)
{
    if (pages->table) widen(pages->table->hh.tbl, pages->reserved);
    if (!pages->spare && pages->fresh == 0) {
        int64_t share = pages->capacity / SLAB_SHARE, missing = pages->reserved - pages->capacity;
        PEN_TRY(new_slab(pages, share > missing ? share : missing));
    }
    page *p = pages->spare ? pages->spare : &pages->slabs->pages[pages->slabs->count - pages->fresh];
    page *next = pages->spare ? p->values.next : NULL;
    p->number = number;
    p->present = 0;
    HASH_ADD_BYHASHVALUE(hh, pages->table, number, sizeof p->number, hash, p);
    if (!p->hh.tbl) return pen_fail(PEN_ERR_MEMORY, "out of memory for a table of pages");
    pages->fresh -= pages->spare == NULL;
    pages->spare = next;
    pages->last = *out = p;
    return PEN_OK;
}

static void free_page(pen_pages *pages, page *p)
{
    HASH_DELETE(hh, pages->table, p);
    p->values.next = pages->spare;
    pages->spare = p;
    pages->last = NULL;
}

/* The values of `had`, and of `mask` those that are not among them, in ascending order, in `to`. Which of the two
 * comes next is anybody's guess, so it is reckoned out, without a branch. */
static void interleave(uint64_t had, uint64_t mask, const uint64_t *values, uint64_t *to)
{
    uint64_t both[2 * 64];
    size_t old = 0, new = 64;
    memcpy(both, to, (size_t)pen_page_size(had) * sizeof *to);
    memcpy(both + new, values, (size_t)pen_page_size(mask) * sizeof *to);
    for (uint64_t left = had | mask; left; left &= left - 1) {
        uint64_t bit = left & -left;
        size_t is_old = (had & bit) != 0;
        *to++ = both[new ^ ((old ^ new) & -is_old)];
        old += is_old;
        new += (mask & bit) != 0;
    }
}

pen_status pen_pages_add(pen_pages *pages, uint64_t number, uint64_t mask, const uint64_t *values, uint64_t *present)
{
    unsigned hash = hash_of(number);
    page *p = lookup(pages, number, hash);
    uint64_t had = p ? p->present : 0, all = had | mask;
    *present = had;
    if (all == had) return PEN_OK;
    int before = pen_page_size(had), after = pen_page_size(all);
    uint64_t one = before == 1 ? p->values.one : 0, *many = before > 1 ? p->values.many : NULL;
    if (room(after) > room(before)) {
        PEN_TRY(PEN_REALLOC(&many, room(after)));
        if (before > 1) p->values.many = many;
    }
    if (!p) {
        pen_status status = new_page(pages, number, hash, &p);
        if (status != PEN_OK) {
            free(many);
            return status;
        }
    }
    p->present = all;
    pages->count += after - before;
    pages->block_bytes += room_bytes(after) - room_bytes(before);
    if (after == 1) {
        p->values.one = *values;
        return PEN_OK;
    }
    if (before == 1) *many = one;
    p->values.many = many;
    interleave(had, mask, values, many);
    return PEN_OK;
}

uint64_t *pen_pages_page(pen_pages *pages, uint64_t number, uint64_t *present)
{
    page *p = lookup(pages, number, hash_of(number));
    *present = p ? p->present : 0;
    return p ? values_of(p) : NULL;
}

static void prefetch_page(const UT_hash_handle *handle)
{
    if (!handle) return;
    __builtin_prefetch(handle);
    __builtin_prefetch(handle + 1); /* what follows it: number, bitmap, values */
}

void pen_pages_reserve(pen_pages *pages, int64_t count)
{
    if (count > pages->reserved) pages->reserved = count;
}

void pen_pages_prefetch(const pen_pages *pages, int64_t count, const pen_page_mask *items)
{
    if (!pages->table) return;
    const UT_hash_bucket *bucket[PEN_PAGES_TOGETHER], *buckets = pages->table->hh.tbl->buckets;
    int some = count < PEN_PAGES_TOGETHER ? (int)count : PEN_PAGES_TOGETHER;
    for (int i = 0; i < some; i++) {
        bucket[i] = &buckets[hash_of(items[i].page) & (pages->table->hh.tbl->num_buckets - 1)];
        __builtin_prefetch(bucket[i]);
    }
    for (int i = 0; i < some; i++) prefetch_page(bucket[i]->hh_head);
    for (int i = 0; i < some; i++)
        if (bucket[i]->hh_head) prefetch_page(bucket[i]->hh_head->hh_next);
}

pen_status pen_pages_set(pen_pages *pages, pen_gid gid, uint64_t value)
{
    uint64_t had;
    PEN_TRY(pen_pages_add(pages, pen_page_of(gid), pen_page_bit(gid), &value, &had));
    *pen_pages_find(pages, gid) = value;
    return PEN_OK;
}

uint64_t *pen_pages_find(pen_pages *pages, pen_gid gid)
{
    page *p = lookup(pages, pen_page_of(gid), hash_of(pen_page_of(gid)));
    if (!p || !(p->present & pen_page_bit(gid))) return NULL;
    return values_of(p) + pen_page_index(p->present, pen_page_bit(gid));
}

/* Each step of some look-ups at once, so that they wait for memory together. */
static void find_some(const pen_pages *pages, int count, const pen_gid *gids, uint64_t *values)
{
    const UT_hash_table *table = pages->table->hh.tbl;
    unsigned hashes[PEN_PAGES_TOGETHER];
    uint64_t *found[PEN_PAGES_TOGETHER];
    for (int i = 0; i < count; i++) {
        hashes[i] = hash_of(pen_page_of(gids[i]));
        __builtin_prefetch(&table->buckets[hashes[i] & (table->num_buckets - 1)]);
    }
    for (int i = 0; i < count; i++) prefetch_page(table->buckets[hashes[i] & (table->num_buckets - 1)].hh_head);
    for (int i = 0; i < count; i++) {
        uint64_t number = pen_page_of(gids[i]), bit = pen_page_bit(gids[i]);
        page *p;
        HASH_FIND_BYHASHVALUE(hh, pages->table, &number, sizeof number, hashes[i], p);
        found[i] = p && p->present & bit ? values_of(p) + pen_page_index(p->present, bit) : NULL;
        __builtin_prefetch(found[i]);
    }
    for (int i = 0; i < count; i++) values[i] = found[i] ? *found[i] : PEN_PAGES_ABSENT;
}

void pen_pages_find_all(const pen_pages *pages, int64_t count, const pen_gid *gids, uint64_t *values)
{
    if (!pages->table) { /* every value is all ones */
        if (count > 0) memset(values, 0xff, (size_t)count * sizeof *values);
        return;
    }
    for (int64_t i = 0; i < count; i += PEN_PAGES_TOGETHER)
        find_some(pages, (int)(count - i < PEN_PAGES_TOGETHER ? count - i : PEN_PAGES_TOGETHER), gids + i, values + i);
}

void pen_pages_remove(pen_pages *pages, pen_gid gid)
{
    page *p = lookup(pages, pen_page_of(gid), hash_of(pen_page_of(gid)));
    if (!p || !(p->present & pen_page_bit(gid))) return;
    int before = pen_page_size(p->present), after = before - 1, index = pen_page_index(p->present, pen_page_bit(gid));
    uint64_t *values = values_of(p);
    memmove(values + index, values + index + 1, (size_t)(after - index) * sizeof *values);
    p->present &= ~pen_page_bit(gid);
    pages->count--;
    pages->block_bytes += room_bytes(after) - room_bytes(before);
    if (after == 0) {
        free_page(pages, p);
    } else if (after == 1) {
        p->values.one = values[0];
        free(values);
    } else if (room(after) < room(before)) {
        uint64_t *smaller = realloc(values, (size_t)room(after) * sizeof *values);
        if (smaller) p->values.many = smaller; /* else it stays too large, which is no failure */
    }
}

int64_t pen_pages_count(const pen_pages *pages) { return pages->count; }

int64_t pen_pages_memory_used(const pen_pages *pages)
{
    size_t table = 0;
    if (pages->table)
        table = sizeof(UT_hash_table) + pages->table->hh.tbl->num_buckets * sizeof(UT_hash_bucket) +
                2 * MALLOC_OVERHEAD;
    return (int64_t)sizeof *pages + MALLOC_OVERHEAD + (int64_t)table + pages->block_bytes;
}

bool pen_pages_is_valid(const pen_pages *pages, pen_page_check_fn *check, const void *context)
{
    int64_t count = 0, used = 0, spare = 0;
    for (page *p = pages->table; p; p = p->hh.next, used++) {
        page *found;
        HASH_FIND(hh, pages->table, &p->number, sizeof p->number, found);
        if (found != p || p->present == 0 || p->number > UINT64_MAX >> 7) return false;
        if (check && !check(context, p->number, p->present, values_of(p))) return false;
        count += pen_page_size(p->present);
    }
    for (const page *p = pages->spare; p; p = p->values.next) spare++;
    return count == pages->count && used + spare + pages->fresh == pages->capacity;
}

const char *pen_uthash_version(void) { return PEN_TEXT_OF(UTHASH_VERSION); }

/* pages.c - a map from gids to 64-bit values, in pages of 64 gids. */
#include "directory/pages.h"

#include <limits.h>
#include <stdlib.h>

/* Settings of uthash. Keys are numbers, stored in place of a pointer to them, and compared by HASH_KEYCMP, so that a
 * page fits a cache line. The hash is pen_mix, whose low bits choose the bucket; directories choose homes by its high
 * bits. Buckets are thus in the order of hashes, like batches (batch.h), and are visited one after the other. If memory
 * runs out, the insertion is undone and the failure reported. new_page decides when buckets double, since they cost 16
 * bytes each. */
#define HASH_NONFATAL_OOM 1
#define HASH_KEYCMP(a, b, length) (number_of(a) != number_of(b))
#include <uthash.h>
#undef HASH_INITIAL_NUM_BUCKETS
#undef HASH_INITIAL_NUM_BUCKETS_LOG2
#define HASH_INITIAL_NUM_BUCKETS first_buckets(pages)
/* Required by uthash, but not used: the numbers of buckets are not powers of two. */
#define HASH_INITIAL_NUM_BUCKETS_LOG2 0
#undef HASH_BKT_CAPACITY_THRESH
#define HASH_BKT_CAPACITY_THRESH (UINT_MAX / 2)
#undef HASH_TO_BKT
#define HASH_TO_BKT(hash, buckets, bucket) ((bucket) = bucket_of(hash, buckets))

enum {
    LINE = 64,          /* bytes of a cache line */
    SMALLEST_SLAB = 16, /* number of pages in the smallest slab */
    FEWEST_BUCKETS = 8,
    MOST_BUCKETS = 1 << 28,
    CHAIN = 4, /* CHAINS buckets have on average at most CHAIN pages */
    CHAINS = 3,
    SLAB_SHARE = 32, /* a new slab has one SLAB_SHARE-th of the present number of pages, which limits unused memory */
    MALLOC_OVERHEAD = 16 /* approximate bytes that malloc needs per block */
};

/* The values of a page with several gids. */
typedef struct packed {
    uint64_t present;
    uint64_t list[]; /* [room(bits set)] values, ascending by gid */
} packed;

/* hh.key of a page with one value is its gid; of a page with several values or none, its first gid and MANY. */
typedef struct page {
    UT_hash_handle hh;
    union {
        uint64_t one;
        packed *many;      /* the values, owned */
        struct page *next; /* the next page in the list of free pages */
    } is;
} page;

_Static_assert(sizeof(void *) == sizeof(uint64_t), "keys of pages are numbers that fit a pointer");
_Static_assert(sizeof(page) == LINE, "a page is a cache line");

#define MANY (UINT64_C(1) << 63)

typedef struct slab {
    struct slab *next;
    int64_t count;
    page *pages; /* [count] pages, which follow this structure, aligned to a cache line */
} slab;

struct pen_pages {
    page *table;         /* the hash table of uthash */
    page *last;          /* the page that was found last, or NULL */
    page *spare;         /* list of pages that were freed */
    slab *slabs;         /* list of slabs, the newest first */
    int64_t fresh;       /* number of pages at the end of the newest slab that have never been used */
    int64_t capacity;    /* number of pages in all slabs */
    int64_t reserved;    /* number of pages that are announced */
    int64_t count;       /* number of gids */
    int64_t block_bytes; /* bytes of slabs and of values outside pages */
};

static const void *key_of(uint64_t gid) { return (const void *)(uintptr_t)gid; }
static uint64_t number_of(const void *key) { return ((uintptr_t)key & ~MANY) >> 6; }
static bool has_many(const page *p) { return ((uintptr_t)p->hh.key & MANY) != 0; }

static inline unsigned bucket_of(unsigned hash, unsigned buckets) { return (unsigned)((uint64_t)hash * buckets >> 32); }

/* The number of values outside the page for which a page of `count` gids has room. */
static int64_t room(int count) { return count <= 1 ? 0 : (count + 7) / 8 * 8; }

static int64_t room_bytes(int count)
{
    return count <= 1 ? 0 : (1 + room(count)) * (int64_t)sizeof(uint64_t) + MALLOC_OVERHEAD;
}

static pen_page_walk walk_of(page *p)
{
    if (has_many(p)) return (pen_page_walk){ p->is.many->present, p->is.many->list };
    return (pen_page_walk){ pen_page_bit((pen_gid)(uintptr_t)p->hh.key), &p->is.one };
}

static pen_status new_slab(pen_pages *pages, int64_t count)
{
    count = count > SMALLEST_SLAB ? count : SMALLEST_SLAB;
    slab *s;
    int64_t lines = count + 2; /* for pages, and for the slab up to the first of them */
    PEN_TRY(pen_alloc(&s, lines, LINE));
    s->pages = (page *)(((uintptr_t)(s + 1) + LINE - 1) / LINE * LINE);
    s->next = pages->slabs;
    pages->slabs = s;
    s->count = pages->fresh = count;
    pages->capacity += count;
    pages->block_bytes += lines * LINE + MALLOC_OVERHEAD;
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
        if (has_many(p)) free(p->is.many);
    HASH_CLEAR(hh, (*pages)->table);
    for (slab *s = (*pages)->slabs, *next; s; s = next) {
        next = s->next;
        free(s);
    }
    free(*pages);
    *pages = NULL;
}

static unsigned hash_of(uint64_t number) { return (unsigned)pen_mix(number); }

static page *find(const pen_pages *pages, uint64_t number, unsigned hash)
{
    page *p;
    HASH_FIND_BYHASHVALUE(hh, pages->table, key_of(number << 6), sizeof number, hash, p);
    return p;
}

static page *lookup(pen_pages *pages, uint64_t number)
{
    if (pages->last && number_of(pages->last->hh.key) == number) return pages->last;
    page *p = find(pages, number, hash_of(number));
    if (p) pages->last = p;
    return p;
}

/* The number of buckets of a new table, for the announced number of pages. Any number works. */
static unsigned first_buckets(const pen_pages *pages)
{
    int64_t buckets = pages->reserved * 3 / 2 + 1;
    if (buckets < FEWEST_BUCKETS) return FEWEST_BUCKETS;
    return buckets > MOST_BUCKETS ? MOST_BUCKETS : (unsigned)buckets;
}

/* Make enough buckets for the present and announced pages: doubling a table is cheap as long as it is small, since
 * every page is visited. If memory is exhausted, chains grow longer, which is no failure. */
static void widen(UT_hash_table *table, int64_t reserved)
{
    int64_t pages = table->num_items > reserved ? table->num_items : reserved;
    int failed = 0;
    while (CHAINS * pages > CHAIN * (int64_t)table->num_buckets && !failed) HASH_EXPAND_BUCKETS(hh, table, failed);
}

/* Add a page without gids to the table. */
static pen_status new_page(pen_pages *pages, uint64_t number, page **out)
{
    if (pages->table) widen(pages->table->hh.tbl, pages->reserved);
    if (!pages->spare && pages->fresh == 0) {
        int64_t share = pages->capacity / SLAB_SHARE, missing = pages->reserved - pages->capacity;
        PEN_TRY(new_slab(pages, share > missing ? share : missing));
    }
    page *p = pages->spare ? pages->spare : &pages->slabs->pages[pages->slabs->count - pages->fresh];
    page *next = pages->spare ? p->is.next : NULL;
    unsigned hash = hash_of(number);
    HASH_ADD_KEYPTR_BYHASHVALUE(hh, pages->table, key_of(number << 6), sizeof number, hash, p);
    if (!p->hh.tbl) return pen_fail(PEN_ERR_MEMORY, "out of memory for a table of pages");
    pages->fresh -= pages->spare == NULL;
    pages->spare = next;
    pages->last = *out = p;
    return PEN_OK;
}

static void free_page(pen_pages *pages, page *p)
{
    HASH_DELETE(hh, pages->table, p);
    p->is.next = pages->spare;
    pages->spare = p;
    pages->last = NULL;
}

/* Merge values into `to`, in ascending order of gids: those of `had`, and those of `mask` that are not in `had`. Their
 * order is unpredictable, so it is computed without a branch. */
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

/* Add values to a page that has room for them. */
static void add_values(page *p, uint64_t had, uint64_t all, uint64_t mask, const uint64_t *said)
{
    uint64_t number = number_of(p->hh.key);
    if ((all & (all - 1)) == 0) {
        p->hh.key = key_of((uint64_t)pen_page_gid(number, __builtin_ctzll(all)));
        p->is.one = *said;
        return;
    }
    p->hh.key = key_of(number << 6 | MANY);
    p->is.many->present = all;
    interleave(had, mask, said, p->is.many->list);
}

pen_status pen_pages_add(pen_pages *pages, uint64_t number, uint64_t mask, const uint64_t *said, uint64_t *had,
                         pen_page_walk *walk)
{
    page *p = lookup(pages, number);
    *walk = p ? walk_of(p) : (pen_page_walk){ 0, NULL };
    *had = walk->present;
    uint64_t all = walk->present | mask;
    if (all == walk->present) return PEN_OK;
    int before = pen_page_size(*had), after = pen_page_size(all);
    packed *many = before > 1 ? p->is.many : NULL;
    if (room(after) > room(before)) {
        PEN_TRY(pen_realloc(&many, 1 + room(after), sizeof(uint64_t)));
        if (before > 1) p->is.many = many;
    }
    if (!p) {
        pen_status status = new_page(pages, number, &p);
        if (status != PEN_OK) {
            free(many);
            return status;
        }
    }
    pages->count += after - before;
    pages->block_bytes += room_bytes(after) - room_bytes(before);
    if (before == 1) many->list[0] = p->is.one;
    if (after > 1) p->is.many = many;
    add_values(p, *had, all, mask, said);
    *walk = walk_of(p);
    return PEN_OK;
}

pen_page_walk pen_pages_page(pen_pages *pages, uint64_t number)
{
    page *p = lookup(pages, number);
    return p ? walk_of(p) : (pen_page_walk){ 0, NULL };
}

void pen_pages_reserve(pen_pages *pages, int64_t count)
{
    if (count > pages->reserved) pages->reserved = count;
}

/* Prefetch the value of a bit where it would be in a full page, which is mostly the right cache line. */
static void prefetch_values(const page *p, int bit)
{
    __builtin_prefetch(p->is.many);
    __builtin_prefetch(&p->is.many->list[bit]);
}

void pen_pages_prefetch(const pen_pages *pages, int64_t count, const pen_page_mask *items)
{
    if (!pages->table) return;
    const UT_hash_bucket *bucket[PEN_PAGES_TOGETHER], *buckets = pages->table->hh.tbl->buckets;
    int some = count < PEN_PAGES_TOGETHER ? (int)count : PEN_PAGES_TOGETHER;
    for (int i = 0; i < some; i++) {
        bucket[i] = &buckets[bucket_of(hash_of(items[i].page), pages->table->hh.tbl->num_buckets)];
        __builtin_prefetch(bucket[i]);
    }
    for (int i = 0; i < some; i++) __builtin_prefetch(bucket[i]->hh_head);
    /* A page begins with its hash handle, so that the handle's address is the page's. */
    for (int i = 0; i < some; i++) {
        const page *first = (const page *)(const void *)bucket[i]->hh_head;
        if (first && has_many(first)) prefetch_values(first, __builtin_ctzll(items[i].mask));
    }
}

pen_status pen_pages_set(pen_pages *pages, pen_gid gid, uint64_t value)
{
    uint64_t had;
    pen_page_walk walk;
    PEN_TRY(pen_pages_add(pages, pen_page_of(gid), pen_page_bit(gid), &value, &had, &walk));
    *pen_page_step(&walk, pen_page_bit(gid)) = value;
    return PEN_OK;
}

uint64_t *pen_pages_find(pen_pages *pages, pen_gid gid)
{
    pen_page_walk walk = pen_pages_page(pages, pen_page_of(gid));
    return pen_page_step(&walk, pen_page_bit(gid));
}

/* Make each step of several look-ups at once, so that their cache misses overlap. */
static void find_some(const pen_pages *pages, int count, const pen_gid *gids, uint64_t *values)
{
    const UT_hash_table *table = pages->table->hh.tbl;
    unsigned hashes[PEN_PAGES_TOGETHER];
    page *where[PEN_PAGES_TOGETHER];
    for (int i = 0; i < count; i++) {
        hashes[i] = hash_of(pen_page_of(gids[i]));
        __builtin_prefetch(&table->buckets[bucket_of(hashes[i], table->num_buckets)]);
    }
    for (int i = 0; i < count; i++)
        __builtin_prefetch(table->buckets[bucket_of(hashes[i], table->num_buckets)].hh_head);
    for (int i = 0; i < count; i++) {
        where[i] = find(pages, pen_page_of(gids[i]), hashes[i]);
        if (where[i] && has_many(where[i])) prefetch_values(where[i], (int)(gids[i] & 63));
    }
    for (int i = 0; i < count; i++) {
        pen_page_walk walk = where[i] ? walk_of(where[i]) : (pen_page_walk){ 0, NULL };
        const uint64_t *found = pen_page_step(&walk, pen_page_bit(gids[i]));
        values[i] = found ? *found : PEN_PAGES_ABSENT;
    }
}

void pen_pages_find_all(const pen_pages *pages, int64_t count, const pen_gid *gids, uint64_t *values)
{
    if (!pages->table) { /* an absent value, PEN_PAGES_ABSENT, has all bits set */
        if (count > 0) memset(values, 0xff, (size_t)count * sizeof *values);
        return;
    }
    for (int64_t i = 0; i < count; i += PEN_PAGES_TOGETHER)
        find_some(pages, (int)(count - i < PEN_PAGES_TOGETHER ? count - i : PEN_PAGES_TOGETHER), gids + i, values + i);
}

void pen_pages_remove(pen_pages *pages, pen_gid gid)
{
    page *p = lookup(pages, pen_page_of(gid));
    pen_page_walk walk = p ? walk_of(p) : (pen_page_walk){ 0, NULL };
    uint64_t bit = pen_page_bit(gid), left = walk.present & ~bit;
    uint64_t *gone = pen_page_step(&walk, bit);
    if (!gone) return;
    int after = pen_page_size(left);
    pages->count--;
    pages->block_bytes += room_bytes(after) - room_bytes(after + 1);
    if (after == 0) {
        free_page(pages, p);
        return;
    }
    packed *many = p->is.many;
    memmove(gone, gone + 1, (size_t)(many->list + after - gone) * sizeof *gone);
    many->present = left;
    if (after == 1) {
        p->hh.key = key_of((uint64_t)pen_page_gid(pen_page_of(gid), __builtin_ctzll(left)));
        p->is.one = many->list[0];
        free(many);
    } else if (room(after) < room(after + 1)) {
        many = realloc(many, (1 + (size_t)room(after)) * sizeof(uint64_t));
        if (many) p->is.many = many; /* otherwise the block stays too large, which is no failure */
    }
}

void pen_pages_compact(pen_pages *pages)
{
    enum { TIMES = 8, FEW = 16 };
    int64_t used = pen_pages_in_use(pages);
    pen_pages *less = NULL;
    if (pages->capacity <= TIMES * (used + FEW) || pen_pages_create(64 * used, &less) != PEN_OK) return;
    pen_status status = PEN_OK;
    for (page *p = pages->table; p && status == PEN_OK; p = p->hh.next) {
        pen_page_walk from = walk_of(p), to;
        uint64_t had;
        status = pen_pages_add(less, number_of(p->hh.key), from.present, from.next, &had, &to);
    }
    if (status == PEN_OK) {
        pen_pages more = *pages;
        *pages = *less;
        *less = more;
    }
    pen_pages_destroy(&less);
}

int64_t pen_pages_count(const pen_pages *pages) { return pages->count; }

int64_t pen_pages_in_use(const pen_pages *pages) { return (int64_t)HASH_COUNT(pages->table); }

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
        uint64_t number = number_of(p->hh.key);
        pen_page_walk walk = walk_of(p);
        int size = pen_page_size(walk.present);
        if (find(pages, number, hash_of(number)) != p || has_many(p) != (size > 1)) return false;
        if (check && !check(context, number, walk.present, walk.next)) return false;
        count += size;
    }
    for (const page *p = pages->spare; p; p = p->is.next) spare++;
    return count == pages->count && used + spare + pages->fresh == pages->capacity;
}

const char *pen_uthash_version(void) { return PEN_TEXT_OF(UTHASH_VERSION); }

/* The map from gids to values against a plain table, its memory, and its behaviour without memory.
 * pen_test() */
#include "tests/support/unit.h"

#include "base/hash.h"
#include "directory/pages.h"

#include <stdlib.h>

/* The linker sends every allocation here (--wrap), to count them and let them fail. */
static int64_t allocations_left = INT64_MAX, blocks_alive;

static void *counted(void *block)
{
    blocks_alive += block != NULL;
    return block;
}

static bool may_allocate(void) { return allocations_left-- > 0; }

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);
void *__wrap_malloc(size_t size) { return may_allocate() ? counted(__real_malloc(size)) : NULL; }
void *__wrap_calloc(size_t count, size_t size) { return may_allocate() ? counted(__real_calloc(count, size)) : NULL; }
void *__wrap_realloc(void *block, size_t size)
{
    if (!may_allocate()) return NULL;
    return block ? __real_realloc(block, size) : counted(__real_realloc(NULL, size));
}
void __wrap_free(void *block)
{
    blocks_alive -= block != NULL;
    __real_free(block);
}

/* ---- Against a plain table ------------------------------------------------------------------- */

/* The gids of a case: gid(i) = start + i * stride, i in [0, COUNT); the oracle is indexed by i. */
enum { COUNT = 600, ROUNDS = 40000 };

typedef struct table {
    bool present[COUNT];
    uint64_t value[COUNT];
} table;

static void compare(pen_pages *pages, const table *expected, pen_gid start, pen_gid stride)
{
    int64_t count = 0;
    for (int i = 0; i < COUNT; i++) {
        const uint64_t *found = pen_pages_find(pages, start + i * stride);
        assert_int_equal(found != NULL, expected->present[i]);
        if (found) assert_int_equal(*found, expected->value[i]);
        count += expected->present[i];
    }
    assert_int_equal(pen_pages_count(pages), count);
    assert_true(pen_pages_is_valid(pages, NULL, NULL));
}

static void random_history(pen_gid start, pen_gid stride)
{
    table expected = { 0 };
    pen_pages *pages;
    assert_int_equal(pen_pages_create(0, &pages), PEN_OK);
    int64_t empty = 0, fullest = 0;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t dice = pen_mix(round ^ (uint64_t)stride << 32);
        int i = (int)pen_hash_range(dice, COUNT);
        pen_gid gid = start + i * stride;
        /* Waves: mostly insertions, then mostly removals, so that pages fill and empty. */
        bool insert = (dice & 15) < (round / 4000 % 2 == 0 ? 14u : 2u);
        if (insert) {
            assert_int_equal(pen_pages_set(pages, gid, dice), PEN_OK);
            expected.present[i] = true;
            expected.value[i] = dice;
        } else {
            pen_pages_remove(pages, gid);
            expected.present[i] = false;
        }
        const uint64_t *found = pen_pages_find(pages, gid);
        assert_int_equal(found != NULL, insert);
        if (found) assert_int_equal(*found, dice);
        if (round % 1000 == 999) compare(pages, &expected, start, stride);
        if (round == 3999) fullest = pen_pages_memory_used(pages);
    }
    for (int i = 0; i < COUNT; i++) pen_pages_remove(pages, start + i * stride);
    assert_int_equal(pen_pages_count(pages), 0);
    assert_true(pen_pages_is_valid(pages, NULL, NULL));
    /* Slabs stay, the rest has gone. */
    empty = pen_pages_memory_used(pages);
    assert_true(empty < fullest);
    pen_pages_destroy(&pages);
    assert_null(pages);
}

TEST(histories)
{
    random_history(0, 1);
    random_history(63, 1);
    random_history(5, 7);
    random_history(0, 64);
    random_history(12345, INT64_C(1) << 52);
    random_history(INT64_MAX - COUNT, 1);
}

/* A whole page at once: old entries keep their values, new ones get the given ones. */
TEST(masks)
{
    for (uint64_t round = 0; round < 3000; round++) {
        pen_pages *pages;
        assert_int_equal(pen_pages_create(0, &pages), PEN_OK);
        uint64_t first = pen_mix(round), second = pen_mix(~round), page = round * round;
        if (round % 3 == 0) first &= pen_mix(first) & pen_mix(second) & (second >> 7) & (second << 9);
        if (round % 5 == 0) second &= pen_mix(first ^ 1) & (first >> 5) & (first << 3);
        if (round % 7 == 0) first = ~UINT64_C(0);
        assert_int_equal(pen_pages_page(pages, page).present, 0);
        uint64_t said[64], had;
        for (int i = 0; i < 64; i++) said[i] = 1000 + (uint64_t)i;
        pen_page_walk walk;
        assert_int_equal(pen_pages_add(pages, page, first, said, &had, &walk), PEN_OK);
        assert_int_equal(had, 0);
        assert_int_equal(walk.present, first);
        uint64_t *values = pen_pages_page(pages, page).next, present;
        assert_int_equal(pen_pages_page(pages, page).present, first);
        assert_ptr_equal(values, walk.next);
        for (int i = 0; i < pen_page_size(first); i++) {
            assert_int_equal(values[i], said[i]);
            values[i] = (uint64_t)i + 1;
        }
        assert_int_equal(pen_pages_add(pages, page, second, said, &had, &walk), PEN_OK);
        assert_int_equal(had, first);
        values = walk.next;
        present = walk.present;
        assert_int_equal(present, first | second);
        assert_int_equal(pen_pages_count(pages), pen_page_size(present));
        assert_int_equal(pen_pages_in_use(pages), present != 0);
        uint64_t next = 1;
        for (int bit = 0, i = 0, k = 0; bit < 64; bit++) {
            uint64_t new = second >> bit & 1 ? said[k++] : 0;
            if (k % 3 == 0) { /* some are passed over */
                const uint64_t *value = pen_page_step(&walk, UINT64_C(1) << bit);
                assert_ptr_equal(value, present >> bit & 1 ? values + i : NULL);
            }
            if (!(present >> bit & 1)) continue;
            assert_int_equal(values[i++], first >> bit & 1 ? next++ : new);
            pen_gid gids[2] = { pen_page_gid(page, bit), pen_page_gid(page + 1, bit) };
            uint64_t found[2];
            pen_pages_find_all(pages, 2, gids, found);
            assert_int_equal(found[0], values[i - 1]);
            assert_int_equal(found[1], PEN_PAGES_ABSENT);
        }
        assert_true(pen_pages_is_valid(pages, NULL, NULL));
        pen_pages_destroy(&pages);
    }
}

/* ---- Memory ----------------------------------------------------------------------------------- */

static double bytes_per_gid(int64_t count, pen_gid stride, int64_t expected)
{
    pen_pages *pages;
    assert_int_equal(pen_pages_create(expected, &pages), PEN_OK);
    double worst = 0;
    for (int64_t i = 0; i < count; i++) {
        assert_int_equal(pen_pages_set(pages, i * stride, 1), PEN_OK);
        double bytes = (double)pen_pages_memory_used(pages) / (double)(i + 1);
        if (i >= (expected ? expected : 4096) - 1 && bytes > worst) worst = bytes;
    }
    pen_pages_destroy(&pages);
    return worst;
}

static void check_bytes(double bytes, double limit, const char *what)
{
    if (bytes > limit) fail_msg("%s: %.2f bytes per gid, must be at most %.2f", what, bytes, limit);
}

/* At every size from 4096 gids on, not only at a lucky one. */
TEST(memory)
{
    check_bytes(bytes_per_gid(1 << 18, 1, 0), 16, "dense");
    check_bytes(bytes_per_gid(1 << 18, 1, 1 << 18), 16, "dense, announced");
    check_bytes(bytes_per_gid(1 << 18, 64, 0), 96, "one gid per page");
    check_bytes(bytes_per_gid(1 << 18, INT64_C(0x7ffffffff), 0), 96, "one gid per page, far apart");
    check_bytes(bytes_per_gid(1 << 18, 32, 0), 96, "two gids per page");
}

/* Memory that few gids are left in is given back, if there is memory for the copy; all gids stay. */
TEST(compacting)
{
    pen_pages *pages;
    assert_int_equal(pen_pages_create(0, &pages), PEN_OK);
    for (pen_gid gid = 0; gid < 64000; gid++) assert_int_equal(pen_pages_set(pages, gid, (uint64_t)gid + 5), PEN_OK);
    for (pen_gid gid = 0; gid < 64000; gid++)
        if (gid % 6400) pen_pages_remove(pages, gid);
    const int64_t before = pen_pages_memory_used(pages);
    for (int64_t most = 0; most < 2; most++) {
        allocations_left = most;
        pen_pages_compact(pages);
        allocations_left = INT64_MAX;
        assert_int_equal(pen_pages_memory_used(pages), before);
    }
    pen_pages_compact(pages);
    assert_in_range(pen_pages_memory_used(pages), 1, before / 2);
    for (int i = 0; i < 2; i++) { /* nothing more to give back */
        assert_int_equal(pen_pages_count(pages), 10);
        for (pen_gid gid = 0; gid < 64000; gid += 6400) assert_int_equal(*pen_pages_find(pages, gid), gid + 5);
        assert_true(pen_pages_is_valid(pages, NULL, NULL));
        pen_pages_compact(pages);
    }
    pen_pages_destroy(&pages);
}

/* Every allocation of a history fails once: the call says so, nothing has changed, and it works when
 * there is memory again. */
TEST(out_of_memory)
{
    pen_pages *pages = NULL;
    for (int64_t k = 0; k < 2; k++) {
        allocations_left = k;
        pen_status status = pen_pages_create(0, &pages);
        allocations_left = INT64_MAX;
        assert_int_equal(status, PEN_ERR_MEMORY);
        assert_null(pages);
    }
    assert_int_equal(pen_pages_create(0, &pages), PEN_OK);
    int failures = 0;
    for (int64_t i = 0; i < 3000; i++) {
        pen_gid gid = (i % 3 == 0 ? i / 3 : i * 64) + (i & 1);
        int64_t count = pen_pages_count(pages);
        bool known = pen_pages_find(pages, gid) != NULL;
        for (int64_t k = 0;; k++) {
            allocations_left = k;
            pen_status status = pen_pages_set(pages, gid, (uint64_t)i);
            allocations_left = INT64_MAX;
            if (status == PEN_OK) break;
            failures++;
            assert_int_equal(status, PEN_ERR_MEMORY);
            assert_false(known);
            assert_null(pen_pages_find(pages, gid));
            assert_int_equal(pen_pages_count(pages), count);
        }
        assert_int_equal(*pen_pages_find(pages, gid), i);
        assert_int_equal(pen_pages_count(pages), count + !known);
        if (i % 100 == 0) assert_true(pen_pages_is_valid(pages, NULL, NULL));
    }
    assert_true(failures > 100);
    for (int64_t gid = 0; gid < 3000 * 64; gid++) {
        allocations_left = 0;
        pen_pages_remove(pages, gid);
        allocations_left = INT64_MAX;
    }
    assert_int_equal(pen_pages_count(pages), 0);
    pen_pages_destroy(&pages);
    pen_pages_destroy(&pages);
    pen_pages_destroy(NULL);
}

/* The last case: nothing of the others is left. */
TEST(no_leak) { assert_int_equal(blocks_alive, 0); }

/* Batches of the directory: whatever the order of the gids, the blocks for the homes name each once, and the place of
 * every gid of the call is found.
 * pen_test() */
#include "tests/support/unit.h"

#include "base/memory.h"
#include "directory/batch.h"

#include <stdlib.h>

/* The values of gids, and their order: each gid[i % distinct], as often as the batch is long. */
typedef pen_gid gid_fn(int64_t i);
static pen_gid dense(int64_t i) { return i; }
static pen_gid paged(int64_t i) { return i / 5 * 64 + i % 5; }
static pen_gid clustered(int64_t i) { return (i % 3) << 45 | i / 3; }
static pen_gid sparse(int64_t i) { return (pen_gid)(pen_mix((uint64_t)i) >> 1); }
static pen_gid top(int64_t i) { return INT64_MAX - i; }
static gid_fn *const shapes[] = { dense, paged, clustered, sparse, top };

enum { ASCENDING, DESCENDING, RANDOM, REPEATED, MIXED, ORDERS };

static pen_gid *draw(gid_fn *shape, int order, int64_t count)
{
    pen_gid *gids = malloc((size_t)(count + 1) * sizeof *gids);
    assert_non_null(gids);
    int64_t distinct = order == REPEATED ? count / 3 + 1 : count;
    for (int64_t i = 0; i < count; i++) gids[i] = shape(i % distinct);
    if (order == DESCENDING || order == MIXED) qsort(gids, (size_t)count, sizeof *gids, pen_by_gid);
    for (int64_t i = 0; order == DESCENDING && i < count / 2; i++) {
        pen_gid gid = gids[i];
        gids[i] = gids[count - 1 - i];
        gids[count - 1 - i] = gid;
    }
    for (int64_t i = count - 1; order != ASCENDING && order != DESCENDING && i > 0; i--) {
        if (order == MIXED && i % 100 < 70) continue;
        int64_t other = (int64_t)(pen_mix((uint64_t)(i + order)) % (uint64_t)(i + 1));
        pen_gid gid = gids[i];
        gids[i] = gids[other];
        gids[other] = gid;
    }
    return gids;
}

/* Read all blocks: the gids named, in order, each with where its entry is (NULL without entries). */
typedef struct named {
    int64_t count;
    pen_gid *gids;
    uint64_t **entries;
} named;

static named read_all(const pen_batch *batch, pen_batch_kind kind, int homes, int64_t most)
{
    named n = { 0, calloc((size_t)most + 1, sizeof *n.gids), calloc((size_t)most + 1, sizeof *n.entries) };
    assert_true(n.gids && n.entries);
    for (int b = 0; b < batch->blocks.count; b++) {
        int64_t said = 0, begin = n.count;
        uint64_t last = 0; /* pages come in the order in which the home keeps them */
        pen_page_mask items[PEN_PAGES_TOGETHER];
        uint64_t *entries[PEN_PAGES_TOGETHER];
        pen_batch_reader reader = pen_batch_open(&batch->blocks, b, &said);
        assert_in_range(batch->blocks.ranks[b], b > 0 ? batch->blocks.ranks[b - 1] + 1 : 0, homes - 1);
        for (int some; (some = pen_batch_read(&reader, items, kind == PEN_BATCH_ENTRIES ? entries : NULL)) > 0;)
            for (int i = 0; i < some; i++) {
                assert_int_equal(pen_page_home(items[i].page, homes), batch->blocks.ranks[b]);
                uint64_t order = (uint32_t)pen_mix(items[i].page) >> 10; /* but for the bits that 1000 homes take */
                assert_true(order >= last);
                last = order;
                for (uint64_t left = items[i].mask, k = 0; left; left &= left - 1, k++) {
                    assert_true(n.count < most);
                    if (kind == PEN_BATCH_ENTRIES) n.entries[n.count] = entries[i] + k;
                    n.gids[n.count++] = pen_page_gid(items[i].page, __builtin_ctzll(left));
                }
            }
        assert_int_equal(n.count - begin, said);
        assert_true(said > 0);
    }
    return n;
}

static void check(gid_fn *shape, int order, int64_t count, int homes, pen_batch_kind kind)
{
    pen_gid *gids = draw(shape, order, count);
    pen_batch batch;
    assert_int_equal(pen_batch_build(homes, kind, count, gids, &batch), PEN_OK);
    named n = read_all(&batch, kind, homes, count);
    pen_batch_cursor cursor = PEN_BATCH_START;
    for (int64_t i = 0; i < count; i++) {
        if (kind == PEN_BATCH_ENTRIES) pen_batch_prefetch(&batch, i);
        int64_t at = pen_batch_find(&batch, &cursor, i, gids[i]);
        if (kind == PEN_BATCH_GIDS) {
            assert_in_range(at, 0, n.count - 1);
            assert_int_equal(n.gids[at], gids[i]);
        } else {
            ((uint64_t *)(void *)batch.blocks.data)[at] = (uint64_t)gids[i] + 1;
        }
    }
    for (int64_t i = 0; kind == PEN_BATCH_ENTRIES && i < n.count; i++)
        assert_int_equal(*n.entries[i], (uint64_t)n.gids[i] + 1);
    /* Each is named once: as many as there are different ones. */
    qsort(gids, (size_t)count, sizeof *gids, pen_by_gid);
    int64_t different = 0;
    for (int64_t i = 0; i < count; i++) different += i == 0 || gids[i] != gids[i - 1];
    assert_int_equal(n.count, different);
    free(n.gids);
    free(n.entries);
    free(gids);
    pen_batch_free(&batch);
}

TEST(all_orders)
{
    const int64_t counts[] = { 0, 1, 2, 33, 500, 20000 };
    const int homes[] = { 1, 2, 3, 64, 1000 };
    for (int s = 0; s < PEN_COUNT_OF(shapes); s++)
        for (int order = 0; order < ORDERS; order++)
            for (int c = 0; c < PEN_COUNT_OF(counts); c++)
                for (int h = 0; h < PEN_COUNT_OF(homes); h++) {
                    check(shapes[s], order, counts[c], homes[h], PEN_BATCH_GIDS);
                    check(shapes[s], order, counts[c], homes[h], PEN_BATCH_ENTRIES);
                }
}

/* So many that some pages share a key, and that the sort takes small digits: their items, which repeat, alternate. */
TEST(equal_keys)
{
    check(sparse, REPEATED, 900000, 1000, PEN_BATCH_GIDS);
    check(sparse, RANDOM, 300000, 1, PEN_BATCH_ENTRIES);
}

TEST(bad_gids)
{
    pen_batch batch;
    pen_gid gids[3] = { 5, -7, 6 };
    assert_int_equal(pen_batch_build(3, PEN_BATCH_GIDS, 3, gids, &batch), PEN_ERR_ARGUMENT);
    assert_non_null(strstr(pen_error_message(), "gid -7"));
    pen_batch_free(&batch);
    pen_alloc_countdown = 1;
    assert_int_equal(pen_batch_build(3, PEN_BATCH_GIDS, 1, gids, &batch), PEN_ERR_MEMORY);
    pen_alloc_countdown = 0;
    pen_batch_free(&batch);
}

/* key_table_test.c - every key is found at its place, and only those that were entered.
 * pen_test() */
#include "tests/support/unit.h"

#include "base/key_table.h"
#include "base/memory.h"

typedef struct record {
    int64_t key;
    int32_t more;
} record;

enum { COUNT = 3000, SMALLEST = 8 };

/* Neighbouring keys, sparse ones, and the ends of the range. */
static int64_t key_of(int i)
{
    static const int64_t ends[] = { 0, INT64_MAX, INT64_MIN, -1 };
    if (i < 4) return ends[i];
    return i % 2 ? i : (int64_t)i << 40;
}

static pen_status enter(pen_key_table *table, const record *records, int place)
{
    int first = place;
    if (pen_key_table_is_full(table, place)) {
        PEN_TRY(pen_key_table_resize(table, table->size ? 2 * table->size : SMALLEST));
        first = 0;
    }
    for (int i = first; i <= place; i++)
        *pen_key_entry(table, records, sizeof *records, (uint64_t)records[i].key) = (uint32_t)i + 1;
    return PEN_OK;
}

TEST(keys_are_found)
{
    static record records[COUNT];
    pen_key_table table = { NULL, 0 };
    pen_key_prefetch(&table, 7);
    for (int i = 0; i < COUNT; i++) records[i] = (record){ key_of(i), i };
    for (int i = 0; i < COUNT; i++) {
        if (i > 0) assert_int_equal(*pen_key_entry(&table, records, sizeof *records, (uint64_t)key_of(i)), 0);
        assert_int_equal(enter(&table, records, i), PEN_OK);
        assert_true(2 * ((uint64_t)i + 1) <= table.size);
    }
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(*pen_key_entry(&table, records, sizeof *records, (uint64_t)key_of(i)), i + 1);
    pen_key_table_clear(&table);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(*pen_key_entry(&table, records, sizeof *records, (uint64_t)key_of(i)), 0);
    pen_key_table_free(&table);
    assert_null(table.entries);
}

TEST(without_memory_it_stays_as_it_was)
{
    record one = { 5, 0 };
    pen_key_table table = { NULL, 0 };
    assert_int_equal(enter(&table, &one, 0), PEN_OK);
    pen_alloc_countdown = 1;
    assert_int_equal(pen_key_table_resize(&table, 64), PEN_ERR_MEMORY);
    pen_alloc_countdown = 0;
    assert_int_equal(table.size, SMALLEST);
    assert_int_equal(*pen_key_entry(&table, &one, sizeof one, 5), 1);
    pen_key_table_free(&table);
}

/* key_table.h - where in an array a 64-bit key stands: open addressing, at most half full. The keys stay in the array,
 * whose records begin with theirs; a table holds places only. All functions are Local. */
#pragma once

#include "base/hash.h"
#include "base/status.h"

#include <string.h>

typedef struct pen_key_table {
    uint32_t *entries; /* [size], owned; a place + 1, or 0: free */
    uint64_t size;     /* a power of 2, or 0 */
} pen_key_table;

/* The entry of a key, 0 where it is not in the table, which has a size: to enter the key there. `array` has records
 * of `stride` bytes. */
static inline uint32_t *pen_key_entry(const pen_key_table *table, const void *array, size_t stride, uint64_t key)
{
    for (uint64_t at = pen_mix(key);; at++) {
        uint32_t *entry = &table->entries[at & (table->size - 1)];
        uint64_t its;
        if (*entry == 0) return entry;
        memcpy(&its, (const char *)array + (size_t)(*entry - 1) * stride, sizeof its);
        if (its == key) return entry;
    }
}

/* A hint: that key will be looked for soon. */
static inline void pen_key_prefetch(const pen_key_table *table, uint64_t key)
{
    if (table->size) __builtin_prefetch(&table->entries[pen_mix(key) & (table->size - 1)]);
}

/* Whether the table is half full with `count` keys: it needs a larger size before one is added. */
static inline bool pen_key_table_is_full(const pen_key_table *table, int64_t count)
{
    return 2 * (uint64_t)count >= table->size;
}

/* Give the table another size, a power of 2. It is then empty: enter the keys again, in the order of the array, which
 * is fastest. Errors: PEN_ERR_MEMORY, the table is as it was. */
PEN_CHECKED pen_status pen_key_table_resize(pen_key_table *table, uint64_t size);

/* Give the table a size that `count` keys do not fill, as above. */
PEN_CHECKED pen_status pen_key_table_fit(pen_key_table *table, int64_t count);

/* Forget all keys; free what the table holds, too. */
void pen_key_table_clear(pen_key_table *table);
void pen_key_table_free(pen_key_table *table);

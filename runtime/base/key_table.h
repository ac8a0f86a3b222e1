/* key_table.h - a hash table that finds the place of a 64-bit key in an array: open addressing, at most half full.
 * The keys are the first members of the array's records; the table has places only. All functions are Local. */
#pragma once

#include "base/hash.h"
#include "base/status.h"

#include <string.h>

typedef struct pen_key_table {
    uint32_t *entries; /* [size] places + 1, or 0 for free entries; owned */
    uint64_t size;     /* number of entries of the table, a power of 2, or 0 */
} pen_key_table;

/* The entry of a key in a table with size > 0. If the key is not in the table, the entry is 0, and the caller may
 * enter the key there. `array` has records of `stride` bytes. */
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

/* A hint that the key will be looked up soon. */
static inline void pen_key_prefetch(const pen_key_table *table, uint64_t key)
{
    if (table->size) __builtin_prefetch(&table->entries[pen_mix(key) & (table->size - 1)]);
}

/* Whether `count` keys fill half of the table. It then needs a larger size before a key is added. */
static inline bool pen_key_table_is_full(const pen_key_table *table, int64_t count)
{
    return 2 * (uint64_t)count >= table->size;
}

/* Change the size of the table to a power of 2, and empty it. Enter the keys again, preferably in the order of the
 * array, which is fastest. Errors: PEN_ERR_MEMORY, with the table unchanged. */
PEN_CHECKED pen_status pen_key_table_resize(pen_key_table *table, uint64_t size);

/* Change the size so that `count` keys do not fill the table, and empty it. Errors: PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_key_table_fit(pen_key_table *table, int64_t count);

/* Remove all keys; pen_key_table_free also frees the memory. */
void pen_key_table_clear(pen_key_table *table);
void pen_key_table_free(pen_key_table *table);

/* key_table.c - finds the place of a key in an array. */
#include "base/key_table.h"
#include "base/memory.h"

#include <stdlib.h>

pen_status pen_key_table_resize(pen_key_table *table, uint64_t size)
{
    uint32_t *entries;
    PEN_TRY(PEN_ALLOC_ZERO(&entries, (int64_t)size));
    free(table->entries);
    *table = (pen_key_table){ entries, size };
    return PEN_OK;
}

pen_status pen_key_table_fit(pen_key_table *table, int64_t count)
{
    uint64_t size = 2;
    while (size <= 2 * (uint64_t)count) size *= 2;
    return pen_key_table_resize(table, size);
}

void pen_key_table_clear(pen_key_table *table)
{
    if (table->size) memset(table->entries, 0, table->size * sizeof *table->entries);
}

void pen_key_table_free(pen_key_table *table)
{
    free(table->entries);
    *table = (pen_key_table){ NULL, 0 };
}

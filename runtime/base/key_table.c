#include "base/key_table.h"
#include "base/memory.h"

#include <stdlib.h>

pen_status pen_key_table_resize(pen_key_table *table, uint64_t size, const void *array, size_t stride)
{
    pen_key_table larger = { NULL, size };
    PEN_TRY(PEN_ALLOC_ZERO(&larger.entries, (int64_t)size));
    for (uint64_t i = 0; i < table->size; i++) {
        if (table->entries[i] == 0) continue;
        uint64_t key;
        memcpy(&key, (const char *)array + (size_t)(table->entries[i] - 1) * stride, sizeof key);
        *pen_key_entry(&larger, array, stride, key) = table->entries[i];
    }
    free(table->entries);
    *table = larger;
    return PEN_OK;
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

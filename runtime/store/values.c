/* values.c - memory and rows for the values that callers keep of each node in a change of the store. */
#include "store/values.h"
#include "base/memory.h"

#include <stdlib.h>

int64_t pen_values_words(const pen_store *store)
{
    int64_t words = 0;
    for (int i = 0; i < store->value_count; i++)
        words += store->values[i].ships ? (int64_t)store->values[i].bytes / 8 : 0;
    return words;
}

pen_status pen_values_prepare(pen_placing *p)
{
    pen_store *store = p->store;
    if (!p->old.store || p->old.store->value_count == 0) return PEN_OK;
    PEN_TRY(PEN_ALLOC_ZERO(&store->made, p->old.store->value_count));
    store->value_count = p->old.store->value_count;
    for (int i = 0; i < store->value_count; i++) {
        const pen_node_values *v = &p->old.store->values[i];
        const bool stay = p->kept && (v->ships || p->old.rewired);
        if (v->bytes > 0 && !stay) PEN_TRY(pen_alloc_zero(&store->made[i], store->owned, v->bytes));
    }
    return PEN_OK;
}

void pen_values_pack(const pen_store *store, pen_lid slot, int64_t *to)
{
    for (int i = 0; i < store->value_count; i++) {
        const pen_node_values *v = &store->values[i];
        if (!v->ships || v->bytes == 0) continue;
        memcpy(to, (const unsigned char *)v->of + (size_t)slot * v->bytes, v->bytes);
        to += v->bytes / 8;
    }
}

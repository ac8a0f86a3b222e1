/* heap.h - binary heaps of entries of any type: the entry that comes before all others is entries[0]. */
#pragma once

#include <stdint.h>

/* Defines heap_push and heap_pop for one type of entries, with bool before(const entry *, const entry *). A push needs
 * room for one entry more; a pop needs a heap that is not empty. */
#define PEN_HEAP(entry, before)                                                              \
    static inline void heap_push(entry *entries, int64_t *count, entry pushed)               \
    {                                                                                        \
        int64_t at = (*count)++;                                                             \
        for (; at > 0 && before(&pushed, &entries[(at - 1) / 2]); at = (at - 1) / 2)         \
            entries[at] = entries[(at - 1) / 2];                                             \
        entries[at] = pushed;                                                                \
    }                                                                                        \
    static inline entry heap_pop(entry *entries, int64_t *count)                             \
    {                                                                                        \
        entry top = entries[0], last = entries[--*count];                                    \
        int64_t at = 0;                                                                      \
        for (int64_t child; (child = 2 * at + 1) < *count; at = child) {                     \
            if (child + 1 < *count && before(&entries[child + 1], &entries[child])) child++; \
            if (!before(&entries[child], &last)) break;                                      \
            entries[at] = entries[child];                                                    \
        }                                                                                    \
        entries[at] = last;                                                                  \
        return top;                                                                          \
    }

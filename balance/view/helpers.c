#include "view/helpers.h"
#include "base/memory.h"

#include <stdlib.h>

pen_status pen_grouped_make(pen_grouped *grouped, int64_t count, const int *to, const void *records, size_t size,
                            int64_t *order, const pen_parcels **parcels)
{
    pen_blocks_free(&grouped->blocks);
    PEN_ARGUMENT(count >= 0 && size > 0, "%" PRId64 " records of %zu bytes cannot be grouped", count, size);
    PEN_TRY(pen_blocks_group(count, to, records, size, &grouped->blocks, order));
    grouped->parcels = pen_blocks_parcels(&grouped->blocks);
    *parcels = &grouped->parcels;
    return PEN_OK;
}

int pen_neighbor_ranks(const pen_load_view *view, int *ranks)
{
    int count = 0;
    for (pen_lid i = 0; i < view->shadows; i++) ranks[i] = view->owners[i];
    if (view->shadows > 0) qsort(ranks, (size_t)view->shadows, sizeof *ranks, pen_by_int32);
    for (pen_lid i = 0; i < view->shadows; i++)
        if (i == 0 || ranks[i] != ranks[count - 1]) ranks[count++] = ranks[i];
    return count;
}

#include "view/helpers.h"
#include "base/abi.h"
#include "base/memory.h"
#include "base/options.h"

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

const char *pen_parse_settings(char *settings, const pen_option *theirs, size_t option_size)
{
    enum { MOST = 64 };
    pen_option table[MOST]; /* no allocation: a create function can say what is wrong, but not with which status */
    int64_t count = pen_options_count(theirs, option_size) + 1;
    if (count > MOST) return "it has more than 63 settings";
    pen_status status = PEN_OK;
    for (int64_t i = 0; status == PEN_OK && i < count; i++)
        status = pen_adopt("pen_option", (const char *)theirs + (size_t)i * option_size, option_size, &table[i],
                           sizeof *table);
    if (status == PEN_OK) status = pen_settings_parse(NULL, settings, table);
    return status == PEN_OK ? NULL : pen_error_message();
}

/* parts.c - the table of the parts of a run (run/part.h), in the order in which their hooks are called. */
#include "run/part.h"

/* clang-format off: a line for each part */
#define PARTS(part)                                                                                                \
    part(watchdog) part(network_delay) part(inputs) part(random_migration) part(given_globals) part(series)        \
        part(until) part(loads) part(history) part(balance) part(record) part(trace) part(reporting) part(results) \
            part(observed_file) part(checkpoints)
/* clang-format on */

#define DECLARE(name) extern const pen_part pen_part_##name;
PARTS(DECLARE)

#define ADDRESS(name) &pen_part_##name,
const pen_part *const pen_parts[] = { PARTS(ADDRESS) NULL };

/* parts.c - the table of the parts of a run (run/part.h), in the order in which their hooks are called: a line for
 * each.
 */
#include "loop/parts.h"
#include "run/option_table.h"

#ifndef PEN_MORE_PARTS /* a test adds its own */
#define PEN_MORE_PARTS(part)
#endif

/* clang-format off */
#define PARTS(part)                                                 \
    part(watchdog)                                                  \
    part(network_delay)                                             \
    part(inputs)                                                    \
    part(random_migration)                                          \
    part(given_globals)                                             \
    part(series)                                                    \
    part(until)                                                     \
    part(mail)                                                      \
    part(loads)                                                     \
    part(active)                                                    \
    part(history)                                                   \
    part(balance)                                                   \
    part(record)                                                    \
    part(trace)                                                     \
    part(reporting)                                                 \
    part(results)                                                   \
    part(observed_file)                                             \
    part(checkpoints)                                               \
    PEN_MORE_PARTS(part)
/* clang-format on */

#define DECLARE(name) extern const pen_part pen_part_##name;
PARTS(DECLARE)

#define ADDRESS(name) &pen_part_##name,
const pen_part *const pen_parts[] = { PARTS(ADDRESS) NULL };

const pen_part_option *pen_run_option(int index)
{
    const pen_part_option *o = pen_core_options;
    for (const pen_part *const *p = pen_parts; p; o = (*p)->options, p++) {
        for (; o && (o->name || o->member); o++)
            if (index-- == 0) return o;
        if (!*p) return NULL;
    }
    return NULL;
}

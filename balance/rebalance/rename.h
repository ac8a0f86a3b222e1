/* rename.h - gives new parts the numbers of the ranks that have most of them already. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* Local. Permute the numbers of parts, [0, ranks), so that the nodes that need not move weigh as much as possible:
 * owners[row], ascending, and part[row] in [0, ranks), [nodes]; sizes[row] >= 0 is the cost of moving a row. A part
 * takes the number of a rank only if that rank's processor is as good as that of the part's own number (shares.h). The
 * result is exact: a maximum weight assignment on the E non-empty overlaps, by best augmenting paths. Time at most
 * ranks * E, near E if overlaps are clear. Memory ranks + E. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_rename_parts(const pen_machine *machine, int ranks, int32_t nodes, const int32_t *owners,
                                        const int64_t *sizes, int32_t *part);

/* rename.h - new parts get the names of the ranks that have most of them already. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* Local. Permute the names of parts, [0, ranks), so that the nodes that stay where they are weigh as much as they
 * can: owners[row], ascending, and part[row] in [0, ranks), [nodes]; sizes[row] >= 0 is what moving a row costs.
 * A part takes the name of a rank whose processor is as good as that of its own number only (shares.h). Exact: a
 * maximum weight assignment on the overlaps that are not empty, of which there are E, by best augmenting paths; time
 * ranks * E at most, near E where overlaps are clear. Memory ranks + E. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_rename_parts(const pen_machine *machine, int ranks, int32_t nodes, const int32_t *owners,
                                        const int64_t *sizes, int32_t *part);

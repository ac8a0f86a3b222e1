/* remap.h - part-label remapping: each new part goes to a rank that already has much of it. No rank knows all parts. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* Collective. Permute the labels of parts: part[i] in [0, peers->size), [view->count], becomes the rank that will own
 * node i. Its processor is as fast as that of the part's label (shares.h). Each rank offers itself to parts, in the
 * order of its bytes of them; a part accepts the best offer so far (Gale and Shapley, College admissions and the
 * stability of marriage, 1962). Both sides rank by the same number, so the result is the greedy assignment: the bytes
 * that stay are at least half of the most that can stay. Memory is linear in a rank's nodes. PEN_ERR_MEMORY, those of
 * peers. */
PEN_CHECKED pen_status pen_remap_parts(const pen_load_view *view, pen_peers *peers, int32_t *part);

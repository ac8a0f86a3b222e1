/* settle.h - new parts get the ranks that have much of them already, without anybody who knows all parts. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* Collective. Permute the names of parts: part[i] in [0, peers->size), [view->count], becomes the rank that node i
 * shall live on, whose processor is as good as that of the part's number (shares.h). Ranks offer themselves to parts in
 * the order of what they have of them, in bytes; a part takes the best offer so far (Gale and Shapley, College
 * admissions and the stability of marriage, 1962). Since both sides rank by the same number that is the greedy
 * assignment: what stays is at least half of the most that could. Memory is linear in a rank's nodes. PEN_ERR_MEMORY,
 * those of peers. */
PEN_CHECKED pen_status pen_settle_parts(const pen_load_view *view, pen_peers *peers, int32_t *part);

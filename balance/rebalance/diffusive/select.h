/* select.h - chooses nodes for outgoing flows. */
#pragma once

#include "rebalance/diffusive/state.h"

/* Local. Choose nodes of a part for its outgoing flows and give them (pen_part_give): from the border inwards, first
 * those that cut the fewest edges, so that parts stay connected and round; for a rank without a border with this one, a
 * cluster from the far side. The part keeps a third of the mean for loads that pass through it. links.flow becomes the
 * remaining flow; *moved gets the load given. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_select_nodes(plan_part *part, const plan_target *target, double *moved);

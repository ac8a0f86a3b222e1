/* pieces.h - repairs parts that are not connected. */
#pragma once

#include "rebalance/diffusive/state.h"

/* Collective. Repair parts that are not connected: each piece of a rank except the heaviest goes to the rank with most
 * contact, unless that rank's load would exceed `full` times its speed. *found (may be NULL) and *left become the
 * number of pieces beyond one per part of this team, before and after. PEN_ERR_MEMORY, and as pen_state_move. */
PEN_CHECKED pen_status pen_pieces_repair(plan_state *state, double full, int64_t *found, int64_t *left);

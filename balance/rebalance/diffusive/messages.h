/* messages.h - nodes of a plan's state in messages between processes that plan for one rank each. */
#pragma once

#include "rebalance/diffusive/parts.h"

/* Local. Enter all nodes into the index, with room for so many. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_index_build(plan_state *state, int64_t room);

/* Collective. Tell the ranks with neighbours of the moving nodes the new ranks, so that nodes are sent with the new
 * ranks of their neighbours. */
PEN_CHECKED pen_status pen_messages_announce(plan_state *state);

/* Collective. Send the moving nodes, to linked ranks or any, and adopt those that come. */
PEN_CHECKED pen_status pen_messages_move(plan_state *state, bool linked);

/* Collective. Show own nodes to the rank of one link (-1: to none), and append to *seen those that another shows. */
PEN_CHECKED pen_status pen_messages_show(plan_state *state, int link, int64_t count, const pen_lid *nodes,
                                         plan_list *seen);

/* Collective. Send bytes to the rank of one link (-1: to none); *received is valid until the next call. */
PEN_CHECKED pen_status pen_messages_tell(plan_state *state, int link, int64_t size, const void *bytes,
                                         const pen_blocks **received);

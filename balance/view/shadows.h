/* shadows.h - what a rank says of its nodes to the ranks that have them as shadows. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* Collective. Of a view, which needs only its graph, whose neighbours are mutual: own node nodes[i], [count], has
 * record i, of `size` bytes, which begins with its gid; theirs[k], [view->shadows], becomes that of shadow k. All nodes
 * that have a shadow beside them must be in the list, each once; of others records are not looked at. PEN_ERR_MEMORY,
 * or as the peers fail. */
PEN_CHECKED pen_status pen_shadows_tell(pen_peers *peers, const pen_load_view *view, pen_lid count,
                                        const pen_lid *nodes, const void *records, size_t size, void *theirs);

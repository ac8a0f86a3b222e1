/* shadows.h - sends records of nodes to the ranks that have them as shadows. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* Collective. Needs only the graph of the view; neighbours must be mutual. Record i, of `size` bytes, belongs to own
 * node nodes[i], [count], and begins with its gid; theirs[k], [view->shadows], becomes the record of shadow k. The list
 * must have all nodes with a shadow as neighbour, each once; records of other nodes are ignored. PEN_ERR_MEMORY, or as
 * the peers fail. */
PEN_CHECKED pen_status pen_shadows_tell(pen_peers *peers, const pen_load_view *view, pen_lid count,
                                        const pen_lid *nodes, const void *records, size_t size, void *theirs);

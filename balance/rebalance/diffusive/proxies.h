/* proxies.h - the plan in progress: which rank has which node, and what a rank knows of the nodes of others.
 *
 * Planning moves no data. A node is represented by its proxy: load, home (the rank with its data) and neighbours. A
 * rank knows its own proxies, their neighbours, and those that other ranks showed to it. Proxies travel between ranks
 * whenever the plan changes; at the end the last rank tells the home.
 *
 * The graph does not change while a plan is made, so knowledge of neighbours stays right. A rank knows exactly which
 * proxies are its own, and which ranks have their neighbours. For other nodes this knowledge may be old. */
#pragma once

#include "base/key_table.h"
#include "rebalance/diffusive/price.h"
#include <penumbra_plugin.h>

enum { PROXY_VAIN = 4 };

/* The last refinements with a rank that changed nothing, each as a hash of all that it depended on (refine.c): one for
 * each of the two slacks, with and without a price for nodes that are away. */
typedef struct proxy_vain {
    uint64_t hashes[PROXY_VAIN];
    int next; /* to be replaced */
} proxy_vain;

/* The ranks that this rank is linked to: those with neighbours of its nodes, and its parent and children in a binary
 * tree of all ranks, which also connects empty and isolated ranks. */
typedef struct proxy_links {
    int count, room;
    int *ranks;       /* [count] ascending */
    int64_t *contact; /* [count] weight of the edges to that rank's nodes, 0 for a link of the tree only */
    double *flow;     /* [count] load that is still to go there; kept for as long as the link is */
    proxy_vain *vain; /* [count] kept like .flow */
    int64_t *offsets; /* [count+1] of the message's blocks */
    int64_t *bytes;   /* [count] while a message is made: sizes, then places of the blocks */
    pen_lid *last;    /* [count] the last node put into the block */
} proxy_links;

typedef struct proxies {
    pen_peers *peers;
    pen_lid count, room;
    pen_gid *gids;        /* [count] */
    int32_t *where;       /* [count] the rank that has it */
    pen_lid *degrees;     /* [count] -1: neighbours, load and home are not known */
    uint32_t *starts;     /* [count] of its neighbours in columns */
    double *loads;        /* [count] */
    int32_t *homes;       /* [count] */
    pen_lid *home_slots;  /* [count] its index in the home's view */
    int32_t *sizes;       /* [count] nodes of the graph in it */
    unsigned char *flags; /* [count] IN_INDEX, IN_BORDER */
    int64_t *scratch;     /* [count] 0 between the calls of the algorithms */
    int64_t arcs, arc_room;
    pen_lid *columns;    /* [arcs] */
    int64_t *weights;    /* [arcs], or NULL on all ranks: every weight is 1 */
    pen_key_table index; /* by gid: nodes that messages may name */
    pen_lid indexed;
    pen_lid *border, border_count, border_room; /* every own node with a neighbour elsewhere, and others */
    pen_lid *loose, loose_count, loose_room;    /* every own node without neighbours, and others */
    pen_lid own;                                /* nodes */
    int64_t own_arcs;
    double fixed;              /* load of this rank that stays, 0 at first; the caller's to set */
    double load;               /* that and the load of the own nodes; rounded anew by pen_proxies_sum */
    uint64_t changes;          /* how often own nodes were added or removed */
    diffusive_network network; /* at first all ranks are equally near; set by the caller */
    proxy_links links, spare;  /* spare: arrays for the next ones */
    unsigned char *message;    /* the message; kept, because every call sends something */
    int64_t message_room;
} proxies;

static inline bool proxy_is_mine(const proxies *p, pen_lid node) { return p->where[node] == p->peers->rank; }
/* Where its neighbours in columns end. */
static inline int64_t proxy_end(const proxies *p, pen_lid node) { return (int64_t)p->starts[node] + p->degrees[node]; }
static inline int64_t proxy_weight(const proxies *p, int64_t arc) { return p->weights ? p->weights[arc] : 1; }

/* Collective. Every rank gets the nodes of its view. Call pen_proxies_free in any case. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_proxies_create(const pen_load_view *view, pen_peers *peers, bool weighted, proxies *p);
void pen_proxies_free(proxies *p);

/* Collective, once, after pen_proxies_create of a view whose owners are the future owners of shadows. Own nodes [count]
 * move to ranks to[], which may be any. PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED (2^32 arcs). */
PEN_CHECKED pen_status pen_proxies_place(proxies *p, const int32_t *sizes, const int32_t *to);

/* Collective. Move own nodes: nodes[i] to the rank of link to[i], [count], each at most once. Updates links, loads and
 * border. PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED (2^32 arcs). */
PEN_CHECKED pen_status pen_proxies_move(proxies *p, pen_lid count, const pen_lid *nodes, const int *to);

/* Collective. Show own nodes, [count], to the rank of one link, and see those of the rank that shows some to this one:
 * *seen, [*seen_count], which the caller frees, are their indices in the order shown. link -1: show nothing. */
PEN_CHECKED pen_status pen_proxies_show(proxies *p, int link, pen_lid count, const pen_lid *nodes, pen_lid **seen,
                                        pen_lid *seen_count);

/* Collective. `size` bytes to every linked rank and from it, [links.count][size]. */
PEN_CHECKED pen_status pen_proxies_swap(proxies *p, size_t size, const void *mine, void *theirs);

/* Collective. Send `size` bytes to the rank of one link (-1: to none); *received, valid until the next call, has a
 * block from every linked rank, most of them empty. */
PEN_CHECKED pen_status pen_proxies_tell(proxies *p, int link, int64_t size, const void *bytes,
                                        const pen_blocks **received);

/* Local. The link to a rank; -1: none. */
int pen_proxies_link(const proxies *p, int rank);

/* Local. Recompute `load`, in the order of the nodes. */
void pen_proxies_sum(proxies *p);

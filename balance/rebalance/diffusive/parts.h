/* parts.h - the graph of a plan in progress, and each rank's part in it: nodes, border and links. All Local. */
#pragma once

#include "base/key_table.h"
#include "rebalance/diffusive/team.h"

typedef struct plan_graph {
    pen_lid count, room;
    pen_gid *gids;    /* [count] */
    int32_t *where;   /* [count] rank that has the node */
    pen_lid *degrees; /* [count] number of neighbours; -1: neighbours, load and home are not known */
    uint32_t *starts; /* [count] place of the node's first neighbour in columns */
    double *loads;    /* [count] */
    int32_t *homes;   /* [count] rank with the node's data */
    pen_lid *slots;   /* [count] index of the node in its home's items */
    int32_t *sizes;   /* [count] number of the application's nodes in the node */
    bool *in_border;  /* [count] whether the border of its part has the node */
    int32_t *scratch; /* [count] 0 between the calls of the algorithms */
    int64_t arcs, arc_room;
    pen_lid *columns; /* [arcs] */
    int64_t *weights; /* [arcs] */
    const diffusive_network *network;
} plan_graph;

/* The place in columns after a node's last neighbour. */
static inline int64_t graph_end(const plan_graph *g, pen_lid node)
{
    return (int64_t)g->starts[node] + g->degrees[node];
}

typedef struct plan_list {
    pen_lid *nodes;
    int64_t count, room;
} plan_list;

typedef struct plan_move {
    pen_lid node;
    int to; /* rank */
} plan_move;

enum { LINK_VAIN = 2, LINK_GUESSES = 64 };

/* The last refinements with a rank that changed nothing, each as a hash of all that it depended on (pairs.c): one for
 * each of the two slacks. */
typedef struct link_vain {
    uint64_t hashes[LINK_VAIN];
    int next; /* index of the entry to replace next */
} link_vain;

/* The ranks that a part is linked to: those with neighbours of its nodes, and the rank's parent and children in a
 * binary tree of all ranks, which also connects empty and isolated ranks. */
typedef struct plan_links {
    int count, room;
    int *guesses;     /* [LINK_GUESSES] the link found last for a rank, by the rank's last bits */
    int *ranks;       /* [count] ascending */
    int64_t *contact; /* [count] weight of the edges to the other rank's nodes; 0: the link is only in the tree */
    double *flow;     /* [count] load that must still go over the link; kept while the link exists */
    link_vain *vain;  /* [count] vain refinements over the link; kept while the link exists */
} plan_links;

/* A rank's nodes. Lists are in the order in which nodes came. */
typedef struct plan_part {
    plan_graph *graph;
    const plan_share *share;
    int rank;
    plan_list own, border, loose; /* own nodes; those with a neighbour of another rank; those without neighbours */
    plan_move *moves;             /* [move_count] own nodes that the next pen_state_move moves */
    int64_t move_count, move_room;
    double load;             /* load of the own nodes and share->fixed; pen_state_sum rounds it again */
    uint64_t changes;        /* number of times that own nodes were added or removed */
    bool changed, touched;   /* whether the move in progress changes its nodes; or its nodes or their neighbours */
    uint64_t whole;          /* value of `changes` + 1 when the part was found to be one piece, or 0 */
    plan_links links, spare; /* the links, and spare arrays for the next links */
    int64_t first_link;      /* place of its links among the links of all parts */
} plan_part;

typedef struct plan_state {
    plan_team *team;
    plan_graph graph;
    plan_part *parts; /* [team->count] parts of the team's ranks */
    int64_t links;    /* number of links of all parts */
    const unsigned char *shared;
    size_t shared_size;
    /* With peers only: all nodes by gid, and room for a message. */
    pen_key_table index;
    unsigned char *message;
    int64_t message_room;
    int64_t *offsets; /* offsets of the blocks of the message */
    int64_t *places;  /* places in the blocks where to write */
    int64_t offset_room, place_room;
} plan_state;

static inline bool part_has(const plan_part *p, pen_lid node) { return p->graph->where[node] == p->rank; }

/* Local. Make room for so many nodes or arcs, or append to a list. */
PEN_CHECKED pen_status pen_graph_reserve(plan_graph *graph, int64_t nodes);
PEN_CHECKED pen_status pen_graph_reserve_arcs(plan_graph *graph, int64_t arcs);
PEN_CHECKED pen_status pen_list_add(plan_list *list, pen_lid node);

/* Local. Add a node to the part; or note that a node of the part has a neighbour of another rank. */
PEN_CHECKED pen_status pen_part_adopt(plan_part *part, pen_lid node);
PEN_CHECKED pen_status pen_part_add_border(plan_part *part, pen_lid node);

/* Local. Give an own node of a part to a linked rank with the next pen_state_move, each node at most once. */
PEN_CHECKED pen_status pen_part_give(plan_part *part, pen_lid node, int to);

/* Local. The link to a rank; -1: none. Links are searched only if the guess is wrong. */
int pen_part_search_link(const plan_part *part, int rank);
static inline int pen_part_link(const plan_part *part, int rank)
{
    const plan_links *l = &part->links;
    const int guess = l->count > 0 ? l->guesses[rank % LINK_GUESSES] : 0;
    return guess < l->count && l->ranks[guess] == rank ? guess : pen_part_search_link(part, rank);
}

/* Find the links from the border, and remove nodes from the border that no longer belong to it; `size` ranks.
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_part_find_links(plan_part *part, int size);

/* Remove the nodes that have moved to other ranks from the part. */
void pen_part_release(plan_part *part);

void pen_part_free(plan_part *part);

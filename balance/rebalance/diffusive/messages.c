/* messages.c - packs nodes into messages, and keeps the knowledge of a process about nodes. */
#include "rebalance/diffusive/messages.h"

#include "base/memory.h"

#include <stdlib.h>

/* A block of nodes on their way: their number, their heads, and then for each node: for each neighbour its number in
 * the block from 1 on, or 0; the weights of the edges; and the neighbours that are not in the block. */
typedef struct shown_node {
    pen_gid gid;
    double load;
    int32_t home;
    pen_lid slot, degree;
    int32_t size;
} shown_node;

typedef struct announcement {
    pen_gid gid;
    int64_t where;
} announcement;

/* ---- Nodes by gid ---------------------------------------------------------------------------- */

static uint32_t *index_entry(const plan_state *s, pen_gid gid)
{
    return pen_key_entry(&s->index, s->graph.gids, sizeof *s->graph.gids, (uint64_t)gid);
}

pen_status pen_index_build(plan_state *s, int64_t room)
{
    PEN_TRY(pen_key_table_fit(&s->index, room + 64));
    for (pen_lid i = 0; i < s->graph.count; i++) *index_entry(s, s->graph.gids[i]) = (uint32_t)i + 1;
    return PEN_OK;
}

/* Find the node of a gid, or add it. */
static pen_status learn(plan_state *s, pen_gid gid, pen_lid *node)
{
    plan_graph *g = &s->graph;
    if (pen_key_table_is_full(&s->index, g->count)) PEN_TRY(pen_index_build(s, 2 * (int64_t)g->count));
    uint32_t *entry = index_entry(s, gid);
    *node = (pen_lid)*entry - 1;
    if (*node >= 0) return PEN_OK;
    PEN_TRY(pen_graph_reserve(g, (int64_t)g->count + 1));
    *node = g->count++;
    *entry = (uint32_t)g->count;
    g->gids[*node] = gid;
    g->where[*node] = -1;
    g->degrees[*node] = -1;
    g->in_border[*node] = false;
    g->scratch[*node] = 0;
    return PEN_OK;
}

/* ---- Writing and reading ---------------------------------------------------------------------- */

/* The number of a node's neighbour in the node's block, 0: it is not there. While a message is written, scratch has the
 * numbers of the nodes in it, and nodes of a block are on the same rank. */
static int32_t number_of(const plan_graph *g, pen_lid node, pen_lid next)
{
    return g->where[next] == g->where[node] ? g->scratch[next] : 0;
}

static int64_t bytes_of(const plan_graph *g, pen_lid node)
{
    int64_t others = 0;
    for (int64_t a = g->starts[node]; a < graph_end(g, node); a++) others += number_of(g, node, g->columns[a]) == 0;
    return (int64_t)sizeof(shown_node) + g->degrees[node] * (int64_t)(sizeof(int32_t) + sizeof(int64_t)) +
           others * (int64_t)sizeof(announcement);
}

static void *append(void *to, const void *from, size_t size) { return (char *)memcpy(to, from, size) + size; }

static void *write_head(const plan_graph *g, pen_lid node, void *to)
{
    const shown_node head = { g->gids[node],  g->loads[node],   g->homes[node],
                              g->slots[node], g->degrees[node], g->sizes[node] };
    return append(to, &head, sizeof head);
}

static void *write_arcs(const plan_graph *g, pen_lid node, void *to)
{
    const int64_t start = g->starts[node], end = graph_end(g, node);
    for (int64_t a = start; a < end; a++) {
        const int32_t number = number_of(g, node, g->columns[a]);
        to = append(to, &number, sizeof number);
    }
    if (end > start) to = append(to, g->weights + start, (size_t)(end - start) * sizeof *g->weights);
    for (int64_t a = start; a < end; a++) {
        const announcement other = { g->gids[g->columns[a]], g->where[g->columns[a]] };
        if (number_of(g, node, g->columns[a]) == 0) to = append(to, &other, sizeof other);
    }
    return to;
}

/* Read the head of a node on rank `where`. While a block is read, scratch tells which nodes are new. */
static pen_status read_head(plan_state *s, int where, const unsigned char *from, pen_lid *node)
{
    plan_graph *g = &s->graph;
    shown_node head;
    memcpy(&head, from, sizeof head);
    PEN_TRY(learn(s, head.gid, node));
    g->where[*node] = where;
    if (g->degrees[*node] >= 0) return PEN_OK;
    PEN_TRY(pen_graph_reserve_arcs(g, g->arcs + head.degree));
    g->loads[*node] = head.load;
    g->homes[*node] = head.home;
    g->slots[*node] = head.slot;
    g->sizes[*node] = head.size;
    g->degrees[*node] = head.degree;
    g->starts[*node] = (uint32_t)g->arcs;
    g->arcs += head.degree;
    g->scratch[*node] = 1;
    return PEN_OK;
}

/* Read the arcs of a node of a block; *from moves on. If the node was known before, so are its neighbours, since all
 * ranks have them in the same order: only where they are may be news. */
static pen_status read_arcs(plan_state *s, const pen_lid *block, pen_lid node, const unsigned char **from)
{
    plan_graph *g = &s->graph;
    const int64_t start = g->starts[node];
    const size_t degree = (size_t)g->degrees[node];
    const unsigned char *numbers = *from, *weights = numbers + degree * sizeof(int32_t);
    const bool fresh = g->scratch[node] != 0;
    g->scratch[node] = 0;
    if (fresh && degree > 0) memcpy(g->weights + start, weights, degree * sizeof *g->weights);
    *from = weights + degree * sizeof *g->weights;
    for (size_t a = 0; a < degree; a++) {
        pen_lid *next = &g->columns[start + (int64_t)a];
        int32_t number;
        announcement other;
        memcpy(&number, numbers + a * sizeof number, sizeof number);
        if (number > 0) {
            *next = block[number - 1];
            continue;
        }
        memcpy(&other, *from, sizeof other);
        *from += sizeof other;
        if (fresh) PEN_TRY(learn(s, other.gid, next));
        /* Messages of one exchange may name a neighbour before it is read itself. */
        if (g->where[*next] != s->team->first) g->where[*next] = (int32_t)other.where;
    }
    return PEN_OK;
}

/* Append the nodes of a block to a list. */
static pen_status read_block(plan_state *s, int where, const unsigned char *from, plan_list *list)
{
    const int64_t first = list->count;
    int64_t count;
    memcpy(&count, from, sizeof count);
    from += sizeof count;
    for (int64_t i = 0; i < count; i++, from += sizeof(shown_node)) {
        pen_lid node = -1;
        PEN_TRY(read_head(s, where, from, &node));
        PEN_TRY(pen_list_add(list, node));
    }
    for (int64_t i = first; i < list->count; i++) PEN_TRY(read_arcs(s, list->nodes + first, list->nodes[i], &from));
    return PEN_OK;
}

/* ---- Exchanges -------------------------------------------------------------------------------- */

/* Begin to count the bytes of `count` blocks, in s->places. */
static pen_status count_blocks(plan_state *s, int64_t count)
{
    PEN_TRY(pen_reserve(&s->places, sizeof *s->places, count, &s->place_room));
    for (int64_t k = 0; k < count; k++) s->places[k] = 0;
    return PEN_OK;
}

/* Blocks of a message in the making: s->places[k], [count], are their bytes, and become the places where to write. */
static pen_status open_blocks(plan_state *s, int count, const int *ranks, pen_parcels *send)
{
    int64_t total = 0;
    PEN_TRY(pen_reserve(&s->offsets, sizeof *s->offsets, count + 1, &s->offset_room));
    for (int k = 0; k < count; k++) {
        s->offsets[k] = total;
        total += s->places[k];
        s->places[k] = s->offsets[k];
    }
    s->offsets[count] = total;
    PEN_TRY(pen_reserve(&s->message, 1, total + 1, &s->message_room));
    *send = (pen_parcels){ count, ranks, s->offsets, s->message };
    return PEN_OK;
}

static pen_status read_announcements(plan_state *s, const pen_blocks *received)
{
    const int64_t end = received->count > 0 ? received->offsets[received->count] : 0;
    for (int64_t at = 0; at < end; at += (int64_t)sizeof(announcement)) {
        announcement update;
        memcpy(&update, received->data + at, sizeof update);
        const uint32_t entry = *index_entry(s, update.gid);
        if (entry == 0)
            return pen_fail(PEN_ERR_INTERNAL, "an update of node %" PRIgid ", which is unknown", update.gid);
        s->graph.where[entry - 1] = (int32_t)update.where;
        s->parts[0].touched = true;
    }
    return PEN_OK;
}

pen_status pen_messages_announce(plan_state *s)
{
    const plan_graph *g = &s->graph;
    const plan_part *p = &s->parts[0];
    const plan_links *l = &p->links;
    const pen_blocks *received = NULL;
    pen_parcels send;
    PEN_TRY(count_blocks(s, 2 * (int64_t)l->count));
    int64_t *last = s->places + l->count; /* the last move that was announced there, + 1 */
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) PEN_TRY(open_blocks(s, l->count, l->ranks, &send));
        for (int k = 0; k < l->count; k++) last[k] = 0;
        int link = -1;
        for (int64_t i = 0; i < p->move_count; i++) {
            const pen_lid node = p->moves[i].node;
            const announcement update = { g->gids[node], p->moves[i].to };
            for (int64_t a = g->starts[node]; a < graph_end(g, node); a++) {
                const int32_t there = g->where[g->columns[a]];
                if (there == p->rank) continue;
                if (link < 0 || l->ranks[link] != there) link = pen_part_link(p, there);
                if (last[link] == i + 1) continue;
                last[link] = i + 1;
                if (pass == 1) memcpy(s->message + s->places[link], &update, sizeof update);
                s->places[link] += (int64_t)sizeof update;
            }
        }
    }
    PEN_TRY(s->team->peers->exchange(s->team->peers, true, &send, &received));
    return read_announcements(s, received);
}

/* One exchange of nodes: moves[i].node goes to ranks[k] of all `count` ranks, where moves[i].to is k. */
static pen_status send_nodes(plan_state *s, bool mutual, int count, const int *ranks, int64_t move_count,
                             const plan_move *moves, const pen_blocks **received)
{
    plan_graph *g = &s->graph;
    pen_parcels send;
    PEN_TRY(count_blocks(s, 2 * (int64_t)count));
    int64_t *numbers = s->places + count;
    for (int64_t i = 0; i < move_count; i++) g->scratch[moves[i].node] = (int32_t)++numbers[moves[i].to];
    for (int64_t i = 0; i < move_count; i++) s->places[moves[i].to] += bytes_of(g, moves[i].node);
    for (int k = 0; k < count; k++)
        if (numbers[k] > 0) s->places[k] += (int64_t)sizeof *numbers;
    PEN_TRY(open_blocks(s, count, ranks, &send));
    for (int k = 0; k < count; k++)
        if (numbers[k] > 0)
            s->places[k] = (unsigned char *)append(s->message + s->places[k], &numbers[k], sizeof *numbers) -
                           s->message;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < move_count; i++) {
            unsigned char *to = s->message + s->places[moves[i].to];
            const unsigned char *end = pass == 0 ? write_head(g, moves[i].node, to) : write_arcs(g, moves[i].node, to);
            s->places[moves[i].to] = end - s->message;
        }
    for (int64_t i = 0; i < move_count; i++) g->scratch[moves[i].node] = 0;
    return s->team->peers->exchange(s->team->peers, mutual, &send, received);
}

/* Number the ranks that get nodes, which need not be linked. The caller frees *ranks. */
static pen_status number_ranks(int64_t count, plan_move *moves, int **ranks, int *rank_count)
{
    PEN_TRY(PEN_ALLOC(ranks, count));
    for (int64_t i = 0; i < count; i++) (*ranks)[i] = moves[i].to;
    if (count > 0) qsort(*ranks, (size_t)count, sizeof **ranks, pen_by_int32);
    for (int64_t i = 0; i < count; i++)
        if (*rank_count == 0 || (*ranks)[*rank_count - 1] != (*ranks)[i]) (*ranks)[(*rank_count)++] = (*ranks)[i];
    for (int64_t i = 0; i < count; i++)
        moves[i].to = (int)((int *)bsearch(&moves[i].to, *ranks, (size_t)*rank_count, sizeof **ranks, pen_by_int32) -
                            *ranks);
    return PEN_OK;
}

pen_status pen_messages_move(plan_state *s, bool linked)
{
    plan_part *p = &s->parts[0];
    const pen_blocks *received = NULL;
    plan_list come = { .count = 0 };
    int *others = NULL, count = linked ? p->links.count : 0;
    pen_status status = linked ? PEN_OK : number_ranks(p->move_count, p->moves, &others, &count);
    for (int64_t i = 0; i < p->move_count && linked; i++) p->moves[i].to = pen_part_link(p, p->moves[i].to);
    if (status == PEN_OK)
        status = send_nodes(s, linked, count, linked ? p->links.ranks : others, p->move_count, p->moves, &received);
    for (int k = 0; status == PEN_OK && k < received->count; k++)
        if (received->offsets[k + 1] > received->offsets[k])
            status = read_block(s, s->team->first, received->data + received->offsets[k], &come);
    for (int64_t i = 0; i < come.count && status == PEN_OK; i++) status = pen_part_adopt(p, come.nodes[i]);
    PEN_FREE_ALL(others, come.nodes);
    return status;
}

pen_status pen_messages_show(plan_state *s, int link, int64_t count, const pen_lid *nodes, plan_list *seen)
{
    plan_part *p = &s->parts[0]; /* it has no moves yet */
    const pen_blocks *received = NULL;
    for (int64_t i = 0; i < count && link >= 0; i++) PEN_TRY(pen_part_give(p, nodes[i], link));
    PEN_TRY(send_nodes(s, true, p->links.count, p->links.ranks, p->move_count, p->moves, &received));
    p->move_count = 0;
    for (int k = 0; k < received->count; k++)
        if (received->offsets[k + 1] > received->offsets[k])
            PEN_TRY(read_block(s, received->ranks[k], received->data + received->offsets[k], seen));
    return PEN_OK;
}

pen_status pen_messages_tell(plan_state *s, int link, int64_t size, const void *bytes, const pen_blocks **received)
{
    const plan_links *l = &s->parts[0].links;
    PEN_TRY(pen_reserve(&s->offsets, sizeof *s->offsets, l->count + 1, &s->offset_room));
    for (int k = 0; k <= l->count; k++) s->offsets[k] = link >= 0 && k > link ? size : 0;
    const pen_parcels send = { l->count, l->ranks, s->offsets, bytes };
    return s->team->peers->exchange(s->team->peers, true, &send, received);
}

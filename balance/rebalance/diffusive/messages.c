/* messages.c - packs nodes into messages, and keeps the knowledge of a process about nodes. */
#include "rebalance/diffusive/messages.h"

#include "base/memory.h"

#include <stdlib.h>

/* A node on its way: the head, then the gids of its neighbours, the weights of its edges, and the neighbours' ranks. */
typedef struct shown_node {
    pen_gid gid;
    double load;
    int32_t home;
    pen_lid slot, degree;
    int32_t size;
} shown_node;

enum { ARC_BYTES = sizeof(pen_gid) + sizeof(int64_t) + sizeof(int32_t) };

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

static int64_t bytes_of(const plan_graph *g, pen_lid node)
{
    return (int64_t)sizeof(shown_node) + (int64_t)g->degrees[node] * ARC_BYTES;
}

static void *append(unsigned char *to, const void *from, size_t size) { return (char *)memcpy(to, from, size) + size; }

static unsigned char *write_node(const plan_graph *g, pen_lid node, unsigned char *to)
{
    const shown_node head = { g->gids[node],  g->loads[node],   g->homes[node],
                              g->slots[node], g->degrees[node], g->sizes[node] };
    const pen_lid *next = g->columns + g->starts[node];
    to = append(to, &head, sizeof head);
    for (pen_lid a = 0; a < head.degree; a++) to = append(to, &g->gids[next[a]], sizeof *g->gids);
    if (head.degree > 0) to = append(to, g->weights + g->starts[node], (size_t)head.degree * sizeof *g->weights);
    for (pen_lid a = 0; a < head.degree; a++) to = append(to, &g->where[next[a]], sizeof *g->where);
    return to;
}

/* Enter a node that was known at most as a neighbour. */
static pen_status read_new(plan_state *s, const shown_node *head, const unsigned char *gids, pen_lid node)
{
    plan_graph *g = &s->graph;
    const uint32_t start = (uint32_t)g->arcs;
    PEN_TRY(pen_graph_reserve_arcs(g, g->arcs + head->degree));
    for (pen_lid a = 0; a < head->degree; a++) {
        pen_gid gid;
        memcpy(&gid, gids + (size_t)a * sizeof gid, sizeof gid);
        PEN_TRY(learn(s, gid, &g->columns[start + (uint32_t)a]));
    }
    if (head->degree > 0)
        memcpy(g->weights + start, gids + (size_t)head->degree * sizeof(pen_gid),
               (size_t)head->degree * sizeof *g->weights);
    g->loads[node] = head->load;
    g->homes[node] = head->home;
    g->slots[node] = head->slot;
    g->sizes[node] = head->size;
    g->degrees[node] = head->degree;
    g->starts[node] = start;
    g->arcs += head->degree;
    return PEN_OK;
}

/* Read one node, which is on rank `where`; *from moves on. All ranks have a node's neighbours in the same order. */
static pen_status read_node(plan_state *s, int where, const unsigned char **from, pen_lid *node)
{
    plan_graph *g = &s->graph;
    shown_node head;
    memcpy(&head, *from, sizeof head);
    PEN_TRY(learn(s, head.gid, node));
    if (g->degrees[*node] < 0) PEN_TRY(read_new(s, &head, *from + sizeof head, *node));
    g->where[*node] = where;
    *from += sizeof head + (size_t)head.degree * (ARC_BYTES - sizeof *g->where);
    for (pen_lid a = 0; a < head.degree; a++, *from += sizeof *g->where) {
        const pen_lid next = g->columns[g->starts[*node] + (uint32_t)a];
        /* Messages of one exchange may name a neighbour before it is read itself. */
        if (g->where[next] != s->team->first) memcpy(&g->where[next], *from, sizeof *g->where);
    }
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

/* Read the nodes that come: append them to `seen`, or adopt them if that is NULL. */
static pen_status read_nodes(plan_state *s, const pen_blocks *received, plan_list *seen)
{
    for (int k = 0; k < received->count; k++) {
        const unsigned char *from = received->data + received->offsets[k],
                            *end = received->data + received->offsets[k + 1];
        while (from < end) {
            pen_lid node = -1;
            PEN_TRY(read_node(s, seen ? received->ranks[k] : s->team->first, &from, &node));
            PEN_TRY(seen ? pen_list_add(seen, node) : pen_part_adopt(&s->parts[0], node));
        }
    }
    return PEN_OK;
}

/* Number the ranks that get nodes, which need not be linked: moves become numbers in *ranks, which the caller frees. */
static pen_status number_ranks(plan_part *p, int **ranks, int *count)
{
    PEN_TRY(PEN_ALLOC(ranks, p->move_count));
    for (int64_t i = 0; i < p->move_count; i++) (*ranks)[i] = p->moves[i].to;
    if (p->move_count > 0) qsort(*ranks, (size_t)p->move_count, sizeof **ranks, pen_by_int32);
    for (int64_t i = 0; i < p->move_count; i++)
        if (*count == 0 || (*ranks)[*count - 1] != (*ranks)[i]) (*ranks)[(*count)++] = (*ranks)[i];
    return PEN_OK;
}

static int place_of_rank(const plan_part *p, bool linked, int count, const int *ranks, int to)
{
    if (linked) return pen_part_link(p, to);
    return (int)((const int *)bsearch(&to, ranks, (size_t)count, sizeof to, pen_by_int32) - ranks);
}

pen_status pen_messages_move(plan_state *s, bool linked)
{
    plan_part *p = &s->parts[0];
    const pen_blocks *received = NULL;
    pen_parcels send;
    int *others = NULL, count = linked ? p->links.count : 0;
    pen_status status = linked ? PEN_OK : number_ranks(p, &others, &count);
    const int *ranks = linked ? p->links.ranks : others;
    if (status == PEN_OK) status = count_blocks(s, count);
    for (int64_t i = 0; i < p->move_count && status == PEN_OK; i++)
        s->places[place_of_rank(p, linked, count, ranks, p->moves[i].to)] += bytes_of(&s->graph, p->moves[i].node);
    if (status == PEN_OK) status = open_blocks(s, count, ranks, &send);
    for (int64_t i = 0; i < p->move_count && status == PEN_OK; i++) {
        int64_t *place = &s->places[place_of_rank(p, linked, count, ranks, p->moves[i].to)];
        *place = write_node(&s->graph, p->moves[i].node, s->message + *place) - s->message;
    }
    if (status == PEN_OK) status = s->team->peers->exchange(s->team->peers, linked, &send, &received);
    if (status == PEN_OK) status = read_nodes(s, received, NULL);
    free(others);
    return status;
}

pen_status pen_messages_show(plan_state *s, int link, int64_t count, const pen_lid *nodes, plan_list *seen)
{
    const plan_links *l = &s->parts[0].links;
    const pen_blocks *received = NULL;
    pen_parcels send;
    PEN_TRY(count_blocks(s, l->count));
    for (int64_t i = 0; i < count && link >= 0; i++) s->places[link] += bytes_of(&s->graph, nodes[i]);
    PEN_TRY(open_blocks(s, l->count, l->ranks, &send));
    for (int64_t i = 0; i < count && link >= 0; i++)
        s->places[link] = write_node(&s->graph, nodes[i], s->message + s->places[link]) - s->message;
    PEN_TRY(s->team->peers->exchange(s->team->peers, true, &send, &received));
    return read_nodes(s, received, seen);
}

pen_status pen_messages_tell(plan_state *s, int link, int64_t size, const void *bytes, const pen_blocks **received)
{
    const plan_links *l = &s->parts[0].links;
    PEN_TRY(pen_reserve(&s->offsets, sizeof *s->offsets, l->count + 1, &s->offset_room));
    for (int k = 0; k <= l->count; k++) s->offsets[k] = link >= 0 && k > link ? size : 0;
    const pen_parcels send = { l->count, l->ranks, s->offsets, bytes };
    return s->team->peers->exchange(s->team->peers, true, &send, received);
}

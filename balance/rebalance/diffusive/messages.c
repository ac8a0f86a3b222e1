/* messages.c - packs nodes into messages, and keeps the knowledge of a process about nodes. */
#include "rebalance/diffusive/messages.h"

#include "base/memory.h"

#include <stdlib.h>

/* A node on its way: the head, then an arc per neighbour. */
typedef struct shown_node {
    pen_gid gid;
    double load;
    int32_t home;
    pen_lid slot, degree;
    int32_t size;
} shown_node;

typedef struct shown_arc {
    pen_gid gid;
    int64_t weight;
    int64_t where;
} shown_arc;

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
    return (int64_t)(sizeof(shown_node) + (size_t)g->degrees[node] * sizeof(shown_arc));
}

static unsigned char *write_node(const plan_graph *g, pen_lid node, unsigned char *to)
{
    const shown_node head = { g->gids[node],  g->loads[node],   g->homes[node],
                              g->slots[node], g->degrees[node], g->sizes[node] };
    memcpy(to, &head, sizeof head);
    to += sizeof head;
    for (int64_t a = g->starts[node]; a < graph_end(g, node); a++, to += sizeof(shown_arc)) {
        const shown_arc arc = { g->gids[g->columns[a]], g->weights[a], g->where[g->columns[a]] };
        memcpy(to, &arc, sizeof arc);
    }
    return to;
}

/* Read one node, which is on rank `where`; *from moves on. */
static pen_status read_node(plan_state *s, int where, const unsigned char **from, pen_lid *node)
{
    plan_graph *g = &s->graph;
    shown_node head;
    memcpy(&head, *from, sizeof head);
    *from += sizeof head;
    PEN_TRY(learn(s, head.gid, node));
    const bool known = g->degrees[*node] >= 0;
    if (!known) {
        PEN_TRY(pen_graph_reserve_arcs(g, g->arcs + head.degree));
        g->loads[*node] = head.load;
        g->homes[*node] = head.home;
        g->slots[*node] = head.slot;
        g->sizes[*node] = head.size;
        g->degrees[*node] = head.degree;
        g->starts[*node] = (uint32_t)g->arcs;
        g->arcs += head.degree;
    }
    g->where[*node] = where;
    for (int64_t a = 0; a < head.degree; a++, *from += sizeof(shown_arc)) {
        shown_arc arc;
        memcpy(&arc, *from, sizeof arc);
        pen_lid next;
        PEN_TRY(learn(s, arc.gid, &next));
        g->columns[g->starts[*node] + a] = next;
        g->weights[g->starts[*node] + a] = arc.weight;
        /* Messages of one exchange may name a neighbour before it is read itself. */
        if (g->where[next] != s->team->first) g->where[next] = (int32_t)arc.where;
    }
    return PEN_OK;
}

/* ---- Exchanges -------------------------------------------------------------------------------- */

/* Blocks of a message in the making: `bytes`[k], [count], become their offsets, and places where to write on. */
static pen_status open_blocks(plan_state *s, int count, const int *ranks, int64_t **places, pen_parcels *send)
{
    int64_t total = 0;
    PEN_TRY(pen_reserve(&s->offsets, sizeof *s->offsets, count + 1, &s->offset_room));
    for (int k = 0; k < count; k++) {
        s->offsets[k] = total;
        total += (*places)[k];
        (*places)[k] = s->offsets[k];
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
    int64_t *places, *last; /* last: the last move that was announced there, + 1 */
    pen_parcels send;
    PEN_TRY(PEN_ALLOC_ZERO(&places, 2 * (int64_t)l->count));
    last = places + l->count;
    pen_status status = PEN_OK;
    for (int pass = 0; pass < 2 && status == PEN_OK; pass++) {
        if (pass == 1) status = open_blocks(s, l->count, l->ranks, &places, &send);
        for (int k = 0; k < l->count; k++) last[k] = 0;
        int link = -1;
        for (int64_t i = 0; i < p->move_count && status == PEN_OK; i++) {
            const pen_lid node = p->moves[i].node;
            const announcement update = { g->gids[node], p->moves[i].to };
            for (int64_t a = g->starts[node]; a < graph_end(g, node); a++) {
                const int32_t there = g->where[g->columns[a]];
                if (there == p->rank) continue;
                if (link < 0 || l->ranks[link] != there) link = pen_part_link(p, there);
                if (last[link] == i + 1) continue;
                last[link] = i + 1;
                if (pass == 1) memcpy(s->message + places[link], &update, sizeof update);
                places[link] += (int64_t)sizeof update;
            }
        }
    }
    if (status == PEN_OK) status = s->team->peers->exchange(s->team->peers, true, &send, &received);
    free(places);
    return status == PEN_OK ? read_announcements(s, received) : status;
}

/* One exchange of nodes, nodes[i] for ranks[k] of all `count` ranks, where of[i] is k. Nodes that come are appended to
 * `seen`, or adopted if that is NULL. */
static pen_status send_nodes(plan_state *s, bool mutual, int count, const int *ranks, int64_t node_count,
                             const pen_lid *nodes, const int *of, plan_list *seen)
{
    const plan_graph *g = &s->graph;
    const pen_blocks *received = NULL;
    pen_parcels send;
    int64_t *places;
    PEN_TRY(PEN_ALLOC_ZERO(&places, count));
    for (int64_t i = 0; i < node_count; i++) places[of[i]] += bytes_of(g, nodes[i]);
    pen_status status = open_blocks(s, count, ranks, &places, &send);
    for (int64_t i = 0; i < node_count && status == PEN_OK; i++)
        places[of[i]] = write_node(g, nodes[i], s->message + places[of[i]]) - s->message;
    if (status == PEN_OK) status = s->team->peers->exchange(s->team->peers, mutual, &send, &received);
    free(places);
    for (int k = 0; status == PEN_OK && k < received->count; k++) {
        const unsigned char *from = received->data + received->offsets[k],
                            *end = received->data + received->offsets[k + 1];
        while (from < end && status == PEN_OK) {
            pen_lid node = -1;
            status = read_node(s, seen ? received->ranks[k] : s->team->first, &from, &node);
            if (status == PEN_OK) status = seen ? pen_list_add(seen, node) : pen_part_adopt(&s->parts[0], node);
        }
    }
    return status;
}

pen_status pen_messages_move(plan_state *s, bool linked)
{
    const plan_part *p = &s->parts[0];
    pen_lid *nodes = NULL;
    int *of = NULL, *ranks = NULL, count = p->links.count;
    pen_status status = PEN_ALLOC(&nodes, p->move_count);
    if (status == PEN_OK) status = PEN_ALLOC(&of, p->move_count);
    for (int64_t i = 0; i < p->move_count && status == PEN_OK; i++) {
        nodes[i] = p->moves[i].node;
        of[i] = linked ? pen_part_link(p, p->moves[i].to) : p->moves[i].to;
    }
    if (!linked && status == PEN_OK) { /* number the ranks that get nodes */
        status = PEN_ALLOC(&ranks, p->move_count);
        count = 0;
        if (p->move_count > 0)
            qsort(memcpy(ranks, of, (size_t)p->move_count * sizeof *of), (size_t)p->move_count, sizeof *of,
                  pen_by_int32);
        for (int64_t i = 0; i < p->move_count; i++)
            if (count == 0 || ranks[count - 1] != ranks[i]) ranks[count++] = ranks[i];
        for (int64_t i = 0; i < p->move_count; i++)
            of[i] = (int)((int *)bsearch(&of[i], ranks, (size_t)count, sizeof *of, pen_by_int32) - ranks);
    }
    if (status == PEN_OK)
        status = send_nodes(s, linked, count, linked ? p->links.ranks : ranks, p->move_count, nodes, of, NULL);
    PEN_FREE_ALL(nodes, of, ranks);
    return status;
}

pen_status pen_messages_show(plan_state *s, int link, int64_t count, const pen_lid *nodes, plan_list *seen)
{
    const plan_links *l = &s->parts[0].links;
    int *of;
    PEN_TRY(PEN_ALLOC(&of, count));
    for (int64_t i = 0; i < count; i++) of[i] = link;
    const pen_status status = send_nodes(s, true, l->count, l->ranks, link < 0 ? 0 : count, nodes, of, seen);
    free(of);
    return status;
}

pen_status pen_messages_tell(plan_state *s, int link, int64_t size, const void *bytes, const pen_blocks **received)
{
    const plan_links *l = &s->parts[0].links;
    PEN_TRY(pen_reserve(&s->offsets, sizeof *s->offsets, l->count + 1, &s->offset_room));
    for (int k = 0; k <= l->count; k++) s->offsets[k] = link >= 0 && k > link ? size : 0;
    const pen_parcels send = { l->count, l->ranks, s->offsets, bytes };
    return s->team->peers->exchange(s->team->peers, true, &send, received);
}

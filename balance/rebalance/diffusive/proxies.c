#include "rebalance/diffusive/proxies.h"

#include "base/memory.h"
#include "base/sparse.h"

#include <stdlib.h>

enum { IN_INDEX = 1, IN_BORDER = 2 };

/* A proxy on its way: the head, then an arc per neighbour. */
typedef struct shown_node {
    pen_gid gid;
    double load;
    int32_t home;
    pen_lid home_slot, degree;
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

/* ---- Room ------------------------------------------------------------------------------------ */

static pen_status reserve_nodes(proxies *p, int64_t needed)
{
    if (needed <= p->room) return PEN_OK;
    pen_lid room;
    PEN_TRY(pen_to_lid(needed + needed / 2 + 64, "nodes known to a rank", &room));
    PEN_TRY(PEN_REALLOC(&p->gids, room));
    PEN_TRY(PEN_REALLOC(&p->where, room));
    PEN_TRY(PEN_REALLOC(&p->degrees, room));
    PEN_TRY(PEN_REALLOC(&p->starts, room));
    PEN_TRY(PEN_REALLOC(&p->loads, room));
    PEN_TRY(PEN_REALLOC(&p->homes, room));
    PEN_TRY(PEN_REALLOC(&p->home_slots, room));
    PEN_TRY(PEN_REALLOC(&p->sizes, room));
    PEN_TRY(PEN_REALLOC(&p->flags, room));
    PEN_TRY(PEN_REALLOC(&p->scratch, room));
    p->room = room;
    return PEN_OK;
}

static pen_status reserve_arcs(proxies *p, int64_t needed)
{
    if (needed <= p->arc_room) return PEN_OK;
    if (needed > UINT32_MAX)
        return pen_fail(PEN_ERR_UNSUPPORTED, "%" PRId64 " arcs known to a rank, at most 2^32", needed);
    int64_t room = needed + needed / 2 + 64;
    PEN_TRY(PEN_REALLOC(&p->columns, room));
    if (p->weights) PEN_TRY(PEN_REALLOC(&p->weights, room));
    p->arc_room = room;
    return PEN_OK;
}

static pen_status append(pen_lid **list, pen_lid *count, pen_lid *room, pen_lid node)
{
    if (*count == *room) {
        PEN_TRY(PEN_REALLOC(list, (int64_t)*room * 2 + 64));
        *room = *room * 2 + 64;
    }
    (*list)[(*count)++] = node;
    return PEN_OK;
}

static pen_status add_to_border(proxies *p, pen_lid node)
{
    if (p->flags[node] & IN_BORDER) return PEN_OK;
    p->flags[node] |= IN_BORDER;
    return append(&p->border, &p->border_count, &p->border_room, node);
}

/* ---- Nodes by gid ---------------------------------------------------------------------------- */

static uint32_t *index_entry(const proxies *p, pen_gid gid)
{
    return pen_key_entry(&p->index, p->gids, sizeof *p->gids, (uint64_t)gid);
}

/* The node of a gid that messages may name; -1: not known. */
static pen_lid find(const proxies *p, pen_gid gid) { return (pen_lid)*index_entry(p, gid) - 1; }

static pen_status index_grow(proxies *p)
{
    enum { SMALLEST = 64 };
    PEN_TRY(pen_key_table_resize(&p->index, p->index.size ? 2 * p->index.size : SMALLEST));
    for (pen_lid i = 0; i < p->count; i++)
        if (p->flags[i] & IN_INDEX) *index_entry(p, p->gids[i]) = (uint32_t)i + 1;
    return PEN_OK;
}

static pen_status index_add(proxies *p, pen_lid node)
{
    if (p->flags[node] & IN_INDEX) return PEN_OK;
    if (pen_key_table_is_full(&p->index, p->indexed)) PEN_TRY(index_grow(p));
    p->flags[node] |= IN_INDEX;
    *index_entry(p, p->gids[node]) = (uint32_t)node + 1;
    p->indexed++;
    return PEN_OK;
}

/* The node of a gid, which is added if it is new. */
static pen_status learn(proxies *p, pen_gid gid, pen_lid *node)
{
    *node = find(p, gid);
    if (*node >= 0) return PEN_OK;
    PEN_TRY(reserve_nodes(p, (int64_t)p->count + 1));
    *node = p->count++;
    p->gids[*node] = gid;
    p->where[*node] = -1;
    p->degrees[*node] = -1;
    p->flags[*node] = 0;
    p->scratch[*node] = 0;
    return index_add(p, *node);
}

/* ---- Links ----------------------------------------------------------------------------------- */

int pen_proxies_link(const proxies *p, int rank)
{
    int low = 0, high = p->links.count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (p->links.ranks[middle] < rank) low = middle + 1;
        else high = middle;
    }
    return low < p->links.count && p->links.ranks[low] == rank ? low : -1;
}

static void links_free(proxy_links *l)
{
    PEN_FREE_ALL(l->ranks, l->contact, l->flow, l->vain, l->offsets, l->bytes, l->last);
    *l = (proxy_links){ 0 };
}

static pen_status links_reserve(proxy_links *l, int needed)
{
    if (needed <= l->room) return PEN_OK;
    int room = 2 * l->room + 8;
    PEN_TRY(PEN_REALLOC(&l->ranks, room));
    PEN_TRY(PEN_REALLOC(&l->contact, room));
    PEN_TRY(PEN_REALLOC(&l->flow, room));
    PEN_TRY(PEN_REALLOC(&l->vain, room));
    PEN_TRY(PEN_REALLOC(&l->offsets, room + 1));
    PEN_TRY(PEN_REALLOC(&l->bytes, room));
    PEN_TRY(PEN_REALLOC(&l->last, room));
    l->room = room;
    return PEN_OK;
}

/* The link to a rank, which is added if it is new. */
static pen_status links_add(proxies *p, int rank, int *link)
{
    proxy_links *l = &p->links;
    *link = pen_proxies_link(p, rank);
    if (*link >= 0) return PEN_OK;
    PEN_TRY(links_reserve(l, l->count + 1));
    int at = l->count++;
    for (; at > 0 && l->ranks[at - 1] > rank; at--) {
        l->ranks[at] = l->ranks[at - 1];
        l->contact[at] = l->contact[at - 1];
    }
    l->ranks[at] = rank;
    l->contact[at] = 0;
    *link = at;
    return PEN_OK;
}

/* Find the links from the border, and remove nodes from the border that no longer belong to it. */
static pen_status links_build(proxies *p)
{
    const proxy_links old = p->links;
    p->links = p->spare;
    p->spare = old;
    p->links.count = 0;
    int rank = p->peers->rank, size = p->peers->size, link = -1;
    pen_status status = links_reserve(&p->links, 1); /* no array is NULL */
    const int tree[3] = { rank > 0 ? (rank - 1) / 2 : size, 2 * rank + 1, 2 * rank + 2 };
    for (int k = 0; k < 3 && status == PEN_OK; k++)
        if (tree[k] < size) status = links_add(p, tree[k], &link);
    pen_lid kept = 0;
    for (pen_lid b = 0; b < p->border_count && status == PEN_OK; b++) {
        pen_lid node = p->border[b];
        bool bound = false;
        if (proxy_is_mine(p, node))
            for (int64_t a = p->starts[node]; a < proxy_end(p, node) && status == PEN_OK; a++) {
                int32_t there = p->where[p->columns[a]];
                if (there == rank) continue;
                bound = true;
                if (link < 0 || link >= p->links.count || p->links.ranks[link] != there)
                    status = links_add(p, there, &link);
                if (status == PEN_OK) p->links.contact[link] += proxy_weight(p, a);
            }
        if (bound) p->border[kept++] = node;
        else p->flags[node] &= (unsigned char)~IN_BORDER;
    }
    p->border_count = kept;
    for (int k = 0, i = 0; k < p->links.count && status == PEN_OK; k++) {
        while (i < old.count && old.ranks[i] < p->links.ranks[k]) i++;
        const bool stays = i < old.count && old.ranks[i] == p->links.ranks[k];
        p->links.flow[k] = stays ? old.flow[i] : 0.0;
        p->links.vain[k] = stays ? old.vain[i] : (proxy_vain){ .next = 0 };
    }
    return status;
}

pen_status pen_proxies_swap(proxies *p, size_t size, const void *mine, void *theirs)
{
    proxy_links *l = &p->links;
    for (int k = 0; k <= l->count; k++) l->offsets[k] = k * (int64_t)size;
    const pen_parcels send = { l->count, l->ranks, l->offsets, mine };
    const pen_blocks *received;
    PEN_TRY(p->peers->exchange(p->peers, true, &send, &received));
    if (received->count != l->count)
        return pen_fail(PEN_ERR_INTERNAL, "%d of %d linked ranks answer", received->count, l->count);
    if (received->count > 0) memcpy(theirs, received->data, (size_t)received->count * size);
    return PEN_OK;
}

pen_status pen_proxies_tell(proxies *p, int link, int64_t size, const void *bytes, const pen_blocks **received)
{
    proxy_links *l = &p->links;
    for (int k = 0; k <= l->count; k++) l->offsets[k] = link >= 0 && k > link ? size : 0;
    const pen_parcels send = { l->count, l->ranks, l->offsets, bytes };
    return p->peers->exchange(p->peers, true, &send, received);
}

/* ---- Proxies in messages --------------------------------------------------------------------- */

static void no_bytes(proxies *p)
{
    for (int k = 0; k < p->links.count; k++) p->links.bytes[k] = 0;
}

/* The blocks of p->message to all links: links.bytes[k] to link k, which become their offsets. */
static pen_status open_blocks(proxies *p, pen_parcels *send)
{
    proxy_links *l = &p->links;
    int64_t total = 0;
    for (int k = 0; k < l->count; k++) {
        l->offsets[k] = total;
        total += l->bytes[k];
        l->bytes[k] = l->offsets[k];
    }
    l->offsets[l->count] = total;
    PEN_TRY(pen_reserve(&p->message, 1, total + 1, &p->message_room));
    *send = (pen_parcels){ l->count, l->ranks, l->offsets, p->message };
    return PEN_OK;
}

static int64_t bytes_of(const proxies *p, pen_lid node)
{
    return (int64_t)(sizeof(shown_node) + (size_t)p->degrees[node] * sizeof(shown_arc));
}

static void write_node(const proxies *p, pen_lid node, unsigned char *to)
{
    shown_node head = { p->gids[node],       p->loads[node],   p->homes[node],
                        p->home_slots[node], p->degrees[node], p->sizes[node] };
    memcpy(to, &head, sizeof head);
    to += sizeof head;
    for (int64_t a = p->starts[node]; a < proxy_end(p, node); a++, to += sizeof(shown_arc)) {
        pen_lid next = p->columns[a];
        shown_arc arc = { p->gids[next], proxy_weight(p, a), p->where[next] };
        memcpy(to, &arc, sizeof arc);
    }
}

/* Read one proxy, which is on rank `where`; *from moves on. */
static pen_status read_node(proxies *p, int where, const unsigned char **from, pen_lid *node)
{
    shown_node head;
    memcpy(&head, *from, sizeof head);
    *from += sizeof head;
    PEN_TRY(learn(p, head.gid, node));
    bool known = p->degrees[*node] >= 0;
    if (!known) {
        PEN_TRY(reserve_arcs(p, p->arcs + head.degree));
        p->loads[*node] = head.load;
        p->homes[*node] = head.home;
        p->home_slots[*node] = head.home_slot;
        p->sizes[*node] = head.size;
        p->degrees[*node] = head.degree;
        p->starts[*node] = (uint32_t)p->arcs;
        p->arcs += head.degree;
    }
    p->where[*node] = where;
    for (int64_t a = 0; a < head.degree; a++, *from += sizeof(shown_arc)) {
        shown_arc arc;
        memcpy(&arc, *from, sizeof arc);
        pen_lid next;
        if (known) {
            next = p->columns[p->starts[*node] + a];
        } else {
            PEN_TRY(learn(p, arc.gid, &next));
            p->columns[p->starts[*node] + a] = next;
            if (p->weights) p->weights[p->starts[*node] + a] = arc.weight;
        }
        /* Messages of one exchange may name a neighbour before its own proxy is read. */
        if (!proxy_is_mine(p, next)) p->where[next] = (int32_t)arc.where;
    }
    return PEN_OK;
}

/* The node becomes one of this rank's. */
static pen_status adopt(proxies *p, pen_lid node)
{
    p->own++;
    p->own_arcs += p->degrees[node];
    p->load += p->loads[node];
    if (p->degrees[node] == 0) return append(&p->loose, &p->loose_count, &p->loose_room, node);
    return add_to_border(p, node);
}

/* ---- Handing over ---------------------------------------------------------------------------- */

/* Tell the ranks with neighbours of moving nodes the new ranks, so that proxies are sent with the new ranks of their
 * neighbours. *heard: others told this rank something. */
static pen_status announce(proxies *p, pen_lid count, const pen_lid *nodes, const int *to, bool *heard)
{
    int rank = p->peers->rank;
    int64_t *bytes = p->links.bytes;
    pen_lid *last = p->links.last; /* the last node that was announced there, + 1 */
    pen_parcels send;
    no_bytes(p);
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) PEN_TRY(open_blocks(p, &send));
        for (int k = 0; k < p->links.count; k++) last[k] = 0;
        for (pen_lid i = 0, link = -1; i < count; i++) {
            announcement updates = { p->gids[nodes[i]], p->links.ranks[to[i]] };
            for (int64_t a = p->starts[nodes[i]]; a < proxy_end(p, nodes[i]); a++) {
                int32_t there = p->where[p->columns[a]];
                if (there == rank) continue;
                if (link < 0 || p->links.ranks[link] != there) link = pen_proxies_link(p, there);
                if (last[link] == i + 1) continue;
                last[link] = i + 1;
                if (pass == 1) memcpy(p->message + bytes[link], &updates, sizeof updates);
                bytes[link] += (int64_t)sizeof updates;
            }
        }
    }
    const pen_blocks *received;
    PEN_TRY(p->peers->exchange(p->peers, true, &send, &received));
    int64_t end = received->count > 0 ? received->offsets[received->count] : 0;
    for (int64_t at = 0; at < end; at += (int64_t)sizeof(announcement)) {
        announcement updates;
        *heard = true;
        memcpy(&updates, received->data + at, sizeof updates);
        pen_lid node = find(p, updates.gid);
        if (node < 0) return pen_fail(PEN_ERR_INTERNAL, "an update of node %" PRIgid ", which is unknown", updates.gid);
        p->where[node] = (int32_t)updates.where;
    }
    return PEN_OK;
}

static pen_status give_up(proxies *p, pen_lid node, int rank)
{
    p->where[node] = rank;
    p->own--;
    p->own_arcs -= p->degrees[node];
    p->load -= p->loads[node];
    PEN_TRY(index_add(p, node));
    for (int64_t a = p->starts[node]; a < proxy_end(p, node); a++)
        if (proxy_is_mine(p, p->columns[a])) {
            PEN_TRY(add_to_border(p, p->columns[a]));
            PEN_TRY(index_add(p, p->columns[a]));
        }
    return PEN_OK;
}

/* One exchange of proxies: nodes[i] to link to[i] (or all to link `to_all`). *seen as of pen_proxies_show. */
static pen_status send_nodes(proxies *p, pen_lid count, const pen_lid *nodes, const int *to, int to_all, bool keep,
                             pen_lid **seen, pen_lid *seen_count)
{
    int64_t *bytes = p->links.bytes;
    pen_parcels send;
    no_bytes(p);
    for (pen_lid i = 0; i < count; i++) bytes[to ? to[i] : to_all] += bytes_of(p, nodes[i]);
    PEN_TRY(open_blocks(p, &send));
    for (pen_lid i = 0; i < count; i++) {
        int64_t *at = &bytes[to ? to[i] : to_all];
        write_node(p, nodes[i], p->message + *at);
        *at += bytes_of(p, nodes[i]);
    }
    const pen_blocks *received;
    PEN_TRY(p->peers->exchange(p->peers, true, &send, &received));
    pen_lid room = 0;
    for (int k = 0; k < received->count; k++) {
        const unsigned char *from = received->data + received->offsets[k],
                            *end = received->data + received->offsets[k + 1];
        while (from < end) {
            pen_lid node;
            PEN_TRY(read_node(p, keep ? received->ranks[k] : p->peers->rank, &from, &node));
            if (!keep) PEN_TRY(adopt(p, node));
            if (seen) PEN_TRY(append(seen, seen_count, &room, node));
        }
    }
    return PEN_OK;
}

pen_status pen_proxies_show(proxies *p, int link, pen_lid count, const pen_lid *nodes, pen_lid **seen,
                            pen_lid *seen_count)
{
    *seen = NULL;
    *seen_count = 0;
    return send_nodes(p, link < 0 ? 0 : count, nodes, NULL, link, true, seen, seen_count);
}

/* Drop what is not needed any more: write the own nodes, drop everything, and read them again. */
static pen_status compact(proxies *p)
{
    int64_t total = 0, at = 0;
    unsigned char *bytes;
    for (pen_lid i = 0; i < p->count; i++) total += proxy_is_mine(p, i) ? bytes_of(p, i) : 0;
    PEN_TRY(PEN_ALLOC(&bytes, total));
    for (pen_lid i = 0; i < p->count; i++) {
        if (!proxy_is_mine(p, i)) continue;
        write_node(p, i, bytes + at);
        at += bytes_of(p, i);
    }
    pen_key_table_clear(&p->index);
    p->count = p->indexed = p->border_count = p->loose_count = p->own = 0;
    p->arcs = p->own_arcs = 0;
    p->load = p->fixed;
    pen_status status = PEN_OK;
    for (const unsigned char *from = bytes; from < bytes + total && status == PEN_OK;) {
        pen_lid node = -1;
        status = read_node(p, p->peers->rank, &from, &node);
        if (status == PEN_OK) status = adopt(p, node);
    }
    free(bytes);
    return status;
}

pen_status pen_proxies_move(proxies *p, pen_lid count, const pen_lid *nodes, const int *to)
{
    bool heard = false;
    pen_lid own = p->own;
    PEN_TRY(announce(p, count, nodes, to, &heard));
    for (pen_lid i = 0; i < count; i++) PEN_TRY(give_up(p, nodes[i], p->links.ranks[to[i]]));
    PEN_TRY(send_nodes(p, count, nodes, to, -1, false, NULL, NULL));
    bool moved = count > 0 || p->own != own;
    p->changes += moved;
    if (!moved && !heard) return PEN_OK;
    if (p->arcs > 4 * p->own_arcs + 8192 || p->count > 4 * (p->own + p->own_arcs) + 8192) PEN_TRY(compact(p));
    return links_build(p);
}

/* One exchange with the ranks of the moving nodes, which `grouped` lists by rank. */
static pen_status post(proxies *p, const pen_parcels *grouped)
{
    const pen_lid *nodes = grouped->data;
    pen_blocks send = { 0 };
    int64_t at = 0;
    pen_status status = PEN_ALLOC_ZERO(&send.offsets, grouped->count + 1);
    for (int k = 0; k < grouped->count && status == PEN_OK; k++) {
        for (int64_t i = grouped->offsets[k]; i < grouped->offsets[k + 1]; i += (int64_t)sizeof *nodes)
            at += bytes_of(p, nodes[i / (int64_t)sizeof *nodes]);
        send.offsets[k + 1] = at;
    }
    if (status == PEN_OK) status = PEN_ALLOC(&send.data, at);
    at = 0;
    for (int64_t i = 0; i < grouped->offsets[grouped->count] / (int64_t)sizeof *nodes && status == PEN_OK; i++) {
        write_node(p, nodes[i], send.data + at);
        at += bytes_of(p, nodes[i]);
        status = give_up(p, nodes[i], p->where[nodes[i]]);
    }
    const pen_parcels parcels = { grouped->count, grouped->ranks, send.offsets, send.data };
    const pen_blocks *received = NULL;
    if (status == PEN_OK) status = p->peers->exchange(p->peers, false, &parcels, &received);
    for (int k = 0; status == PEN_OK && k < received->count; k++) {
        const unsigned char *from = received->data + received->offsets[k],
                            *end = received->data + received->offsets[k + 1];
        while (from < end && status == PEN_OK) {
            pen_lid node = -1;
            status = read_node(p, p->peers->rank, &from, &node);
            if (status == PEN_OK) status = adopt(p, node);
        }
    }
    pen_blocks_free(&send);
    return status;
}

pen_status pen_proxies_place(proxies *p, const int32_t *sizes, const int32_t *to)
{
    pen_lid count = 0, *nodes = NULL, own = p->own;
    int *ranks = NULL;
    const pen_parcels *grouped = NULL;
    pen_status status = PEN_ALLOC(&nodes, own);
    if (status == PEN_OK) status = PEN_ALLOC(&ranks, own);
    for (pen_lid i = 0; i < own && status == PEN_OK; i++) {
        p->sizes[i] = sizes[i];
        p->where[i] = to[i];
        if (to[i] == p->peers->rank) continue;
        nodes[count] = i;
        ranks[count++] = to[i];
    }
    if (status == PEN_OK) status = p->peers->group(p->peers, count, ranks, nodes, sizeof *nodes, NULL, &grouped);
    if (status == PEN_OK) status = post(p, grouped);
    PEN_FREE_ALL(nodes, ranks);
    return status == PEN_OK ? links_build(p) : status;
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

void pen_proxies_sum(proxies *p)
{
    p->load = p->fixed;
    for (pen_lid i = 0; i < p->count; i++)
        if (proxy_is_mine(p, i)) p->load += p->loads[i];
}

static pen_status create(const pen_load_view *view, bool weighted, proxies *p)
{
    int64_t all = (int64_t)view->count + view->shadows, arcs = view->rows[view->count];
    PEN_TRY(reserve_nodes(p, all));
    if (weighted) PEN_TRY(PEN_ALLOC(&p->weights, 1));
    PEN_TRY(reserve_arcs(p, arcs));
    PEN_TRY(index_grow(p));
    p->count = (pen_lid)all;
    p->arcs = p->own_arcs = arcs;
    p->own = view->count;
    for (pen_lid i = 0; i < p->count; i++) {
        bool own = i < view->count;
        p->gids[i] = view->gids[i];
        p->where[i] = own ? p->peers->rank : view->owners[i - view->count];
        p->degrees[i] = own ? (pen_lid)(view->rows[i + 1] - view->rows[i]) : -1;
        p->starts[i] = own ? view->rows[i] : 0;
        p->loads[i] = own ? view->loads[i] : 0.0;
        p->homes[i] = p->peers->rank;
        p->home_slots[i] = i;
        p->sizes[i] = 1;
        p->flags[i] = 0;
        p->scratch[i] = 0;
    }
    if (arcs > 0) memcpy(p->columns, view->columns, (size_t)arcs * sizeof *p->columns);
    if (weighted)
        for (int64_t a = 0; a < arcs; a++) p->weights[a] = view->edge_weights ? view->edge_weights[a] : 1;
    for (pen_lid i = view->count; i < p->count; i++) PEN_TRY(index_add(p, i));
    for (pen_lid i = 0; i < view->count; i++) {
        bool border = false;
        for (uint32_t a = view->rows[i]; a < view->rows[i + 1] && !border; a++)
            border = view->columns[a] >= view->count;
        if (border) PEN_TRY(index_add(p, i));
        if (border) PEN_TRY(add_to_border(p, i));
        if (p->degrees[i] == 0) PEN_TRY(append(&p->loose, &p->loose_count, &p->loose_room, i));
    }
    pen_proxies_sum(p);
    return links_build(p);
}

pen_status pen_proxies_create(const pen_load_view *view, pen_peers *peers, bool weighted, proxies *p)
{
    *p = (proxies){ .peers = peers };
    return create(view, weighted, p);
}

void pen_proxies_free(proxies *p)
{
    PEN_FREE_ALL(p->gids, p->where, p->degrees, p->starts, p->loads, p->homes, p->home_slots, p->sizes, p->flags,
                 p->scratch, p->columns, p->weights, p->border, p->loose, p->message);
    pen_key_table_free(&p->index);
    links_free(&p->links);
    links_free(&p->spare);
    *p = (proxies){ 0 };
}

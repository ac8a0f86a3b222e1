#include "rebalance/diffusive/offload.h"

#include "base/memory.h"
#include "virtual/ranks.h"

#include <stdlib.h>

/* Seconds. What an exchange or a reduction takes on virtual ranks, with the work between two of them: so much for a
 * rank, and so much for a node or an arc. Measured on 8 to 256 ranks with 1000 to 65000 nodes: 0.4 to 0.7 us, and 0.05
 * to 0.13 ns. */
#define RANK_TIME 0.5e-6
#define ITEM_TIME 0.1e-9

/* Seconds from one rank to another. Within an idle host it is a tenth of this, between hosts a half; but a rank that
 * has lost its core for a moment delays all others, and the more so, the more messages there are. */
#define HOP_TIME 5e-6

/* What a rank sends: this, then its state, then the arrays. */
typedef struct part_head {
    pen_lid count, shadows;
    int64_t arcs, node_bytes, arc_bytes;
    double speed, horizon;
    bool weighted, sized;
} part_head;

/* Writes arrays one behind the other, each at a multiple of 8; only adds up their lengths where there is no room. */
typedef struct writer {
    unsigned char *data;
    int64_t length;
} writer;

static int64_t padded(int64_t bytes) { return (bytes + 7) / 8 * 8; }

static void put(writer *w, const void *from, int64_t count, size_t size)
{
    int64_t bytes = count * (int64_t)size;
    if (w->data && bytes > 0) memcpy(w->data + w->length, from, (size_t)bytes);
    if (w->data) memset(w->data + w->length + bytes, 0, (size_t)(padded(bytes) - bytes));
    w->length += padded(bytes);
}

static void put_part(writer *w, const offload_part *part, size_t bytes)
{
    const pen_load_view *v = &part->view;
    int64_t all = (int64_t)v->count + v->shadows, arcs = v->rows[v->count];
    const part_head head = { .count = v->count,
                             .shadows = v->shadows,
                             .arcs = arcs,
                             .node_bytes = v->node_bytes,
                             .arc_bytes = v->arc_bytes,
                             .speed = v->speed,
                             .horizon = v->horizon,
                             .weighted = v->edge_weights != NULL,
                             .sized = part->sizes != NULL };
    put(w, &head, 1, sizeof head);
    put(w, part->state, 1, bytes);
    put(w, v->gids, all, sizeof *v->gids);
    put(w, v->owners, v->shadows, sizeof *v->owners);
    put(w, v->loads, v->count, sizeof *v->loads);
    put(w, v->rows, (int64_t)v->count + 1, sizeof *v->rows);
    put(w, v->columns, arcs, sizeof *v->columns);
    put(w, v->edge_weights, v->edge_weights ? arcs : 0, sizeof *v->edge_weights);
    put(w, part->sizes, part->sizes ? v->count : 0, sizeof *part->sizes);
    put(w, part->to, v->count, sizeof *part->to);
}

static unsigned char *get(unsigned char **from, int64_t count, size_t size)
{
    unsigned char *array = *from;
    *from += padded(count * (int64_t)size);
    return array;
}

/* The arrays stay where they are. */
static void get_part(unsigned char *from, size_t bytes, const pen_machine *machine, offload_part *part)
{
    const part_head *head = (const void *)get(&from, 1, sizeof *head);
    pen_load_view *v = &part->view;
    *v = (pen_load_view){ .count = head->count,
                          .shadows = head->shadows,
                          .node_bytes = head->node_bytes,
                          .arc_bytes = head->arc_bytes,
                          .speed = head->speed,
                          .horizon = head->horizon,
                          .machine = machine };
    part->state = get(&from, 1, bytes);
    v->gids = (const void *)get(&from, (int64_t)v->count + v->shadows, sizeof *v->gids);
    v->owners = (const void *)get(&from, v->shadows, sizeof *v->owners);
    v->loads = (const void *)get(&from, v->count, sizeof *v->loads);
    v->rows = (const void *)get(&from, (int64_t)v->count + 1, sizeof *v->rows);
    v->columns = (const void *)get(&from, head->arcs, sizeof *v->columns);
    const void *weights = get(&from, head->weighted ? head->arcs : 0, sizeof *v->edge_weights);
    v->edge_weights = head->weighted ? weights : NULL;
    void *sizes = get(&from, head->sized ? head->count : 0, sizeof *part->sizes);
    part->sizes = head->sized ? sizes : NULL;
    part->to = (void *)get(&from, v->count, sizeof *part->to);
}

/* A reduction goes up and down a tree, and an exchange goes straight on from there. */
bool pen_offload_pays(int ranks, double nodes, double arcs)
{
    int hops = 1;
    for (int reach = 1; reach < ranks; reach *= 2) hops += 2;
    return ranks * RANK_TIME + (nodes + arcs) * ITEM_TIME <= hops * HOP_TIME;
}

/* The work of all ranks; parts[0] is rank 0's own. */
typedef struct job {
    offload_work *work;
    const void *context;
    offload_part *parts; /* [ranks] */
} job;

static pen_status work_for_rank(void *context, pen_peers *peers)
{
    const job *j = context;
    return j->work(j->context, peers, &j->parts[peers->rank]);
}

/* Results for all other ranks, in the order of these. */
static void put_results(const job *j, int ranks, size_t bytes, int64_t *offsets, writer *w)
{
    offsets[0] = w->length = 0;
    for (int r = 1; r < ranks; r++) {
        put(w, j->parts[r].state, 1, bytes);
        put(w, j->parts[r].to, j->parts[r].view.count, sizeof *j->parts[r].to);
        offsets[r] = w->length;
    }
}

/* Collective; what rank 0 does. ranks: all others; offsets: as many and one more. */
static pen_status serve(pen_peers *peers, job *j, size_t bytes, const offload_part *mine, const int *ranks,
                        int64_t *offsets)
{
    int others = peers->size - 1;
    const pen_blocks *received;
    const pen_parcels nothing = { others, ranks, offsets, "" };
    PEN_TRY(peers->exchange(peers, true, &nothing, &received));
    j->parts[0] = *mine;
    for (int k = 0; k < others; k++)
        get_part(received->data + received->offsets[k], bytes, mine->view.machine, &j->parts[k + 1]);
    PEN_TRY(pen_virtual_run(peers->size, 1, work_for_rank, j, NULL, NULL));
    writer w = { 0 };
    put_results(j, peers->size, bytes, offsets, &w);
    PEN_TRY(PEN_ALLOC(&w.data, w.length));
    put_results(j, peers->size, bytes, offsets, &w);
    const pen_parcels results = { others, ranks, offsets, w.data };
    pen_status status = peers->exchange(peers, true, &results, &received);
    free(w.data);
    return status;
}

static pen_status run_for_all(pen_peers *peers, offload_work *work, const void *context, size_t bytes,
                              offload_part *mine)
{
    job j = { .work = work, .context = context };
    int *ranks = NULL;
    int64_t *offsets = NULL;
    pen_status status = PEN_ALLOC(&j.parts, peers->size);
    if (status == PEN_OK) status = PEN_ALLOC(&ranks, peers->size);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&offsets, peers->size);
    for (int r = 1; r < peers->size && status == PEN_OK; r++) ranks[r - 1] = r;
    if (status == PEN_OK) status = serve(peers, &j, bytes, mine, ranks, offsets);
    PEN_FREE_ALL(j.parts, ranks, offsets);
    return status;
}

static pen_status request(pen_peers *peers, size_t bytes, offload_part *mine)
{
    const int server = 0;
    const int64_t no_bytes[2] = { 0, 0 };
    const pen_blocks *received;
    writer w = { 0 };
    put_part(&w, mine, bytes);
    int64_t offsets[2] = { 0, w.length };
    PEN_TRY(PEN_ALLOC(&w.data, w.length));
    w.length = 0;
    put_part(&w, mine, bytes);
    const pen_parcels part = { 1, &server, offsets, w.data }, nothing = { 1, &server, no_bytes, "" };
    pen_status status = peers->exchange(peers, true, &part, &received);
    free(w.data);
    PEN_TRY(status);
    PEN_TRY(peers->exchange(peers, true, &nothing, &received));
    unsigned char *from = received->data;
    memcpy(mine->state, get(&from, 1, bytes), bytes);
    if (mine->view.count > 0) memcpy(mine->to, from, (size_t)mine->view.count * sizeof *mine->to);
    return PEN_OK;
}

pen_status pen_offload_run(pen_peers *peers, offload_work *work, const void *context, size_t bytes, offload_part *mine)
{
    return peers->rank > 0 ? request(peers, bytes, mine) : run_for_all(peers, work, context, bytes, mine);
}

#include "halo.h"
#include "memory.h"
#include "options.h"
#include "sparse.h"

#include <stdlib.h>

const pen_transport *const pen_transports[] = {
    &pen_transport_fence,
    &pen_transport_shared,
    &pen_transport_blocking,
    &pen_transport_overlap,
    &pen_transport_persistent,
    &pen_transport_neighbor,
    NULL,
};

/* What a rank tells its neighbours of its window. */
typedef struct layout_news {
    int64_t capacity, shift;
} layout_news;

static pen_status build_runs(const pen_partner *partner, pen_lid first, pen_producer *producer)
{
    int runs = 0;
    for (pen_lid i = 0; i < partner->count; i++) runs += i == 0 || partner->slots[i] != partner->slots[i - 1] + 1;
    PEN_TRY(PEN_ALLOC(&producer->runs, runs));
    for (pen_lid i = 0; i < partner->count; i++) {
        if (i == 0 || partner->slots[i] != partner->slots[i - 1] + 1)
            producer->runs[producer->run_count++] = (pen_pull_run){ partner->slots[i], first + i, 0 };
        producer->runs[producer->run_count - 1].count++;
    }
    return PEN_OK;
}

static pen_status find_neighbors(pen_halo *halo)
{
    const pen_store *store = halo->store;
    PEN_TRY(PEN_ALLOC_ZERO(&halo->neighbors, (int64_t)store->producer_count + store->consumer_count));
    int p = 0, c = 0;
    while (p < store->producer_count || c < store->consumer_count) {
        int producer = p < store->producer_count ? store->producers[p].rank : INT32_MAX;
        int consumer = c < store->consumer_count ? store->consumers[c].rank : INT32_MAX;
        halo->neighbors[halo->neighbor_count++].rank = producer < consumer ? producer : consumer;
        p += producer <= consumer;
        c += consumer <= producer;
    }
    return PEN_OK;
}

/* One block for each neighbour, all with the same content. */
static pen_status pack_news(const pen_halo *halo, pen_blocks *send)
{
    layout_news mine = { halo->store->capacity, halo->store->window.shift };
    PEN_TRY(PEN_ALLOC(&send->ranks, halo->neighbor_count));
    PEN_TRY(PEN_ALLOC_ZERO(&send->offsets, (int64_t)halo->neighbor_count + 1));
    PEN_TRY(pen_alloc(&send->data, halo->neighbor_count, sizeof mine));
    for (int i = 0; i < halo->neighbor_count; i++) {
        send->ranks[i] = halo->neighbors[i].rank;
        memcpy(send->data + (size_t)i * sizeof mine, &mine, sizeof mine);
        send->offsets[i + 1] = (int64_t)(i + 1) * (int64_t)sizeof mine;
    }
    send->count = halo->neighbor_count;
    return PEN_OK;
}

static pen_status meet_neighbors(pen_halo *halo, const pen_blocks *news)
{
    if (news->count != halo->neighbor_count) return pen_fail(PEN_ERR_INTERNAL, "a neighbour did not tell its layout");
    for (int i = 0; i < halo->neighbor_count; i++) {
        pen_neighbor *neighbor = &halo->neighbors[i];
        layout_news told;
        memcpy(&told, news->data + news->offsets[i], sizeof told);
        neighbor->capacity = (pen_lid)told.capacity;
        neighbor->shift = told.shift;
        neighbor->direct = pen_window_direct(&halo->store->window, neighbor->rank, neighbor->shift);
        if (halo->transport->shared && !neighbor->direct)
            return pen_fail(PEN_ERR_ENVIRONMENT, "MPI shares no memory with rank %d: use --comm=fence or --comm=blocking",
                            neighbor->rank);
    }
    return PEN_OK;
}

static pen_status plan_producers(pen_halo *halo)
{
    const pen_store *store = halo->store;
    PEN_TRY(PEN_ALLOC_ZERO(&halo->producers, store->producer_count));
    pen_lid first = store->owned;
    for (int i = 0, n = 0; i < store->producer_count; i++) {
        const pen_partner *partner = &store->producers[i];
        pen_producer *producer = &halo->producers[i];
        while (halo->neighbors[n].rank != partner->rank) n++;
        producer->neighbor = &halo->neighbors[n];
        producer->first = first;
        producer->count = partner->count;
        PEN_TRY(PEN_ALLOC(&producer->offsets, 2 * (int64_t)store->field_count));
        for (int f = 0; f < store->field_count; f++)
            for (int plane = 0; plane < 2; plane++)
                producer->offsets[2 * f + plane] = pen_store_offset(store, producer->neighbor->capacity, f, plane);
        PEN_TRY(build_runs(partner, first, producer));
        /* MPI's components do not check the range of a get: this is where it is checked. */
        if (partner->slots[partner->count - 1] >= producer->neighbor->capacity)
            return pen_fail(PEN_ERR_INTERNAL, "rank %d offers slot %" PRIlid " of %" PRIlid, partner->rank,
                            partner->slots[partner->count - 1], producer->neighbor->capacity);
        first += partner->count;
    }
    return PEN_OK;
}

static pen_status check_window(const pen_store *store, const pen_transport *transport)
{
    if (transport->shared && store->window.kind != PEN_WINDOW_SHARED)
        return pen_fail(PEN_ERR_ENVIRONMENT, "--comm=%s needs all ranks on one host with MPI shared memory: use --comm=fence "
                        "or --comm=blocking", transport->name);
    if (transport->one_sided && store->window.kind == PEN_WINDOW_NONE)
        return pen_fail(PEN_ERR_ENVIRONMENT, "--comm=%s needs an MPI window, and MPI offers none here: use --comm=blocking",
                        transport->name);
    return PEN_OK;
}

pen_status pen_halo_create(pen_store *store, const pen_transport *transport, pen_timers *timers, pen_halo **halo)
{
    PEN_TRY(check_window(store, transport));
    pen_halo *h;
    pen_blocks send = { 0 }, news = { 0 };
    pen_status status = PEN_ALLOC_ZERO(&h, 1);
    if (status == PEN_OK) {
        h->store = store;
        h->transport = transport;
        h->timers = timers;
        status = find_neighbors(h);
        if (status == PEN_OK) status = pack_news(h, &send);
    }
    status = pen_sparse_exchange(store->comm, status, &send, &news);
    pen_blocks_free(&send);
    if (status == PEN_OK) {
        status = meet_neighbors(h, &news);
        if (status == PEN_OK) status = plan_producers(h);
        status = pen_agree(store->comm, status);
        if (status == PEN_OK && transport->open) status = transport->open(h);
    }
    if (status != PEN_OK && h) h->transport = NULL; /* nothing to close */
    pen_blocks_free(&news);
    if (status != PEN_OK) {
        pen_halo_destroy(&h);
        return status;
    }
    *halo = h;
    return PEN_OK;
}

void pen_halo_destroy(pen_halo **halo)
{
    if (!halo || !*halo) return;
    pen_halo *h = *halo;
    if (h->transport && h->transport->close) h->transport->close(h);
    for (int i = 0; h->producers && i < h->store->producer_count; i++) {
        free(h->producers[i].runs);
        free(h->producers[i].offsets);
    }
    free(h->producers);
    free(h->neighbors);
    free(h);
    *halo = NULL;
}

const pen_transport *pen_transport_find(const char *name)
{
    const char *names[sizeof pen_transports / sizeof pen_transports[0]];
    int count = 0;
    for (; pen_transports[count]; count++) {
        names[count] = pen_transports[count]->name;
        if (strcmp(names[count], name) == 0) return pen_transports[count];
    }
    (void)pen_unknown_name("transport", name, names, count);
    return NULL;
}

void pen_transport_list(FILE *out)
{
    for (int i = 0; pen_transports[i]; i++)
        fprintf(out, "%-12s %-10s %s\n", pen_transports[i]->name, pen_transports[i]->one_sided ? "one-sided" : "two-sided",
                pen_transports[i]->summary);
}

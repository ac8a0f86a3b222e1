/* halo.c - builds the halo plan, and lends and takes over windows when the store changes. */
#include "halo/halo.h"
#include "base/memory.h"
#include "base/sparse.h"

#include <stdlib.h>

/* The data about its window that a rank sends to a neighbour. */
typedef struct layout_update {
    int64_t capacity, shift, export_shift;
    int64_t export_offset; /* offset of the block for the neighbour, if it wants one */
    int64_t swapped;
} layout_update;

/* ---- Neighbours ----------------------------------------------------------------------------- */

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

/* The rank in the host's communicator of a rank in the run's communicator, or MPI_UNDEFINED. */
static pen_status rank_on_host(const pen_comm *comm, int rank, int *host_rank)
{
    MPI_Group all, host;
    PEN_MPI(MPI_Comm_group(comm->mpi, &all));
    PEN_MPI(MPI_Comm_group(comm->host, &host));
    PEN_MPI(MPI_Group_translate_ranks(all, 1, &rank, host, host_rank));
    MPI_Group_free(&all);
    MPI_Group_free(&host);
    return PEN_OK;
}

static pen_status find_remote_neighbors(pen_halo *halo)
{
    for (int i = 0; i < halo->neighbor_count; i++) {
        int host_rank;
        PEN_TRY(rank_on_host(halo->store->comm, halo->neighbors[i].rank, &host_rank));
        halo->neighbors[i].remote = host_rank == MPI_UNDEFINED;
        pen_meeting *meeting = halo->store->comm->meeting;
        if (meeting && !halo->neighbors[i].remote) halo->neighbors[i].desk = &meeting->desks[host_rank];
    }
    return PEN_OK;
}

/* Collective. Send every neighbour a record, neighbour after neighbour in `mine`; receive theirs in the same order. */
static pen_status exchange_with_neighbors(pen_halo *halo, pen_status status, const void *mine, void *theirs,
                                          size_t size)
{
    pen_blocks send = { 0 }, received = { 0 };
    int count = halo ? halo->neighbor_count : 0;
    if (status == PEN_OK) status = PEN_ALLOC(&send.ranks, count);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&send.offsets, (int64_t)count + 1);
    if (status == PEN_OK) status = pen_alloc(&send.data, count, size);
    if (status == PEN_OK) {
        for (int i = 0; i < count; i++) {
            send.ranks[i] = halo->neighbors[i].rank;
            send.offsets[i + 1] = (int64_t)(i + 1) * (int64_t)size;
        }
        if (count) memcpy(send.data, mine, (size_t)count * size);
        send.count = count;
    }
    status = pen_sparse_exchange(halo->store->comm, status, &send, &received);
    if (status == PEN_OK && received.count != count) status = pen_fail(PEN_ERR_INTERNAL, "a neighbour sent nothing");
    if (status == PEN_OK && count) memcpy(theirs, received.data, (size_t)count * size);
    pen_blocks_free(&send);
    pen_blocks_free(&received);
    return status;
}

/* ---- Stretches, fetches and packing: this rank's side ----------------------------------------------- */

static pen_status build_stretches(const pen_partner *partner, pen_lid first, pen_producer *producer)
{
    int stretches = 0;
    for (pen_lid i = 0; i < partner->count; i++) stretches += i == 0 || partner->slots[i] != partner->slots[i - 1] + 1;
    PEN_TRY(PEN_ALLOC(&producer->stretches, stretches));
    for (pen_lid i = 0; i < partner->count; i++) {
        if (i == 0 || partner->slots[i] != partner->slots[i - 1] + 1)
            producer->stretches[producer->stretch_count++] = (pen_stretch){ partner->slots[i], first + i, 0 };
        producer->stretches[producer->stretch_count - 1].count++;
    }
    return PEN_OK;
}

/* The costs of fetching a record of all fields, with a get for each field. */
typedef struct pricing {
    double get, byte, copy; /* seconds per stretch, per byte, and per copied record */
    double record;          /* bytes of a record */
} pricing;

static pricing price(const pen_halo *halo, const pen_producer *producer)
{
    const pen_get_cost *cost = producer->neighbor->remote ? &halo->costs.remote : &halo->costs.local;
    int fields = halo->store->field_count;
    return (pricing){ cost->latency * fields, cost->per_byte, halo->costs.copy_record * fields,
                      (double)halo->export_record };
}

/* Join stretches where fetching the gap, and copying the records once more, is cheaper than another get. */
static pen_status build_fetches(pen_halo *halo, pen_producer *producer, double *seconds)
{
    pricing p = price(halo, producer);
    PEN_TRY(PEN_ALLOC_ZERO(&producer->fetches, producer->stretch_count));
    *seconds = 0.0;
    for (int r = 0; r < producer->stretch_count; r++) {
        const pen_stretch *stretch = &producer->stretches[r], *before = stretch - (r > 0);
        pen_fetch *fetch = &producer->fetches[producer->fetch_count - (r > 0)];
        double gap = r > 0 ? (double)(stretch->from - before->from - before->count) : 0.0;
        double joined = gap * p.record * p.byte +
                        (stretch->count + (fetch->stretch_count == 1 ? fetch->count : 0)) * p.copy;
        if (r > 0 && joined < p.get) {
            fetch->stretch_count++;
            fetch->count = stretch->from + stretch->count - producer->stretches[fetch->first_stretch].from;
            *seconds += joined;
        } else {
            producer->fetches[producer->fetch_count++] = (pen_fetch){ r, 1, stretch->count, 0 };
            *seconds += p.get;
        }
        *seconds += stretch->count * p.record * p.byte;
    }
    return PEN_OK;
}

/* Between hosts, a transport that loads can only read export areas. */
static bool better_packed(const pen_halo *halo, const pen_producer *producer, double by_stretches)
{
    if (halo->transport->by_load) return producer->neighbor->remote;
    pricing p = price(halo, producer);
    return p.get + producer->count * (p.record * p.byte + p.copy) < by_stretches;
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
        first += partner->count;
        double by_stretches;
        PEN_TRY(build_stretches(partner, producer->first, producer));
        PEN_TRY(build_fetches(halo, producer, &by_stretches));
        producer->packed = halo->transport->one_sided && better_packed(halo, producer, by_stretches);
        if (producer->packed) continue;
        for (int j = 0; j < producer->fetch_count; j++) {
            if (producer->fetches[j].stretch_count == 1) continue;
            producer->fetches[j].scratch = halo->scratch_slots;
            halo->scratch_slots += producer->fetches[j].count;
        }
    }
    return pen_alloc(&halo->scratch, halo->scratch_slots, (size_t)halo->export_record);
}

static pen_status create_local(pen_halo *halo)
{
    const pen_store *store = halo->store;
    PEN_TRY(PEN_ALLOC(&halo->export_field, store->field_count));
    for (int f = 0; f < store->field_count; f++) {
        halo->export_field[f] = halo->export_record;
        halo->export_record += (int64_t)store->sizes[f];
    }
    PEN_TRY(pen_alloc_zero(&halo->state, (int64_t)halo->transport->state_size, 1));
    PEN_TRY(find_neighbors(halo));
    PEN_TRY(find_remote_neighbors(halo));
    return plan_producers(halo);
}

/* ---- Agreeing with the neighbours -------------------------------------------------------------- */

static int64_t padded(int64_t bytes) { return (bytes + PEN_CACHE_LINE - 1) / PEN_CACHE_LINE * PEN_CACHE_LINE; }

/* Collective. Learn which consumers want packed blocks, and lay out these blocks; *bytes is their size. */
static pen_status place_exports(pen_halo *halo, int64_t *bytes)
{
    const pen_store *store = halo->store;
    int64_t at = 0;
    bool *wish = NULL, *wished = NULL;
    pen_status status = PEN_ALLOC_ZERO(&wish, halo->neighbor_count);
    if (status == PEN_OK) status = PEN_ALLOC(&wished, halo->neighbor_count);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&halo->consumers, store->consumer_count);
    for (int i = 0; status == PEN_OK && i < store->producer_count; i++)
        wish[halo->producers[i].neighbor - halo->neighbors] = halo->producers[i].packed;
    status = exchange_with_neighbors(halo, status, wish, wished, sizeof *wish);
    for (int i = 0, n = 0; status == PEN_OK && i < store->consumer_count; i++) {
        while (halo->neighbors[n].rank != store->consumers[i].rank) n++;
        if (!wished[n]) continue;
        halo->consumers[i] = (pen_consumer){ true, at };
        at = padded(at + 2 * (int64_t)store->consumers[i].count * halo->export_record);
    }
    *bytes = at;
    PEN_FREE_ALL(wish, wished);
    return status;
}

/* Collective. Exchange the addresses. */
static pen_status exchange_layouts(pen_halo *halo)
{
    const pen_store *store = halo->store;
    layout_update *mine = NULL, *theirs = NULL;
    pen_status status = PEN_ALLOC(&mine, halo->neighbor_count);
    if (status == PEN_OK) status = PEN_ALLOC(&theirs, halo->neighbor_count);
    bool apart = halo->exports.mpi != MPI_WIN_NULL;
    for (int i = 0, c = 0; status == PEN_OK && i < halo->neighbor_count; i++) {
        mine[i] = (layout_update){ store->capacity, store->window.shift,
                                   apart ? halo->exports.shift : store->window.shift, 0, store->swapped };
        while (c < store->consumer_count && store->consumers[c].rank < halo->neighbors[i].rank) c++;
        if (c < store->consumer_count && store->consumers[c].rank == halo->neighbors[i].rank)
            mine[i].export_offset = halo->consumers[c].export_offset;
    }
    status = exchange_with_neighbors(halo, status, mine, theirs, sizeof *mine);
    for (int i = 0, p = 0; status == PEN_OK && i < halo->neighbor_count; i++) {
        halo->neighbors[i].capacity = (pen_lid)theirs[i].capacity;
        halo->neighbors[i].shift = theirs[i].shift;
        halo->neighbors[i].export_shift = theirs[i].export_shift;
        halo->neighbors[i].swapped = theirs[i].swapped;
        while (p < store->producer_count && store->producers[p].rank < halo->neighbors[i].rank) p++;
        if (p < store->producer_count && store->producers[p].rank == halo->neighbors[i].rank)
            halo->producers[p].export_offset = theirs[i].export_offset;
    }
    PEN_FREE_ALL(mine, theirs);
    return status;
}

/* Store the layouts of the neighbours, and check the range of each get, which MPI's components do not check. */
static pen_status settle_producers(pen_halo *halo)
{
    const pen_store *store = halo->store;
    for (int i = 0; i < store->producer_count; i++) {
        pen_producer *producer = &halo->producers[i];
        const pen_neighbor *its = producer->neighbor;
        pen_lid last = store->producers[i].slots[producer->count - 1];
        if (last >= its->capacity)
            return pen_fail(PEN_ERR_INTERNAL, "rank %d offers slot %" PRIlid " of %" PRIlid, its->rank, last,
                            its->capacity);
        PEN_TRY(PEN_ALLOC(&producer->offsets, 2 * (int64_t)store->field_count));
        for (int f = 0; f < store->field_count; f++)
            for (int plane = 0; plane < 2; plane++)
                producer->offsets[2 * f + plane] = pen_store_offset(store, its->capacity, its->swapped, f, plane);
    }
    return PEN_OK;
}

/* Find the addresses of the memory of the neighbours on this host. */
static pen_status find_memory(pen_halo *halo)
{
    const pen_store *store = halo->store;
    for (int i = 0; i < halo->neighbor_count; i++) {
        pen_neighbor *neighbor = &halo->neighbors[i];
        int rank = neighbor->rank;
        if (neighbor->remote) continue;
        if (store->window.kind == PEN_WINDOW_HOSTS) PEN_TRY(rank_on_host(store->comm, neighbor->rank, &rank));
        PEN_TRY(pen_window_direct(&store->window, rank, neighbor->shift, &neighbor->direct));
    }
    return PEN_OK;
}

/* The part by which replacements of windows are larger than necessary now. */
static int64_t with_slack(int64_t value) { return value + value / 8 + 64; }

/* How the old windows fit a new store. */
typedef enum fit { FITS, REPLACE, TOO_SMALL } fit;

/* Collective. Find whether planes and exports fit into the old windows on all ranks. A window should be replaced if
 * most of it is unused, or if its fences wait in the wrong way. */
static pen_status find_fit(const pen_halo *halo, int64_t export_bytes, fit *all)
{
    enum { TIMES = 8, LITTLE = 1 << 12 };
    const pen_store *store = halo->store, *before = halo->lender->store;
    int64_t planes = padded(pen_store_window_bytes(store)), had = padded(pen_store_window_bytes(before));
    bool apart = before->window.kind == PEN_WINDOW_HOSTS;
    int64_t room = apart ? halo->lender->exports.bytes : before->window.bytes - had, most;
    const bool other_fences = before->window.sleeping_fences != store->comm->sleeping_fences;
    fit mine = other_fences || had > TIMES * planes + LITTLE ? REPLACE : FITS;
    if (store->capacity > before->capacity || export_bytes > room) mine = TOO_SMALL;
    PEN_TRY(pen_max_int(store->comm, mine, &most));
    *all = (fit)most;
    return PEN_OK;
}

/* Collective. Make the store's window, with room for the exports after the planes, or a second window for them. */
static pen_status make_windows(pen_halo *halo, pen_window_kind kind, int64_t export_bytes)
{
    pen_store *store = halo->store;
    const bool apart = kind == PEN_WINDOW_HOSTS;
    const int64_t planes = padded(pen_store_window_bytes(store));
    pen_status status = pen_store_open(store, kind, apart ? planes : planes + export_bytes);
    if (status == PEN_OK && apart)
        status = pen_window_create(store->comm, PEN_WINDOW_ALLOCATED, export_bytes, &halo->exports);
    if (status == PEN_OK) halo->lender = NULL;
    else pen_window_destroy(&store->window);
    return status;
}

/* Collective. Take over the old windows, or replace them. If they fit but should be replaced, a failure keeps them. */
static pen_status take_windows(pen_halo *halo, int64_t export_bytes)
{
    pen_store *store = halo->store;
    const pen_halo *old = halo->lender;
    fit found;
    PEN_TRY(find_fit(halo, export_bytes, &found));
    if (found != FITS) {
        pen_status status = pen_to_lid(with_slack(store->capacity), "nodes and shadows", &store->capacity);
        status = pen_agree(store->comm, status);
        if (status == PEN_OK) status = make_windows(halo, old->store->window.kind, with_slack(export_bytes));
        if (status == PEN_ERR_ENVIRONMENT && found == TOO_SMALL)
            return pen_fail(status, "the window cannot grow: %s", pen_error_message());
        if (status == PEN_OK || found == TOO_SMALL) return status;
    }
    store->capacity = old->store->capacity;
    pen_store_borrow(store, &old->store->window);
    halo->exports = old->exports;
    return PEN_OK;
}

/* Collective. With an old halo, `kind` is its kind. */
static pen_status open_windows(pen_halo *halo, pen_window_kind kind)
{
    pen_store *store = halo->store;
    const bool apart = kind == PEN_WINDOW_HOSTS;
    int64_t export_bytes;
    PEN_TRY(place_exports(halo, &export_bytes));
    PEN_TRY(halo->lender ? take_windows(halo, export_bytes) : make_windows(halo, kind, export_bytes));
    const int64_t planes = padded(pen_store_window_bytes(store));
    if (!apart)
        for (int i = 0; i < store->consumer_count; i++) halo->consumers[i].export_offset += planes;
    const pen_window *window = apart ? &halo->exports : &store->window;
    halo->late = kind == PEN_WINDOW_SHARED;
    halo->export_window = window->mpi;
    halo->export_base = pen_window_payload(window);
    PEN_TRY(exchange_layouts(halo));
    pen_status status = settle_producers(halo);
    if (status == PEN_OK && halo->transport->by_load) status = find_memory(halo);
    return pen_agree(store->comm, status);
}

int64_t pen_halo_window_bytes(const pen_store *store, bool by_load)
{
    int64_t record = 0, bytes = padded(pen_store_window_bytes(store));
    if (by_load) return bytes; /* exports have a window of their own */
    for (int f = 0; f < store->field_count; f++) record += (int64_t)store->sizes[f];
    for (int i = 0; i < store->consumer_count; i++) bytes += padded(2 * (int64_t)store->consumers[i].count * record);
    return bytes;
}

int64_t pen_halo_buffer_bytes(const pen_halo *halo)
{
    int64_t records = halo->scratch_slots + halo->message_slots;
    for (int i = 0; i < halo->store->consumer_count; i++)
        if (halo->consumers[i].packed) records += 2 * (int64_t)halo->store->consumers[i].count;
    return records * halo->export_record;
}

/* Collective. Fences that poll are fast on an idle host, and fences that sleep on a crowded one. */
static pen_status choose_fences(pen_comm *comm, const pen_transport *transport)
{
    pen_meeting *meeting = transport->fences && comm->oversubscribed ? pen_meeting_of(comm) : NULL;
    int64_t crowded;
    if (!meeting) return PEN_OK;
    PEN_TRY(pen_max_int(comm, pen_patience_is_crowded(&meeting->patience), &crowded));
    comm->sleeping_fences = crowded != 0;
    return PEN_OK;
}

/* Collective. */
static pen_status create(pen_halo *old, pen_store *store, const pen_transport *transport, pen_window_kind kind,
                         const pen_costs *costs, pen_timers *timers, pen_halo **halo)
{
    pen_halo *h;
    pen_status status = PEN_ALLOC_ZERO(&h, 1);
    if (status == PEN_OK) {
        *h = (pen_halo){ .store = store,
                         .transport = transport,
                         .timers = timers,
                         .costs = *costs,
                         .lender = old,
                         .exports.mpi = MPI_WIN_NULL };
        status = create_local(h);
    }
    status = pen_agree(store->comm, status);
    if (status == PEN_OK && !old) status = choose_fences(store->comm, transport);
    if (status == PEN_OK) status = open_windows(h, kind);
    if (status == PEN_OK && transport->open) status = transport->open(h);
    if (status != PEN_OK) {
        if (h) h->transport = NULL; /* the transport is not open, so there is nothing to close */
        pen_halo_destroy(&h);
        return status;
    }
    *halo = h;
    return PEN_OK;
}

pen_status pen_halo_create(pen_store *store, const pen_transport *transport, pen_window_kind kind,
                           const pen_costs *costs, pen_timers *timers, pen_halo **halo)
{
    return create(NULL, store, transport, kind, costs, timers, halo);
}

pen_status pen_halo_build(pen_halo *old, pen_store *store, pen_halo **halo)
{
    PEN_TRY(create(old, store, old->transport, old->store->window.kind, &old->costs, old->timers, halo));
    (*halo)->gets = old->gets;
    (*halo)->syncs = old->syncs;
    (*halo)->bytes = old->bytes;
    (*halo)->far_gets = old->far_gets;
    (*halo)->far_bytes = old->far_bytes;
    return PEN_OK;
}

void pen_halo_swap(pen_halo **halo, pen_halo **successor)
{
    pen_halo *old = *halo, *new = *successor;
    if (new->lender) old->lender = new;
    new->lender = NULL;
    *halo = new;
    *successor = old;
}

/* Collective. Give the store a new window, and make the halo for it. */
static pen_status renew(pen_halo **halo)
{
    pen_halo *old = *halo, *new = NULL;
    pen_store *store = old->store, before = *store;
    old->store = &before;
    store->capacity = store->owned + store->shadows;
    const pen_status status = pen_halo_build(old, store, &new);
    if (status != PEN_OK) {
        store->capacity = before.capacity;
        pen_store_borrow(store, &before.window);
        old->store = store;
        return status;
    }
    for (int f = 0; f < store->field_count && !new->lender; f++)
        for (int plane = 0; plane < 2; plane++)
            memcpy(pen_window_payload(&store->window) + store->offsets[2 * f + plane],
                   pen_window_payload(&before.window) +
                       pen_store_offset(&before, before.capacity, before.swapped, f, plane),
                   (size_t)(store->owned + store->shadows) * store->sizes[f]);
    pen_halo_swap(halo, &new);
    pen_halo_destroy(&new);
    return PEN_OK;
}

pen_status pen_halo_follow_crowd(pen_halo **halo, int64_t step, bool *renewed)
{
    enum { EVERY = 32 };
    const pen_store *store = (*halo)->store;
    *renewed = false;
    if ((step & (step - 1)) && step % EVERY) return PEN_OK;
    PEN_TRY(choose_fences(store->comm, (*halo)->transport));
    if (store->comm->sleeping_fences == store->window.sleeping_fences) return PEN_OK;
    const pen_status status = renew(halo);
    *renewed = status == PEN_OK;
    return status == PEN_ERR_MPI ? status : PEN_OK;
}

static void free_producers(pen_halo *halo)
{
    for (int i = 0; i < halo->store->producer_count; i++)
        PEN_FREE_ALL(halo->producers[i].stretches, halo->producers[i].fetches, halo->producers[i].offsets);
    free(halo->producers);
}

void pen_halo_destroy(pen_halo **halo)
{
    if (!halo || !*halo) return;
    pen_halo *h = *halo;
    if (h->transport && h->transport->close) h->transport->close(h);
    if (h->lender) {
        pen_store_borrow(h->store, NULL);
    } else {
        pen_window_destroy(&h->exports);
        pen_window_destroy(&h->store->window);
    }
    if (h->producers) free_producers(h);
    PEN_FREE_ALL(h->consumers, h->neighbors, h->export_field, h->scratch, h->state, h);
    *halo = NULL;
}

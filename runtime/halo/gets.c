/* gets.c - packs for consumers, and issues the gets of the plan, for the one-sided transports. */
#include "halo/gets.h"

pen_status pen_gets_lock(pen_halo *halo, pen_status mine, MPI_Win window)
{
    bool locked = false;
    if (mine == PEN_OK && !halo->lender) {
        const int code = MPI_Win_lock_all(0, window);
        locked = code == MPI_SUCCESS;
        if (!locked) mine = pen_fail_mpi(code, "MPI_Win_lock_all");
    }
    const pen_status status = pen_agree(halo->store->comm, mine);
    if (status != PEN_OK && locked) PEN_STEP_MPI(MPI_Win_unlock_all(window));
    return status;
}

void pen_exports_pack(pen_halo *halo, uint64_t pull)
{
    const pen_store *store = halo->store;
    uint64_t start = pen_ticks();
    bool any = false;
    for (int i = 0; i < store->consumer_count; i++) {
        if (!halo->consumers[i].packed) continue;
        const pen_partner *consumer = &store->consumers[i];
        any = true;
        unsigned char *block = halo->export_base + halo->consumers[i].export_offset +
                               (int64_t)(halo->published & 1) * consumer->count * halo->export_record;
        for (int f = 0; f < store->field_count; f++) {
            if (!(pull >> f & 1)) continue;
            size_t size = store->sizes[f];
            const unsigned char *plane = pen_halo_next(halo, f, 0);
            unsigned char *to = block + consumer->count * halo->export_field[f];
            for (pen_lid j = 0; j < consumer->count; j++, to += size)
                memcpy(to, plane + (size_t)consumer->slots[j] * size, size);
        }
    }
    if (any) halo->timers->ticks[PEN_TIME_COMMUNICATION_OVERHEAD] += pen_ticks() - start;
}

/* The largest number of bytes of a get: an MPI count is an int, and a stretch of large records may have more bytes. */
enum { LONGEST = 1 << 30 };

void pen_get(int rank, MPI_Win window, int64_t displacement, unsigned char *to, int64_t size)
{
    for (int64_t done = 0; done < size; done += LONGEST) {
        int bytes = size - done < LONGEST ? (int)(size - done) : LONGEST;
        PEN_STEP_MPI(
            MPI_Get(to + done, bytes, MPI_BYTE, rank, (MPI_Aint)(displacement + done), bytes, MPI_BYTE, window));
    }
}

static void get(pen_halo *halo, int rank, MPI_Win window, int64_t displacement, unsigned char *to, int64_t size)
{
    pen_get(rank, window, displacement, to, size);
    halo->gets += (size + LONGEST - 1) / LONGEST;
    halo->bytes += size;
}

/* The scratch memory for the records of a field in a fetch of several stretches. */
static unsigned char *scratch_of(const pen_halo *halo, int field, const pen_fetch *fetch)
{
    return halo->scratch + halo->scratch_slots * halo->export_field[field] +
           fetch->scratch * (int64_t)halo->store->sizes[field];
}

static void get_field(pen_halo *halo, const pen_producer *producer, int field)
{
    const pen_store *store = halo->store;
    const pen_neighbor *neighbor = producer->neighbor;
    int64_t size = (int64_t)store->sizes[field];
    if (producer->packed) {
        int64_t offset = producer->export_offset + producer->count * halo->export_field[field] +
                         (int64_t)(halo->published & 1) * producer->count * halo->export_record;
        get(halo, neighbor->rank, halo->export_window, neighbor->export_shift + offset,
            pen_halo_next(halo, field, producer->first), producer->count * size);
        return;
    }
    for (int i = 0; i < producer->fetch_count; i++) {
        const pen_fetch *fetch = &producer->fetches[i];
        const pen_stretch *stretch = &producer->stretches[fetch->first_stretch];
        get(halo, neighbor->rank, store->window.mpi,
            neighbor->shift + pen_halo_next_offset(halo, producer, field, stretch->from),
            fetch->stretch_count == 1 ? pen_halo_next(halo, field, stretch->to) : scratch_of(halo, field, fetch),
            fetch->count * size);
    }
}

void pen_gets_start(pen_halo *halo, uint64_t pull, bool remote_only)
{
    for (int i = 0; i < halo->store->producer_count; i++) {
        const pen_producer *producer = &halo->producers[i];
        if (remote_only && !producer->neighbor->remote) continue;
        for (int f = 0; f < halo->store->field_count; f++)
            if (pull >> f & 1) get_field(halo, producer, f);
    }
}

static void scatter(const pen_halo *halo, const pen_producer *producer, const pen_fetch *fetch, int field)
{
    size_t size = halo->store->sizes[field];
    const unsigned char *from = scratch_of(halo, field, fetch);
    pen_lid first = producer->stretches[fetch->first_stretch].from;
    for (int r = fetch->first_stretch; r < fetch->first_stretch + fetch->stretch_count; r++) {
        const pen_stretch *stretch = &producer->stretches[r];
        unsigned char *to = pen_halo_next(halo, field, stretch->to);
        memcpy(to, from + (size_t)(stretch->from - first) * size, (size_t)stretch->count * size);
    }
}

void pen_gets_finish(pen_halo *halo, uint64_t pull)
{
    if (halo->scratch_slots == 0) return;
    for (int i = 0; i < halo->store->producer_count; i++) {
        const pen_producer *producer = &halo->producers[i];
        if (producer->packed) continue;
        for (int j = 0; j < producer->fetch_count; j++) {
            const pen_fetch *fetch = &producer->fetches[j];
            if (fetch->stretch_count == 1) continue;
            for (int f = 0; f < halo->store->field_count; f++)
                if (pull >> f & 1) scatter(halo, producer, fetch, f);
        }
    }
}

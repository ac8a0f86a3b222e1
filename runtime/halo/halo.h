/* halo.h - the halo plan: what is pulled from which rank and where it is stored. A transport carries the plan out.
 *
 * A transport moves the boundary records of some fields from their owners' next planes to the shadow slots of the
 * consumers' next planes. Once per publishing phase the sweep calls on every rank:
 *
 *     compute boundary nodes; begin(); compute interior nodes; end();
 *
 * begin publishes this rank's boundary records and starts the pulls of the fields in `pull`. These are a subset of the
 * written fields. The set is empty if no rank will read this version; the ranks synchronise all the same, for the
 * reason below. end returns when the pulled records are in place. A transport without `overlaps` gets both calls after
 * the interior nodes.
 *
 * In shared memory a get is a copy made by the caller, and an early start gains nothing. But if a rank waited for its
 * neighbours' boundary nodes before it computes its interior ones, a step would take as long as the slowest boundary
 * plus the slowest interior of any two ranks. So there (`late`) begin publishes, and end acquires and copies.
 *
 * Why one synchronisation suffices for two planes. A rank's PUBLISH number s happens after the rank has used everything
 * that it pulled before. ACQUIRE waits for PUBLISH s of all producers and consumers. Take a field that is written in
 * phases s' < s < s'', in alternating planes. Phase s'' overwrites what consumers pulled in s'. They have published s
 * since, and this rank has waited for that. Hence every phase publishes and acquires if it writes a field that is ever
 * read from neighbours.
 *
 * One-sided transports get a producer's records stretch by stretch from its planes. If stretches are so short that
 * packing is cheaper (costs.h), the producer copies them into an export area behind its planes, and one get per field
 * fetches them. The export area alternates between two halves, like the planes. */
#pragma once

#include "halo/costs.h"
#include "observe/timers.h"
#include "store/store.h"

/* A neighbour, and its window. */
typedef struct pen_neighbor {
    int rank;
    bool remote;      /* the neighbour is on another host */
    pen_desk *desk;   /* the desk where it posts its progress; NULL: it is remote, or hosts have no meeting */
    pen_lid capacity; /* capacity of its store, which determines the offsets of its planes */
    bool swapped;     /* its two planes are exchanged, which also determines these offsets */
    int64_t shift, export_shift; /* shift of its window, and of the window with its export area */
    unsigned char *direct;       /* address of its payload if memory is shared, else NULL */
} pen_neighbor;

/* Consecutive slots of a producer that land in consecutive shadows. */
typedef struct pen_stretch {
    pen_lid from; /* first slot at the producer */
    pen_lid to;   /* first shadow slot here */
    pen_lid count;
} pen_stretch;

/* What one get fetches: one stretch straight into the shadows, or several with the gaps between them into scratch
 * memory, from where they are scattered. Gaps are boundary slots of the producer. The producer does not write them
 * during the pull. */
typedef struct pen_fetch {
    int first_stretch, stretch_count;
    pen_lid count;   /* number of slots, including gaps */
    int64_t scratch; /* several stretches: offset in the scratch memory, in slots */
} pen_fetch;

typedef struct pen_producer {
    const pen_neighbor *neighbor;
    pen_lid first, count;   /* first slot and number of its shadows here */
    pen_stretch *stretches; /* [stretch_count] stretches of its shadows */
    pen_fetch *fetches;     /* [fetch_count] fetches of these stretches */
    int stretch_count, fetch_count;
    int64_t *offsets;      /* [2*fields] offsets of its planes in its payload: field f, plane p at 2*f+p */
    bool packed;           /* its records are pulled from its export area */
    int64_t export_offset; /* offset of this rank's block in that area */
} pen_producer;

/* A rank that pulls from this one. The store has its slots. */
typedef struct pen_consumer {
    bool packed;
    int64_t export_offset; /* offset of its block in the export area */
} pen_consumer;

typedef struct pen_halo pen_halo;

typedef struct pen_transport {
    const char *name, *summary;
    bool one_sided;    /* the transport needs a window */
    bool by_load;      /* the transport loads from shared memory; only between hosts it gets, from export areas */
    bool fences;       /* each pull waits in MPI's fences */
    bool overlaps;     /* the order is boundary, begin, interior, end; else all nodes, begin, end */
    size_t state_size; /* bytes of halo->state, which are zero before open and freed after close */
    /* Collective. Prepare halo->state; NULL: nothing to do. */
    pen_status (*open)(pen_halo *halo);
    /* Collective over neighbours or over all, as the transport has it; failures end the program. */
    void (*begin)(pen_halo *halo, uint64_t pull);
    void (*end)(pen_halo *halo, uint64_t pull);
    bool locks; /* an epoch of MPI_Win_lock_all lasts as long as a window */
    /* Reads between phases, from the window of the planes or another one: far_order, an agreement of all ranks,
     * far_order, far_begin, gets or loads, far_end. Local: order what this rank stores and loads around the agreement;
     * NULL: nothing to do. */
    void (*far_order)(pen_halo *halo, MPI_Win window);
    /* Collective. Make the windows of all ranks readable; NULL: they are. */
    void (*far_begin)(pen_halo *halo, MPI_Win window);
    /* Collective. Complete the reads of all ranks; NULL: there is no window to read from. */
    void (*far_end)(pen_halo *halo, MPI_Win window);
    /* Collective. Release what halo->state has; NULL: nothing to do. */
    void (*close)(pen_halo *halo);
} pen_transport;

struct pen_halo {
    pen_store *store;
    const pen_transport *transport;
    void *state;                     /* state of the transport */
    struct pen_two_sided *two_sided; /* state that the two-sided transports share, else NULL */
    pen_timers *timers;              /* timers; packing counts as communication overhead */
    pen_costs costs;                 /* costs of gets; zero if they were not measured */
    pen_neighbor *neighbors;         /* [neighbor_count] producers and consumers, ascending */
    int neighbor_count;
    pen_producer *producers;    /* [store->producer_count] producers */
    pen_consumer *consumers;    /* [store->consumer_count] consumers */
    pen_window exports;         /* window of the export areas if the planes are shared within hosts only */
    MPI_Win export_window;      /* the window with the export areas */
    unsigned char *export_base; /* payload of that window on this rank */
    /* [fields] offset of each field in a block, per record: the sum of the sizes of the fields before */
    int64_t *export_field;
    int64_t export_record; /* sum of the sizes of all fields */
    /* [scratch_slots] records of the largest field; a fetch of several stretches uses them field by field */
    unsigned char *scratch;
    int64_t scratch_slots;
    int64_t message_slots; /* number of records that a two-sided transport copies to send them */
    bool late;             /* gets are copies made by the caller, so end acquires; equal on all ranks */
    uint64_t published;    /* number of publications so far; its parity chooses the half of the export area */
    pen_halo *lender;      /* halo that owns the windows of this halo, and their epochs; NULL: this halo owns them */
    int64_t gets, syncs, bytes;  /* number of gets and synchronisations, and bytes, of this rank so far */
    int64_t far_gets, far_bytes; /* the same for far reads; a two-sided transport counts messages as gets */
};

/* Collective. Plan the pulls for a store, open its window of the given kind, and make the transport
 * ready. `costs`: of gets in such a window, zero where gets are cheap and nothing is packed or joined.
 * Errors: PEN_ERR_MEMORY, PEN_ERR_MPI, PEN_ERR_ENVIRONMENT; the store then has no window. */
PEN_CHECKED pen_status pen_halo_create(pen_store *store, const pen_transport *transport, pen_window_kind kind,
                                       const pen_costs *costs, pen_timers *timers, pen_halo **halo);

/* Replacing the halo of a store that migration has made takes three calls, of which only the first can fail:
 *
 *                build(old, store, &new)      swap(&old, &new)      destroy(&new)
 *     old    owns       |              owns          |        uses          |     gone
 *     new               |              uses          |        owns          |     owns
 *
 * Exactly one of the two owns the windows and ends their epochs. If the windows do not fit the new store, build makes
 * others: then each halo owns its windows. If some rank fails, destroy(&new) without swap leaves the old halo as it
 * was. */

/* Collective. The halo of `store` with the transport of `old`, in the windows of `old`. It makes other windows if on
 * some rank the store does not fit, or fills only an eighth. Errors as pen_halo_create; also PEN_ERR_ENVIRONMENT if
 * there is no room for larger windows. */
PEN_CHECKED pen_status pen_halo_build(pen_halo *old, pen_store *store, pen_halo **halo);

/* Collective, between steps, of which so many are done. Those who wait in Open MPI's fences either poll, which is fast
 * on an idle host, or sleep, which is fast next to other programs (event.h). A window's creation decides. So where a
 * transport uses fences, the store gets another window when the host has become crowded, or has ceased to be; it is
 * looked at in steps 1, 2, 4, ... and in every 32nd. If there is no memory or room for another window, the old one
 * stays. *renewed: pointers into the window have changed. PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_halo_follow_crowd(pen_halo **halo, int64_t step, bool *renewed);

/* Local. Exchanges the two handles. The halo that *successor was owns the windows now, if both use the same. */
void pen_halo_swap(pen_halo **halo, pen_halo **successor);

/* Collective. Closes the windows and the store's, unless another halo owns them. Nulls *halo; NULL and a null handle
 * are legal. */
void pen_halo_destroy(pen_halo **halo);

/* Local. Bytes that the window will have at most on this rank, with a transport that loads, or with another one. */
int64_t pen_halo_window_bytes(const pen_store *store, bool by_load);

/* Local. Bytes that the transport needs on this rank in addition to the planes: exports, scratch memory, packed
 * copies. */
int64_t pen_halo_buffer_bytes(const pen_halo *halo);

/* Local. The place of a record in the next plane of a field, here or at a producer. */
static inline unsigned char *pen_halo_next(const pen_halo *halo, int field, pen_lid slot)
{
    return pen_store_plane(halo->store, field, 1) + (size_t)slot * halo->store->sizes[field];
}
static inline int64_t pen_halo_next_offset(const pen_halo *halo, const pen_producer *producer, int field, pen_lid slot)
{
    return producer->offsets[2 * field + (halo->store->plane[field] ^ 1)] +
           (int64_t)slot * (int64_t)halo->store->sizes[field];
}

/* Inside begin and end a rank cannot report a failure to the others: an MPI error ends the program. */
#define PEN_STEP_MPI(call)                                 \
    do {                                                   \
        int step_code_ = PEN_MARKED(call);                 \
        if (step_code_ != MPI_SUCCESS) {                   \
            (void)pen_fail_mpi(step_code_, #call);         \
            pen_die("in a step: %s", pen_error_message()); \
        }                                                  \
    } while (0)

/* The same for collective functions of our own. */
#define PEN_STEP(call)                                                       \
    do {                                                                     \
        if ((call) != PEN_OK) pen_die("in a step: %s", pen_error_message()); \
    } while (0)

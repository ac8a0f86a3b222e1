/* halo.h - the halo plan: what is pulled from whom and where it lands; and the table of transports
 * that carry it out.
 *
 * A transport moves the boundary records of some fields from their owners' next planes to the shadow
 * slots of the consumers' next planes. The loop calls, once per publishing phase and on every rank:
 *
 *     compute boundary nodes; begin(); compute interior nodes; end();
 *
 * begin publishes this rank's boundary records and starts the pulls of the fields in `pull` (a subset
 * of what was written; empty where nobody will read this version, but the synchronisation happens all
 * the same: see below); end returns when the pulled records are in place. A transport whose
 * `overlaps` is false gets both calls after the interior nodes.
 *
 * Why two planes need one synchronisation only. A rank's PUBLISH number s happens after it has used
 * everything that it pulled before; ACQUIRE waits for PUBLISH s of all producers and consumers. A field
 * written in phases s' < s < s'' alternates planes, so what is overwritten in s'' was pulled in s' by
 * consumers that have published s since, and this rank has waited for that. Hence every phase that
 * writes a field that anybody ever reads from neighbours publishes and acquires. */
#ifndef PEN_HALO_H
#define PEN_HALO_H

#include "store.h"
#include "timers.h"

/* Consecutive slots, fetched at once. */
typedef struct pen_pull_run {
    pen_lid from;    /* first slot at the producer */
    pen_lid to;      /* first shadow slot here */
    pen_lid count;
} pen_pull_run;

/* What this rank knows of another's window. */
typedef struct pen_neighbor {
    int rank;
    pen_lid capacity;             /* gives the offsets of its planes */
    int64_t shift;
    unsigned char *direct;        /* its payload where memory is shared, else NULL */
} pen_neighbor;

typedef struct pen_producer {
    const pen_neighbor *neighbor;
    pen_lid first, count;         /* its shadows here */
    pen_pull_run *runs;           /* [run_count] */
    int run_count;
    int64_t *offsets;             /* [2*fields] of its planes in its payload: field f, plane p at 2*f+p */
} pen_producer;

typedef struct pen_halo pen_halo;

typedef struct pen_transport {
    const char *name, *summary;
    bool one_sided;   /* needs a window */
    bool shared;      /* needs a window in shared memory */
    bool overlaps;    /* boundary, begin, interior, end; else everything before begin */
    /* Collective. Prepare halo->state; NULL: nothing to do. */
    pen_status (*open)(pen_halo *halo);
    /* Collective over neighbours or over all, as the transport has it; failures end the program. */
    void (*begin)(pen_halo *halo, uint64_t pull);
    void (*end)(pen_halo *halo, uint64_t pull);
    /* Collective. Release halo->state; NULL: nothing to do. */
    void (*close)(pen_halo *halo);
} pen_transport;

struct pen_halo {
    pen_store *store;
    const pen_transport *transport;
    void *state;                 /* the transport's own */
    struct pen_two_sided *two_sided; /* what the two-sided transports share, else NULL */
    pen_timers *timers;          /* packing goes to communication overhead */
    pen_producer *producers;     /* [store->producer_count] */
    pen_neighbor *neighbors;     /* [neighbor_count] producers and consumers, ascending */
    int neighbor_count;
    int64_t gets, syncs, bytes;  /* what this rank did so far */
};

/* Local. All transports, NULL-terminated; and the one of that name, or NULL after PEN_ERR_INPUT's
 * message has been recorded (known names, nearest). */
extern const pen_transport *const pen_transports[];
const pen_transport *pen_transport_find(const char *name);

/* Local. Print the table of --list-comm. */
void pen_transport_list(FILE *out);

/* Collective. The plan for an open store, and the transport ready to run.
 * Errors: PEN_ERR_ENVIRONMENT where the transport needs another kind of window than the store has. */
PEN_CHECKED pen_status pen_halo_create(pen_store *store, const pen_transport *transport, pen_timers *timers,
                                       pen_halo **halo);

/* Collective, before the store's window goes. Nulls *halo; NULL and a null handle are legal. */
void pen_halo_destroy(pen_halo **halo);

/* Local. Where a record lies: the next plane of a field, here or at a producer. */
static inline unsigned char *pen_halo_next(const pen_halo *halo, int field, pen_lid slot)
{
    return pen_store_plane(halo->store, field, 1) + (size_t)slot * halo->store->sizes[field];
}
static inline int64_t pen_halo_next_offset(const pen_halo *halo, const pen_producer *producer, int field, pen_lid slot)
{
    return producer->offsets[2 * field + (halo->store->plane[field] ^ 1)] +
           (int64_t)slot * (int64_t)halo->store->sizes[field];
}

/* Inside begin and end no rank can tell the others of a failure: an MPI error is the end. */
#define PEN_STEP_MPI(call)                                                        \
    do {                                                                          \
        int step_code_ = (call);                                                  \
        if (step_code_ != MPI_SUCCESS) {                                          \
            (void)pen_fail_mpi(step_code_, #call);                                \
            pen_die("in a step: %s", pen_error_message());                        \
        }                                                                         \
    } while (0)

extern const pen_transport pen_transport_fence, pen_transport_shared, pen_transport_blocking, pen_transport_overlap,
    pen_transport_persistent, pen_transport_neighbor;

#endif

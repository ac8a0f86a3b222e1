/* arrivals.h - a rank tells the ranks of its host that it has published, and waits for theirs (event.h).
 *
 * `shared` and `passive` need these arrivals. The other transports wait inside MPI, whose calls poll; on a
 * crowded host (event.h) a rank waits for the arrivals first, so that MPI's call finds the other ranks there. */
#pragma once

#include "halo/halo.h"

/* Local, once per publication. Tell the neighbours of this host that this rank has published: it has stored its
 * boundary records, or started its sends. */
static inline void pen_arrivals_tell(const pen_halo *halo)
{
    if (halo->store->comm->meeting) pen_meeting_publish(halo->store->comm->meeting);
}

/* Collective over the neighbours of this host. Wait until they have published as often as this rank. */
static inline void pen_arrivals_await(const pen_halo *halo)
{
    pen_meeting *meeting = halo->store->comm->meeting;
    for (int i = 0; i < halo->neighbor_count; i++) {
        const pen_neighbor *neighbor = &halo->neighbors[i];
        if (neighbor->desk)
            pen_event_await(&neighbor->desk->published, meeting->published, &meeting->patience, "a neighbour's records",
                            neighbor->rank);
    }
}

/* Local. Wait likewise if the host is crowded; returns whether it is. */
static inline bool pen_arrivals_await_if_crowded(const pen_halo *halo)
{
    pen_meeting *meeting = halo->store->comm->meeting;
    const bool crowded = meeting && pen_patience_is_crowded(&meeting->patience);
    if (crowded) pen_arrivals_await(halo);
    return crowded;
}

/* Local, once per publication. Tell the neighbours of this host that the gets or receives of this rank are complete. */
static inline void pen_arrivals_tell_completed(const pen_halo *halo)
{
    if (halo->store->comm->meeting) pen_meeting_complete(halo->store->comm->meeting);
}

/* Collective over the neighbours of this host. Wait until they have completed as often as this rank. */
static inline void pen_arrivals_await_completed(const pen_halo *halo)
{
    pen_meeting *meeting = halo->store->comm->meeting;
    for (int i = 0; i < halo->neighbor_count; i++)
        if (halo->neighbors[i].desk)
            pen_event_await(&halo->neighbors[i].desk->completed, meeting->completed, &meeting->patience,
                            "a neighbour's gets", halo->neighbors[i].rank);
}

/* tentative_update.c - adds and removes nodes in two phases. */
#include "directory/tentative_update.h"
#include "base/key_table.h"
#include "base/memory.h"
#include "directory/batch.h"
#include "directory/entries.h"

#include <stdlib.h>

/* The requests of all ranks for a gid whose home is this rank. */
typedef struct decision {
    pen_gid gid; /* the gid; the first member, because it is the key */
    pen_gid by;
    int64_t weight;
    uint64_t record, place;
    uint64_t known; /* the directory's entry before the update; 0: none */
    int32_t winner; /* the rank that gets the node, or PEN_OWNER_UNKNOWN: no rank adds it */
    bool removed;
} decision;

typedef struct pen_tentative_update {
    decision *decisions; /* [count] one decision per requested gid */
    int64_t count;
    int64_t announced; /* number of decisions whose winners are in the directory */
    int32_t version;
} pen_tentative_update;

/* ---- At the homes --------------------------------------------------------------------------- */

static pen_status combine(decision *v, const pen_ownership_request *request, int rank)
{
    v->removed = v->removed || request->removes;
    if (!request->adds) return PEN_OK;
    if (v->winner != PEN_OWNER_UNKNOWN) {
        PEN_ARGUMENT(v->weight == request->weight,
                     "node %" PRIgid " is to be added with two weights, %" PRId64 " and %" PRId64, v->gid, v->weight,
                     request->weight);
        PEN_ARGUMENT(v->record == request->record, "node %" PRIgid " is to be added with two different initial records",
                     v->gid);
        PEN_ARGUMENT(v->place == request->place, "node %" PRIgid " is to be added " PEN_TWO_PLACES, v->gid);
        if (v->by <= request->by) return PEN_OK;
    }
    v->by = request->by;
    v->weight = request->weight;
    v->record = request->record;
    v->place = request->place;
    v->winner = rank;
    return PEN_OK;
}

/* Receive the requests; places[i] becomes the index of the decision about the i-th request. */
static pen_status receive_requests(pen_tentative_update *p, const pen_blocks *requested, uint32_t *places)
{
    const pen_ownership_request *requests = (const pen_ownership_request *)(const void *)requested->data;
    pen_key_table table = { NULL, 0 };
    int64_t total = requested->count ? requested->offsets[requested->count] / (int64_t)sizeof *requests : 0;
    PEN_TRY(pen_key_table_fit(&table, total));
    pen_status status = PEN_OK;
    for (int b = 0; b < requested->count && status == PEN_OK; b++) {
        int64_t i = requested->offsets[b] / (int64_t)sizeof *requests,
                end = requested->offsets[b + 1] / (int64_t)sizeof *requests;
        for (; i < end && status == PEN_OK; i++) {
            uint32_t *entry = pen_key_entry(&table, p->decisions, sizeof *p->decisions, (uint64_t)requests[i].gid);
            if (*entry == 0) {
                p->decisions[p->count] = (decision){ .gid = requests[i].gid, .winner = PEN_OWNER_UNKNOWN };
                *entry = (uint32_t)++p->count;
            }
            places[i] = *entry - 1;
            status = combine(&p->decisions[places[i]], &requests[i], requested->ranks[b]);
        }
    }
    pen_key_table_free(&table);
    return status;
}

/* Check whether the requests for a gid are possible, after all have been received. */
static pen_status check(const pen_directory *directory, pen_tentative_update *p)
{
    enum { TOGETHER = 64 };
    pen_gid gids[TOGETHER];
    uint64_t known[TOGETHER];
    for (int64_t i = 0; i < p->count; i++) {
        int64_t at = i % TOGETHER, n = p->count - i < TOGETHER ? p->count - i : TOGETHER;
        if (at == 0) {
            for (int64_t k = 0; k < n; k++) gids[k] = p->decisions[i + k].gid;
            pen_pages_find_all(directory->pages, n, gids, known);
        }
        decision *v = &p->decisions[i];
        v->known = known[at] == PEN_PAGES_ABSENT ? 0 : known[at];
        PEN_ARGUMENT(!v->removed || v->known, "node %" PRIgid " is to be removed, but does not exist", v->gid);
        PEN_ARGUMENT(v->winner == PEN_OWNER_UNKNOWN || !v->known || v->removed,
                     "node %" PRIgid " is to be added, but exists already", v->gid);
    }
    return PEN_OK;
}

static pen_status announce(pen_directory *directory, pen_tentative_update *p)
{
    for (; p->announced < p->count; p->announced++) {
        const decision *v = &p->decisions[p->announced];
        if (v->winner == PEN_OWNER_UNKNOWN) continue;
        PEN_TRY(pen_pages_set(directory->pages, v->gid, pen_entry_of(v->winner, p->version)));
    }
    return PEN_OK;
}

static pen_node_outcome outcome_of(const decision *v)
{
    int32_t before = v->known ? pen_entry_owner(v->known) : PEN_OWNER_UNKNOWN;
    bool stays = v->winner == PEN_OWNER_UNKNOWN && !v->removed;
    return (pen_node_outcome){ before, stays ? before : v->winner, v->removed };
}

/* Build the replies for each rank: outcomes of its requests, in their order, then the removals of its nodes. */
static pen_status build_replies(const pen_directory *directory, const pen_tentative_update *p,
                                const pen_blocks *requested, const uint32_t *places, pen_blocks *reply)
{
    int64_t *bytes; /* allocated once per communicator, for this call only */
    PEN_TRY(PEN_ALLOC_ZERO(&bytes, directory->comm->size));
    for (int b = 0; b < requested->count; b++)
        bytes[requested->ranks[b]] = (requested->offsets[b + 1] - requested->offsets[b]) /
                                     (int64_t)sizeof(pen_ownership_request) * (int64_t)sizeof(pen_node_outcome);
    for (int64_t i = 0; i < p->count; i++)
        if (p->decisions[i].removed) bytes[pen_entry_owner(p->decisions[i].known)] += (int64_t)sizeof(pen_removal);
    pen_status status = pen_blocks_open(directory->comm->size, bytes, reply);
    for (int b = 0; status == PEN_OK && b < requested->count; b++) {
        int64_t i = requested->offsets[b] / (int64_t)sizeof(pen_ownership_request),
                end = requested->offsets[b + 1] / (int64_t)sizeof(pen_ownership_request);
        for (int64_t *at = &bytes[requested->ranks[b]]; i < end; i++, *at += (int64_t)sizeof(pen_node_outcome)) {
            pen_node_outcome outcome = outcome_of(&p->decisions[places[i]]);
            memcpy(reply->data + *at, &outcome, sizeof outcome);
        }
    }
    for (int64_t i = 0; status == PEN_OK && i < p->count; i++) {
        const decision *v = &p->decisions[i];
        if (!v->removed) continue;
        pen_removal removal = { v->gid, v->winner };
        int64_t *at = &bytes[pen_entry_owner(v->known)];
        memcpy(reply->data + *at, &removal, sizeof removal);
        *at += (int64_t)sizeof removal;
    }
    free(bytes);
    return status;
}

/* Process the received requests at a home, and build the replies. */
static pen_status process_requests(pen_directory *directory, int32_t version, const pen_blocks *requested,
                                   pen_blocks *reply)
{
    int64_t total = requested->count ? requested->offsets[requested->count] / (int64_t)sizeof(pen_ownership_request)
                                     : 0;
    uint32_t *places = NULL;
    pen_tentative_update *p;
    pen_lid checked;
    PEN_TRY(pen_to_lid(total, "ownership requests", &checked));
    PEN_TRY(PEN_ALLOC_ZERO(&p, 1));
    directory->tentative = p;
    p->version = version;
    PEN_TRY(PEN_ALLOC(&p->decisions, total));
    pen_status status = PEN_ALLOC(&places, total);
    if (status == PEN_OK) status = receive_requests(p, requested, places);
    if (status == PEN_OK) status = check(directory, p);
    if (status == PEN_OK) status = build_replies(directory, p, requested, places, reply);
    if (status == PEN_OK) status = announce(directory, p);
    free(places);
    return status;
}

void pen_directory_rollback(pen_directory *directory)
{
    pen_tentative_update *p = directory->tentative;
    if (!p) return;
    for (int64_t i = 0; i < p->announced; i++) {
        const decision *v = &p->decisions[i];
        if (v->winner == PEN_OWNER_UNKNOWN) continue;
        if (v->known) *pen_pages_find(directory->pages, v->gid) = v->known;
        else pen_pages_remove(directory->pages, v->gid);
    }
    PEN_FREE_ALL(p->decisions, p);
    directory->tentative = NULL;
}

void pen_directory_commit(pen_directory *directory)
{
    pen_tentative_update *p = directory->tentative;
    if (!p) return;
    for (int64_t i = 0; i < p->count; i++)
        if (p->decisions[i].removed && p->decisions[i].winner == PEN_OWNER_UNKNOWN)
            pen_pages_remove(directory->pages, p->decisions[i].gid);
    pen_pages_compact(directory->pages);
    PEN_FREE_ALL(p->decisions, p);
    directory->tentative = NULL;
}

/* ---- At the requesting ranks ------------------------------------------------------------------- */

static pen_status address(const pen_directory *directory, int64_t count, const pen_ownership_request *requests,
                          pen_blocks *send, int64_t *order)
{
    int *homes;
    PEN_TRY(PEN_ALLOC(&homes, count));
    for (int64_t i = 0; i < count; i++) homes[i] = pen_page_home(pen_page_of(requests[i].gid), directory->comm->size);
    pen_status status = pen_blocks_group(count, homes, requests, sizeof *requests, send, order);
    free(homes);
    return status;
}

/* The number of requests that were sent to a rank. Blocks that were sent ascend by rank, like the replies. */
static int64_t requests_to(const pen_blocks *sent, int rank, int *block)
{
    while (*block < sent->count && sent->ranks[*block] < rank) ++*block;
    if (*block == sent->count || sent->ranks[*block] != rank) return 0;
    return (sent->offsets[*block + 1] - sent->offsets[*block]) / (int64_t)sizeof(pen_ownership_request);
}

/* Read the outcomes, in the order in which requests were sent, and the removals. */
static pen_status receive_replies(const pen_blocks *sent, const pen_blocks *received, int64_t count,
                                  const int64_t *order, pen_node_outcome *outcomes, int64_t *removed,
                                  pen_removal **removals)
{
    pen_node_outcome *sorted;
    int64_t most = received->count ? received->offsets[received->count] / (int64_t)sizeof(pen_removal) : 0, n = 0;
    PEN_TRY(PEN_ALLOC(&sorted, count));
    pen_status status = PEN_ALLOC(removals, most);
    *removed = 0;
    for (int b = 0, block = 0; status == PEN_OK && b < received->count; b++) {
        int64_t at = received->offsets[b], outcomes_here = requests_to(sent, received->ranks[b], &block);
        memcpy(sorted + n, received->data + at, (size_t)outcomes_here * sizeof *sorted);
        n += outcomes_here;
        at += outcomes_here * (int64_t)sizeof *sorted;
        int64_t here = (received->offsets[b + 1] - at) / (int64_t)sizeof(pen_removal);
        memcpy(*removals + *removed, received->data + at, (size_t)here * sizeof(pen_removal));
        *removed += here;
    }
    for (int64_t i = 0; status == PEN_OK && i < count; i++) outcomes[i] = sorted[order[i]];
    free(sorted);
    return status;
}

pen_status pen_directory_prepare(pen_directory *directory, pen_status mine, int32_t version, int64_t count,
                                 const pen_ownership_request *requests, pen_node_outcome *outcomes, int64_t *removed,
                                 pen_removal **removals)
{
    pen_blocks send = { 0 }, requested = { 0 }, reply = { 0 }, received = { 0 };
    int64_t *order = NULL;
    *removals = NULL;
    if (mine == PEN_OK) mine = PEN_ALLOC(&order, count);
    if (mine == PEN_OK) mine = address(directory, count, requests, &send, order);
    pen_status status = pen_sparse_exchange(directory->comm, mine, &send, &requested);
    if (status == PEN_OK) {
        mine = process_requests(directory, version, &requested, &reply);
        status = pen_sparse_exchange(directory->comm, mine, &reply, &received);
    }
    if (status == PEN_OK)
        status = pen_agree(directory->comm,
                           receive_replies(&send, &received, count, order, outcomes, removed, removals));
    if (status != PEN_OK) {
        pen_directory_rollback(directory);
        free(*removals);
        *removals = NULL;
    }
    free(order);
    pen_blocks_free(&send);
    pen_blocks_free(&requested);
    pen_blocks_free(&reply);
    pen_blocks_free(&received);
    return status;
}

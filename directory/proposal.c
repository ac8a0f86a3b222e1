#include "directory/proposal.h"
#include "base/key_table.h"
#include "base/memory.h"
#include "directory/batch.h"
#include "directory/entries.h"

#include <stdlib.h>

/* A gid whose home is here, and all that is wanted of it. */
typedef struct verdict {
    pen_gid gid; /* first: it is the key */
    pen_gid by;
    int64_t weight;
    uint64_t record, place;
    uint64_t known; /* the entry that the directory had; 0: none */
    int32_t winner; /* rank, or PEN_OWNER_UNKNOWN: nobody adds it */
    bool removed;
} verdict;

typedef struct pen_proposal {
    verdict *verdicts; /* [count] */
    int64_t count;
    int64_t announced; /* verdicts whose winners the directory knows */
    int32_t version;
} pen_proposal;

/* ---- At the homes --------------------------------------------------------------------------- */

static pen_status put_together(verdict *v, const pen_claim *claim, int rank)
{
    v->removed = v->removed || claim->removes;
    if (!claim->adds) return PEN_OK;
    if (v->winner != PEN_OWNER_UNKNOWN) {
        PEN_ARGUMENT(v->weight == claim->weight,
                     "node %" PRIgid " is to be added with weights %" PRId64 " and %" PRId64, v->gid, v->weight,
                     claim->weight);
        PEN_ARGUMENT(v->record == claim->record, "node %" PRIgid " is to be added with two different first records",
                     v->gid);
        PEN_ARGUMENT(v->place == claim->place, "node %" PRIgid " is to be added " PEN_TWO_PLACES, v->gid);
        if (v->by <= claim->by) return PEN_OK;
    }
    v->by = claim->by;
    v->weight = claim->weight;
    v->record = claim->record;
    v->place = claim->place;
    v->winner = rank;
    return PEN_OK;
}

/* places[i] is the verdict of the i-th claim that came. */
static pen_status hear_claims(pen_proposal *p, const pen_blocks *asked, uint32_t *places)
{
    const pen_claim *claims = (const pen_claim *)(const void *)asked->data;
    pen_key_table table = { NULL, 0 };
    int64_t total = asked->count ? asked->offsets[asked->count] / (int64_t)sizeof *claims : 0;
    PEN_TRY(pen_key_table_fit(&table, total));
    pen_status status = PEN_OK;
    for (int b = 0; b < asked->count && status == PEN_OK; b++) {
        int64_t i = asked->offsets[b] / (int64_t)sizeof *claims, end = asked->offsets[b + 1] / (int64_t)sizeof *claims;
        for (; i < end && status == PEN_OK; i++) {
            uint32_t *entry = pen_key_entry(&table, p->verdicts, sizeof *p->verdicts, (uint64_t)claims[i].gid);
            if (*entry == 0) {
                p->verdicts[p->count] = (verdict){ .gid = claims[i].gid, .winner = PEN_OWNER_UNKNOWN };
                *entry = (uint32_t)++p->count;
            }
            places[i] = *entry - 1;
            status = put_together(&p->verdicts[places[i]], &claims[i], asked->ranks[b]);
        }
    }
    pen_key_table_free(&table);
    return status;
}

/* Whether what is wanted can be, now that all of it is known. */
static pen_status judge(const pen_directory *directory, pen_proposal *p)
{
    enum { TOGETHER = 64 };
    pen_gid gids[TOGETHER];
    uint64_t known[TOGETHER];
    for (int64_t i = 0; i < p->count; i++) {
        int64_t at = i % TOGETHER, n = p->count - i < TOGETHER ? p->count - i : TOGETHER;
        if (at == 0) {
            for (int64_t k = 0; k < n; k++) gids[k] = p->verdicts[i + k].gid;
            pen_pages_find_all(directory->pages, n, gids, known);
        }
        verdict *v = &p->verdicts[i];
        v->known = known[at] == PEN_PAGES_ABSENT ? 0 : known[at];
        PEN_ARGUMENT(!v->removed || v->known, "node %" PRIgid " is to be removed, and is not there", v->gid);
        PEN_ARGUMENT(v->winner == PEN_OWNER_UNKNOWN || !v->known || v->removed,
                     "node %" PRIgid " is to be added, and is there already", v->gid);
    }
    return PEN_OK;
}

static pen_status announce(pen_directory *directory, pen_proposal *p)
{
    for (; p->announced < p->count; p->announced++) {
        const verdict *v = &p->verdicts[p->announced];
        if (v->winner == PEN_OWNER_UNKNOWN) continue;
        PEN_TRY(pen_pages_set(directory->pages, v->gid, pen_entry_of(v->winner, p->version)));
    }
    return PEN_OK;
}

static pen_fate fate_of(const verdict *v)
{
    int32_t before = v->known ? pen_entry_owner(v->known) : PEN_OWNER_UNKNOWN;
    bool stays = v->winner == PEN_OWNER_UNKNOWN && !v->removed;
    return (pen_fate){ before, stays ? before : v->winner, v->removed };
}

/* For each rank that asked, the fates of its claims in their order; behind them, for each rank, its removals. */
static pen_status build_answers(const pen_directory *directory, const pen_proposal *p, const pen_blocks *asked,
                                const uint32_t *places, pen_blocks *answer)
{
    int64_t *bytes; /* as long as the communicator, for this one call */
    PEN_TRY(PEN_ALLOC_ZERO(&bytes, directory->comm->size));
    for (int b = 0; b < asked->count; b++)
        bytes[asked->ranks[b]] = (asked->offsets[b + 1] - asked->offsets[b]) / (int64_t)sizeof(pen_claim) *
                                 (int64_t)sizeof(pen_fate);
    for (int64_t i = 0; i < p->count; i++)
        if (p->verdicts[i].removed) bytes[pen_entry_owner(p->verdicts[i].known)] += (int64_t)sizeof(pen_removal);
    pen_status status = pen_blocks_open(directory->comm->size, bytes, answer);
    for (int b = 0; status == PEN_OK && b < asked->count; b++) {
        int64_t i = asked->offsets[b] / (int64_t)sizeof(pen_claim),
                end = asked->offsets[b + 1] / (int64_t)sizeof(pen_claim);
        for (int64_t *at = &bytes[asked->ranks[b]]; i < end; i++, *at += (int64_t)sizeof(pen_fate)) {
            pen_fate fate = fate_of(&p->verdicts[places[i]]);
            memcpy(answer->data + *at, &fate, sizeof fate);
        }
    }
    for (int64_t i = 0; status == PEN_OK && i < p->count; i++) {
        const verdict *v = &p->verdicts[i];
        if (!v->removed) continue;
        pen_removal removal = { v->gid, v->winner };
        int64_t *at = &bytes[pen_entry_owner(v->known)];
        memcpy(answer->data + *at, &removal, sizeof removal);
        *at += (int64_t)sizeof removal;
    }
    free(bytes);
    return status;
}

/* All that a home does between the claims and the answers. */
static pen_status decide(pen_directory *directory, int32_t version, const pen_blocks *asked, pen_blocks *answer)
{
    int64_t total = asked->count ? asked->offsets[asked->count] / (int64_t)sizeof(pen_claim) : 0;
    uint32_t *places = NULL;
    pen_proposal *p;
    pen_lid checked;
    PEN_TRY(pen_to_lid(total, "claims", &checked));
    PEN_TRY(PEN_ALLOC_ZERO(&p, 1));
    directory->proposal = p;
    p->version = version;
    PEN_TRY(PEN_ALLOC(&p->verdicts, total));
    pen_status status = PEN_ALLOC(&places, total);
    if (status == PEN_OK) status = hear_claims(p, asked, places);
    if (status == PEN_OK) status = judge(directory, p);
    if (status == PEN_OK) status = build_answers(directory, p, asked, places, answer);
    if (status == PEN_OK) status = announce(directory, p);
    free(places);
    return status;
}

void pen_directory_withdraw(pen_directory *directory)
{
    pen_proposal *p = directory->proposal;
    if (!p) return;
    for (int64_t i = 0; i < p->announced; i++) {
        const verdict *v = &p->verdicts[i];
        if (v->winner == PEN_OWNER_UNKNOWN) continue;
        if (v->known) *pen_pages_find(directory->pages, v->gid) = v->known;
        else pen_pages_remove(directory->pages, v->gid);
    }
    PEN_FREE_ALL(p->verdicts, p);
    directory->proposal = NULL;
}

void pen_directory_enact(pen_directory *directory)
{
    pen_proposal *p = directory->proposal;
    if (!p) return;
    for (int64_t i = 0; i < p->count; i++)
        if (p->verdicts[i].removed && p->verdicts[i].winner == PEN_OWNER_UNKNOWN)
            pen_pages_remove(directory->pages, p->verdicts[i].gid);
    pen_pages_compact(directory->pages);
    PEN_FREE_ALL(p->verdicts, p);
    directory->proposal = NULL;
}

/* ---- Where they are asked -------------------------------------------------------------------- */

static pen_status address(const pen_directory *directory, int64_t count, const pen_claim *claims, pen_blocks *send,
                          int64_t *order)
{
    int *homes;
    PEN_TRY(PEN_ALLOC(&homes, count));
    for (int64_t i = 0; i < count; i++) homes[i] = pen_page_home(pen_page_of(claims[i].gid), directory->comm->size);
    pen_status status = pen_blocks_group(count, homes, claims, sizeof *claims, send, order);
    free(homes);
    return status;
}

/* How many of the claims went to a rank; its blocks ascend as the answers' do. */
static int64_t claims_to(const pen_blocks *sent, int rank, int *block)
{
    while (*block < sent->count && sent->ranks[*block] < rank) ++*block;
    if (*block == sent->count || sent->ranks[*block] != rank) return 0;
    return (sent->offsets[*block + 1] - sent->offsets[*block]) / (int64_t)sizeof(pen_claim);
}

/* Fates in the order of the claims as they were sent, and the removals. */
static pen_status hear_answers(const pen_blocks *sent, const pen_blocks *told, int64_t count, const int64_t *order,
                               pen_fate *fates, int64_t *removed, pen_removal **removals)
{
    pen_fate *sorted;
    int64_t most = told->count ? told->offsets[told->count] / (int64_t)sizeof(pen_removal) : 0, n = 0;
    PEN_TRY(PEN_ALLOC(&sorted, count));
    pen_status status = PEN_ALLOC(removals, most);
    *removed = 0;
    for (int b = 0, block = 0; status == PEN_OK && b < told->count; b++) {
        int64_t at = told->offsets[b], fates_here = claims_to(sent, told->ranks[b], &block);
        memcpy(sorted + n, told->data + at, (size_t)fates_here * sizeof *sorted);
        n += fates_here;
        at += fates_here * (int64_t)sizeof *sorted;
        int64_t here = (told->offsets[b + 1] - at) / (int64_t)sizeof(pen_removal);
        memcpy(*removals + *removed, told->data + at, (size_t)here * sizeof(pen_removal));
        *removed += here;
    }
    for (int64_t i = 0; status == PEN_OK && i < count; i++) fates[i] = sorted[order[i]];
    free(sorted);
    return status;
}

pen_status pen_directory_propose(pen_directory *directory, pen_status mine, int32_t version, int64_t count,
                                 const pen_claim *claims, pen_fate *fates, int64_t *removed, pen_removal **removals)
{
    pen_blocks send = { 0 }, asked = { 0 }, answer = { 0 }, told = { 0 };
    int64_t *order = NULL;
    *removals = NULL;
    if (mine == PEN_OK) mine = PEN_ALLOC(&order, count);
    if (mine == PEN_OK) mine = address(directory, count, claims, &send, order);
    pen_status status = pen_sparse_exchange(directory->comm, mine, &send, &asked);
    if (status == PEN_OK) {
        mine = decide(directory, version, &asked, &answer);
        status = pen_sparse_exchange(directory->comm, mine, &answer, &told);
    }
    if (status == PEN_OK)
        status = pen_agree(directory->comm, hear_answers(&send, &told, count, order, fates, removed, removals));
    if (status != PEN_OK) {
        pen_directory_withdraw(directory);
        free(*removals);
        *removals = NULL;
    }
    free(order);
    pen_blocks_free(&send);
    pen_blocks_free(&asked);
    pen_blocks_free(&answer);
    pen_blocks_free(&told);
    return status;
}

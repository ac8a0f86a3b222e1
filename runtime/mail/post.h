/* post.h - mail: messages from nodes to any nodes (penumbra_mail.h).
 *
 * While a phase computes its nodes, messages gather in an outbox for each kind, in the order of the senders' slots.
 * Then they are delivered (deliver.c). The owner of each receiver, and its slot there, are found (places.h). Each rank
 * groups its messages by owner, for each owner by bins of slots, and in a bin by the sender's gid (batch.h). Other
 * ranks pull theirs from a window (halo/pull_blocks.h), or are sent them in one exchange. The owner merges what the
 * ranks have for a bin, by the sender's gid, and sorts it by slot with one pass that counts and one that copies
 * (sort.c). So each mailbox is sorted by sender; and a sender's messages keep the order of its calls. No pass writes to
 * places far apart, which would cost more than all the rest. If there is little mail, or most messages go near the one
 * before, as those of agents do that travel to neighbours, all slots are one bin, and a rank's messages to itself are
 * copied once, from the outbox to the mailboxes. The mailboxes of a rank are one array of messages with an
 * offset for each slot. Mailboxes that must last until the phase has succeeded stay as they are: delivery makes the
 * next ones, which replace them then.
 *
 * If nodes move, each mailbox goes to its node's new owner; if a node is removed, its mail has no receiver any more
 * (move.c). */
#pragma once

#include "base/sparse.h"
#include "halo/pull_blocks.h"
#include "mail/batch.h"
#include "mail/places.h"
#include "run/parts.h"

/* The mailboxes of this rank, of one kind. */
typedef struct pen_letters {
    int64_t *first; /* [owned+2] index of a slot's first message; the last entry is for sorting */
    int64_t slots_room;
    unsigned char *records; /* [first[owned]] messages */
    int64_t bytes_room;
    pen_gid *senders; /* [first[owned]] */
    int64_t senders_room;
} pen_letters;

/* Numbers of messages of one kind since the beginning of the run. */
typedef struct pen_mail_counts {
    int64_t sent, remote, dropped; /* by this rank's nodes; to nodes of other ranks; without a receiver */
} pen_mail_counts;

/* A message without a receiver, which is a mistake. */
typedef struct pen_stray {
    pen_gid sender, to;
    int kind; /* -1: there is none */
} pen_stray;

/* The numbers of which ranks learn the largest one. Two for each kind follow: of messages, and, from
 * PEN_MOST_SENT + kinds on, of messages that do not go near the one before. */
enum { PEN_MOST_FAILED, PEN_MOST_ASKED, PEN_MOST_ASTRAY, PEN_MOST_OWNED, PEN_MOST_SENT };

/* How messages for other ranks get there. */
typedef enum pen_mail_side {
    PEN_MAIL_MESSAGES, /* two-sided: in a sparse exchange */
    PEN_MAIL_PULLED,   /* one-sided: each receiver pulls them from the sender's window */
    PEN_MAIL_MEASURED  /* both, to find out which is faster */
} pen_mail_side;

typedef struct pen_post {
    int kinds;
    const pen_mail *mails;     /* [kinds] */
    pen_mailbox *shown;        /* [kinds] the mailboxes in the view */
    pen_outbox *out;           /* [kinds] the outboxes in the view */
    int64_t *out_slots;        /* [kinds] slots for which they have room */
    pen_letters *now, *next;   /* [kinds] the mailboxes, and those that are being made */
    pen_letters spare;         /* memory for mailboxes that are being made */
    pen_letters *moved;        /* [kinds] mailboxes for a change of the store */
    pen_mail_counts *counts;   /* [kinds] */
    pen_mail_counts *coming;   /* [kinds] of the phase or change in progress: it may fail */
    bool *stays;               /* [kinds] all messages of this rank are for their senders */
    pen_bins *bins;            /* [kinds] of slots, in the phase in progress */
    int64_t *most;             /* [PEN_MOST_SENT+2*kinds] the largest numbers of any rank in the phase in progress */
    unsigned char **own;       /* [kinds][own_room] the batch of this rank's messages for itself */
    int64_t *own_room;         /* [kinds] */
    pen_blocks send, received; /* messages for other ranks, and from them; the memory is used again */
    int64_t send_room, received_room;
    pen_mail_side side;
    bool automatic;          /* the side is measured */
    pen_pull pull;           /* the window from which other ranks pull */
    pen_blocks offered;      /* messages for other ranks, in that window */
    int measured;            /* number of deliveries that were made on both sides, and */
    int64_t measured_bytes;  /* the largest number of bytes that a rank sent in them */
    double side_seconds[2];  /* their time, by side */
    bool in_phase;           /* a phase has begun and has not succeeded */
    uint64_t receives;       /* set of kinds that the phase in progress receives */
    uint64_t made;           /* set of kinds whose next mailboxes are complete */
    int64_t version;         /* run->renewed when the members below were made */
    int shift;               /* logarithm of the most gids of a page of places */
    int64_t known;           /* number of gids that have been added to places */
    pen_place_table places;  /* places of nodes by gid */
    pen_lid *by_gid;         /* [owned] this rank's slots, ascending by gid; NULL: slots ascend by gid */
    int64_t shipped;         /* bytes of mail that the change in progress sends to other ranks */
    pen_stray stray;         /* of all messages without a receiver, that of the sender with the lowest gid */
    double seconds;          /* time of all deliveries */
    pen_mail_counts *totals; /* [kinds] of all ranks, when metrics are gathered */
} pen_post;

/* ---- Finding receivers (find.c) ---------------------------------------------------------------- */

/* Collective. Replace the gids of the receivers, in the outboxes of the kinds that the phase sends, by places
 * (places.h). Each rank passes its status so far. PEN_ERR_ARGUMENT: a receiver does not exist; PEN_ERR_MEMORY,
 * PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_mail_find(pen_run *run, pen_post *post, pen_status mine, const pen_phase *phase);

/* ---- Delivery (deliver.c) ------------------------------------------------------------------------ */

/* Collective. Make the next mailboxes of the kinds that the phase sends. PEN_ERR_ARGUMENT: a message has no receiver;
 * PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_mail_deliver(pen_run *run, pen_post *post, const pen_phase *phase);

/* Local. Whether messages of this rank to its own nodes go from the outbox straight to the mailboxes. Then
 * next[k].first[slot+2] is their number, at first, and no batch has them. */
static inline bool pen_mail_straight(const pen_post *post, int k) { return post->bins[k].count == 1; }

/* Local. Make the next mailboxes of a kind from batches, and from the outbox, of so many messages (sort.c).
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_mail_sort(const pen_run *run, pen_post *post, int k, int64_t messages, int count,
                                     const pen_batch *batches);

/* Local. Whether the next mailboxes of a kind have the messages of earlier phases, too, and there are some. */
static inline bool pen_mail_adds(const pen_post *post, int k, pen_lid owned)
{
    return !(post->receives >> k & 1) && post->now[k].first[owned] > 0;
}

/* Bytes of the messages in a bin, about; a test makes it small. */
extern PEN_PER_RANK int64_t pen_mail_bin_bytes;

/* If no rank sends more bytes, a sparse exchange delivers them on both sides: it brings short blocks with the lengths
 * of blocks, which one-sided delivery needs, too. A test makes it 0. */
extern PEN_PER_RANK int64_t pen_mail_short_bytes;

/* Local. Note that a message has no receiver. */
void pen_mail_astray(pen_post *post, int kind, pen_gid sender, pen_gid to);

/* Collective. Agree on whether some message was noted: `why` completes "mail to node 8, which ...". `phase` is NULL if
 * the caller names it. PEN_ERR_ARGUMENT: yes. */
PEN_CHECKED pen_status pen_mail_check(pen_run *run, pen_post *post, const pen_phase *phase, const char *why);

/* Local. Begin to note messages without a receiver; and count those that were dropped. */
void pen_mail_count_begin(pen_post *post);
void pen_mail_count_end(pen_post *post);

/* Local. Let nodes send these kinds. */
void pen_mail_open(pen_post *post, uint64_t kinds);

/* Local. Make room for so many senders in the outboxes. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_mail_reserve(pen_post *post, pen_lid owned);

/* Local. Show the mailboxes to the view. */
void pen_mail_show(pen_post *post);

/* Local. Make room for mailboxes. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_letters_reserve(pen_letters *letters, pen_lid owned, int64_t count, size_t size);
void pen_letters_free(pen_letters *letters);

/* Local. No phase is in progress any more: nothing can be sent. */
void pen_mail_close(pen_post *post);

/* ---- Changes of the store, and checkpoints (move.c): hooks of the part --------------------------------- */

PEN_CHECKED pen_status pen_mail_prepare_change(pen_run *run, void *state, const struct pen_change *change);
void pen_mail_commit_change(pen_run *run, void *state, const struct pen_change *change);
int64_t pen_mail_list_words(const void *state, pen_lid slot);
void pen_mail_pack_list(const void *state, pen_lid slot, int64_t *to);
PEN_CHECKED pen_status pen_mail_take_lists(pen_run *run, void *state, int64_t count, const pen_node_list *lists);

/* penumbra_mail.h - mail: records that a node sends to any node, in place of arrays whose length changes; no MPI.
 *
 * penumbra.h includes this header. */
#ifndef PENUMBRA_MAIL_H
#define PENUMBRA_MAIL_H

#include <penumbra_nodes.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A kind of mail: all of its messages have the same size. An application has at most 64 kinds (pen_app.mails). A phase
 * with .sends sends messages of these kinds to any nodes. They arrive when the phase ends. Each stays in its node's
 * mailbox until a phase with .receives of its kind has computed the node. They are sorted by the sender's gid; those
 * of one sender are in the order of the phases and calls. Mail to a gid that no node has is a mistake: the phase fails
 * before it has changed anything. penumbra_nodes(7) has the rules.
 *
 *     enum { VISIT };
 *     static const pen_mail mails[] = { { "visit", sizeof(visit) } };
 *     static const pen_phase phases[] = {
 *         { "travel", .node = travel, .writes = PEN_SET(PLACE), .sends = PEN_SET(VISIT) },
 *         { "meet", .node = meet, .writes = PEN_SET(PLACE), .receives = PEN_SET(VISIT) }
 *     };
 *     static const pen_app app = { .name = "cities", PEN_FIELDS(fields), PEN_PHASES(phases), PEN_MAILS(mails),
 *                                  .init = init }; */
typedef struct pen_mail {
    const char *name;
    size_t size; /* bytes of a message, 1 to INT32_MAX; its memory is aligned to 16 bytes */
    bool drop;   /* messages to nodes that do not exist are dropped and counted; otherwise they are mistakes */
} pen_mail;

/* The mailboxes of a rank's nodes, of one kind; for the library only. */
typedef struct pen_mailbox {
    const int64_t *first;   /* [owned+1] index of a node's first message */
    const void *records;    /* [first[owned]] messages */
    const pen_gid *senders; /* [first[owned]] gids of their senders */
    size_t size;            /* bytes of a message */
} pen_mailbox;

/* The messages of one kind that this rank's nodes have sent in the phase; for the library only. */
typedef struct pen_outbox {
    int64_t count, room; /* number of messages, and number that fits; room is 0 if the phase does not send the kind */
    pen_gid *to;         /* [allocated] receivers */
    void *records;       /* [allocated] messages */
    pen_lid *slots;      /* [allocated] slots of the senders */
    int64_t *first;      /* [owned+1] index of a slot's first message, when they are sorted by slots; not in a phase */
    int64_t allocated;   /* number of messages for which there is memory, at least 3 */
    const pen_mail *kind;
    bool lacks; /* memory was exhausted: the phase fails when it ends, and until then messages go nowhere */
} pen_outbox;

/* Local. Make room for one more message in an outbox that is full. A kind that is not in .sends ends the program with a
 * message. For the library only. */
PEN_API void pen_outbox_grow(const pen_view *v, int kind);

/* Local. End the program with a message: a type of `size` bytes is not that of the kind. For the library only. */
PEN_API void pen_outbox_misfit(const pen_view *v, int kind, size_t size);

/* Local, in a phase with KIND in .sends, and in .init. Send a message to the node with that gid. Returns the new
 * message, all bytes zero, to be filled in before the next message of this kind is sent. KIND is the index into
 * pen_app.mails; `type` is the message's type, whose size is the kind's. Sending a kind that is not in .sends, or a
 * type of another size, ends the program with a message. One thread of a rank may send. */
#define PEN_SEND(v, KIND, type, gid) ((type *)pen_send((v), (KIND), sizeof(type), (gid)))
static inline void *pen_send(const pen_view *v, int kind, size_t size, pen_gid gid)
{
    pen_outbox *box = &v->library.outboxes[kind];
    if (box->count == box->room) pen_outbox_grow(v, kind);
    if (size != box->kind->size) pen_outbox_misfit(v, kind, size);
    const int64_t at = box->count++;
    box->to[at] = gid;
    box->slots[at] = v->slot;
    return memset((char *)box->records + (size_t)at * size, 0, size);
}

/* Local. Return the number of messages of a kind in this node's mailbox. In a phase with the kind in .receives, and
 * between steps; in another phase the result means nothing, which the strict mode reports. The same is true of the
 * following. */
static inline int64_t pen_mail_count(const pen_view *v, int kind)
{
    const int64_t *first = v->library.mailboxes[kind].first + v->slot;
    return first[1] - first[0];
}

/* Local. The i-th message in this node's mailbox, const. i is in [0, pen_mail_count(v, KIND)). */
#define PEN_MAIL(v, KIND, type, i) \
    (&((const type *)(v)->library.mailboxes[KIND].records)[(v)->library.mailboxes[KIND].first[(v)->slot] + (i)])

/* Local. Return the i-th message of a kind (kind) without a type. */
static inline const void *pen_mail_record(const pen_view *v, int kind, int64_t i)
{
    const pen_mailbox *box = &v->library.mailboxes[kind];
    return (const char *)box->records + (size_t)(box->first[v->slot] + i) * box->size;
}

/* Local. Return the gid of the node that has sent the i-th message of a kind (kind). */
static inline pen_gid pen_mail_sender(const pen_view *v, int kind, int64_t i)
{
    return v->library.mailboxes[kind].senders[v->library.mailboxes[kind].first[v->slot] + i];
}

#ifdef __cplusplus
}
#endif

#endif

/* oracle_mail.h - mail of a serial computation: a list of the undelivered messages, which is sorted again after each
 * phase. It shares no code with the delivery of runs. All functions are Local. */
#pragma once

#include "base/status.h"

/* A message. Its bytes are those at this index among the bytes of its kind. */
typedef struct pen_oracle_letter {
    pen_gid to, from;
    int64_t sequence; /* number of messages that were sent before it */
    int64_t index;
} pen_oracle_letter;

typedef struct pen_oracle_kind {
    pen_oracle_letter *letters; /* [count] undelivered messages, by receiver, sender, sequence */
    unsigned char *bytes;       /* [count] their bytes, in that order */
    pen_gid *senders;           /* [count] */
    int64_t *first;             /* [nodes+1] for the view */
    int64_t count;
} pen_oracle_kind;

typedef struct pen_oracle_post {
    const pen_mail *mails;
    int kinds;
    pen_oracle_kind *of; /* [kinds] */
    pen_outbox *out;     /* [kinds] for the view */
    pen_mailbox *shown;  /* [kinds] for the view */
    int64_t sequence;
} pen_oracle_post;

/* Make a post without messages. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_oracle_post_open(const pen_app *app, pen_oracle_post *post);
void pen_oracle_post_close(pen_oracle_post *post);

/* Let the nodes of a phase send these kinds. */
void pen_oracle_post_begin(pen_oracle_post *post, uint64_t sends);

/* Deliver what the nodes have sent, and remove what was received. gids[nodes], ascending. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_oracle_post_end(pen_oracle_post *post, uint64_t receives, pen_lid nodes,
                                           const pen_gid *gids);

/* The graph has changed: remove the mail of nodes that are not in it any more. gone(context, gid): the node was
 * removed, even if it was added again. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_oracle_post_change(pen_oracle_post *post, bool (*gone)(const void *context, pen_gid gid),
                                              const void *context, pen_lid nodes, const pen_gid *gids);

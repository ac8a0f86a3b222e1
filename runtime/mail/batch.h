/* batch.h - messages of one kind from one rank to the owner of their receivers.
 *
 * The slots of a rank are divided into bins of consecutive slots. A batch has the number of messages for each bin, and
 * then bin after bin its messages, ascending by the sender's gid: the sender's gid, the receiver's slot, the record.
 * They are not aligned. The receiving rank sorts each bin for itself, in its cache. All Local. */
#pragma once

#include "base/memory.h"

/* A rank's slots in `count` bins of 1 << shift slots. All ranks have the same bins. */
typedef struct pen_bins {
    int shift;
    int count;
} pen_bins;

typedef struct pen_batch {
    const unsigned char *counts; /* [bins] int64_t: messages for each bin */
    const unsigned char *messages;
} pen_batch;

enum { PEN_MESSAGE_HEAD = sizeof(pen_gid) + sizeof(pen_lid) };

static inline int64_t pen_message_bytes(size_t size) { return PEN_MESSAGE_HEAD + (int64_t)size; }

static inline int64_t pen_batch_bytes(pen_bins bins, int64_t messages, size_t size)
{
    return 8 * bins.count + (messages * pen_message_bytes(size) + 7) / 8 * 8;
}

static inline int64_t pen_batch_count(const pen_batch *b, int bin)
{
    int64_t count;
    memcpy(&count, b->counts + 8 * bin, sizeof count);
    return count;
}

static inline int64_t pen_batch_total(const pen_batch *b, pen_bins bins)
{
    int64_t messages = 0;
    for (int bin = 0; bin < bins.count; bin++) messages += pen_batch_count(b, bin);
    return messages;
}

/* Members of the message at an address. */
static inline pen_gid pen_message_sender(const unsigned char *at)
{
    pen_gid sender;
    memcpy(&sender, at, sizeof sender);
    return sender;
}

static inline pen_lid pen_message_slot(const unsigned char *at)
{
    pen_lid slot;
    memcpy(&slot, at + sizeof(pen_gid), sizeof slot);
    return slot;
}

__attribute__((always_inline)) static inline void pen_message_write(unsigned char *at, pen_gid sender, pen_lid slot,
                                                                    const void *record, size_t size)
{
    memcpy(at, &sender, sizeof sender);
    memcpy(at + sizeof sender, &slot, sizeof slot);
    memcpy(at + PEN_MESSAGE_HEAD, record, size);
}

/* Let the compiler make a loop for each usual size of records. */
#define PEN_FOR_SIZE(size, call) \
    switch (size) {              \
    case 4: call(4); break;      \
    case 8: call(8); break;      \
    case 16: call(16); break;    \
    case 24: call(24); break;    \
    case 32: call(32); break;    \
    default: call(size);         \
    }

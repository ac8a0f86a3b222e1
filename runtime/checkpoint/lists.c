/* lists.c - writes lists of nodes into a chunk of a checkpoint. */
#include "checkpoint/lists.h"

static int64_t words_of(int64_t bytes) { return (bytes + 7) / 8; }

/* Append bytes, and return their address; NULL after a failure. */
static unsigned char *append(pen_bytes *to, int64_t size)
{
    unsigned char *at = pen_bytes_room(to, size);
    if (at) to->size += size;
    return at;
}

static void put_word(pen_bytes *to, int64_t word)
{
    unsigned char *at = append(to, (int64_t)sizeof word);
    if (at) memcpy(at, &word, sizeof word);
}

static void put_name(pen_bytes *to, const char *name)
{
    const int64_t length = (int64_t)strlen(name);
    put_word(to, length);
    unsigned char *at = append(to, 8 * words_of(length));
    if (!at) return;
    memset(at, 0, 8 * (size_t)words_of(length));
    memcpy(at, name, (size_t)length);
}

/* Append the lists of a part; nothing if all are empty. */
static void put_lists(const pen_run *run, const pen_run_part *p, pen_bytes *to)
{
    int64_t all = 0;
    for (pen_lid slot = 0; slot < run->store->owned; slot++) {
        const int64_t words = p->part->list_words(p->state, slot);
        all += words > 0 ? 2 + words : 0;
    }
    if (all == 0) return;
    put_name(to, p->part->name);
    put_word(to, all);
    for (pen_lid slot = 0; slot < run->store->owned; slot++) {
        const int64_t words = p->part->list_words(p->state, slot);
        if (words == 0) continue;
        put_word(to, run->store->gids[slot]);
        put_word(to, words);
        unsigned char *at = append(to, 8 * words);
        if (at) p->part->pack_list(p->state, slot, (int64_t *)(void *)at);
    }
}

pen_status pen_checkpoint_list(const pen_run *run, pen_bytes *to)
{
    PEN_FOR_PARTS (p, run, pack_list) put_lists(run, p, to);
    return to->status;
}

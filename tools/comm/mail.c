/* mail.c - delivers the records of a halo one-sided or two-sided, as runs deliver mail. */
#include "tools/comm/mail.h"
#include "base/memory.h"

#include <stdlib.h>

pen_status pen_comm_mail_open(const pen_halo *halo, comm_mail *mail)
{
    pen_comm *comm = halo->store->comm;
    PEN_TRY(pen_agree(comm, PEN_ALLOC(&mail->bytes, comm->size)));
    if (!halo->transport->one_sided) return PEN_OK;
    PEN_TRY(pen_pull_open(halo, &mail->pull));
    return mail->pull.transport ? PEN_OK : pen_fail(PEN_ERR_ENVIRONMENT, "%s", pen_environment_reason());
}

static int64_t lay_out(const pen_store *store, int64_t *bytes)
{
    int64_t sum = 0;
    memset(bytes, 0, (size_t)store->comm->size * sizeof *bytes);
    for (int i = 0; i < store->consumer_count; i++) {
        const pen_partner *consumer = &store->consumers[i];
        sum += bytes[consumer->rank] = consumer->count * (int64_t)store->sizes[0];
    }
    return sum;
}

/* Copy the records for each consumer into its block. */
static void pack(const pen_store *store, const pen_blocks *send)
{
    const size_t size = store->sizes[0];
    const unsigned char *plane = pen_store_plane(store, 0, 1);
    unsigned char *to = send->data;
    for (int i = 0; i < store->consumer_count; i++)
        for (pen_lid j = 0; j < store->consumers[i].count; j++, to += size)
            memcpy(to, plane + (size_t)store->consumers[i].slots[j] * size, size);
}

/* Blocks are those of the producers, in their order, which is that of the shadows. */
static void unpack(const pen_store *store, const comm_mail *mail, bool pulled)
{
    unsigned char *to = pen_store_plane(store, 0, 1) + (size_t)store->owned * store->sizes[0];
    for (int i = 0; i < store->producer_count; i++) {
        const size_t bytes = (size_t)store->producers[i].count * store->sizes[0];
        memcpy(to, pulled ? mail->pull.at[i] : mail->received.data + mail->received.offsets[i], bytes);
        to += bytes;
    }
}

uint64_t pen_comm_mail_deliver(pen_halo *halo, comm_mail *mail)
{
    const pen_store *store = halo->store;
    pen_pull *pull = &mail->pull;
    const bool pulls = halo->transport->one_sided;
    const int64_t sum = lay_out(store, mail->bytes);
    int64_t most;
    uint64_t ticks = pen_ticks();
    if (pulls) PEN_STEP(pen_pull_reserve(halo, pull, PEN_OK, sum, &most));
    ticks = pen_ticks() - ticks;
    if (pulls && !pull->transport) pen_die("%s", pen_error_message());
    if (pulls) mail->send.data = pull->window.base;
    if (pulls) mail->send_room = pull->window.bytes;
    PEN_STEP(pen_blocks_open_into(store->comm->size, mail->bytes, &mail->send, &mail->send_room));
    pack(store, &mail->send);
    const uint64_t start = pen_ticks();
    if (pulls) PEN_STEP(pen_pull_blocks(halo, pull, PEN_OK, &mail->send));
    else PEN_STEP(pen_sparse_exchange_into(store->comm, PEN_OK, &mail->send, &mail->received, &mail->received_room));
    ticks += pen_ticks() - start;
    unpack(store, mail, pulls);
    return ticks;
}

void pen_comm_mail_close(comm_mail *mail)
{
    if (mail->pull.transport) mail->send.data = NULL; /* it lies in the window */
    pen_pull_close(&mail->pull);
    pen_blocks_free(&mail->send);
    pen_blocks_free(&mail->received);
    free(mail->bytes);
    *mail = (comm_mail){ .bytes = NULL };
}

/* shards.c - copies the shards of checkpoints from host to host, and reads a checkpoint from its shards. */
#include "checkpoint/shards.h"
#include "base/memory.h"
#include "base/sparse.h"
#include "base/text_file.h"
#include "checkpoint/file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The copy ---------------------------------------------------------------------------------- */

enum { PIECE = 4 << 20 };

/* Copies a file of this host to the next host, between the lowest ranks of the hosts. */
typedef struct copying {
    const pen_new_file *own, *copy;
    int64_t sizes[2];      /* sizes of the two files in bytes */
    unsigned char *buffer; /* [2*PIECE] the bytes to send, and the received bytes */
} copying;

static pen_status begin(copying *c, const char *path, pen_new_file *copy)
{
    struct stat found;
    if (fstat(c->own->file, &found) != 0)
        return pen_fail(PEN_ERR_IO, "%s: cannot read: %s", c->own->path, strerror(errno));
    c->sizes[0] = (int64_t)found.st_size;
    PEN_TRY(PEN_ALLOC(&c->buffer, 2 * PIECE));
    return pen_new_file_create(path, copy);
}

static int piece_at(int64_t size, int64_t at)
{
    if (at >= size) return 0;
    return size - at < PIECE ? (int)(size - at) : PIECE;
}

/* Collective over `lowest`. A rank that can no longer read or write stays in the loop with the others. */
static pen_status exchange(copying *c, MPI_Comm lowest)
{
    int host, hosts;
    pen_status status = PEN_OK;
    PEN_MPI(MPI_Comm_rank(lowest, &host));
    PEN_MPI(MPI_Comm_size(lowest, &hosts));
    const int after = (host + 1) % hosts, before = (host + hosts - 1) % hosts;
    PEN_MPI(MPI_Sendrecv(&c->sizes[0], 1, MPI_INT64_T, after, 0, &c->sizes[1], 1, MPI_INT64_T, before, 0, lowest,
                         MPI_STATUS_IGNORE));
    const int64_t most = c->sizes[0] > c->sizes[1] ? c->sizes[0] : c->sizes[1];
    for (int64_t at = 0; at < most; at += PIECE) {
        const int goes = piece_at(c->sizes[0], at), comes = piece_at(c->sizes[1], at);
        unsigned char *came = c->buffer + PIECE;
        if (status == PEN_OK) status = pen_read_at(c->own->file, c->own->path, c->buffer, goes, at);
        PEN_MPI(MPI_Sendrecv(c->buffer, goes, MPI_BYTE, after, 0, came, comes, MPI_BYTE, before, 0, lowest,
                             MPI_STATUS_IGNORE));
        if (status == PEN_OK) status = pen_write_at(c->copy->file, c->copy->path, came, comes, at);
    }
    return status;
}

pen_status pen_shards_copy(pen_comm *comm, MPI_Comm lowest, const pen_new_file *own, const char *path, pen_status mine,
                           pen_new_file *copy)
{
    copying c = { .own = own, .copy = copy };
    const bool takes_part = lowest != MPI_COMM_NULL;
    if (mine == PEN_OK && takes_part) mine = begin(&c, path, copy);
    pen_status status = pen_agree(comm, mine);
    if (status == PEN_OK) status = pen_agree(comm, takes_part ? exchange(&c, lowest) : PEN_OK);
    free(c.buffer);
    return status;
}

/* ---- Finding the shards -------------------------------------------------------------------------- */

/* The description of a part, as sent to rank 0; its table follows. */
typedef struct part {
    pen_checkpoint_header header;
    int64_t kind; /* 0: the part of the host's own ranks, 1: a copy */
} part;
_Static_assert(sizeof(part) == 96, "as many words");

/* The heads of the files on this host, which its lowest rank keeps while parts are searched. */
typedef struct heads {
    part parts[2];
    pen_chunk *tables[2];
    unsigned char *abouts[2];
    bool there[2];
} heads;

static int64_t table_size(const part *p) { return p->header.chunks * (int64_t)sizeof(pen_chunk); }

/* Read the heads of both files. A file that cannot be read counts as missing. */
static void look(char *const paths[2], heads *h)
{
    for (int k = 0; k < 2; k++) {
        part *p = &h->parts[k];
        p->kind = k;
        if (!paths[k] || access(paths[k], F_OK) != 0) continue;
        const pen_status status = pen_checkpoint_read_head(paths[k], true, &p->header, &h->abouts[k], &h->tables[k]);
        h->there[k] = status == PEN_OK && p->header.set != 0;
        if (status != PEN_OK) pen_warn("%s", pen_error_message());
    }
}

static pen_status pack(const pen_comm *comm, const heads *h, pen_blocks *send)
{
    int64_t *bytes;
    PEN_TRY(PEN_ALLOC_ZERO(&bytes, comm->size));
    for (int k = 0; k < 2; k++) bytes[0] += h->there[k] ? (int64_t)sizeof(part) + table_size(&h->parts[k]) : 0;
    pen_status status = pen_blocks_open(comm->size, bytes, send);
    free(bytes);
    PEN_TRY(status);
    unsigned char *to = send->data;
    for (int k = 0; k < 2; k++) {
        if (!h->there[k]) continue;
        memcpy(to, &h->parts[k], sizeof(part));
        to += sizeof(part);
        if (table_size(&h->parts[k]) > 0) memcpy(to, h->tables[k], (size_t)table_size(&h->parts[k]));
        to += table_size(&h->parts[k]);
    }
    return PEN_OK;
}

/* ---- Choice of parts ------------------------------------------------------------------------------ */

/* A part that rank 0 knows. */
typedef struct heard {
    const part *part;
    const pen_chunk *table;
    int holder;   /* the rank that has the file */
    int64_t next; /* next line of its table */
} heard;

/* Rank 0. The plan by which the checkpoint is made of its parts. */
typedef struct plan {
    heard *parts; /* [count] the parts */
    int count;
    int *part_of; /* [header.ranks] index of the part that supplies each rank's chunks */
    pen_checkpoint_header header;
    pen_chunk *table; /* [header.chunks] table of the checkpoint, as if it were one file */
    int64_t *begins;  /* [header.chunks] offset of each chunk in the file of its part */
} plan;

static pen_status receive_plan(const pen_blocks *received, plan *p)
{
    int64_t room = 0;
    for (int b = 0; b < received->count; b++) {
        const unsigned char *at = received->data + received->offsets[b],
                            *end = received->data + received->offsets[b + 1];
        while (at < end) {
            const part *found = (const part *)(const void *)at;
            PEN_TRY(pen_reserve(&p->parts, sizeof *p->parts, p->count + 1, &room));
            p->parts[p->count++] = (heard){ .part = found,
                                            .table = (const pen_chunk *)(const void *)(at + sizeof *found),
                                            .holder = received->ranks[b] };
            at += (int64_t)sizeof *found + table_size(found);
        }
    }
    return PEN_OK;
}

static bool belongs(const heard *h, const heard *to)
{
    return h->part->header.set == to->part->header.set && h->part->header.ranks == to->part->header.ranks;
}

/* Choose the part that supplies the chunks of each rank; originals are preferred to copies. *missing: the first rank
 * without a part; -1: there is a part for each. */
static pen_status find_parts(plan *p, const heard *one, int64_t *missing)
{
    const int64_t ranks = one->part->header.ranks;
    int64_t lines = 0;
    for (int i = 0; i < p->count; i++) lines += belongs(&p->parts[i], one) ? p->parts[i].part->header.chunks : 0;
    *missing = ranks - 1;
    if (lines < ranks) return PEN_OK; /* each rank has written some lines, so a rank is missing */
    free(p->part_of);
    PEN_TRY(PEN_ALLOC(&p->part_of, ranks));
    for (int64_t r = 0; r < ranks; r++) p->part_of[r] = -1;
    for (int64_t kind = 0; kind < 2; kind++)
        for (int i = 0; i < p->count; i++) {
            const heard *h = &p->parts[i];
            for (int64_t k = 0; h->part->kind == kind && belongs(h, one) && k < h->part->header.chunks; k++)
                if (p->part_of[h->table[k].rank] < 0) p->part_of[h->table[k].rank] = i;
        }
    *missing = -1;
    for (int64_t r = ranks - 1; r >= 0; r--)
        if (p->part_of[r] < 0) *missing = r;
    return PEN_OK;
}

static bool is_first_of_set(const plan *p, int i)
{
    for (int k = 0; k < i; k++)
        if (belongs(&p->parts[k], &p->parts[i])) return false;
    return true;
}

/* Merge the table entries of all ranks, ascending, as if their chunks were in one file. */
static pen_status merge(plan *p, const heard *one)
{
    pen_checkpoint_header *h = &p->header;
    int64_t at = (int64_t)sizeof *h, room = 0, more = 0;
    *h = (pen_checkpoint_header){ .ranks = one->part->header.ranks,
                                  .size = one->part->header.size - one->part->header.about };
    for (int64_t r = 0; r < h->ranks; r++) {
        heard *from = &p->parts[p->part_of[r]];
        while (from->next < from->part->header.chunks && from->table[from->next].rank < r) from->next++;
        for (; from->next < from->part->header.chunks && from->table[from->next].rank == r; from->next++) {
            PEN_TRY(pen_reserve(&p->table, sizeof *p->table, h->chunks + 1, &room));
            PEN_TRY(pen_reserve(&p->begins, sizeof *p->begins, h->chunks + 1, &more));
            p->table[h->chunks] = from->table[from->next];
            p->begins[h->chunks] = from->table[from->next].offset;
            p->table[h->chunks++].offset = at;
            at += from->table[from->next].bytes;
        }
    }
    h->table = at;
    return PEN_OK;
}

/* Rank 0. Make the plan. `about` becomes the rank that has the checkpoint's `about`, and the index of its file. */
static pen_status make_plan(const pen_checkpoint *c, const pen_blocks *received, plan *p, int64_t about[2])
{
    int64_t missing = 0;
    PEN_TRY(receive_plan(received, p));
    for (int i = 0; i < p->count; i++) {
        if (!is_first_of_set(p, i)) continue;
        PEN_TRY(find_parts(p, &p->parts[i], &missing));
        if (missing >= 0) continue;
        about[0] = p->parts[i].holder;
        about[1] = p->parts[i].part->kind;
        return merge(p, &p->parts[i]);
    }
    return pen_fail(PEN_ERR_INPUT, "%s: incomplete: for example, the shard of rank %" PRId64, c->path, missing);
}

/* ---- Chunks ------------------------------------------------------------------------------------------ */

/* An order: read these bytes of your host's part for that rank; their offset in the whole is `at`. */
typedef struct order {
    int64_t kind, offset, bytes, rank, at;
} order;

/* Rank 0. hosts[ranks]: the number of each rank's host. A rank on the host of a part reads it itself; the part's holder
 * reads it for other ranks. */
static pen_status give_orders(const pen_comm *comm, const plan *p, const int *hosts, pen_blocks *send)
{
    const int64_t count = p->header.chunks;
    order *orders = NULL;
    int *to = NULL, *begins = NULL;
    pen_status status = PEN_ALLOC(&orders, count);
    if (status == PEN_OK) status = PEN_ALLOC(&to, count);
    if (status == PEN_OK) status = PEN_ALLOC(&begins, (int64_t)comm->size + 1);
    if (status == PEN_OK) {
        pen_checkpoint_deal(&p->header, p->table, comm->size, begins);
        for (int64_t i = 0, rank = 0; i < count; i++) {
            while (begins[rank + 1] <= i) rank++;
            const heard *from = &p->parts[p->part_of[p->table[i].rank]];
            orders[i] = (order){ from->part->kind, p->begins[i], p->table[i].bytes, rank, p->table[i].offset };
            to[i] = hosts[rank] == hosts[from->holder] ? (int)rank : from->holder;
        }
        status = pen_blocks_group(count, to, orders, sizeof *orders, send, NULL);
    }
    PEN_FREE_ALL(orders, to, begins);
    return status;
}

/* Collective. */
static pen_status share_orders(pen_comm *comm, const plan *p, pen_blocks *received)
{
    pen_blocks send = { .count = 0 };
    int *hosts = NULL;
    pen_status status = comm->rank == 0 ? PEN_ALLOC(&hosts, comm->size) : PEN_OK;
    PEN_TRY(pen_agree(comm, status));
    PEN_MPI(MPI_Gather(&comm->host_number, 1, MPI_INT, hosts, 1, MPI_INT, 0, comm->mpi));
    if (comm->rank == 0) status = give_orders(comm, p, hosts, &send);
    free(hosts);
    status = pen_sparse_exchange(comm, status, &send, received);
    pen_blocks_free(&send);
    return status;
}

/* The address in this rank's memory of the bytes at an offset of the whole. */
static unsigned char *place_of(const pen_checkpoint *c, int64_t at) { return c->data + (at - c->chunks[0].offset); }

static pen_status measure(const pen_comm *comm, const order *orders, int64_t count, pen_blocks *send, int64_t **bytes)
{
    PEN_TRY(PEN_ALLOC_ZERO(bytes, comm->size));
    for (int64_t i = 0; i < count; i++)
        if (orders[i].rank != comm->rank) (*bytes)[orders[i].rank] += (int64_t)sizeof(order) + orders[i].bytes;
    return pen_blocks_open(comm->size, *bytes, send);
}

/* Bytes for other ranks follow the order that requested them. */
static pen_status follow(const pen_comm *comm, char *const paths[2], const order *orders, int64_t count,
                         const pen_checkpoint *c, pen_blocks *send)
{
    int files[2] = { -1, -1 };
    int64_t *bytes = NULL, size;
    pen_status status = measure(comm, orders, count, send, &bytes);
    for (int64_t i = 0; status == PEN_OK && i < count; i++) {
        const order *o = &orders[i];
        unsigned char *to = NULL;
        if (files[o->kind] < 0) status = pen_regular_descriptor(paths[o->kind], true, &files[o->kind], &size);
        if (status != PEN_OK) break;
        if (o->rank == comm->rank) {
            to = place_of(c, o->at);
        } else {
            to = send->data + bytes[o->rank];
            memcpy(to, o, sizeof *o);
            to += sizeof *o;
            bytes[o->rank] += (int64_t)sizeof *o + o->bytes;
        }
        status = pen_read_at(files[o->kind], paths[o->kind], to, o->bytes, o->offset);
    }
    for (int k = 0; k < 2; k++)
        if (files[k] >= 0) close(files[k]);
    free(bytes);
    return status;
}

static void receive(const pen_blocks *received, const pen_checkpoint *c)
{
    const unsigned char *at = received->data, *end = at + pen_blocks_bytes(received);
    while (at < end) {
        order o;
        memcpy(&o, at, sizeof o);
        memcpy(place_of(c, o.at), at + sizeof o, (size_t)o.bytes);
        at += (int64_t)sizeof o + o.bytes;
    }
}

/* Collective. */
static pen_status bring_chunks(pen_comm *comm, char *const paths[2], const plan *p, pen_checkpoint *c)
{
    pen_blocks orders = { .count = 0 }, send = { .count = 0 }, received = { .count = 0 };
    int64_t size = 0;
    PEN_TRY(share_orders(comm, p, &orders));
    for (int64_t i = 0; i < c->count; i++) size += c->chunks[i].bytes;
    pen_status status = pen_alloc(&c->data, size, 1);
    if (status == PEN_OK && orders.count > 0)
        status = follow(comm, paths, (const order *)(const void *)orders.data,
                        orders.offsets[orders.count] / (int64_t)sizeof(order), c, &send);
    status = pen_sparse_exchange(comm, status, &send, &received);
    if (status == PEN_OK) receive(&received, c);
    pen_blocks_free(&orders);
    pen_blocks_free(&send);
    pen_blocks_free(&received);
    return pen_agree(comm, status == PEN_OK ? pen_checkpoint_check(c) : status);
}

/* ---- The whole checkpoint ------------------------------------------------------------------------------ */

/* Collective. Broadcast `about` from a rank that has it. */
static pen_status share_about(pen_comm *comm, heads *h, const plan *p, int64_t about[2], pen_checkpoint *c)
{
    int64_t facts[3] = { about[0], about[1], p->header.ranks };
    PEN_TRY(pen_broadcast(comm, facts, 3 * (int)sizeof *facts, 0));
    c->ranks = (int)facts[2];
    if (facts[0] == comm->rank) {
        c->about = h->abouts[facts[1]];
        c->about_size = h->parts[facts[1]].header.size - h->parts[facts[1]].header.about;
        h->abouts[facts[1]] = NULL;
    }
    return pen_checkpoint_share(comm, (int)facts[0], &c->about, &c->about_size);
}

pen_status pen_shards_read(pen_comm *comm, char *const paths[2], pen_checkpoint *c)
{
    heads h = { .there = { false, false } };
    plan p = { .count = 0 };
    pen_blocks send = { .count = 0 }, received = { .count = 0 };
    int64_t about[2] = { 0, 0 };
    pen_status status = PEN_OK;
    if (comm->host_rank == 0) {
        look(paths, &h);
        status = pack(comm, &h, &send);
    }
    status = pen_sparse_exchange(comm, status, &send, &received);
    if (status == PEN_OK && comm->rank == 0) status = make_plan(c, &received, &p, about);
    status = pen_agree(comm, status);
    if (status == PEN_OK) status = share_about(comm, &h, &p, about, c);
    if (status == PEN_OK) status = pen_checkpoint_deal_out(comm, &p.header, p.table, c);
    if (status == PEN_OK) status = bring_chunks(comm, paths, &p, c);
    PEN_FREE_ALL(h.tables[0], h.tables[1], h.abouts[0], h.abouts[1], p.parts, p.part_of, p.table, p.begins);
    pen_blocks_free(&send);
    pen_blocks_free(&received);
    return status;
}

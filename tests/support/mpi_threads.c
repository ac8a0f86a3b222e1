#include "tests/support/mpi_threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = MPI_THREADS_MOST };

/* ---- Random waits ------------------------------------------------------------------------------- */

static _Thread_local uint64_t randomness;

unsigned mpi_threads_draw(unsigned below)
{
    randomness = randomness * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(randomness >> 33) % below;
}

void mpi_threads_dawdle(void)
{
    switch (mpi_threads_draw(16)) {
    case 0: sched_yield(); break;
    case 1:
        for (volatile unsigned i = mpi_threads_draw(2000); i > 0; i--) continue;
        break;
    default: break;
    }
}

/* ---- Communicators ------------------------------------------------------------------------------ */

typedef struct message {
    int tag, bytes;
    _Atomic(struct message *) next;
    unsigned char data[];
} message;

/* Of one sender and one receiver. */
typedef struct mailbox {
    message *last;  /* the sender's */
    message *first; /* the receiver's: it has been read; what follows has not */
} mailbox;

typedef struct group {
    int size;
    int world[MOST]; /* numbers in MPI_COMM_WORLD */
} group;

/* What the ranks of a communicator share. */
typedef struct meeting {
    group members;
    atomic_int met, left; /* how often, by all ranks together */
    void *brought[MOST];
    mailbox mail[MOST][MOST]; /* [from][to] */
} meeting;

typedef struct communicator {
    int rank, hosts;
    meeting *shared;
    int meetings; /* of this rank */
} communicator;

static communicator *of(MPI_Comm comm) { return (communicator *)(void *)comm; }

static void *allocate(size_t bytes)
{
    void *block = calloc(1, bytes ? bytes : 1);
    if (!block) abort();
    return block;
}

static meeting *meeting_new(const group *members)
{
    meeting *m = allocate(sizeof *m);
    m->members = *members;
    for (int from = 0; from < members->size; from++)
        for (int to = 0; to < members->size; to++)
            m->mail[from][to].first = m->mail[from][to].last = allocate(sizeof(message));
    return m;
}

static void meeting_free(meeting *m)
{
    for (int from = 0; from < m->members.size; from++)
        for (int to = 0; to < m->members.size; to++)
            for (message *next, *each = m->mail[from][to].first; each; each = next) {
                next = each->next;
                free(each);
            }
    free(m);
}

static void meet(communicator *c)
{
    mpi_threads_dawdle();
    const int all = ++c->meetings * c->shared->members.size;
    atomic_fetch_add_explicit(&c->shared->met, 1, memory_order_acq_rel);
    while (atomic_load_explicit(&c->shared->met, memory_order_acquire) < all) sched_yield();
}

/* All ranks contribute data, and look at the others' until they leave. */
static void **bring(communicator *c, const void *mine)
{
    union {
        const void *from;
        void *to;
    } any = { mine };
    c->shared->brought[c->rank] = any.to;
    meet(c);
    return c->shared->brought;
}

/* The ranks for which `with` is true make a communicator, which the first of them allocates. */
static communicator *split(communicator *c, bool (*with)(communicator *c, int rank))
{
    communicator *made = allocate(sizeof *made);
    group members = { 0 };
    int first = -1;
    for (int rank = 0; rank < c->shared->members.size; rank++) {
        if (!with(c, rank)) continue;
        if (first < 0) first = rank;
        if (rank == c->rank) made->rank = members.size;
        members.world[members.size++] = c->shared->members.world[rank];
    }
    void **brought = bring(c, c->rank == first ? meeting_new(&members) : NULL);
    made->shared = brought[first];
    made->hosts = c->hosts;
    meet(c);
    return made;
}

static bool with_all(communicator *c, int rank)
{
    (void)c;
    (void)rank;
    return true;
}

static int host_of(communicator *c, int rank) { return rank * c->hosts / c->shared->members.size; }
static bool with_host(communicator *c, int rank) { return host_of(c, rank) == host_of(c, c->rank); }

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    *made = (MPI_Comm)(void *)split(of(comm), with_all);
    return MPI_SUCCESS;
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
    (void)type;
    (void)key;
    (void)info;
    communicator *host = split(of(comm), with_host);
    host->hosts = 1;
    *made = (MPI_Comm)(void *)host;
    return MPI_SUCCESS;
}

int MPI_Comm_free(MPI_Comm *comm)
{
    communicator *c = of(*comm);
    const int size = c->shared->members.size;
    if (atomic_fetch_add_explicit(&c->shared->left, 1, memory_order_acq_rel) == size - 1) meeting_free(c->shared);
    free(c);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

static _Thread_local communicator *this_world;

static communicator *known(MPI_Comm comm) { return comm == MPI_COMM_WORLD ? this_world : of(comm); }

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    *rank = known(comm)->rank;
    return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    *size = known(comm)->shared->members.size;
    return MPI_SUCCESS;
}

int MPI_Comm_compare(MPI_Comm a, MPI_Comm b, int *result)
{
    *result = of(a)->shared->members.size == of(b)->shared->members.size ? MPI_CONGRUENT : MPI_UNEQUAL;
    return MPI_SUCCESS;
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    (void)comm;
    (void)handler;
    return MPI_SUCCESS;
}

int MPI_Comm_group(MPI_Comm comm, MPI_Group *made)
{
    group *g = allocate(sizeof *g);
    *g = of(comm)->shared->members;
    *made = (MPI_Group)(void *)g;
    return MPI_SUCCESS;
}

int MPI_Group_incl(MPI_Group from, int count, const int ranks[], MPI_Group *made)
{
    group *g = allocate(sizeof *g);
    for (int i = 0; i < count; i++) g->world[g->size++] = ((group *)(void *)from)->world[ranks[i]];
    *made = (MPI_Group)(void *)g;
    return MPI_SUCCESS;
}

int MPI_Group_translate_ranks(MPI_Group from, int count, const int ranks[], MPI_Group to, int translated[])
{
    const group *a = (group *)(void *)from, *b = (group *)(void *)to;
    for (int i = 0; i < count; i++) {
        translated[i] = MPI_UNDEFINED;
        for (int rank = 0; rank < b->size; rank++)
            if (b->world[rank] == a->world[ranks[i]]) translated[i] = rank;
    }
    return MPI_SUCCESS;
}

int MPI_Group_free(MPI_Group *g)
{
    free(*g);
    *g = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}

int MPI_Initialized(int *flag)
{
    *flag = 1;
    return MPI_SUCCESS;
}

int MPI_Finalized(int *flag)
{
    *flag = 0;
    return MPI_SUCCESS;
}

int MPI_Query_thread(int *level)
{
    *level = MPI_THREAD_MULTIPLE;
    return MPI_SUCCESS;
}

int MPI_Is_thread_main(int *flag)
{
    *flag = 1;
    return MPI_SUCCESS;
}

int MPI_Info_create(MPI_Info *info)
{
    *info = MPI_INFO_NULL;
    return MPI_SUCCESS;
}

int MPI_Info_set(MPI_Info info, const char *key, const char *value)
{
    (void)info;
    (void)key;
    (void)value;
    return MPI_SUCCESS;
}

int MPI_Info_free(MPI_Info *info)
{
    (void)info;
    return MPI_SUCCESS;
}

int MPI_Abort(MPI_Comm comm, int code)
{
    (void)comm;
    _Exit(code);
}

/* ---- Collectives ----------------------------------------------------------------------------------- */

/* A type that MPI_Type_contiguous has made is its size. */
static size_t size_of(MPI_Datatype type)
{
    if (type == MPI_BYTE || type == MPI_CHAR) return 1;
    if (type == MPI_INT || type == MPI_INT32_T) return 4;
    if (type == MPI_INT64_T || type == MPI_UINT64_T || type == MPI_DOUBLE) return 8;
    return *(const size_t *)(void *)type;
}

int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype *made)
{
    size_t *bytes = allocate(sizeof *bytes);
    *bytes = (size_t)count * size_of(type);
    *made = (MPI_Datatype)(void *)bytes;
    return MPI_SUCCESS;
}

int MPI_Type_commit(MPI_Datatype *type)
{
    (void)type;
    return MPI_SUCCESS;
}

int MPI_Type_free(MPI_Datatype *type)
{
    free(*type);
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

/* Made, but not used, where nothing is observed. */
int MPI_Op_create(MPI_User_function *combining, int commutes, MPI_Op *made)
{
    (void)combining;
    (void)commutes;
    *made = MPI_OP_NULL;
    return MPI_SUCCESS;
}

int MPI_Op_free(MPI_Op *op)
{
    (void)op;
    return MPI_SUCCESS;
}

#define COMBINE(type)                                                           \
    do {                                                                        \
        type *to_ = to;                                                         \
        const type *from_ = from;                                               \
        for (int i = 0; i < count; i++) {                                       \
            if (op == MPI_SUM) to_[i] = (type)(to_[i] + from_[i]);              \
            else if ((op == MPI_MAX) == (from_[i] > to_[i])) to_[i] = from_[i]; \
        }                                                                       \
    } while (0)

static void combine(void *to, const void *from, int count, MPI_Datatype type, MPI_Op op)
{
    if (op == MPI_OP_NULL) abort();
    if (op == MPI_BOR) {
        for (size_t i = 0; i < (size_t)count * size_of(type); i++)
            ((unsigned char *)to)[i] |= ((const unsigned char *)from)[i];
    } else if (type == MPI_INT || type == MPI_INT32_T) COMBINE(int32_t);
    else if (type == MPI_INT64_T) COMBINE(int64_t);
    else if (type == MPI_UINT64_T) COMBINE(uint64_t);
    else if (type == MPI_DOUBLE) COMBINE(double);
    else abort();
}

/* What the ranks from `first` to before `end` have brought, combined. */
static void reduce(communicator *c, const void *mine, void *result, int count, MPI_Datatype type, MPI_Op op, int first,
                   int end)
{
    size_t bytes = (size_t)count * size_of(type);
    void *copy = allocate(bytes), *sum = allocate(bytes);
    memcpy(copy, mine == MPI_IN_PLACE ? result : mine, bytes);
    void **brought = bring(c, copy);
    for (int rank = first; rank < end; rank++) {
        if (rank == first) memcpy(sum, brought[rank], bytes);
        else combine(sum, brought[rank], count, type, op);
    }
    meet(c);
    if (end > first) memcpy(result, sum, bytes);
    free(copy);
    free(sum);
}

int MPI_Allreduce(const void *mine, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    communicator *c = of(comm);
    reduce(c, mine, result, count, type, op, 0, c->shared->members.size);
    return MPI_SUCCESS;
}

int MPI_Type_size(MPI_Datatype type, int *size)
{
    *size = (int)size_of(type);
    return MPI_SUCCESS;
}

int MPI_Reduce_local(const void *in, void *inout, int count, MPI_Datatype type, MPI_Op op)
{
    combine(inout, in, count, type, op);
    return MPI_SUCCESS;
}

int MPI_Scan(const void *mine, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    communicator *c = of(comm);
    reduce(c, mine, result, count, type, op, 0, c->rank + 1);
    return MPI_SUCCESS;
}

int MPI_Exscan(const void *mine, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    communicator *c = of(comm);
    reduce(c, mine, result, count, type, op, 0, c->rank);
    return MPI_SUCCESS;
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    communicator *c = of(comm);
    void **brought = bring(c, data);
    if (c->rank != root) memcpy(data, brought[root], (size_t)count * size_of(type));
    meet(c);
    return MPI_SUCCESS;
}

int MPI_Barrier(MPI_Comm comm)
{
    meet(of(comm));
    return MPI_SUCCESS;
}

/* ---- Messages ---------------------------------------------------------------------------------------- */

typedef struct request {
    communicator *comm;
    void *data;
    int bytes, from, tag;
} request;

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    communicator *c = of(comm);
    mailbox *box = &c->shared->mail[c->rank][to];
    size_t bytes = (size_t)count * size_of(type);
    message *m = allocate(sizeof *m + bytes);
    m->tag = tag;
    m->bytes = (int)bytes;
    if (bytes) memcpy(m->data, data, bytes);
    mpi_threads_dawdle();
    atomic_store_explicit(&box->last->next, m, memory_order_release);
    box->last = m;
    return MPI_SUCCESS;
}

enum { READ = -1 }; /* in place of a tag */

/* The first message with that tag leaves the queue; the last one, at which its sender continues, stays. */
static void receive(const request *r)
{
    mailbox *box = &r->comm->shared->mail[r->from][r->comm->rank];
    message *m, *behind;
    while ((m = atomic_load_explicit(&box->first->next, memory_order_acquire)) && m->tag == READ) {
        free(box->first);
        box->first = m;
    }
    message *before = box->first;
    while (!(m = atomic_load_explicit(&before->next, memory_order_acquire)) || m->tag != r->tag) {
        if (m) before = m;
        else sched_yield();
    }
    if (m->bytes > r->bytes) abort();
    if (m->bytes) memcpy(r->data, m->data, (size_t)m->bytes);
    m->tag = READ;
    if (!(behind = atomic_load_explicit(&m->next, memory_order_acquire))) return;
    atomic_store_explicit(&before->next, behind, memory_order_relaxed);
    free(m);
}

int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    (void)status;
    receive(&(request){ of(comm), data, (int)((size_t)count * size_of(type)), from, tag });
    return MPI_SUCCESS;
}

int MPI_Sendrecv(const void *data, int count, MPI_Datatype type, int to, int tag, void *room, int its_count,
                 MPI_Datatype its_type, int from, int its_tag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Send(data, count, type, to, tag, comm);
    return MPI_Recv(room, its_count, its_type, from, its_tag, comm, status);
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *made)
{
    *made = MPI_REQUEST_NULL;
    return MPI_Send(data, count, type, to, tag, comm);
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *made)
{
    request *r = allocate(sizeof *r);
    *r = (request){ of(comm), data, (int)((size_t)count * size_of(type)), from, tag };
    *made = (MPI_Request)(void *)r;
    return MPI_SUCCESS;
}

int MPI_Wait(MPI_Request *one, MPI_Status *status)
{
    (void)status;
    if (*one == MPI_REQUEST_NULL) return MPI_SUCCESS;
    receive((request *)(void *)*one);
    free(*one);
    *one = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    (void)statuses;
    for (int i = 0; i < count; i++) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    return MPI_SUCCESS;
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    (void)from;
    (void)tag;
    (void)comm;
    (void)status;
    *flag = 0;
    return MPI_SUCCESS;
}

/* ---- Running ------------------------------------------------------------------------------------------- */

typedef struct rank {
    pthread_t thread;
    communicator world;
    unsigned seed;
    void (*main)(MPI_Comm world, void *context);
    void *context;
} rank;

static void *begin(void *its)
{
    rank *r = its;
    this_world = &r->world;
    randomness = r->seed * UINT64_C(2654435761) + (unsigned)r->world.rank;
    r->main((MPI_Comm)(void *)&r->world, r->context);
    return NULL;
}

void mpi_threads_run(int ranks, int hosts, unsigned seed, void (*rank_main)(MPI_Comm world, void *context),
                     void *context)
{
    rank all[MOST];
    group members = { .size = ranks };
    for (int i = 0; i < ranks; i++) members.world[i] = i;
    meeting *shared = meeting_new(&members);
    for (int i = 0; i < ranks; i++) {
        all[i] = (rank){ .world = { .rank = i, .hosts = hosts, .shared = shared },
                         .seed = seed,
                         .main = rank_main,
                         .context = context };
        if (pthread_create(&all[i].thread, NULL, begin, &all[i]) != 0) abort();
    }
    for (int i = 0; i < ranks; i++) pthread_join(all[i].thread, NULL);
    meeting_free(shared);
}

/* messages.c - messages between two ranks, and requests.
 *
 * A message lies in its receiver's inbox from the call that starts the send. It may not have arrived yet (late), and
 * its bytes may not have been read from the sender's buffer yet; they are read in a later call of the sender, or while
 * it waits. Of the messages of one sender, a receive gets the first that it matches; so does the first of several
 * receives that match. */
#include "tests/support/one_process/requests.h"

#include <math.h>
#include <stdlib.h>

enum { HIDDEN_TAG = -1000 };

static request *request_of(MPI_Request handle) { return sim_of(SIM_REQUEST, handle); }

void sim_tell(MPI_Status *status, int source, int tag, size_t bytes)
{
    if (status == MPI_STATUS_IGNORE) return;
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag;
    status->_ucount = bytes;
}

/* ---- Sends ------------------------------------------------------------------------------------------------ */

static void finish_send(request *r)
{
    if (!r->read || (r->waits && !r->received)) return;
    if (r->found) r->found->send = NULL;
    r->found = NULL;
    r->done = true;
}

static void read_buffer(request *r)
{
    r->found->bytes = sim_allocate(r->size);
    sim_copy(r->found->bytes, r->source, r->size);
    sim_release(r->found);
    r->read = true;
    sim_happened();
    sim_touch(sim_rank_of(r->c, r->peer));
    finish_send(r);
}

/* The clock: the message leaves, or a question before a long one. */
static void depart(request *r, message *m)
{
    if (!sim.clock) return;
    sim_spend(sim_overhead());
    r->ends = sim_me->time;
    m->long_one = (double)r->size > sim.clock->eager;
    m->comes = sim_transfer(sim_me, sim_rank_of(r->c, r->peer), m->long_one ? 0 : r->size, sim_me->time, NULL);
}

double sim_arrival(message *m, double begun)
{
    if (!sim.clock) return 0.0;
    const double matched = m->comes > begun ? m->comes : begun;
    double left = matched, comes = matched;
    if (m->long_one || (m->send && m->send->synchronous))
        left = sim_transfer(sim_me, m->by, 0, matched, NULL); /* the answer */
    if (m->long_one) comes = sim_transfer(m->by, sim_me, m->size, left, &left);
    if (m->send && left > m->send->ends && (m->long_one || m->send->synchronous)) m->send->ends = left;
    return comes;
}

static void start_send(request *r)
{
    sim_comm *c = r->c;
    r->active = true;
    r->done = r->read = r->received = false;
    if (r->peer == MPI_PROC_NULL) {
        r->done = true;
        return;
    }
    (void)sim_rank_of(c, r->peer);
    message *m = sim_allocate(sizeof *m);
    *m = (message){ .from = c->rank, .tag = r->tag, .size = r->size, .send = r, .by = sim_me };
    depart(r, m);
    if (sim_takes(ONE_PROCESS_ARRIVE_LATE)) m->late = 1 + sim_draw(8);
    r->found = m;
    r->waits = r->synchronous || m->long_one || sim_takes(ONE_PROCESS_SEND_WAITS);
    message **at = &c->shared->inbox[r->peer];
    while (*at) at = &(*at)->next;
    *at = m;
    sim_happened();
    if (!sim_takes(ONE_PROCESS_SEND_LATE)) {
        read_buffer(r);
        return;
    }
    r->next = NULL;
    request **last = &sim_me->sends;
    while (*last) last = &(*last)->next;
    *last = r;
}

/* ---- Receives ----------------------------------------------------------------------------------------------- */

static void start_receive(request *r)
{
    r->begun = r->ends = sim_me->time;
    r->active = true;
    r->done = false;
    r->found = NULL;
    if (r->peer == MPI_PROC_NULL) {
        r->done = true;
        r->its_source = MPI_PROC_NULL;
        r->its_tag = MPI_ANY_TAG;
        r->its_size = 0;
        return;
    }
    if (r->peer != MPI_ANY_SOURCE) (void)sim_rank_of(r->c, r->peer);
    if (r->size && sim_takes(ONE_PROCESS_GARBAGE)) {
        r->before = sim_allocate(r->size);
        sim_copy(r->before, r->bytes, r->size);
        sim_spoil(r->bytes, r->size);
    }
    sim_lend(r->bytes, r->size);
    r->next = NULL;
    request **last = &sim_me->receives;
    while (*last) last = &(*last)->next;
    *last = r;
}

bool sim_matches(const message *m, int source, int tag)
{
    return (source == MPI_ANY_SOURCE || m->from == source) && (tag == MPI_ANY_TAG ? m->tag >= 0 : m->tag == tag);
}

message **sim_look(sim_comm *c, int source, int tag, double before)
{
    message **found = NULL, **inbox = &c->shared->inbox[c->rank];
    unsigned others = 0;
    for (message **at = inbox; *at; at = &(*at)->next) {
        if (!sim_matches(*at, source, tag)) continue;
        if ((*at)->comes > before) continue;
        bool first = !(*at)->reserved;
        for (const message *m = *inbox; first && m != *at; m = m->next)
            first = m->from != (*at)->from || !sim_matches(m, source, tag);
        if (!first) continue;
        if (!found) found = at;
        else if (sim_takes(ONE_PROCESS_OTHER_SENDER) && sim_draw(++others + 1) == 0) found = at;
        if (source != MPI_ANY_SOURCE || sim.rates[ONE_PROCESS_OTHER_SENDER] == 0) break;
    }
    if (!found) return NULL;
    if ((*found)->late == 0) return found;
    (*found)->late--;
    return NULL;
}

message *sim_take(message **at)
{
    message *m = *at;
    *at = m->next;
    m->next = NULL;
    sim_happened();
    return m;
}

size_t sim_receive(message *m, unsigned char *bytes, size_t size, unsigned char *before)
{
    if (m->size > size)
        sim_wrong("a message of %zu bytes from rank %d, tag %d, is longer than its buffer of %zu", m->size, m->from,
                  m->tag, size);
    sim_acquire(m);
    const size_t length = m->size;
    sim_copy(bytes, m->bytes, length);
    if (before && size > length) sim_copy(bytes + length, before + length, size - length);
    if (m->send) {
        request *r = m->send;
        r->received = true;
        sim_touch(&sim.ranks[m->by->number]);
        r->found = NULL;
        finish_send(r);
    }
    free(m->bytes);
    sim_happened();
    return length;
}

static void finish_receive(request *r)
{
    message *m = r->found;
    r->its_source = m->from;
    r->its_tag = m->tag;
    r->ends = sim_arrival(m, r->begun);
    sim_return(r->bytes, r->size);
    r->its_size = sim_receive(m, r->bytes, r->size, r->before);
    if (r->tag == HIDDEN_TAG && r->its_size != r->size)
        sim_wrong("MPI_Neighbor_alltoallw: %zu bytes are not %zu", r->its_size, r->size);
    free(m);
    free(r->before);
    r->before = NULL;
    r->found = NULL;
    r->done = true;
}

void sim_progress_messages(void)
{
    for (request **at = &sim_me->sends; *at;) {
        request *r = *at;
        if (sim_takes(ONE_PROCESS_SEND_LATE)) {
            at = &r->next;
            continue;
        }
        *at = r->next;
        read_buffer(r);
    }
    for (request **at = &sim_me->receives; *at;) {
        request *r = *at;
        if (!r->found) {
            message **found = sim_look(r->c, r->peer, r->tag, HUGE_VAL);
            if (found) r->found = sim_take(found);
            else
                for (message *m = r->c->shared->inbox[r->c->rank]; m; m = m->next)
                    if (sim_matches(m, r->peer, r->tag)) m->reserved = true;
        }
        if (!r->found || !r->found->bytes) {
            at = &r->next;
            continue;
        }
        *at = r->next;
        finish_receive(r);
    }
    for (request *r = sim_me->receives; r; r = r->next)
        for (message *m = r->c->shared->inbox[r->c->rank]; m; m = m->next) m->reserved = false;
}

/* ---- Waiting -------------------------------------------------------------------------------------------------- */

static bool is_done(request *r)
{
    if (r->what == BARRIER && !r->done && r->round->arrived == r->c->shared->size) {
        for (int i = 0; i < r->c->shared->size; i++) sim_acquire(&r->round->parts[i]);
        r->ends = sim_round_time(r->c, r->round);
        sim_go(r->c, r->round);
        r->done = true;
    }
    return r->done || !r->active;
}

/* For tests: whether the present rank can know it by now. */
static bool is_over(request *r) { return is_done(r) && (!r->active || r->ends <= sim_me->time); }

/* Whether a look at it may be worth while. */
static bool may_be_received(const request *r)
{
    if (r->found) return r->found->bytes != NULL;
    for (const message *m = r->c->shared->inbox[r->c->rank]; m; m = m->next)
        if (sim_matches(m, r->peer, r->tag)) return true;
    return false;
}

bool sim_messages_get_on(const sim_rank *rank)
{
    if (rank->sends) return true;
    for (const request *r = rank->receives; r; r = r->next)
        if (may_be_received(r)) return true;
    return false;
}

static bool may_be_done(void *what)
{
    const request *r = what;
    return r->done || (r->what == BARRIER && r->round->arrived == r->c->shared->size);
}

static void wait_for(request *r)
{
    while (!is_done(r)) sim_wait(may_be_done, r);
}

static void end_request(MPI_Request *handle, MPI_Status *status)
{
    request *r = request_of(*handle);
    if (r->active) sim_arrive(r->ends);
    if (r->what == RECEIVES && r->active && r->peer != MPI_PROC_NULL) sim_spend(sim_overhead());
    if (r->what == RECEIVES && r->active) sim_tell(status, r->its_source, r->its_tag, r->its_size);
    else sim_tell(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
    r->active = false;
    if (r->persistent) return;
    sim_free(SIM_REQUEST, r);
    *handle = MPI_REQUEST_NULL;
}

static void wait_one(MPI_Request *handle, MPI_Status *status)
{
    if (*handle == MPI_REQUEST_NULL) {
        sim_tell(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
        return;
    }
    request *r = request_of(*handle);
    sim_me->peer = r->peer;
    sim_me->tag = r->tag;
    wait_for(r);
    end_request(handle, status);
}

int MPI_Wait(MPI_Request *handle, MPI_Status *status)
{
    SIM_ENTER("MPI_Wait");
    wait_one(handle, status);
    return SIM_LEAVE();
}

int MPI_Waitall(int count, MPI_Request handles[], MPI_Status statuses[])
{
    SIM_ENTER("MPI_Waitall");
    for (int i = 0; i < count; i++)
        wait_one(&handles[i], statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i]);
    return SIM_LEAVE();
}

int MPI_Testall(int count, MPI_Request handles[], int *flag, MPI_Status statuses[])
{
    SIM_ENTER("MPI_Testall");
    *flag = !sim_takes(ONE_PROCESS_NO_FLAG);
    for (int i = 0; i < count; i++)
        if (handles[i] != MPI_REQUEST_NULL && !is_over(request_of(handles[i]))) *flag = 0;
    for (int i = 0; *flag && i < count; i++)
        if (handles[i] != MPI_REQUEST_NULL)
            end_request(&handles[i], statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i]);
    if (!*flag) sim_looked_in_vain();
    return SIM_LEAVE();
}

int MPI_Test(MPI_Request *handle, int *flag, MPI_Status *status)
{
    SIM_ENTER("MPI_Test");
    *flag = *handle == MPI_REQUEST_NULL || (!sim_takes(ONE_PROCESS_NO_FLAG) && is_over(request_of(*handle)));
    if (!*flag) sim_looked_in_vain();
    else if (*handle == MPI_REQUEST_NULL) sim_tell(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
    else end_request(handle, status);
    return SIM_LEAVE();
}

int MPI_Request_free(MPI_Request *handle)
{
    SIM_ENTER("MPI_Request_free");
    if (request_of(*handle)->active) sim_wrong("an active request is freed");
    sim_free(SIM_REQUEST, *handle);
    *handle = MPI_REQUEST_NULL;
    return SIM_LEAVE();
}

/* ---- Calls --------------------------------------------------------------------------------------------------------
 */

static request *new_request(sim_comm *c, const void *source, void *bytes, size_t size, int peer, int tag)
{
    request *r = sim_new(SIM_REQUEST, sizeof *r);
    r->what = source ? SENDS : RECEIVES;
    r->c = c;
    r->source = source;
    r->bytes = bytes;
    r->size = size;
    r->peer = peer;
    r->tag = tag;
    return r;
}

static const char nothing; /* a source without bytes */

static request *new_send(sim_comm *c, const void *source, size_t size, int peer, int tag, bool synchronous)
{
    request *r = new_request(c, source ? source : &nothing, NULL, size, peer, tag);
    if (tag < 0 && tag != HIDDEN_TAG) sim_wrong("%s: tag %d", sim_me->call, tag);
    r->synchronous = synchronous;
    return r;
}

static void wait_and_free(request *r, MPI_Status *status)
{
    MPI_Request handle = (MPI_Request)(void *)r;
    wait_one(&handle, status);
}

#define BYTES ((size_t)count * sim_size_of(type))

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    SIM_ENTER_FOR("MPI_Send", to, tag);
    request *r = new_send(sim_comm_of(comm), data, BYTES, to, tag, false);
    start_send(r);
    wait_and_free(r, MPI_STATUS_IGNORE);
    return SIM_LEAVE();
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *made)
{
    SIM_ENTER_FOR("MPI_Isend", to, tag);
    request *r = new_send(sim_comm_of(comm), data, BYTES, to, tag, false);
    start_send(r);
    *made = (MPI_Request)(void *)r;
    return SIM_LEAVE();
}

int MPI_Issend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *made)
{
    SIM_ENTER_FOR("MPI_Issend", to, tag);
    request *r = new_send(sim_comm_of(comm), data, BYTES, to, tag, true);
    start_send(r);
    *made = (MPI_Request)(void *)r;
    return SIM_LEAVE();
}

int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    SIM_ENTER_FOR("MPI_Recv", from, tag);
    request *r = new_request(sim_comm_of(comm), NULL, data, BYTES, from, tag);
    start_receive(r);
    wait_and_free(r, status);
    return SIM_LEAVE();
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *made)
{
    SIM_ENTER_FOR("MPI_Irecv", from, tag);
    request *r = new_request(sim_comm_of(comm), NULL, data, BYTES, from, tag);
    start_receive(r);
    *made = (MPI_Request)(void *)r;
    return SIM_LEAVE();
}

int MPI_Sendrecv(const void *data, int count, MPI_Datatype type, int to, int tag, void *room, int its_count,
                 MPI_Datatype its_type, int from, int its_tag, MPI_Comm comm, MPI_Status *status)
{
    SIM_ENTER_FOR("MPI_Sendrecv", from, its_tag);
    sim_comm *c = sim_comm_of(comm);
    request *receives = new_request(c, NULL, room, (size_t)its_count * sim_size_of(its_type), from, its_tag);
    start_receive(receives);
    request *sends = new_send(c, data, BYTES, to, tag, false);
    start_send(sends);
    wait_and_free(sends, MPI_STATUS_IGNORE);
    wait_and_free(receives, status);
    return SIM_LEAVE();
}

int MPI_Send_init(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *made)
{
    SIM_ENTER_FOR("MPI_Send_init", to, tag);
    request *r = new_send(sim_comm_of(comm), data, BYTES, to, tag, false);
    r->persistent = true;
    *made = (MPI_Request)(void *)r;
    return SIM_LEAVE();
}

int MPI_Recv_init(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *made)
{
    SIM_ENTER_FOR("MPI_Recv_init", from, tag);
    request *r = new_request(sim_comm_of(comm), NULL, data, BYTES, from, tag);
    r->persistent = true;
    *made = (MPI_Request)(void *)r;
    return SIM_LEAVE();
}

int MPI_Startall(int count, MPI_Request handles[])
{
    SIM_ENTER("MPI_Startall");
    for (int i = 0; i < count; i++) {
        request *r = request_of(handles[i]);
        if (!r->persistent || r->active) sim_wrong("MPI_Startall of a request that is active, or not persistent");
        if (r->what == SENDS) start_send(r);
        else start_receive(r);
    }
    return SIM_LEAVE();
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *made)
{
    SIM_ENTER("MPI_Ibarrier");
    request *r = new_request(sim_comm_of(comm), NULL, NULL, 0, -1, -1);
    r->what = BARRIER;
    r->active = true;
    r->round = sim_come(r->c, "MPI_Ibarrier", 0, NULL, 0, NULL, 0);
    *made = (MPI_Request)(void *)r;
    return SIM_LEAVE();
}

/* ---- Neighbours
 * --------------------------------------------------------------------------------------------------------- */

int MPI_Neighbor_alltoallw(const void *from, const int counts[], const MPI_Aint begins[], const MPI_Datatype types[],
                           void *to, const int its_counts[], const MPI_Aint its_begins[],
                           const MPI_Datatype its_types[], MPI_Comm comm)
{
    SIM_ENTER("MPI_Neighbor_alltoallw");
    sim_comm *c = sim_comm_of(comm);
    request **all = sim_allocate((size_t)(c->in + c->out) * sizeof *all);
    const uintptr_t source = (uintptr_t)from, target = (uintptr_t)to; /* MPI_BOTTOM is 0 */
    for (int i = 0; i < c->in; i++) {
        all[i] = new_request(c, NULL, (void *)(target + (uintptr_t)its_begins[i]),
                             (size_t)its_counts[i] * sim_size_of(its_types[i]), c->sources[i], HIDDEN_TAG);
        start_receive(all[i]);
    }
    for (int i = 0; i < c->out; i++) {
        all[c->in + i] = new_send(c, (const void *)(source + (uintptr_t)begins[i]),
                                  (size_t)counts[i] * sim_size_of(types[i]), c->targets[i], HIDDEN_TAG, false);
        start_send(all[c->in + i]);
    }
    for (int i = 0; i < c->in + c->out; i++) wait_and_free(all[i], MPI_STATUS_IGNORE);
    free(all);
    return SIM_LEAVE();
}

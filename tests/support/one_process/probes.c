/* probes.c - probes, and receives of messages that they have found. */
#include "tests/support/one_process/requests.h"

#include <math.h>
#include <stdlib.h>

/* Whether it may be for a receive that was started before. */
static bool is_expected(const sim_comm *c, const message *m)
{
    for (const request *r = sim_me->receives; r; r = r->next)
        if (r->c == c && !r->found && sim_matches(m, r->peer, r->tag)) return true;
    return false;
}

static message **probe(MPI_Comm comm, int from, int tag, double before, int *flag, MPI_Status *status)
{
    sim_comm *c = sim_comm_of(comm);
    message **found = sim_takes(ONE_PROCESS_NO_FLAG) ? NULL : sim_look(c, from, tag, before);
    if (found && is_expected(c, *found)) found = NULL;
    *flag = found != NULL;
    if (found) sim_tell(status, (*found)->from, (*found)->tag, (*found)->size);
    return found;
}

static double now(void) { return sim.clock ? sim_me->time : HUGE_VAL; }

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    SIM_ENTER_FOR("MPI_Iprobe", from, tag);
    if (!probe(comm, from, tag, now(), flag, status)) sim_looked_in_vain();
    return SIM_LEAVE();
}

typedef struct found {
    sim_object object;
    message *message;
} found_message;

static MPI_Message handle_of(message *m)
{
    found_message *f = sim_new(SIM_MESSAGE, sizeof *f);
    f->message = m;
    return (MPI_Message)(void *)f;
}

int MPI_Improbe(int from, int tag, MPI_Comm comm, int *flag, MPI_Message *made, MPI_Status *status)
{
    SIM_ENTER_FOR("MPI_Improbe", from, tag);
    message **found = probe(comm, from, tag, now(), flag, status);
    *made = MPI_MESSAGE_NULL;
    if (!found) sim_looked_in_vain();
    else {
        *made = handle_of(sim_take(found));
    }
    return SIM_LEAVE();
}

typedef struct awaited {
    sim_comm *c;
    int from, tag;
    const message *found;
} awaited;

static bool is_sent(void *what)
{
    const awaited *a = what;
    for (const message *m = a->c->shared->inbox[a->c->rank]; m; m = m->next)
        if (sim_matches(m, a->from, a->tag)) return true;
    return false;
}

static bool is_read(void *what) { return ((awaited *)what)->found->bytes != NULL; }

int MPI_Mprobe(int from, int tag, MPI_Comm comm, MPI_Message *made, MPI_Status *status)
{
    SIM_ENTER_FOR("MPI_Mprobe", from, tag);
    awaited a = { sim_comm_of(comm), from, tag, NULL };
    message **found;
    for (int flag = 0;;) {
        sim_wait(is_sent, &a);
        if ((found = probe(comm, from, tag, HUGE_VAL, &flag, status))) break;
        sim_looked_in_vain();
    }
    sim_arrive((*found)->comes);
    *made = handle_of(sim_take(found));
    return SIM_LEAVE();
}

int MPI_Mrecv(void *data, int count, MPI_Datatype type, MPI_Message *handle, MPI_Status *status)
{
    SIM_ENTER("MPI_Mrecv");
    found_message *f = sim_of(SIM_MESSAGE, *handle);
    message *m = f->message;
    awaited a = { NULL, 0, 0, m };
    sim_me->peer = m->from;
    sim_wait(is_read, &a);
    sim_tell(status, m->from, m->tag, m->size);
    sim_arrive(sim_arrival(m, sim_me->time));
    sim_spend(sim_overhead());
    (void)sim_receive(m, data, (size_t)count * sim_size_of(type), NULL);
    free(m);
    sim_free(SIM_MESSAGE, f);
    *handle = MPI_MESSAGE_NULL;
    return SIM_LEAVE();
}

/* comm.c - what stands behind a communicator. */
#include "tests/support/one_process/sim.h"

#include <stdlib.h>

sim_comm *sim_comm_of(MPI_Comm comm)
{
    if (comm == MPI_COMM_WORLD) return sim_me->world;
    if (comm == MPI_COMM_SELF) return sim_me->self;
    return sim_of(SIM_COMM, comm);
}

sim_rank *sim_rank_of(const sim_comm *c, int rank)
{
    if (rank < 0 || rank >= c->shared->size) sim_wrong("%s: rank %d of %d", sim_me->call, rank, c->shared->size);
    return &sim.ranks[c->shared->numbers[rank]];
}

sim_shared *sim_shared_new(int size, const int *numbers)
{
    sim_shared *s = sim_allocate(sizeof *s);
    s->size = s->users = size;
    s->numbers = sim_allocate((size_t)size * sizeof *s->numbers);
    memcpy(s->numbers, numbers, (size_t)size * sizeof *s->numbers);
    s->inbox = sim_allocate((size_t)size * sizeof(void *));
    return s;
}

sim_comm *sim_comm_new(sim_shared *shared, int rank)
{
    sim_comm *c = sim_new(SIM_COMM, sizeof *c);
    c->shared = shared;
    c->rank = rank;
    return c;
}

void sim_comm_free(sim_comm *c)
{
    sim_shared *s = c->shared;
    if (--s->users == 0) {
        for (int r = 0; r < s->size; r++)
            if (s->inbox[r] && !sim.faulted)
                sim_wrong("a message to rank %d of a communicator that is freed was never received", r);
        if (s->rounds && !sim.faulted)
            sim_wrong("a communicator is freed, and not all ranks have called %s", s->rounds->call);
        free(s->numbers);
        free(s->inbox);
        free(s);
    }
    free(c->sources);
    free(c->targets);
    sim_free(SIM_COMM, c);
}

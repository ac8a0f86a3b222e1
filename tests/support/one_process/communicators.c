/* communicators.c - communicators: duplicates, parts, graphs. */
#include "tests/support/one_process/sim.h"

#include <stdlib.h>

typedef struct bid {
    int color, key, rank;
} bid;

static int by_key(const void *a, const void *b)
{
    const bid *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->rank - y->rank;
}

/* Collective. The ranks of a color, by key; those of a negative color get none. The lowest rank makes what all share.
 */
static sim_comm *split(sim_comm *c, const char *call, int color, int key)
{
    const bid mine = { color, key, c->rank };
    sim_round *round = sim_come(c, call, -1, NULL, 0, &mine, sizeof mine);
    sim_await(c, round, SIM_ALL);
    const int all = c->shared->size;
    bid *members = sim_allocate((size_t)all * sizeof *members);
    int *numbers = sim_allocate((size_t)all * sizeof *numbers), count = 0, rank = -1, first = -1;
    for (int r = 0; r < all; r++) {
        const bid *its = (const bid *)(const void *)round->parts[r].bytes;
        if (its->color != color) continue;
        if (first < 0) first = r;
        members[count++] = *its;
    }
    qsort(members, (size_t)count, sizeof *members, by_key);
    for (int i = 0; i < count; i++) {
        numbers[i] = c->shared->numbers[members[i].rank];
        if (members[i].rank == c->rank) rank = i;
    }
    sim_comm *made = NULL;
    if (color >= 0) { /* the first of these ranks to come here makes what they share */
        if (!round->common) round->common = sim_allocate((size_t)all * sizeof(sim_shared *));
        sim_shared **shared = round->common;
        if (!shared[first]) shared[first] = sim_shared_new(count, numbers);
        made = sim_comm_new(shared[first], rank);
    }
    free(members);
    free(numbers);
    sim_go(c, round);
    return made;
}

sim_comm *sim_comm_copy(sim_comm *c) { return split(c, sim_me->call, 0, c->rank); }

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    SIM_ENTER("MPI_Comm_dup");
    *made = (MPI_Comm)(void *)sim_comm_copy(sim_comm_of(comm));
    return SIM_LEAVE();
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made)
{
    SIM_ENTER("MPI_Comm_split");
    sim_comm *c = split(sim_comm_of(comm), sim_me->call, color, key);
    *made = c ? (MPI_Comm)(void *)c : MPI_COMM_NULL;
    return SIM_LEAVE();
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
    SIM_ENTER("MPI_Comm_split_type");
    sim_comm *c = split(sim_comm_of(comm), sim_me->call, type == MPI_COMM_TYPE_SHARED ? sim_me->host : -1, key);
    *made = c ? (MPI_Comm)(void *)c : MPI_COMM_NULL;
    return SIM_LEAVE();
}

int MPI_Comm_free(MPI_Comm *comm)
{
    SIM_ENTER("MPI_Comm_free");
    sim_comm_free(sim_of(SIM_COMM, *comm));
    *comm = MPI_COMM_NULL;
    return SIM_LEAVE();
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    *rank = sim_me ? sim_comm_of(comm)->rank : 0;
    return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    *size = sim_comm_of(comm)->shared->size;
    return MPI_SUCCESS;
}

int MPI_Comm_compare(MPI_Comm a, MPI_Comm b, int *result)
{
    SIM_ENTER("MPI_Comm_compare");
    const sim_shared *x = sim_comm_of(a)->shared, *y = sim_comm_of(b)->shared;
    int common = 0;
    bool same = x->size == y->size;
    for (int i = 0; i < x->size; i++)
        for (int j = 0; j < y->size; j++) common += x->numbers[i] == y->numbers[j];
    for (int i = 0; same && i < x->size; i++) same = x->numbers[i] == y->numbers[i];
    *result = x == y                                   ? MPI_IDENT
              : same                                   ? MPI_CONGRUENT
              : common == x->size && common == y->size ? MPI_SIMILAR
                                                       : MPI_UNEQUAL;
    return SIM_LEAVE();
}

int MPI_Comm_group(MPI_Comm comm, MPI_Group *made)
{
    SIM_ENTER("MPI_Comm_group");
    const sim_shared *shared = sim_comm_of(comm)->shared;
    sim_group *g = sim_group_new(shared->size);
    memcpy(g->numbers, shared->numbers, (size_t)g->size * sizeof *g->numbers);
    *made = (MPI_Group)(void *)g;
    return SIM_LEAVE();
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) { return MPI_SUCCESS; }

int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int in, const int sources[], const int in_weights[], int out,
                                   const int targets[], const int out_weights[], MPI_Info info, int reorder,
                                   MPI_Comm *made)
{
    SIM_ENTER("MPI_Dist_graph_create_adjacent");
    sim_comm *c = sim_comm_copy(sim_comm_of(comm));
    c->in = in;
    c->out = out;
    c->sources = sim_allocate((size_t)in * sizeof *c->sources);
    c->targets = sim_allocate((size_t)out * sizeof *c->targets);
    if (in) memcpy(c->sources, sources, (size_t)in * sizeof *c->sources);
    if (out) memcpy(c->targets, targets, (size_t)out * sizeof *c->targets);
    *made = (MPI_Comm)(void *)c;
    return SIM_LEAVE();
}

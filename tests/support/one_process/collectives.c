/* collectives.c - each collective is a round of its communicator: ranks come with what they bring, wait for the parts
 * that they need, and go. A rank that needs no part of others may be rounds ahead of them. */
#include "tests/support/one_process/sim.h"

#include <stdlib.h>

sim_round *sim_come(sim_comm *c, const char *call, int root, const void *key, size_t equal, const void *bytes,
                    size_t size)
{
    sim_round **at = &c->shared->rounds;
    const uint64_t number = c->round++;
    while (*at && (*at)->number != number) at = &(*at)->next;
    sim_round *r = *at;
    if (!r) {
        *at = r = sim_allocate(sizeof *r);
        *r = (sim_round){ .number = number, .call = call, .key = key, .size = equal, .root = root };
        r->parts = sim_allocate((size_t)c->shared->size * sizeof *r->parts);
    }
    if (strcmp(r->call, call) != 0 || r->root != root || r->key != key || r->size != equal)
        sim_wrong("%s of root %d and %zu bytes, where another rank calls %s of root %d and %zu bytes%s", call, root,
                  equal, r->call, r->root, r->size, r->key == key ? "" : ", with something else that must be equal");
    if (root >= c->shared->size) sim_wrong("%s: root %d of %d", call, root, c->shared->size);
    sim_part *mine = &r->parts[c->rank];
    *mine = (sim_part){ true, sim_allocate(size), size, sim_me->time };
    sim_copy(mine->bytes, bytes, size);
    if (++r->arrived == c->shared->size || c->rank == root) sim_touch_all(c->shared);
    sim_release(mine);
    sim_happened();
    return r;
}

typedef struct wait_for {
    const sim_comm *c;
    const sim_round *round;
    sim_need need;
} wait_for;

static bool is_there(void *what)
{
    const wait_for *w = what;
    switch (w->need) {
    case SIM_ALL: return w->round->arrived == w->c->shared->size;
    case SIM_ROOT: return w->round->parts[w->round->root].here;
    case SIM_LOWER:
        for (int r = 0; r < w->c->rank; r++)
            if (!w->round->parts[r].here) return false;
        return true;
    default: return true;
    }
}

/* A rank that does not leave early waits for all, but does not see what it does not need. */
void sim_await(sim_comm *c, sim_round *round, sim_need need)
{
    wait_for w = { c, round, need };
    if (need != SIM_ALL && !sim.clock && !sim_takes(ONE_PROCESS_LEAVE_EARLY)) w.need = SIM_ALL;
    if (sim.clock && need == SIM_LOWER) w.need = SIM_ALL; /* less to look at */
    sim_wait(is_there, &w);
    sim_round_wait(c, round, need);
    for (int r = 0; r < c->shared->size; r++)
        if (need == SIM_ALL || (need == SIM_ROOT && r == round->root) || (need == SIM_LOWER && r < c->rank))
            sim_acquire(&round->parts[r]);
}

void sim_go(sim_comm *c, sim_round *round)
{
    if (++round->left < c->shared->size) return;
    sim_round **at = &c->shared->rounds;
    while (*at != round) at = &(*at)->next;
    *at = round->next;
    for (int r = 0; r < c->shared->size; r++) free(round->parts[r].bytes);
    free(round->parts);
    free(round->common);
    free(round);
}

static void check_buffers(const void *mine, const void *all, size_t bytes)
{
    if (mine == all && bytes > 0) sim_wrong("%s of and into the same memory, without MPI_IN_PLACE", sim_me->call);
}

/* ---- Without a reduction ---------------------------------------------------------------------------------- */

int MPI_Barrier(MPI_Comm comm)
{
    SIM_ENTER("MPI_Barrier");
    sim_comm *c = sim_comm_of(comm);
    sim_round *r = sim_come(c, "MPI_Barrier", 0, NULL, 0, NULL, 0);
    sim_await(c, r, SIM_ALL);
    sim_go(c, r);
    return SIM_LEAVE();
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    SIM_ENTER_FOR("MPI_Bcast", root, -1);
    sim_comm *c = sim_comm_of(comm);
    const size_t bytes = (size_t)count * sim_size_of(type);
    sim_round *r = sim_come(c, "MPI_Bcast", root, NULL, bytes, data, c->rank == root ? bytes : 0);
    sim_await(c, r, c->rank == root ? SIM_NONE : SIM_ROOT);
    if (c->rank != root) sim_copy(data, r->parts[root].bytes, bytes);
    sim_go(c, r);
    return SIM_LEAVE();
}

/* Take a rank's part, which must have so many bytes. */
static void place(sim_comm *c, const sim_round *r, int from, void *to, size_t bytes)
{
    if (r->parts[from].size != bytes)
        sim_wrong("%s: %zu bytes of rank %d are not %zu", r->call, r->parts[from].size, from, bytes);
    sim_copy(to, r->parts[from].bytes, r->parts[from].size);
}

static void gather(sim_comm *c, const char *call, int root, size_t equal, const void *mine, size_t bytes, void *all,
                   const int *counts, const int *begins, int count, MPI_Datatype type)
{
    const size_t size = sim_size_of(type);
    const bool receives = root < 0 || c->rank == root;
    if (receives) check_buffers(mine, all, bytes);
    if (mine == MPI_IN_PLACE) {
        bytes = (size_t)(counts ? counts[c->rank] : count) * size;
        mine = (unsigned char *)all + (begins ? (size_t)begins[c->rank] : (size_t)c->rank * (size_t)count) * size;
    }
    sim_round *r = sim_come(c, call, root, NULL, equal, mine, bytes);
    sim_await(c, r, receives ? SIM_ALL : SIM_NONE);
    for (int i = 0; receives && i < c->shared->size; i++)
        place(c, r, i, (unsigned char *)all + (begins ? (size_t)begins[i] : (size_t)i * (size_t)count) * size,
              (size_t)(counts ? counts[i] : count) * size);
    sim_go(c, r);
}

int MPI_Gather(const void *mine, int count, MPI_Datatype type, void *all, int its_count, MPI_Datatype its_type,
               int root, MPI_Comm comm)
{
    SIM_ENTER_FOR("MPI_Gather", root, -1);
    sim_comm *c = sim_comm_of(comm);
    const bool is_root = c->rank == root;
    gather(c, "MPI_Gather", root, 0, mine, (size_t)count * sim_size_of(type), all, NULL, NULL, is_root ? its_count : 0,
           is_root ? its_type : MPI_BYTE);
    return SIM_LEAVE();
}

int MPI_Gatherv(const void *mine, int count, MPI_Datatype type, void *all, const int counts[], const int begins[],
                MPI_Datatype its_type, int root, MPI_Comm comm)
{
    SIM_ENTER_FOR("MPI_Gatherv", root, -1);
    sim_comm *c = sim_comm_of(comm);
    const bool is_root = c->rank == root;
    gather(c, "MPI_Gatherv", root, 0, mine, (size_t)count * sim_size_of(type), all, is_root ? counts : NULL,
           is_root ? begins : NULL, 0, is_root ? its_type : MPI_BYTE);
    return SIM_LEAVE();
}

int MPI_Allgather(const void *mine, int count, MPI_Datatype type, void *all, int its_count, MPI_Datatype its_type,
                  MPI_Comm comm)
{
    SIM_ENTER("MPI_Allgather");
    gather(sim_comm_of(comm), "MPI_Allgather", -1, (size_t)its_count * sim_size_of(its_type), mine,
           mine == MPI_IN_PLACE ? 0 : (size_t)count * sim_size_of(type), all, NULL, NULL, its_count, its_type);
    return SIM_LEAVE();
}

int MPI_Allgatherv(const void *mine, int count, MPI_Datatype type, void *all, const int counts[], const int begins[],
                   MPI_Datatype its_type, MPI_Comm comm)
{
    SIM_ENTER("MPI_Allgatherv");
    gather(sim_comm_of(comm), "MPI_Allgatherv", -1, 0, mine,
           mine == MPI_IN_PLACE ? 0 : (size_t)count * sim_size_of(type), all, counts, begins, 0, its_type);
    return SIM_LEAVE();
}

/* The root brings all parts; each rank takes its own. */
static void scatter(sim_comm *c, const char *call, int root, const void *all, const int *counts, const int *begins,
                    int count, MPI_Datatype type, void *mine, size_t bytes)
{
    const int ranks = c->shared->size;
    unsigned char *parts = NULL;
    size_t *ends = NULL, total = 0;
    if (c->rank == root) {
        const size_t size = sim_size_of(type);
        ends = sim_allocate((size_t)ranks * sizeof *ends);
        for (int i = 0; i < ranks; i++) ends[i] = total += (size_t)(counts ? counts[i] : count) * size;
        parts = sim_allocate((size_t)ranks * sizeof *ends + total);
        memcpy(parts, ends, (size_t)ranks * sizeof *ends);
        for (int i = 0; i < ranks; i++) {
            const size_t first = i ? ends[i - 1] : 0;
            sim_copy(parts + (size_t)ranks * sizeof *ends + first,
                     (const unsigned char *)all + (begins ? (size_t)begins[i] : (size_t)i * (size_t)count) * size,
                     ends[i] - first);
        }
    }
    sim_round *r = sim_come(c, call, root, NULL, 0, NULL, 0);
    if (c->rank == root) {
        free(r->parts[root].bytes);
        r->parts[root].bytes = parts;
        r->parts[root].size = total;
    }
    sim_await(c, r, c->rank == root ? SIM_NONE : SIM_ROOT);
    const size_t *its = (const size_t *)(const void *)r->parts[root].bytes;
    const size_t first = c->rank ? its[c->rank - 1] : 0, length = its[c->rank] - first;
    if (mine != MPI_IN_PLACE) {
        if (length != bytes) sim_wrong("%s: %zu bytes are not %zu", call, length, bytes);
        sim_copy(mine, r->parts[root].bytes + (size_t)ranks * sizeof *its + first, length);
    }
    free(ends);
    sim_go(c, r);
}

int MPI_Scatter(const void *all, int count, MPI_Datatype type, void *mine, int its_count, MPI_Datatype its_type,
                int root, MPI_Comm comm)
{
    SIM_ENTER_FOR("MPI_Scatter", root, -1);
    scatter(sim_comm_of(comm), "MPI_Scatter", root, all, NULL, NULL, count, type, mine,
            (size_t)its_count * sim_size_of(its_type));
    return SIM_LEAVE();
}

int MPI_Scatterv(const void *all, const int counts[], const int begins[], MPI_Datatype type, void *mine, int its_count,
                 MPI_Datatype its_type, int root, MPI_Comm comm)
{
    SIM_ENTER_FOR("MPI_Scatterv", root, -1);
    scatter(sim_comm_of(comm), "MPI_Scatterv", root, all, counts, begins, 0, type, mine,
            (size_t)its_count * sim_size_of(its_type));
    return SIM_LEAVE();
}

/* ---- Reductions --------------------------------------------------------------------------------------------- */

/* The parts of the ranks from `first` to before `end`, combined in their order, the highest two first; or, as the seed
 * wants, any neighbours first, and, where the operation commutes, in any order. */
static void combine(const sim_round *r, int first, int end, size_t from, size_t bytes, MPI_Datatype type, MPI_Op op,
                    unsigned char *result)
{
    int left = end - first;
    const int count = (int)(bytes / (sim_size_of(type) ? sim_size_of(type) : 1));
    const bool other = left > 1 && sim_takes(ONE_PROCESS_OTHER_ORDER);
    unsigned char **parts = sim_allocate((size_t)left * sizeof *parts);
    for (int i = 0; i < left; i++) {
        parts[i] = sim_allocate(bytes);
        memcpy(parts[i], r->parts[first + i].bytes + from, bytes);
    }
    for (int i = left - 1; other && sim_commutes(op) && i > 0; i--) {
        const unsigned j = sim_draw((unsigned)i + 1);
        unsigned char *part = parts[i];
        parts[i] = parts[j];
        parts[j] = part;
    }
    for (; left > 1; left--) {
        const int at = other ? (int)sim_draw((unsigned)left - 1) : left - 2;
        sim_combine(parts[at + 1], parts[at], count, type, op);
        free(parts[at]);
        memmove(parts + at, parts + at + 1, (size_t)(left - at - 1) * sizeof *parts);
    }
    memcpy(result, parts[0], bytes);
    free(parts[0]);
    free(parts);
}

/* What must be equal: an operation of MPI, which is for its datatypes, and both. Operations that are made are other
 * objects on each rank. */
static const void *key_of(MPI_Op op, MPI_Datatype type)
{
    static const char made;
    return op == MPI_SUM || op == MPI_MAX || op == MPI_MIN || op == MPI_PROD || op == MPI_BOR || op == MPI_BAND ||
                   op == MPI_LOR || op == MPI_LAND
               ? (const void *)((uintptr_t)op ^ (uintptr_t)type << 1)
               : &made;
}

static void reduce(sim_comm *c, const char *call, const void *mine, void *result, int count, MPI_Datatype type,
                   MPI_Op op, int root)
{
    const size_t bytes = (size_t)count * sim_size_of(type);
    const bool receives = root < 0 || c->rank == root;
    if (receives) check_buffers(mine, result, bytes);
    sim_round *r = sim_come(c, call, root, key_of(op, type), bytes, mine == MPI_IN_PLACE ? result : mine, bytes);
    sim_await(c, r, receives ? SIM_ALL : SIM_NONE);
    if (receives && !r->combined) {
        r->common = sim_allocate(bytes);
        combine(r, 0, c->shared->size, 0, bytes, type, op, r->common);
        r->combined = true;
    }
    if (receives) sim_copy(result, r->common, bytes);
    sim_go(c, r);
}

int MPI_Allreduce(const void *mine, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    SIM_ENTER("MPI_Allreduce");
    reduce(sim_comm_of(comm), "MPI_Allreduce", mine, result, count, type, op, -1);
    return SIM_LEAVE();
}

int MPI_Reduce(const void *mine, void *result, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    SIM_ENTER_FOR("MPI_Reduce", root, -1);
    reduce(sim_comm_of(comm), "MPI_Reduce", mine, result, count, type, op, root);
    return SIM_LEAVE();
}

int MPI_Reduce_scatter_block(const void *mine, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    SIM_ENTER("MPI_Reduce_scatter_block");
    sim_comm *c = sim_comm_of(comm);
    const size_t bytes = (size_t)count * sim_size_of(type), all = bytes * (size_t)c->shared->size;
    check_buffers(mine, result, bytes);
    sim_round *r = sim_come(c, "MPI_Reduce_scatter_block", -1, key_of(op, type), all,
                            mine == MPI_IN_PLACE ? result : mine, all);
    sim_await(c, r, SIM_ALL);
    unsigned char *sum = sim_allocate(bytes);
    combine(r, 0, c->shared->size, (size_t)c->rank * bytes, bytes, type, op, sum);
    sim_copy(result, sum, bytes);
    free(sum);
    sim_go(c, r);
    return SIM_LEAVE();
}

static void scan(sim_comm *c, const char *call, const void *mine, void *result, int count, MPI_Datatype type, MPI_Op op,
                 bool with_own)
{
    const size_t bytes = (size_t)count * sim_size_of(type);
    check_buffers(mine, result, bytes);
    sim_round *r = sim_come(c, call, -1, key_of(op, type), bytes, mine == MPI_IN_PLACE ? result : mine, bytes);
    sim_await(c, r, SIM_LOWER);
    const int end = c->rank + with_own;
    if (end > 0) {
        unsigned char *sum = sim_allocate(bytes);
        combine(r, 0, end, 0, bytes, type, op, sum);
        sim_copy(result, sum, bytes);
        free(sum);
    }
    sim_go(c, r);
}

int MPI_Scan(const void *mine, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    SIM_ENTER("MPI_Scan");
    scan(sim_comm_of(comm), "MPI_Scan", mine, result, count, type, op, true);
    return SIM_LEAVE();
}

int MPI_Exscan(const void *mine, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    SIM_ENTER("MPI_Exscan");
    scan(sim_comm_of(comm), "MPI_Exscan", mine, result, count, type, op, false);
    return SIM_LEAVE();
}

int MPI_Alltoall(const void *mine, int count, MPI_Datatype type, void *all, int its_count, MPI_Datatype its_type,
                 MPI_Comm comm)
{
    SIM_ENTER("MPI_Alltoall");
    sim_comm *c = sim_comm_of(comm);
    const size_t bytes = (size_t)count * sim_size_of(type);
    const size_t its_bytes = (size_t)its_count * sim_size_of(its_type);
    if (its_bytes != bytes) sim_wrong("MPI_Alltoall: %zu bytes are not %zu", bytes, its_bytes);
    check_buffers(mine, all, bytes);
    sim_round *r = sim_come(c, "MPI_Alltoall", -1, NULL, bytes, mine, bytes * (size_t)c->shared->size);
    sim_await(c, r, SIM_ALL);
    for (int i = 0; i < c->shared->size; i++)
        sim_copy((unsigned char *)all + (size_t)i * bytes, r->parts[i].bytes + (size_t)c->rank * bytes, bytes);
    sim_go(c, r);
    return SIM_LEAVE();
}

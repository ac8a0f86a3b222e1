/* queue.c - ranks that may run, by their clocks: a heap. A rank that waits comes here when what it waits for may have
 * happened (sim_touch). */
#include "tests/support/one_process/sim.h"

#include <stdlib.h>

static sim_rank **heap; /* [ranks] */
static int count;

void sim_queue_begin(void)
{
    heap = sim_allocate((size_t)sim.settings.ranks * sizeof(sim_rank *));
    count = 0;
}

void sim_queue_end(void) { free(heap); }

static bool is_before(const sim_rank *a, const sim_rank *b)
{
    return a->time < b->time || (a->time == b->time && a->number < b->number);
}

void sim_queue_add(sim_rank *rank)
{
    if (rank->queued) return;
    rank->queued = true;
    int at = count++;
    for (; at > 0 && is_before(rank, heap[(at - 1) / 2]); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = rank;
}

sim_rank *sim_queue_first(void) { return count > 0 ? heap[0] : NULL; }

void sim_queue_remove_first(void)
{
    heap[0]->queued = false;
    const sim_rank *last = heap[--count];
    int at = 0;
    for (int next = 1; next < count; next = 2 * at + 1) {
        next += next + 1 < count && is_before(heap[next + 1], heap[next]);
        if (!is_before(heap[next], last)) break;
        heap[at] = heap[next];
        at = next;
    }
    heap[at] = heap[count];
}

void sim_touch(sim_rank *rank)
{
    if (sim.clock && rank->ready) sim_queue_add(rank);
}

void sim_touch_all(const sim_shared *ranks)
{
    for (int i = 0; sim.clock && i < ranks->size; i++) sim_touch(&sim.ranks[ranks->numbers[i]]);
}

/* drawn.c - a drawn program as an explored case (drawn.h). */
#include "tests/explore/drawn.h"

#include "base/memory.h"
#include "base/sparse.h"
#include "halo/costs.h"
#include "tests/support/drawn_case.h"

#include <stdlib.h>

typedef struct job {
    const explored *e;
    bool right[MOST_RANKS];
} job;

static void rank_main(int rank, void *context)
{
    static const pen_costs costs = { .local = { 1e-6, 1e-9 }, .remote = { 1e-5, 1e-9 }, .copy_record = 2e-9 };
    job *j = context;
    pen_short_radix = j->e->sparse_radix;
    pen_costs_assumed = j->e->costs == 0 ? NULL : &costs;
    j->right[rank] = drawn_case_run(MPI_COMM_WORLD, j->e->seed, j->e->folder, j->e->seed % 8 == 7, NULL);
}

int explored_run_drawn(const explored *e, const one_process *settings, one_process_result *result)
{
    job j = { .e = e };
    one_process_run(settings, rank_main, &j, result);
    return j.right[0] ? 0 : EXPLORED_WRONG;
}

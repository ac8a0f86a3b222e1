#include "run/quality.h"
#include "base/memory.h"

#include <stdlib.h>

pen_status pen_run_quality(pen_run *run, pen_quality *quality)
{
    const pen_store *store = run->store;
    double *loads;
    PEN_TRY(pen_agree(run->comm, PEN_ALLOC(&loads, store->owned)));
    for (pen_lid s = 0; s < store->owned; s++) loads[s] = store->node_weights ? (double)store->node_weights[s] : 1.0;
    const pen_load_view view = { .count = store->owned,
                                 .shadows = store->shadows,
                                 .loads = loads,
                                 .rows = store->rows,
                                 .columns = store->columns,
                                 .edge_weights = store->edge_weights,
                                 .speed = pen_run_speed(run) };
    pen_status status = pen_quality_of_ranks(run->comm, &view, store->directed, quality);
    free(loads);
    return status;
}

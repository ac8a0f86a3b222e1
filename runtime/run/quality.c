/* quality.c - measures the quality of the partition of a run's graph. */
#include "run/quality.h"
#include "base/memory.h"

pen_status pen_run_quality(pen_run *run, pen_quality *quality)
{
    const pen_store *store = run->store;
    double *loads = NULL;
    int32_t *owners = NULL;
    pen_status status = PEN_ALLOC(&loads, store->owned);
    if (status == PEN_OK) status = PEN_ALLOC(&owners, store->shadows);
    status = pen_agree(run->comm, status);
    if (status != PEN_OK) {
        PEN_FREE_ALL(loads, owners);
        return status;
    }
    pen_store_name_owners(store, owners);
    for (pen_lid s = 0; s < store->owned; s++) loads[s] = store->node_weights ? (double)store->node_weights[s] : 1.0;
    const pen_load_view view = { .count = store->owned,
                                 .shadows = store->shadows,
                                 .owners = owners,
                                 .loads = loads,
                                 .rows = store->rows,
                                 .columns = store->columns,
                                 .edge_weights = store->edge_weights,
                                 .machine = run->partition.machine,
                                 .speed = pen_run_speed(run) };
    status = pen_quality_of_ranks(run->comm, &view, store->directed, quality);
    PEN_FREE_ALL(loads, owners);
    return status;
}

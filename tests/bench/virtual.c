#include "tests/bench/virtual.h"
#include "base/memory.h"
#include "rebalance/rename.h"
#include "tests/bench/bench.h"

#include <metis.h>
#include <time.h>

double bench_cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int32_t *bench_new_parts(const pen_virtual_world *w)
{
    int32_t *parts;
    bench_require(PEN_ALLOC(&parts, w->nodes), "memory");
    return parts;
}

void bench_metis(const pen_virtual_world *w, int32_t *parts, double *seconds)
{
    idx_t options[METIS_NOPTIONS], nodes = w->nodes, constraints = 1, k = w->ranks, cut, *rows, *loads;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    bench_require(PEN_ALLOC(&rows, (int64_t)w->nodes + 1), "memory");
    bench_require(PEN_ALLOC(&loads, w->nodes), "memory");
    for (int32_t i = 0; i <= w->nodes; i++) rows[i] = (idx_t)w->rows[i];
    for (int32_t i = 0; i < w->nodes; i++) loads[i] = (idx_t)w->loads[i];
    double start = bench_cpu_seconds();
    int code = w->nodes / w->ranks < 32 ? METIS_PartGraphRecursive(&nodes, &constraints, rows, w->columns, loads, NULL,
                                                                   NULL, &k, NULL, NULL, options, &cut, parts)
                                        : METIS_PartGraphKway(&nodes, &constraints, rows, w->columns, loads, NULL, NULL,
                                                              &k, NULL, NULL, options, &cut, parts);
    *seconds = bench_cpu_seconds() - start;
    if (code != METIS_OK) bench_require(pen_fail(PEN_ERR_INTERNAL, "METIS failed with %d", code), "METIS");
    PEN_FREE_ALL(rows, loads);
}

int64_t bench_take_parts(pen_virtual_world *w, int32_t *parts)
{
    int32_t *order = bench_new_parts(w), *owners = bench_new_parts(w), *sorted = bench_new_parts(w);
    int64_t *sizes, *at, moved = 0;
    bench_require(PEN_ALLOC(&sizes, w->nodes), "memory");
    bench_require(PEN_ALLOC_ZERO(&at, (int64_t)w->ranks + 1), "memory");
    for (int32_t i = 0; i < w->nodes; i++) at[w->owners[i] + 1]++;
    for (int r = 0; r < w->ranks; r++) at[r + 1] += at[r];
    for (int32_t i = 0; i < w->nodes; i++) order[at[w->owners[i]]++] = i;
    for (int32_t i = 0; i < w->nodes; i++) {
        owners[i] = w->owners[order[i]];
        sorted[i] = parts[order[i]];
        sizes[i] = 1;
    }
    bench_require(pen_rename_parts(w->machine, w->ranks, w->nodes, owners, sizes, sorted), "renaming");
    for (int32_t i = 0; i < w->nodes; i++) {
        parts[order[i]] = sorted[i];
        moved += sorted[i] != owners[i];
    }
    PEN_FREE_ALL(order, owners, sorted, sizes, at, w->owners);
    w->owners = parts;
    return moved;
}

pen_quality bench_measure(const pen_virtual_world *w)
{
    pen_quality q;
    bench_require(pen_virtual_world_measure(w, &q), "measuring");
    return q;
}

void bench_heat_disc(pen_virtual_world *w, int width, double x, double y, double radius)
{
    for (int32_t i = 0; i < w->nodes; i++) {
        double dx = i % width - x, dy = (double)(i / width) - y;
        w->loads[i] = dx * dx + dy * dy <= radius * radius ? 10.0 : 1.0;
    }
}

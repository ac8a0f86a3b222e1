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

/* METIS's partition of a graph whose parts have so many of the world's nodes. */
static double call_metis(const pen_virtual_world *w, idx_t vertices, idx_t *rows, idx_t *columns, idx_t *loads,
                         idx_t *weights, idx_t *parts)
{
    idx_t options[METIS_NOPTIONS], constraints = 1, k = w->ranks, cut;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    const double start = bench_cpu_seconds();
    int code = w->nodes / w->ranks < 32 ? METIS_PartGraphRecursive(&vertices, &constraints, rows, columns, loads, NULL,
                                                                   weights, &k, NULL, NULL, options, &cut, parts)
                                        : METIS_PartGraphKway(&vertices, &constraints, rows, columns, loads, NULL,
                                                              weights, &k, NULL, NULL, options, &cut, parts);
    if (code != METIS_OK) bench_require(pen_fail(PEN_ERR_INTERNAL, "METIS failed with %d", code), "METIS");
    return bench_cpu_seconds() - start;
}

void bench_metis(const pen_virtual_world *w, int32_t *parts, double *seconds)
{
    idx_t *rows, *loads;
    bench_require(PEN_ALLOC(&rows, (int64_t)w->nodes + 1), "memory");
    bench_require(PEN_ALLOC(&loads, w->nodes), "memory");
    for (int32_t i = 0; i <= w->nodes; i++) rows[i] = (idx_t)w->rows[i];
    for (int32_t i = 0; i < w->nodes; i++) loads[i] = (idx_t)w->loads[i];
    *seconds = call_metis(w, w->nodes, rows, w->columns, loads, NULL, parts);
    PEN_FREE_ALL(rows, loads);
}

void bench_metis_near(const pen_virtual_world *w, int edge, int stay, int32_t *parts)
{
    const int32_t nodes = w->nodes, all = nodes + w->ranks;
    const int64_t arcs = (int64_t)w->rows[nodes] + 2 * (int64_t)nodes;
    idx_t *rows, *columns, *loads, *weights, *found, at = 0;
    bench_require(PEN_ALLOC(&rows, (int64_t)all + 1), "memory");
    bench_require(PEN_ALLOC(&columns, arcs), "memory");
    bench_require(PEN_ALLOC(&weights, arcs), "memory");
    bench_require(PEN_ALLOC(&loads, all), "memory");
    bench_require(PEN_ALLOC(&found, all), "memory");
    for (int32_t i = 0; i < all; i++) {
        rows[i] = at;
        loads[i] = i < nodes ? (idx_t)w->loads[i] : 0;
        for (uint32_t a = i < nodes ? w->rows[i] : 0; i < nodes && a < w->rows[i + 1]; a++) {
            columns[at] = w->columns[a];
            weights[at++] = edge;
        }
        for (int32_t j = i < nodes ? i : 0; j < (i < nodes ? i + 1 : nodes); j++) {
            if (i >= nodes && w->owners[j] != i - nodes) continue;
            columns[at] = i < nodes ? nodes + w->owners[i] : j;
            weights[at++] = stay;
        }
    }
    rows[all] = at;
    call_metis(w, all, rows, columns, loads, weights, found);
    memcpy(parts, found, (size_t)nodes * sizeof *parts);
    PEN_FREE_ALL(rows, columns, loads, weights, found);
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

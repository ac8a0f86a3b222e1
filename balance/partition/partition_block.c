#include "base/options.h"
#include "partition/partition.h"

/* Where part k begins among `total` loads in a row: floor(k * total / parts). */
static int64_t part_begin(int64_t k, int64_t total, int parts)
{
    return k * (total / parts) + k * (total % parts) / parts;
}

/* The last part that begins at or before `at` in [0, total]: a guess, put right. */
static int32_t part_at(int64_t at, int64_t total, int parts)
{
    double guess = ((double)at + 1) / (double)total * parts;
    int64_t k = guess < parts ? (int64_t)guess : parts - 1;
    while (k > 0 && part_begin(k, total, parts) > at) k--;
    while (k + 1 < parts && part_begin(k + 1, total, parts) <= at) k++;
    return (int32_t)k;
}

pen_status pen_partition_contiguous(const pen_graph *graph, bool by_load, int parts, int32_t *part)
{
    pen_comm *comm = graph->comm;
    int64_t mine = 0, total, before;
    if (by_load)
        for (pen_lid i = 0; i < graph->count; i++) mine += pen_graph_load(graph, i);
    PEN_TRY(pen_sum_int(comm, mine, &total));
    bool unit = total == 0;
    if (unit) {
        mine = graph->count;
        total = graph->nodes;
    }
    PEN_TRY(pen_prefix_int(comm, mine, &before));
    /* A node is where its middle is. */
    for (pen_lid i = 0; i < graph->count; i++) {
        int64_t load = unit ? 1 : pen_graph_load(graph, i);
        part[i] = part_at(before + load / 2, total, parts);
        before += load;
    }
    return PEN_OK;
}

pen_status pen_partition_block(const pen_graph *graph, char *settings, int parts, int32_t *part)
{
    PEN_TRY(pen_settings_parse("partitioner block", settings, &(const pen_option){ .name = NULL }));
    return pen_partition_contiguous(graph, true, parts, part);
}

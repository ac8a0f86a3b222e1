/* partition_block.c - the partitioner block: contiguous parts. */
#include "partition/partition.h"
#include "view/shares.h"

/* The beginning of part k among `total` loads in a row: floor(k * total / parts), or in proportion to the speeds of the
 * processors before it. */
static int64_t part_begin(const pen_shares *shares, int64_t k, int64_t total)
{
    int64_t parts = shares->parts;
    if (shares->before) return (int64_t)(shares->before[k] / shares->before[parts] * (double)total);
    return k * (total / parts) + k * (total % parts) / parts;
}

/* The last part that begins at or before `at` in [0, total]: a guess that is corrected. */
static int32_t part_at(const pen_shares *shares, int64_t at, int64_t total)
{
    double guess = ((double)at + 1) / (double)total * shares->parts;
    int64_t k = guess < shares->parts ? (int64_t)guess : shares->parts - 1;
    while (k > 0 && part_begin(shares, k, total) > at) k--;
    while (k + 1 < shares->parts && part_begin(shares, k + 1, total) <= at) k++;
    return (int32_t)k;
}

pen_status pen_partition_contiguous(const pen_graph *graph, bool by_load, const pen_machine *machine, int parts,
                                    int32_t *part)
{
    pen_comm *comm = graph->comm;
    int64_t mine = 0, total, before;
    pen_shares shares;
    if (by_load)
        for (pen_lid i = 0; i < graph->count; i++) mine += pen_graph_load(graph, i);
    PEN_TRY(pen_sum_int(comm, mine, &total));
    bool unit = total == 0;
    if (unit) {
        mine = graph->count;
        total = graph->nodes;
    }
    PEN_TRY(pen_prefix_int(comm, mine, &before));
    PEN_TRY(pen_shares_create(machine, parts, &shares));
    /* The middle of a node decides about its part. */
    for (pen_lid i = 0; i < graph->count; i++) {
        int64_t load = unit ? 1 : pen_graph_load(graph, i);
        part[i] = part_at(&shares, before + load / 2, total);
        before += load;
    }
    pen_shares_free(&shares);
    return PEN_OK;
}

static pen_status partition(const void *settings, const pen_graph *graph, const pen_machine *machine, int parts,
                            int32_t *part)
{
    return pen_partition_contiguous(graph, true, machine, parts, part);
}

const pen_partitioner pen_partitioner_block = {
    .name = "block",
    .summary = "contiguous ranges of gids, cut by load",
    .of_graph = partition,
};

/* partition_random.c - the partitioner random. */
#include "base/hash.h"
#include "partition/partition.h"
#include "view/shares.h"

/* The part of a hash in [0, 1), in proportion to the shares. */
static int32_t part_at(const pen_shares *shares, double where)
{
    int32_t low = 0, high = shares->parts;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (shares->before[middle] <= where * shares->before[shares->parts]) low = middle;
        else high = middle;
    }
    return low;
}

/* A hash of gid and seed chooses each node's part: parts have their shares up to random variation, and are the same on
 * every number of ranks. */
static pen_status partition(const void *settings, const pen_graph *graph, const pen_machine *machine, int parts,
                            int32_t *part)
{
    const int64_t *seed = settings;
    uint64_t salt = pen_mix((uint64_t)*seed);
    pen_shares shares;
    PEN_TRY(pen_shares_create(machine, parts, &shares));
    for (pen_lid i = 0; i < graph->count; i++) {
        uint64_t hash = pen_mix((uint64_t)pen_graph_gid(graph, i) ^ salt);
        part[i] = machine ? part_at(&shares, pen_unit_real(hash)) : (int32_t)pen_hash_range(hash, (uint64_t)parts);
    }
    pen_shares_free(&shares);
    return PEN_OK;
}

static const pen_setting settings[] = {
    { .name = "seed", .argument = "N", .initial = "1", .kind = PEN_OPTION_INT },
    { .name = NULL },
};

const pen_partitioner pen_partitioner_random = {
    .name = "random",
    .summary = "a hash of the gid",
    .settings = settings,
    .settings_size = sizeof(int64_t),
    .of_graph = partition,
};

#include "base/hash.h"
#include "base/options.h"
#include "partition/partition.h"

/* A hash of gid and seed: parts are equal up to chance, and the same on every number of ranks. */
pen_status pen_partition_random(const pen_graph *graph, char *settings, int parts, int32_t *part)
{
    int64_t seed = 1;
    const pen_option table[] = {
        { .name = "seed", .argument = "N", .kind = PEN_OPTION_INT, .value = &seed },
        { .name = NULL },
    };
    PEN_TRY(pen_settings_parse("partitioner random", settings, table));
    uint64_t salt = pen_mix((uint64_t)seed);
    for (pen_lid i = 0; i < graph->count; i++)
        part[i] = (int32_t)pen_hash_range(pen_mix((uint64_t)pen_graph_gid(graph, i) ^ salt), (uint64_t)parts);
    return PEN_OK;
}

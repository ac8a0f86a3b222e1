#include "partition/dilation.h"
#include "base/memory.h"
#include "view/neighbors.h"

pen_status pen_dilation_cost(const pen_graph *graph, const pen_architecture *architecture, const int32_t *part,
                             int64_t *cost)
{
    int32_t *heads = NULL;
    int64_t mine = 0;
    SCOTCH_Arch arch = architecture->scotch; /* Scotch forgets const; nothing owned is changed */
    SCOTCH_ArchDom *processors = NULL;
    pen_status status = pen_architecture_processors(architecture, &processors);
    if (status == PEN_OK) status = PEN_ALLOC(&heads, graph->rows[graph->count]);
    status = pen_neighbor_values(graph, status, part, heads);
    for (pen_lid i = 0; status == PEN_OK && i < graph->count; i++)
        for (int64_t j = graph->rows[i]; j < graph->rows[i + 1]; j++)
            if (heads[j] != part[i])
                mine += (graph->edge_weights ? graph->edge_weights[j] : 1) *
                        SCOTCH_archDomDist(&arch, &processors[part[i]], &processors[heads[j]]);
    PEN_FREE_ALL(processors, heads);
    PEN_TRY(status);
    PEN_TRY(pen_sum_int(graph->comm, mine, &mine));
    *cost = graph->directed ? mine : mine / 2;
    return PEN_OK;
}

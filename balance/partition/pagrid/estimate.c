/* estimate.c - estimates the time of a step. */
#include "partition/pagrid/estimate.h"
#include "base/memory.h"

#include <stdlib.h>

pen_estimate_units pen_estimate_units_of(const pen_pagrid_graph *graph, double ratio)
{
    double work = 0.0, data = 0.0;
    int64_t arcs = graph->rows[graph->count], read = 0;
    if (ratio < 0.0) return (pen_estimate_units){ 1.0, 1.0, 1.0 };
    for (int32_t v = 0; v < graph->count; v++) work += graph->work ? graph->work[v] : 1.0;
    for (int64_t j = 0; j < arcs; j++) {
        double weight = graph->weights ? graph->weights[j] : 1.0;
        data += weight;
        read += weight > 0.0;
    }
    return (pen_estimate_units){ work > 0.0 ? graph->count / work : 1.0,
                                 data > 0.0 ? ratio * (double)read / data : ratio, ratio };
}

/* Sort nodes by processor: those of p become order[starts[p]] to order[starts[p + 1] - 1]. */
static void sort_by_part(int32_t count, const int32_t *part, int32_t processors, int32_t *starts, int32_t *order)
{
    for (int32_t v = 0; v < count; v++) starts[part[v] + 1]++;
    for (int32_t p = 0; p < processors; p++) starts[p + 1] += starts[p];
    for (int32_t v = count - 1; v >= 0; v--) order[--starts[part[v] + 1]] = v;
    /* Here starts[p + 1] is the beginning of p. */
    for (int32_t p = 0; p < processors; p++) starts[p] = starts[p + 1];
    starts[processors] = count;
}

pen_status pen_estimate(const pen_pagrid_graph *graph, const pen_machine *machine, double ratio, const int32_t *part,
                        double *times)
{
    int32_t *starts = NULL, *order = NULL, *read_by = NULL, processors = machine->processors;
    pen_estimate_units units = pen_estimate_units_of(graph, ratio);
    pen_status status = PEN_ALLOC_ZERO(&starts, (int64_t)processors + 1);
    if (status == PEN_OK) status = PEN_ALLOC(&order, graph->count);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&read_by, processors);
    if (status == PEN_OK) sort_by_part(graph->count, part, processors, starts, order);
    for (int32_t p = 0; p < processors && status == PEN_OK; p++) {
        double work = 0.0, data = 0.0, latency = 0.0;
        for (int32_t k = starts[p]; k < starts[p + 1]; k++) {
            int32_t v = order[k];
            work += graph->work ? graph->work[v] : 1.0;
            for (int64_t j = graph->rows[v]; j < graph->rows[v + 1]; j++) {
                int32_t q = part[graph->columns[j]];
                double weight = graph->weights ? graph->weights[j] : 1.0;
                if (q == p || !(weight > 0.0)) continue;
                pen_link link = machine->link(machine, p, q);
                data += weight * link.cost;
                if (read_by[q] != p + 1) latency += link.latency;
                read_by[q] = p + 1;
            }
        }
        times[p] = units.work * work / machine->speeds[p] + units.data * data + units.latency * latency;
    }
    PEN_FREE_ALL(starts, order, read_by);
    return status;
}

pen_status pen_estimate_longest(const pen_pagrid_graph *graph, const pen_machine *machine, double ratio,
                                const int32_t *part, double *longest)
{
    double *times;
    PEN_TRY(PEN_ALLOC(&times, machine->processors));
    pen_status status = pen_estimate(graph, machine, ratio, part, times);
    *longest = 0.0;
    for (int32_t p = 0; p < machine->processors && status == PEN_OK; p++)
        if (times[p] > *longest) *longest = times[p];
    free(times);
    return status;
}

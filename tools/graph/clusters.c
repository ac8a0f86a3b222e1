#include "tools/graph/clusters.h"
#include "base/memory.h"
#include "view/network.h"

#include <math.h>

_Static_assert(sizeof((machine_cluster *)0)->name >= PEN_CLUSTER_NAME, "names fit");

pen_status pen_machine_clusters(const pen_machine *machine, machine_cluster **list, int32_t *count)
{
    const pen_network *network = pen_network_of(machine);
    PEN_TRY(PEN_ALLOC_ZERO(list, machine->cluster_count));
    for (int32_t p = 0; p < machine->processors; p++) {
        machine_cluster *c = &(*list)[machine->clusters[p]];
        double speed = machine->speeds[p];
        if (c->count == 0) *c = (machine_cluster){ .first = p, .slowest = speed, .fastest = speed };
        if (c->count == 1) c->inner = machine->link(machine, c->first, p);
        c->last = p;
        c->count++;
        c->slowest = fmin(c->slowest, speed);
        c->fastest = fmax(c->fastest, speed);
    }
    *count = 0;
    for (int32_t k = 0; k < machine->cluster_count; k++) {
        machine_cluster *c = &(*list)[k];
        if (c->count == 0) continue;
        if (network->names) snprintf(c->name, sizeof c->name, "%s", network->names[k]);
        else snprintf(c->name, sizeof c->name, "%" PRId32, k);
        (*list)[(*count)++] = *c;
    }
    return PEN_OK;
}

void pen_machine_cluster_text(const machine_cluster *c, char *text, size_t size)
{
    if (c->count == 1) snprintf(text, size, "processor %" PRId32, c->first);
    else if (c->last - c->first == c->count - 1)
        snprintf(text, size, "processors %" PRId32 "-%" PRId32, c->first, c->last);
    else snprintf(text, size, "%" PRId32 " processors", c->count);
}

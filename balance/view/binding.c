#include "view/binding.h"

#ifdef PEN_HAVE_HWLOC

#include <hwloc.h>
#include <stdio.h>

/* The one of that type which has all of the processors. */
static int32_t find_around(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_cpuset_t processors)
{
    for (hwloc_obj_t o = NULL; (o = hwloc_get_next_obj_by_type(topology, type, o)) != NULL;)
        if (hwloc_bitmap_isincluded(processors, o->cpuset)) return (int32_t)o->logical_index;
    return -1;
}

pen_binding pen_binding_find(void)
{
    pen_binding found = { -1, -1 };
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0) return found;
    hwloc_cpuset_t bound = hwloc_bitmap_alloc();
    if (bound && hwloc_topology_load(topology) == 0 && hwloc_get_cpubind(topology, bound, HWLOC_CPUBIND_THREAD) == 0 &&
        !hwloc_bitmap_iszero(bound)) {
        found.package = find_around(topology, HWLOC_OBJ_PACKAGE, bound);
        found.numa_node = find_around(topology, HWLOC_OBJ_NUMANODE, bound);
    }
    hwloc_bitmap_free(bound);
    hwloc_topology_destroy(topology);
    return found;
}

const char *pen_binding_version(void)
{
    static char text[32];
    snprintf(text, sizeof text, ", hwloc %d.%d", HWLOC_API_VERSION >> 16, HWLOC_API_VERSION >> 8 & 0xff);
    return text;
}

#else

pen_binding pen_binding_find(void) { return (pen_binding){ -1, -1 }; }
const char *pen_binding_version(void) { return ""; }

#endif

/* binding.c - finds out on which parts of the host threads may run. */
#include "view/binding.h"
#include "base/affinity.h"
#include "base/per_rank.h"

#ifdef PEN_HAVE_HWLOC

#include <hwloc.h>
#include <stdio.h>
#include <string.h>

static bool open_topology(hwloc_topology_t *topology)
{
    if (hwloc_topology_init(topology) != 0) return false;
    if (hwloc_topology_load(*topology) == 0) return true;
    hwloc_topology_destroy(*topology);
    return false;
}

/* The processors on which this thread may run; NULL: unknown. */
static hwloc_bitmap_t find_bound(hwloc_topology_t topology)
{
    hwloc_cpuset_t bound = hwloc_bitmap_alloc();
    if (bound && hwloc_get_cpubind(topology, bound, HWLOC_CPUBIND_THREAD) == 0 && !hwloc_bitmap_iszero(bound))
        return bound;
    hwloc_bitmap_free(bound);
    return NULL;
}

static int count_of(hwloc_topology_t topology, hwloc_obj_type_t type)
{
    int count = hwloc_get_nbobjs_by_type(topology, type);
    return count > 0 ? count : 0;
}

/* The type of objects that count as cores: processors, if hwloc reports no cores. */
static hwloc_obj_type_t core_type(hwloc_topology_t topology)
{
    return count_of(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
}

/* The number of the object of a type that contains all of these processors; -1: there is none. */
static int32_t find_around(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_cpuset_t processors)
{
    for (hwloc_obj_t o = NULL; (o = hwloc_get_next_obj_by_type(topology, type, o)) != NULL;)
        if (hwloc_bitmap_isincluded(processors, o->cpuset)) return (int32_t)o->logical_index;
    return -1;
}

/* The number of cores that have a processor among these. */
static int32_t count_cores(hwloc_topology_t topology, hwloc_const_cpuset_t processors)
{
    int32_t count = 0;
    for (hwloc_obj_t o = NULL; (o = hwloc_get_next_obj_by_type(topology, core_type(topology), o)) != NULL;)
        count += hwloc_bitmap_intersects(processors, o->cpuset);
    return count;
}

static const struct {
    hwloc_obj_type_t type;
    const char *name;
} caches[] = {
    { HWLOC_OBJ_L4CACHE, "L4" }, { HWLOC_OBJ_L3CACHE, "L3" }, { HWLOC_OBJ_L2CACHE, "L2" }, { HWLOC_OBJ_L1CACHE, "L1" }
};

enum { CACHES = sizeof caches / sizeof caches[0] };

static int32_t find_cache(hwloc_topology_t topology, hwloc_const_cpuset_t processors)
{
    for (int i = 0; i < CACHES; i++) {
        hwloc_obj_t first = hwloc_get_obj_by_type(topology, caches[i].type, 0);
        if (first && count_cores(topology, first->cpuset) > 1) return find_around(topology, caches[i].type, processors);
    }
    return -1;
}

static pen_binding locate(hwloc_topology_t topology, hwloc_const_cpuset_t bound)
{
    return (pen_binding){ .package = find_around(topology, HWLOC_OBJ_PACKAGE, bound),
                          .numa_node = find_around(topology, HWLOC_OBJ_NUMANODE, bound),
                          .cache = find_cache(topology, bound),
                          .core = find_around(topology, core_type(topology), bound) };
}

pen_binding pen_binding_find(void)
{
    pen_binding found = { -1, -1, -1, -1 };
    hwloc_topology_t topology;
    if (!open_topology(&topology)) return found;
    hwloc_bitmap_t bound = find_bound(topology);
    if (bound) found = locate(topology, bound);
    hwloc_bitmap_free(bound);
    hwloc_topology_destroy(topology);
    return found;
}

/* ---- Descriptions --------------------------------------------------------------------------- */

/* Append a part to a list that is separated by commas. */
static void add(char *text, size_t size, const char *format, int number)
{
    size_t used = strlen(text);
    char part[48];
    snprintf(part, sizeof part, format, number);
    if (used + strlen(part) + 3 < size) snprintf(text + used, size - used, "%s%s", used ? ", " : "", part);
}

static void describe_host(hwloc_topology_t topology, char *text, size_t size)
{
    int packages = count_of(topology, HWLOC_OBJ_PACKAGE), nodes = count_of(topology, HWLOC_OBJ_NUMANODE);
    int cores = count_of(topology, core_type(topology)), processors = count_of(topology, HWLOC_OBJ_PU);
    if (packages > 0) add(text, size, packages == 1 ? "%d package" : "%d packages", packages);
    if (nodes > 1) add(text, size, "%d NUMA nodes", nodes);
    add(text, size, cores == 1 ? "%d core" : "%d cores", cores);
    if (processors > cores) add(text, size, "%d threads", processors);
    for (int i = 0; i < CACHES; i++) {
        hwloc_obj_t first = hwloc_get_obj_by_type(topology, caches[i].type, 0);
        char format[48];
        if (!first || !first->attr) continue;
        double bytes = (double)first->attr->cache.size;
        bool large = bytes >= 1048576.0;
        snprintf(format, sizeof format, "%s %%d x %g %s", caches[i].name, bytes / (large ? 1048576.0 : 1024.0),
                 large ? "MiB" : "KiB");
        add(text, size, format, count_of(topology, caches[i].type));
    }
}

static void describe_binding(hwloc_topology_t topology, hwloc_const_cpuset_t bound, char *text, size_t size)
{
    pen_binding at = locate(topology, bound);
    int32_t cores = count_cores(topology, bound), all = count_of(topology, core_type(topology));
    if (cores == all && all > 1) {
        snprintf(text, size, "bound to no core");
        return;
    }
    if (at.package >= 0) add(text, size, "package %d", at.package);
    if (at.numa_node >= 0 && count_of(topology, HWLOC_OBJ_NUMANODE) > 1) add(text, size, "NUMA node %d", at.numa_node);
    if (at.cache >= 0) add(text, size, "shared cache %d", at.cache);
    if (at.core >= 0) add(text, size, "core %d", at.core);
    else add(text, size, "any of %d cores", cores);
}

void pen_binding_describe(char *mine, char *host, size_t size)
{
    hwloc_topology_t topology;
    mine[0] = host[0] = '\0';
    if (!open_topology(&topology)) return;
    describe_host(topology, host, size);
    hwloc_bitmap_t bound = find_bound(topology);
    if (bound) describe_binding(topology, bound, mine, size);
    hwloc_bitmap_free(bound);
    hwloc_topology_destroy(topology);
}

/* ---- Judging the placement of ranks --------------------------------------------------------- */

static void fill(hwloc_bitmap_t processors, const unsigned char *mask)
{
    for (int i = 0; i < PEN_AFFINITY_BYTES * 8; i++)
        if (pen_affinity_has(mask, i)) hwloc_bitmap_set(processors, (unsigned)i);
}

/* The number of ranks, from `rank` on, that may run on the same processors as this one. */
static int32_t count_alike(const unsigned char *masks, int ranks, int rank)
{
    const unsigned char *mask = masks + (size_t)rank * PEN_AFFINITY_BYTES;
    int32_t alike = 0;
    for (int r = rank; r < ranks; r++)
        alike += memcmp(mask, masks + (size_t)r * PEN_AFFINITY_BYTES, PEN_AFFINITY_BYTES) == 0;
    return alike;
}

static void judge(hwloc_topology_t topology, const unsigned char *masks, int ranks, hwloc_bitmap_t bound,
                  pen_crowding *found)
{
    hwloc_const_cpuset_t ours = hwloc_topology_get_topology_cpuset(topology);
    int32_t cores = count_of(topology, core_type(topology));
    for (int r = 0; r < ranks; r++) fill(bound, masks + (size_t)r * PEN_AFFINITY_BYTES);
    *found = (pen_crowding){ .free = cores - count_cores(topology, bound),
                             .packages = count_of(topology, HWLOC_OBJ_PACKAGE),
                             .numa_nodes = count_of(topology, HWLOC_OBJ_NUMANODE) };
    for (int r = 0; r < ranks; r++) {
        hwloc_bitmap_zero(bound);
        fill(bound, masks + (size_t)r * PEN_AFFINITY_BYTES);
        found->unbound += hwloc_bitmap_isincluded(ours, bound);
        int32_t mine = count_cores(topology, bound), alike = count_alike(masks, ranks, r);
        if (found->free == 0 || alike <= mine || alike <= found->sharing) continue;
        found->sharing = alike;
        found->shared = mine;
    }
    if ((found->packages < 2 && found->numa_nodes < 2) || ranks > cores || ranks < 2) found->unbound = 0;
}

bool pen_binding_judge(const unsigned char *masks, int ranks, pen_crowding *found)
{
    hwloc_topology_t topology;
    if (!open_topology(&topology)) return false;
    hwloc_bitmap_t bound = hwloc_bitmap_alloc();
    if (bound) judge(topology, masks, ranks, bound, found);
    hwloc_bitmap_free(bound);
    hwloc_topology_destroy(topology);
    return bound != NULL;
}

const char *pen_binding_version(void)
{
    static PEN_PER_RANK char text[32];
    snprintf(text, sizeof text, ", hwloc %d.%d", HWLOC_API_VERSION >> 16, HWLOC_API_VERSION >> 8 & 0xff);
    return text;
}

#else

pen_binding pen_binding_find(void) { return (pen_binding){ -1, -1, -1, -1 }; }

void pen_binding_describe(char *mine, char *host, size_t size) { mine[0] = host[0] = '\0'; }

bool pen_binding_judge(const unsigned char *masks, int ranks, pen_crowding *found) { return false; }

const char *pen_binding_version(void) { return ""; }

#endif

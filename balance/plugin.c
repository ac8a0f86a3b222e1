/* plugin.c - loads plug-ins. */
#include "balance/plugin.h"
#include "base/abi.h"
#include "base/memory.h"
#include "base/options.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>

bool pen_is_plugin(const char *name) { return strchr(name, '/') != NULL; }

pen_status pen_plugin_unknown(const char *what, const char *name, const char *const *names, int count)
{
    size_t length = strlen(name);
    if (length < 3 || strcmp(name + length - 3, ".so") != 0) return pen_unknown_name(what, name, names, count);
    return pen_fail(PEN_ERR_INPUT, "unknown %s %s: the path of a plug-in has a slash: did you mean ./%s?", what, name,
                    name);
}

/* Replace the table *settings by a copy, *ours, which ends with an empty entry. */
static pen_status adopt_settings(const char *path, size_t size, const pen_setting **settings, pen_setting **ours)
{
    if (!*settings) return PEN_OK;
    PEN_TRY(pen_adopt_table(path, *settings, pen_options_count(*settings, size) + 1, size, ours, sizeof **ours));
    *settings = *ours;
    return PEN_OK;
}

/* Check the data that a balancer asks the library to keep and to report. */
static pen_status check_requests(const char *path, const pen_balancer *b)
{
    int counters = 0;
    if (b->history < 0 || b->history > PEN_MOST_HISTORY)
        return pen_fail(PEN_ERR_INPUT, "plug-in %s: %d steps of history, must be 0 to %d", path, b->history,
                        PEN_MOST_HISTORY);
    if (b->data_bytes > PEN_MOST_NODE_DATA)
        return pen_fail(PEN_ERR_INPUT, "plug-in %s: %zu bytes of data per node, at most %d are possible", path,
                        b->data_bytes, PEN_MOST_NODE_DATA);
    while (b->counters && b->counters[counters] && counters <= PEN_PLAN_COUNTERS) counters++;
    if (counters <= PEN_PLAN_COUNTERS) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "plug-in %s: more than %d counters", path, PEN_PLAN_COUNTERS);
}

/* Copy the plug-in's table. The plug-in's structure has the size of the header it was compiled with. */
static pen_status adopt(const char *path, const pen_plugin *table, pen_loaded_plugin *p)
{
    if (!table) return pen_fail(PEN_ERR_INPUT, "%s is not a plug-in: it does not define penumbra_plugin", path);
    if (table->abi != PEN_PLUGIN_ABI)
        return pen_fail(PEN_ERR_INPUT, "plug-in %s was built for ABI %d of plug-ins, this library has %d: recompile it",
                        path, table->abi, PEN_PLUGIN_ABI);
    pen_plugin plugin;
    PEN_TRY(pen_adopt(path, table, table->plugin_size, &plugin, sizeof plugin));
    p->has_balancer = plugin.balancer;
    p->has_partitioner = plugin.partitioner;
    if (plugin.balancer)
        PEN_TRY(pen_adopt(path, plugin.balancer, plugin.balancer_size, &p->balancer, sizeof p->balancer));
    if (plugin.partitioner)
        PEN_TRY(pen_adopt(path, plugin.partitioner, plugin.partitioner_size, &p->partitioner, sizeof p->partitioner));
    PEN_TRY(adopt_settings(path, plugin.setting_size, &p->balancer.settings, &p->settings[0]));
    PEN_TRY(adopt_settings(path, plugin.setting_size, &p->partitioner.settings, &p->settings[1]));
    if ((p->has_balancer && (!p->balancer.name || !p->balancer.plan)) ||
        (p->has_partitioner && (!p->partitioner.name || !p->partitioner.partition)))
        return pen_fail(PEN_ERR_INPUT, "plug-in %s: a balancer needs name and plan, a partitioner name and partition",
                        path);
    return check_requests(path, &p->balancer);
}

/* The loader would wait for the writer of a pipe, so only regular files are loaded. */
static pen_status load(const char *path, pen_loaded_plugin *p)
{
    struct stat found;
    if (stat(path, &found) == 0 && !S_ISREG(found.st_mode))
        return pen_fail(PEN_ERR_INPUT, "plug-in %s: not a regular file", path);
    p->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!p->object) return pen_fail(PEN_ERR_INPUT, "plug-in %s: %s", path, dlerror());
    return adopt(path, (const pen_plugin *)dlsym(p->object, "penumbra_plugin"), p);
}

pen_status pen_plugin_open(const char *path, pen_loaded_plugin **plugin)
{
    PEN_TRY(PEN_ALLOC_ZERO(plugin, 1));
    pen_status status = load(path, *plugin);
    if (status != PEN_OK) pen_plugin_close(plugin);
    return status;
}

void pen_plugin_close(pen_loaded_plugin **plugin)
{
    if (!*plugin) return;
    if ((*plugin)->object) dlclose((*plugin)->object);
    PEN_FREE_ALL((*plugin)->settings[0], (*plugin)->settings[1], *plugin);
    *plugin = NULL;
}

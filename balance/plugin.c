/* plugin.c - loads plug-ins. */
#include "balance/plugin.h"
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

static pen_status check(const char *path, const pen_plugin *table)
{
    if (!table) return pen_fail(PEN_ERR_INPUT, "%s is not a plug-in: it does not define penumbra_plugin", path);
    if (table->abi != PEN_PLUGIN_ABI)
        return pen_fail(PEN_ERR_INPUT,
                        "plug-in %s was built for ABI %" PRIu32 " of plug-ins, this library has %" PRIu32
                        ": recompile it",
                        path, table->abi, PEN_PLUGIN_ABI);
    const pen_balancer *b = table->balancer;
    const pen_partitioner *p = table->partitioner;
    if ((b && (!b->name || !b->plan)) || (p && (!p->name || !p->partition)))
        return pen_fail(PEN_ERR_INPUT, "plug-in %s: a balancer needs name and plan, a partitioner name and partition",
                        path);
    return b ? check_requests(path, b) : PEN_OK;
}

/* The loader would wait for the writer of a pipe, so only regular files are loaded. */
static pen_status load(const char *path, pen_loaded_plugin *p)
{
    struct stat found;
    if (stat(path, &found) == 0 && !S_ISREG(found.st_mode))
        return pen_fail(PEN_ERR_INPUT, "plug-in %s: not a regular file", path);
    p->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!p->object) return pen_fail(PEN_ERR_INPUT, "plug-in %s: %s", path, dlerror());
    p->table = (const pen_plugin *)dlsym(p->object, "penumbra_plugin");
    return check(path, p->table);
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
    free(*plugin);
    *plugin = NULL;
}

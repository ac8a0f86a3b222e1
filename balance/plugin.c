#include "balance/plugin.h"

#include <dlfcn.h>

bool pen_is_plugin(const char *name) { return strchr(name, '/') != NULL; }

static pen_status check(const char *path, const pen_plugin *plugin)
{
    if (!plugin) return pen_fail(PEN_ERR_INPUT, "%s is no plug-in: it does not define penumbra_plugin", path);
    if (plugin->abi != PEN_PLUGIN_ABI)
        return pen_fail(PEN_ERR_INPUT,
                        "plug-in %s was built for ABI %d of plug-ins, this library has %d: compile it anew", path,
                        plugin->abi, PEN_PLUGIN_ABI);
    const pen_balancer *balancer = plugin->balancer;
    const pen_partitioner *partitioner = plugin->partitioner;
    if ((balancer && (!balancer->name || !balancer->plan)) ||
        (partitioner && (!partitioner->name || !partitioner->partition)))
        return pen_fail(PEN_ERR_INPUT, "plug-in %s: a balancer needs name and plan, a partitioner name and partition",
                        path);
    return PEN_OK;
}

pen_status pen_plugin_open(const char *path, void **object, const pen_plugin **plugin)
{
    *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!*object) return pen_fail(PEN_ERR_INPUT, "plug-in %s: %s", path, dlerror());
    *plugin = (const pen_plugin *)dlsym(*object, "penumbra_plugin");
    pen_status status = check(path, *plugin);
    if (status != PEN_OK) {
        pen_plugin_close(*object);
        *object = NULL;
    }
    return status;
}

void pen_plugin_close(void *object)
{
    if (object) dlclose(object);
}

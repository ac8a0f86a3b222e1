/* plugin.h - loads plug-ins: shared objects with balancers and partitioners (penumbra_plugin.h). */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* A plug-in, converted to this version: members that an older plug-in lacks are zero. */
typedef struct pen_loaded_plugin {
    void *object;
    bool has_balancer, has_partitioner;
    pen_balancer balancer;
    pen_partitioner partitioner;
    pen_setting *settings[2]; /* settings of the balancer and of the partitioner */
} pen_loaded_plugin;

/* Local. Load the plug-in at a path, and check that it has this ABI. pen_plugin_close nulls it; NULL is legal.
 * PEN_ERR_INPUT, PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED (it needs a newer library). */
PEN_CHECKED pen_status pen_plugin_open(const char *path, pen_loaded_plugin **plugin);
void pen_plugin_close(pen_loaded_plugin **plugin);

/* Local. Whether a name is that of a plug-in, a path. */
bool pen_is_plugin(const char *name);

/* Local. Fail with PEN_ERR_INPUT: the name is neither known nor a path. */
pen_status pen_plugin_unknown(const char *what, const char *name, const char *const *names, int count);

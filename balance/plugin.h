/* plugin.h - plug-ins: shared objects with balancers and partitioners of others (penumbra_plugin.h). */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

typedef struct pen_loaded_plugin {
    void *object;
    const pen_plugin *table; /* in the object */
} pen_loaded_plugin;

/* Local. The plug-in at a path, checked to be one of this ABI; pen_plugin_close nulls it, and NULL is legal.
 * PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_plugin_open(const char *path, pen_loaded_plugin **plugin);
void pen_plugin_close(pen_loaded_plugin **plugin);

/* Local. Whether a name means a plug-in. */
bool pen_is_plugin(const char *name);

/* Local. Fails with PEN_ERR_INPUT: the name is neither known nor a path. */
pen_status pen_plugin_unknown(const char *what, const char *name, const char *const *names, int count);

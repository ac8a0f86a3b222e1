/* plugin.h - loads plug-ins: shared objects with balancers and partitioners (penumbra_plugin.h). */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* An open plug-in. */
typedef struct pen_loaded_plugin {
    void *object;            /* the shared object, as dlopen returned it */
    const pen_plugin *table; /* the plug-in's table, which is in the object */
} pen_loaded_plugin;

/* Local. Load the plug-in at a path, and check that it has this ABI. pen_plugin_close nulls it; NULL is legal.
 * PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_plugin_open(const char *path, pen_loaded_plugin **plugin);
void pen_plugin_close(pen_loaded_plugin **plugin);

/* Local. Whether a name is that of a plug-in, a path. */
bool pen_is_plugin(const char *name);

/* Local. Fail with PEN_ERR_INPUT: the name is neither known nor a path. */
pen_status pen_plugin_unknown(const char *what, const char *name, const char *const *names, int count);

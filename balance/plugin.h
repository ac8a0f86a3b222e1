/* plugin.h - plug-ins: shared objects with balancers and partitioners of others (penumbra_plugin.h). */
#ifndef PEN_PLUGIN_H
#define PEN_PLUGIN_H

#include "base/status.h"
#include <penumbra_plugin.h>

/* Local. The plug-in at a path, checked to be one of this ABI. The caller closes *object with
 * pen_plugin_close. PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_plugin_open(const char *path, void **object, const pen_plugin **plugin);
void pen_plugin_close(void *object);

/* Local. Whether a name means a plug-in. */
bool pen_is_plugin(const char *name);

#endif

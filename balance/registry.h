/* registry.h - finds balancers by name: built-in ones, and plug-ins by path. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* A balancer with its state, as chosen by a user. */
typedef struct pen_chosen_balancer {
    const pen_balancer *kind; /* the balancer; NULL: none */
    void *state;
    struct pen_loaded_plugin *plugin; /* the plug-in that has the balancer, or NULL */
} pen_chosen_balancer;

/* Local. Find and create the balancer of "name[:settings]" or "path/of/a/plugin.so[:settings]"; a path has a slash.
 * "none" means no balancer. On failure *chosen is empty. PEN_ERR_INPUT (unknown name, with the known ones and the
 * nearest; a plug-in that cannot be loaded, is not a balancer, or was built for another ABI; bad settings),
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_balancer_open(const char *spec, pen_chosen_balancer *chosen);

/* Local. Create the state of a balancer with these settings. PEN_ERR_INPUT (settings that it does not have, or
 * refuses), PEN_ERR_MEMORY; *state is NULL then, which is legal in pen_balancer_destroy. */
PEN_CHECKED pen_status pen_balancer_create(const pen_balancer *kind, const char *settings, void **state);
void pen_balancer_destroy(const pen_balancer *kind, void *state);

/* Local. Destroy a balancer, and empty *chosen; an empty one is legal. */
void pen_balancer_close(pen_chosen_balancer *chosen);

/* Local. Print the table of `--list=balancers`: name, summary, settings. */
void pen_balancer_list(FILE *out);

/* Local. The name of the i-th built-in balancer ("none" is the first), NULL after the last one. */
const char *pen_balancer_name(int i);

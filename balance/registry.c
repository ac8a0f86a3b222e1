/* registry.c - the list of balancers. */
#include "balance/registry.h"
#include "balance/plugin.h"
#include "base/options.h"
#include "rebalance/balancers.h"

#include <stdlib.h>

enum { LONGEST_OWNER = 128 };

static const pen_balancer none = { .name = "none", .summary = "nodes stay where they are" };

static const pen_balancer *const balancers[] = { &none,
                                                 &pen_balancer_central,
                                                 &pen_balancer_diffusive,
                                                 &pen_balancer_metis,
                                                 &pen_balancer_scotch,
                                                 &pen_balancer_minex,
                                                 &pen_balancer_pagrid,
                                                 &pen_balancer_rcb,
                                                 &pen_balancer_sfc };

/* Local. Find the balancer, and load the plug-in, of a name. */
static pen_status find(const char *name, pen_chosen_balancer *chosen)
{
    if (pen_is_plugin(name)) {
        PEN_TRY(pen_plugin_open(name, &chosen->plugin));
        chosen->kind = chosen->plugin->table->balancer;
        return chosen->kind ? PEN_OK : pen_fail(PEN_ERR_INPUT, "plug-in %s has no balancer", name);
    }
    const char *names[PEN_COUNT_OF(balancers)];
    for (int i = 0; i < PEN_COUNT_OF(balancers); i++) {
        names[i] = balancers[i]->name;
        if (strcmp(name, names[i]) == 0) chosen->kind = balancers[i];
    }
    return chosen->kind ? PEN_OK : pen_plugin_unknown("balancer", name, names, PEN_COUNT_OF(balancers));
}

pen_status pen_balancer_create(const pen_balancer *kind, const char *settings, void **state)
{
    char owner[LONGEST_OWNER];
    snprintf(owner, sizeof owner, "balancer %s", kind->name);
    return pen_settings_make(owner, settings, kind->settings, kind->state_size, kind->check, state);
}

void pen_balancer_destroy(const pen_balancer *kind, void *state)
{
    if (state && kind->destroy) kind->destroy(state);
    free(state);
}

pen_status pen_balancer_open(const char *spec, pen_chosen_balancer *chosen)
{
    pen_spec cut = { NULL, NULL };
    *chosen = (pen_chosen_balancer){ .kind = NULL };
    PEN_TRY(pen_spec_split(spec, &cut));
    pen_status status = find(cut.name, chosen);
    if (status == PEN_OK) status = pen_balancer_create(chosen->kind, cut.settings, &chosen->state);
    pen_spec_free(&cut);
    if (status != PEN_OK || chosen->kind == &none) pen_balancer_close(chosen);
    return status;
}

void pen_balancer_close(pen_chosen_balancer *chosen)
{
    if (chosen->kind) pen_balancer_destroy(chosen->kind, chosen->state);
    pen_plugin_close(&chosen->plugin);
    *chosen = (pen_chosen_balancer){ .kind = NULL };
}

void pen_balancer_list(FILE *out)
{
    for (int i = 0; i < PEN_COUNT_OF(balancers); i++)
        pen_settings_list(out, balancers[i]->name, balancers[i]->summary, balancers[i]->settings);
    fputs("PATH      a plug-in, a shared object with a slash and no colon in its name: ./mine.so[:settings]\n", out);
}

const char *pen_balancer_name(int i) { return i < PEN_COUNT_OF(balancers) ? balancers[i]->name : NULL; }

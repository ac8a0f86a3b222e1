#include "balance/registry.h"
#include "balance/plugin.h"
#include "base/memory.h"
#include "base/options.h"
#include "rebalance/balancers.h"
#include "view/helpers.h"

#include <stdlib.h>

static const pen_balancer none = { .name = "none", .summary = "nodes stay where they are", .settings = "" };

static const pen_balancer *const balancers[] = { &none,
                                                 &pen_balancer_central,
                                                 &pen_balancer_diffusive,
                                                 &pen_balancer_metis,
                                                 &pen_balancer_scotch,
                                                 &pen_balancer_minex,
                                                 &pen_balancer_pagrid,
                                                 &pen_balancer_rcb,
                                                 &pen_balancer_sfc };

/* Local. Balancer and plug-in of a name. */
static pen_status find(const char *name, pen_chosen_balancer *chosen)
{
    if (pen_is_plugin(name)) {
        PEN_TRY(pen_plugin_open(name, &chosen->plugin));
        if (chosen->plugin->has_balancer) chosen->kind = &chosen->plugin->balancer;
        return chosen->kind ? PEN_OK : pen_fail(PEN_ERR_INPUT, "plug-in %s has no balancer", name);
    }
    const char *names[PEN_COUNT_OF(balancers)];
    for (int i = 0; i < PEN_COUNT_OF(balancers); i++) {
        names[i] = balancers[i]->name;
        if (strcmp(name, names[i]) == 0) chosen->kind = balancers[i];
    }
    return chosen->kind ? PEN_OK : pen_plugin_unknown("balancer", name, names, PEN_COUNT_OF(balancers));
}

pen_status pen_balancer_create(const pen_balancer *kind, char *settings, void **state)
{
    *state = NULL;
    if (!kind->create) {
        if (!*settings) return PEN_OK;
        return pen_fail(PEN_ERR_INPUT, "balancer %s has no settings, but is given \"%s\"", kind->name, settings);
    }
    const char *complaint = kind->create(settings, pen_parse_settings, state);
    if (!complaint) return PEN_OK;
    if (!*complaint) complaint = "it refuses its settings and does not say why";
    bool named = strncmp(complaint, "balancer ", strlen("balancer ")) == 0;
    return pen_fail(PEN_ERR_INPUT, "%s%s%s%s", named ? "" : "balancer ", named ? "" : kind->name, named ? "" : ": ",
                    complaint);
}

pen_status pen_balancer_open(const char *spec, pen_chosen_balancer *chosen)
{
    pen_spec cut = { NULL, NULL };
    *chosen = (pen_chosen_balancer){ .kind = NULL };
    PEN_TRY(pen_spec_split(spec, &cut));
    pen_status status = find(cut.name, chosen);
    if (status == PEN_OK) status = pen_copy_text(cut.settings, &chosen->settings);
    if (status == PEN_OK) status = pen_balancer_create(chosen->kind, chosen->settings, &chosen->state);
    pen_spec_free(&cut);
    if (status != PEN_OK) {
        free(chosen->settings);
        pen_plugin_close(&chosen->plugin);
        *chosen = (pen_chosen_balancer){ .kind = NULL };
    } else if (chosen->kind == &none) {
        chosen->kind = NULL;
    }
    return status;
}

void pen_balancer_close(pen_chosen_balancer *chosen)
{
    if (chosen->kind && chosen->kind->destroy) chosen->kind->destroy(chosen->state);
    free(chosen->settings);
    pen_plugin_close(&chosen->plugin);
    *chosen = (pen_chosen_balancer){ .kind = NULL };
}

void pen_balancer_list(FILE *out)
{
    for (int i = 0; i < PEN_COUNT_OF(balancers); i++) {
        fprintf(out, "%-9s %s\n", balancers[i]->name, balancers[i]->summary);
        pen_settings_print(out, balancers[i]->settings);
    }
    fputs("PATH      a plug-in, a shared object with a slash in its name: ./mine.so[:settings]\n", out);
}

const char *pen_balancer_name(int i) { return i < PEN_COUNT_OF(balancers) ? balancers[i]->name : NULL; }

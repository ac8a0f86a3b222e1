#include "run/app.h"

static pen_status check_observables(const pen_app *app)
{
    PEN_ARGUMENT(app->observable_count >= 0 && (app->observable_count == 0 || app->observables), "%s: %d observables",
                 app->name, app->observable_count);
    PEN_ARGUMENT(app->observable_count == 0 || app->observe, "%s: observables without an observe function", app->name);
    PEN_ARGUMENT(!app->check || app->observe, "%s: a check without an observe function", app->name);
    for (int i = 0; i < app->observable_count; i++)
        PEN_ARGUMENT(app->observables[i].name, "%s: observable %d has no name", app->name, i);
    return PEN_OK;
}

static pen_status check_phase(const pen_app *app, int p)
{
    const pen_phase *phase = &app->phases[p];
    PEN_ARGUMENT(phase->name, "%s: phase %d has no name", app->name, p);
    PEN_ARGUMENT(!phase->node != !phase->block, "%s: phase %s needs a node function or a block function", app->name,
                 phase->name);
    PEN_ARGUMENT(phase->writes != 0, "%s: phase %s writes nothing", app->name, phase->name);
    PEN_ARGUMENT(!phase->far || phase->node, "%s: phase %s has .far, and needs a node function", app->name,
                 phase->name);
    PEN_ARGUMENT(!phase->far == !phase->far_reads, "%s: phase %s needs both .far and .far_reads, or neither", app->name,
                 phase->name);
    PEN_ARGUMENT(!((phase->reads | phase->writes | phase->far_reads) & ~pen_app_fields(app)),
                 "%s: phase %s reads or writes an unknown field", app->name, phase->name);
    return PEN_OK;
}

pen_status pen_app_check(const pen_app *app)
{
    PEN_ARGUMENT(app->name && app->init, "an application needs a name and an init function");
    PEN_ARGUMENT(app->fields && app->field_count >= 1 && app->field_count <= 64, "%s: %d fields, 1 to 64 are possible",
                 app->name, app->field_count);
    PEN_ARGUMENT(app->phases && app->phase_count >= 1, "%s: no phases", app->name);
    PEN_TRY(check_observables(app));
    for (int f = 0; f < app->field_count; f++) {
        PEN_ARGUMENT(app->fields[f].name, "%s: field %d has no name", app->name, f);
        PEN_ARGUMENT(app->fields[f].size > 0, "%s: field %s has size 0", app->name, app->fields[f].name);
    }
    for (int p = 0; p < app->phase_count; p++) PEN_TRY(check_phase(app, p));
    return PEN_OK;
}

uint64_t pen_app_fields(const pen_app *app)
{
    return app->field_count == 64 ? UINT64_MAX : PEN_FIELD(app->field_count) - 1;
}

uint64_t pen_app_reads(const pen_app *app)
{
    uint64_t reads = 0;
    for (int p = 0; p < app->phase_count; p++) reads |= app->phases[p].reads;
    return reads;
}

/* Is field f, written in phase p, read from neighbours before it is written again? The phases repeat. */
static bool read_before_rewritten(const pen_app *app, int p, int f)
{
    for (int i = 1; i <= app->phase_count; i++) {
        const pen_phase *later = &app->phases[(p + i) % app->phase_count];
        if (later->reads >> f & 1) return true;
        if (later->writes >> f & 1) return false;
    }
    return false;
}

/* Are the shadows of field f current when phase p begins, in every step and after every migration? Where f is
 * ever read from neighbours, the first pull and those after migrations see to it, until f is written. */
static bool shadows_current(const pen_app *app, const pen_phase_traits *traits, int p, int f)
{
    if (!(pen_app_reads(app) >> f & 1)) return false;
    for (int back = 1; back <= app->phase_count; back++) {
        int before = (p - back + app->phase_count) % app->phase_count;
        if (app->phases[before].writes >> f & 1) return traits[before].pull >> f & 1;
    }
    return true;
}

void pen_app_traits(const pen_app *app, pen_phase_traits *traits)
{
    uint64_t ever_read = pen_app_reads(app);
    for (int p = 0; p < app->phase_count; p++) {
        traits[p] = (pen_phase_traits){ .publishes = (app->phases[p].writes & ever_read) != 0 };
        for (int f = 0; f < app->field_count; f++)
            if (app->phases[p].writes >> f & 1 && read_before_rewritten(app, p, f)) traits[p].pull |= PEN_FIELD(f);
    }
    for (int p = 0; p < app->phase_count; p++)
        for (int f = 0; f < app->field_count; f++)
            if (shadows_current(app, traits, p, f)) traits[p].shadows |= PEN_FIELD(f);
}

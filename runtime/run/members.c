/* members.c - checks the members that applications name in their records and globals. */
#include "run/members.h"
#include "observe/values.h"
#include "output/columns.h"

#include <string.h>

static bool is_name(const char *name)
{
    static const char legal[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    return name && *name && name[strspn(name, legal)] == '\0';
}

static bool is_taken(const pen_member *table, int m)
{
    static const char *const others[] = { "gid", "owner", "load" };
    for (int i = 0; i < PEN_COUNT_OF(others); i++)
        if (strcmp(table[m].name, others[i]) == 0) return true;
    for (int i = 0; i < m; i++)
        if (strcmp(table[m].name, table[i].name) == 0) return true;
    return false;
}

static pen_status check_member(const char *app, const pen_member *table, int m)
{
    PEN_ARGUMENT(is_name(table[m].name), "%s: the name of member %d is not of letters, digits, '_' and '-'", app, m);
    PEN_ARGUMENT(!is_taken(table, m), "%s: member %s: that name is taken", app, table[m].name);
    PEN_ARGUMENT((int)table[m].type >= PEN_F64 && (int)table[m].type <= PEN_BOOL,
                 "%s: member %s is of an unknown type, %d", app, table[m].name, (int)table[m].type);
    PEN_ARGUMENT(table[m].components >= 0, "%s: member %s has %d components", app, table[m].name, table[m].components);
    return PEN_OK;
}

static bool fits(const pen_member *m, size_t size)
{
    const size_t components = (size_t)pen_components(m->components);
    return m->offset <= size && components <= (size - m->offset) / pen_type_size(m->type);
}

pen_status pen_members_check(const pen_app *app)
{
    PEN_ARGUMENT(app->output.members.count >= 0 && (app->output.members.count == 0 || app->output.members.list),
                 "%s: %d members", app->name, app->output.members.count);
    for (int i = 0; i < app->output.members.count; i++) {
        const pen_member *m = &app->output.members.list[i];
        PEN_TRY(check_member(app->name, app->output.members.list, i));
        PEN_ARGUMENT(m->field >= 0 && m->field < app->fields.count, "%s: member %s is of an unknown field, %d",
                     app->name, m->name, m->field);
        PEN_ARGUMENT(!app->fields.list[m->field].transient, "%s: member %s is of a transient field", app->name,
                     m->name);
    }
    return PEN_OK;
}

pen_status pen_members_fit(const pen_app *app)
{
    for (int i = 0; i < app->output.members.count; i++) {
        const pen_member *m = &app->output.members.list[i];
        const size_t size = app->fields.list[m->field].size;
        PEN_ARGUMENT(fits(m, size), "%s: member %s does not lie within a record of field %s, which has %zu bytes",
                     app->name, m->name, app->fields.list[m->field].name, size);
    }
    return PEN_OK;
}

/* The end of the bytes from the beginning of the record of field f that members cover. */
static size_t covered(const pen_app *app, int f)
{
    size_t end = 0;
    for (int i = 0; i < app->output.members.count; i++) {
        const pen_member *m = &app->output.members.list[i];
        const size_t last = m->offset + (size_t)pen_components(m->components) * pen_type_size(m->type);
        if (m->field != f || m->offset > end || last <= end) continue;
        end = last;
        i = -1; /* look at all members again */
    }
    return end;
}

void pen_members_note_plain(pen_app *app)
{
    pen_field *fields; /* app->fields.list without const */
    memcpy(&fields, &app->fields.list, sizeof fields);
    for (int f = 0; f < app->fields.count; f++)
        if (covered(app, f) == fields[f].size) fields[f].plain = true;
}

static bool is_observable(const pen_app *app, const char *name)
{
    for (int i = 0; i < app->observables.count; i++)
        if (strcmp(app->observables.list[i].name, name) == 0) return true;
    return false;
}

const pen_member *pen_globals_time_of(const pen_app *app)
{
    const pen_globals *g = app->globals;
    for (int m = 0; g && g->time && m < g->members.count; m++)
        if (strcmp(g->members.list[m].name, g->time) == 0) return &g->members.list[m];
    return NULL;
}

static pen_status check_time(const pen_app *app)
{
    const char *time = app->globals->time;
    const pen_member *member = pen_globals_time_of(app);
    if (!time) return PEN_OK;
    PEN_ARGUMENT(member && pen_components(member->components) == 1,
                 "%s: the time, \"%s\", must be a member of the globals with one component", app->name, time);
    for (int m = 0; m < app->output.members.count; m++)
        PEN_ARGUMENT(strcmp(app->output.members.list[m].name, time) != 0,
                     "%s: the time, %s, is also a member of records", app->name, time);
    return PEN_OK;
}

pen_status pen_globals_check(const pen_app *app)
{
    const pen_globals *g = app->globals;
    if (!g) return PEN_OK;
    PEN_ARGUMENT(g->size > 0 && g->size <= INT32_MAX, "%s: globals need a size", app->name);
    PEN_ARGUMENT(g->members.count >= 0 && (g->members.count == 0 || g->members.list), "%s: %d members of the globals",
                 app->name, g->members.count);
    for (int m = 0; m < g->members.count; m++) {
        const pen_member *member = &g->members.list[m];
        PEN_TRY(check_member(app->name, g->members.list, m));
        PEN_ARGUMENT(!is_observable(app, member->name), "%s: member %s of the globals: an observable has that name",
                     app->name, member->name);
        PEN_ARGUMENT(member->type != PEN_U64, "%s: member %s of the globals cannot be of PEN_U64", app->name,
                     member->name);
        PEN_ARGUMENT(member->field == 0 && fits(member, g->size),
                     "%s: member %s does not lie within the globals, field 0 of %zu bytes", app->name, member->name,
                     g->size);
    }
    return check_time(app);
}

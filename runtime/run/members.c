#include "run/members.h"
#include "output/columns.h"

#include <string.h>

static bool is_name(const char *name)
{
    static const char legal[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    return name && *name && name[strspn(name, legal)] == '\0';
}

/* Before its place in the table. */
static bool is_taken(const pen_app *app, int m)
{
    static const char *const others[] = { "gid", "owner", "load" };
    for (int i = 0; i < PEN_COUNT_OF(others); i++)
        if (strcmp(app->members[m].name, others[i]) == 0) return true;
    for (int i = 0; i < m; i++)
        if (strcmp(app->members[m].name, app->members[i].name) == 0) return true;
    return false;
}

pen_status pen_members_check(const pen_app *app)
{
    PEN_ARGUMENT(app->member_count >= 0 && (app->member_count == 0 || app->members), "%s: %d members", app->name,
                 app->member_count);
    for (int i = 0; i < app->member_count; i++) {
        const pen_member *m = &app->members[i];
        PEN_ARGUMENT(is_name(m->name), "%s: the name of member %d is not of letters, digits, '_' and '-'", app->name,
                     i);
        PEN_ARGUMENT(!is_taken(app, i), "%s: member %s: that name is taken", app->name, m->name);
        PEN_ARGUMENT(m->field >= 0 && m->field < app->field_count, "%s: member %s is of an unknown field, %d",
                     app->name, m->name, m->field);
        PEN_ARGUMENT(!(app->transient >> m->field & 1), "%s: member %s is of a transient field", app->name, m->name);
        PEN_ARGUMENT((int)m->type >= PEN_F64 && (int)m->type <= PEN_BOOL, "%s: member %s is of an unknown type, %d",
                     app->name, m->name, (int)m->type);
        PEN_ARGUMENT(m->components >= 0, "%s: member %s has %d components", app->name, m->name, m->components);
    }
    return PEN_OK;
}

pen_status pen_members_fit(const pen_app *app)
{
    for (int i = 0; i < app->member_count; i++) {
        const pen_member *m = &app->members[i];
        const size_t size = app->fields[m->field].size, components = m->components > 0 ? (size_t)m->components : 1;
        PEN_ARGUMENT(m->offset <= size && components <= (size - m->offset) / pen_type_size(m->type),
                     "%s: member %s does not lie within a record of field %s, which has %zu bytes", app->name, m->name,
                     app->fields[m->field].name, size);
    }
    return PEN_OK;
}

#include "output/columns.h"
#include "base/memory.h"

#include <stdlib.h>

static const struct {
    int size;
    char kind;
    const char *vtk;
} types[] = { [PEN_F64] = { 8, 'f', "Float64" }, [PEN_F32] = { 4, 'f', "Float32" }, [PEN_I64] = { 8, 'i', "Int64" },
              [PEN_I32] = { 4, 'i', "Int32" },   [PEN_I16] = { 2, 'i', "Int16" },   [PEN_I8] = { 1, 'i', "Int8" },
              [PEN_U64] = { 8, 'u', "UInt64" },  [PEN_U32] = { 4, 'u', "UInt32" },  [PEN_U16] = { 2, 'u', "UInt16" },
              [PEN_U8] = { 1, 'u', "UInt8" },    [PEN_BOOL] = { 1, 'b', "UInt8" } };

_Static_assert(sizeof(bool) == 1, "as in files");

size_t pen_type_size(pen_type type) { return (size_t)types[type].size; }
char pen_type_kind(pen_type type) { return types[type].kind; }
const char *pen_type_vtk(pen_type type) { return types[type].vtk; }

/* ---- Which ones --------------------------------------------------------------------------------------------- */

/* Those that are no members. */
static const struct {
    const char *name;
    pen_column_kind kind;
    pen_type type;
} others[] = { { "gid", PEN_COLUMN_GID, PEN_I64 },
               { "owner", PEN_COLUMN_OWNER, PEN_I32 },
               { "load", PEN_COLUMN_LOAD, PEN_F64 } };

static bool is_named(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

static void add_member(pen_columns *c, const pen_member *m)
{
    const int components = m->components > 0 ? m->components : 1;
    c->of[c->count++] = (pen_column){ .kind = PEN_COLUMN_MEMBER,
                                      .member = m,
                                      .name = m->name,
                                      .type = m->type,
                                      .components = components,
                                      .bytes = (size_t)components * pen_type_size(m->type) };
}

static void add_other(pen_columns *c, int i)
{
    c->of[c->count++] = (pen_column){ .kind = others[i].kind,
                                      .name = others[i].name,
                                      .type = others[i].type,
                                      .components = 1,
                                      .bytes = pen_type_size(others[i].type) };
}

/* That of the name; false: there is none. */
static bool add_named(const pen_app *app, const char *text, size_t length, pen_columns *c)
{
    for (int m = 0; m < app->member_count; m++)
        if (is_named(app->members[m].name, text, length)) {
            add_member(c, &app->members[m]);
            return true;
        }
    for (int i = 0; i < PEN_COUNT_OF(others); i++)
        if (is_named(others[i].name, text, length)) {
            add_other(c, i);
            return true;
        }
    return false;
}

static pen_status announce_unknown(const pen_app *app, const char *text, size_t length)
{
    char known[256] = "";
    for (int m = 0; m < app->member_count; m++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s, ", app->members[m].name);
    return pen_fail(PEN_ERR_INPUT, "--output-fields: %s has no member \"%.*s\": it has %sgid, owner, load", app->name,
                    (int)length, text, known);
}

static pen_status choose_named(const pen_app *app, const char *fields, pen_columns *c)
{
    for (const char *at = fields; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const size_t length = strcspn(at, ",");
        for (int i = 0; i < c->count; i++)
            if (is_named(c->of[i].name, at, length))
                return pen_fail(PEN_ERR_INPUT, "--output-fields: \"%.*s\" is named twice", (int)length, at);
        if (c->count == app->member_count + PEN_COUNT_OF(others) || !add_named(app, at, length, c))
            return announce_unknown(app, at, length);
    }
    return PEN_OK;
}

static bool has_gid(const pen_columns *c)
{
    for (int i = 0; i < c->count; i++)
        if (c->of[i].kind == PEN_COLUMN_GID) return true;
    return false;
}

static pen_status choose(const pen_app *app, const char *fields, bool all, bool gid, pen_columns *c)
{
    if (fields) PEN_TRY(choose_named(app, fields, c));
    for (int m = 0; !fields && m < app->member_count; m++) add_member(c, &app->members[m]);
    for (int i = 0; !fields && all && i < PEN_COUNT_OF(others); i++) add_other(c, i);
    if (!gid || has_gid(c)) return PEN_OK;
    add_other(c, 0);
    const pen_column first = c->of[c->count - 1];
    memmove(c->of + 1, c->of, (size_t)(c->count - 1) * sizeof *c->of);
    c->of[0] = first;
    return PEN_OK;
}

pen_status pen_columns_choose(const pen_app *app, const char *fields, bool all, bool gid, pen_columns *columns)
{
    pen_columns c = { .count = 0 };
    if (app->member_count == 0)
        return pen_fail(PEN_ERR_INPUT, "--output: %s names no members of its records (pen_app.members)", app->name);
    PEN_TRY(PEN_ALLOC(&c.of, (int64_t)app->member_count + PEN_COUNT_OF(others)));
    pen_status status = choose(app, fields, all, gid, &c);
    if (status == PEN_OK) *columns = c;
    else pen_columns_free(&c);
    return status;
}

void pen_columns_free(pen_columns *columns)
{
    free(columns->of);
    *columns = (pen_columns){ .count = 0 };
}

/* ---- Their values -------------------------------------------------------------------------------------------- */

void pen_column_of_store(const pen_store *store, pen_column *column, const double *loads, size_t stride)
{
    switch (column->kind) {
    case PEN_COLUMN_MEMBER:
        column->from = pen_store_plane(store, column->member->field, 0) + column->member->offset;
        column->stride = store->sizes[column->member->field];
        break;
    case PEN_COLUMN_GID:
        column->from = (const unsigned char *)store->gids;
        column->stride = sizeof *store->gids;
        break;
    case PEN_COLUMN_OWNER:
        column->from = NULL;
        column->stride = 0;
        break;
    case PEN_COLUMN_LOAD:
        column->from = (const unsigned char *)loads;
        column->stride = stride;
        break;
    }
}

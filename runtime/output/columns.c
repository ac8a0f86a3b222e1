/* columns.c - parses the columns and file names of results. */
#include "output/columns.h"
#include "base/memory.h"
#include "base/output.h"

#include <stdlib.h>
#include <sys/stat.h>

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

void pen_value_print(pen_type type, const void *from, FILE *out)
{
    union {
        double f64;
        float f32;
        int64_t i64;
        int32_t i32;
        int16_t i16;
        int8_t i8;
        uint64_t u64;
        uint32_t u32;
        uint16_t u16;
        uint8_t u8;
    } v;
    memcpy(&v, from, pen_type_size(type));
    switch (type) {
    case PEN_F64: fprintf(out, "%.17g", v.f64); break;
    case PEN_F32: fprintf(out, "%.9g", (double)v.f32); break;
    case PEN_I64: fprintf(out, "%" PRId64, v.i64); break;
    case PEN_I32: fprintf(out, "%" PRId32, v.i32); break;
    case PEN_I16: fprintf(out, "%d", v.i16); break;
    case PEN_I8: fprintf(out, "%d", v.i8); break;
    case PEN_U64: fprintf(out, "%" PRIu64, v.u64); break;
    case PEN_U32: fprintf(out, "%" PRIu32, v.u32); break;
    case PEN_U16: fprintf(out, "%u", (unsigned)v.u16); break;
    case PEN_U8: fprintf(out, "%u", (unsigned)v.u8); break;
    case PEN_BOOL: fprintf(out, "%d", v.u8 != 0); break;
    }
}

/* ---- Choice of columns --------------------------------------------------------------------------------------- */

/* Named columns that are not members of records. */
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

/* Add the column with this name; false: there is no such column. */
static bool add_named(const pen_app *app, const char *text, size_t length, pen_columns *c)
{
    for (int m = 0; m < app->output.members.count; m++)
        if (is_named(app->output.members.list[m].name, text, length)) {
            add_member(c, &app->output.members.list[m]);
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
    for (int m = 0; m < app->output.members.count; m++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s, ", app->output.members.list[m].name);
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
        if (c->count == app->output.members.count + PEN_COUNT_OF(others) || !add_named(app, at, length, c))
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
    for (int m = 0; !fields && m < app->output.members.count; m++) add_member(c, &app->output.members.list[m]);
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
    if (app->output.members.count == 0)
        return pen_fail(PEN_ERR_INPUT, "--output: %s names no members of its records (pen_app.output.members)",
                        app->name);
    PEN_TRY(PEN_ALLOC(&c.of, (int64_t)app->output.members.count + PEN_COUNT_OF(others)));
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

/* ---- Values of columns --------------------------------------------------------------------------------------- */

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

/* ---- Names of files ------------------------------------------------------------------------------------------- */

static const char STEP[] = "{step}", NAME[] = "{name}";
static const struct {
    const char *ending;
    pen_output_kind kind;
} kinds[] = { { ".npy", PEN_OUTPUT_NPY },
              { ".csv", PEN_OUTPUT_CSV },
              { ".pvtu", PEN_OUTPUT_PVTU },
              { ".vtu", PEN_OUTPUT_VTU },
              { ".pvd", PEN_OUTPUT_VTU } };

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

/* The index of an ending in `kinds`; -1: unknown. */
static int find_kind(const char *text)
{
    const size_t length = strlen(text);
    for (int i = 0; i < PEN_COUNT_OF(kinds); i++) {
        const size_t ending = strlen(kinds[i].ending);
        if (length > ending && strcmp(text + length - ending, kinds[i].ending) == 0) return i;
    }
    return -1;
}

static pen_status check_places(const char *text, pen_output_kind kind)
{
    const char *base = pen_path_base(text), *brace = strchr(text, '{');
    if (brace && brace < base)
        return pen_fail(PEN_ERR_INPUT, "--output=%s: {step} and {name} must follow the last slash", text);
    for (; brace; brace = strchr(brace + 1, '{')) {
        if (begins(brace, STEP) || (kind == PEN_OUTPUT_NPY && begins(brace, NAME))) continue;
        return pen_fail(PEN_ERR_INPUT, "--output=%s: only {step} and, for .npy files, {name} may stand in braces",
                        text);
    }
    return PEN_OK;
}

pen_status pen_naming_read(const char *text, bool steps, pen_naming *naming)
{
    const int k = find_kind(text);
    if (k < 0) return pen_fail(PEN_ERR_INPUT, "--output=%s: must end in .npy, .csv, .vtu, .pvtu or .pvd", text);
    const pen_output_kind kind = kinds[k].kind;
    const size_t length = strlen(text) - strlen(kinds[k].ending);
    const bool drawn = kind == PEN_OUTPUT_VTU || kind == PEN_OUTPUT_PVTU;
    if (pen_path_base(text) == text + length)
        return pen_fail(PEN_ERR_INPUT, "--output=%s: a name is missing before the ending", text);
    PEN_TRY(check_places(text, kind));
    const bool series = drawn && (steps || strcmp(kinds[k].ending, ".pvd") == 0);
    const bool lacks_name = kind == PEN_OUTPUT_NPY && !strstr(text, NAME);
    const bool lacks_step = (steps || series) && !strstr(text, STEP);
    const size_t room = length + sizeof NAME + sizeof STEP + 2;
    char *stem;
    PEN_TRY(PEN_ALLOC(&stem, (int64_t)room));
    snprintf(stem, room, "%.*s%s%s%s%s", (int)length, text, lacks_name ? "-" : "", lacks_name ? NAME : "",
             lacks_step ? "-" : "", lacks_step ? STEP : "");
    *naming = (pen_naming){ kind, series, stem };
    return PEN_OK;
}

void pen_naming_free(pen_naming *naming)
{
    free(naming->stem);
    *naming = (pen_naming){ .stem = NULL };
}

/* Make a path: the stem with these texts in place of {step} and {name}, and the ending. */
static pen_status expand(const char *stem, const char *step, const char *name, const char *ending, char **path)
{
    size_t room = strlen(stem) + strlen(ending) + 1, at = 0;
    for (const char *from = stem; *from; from++) room += *from == '{' ? strlen(step) + strlen(name) : 0;
    PEN_TRY(PEN_ALLOC(path, (int64_t)room));
    for (const char *from = stem; *from;) {
        const char *put = begins(from, STEP) ? step : NULL;
        if (begins(from, NAME)) put = name;
        if (put) at += (size_t)snprintf(*path + at, room - at, "%s", put);
        else (*path)[at++] = *from;
        from += put ? sizeof STEP - 1 : 1;
    }
    snprintf(*path + at, room - at, "%s", ending);
    return PEN_OK;
}

_Static_assert(sizeof STEP == sizeof NAME, "expand skips either by one length");

static const char *const endings[] = { ".npy", ".csv", ".vtu", ".pvtu" };

pen_status pen_naming_name(const pen_naming *naming, const char *name, char **path)
{
    return expand(naming->stem, STEP, name, endings[naming->kind], path);
}

pen_status pen_naming_path(const pen_naming *naming, int64_t step, const char *name, char **path)
{
    char number[24];
    snprintf(number, sizeof number, "%06" PRId64, step);
    return expand(naming->stem, number, name ? name : "", endings[naming->kind], path);
}

pen_status pen_naming_piece(const char *whole, int rank, char **path)
{
    const size_t stem = strlen(whole) - strlen(".pvtu"), room = stem + 32;
    PEN_TRY(PEN_ALLOC(path, (int64_t)room));
    snprintf(*path, room, "%.*s-p%06d.vtu", (int)stem, whole, rank);
    return PEN_OK;
}

pen_status pen_naming_series(const pen_naming *naming, char **path)
{
    char *stem;
    PEN_TRY(pen_copy_text(naming->stem, &stem));
    for (char *place = strstr(stem, STEP); place; place = strstr(stem, STEP)) {
        char *from = place;
        if (from > pen_path_base(stem) && strchr("-_.", from[-1])) from--;
        memmove(from, place + sizeof STEP - 1, strlen(place + sizeof STEP - 1) + 1);
    }
    const bool nameless = !*pen_path_base(stem);
    pen_status status = expand(stem, "", "", nameless ? "series.pvd" : ".pvd", path);
    free(stem);
    return status;
}

static size_t digits_of(const char *text) { return strspn(text, "0123456789"); }

/* Whether a text is the ending of an output file, or of a rank's piece. */
static bool is_ending(const char *text, pen_output_kind kind)
{
    if (strcmp(text, endings[kind]) == 0) return true;
    if (kind != PEN_OUTPUT_PVTU || !begins(text, "-p")) return false;
    const size_t digits = digits_of(text + 2);
    return digits >= 6 && strcmp(text + 2 + digits, endings[PEN_OUTPUT_VTU]) == 0;
}

static bool fits(const char *stem, const char *name, pen_output_kind kind, const char *file)
{
    for (; *stem; stem++, file++) {
        if (begins(stem, NAME))
            return begins(file, name) && fits(stem + sizeof NAME - 1, name, kind, file + strlen(name));
        if (begins(stem, STEP)) {
            bool fit = false;
            for (size_t n = 6; n <= digits_of(file) && !fit; n++)
                fit = fits(stem + sizeof STEP - 1, name, kind, file + n);
            return fit;
        }
        if (*stem != *file) return false;
    }
    return is_ending(file, kind);
}

bool pen_naming_can_be(const pen_naming *naming, const char *name, const char *file)
{
    return fits(pen_path_base(naming->stem), name, naming->kind, file);
}

void pen_naming_folder(const char *path)
{
    char *folder;
    const char *base = pen_path_base(path);
    if (base == path || pen_copy_text(path, &folder) != PEN_OK) return;
    folder[base - path] = '\0';
    (void)mkdir(folder, 0777);
    free(folder);
}

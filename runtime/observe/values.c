/* values.c - names and reads the single values of observables and globals. */
#include "observe/values.h"
#include "base/memory.h"

#include <stdlib.h>

/* The name of component c of `components`; the caller frees it. */
static pen_status name_component(const char *name, int components, int c, const char **text)
{
    char *copy = NULL;
    const size_t size = strlen(name) + 16;
    PEN_TRY(PEN_ALLOC(&copy, (int64_t)size));
    if (components > 1) snprintf(copy, size, "%s_%d", name, c);
    else snprintf(copy, size, "%s", name);
    *text = copy;
    return PEN_OK;
}

static bool is_real(pen_type type) { return type == PEN_F64 || type == PEN_F32; }

/* Read a value of a type into *real or *whole. Returns its size in bytes. */
static size_t read_value(const unsigned char *at, pen_type type, int64_t *whole, double *real)
{
#define READ(kind, to)                    \
    do {                                  \
        kind value;                       \
        memcpy(&value, at, sizeof value); \
        *(to) = value;                    \
        return sizeof value;              \
    } while (0)
    switch (type) {
    case PEN_F64: READ(double, real);
    case PEN_F32: READ(float, real);
    case PEN_I64: READ(int64_t, whole);
    case PEN_I32: READ(int32_t, whole);
    case PEN_I16: READ(int16_t, whole);
    case PEN_I8: READ(int8_t, whole);
    case PEN_U32: READ(uint32_t, whole);
    case PEN_U16: READ(uint16_t, whole);
    default: READ(uint8_t, whole);
    }
#undef READ
}

void pen_values_of_globals(const pen_values *v, const void *globals, int64_t *ints, double *reals)
{
    int value = v->members;
    for (int m = 0; v->globals && m < v->globals->members.count; m++) {
        const pen_member *member = &v->globals->members.list[m];
        const unsigned char *at = (const unsigned char *)globals + member->offset;
        for (int c = 0; c < pen_components(member->components); c++, value++)
            at += read_value(at, member->type, &ints[value], &reals[value]);
    }
}

static int count_values(const pen_app *app)
{
    int count = 0;
    for (int i = 0; i < app->observables.count; i++) count += pen_components(app->observables.list[i].components);
    for (int m = 0; app->globals && m < app->globals->members.count; m++)
        count += pen_components(app->globals->members.list[m].components);
    return count;
}

static pen_status add_observables(const pen_app *app, pen_values *v)
{
    int next = app->observables.count, position = 0;
    for (int i = 0; i < app->observables.count; i++) {
        const int components = pen_components(app->observables.list[i].components);
        v->components[i] = next - 1;
        for (int c = 0; c < components; c++) {
            const int value = c == 0 ? i : next++;
            v->table[value].kind = app->observables.list[i].kind;
            v->observable[value] = i;
            v->order[position++] = value;
            PEN_TRY(name_component(app->observables.list[i].name, components, c, &v->table[value].name));
        }
    }
    v->members = next;
    return PEN_OK;
}

static pen_status add_members(const pen_app *app, pen_values *v)
{
    int next = v->members;
    for (int m = 0; app->globals && m < app->globals->members.count; m++) {
        const pen_member *member = &app->globals->members.list[m];
        const int components = pen_components(member->components);
        for (int c = 0; c < components; c++, next++) {
            v->table[next].kind = is_real(member->type) ? PEN_MAX_REAL : PEN_MAX_INT;
            v->observable[next] = -1;
            v->order[next] = next;
            PEN_TRY(name_component(member->name, components, c, &v->table[next].name));
        }
    }
    return PEN_OK;
}

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* The names head the columns of a file. An observable would hide that of the steps; globals may well have a step. */
static pen_status check_names(const pen_values *v)
{
    const char **names, *twice = NULL;
    PEN_TRY(PEN_ALLOC(&names, v->count));
    for (int i = 0; i < v->count; i++) {
        names[i] = v->table[i].name;
        if (v->observable[i] >= 0 && strcmp(names[i], "step") == 0) twice = names[i];
    }
    qsort(names, (size_t)v->count, sizeof *names, by_text);
    for (int i = 0; i + 1 < v->count && !twice; i++)
        if (strcmp(names[i], names[i + 1]) == 0) twice = names[i];
    pen_status status = PEN_OK;
    if (twice) status = pen_fail(PEN_ERR_ARGUMENT, "%s: observable %s: that name is taken", v->app, twice);
    free(names);
    return status;
}

pen_status pen_values_create(const pen_app *app, pen_values *v)
{
    *v = (pen_values){ .app = app->name,
                       .observables = app->observables.list,
                       .observable_count = app->observables.count,
                       .globals = app->globals };
    const int count = count_values(app);
    PEN_TRY(PEN_ALLOC_ZERO(&v->table, count));
    v->count = count;
    PEN_TRY(PEN_ALLOC(&v->observable, count));
    PEN_TRY(PEN_ALLOC(&v->order, count));
    PEN_TRY(PEN_ALLOC(&v->components, app->observables.count));
    PEN_TRY(add_observables(app, v));
    PEN_TRY(add_members(app, v));
    return check_names(v);
}

void pen_values_free(pen_values *v)
{
    for (int i = 0; i < v->count; i++) free((void *)(uintptr_t)v->table[i].name);
    PEN_FREE_ALL(v->table, v->observable, v->order, v->components);
    *v = (pen_values){ .count = 0 };
}

int pen_values_find(const pen_values *v, const char *function, int place)
{
    const int index = place % PENUMBRA_OBSERVABLES, component = place / PENUMBRA_OBSERVABLES;
    if (place < 0 || index >= v->observable_count)
        pen_die("%s: index %d, %s has %d observables", function, index, v->app, v->observable_count);
    const pen_observable *o = &v->observables[index];
    if (component >= pen_components(o->components))
        pen_die("%s: component %d, observable \"%s\" has %d", function, component, o->name,
                pen_components(o->components));
    return component > 0 ? v->components[index] + component : index;
}

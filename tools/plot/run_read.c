#include "tools/plot/run_read.h"
#include "base/memory.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

/* ---- Members of objects --------------------------------------------------------------------- */

/* An object of a file; `at` is how a person finds it: "per_rank[3].seconds.", "" at the top. */
typedef struct place {
    const char *path;
    const json_t *object;
    char at[64];
} place;

static pen_status wrong(const place *p, const char *key, const char *what)
{
    return pen_fail(PEN_ERR_INPUT, "%s: %s%s %s", p->path, p->at, key,
                    json_object_get(p->object, key) ? what : "is missing");
}

static pen_status get_int(const place *p, const char *key, int64_t low, int64_t *value)
{
    const json_t *found = json_object_get(p->object, key);
    char what[64];
    snprintf(what, sizeof what, "must be an integer, at least %" PRId64, low);
    if (!json_is_integer(found) || json_integer_value(found) < low) return wrong(p, key, what);
    *value = json_integer_value(found);
    return PEN_OK;
}

static pen_status get_real(const place *p, const char *key, double *value)
{
    const json_t *found = json_object_get(p->object, key);
    if (!json_is_number(found) || json_number_value(found) < 0.0) return wrong(p, key, "must be a number, at least 0");
    *value = json_number_value(found);
    return PEN_OK;
}

static pen_status get_object(const place *p, const char *key, place *inner)
{
    inner->path = p->path;
    inner->object = json_object_get(p->object, key);
    snprintf(inner->at, sizeof inner->at, "%.32s%s.", p->at, key);
    return json_is_object(inner->object) ? PEN_OK : wrong(p, key, "must be an object");
}

/* An array of objects: *count of them, or as many as *count says where that is not negative. */
static pen_status get_array(const place *p, const char *key, int64_t *count, const json_t **array)
{
    *array = json_object_get(p->object, key);
    if (!json_is_array(*array)) return wrong(p, key, "must be an array");
    int64_t found = (int64_t)json_array_size(*array);
    if (*count >= 0 && found != *count)
        return pen_fail(PEN_ERR_INPUT, "%s: %s%s has %" PRId64 " elements, must have one per rank: %" PRId64, p->path,
                        p->at, key, found, *count);
    *count = found;
    return PEN_OK;
}

static pen_status get_element(const char *path, const char *key, const json_t *array, int64_t i, place *inner)
{
    inner->path = path;
    inner->object = json_array_get(array, (size_t)i);
    snprintf(inner->at, sizeof inner->at, "%s[%" PRId64 "].", key, i);
    if (json_is_object(inner->object)) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "%s: %s[%" PRId64 "] must be an object", path, key, i);
}

/* Neither control characters nor the two code points that XML forbids: they become '?'. */
static pen_status copy_text(const char *text, char **copy)
{
    int64_t length = (int64_t)strlen(text);
    PEN_TRY(PEN_ALLOC(copy, length + 1));
    char *to = *copy;
    for (const char *c = text; *c; c++) {
        bool forbidden = strncmp(c, "\xef\xbf\xbe", 3) == 0 || strncmp(c, "\xef\xbf\xbf", 3) == 0;
        *to++ = forbidden || (unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c;
        if (forbidden) c += 2;
    }
    *to = '\0';
    return PEN_OK;
}

static pen_status get_text(const place *p, const char *key, char **value)
{
    const json_t *found = json_object_get(p->object, key);
    if (!json_is_string(found)) return wrong(p, key, "must be a text");
    return copy_text(json_string_value(found), value);
}

/* ---- A file --------------------------------------------------------------------------------- */

static pen_status get_seconds(const place *p, run_seconds *seconds)
{
    static const char *const keys[CATEGORIES] = {
        "init", "compute", "compute_overhead", "communicate", "communication_overhead", "balance"
    };
    place s;
    PEN_TRY(get_object(p, "seconds", &s));
    PEN_TRY(get_real(&s, "total", &seconds->total));
    PEN_TRY(get_real(&s, "loop", &seconds->loop));
    for (int c = 0; c < CATEGORIES; c++) PEN_TRY(get_real(&s, keys[c], &seconds->of[c]));
    return PEN_OK;
}

static pen_status get_ranks(const place *p, run *r)
{
    const json_t *array;
    PEN_TRY(get_array(p, "per_rank", &r->ranks, &array));
    PEN_TRY(PEN_ALLOC(&r->per_rank, r->ranks));
    r->mean = (run_seconds){ 0 };
    double share = 1.0 / (double)r->ranks;
    for (int64_t i = 0; i < r->ranks; i++) {
        place rank;
        run_rank *to = &r->per_rank[i];
        PEN_TRY(get_element(p->path, "per_rank", array, i, &rank));
        PEN_TRY(get_int(&rank, "owned", 0, &to->owned));
        PEN_TRY(get_seconds(&rank, &to->seconds));
        r->mean.total += share * to->seconds.total;
        r->mean.loop += share * to->seconds.loop;
        for (int c = 0; c < CATEGORIES; c++) r->mean.of[c] += share * to->seconds.of[c];
    }
    return PEN_OK;
}

static pen_status get_loads(const place *p, run *r)
{
    const json_t *array;
    PEN_TRY(get_array(p, "loads", &r->ranks, &array));
    r->samples = (int64_t)json_array_size(json_array_get(array, 0));
    PEN_TRY(PEN_ALLOC(&r->loads, r->ranks * r->samples));
    for (int64_t i = 0; i < r->ranks; i++) {
        const json_t *row = json_array_get(array, (size_t)i);
        if (!json_is_array(row) || (int64_t)json_array_size(row) != r->samples)
            return pen_fail(PEN_ERR_INPUT, "%s: history.loads[%" PRId64 "] must be an array as long as the others",
                            p->path, i);
        for (int64_t s = 0; s < r->samples; s++) {
            const json_t *load = json_array_get(row, (size_t)s);
            if (!json_is_number(load) || json_number_value(load) < 0.0)
                return pen_fail(PEN_ERR_INPUT,
                                "%s: history.loads[%" PRId64 "][%" PRId64 "] must be a number, at least 0", p->path, i,
                                s);
            r->loads[i * r->samples + s] = json_number_value(load);
        }
    }
    return PEN_OK;
}

static pen_status get_history(const place *p, run *r)
{
    if (!json_object_get(p->object, "history")) return PEN_OK; /* files of before it was recorded */
    place history;
    PEN_TRY(get_object(p, "history", &history));
    PEN_TRY(get_int(&history, "stride", 1, &r->stride));
    const char *unit = json_string_value(json_object_get(history.object, "unit"));
    if (!unit || (strcmp(unit, "units") != 0 && strcmp(unit, "seconds") != 0))
        return wrong(&history, "unit", "must be \"units\" or \"seconds\"");
    r->declared = strcmp(unit, "units") == 0;
    return get_loads(&history, r);
}

static pen_status get_values(const place *p, const char *name, const json_t *array, run *r)
{
    run_observable *o = &r->observables[r->observable_count];
    int64_t moments = (int64_t)json_array_size(array);
    if (!json_is_array(array) || (r->observable_count > 0 && moments != r->moments))
        return pen_fail(PEN_ERR_INPUT, "%s: observables.%s must be an array as long as the others", p->path, name);
    r->moments = moments;
    r->observable_count++;
    PEN_TRY(copy_text(name, &o->name));
    PEN_TRY(PEN_ALLOC(&o->values, moments));
    for (int64_t m = 0; m < moments; m++) {
        const json_t *value = json_array_get(array, (size_t)m);
        if (!json_is_number(value) && !json_is_null(value))
            return pen_fail(PEN_ERR_INPUT, "%s: observables.%s[%" PRId64 "] must be a number or null", p->path, name,
                            m);
        o->values[m] = json_is_null(value) ? NAN : json_number_value(value);
    }
    return PEN_OK;
}

static pen_status get_observables(const place *p, run *r)
{
    if (!json_object_get(p->object, "observables_stride")) return PEN_OK; /* files of before it was recorded */
    place observed;
    const char *name;
    json_t *array;
    PEN_TRY(get_int(p, "observables_stride", 1, &r->observed_every));
    PEN_TRY(get_object(p, "observables", &observed));
    PEN_TRY(PEN_ALLOC_ZERO(&r->observables, (int64_t)json_object_size(observed.object)));
    json_object_foreach((json_t *)(uintptr_t)observed.object, name, array) PEN_TRY(get_values(p, name, array, r));
    return PEN_OK;
}

static pen_status get_calls(const place *p, run *r)
{
    const json_t *array;
    r->call_count = -1;
    PEN_TRY(get_array(p, "balance_calls", &r->call_count, &array));
    PEN_TRY(PEN_ALLOC_ZERO(&r->calls, r->call_count));
    for (int64_t i = 0; i < r->call_count; i++) {
        place call;
        run_call *to = &r->calls[i];
        PEN_TRY(get_element(p->path, "balance_calls", array, i, &call));
        const json_t *applied = json_object_get(call.object, "applied");
        if (!json_is_boolean(applied)) return wrong(&call, "applied", "must be true or false");
        to->applied = json_is_true(applied);
        PEN_TRY(get_int(&call, "step", 0, &to->step));
        PEN_TRY(get_real(&call, "imbalance_before", &to->imbalance_before));
        PEN_TRY(get_real(&call, "imbalance_after", &to->imbalance_after));
        PEN_TRY(get_real(&call, "seconds", &to->seconds));
        PEN_TRY(get_int(&call, "cut_before", 0, &to->cut_before));
        PEN_TRY(get_int(&call, "cut_after", 0, &to->cut_after));
        PEN_TRY(get_int(&call, "moved_nodes", 0, &to->moved_nodes));
        PEN_TRY(get_int(&call, "moved_bytes", 0, &to->moved_bytes));
        if (!json_object_get(call.object, "step_time_before")) continue;
        r->has_machine = true;
        PEN_TRY(get_real(&call, "dilation_before", &to->dilation_before));
        PEN_TRY(get_real(&call, "dilation_after", &to->dilation_after));
        PEN_TRY(get_real(&call, "step_time_before", &to->step_time_before));
        PEN_TRY(get_real(&call, "step_time_after", &to->step_time_after));
    }
    return PEN_OK;
}

static pen_status get_run(const place *p, run *r)
{
    const char *schema = json_string_value(json_object_get(p->object, "schema"));
    if (!schema || (strcmp(schema, "penumbra-metrics/1") != 0 && strcmp(schema, "penumbra-metrics/2") != 0))
        return pen_fail(PEN_ERR_INPUT,
                        "%s: line 1: no metrics, as --metrics=FILE writes them: its \"schema\" is not "
                        "\"penumbra-metrics/1\" or /2",
                        p->path);
    PEN_TRY(get_text(p, "app", &r->app));
    PEN_TRY(get_text(p, "comm", &r->comm));
    PEN_TRY(get_text(p, "partitioner", &r->partitioner));
    PEN_TRY(get_text(p, "balancer", &r->balancer));
    PEN_TRY(get_int(p, "ranks", 1, &r->ranks));
    PEN_TRY(get_int(p, "nodes", 0, &r->nodes));
    PEN_TRY(get_int(p, "edges", 0, &r->edges));
    PEN_TRY(get_int(p, "steps", 0, &r->steps));
    PEN_TRY(get_seconds(p, &r->most));
    PEN_TRY(get_ranks(p, r));
    place inner;
    PEN_TRY(get_object(p, "partition", &inner));
    PEN_TRY(get_int(&inner, "cut", 0, &r->cut));
    PEN_TRY(get_real(&inner, "imbalance", &r->imbalance));
    r->efficiency = -1.0;
    if (!json_is_null(json_object_get(p->object, "work"))) {
        PEN_TRY(get_object(p, "work", &inner));
        PEN_TRY(get_real(&inner, "efficiency", &r->efficiency));
    }
    PEN_TRY(get_history(p, r));
    PEN_TRY(get_observables(p, r));
    return get_calls(p, r);
}

pen_status pen_metrics_read(const char *path, run *r)
{
    PEN_TRY(copy_text(path, &r->path));
    FILE *file = fopen(path, "r");
    if (!file) return pen_fail(PEN_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    json_error_t error;
    json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    pen_status status = PEN_OK;
    if (ferror(file)) {
        status = pen_fail(PEN_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    } else if (!root) {
        char *said = NULL;
        status = copy_text(error.text, &said);
        if (status == PEN_OK) status = pen_fail(PEN_ERR_INPUT, "%s: line %d: no JSON: %s", path, error.line, said);
        free(said);
    } else {
        status = get_run(&(place){ .path = path, .object = root }, r);
    }
    fclose(file);
    json_decref(root);
    return status;
}

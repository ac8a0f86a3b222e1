#include "tools/plot/runs.h"
#include "base/memory.h"
#include "base/memory_stream.h"
#include "tools/common/order.h"

#include <stdlib.h>

const char *const pen_category_names[CATEGORIES] = { "initialisation",         "computation",
                                                     "computation overhead",   "communication",
                                                     "communication overhead", "load balancing" };

bool pen_runs_same_problem(const run *a, const run *b)
{
    return strcmp(a->app, b->app) == 0 && a->nodes == b->nodes && a->edges == b->edges && a->steps == b->steps;
}

bool pen_runs_same_series(const run *a, const run *b)
{
    return pen_runs_same_problem(a, b) && strcmp(a->comm, b->comm) == 0 &&
           strcmp(a->partitioner, b->partitioner) == 0 && strcmp(a->balancer, b->balancer) == 0;
}

/* A plug-in is known by its file's name, not by its folder: "./lib/mine.so:key=a/b" is "mine.so:key=a/b". */
static const char *short_name(const char *name)
{
    const char *start = name;
    for (const char *c = name; *c && *c != ':'; c++)
        if (*c == '/') start = c + 1;
    return start;
}

typedef struct differences {
    bool app, nodes, edges, steps, ranks, comm, partitioner, balancer;
} differences;

static differences find_differences(const run_set *set)
{
    differences d = { 0 };
    for (int i = 1; i < set->count; i++) {
        const run *a = &set->runs[0], *b = &set->runs[i];
        d.app |= strcmp(a->app, b->app) != 0;
        d.nodes |= a->nodes != b->nodes;
        d.edges |= a->edges != b->edges;
        d.steps |= a->steps != b->steps;
        d.ranks |= a->ranks != b->ranks;
        d.comm |= strcmp(a->comm, b->comm) != 0;
        d.partitioner |= strcmp(a->partitioner, b->partitioner) != 0;
        d.balancer |= strcmp(a->balancer, b->balancer) != 0;
    }
    d.edges &= !d.nodes; /* where nodes differ, edges do too */
    return d;
}

static void print_name(FILE *out, const char *name) { fprintf(out, "%s%s", ftell(out) > 0 ? ", " : "", name); }

static void print_number(FILE *out, int64_t number, const char *unit)
{
    fprintf(out, "%s%" PRId64 " %s", ftell(out) > 0 ? ", " : "", number, unit);
}

/* The application alone where nothing differs. */
static pen_status describe(const run *r, const differences *d, const char *file, char **text)
{
    size_t size;
    FILE *out = pen_memory_stream(text, &size);
    if (!out) return pen_fail(PEN_ERR_MEMORY, "out of memory for labels");
    if (d->app) print_name(out, r->app);
    if (d->nodes) print_number(out, r->nodes, "nodes");
    if (d->edges) print_number(out, r->edges, "edges");
    if (d->steps) print_number(out, r->steps, "steps");
    if (d->comm) print_name(out, r->comm);
    if (d->partitioner) print_name(out, short_name(r->partitioner));
    if (d->balancer) print_name(out, strcmp(r->balancer, "none") == 0 ? "no balancer" : short_name(r->balancer));
    if (d->ranks) print_number(out, r->ranks, r->ranks == 1 ? "rank" : "ranks");
    if (file) print_name(out, file);
    if (ftell(out) == 0) fputs(r->app, out);
    return fclose(out) == 0 ? PEN_OK : pen_fail(PEN_ERR_MEMORY, "out of memory for labels");
}

static pen_status label(run_set *set)
{
    const differences d = find_differences(set);
    differences in_series = d;
    in_series.ranks = false;
    for (int i = 0; i < set->count; i++) {
        run *r = &set->runs[i];
        bool twin = false;
        for (int k = 0; k < set->count && !twin; k++)
            twin = k != i && pen_runs_same_series(r, &set->runs[k]) && r->ranks == set->runs[k].ranks;
        const char *slash = strrchr(r->path, '/'), *file = slash ? slash + 1 : r->path;
        PEN_TRY(describe(r, &in_series, NULL, &r->series));
        PEN_TRY(describe(r, &d, twin ? file : NULL, &r->label));
    }
    return PEN_OK;
}

/* Each run goes behind the last one of its series that has no more ranks than it. */
static void sort(run_set *set)
{
    for (int i = 1; i < set->count; i++) {
        run moved = set->runs[i];
        int first = 0;
        while (first < i && !pen_runs_same_series(&set->runs[first], &moved)) first++;
        int to = first;
        while (to < i && pen_runs_same_series(&set->runs[to], &moved) && set->runs[to].ranks <= moved.ranks) to++;
        memmove(&set->runs[to + 1], &set->runs[to], (size_t)(i - to) * sizeof moved);
        set->runs[to] = moved;
    }
}

pen_status pen_runs_read(char *const *paths, int count, run_set *set)
{
    *set = (run_set){ 0 };
    PEN_TRY(PEN_ALLOC_ZERO(&set->runs, count));
    set->count = count;
    for (int i = 0; i < count; i++) PEN_TRY(pen_metrics_read(paths[i], &set->runs[i]));
    sort(set);
    return label(set);
}

void pen_runs_free(run_set *set)
{
    for (int i = 0; i < set->count; i++) {
        run *r = &set->runs[i];
        free(r->path);
        free(r->app);
        free(r->comm);
        free(r->partitioner);
        free(r->balancer);
        free(r->series);
        free(r->label);
        free(r->per_rank);
        free(r->loads);
        free(r->calls);
        for (int k = 0; k < r->observable_count; k++) {
            free(r->observables[k].name);
            free(r->observables[k].values);
        }
        free(r->observables);
    }
    free(set->runs);
    *set = (run_set){ 0 };
}

pen_status pen_runs_need_history(const run_set *set)
{
    for (int i = 0; i < set->count; i++)
        if (set->runs[i].samples == 0)
            return pen_fail(PEN_ERR_INPUT, "%s has no history of loads: %s", set->runs[i].path,
                            set->runs[i].stride ? "its run took no steps" : "it was written before that was recorded");
    return PEN_OK;
}

double pen_sample_imbalance(const run *r, int64_t sample)
{
    double most = 0.0, sum = 0.0;
    for (int64_t i = 0; i < r->ranks; i++) {
        double load = r->loads[i * r->samples + sample];
        most = load > most ? load : most;
        sum += load;
    }
    return sum > 0.0 ? most * (double)r->ranks / sum : 1.0;
}

/* ---- Speed-up ------------------------------------------------------------------------------- */

/* The series from points[first] on; its end. */
static int series_end(const speedup *points, int count, int first)
{
    int end = first + 1;
    while (end < count && pen_runs_same_series(points[first].first, points[end].first)) end++;
    return end;
}

/* What the series points[first .. end-1] is compared with; NULL where it has nothing to be compared with. */
static const speedup *find_base(const speedup *points, int count, int first, int end)
{
    const run *r = points[first].first;
    for (int i = 0; i < count && r->ranks > 1; i++)
        if (points[i].first->ranks == 1 && pen_runs_same_problem(r, points[i].first)) return &points[i];
    return end - first > 1 ? &points[first] : NULL;
}

pen_status pen_runs_speedups(const run_set *set, speedup **points, int *count)
{
    double *times;
    int all = 0;
    PEN_TRY(PEN_ALLOC(points, set->count));
    PEN_TRY(PEN_ALLOC(&times, set->count));
    for (int i = 0, end; i < set->count; i = end) {
        const run *r = &set->runs[i];
        for (end = i; end < set->count && pen_runs_same_series(r, &set->runs[end]) && set->runs[end].ranks == r->ranks;
             end++)
            times[end - i] = set->runs[end].most.loop;
        (*points)[all++] = (speedup){ .first = r, .repetitions = end - i, .seconds = pen_median(times, end - i) };
    }
    free(times);
    for (int i = 0, end; i < all; i = end) {
        end = series_end(*points, all, i);
        const speedup *base = find_base(*points, all, i, end);
        for (int k = i; k < end && base; k++) {
            speedup *s = &(*points)[k];
            s->base_ranks = base->first->ranks;
            s->factor = s->seconds > 0.0 ? base->seconds / s->seconds * (double)s->base_ranks : 0.0;
        }
    }
    *count = 0;
    for (int i = 0; i < all; i++)
        if ((*points)[i].factor > 0.0) (*points)[(*count)++] = (*points)[i];
    if (*count > 0) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT,
                    "no speed-up to be seen: no two of these runs, of more than 0 steps, differ in ranks alone");
}

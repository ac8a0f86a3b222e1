#include "tools/sim/loads.h"
#include "base/hash.h"
#include "base/memory.h"

#include <math.h>

static const double RADIUS = 0.125, HALF_WIDTH = 0.05;

const char *const pen_sim_kind_names[SIM_KINDS] = { "hot-disc", "front", "walkers", "alternating",
                                                    "hot-spot", "half",  "noise" };

/* ---- Places ------------------------------------------------------------------------------------ */

static void place_by_grid(const pen_graph *g, double *x, double *y)
{
    for (pen_lid i = 0; i < g->count; i++) {
        pen_gid gid = pen_graph_gid(g, i);
        x[i] = ((double)(gid % g->width) + 0.5) / (double)g->width;
        y[i] = ((double)(gid / g->width % g->height) + 0.5) / (double)g->height;
    }
}

/* From 0 to 1, whatever they are. */
static void place_by_coordinate(const pen_graph *g, int dimension, double *to)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (pen_lid i = 0; i < g->count; i++) {
        to[i] = g->coordinates[(int64_t)i * g->dimensions + dimension];
        low = fmin(low, to[i]);
        high = fmax(high, to[i]);
    }
    for (pen_lid i = 0; i < g->count; i++) to[i] = high > low ? (to[i] - low) / (high - low) : 0.5;
}

static void place(const pen_graph *g, double *x, double *y)
{
    for (pen_lid i = 0; i < g->count; i++) {
        x[i] = (i + 0.5) / g->count;
        y[i] = 0.5;
    }
    if (g->width > 0) place_by_grid(g, x, y);
    else if (g->dimensions > 0) place_by_coordinate(g, 0, x);
    if (g->width == 0 && g->dimensions > 1) place_by_coordinate(g, 1, y);
}

/* ---- Chance ------------------------------------------------------------------------------------ */

static uint64_t draw(const sim_loads *l, int64_t step, int64_t who)
{
    return pen_mix(pen_mix(pen_mix(l->settings.seed) ^ (uint64_t)step) ^ (uint64_t)who);
}

/* Normally distributed (Box and Muller). */
static double draw_normal(const sim_loads *l, int64_t step, int64_t who)
{
    uint64_t hash = draw(l, step, who);
    double radius = sqrt(-2.0 * log(1.0 - pen_unit_real(hash)));
    return radius * cos(6.283185307179586 * pen_unit_real(pen_mix(hash)));
}

static void walk(sim_loads *l, int64_t step)
{
    const pen_graph *g = l->graph;
    for (int64_t w = 0; w < l->settings.walkers; w++) {
        int64_t first = g->rows[l->walkers[w]], degree = g->rows[l->walkers[w] + 1] - first;
        if (degree == 0) continue;
        pen_gid to = g->neighbors[first + (int64_t)pen_hash_range(draw(l, step, w), (uint64_t)degree)];
        l->walkers[w] = (pen_lid)(to - pen_graph_gid(g, 0));
    }
}

/* ---- Steps ------------------------------------------------------------------------------------- */

pen_status pen_sim_loads_begin(const pen_graph *graph, const int32_t *owners, const sim_loads_settings *settings,
                               sim_loads *l)
{
    *l = (sim_loads){ .settings = *settings, .graph = graph, .owners = owners };
    PEN_TRY(PEN_ALLOC(&l->x, graph->count));
    PEN_TRY(PEN_ALLOC(&l->y, graph->count));
    PEN_TRY(PEN_ALLOC_ZERO(&l->noise, graph->count));
    PEN_TRY(PEN_ALLOC(&l->walkers, settings->walkers));
    place(graph, l->x, l->y);
    for (int64_t w = 0; w < settings->walkers; w++)
        l->walkers[w] = (pen_lid)pen_hash_range(draw(l, -1, w), (uint64_t)graph->count);
    return PEN_OK;
}

void pen_sim_loads_free(sim_loads *l) { PEN_FREE_ALL(l->x, l->y, l->noise, l->walkers); }

/* Of a step, whether a node is hot. */
static bool is_hot(const sim_loads *l, int64_t step, pen_lid i)
{
    const sim_loads_settings *s = &l->settings;
    double x = (double)(step % s->period) / (double)s->period;
    switch (s->kind) {
    case SIM_HOT_DISC: return hypot(l->x[i] - x, l->y[i] - 0.5) <= RADIUS;
    case SIM_FRONT: return fabs(l->x[i] - x) <= HALF_WIDTH;
    case SIM_ALTERNATING: return (l->x[i] < 0.5) == (step / s->period % 2 == 0);
    case SIM_HOT_SPOT: return l->owners[i] == s->ranks / 2;
    case SIM_HALF: return l->owners[i] < s->ranks / 2;
    case SIM_WALKERS:
    case SIM_NOISE:
    case SIM_KINDS: break;
    }
    return false;
}

/* Autoregressive of first order, cut off at 0. */
static double next_noise(sim_loads *l, int64_t step, pen_lid i)
{
    double memory = step > 0 ? l->settings.memory : 0.0;
    l->noise[i] = memory * l->noise[i] + sqrt(1.0 - memory * memory) * draw_normal(l, step, i);
    return fmax(0.0, 1.0 + l->settings.spread * l->noise[i]);
}

void pen_sim_loads_step(sim_loads *l, int64_t step, double *of)
{
    const sim_loads_settings *s = &l->settings;
    bool noisy = s->kind == SIM_NOISE;
    for (pen_lid i = 0; i < l->graph->count; i++) {
        if (noisy) of[i] = next_noise(l, step, i);
        else of[i] = is_hot(l, step, i) ? s->heat : 1.0;
    }
    if (s->kind != SIM_WALKERS) return;
    if (step > 0) walk(l, step);
    for (int64_t w = 0; w < s->walkers; w++) of[l->walkers[w]] += s->heat;
}

#include "steer/trigger.h"

#include <stddef.h>

/* A mean rank that is this much below the greatest is as good as balanced. */
static const double WORTH_IT = 1.08;

/* Loads have shifted where at least this part of them is elsewhere than expected. */
static const double SHIFTED = 0.25;

/* What is gained must exceed what it costs by this much, since both are estimates; and be a gain at all. */
static const double MARGIN = 1.25, LEAST_GAIN = 1.05;

enum { MOST_PATIENCE = 64 };

static void remember_shift(pen_trigger *t, int64_t step)
{
    t->lengths[t->shifts++ % PEN_TRIGGER_MEMORY] = step - t->last_shift;
    t->last_shift = step;
    t->patience = 0;
    t->resume = 0;
}

static int64_t median_length(const pen_trigger *t)
{
    int64_t sorted[PEN_TRIGGER_MEMORY];
    int count = t->shifts < PEN_TRIGGER_MEMORY ? t->shifts : PEN_TRIGGER_MEMORY;
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; at > 0 && sorted[at - 1] > t->lengths[i]; at--) sorted[at] = sorted[at - 1];
        sorted[at] = t->lengths[i];
    }
    return sorted[count / 2];
}

double pen_trigger_horizon(const pen_trigger *t, int64_t step, int64_t remaining)
{
    int64_t horizon = remaining;
    if (t->shifts > 0) {
        int64_t age = step - t->last_shift, left = median_length(t) - age;
        if (left < 0) left = age; /* it outlasts its like: it may last as long again */
        if (left < horizon) horizon = left;
    }
    return horizon > 1 ? (double)horizon : 1.0;
}

bool pen_trigger_step(pen_trigger *t, int64_t step, const pen_step_load *load, int64_t remaining, double decide,
                      double migrate)
{
    if (load->shift > SHIFTED) remember_shift(t, step - 1);
    t->lost += (load->max - load->mean) * (double)load->steps;
    if (remaining < 1 || step < t->resume || !(load->max > WORTH_IT * load->mean)) return false;
    double cost = decide + migrate;
    return t->lost >= cost && (load->max - load->mean) * pen_trigger_horizon(t, step, remaining) > MARGIN * cost;
}

bool pen_trigger_accepts(const pen_trigger *t, int64_t step, const pen_step_load *load, int64_t remaining, double max,
                         double migrate)
{
    return (load->max - max) * pen_trigger_horizon(t, step, remaining) >= MARGIN * migrate &&
           load->max >= LEAST_GAIN * max;
}

void pen_trigger_planned(pen_trigger *t, int64_t step, bool applied)
{
    t->lost = 0.0;
    if (applied) {
        t->patience = 0;
        return;
    }
    t->patience = t->patience == 0 ? 2 : 2 * t->patience;
    if (t->patience > MOST_PATIENCE) t->patience = MOST_PATIENCE;
    t->resume = step + t->patience;
}

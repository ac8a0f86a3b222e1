/* trigger.c - decides when to balance. */
#include "steer/trigger.h"

static const double WORTH_IT = 1.08;    /* loads are balanced if the maximum is at most this many times the mean */
static const double SHIFTED = 0.25;     /* loads have shifted if more than this part is on other ranks than expected */
static const double MARGIN = 1.25;      /* a gain must exceed its cost by this factor, since both are estimates */
static const double LEAST_GAIN = 1.05;  /* a plan must lower the maximum by this factor */
static const double TRIAL_PHASES = 4.0; /* a trial needs so many times the steps between shifts */
static const double CAME_BACK = 0.5;    /* loads have returned if at most this part of the previous loss remains */

enum { MOST_PATIENCE = 64, TRIAL_SHIFTS = 8, MOST_TRIALS = 20 };

static void remember_shift(pen_trigger *t, int64_t step)
{
    t->lengths[t->shifts++ % PEN_TRIGGER_MEMORY] = step - t->last_shift;
    t->last_shift = step;
    t->patience = t->resume = 0;
    t->between_shifts = t->since_shift;
    t->since_shift = 0.0;
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

static void follow(pen_trigger *t)
{
    t->mode = PEN_TRIGGER_FOLLOWS;
    t->next_try = t->shifts + ((int64_t)TRIAL_SHIFTS << t->trials);
    if (t->trials < MOST_TRIALS) t->trials++;
}

/* Whether to begin a trial after a shift. */
static bool worth_a_trial(pen_trigger *t, const pen_steer_facts *f, double cost)
{
    double excess = f->load.max - f->load.mean, length = (double)median_length(t);
    t->spent += excess + cost;
    return t->shifts >= t->next_try && (double)f->remaining >= TRIAL_PHASES * length &&
           excess + cost > length * f->load.mean && t->spent >= (length - 1.0) * excess;
}

/* Choose the reaction to shifts after a step. */
static void choose_mode(pen_trigger *t, const pen_steer_facts *f, bool shifted, double cost)
{
    double excess = f->load.max - f->load.mean;
    switch (t->mode) {
    case PEN_TRIGGER_FOLLOWS:
        if (!shifted || !worth_a_trial(t, f, cost)) return;
        t->mode = PEN_TRIGGER_WAITS;
        t->spent = t->waited_max = t->waited_lost = 0.0;
        t->waited = 0;
        t->bearable = excess + cost;
        break;
    case PEN_TRIGGER_WAITS:
        if (shifted && excess * (double)t->waited <= CAME_BACK * t->waited_lost) {
            t->mode = PEN_TRIGGER_RESTS;
            t->mixes = true;
            t->between_shifts = t->since_shift = 0.0;
        } else if (shifted || f->step - t->last_shift > 2 * median_length(t)) {
            follow(t);
        }
        break;
    case PEN_TRIGGER_RESTS:
        if (t->between_shifts + t->since_shift > 2.0 * t->bearable) follow(t);
        break;
    }
    if (t->mode != PEN_TRIGGER_WAITS) return;
    t->waited_max += f->longest;
    t->waited_lost += excess;
    t->waited++;
}

void pen_trigger_foresee(const pen_trigger *t, pen_steer_facts *f)
{
    int64_t horizon = f->remaining;
    if (t->shifts > 0 && !t->mixes && !f->by_average) {
        int64_t age = f->step - t->last_shift, left = median_length(t) - age;
        /* Loads have stayed longer than the median: assume that they stay for as long again. */
        if (left < 0) left = age;
        if (left < horizon) horizon = left;
    }
    f->horizon = horizon > 1 ? (double)horizon : 1.0;
    f->stays = f->planned.max;
    if (t->mixes) f->stays = 0.5 * (f->stays + t->waited_max / (double)t->waited);
}

static double lost(const pen_step_load *load) { return (load->max - load->mean) * (double)load->steps; }

bool pen_trigger_step(pen_trigger *t, pen_steer_facts *f, double cost)
{
    const double excess = f->planned.max - f->planned.mean;
    bool shifted = f->load.shift > SHIFTED;
    t->mixes = false;
    if (shifted) remember_shift(t, f->step - 1);
    t->lost += lost(&f->planned);
    t->since_shift += lost(&f->load);
    choose_mode(t, f, shifted, cost);
    pen_trigger_foresee(t, f);
    if (t->mixes) return f->remaining > 0;
    if (t->mode != PEN_TRIGGER_FOLLOWS || f->remaining < 1 || f->step < t->resume) return false;
    return f->planned.max > WORTH_IT * f->planned.mean && t->lost >= cost && excess * f->horizon > MARGIN * cost;
}

bool pen_trigger_accepts(const pen_steer_facts *f, double max, double migrate)
{
    return (f->stays - max) * f->horizon >= MARGIN * migrate && f->stays >= LEAST_GAIN * max;
}

void pen_trigger_planned(pen_trigger *t, int64_t step, bool applied)
{
    t->lost = 0.0;
    t->mixes = false;
    t->patience = t->patience == 0 ? 2 : 2 * t->patience;
    if (t->patience > MOST_PATIENCE) t->patience = MOST_PATIENCE;
    if (applied) {
        t->patience = 0;
        pen_trigger_end_trial(t);
    } else t->resume = step + t->patience;
}

void pen_trigger_end_trial(pen_trigger *t)
{
    if (t->mode == PEN_TRIGGER_WAITS) follow(t);
}

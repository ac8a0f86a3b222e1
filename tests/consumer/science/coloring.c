/* coloring.c - a long job: colours for nodes such that neighbours differ, by local search with random numbers. A node
 * in conflict takes another colour with a probability that falls while conflicts become fewer; that and the fewest
 * conflicts so far are values of the whole run. The job is cut off at any time and continued by --resume. */
#include <penumbra.h>

typedef struct spot {
    int32_t color, conflicts;
} spot;
typedef struct search {
    double heat;
    int64_t fewest;
} search;
enum { SPOT };
enum { CONFLICTS };
enum { COLORS = 3 };
enum { START, WHETHER, WHICH }; /* streams of random numbers */

static void init(const pen_view *v)
{
    *PEN_NEXT(v, SPOT, spot) = (spot){ (int32_t)pen_random_below(v, START, COLORS), pen_degree(v) };
}

static void recolor(const pen_view *v)
{
    spot next = { PEN_SELF(v, SPOT, spot)->color, 0 };
    for (int32_t i = 0; i < pen_degree(v); i++) next.conflicts += PEN_NEIGHBOR(v, SPOT, spot, i)->color == next.color;
    if (next.conflicts > 0 && pen_random_real(v, WHETHER) < PEN_GLOBALS(v, search)->heat)
        next.color = (int32_t)pen_random_below(v, WHICH, COLORS);
    *PEN_NEXT(v, SPOT, spot) = next;
}
PEN_SWEEP(recolor)

static void observe(const pen_view *v, pen_observation *o)
{
    pen_observe_int(o, CONFLICTS, PEN_SELF(v, SPOT, spot)->conflicts);
}
PEN_OBSERVE_SWEEP(observe)

static void cool(const pen_run *run, int phase, const void *params, void *globals)
{
    (void)phase, (void)params;
    search *s = globals;
    int64_t conflicts = pen_run_observed_int(run, CONFLICTS);
    if (pen_run_step(run) == 0) *s = (search){ 0.5, conflicts };
    else if (conflicts <= s->fewest) *s = (search){ 0.8 * s->heat, conflicts };
    else s->heat += 0.01 * (0.5 - s->heat);
}

static bool is_valid(const pen_view *v)
{
    const spot *here = PEN_SELF(v, SPOT, spot);
    return here->color >= 0 && here->color < COLORS;
}

static void print(const pen_view *v, FILE *out)
{
    fprintf(out, "%d %d", PEN_SELF(v, SPOT, spot)->color, PEN_SELF(v, SPOT, spot)->conflicts);
}

int main(int argc, char **argv)
{
    static const pen_field fields[] = { { "spot", sizeof(spot), .plain = true } };
    static const pen_phase phases[] = {
        { "recolor", .sweep = recolor_sweep, .reads = PEN_SET(SPOT), .writes = PEN_SET(SPOT) },
    };
    static const pen_observable observables[] = { { .name = "conflicts", .kind = PEN_SUM_INT } };
    static const pen_member named[] = { PEN_MEMBER(0, search, heat, PEN_F64), PEN_MEMBER(0, search, fewest, PEN_I64) };
    static const pen_globals globals = { sizeof(search), cool, PEN_MEMBERS(named) };
    static const pen_app app = { .name = "coloring",
                                 PEN_FIELDS(fields),
                                 PEN_PHASES(phases),
                                 PEN_OBSERVABLES(observables, observe_sweep),
                                 .init = init,
                                 .globals = &globals,
                                 .output.print = print,
                                 .checkpoint.valid = is_valid };
    return pen_main(&app, argc, argv);
}

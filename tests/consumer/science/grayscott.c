/* grayscott.c - the reaction of Gray and Scott on a torus of squares: u feeds v, both diffuse. The time step follows
 * from the largest v, so the time is a value of the whole run; --until="t>=20" ends it, and result files name it. */
#include <penumbra.h>

#include <math.h>

typedef struct cell {
    double u, v;
} cell;
typedef struct watch {
    double t, dt;
} watch;
enum { CELL };
enum { SUM_U, SUM_V, MAX_V };

static const double feed = 0.037, kill = 0.06;

static void init(const pen_view *v)
{
    *PEN_NEXT(v, CELL, cell) = pen_id(v) < 40 ? (cell){ 0.5, 0.25 } : (cell){ 1.0, 0.0 };
}

static void react(const pen_view *v)
{
    cell here = *PEN_SELF(v, CELL, cell), flow = { 0.0, 0.0 };
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const cell *there = PEN_NEIGHBOR(v, CELL, cell, i);
        flow.u += there->u - here.u;
        flow.v += there->v - here.v;
    }
    double dt = PEN_GLOBALS(v, watch)->dt, reaction = here.u * here.v * here.v;
    here.u += dt * (0.2 * flow.u - reaction + feed * (1.0 - here.u));
    here.v += dt * (0.1 * flow.v + reaction - (feed + kill) * here.v);
    *PEN_NEXT(v, CELL, cell) = here;
}
PEN_SWEEP(react)

static void observe(const pen_view *v, pen_observation *o)
{
    const cell *here = PEN_SELF(v, CELL, cell);
    pen_observe_real(o, SUM_U, here->u);
    pen_observe_real(o, SUM_V, here->v);
    pen_observe_real(o, MAX_V, here->v);
}
PEN_OBSERVE_SWEEP(observe)

static void advance(const pen_run *run, int phase, const void *params, void *globals)
{
    (void)phase, (void)params;
    watch *w = globals;
    double most = pen_run_observed_real(run, MAX_V);
    w->t += w->dt; /* 0 at first */
    w->dt = fmin(1.0, 0.1 / (most * most + feed + kill));
}

static void print(const pen_view *v, FILE *out)
{
    fprintf(out, "%a %a", PEN_SELF(v, CELL, cell)->u, PEN_SELF(v, CELL, cell)->v);
}

int main(int argc, char **argv)
{
    static const pen_field fields[] = { { "cell", sizeof(cell), .plain = true } };
    static const pen_phase phases[] = {
        { "react", .sweep = react_sweep, .reads = PEN_SET(CELL), .writes = PEN_SET(CELL) },
    };
    static const pen_observable observables[] = { { .name = "u", .kind = PEN_SUM_REAL },
                                                  { .name = "v", .kind = PEN_SUM_REAL },
                                                  { .name = "most", .kind = PEN_MAX_REAL } };
    static const pen_member named[] = { PEN_MEMBER(0, watch, t, PEN_F64) };
    static const pen_globals globals = { sizeof(watch), advance, PEN_MEMBERS(named), .time = "t" };
    static const pen_member members[] = { PEN_MEMBER(CELL, cell, u, PEN_F64), PEN_MEMBER(CELL, cell, v, PEN_F64) };
    static const pen_app app = { .name = "grayscott",
                                 PEN_FIELDS(fields),
                                 PEN_PHASES(phases),
                                 PEN_OBSERVABLES(observables, observe_sweep),
                                 .init = init,
                                 .globals = &globals,
                                 .graph.spec = "generate=torus:64x64",
                                 .output = { .print = print, PEN_MEMBERS(members) } };
    return pen_main(&app, argc, argv);
}

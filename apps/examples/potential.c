/* potential - the voltages in a network of resistors, where a current enters at its first node and leaves at its last
 * one: L x = b, L being the graph's Laplacian, by conjugate gradients (M. R. Hestenes, E. Stiefel, 1952).
 *
 * It shows: a step of several phases, sums over all nodes between them, and values of the whole run that are computed
 * from these sums (PEN_GLOBALS). Here p is the direction of a step, r = b - L x, and q = L p. pen-cg is the same with
 * all that a solver needs: weights, scalars of a step, a check of the residual. */
#include <penumbra.h>

/* The fields. They are separate, since no phase writes all of them, and neighbours read P alone. */
enum { X, R, P, Q };
enum { RESIDUAL, CURVATURE }; /* observables: r.r after a step, and p.q within it */

typedef struct scalars {
    double residual, factor; /* value of r.r after the last step, and its ratio to the previous r.r */
} scalars;

typedef struct parameters {
    double tolerance;
    pen_gid last;
} parameters;

static void init(const pen_view *v)
{
    const parameters *p = (const parameters *)pen_params(v);
    *PEN_NEXT(v, X, double) = *PEN_NEXT(v, P, double) = *PEN_NEXT(v, Q, double) = 0.0;
    *PEN_NEXT(v, R, double) = (double)((pen_id(v) == 0) - (pen_id(v) == p->last));
}

static double own(const pen_view *v, int field) { return *PEN_SELF(v, field, double); }

/* Update the globals. The first step has no previous r.r, so its factor is 0. */
static void advance(const pen_run *run, int phase, const void *params, void *globals)
{
    (void)params;
    scalars before = *(scalars *)globals, *now = (scalars *)globals;
    if (phase != PEN_BETWEEN_STEPS) return; /* within a step, only p.q has a new value */
    now->residual = pen_run_observed_real(run, RESIDUAL);
    now->factor = before.residual > 0.0 ? now->residual / before.residual : 0.0;
}

static void direct(const pen_view *v)
{
    *PEN_NEXT(v, P, double) = own(v, R) + PEN_GLOBALS(v, scalars)->factor * own(v, P);
}
PEN_SWEEP(direct)

static void multiply(const pen_view *v)
{
    double sum = pen_degree(v) * own(v, P);
    for (int32_t i = 0; i < pen_degree(v); i++) sum -= *PEN_NEIGHBOR(v, P, double, i);
    *PEN_NEXT(v, Q, double) = sum;
}
PEN_SWEEP(multiply)

static void observe_pq(const pen_view *v, pen_observation *o) { pen_observe_real(o, CURVATURE, own(v, P) * own(v, Q)); }
PEN_OBSERVE_SWEEP(observe_pq)

static void update(const pen_view *v)
{
    double length = PEN_GLOBALS(v, scalars)->residual / pen_observed_real(v, CURVATURE);
    *PEN_NEXT(v, X, double) = own(v, X) + length * own(v, P);
    *PEN_NEXT(v, R, double) = own(v, R) - length * own(v, Q);
}
PEN_SWEEP(update)

static void observe(const pen_view *v, pen_observation *o) { pen_observe_real(o, RESIDUAL, own(v, R) * own(v, R)); }
PEN_OBSERVE_SWEEP(observe)

static bool done(const pen_run *run, const void *params)
{
    double tolerance = ((const parameters *)params)->tolerance;
    return pen_run_observed_real(run, RESIDUAL) <= tolerance * tolerance;
}

static const char *check(const pen_run *run, const void *params)
{
    (void)params;
    return pen_run_observed_real(run, CURVATURE) > 0.0 ? NULL : "the network is not connected";
}

static const char *setup(void *params, const pen_world *world)
{
    ((parameters *)params)->last = world->nodes - 1;
    return world->nodes > 1 ? NULL : "a current needs two nodes";
}

int main(int argc, char **argv)
{
    static parameters p = { .tolerance = 1e-8 };
    static const pen_option options[] = {
        { "tolerance", "T", "done when the error of the currents is at most T (1e-8)", PEN_OPTION_REAL, &p.tolerance, 0,
          0 },
        { .name = NULL },
    };
#define NUMBER(name) name, sizeof(double), .plain = true
    static const pen_field fields[] = { { NUMBER("x") }, { NUMBER("r") }, { NUMBER("p") }, { NUMBER("q") } };
    static const pen_member members[] = { { "potential", X, PEN_F64, 0, 1 } };
    static const pen_phase phases[] = {
        { "direct", .sweep = direct_sweep, .writes = PEN_SET(P) },
        { "multiply", .sweep = multiply_sweep, .reads = PEN_SET(P), .writes = PEN_SET(Q) },
        { "update", .sweep = update_sweep, .writes = PEN_SET(X, R), .observe = observe_pq_sweep,
          .observes = PEN_SET(CURVATURE) },
    };
    static const pen_observable observables[] = { { "r.r", PEN_SUM_REAL, 1 }, { "p.Lp", PEN_SUM_REAL, 1 } };
    static const pen_globals globals = { .size = sizeof(scalars), .update = advance };
    static const pen_app app = { .name = "potential",
                                 PEN_FIELDS(fields),
                                 .output = { PEN_MEMBERS(members) },
                                 PEN_PHASES(phases),
                                 PEN_OBSERVABLES(observables, observe_sweep),
                                 .globals = &globals,
                                 .init = init,
                                 .graph.spec = "generate=mesh:64x64",
                                 .options = options,
                                 .params = &p,
                                 .setup = setup,
                                 .checkpoint.may_differ = "steps",
                                 .check = check,
                                 .end.done = done };
    return pen_main(&app, argc, argv);
}

/* potential - what voltages a network of resistors has, where a current enters at its first node and leaves at its last
 * one: L x = b, L being the graph's Laplacian, by conjugate gradients (M. R. Hestenes, E. Stiefel, 1952).
 *
 * It shows: a step of several phases, and sums over all nodes between them. Here is p the direction of a step, r = b -
 * L x, and q = L p. pen-cg is the same with all that a solver needs: weights, block functions, a check of the residual.
 */
#include <penumbra.h>

/* A field each: what one phase writes, or neighbours read, is better not in a record with what they do not. */
enum { X, R, P, Q };
enum { RESIDUAL, CURVATURE, BEFORE }; /* r.r after the step; p.q within it; r.r before it */

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

/* p = r + (r.r / r.r before) p. In the first step there was none before: it is 0 then. */
static void direct(const pen_view *v)
{
    double before = pen_observed_real(v, BEFORE);
    double factor = before > 0.0 ? pen_observed_real(v, RESIDUAL) / before : 0.0;
    *PEN_NEXT(v, P, double) = *PEN_SELF(v, R, double) + factor * *PEN_SELF(v, P, double);
}

static void multiply(const pen_view *v)
{
    double sum = pen_degree(v) * *PEN_SELF(v, P, double);
    for (int32_t i = 0; i < pen_degree(v); i++) sum -= *PEN_NEIGHBOR(v, P, double, i);
    *PEN_NEXT(v, Q, double) = sum;
}

/* Before update: p.q, which it needs, and r.r, which the next step needs once r has changed. */
static void observe_update(const pen_view *v, pen_observation *o)
{
    pen_observe_real(o, CURVATURE, *PEN_SELF(v, P, double) * *PEN_SELF(v, Q, double));
    pen_observe_real(o, BEFORE, pen_observed_real(v, RESIDUAL)); /* the same from all nodes: the greatest is it */
}

static void update(const pen_view *v)
{
    double length = pen_observed_real(v, RESIDUAL) / pen_observed_real(v, CURVATURE);
    *PEN_NEXT(v, X, double) = *PEN_SELF(v, X, double) + length * *PEN_SELF(v, P, double);
    *PEN_NEXT(v, R, double) = *PEN_SELF(v, R, double) - length * *PEN_SELF(v, Q, double);
}

static void observe(const pen_view *v, pen_observation *o)
{
    double r = *PEN_SELF(v, R, double);
    pen_observe_real(o, RESIDUAL, r * r);
}

static bool done(const pen_run *run, const void *params)
{
    double tolerance = ((const parameters *)params)->tolerance;
    return pen_run_observed_real(run, RESIDUAL) <= tolerance * tolerance;
}

static const char *check(const pen_run *run, const void *params)
{
    (void)params;
    return pen_run_observed_real(run, CURVATURE) > 0.0 ? NULL : "the network has parts that no wire joins";
}

static const char *setup(void *params, const pen_world *world)
{
    ((parameters *)params)->last = world->nodes - 1;
    return world->nodes > 1 ? NULL : "a current needs two nodes";
}

static void print(const pen_view *v, FILE *out) { fprintf(out, "%.17g", *PEN_SELF(v, X, double)); }

int main(int argc, char **argv)
{
    static parameters p = { .tolerance = 1e-8 };
    static const pen_option options[] = {
        { "tolerance", "T", "done when the currents are right but for T (1e-8)", PEN_OPTION_REAL, &p.tolerance, 0, 0 },
        { .name = NULL },
    };
    static const pen_field fields[] = {
        { "x", sizeof(double) }, { "r", sizeof(double) }, { "p", sizeof(double) }, { "q", sizeof(double) }
    };
    static const pen_member members[] = { { "potential", X, PEN_F64, 0, 1 } };
    static const pen_phase phases[] = {
        { "direct", direct, .writes = PEN_FIELD(P) },
        { "multiply", multiply, .reads = PEN_FIELD(P), .writes = PEN_FIELD(Q) },
        { "update", update, .writes = PEN_FIELD(X) | PEN_FIELD(R), .observe = observe_update,
          .observes = PEN_OBSERVABLE(CURVATURE) | PEN_OBSERVABLE(BEFORE) },
    };
    static const pen_observable observables[] = { { "r.r", PEN_SUM_REAL },
                                                  { "p.Lp", PEN_SUM_REAL },
                                                  { "r.r before", PEN_MAX_REAL } };
    static const pen_app app = { .name = "potential",
                                 PEN_FIELDS(fields),
                                 PEN_MEMBERS(members),
                                 PEN_PHASES(phases),
                                 PEN_OBSERVABLES(observables),
                                 .observe = observe,
                                 .init = init,
                                 .print = print,
                                 .default_graph = "generate=mesh:64x64",
                                 .options = options,
                                 .params = &p,
                                 .setup = setup,
                                 .indifferent = "steps",
                                 .check = check,
                                 .done = done };
    return pen_main(&app, argc, argv);
}

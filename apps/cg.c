/* cg - conjugate gradients (M. R. Hestenes, E. Stiefel, 1952) for (L + sigma I) x = b, where L is the graph's
 * Laplacian. Its solution is the potentials of a network of leaking resistors; edge weights are conductances.
 *
 * An iteration is a step, from x, r = b - A x and the direction p of the previous iteration:
 *
 *     r.r known from the previous step
 *     direct     p = r + (r.r / previous r.r) p
 *     multiply   q = A p
 *     update     a = r.r / p.q, x += a p, r -= a q
 *
 * The recurrence's r drifts away from b - A x. So when it is small enough, one more step checks the result: x and r
 * stay, p becomes x and q becomes A x, and (b - A x)^2 is observed. Then the run is done. */
#include <penumbra.h>

#include <math.h>

enum { X, R, P, Q };

/* The observables: after a step r.r and, if the step checks, (b - A x)^2; within a step p.q. */
enum { RESIDUAL, TRUE_RESIDUAL, CURVATURE };

/* Scalars of the iteration. */
typedef struct scalars {
    double first, residual; /* value of r.r before the first step, and after the last one */
    double factor, length;  /* ratio r.r / previous r.r, and a */
    bool checks, checked;   /* r is small, so this step checks the result; the last step has checked the result */
} scalars;

typedef struct parameters {
    double sigma, tolerance;
    const char *source; /* name of the right-hand side */
    bool noise;         /* the right-hand side is "noise", not "poles" */
    pen_gid last;       /* gid of the last node */
} parameters;

/* The right-hand side b of a node. Poles: a current of 1 enters at the first node and leaves at the last one. Noise:
 * pseudo-random numbers from -1/2 to 1/2. */
static double right_hand_side(const pen_view *v)
{
    const parameters *p = (const parameters *)pen_params(v);
    pen_gid gid = pen_id(v);
    if (p->noise) return (uint32_t)gid * UINT32_C(2654435761) * 0x1p-32 - 0.5;
    return (double)((gid == 0) - (gid == p->last));
}

/* Begin with x = 0. */
static void init(const pen_view *v)
{
    *PEN_NEXT(v, X, double) = *PEN_NEXT(v, P, double) = *PEN_NEXT(v, Q, double) = 0.0;
    *PEN_NEXT(v, R, double) = right_hand_side(v);
}

static bool is_small(const parameters *p, double residual, double first)
{
    return residual <= p->tolerance * p->tolerance * first;
}

/* Update the scalars: within a step compute a from p.q; after a step compute all others. */
static void advance(const pen_run *run, int phase, const void *params, void *globals)
{
    scalars *g = (scalars *)globals;
    double residual = pen_run_observed_real(run, RESIDUAL);
    if (phase != PEN_BETWEEN_STEPS) {
        g->length = g->checks ? 0.0 : residual / pen_run_observed_real(run, CURVATURE);
        return;
    }
    if (pen_run_step(run) == 0) g->first = residual;
    g->checked = g->checks;
    g->checks = is_small((const parameters *)params, residual, g->first);
    g->factor = g->residual > 0.0 && !g->checks ? residual / g->residual : 0.0;
    g->residual = residual;
}

static void direct(const pen_view *v)
{
    const scalars *g = PEN_GLOBALS(v, scalars);
    *PEN_NEXT(v, P, double) = *PEN_SELF(v, g->checks ? X : R, double) + g->factor * *PEN_SELF(v, P, double);
}
PEN_SWEEP(direct)

/* Compute out = (L + sigma I) in. */
static void apply(const pen_view *v, pen_lid end, const double *restrict in, double *restrict out)
{
    const uint32_t *rows = v->rows;
    const pen_lid *columns = v->columns;
    double sigma = ((const parameters *)pen_params(v))->sigma;
    for (pen_lid s = v->slot; s < end; s++) {
        double sum = 0.0;
        for (uint32_t k = rows[s]; k < rows[s + 1]; k++) sum += in[columns[k]];
        out[s] = ((int32_t)(rows[s + 1] - rows[s]) + sigma) * in[s] - sum;
    }
}

/* Compute out = (L + sigma I) in, with edge weights. */
static void apply_weights(const pen_view *v, pen_lid end, const double *restrict in, double *restrict out)
{
    const uint32_t *rows = v->rows;
    double sigma = ((const parameters *)pen_params(v))->sigma;
    for (pen_lid s = v->slot; s < end; s++) {
        double sum = 0.0, conductance = 0.0;
        for (uint32_t k = rows[s]; k < rows[s + 1]; k++) {
            conductance += (double)v->edge_weights[k];
            sum += (double)v->edge_weights[k] * in[v->columns[k]];
        }
        out[s] = (conductance + sigma) * in[s] - sum;
    }
}

static void multiply(const pen_view *v, pen_lid end)
{
    (v->edge_weights ? apply_weights : apply)(v, end, (const double *)v->current[P], (double *)v->next[Q]);
}

static void update(const pen_view *v)
{
    double length = PEN_GLOBALS(v, scalars)->length;
    /* The field is in .updates: its next records begin as copies of the current ones. */
    *PEN_NEXT(v, X, double) += length * *PEN_SELF(v, P, double);
    *PEN_NEXT(v, R, double) -= length * *PEN_SELF(v, Q, double);
}
PEN_SWEEP(update)

/* ---- Observables ---------------------------------------------------------------------------------- */

static void observe_step(const pen_view *v, pen_observation *o)
{
    double r = *PEN_SELF(v, R, double);
    pen_observe_real(o, RESIDUAL, r * r);
    if (!PEN_GLOBALS(v, scalars)->checks) return;
    double left = right_hand_side(v) - *PEN_SELF(v, Q, double);
    pen_observe_real(o, TRUE_RESIDUAL, left * left);
}
PEN_OBSERVE_SWEEP(observe_step)

static void observe_update(const pen_view *v, pen_observation *o)
{
    pen_observe_real(o, CURVATURE, *PEN_SELF(v, P, double) * *PEN_SELF(v, Q, double));
}
PEN_OBSERVE_SWEEP(observe_update)

static bool done(const pen_run *run, const void *params) { return ((const scalars *)pen_run_globals(run))->checked; }

static const char *check(const pen_run *run, const void *params)
{
    const scalars *g = (const scalars *)pen_run_globals(run);
    double allowed = 2.0 * ((const parameters *)params)->tolerance * sqrt(g->first);
    if (g->checked)
        return sqrt(pen_run_observed_real(run, TRUE_RESIDUAL)) <= allowed
                   ? NULL
                   : "the residual of x is larger than the iteration computes: --tolerance cannot be reached";
    if (pen_run_observed_real(run, CURVATURE) > 0.0 && isfinite(g->residual)) return NULL;
    return "the matrix is not positive definite, or, with --sigma=0, the sources do not add up to 0 in a component of "
           "the graph";
}

/* ---- Program -------------------------------------------------------------------------------------- */

static void print(const pen_view *v, FILE *out) { fprintf(out, "%.17g", *PEN_SELF(v, X, double)); }

static const char *setup(void *params, const pen_world *world)
{
    parameters *p = (parameters *)params;
    p->noise = strcmp(p->source, "noise") == 0;
    p->last = world->nodes - 1;
    if (!p->noise && strcmp(p->source, "poles") != 0) return "--source must be noise or poles";
    if (!(p->tolerance >= 0.0 && p->tolerance < 1.0)) return "--tolerance must be at least 0 and below 1";
    if (!(p->sigma >= 0.0)) return "--sigma must be at least 0, or the matrix is not positive definite";
    return p->noise && p->sigma == 0.0 ? "--sigma=0 needs --source=poles: the sources must add up to 0" : NULL;
}

int main(int argc, char **argv)
{
    static parameters p = { .sigma = 0.1, .tolerance = 1e-6, .source = "noise" };
    static const pen_option options[] = {
        { "sigma", "S", "number added to the Laplacian's diagonal (0.1)", PEN_OPTION_REAL, &p.sigma, 0, 0 },
        { "tolerance", "T", "done when |b - Ax| <= T |b| (1e-6)", PEN_OPTION_REAL, &p.tolerance, 0, 0 },
        { "source", "NAME", "the right-hand side b: noise; or poles: 1 at the first node, -1 at the last (noise)",
          PEN_OPTION_TEXT, &p.source, 0, 0 },
        { .name = NULL },
    };
#define NUMBER(name) name, sizeof(double), .plain = true
    static const pen_field fields[] = { { NUMBER("x") }, { NUMBER("r") }, { NUMBER("p") }, { NUMBER("q") } };
    static const pen_member members[] = { { "x", X, PEN_F64, 0, 1 }, { "r", R, PEN_F64, 0, 1 } };
    static const pen_phase phases[] = {
        { "direct", .sweep = direct_sweep, .writes = PEN_SET(P) },
        { "multiply", .reads = PEN_SET(P), .writes = PEN_SET(Q), .sweep = multiply },
        { "update", .sweep = update_sweep, .writes = PEN_SET(X, R), .updates = PEN_SET(X, R),
          .observe = observe_update_sweep, .observes = PEN_SET(CURVATURE) },
    };
    static const pen_observable observables[] = { { "r.r", PEN_SUM_REAL, 1 },
                                                  { "(b - Ax)^2", PEN_SUM_REAL, 1 },
                                                  { "p.Ap", PEN_SUM_REAL, 1 } };
    static const pen_member scalar_members[] = {
        PEN_MEMBER(0, scalars, first, PEN_F64),   PEN_MEMBER(0, scalars, residual, PEN_F64),
        PEN_MEMBER(0, scalars, factor, PEN_F64),  PEN_MEMBER(0, scalars, length, PEN_F64),
        PEN_MEMBER(0, scalars, checks, PEN_BOOL), PEN_MEMBER(0, scalars, checked, PEN_BOOL)
    };
    static const pen_globals globals = { sizeof(scalars), advance, PEN_MEMBERS(scalar_members) };
    static const pen_app app = { .name = "cg",
                                 PEN_FIELDS(fields),
                                 PEN_PHASES(phases),
                                 .output = { .print = print, PEN_MEMBERS(members) },
                                 PEN_OBSERVABLES(observables, observe_step_sweep),
                                 .init = init,
                                 .globals = &globals,
                                 .graph.spec = "generate=hex:64x64",
                                 .options = options,
                                 .params = &p,
                                 .setup = setup,
                                 .checkpoint.may_differ = "steps",
                                 .check = check,
                                 .end.done = done };
    return pen_main(&app, argc, argv);
}

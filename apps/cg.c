/* cg - conjugate gradients (M. R. Hestenes, E. Stiefel, 1952) for (L + sigma I) x = b, where L is the graph's
 * Laplacian: the potentials of a network of resistors that leak, whose conductances are the weights of edges.
 *
 * An iteration is a step, from x, r = b - A x and the direction p of the iteration before:
 *
 *     r.r known from the step before
 *     direct     p = r + (r.r / r.r before) p
 *     multiply   q = A p
 *     update     a = r.r / p.q, x += a p, r -= a q
 *
 * The recurrence's r drifts away from b - A x. So when it is small enough, a step more is spent on checking: x and r
 * stay, q becomes A x, and (b - A x)^2 is observed. Then the run is done. */
#include <penumbra.h>

#include <math.h>

enum { X, R, P, Q };

/* r.r and (b - A x)^2, where it is checked, after a step; p.q within the step; and what must last longer than a
 * step: r.r before the step, and at first. Each of these is the maximum of values that are all the same. */
enum { RESIDUAL, TRUE_RESIDUAL, CURVATURE, BEFORE, FIRST };

typedef struct parameters {
    double sigma, tolerance;
    const char *source; /* the name of the right-hand side */
    bool noise;         /* of "noise" and "poles"; .setup sets it, and the last node */
    pen_gid last;
} parameters;

/* b of a node. Poles: a current of 1 enters at the first node and leaves at the last one. Noise: numbers from -1/2 to
 * 1/2 that look like chance. */
static double right_hand_side(const pen_view *v, pen_lid slot)
{
    const parameters *p = (const parameters *)pen_params(v);
    pen_gid gid = v->gids[slot];
    if (p->noise) return (uint32_t)gid * UINT32_C(2654435761) * 0x1p-32 - 0.5;
    return (double)((gid == 0) - (gid == p->last));
}

/* x = 0 */
static void init(const pen_view *v)
{
    *PEN_NEXT(v, X, double) = *PEN_NEXT(v, P, double) = *PEN_NEXT(v, Q, double) = 0.0;
    *PEN_NEXT(v, R, double) = right_hand_side(v, v->slot);
}

static bool is_small(const parameters *p, double residual, double first)
{
    return residual <= p->tolerance * p->tolerance * first;
}

/* Whether r is small enough in the beginning of the step, so that this one is spent on checking. */
static bool checks(const pen_view *v)
{
    double first = pen_step(v) > 0 ? pen_observed_real(v, FIRST) : 0.0;
    return is_small((const parameters *)pen_params(v), pen_observed_real(v, RESIDUAL), first);
}

static void direct(const pen_view *v, pen_lid count)
{
    const double *r = (const double *)v->current[R], *p = (const double *)v->current[P];
    double *restrict next = (double *)v->next[P];
    double before = pen_observed_real(v, BEFORE), factor = before > 0.0 ? pen_observed_real(v, RESIDUAL) / before : 0.0;
    for (pen_lid s = v->slot; s < v->slot + count; s++) next[s] = r[s] + factor * p[s];
}

/* out = (L + sigma I) in */
static void apply(const pen_view *v, pen_lid count, const double *restrict in, double *restrict out)
{
    const uint32_t *rows = v->rows;
    const pen_lid *columns = v->columns;
    double sigma = ((const parameters *)pen_params(v))->sigma;
    for (pen_lid s = v->slot; s < v->slot + count; s++) {
        double sum = 0.0;
        for (uint32_t k = rows[s]; k < rows[s + 1]; k++) sum += in[columns[k]];
        out[s] = ((int32_t)(rows[s + 1] - rows[s]) + sigma) * in[s] - sum;
    }
}

/* The same where edges have weights. */
static void apply_weights(const pen_view *v, pen_lid count, const double *restrict in, double *restrict out)
{
    const uint32_t *rows = v->rows;
    double sigma = ((const parameters *)pen_params(v))->sigma;
    for (pen_lid s = v->slot; s < v->slot + count; s++) {
        double sum = 0.0, conductance = 0.0;
        for (uint32_t k = rows[s]; k < rows[s + 1]; k++) {
            conductance += (double)v->edge_weights[k];
            sum += (double)v->edge_weights[k] * in[v->columns[k]];
        }
        out[s] = (conductance + sigma) * in[s] - sum;
    }
}

static void multiply(const pen_view *v, pen_lid count)
{
    const double *in = (const double *)v->current[checks(v) ? X : P];
    (v->edge_weights ? apply_weights : apply)(v, count, in, (double *)v->next[Q]);
}

static void update(const pen_view *v, pen_lid count)
{
    const double *x = (const double *)v->current[X], *r = (const double *)v->current[R];
    const double *p = (const double *)v->current[P], *q = (const double *)v->current[Q];
    double *restrict next_x = (double *)v->next[X], *restrict next_r = (double *)v->next[R];
    bool stay = checks(v);
    double length = stay ? 0.0 : pen_observed_real(v, RESIDUAL) / pen_observed_real(v, CURVATURE);
    for (pen_lid s = v->slot; s < v->slot + count; s++) {
        next_x[s] = x[s] + length * p[s];
        next_r[s] = r[s] - length * q[s];
    }
}

/* ---- Observables ---------------------------------------------------------------------------------- */

static void observe_step(const pen_view *v, pen_lid count, pen_observation *o)
{
    const double *r = (const double *)v->current[R] + v->slot, *q = (const double *)v->current[Q] + v->slot;
    double squares[PEN_OBSERVE_MOST];
    for (pen_lid i = 0; i < count; i++) squares[i] = r[i] * r[i];
    pen_observe_reals(o, RESIDUAL, count, squares);
    if (!checks(v)) return;
    for (pen_lid i = 0; i < count; i++) {
        double left = right_hand_side(v, v->slot + i) - q[i];
        pen_observe_real(o, TRUE_RESIDUAL, left * left);
    }
}

static void observe_update(const pen_view *v, pen_lid count, pen_observation *o)
{
    const double *p = (const double *)v->current[P] + v->slot, *q = (const double *)v->current[Q] + v->slot;
    double products[PEN_OBSERVE_MOST];
    for (pen_lid i = 0; i < count; i++) products[i] = p[i] * q[i];
    pen_observe_reals(o, CURVATURE, count, products);
    pen_observe_real(o, BEFORE, pen_observed_real(v, RESIDUAL));
    pen_observe_real(o, FIRST, pen_observed_real(v, pen_step(v) > 0 ? FIRST : RESIDUAL));
}

/* The step just done was spent on checking. */
static bool done(const pen_run *run, const void *params)
{
    return is_small((const parameters *)params, pen_run_observed_real(run, BEFORE), pen_run_observed_real(run, FIRST));
}

static const char *check(const pen_run *run, const void *params)
{
    double residual = pen_run_observed_real(run, RESIDUAL), first = pen_run_observed_real(run, FIRST);
    double allowed = 2.0 * ((const parameters *)params)->tolerance * sqrt(first);
    if (done(run, params))
        return sqrt(pen_run_observed_real(run, TRUE_RESIDUAL)) <= allowed
                   ? NULL
                   : "the residual of x is larger than the iteration takes it for: --tolerance is beyond reach";
    if (pen_run_observed_real(run, CURVATURE) > 0.0 && isfinite(residual)) return NULL;
    return "the matrix is not positive definite, or with --sigma=0 what enters some part of the graph does not leave "
           "it";
}

/* ---- Program -------------------------------------------------------------------------------------- */

static void print(const pen_view *v, FILE *out) { fprintf(out, "%.17g", *PEN_SELF(v, X, double)); }

static const char *setup(void *params, const pen_world *world)
{
    parameters *p = (parameters *)params;
    p->noise = strcmp(p->source, "noise") == 0;
    p->last = world->nodes - 1;
    if (!p->noise && strcmp(p->source, "poles") != 0) return "--source is noise or poles";
    if (!(p->tolerance >= 0.0 && p->tolerance < 1.0)) return "--tolerance must be at least 0 and below 1";
    if (!(p->sigma >= 0.0)) return "--sigma must be at least 0, or the matrix is not positive definite";
    return p->noise && p->sigma == 0.0 ? "--sigma=0 needs --source=poles: what enters must leave" : NULL;
}

int main(int argc, char **argv)
{
    static parameters p = { .sigma = 0.1, .tolerance = 1e-6, .source = "noise" };
    static const pen_option options[] = {
        { "sigma", "S", "what is added to the Laplacian's diagonal (0.1)", PEN_OPTION_REAL, &p.sigma, 0, 0 },
        { "tolerance", "T", "done where |b - Ax| <= T |b| (1e-6)", PEN_OPTION_REAL, &p.tolerance, 0, 0 },
        { "source", "NAME", "the right-hand side b: noise, or poles, the first node and the last (noise)",
          PEN_OPTION_TEXT, &p.source, 0, 0 },
        { .name = NULL },
    };
    static const pen_field fields[] = {
        { "x", sizeof(double) }, { "r", sizeof(double) }, { "p", sizeof(double) }, { "q", sizeof(double) }
    };
    static const pen_member members[] = { { "x", X, PEN_F64, 0, 1 }, { "r", R, PEN_F64, 0, 1 } };
    static const pen_phase phases[] = {
        { "direct", .writes = PEN_FIELD(P), .block = direct },
        { "multiply", .reads = PEN_FIELD(P) | PEN_FIELD(X), .writes = PEN_FIELD(Q), .block = multiply },
        { "update", .writes = PEN_FIELD(X) | PEN_FIELD(R), .block = update, .observe_block = observe_update,
          .observes = PEN_OBSERVABLE(CURVATURE) | PEN_OBSERVABLE(BEFORE) | PEN_OBSERVABLE(FIRST) },
    };
    static const pen_observable observables[] = {
        { "r.r", PEN_SUM_REAL },        { "(b - Ax)^2", PEN_SUM_REAL },   { "p.Ap", PEN_SUM_REAL },
        { "r.r before", PEN_MAX_REAL }, { "r.r at first", PEN_MAX_REAL },
    };
    static const pen_app app = { .name = "cg",
                                 PEN_FIELDS(fields),
                                 PEN_PHASES(phases),
                                 PEN_MEMBERS(members),
                                 PEN_OBSERVABLES(observables),
                                 .init = init,
                                 .print = print,
                                 .plain = PEN_FIELD(X) | PEN_FIELD(R) | PEN_FIELD(P) | PEN_FIELD(Q),
                                 .observe_block = observe_step,
                                 .default_graph = "grid=64x64",
                                 .options = options,
                                 .params = &p,
                                 .setup = setup,
                                 .indifferent = "steps",
                                 .check = check,
                                 .done = done };
    return pen_main(&app, argc, argv);
}

/* pcg.c - conjugate gradients, preconditioned by the diagonal (Jacobi): the potentials of a network of resistors that
 * leak, (L + D) x = b with the graph's Laplacian L. r.z, where z = r / diagonal, and its ratio to that of the step
 * before are values of the whole run; --until="r.z<1e-18". */
#include <penumbra.h>

enum { X, R, P, Q };
enum { RZ, PQ };

typedef struct scalars {
    double rz, beta;
} scalars;

static double own(const pen_view *v, int field) { return *PEN_SELF(v, field, double); }

static double diagonal(const pen_view *v) { return pen_degree(v) + 0.01 * (double)(1 + pen_id(v) % 50 * pen_id(v)); }

static void init(const pen_view *v)
{
    *PEN_NEXT(v, X, double) = *PEN_NEXT(v, P, double) = *PEN_NEXT(v, Q, double) = 0.0;
    *PEN_NEXT(v, R, double) = (double)(pen_id(v) % 7 - 3);
}
PEN_SWEEP(init)

static void direct(const pen_view *v)
{
    *PEN_NEXT(v, P, double) = own(v, R) / diagonal(v) + PEN_GLOBALS(v, scalars)->beta * own(v, P);
}
PEN_SWEEP(direct)

static void multiply(const pen_view *v)
{
    double sum = diagonal(v) * own(v, P);
    for (int32_t i = 0; i < pen_degree(v); i++) sum -= *PEN_NEIGHBOR(v, P, double, i);
    *PEN_NEXT(v, Q, double) = sum;
}
PEN_SWEEP(multiply)

static void observe_pq(const pen_view *v, pen_observation *o) { pen_observe_real(o, PQ, own(v, P) * own(v, Q)); }
PEN_OBSERVE_SWEEP(observe_pq)

static void update(const pen_view *v)
{
    double alpha = PEN_GLOBALS(v, scalars)->rz / pen_observed_real(v, PQ);
    *PEN_NEXT(v, X, double) = own(v, X) + alpha * own(v, P);
    *PEN_NEXT(v, R, double) = own(v, R) - alpha * own(v, Q);
}
PEN_SWEEP(update)

static void observe(const pen_view *v, pen_observation *o)
{
    pen_observe_real(o, RZ, own(v, R) * (own(v, R) / diagonal(v)));
}
PEN_OBSERVE_SWEEP(observe)

static void advance(const pen_run *run, int phase, const void *params, void *globals)
{
    (void)params;
    if (phase != PEN_BETWEEN_STEPS) return; /* only p.q is new */
    scalars *s = globals;
    double before = s->rz; /* 0 on the initial state */
    s->rz = pen_run_observed_real(run, RZ);
    s->beta = before > 0.0 ? s->rz / before : 0.0;
}

static void print(const pen_view *v, FILE *out) { fprintf(out, "%a", own(v, X)); }

int main(int argc, char **argv)
{
    static const pen_field fields[] = { { "x", sizeof(double), .plain = true },
                                        { "r", sizeof(double), .plain = true },
                                        { "p", sizeof(double), .plain = true },
                                        { "q", sizeof(double), .plain = true } };
    static const pen_phase phases[] = {
        { "direct", direct_sweep, .writes = PEN_SET(P) },
        { "multiply", multiply_sweep, .reads = PEN_SET(P), .writes = PEN_SET(Q) },
        { "update", update_sweep, .writes = PEN_SET(X, R), .observe = observe_pq_sweep, .observes = PEN_SET(PQ) },
    };
    static const pen_observable observables[] = { { .name = "r.z", .kind = PEN_SUM_REAL },
                                                  { .name = "p.q", .kind = PEN_SUM_REAL } };
    static const pen_globals globals = { .size = sizeof(scalars), .update = advance };
    static const pen_app app = { .name = "pcg",
                                 PEN_FIELDS(fields),
                                 PEN_PHASES(phases),
                                 PEN_OBSERVABLES(observables),
                                 .init = init_sweep,
                                 .observe = observe_sweep,
                                 .globals = &globals,
                                 .print = print };
    return pen_main(&app, argc, argv);
}

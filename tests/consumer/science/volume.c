/* volume.c - a finite-volume step: a substance diffuses between cells that lie anywhere in the plane. The conductance
 * of a face follows from the distance of the two cells, an edge record; how long a step may be follows from the largest
 * change of the step before, a global value. */
#include <penumbra.h>

#include <math.h>

enum { CELL };
enum { CONDUCTANCE };
enum { FASTEST, MASS };

typedef struct cell {
    double amount, rate;
} cell;

static void init(const pen_view *v)
{
    double x = pen_coordinate(v, 0), y = pen_coordinate(v, 1);
    *PEN_NEXT(v, CELL, cell) = (cell){ x * y + x, 0.0 };
}

static void face(const pen_view *v)
{
    for (int32_t i = 0; i < pen_degree(v); i++) {
        double dx = pen_coordinate(v, 0) - pen_neighbor_coordinate(v, i, 0);
        double dy = pen_coordinate(v, 1) - pen_neighbor_coordinate(v, i, 1);
        *PEN_EDGE_OWN(v, CONDUCTANCE, double, i) = 1.0 / (1.0 + sqrt(dx * dx + dy * dy));
    }
}

static void flow(const pen_view *v)
{
    const cell *here = PEN_SELF(v, CELL, cell);
    double fastest = pen_observed_real(v, FASTEST), rate = 0.0;
    double dt = fastest > 0.0 ? fmin(0.05, 0.01 / fastest) : 0.05;
    for (int32_t i = 0; i < pen_degree(v); i++)
        rate += *PEN_EDGE(v, CONDUCTANCE, double, i) * (PEN_NEIGHBOR(v, CELL, cell, i)->amount - here->amount);
    *PEN_NEXT(v, CELL, cell) = (cell){ here->amount + dt * rate, rate };
}

static void observe(const pen_view *v, pen_observation *observation)
{
    pen_observe_real(observation, FASTEST, fabs(PEN_SELF(v, CELL, cell)->rate));
    pen_observe_real(observation, MASS, PEN_SELF(v, CELL, cell)->amount);
}
PEN_OBSERVE_SWEEP(observe)

static void print(const pen_view *v, FILE *out) { fprintf(out, "%a", PEN_SELF(v, CELL, cell)->amount); }

int main(int argc, char **argv)
{
    static const pen_field fields[] = { { .name = "cell", .size = sizeof(cell) } };
    static const pen_edge_field edges[] = { { .name = "conductance", .size = sizeof(double) } };
    static const pen_phase phases[] = { { "flow", .node = flow, .reads = PEN_SET(CELL), .writes = PEN_SET(CELL) } };
    static const pen_observable observables[] = { { "fastest", PEN_MAX_REAL, 1 }, { "mass", PEN_SUM_REAL, 1 } };
    static const pen_app app = { .name = "volume",
                                 PEN_FIELDS(fields),
                                 PEN_PHASES(phases),
                                 PEN_EDGE_FIELDS(edges),
                                 .init_edges = face,
                                 .init = init,
                                 .output.print = print,
                                 PEN_OBSERVABLES(observables, observe_sweep) };
    return pen_main(&app, argc, argv);
}

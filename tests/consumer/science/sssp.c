/* sssp.c - shortest paths from node 0 by Bellman and Ford, over arcs whose lengths are edge records, drawn from both
 * ends' gids or read from a file; done when a step changes nothing. */
#include <penumbra.h>

#include <math.h>

enum { DISTANCE };
enum { LENGTH };
enum { CHANGED };

typedef struct reach {
    double distance;
    int64_t changed;
} reach;

static void init(const pen_view *v) { *PEN_NEXT(v, DISTANCE, reach) = (reach){ pen_id(v) == 0 ? 0.0 : INFINITY, 1 }; }

/* Of the arc that leads here from a neighbour. */
static void measure(const pen_view *v)
{
    for (int32_t i = 0; i < pen_degree(v); i++)
        *PEN_EDGE_OWN(v, LENGTH, double, i) = 1.0 + (double)((7 * pen_id(v) + 13 * pen_neighbor_id(v, i)) % 11) / 8.0;
}

static void relax(const pen_view *v)
{
    double before = PEN_SELF(v, DISTANCE, reach)->distance, best = before;
    for (int32_t i = 0; i < pen_degree(v); i++)
        best = fmin(best, PEN_NEIGHBOR(v, DISTANCE, reach, i)->distance + *PEN_EDGE(v, LENGTH, double, i));
    *PEN_NEXT(v, DISTANCE, reach) = (reach){ best, best < before };
}

static void observe(const pen_view *v, pen_observation *observation)
{
    pen_observe_int(observation, CHANGED, PEN_SELF(v, DISTANCE, reach)->changed);
}

static bool done(const pen_run *run, const void *params)
{
    (void)params;
    return pen_run_observed_int(run, CHANGED) == 0;
}

static void print(const pen_view *v, FILE *out) { fprintf(out, "%a", PEN_SELF(v, DISTANCE, reach)->distance); }

int main(int argc, char **argv)
{
    static const pen_field fields[] = { { .name = "distance", .size = sizeof(reach) } };
    static const pen_edge_field edges[] = { { .name = "length", .size = sizeof(double) } };
    static const pen_phase phases[] = { { "relax", relax, .reads = PEN_SET(DISTANCE), .writes = PEN_SET(DISTANCE) } };
    static const pen_observable observables[] = { { "changed", PEN_SUM_INT, 1 } };
    static const pen_app app = { .name = "sssp",
                                 PEN_FIELDS(fields),
                                 PEN_PHASES(phases),
                                 PEN_EDGE_FIELDS(edges),
                                 .init_edges = measure,
                                 .init = init,
                                 .print = print,
                                 PEN_OBSERVABLES(observables),
                                 .observe = observe,
                                 .end.done = done };
    return pen_main(&app, argc, argv);
}

/* threads_test.c - a sweep that computes its nodes with OpenMP's threads: the bits of the serial loop, which
 * --verify runs with a node function of its own order. */
#include <penumbra.h>

#include <omp.h>

enum { HEAT };

static void init(const pen_view *v) { *PEN_NEXT(v, HEAT, double) = 1.0 / (double)(pen_id(v) + 1); }

static void relax(const pen_view *v, pen_lid end)
{
    const double *heat = (const double *)v->current[HEAT];
    double *next = (double *)v->next[HEAT];
    int threads = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        threads = omp_get_num_threads();
#pragma omp for
        for (pen_lid s = v->slot; s < end; s++) {
            pen_view mine = *v;
            mine.slot = s;
            double sum = heat[s];
            for (int32_t i = 0; i < pen_degree(&mine); i++) sum += heat[pen_neighbor_slot(&mine, i)];
            next[s] = sum / (pen_degree(&mine) + 1);
        }
    }
    if (threads != 2) fprintf(stderr, "threads_test: %d threads\n", threads);
}

static void print(const pen_view *v, FILE *out) { fprintf(out, "%a", *PEN_SELF(v, HEAT, double)); }

int main(int argc, char **argv)
{
    static const pen_field fields[] = { { .name = "heat", .size = sizeof(double) } };
    static const pen_phase phases[] = { { "relax", .sweep = relax, .reads = PEN_SET(HEAT), .writes = PEN_SET(HEAT) } };
    static const pen_app app = {
        .name = "threads", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init, .output.print = print
    };
    return pen_main(&app, argc, argv);
}

/* noisy.c - a program whose declared loads fluctuate from step to step: a quarter of the nodes weighs three times as
 * much as the others, and every load is drawn anew in each step. */
#include <penumbra.h>

typedef struct cell {
    double value;
} cell;

enum { CELL };

static void init(const pen_view *v) { PEN_NEXT(v, CELL, cell)->value = (double)pen_id(v); }

static void relax(const pen_view *v)
{
    double sum = 0.0;
    for (int32_t i = 0; i < pen_degree(v); i++) sum += PEN_NEIGHBOR(v, CELL, cell, i)->value;
    PEN_NEXT(v, CELL, cell)->value = pen_degree(v) > 0 ? sum / pen_degree(v) : 0.0;
}

static double cost(const pen_view *v)
{
    const double mean = pen_id(v) % 16 < 4 ? 3.0 : 1.0;
    return mean * (0.1 + 1.8 * pen_random_real(v, 0));
}
PEN_COST_SWEEP(cost)

static void print(const pen_view *v, FILE *out) { fprintf(out, "%.17g", PEN_SELF(v, CELL, cell)->value); }

int main(int argc, char **argv)
{
    static const pen_field fields[] = { { "cell", sizeof(cell), .plain = true } };
    static const pen_phase phases[] = { { "relax", .node = relax, .reads = PEN_SET(CELL), .writes = PEN_SET(CELL),
                                          .cost = cost_sweep } };
    static const pen_app app = { .name = "noisy",
                                 PEN_FIELDS(fields),
                                 PEN_PHASES(phases),
                                 .graph.spec = "generate=hex:16x12",
                                 .init = init,
                                 .output.print = print };
    return pen_main(&app, argc, argv);
}

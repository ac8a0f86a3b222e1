/* valued.c - a node has values from files: a conductivity, which it keeps, and a porosity; its edges have a flow.
 * A step multiplies its level by the flow from neighbours. */
#include <penumbra.h>

enum { LEVEL };
enum { CONDUCTIVITY, POROSITY, FLOW }; /* index into inputs[] */

static void init(const pen_view *v) { *PEN_NEXT(v, LEVEL, double) = pen_input(v, POROSITY); }

static void init_edges(const pen_view *v)
{
    for (int32_t i = 0; i < pen_degree(v); i++) *PEN_EDGE_OWN(v, 0, double, i) = pen_edge_input(v, FLOW, i);
}

static void step(const pen_view *v)
{
    double sum = 0.0;
    for (int32_t i = 0; i < pen_degree(v); i++) sum += *PEN_EDGE(v, 0, double, i);
    *PEN_NEXT(v, LEVEL, double) = *PEN_SELF(v, LEVEL, double) * sum;
}

static void print(const pen_view *v, FILE *out)
{
    fprintf(out, "%.17g %.17g", *PEN_SELF(v, LEVEL, double), pen_input(v, CONDUCTIVITY));
    for (int32_t i = 0; i < pen_degree(v); i++) fprintf(out, " %.17g", *PEN_EDGE(v, 0, double, i));
}

int main(int argc, char **argv)
{
    static const pen_field fields[] = { { .name = "level", .size = sizeof(double) } };
    static const pen_edge_field edge_fields[] = { { "flow", sizeof(double) } };
    static const pen_phase phases[] = { { "step", .node = step, .writes = PEN_SET(LEVEL) } };
    static const pen_input_column inputs[] = {
        { .name = "conductivity", .permanent = true },
        { .name = "porosity", .nan = true, .otherwise = "0.5" },
        { .name = "flow", .of_edges = true, .otherwise = "1.0" },
    };
    static const pen_app app = { .name = "valued",
                                 PEN_FIELDS(fields),
                                 PEN_PHASES(phases),
                                 PEN_INPUTS(inputs),
                                 PEN_EDGE_FIELDS(edge_fields),
                                 .init = init,
                                 .init_edges = init_edges,
                                 .output.print = print };
    return pen_main(&app, argc, argv);
}

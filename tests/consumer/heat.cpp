#include <penumbra.h>

struct cell { double heat; };
enum { CELL };                                     // index into fields[]

static void init(const pen_view *v)  { PEN_NEXT(v, CELL, cell)->heat = pen_id(v) == 0 ? 100.0 : 0.0; }
static void relax(const pen_view *v)
{
    double sum = 0.0;
    for (int32_t i = 0; i < pen_degree(v); i++)
        sum += PEN_NEIGHBOR(v, CELL, cell, i)->heat;
    PEN_NEXT(v, CELL, cell)->heat = pen_degree(v) ? sum / pen_degree(v) : PEN_SELF(v, CELL, cell)->heat;
}
PEN_SWEEP(relax)
static void print(const pen_view *v, FILE *out) { fprintf(out, "%.17g", PEN_SELF(v, CELL, cell)->heat); }

int main(int argc, char **argv)
{
    pen_field field = {};
    field.name = "cell", field.size = sizeof(cell);
    pen_phase phase = {};
    phase.name = "relax", phase.node = relax_sweep, phase.reads = PEN_FIELD(CELL), phase.writes = PEN_FIELD(CELL);
    pen_app app = {};
    app.name = "heat", app.fields = &field, app.field_count = 1, app.phases = &phase, app.phase_count = 1;
    app.init = init, app.print = print, app.plain = PEN_FIELD(CELL);
    return pen_main(&app, argc, argv);
}

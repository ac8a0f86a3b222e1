/* heat - the smallest application: each node becomes the mean of its neighbours. */
#include <penumbra.h>

typedef struct {
    double heat;
} cell;
enum { CELL };

static void init(const pen_view *v) { PEN_NEXT(v, CELL, cell)->heat = pen_id(v) == 0 ? 100.0 : 0.0; }

static void relax(const pen_view *v)
{
    double sum = 0.0;
    for (int32_t i = 0; i < pen_degree(v); i++) sum += PEN_NEIGHBOR(v, CELL, cell, i)->heat;
    PEN_NEXT(v, CELL, cell)->heat = pen_degree(v) ? sum / pen_degree(v) : PEN_SELF(v, CELL, cell)->heat;
}
PEN_SWEEP(relax)

int main(int argc, char **argv)
{
    const pen_field fields[] = { { .name = "cell", .size = sizeof(cell) } };
    const pen_phase phases[] = { { "relax", .sweep = relax_sweep, .reads = PEN_SET(CELL), .writes = PEN_SET(CELL) } };
    const pen_member members[] = { PEN_MEMBER(CELL, cell, heat, PEN_F64) };
    const pen_app app = {
        .name = "heat", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init, .output = { PEN_MEMBERS(members) }
    };
    return pen_main(&app, argc, argv);
}

/* average.c - iC2mpi's generic application: every node becomes the mean of its neighbours. */
#include "apps/average.h"
#include "apps/grain.h"

typedef struct {
    double value;
} cell;
enum { CELL };

static void init(const pen_view *v) { PEN_NEXT(v, CELL, cell)->value = (double)(pen_id(v) % 1000); }

static void average(const pen_view *v)
{
    double sum = 0.0;
    for (int32_t i = 0; i < pen_degree(v); i++) sum += PEN_NEIGHBOR(v, CELL, cell, i)->value;
    PEN_NEXT(v, CELL, cell)->value = pen_degree(v) ? sum / pen_degree(v) : PEN_SELF(v, CELL, cell)->value;
    const grain *work = (const grain *)pen_params(v);
    if (work->works) pen_grain_work(work, pen_step(v), pen_id(v));
}
PEN_SWEEP(average)

static double cost(const pen_view *v) { return pen_grain_weight((const grain *)pen_params(v), pen_step(v), pen_id(v)); }
PEN_COST_SWEEP(cost)

static const char *setup(void *params, const pen_world *world) { return pen_grain_setup((grain *)params, world); }

int pen_average_main(const char *name, const char *default_graph, int argc, char **argv)
{
    static grain work = { GRAIN_DEFAULT };
    static const pen_option options[] = { { GRAIN_WORK_OPTION(&work, "node") },
                                          { GRAIN_LOAD_OPTION(&work) },
                                          { .name = NULL } };
    static const pen_field fields[] = { { "cell", sizeof(cell), .plain = true } };
    static const pen_member members[] = { PEN_MEMBER(CELL, cell, value, PEN_F64) };
    static const pen_phase phases[] = {
        { "average", .sweep = average_sweep, .reads = PEN_SET(CELL), .writes = PEN_SET(CELL), .cost = cost_sweep },
    };
    const pen_app app = { .name = name,
                          PEN_FIELDS(fields),
                          PEN_PHASES(phases),
                          .output = { PEN_MEMBERS(members) },
                          .init = init,
                          .graph.spec = default_graph,
                          .options = options,
                          .params = &work,
                          .setup = setup,
                          .checkpoint.may_differ = GRAIN_MAY_DIFFER };
    return pen_main(&app, argc, argv);
}

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
}

static void average_and_work(const pen_view *v)
{
    average(v);
    pen_grain_work((const grain *)pen_params(v), v);
}

static void print(const pen_view *v, FILE *out) { fprintf(out, "%.17g", PEN_SELF(v, CELL, cell)->value); }

static double cost(const pen_view *v) { return pen_grain_weight((const grain *)pen_params(v), v); }

static pen_phase phases[] = { { "average", average, .reads = PEN_FIELD(CELL), .writes = PEN_FIELD(CELL) } };

/* Where there is no work, nodes do not ask for it either: that would take as long as the mean. */
static const char *setup(void *params, const pen_world *world)
{
    grain *work = (grain *)params;
    const char *complaint = pen_grain_setup(work, world);
    phases[0].node = work->seconds > 0.0 ? average_and_work : average;
    return complaint;
}

int pen_average_main(const char *name, const char *default_graph, int argc, char **argv)
{
    static grain work = { GRAIN_DEFAULT };
    static const pen_option options[] = { { GRAIN_WORK_OPTION(&work, "node") },
                                          { GRAIN_LOAD_OPTION(&work) },
                                          { .name = NULL } };
    static const pen_field fields[] = { { "cell", sizeof(cell) } };
    const pen_app app = { .name = name,
                          PEN_FIELDS(fields),
                          PEN_PHASES(phases),
                          .init = init,
                          .print = print,
                          .default_graph = default_graph,
                          .options = options,
                          .params = &work,
                          .setup = setup,
                          .cost = cost };
    return pen_main(&app, argc, argv);
}

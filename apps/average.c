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

static const char *setup(void *params, const pen_world *world) { return pen_grain_setup((grain *)params, world); }

int pen_average_main(const char *name, const char *default_graph, int argc, char **argv)
{
    static grain work = { GRAIN_DEFAULT };
    static const pen_option options[] = { { GRAIN_WORK_OPTION(&work, "node") },
                                          { GRAIN_LOAD_OPTION(&work) },
                                          { .name = NULL } };
    static const pen_field fields[] = { { "cell", sizeof(cell) } };
    static const pen_member members[] = { PEN_MEMBER(CELL, cell, value, PEN_F64) };
    static const pen_phase alone[] = {
        { "average", average, .reads = PEN_FIELD(CELL), .writes = PEN_FIELD(CELL) },
    };
    static const pen_phase working[] = {
        { "average", average_and_work, .reads = PEN_FIELD(CELL), .writes = PEN_FIELD(CELL) },
    };
    pen_app app = { .name = name,
                    PEN_FIELDS(fields),
                    PEN_PHASES(alone),
                    PEN_MEMBERS(members),
                    .init = init,
                    .print = print,
                    .plain = PEN_FIELD(CELL),
                    .default_graph = default_graph,
                    .options = options,
                    .params = &work,
                    .setup = setup,
                    .cost = cost,
                    .indifferent = GRAIN_INDIFFERENT };
    /* Where there is no work, nodes do not ask for it either: that would take as long as the mean. */
    pen_options *parsed = NULL;
    pen_status status = pen_options_parse(&app, argc, argv, &parsed);
    if (status == PEN_OK && strcmp(work.work_text, "none") != 0) app.phases = working;
    pen_options_destroy(&parsed);
    return pen_main(&app, argc, argv);
}

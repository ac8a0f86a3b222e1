/* older.c - an application with two of everything, whose tables are as long as the header that it was built with had
 * them: abi_test.sh builds it with headers of other versions. */
#include <penumbra.h>

enum { HEAT, COUNT };
enum { TOTAL, MOST };

static int64_t start = 100;
static double decay = 1.0;

static const pen_option options[] = {
    { "start", "N", "heat of node 0", PEN_OPTION_INT, &start, 0, 1000 },
    { "decay", "X", "what is left after a step", PEN_OPTION_REAL, &decay, 0, 0 },
    { NULL, NULL, NULL, PEN_OPTION_FLAG, NULL, 0, 0 },
};

static void init(const pen_view *v)
{
    *PEN_NEXT(v, HEAT, double) = pen_id(v) == 0 ? (double)start : 0.0;
    *PEN_NEXT(v, COUNT, int64_t) = 0;
}

static void relax(const pen_view *v)
{
    double sum = *PEN_SELF(v, HEAT, double);
    for (int32_t i = 0; i < pen_degree(v); i++) sum += *PEN_NEIGHBOR(v, HEAT, double, i);
    *PEN_NEXT(v, HEAT, double) = decay * sum / (pen_degree(v) + 1);
}

static void count(const pen_view *v)
{
    *PEN_NEXT(v, COUNT, int64_t) = *PEN_SELF(v, COUNT, int64_t) + (*PEN_SELF(v, HEAT, double) > 0.0);
}

static void print(const pen_view *v, FILE *out)
{
    fprintf(out, "%a %" PRId64, *PEN_SELF(v, HEAT, double), *PEN_SELF(v, COUNT, int64_t));
}

static void observe(const pen_view *v, pen_observation *observation)
{
    pen_observe_real(observation, TOTAL, *PEN_SELF(v, HEAT, double));
    pen_observe_int(observation, MOST, *PEN_SELF(v, COUNT, int64_t));
}

int main(int argc, char **argv)
{
    static const pen_field fields[] = { { .name = "heat", .size = sizeof(double) },
                                        { .name = "count", .size = sizeof(int64_t) } };
    static const pen_phase phases[] = { { "relax", relax, .reads = PEN_SET(HEAT), .writes = PEN_SET(HEAT) },
                                        { "count", count, .writes = PEN_SET(COUNT) } };
    static const pen_observable observables[] = { { "total", PEN_SUM_REAL }, { "most", PEN_MAX_INT } };
    static const pen_app app = { .name = "older",
                                 PEN_FIELDS(fields),
                                 PEN_PHASES(phases),
                                 .init = init,
                                 .print = print,
                                 PEN_OBSERVABLES(observables),
                                 .observe = observe,
                                 .graph.spec = "grid=12x12",
                                 .options = options };
    return pen_main(&app, argc, argv);
}

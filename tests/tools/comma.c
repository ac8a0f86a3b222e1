/* comma - an application whose program has the user's locale, to test that numbers do not depend on it. Exit status 77:
 * that locale has a decimal point; 1 also if the library leaves another locale behind. */
#include <penumbra.h>

#include <locale.h>
#include <stdlib.h>

enum { HEAT };
enum { MEAN, WARM };

static double scale = 0.5;

static void init(const pen_view *v) { *PEN_NEXT(v, HEAT, double) = scale * (double)(pen_id(v) % 7); }

static void relax(const pen_view *v)
{
    double sum = *PEN_SELF(v, HEAT, double);
    for (int32_t i = 0; i < pen_degree(v); i++) sum += *PEN_NEIGHBOR(v, HEAT, double, i);
    *PEN_NEXT(v, HEAT, double) = 0.99 * sum / (pen_degree(v) + 1);
}

static void observe(const pen_view *v, pen_observation *o)
{
    pen_observe_real(o, MEAN, *PEN_SELF(v, HEAT, double) / 64.0);
    pen_observe_int(o, WARM, *PEN_SELF(v, HEAT, double) > 1.5);
}
PEN_OBSERVE_SWEEP(observe)

static void print(const pen_view *v, FILE *out) { fprintf(out, "%.9f", *PEN_SELF(v, HEAT, double)); }

static bool has_comma(void)
{
    char text[8];
    snprintf(text, sizeof text, "%.1f", 0.5);
    return text[1] == ',';
}

int main(int argc, char **argv)
{
    static const pen_field fields[] = { { .name = "heat", .size = sizeof(double) } };
    static const pen_phase phases[] = { { "relax", .node = relax, .reads = PEN_SET(HEAT), .writes = PEN_SET(HEAT) } };
    static const pen_observable observables[] = {
        [MEAN] = { "mean", PEN_SUM_REAL, 1 }, [WARM] = { "warm", PEN_SUM_INT, 1 }
    };
    static const pen_option options[] = {
        { "scale", "X", "of the first values (0.5)", PEN_OPTION_REAL, &scale, 0, 0 },
        { .name = NULL },
    };
    static const pen_app app = { .name = "comma",
                                 PEN_FIELDS(fields),
                                 PEN_PHASES(phases),
                                 PEN_OBSERVABLES(observables, observe_sweep),
                                 .init = init,
                                 .output.print = print,
                                 .options = options };
    bool foreign = setlocale(LC_ALL, "") && has_comma();
    if (!foreign && getenv("COMMA")) return 77;
    int status = pen_main(&app, argc, argv);
    return has_comma() == foreign ? status : 1;
}

/* components.c - connected components: every node takes the least gid that it has heard of; ended from the command line
 * with --until="changed<1". */
#include <penumbra.h>

enum { LABEL };
enum { CHANGED };

typedef struct component {
    int64_t least, changed;
} component;

static void init(const pen_view *v) { *PEN_NEXT(v, LABEL, component) = (component){ pen_id(v), 1 }; }

static void hear(const pen_view *v)
{
    int64_t before = PEN_SELF(v, LABEL, component)->least, least = before;
    for (int32_t i = 0; i < pen_degree(v); i++) {
        int64_t heard = PEN_NEIGHBOR(v, LABEL, component, i)->least;
        if (heard < least) least = heard;
    }
    *PEN_NEXT(v, LABEL, component) = (component){ least, least < before };
}

static void observe(const pen_view *v, pen_observation *observation)
{
    pen_observe_int(observation, CHANGED, PEN_SELF(v, LABEL, component)->changed);
}
PEN_OBSERVE_SWEEP(observe)

static void print(const pen_view *v, FILE *out) { fprintf(out, "%" PRId64, PEN_SELF(v, LABEL, component)->least); }

int main(int argc, char **argv)
{
    static const pen_field fields[] = { { .name = "label", .size = sizeof(component) } };
    static const pen_phase phases[] = { { "hear", .node = hear, .reads = PEN_SET(LABEL), .writes = PEN_SET(LABEL) } };
    static const pen_observable observables[] = { { "changed", PEN_SUM_INT, 1 } };
    static const pen_app app = { .name = "components",
                                 PEN_FIELDS(fields),
                                 PEN_PHASES(phases),
                                 .init = init,
                                 .output.print = print,
                                 PEN_OBSERVABLES(observables, observe_sweep) };
    return pen_main(&app, argc, argv);
}

/* material - heat in a plate whose material differs from place to place: its first column is hot, its last one cold.
 *
 * It shows: data of nodes from a file (--input: a column `conductivity`, of a .npy or CSV file); results for ParaView,
 * NumPy or pandas (--output, --output-every); and values of the whole run, one of which is the time of these results
 * (--until="t>=100"). */
#include <penumbra.h>

typedef struct cell {
    double temperature;
    double conductivity; /* a copy of the input, so that neighbours read it together with the temperature */
} cell;
enum { CELL };
enum { CONDUCTIVITY }; /* index in pen_app.inputs */
enum { HEAT };

typedef struct plate {
    double t, first, gained; /* physical time; initial heat; heat that was added */
} plate;

typedef struct parameters {
    double dt;
    int64_t width;
} parameters;

static void init(const pen_view *v)
{
    const parameters *p = (const parameters *)pen_params(v);
    *PEN_NEXT(v, CELL, cell) = (cell){ pen_id(v) % p->width == 0 ? 100.0 : 0.0, pen_input(v, CONDUCTIVITY) };
}

/* The conductivity between two cells, which is that of two resistors in series. */
static double harmonic_mean(double a, double b) { return a + b > 0.0 ? 2.0 * a * b / (a + b) : 0.0; }

static void conduct(const pen_view *v)
{
    const parameters *p = (const parameters *)pen_params(v);
    const cell *here = PEN_SELF(v, CELL, cell);
    int64_t column = pen_id(v) % p->width;
    double flow = 0.0;
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const cell *there = PEN_NEIGHBOR(v, CELL, cell, i);
        flow += harmonic_mean(here->conductivity, there->conductivity) * (there->temperature - here->temperature);
    }
    if (column == 0 || column == p->width - 1) flow = 0.0; /* the borders keep their temperature */
    *PEN_NEXT(v, CELL, cell) = (cell){ here->temperature + p->dt * flow, here->conductivity };
}
PEN_SWEEP(conduct)

static void observe(const pen_view *v, pen_observation *o)
{
    pen_observe_real(o, HEAT, PEN_SELF(v, CELL, cell)->temperature);
}
PEN_OBSERVE_SWEEP(observe)

static void advance(const pen_run *run, int phase, const void *params, void *globals)
{
    (void)phase; /* no phase evaluates observables, so the argument is not needed */
    plate *g = (plate *)globals;
    double heat = pen_run_observed_real(run, HEAT);
    if (pen_run_step(run) == 0) g->first = heat;
    else g->t += ((const parameters *)params)->dt;
    g->gained = heat - g->first;
}

static void print(const pen_view *v, FILE *out) { fprintf(out, "%.17g", PEN_SELF(v, CELL, cell)->temperature); }

static const char *setup(void *params, const pen_world *world)
{
    parameters *p = (parameters *)params;
    p->width = world->width;
    if (world->width < 2) return "the plate is a grid: --generate=hex:WxH or --generate=mesh:WxH";
    return p->dt > 0.0 && p->dt <= 0.16 ? NULL : "--dt must be above 0 and at most 0.16";
}

int main(int argc, char **argv)
{
    static parameters p = { .dt = 0.1 };
    static const pen_option options[] = {
        { "dt", "TIME", "time step, for conductivities of at most 1 (0.1)", PEN_OPTION_REAL, &p.dt, 0, 0 },
        { .name = NULL },
    };
    static const pen_field fields[] = { { "cell", sizeof(cell), .plain = true } };
    static const pen_input_column inputs[] = { { .name = "conductivity" } };
    static const pen_member members[] = { PEN_MEMBER(CELL, cell, temperature, PEN_F64),
                                          PEN_MEMBER(CELL, cell, conductivity, PEN_F64) };
    static const pen_phase phases[] = { { "conduct", .sweep = conduct_sweep, .reads = PEN_SET(CELL),
                                          .writes = PEN_SET(CELL) } };
    static const pen_observable observables[] = { { "heat", PEN_SUM_REAL, 1 } };
    static const pen_member global_members[] = { PEN_MEMBER(0, plate, t, PEN_F64),
                                                 PEN_MEMBER(0, plate, gained, PEN_F64) };
    static const pen_globals globals = { sizeof(plate), advance, PEN_MEMBERS(global_members), .time = "t" };
    static const pen_app app = { .name = "material",
                                 PEN_FIELDS(fields),
                                 PEN_INPUTS(inputs),
                                 .output = { .print = print, PEN_MEMBERS(members) },
                                 PEN_PHASES(phases),
                                 PEN_OBSERVABLES(observables, observe_sweep),
                                 .globals = &globals,
                                 .init = init,
                                 .graph.spec = "generate=mesh:120x80",
                                 .options = options,
                                 .params = &p,
                                 .setup = setup,
                                 .checkpoint.may_differ = "steps" };
    return pen_main(&app, argc, argv);
}

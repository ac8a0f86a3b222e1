/* wave - the wave equation on any graph, in two fields and two phases: `accelerate` reads the
 * neighbours' displacement, which `move` wrote; `move` reads nothing from neighbours, and velocity is
 * never read from neighbours at all, so a step synchronises once. */
#include <penumbra.h>

#include <math.h>

typedef struct {
    double u;
} displacement;
typedef struct {
    double v;
} velocity;
enum { DISPLACEMENT, VELOCITY };
enum { KINETIC, HIGHEST, MOVING };

typedef struct {
    double dt;
} parameters;

/* Begin with a bump of height 1 around node 0: its neighbours are at half height. */
static void init(const pen_view *v)
{
    double u = pen_id(v) == 0 ? 1.0 : 0.0;
    for (int32_t i = 0; i < pen_degree(v); i++)
        if (pen_neighbor_id(v, i) == 0) u = 0.5;
    PEN_NEXT(v, DISPLACEMENT, displacement)->u = u;
    PEN_NEXT(v, VELOCITY, velocity)->v = 0.0;
}

/* Accelerate by the mean of the neighbours' differences: a Laplacian with eigenvalues from -2 to 0 on any graph, so
 * that one bound on the time step serves all graphs. */
static void accelerate(const pen_view *v)
{
    const parameters *p = (const parameters *)pen_params(v);
    double here = PEN_SELF(v, DISPLACEMENT, displacement)->u, sum = 0.0;
    for (int32_t i = 0; i < pen_degree(v); i++) sum += PEN_NEIGHBOR(v, DISPLACEMENT, displacement, i)->u - here;
    double pull = pen_degree(v) ? sum / pen_degree(v) : 0.0;
    /* The field is in .updates: its next records begin as copies of the current ones. */
    PEN_NEXT(v, VELOCITY, velocity)->v += p->dt * pull;
}
PEN_SWEEP(accelerate)

static void move(const pen_view *v)
{
    const parameters *p = (const parameters *)pen_params(v);
    PEN_NEXT(v, DISPLACEMENT, displacement)->u = PEN_SELF(v, DISPLACEMENT, displacement)->u +
                                                 p->dt * PEN_SELF(v, VELOCITY, velocity)->v;
}
PEN_SWEEP(move)

static void observe(const pen_view *v, pen_observation *observation)
{
    double speed = PEN_SELF(v, VELOCITY, velocity)->v;
    pen_observe_real(observation, KINETIC, 0.5 * pen_degree(v) * speed * speed);
    pen_observe_real(observation, HIGHEST, PEN_SELF(v, DISPLACEMENT, displacement)->u);
    pen_observe_int(observation, MOVING, fabs(speed) > 1e-9);
}
PEN_OBSERVE_SWEEP(observe)

static const char *setup(void *params, const pen_world *world)
{
    const parameters *p = (const parameters *)params;
    return p->dt > 0.0 && p->dt <= 1.4 ? NULL : "--dt must be above 0 and at most 1.4, or the scheme is unstable";
}

int main(int argc, char **argv)
{
    static parameters p = { .dt = 0.5 };
    static const pen_option options[] = {
        { "dt", "TIME", "time step (0.5)", PEN_OPTION_REAL, &p.dt, 0, 0 },
        { .name = NULL },
    };
    static const pen_field fields[] = { { "displacement", sizeof(displacement), .plain = true },
                                        { "velocity", sizeof(velocity), .plain = true } };
    static const pen_phase phases[] = {
        { "accelerate", .sweep = accelerate_sweep, .reads = PEN_SET(DISPLACEMENT), .writes = PEN_SET(VELOCITY),
          .updates = PEN_SET(VELOCITY) },
        { "move", .sweep = move_sweep, .writes = PEN_SET(DISPLACEMENT) },
    };
    static const pen_member members[] = { { "displacement", DISPLACEMENT, PEN_F64, 0, 1 },
                                          { "velocity", VELOCITY, PEN_F64, 0, 1 } };
    static const pen_observable observables[] = {
        { "kinetic energy", PEN_SUM_REAL, 1 },
        { "highest", PEN_MAX_REAL, 1 },
        { "moving nodes", PEN_SUM_INT, 1 },
    };
    static const pen_app app = { .name = "wave",
                                 PEN_FIELDS(fields),
                                 PEN_PHASES(phases),
                                 .output = { PEN_MEMBERS(members) },
                                 PEN_OBSERVABLES(observables, observe_sweep),
                                 .init = init,
                                 .graph.spec = "generate=hex:64x64",
                                 .options = options,
                                 .params = &p,
                                 .setup = setup,
                                 .checkpoint.may_differ = "steps" };
    return pen_main(&app, argc, argv);
}

/* epidemic - an illness in a population (W. O. Kermack, A. G. McKendrick, 1927): people who are susceptible catch it
 * from their neighbours, are ill for a while, and are immune then. The run ends when no person is ill.
 *
 * It shows: random numbers only where they are needed. A person without an ill neighbour needs none, and is not
 * computed again until a neighbour falls ill (pen_run_options.active). */
#include <penumbra.h>

typedef struct person {
    uint8_t state;
} person;
enum { PERSON };
enum { SUSCEPTIBLE, ILL, IMMUNE }; /* the states, and the observables that count them */
enum { AT_START, INFECTION, RECOVERY };

typedef struct parameters {
    double ill, infection, recovery;
} parameters;

static void init(const pen_view *v)
{
    const parameters *p = (const parameters *)pen_params(v);
    PEN_NEXT(v, PERSON, person)->state = pen_random_real(v, AT_START) < p->ill ? ILL : SUSCEPTIBLE;
}

/* The probability that none of the neighbours infects this one. */
static double stays_well(const pen_view *v)
{
    double safe = 1.0, infection = ((const parameters *)pen_params(v))->infection;
    for (int32_t i = 0; i < pen_degree(v); i++)
        if (PEN_NEIGHBOR(v, PERSON, person, i)->state == ILL) safe *= 1.0 - infection;
    return safe;
}

static void meet(const pen_view *v)
{
    uint8_t state = PEN_SELF(v, PERSON, person)->state, next = state;
    if (state == SUSCEPTIBLE) {
        double safe = stays_well(v);
        if (safe < 1.0 && pen_random_real(v, INFECTION) >= safe) next = ILL;
    }
    if (state == ILL && pen_random_real(v, RECOVERY) < ((const parameters *)pen_params(v))->recovery) next = IMMUNE;
    PEN_NEXT(v, PERSON, person)->state = next;
}
PEN_SWEEP(meet)

static void observe(const pen_view *v, pen_observation *o)
{
    pen_observe_int(o, PEN_SELF(v, PERSON, person)->state, 1);
}
PEN_OBSERVE_SWEEP(observe)

static bool is_probability(double p) { return p >= 0.0 && p <= 1.0; }

static const char *setup(void *params, const pen_world *world)
{
    (void)world;
    const parameters *p = (const parameters *)params;
    bool legal = is_probability(p->ill) && is_probability(p->infection) && is_probability(p->recovery);
    return legal ? NULL : "--ill, --infection and --recovery must be probabilities, from 0 to 1";
}

int main(int argc, char **argv)
{
    static parameters p = { .ill = 0.002, .infection = 0.05, .recovery = 0.2 };
    static const pen_option options[] = {
        { "ill", "P", "probability that a person is ill at the start (0.002)", PEN_OPTION_REAL, &p.ill, 0, 0 },
        { "infection", "P", "probability that an ill neighbour infects a person in a step (0.05)", PEN_OPTION_REAL,
          &p.infection, 0, 0 },
        { "recovery", "P", "probability that a person recovers in a step (0.2)", PEN_OPTION_REAL, &p.recovery, 0, 0 },
        { .name = NULL },
    };
    static const pen_field fields[] = { { "person", sizeof(person), .plain = true } };
    static const pen_member members[] = { PEN_MEMBER(PERSON, person, state, PEN_U8) };
    static const pen_phase phases[] = { { "meet", .sweep = meet_sweep, .reads = PEN_SET(PERSON),
                                          .writes = PEN_SET(PERSON) } };
    static const pen_observable observables[] = { { "susceptible", PEN_SUM_INT, 1 },
                                                  { "ill", PEN_SUM_INT, 1 },
                                                  { "immune", PEN_SUM_INT, 1 } };
    static const pen_app app = { .name = "epidemic",
                                 PEN_FIELDS(fields),
                                 .output = { PEN_MEMBERS(members) },
                                 PEN_PHASES(phases),
                                 PEN_OBSERVABLES(observables, observe_sweep),
                                 .init = init,
                                 .graph.spec = "generate=geometric:nodes=2000,degree=9,coordinates",
                                 .options = options,
                                 .params = &p,
                                 .setup = setup,
                                 .end.quiet = true,
                                 .checkpoint.may_differ = "steps" };
    return pen_main(&app, argc, argv);
}

/* sir.c - an epidemic in a network: a susceptible person gets it from every infected neighbour with probability beta,
 * an infected one recovers with probability gamma. It ends when nobody has it. The largest number of infected people,
 * and when that was, are values of the whole run. */
#include <penumbra.h>

typedef struct person {
    int32_t state;
} person;
typedef struct peak {
    int64_t peak, when;
} peak;
typedef struct parameters {
    double beta, gamma;
} parameters;
enum { PERSON };
enum { PEOPLE };
enum { SUSCEPTIBLE, INFECTED, RECOVERED, STATES };
enum { CONTACT, RECOVERY }; /* streams of random numbers */

static void init(const pen_view *v) { PEN_NEXT(v, PERSON, person)->state = pen_id(v) == 0 ? INFECTED : SUSCEPTIBLE; }

static void meet(const pen_view *v)
{
    const parameters *p = pen_params(v);
    int32_t state = PEN_SELF(v, PERSON, person)->state, next = state;
    double escapes = 1.0;
    for (int32_t i = 0; i < pen_degree(v); i++)
        if (PEN_NEIGHBOR(v, PERSON, person, i)->state == INFECTED) escapes *= 1.0 - p->beta;
    if (state == SUSCEPTIBLE && pen_random_real(v, CONTACT) >= escapes) next = INFECTED;
    if (state == INFECTED && pen_random_real(v, RECOVERY) < p->gamma) next = RECOVERED;
    PEN_NEXT(v, PERSON, person)->state = next;
}
PEN_SWEEP(meet)

static void observe(const pen_view *v, pen_observation *o)
{
    pen_observe_int_of(o, PEOPLE, PEN_SELF(v, PERSON, person)->state, 1);
}
PEN_OBSERVE_SWEEP(observe)

static void record(const pen_run *run, int phase, const void *params, void *globals)
{
    (void)phase, (void)params;
    peak *most = globals;
    int64_t infected = pen_run_observed_int_of(run, PEOPLE, INFECTED);
    if (infected > most->peak) *most = (peak){ infected, pen_run_step(run) };
}

static bool is_over(const pen_run *run, const void *params)
{
    (void)params;
    return pen_run_observed_int_of(run, PEOPLE, INFECTED) == 0;
}

static void print(const pen_view *v, FILE *out) { fprintf(out, "%d", PEN_SELF(v, PERSON, person)->state); }

int main(int argc, char **argv)
{
    static parameters p = { .beta = 0.1, .gamma = 0.1 };
    static const pen_option options[] = {
        { "beta", "P", "probability of an infection by a neighbour (0.1)", PEN_OPTION_REAL, &p.beta, 0, 0 },
        { "gamma", "P", "probability of a recovery (0.1)", PEN_OPTION_REAL, &p.gamma, 0, 0 },
        { .name = NULL },
    };
    static const pen_field fields[] = { { "person", sizeof(person), .plain = true } };
    static const pen_phase phases[] = {
        { "meet", meet_sweep, .reads = PEN_SET(PERSON), .writes = PEN_SET(PERSON) },
    };
    static const pen_observable observables[] = { { "people", PEN_SUM_INT, STATES } };
    static const pen_member named[] = { PEN_MEMBER(0, peak, peak, PEN_I64), PEN_MEMBER(0, peak, when, PEN_I64) };
    static const pen_globals globals = { sizeof(peak), record, PEN_MEMBERS(named) };
    static const pen_app app = { .name = "sir",
                                 PEN_FIELDS(fields),
                                 PEN_PHASES(phases),
                                 PEN_OBSERVABLES(observables),
                                 .options = options,
                                 .params = &p,
                                 .init = init,
                                 .observe = observe_sweep,
                                 .globals = &globals,
                                 .print = print,
                                 .end.done = is_over };
    return pen_main(&app, argc, argv);
}

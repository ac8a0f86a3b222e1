/* travellers - an epidemic among people who move between their homes, their work places and places that they visit.
 *
 * It shows: agents. Places are nodes, and people are mail: in each step a place sends every person on to that person's
 * next place, which can be any node. The run ends when no person is ill. */
#include <penumbra.h>

typedef struct person {
    pen_gid home, work;
    int32_t number, state; /* number: in the household */
} person;
enum { PERSON };
enum { SUSCEPTIBLE, ILL, IMMUNE, STATES }; /* the states, and the observables that count them */
typedef struct place {
    int32_t people[STATES]; /* who were here in the last step, by their states after it */
    int32_t infections;     /* in all steps */
} place;
enum { PLACE };
enum { WORK, AT_START, HEALTH, VISIT, GOAL, STREAMS }; /* what people need random numbers for */

typedef struct parameters {
    double infection[2], recovery, ill, visit; /* infection: at home, in a work place */
    int64_t people, nodes;
} parameters;

static const parameters *of(const pen_view *v) { return (const parameters *)pen_params(v); }
static bool is_work_place(pen_gid gid) { return gid % 8 == 0; }

/* Each person has random numbers of its own. */
static uint64_t stream(const pen_view *v, const person *one, uint64_t use)
{
    return use + STREAMS * (uint64_t)(one->home * of(v)->people + one->number);
}

/* A work place next to the home; without one, people work at home. */
static pen_gid find_work(const pen_view *v, const person *one)
{
    int32_t degree = pen_degree(v), first = degree ? (int32_t)pen_random_below(v, stream(v, one, WORK), degree) : 0;
    for (int32_t i = 0; i < degree; i++)
        if (is_work_place(pen_neighbor_id(v, (first + i) % degree))) return pen_neighbor_id(v, (first + i) % degree);
    return one->home;
}

static void init(const pen_view *v)
{
    place here = { .infections = 0 };
    for (int32_t k = 0; !is_work_place(pen_id(v)) && k < of(v)->people; k++) {
        person one = { .home = pen_id(v), .number = k };
        one.work = find_work(v, &one);
        one.state = pen_random_real(v, stream(v, &one, AT_START)) < of(v)->ill ? ILL : SUSCEPTIBLE;
        here.people[one.state]++;
        *PEN_SEND(v, PERSON, person, one.home) = one;
    }
    *PEN_NEXT(v, PLACE, place) = here;
}

/* `safe`: the probability that none of the ill people here infects a person. */
static int32_t next_state(const pen_view *v, const person *one, double safe)
{
    if (one->state == IMMUNE || (one->state == SUSCEPTIBLE && safe == 1.0)) return one->state;
    double luck = pen_random_real(v, stream(v, one, HEALTH));
    if (one->state == ILL) return luck < of(v)->recovery ? IMMUNE : ILL;
    return luck >= safe ? ILL : SUSCEPTIBLE;
}

/* In even steps people are at home; then they go to work, or visit any place, and return. */
static pen_gid next_place(const pen_view *v, const person *one)
{
    if (pen_step(v) % 2 == 1) return one->home;
    if (pen_random_real(v, stream(v, one, VISIT)) >= of(v)->visit) return one->work;
    return pen_random_below(v, stream(v, one, GOAL), of(v)->nodes);
}

static void meet(const pen_view *v)
{
    const int64_t people = pen_mail_count(v, PERSON);
    place here = { .infections = PEN_SELF(v, PLACE, place)->infections };
    double safe = 1.0;
    for (int64_t i = 0; i < people; i++)
        if (PEN_MAIL(v, PERSON, person, i)->state == ILL) safe *= 1.0 - of(v)->infection[is_work_place(pen_id(v))];
    for (int64_t i = 0; i < people; i++) {
        person one = *PEN_MAIL(v, PERSON, person, i);
        int32_t state = next_state(v, &one, safe);
        here.infections += one.state == SUSCEPTIBLE && state == ILL;
        here.people[one.state = state]++;
        *PEN_SEND(v, PERSON, person, next_place(v, &one)) = one;
    }
    *PEN_NEXT(v, PLACE, place) = here;
}
PEN_SWEEP(meet)

static void observe(const pen_view *v, pen_observation *o)
{
    for (int k = 0; k < STATES; k++) pen_observe_int(o, k, PEN_SELF(v, PLACE, place)->people[k]);
}
PEN_OBSERVE_SWEEP(observe)

static void print(const pen_view *v, FILE *out)
{
    const place *here = PEN_SELF(v, PLACE, place);
    fprintf(out, "%d %d %d %d", here->people[SUSCEPTIBLE], here->people[ILL], here->people[IMMUNE], here->infections);
}

static bool is_over(const pen_run *run, const void *params) { return !params || !pen_run_observed_int(run, ILL); }

static const char *setup(void *params, const pen_world *world)
{
    ((parameters *)params)->nodes = world->nodes; /* their gids are 0 .. nodes - 1 */
    return NULL;
}

int main(int argc, char **argv)
{
    static parameters p = { { 0.1, 0.02 }, .recovery = 0.1, .ill = 0.001, .visit = 0.02, .people = 4 };
    static const pen_option options[] = {
        { "people", "N", "people of a household (4)", PEN_OPTION_INT, &p.people, 0, 1000000 },
        { "visit", "P", "probability that a person makes a visit instead of working (0.02)", PEN_OPTION_REAL, &p.visit,
          0, 0 },
        { .name = NULL },
    };
    static const pen_mail mails[] = { { .name = "person", .size = sizeof(person) } };
    static const pen_field fields[] = { { "place", sizeof(place), .plain = true } };
    static const pen_member members[] = { PEN_MEMBER(PLACE, place, infections, PEN_I32) };
    static const pen_phase phases[] = { { "meet", .sweep = meet_sweep, .writes = PEN_SET(PLACE),
                                          .receives = PEN_SET(PERSON), .sends = PEN_SET(PERSON) } };
    static const pen_observable observables[] = { { "susceptible", PEN_SUM_INT, 1 },
                                                  { "ill", PEN_SUM_INT, 1 },
                                                  { "immune", PEN_SUM_INT, 1 } };
    static const pen_app app = { .name = "travellers",
                                 PEN_FIELDS(fields),
                                 PEN_MAILS(mails),
                                 .output = { .print = print, PEN_MEMBERS(members) },
                                 PEN_PHASES(phases),
                                 PEN_OBSERVABLES(observables, observe_sweep),
                                 .init = init,
                                 .graph.spec = "generate=geometric:nodes=3000,degree=12,coordinates",
                                 .options = options,
                                 .params = &p,
                                 .setup = setup,
                                 .checkpoint.may_differ = "steps",
                                 .end.done = is_over };
    return pen_main(&app, argc, argv);
}

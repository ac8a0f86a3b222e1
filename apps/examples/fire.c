/* fire - a fire in a forest: lightning strikes a tree, a burning tree sets each neighbouring tree on fire with a
 * probability, and leaves ash. It ends when nothing burns.
 *
 * It shows: random numbers, which are the same on any number of ranks (pen_random_real: from the run's --seed, the
 * node, the step, and a stream for each use); counts of nodes in each state (--observables); and a front: only trees
 * next to the fire need a random number, so only these are computed (pen_run_options.active). */
#include <penumbra.h>

typedef struct ground {
    uint8_t state;
} ground;
enum { GROUND };
enum { EMPTY, TREE, FIRE, ASH }; /* the states, and the observables that count them */
enum { PLANTED, CATCHES };

typedef struct parameters {
    double planted, spread;
    int64_t struck;
} parameters;

static void init(const pen_view *v)
{
    const parameters *p = (const parameters *)pen_params(v);
    uint8_t state = pen_random_real(v, PLANTED) < p->planted ? TREE : EMPTY;
    PEN_NEXT(v, GROUND, ground)->state = pen_id(v) == p->struck ? FIRE : state;
}

static int burning_neighbors(const pen_view *v)
{
    int count = 0;
    for (int32_t i = 0; i < pen_degree(v); i++) count += PEN_NEIGHBOR(v, GROUND, ground, i)->state == FIRE;
    return count;
}

static bool catches_fire(const pen_view *v, int burning)
{
    double safe = 1.0, spread = ((const parameters *)pen_params(v))->spread;
    for (int i = 0; i < burning; i++) safe *= 1.0 - spread;
    return burning > 0 && pen_random_real(v, CATCHES) >= safe;
}

static void burn(const pen_view *v)
{
    uint8_t state = PEN_SELF(v, GROUND, ground)->state, next = state;
    if (state == TREE && catches_fire(v, burning_neighbors(v))) next = FIRE;
    if (state == FIRE) next = ASH;
    PEN_NEXT(v, GROUND, ground)->state = next;
}
PEN_SWEEP(burn)

static void observe(const pen_view *v, pen_observation *o)
{
    pen_observe_int(o, PEN_SELF(v, GROUND, ground)->state, 1);
}
PEN_OBSERVE_SWEEP(observe)

static bool is_probability(double p) { return p >= 0.0 && p <= 1.0; }

static const char *setup(void *params, const pen_world *world)
{
    parameters *p = (parameters *)params;
    if (p->struck >= world->nodes) return "--struck must be a node of the graph";
    if (p->struck < 0) p->struck = world->width * (world->height / 2) + world->width / 2;
    return is_probability(p->planted) && is_probability(p->spread)
               ? NULL
               : "--planted and --spread must be probabilities, from 0 to 1";
}

int main(int argc, char **argv)
{
    static parameters p = { .planted = 0.7, .spread = 0.7, .struck = -1 };
    static const pen_option options[] = {
        { "planted", "P", "probability of a tree at the start (0.7)", PEN_OPTION_REAL, &p.planted, 0, 0 },
        { "spread", "P", "probability that a burning tree sets a neighbour on fire (0.7)", PEN_OPTION_REAL, &p.spread,
          0, 0 },
        { "struck", "GID", "the tree that lightning strikes (the middle of a grid)", PEN_OPTION_INT, &p.struck, 0,
          INT64_MAX },
        { .name = NULL },
    };
    static const pen_field fields[] = { { "ground", sizeof(ground), .plain = true } };
    static const pen_member members[] = { PEN_MEMBER(GROUND, ground, state, PEN_U8) };
    static const pen_phase phases[] = { { "burn", .sweep = burn_sweep, .reads = PEN_SET(GROUND),
                                          .writes = PEN_SET(GROUND) } };
    static const pen_observable observables[] = { { "empty", PEN_SUM_INT, 1 },
                                                  { "trees", PEN_SUM_INT, 1 },
                                                  { "burning", PEN_SUM_INT, 1 },
                                                  { "ash", PEN_SUM_INT, 1 } };
    static const pen_app app = { .name = "fire",
                                 PEN_FIELDS(fields),
                                 .output = { PEN_MEMBERS(members) },
                                 PEN_PHASES(phases),
                                 PEN_OBSERVABLES(observables, observe_sweep),
                                 .init = init,
                                 .graph.spec = "generate=hex:64x64",
                                 .options = options,
                                 .params = &p,
                                 .setup = setup,
                                 .end.quiet = true,
                                 .checkpoint.may_differ = "steps" };
    return pen_main(&app, argc, argv);
}

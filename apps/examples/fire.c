/* fire - a forest that grows and burns (B. Drossel, F. Schwabl, 1992): now and then a tree grows on empty ground,
 * lightning strikes rarely, and fire spreads to neighbouring trees.
 *
 * It shows: random numbers, which are the same on any number of ranks (pen_random_real: from the run's --seed, the
 * node, the step, and a stream for each use); and counts of nodes in each state (--observables). */
#include <penumbra.h>

typedef struct ground {
    uint8_t state;
} ground;
enum { GROUND };
enum { EMPTY, TREE, FIRE }; /* the states, and the observables that count them */
enum { PLANTED, SPROUTS, STRUCK };

typedef struct parameters {
    double planted, growth, lightning;
} parameters;

static void init(const pen_view *v)
{
    const parameters *p = (const parameters *)pen_params(v);
    PEN_NEXT(v, GROUND, ground)->state = pen_random_real(v, PLANTED) < p->planted ? TREE : EMPTY;
}

static bool is_beside_fire(const pen_view *v)
{
    for (int32_t i = 0; i < pen_degree(v); i++)
        if (PEN_NEIGHBOR(v, GROUND, ground, i)->state == FIRE) return true;
    return false;
}

static void burn(const pen_view *v)
{
    const parameters *p = (const parameters *)pen_params(v);
    uint8_t state = PEN_SELF(v, GROUND, ground)->state, next = EMPTY; /* a burning tree leaves empty ground */
    if (state == EMPTY && pen_random_real(v, SPROUTS) < p->growth) next = TREE;
    if (state == TREE) next = is_beside_fire(v) || pen_random_real(v, STRUCK) < p->lightning ? FIRE : TREE;
    PEN_NEXT(v, GROUND, ground)->state = next;
}
PEN_SWEEP(burn)

static void observe(const pen_view *v, pen_observation *o)
{
    pen_observe_int(o, PEN_SELF(v, GROUND, ground)->state, 1);
}
PEN_OBSERVE_SWEEP(observe)

static void print(const pen_view *v, FILE *out) { fprintf(out, "%d", PEN_SELF(v, GROUND, ground)->state); }

static bool is_probability(double p) { return p >= 0.0 && p <= 1.0; }

static const char *setup(void *params, const pen_world *world)
{
    (void)world;
    const parameters *p = (const parameters *)params;
    bool legal = is_probability(p->planted) && is_probability(p->growth) && is_probability(p->lightning);
    return legal ? NULL : "--planted, --growth and --lightning must be probabilities, from 0 to 1";
}

int main(int argc, char **argv)
{
    static parameters p = { .planted = 0.5, .growth = 0.02, .lightning = 0.0002 };
    static const pen_option options[] = {
        { "planted", "P", "probability of a tree at the start (0.5)", PEN_OPTION_REAL, &p.planted, 0, 0 },
        { "growth", "P", "probability that a tree grows on empty ground in a step (0.02)", PEN_OPTION_REAL, &p.growth,
          0, 0 },
        { "lightning", "P", "probability that lightning strikes a tree in a step (0.0002)", PEN_OPTION_REAL,
          &p.lightning, 0, 0 },
        { .name = NULL },
    };
    static const pen_field fields[] = { { "ground", sizeof(ground), .plain = true } };
    static const pen_member members[] = { PEN_MEMBER(GROUND, ground, state, PEN_U8) };
    static const pen_phase phases[] = { { "burn", burn_sweep, .reads = PEN_SET(GROUND), .writes = PEN_SET(GROUND) } };
    static const pen_observable observables[] = { { "empty", PEN_SUM_INT, 1 },
                                                  { "trees", PEN_SUM_INT, 1 },
                                                  { "burning", PEN_SUM_INT, 1 } };
    static const pen_app app = { .name = "fire",
                                 PEN_FIELDS(fields),
                                 .output = { PEN_MEMBERS(members) },
                                 PEN_PHASES(phases),
                                 PEN_OBSERVABLES(observables),
                                 .observe = observe_sweep,
                                 .init = init,
                                 .print = print,
                                 .graph.spec = "grid=64x64",
                                 .options = options,
                                 .params = &p,
                                 .setup = setup,
                                 .checkpoint.indifferent = "steps" };
    return pen_main(&app, argc, argv);
}

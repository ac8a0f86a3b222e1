/* grazers - animals walk on a meadow, eat, divide and die. They are nodes of the graph, like the cells of the meadow.
 *
 * It shows: agents as nodes of a graph that changes. An edge joins an animal to the cell on which it stands, so the two
 * see each other as neighbours, on whatever ranks they are, and a move replaces this edge. No code looks for agents in
 * a cell, or sends them. */
#include <penumbra.h>

typedef struct thing {
    double food;   /* grass of a cell; what an animal has eaten and not used yet */
    double share;  /* of a cell: grass for each animal that stands there */
    int64_t place; /* of an animal: the cell to which it goes */
} thing;
enum { THING };
enum { ANIMALS, GRASS };
enum { COME = 1, WALK, CHILD }; /* streams of random numbers */

enum { WIDTH = 40, HEIGHT = 30, CELLS = WIDTH * HEIGHT };

static bool is_animal(pen_gid gid) { return gid >= CELLS; }

static void init(const pen_view *v) { *PEN_NEXT(v, THING, thing) = (thing){ 1.0, 0.0, 0 }; }

/* A cell divides its grass among the animals that stand there. */
static void offer(const pen_view *v)
{
    thing *next = PEN_NEXT(v, THING, thing);
    int animals = 0;
    *next = *PEN_SELF(v, THING, thing);
    for (int32_t i = 0; i < pen_degree(v); i++) animals += is_animal(pen_neighbor_id(v, i));
    next->share = animals > 0 && !is_animal(pen_id(v)) ? next->food / animals : 0.0;
}
PEN_SWEEP(offer)

/* One of the four cells around a place, or the place itself at the border. */
static pen_gid around(pen_gid cell, int64_t direction)
{
    const int64_t x = cell % WIDTH + (direction == 0) - (direction == 1);
    const int64_t y = cell / WIDTH + (direction == 2) - (direction == 3);
    return x < 0 || x >= WIDTH || y < 0 || y >= HEIGHT ? cell : y * WIDTH + x;
}

/* Grass grows where nobody stands. An animal eats its share, and chooses where it goes. */
static void eat(const pen_view *v)
{
    const thing *self = PEN_SELF(v, THING, thing);
    thing *next = PEN_NEXT(v, THING, thing);
    *next = *self;
    if (is_animal(pen_id(v))) { /* the only neighbour is its cell */
        next->food += PEN_NEIGHBOR(v, THING, thing, 0)->share - 0.2;
        next->place = around(pen_neighbor_id(v, 0), pen_random_below(v, WALK, 4));
    } else {
        next->food = self->share > 0.0 ? 0.0 : self->food + 0.03125;
        if (next->food > 1.0) next->food = 1.0;
    }
}
PEN_SWEEP(eat)

/* Add an animal. Its gid is a random number, which no other node has. */
static void add_animal(const pen_view *v, pen_changes *changes, pen_gid cell, double food)
{
    const pen_gid gid = CELLS + (pen_gid)(pen_random(v, CHILD) >> 2);
    pen_new_node *born = pen_add_node(changes, gid, 1);
    const double birthplace[] = { (double)(cell % WIDTH), (double)(cell / WIDTH) };
    PEN_FIRST(born, THING, thing)->food = food;
    pen_set_coordinates(born, 2, birthplace);
    pen_add_edge(changes, gid, cell, 1);
}

static void move(const pen_view *v, pen_changes *changes)
{
    const thing *self = PEN_SELF(v, THING, thing);
    thing *next = PEN_NEXT(v, THING, thing);
    *next = *self;
    if (!is_animal(pen_id(v))) { /* animals come from outside before the first step */
        if (pen_step(v) == 0 && pen_random_real(v, COME) < 0.02) add_animal(v, changes, pen_id(v), 1.0);
    } else if (self->food <= 0.0) {
        pen_remove_node(changes, pen_id(v)); /* and its edge with it */
    } else {
        const pen_gid from = pen_neighbor_id(v, 0);
        if (self->food > 2.0) add_animal(v, changes, from, next->food /= 2.0);
        if (self->place != from) {
            pen_remove_edge(changes, pen_id(v), from);
            pen_add_edge(changes, pen_id(v), self->place, 1);
        }
    }
}

static void observe(const pen_view *v, pen_observation *observation)
{
    const bool animal = is_animal(pen_id(v));
    pen_observe_int(observation, ANIMALS, animal);
    pen_observe_real(observation, GRASS, animal ? 0.0 : PEN_SELF(v, THING, thing)->food);
}
PEN_OBSERVE_SWEEP(observe)

static const char *setup(void *params, const pen_world *world)
{
    (void)params;
    const bool meadow = world->width == WIDTH && world->height == HEIGHT && world->nodes == CELLS;
    return meadow ? NULL : "the meadow is a grid of 40x30 cells: no other graph is one";
}

int main(int argc, char **argv)
{
    static const pen_field fields[] = { { "thing", sizeof(thing), .plain = true } };
    static const pen_phase phases[] = { { "offer", .sweep = offer_sweep, .writes = PEN_SET(THING) },
                                        { "eat", .sweep = eat_sweep, .reads = PEN_SET(THING),
                                          .writes = PEN_SET(THING) },
                                        { "move", .modify = move, .writes = PEN_SET(THING) } };
    static const pen_observable observables[] = { { "animals", PEN_SUM_INT, 1 }, { "grass", PEN_SUM_REAL, 1 } };
    static const pen_member members[] = { PEN_MEMBER(THING, thing, food, PEN_F64) };
    static const pen_app app = { .name = "grazers",
                                 PEN_FIELDS(fields),
                                 PEN_PHASES(phases),
                                 PEN_OBSERVABLES(observables, observe_sweep),
                                 .init = init,
                                 .graph.spec = "generate=mesh:40x30",
                                 .setup = setup,
                                 .checkpoint.may_differ = "steps",
                                 .output = { PEN_MEMBERS(members) } };
    return pen_main(&app, argc, argv);
}

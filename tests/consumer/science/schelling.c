/* schelling.c - Schelling's model of segregation on a square grid (hexagons are refused), made parallel: an unhappy
 * household bids for a vacant neighbouring place of its choice, and the place takes the bidder with the luckiest
 * number; then whoever was taken moves. Two phases, with random numbers that are the same on any number of ranks. */
#include <penumbra.h>

enum { PLACE, BID };
enum { UNHAPPY };
enum { INITIAL, CHOICE, LUCK }; /* streams of random numbers */

typedef struct place {
    int32_t kind; /* 0: vacant */
    int32_t unhappy;
} place;

typedef struct bid {
    pen_gid to; /* -1: stays */
    uint64_t luck;
} bid;

static const char *setup(void *params, const pen_world *world)
{
    (void)params;
    return world->grid == PEN_GRID_SQUARE ? NULL : "Schelling's model is for square grids: --generate=mesh:WxH";
}

static void init(const pen_view *v)
{
    double draw = pen_random_real(v, INITIAL);
    *PEN_NEXT(v, PLACE, place) = (place){ draw < 0.2 ? 0 : draw < 0.6 ? 1 : 2, 0 };
    *PEN_NEXT(v, BID, bid) = (bid){ -1, 0 };
}

static void choose(const pen_view *v)
{
    int32_t kind = PEN_SELF(v, PLACE, place)->kind, alike = 0, others = 0, vacant = 0;
    for (int32_t i = 0; i < pen_degree(v); i++) {
        int32_t its = PEN_NEIGHBOR(v, PLACE, place, i)->kind;
        vacant += its == 0;
        alike += its == kind;
        others += its != 0 && its != kind;
    }
    bid next = { -1, pen_random(v, LUCK) };
    if (kind != 0 && alike < others && vacant > 0) {
        int64_t which = pen_random_below(v, CHOICE, vacant);
        for (int32_t i = 0; i < pen_degree(v); i++)
            if (PEN_NEIGHBOR(v, PLACE, place, i)->kind == 0 && which-- == 0) next.to = pen_neighbor_id(v, i);
    }
    *PEN_NEXT(v, BID, bid) = next;
}

/* Of the bidders for a vacant place the one with the greatest number, and of equal ones that with the least gid: every
 * place decides for itself, and a bidder must hear the same. So the place shows its answer, which the bidder reads. */
static void answer(const pen_view *v)
{
    const bid *mine = PEN_SELF(v, BID, bid);
    bid next = *mine;
    if (PEN_SELF(v, PLACE, place)->kind == 0) {
        next = (bid){ -1, 0 };
        for (int32_t i = 0; i < pen_degree(v); i++) {
            const bid *its = PEN_NEIGHBOR(v, BID, bid, i);
            if (its->to == pen_id(v) && (next.to < 0 || its->luck > next.luck))
                next = (bid){ pen_neighbor_id(v, i), its->luck };
        }
    }
    *PEN_NEXT(v, BID, bid) = next;
}

static void move(const pen_view *v)
{
    const place *here = PEN_SELF(v, PLACE, place);
    const bid *mine = PEN_SELF(v, BID, bid);
    place next = { here->kind, mine->to >= 0 && here->kind != 0 };
    for (int32_t i = 0; i < pen_degree(v); i++) {
        if (here->kind == 0 && pen_neighbor_id(v, i) == mine->to) next.kind = PEN_NEIGHBOR(v, PLACE, place, i)->kind;
        if (here->kind != 0 && pen_neighbor_id(v, i) == mine->to && PEN_NEIGHBOR(v, BID, bid, i)->to == pen_id(v))
            next.kind = 0;
    }
    *PEN_NEXT(v, PLACE, place) = next;
}

static void observe(const pen_view *v, pen_observation *observation)
{
    pen_observe_int(observation, UNHAPPY, PEN_SELF(v, PLACE, place)->unhappy);
}
PEN_OBSERVE_SWEEP(observe)

static void print(const pen_view *v, FILE *out) { fprintf(out, "%d", PEN_SELF(v, PLACE, place)->kind); }

int main(int argc, char **argv)
{
    static const pen_field fields[] = { { .name = "place", .size = sizeof(place) },
                                        { .name = "bid", .size = sizeof(bid) } };
    static const pen_phase phases[] = {
        { "choose", .node = choose, .reads = PEN_SET(PLACE), .writes = PEN_SET(BID) },
        { "answer", .node = answer, .reads = PEN_SET(BID), .writes = PEN_SET(BID) },
        { "move", .node = move, .reads = PEN_SET(PLACE, BID), .writes = PEN_SET(PLACE) },
    };
    static const pen_observable observables[] = { { "unhappy", PEN_SUM_INT, 1 } };
    static const pen_app app = { .name = "schelling",
                                 PEN_FIELDS(fields),
                                 PEN_PHASES(phases),
                                 .init = init,
                                 .output.print = print,
                                 PEN_OBSERVABLES(observables, observe_sweep),
                                 .setup = setup };
    return pen_main(&app, argc, argv);
}

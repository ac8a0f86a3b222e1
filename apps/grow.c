/* grow - a tree that grows where it has much sap, and loses its tips where it has none: a graph that changes. */
#include <math.h>
#include <penumbra.h>

typedef struct {
    double sap;
} twig;
enum { TWIG };

static void init(const pen_view *v) { PEN_NEXT(v, TWIG, twig)->sap = 1.0; }

/* Spread and use up the sap; half of the time the root draws some. */
static void flow(const pen_view *v)
{
    double own = PEN_SELF(v, TWIG, twig)->sap, sum = own;
    for (int32_t i = 0; i < pen_degree(v); i++) sum += 0.25 * (PEN_NEIGHBOR(v, TWIG, twig, i)->sap - own);
    if (pen_id(v) == 0 && pen_step(v) / 50 % 2 == 0) sum += 100.0;
    PEN_NEXT(v, TWIG, twig)->sap = 0.9 * sum;
}
PEN_SWEEP(flow)

static bool bears(const pen_view *v, pen_gid other)
{
    for (int32_t i = 0; i < pen_degree(v); i++)
        if (pen_neighbor_id(v, i) == other) return true;
    return false;
}

/* Let the tree grow: twig i bears the twigs 2 i + 1 and 2 i + 2. */
static void grow(const pen_view *v, pen_changes *changes)
{
    pen_gid own = pen_id(v), next = bears(v, 2 * own + 1) ? 2 * own + 2 : 2 * own + 1;
    double sap = PEN_SELF(v, TWIG, twig)->sap;
    int32_t borne = pen_degree(v) - (own > 0);
    if (sap > 1.0 && borne < 2) { /* a new twig gets half of the sap */
        pen_new_node *bud = pen_add_node(changes, next, 1);
        int level; /* level of the twig in the tree; each level has 2^(level - 1) twigs, side by side */
        double x = 2.0 * frexp((double)next + 1.5, &level) - 1.0, place[] = { x, level - 1 };
        pen_set_coordinates(bud, 2, place);
        PEN_FIRST(bud, TWIG, twig)->sap = sap = sap / 2;
        pen_add_edge(changes, own, next, 1);
    } else if (sap < 0.1 && borne == 0 && own > 0) {
        pen_remove_node(changes, own); /* the edge of the removed twig goes with it */
    }
    PEN_NEXT(v, TWIG, twig)->sap = sap;
}

int main(int argc, char **argv)
{
    static const pen_field fields[] = { { .name = "twig", .size = sizeof(twig) } };
    static const pen_phase phases[] = {
        { "flow", .sweep = flow_sweep, .reads = PEN_SET(TWIG), .writes = PEN_SET(TWIG) },
        { "grow", .modify = grow, .writes = PEN_SET(TWIG) },
    };
    static const pen_member members[] = { PEN_MEMBER(TWIG, twig, sap, PEN_F64) };
    static const pen_app app = { .name = "grow",
                                 PEN_FIELDS(fields),
                                 PEN_PHASES(phases),
                                 .output = { PEN_MEMBERS(members) },
                                 .init = init,
                                 .graph.spec = "generate=tree:nodes=1,coordinates" };
    return pen_main(&app, argc, argv);
}

/* paths - the shortest paths from one node to all others, by the method of Bellman and Ford: a node's distance is the
 * minimum, over its neighbours, of the neighbour's distance plus the edge's length.
 *
 * It shows: records of edges, which are filled at the start, from a file of lengths if there is one (--input, say a CSV
 * file of source,target,length), else from the places of nodes; and an end when nothing changes any more (.end.quiet).
 * Only nodes whose neighbours have changed are computed. */
#include <penumbra.h>

#include <math.h>

typedef struct place {
    double distance; /* length of the shortest path; infinite: no path is known yet */
    int64_t from;    /* next node on the path; -1: none */
} place;
typedef struct road {
    double length;
} road;
enum { PLACE };
enum { ROAD };
enum { LENGTH }; /* index in pen_app.inputs */
enum { FARTHEST };

typedef struct parameters {
    int64_t start;
} parameters;

static void init(const pen_view *v)
{
    bool start = pen_id(v) == ((const parameters *)pen_params(v))->start;
    *PEN_NEXT(v, PLACE, place) = (place){ start ? 0.0 : INFINITY, -1 };
}

/* The distance of two neighbours, if nodes have coordinates; else 1. */
static double between(const pen_view *v, int32_t i)
{
    double sum = v->dimensions > 0 ? 0.0 : 1.0;
    for (int d = 0; d < v->dimensions; d++) {
        double way = pen_neighbor_coordinate(v, i, d) - pen_coordinate(v, d);
        sum += way * way;
    }
    return sqrt(sum);
}

static void init_edges(const pen_view *v)
{
    for (int32_t i = 0; i < pen_degree(v); i++) {
        double length = pen_edge_input(v, LENGTH, i);
        PEN_EDGE_OWN(v, ROAD, road, i)->length = length >= 0.0 ? length : between(v, i);
    }
}

static void relax(const pen_view *v)
{
    place best = *PEN_SELF(v, PLACE, place);
    for (int32_t i = 0; i < pen_degree(v); i++) {
        double over = PEN_NEIGHBOR(v, PLACE, place, i)->distance + PEN_EDGE(v, ROAD, road, i)->length;
        if (over < best.distance) best = (place){ over, pen_neighbor_id(v, i) };
    }
    *PEN_NEXT(v, PLACE, place) = best;
}
PEN_SWEEP(relax)

static void observe(const pen_view *v, pen_observation *o)
{
    const place *here = PEN_SELF(v, PLACE, place);
    pen_observe_real(o, FARTHEST, isinf(here->distance) ? 0.0 : here->distance);
}
PEN_OBSERVE_SWEEP(observe)

static const char *setup(void *params, const pen_world *world)
{
    return ((parameters *)params)->start < world->nodes ? NULL : "--start must be a node of the graph";
}

int main(int argc, char **argv)
{
    static parameters p = { .start = 0 };
    static const pen_option options[] = {
        { "start", "GID", "the node from which distances count (0)", PEN_OPTION_INT, &p.start, 0, INT64_MAX },
        { .name = NULL },
    };
    static const pen_field fields[] = { { "place", sizeof(place), .plain = true } };
    static const pen_edge_field edge_fields[] = { { .name = "road", .size = sizeof(road) } };
    static const pen_input_column inputs[] = {
        { .name = "length", .of_edges = true, .otherwise = "-1.0" },
    };
    static const pen_member members[] = { PEN_MEMBER(PLACE, place, distance, PEN_F64),
                                          PEN_MEMBER(PLACE, place, from, PEN_I64) };
    static const pen_phase phases[] = { { "relax", .sweep = relax_sweep, .reads = PEN_SET(PLACE),
                                          .writes = PEN_SET(PLACE) } };
    static const pen_observable observables[] = { { "farthest", PEN_MAX_REAL, 1 } };
    static const pen_app app = { .name = "paths",
                                 PEN_FIELDS(fields),
                                 PEN_INPUTS(inputs),
                                 .output = { PEN_MEMBERS(members) },
                                 PEN_PHASES(phases),
                                 PEN_OBSERVABLES(observables, observe_sweep),
                                 PEN_EDGE_FIELDS(edge_fields),
                                 .init = init,
                                 .init_edges = init_edges,
                                 .options = options,
                                 .params = &p,
                                 .setup = setup,
                                 .checkpoint.may_differ = "steps",
                                 .end.quiet = true,
                                 .graph.spec = "generate=geometric:nodes=2000,degree=9,coordinates" };
    return pen_main(&app, argc, argv);
}

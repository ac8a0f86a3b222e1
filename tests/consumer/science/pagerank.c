/* pagerank.c - PageRank with damping 0.85: a node's neighbours are the pages that link to it, and pen_reader_count
 * tells how many links it has itself. What pages without links hold, the dangling mass, goes to all pages alike; it and
 * the change of a step are sums over all nodes, which the next step reads, and by which the run ends. */
#include <penumbra.h>

enum { PAGE };
enum { DANGLING, CHANGE };

typedef struct page {
    double rank, change;
    double share; /* what each page that it links to gets */
} page;

static double nodes; /* of the whole graph */

static const char *setup(void *params, const pen_world *world)
{
    (void)params;
    nodes = (double)world->nodes;
    return NULL;
}

static void become(const pen_view *v, double rank, double change)
{
    int32_t links = pen_reader_count(v);
    *PEN_NEXT(v, PAGE, page) = (page){ rank, change, links ? rank / links : 0.0 };
}

static void init(const pen_view *v) { become(v, 1.0 / nodes, 1.0); }

static void gather(const pen_view *v)
{
    double sum = 0.0;
    for (int32_t i = 0; i < pen_degree(v); i++) sum += PEN_NEIGHBOR(v, PAGE, page, i)->share;
    double rank = 0.15 / nodes + 0.85 * (sum + pen_observed_real(v, DANGLING) / nodes);
    double change = rank - PEN_SELF(v, PAGE, page)->rank;
    become(v, rank, change < 0.0 ? -change : change);
}

static void observe(const pen_view *v, pen_observation *observation)
{
    const page *p = PEN_SELF(v, PAGE, page);
    pen_observe_real(observation, DANGLING, pen_reader_count(v) == 0 ? p->rank : 0.0);
    pen_observe_real(observation, CHANGE, p->change);
}

static void print(const pen_view *v, FILE *out) { fprintf(out, "%a", PEN_SELF(v, PAGE, page)->rank); }

int main(int argc, char **argv)
{
    static const pen_field fields[] = { { .name = "page", .size = sizeof(page) } };
    static const pen_phase phases[] = { { "gather", gather, .reads = PEN_SET(PAGE), .writes = PEN_SET(PAGE) } };
    static const pen_observable observables[] = { { "dangling", PEN_SUM_REAL, 1 }, { "change", PEN_SUM_REAL, 1 } };
    static const pen_app app = { .name = "pagerank",
                                 PEN_FIELDS(fields),
                                 PEN_PHASES(phases),
                                 .init = init,
                                 .print = print,
                                 PEN_OBSERVABLES(observables),
                                 .observe = observe,
                                 .setup = setup };
    return pen_main(&app, argc, argv);
}

/* pagerank - the importance of web pages (S. Brin, L. Page, 1998): the share of time that a visitor who follows links
 * at random, and sometimes goes to any page, spends on each page.
 *
 * It shows: a directed graph, in which a node reads from the pages that link to it (pen_reader_count: the number of its
 * own links); a sum over all nodes that is needed within the step; and an end when changes are small. */
#include <penumbra.h>

#include <math.h>

typedef struct page {
    double rank;
    double share; /* share of the rank that this page gives to each page to which it links */
    double change;
} page;
enum { PAGE };
/* Observables: the sum of the ranks of pages without links, and the total change of all ranks. */
enum { DANGLING, CHANGE };

typedef struct parameters {
    double damping, tolerance, nodes;
} parameters;

static void set(const pen_view *v, double rank, double change)
{
    int32_t links = pen_reader_count(v);
    *PEN_NEXT(v, PAGE, page) = (page){ rank, links > 0 ? rank / links : 0.0, change };
}

static void init(const pen_view *v)
{
    double nodes = ((const parameters *)pen_params(v))->nodes;
    set(v, 1.0 / nodes, 1.0 / nodes);
}

/* Sum the ranks of pages without links, before the phase: their visitors go to any page. */
static void observe_dangling(const pen_view *v, pen_observation *o)
{
    pen_observe_real(o, DANGLING, pen_reader_count(v) > 0 ? 0.0 : PEN_SELF(v, PAGE, page)->rank);
}
PEN_OBSERVE_SWEEP(observe_dangling)

static void follow(const pen_view *v)
{
    const parameters *p = (const parameters *)pen_params(v);
    double sum = pen_observed_real(v, DANGLING) / p->nodes;
    for (int32_t i = 0; i < pen_degree(v); i++) sum += PEN_NEIGHBOR(v, PAGE, page, i)->share;
    double rank = (1.0 - p->damping) / p->nodes + p->damping * sum;
    set(v, rank, fabs(rank - PEN_SELF(v, PAGE, page)->rank));
}
PEN_SWEEP(follow)

static void observe_change(const pen_view *v, pen_observation *o)
{
    pen_observe_real(o, CHANGE, PEN_SELF(v, PAGE, page)->change);
}
PEN_OBSERVE_SWEEP(observe_change)

static bool done(const pen_run *run, const void *params)
{
    return pen_run_observed_real(run, CHANGE) <= ((const parameters *)params)->tolerance;
}

static const char *setup(void *params, const pen_world *world)
{
    parameters *p = (parameters *)params;
    p->nodes = (double)world->nodes;
    if (!(p->damping >= 0.0 && p->damping < 1.0)) return "--damping must be at least 0 and below 1";
    return p->tolerance >= 0.0 ? NULL : "--tolerance must be at least 0";
}

int main(int argc, char **argv)
{
    static parameters p = { .damping = 0.85, .tolerance = 1e-10 };
    static const pen_option options[] = {
        { "damping", "D", "share of moves that follow a link (0.85)", PEN_OPTION_REAL, &p.damping, 0, 0 },
        { "tolerance", "T", "done when the sum of all changes is at most T (1e-10)", PEN_OPTION_REAL, &p.tolerance, 0,
          0 },
        { .name = NULL },
    };
    static const pen_field fields[] = { { "page", sizeof(page), .plain = true } };
    static const pen_member members[] = { PEN_MEMBER(PAGE, page, rank, PEN_F64) };
    static const pen_phase phases[] = { { "follow", .sweep = follow_sweep, .reads = PEN_SET(PAGE),
                                          .writes = PEN_SET(PAGE), .observe = observe_dangling_sweep,
                                          .observes = PEN_SET(DANGLING) } };
    static const pen_observable observables[] = { { "dangling", PEN_SUM_REAL, 1 }, { "change", PEN_SUM_REAL, 1 } };
    static const pen_app app = { .name = "pagerank",
                                 PEN_FIELDS(fields),
                                 .output = { PEN_MEMBERS(members) },
                                 PEN_PHASES(phases),
                                 PEN_OBSERVABLES(observables, observe_change_sweep),
                                 .init = init,
                                 .options = options,
                                 .params = &p,
                                 .setup = setup,
                                 .checkpoint.may_differ = "steps",
                                 .end.done = done };
    return pen_main(&app, argc, argv);
}

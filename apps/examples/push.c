/* push - which pages of a web are near one page: PageRank of a visitor who starts again at that page, by pushing
 * (R. Andersen, F. Chung, K. Lang, 2006). A page that has much left to give keeps a share, and sends the rest to the
 * pages to which it links.
 *
 * It shows: mail to neighbours, and one to any page. */
#include <penumbra.h>

typedef struct page {
    double rank;
    double rest; /* what the page has not given on */
} page;
enum { PAGE };
typedef struct gift {
    double amount;
} gift;
enum { GIFT };
enum { RANK, WAITING }; /* observables: the sum of all ranks, and the number of pages that have much left to give */

typedef struct parameters {
    int64_t start;
    double damping, tolerance;
} parameters;

static const parameters *of(const pen_view *v) { return (const parameters *)pen_params(v); }

static void init(const pen_view *v) { *PEN_NEXT(v, PAGE, page) = (page){ 0.0, pen_id(v) == of(v)->start ? 1.0 : 0.0 }; }

static bool has_much(const pen_view *v, const page *here)
{
    return here->rest > of(v)->tolerance * (pen_degree(v) + 1);
}

static void push(const pen_view *v)
{
    page here = *PEN_SELF(v, PAGE, page);
    for (int64_t i = 0; i < pen_mail_count(v, GIFT); i++) here.rest += PEN_MAIL(v, GIFT, gift, i)->amount;
    if (has_much(v, &here)) {
        double given = of(v)->damping * here.rest, share = given / pen_degree(v);
        here = (page){ here.rank + (here.rest - given), 0.0 };
        for (int32_t i = 0; i < pen_degree(v); i++) PEN_SEND(v, GIFT, gift, pen_neighbor_id(v, i))->amount = share;
        if (pen_degree(v) == 0) PEN_SEND(v, GIFT, gift, of(v)->start)->amount = given;
    }
    *PEN_NEXT(v, PAGE, page) = here;
}
PEN_SWEEP(push)

static void observe(const pen_view *v, pen_observation *o)
{
    pen_observe_real(o, RANK, PEN_SELF(v, PAGE, page)->rank);
    pen_observe_int(o, WAITING, pen_mail_count(v, GIFT) > 0 || has_much(v, PEN_SELF(v, PAGE, page)));
}
PEN_OBSERVE_SWEEP(observe)

static const char *setup(void *params, const pen_world *world)
{
    const parameters *p = (const parameters *)params;
    if (p->start >= world->nodes) return "--start must be a node of the graph";
    if (!(p->damping >= 0.0 && p->damping < 1.0)) return "--damping must be at least 0 and below 1";
    return p->tolerance > 0.0 ? NULL : "--tolerance must be greater than 0";
}

static bool is_over(const pen_run *run, const void *params) { return !params || !pen_run_observed_int(run, WAITING); }

int main(int argc, char **argv)
{
    static parameters p = { .damping = 0.85, .tolerance = 1e-7 };
    static const pen_option options[] = {
        { "start", "GID", "the page at which the visitor starts (0)", PEN_OPTION_INT, &p.start, 0, INT64_MAX },
        { "damping", "P", "probability that the visitor follows a link (0.85)", PEN_OPTION_REAL, &p.damping, 0, 0 },
        { "tolerance", "R", "the most that a page keeps for each of its links (1e-7)", PEN_OPTION_REAL, &p.tolerance, 0,
          0 },
        { .name = NULL },
    };
    static const pen_mail mails[] = { { .name = "gift", .size = sizeof(gift) } };
    static const pen_field fields[] = { { "page", sizeof(page), .plain = true } };
    static const pen_member members[] = { PEN_MEMBER(PAGE, page, rank, PEN_F64) };
    static const pen_phase phases[] = {
        { "push", .sweep = push_sweep, .writes = PEN_SET(PAGE), .receives = PEN_SET(GIFT), .sends = PEN_SET(GIFT) },
    };
    static const pen_observable observables[] = { { "rank", PEN_SUM_REAL, 1 }, { "waiting", PEN_SUM_INT, 1 } };
    static const pen_app app = { .name = "push",
                                 PEN_FIELDS(fields),
                                 PEN_MAILS(mails),
                                 .output = { PEN_MEMBERS(members) },
                                 PEN_PHASES(phases),
                                 PEN_OBSERVABLES(observables, observe_sweep),
                                 .init = init,
                                 .options = options,
                                 .params = &p,
                                 .setup = setup,
                                 .checkpoint.may_differ = "steps",
                                 .end.done = is_over };
    return pen_main(&app, argc, argv);
}

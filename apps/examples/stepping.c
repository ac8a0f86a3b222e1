/* stepping - the shortest paths from one node to all others, by delta-stepping (U. Meyer, P. Sanders, 1998): nodes are
 * settled in the order of buckets of distances. Within a bucket a node sends its distance over short edges as often as
 * it becomes smaller; over long edges it sends once, when the bucket is empty.
 *
 * It shows: mail that is read in the step in which it is sent, and values of the whole run that say who sends. Compared
 * with the example `paths`, fewer distances are sent that turn out to be too long. */
#include <penumbra.h>

#include <math.h>

typedef struct place {
    double distance; /* the shortest that is known */
    double sent[2];  /* what it has sent over short edges, and over long edges */
} place;
enum { PLACE };
typedef struct offer {
    double distance;
} offer;
enum { OFFER };
enum { SHORT, LONG }; /* observables: the least distance that was not sent yet over short edges, over long edges */
typedef struct bucket {
    double end;      /* nodes with smaller distances send */
    int64_t lengths; /* SHORT or LONG */
} bucket;

typedef struct parameters {
    int64_t start;
    double delta;
} parameters;

static void init(const pen_view *v)
{
    bool start = pen_id(v) == ((const parameters *)pen_params(v))->start;
    *PEN_NEXT(v, PLACE, place) = (place){ start ? 0.0 : INFINITY, { INFINITY, INFINITY } };
}

/* The distance of two neighbours. */
static double between(const pen_view *v, int32_t i)
{
    double sum = v->dimensions > 0 ? 0.0 : (double)pen_edge_weight(v, i) * (double)pen_edge_weight(v, i);
    for (int d = 0; d < v->dimensions; d++) {
        double way = pen_neighbor_coordinate(v, i, d) - pen_coordinate(v, d);
        sum += way * way;
    }
    return sqrt(sum);
}

static void offer_to(const pen_view *v, int64_t lengths)
{
    double delta = ((const parameters *)pen_params(v))->delta;
    for (int32_t i = 0; i < pen_degree(v); i++)
        if ((between(v, i) > delta) == (lengths == LONG))
            PEN_SEND(v, OFFER, offer, pen_neighbor_id(v, i))->distance = PEN_SELF(v, PLACE, place)->distance +
                                                                         between(v, i);
}

static void send(const pen_view *v)
{
    const bucket *now = PEN_GLOBALS(v, bucket);
    place here = *PEN_SELF(v, PLACE, place);
    if (here.distance < now->end && here.distance < here.sent[now->lengths]) {
        offer_to(v, now->lengths);
        here.sent[now->lengths] = here.distance;
    }
    *PEN_NEXT(v, PLACE, place) = here;
}
PEN_SWEEP(send)

static void receive(const pen_view *v)
{
    place here = *PEN_SELF(v, PLACE, place);
    for (int64_t i = 0; i < pen_mail_count(v, OFFER); i++)
        here.distance = fmin(here.distance, PEN_MAIL(v, OFFER, offer, i)->distance);
    *PEN_NEXT(v, PLACE, place) = here;
}
PEN_SWEEP(receive)

static void observe(const pen_view *v, pen_observation *o)
{
    const place *here = PEN_SELF(v, PLACE, place);
    for (int k = SHORT; k <= LONG; k++)
        pen_observe_real(o, k, here->distance < here->sent[k] ? here->distance : INFINITY);
}
PEN_OBSERVE_SWEEP(observe)

static void choose(const pen_run *run, int phase, const void *params, void *globals)
{
    (void)phase;
    double least = pen_run_observed_real(run, SHORT), delta = ((const parameters *)params)->delta;
    bucket *now = (bucket *)globals;
    now->lengths = least >= now->end && pen_run_observed_real(run, LONG) < now->end ? LONG : SHORT;
    if (now->lengths == SHORT && least >= now->end && !isinf(least)) /* the product is rounded, perhaps to `least` */
        now->end = fmax((floor(least / delta) + 1.0) * delta, nextafter(least, INFINITY));
}

static bool is_over(const pen_run *run, const void *params)
{
    (void)params;
    return isinf(pen_run_observed_real(run, SHORT)) && isinf(pen_run_observed_real(run, LONG));
}

static const char *setup(void *params, const pen_world *world)
{
    const parameters *p = (const parameters *)params;
    if (p->start >= world->nodes) return "--start must be a node of the graph";
    return p->delta > 0.0 ? NULL : "--delta must be greater than 0";
}

int main(int argc, char **argv)
{
    static parameters p = { .start = 0, .delta = 0.05 };
    static const pen_option options[] = {
        { "start", "GID", "the node from which distances count (0)", PEN_OPTION_INT, &p.start, 0, INT64_MAX },
        { "delta", "R", "the width of a bucket, and the longest short edge (0.05)", PEN_OPTION_REAL, &p.delta, 0, 0 },
        { .name = NULL },
    };
    static const pen_mail mails[] = { { .name = "offer", .size = sizeof(offer) } };
    static const pen_field fields[] = { { "place", sizeof(place), .plain = true } };
    static const pen_member members[] = { PEN_MEMBER(PLACE, place, distance, PEN_F64) };
    static const pen_phase phases[] = {
        { "send", .sweep = send_sweep, .writes = PEN_SET(PLACE), .sends = PEN_SET(OFFER) },
        { "receive", .sweep = receive_sweep, .writes = PEN_SET(PLACE), .receives = PEN_SET(OFFER) },
    };
    static const pen_observable observables[] = { { "short", PEN_MIN_REAL, 1 }, { "long", PEN_MIN_REAL, 1 } };
    static const pen_globals globals = { sizeof(bucket), choose, .members = { 0 } };
    static const pen_app app = { .name = "stepping",
                                 PEN_FIELDS(fields),
                                 PEN_MAILS(mails),
                                 .output = { PEN_MEMBERS(members) },
                                 PEN_PHASES(phases),
                                 PEN_OBSERVABLES(observables, observe_sweep),
                                 .globals = &globals,
                                 .init = init,
                                 .graph.spec = "generate=geometric:nodes=2000,degree=9,coordinates",
                                 .options = options,
                                 .params = &p,
                                 .setup = setup,
                                 .checkpoint.may_differ = "steps",
                                 .end.done = is_over };
    return pen_main(&app, argc, argv);
}

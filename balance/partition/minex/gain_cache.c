/* gain_cache.c - computes the gains of moving a vertex, once per cluster. */
#include "partition/minex/gain_cache.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

pen_status pen_minex_gains_create(placement *p, gain_cache *s)
{
    *s = (gain_cache){ .p = p };
    return PEN_ALLOC_ZERO(&s->of_clusters, p->net->clusters);
}

void pen_minex_gains_free(gain_cache *s) { free(s->of_clusters); }

void pen_minex_gains_begin(gain_cache *s, int32_t v, bool thirds, double limit)
{
    placement *p = s->p;
    s->vertex = v;
    s->from = p->part[v];
    s->thirds = thirds;
    s->limit = limit;
    s->number++;
    if (p->settings->cost == PEN_MINEX_RANK) return;
    s->here = pen_minex_entry(p, v, s->from);
    s->reading = pen_minex_reading(p, v, s->from);
}

static bool rises(const gain_cache *s, double old, double new) { return (new > old) && (new > s->limit); }

/* The worth of a change of receiving on a third processor. */
static double worth_of_third(const gain_cache *s, int32_t processor, double more, bool *risen)
{
    const placement *p = s->p;
    double gain = more;
    if (p->settings->tolerance) {
        pen_minex_totals t = p->totals[processor];
        t.receiving += more;
        gain = pen_minex_load(p, &t) - p->loads[processor];
    }
    *risen = gain > 0.0 && p->loads[processor] + gain > s->limit;
    return gain + PEN_MINEX_CUT * more;
}

/* Sum the worths of the changes on all third processors if the vertex is in cluster c. */
static void find_thirds(const gain_cache *s, int32_t c, cluster_gain *a)
{
    const placement *p = s->p;
    const network *net = p->net;
    const int32_t *cluster = net->cluster;
    const int32_t v = s->vertex, knows = pen_minex_knowing(p, v);
    const double *there = net->cost + (int64_t)c * net->clusters,
                 *here = net->cost + (int64_t)cluster[s->from] * net->clusters;
    double sum = 0.0;
    int32_t risen = 0;
    for (const table_entry *e = p->entries + p->firsts[v], *end = e + p->lengths[v]; e < end; e++) {
        double more = e->feeds * (there[cluster[e->processor]] - here[cluster[e->processor]]);
        if (more == 0.0 || e == s->here || e->processor == knows) continue;
        bool rises;
        sum += worth_of_third(s, e->processor, more, &rises);
        risen += rises;
    }
    a->thirds = sum;
    a->risen = risen;
}

static const cluster_gain *find_gain(gain_cache *s, int32_t to)
{
    const placement *p = s->p;
    const network *net = p->net;
    int32_t c = net->cluster[to], at = net->cluster[s->from], v = s->vertex;
    cluster_gain *a = &s->of_clusters[c];
    if (a->vertex_number == s->number) return a;
    const double *row = net->cost + (int64_t)c * net->clusters;
    double reading = 0.0;
    for (const table_entry *e = p->entries + p->firsts[v], *end = e + p->lengths[v]; e < end; e++)
        reading += e->reads * row[net->cluster[e->processor]];
    *a = (cluster_gain){ .vertex_number = s->number, .reading = reading, .leaving = -s->reading };
    if (c != at && s->thirds) find_thirds(s, c, a);
    if (s->here && s->from != pen_minex_knowing(p, v)) a->leaving += s->here->feeds * row[at];
    pen_minex_totals t = p->totals[s->from];
    pen_minex_count(p, &t, v, -1);
    t.receiving += a->leaving;
    a->new_from = pen_minex_load(p, &t);
    return a;
}

/* The change of the cost of receiving on the processor to which the vertex moves. */
static double arriving(const gain_cache *s, const cluster_gain *a, int32_t to, const table_entry *there)
{
    const network *net = s->p->net;
    int32_t c = net->cluster[to];
    if (!there) return a->reading;
    const double *row = net->cost + (int64_t)c * net->clusters;
    bool knows = to == pen_minex_knowing(s->p, s->vertex);
    return a->reading - there->reads * row[c] - there->known -
           (knows ? 0.0 : there->feeds * row[net->cluster[s->from]]);
}

static double load_there(const gain_cache *s, int32_t to, double receiving)
{
    pen_minex_totals t = s->p->totals[to];
    pen_minex_count(s->p, &t, s->vertex, 1);
    t.receiving += receiving;
    return pen_minex_load(s->p, &t);
}

void pen_minex_gains_loads(gain_cache *s, int32_t to, const table_entry *there, double *new_from, double *new_to)
{
    if (s->p->settings->cost == PEN_MINEX_RANK) {
        pen_minex_change(s->p, s->vertex, to, false);
        *new_to = pen_minex_load_after(s->p, 0);
        *new_from = pen_minex_load_after(s->p, 1);
        return;
    }
    const cluster_gain *a = find_gain(s, to);
    *new_from = a->new_from;
    *new_to = load_there(s, to, arriving(s, a, to, there));
}

static double worth_of_change(const gain_cache *s)
{
    const placement *p = s->p;
    double sum = 0.0;
    for (int32_t i = 0; i < p->change.count; i++) {
        double old = p->loads[p->change.processors[i]], new = pen_minex_load_after(p, i);
        if (rises(s, old, new)) return INFINITY;
        sum += new - old + PEN_MINEX_CUT * p->change.receiving[i];
    }
    return sum;
}

double pen_minex_gains_worth(gain_cache *s, int32_t to, const table_entry *there)
{
    const placement *p = s->p;
    if (p->settings->cost == PEN_MINEX_RANK) {
        pen_minex_change(s->p, s->vertex, to, true);
        return worth_of_change(s);
    }
    const cluster_gain *a = find_gain(s, to);
    int32_t c = p->net->cluster[to], at = p->net->cluster[s->from];
    bool risen = false;
    double of_to = 0.0;
    if (there && c != at && to != pen_minex_knowing(p, s->vertex)) {
        double more = there->feeds * (p->net->cost[(int64_t)c * p->net->clusters + c] -
                                      p->net->cost[(int64_t)at * p->net->clusters + c]);
        of_to = worth_of_third(s, to, more, &risen);
    }
    double receiving = arriving(s, a, to, there), new_to = load_there(s, to, receiving);
    if (a->risen > risen || rises(s, p->loads[s->from], a->new_from) || rises(s, p->loads[to], new_to)) return INFINITY;
    return a->new_from - p->loads[s->from] + new_to - p->loads[to] + PEN_MINEX_CUT * (a->leaving + receiving) +
           a->thirds - of_to;
}

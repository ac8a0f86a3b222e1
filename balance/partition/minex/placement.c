/* placement.c - keeps the loads of processors, and computes the effects of moves. */
#include "partition/minex/placement.h"
#include "base/memory.h"

/* ---- The machine ------------------------------------------------------------------------------ */

pen_status pen_minex_network_create(const pen_machine *m, network *net)
{
    int32_t *first, *second, k = m->cluster_count;
    *net = (network){ .processors = m->processors, .clusters = k, .cluster = m->clusters };
    PEN_TRY(PEN_ALLOC(&net->slowdown, m->processors));
    PEN_TRY(PEN_ALLOC_ZERO(&net->cost, (int64_t)k * k));
    PEN_TRY(PEN_ALLOC(&first, k));
    pen_status status = PEN_ALLOC(&second, k);
    if (status == PEN_OK) {
        double slowest = m->speeds[0];
        for (int32_t c = 0; c < k; c++) first[c] = second[c] = -1;
        for (int32_t q = 0; q < m->processors; q++) {
            net->slowdown[q] = 1.0 / m->speeds[q];
            slowest = m->speeds[q] < slowest ? m->speeds[q] : slowest;
            int32_t c = m->clusters[q];
            if (first[c] < 0) first[c] = q;
            else if (second[c] < 0) second[c] = q;
        }
        net->slowest_share = slowest / m->total_speed;
        for (int32_t c = 0; c < k; c++)
            for (int32_t d = 0; d < k; d++) {
                int32_t other = c == d ? second[c] : first[d];
                if (first[c] >= 0 && other >= 0) net->cost[(int64_t)c * k + d] = m->link(m, first[c], other).cost;
            }
    }
    PEN_FREE_ALL(first, second);
    return status;
}

void pen_minex_network_free(network *net) { PEN_FREE_ALL(net->slowdown, net->cost); }

/* ---- Tables and totals ------------------------------------------------------------------------- */

static double weight_of_feed(const placement *p, double feed)
{
    return p->settings->cost == PEN_MINEX_EDGE ? feed : (double)(feed > 0.0);
}

table_entry *pen_minex_entry(const placement *p, int32_t v, int32_t processor)
{
    table_entry *e = p->entries + p->firsts[v], *end = e + p->lengths[v];
    while (e < end && e->processor != processor) e++;
    return e < end ? e : NULL;
}

static table_entry *need_entry(const placement *p, int32_t v, int32_t processor)
{
    table_entry *e = pen_minex_entry(p, v, processor);
    if (e) return e;
    e = p->entries + p->firsts[v] + p->lengths[v]++;
    *e = (table_entry){ .processor = processor };
    return e;
}

/* Add an arc to its reader's entry, or subtract it. */
static void refer(const placement *p, table_entry *e, int64_t arc, int32_t by)
{
    e->references += by;
    e->reads += by * p->graph->reads[arc];
    e->feeds += by * weight_of_feed(p, p->graph->feeds[arc]);
}

static void drop_reference(const placement *p, int32_t v, table_entry *e)
{
    if (e->references > 0) return;
    *e = p->entries[p->firsts[v] + --p->lengths[v]];
}

static double known_cost(const placement *p, int32_t at, int32_t from)
{
    return from < 0 ? 0.0 : pen_minex_link(p->net, at, from);
}

static void make_table(placement *p, int32_t v)
{
    const pen_minex_graph *g = p->graph;
    table_entry *entries = p->entries + p->firsts[v];
    int32_t length = 0;
    for (int64_t k = g->rows[v]; k < g->rows[v + 1]; k++) {
        int32_t w = g->columns[k], on[2] = { p->part[w], pen_minex_knowing(p, w) };
        for (int i = 0; i < 2; i++) {
            if (on[i] < 0) continue;
            if (p->places[on[i]] < 0) {
                p->places[on[i]] = length;
                entries[length++] = (table_entry){ .processor = on[i] };
            }
            table_entry *e = &entries[p->places[on[i]]];
            if (i == 0) {
                refer(p, e, k, 1);
            } else {
                e->references++;
                e->known += g->reads[k] * known_cost(p, on[1], on[0]);
            }
        }
    }
    for (int32_t i = 0; i < length; i++) p->places[entries[i].processor] = -1;
    p->lengths[v] = length;
}

/* The cost that processor `at` pays for what v reads of others. */
double pen_minex_reading(const placement *p, int32_t v, int32_t at)
{
    const double *row = p->net->cost + (int64_t)p->net->cluster[at] * p->net->clusters;
    double sum = 0.0;
    for (const table_entry *e = p->entries + p->firsts[v], *end = e + p->lengths[v]; e < end; e++)
        sum += e->processor == at ? -e->known : e->reads * row[p->net->cluster[e->processor]];
    return sum;
}

static void add_up(placement *p)
{
    const pen_minex_graph *g = p->graph;
    for (int32_t v = 0; v < g->count; v++) {
        int32_t at = p->part[v];
        if (at < 0) continue;
        pen_minex_totals *t = &p->totals[at];
        pen_minex_count(p, t, v, 1);
        if (p->settings->cost == PEN_MINEX_EDGE) {
            t->receiving += pen_minex_reading(p, v, at);
            continue;
        }
        for (const table_entry *e = p->entries + p->firsts[v], *end = e + p->lengths[v]; e < end; e++) {
            if (e->feeds == 0.0 || e->processor == pen_minex_knowing(p, v)) continue;
            double cost = p->data[v] * pen_minex_link(p->net, at, e->processor);
            t->receiving += cost;
            p->totals[e->processor].receiving += cost;
        }
    }
    for (int32_t q = 0; q < p->net->processors; q++) p->total += p->loads[q] = pen_minex_load(p, &p->totals[q]);
}

pen_status pen_minex_placement_create(const pen_minex_graph *g, const double *data, const network *net,
                                      const pen_minex_settings *settings, int32_t *part, placement *p)
{
    *p = (placement){ .graph = g, .data = data, .net = net, .settings = settings, .part = part };
    PEN_TRY(PEN_ALLOC_ZERO(&p->totals, net->processors));
    PEN_TRY(PEN_ALLOC(&p->loads, net->processors));
    PEN_TRY(PEN_ALLOC(&p->change.processors, net->processors));
    PEN_TRY(PEN_ALLOC(&p->change.receiving, net->processors));
    PEN_TRY(PEN_ALLOC(&p->places, net->processors));
    PEN_TRY(PEN_ALLOC(&p->firsts, g->count + 1));
    PEN_TRY(PEN_ALLOC_ZERO(&p->lengths, g->count));
    p->firsts[0] = 0;
    for (int32_t v = 0; v < g->count; v++) {
        int64_t most = (g->rows[v + 1] - g->rows[v]) * (settings->old_owner_free ? 2 : 1);
        p->firsts[v + 1] = p->firsts[v] + (most < net->processors ? most : net->processors);
    }
    PEN_TRY(PEN_ALLOC(&p->entries, p->firsts[g->count]));
    for (int32_t q = 0; q < net->processors; q++) {
        p->totals[q].processor = q;
        p->places[q] = -1;
    }
    for (int32_t v = 0; v < g->count; v++) make_table(p, v);
    add_up(p);
    return PEN_OK;
}

void pen_minex_placement_free(placement *p)
{
    PEN_FREE_ALL(p->totals, p->loads, p->change.processors, p->change.receiving, p->places, p->firsts, p->lengths,
                 p->entries);
}

/* ---- Effects of a move -------------------------------------------------------------------------- */

static void change_edges(placement *p, int32_t v, int32_t to, bool thirds)
{
    effect *c = &p->change;
    const network *net = p->net;
    const int32_t from = c->from, knows = pen_minex_knowing(p, v);
    const double *to_row = net->cost + (int64_t)net->cluster[to] * net->clusters,
                 *from_row = net->cost + (int64_t)(from < 0 ? 0 : net->cluster[from]) * net->clusters;
    const double between = from < 0 ? 0.0 : to_row[net->cluster[from]];
    double at_to = 0.0, at_from = 0.0;
    for (const table_entry *e = p->entries + p->firsts[v], *end = e + p->lengths[v]; e < end; e++) {
        int32_t q = e->processor, d = net->cluster[q];
        if (q == to) {
            at_to -= e->known + (q == knows ? 0.0 : e->feeds * between);
            if (from >= 0) at_from -= e->reads * from_row[d];
        } else if (q == from) {
            at_from += e->known + (q == knows ? 0.0 : e->feeds * between);
            at_to += e->reads * to_row[d];
        } else {
            double more = to_row[d] - (from < 0 ? 0.0 : from_row[d]);
            at_to += e->reads * to_row[d];
            if (from >= 0) at_from -= e->reads * from_row[d];
            if (thirds && e->feeds * more != 0.0 && q != knows) {
                c->processors[c->count] = q;
                c->receiving[c->count++] = e->feeds * more;
            }
        }
    }
    c->receiving[0] = at_to;
    if (from >= 0) c->receiving[1] = at_from;
}

static void add_message(placement *p, int32_t a, int32_t b, double cost)
{
    effect *c = &p->change;
    const int32_t ends[2] = { a, b };
    for (int i = 0; i < 2; i++) {
        int32_t *place = &p->places[ends[i]];
        if (*place < 0) {
            *place = c->count++;
            c->processors[*place] = ends[i];
            c->receiving[*place] = 0.0;
        }
        c->receiving[*place] += cost;
    }
}

static void change_messages(placement *p, int32_t v, int32_t to)
{
    const pen_minex_graph *g = p->graph;
    effect *c = &p->change;
    const int32_t from = c->from, knows = pen_minex_knowing(p, v);
    for (int32_t i = 0; i < c->count; i++) p->places[c->processors[i]] = i;
    for (const table_entry *e = p->entries + p->firsts[v], *end = e + p->lengths[v]; e < end; e++) {
        int32_t q = e->processor;
        if (e->feeds == 0.0 || q == knows) continue;
        if (from >= 0 && q != from) add_message(p, from, q, -p->data[v] * pen_minex_link(p->net, from, q));
        if (q != to) add_message(p, to, q, p->data[v] * pen_minex_link(p->net, to, q));
    }
    for (int64_t k = g->rows[v]; k < g->rows[v + 1]; k++) {
        int32_t w = g->columns[k], on = p->part[w], known = pen_minex_knowing(p, w);
        if (g->reads[k] == 0.0 || on < 0) continue;
        if (from >= 0 && from != on && from != known && pen_minex_entry(p, w, from)->feeds == 1.0)
            add_message(p, on, from, -p->data[w] * pen_minex_link(p->net, on, from));
        const table_entry *there = pen_minex_entry(p, w, to);
        if (to != on && to != known && (!there || there->feeds == 0.0))
            add_message(p, on, to, p->data[w] * pen_minex_link(p->net, on, to));
    }
    for (int32_t i = 0; i < c->count; i++) p->places[c->processors[i]] = -1;
}

void pen_minex_change(placement *p, int32_t v, int32_t to, bool thirds)
{
    effect *c = &p->change;
    c->vertex = v;
    c->from = p->part[v];
    c->to = to;
    c->count = 0;
    c->processors[c->count] = to;
    c->receiving[c->count++] = 0.0;
    if (c->from >= 0) {
        c->processors[c->count] = c->from;
        c->receiving[c->count++] = 0.0;
    }
    if (p->settings->cost == PEN_MINEX_EDGE) change_edges(p, v, to, thirds);
    else change_messages(p, v, to);
}

static pen_minex_totals totals_after(const placement *p, int32_t i)
{
    const effect *c = &p->change;
    int32_t q = c->processors[i];
    pen_minex_totals t = p->totals[q];
    t.receiving += c->receiving[i];
    if (q == c->to || q == c->from) pen_minex_count(p, &t, c->vertex, q == c->to ? 1 : -1);
    return t;
}

double pen_minex_load_after(const placement *p, int32_t i)
{
    pen_minex_totals t = totals_after(p, i);
    return pen_minex_load(p, &t);
}

double pen_minex_gain(const placement *p)
{
    double gain = 0.0;
    for (int32_t i = 0; i < p->change.count; i++)
        gain += pen_minex_load_after(p, i) - p->loads[p->change.processors[i]];
    return gain;
}

double pen_minex_variance_change(const placement *p, double mean)
{
    double sum = 0.0;
    for (int32_t i = 0; i < p->change.count; i++) {
        double old = p->loads[p->change.processors[i]] - mean, new = pen_minex_load_after(p, i) - mean;
        sum += new *new - old *old;
    }
    return sum;
}

/* Update v's neighbour w after v has moved. `arc` leads from v to w, so `feeds` of it is what w reads. */
static void tell_neighbor(placement *p, int32_t v, int64_t arc, int32_t from, int32_t to)
{
    const pen_minex_graph *g = p->graph;
    int32_t w = g->columns[arc], known = pen_minex_knowing(p, v);
    for (int32_t q = from, by = -1; by <= 1; q = to, by += 2) {
        if (q < 0) continue;
        table_entry *e = need_entry(p, w, q);
        e->references += by;
        e->reads += by * g->feeds[arc];
        e->feeds += by * weight_of_feed(p, g->reads[arc]);
        drop_reference(p, w, e);
    }
    if (known >= 0)
        pen_minex_entry(p, w, known)->known += g->feeds[arc] * (known_cost(p, known, to) - known_cost(p, known, from));
}

void pen_minex_commit(placement *p)
{
    const effect *c = &p->change;
    double gain = 0.0, variance = 0.0, mean = pen_minex_mean(p);
    if (p->settings->watch) {
        gain = pen_minex_gain(p);
        variance = pen_minex_variance_change(p, mean) - gain * gain / p->net->processors;
    }
    for (int32_t i = 0; i < c->count; i++) {
        int32_t q = c->processors[i];
        pen_minex_totals t = totals_after(p, i);
        p->totals[q] = t;
        double load = pen_minex_load(p, &t);
        p->total += load - p->loads[q];
        p->loads[q] = load;
    }
    int32_t v = c->vertex;
    p->part[v] = c->to;
    for (int64_t k = p->graph->rows[v]; k < p->graph->rows[v + 1]; k++) tell_neighbor(p, v, k, c->from, c->to);
    if (!p->settings->watch) return;
    const pen_minex_step step = { p->graph, p->part, v, c->from, gain, variance };
    p->settings->watch(&step, p->settings->watch_context);
}

/* describe.c - describes machines and partitions. */
#include "tools/graph/describe.h"
#include "base/json.h"
#include "base/memory.h"
#include "graph/graph.h"
#include "view/network.h"
#include "view/quality.h"

#include <math.h>
#include <penumbra_plugin.h>
#include <stdlib.h>

/* The processors of one cluster. */
typedef struct machine_cluster {
    char name[32]; /* name of the cluster, or its number if it has no name */
    int32_t first, last, count;
    double slowest, fastest; /* speeds of the slowest and of the fastest processor */
    pen_link inner;          /* link between two processors of the cluster, if it has two */
} machine_cluster;

_Static_assert(sizeof((machine_cluster *)0)->name >= PEN_CLUSTER_NAME, "names fit");

/* List the clusters that have processors: (*list)[*count], which the caller frees, also after a failure. */
static pen_status machine_clusters(const pen_machine *machine, machine_cluster **list, int32_t *count)
{
    const pen_network *network = pen_network_of(machine);
    PEN_TRY(PEN_ALLOC_ZERO(list, machine->cluster_count));
    for (int32_t p = 0; p < machine->processors; p++) {
        machine_cluster *c = &(*list)[machine->clusters[p]];
        double speed = machine->speeds[p];
        if (c->count == 0) *c = (machine_cluster){ .first = p, .slowest = speed, .fastest = speed };
        if (c->count == 1) c->inner = machine->link(machine, c->first, p);
        c->last = p;
        c->count++;
        c->slowest = fmin(c->slowest, speed);
        c->fastest = fmax(c->fastest, speed);
    }
    *count = 0;
    for (int32_t k = 0; k < machine->cluster_count; k++) {
        machine_cluster *c = &(*list)[k];
        if (c->count == 0) continue;
        if (network->names) snprintf(c->name, sizeof c->name, "%s", network->names[k]);
        else snprintf(c->name, sizeof c->name, "%" PRId32, k);
        (*list)[(*count)++] = *c;
    }
    return PEN_OK;
}

/* Write "processor 7", "processors 0-3", or "4 processors" if others are between them. */
static void machine_cluster_text(const machine_cluster *c, char *text, size_t size)
{
    if (c->count == 1) snprintf(text, size, "processor %" PRId32, c->first);
    else if (c->last - c->first == c->count - 1)
        snprintf(text, size, "processors %" PRId32 "-%" PRId32, c->first, c->last);
    else snprintf(text, size, "%" PRId32 " processors", c->count);
}

enum {
    MOST_LINES = 32,
    MOST_COLUMNS = 12,   /* largest number of columns of the table of links */
    MOST_PAIRS = 1 << 22 /* approximate largest number of pairs of clusters that are examined */
};

typedef struct range {
    double least, most, sum;
    int64_t count;
} range;

static const range NOTHING = { HUGE_VAL, -HUGE_VAL, 0.0, 0 };

static void add(range *r, double value)
{
    r->least = fmin(r->least, value);
    r->most = fmax(r->most, value);
    r->sum += value;
    r->count++;
}

static void print_range(const char *what, const range *r, const char *end)
{
    printf("%s min %.6g, max %.6g, mean %.6g%s", what, r->least, r->most, r->sum / (double)r->count, end);
}

/* ---- Machines -------------------------------------------------------------------------------- */

static void print_clusters(const machine_cluster *list, int32_t count)
{
    for (int32_t c = 0; c < count && c < MOST_LINES; c++) {
        char processors[48];
        machine_cluster_text(&list[c], processors, sizeof processors);
        printf("  %-10s %-20s speed %.6g", list[c].name, processors, list[c].slowest);
        if (list[c].fastest > list[c].slowest) printf(" to %.6g", list[c].fastest);
        if (list[c].count > 1)
            printf(", links within: cost %.6g, latency %.6g", list[c].inner.cost, list[c].inner.latency);
        putchar('\n');
    }
    if (count > MOST_LINES) printf("  ... and %" PRId32 " more\n", count - MOST_LINES);
}

/* Print a table of the links between and within clusters. */
static void print_table(const pen_machine *m, const machine_cluster *list, int32_t count, bool latency)
{
    printf("%-12s", latency ? "latency" : "cost");
    for (int32_t c = 0; c < count; c++) printf(" %7.7s", list[c].name);
    putchar('\n');
    for (int32_t c = 0; c < count; c++) {
        printf("  %-10s", list[c].name);
        for (int32_t d = 0; d < count; d++) {
            pen_link link = c == d ? list[c].inner : m->link(m, list[c].first, list[d].first);
            if (c == d && list[c].count == 1) printf(" %7s", "-");
            else printf(" %7.5g", latency ? link.latency : link.cost);
        }
        putchar('\n');
    }
}

/* If there are very many clusters, as in a torus, examine evenly spaced ones, each with all others. */
static void print_links(const pen_machine *m, const machine_cluster *list, int32_t count)
{
    range costs = NOTHING, latencies = NOTHING;
    int32_t ends[2] = { 0, 0 }, step = (int32_t)((int64_t)count * count / 2 / MOST_PAIRS) + 1;
    double farthest = 0.0;
    for (int32_t c = 0; c < count; c += step)
        for (int32_t d = step == 1 ? c : 0; d < count; d++) {
            pen_link link = c == d ? list[c].inner : m->link(m, list[c].first, list[d].first);
            if (c != d) {
                add(&costs, link.cost);
                add(&latencies, link.latency);
            }
            if (!(link.cost > farthest)) continue;
            farthest = link.cost;
            ends[0] = list[c].first;
            ends[1] = c == d ? list[c].last : list[d].first;
        }
    if (costs.count > 0) {
        print_range("between      cost", &costs, "; ");
        print_range("latency", &latencies, step > 1 ? ", from a sample of clusters to all\n" : "\n");
    }
    if (count > 1 && count <= MOST_COLUMNS) {
        print_table(m, list, count, false);
        if (latencies.most > 0.0) print_table(m, list, count, true);
    }
    if (farthest > 0.0)
        printf("farthest     cost %.6g, from processor %" PRId32 " to %" PRId32 "\n", farthest, ends[0], ends[1]);
}

pen_status pen_describe_machine(const char *name, const pen_machine *machine)
{
    machine_cluster *list = NULL;
    int32_t count;
    range speeds = NOTHING;
    pen_status status = machine_clusters(machine, &list, &count);
    if (status == PEN_OK) {
        for (int32_t c = 0; c < count; c++) {
            char given[sizeof list->name];
            memcpy(given, list[c].name, sizeof given);
            pen_show(given, list[c].name, sizeof given);
        }
        for (int32_t p = 0; p < machine->processors; p++) add(&speeds, machine->speeds[p]);
        printf("machine      %s\nprocessors   %" PRId32 "\n", PEN_SHOWN(name), machine->processors);
        print_range("speed       ", &speeds, "");
        printf(", total %.6g\n", machine->total_speed);
        bool lone = true;
        for (int32_t c = 0; c < count; c++) lone = lone && list[c].count == 1;
        printf("clusters     %" PRId32 "%s\n", count, lone ? ", one processor each" : "");
        if (!lone) print_clusters(list, count);
        print_links(machine, list, count);
    }
    free(list);
    return status;
}

static void add_link(json *j, const char *key, pen_link link)
{
    pen_json_begin(j, key, '[');
    pen_json_member_real(j, NULL, link.cost);
    pen_json_member_real(j, NULL, link.latency);
    pen_json_end(j, ']');
}

static void add_clusters(json *j, const pen_machine *m, const machine_cluster *list, int32_t count)
{
    pen_json_begin(j, "clusters", '[');
    for (int32_t c = 0; c < count; c++) {
        char text[48];
        machine_cluster_text(&list[c], text, sizeof text);
        pen_json_begin(j, NULL, '{');
        pen_json_member_text(j, "name", pen_network_of(m)->names ? list[c].name : "");
        pen_json_member_text(j, "text", text);
        add_link(j, "inner", list[c].inner);
        pen_json_begin(j, "processors", '[');
        for (int32_t p = list[c].first; p <= list[c].last; p++)
            if (m->clusters[p] == m->clusters[list[c].first]) pen_json_member_int(j, NULL, p);
        pen_json_end(j, ']');
        pen_json_end(j, '}');
    }
    pen_json_end(j, ']');
}

static void add_network(json *j, const pen_machine *m, const machine_cluster *list, int32_t count)
{
    static const char *const kinds[] = {
        [PEN_NETWORK_TABLE] = "table", [PEN_NETWORK_TORUS] = "torus", [PEN_NETWORK_TREE] = "tree"
    };
    const pen_network *n = pen_network_of(m);
    bool table = n->kind == PEN_NETWORK_TABLE;
    pen_json_member_text(j, "kind", kinds[n->kind]);
    pen_json_begin(j, "sizes", '[');
    for (int d = 0; d < n->levels; d++) pen_json_member_int(j, NULL, n->sizes[d]);
    pen_json_end(j, ']');
    pen_json_begin(j, "links", '[');
    for (int d = 0; !table && d < (n->kind == PEN_NETWORK_TREE ? n->levels : 1); d++) add_link(j, NULL, n->links[d]);
    pen_json_end(j, ']');
    pen_json_begin(j, "between", '[');
    for (int32_t c = 0; table && c < count; c++) {
        pen_json_begin(j, NULL, '[');
        for (int32_t d = 0; d < count; d++) add_link(j, NULL, m->link(m, list[c].first, list[d].first));
        pen_json_end(j, ']');
    }
    pen_json_end(j, ']');
}

pen_status pen_print_machine(const pen_machine *machine)
{
    machine_cluster *list = NULL;
    int32_t count;
    json j = { .out = stdout };
    pen_status status = machine_clusters(machine, &list, &count);
    if (status == PEN_OK) {
        pen_json_begin(&j, NULL, '{');
        add_network(&j, machine, list, count);
        add_clusters(&j, machine, list, count);
        pen_json_begin(&j, "speeds", '[');
        for (int32_t p = 0; p < machine->processors; p++) pen_json_member_real(&j, NULL, machine->speeds[p]);
        pen_json_end(&j, ']');
        pen_json_end(&j, '}');
    }
    free(list);
    return status;
}

/* ---- Partitions ------------------------------------------------------------------------------ */

static void print_parts(int parts, const int64_t *nodes, const double *loads, const pen_machine *machine)
{
    range times = NOTHING;
    for (int p = 0; p < parts; p++) add(&times, loads[p] / machine->speeds[p]);
    print_range("time        ", &times, ", of load / speed\n");
    printf("  %6s %12s %14s %10s %14s\n", "part", "nodes", "load", "speed", "time");
    for (int p = 0; p < parts && p < MOST_LINES; p++)
        printf("  %6d %12" PRId64 " %14.6g %10.6g %14.6g\n", p, nodes[p], loads[p], machine->speeds[p],
               loads[p] / machine->speeds[p]);
    if (parts > MOST_LINES) printf("  ... and %d more\n", parts - MOST_LINES);
}

pen_status pen_describe_partition(const char *name, const file_graph *g, int parts, const int32_t *part,
                                  const pen_machine *machine)
{
    pen_graph seen = { .nodes = g->nodes,
                       .directed = g->directed,
                       .rows = g->rows,
                       .neighbors = g->neighbors,
                       .weight_count = (int)g->weight_count,
                       .node_weights = g->node_weights,
                       .edge_weights = g->edge_weights };
    int64_t *nodes = NULL;
    double *loads = NULL;
    pen_quality q;
    PEN_TRY(pen_to_lid(g->nodes, "nodes", &seen.count));
    pen_status status = pen_quality_of_graph(&seen, machine, parts, part, &q);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&nodes, parts);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&loads, parts);
    if (status == PEN_OK) {
        for (pen_lid i = 0; i < seen.count; i++) {
            nodes[part[i]]++;
            loads[part[i]] += (double)pen_graph_load(&seen, i);
        }
        printf("partition    %s, %d parts: cut %" PRId64, PEN_SHOWN(name), parts, q.cut);
        if (machine) printf(", dilation %.6g, estimated step %.6g", q.dilation, q.step_time);
        printf(", imbalance %.4f (bound %.4f), max volume %" PRId64 ", extra pieces %" PRId64 "\n", q.imbalance,
               q.bound, q.max_volume, q.pieces);
        if (machine) print_parts(parts, nodes, loads, machine);
    }
    PEN_FREE_ALL(nodes, loads);
    return status;
}

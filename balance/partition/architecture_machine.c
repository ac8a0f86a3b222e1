/* architecture_machine.c - converts machines to architectures of Scotch, and back. */
#include "base/memory.h"
#include "partition/architecture.h"
#include "partition/partition.h"
#include "partition/quiet.h"
#include "view/machine.h"
#include "view/network.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    MOST_PROCESSORS = 1024, /* processors of the largest table of distances: each pair takes memory */
    SPEED = 10000,          /* speed of the fastest processor, in Scotch's integers */
    COST = 16               /* cost of the cheapest link, in Scotch's integers */
};

static pen_status find_weights(const pen_machine *m, SCOTCH_Num **weights, bool *equal)
{
    double fastest = 0.0;
    *equal = true;
    PEN_TRY(PEN_ALLOC(weights, m->processors));
    for (int32_t p = 0; p < m->processors; p++) fastest = fmax(fastest, m->speeds[p]);
    for (int32_t p = 0; p < m->processors; p++) {
        (*weights)[p] = (SCOTCH_Num)fmax(1.0, floor(m->speeds[p] / fastest * SPEED + 0.5));
        *equal = *equal && m->speeds[p] == m->speeds[0];
    }
    return PEN_OK;
}

/* The unit of distance: the least cost becomes COST, or 1 if all costs are equal. */
static double find_unit(const pen_machine *m)
{
    double least = HUGE_VAL, most = 0.0;
    for (int32_t p = 0; p < m->processors; p++)
        for (int32_t q = p + 1; q < m->processors; q++) {
            double cost = m->link(m, p, q).cost;
            if (cost > 0.0) least = fmin(least, cost);
            most = fmax(most, cost);
        }
    bool whole = fmod(most, least) == 0.0;
    return fmax(whole ? least : least / COST, most / 65536.0);
}

/* List the complete graph of processors, with their distances as loads of edges. */
static pen_status list_distances(const pen_machine *m, SCOTCH_Num *rows, SCOTCH_Num *ends, SCOTCH_Num *distances,
                                 int64_t *diameter)
{
    double unit = find_unit(m);
    SCOTCH_Num at = 0;
    for (int32_t p = 0; p < m->processors; p++) {
        rows[p] = at;
        for (int32_t q = 0; q < m->processors; q++) {
            if (p == q) continue;
            ends[at] = q;
            distances[at] = (SCOTCH_Num)fmax(1.0, floor(m->link(m, p, q).cost / unit + 0.5));
            if (distances[at] > *diameter) *diameter = distances[at];
            at++;
        }
    }
    rows[m->processors] = at;
    return PEN_OK;
}

/* Build the architecture. Scotch finds a tree of halves for the processors by itself. */
static pen_status build(const pen_machine *m, SCOTCH_Num *weights, pen_architecture *a)
{
    int64_t arcs = (int64_t)m->processors * (m->processors - 1);
    SCOTCH_Num *rows = NULL, *ends = NULL, *distances = NULL, *list = NULL;
    SCOTCH_Graph graph;
    SCOTCH_Strat strategy;
    if (m->processors > MOST_PROCESSORS)
        return pen_fail(PEN_ERR_UNSUPPORTED,
                        "Scotch takes machines of at most %d processors, except flat ones; this one has %" PRId32,
                        MOST_PROCESSORS, m->processors);
    pen_status status = PEN_ALLOC(&rows, (int64_t)m->processors + 1);
    if (status == PEN_OK) status = PEN_ALLOC(&ends, arcs);
    if (status == PEN_OK) status = PEN_ALLOC(&distances, arcs);
    if (status == PEN_OK) status = PEN_ALLOC(&list, m->processors);
    if (status == PEN_OK) status = list_distances(m, rows, ends, distances, &a->diameter);
    if (status == PEN_OK) {
        int kept = pen_quiet(STDERR_FILENO);
        for (int32_t p = 0; p < m->processors; p++) list[p] = p;
        SCOTCH_randomReset(); /* reset, since the result would depend on Scotch's earlier random numbers */
        SCOTCH_graphInit(&graph);
        SCOTCH_stratInit(&strategy);
        int code = SCOTCH_graphBuild(&graph, 0, m->processors, rows, NULL, weights, NULL, (SCOTCH_Num)arcs, ends,
                                     distances);
        if (code == 0) code = SCOTCH_archBuild0(&a->scotch, &graph, m->processors, list, &strategy);
        SCOTCH_stratExit(&strategy);
        SCOTCH_graphExit(&graph);
        pen_unquiet(STDERR_FILENO, kept);
        if (code != 0) status = pen_fail(PEN_ERR_INTERNAL, "Scotch cannot make an architecture of the machine");
    }
    PEN_FREE_ALL(rows, ends, distances, list);
    return status;
}

pen_status pen_architecture_of_machine(const pen_machine *m, bool network, int parts, pen_architecture **architecture)
{
    pen_architecture *a;
    SCOTCH_Num *weights = NULL;
    bool equal = true;
    PEN_TRY(PEN_ALLOC_ZERO(&a, 1));
    SCOTCH_archInit(&a->scotch);
    *a = (pen_architecture){ .scotch = a->scotch, .processors = parts, .diameter = 1 };
    pen_status status = m ? find_weights(m, &weights, &equal) : PEN_OK;
    if (status == PEN_OK && m && network && m->cluster_count > 1 && parts > 1) {
        status = build(m, weights, a);
    } else if (status == PEN_OK) {
        int code = equal ? SCOTCH_archCmplt(&a->scotch, parts) : SCOTCH_archCmpltw(&a->scotch, parts, weights);
        if (code != 0)
            status = pen_fail(PEN_ERR_INTERNAL, "Scotch cannot make an architecture of %d processors", parts);
    }
    free(weights);
    if (status == PEN_OK) *architecture = a;
    else pen_architecture_destroy(&a);
    return status;
}

/* Domains are found by repeated halving: Scotch 7.0.3 has a function for a processor's domain, but in
 * decomposition-defined architectures it returns the previous domain. */
pen_status pen_architecture_processors(const pen_architecture *architecture, SCOTCH_ArchDom **processors)
{
    /* A copy, since Scotch's function lacks const; the owned data does not change. */
    SCOTCH_Arch arch = architecture->scotch;
    SCOTCH_ArchDom *open = NULL;
    int32_t count = 0, found = 0;
    PEN_TRY(PEN_ALLOC(processors, architecture->processors));
    PEN_TRY(PEN_ALLOC(&open, (int64_t)architecture->processors + 1));
    bool good = SCOTCH_archDomFrst(&arch, &open[count++]) == 0;
    while (good && count > 0) {
        SCOTCH_ArchDom domain = open[--count];
        if (SCOTCH_archDomSize(&arch, &domain) > 1) {
            good = SCOTCH_archDomBipart(&arch, &domain, &open[count], &open[count + 1]) == 0;
            count += 2;
            continue;
        }
        SCOTCH_Num number = SCOTCH_archDomNum(&arch, &domain);
        good = number >= 0 && number < architecture->processors;
        if (good) (*processors)[number] = domain;
        found++;
    }
    free(open);
    if (good && found == architecture->processors) return PEN_OK;
    return pen_fail(PEN_ERR_INTERNAL, "Scotch does not find all %" PRId32 " processors of an architecture",
                    architecture->processors);
}

static pen_status make_machine(pen_architecture *a, const char *name, pen_machine **machine)
{
    int64_t count = a->processors;
    SCOTCH_ArchDom *domains = NULL;
    int32_t *sizes = NULL;
    double *speeds = NULL, lightest = HUGE_VAL;
    pen_link *inner = NULL, *between = NULL;
    if (count > PEN_MOST_CLUSTERS)
        return pen_fail(PEN_ERR_UNSUPPORTED, "machine %s: %" PRId64 " processors of an architecture, at most %d", name,
                        count, PEN_MOST_CLUSTERS);
    pen_status status = pen_architecture_processors(a, &domains);
    if (status == PEN_OK) status = PEN_ALLOC(&sizes, count);
    if (status == PEN_OK) status = PEN_ALLOC(&speeds, count);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&inner, count);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&between, count * count);
    for (int32_t p = 0; status == PEN_OK && p < count; p++) {
        sizes[p] = 1;
        speeds[p] = (double)SCOTCH_archDomWght(&a->scotch, &domains[p]);
        lightest = fmin(lightest, speeds[p]);
        for (int32_t q = 0; q < p; q++)
            between[q * count + p].cost = (double)SCOTCH_archDomDist(&a->scotch, &domains[q], &domains[p]);
    }
    for (int32_t p = 0; status == PEN_OK && p < count; p++) speeds[p] /= lightest;
    if (status == PEN_OK)
        status = pen_machine_of_clusters(name, (int32_t)count, sizes, speeds, inner, between, (int)count, machine);
    PEN_FREE_ALL(domains, sizes, speeds, inner, between);
    return status;
}

pen_status pen_machine_open(pen_comm *comm, const char *spec, int parts, pen_machine **machine)
{
    size_t length = strlen(spec);
    if (length < 4 || strcmp(spec + length - 4, ".tgt") != 0) return pen_machine_create(comm, spec, parts, machine);
    pen_architecture *architecture = NULL;
    PEN_TRY(pen_architecture_create(comm, spec, parts, &architecture));
    pen_status status = pen_agree(comm, make_machine(architecture, spec, machine));
    pen_architecture_destroy(&architecture);
    return status;
}

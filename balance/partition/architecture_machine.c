/* architecture_machine.c - machines for Scotch, and Scotch's architectures as machines. */
#include "base/memory.h"
#include "partition/architecture.h"
#include "partition/quiet.h"
#include "view/machine.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    MOST_PROCESSORS = 1024, /* whose distances are a table: each pair takes memory */
    SPEED = 10000,          /* of the fastest processor, in Scotch's integers */
    COST = 16               /* of the cheapest link */
};

/* ---- To Scotch --------------------------------------------------------------------------------- */

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

/* What a unit of distance is: so that the least cost that there is becomes COST, or 1 where all are the same. */
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

/* The complete graph of processors, with their distances as loads of edges. */
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

/* Scotch finds a tree of halves for the processors by itself. */
static pen_status build(const pen_machine *m, SCOTCH_Num *weights, pen_architecture *a)
{
    int64_t arcs = (int64_t)m->processors * (m->processors - 1);
    SCOTCH_Num *rows = NULL, *ends = NULL, *distances = NULL, *list = NULL;
    SCOTCH_Graph graph;
    SCOTCH_Strat strategy;
    if (m->processors > MOST_PROCESSORS)
        return pen_fail(PEN_ERR_UNSUPPORTED,
                        "Scotch is given machines of at most %d processors, unless all are next to each other; this "
                        "one has %" PRId32,
                        MOST_PROCESSORS, m->processors);
    pen_status status = PEN_ALLOC(&rows, (int64_t)m->processors + 1);
    if (status == PEN_OK) status = PEN_ALLOC(&ends, arcs);
    if (status == PEN_OK) status = PEN_ALLOC(&distances, arcs);
    if (status == PEN_OK) status = PEN_ALLOC(&list, m->processors);
    if (status == PEN_OK) status = list_distances(m, rows, ends, distances, &a->diameter);
    if (status == PEN_OK) {
        int kept = pen_quiet(STDERR_FILENO);
        for (int32_t p = 0; p < m->processors; p++) list[p] = p;
        SCOTCH_randomReset(); /* else it depends on what was done before */
        SCOTCH_graphInit(&graph);
        SCOTCH_stratInit(&strategy);
        int code = SCOTCH_graphBuild(&graph, 0, m->processors, rows, NULL, weights, NULL, (SCOTCH_Num)arcs, ends,
                                     distances);
        if (code == 0) code = SCOTCH_archBuild0(&a->scotch, &graph, m->processors, list, &strategy);
        SCOTCH_stratExit(&strategy);
        SCOTCH_graphExit(&graph);
        pen_unquiet(STDERR_FILENO, kept);
        if (code != 0) status = pen_fail(PEN_ERR_INTERNAL, "Scotch makes no architecture of the machine");
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
        if (code != 0) status = pen_fail(PEN_ERR_INTERNAL, "Scotch has no architecture of %d processors", parts);
    }
    free(weights);
    if (status == PEN_OK) *architecture = a;
    else pen_architecture_destroy(&a);
    return status;
}

#include "tests/bench/papers/contenders.h"
#include "base/memory.h"
#include "base/options.h"
#include "partition/metis_call.h"
#include "partition/pagrid/pagrid.h"
#include "partition/scotch_call.h"
#include "rebalance/balancers.h"
#include "tests/support/virtual_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int ufactors[] = { 30, 10, 1 };       /* of METIS, its own first */
static const double imbalances[] = { 0.01, 0.05 }; /* of Scotch */

/* ---- Cases ------------------------------------------------------------------------------------- */

/* The second graph is another one like the first, which becomes G_M. */
static pen_status complete(pen_status status, sim_case *c)
{
    if (status == PEN_OK) pen_bodies_graph_mutual(&c->mutual);
    else pen_sim_case_free(c);
    return status;
}

pen_status pen_sim_case_of(const bodies_tree *tree, double closeness, sim_case *c)
{
    *c = (sim_case){ .directed = { 0 } };
    PEN_TRY(pen_bodies_graph_of(tree, closeness, &c->directed));
    return complete(pen_bodies_graph_of(tree, closeness, &c->mutual), c);
}

pen_status pen_sim_case_read(const char *path, sim_case *c, int32_t *bodies)
{
    *c = (sim_case){ .directed = { 0 } };
    PEN_TRY(pen_bodies_graph_read(path, &c->directed, bodies));
    return complete(pen_bodies_graph_read(path, &c->mutual, bodies), c);
}

pen_status pen_sim_case_create(int32_t bodies, uint64_t seed, sim_case *c)
{
    const bodies_case chosen = bodies_case_of(bodies);
    bodies_body *placed;
    bodies_tree tree;
    PEN_TRY(pen_bodies_place(bodies, seed, &placed));
    pen_status status = pen_bodies_tree_create(bodies, placed, chosen.cell_most, &tree);
    if (status == PEN_OK) status = pen_sim_case_of(&tree, chosen.closeness, c);
    pen_bodies_tree_free(&tree);
    free(placed);
    return status;
}

void pen_sim_case_free(sim_case *c)
{
    pen_bodies_graph_free(&c->directed);
    pen_bodies_graph_free(&c->mutual);
}

/* ---- METIS and Scotch -------------------------------------------------------------------------- */

/* What both take: 32-bit integers. */
typedef struct integers {
    int32_t *rows, *columns, *work, *weights;
} integers;

static void free_integers(integers *i) { PEN_FREE_ALL(i->rows, i->columns, i->work, i->weights); }

/* Weights of edges are divided, for Scotch adds weight * distance up in 32 bits. free_integers frees them, also after a
 * failure. */
static pen_status make_integers(const bodies_graph *g, double distance, integers *i)
{
    double sum = 0.0;
    int64_t arcs = g->rows[g->count];
    *i = (integers){ NULL, NULL, NULL, NULL };
    PEN_TRY(PEN_ALLOC(&i->rows, (int64_t)g->count + 1));
    PEN_TRY(PEN_ALLOC(&i->work, g->count));
    PEN_TRY(PEN_ALLOC(&i->columns, arcs));
    PEN_TRY(PEN_ALLOC(&i->weights, arcs));
    for (int32_t v = 0; v <= g->count; v++) i->rows[v] = (int32_t)g->rows[v];
    for (int32_t v = 0; v < g->count; v++) i->work[v] = (int32_t)g->work[v];
    for (int64_t k = 0; k < arcs; k++) sum += g->reads[k];
    double by = fmax(1.0, sum * distance / 2e9);
    for (int64_t k = 0; k < arcs; k++) {
        i->columns[k] = g->columns[k];
        i->weights[k] = (int32_t)fmax(1.0, g->reads[k] / by);
    }
    return PEN_OK;
}

static pen_serial_graph serial_of(const bodies_graph *g, const integers *i)
{
    return (pen_serial_graph){
        .nodes = g->count, .rows = i->rows, .neighbors = i->columns, .edge_weights = i->weights, .loads = i->work
    };
}

/* Graphs that are too small for METIS get a part for each cell. */
static pen_status with_metis(const bodies_graph *g, const pen_machine *m, bool speeds, int ufactor, int32_t *part)
{
    const pen_metis_settings settings = { .ufactor = ufactor, .seed = 1 };
    integers i;
    pen_status status = make_integers(g, 0.0, &i);
    pen_serial_graph graph = serial_of(g, &i);
    bool fits = m->processors > 1 && g->count > m->processors && g->rows[g->count] > 0;
    if (status == PEN_OK && fits)
        status = pen_metis_call("METIS", &graph, &settings, speeds ? m : NULL, m->processors, part);
    for (int32_t v = 0; v < g->count; v++)
        if (!fits || part[v] < 0) part[v] = v % m->processors;
    free_integers(&i);
    return status;
}

static pen_status with_scotch(const bodies_graph *g, const pen_machine *m, double imbalance, int32_t *part)
{
    pen_architecture *architecture = NULL;
    const pen_scotch_settings settings = { .seed = 1, .imbalance = imbalance, .strategy = PEN_SCOTCH_QUALITY };
    integers i;
    PEN_TRY(pen_architecture_of_machine(m, true, m->processors, &architecture));
    pen_status status = make_integers(g, (double)architecture->diameter, &i);
    const pen_serial_graph graph = serial_of(g, &i);
    if (status == PEN_OK) status = pen_scotch_call("Scotch", &graph, &settings, architecture, NULL, part);
    free_integers(&i);
    pen_architecture_destroy(&architecture);
    return status;
}

/* ---- Our own ----------------------------------------------------------------------------------- */

static pen_status with_minex(const bodies_graph *g, const pen_machine *m, double theta, pen_minex_cost cost,
                             int32_t *part)
{
    const pen_minex_graph graph = pen_bodies_graph_view(g);
    bool owned = g->count > 0 && g->owners[0] >= 0;
    pen_minex_settings settings = pen_minex_defaults(owned);
    settings.cost = cost;
    settings.tolerance = pen_minex_overlap;
    settings.context = &theta;
    return pen_minex_partition(&graph, m, &settings, part, NULL, NULL);
}

static pen_status with_pagrid(const bodies_graph *g, const pen_machine *m, int32_t *part)
{
    const pen_pagrid_graph graph = { g->count, g->rows, g->columns, g->work, g->reads };
    const pen_pagrid_settings settings = { .ratio = -1.0, .seed = 1 };
    return pen_pagrid_partition(&graph, m, &settings, NULL, part, NULL);
}

/* The world's arrays are freed by the caller. */
static pen_status fill_world(const bodies_graph *g, const pen_machine *m, pen_virtual_world *w)
{
    int64_t arcs = g->rows[g->count];
    PEN_TRY(PEN_ALLOC(&w->rows, (int64_t)g->count + 1));
    PEN_TRY(PEN_ALLOC(&w->columns, arcs));
    PEN_TRY(PEN_ALLOC(&w->edge_weights, arcs));
    PEN_TRY(PEN_ALLOC(&w->loads, g->count));
    PEN_TRY(PEN_ALLOC(&w->owners, g->count));
    for (int32_t v = 0; v <= g->count; v++) w->rows[v] = (uint32_t)g->rows[v];
    for (int64_t k = 0; k < arcs; k++) {
        w->columns[k] = g->columns[k];
        w->edge_weights[k] = (int64_t)fmax(1.0, g->reads[k]);
    }
    for (int32_t v = 0; v < g->count; v++) {
        w->loads[v] = g->work[v];
        w->owners[v] = g->owners[v] >= 0 ? g->owners[v] : (int32_t)((int64_t)v * m->processors / g->count);
    }
    return PEN_OK;
}

static pen_status with_diffusive(const bodies_graph *g, const pen_machine *m, int32_t *part)
{
    pen_virtual_world w = { .ranks = m->processors, .nodes = g->count, .horizon = 1.0, .machine = m };
    pen_status status = fill_world(g, m, &w);
    if (status == PEN_OK) status = pen_virtual_world_partition(&w, &pen_partitioner_diffusive, "", NULL);
    if (status == PEN_OK) memcpy(part, w.owners, (size_t)g->count * sizeof *part);
    pen_virtual_world_free(&w);
    return status;
}

/* ---- All --------------------------------------------------------------------------------------- */

const char *pen_sim_contender_name(sim_contender who)
{
    static const char *const names[SIM_CONTENDERS] = { "MinEX-G", "MinEX-GM",    "METIS-GM", "METIS, speeds",
                                                       "Scotch",  "MinEX, rank", "pagrid",   "diffusive" };
    return names[who];
}

static const char *const keys[SIM_CONTENDERS] = { "minex",  "minex-gm",   "metis",  "metis-speeds",
                                                  "scotch", "minex-rank", "pagrid", "diffusive" };

pen_status pen_sim_contenders_parse(const char *list, bool *chosen)
{
    for (int k = 0; k < SIM_CONTENDERS; k++) chosen[k] = !list;
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char word[32];
        int k = 0;
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        while (k < SIM_CONTENDERS && strcmp(word, keys[k]) != 0) k++;
        if (k == SIM_CONTENDERS) return pen_unknown_name("contender", word, keys, SIM_CONTENDERS);
        chosen[k] = true;
    }
    return PEN_OK;
}

int pen_sim_variants(sim_contender who)
{
    if (who == SIM_METIS_SPEEDS) return PEN_COUNT_OF(ufactors);
    return who == SIM_SCOTCH ? PEN_COUNT_OF(imbalances) : 1;
}

pen_status pen_sim_partition(sim_contender who, int variant, const sim_case *c, const pen_machine *m, double theta,
                             int32_t *part)
{
    switch (who) {
    case SIM_MINEX: return with_minex(&c->directed, m, theta, PEN_MINEX_EDGE, part);
    case SIM_MINEX_MUTUAL: return with_minex(&c->mutual, m, theta, PEN_MINEX_EDGE, part);
    case SIM_MINEX_RANK: return with_minex(&c->directed, m, theta, PEN_MINEX_RANK, part);
    case SIM_METIS: return with_metis(&c->mutual, m, false, ufactors[0], part);
    case SIM_METIS_SPEEDS: return with_metis(&c->mutual, m, true, ufactors[variant], part);
    case SIM_SCOTCH: return with_scotch(&c->mutual, m, imbalances[variant], part);
    case SIM_PAGRID: return with_pagrid(&c->directed, m, part);
    default: return with_diffusive(&c->mutual, m, part);
    }
}

/* checkpoint_case.h - a run with everything that a checkpoint must contain: a graph that changes, of nodes with
 * coordinates and weights, records of nodes and arcs, a transient field, observables of all kinds, globals, declared
 * loads, random numbers, options, and data of the application itself. */
#pragma once

#include "tests/support/check.h"

#include <penumbra_checkpoint.h>

#include <dirent.h>
#include <math.h>
#include <unistd.h>

/* settings.kept: no nodes are added, so that gids leave no holes. */
enum { STEPS = 12, SPARSE = 7, DENSE = 8 };

typedef struct value {
    double heat;
    int64_t turns;
} value;
typedef struct scratch {
    double sum;
} scratch;
typedef struct spring {
    double pull;
    int32_t uses;
    int32_t zero; /* no padding: what is compared is all bytes */
} spring;

enum { VALUE, SCRATCH };
enum { SPRING };
enum { TURNS, HEAT, HOTTEST, LEAST, AGES, SUMS };

typedef struct progress {
    double t, dt;
} progress;

/* The application's own data, which .rows or .setup would need again. */
typedef struct settings {
    double rate;
    int64_t kept;
    const char *label;
    int64_t secret;
} settings;

static void case_init(const pen_view *v)
{
    *PEN_NEXT(v, VALUE, value) = (value){ pen_random_real(v, 1) + pen_coordinate(v, 0), pen_id(v) % 5 };
    PEN_NEXT(v, SCRATCH, scratch)->sum = 0.0;
}

static void case_init_edges(const pen_view *v)
{
    for (int32_t i = 0; i < pen_degree(v); i++)
        *PEN_EDGE_OWN(v, SPRING, spring, i) = (spring){ 0.01 * (double)pen_neighbor_id(v, i), 0, 0 };
}

static void case_sum(const pen_view *v)
{
    double sum = 0.0;
    for (int32_t i = 0; i < pen_degree(v); i++) {
        spring *s = PEN_EDGE_OWN(v, SPRING, spring, i);
        sum += PEN_NEIGHBOR(v, VALUE, value, i)->heat * (1.0 + s->pull) * (double)pen_edge_weight(v, i);
        s->uses++;
        s->pull *= 0.9 + 0.01 * (double)s->uses;
    }
    PEN_NEXT(v, SCRATCH, scratch)->sum = sum;
}

static void case_heat(const pen_view *v)
{
    const settings *p = (const settings *)pen_params(v);
    const value *own = PEN_SELF(v, VALUE, value);
    value *next = PEN_NEXT(v, VALUE, value);
    next->heat = own->heat * (1.0 - p->rate) + p->rate * PEN_SELF(v, SCRATCH, scratch)->sum / (1.0 + pen_degree(v)) +
                 0.001 * pen_random_real(v, 2) + 1e-9 * (double)p->secret + 1e-12 * pen_observed_real(v, HEAT) +
                 1e-3 * PEN_GLOBALS(v, progress)->t;
    next->turns = own->turns + pen_node_weight(v);
}

/* Nodes and edges are added, or edges get weights, and some nodes get another one. */
static void case_change(const pen_view *v, pen_changes *c)
{
    const settings *p = (const settings *)pen_params(v);
    const pen_gid id = pen_id(v);
    *PEN_NEXT(v, VALUE, value) = *PEN_SELF(v, VALUE, value);
    if (pen_step(v) % 3 != 1) return;
    if (id % 7 == 2) pen_set_node_weight(c, id, 1 + (id + pen_step(v)) % 4);
    if (p->kept == DENSE) {
        if (id % 5 == 1) pen_add_edge(c, id, pen_neighbor_id(v, 0), 2 + id % 3);
        return;
    }
    if (id % 11 == 3 && id < 1000) {
        pen_gid child = 1000 * (pen_step(v) + 1) + id;
        pen_new_node *newborn = pen_add_node(c, child, 2);
        PEN_FIRST(newborn, VALUE, value)->heat = 0.5;
        double at[3] = { 0.0, 0.0, 0.0 };
        for (int d = 0; d < v->dimensions; d++) at[d] = pen_coordinate(v, d) + 0.125;
        pen_set_coordinates(newborn, v->dimensions, at);
        pen_add_edge(c, id, child, 2);
        pen_add_edge(c, child, id, 2);
    }
}

static void case_observe(const pen_view *v, pen_observation *o)
{
    const value *own = PEN_SELF(v, VALUE, value);
    pen_observe_int(o, TURNS, own->turns);
    pen_observe_real(o, HEAT, own->heat);
    pen_observe_real(o, HOTTEST, own->heat);
    pen_observe_int(o, LEAST, own->turns);
    pen_observe_int(o, PEN_COMPONENT(AGES, (int)(own->turns % 3)), 1);
}
PEN_OBSERVE_SWEEP(case_observe)

static void case_observe_sum(const pen_view *v, pen_observation *o)
{
    pen_observe_real(o, PEN_COMPONENT(SUMS, (int)(pen_id(v) % 2)), PEN_SELF(v, SCRATCH, scratch)->sum);
}
PEN_OBSERVE_SWEEP(case_observe_sum)

static void case_update(const pen_run *run, int phase, const void *params, void *globals)
{
    progress *g = (progress *)globals;
    if (phase == PEN_BETWEEN_STEPS) g->t += g->dt;
    if (phase == PEN_BETWEEN_STEPS) g->dt = 0.1 / (double)(1 + pen_run_observed_int(run, PEN_COMPONENT(AGES, 2)));
    else g->dt += 1e-3 * pen_run_observed_real(run, PEN_COMPONENT(SUMS, 1)) * ((const settings *)params)->rate;
}

static double case_cost(const pen_view *v) { return 1.0 + (double)(pen_id(v) / 10 == pen_step(v)) * 8.0; }
PEN_COST_SWEEP(case_cost)

static void case_print(const pen_view *v, FILE *out)
{
    const value *own = PEN_SELF(v, VALUE, value);
    fprintf(out, "%a %" PRId64 " %" PRId64 " %a", own->heat, own->turns, pen_node_weight(v), pen_coordinate(v, 1));
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const spring *s = PEN_EDGE(v, SPRING, spring, i);
        fprintf(out, " %" PRIgid ":%a:%d", pen_neighbor_id(v, i), s->pull, s->uses);
    }
}

static void case_save(const pen_run *run, const void *params, FILE *out)
{
    fprintf(out, "secret %" PRId64 "\n", ((const settings *)params)->secret);
}

static const char *case_restore(void *params, const char *text)
{
    return sscanf(text, "secret %" SCNd64, &((settings *)params)->secret) == 1 ? NULL : "no secret";
}

static const pen_field case_fields[] = { { .name = "value", .size = sizeof(value) },
                                         { "scratch", sizeof(scratch), .transient = true } };
static const pen_edge_field case_edges[] = { { "spring", sizeof(spring) } };
static const pen_phase case_phases[] = {
    { "sum", .node = case_sum, .reads = PEN_SET(VALUE), .writes = PEN_SET(SCRATCH), .edge_writes = PEN_SET(SPRING),
      .cost = case_cost_sweep },
    { "heat", .node = case_heat, .writes = PEN_SET(VALUE), .observe = case_observe_sum_sweep,
      .observes = PEN_SET(SUMS) },
    { "change", .modify = case_change, .writes = PEN_SET(VALUE) },
};
static const pen_observable case_observables[] = { { "turns", PEN_SUM_INT, 1 },    { "heat", PEN_SUM_REAL, 1 },
                                                   { "hottest", PEN_MAX_REAL, 1 }, { "least", PEN_MIN_INT, 1 },
                                                   { "ages", PEN_SUM_INT, 3 },     { "sums", PEN_SUM_REAL, 2 } };
static const pen_member case_progress[] = { PEN_MEMBER(0, progress, t, PEN_F64), PEN_MEMBER(0, progress, dt, PEN_F64) };
static const pen_globals case_globals = { sizeof(progress), case_update, PEN_MEMBERS(case_progress) };

/* The application with these settings, whose options are those of `table`, [4]. */
static pen_app case_app(settings *s, pen_option *table)
{
    const pen_option options[] = { { "rate", "X", "", PEN_OPTION_REAL, &s->rate, 0, 0 },
                                   { "kept", "N", "", PEN_OPTION_INT, &s->kept, 0, 0 },
                                   { "label", "TEXT", "", PEN_OPTION_TEXT, (void *)&s->label, 0, 0 },
                                   { .name = NULL } };
    memcpy(table, options, sizeof options);
    return (pen_app){ "case",
                      PEN_FIELDS(case_fields),
                      PEN_PHASES(case_phases),
                      PEN_OBSERVABLES(case_observables, case_observe_sweep),
                      PEN_EDGE_FIELDS(case_edges),
                      .globals = &case_globals,
                      .init = case_init,
                      .init_edges = case_init_edges,
                      .output.print = case_print,
                      .options = table,
                      .params = s,
                      .checkpoint.may_differ = "label",
                      .checkpoint.save = case_save,
                      .checkpoint.restore = case_restore };
}

static pen_graph *case_graph(MPI_Comm comm, const char *spec)
{
    pen_graph *graph = NULL;
    CHECK_STATUS(pen_graph_generate(comm, spec, &graph), PEN_OK);
    return graph;
}

/* The state of a run, for comparison. */
typedef struct outcome {
    uint64_t checksum;
    int64_t ints[2], nodes, edges;
    double reals[2];
    progress globals;
} outcome;

static outcome case_outcome(pen_run *run)
{
    outcome o;
    memset(&o, 0, sizeof o);
    CHECK_STATUS(pen_run_checksum(run, &o.checksum), PEN_OK);
    o.ints[0] = pen_run_observed_int(run, TURNS);
    o.ints[1] = pen_run_observed_int(run, LEAST);
    o.reals[0] = pen_run_observed_real(run, HEAT);
    o.reals[1] = pen_run_observed_real(run, HOTTEST);
    o.globals = *(const progress *)pen_run_globals(run);
    o.nodes = pen_run_nodes(run);
    o.edges = pen_run_edges(run);
    return o;
}

/* Rank 0: a new folder; the same name on all ranks. And away with it. */
static void case_folder(char path[64])
{
    snprintf(path, 64, "checkpoint_test.XXXXXX");
    if (check_rank() == 0) CHECK(mkdtemp(path) != NULL);
    MPI_Bcast(path, 64, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static int case_empty(const char *path)
{
    int files = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank() == 0) {
        DIR *folder = opendir(path);
        for (struct dirent *e; folder && (e = readdir(folder)) != NULL;)
            if (e->d_name[0] != '.') files += unlinkat(dirfd(folder), e->d_name, 0) == 0;
        if (folder) closedir(folder);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return files;
}

static void case_remove(const char *path)
{
    case_empty(path);
    if (check_rank() == 0) CHECK(rmdir(path) == 0);
}

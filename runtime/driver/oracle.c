/* oracle.c - computes a run again as a serial loop. Its changes of the graph work on sets, and share only the list of
 * requests with the run. */
#include "driver/oracle.h"
#include "base/memory.h"
#include "input/files.h"
#include "inputs/inputs.h"
#include "observables/reporting.h"
#include "observables/set_globals.h"
#include "observables/until.h"
#include "run/apply_change.h"
#include "run/calls.h"
#include "run/observables.h"

#include <stdlib.h>

enum { NONE = -1 };

/* A node of the next graph. */
typedef struct later_node {
    pen_gid gid; /* the gid; the first member, because it is the sort key */
    pen_lid before;
    pen_new_node *newborn; /* the new node; NULL: the node stays */
} later_node;

/* An arc of the next graph, or one that a request names. An arc that stays and is also added is in the list twice. */
typedef struct later_arc {
    pen_gid from, to;
    int64_t before; /* index of the arc's records in the old graph; NONE: the arc is added */
    int64_t weight;
} later_arc;

typedef struct later {
    later_node *nodes; /* [node_count] nodes of the next graph */
    later_arc *arcs;   /* [arc_count] arcs of the next graph */
    later_arc *cut;    /* [cut_count] arcs that are removed */
    int64_t node_count, arc_count, cut_count;
} later;

/* Compare arcs by their ends; of equal arcs, the one that stays comes first. */
static int compare_arcs(const void *a, const void *b)
{
    const later_arc *x = (const later_arc *)a, *y = (const later_arc *)b;
    int ends = pen_by_gids(a, b);
    return ends ? ends : (x->before < y->before) - (x->before > y->before);
}

static bool is_there(const later *l, pen_gid gid)
{
    return l->node_count > 0 && bsearch(&gid, l->nodes, (size_t)l->node_count, sizeof *l->nodes, pen_by_gid) != NULL;
}

/* ---- Sets of nodes and arcs ------------------------------------------------------------------- */

/* List the nodes: the old ones without the removed ones, and the added ones. */
static pen_status list_nodes(const pen_oracle *s, const bool *gone, later *l)
{
    const pen_changes *c = s->changes;
    pen_new_node **lowest; /* for each subject, the new node that the requester with the lowest gid adds */
    PEN_TRY(PEN_ALLOC(&l->nodes, s->nodes + c->subject_count));
    PEN_TRY(PEN_ALLOC_ZERO(&lowest, c->subject_count));
    for (pen_new_node *n = c->newest; n; n = n->previous)
        if (!lowest[n->subject] || n->by < lowest[n->subject]->by) lowest[n->subject] = n;
    for (pen_lid i = 0; i < s->nodes; i++)
        if (!gone[i]) l->nodes[l->node_count++] = (later_node){ s->gids[i], i, NULL };
    for (int64_t i = 0; i < c->subject_count; i++)
        if (lowest[i]) l->nodes[l->node_count++] = (later_node){ c->subjects[i].gid, NONE, lowest[i] };
    free(lowest);
    if (l->node_count > 0) qsort(l->nodes, (size_t)l->node_count, sizeof *l->nodes, pen_by_gid);
    return PEN_OK;
}

static void put(later_arc *list, int64_t *count, const pen_oracle *s, const pen_edge_request *e)
{
    pen_gid from = s->changes->subjects[e->from].gid, to = s->changes->subjects[e->to].gid;
    list[(*count)++] = (later_arc){ from, to, NONE, e->weight };
    if (!s->directed) list[(*count)++] = (later_arc){ to, from, NONE, e->weight };
}

/* List the arcs: the old ones without the removed ones and those of removed nodes, and the added ones whose two ends
 * exist. */
static pen_status list_arcs(const pen_oracle *s, const bool *gone, later *l)
{
    const pen_changes *c = s->changes;
    PEN_TRY(PEN_ALLOC(&l->cut, 2 * c->edge_count));
    PEN_TRY(PEN_ALLOC(&l->arcs, (int64_t)s->rows[s->nodes] + 2 * c->edge_count));
    for (int64_t i = 0; i < c->edge_count; i++)
        if (c->edges[i].weight == 0) put(l->cut, &l->cut_count, s, &c->edges[i]);
    if (l->cut_count > 0) qsort(l->cut, (size_t)l->cut_count, sizeof *l->cut, pen_by_gids);
    for (pen_lid i = 0; i < s->nodes; i++)
        for (uint32_t a = s->rows[i]; a < s->rows[i + 1]; a++) {
            later_arc arc = { s->gids[i], s->gids[s->columns[a]], a, s->edge_weights ? s->edge_weights[a] : 1 };
            if (gone[i] || gone[s->columns[a]]) continue;
            if (l->cut_count > 0 && bsearch(&arc, l->cut, (size_t)l->cut_count, sizeof arc, pen_by_gids)) continue;
            l->arcs[l->arc_count++] = arc;
        }
    for (int64_t i = 0; i < c->edge_count; i++)
        if (c->edges[i].weight > 0 && is_there(l, c->subjects[c->edges[i].from].gid) &&
            is_there(l, c->subjects[c->edges[i].to].gid))
            put(l->arcs, &l->arc_count, s, &c->edges[i]);
    if (l->arc_count > 0) qsort(l->arcs, (size_t)l->arc_count, sizeof *l->arcs, compare_arcs);
    return PEN_OK;
}

/* Merge equal arcs: an arc that stays gets the weight of the one that is added. */
static void unite_arcs(later *l)
{
    int64_t n = 0;
    for (int64_t i = 0; i < l->arc_count; i++) {
        if (n > 0 && pen_by_gids(&l->arcs[n - 1], &l->arcs[i]) == 0) l->arcs[n - 1].weight = l->arcs[i].weight;
        else l->arcs[n++] = l->arcs[i];
    }
    l->arc_count = n;
}

/* ---- The next graph and its records ------------------------------------------------------------ */

static pen_status build_graph(const pen_oracle *old, const later *l, pen_oracle *s)
{
    const pen_changes *c = old->changes;
    PEN_TRY(pen_to_lid(l->node_count, "nodes", &s->nodes));
    PEN_TRY(PEN_ALLOC(&s->gids, s->nodes));
    PEN_TRY(PEN_ALLOC_ZERO(&s->rows, (int64_t)s->nodes + 1));
    PEN_TRY(PEN_ALLOC(&s->columns, l->arc_count));
    if (old->node_weights || c->weighs_nodes) PEN_TRY(PEN_ALLOC(&s->node_weights, s->nodes));
    if (old->edge_weights || c->weighs_edges) PEN_TRY(PEN_ALLOC(&s->edge_weights, l->arc_count));
    if (old->directed) PEN_TRY(PEN_ALLOC_ZERO(&s->readers, s->nodes));
    for (pen_lid i = 0; i < s->nodes; i++) s->gids[i] = l->nodes[i].gid;
    for (int64_t a = 0; a < l->arc_count; a++) {
        s->rows[pen_oracle_find(s, l->arcs[a].from) + 1]++;
        s->columns[a] = pen_oracle_find(s, l->arcs[a].to);
        if (s->readers) s->readers[s->columns[a]]++;
        if (s->edge_weights) s->edge_weights[a] = l->arcs[a].weight;
    }
    for (pen_lid i = 0; i < s->nodes; i++) s->rows[i + 1] += s->rows[i];
    for (pen_lid i = 0; s->node_weights && i < s->nodes; i++) {
        const later_node *node = &l->nodes[i];
        if (node->newborn) s->node_weights[i] = node->newborn->weight;
        else s->node_weights[i] = old->node_weights ? old->node_weights[node->before] : 1;
    }
    for (int64_t k = 0; s->node_weights && k < c->weight_count; k++) {
        pen_lid node = pen_oracle_find(s, c->subjects[c->weights[k].subject].gid);
        if (node != NONE) s->node_weights[node] = c->weights[k].weight;
    }
    return PEN_OK;
}

/* Copy the coordinates. Places that followed from the gids of a grid become coordinates. If one node has no
 * coordinates, no node has any. */
static pen_status copy_coordinates(const pen_oracle *old, const later *l, pen_oracle *s)
{
    const int dimensions = old->changes->unplaced > 0 ? 0 : old->changes->dimensions;
    s->grid.width = 0;
    s->view.dimensions = dimensions;
    if (dimensions == 0) return PEN_OK;
    PEN_TRY(PEN_ALLOC(&s->coordinates, (int64_t)s->nodes * dimensions));
    for (pen_lid i = 0; i < s->nodes; i++) {
        const later_node *node = &l->nodes[i];
        double at[3];
        const double *from = node->newborn ? node->newborn->at : at;
        if (!node->newborn && old->coordinates) from = old->coordinates + (int64_t)node->before * dimensions;
        else if (!node->newborn) pen_grid_place(&old->grid, node->gid, at);
        memcpy(s->coordinates + (int64_t)i * dimensions, from, (size_t)dimensions * sizeof *from);
    }
    return PEN_OK;
}

static pen_status copy_records(const pen_oracle *old, const later *l, pen_oracle *s)
{
    const pen_app *app = old->app;
    PEN_TRY(PEN_ALLOC_ZERO(&s->now, app->fields.count));
    PEN_TRY(PEN_ALLOC_ZERO(&s->then, app->fields.count));
    for (int f = 0; f < app->fields.count; f++) {
        const size_t size = old->sizes[f];
        PEN_TRY(pen_alloc_zero(&s->now[f], s->nodes, size));
        PEN_TRY(pen_alloc_zero(&s->then[f], s->nodes, size));
        for (pen_lid i = 0; i < s->nodes; i++) {
            const later_node *node = &l->nodes[i];
            memcpy((char *)s->now[f] + (size_t)i * size,
                   node->newborn ? pen_first_record(node->newborn, f)
                                 : (char *)old->now[f] + (size_t)node->before * size,
                   size);
        }
    }
    return PEN_OK;
}

/* The records of new arcs are zero; those of permanent input columns have their defaults (.otherwise). */
static pen_status copy_edge_records(const pen_oracle *old, const later *l, pen_oracle *s)
{
    const pen_app *app = old->app;
    PEN_TRY(PEN_ALLOC_ZERO(&s->edges, app->edge_fields.count));
    for (int e = 0; e < app->edge_fields.count; e++) {
        const size_t size = app->edge_fields.list[e].size;
        PEN_TRY(pen_alloc_zero(&s->edges[e], l->arc_count, size));
        for (int64_t a = 0; a < l->arc_count; a++)
            if (l->arcs[a].before != NONE)
                memcpy((char *)s->edges[e] + (size_t)a * size, (char *)old->edges[e] + (size_t)l->arcs[a].before * size,
                       size);
    }
    for (int c = 0; c < app->inputs.count; c++) {
        const int e = pen_app_permanent_edge_field(app, c);
        const double otherwise = pen_input_otherwise(&app->inputs.list[c]);
        for (int64_t a = 0; e >= 0 && a < l->arc_count; a++)
            if (l->arcs[a].before == NONE) ((double *)s->edges[e])[a] = otherwise;
    }
    return PEN_OK;
}

static pen_status build(const pen_oracle *old, const bool *gone, later *l, pen_oracle *s)
{
    PEN_TRY(list_nodes(old, gone, l));
    PEN_TRY(list_arcs(old, gone, l));
    unite_arcs(l);
    PEN_TRY(build_graph(old, l, s));
    PEN_TRY(copy_coordinates(old, l, s));
    PEN_TRY(copy_records(old, l, s));
    return copy_edge_records(old, l, s);
}

static bool is_gone(const void *context, pen_gid gid)
{
    const pen_changes *c = (const pen_changes *)context;
    if (c->subject_count == 0) return false;
    const uint32_t *entry = pen_key_entry(&c->table, c->subjects, sizeof *c->subjects, (uint64_t)gid);
    return *entry && c->subjects[*entry - 1].removed;
}

/* Carry out the requests of nodes. */
static pen_status oracle_change(pen_oracle *s)
{
    later l = { .nodes = NULL };
    bool *gone;
    pen_oracle after = *s;
    pen_oracle_forget(&after);
    PEN_TRY(PEN_ALLOC_ZERO(&gone, s->nodes));
    for (int64_t i = 0; i < s->changes->subject_count; i++) {
        const pen_subject *subject = &s->changes->subjects[i];
        pen_lid node = pen_oracle_find(s, subject->gid);
        if (subject->removed && node != NONE) gone[node] = true;
    }
    pen_status status = build(s, gone, &l, &after);
    PEN_FREE_ALL(gone, l.nodes, l.arcs, l.cut);
    pen_oracle old = *s;
    if (status == PEN_OK) *s = after;
    pen_oracle_drop(status == PEN_OK ? &old : &after);
    PEN_TRY(status);
    PEN_TRY(pen_oracle_post_change(&s->post, is_gone, s->changes, s->nodes, s->gids));
    s->shown.graph.nodes = s->nodes;
    s->shown.graph.edges = s->directed ? (int64_t)s->rows[s->nodes] : (int64_t)s->rows[s->nodes] / 2;
    pen_changes_clear(s->changes);
    pen_oracle_bind(s);
    return PEN_OK;
}

/* Every byte of unwritten next records. It differs from the run's pattern, so that a record that a node does not write
 * is different here. */
enum { UNWRITTEN = 0x5a };

static pen_status lay_out_fields(pen_oracle *s)
{
    const pen_app *app = s->app;
    PEN_TRY(PEN_ALLOC(&s->sizes, app->fields.count));
    PEN_TRY(PEN_ALLOC_ZERO(&s->now, app->fields.count));
    PEN_TRY(PEN_ALLOC_ZERO(&s->then, app->fields.count));
    for (int f = 0; f < app->fields.count; f++) {
        s->sizes[f] = app->fields.list[f].size;
        PEN_TRY(pen_alloc_zero(&s->now[f], s->nodes, s->sizes[f]));
        PEN_TRY(pen_alloc_zero(&s->then[f], s->nodes, s->sizes[f]));
    }
    PEN_TRY(PEN_ALLOC_ZERO(&s->edges, app->edge_fields.count));
    PEN_TRY(PEN_ALLOC_ZERO(&s->own_edges, app->edge_fields.count));
    for (int e = 0; e < app->edge_fields.count; e++)
        PEN_TRY(pen_alloc_zero(&s->edges[e], s->rows[s->nodes], app->edge_fields.list[e].size));
    PEN_TRY(PEN_ALLOC_ZERO(&s->inputs, app->inputs.count));
    if (app->globals) PEN_TRY(pen_alloc_zero(&s->globals, 1, app->globals->size));
    return pen_observation_create(app, &s->observation);
}

/* ---- Values from files -------------------------------------------------------------------------- */

static pen_lid find_node(void *context, pen_gid gid) { return pen_oracle_find((const pen_oracle *)context, gid); }

/* Find the owners of gids: all nodes are on this rank. */
static pen_status find_owners(void *context, pen_status mine, int64_t count, const pen_gid *gids, int32_t *owners)
{
    for (int64_t i = 0; mine == PEN_OK && i < count; i++)
        owners[i] = find_node(context, gids[i]) >= 0 ? 0 : PEN_OWNER_UNKNOWN;
    return mine;
}

/* Read the run's input files with one rank only. */
static pen_status read_inputs(pen_oracle *s, pen_comm *self, double **values)
{
    const pen_input_nodes nodes = { .comm = self,
                                    .directed = s->directed,
                                    .count = s->nodes,
                                    .gids = s->gids,
                                    .rows = s->rows,
                                    .columns = s->columns,
                                    .context = s,
                                    .find = find_node,
                                    .resolve = find_owners };
    for (int c = 0; c < s->app->inputs.count; c++) {
        const pen_input_column *column = &s->app->inputs.list[c];
        const int field = pen_app_permanent_field(s->app, c), edge_field = pen_app_permanent_edge_field(s->app, c);
        if (field >= 0) values[c] = (double *)s->now[field];
        else if (edge_field >= 0) values[c] = (double *)s->edges[edge_field];
        else PEN_TRY(PEN_ALLOC(&values[c], column->of_edges ? (int64_t)s->rows[s->nodes] : s->nodes));
        s->inputs[c] = values[c];
    }
    return pen_input_read(pen_input_files_of(&s->shown), &nodes, values);
}

static pen_status begin_inputs(pen_oracle *s)
{
    pen_comm *self = NULL;
    double **values = NULL;
    if (s->app->inputs.count == 0) return PEN_OK;
    PEN_TRY(pen_comm_create(MPI_COMM_SELF, &self));
    pen_status status = PEN_ALLOC_ZERO(&values, s->app->inputs.count);
    if (status == PEN_OK) status = read_inputs(s, self, values);
    free(values);
    pen_comm_destroy(&self);
    return status;
}

static void drop_inputs(pen_oracle *s)
{
    for (int c = 0; s->inputs && c < s->app->inputs.count; c++) {
        if (s->app->inputs.list[c].permanent) continue;
        free((void *)(uintptr_t)s->inputs[c]);
        s->inputs[c] = NULL;
    }
}

/* ---- Computing ---------------------------------------------------------------------------------- */

static void open_edges(pen_oracle *s, uint64_t writes)
{
    for (int e = 0; e < s->app->edge_fields.count; e++) s->own_edges[e] = writes >> e & 1 ? s->edges[e] : NULL;
}

static void init_edges(pen_oracle *s)
{
    for (int f = 0; f < s->app->fields.count; f++) {
        s->view.current[f] = s->now[f];
        s->view.next[f] = NULL;
    }
    open_edges(s, UINT64_MAX);
    pen_call_nodes(&s->view, &(pen_phase){ .node = s->app->init_edges }, 0, s->nodes);
}

/* Whether this step is one after which the run can end because nothing changes. */
static bool looks(const pen_oracle *s) { return s->restless && (s->shown.step + 1) % PEN_QUIET_STEPS == 0; }

static pen_status compute_far(pen_oracle *s, const pen_phase *phase)
{
    for (int f = 0; f < s->app->fields.count; f++) {
        s->view.current[f] = s->now[f];
        s->view.next[f] = NULL;
    }
    open_edges(s, 0);
    PEN_TRY(PEN_REALLOC(&s->first, (int64_t)s->nodes + 1));
    s->requests.count = 0;
    s->view.library.restless = looks(s) ? s->restless : NULL;
    for (pen_lid i = 0; i < s->nodes; i++) {
        s->view.slot = i;
        s->first[i] = s->requests.count;
        phase->far(&s->view, &s->requests);
    }
    s->view.library.restless = NULL;
    s->first[s->nodes] = s->requests.count;
    PEN_TRY(s->requests.status);
    PEN_TRY(PEN_REALLOC(&s->wanted, s->requests.room));
    for (int64_t i = 0; i < s->requests.count; i++) s->wanted[i] = pen_oracle_find(s, s->requests.gids[i]);
    s->far = (pen_far){ s->first, s->requests.gids, s->wanted, s->nodes, NULL };
    s->view.library.far = &s->far;
    return PEN_OK;
}

static pen_status ask_nodes(pen_oracle *s, const pen_phase *phase)
{
    if (!s->changes) PEN_TRY(pen_app_changes(s->app, s->app->fields.count, s->sizes, &s->changes));
    pen_changes_begin(s->changes, s->view.dimensions > 0 ? s->view.dimensions : pen_grid_dimensions(&s->grid));
    for (; s->view.slot < s->nodes; s->view.slot++) {
        pen_changes_by(s->changes, s->view.slot, pen_id(&s->view));
        phase->modify(&s->view, s->changes);
    }
    return pen_changes_status(s->changes);
}

/* Overwrite transient records, which have no meaning after a step. */
static void forget(pen_oracle *s)
{
    for (int f = 0; f < s->app->fields.count; f++)
        if (s->app->fields.list[f].transient) memset(s->now[f], UNWRITTEN, (size_t)s->nodes * s->sizes[f]);
}

/* Note whether a phase has changed a record. */
static void note_changes(pen_oracle *s, const pen_phase *phase)
{
    for (int f = 0; f < s->app->fields.count; f++)
        if (phase->writes.bits >> f & 1 && memcmp(s->now[f], s->then[f], (size_t)s->nodes * s->sizes[f]) != 0)
            s->changed = true;
}

static pen_status compute_phase(pen_oracle *s, const pen_phase *phase)
{
    PEN_INSIDE(phase->name);
    s->view.library.far = NULL;
    if (phase->far) PEN_TRY(compute_far(s, phase));
    for (int f = 0; f < s->app->fields.count; f++) {
        s->view.current[f] = s->now[f];
        s->view.next[f] = phase->writes.bits >> f & 1 ? s->then[f] : NULL;
        if (s->view.next[f]) memset(s->then[f], UNWRITTEN, (size_t)s->nodes * s->sizes[f]);
        if (phase->updates.bits >> f & 1) memcpy(s->then[f], s->now[f], (size_t)s->nodes * s->sizes[f]);
    }
    open_edges(s, phase->edge_writes.bits);
    s->view.slot = 0;
    s->view.library.restless = looks(s) ? s->restless : NULL;
    pen_oracle_post_begin(&s->post, phase->sends.bits);
    if (!phase->modify) pen_call_nodes(&s->view, phase, 0, s->nodes);
    if (phase->modify) PEN_TRY(ask_nodes(s, phase));
    s->view.library.restless = NULL;
    for (int k = 0; k < s->post.kinds; k++) {
        const bool received = phase->receives.bits >> k & 1 && s->post.of[k].count > 0;
        s->changed = s->changed || received || s->post.out[k].count > 0;
    }
    if ((phase->sends.bits | phase->receives.bits) != 0)
        PEN_TRY(pen_oracle_post_end(&s->post, phase->receives.bits, s->nodes, s->gids));
    if (looks(s)) note_changes(s, phase);
    for (int f = 0; f < s->app->fields.count; f++)
        if (phase->writes.bits >> f & 1) {
            void *old = s->now[f];
            s->now[f] = s->then[f];
            s->then[f] = old;
        }
    if (!phase->modify) return PEN_OK;
    if (pen_changes_any(s->changes)) PEN_TRY(oracle_change(s));
    forget(s);
    return PEN_OK;
}

/* Evaluate observables of the present records. */
static pen_status evaluate(pen_oracle *s, int evaluation, pen_observe_fn *observe, int64_t step)
{
    pen_comm self = { .mpi = MPI_COMM_SELF };
    if (!observe) return PEN_OK;
    for (int f = 0; f < s->app->fields.count; f++) {
        s->view.current[f] = s->now[f];
        s->view.next[f] = NULL;
    }
    s->view.step = step;
    open_edges(s, 0);
    pen_observation_begin(s->observation, evaluation);
    pen_call_observe(&s->view, observe, s->observation, 0, s->nodes);
    return pen_observation_reduce(&self, s->observation);
}

static void show_globals(pen_oracle *s)
{
    pen_values_of_globals(&s->observation->values, s->globals, s->observation->ints, s->observation->reals);
}

/* Update the globals after an evaluation. */
static void update_globals(pen_oracle *s, int phase)
{
    const pen_globals *g = s->app->globals;
    if (!g || !g->update) return;
    g->update(&s->shown, phase, s->app->params, s->globals);
    show_globals(s);
}

/* Whether the step that has just been counted has changed nothing. */
static bool is_quiet(const pen_oracle *s)
{
    const bool looked = s->restless && s->shown.step > 0 && s->shown.step % PEN_QUIET_STEPS == 0;
    return looked && !s->changed && (s->nodes == 0 || !memchr(s->restless, true, (size_t)s->nodes));
}

/* Finish a step: take over globals that the program has set, and decide whether the run ends here. */
static void end_step(pen_oracle *s)
{
    const int64_t given = s->given;
    s->shown.quiet = is_quiet(s);
    if (s->shown.step > 0) s->shown.end = pen_observables_end(&s->shown);
    if (s->globals) pen_globals_give(&s->shown, s->shown.step, &s->given, s->globals);
    if (s->given == given) return;
    show_globals(s);
    if (s->shown.step > 0) s->shown.end = pen_observables_end(&s->shown);
}

static pen_status compute_step(pen_oracle *s)
{
    const pen_app *app = s->app;
    s->changed = false;
    if (s->restless) memset(s->restless, 0, (size_t)s->nodes * sizeof *s->restless);
    for (int p = 0; p < app->phases.count; p++) {
        PEN_TRY(evaluate(s, p + 1, app->phases.list[p].observe, s->shown.step));
        if (app->phases.list[p].observes.bits) update_globals(s, p);
        s->view.step = s->shown.step;
        PEN_TRY(compute_phase(s, &app->phases.list[p]));
    }
    forget(s);
    PEN_TRY(evaluate(s, PEN_AFTER_STEP, app->observables.observe, s->shown.step));
    s->shown.step++;
    update_globals(s, PEN_BETWEEN_STEPS);
    end_step(s);
    return PEN_OK;
}

/* Compute the steps, with a progress line if the run has one. */
static pen_status compute_steps(const pen_run *run, pen_oracle *s, int64_t steps)
{
    pen_phase init = { "init", .node = s->app->init, .writes.bits = ~pen_app_permanent_fields(s->app),
                       .sends.bits = pen_app_mails(s->app) };
    PEN_TRY(begin_inputs(s));
    PEN_TRY(compute_phase(s, &init));
    if (s->app->init_edges) init_edges(s);
    drop_inputs(s);
    PEN_TRY(evaluate(s, PEN_AFTER_STEP, s->app->observables.observe, -1));
    update_globals(s, PEN_BETWEEN_STEPS);
    end_step(s);
    pen_progress_line line = pen_reporting_again(run, steps);
    pen_status status = PEN_OK;
    while (status == PEN_OK && s->shown.step < steps && s->shown.end == PEN_END_OPEN) {
        status = compute_step(s);
        if (pen_progress_due(&line)) pen_progress_show(&line, s->shown.step, ", --verify");
    }
    pen_progress_end(&line);
    PEN_TRY(status);
    open_edges(s, 0);
    for (int f = 0; f < s->app->fields.count; f++) s->view.current[f] = s->now[f];
    s->view.step = s->shown.step;
    return PEN_OK;
}

pen_status pen_oracle_compute(const pen_run *run, const pen_rows *rows, const pen_graph *graph, pen_oracle *s)
{
    *s = (pen_oracle){ .app = run->app, .directed = graph->directed, .grid = pen_graph_world(graph) };
    PEN_TRY(pen_oracle_lay_out(s, rows));
    PEN_TRY(lay_out_fields(s));
    PEN_TRY(pen_oracle_post_open(run->app, &s->post));
    if (pen_until_quiet(run)) PEN_TRY(PEN_ALLOC_ZERO(&s->restless, s->nodes));
    s->view = (pen_view){ .sizes = s->sizes,
                          .params = run->app->params,
                          .dimensions = rows->format.dimensions,
                          .seed = run->world.seed,
                          .own_edges = s->own_edges,
                          .inputs = s->inputs,
                          .library = { .scratch = run->view.library.scratch,
                                       .observed_ints = s->observation->ints,
                                       .observed_reals = s->observation->reals,
                                       .components = s->observation->values.components,
                                       .globals = s->globals,
                                       .mailboxes = s->post.shown,
                                       .outboxes = s->post.out } };
    pen_oracle_bind(s);
    s->shown = *run;
    s->shown.graph.nodes = run->world.nodes;
    s->shown.graph.edges = run->graph.first_edges;
    s->shown.observation = s->observation;
    s->shown.globals = s->globals;
    s->shown.step = 0;
    s->shown.end = PEN_END_OPEN;
    return compute_steps(run, s, run->step);
}

void pen_oracle_free(pen_oracle *s)
{
    pen_oracle_drop(s);
    pen_changes_destroy(&s->changes);
    drop_inputs(s);
    PEN_FREE_ALL(s->sizes, s->own_edges, s->inputs, s->requests.gids, s->first, s->wanted, s->globals, s->restless);
    pen_oracle_post_close(&s->post);
    pen_observation_destroy(&s->observation);
}

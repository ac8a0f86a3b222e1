/* replay_views.c - makes the views of a replay's ranks. */
#include "tools/sim/replay_views.h"
#include "base/memory.h"
#include "view/view.h"

#include <stdlib.h>

/* The graph as algorithms see it, by places. */
typedef struct shape {
    const uint32_t *rows;
    const int32_t *columns;
    /* Weights of edges; NULL: all are 1. Weights that nodes read; NULL: equal to the weights. */
    const int64_t *weights, *reads;
} shape;

typedef struct making {
    const replay_world *world;
    shape graph;
    replay_views *views;
    /* Node order[k] is read by the ranks readers[reader_first[k] .. reader_first[k+1]), ascending. */
    int64_t *reader_first; /* [nodes+1] index of each node's first reader */
    int32_t *readers;
    int64_t reader_room;
    int64_t *shadow_first; /* [ranks+1] index of each rank's first shadow */
    int32_t *shadows;      /* places of the shadows, rank by rank */
    int64_t shadow_room;
    int64_t *stamps; /* [max(ranks, places)] marks of a search */
} making;

/* ---- The order of own nodes -------------------------------------------------------------------- */

typedef struct labelled {
    pen_gid gid; /* the gid; the first member, because it is the sort key */
    int32_t place;
} labelled;

pen_status pen_replay_sort_by_gid(const pen_workload *w, int64_t count, int32_t *places)
{
    labelled *nodes;
    int64_t sorted = 1;
    while (sorted < count && w->gids[places[sorted - 1]] < w->gids[places[sorted]]) sorted++;
    if (sorted >= count) return PEN_OK;
    PEN_TRY(PEN_ALLOC(&nodes, count));
    for (int64_t i = 0; i < count; i++) nodes[i] = (labelled){ w->gids[places[i]], places[i] };
    qsort(nodes, (size_t)count, sizeof *nodes, pen_by_gid);
    for (int64_t i = 0; i < count; i++) places[i] = nodes[i].place;
    free(nodes);
    return PEN_OK;
}

pen_status pen_replay_list_by_gid(const pen_workload *w, int32_t **places)
{
    int64_t count = 0;
    PEN_TRY(PEN_ALLOC(places, w->nodes));
    for (int32_t i = 0; i < w->places; i++)
        if (w->gids[i] >= 0) (*places)[count++] = i;
    return pen_replay_sort_by_gid(w, count, *places);
}

static pen_status list_readers(making *m, int64_t k, int32_t rank)
{
    const shape *g = &m->graph;
    const int32_t place = m->views->order[k], *owners = m->world->owners;
    int64_t count = m->reader_first[k];
    for (uint32_t a = g->rows[place]; a < g->rows[place + 1]; a++) {
        int32_t reader = owners[g->columns[a]];
        bool reads = !g->reads || g->weights[a] > g->reads[a];
        if (!reads || reader == rank || m->stamps[reader] == k + 1) continue;
        m->stamps[reader] = k + 1;
        PEN_TRY(pen_reserve(&m->readers, sizeof *m->readers, count + 1, &m->reader_room));
        m->readers[count++] = reader;
    }
    int64_t first = m->reader_first[k];
    if (count - first > 1) qsort(m->readers + first, (size_t)(count - first), sizeof *m->readers, pen_by_int32);
    m->reader_first[k + 1] = count;
    return PEN_OK;
}

static pen_status list_all_readers(making *m)
{
    const replay_views *v = m->views;
    memset(m->stamps, 0, (size_t)m->world->ranks * sizeof *m->stamps);
    m->reader_first[0] = 0;
    for (int r = 0; r < m->world->ranks; r++)
        for (int64_t k = v->starts[r]; k < v->starts[r + 1]; k++) PEN_TRY(list_readers(m, k, r));
    return PEN_OK;
}

typedef struct wanted {
    pen_gid gid;
    int32_t place;
    int64_t count;
    const int32_t *readers; /* [count] the ranks that read the node */
} wanted;

/* Compare like compare_wanted in store/place.c. */
static int by_readers(const void *a, const void *b)
{
    const wanted *x = (const wanted *)a, *y = (const wanted *)b;
    for (int64_t i = 0; i < x->count && i < y->count; i++)
        if (x->readers[i] != y->readers[i]) return x->readers[i] < y->readers[i] ? -1 : 1;
    if (x->count != y->count) return x->count < y->count ? -1 : 1;
    return (x->gid > y->gid) - (x->gid < y->gid);
}

/* Order a rank's nodes, which ascend by gid: those that are read come first. `nodes` and `sorted` have room for all. */
static void order_nodes(making *m, int rank, wanted *nodes, int32_t *sorted)
{
    replay_views *v = m->views;
    const int64_t first = v->starts[rank], end = v->starts[rank + 1];
    int64_t read = 0, at = first;
    for (int64_t k = first; k < end; k++) {
        int64_t count = m->reader_first[k + 1] - m->reader_first[k];
        if (count > 0)
            nodes[read++] = (wanted){ m->world->record->gids[v->order[k]], v->order[k], count,
                                      m->readers + m->reader_first[k] };
    }
    if (read > 0) qsort(nodes, (size_t)read, sizeof *nodes, by_readers);
    for (int64_t i = 0; i < read; i++) sorted[at++] = nodes[i].place;
    for (int64_t k = first; k < end; k++)
        if (m->reader_first[k + 1] == m->reader_first[k]) sorted[at++] = v->order[k];
    for (int64_t k = first; k < end; k++) v->index[sorted[k]] = (pen_lid)(k - first);
}

static pen_status order_all(making *m)
{
    replay_views *v = m->views;
    const int64_t nodes = m->world->record->nodes;
    wanted *read = NULL;
    int32_t *sorted = NULL;
    PEN_TRY(PEN_ALLOC(&read, nodes));
    pen_status status = PEN_ALLOC(&sorted, nodes);
    if (status == PEN_OK) {
        for (int r = 0; r < m->world->ranks; r++) order_nodes(m, r, read, sorted);
        memcpy(v->order, sorted, (size_t)nodes * sizeof *sorted);
        status = list_all_readers(m);
    }
    PEN_FREE_ALL(read, sorted);
    return status;
}

/* ---- Shadows ----------------------------------------------------------------------------------- */

/* List the shadows in an undirected graph: owner by owner, in the owners' order. */
static pen_status list_shadows_by_owner(making *m)
{
    const replay_views *v = m->views;
    const int64_t all = m->reader_first[m->world->record->nodes];
    int64_t *first = m->shadow_first;
    PEN_TRY(pen_reserve(&m->shadows, sizeof *m->shadows, all, &m->shadow_room));
    for (int64_t i = 0; i < all; i++) first[m->readers[i] + 1]++;
    for (int r = 0; r < m->world->ranks; r++) first[r + 1] += first[r];
    for (int64_t k = m->world->record->nodes; k-- > 0;)
        for (int64_t i = m->reader_first[k]; i < m->reader_first[k + 1]; i++)
            m->shadows[--first[m->readers[i] + 1]] = v->order[k];
    /* Here first[r + 1] is the beginning of rank r's shadows. */
    for (int r = 0; r < m->world->ranks; r++) first[r] = first[r + 1];
    first[m->world->ranks] = all;
    return PEN_OK;
}

/* List a rank's shadows in a directed graph, by gid. */
static pen_status list_shadows_of(making *m, int rank)
{
    const replay_views *v = m->views;
    const shape *g = &m->graph;
    const pen_workload *w = m->world->record;
    int64_t first = m->shadow_first[rank], count = first;
    for (int64_t k = v->starts[rank]; k < v->starts[rank + 1]; k++)
        for (uint32_t a = g->rows[v->order[k]]; a < g->rows[v->order[k] + 1]; a++) {
            int32_t neighbor = g->columns[a];
            if (m->world->owners[neighbor] == rank || m->stamps[neighbor] == rank + 1) continue;
            m->stamps[neighbor] = rank + 1;
            PEN_TRY(pen_reserve(&m->shadows, sizeof *m->shadows, count + 1, &m->shadow_room));
            m->shadows[count++] = neighbor;
        }
    m->shadow_first[rank + 1] = count;
    return pen_replay_sort_by_gid(w, count - first, m->shadows + first);
}

static pen_status list_shadows(making *m)
{
    if (!m->graph.reads) return list_shadows_by_owner(m);
    memset(m->stamps, 0, (size_t)m->world->places * sizeof *m->stamps);
    for (int r = 0; r < m->world->ranks; r++) PEN_TRY(list_shadows_of(m, r));
    return PEN_OK;
}

/* ---- Views ------------------------------------------------------------------------------------- */

static pen_status allocate(const making *m, replay_views *v)
{
    const pen_workload *w = m->world->record;
    const int64_t all = w->nodes + m->shadow_first[m->world->ranks], arcs = m->graph.rows[w->places];
    PEN_TRY(PEN_ALLOC_ZERO(&v->views, m->world->ranks));
    PEN_TRY(PEN_ALLOC(&v->gids, all));
    PEN_TRY(PEN_ALLOC(&v->owners, all - w->nodes));
    PEN_TRY(PEN_ALLOC(&v->loads, w->nodes));
    if (w->phase_loads) PEN_TRY(PEN_ALLOC(&v->phase_loads, (int64_t)w->nodes * w->world.load_phases));
    PEN_TRY(PEN_ALLOC(&v->rows, (int64_t)w->nodes + m->world->ranks));
    PEN_TRY(PEN_ALLOC(&v->columns, arcs));
    if (m->graph.weights) PEN_TRY(PEN_ALLOC(&v->weights, arcs));
    if (m->graph.reads) PEN_TRY(PEN_ALLOC(&v->reads, arcs));
    if (w->coordinates) PEN_TRY(PEN_ALLOC(&v->coordinates, (int64_t)w->nodes * w->world.dimensions));
    return PEN_OK;
}

/* Fill one rank's view; `arc` is its first arc. Returns the first arc of the next rank. */
static int64_t fill(making *m, int rank, const double *loads, int64_t arc)
{
    replay_views *v = m->views;
    const shape *g = &m->graph;
    const pen_workload *w = m->world->record;
    const int64_t start = v->starts[rank], count = v->starts[rank + 1] - start;
    const int64_t shadow = m->shadow_first[rank], shadows = m->shadow_first[rank + 1] - shadow;
    const int64_t first_arc = arc;
    const int phases = w->world.load_phases;
    pen_gid *gids = v->gids + start + shadow;
    uint32_t *rows = v->rows + start + rank;
    for (int64_t i = 0; i < shadows; i++) {
        int32_t place = m->shadows[shadow + i];
        gids[count + i] = w->gids[place];
        v->owners[shadow + i] = m->world->owners[place];
        m->stamps[place] = count + i;
    }
    rows[0] = 0;
    for (int64_t i = 0; i < count; i++) {
        int32_t place = v->order[start + i];
        gids[i] = w->gids[place];
        v->loads[start + i] = loads[place];
        for (int p = 0; v->phase_loads && p < phases; p++)
            v->phase_loads[(start + i) * phases + p] = w->phase_loads[(int64_t)place * phases + p];
        for (uint32_t a = g->rows[place]; a < g->rows[place + 1]; a++, arc++) {
            int32_t neighbor = g->columns[a];
            bool own = m->world->owners[neighbor] == rank;
            v->columns[arc] = own ? v->index[neighbor] : (pen_lid)m->stamps[neighbor];
            if (g->weights) v->weights[arc] = g->weights[a];
            if (g->reads) v->reads[arc] = g->reads[a];
        }
        rows[i + 1] = (uint32_t)(arc - first_arc);
        for (int d = 0; d < w->world.dimensions && v->coordinates; d++)
            v->coordinates[(start + i) * w->world.dimensions + d] =
                w->coordinates[(int64_t)place * w->world.dimensions + d];
    }
    v->views[rank] = (pen_load_view){ .count = (pen_lid)count,
                                      .shadows = (pen_lid)shadows,
                                      .gids = gids,
                                      .owners = v->owners + shadow,
                                      .loads = v->loads + start,
                                      .rows = rows,
                                      .columns = v->columns + first_arc,
                                      .edge_weights = g->weights ? v->weights + first_arc : NULL,
                                      .reads = g->reads ? v->reads + first_arc : NULL,
                                      .phases = phases,
                                      .phase_loads = v->phase_loads ? v->phase_loads + start * phases : NULL };
    return arc;
}

static void place(const making *m, int rank, double horizon, int64_t step, pen_load_view *view)
{
    const pen_workload *record = m->world->record;
    const pen_workload_world *w = &record->world;
    const replay_views *v = m->views;
    view->node_bytes = pen_workload_node_bytes(record);
    view->arc_bytes = w->arc_bytes;
    view->horizon = horizon;
    view->step = step;
    view->dimensions = record->dimensions;
    view->coordinates = record->dimensions > 0 ? v->coordinates + v->starts[rank] * w->dimensions : NULL;
    view->hosts = m->world->hosts;
    view->host = (int)((int64_t)rank * view->hosts / m->world->ranks);
    if (!record->has_changed) {
        view->grid = (pen_grid)w->grid;
        view->width = w->width;
        view->height = w->height;
        view->depth = w->depth;
    }
    pen_load_view_set_machine(view, rank, m->world->machine);
}

static pen_status make_order(making *m)
{
    const replay_world *world = m->world;
    int32_t *places = NULL;
    const int64_t stamps = world->places > world->ranks ? world->places : world->ranks;
    PEN_TRY(PEN_ALLOC(&m->stamps, stamps));
    PEN_TRY(PEN_ALLOC(&m->reader_first, (int64_t)world->record->nodes + 1));
    PEN_TRY(PEN_ALLOC_ZERO(&m->shadow_first, (int64_t)world->ranks + 1));
    PEN_TRY(PEN_ALLOC(&m->views->index, world->places));
    pen_status status = pen_replay_list_by_gid(world->record, &places);
    if (status == PEN_OK) status = pen_replay_world_sort(world, places, &m->views->starts, &m->views->order);
    free(places);
    if (status == PEN_OK) status = list_all_readers(m);
    return status == PEN_OK ? order_all(m) : status;
}

static pen_status make(making *m, const double *loads, double horizon, int64_t step)
{
    int64_t arc = 0;
    PEN_TRY(make_order(m));
    PEN_TRY(list_shadows(m));
    PEN_TRY(allocate(m, m->views));
    for (int r = 0; r < m->world->ranks; r++) {
        arc = fill(m, r, loads, arc);
        place(m, r, horizon, step, &m->views->views[r]);
    }
    return PEN_OK;
}

pen_status pen_replay_views_create(const replay_world *world, const replay_mutual *mutual, const double *loads,
                                   double horizon, int64_t step, replay_views *views)
{
    const pen_workload *w = world->record;
    making m = { .world = world, .graph = { w->rows, w->columns, w->edge_weights, NULL }, .views = views };
    if (w->world.directed) m.graph = (shape){ mutual->rows, mutual->columns, mutual->weights, mutual->reads };
    *views = (replay_views){ .views = NULL };
    pen_status status = make(&m, loads, horizon, step);
    PEN_FREE_ALL(m.reader_first, m.readers, m.shadow_first, m.shadows, m.stamps);
    if (status != PEN_OK) pen_replay_views_free(views);
    return status;
}

void pen_replay_views_free(replay_views *v)
{
    PEN_FREE_ALL(v->views, v->starts, v->order, v->index, v->gids, v->owners, v->loads, v->phase_loads, v->rows,
                 v->columns, v->weights, v->reads, v->coordinates);
    *v = (replay_views){ .views = NULL };
}

/* replay_world.c - the owners, halo and quality of a replay. */
#include "tools/sim/replay_world.h"
#include "balance/partitioners.h"
#include "tools/common/copy.h"
#include "tools/common/start_mpi.h"

#include <stdlib.h>

/* ---- First owners ------------------------------------------------------------------------------ */

/* Make the record's first graph, for a partitioner. */
static pen_status make_graph(const pen_workload *w, pen_graph *g)
{
    const pen_workload_rows *first = &w->first;
    int64_t arcs = first->rows[first->count];
    g->nodes = first->count;
    g->edges = w->world.directed ? arcs : arcs / 2;
    g->directed = w->world.directed;
    g->dense = first->count == 0 || first->gids[first->count - 1] == first->count - 1;
    g->count = (pen_lid)first->count;
    g->grid = (pen_grid)w->world.grid;
    g->width = w->world.width;
    g->height = w->world.height;
    g->depth = w->world.depth;
    PEN_TRY(PEN_COPY(&g->rows, first->rows, first->count + 1));
    PEN_TRY(PEN_COPY(&g->neighbors, first->neighbors, arcs));
    if (!g->dense) PEN_TRY(PEN_COPY(&g->gids, first->gids, first->count));
    if (first->edge_weights) PEN_TRY(PEN_COPY(&g->edge_weights, first->edge_weights, arcs));
    if (!first->coordinates) return PEN_OK;
    g->dimensions = w->world.dimensions;
    return PEN_COPY(&g->coordinates, first->coordinates, first->count * g->dimensions);
}

static pen_status partition(replay_world *world)
{
    pen_graph *graph = NULL;
    PEN_TRY(pen_start_mpi());
    PEN_TRY(pen_graph_new(MPI_COMM_SELF, &graph));
    pen_status status = make_graph(world->record, graph);
    if (status == PEN_OK)
        status = pen_partition(graph, world->partitioner, world->machine, world->ranks, world->owners);
    pen_graph_destroy(&graph);
    return status;
}

/* Make room for the owners of all places. */
static pen_status fit(replay_world *world)
{
    PEN_TRY(pen_reserve(&world->owners, sizeof *world->owners, world->record->places, &world->room));
    for (; world->places < world->record->places; world->places++) world->owners[world->places] = -1;
    return PEN_OK;
}

static pen_status begin(replay_world *world, bool recorded)
{
    const pen_workload_rows *first = &world->record->first;
    PEN_TRY(PEN_ALLOC_ZERO(&world->counts, world->ranks));
    PEN_TRY(fit(world));
    if (!recorded) PEN_TRY(partition(world));
    else if (first->count > 0) memcpy(world->owners, first->owners, (size_t)first->count * sizeof *first->owners);
    for (int64_t i = 0; i < first->count; i++) world->counts[world->owners[i]]++;
    return PEN_OK;
}

pen_status pen_replay_world_create(const pen_workload *record, int ranks, const pen_machine *machine,
                                   const char *partitioner, replay_world *world)
{
    const bool recorded = !partitioner && ranks == record->world.ranks;
    if (!partitioner) partitioner = recorded ? "recorded" : "metis";
    *world = (replay_world){
        .record = record, .ranks = ranks, .hosts = 1, .machine = machine, .partitioner = partitioner
    };
    pen_status status = begin(world, recorded);
    if (status != PEN_OK) pen_replay_world_free(world);
    return status;
}

static void free_halo(replay_halo *h)
{
    PEN_FREE_ALL(h->first, h->readings, h->units);
    *h = (replay_halo){ .first = NULL };
}

void pen_replay_world_free(replay_world *world)
{
    free_halo(&world->halo);
    PEN_FREE_ALL(world->owners, world->counts);
    *world = (replay_world){ .record = NULL };
}

pen_status pen_replay_world_copy(const replay_world *world, replay_world *copy)
{
    *copy = *world;
    copy->owners = NULL;
    copy->counts = NULL;
    copy->halo = (replay_halo){ .first = NULL };
    copy->halo_is_known = false;
    pen_status status = PEN_COPY(&copy->counts, world->counts, world->ranks);
    if (status == PEN_OK) status = PEN_ALLOC(&copy->owners, world->room);
    if (status == PEN_OK && world->places > 0)
        memcpy(copy->owners, world->owners, (size_t)world->places * sizeof *copy->owners);
    if (status != PEN_OK) pen_replay_world_free(copy);
    return status;
}

/* ---- Changes and moves ------------------------------------------------------------------------- */

/* Set owners[i] of each new node in row i: the owner, before the change, of the node that requested it, or else the
 * rank of the recorded run. */
static void place_newborn(const replay_world *world, int32_t *owners)
{
    const pen_workload *w = world->record;
    const pen_workload_rows *rows = &w->change.rows;
    for (int64_t i = 0; i < rows->count; i++) {
        if (rows->parents[i] == PEN_WORKLOAD_STAYED) continue;
        if (w->parents[i] >= 0) owners[i] = world->owners[w->parents[i]];
        else owners[i] = rows->owners[i] < world->ranks ? rows->owners[i] : world->ranks - 1;
    }
}

pen_status pen_replay_world_follow(replay_world *world)
{
    const pen_workload *w = world->record;
    const pen_workload_change *change = &w->change;
    int32_t *owners;
    PEN_TRY(PEN_ALLOC(&owners, change->rows.count));
    pen_status status = fit(world);
    if (status == PEN_OK) {
        place_newborn(world, owners);
        for (int64_t i = 0; i < change->died_count; i++) {
            world->counts[world->owners[w->died[i]]]--;
            world->owners[w->died[i]] = -1;
        }
        for (int64_t i = 0; i < change->rows.count; i++) {
            if (change->rows.parents[i] == PEN_WORKLOAD_STAYED) continue;
            world->owners[w->changed[i]] = owners[i];
            world->counts[owners[i]]++;
        }
        world->changes++;
        world->halo_is_known = false;
    }
    free(owners);
    return status;
}

void pen_replay_world_move(replay_world *world, int64_t count, const int32_t *places, const int32_t *to)
{
    for (int64_t i = 0; i < count; i++) {
        world->counts[world->owners[places[i]]]--;
        world->counts[to[i]]++;
        world->owners[places[i]] = to[i];
    }
    world->moves++;
    world->halo_is_known = false;
}

pen_status pen_replay_world_sort(const replay_world *world, const int32_t *places, int64_t **starts, int32_t **order)
{
    int64_t count = places ? world->record->nodes : world->places, *next = NULL;
    pen_status status = PEN_ALLOC(&next, world->ranks);
    if (status == PEN_OK) status = PEN_ALLOC(starts, (int64_t)world->ranks + 1);
    if (status == PEN_OK) status = PEN_ALLOC(order, world->record->nodes);
    if (status == PEN_OK) {
        (*starts)[0] = 0;
        for (int r = 0; r < world->ranks; r++) {
            next[r] = (*starts)[r];
            (*starts)[r + 1] = (*starts)[r] + world->counts[r];
        }
        for (int64_t i = 0; i < count; i++) {
            int32_t place = places ? places[i] : (int32_t)i;
            if (world->owners[place] >= 0) (*order)[next[world->owners[place]]++] = place;
        }
    }
    free(next);
    return status;
}

/* ---- The halo ---------------------------------------------------------------------------------- */

/* The state of a search for producers, rank by rank. */
typedef struct finding {
    replay_world *world;
    int32_t *seen;       /* [places] 1 + the last rank found to read each node */
    int32_t *reader;     /* [ranks] 1 + the last rank found to read from each rank */
    int64_t *listed;     /* [ranks] index in the halo of that reading */
    int64_t count, room; /* number of readings, and for how many there is room */
} finding;

static pen_status add_producer(finding *f, int rank, int32_t producer)
{
    replay_halo *h = &f->world->halo;
    PEN_TRY(pen_reserve(&h->readings, sizeof *h->readings, f->count + 1, &f->room));
    f->reader[producer] = rank + 1;
    f->listed[producer] = f->count;
    h->readings[f->count++] = (replay_reading){ producer, 0 };
    return PEN_OK;
}

static pen_status find_of_node(finding *f, int rank, int32_t place)
{
    const replay_world *world = f->world;
    const pen_workload *w = world->record;
    const pen_machine *m = world->machine;
    for (uint32_t a = w->rows[place]; a < w->rows[place + 1]; a++) {
        int32_t neighbor = w->columns[a], producer = world->owners[neighbor];
        if (producer == rank) continue;
        bool fresh = f->reader[producer] != rank + 1;
        if (fresh) PEN_TRY(add_producer(f, rank, producer));
        if (m) {
            pen_link link = m->link(m, rank, producer);
            int64_t weight = w->edge_weights ? w->edge_weights[a] : 1;
            world->halo.units[rank] += (double)weight * link.cost + (fresh ? link.latency : 0.0);
        }
        if (f->seen[neighbor] == rank + 1) continue;
        f->seen[neighbor] = rank + 1;
        world->halo.readings[f->listed[producer]].shadows++;
    }
    return PEN_OK;
}

static pen_status find_all(finding *f, const int64_t *starts, const int32_t *order)
{
    replay_world *world = f->world;
    PEN_TRY(PEN_ALLOC_ZERO(&world->halo.first, (int64_t)world->ranks + 1));
    PEN_TRY(PEN_ALLOC_ZERO(&world->halo.units, world->ranks));
    PEN_TRY(PEN_ALLOC_ZERO(&f->seen, world->places));
    PEN_TRY(PEN_ALLOC_ZERO(&f->reader, world->ranks));
    PEN_TRY(PEN_ALLOC(&f->listed, world->ranks));
    for (int r = 0; r < world->ranks; r++) {
        for (int64_t k = starts[r]; k < starts[r + 1]; k++) PEN_TRY(find_of_node(f, r, order[k]));
        world->halo.first[r + 1] = f->count;
    }
    return PEN_OK;
}

pen_status pen_replay_world_find_halo(replay_world *world)
{
    finding f = { .world = world };
    int64_t *starts = NULL;
    int32_t *order = NULL;
    if (world->halo_is_known) return PEN_OK;
    free_halo(&world->halo);
    pen_status status = pen_replay_world_sort(world, NULL, &starts, &order);
    if (status == PEN_OK) status = find_all(&f, starts, order);
    PEN_FREE_ALL(starts, order, f.seen, f.reader, f.listed);
    world->halo_is_known = status == PEN_OK;
    return status;
}

/* ---- Quality ----------------------------------------------------------------------------------- */

/* The record's graph without empty places. */
typedef struct whole {
    int32_t *index; /* [places] index of each place's node */
    uint32_t *rows;
    pen_lid *columns;
    double *loads;
    int32_t *owners;
} whole;

static pen_status list_whole(const replay_world *world, whole *g)
{
    const pen_workload *w = world->record;
    PEN_TRY(PEN_ALLOC(&g->index, w->places));
    PEN_TRY(PEN_ALLOC(&g->rows, (int64_t)w->nodes + 1));
    PEN_TRY(PEN_ALLOC(&g->columns, w->rows[w->places]));
    PEN_TRY(PEN_ALLOC(&g->loads, w->nodes));
    PEN_TRY(PEN_ALLOC(&g->owners, w->nodes));
    int32_t count = 0;
    g->rows[0] = 0;
    for (int32_t i = 0; i < w->places; i++) {
        if (w->gids[i] < 0) continue;
        g->index[i] = count;
        g->loads[count] = 1.0;
        g->owners[count++] = world->owners[i];
        g->rows[count] = w->rows[i + 1];
    }
    for (uint32_t a = 0; a < w->rows[w->places]; a++) g->columns[a] = g->index[w->columns[a]];
    return PEN_OK;
}

pen_status pen_replay_world_measure(const replay_world *world, pen_quality *quality)
{
    whole g = { .index = NULL };
    pen_status status = list_whole(world, &g);
    if (status == PEN_OK) {
        const pen_load_view view = { .count = world->record->nodes,
                                     .loads = g.loads,
                                     .rows = g.rows,
                                     .columns = g.columns,
                                     .edge_weights = world->record->edge_weights,
                                     .machine = world->machine };
        status = pen_quality_of_parts(&view, world->record->world.directed, world->ranks, g.owners, quality);
    }
    PEN_FREE_ALL(g.index, g.rows, g.columns, g.loads, g.owners);
    return status;
}

/* change_run.h - an application whose nodes make the requests of a world (change_world.h), and a run of it, compared
 * with the world after every step. */
#pragma once

#include "balancing/balance.h"
#include "balancing/loads.h"
#include "base/memory.h"
#include "debug/parts.h"
#include "halo/connect.h"
#include "run/apply_change.h"
#include "tests/mpi/change_world.h"
#include "tests/support/check.h"

typedef struct tag {
    pen_gid gid;
    int64_t step; /* of its birth, -1 at the start */
    uint64_t hash;
} tag;
typedef struct small {
    unsigned char of[3];
} small;
enum { TAG, SMALL };
enum { TRAIL };

static const world *now; /* as it is when nodes ask */
enum { VERIFIED = 5 };
static world plans[VERIFIED]; /* of all steps, in the end, when these are computed again */
static bool verifying;
static const world *at_step(int64_t step) { return verifying ? &plans[step] : now; }
static int64_t wrong;

static inline uint64_t read_small(const small *s)
{
    return s->of[0] | (uint64_t)s->of[1] << 8 | (uint64_t)s->of[2] << 16;
}

static inline void write_small(small *s, uint64_t value)
{
    for (int i = 0; i < 3; i++) s->of[i] = (unsigned char)(value >> 8 * i);
}

static inline void init(const pen_view *v)
{
    *PEN_NEXT(v, TAG, tag) = (tag){ pen_id(v), -1, first_hash(pen_id(v), -1) };
    write_small(PEN_NEXT(v, SMALL, small), first_small(pen_id(v)));
}

/* ---- Phases ----------------------------------------------------------------------------------- */

static inline void want_early(const pen_view *v, pen_requests *requests)
{
    pen_request(requests, now->gid[world_far(pen_id(v), pen_step(v))]);
}

static inline void want_late(const pen_view *v, pen_requests *requests)
{
    pen_request(requests, now->gid[world_far(pen_id(v), pen_step(v) + 77)]);
}

/* Nodes know where they are, and where their neighbours are. */
static inline void check_view(const pen_view *v)
{
    double at[3];
    wrong += v->dimensions != now->dimensions;
    for (int32_t i = -1; i < pen_degree(v) && v->dimensions == now->dimensions; i++) {
        const tag *t = i < 0 ? PEN_SELF(v, TAG, tag) : PEN_NEIGHBOR(v, TAG, tag, i);
        world_place(t->gid, t->step, at);
        for (int d = 0; d < v->dimensions; d++)
            wrong += (i < 0 ? pen_coordinate(v, d) : pen_neighbor_coordinate(v, i, d)) != at[d];
    }
}

static inline void mix(const pen_view *v)
{
    check_view(v);
    const tag *far = PEN_FAR(v, TAG, tag, 0);
    tag next = *PEN_SELF(v, TAG, tag);
    wrong += next.gid != pen_id(v);
    next.hash = scramble(next.hash, (uint64_t)pen_node_weight(v));
    if (now->directed) next.hash = scramble(next.hash, (uint64_t)pen_reader_count(v));
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const tag *t = PEN_NEIGHBOR(v, TAG, tag, i);
        wrong += t->gid != pen_neighbor_id(v, i) || (i > 0 && pen_neighbor_id(v, i - 1) >= t->gid);
        next.hash = scramble(next.hash, t->hash + (uint64_t)pen_edge_weight(v, i));
        next.hash = scramble(next.hash, (uint64_t)*PEN_EDGE(v, TRAIL, int64_t, i));
        *PEN_EDGE_OWN(v, TRAIL, int64_t, i) = *PEN_EDGE(v, TRAIL, int64_t, i) * 3 + t->gid % 1000 + 1;
    }
    next.hash = scramble(next.hash, far ? far->hash : 7);
    *PEN_NEXT(v, TAG, tag) = next;
}

/* Some request an added node that they fill late, and all request the same one. */
static inline void ask(pen_changes *changes, const wish *x, int64_t step)
{
    const pen_gid a = now->gid[x->a], b = now->gid[x->b];
    if (x->kind == ADD_NODE) {
        pen_new_node *newborn = pen_add_node(changes, a, x->weight);
        tag *t = PEN_FIRST(newborn, TAG, tag);
        wrong += t->gid != 0 || t->hash != 0;
        t->gid = a;
        t->step = step;
        t->hash = first_hash(a, step);
        write_small(PEN_FIRST(newborn, SMALL, small), first_small(a));
        double at[3];
        world_place(a, step, at);
        if (now->dimensions > 0) pen_set_coordinates(newborn, now->dimensions, at);
    }
    if (x->kind == REMOVE_NODE) pen_remove_node(changes, a);
    if (x->kind == ADD_EDGE) pen_add_edge(changes, a, b, x->weight);
    if (x->kind == REMOVE_EDGE) pen_remove_edge(changes, a, b);
    if (x->kind == SET_WEIGHT) pen_set_node_weight(changes, a, x->weight);
}

/* Additional requests of nodes, in the tests of invalid requests. */
static void (*special)(const pen_view *v, pen_changes *changes);

static inline void modify(const pen_view *v, pen_changes *changes)
{
    const tag *far = PEN_FAR(v, TAG, tag, 0), *self = PEN_SELF(v, TAG, tag);
    uint64_t next = scramble(read_small(PEN_SELF(v, SMALL, small)), self->hash);
    for (int32_t i = 0; i < pen_degree(v); i++) next = scramble(next, PEN_NEIGHBOR(v, TAG, tag, i)->hash);
    write_small(PEN_NEXT(v, SMALL, small), scramble(next, far ? far->hash : 3));
    const world *w = at_step(pen_step(v));
    for (int k = 0; k < w->wish_count; k++) {
        const wish *x = &w->wishes[k];
        for (int i = 0; i < ASKERS; i++)
            if (x->askers[i] >= 0 && now->gid[x->askers[i]] == pen_id(v)) ask(changes, x, pen_step(v));
    }
    if (special) special(v, changes);
}

static inline void close_step(const pen_view *v)
{
    tag next = *PEN_SELF(v, TAG, tag);
    for (int32_t i = 0; i < pen_degree(v); i++)
        next.hash = scramble(next.hash,
                             read_small(PEN_NEIGHBOR(v, SMALL, small, i)) + PEN_NEIGHBOR(v, TAG, tag, i)->hash);
    *PEN_NEXT(v, TAG, tag) = next;
}

static inline void print(const pen_view *v, FILE *out)
{
    fprintf(out, "%" PRIx64 " %" PRIx64, PEN_SELF(v, TAG, tag)->hash, read_small(PEN_SELF(v, SMALL, small)));
}

static inline double cost(const pen_view *v) { return (double)pen_node_weight(v); }
PEN_COST_SWEEP(cost)

static const pen_field fields[] = { { .name = "tag", .size = sizeof(tag) },
                                    { .name = "small", .size = sizeof(small) } };
static const pen_edge_field edge_fields[] = { { "trail", sizeof(int64_t) } };
static const pen_phase phases[] = {
    { "mix", .node = mix, .reads = PEN_SET(TAG), .writes = PEN_SET(TAG), .far = want_early, .far_reads = PEN_SET(TAG),
      .edge_writes = PEN_SET(TRAIL) },
    { "modify", .modify = modify, .reads = PEN_SET(TAG), .writes = PEN_SET(SMALL), .far = want_late,
      .far_reads = PEN_SET(TAG) },
    { "close", .node = close_step, .reads = PEN_SET(TAG, SMALL), .writes = PEN_SET(TAG), .cost = cost_sweep },
};
static const pen_app app = { .name = "changing",
                             PEN_FIELDS(fields),
                             PEN_PHASES(phases),
                             PEN_EDGE_FIELDS(edge_fields),
                             .init = init,
                             .output.print = print };

/* ---- A run of a world ------------------------------------------------------------------------- */

static inline int ranks(void)
{
    const int size = check_size();
    return size;
}

/* Nodes on any rank, in no order. */
static inline pen_graph *make_graph(const world *w)
{
    int64_t rows[UNIVERSE + 1] = { 0 }, weights[UNIVERSE], edge_weights[UNIVERSE * UNIVERSE], arcs = 0;
    pen_gid gids[UNIVERSE], neighbors[UNIVERSE * UNIVERSE];
    double places[3 * UNIVERSE + 3], at[3];
    pen_csr mine = { .gids = gids,
                     .rows = rows,
                     .neighbors = neighbors,
                     .node_weights = w->weighs ? weights : NULL,
                     .edge_weights = w->weighs ? edge_weights : NULL,
                     .directed = w->directed,
                     .dimensions = w->dimensions,
                     .coordinates = places };
    for (int i = UNIVERSE - 1; i >= 0; i--) {
        if (!w->there[i] || (int)(scramble((uint64_t)i, 8) % (uint64_t)ranks()) != check_rank()) continue;
        gids[mine.count] = w->gid[i];
        world_place(w->gid[i], w->born[i], at);
        memcpy(places + mine.count * w->dimensions, at, (size_t)w->dimensions * sizeof *at);
        weights[mine.count++] = w->weight[i];
        for (int j = 0; j < UNIVERSE; j++) {
            if (!w->edge[i][j]) continue;
            neighbors[arcs] = w->gid[j];
            edge_weights[arcs++] = w->edge[i][j];
        }
        rows[mine.count] = arcs;
    }
    pen_graph *graph = NULL;
    CHECK_STATUS(pen_graph_from_csr(MPI_COMM_WORLD, &mine, &graph), PEN_OK);
    return graph;
}

static inline pen_run *make_run(const world *w, const pen_run_options *options)
{
    pen_graph *graph = make_graph(w);
    pen_run *run = run_with(graph, &app, options);
    pen_graph_destroy(&graph);
    return run;
}

static inline void check_rows(const world *w, const pen_run *run)
{
    const pen_store *store = run->store;
    CHECK_INT(pen_pages_count(store->slot_of), store->owned + store->shadows);
    for (pen_lid s = 0; s < store->owned + store->shadows; s++) {
        const uint64_t *found = pen_pages_find(store->slot_of, store->gids[s]);
        CHECK(found && *found == (uint64_t)s);
    }
    for (pen_lid s = 0; s < store->owned; s++) {
        int i = world_find(w, store->gids[s]);
        uint32_t a = store->rows[s];
        CHECK(i >= 0 && w->there[i]);
        if (i < 0) continue;
        CHECK_INT(store->node_weights ? store->node_weights[s] : 1, w->weight[i]);
        double at[3];
        world_place(w->gid[i], w->born[i], at);
        CHECK_INT(store->dimensions, w->dimensions);
        for (int d = 0; d < store->dimensions; d++) CHECK(store->coordinates[s * store->dimensions + d] == at[d]);
        for (int j = 0; j < UNIVERSE; j++) {
            if (!w->edge[i][j]) continue;
            bool found = a < store->rows[s + 1] && store->gids[store->columns[a]] == w->gid[j];
            CHECK(found);
            if (!found) return;
            CHECK_INT(store->edge_weights ? store->edge_weights[a] : 1, w->edge[i][j]);
            CHECK_INT(((const int64_t *)store->edges[TRAIL])[a], w->record[i][j]);
            a++;
        }
        CHECK_INT(a, store->rows[s + 1]);
    }
}

/* Collective. */
static inline void check_run(const world *w, pen_run *run)
{
    tag tags[UNIVERSE];
    bool found[UNIVERSE];
    small smalls[UNIVERSE];
    check_rows(w, run);
    CHECK(pen_directory_is_valid(run->store->directory));
    int64_t counts[2] = { run->store->owned, pen_directory_count(run->store->directory) };
    MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(counts[0], world_nodes(w));
    CHECK_INT(counts[1], world_nodes(w));
    if (counts[1] != world_nodes(w)) return; /* nobody would answer */
    CHECK_INT(pen_run_nodes(run), world_nodes(w));
    CHECK_INT(pen_run_edges(run), w->directed ? world_arcs(w) : world_arcs(w) / 2);
    CHECK_STATUS(pen_run_fetch(run, TAG, UNIVERSE, w->gid, tags, found), PEN_OK);
    CHECK_STATUS(pen_run_fetch(run, SMALL, UNIVERSE, w->gid, smalls, found), PEN_OK);
    for (int i = 0; i < UNIVERSE; i++) {
        CHECK_INT(found[i], w->there[i]);
        if (!found[i] || !w->there[i]) continue;
        CHECK_INT(tags[i].gid, w->gid[i]);
        CHECK_INT(tags[i].hash, w->hash[i]);
        CHECK_INT(read_small(&smalls[i]), w->small[i]);
    }
    CHECK_INT(wrong, 0);
}

static inline bool all_well(void)
{
    int any = 0;
    MPI_Allreduce(&check_failures, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return any == 0;
}

/* A new node lives with the lowest node that requests it. */
static inline void check_births(const world *w, const pen_run *run, const int32_t *before)
{
    int32_t after[UNIVERSE];
    CHECK_STATUS(pen_directory_resolve(run->store->directory, UNIVERSE, w->gid, after), PEN_OK);
    for (int k = 0; k < w->wish_count; k++) {
        const wish *x = &w->wishes[k];
        int lowest = x->askers[0];
        for (int i = 1; i < ASKERS; i++)
            if (x->askers[i] < lowest) lowest = x->askers[i];
        if (x->kind == ADD_NODE && lowest >= 0) CHECK_INT(after[x->a], before[lowest]);
    }
}

static inline void ask_as_caller(pen_changes *changes, void *context)
{
    for (int k = 0; k < now->wish_count; k++)
        for (int twice = 0; twice < 2; twice++)
            if ((int)(scramble((uint64_t)k, (uint64_t)twice) % (uint64_t)ranks()) == check_rank())
                ask(changes, &now->wishes[k], now->step);
}

static inline void check_changed(const world *w, const pen_run *run, pen_run_changed before)
{
    const pen_run_changed *c = &run->changed;
    CHECK_INT(c->added - before.added, w->added);
    CHECK_INT(c->removed - before.removed, w->removed);
    CHECK_INT(c->edges_added - before.edges_added, w->edges_added);
    CHECK_INT(c->edges_removed - before.edges_removed, w->edges_removed);
}

/* Collective. All that can be asked of a run without nodes. */
static inline void check_empty(pen_run *run)
{
    int64_t differences;
    char message[100];
    uint64_t checksum = 1;
    pen_graph *graph = NULL;
    pen_records records = { .count = -1 };
    CHECK_STATUS(pen_run_checksum(run, &checksum), PEN_OK);
    CHECK_INT(checksum, 0);
    CHECK_STATUS(pen_run_graph(run, &graph), PEN_ERR_UNSUPPORTED);
    CHECK_CONTAINS(pen_error_message(), "no nodes");
    CHECK_STATUS(pen_run_gather(run, TAG, &records), PEN_OK);
    CHECK_INT(records.count, 0);
    pen_records_free(&records);
    CHECK_STATUS(pen_run_dump(run, "change_test.empty"), PEN_OK);
    CHECK_STATUS(pen_run_metrics(run, "change_test.empty"), PEN_OK);
    CHECK_STATUS(pen_run_summary(run, NULL), PEN_OK);
    if (check_rank() == 0) remove("change_test.empty");
    if (pen_balance_of(run) && pen_balance_of(run)->balancer.kind) CHECK_STATUS(pen_run_balance(run), PEN_OK);
    CHECK_STATUS(pen_run_verify(run, &differences, message, sizeof message), PEN_ERR_UNSUPPORTED);
    CHECK_STATUS(pen_run_steps(run, 0), PEN_OK);
}

/* Collective. A step of both; if there are no nodes, only the caller makes requests. */
static inline void step_both(world *w, pen_run *run, uint64_t seed, mood m)
{
    int32_t before[UNIVERSE];
    pen_run_changed changed = run->changed;
    now = w;
    if (world_nodes(w) == 0) {
        check_empty(run);
        world_ask(w, seed, m);
        CHECK_STATUS(pen_run_change(run, ask_as_caller, NULL), PEN_OK);
        world_change(w);
        check_changed(w, run, changed);
        check_run(w, run);
        w->wish_count = 0;
    } else {
        world_ask(w, seed, m);
        CHECK_STATUS(pen_directory_resolve(run->store->directory, UNIVERSE, w->gid, before), PEN_OK);
    }
    bool asks = w->wish_count > 0;
    CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    world_mix(w);
    world_turn(w);
    if (asks) world_change(w);
    world_close(w);
    if (asks) check_changed(w, run, changed);
    if (asks && !pen_balance_of(run) && !pen_part_state(run, &pen_part_random_migration)) check_births(w, run, before);
    check_run(w, run);
}

/* Nodes 0 and 1 and gid 2 are there, 3 and 4 are not; 0 - 1 is an edge, 0 - 2 is none. */
static inline bool first(const pen_view *v) { return pen_id(v) == 0; }
static inline bool second(const pen_view *v) { return pen_id(v) == 1; }

static inline void begin_small(world *w, bool directed)
{
    memset(w, 0, sizeof *w);
    world_begin(w, 1, directed, false);
    for (int i = 0; i < UNIVERSE; i++) {
        w->there[i] = i != 3 && i != 4 && i < 24;
        for (int j = 0; j < UNIVERSE; j++) w->edge[i][j] = 0;
    }
    world_link(w, 0, 1, 1);
    world_link(w, 1, 0, 1);
    for (int i = 5; i < 23; i++) world_link(w, i, i + 1, 1);
}

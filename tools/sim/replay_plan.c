/* replay_plan.c - calls a balancer in a replay. */
#include "tools/sim/replay_plan.h"
#include "base/key_table.h"
#include "tools/common/copy.h"
#include "tools/sim/virtual_ranks.h"
#include "view/check.h"
#include "view/peers.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- Balancers --------------------------------------------------------------------------------- */

static pen_status create_states(const char *spec, replay_balancer *b)
{
    const char *settings = strchr(spec, ':');
    if (!b->chosen.kind) return PEN_OK;
    PEN_TRY(PEN_ALLOC_ZERO(&b->states, b->ranks));
    for (int r = 0; r < b->ranks; r++)
        PEN_TRY(pen_balancer_create(b->chosen.kind, settings ? settings + 1 : "", &b->states[r]));
    return PEN_OK;
}

pen_status pen_replay_balancer_open(const char *spec, int ranks, replay_balancer *balancer)
{
    *balancer = (replay_balancer){ .ranks = ranks };
    pen_status status = pen_copy_text(spec, &balancer->name);
    if (status == PEN_OK) status = pen_balancer_open(spec, &balancer->chosen);
    if (status == PEN_OK) status = create_states(spec, balancer);
    if (status != PEN_OK) pen_replay_balancer_close(balancer);
    return status;
}

void pen_replay_balancer_close(replay_balancer *b)
{
    for (int r = 0; r < b->ranks && b->states; r++) pen_balancer_destroy(b->chosen.kind, b->states[r]);
    pen_balancer_close(&b->chosen);
    PEN_FREE_ALL(b->states, b->name, b->notes.records, b->past, b->remembered);
    *b = (replay_balancer){ .ranks = 0 };
}

pen_status pen_replay_balancer_reseed(replay_balancer *b, int more)
{
    const pen_setting *s = b->chosen.kind ? b->chosen.kind->settings : NULL;
    while (s && s->name && (strcmp(s->name, "seed") != 0 || s->kind != PEN_OPTION_INT)) s++;
    for (int r = 0; s && s->name && r < b->ranks; r++) {
        int64_t *seed = (int64_t *)(void *)((char *)b->states[r] + s->offset);
        if (s->low < s->high && (double)*seed + more > s->high)
            return pen_fail(PEN_ERR_INPUT, "balancer %s: a seed of %" PRId64 " + %d is more than %.0f", b->name, *seed,
                            more, s->high);
        *seed += more;
    }
    return PEN_OK;
}

/* Make room for the notes of all places; a new record is that of a new node. */
static pen_status fit_notes(replay_balancer *b, const pen_workload *w)
{
    const size_t size = pen_notes_bytes(b->chosen.kind), more = (size_t)(w->places - b->notes_places);
    if (size > 0) PEN_TRY(pen_reserve(&b->notes.records, size, w->places, &b->notes_room));
    if (size > 0) memset(b->notes.records + (size_t)b->notes_places * size, 0, more * size);
    if (b->averages) PEN_TRY(pen_reserve(&b->past, sizeof *b->past, w->places, &b->past_room));
    if (b->averages) memset(b->past + b->notes_places, 0, more * sizeof *b->past);
    b->notes_places = w->places;
    return PEN_OK;
}

pen_status pen_replay_balancer_copy(const replay_balancer *b, replay_balancer *copy)
{
    const size_t size = pen_notes_bytes(b->chosen.kind), data = b->chosen.kind ? b->chosen.kind->data_bytes : 0;
    PEN_TRY(pen_replay_balancer_open(b->name, b->ranks, copy));
    copy->notes.first = b->notes.first;
    copy->averages = b->averages;
    if (b->notes_places == 0) return PEN_OK;
    pen_status status = PEN_OK;
    if (size > 0) status = pen_copy(&copy->notes.records, b->notes.records, b->notes_places, size);
    if (status == PEN_OK && b->averages) status = PEN_COPY(&copy->past, b->past, b->notes_places);
    if (status != PEN_OK) {
        pen_replay_balancer_close(copy);
        return status;
    }
    copy->notes_places = b->notes_places;
    copy->notes_room = size > 0 ? b->notes_places : 0;
    copy->past_room = b->averages ? b->notes_places : 0;
    for (int64_t i = 0; size > 0 && i < b->notes_places; i++) memset(copy->notes.records + (size_t)i * size, 0, data);
    return PEN_OK;
}

pen_status pen_replay_balancer_step(replay_balancer *b, const pen_workload *w)
{
    PEN_TRY(fit_notes(b, w));
    pen_notes_add(b->chosen.kind, &b->notes, w->places, w->step - 1, w->loads);
    return PEN_OK;
}

pen_status pen_replay_balancer_change(replay_balancer *b, const pen_workload *w)
{
    const size_t size = pen_notes_bytes(b->chosen.kind);
    const pen_workload_rows *rows = &w->change.rows;
    PEN_TRY(fit_notes(b, w));
    if (b->remembered_steps > 0)
        PEN_TRY(pen_reserve(&b->remembered, sizeof *b->remembered, w->places, &b->remembered_room));
    for (int64_t i = 0; i < rows->count; i++) {
        if (rows->parents[i] == PEN_WORKLOAD_STAYED) continue;
        if (size > 0) memset(b->notes.records + (size_t)w->changed[i] * size, 0, size);
        if (b->averages) b->past[w->changed[i]] = (pen_past){ .average = 0.0 };
        if (b->remembered_steps > 0) b->remembered[w->changed[i]] = 0.0;
    }
    return PEN_OK;
}

/* ---- One plan ---------------------------------------------------------------------------------- */

typedef struct planning {
    const replay_world *world;
    const replay_balancer *balancer;
    const pen_steer_facts *facts;
    replay_views views;
    double *before;              /* [nodes] earlier loads in the order of the views, for a plan for two loads */
    pen_key_table places;        /* finds the place of a gid */
    pen_plan *plans;             /* [ranks] the ranks' parts of the plan */
    pen_move *moves;             /* [nodes] moves of all ranks */
    pen_lid *nodes;              /* [nodes] the moves' nodes, as indices in the views */
    pen_virtual_counts *counts;  /* [ranks] use of peers by each rank */
    pen_evaluation *evaluations; /* [ranks] the evaluation on each rank */
} planning;

static pen_status index_gids(planning *p)
{
    const pen_workload *w = p->world->record;
    PEN_TRY(pen_key_table_fit(&p->places, w->nodes));
    for (int32_t i = 0; i < w->places; i++)
        if (w->gids[i] >= 0)
            *pen_key_entry(&p->places, w->gids, sizeof *w->gids, (uint64_t)w->gids[i]) = (uint32_t)i + 1;
    return PEN_OK;
}

/* List the mean remembered loads, in the order of the views. */
static pen_status list_before(planning *p)
{
    const replay_balancer *b = p->balancer;
    const int64_t nodes = p->world->record->nodes;
    PEN_TRY(PEN_ALLOC(&p->before, nodes));
    for (int64_t k = 0; k < nodes; k++) p->before[k] = b->remembered[p->views.order[k]] / (double)b->remembered_steps;
    return PEN_OK;
}

static pen_status prepare(planning *p, const replay_mutual *mutual, const double *loads, bool mixes)
{
    const int ranks = p->world->ranks;
    PEN_TRY(pen_replay_views_create(p->world, mutual, loads, p->facts->horizon, p->facts->step, &p->views));
    for (int r = 0; r < ranks; r++) p->views.views[r].node_bytes = pen_replay_node_bytes(p->balancer, p->world->record);
    PEN_TRY(index_gids(p));
    if (mixes && p->balancer->remembered_steps > 0) PEN_TRY(list_before(p));
    PEN_TRY(PEN_ALLOC_ZERO(&p->plans, ranks));
    PEN_TRY(PEN_ALLOC(&p->moves, p->world->record->nodes));
    PEN_TRY(PEN_ALLOC(&p->nodes, p->world->record->nodes));
    PEN_TRY(PEN_ALLOC_ZERO(&p->counts, ranks));
    PEN_TRY(PEN_ALLOC_ZERO(&p->evaluations, ranks));
    for (int r = 0; r < ranks; r++) p->plans[r].moves = p->moves + p->views.starts[r];
    return PEN_OK;
}

typedef struct finder {
    const planning *planning;
    int rank;
} finder;

static pen_lid find_node(const void *context, pen_gid gid)
{
    const finder *f = context;
    const replay_world *world = f->planning->world;
    if (gid < 0) return -1;
    uint32_t entry = *pen_key_entry(&f->planning->places, world->record->gids, sizeof gid, (uint64_t)gid);
    if (entry == 0 || world->owners[entry - 1] != f->rank) return -1;
    return f->planning->views.index[entry - 1];
}

static pen_status ask(void *context, pen_peers *peers)
{
    const planning *p = context;
    const int rank = peers->rank;
    const double *before = p->before ? p->before + p->views.starts[rank] : NULL;
    pen_notes notes = p->balancer->notes;
    notes.order = p->views.order + p->views.starts[rank];
    pen_error_set(""); /* the message of a failure is this rank's */
    const pen_status status = pen_plan_ask(p->balancer->chosen.kind, p->balancer->states[rank], &p->views.views[rank],
                                           before, &notes, peers, find_node, &(finder){ p, rank }, &p->plans[rank],
                                           p->nodes + p->views.starts[rank]);
    return pen_peers_status(rank, false, status);
}

static pen_status evaluate(void *context, pen_peers *peers)
{
    const planning *p = context;
    const int rank = peers->rank;
    const int64_t start = p->views.starts[rank];
    return pen_evaluation_make(peers, p->facts, &p->views.views[rank], p->before ? p->before + start : NULL,
                               &p->plans[rank], p->nodes + start, p->counts[rank].seconds, &p->evaluations[rank]);
}

/* The time that the slowest rank took for planning, in seconds. */
static double seconds_of(const planning *p, const replay_model *m)
{
    const int doublings = pen_replay_doublings(p->world->ranks);
    double slowest = 0.0;
    for (int r = 0; r < p->world->ranks; r++) {
        const pen_virtual_counts *c = &p->counts[r];
        double talks = m->message * (double)c->messages + m->byte * (double)c->bytes;
        slowest = fmax(slowest, c->seconds / pen_replay_speed(p->world, r) + talks);
    }
    return slowest + 2.0 * m->message * doublings * (double)p->counts[0].reductions +
           m->message * doublings * (double)p->counts[0].exchanges;
}

static pen_status sum_up(const planning *p, const replay_model *model, replay_plan *plan)
{
    const int ranks = p->world->ranks;
    int64_t most = 0;
    for (int r = 0; r < ranks; r++) most += p->plans[r].count;
    PEN_TRY(PEN_ALLOC(&plan->places, most));
    PEN_TRY(PEN_ALLOC(&plan->to, most));
    PEN_TRY(PEN_ALLOC(&plan->loads, ranks));
    for (int r = 0; r < ranks; r++) {
        const int64_t start = p->views.starts[r];
        plan->loads[r] = p->evaluations[r].load;
        plan->bytes += p->counts[r].bytes;
        if (p->counts[r].bytes > plan->max_bytes) plan->max_bytes = p->counts[r].bytes;
        for (int64_t i = 0; i < p->plans[r].count; i++) {
            if (p->plans[r].moves[i].to == r) continue;
            plan->places[plan->count] = p->views.order[start + p->nodes[start + i]];
            plan->to[plan->count++] = p->plans[r].moves[i].to;
        }
    }
    plan->rounds = p->plans[0].rounds;
    plan->evaluation = p->evaluations[0];
    plan->evaluation.exchanges = p->counts[0].exchanges;
    plan->evaluation.reductions = p->counts[0].reductions;
    plan->seconds = seconds_of(p, model);
    return PEN_OK;
}

pen_status pen_replay_plan_make(const replay_world *world, const replay_mutual *mutual, const replay_balancer *balancer,
                                const replay_model *model, const double *loads, bool mixes,
                                const pen_steer_facts *facts, replay_plan *plan)
{
    planning p = { .world = world, .balancer = balancer, .facts = facts };
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const int threads = cores > 1 && balancer->chosen.kind->reentrant ? (int)cores : 1;
    *plan = (replay_plan){ .count = 0 };
    pen_status status = prepare(&p, mutual, loads, mixes);
    if (status == PEN_OK) status = pen_virtual_run(world->ranks, threads, ask, &p, NULL, p.counts);
    if (status == PEN_OK) status = pen_virtual_run(world->ranks, threads, evaluate, &p, NULL, NULL);
    if (status == PEN_OK) status = sum_up(&p, model, plan);
    pen_replay_views_free(&p.views);
    pen_key_table_free(&p.places);
    PEN_FREE_ALL(p.before, p.plans, p.moves, p.nodes, p.counts, p.evaluations);
    if (status != PEN_OK) pen_replay_plan_free(plan);
    return status;
}

void pen_replay_plan_free(replay_plan *plan)
{
    PEN_FREE_ALL(plan->places, plan->to, plan->loads);
    *plan = (replay_plan){ .count = 0 };
}

/* ---- Migration --------------------------------------------------------------------------------- */

/* Bytes that a rank sends and receives, and the number of ranks that it sends to. */
typedef struct traffic {
    int64_t sent, received, messages;
} traffic;

static pen_status count_messages(const replay_world *world, const replay_plan *plan, traffic *of)
{
    int32_t(*pairs)[2];
    PEN_TRY(PEN_ALLOC(&pairs, plan->count));
    for (int64_t i = 0; i < plan->count; i++) {
        pairs[i][0] = world->owners[plan->places[i]];
        pairs[i][1] = plan->to[i];
    }
    if (plan->count > 0) qsort(pairs, (size_t)plan->count, sizeof *pairs, pen_by_int32s);
    for (int64_t i = 0; i < plan->count; i++)
        of[pairs[i][0]].messages += i == 0 || pen_by_int32s(pairs[i], pairs[i - 1]) != 0;
    free(pairs);
    return PEN_OK;
}

pen_status pen_replay_plan_carry_out(replay_world *world, const replay_balancer *balancer, const replay_model *model,
                                     const replay_plan *plan, pen_balance_call *made)
{
    const pen_workload *w = world->record;
    traffic *of;
    double slowest = 0.0;
    made->moved_bytes = 0;
    PEN_TRY(PEN_ALLOC_ZERO(&of, world->ranks));
    pen_status status = count_messages(world, plan, of);
    for (int64_t i = 0; i < plan->count && status == PEN_OK; i++) {
        int32_t place = plan->places[i];
        int64_t degree = w->rows[place + 1] - w->rows[place];
        int64_t bytes = pen_replay_node_bytes(balancer, w) + w->world.arc_bytes * degree;
        of[world->owners[place]].sent += bytes;
        of[plan->to[i]].received += bytes;
        made->moved_bytes += bytes;
    }
    if (status == PEN_OK) {
        for (int r = 0; r < world->ranks; r++) {
            int64_t most = of[r].sent > of[r].received ? of[r].sent : of[r].received;
            slowest = fmax(slowest, model->message * (double)of[r].messages + model->byte * (double)most);
        }
        made->seconds += slowest + model->sync * pen_replay_doublings(world->ranks);
        pen_replay_world_move(world, plan->count, plan->places, plan->to);
    }
    free(of);
    return status;
}

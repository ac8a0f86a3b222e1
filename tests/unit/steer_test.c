/* steer_test.c - steering without runs, on virtual ranks: the facts of every step, decisions, results and the record,
 * against arithmetic that shares no code with it. The world is a row of nodes whose loads move about; its balancer cuts
 * the row into parts of equal load.
 * pen_test() */
#include "tests/support/unit.h"

#include "steer/steer.h"
#include "tests/support/steer_settings.h"
#include "tools/sim/virtual_ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 4, NODES = 120, MOST_STEPS = 200 };

/* A failed check inside a rank must not jump out of its stack: it becomes the rank's failure. */
#define REQUIRE(condition) \
    PEN_TRY((condition) ? PEN_OK : pen_fail(PEN_ERR_ARGUMENT, "line %d: not so: %s", __LINE__, #condition))

/* So many nodes of the row on a rank; the last is of none. */
typedef struct stretch {
    int rank, nodes;
} stretch;

static void spread(const stretch *s, int *owner)
{
    for (int i = 0; s->nodes > 0; s++)
        for (int end = i + s->nodes; i < end; i++) owner[i] = s->rank;
}

typedef struct world {
    pen_steer_settings settings;
    int steps;
    double (*load)(int node, int step);
    const stretch *from, *to;        /* of the start, and the balancer's plan; NULL: equal numbers, equal loads */
    bool worsens, regardless, fails; /* the balancer: makes things worse; and wants it; or has no plan */
    bool strange;                    /* somebody else moves nodes about between steps */
    int changes;                     /* the graph does after every so many steps; 0: never */
    double step_seconds;
    int owner[NODES];
    pen_steer end[RANKS]; /* the ranks' steering afterwards; the record is rank 0's, to be freed */
    int looks, mixed;     /* of rank 0 */
} world;

/* What a rank has in a step. */
typedef struct share {
    pen_gid gids[NODES]; /* shadows behind the own ones */
    double loads[NODES], total;
    pen_lid count, shadows;
    int32_t owners[NODES]; /* of the shadows */
    uint32_t rows[NODES + 1];
    pen_lid columns[2 * NODES];
} share;

static share share_of(const world *w, int rank, int step)
{
    share s = { .count = 0 };
    int places[NODES];
    for (int i = 0; i < NODES; i++) {
        if (w->owner[i] != rank) continue;
        places[i] = s.count;
        s.gids[s.count] = i;
        s.loads[s.count] = w->load(i, step);
        s.total += s.loads[s.count++];
    }
    for (int i = 0; i < NODES; i++) {
        if (w->owner[i] == rank) continue;
        if ((i == 0 || w->owner[i - 1] != rank) && (i == NODES - 1 || w->owner[i + 1] != rank)) continue;
        places[i] = s.count + s.shadows;
        s.gids[s.count + s.shadows] = i;
        s.owners[s.shadows++] = w->owner[i];
    }
    for (pen_lid k = 0; k < s.count; k++) {
        s.rows[k + 1] = s.rows[k];
        for (int i = (int)s.gids[k] - 1; i <= s.gids[k] + 1; i += 2)
            if (i >= 0 && i < NODES) s.columns[s.rows[k + 1]++] = places[i];
    }
    return s;
}

static int64_t changes_at(const world *w, int step) { return w->changes ? step / w->changes : 0; }

/* Of a row that is cut like that. */
static pen_quality quality_of(const int *owner)
{
    pen_quality q = { .cut = 0 };
    bool has[RANKS] = { false };
    int cuts[RANKS] = { 0 }, edges[RANKS] = { 0 };
    q.pieces = 1;
    for (int i = 0; i < NODES; i++) {
        bool ends = i + 1 < NODES && owner[i] != owner[i + 1];
        q.cut += ends;
        q.pieces += ends - !has[owner[i]];
        has[owner[i]] = true;
        if (i + 1 == NODES) continue;
        edges[owner[i]]++;
        edges[owner[i + 1]] += ends;
        cuts[owner[i]] += ends;
        cuts[owner[i + 1]] += ends;
    }
    for (int r = 0; r < RANKS; r++) q.off_processor = fmax(q.off_processor, edges[r] ? (double)cuts[r] / edges[r] : 0);
    q.dilation = 3.0 * (double)q.cut;
    q.step_time = 1000.0 + (double)q.cut;
    return q;
}

/* The steps that are remembered, in a rank. */
typedef struct memory {
    int first, last;
} memory;

/* What a node weighed then, in the mean. */
static double remembered(const world *w, const memory *m, int node)
{
    double sum = 0.0;
    for (int step = m->first; step <= m->last; step++) sum += w->load(node, step);
    return sum / (m->last - m->first + 1);
}

/* The planned owners; for the loads of this step, or for these and the remembered ones. */
static void cut(const world *w, int step, const memory *m, int *to)
{
    double sum = 0.0, before = 0.0, loads[NODES];
    for (int i = 0; i < NODES; i++) {
        loads[i] = w->load(i, step);
        if (m) loads[i] = 0.5 * (loads[i] + remembered(w, m, i));
        sum += loads[i];
    }
    for (int i = 0; i < NODES; i++) {
        double middle = before + 0.5 * loads[i];
        to[i] = w->worsens ? 0 : (int)fmin(RANKS - 1, floor(middle / sum * RANKS));
        before += loads[i];
    }
    if (w->to) spread(w->to, to);
}

/* The time of a step of these owners, and a rank's largest deviation from the mean. */
static void measure(const world *w, const int *owner, int step, double *max, double *off, double *total,
                    double *heaviest)
{
    double loads[RANKS] = { 0.0 };
    *max = *off = *total = *heaviest = 0.0;
    for (int i = 0; i < NODES; i++) {
        double load = w->load(i, step);
        loads[owner[i]] += load;
        *total += load;
        *heaviest = fmax(*heaviest, load);
    }
    for (int r = 0; r < RANKS; r++) {
        *max = fmax(*max, loads[r]);
        *off = fmax(*off, fabs(loads[r] - *total / RANKS));
    }
}

/* How much of the load is elsewhere than it would be if nothing had changed since step `before`. */
static double shift_of(const world *w, int before, int step)
{
    double shift = 0.0, total = 0.0;
    for (int r = 0; r < RANKS; r++) {
        share was = share_of(w, r, before), is = share_of(w, r, step);
        shift += fabs(is.total - was.total);
        total += is.total;
    }
    return before > 0 && !w->strange ? shift / total : 0.0;
}

static bool close_to(double a, double b) { return fabs(a - b) <= 1e-9 * fabs(b) + 1e-12; }

/* A rank in a step, for the callbacks. */
typedef struct rank_step {
    world *w;
    pen_steer *steer;
    pen_peers *peers;
    const share *mine;
    memory *m;
    double *makespan;
    pen_quality before, after; /* quality of the partition, and of the planned one */
    int to[NODES];
    double max, off, stays, most, moved; /* what comes of the plan */
    bool wants;
} rank_step;

static pen_status remember(void *context, bool first)
{
    rank_step *s = context;
    int step = (int)s->steer->facts.step;
    REQUIRE(first || s->m->last == step - 1);
    if (first) s->m->first = step;
    s->m->last = step;
    return PEN_OK;
}

static pen_status measure_quality(void *context, bool changed, pen_quality *quality)
{
    rank_step *s = context;
    s->wants = true;
    if (changed) *quality = quality_of(s->w->owner);
    return PEN_OK;
}

/* The largest loads of a rank under the remembered loads. */
static double remembered_max(const rank_step *s, const int *owner)
{
    double loads[RANKS] = { 0.0 }, max = 0.0;
    for (int i = 0; i < NODES; i++) loads[owner[i]] += remembered(s->w, s->m, i);
    for (int r = 0; r < RANKS; r++) max = fmax(max, loads[r]);
    return max;
}

static void foresee(rank_step *s, bool mixes)
{
    const world *w = s->w;
    int step = (int)s->steer->facts.step;
    double total, heaviest;
    cut(w, step, mixes ? s->m : NULL, s->to);
    s->after = quality_of(s->to);
    measure(w, s->to, step, &s->max, &s->off, &total, &heaviest);
    s->stays = s->steer->facts.load.max;
    if (mixes) s->stays = 0.5 * (s->stays + remembered_max(s, w->owner));
    if (mixes) s->max = 0.5 * (s->max + remembered_max(s, s->to));
    int in[RANKS] = { 0 }, out[RANKS] = { 0 };
    for (int i = 0; i < NODES; i++) {
        const bool moves = s->to[i] != w->owner[i];
        s->most = fmax(s->most, fmax(in[s->to[i]] += moves, out[w->owner[i]] += moves));
        s->moved += moves;
    }
}

/* A plan and its evaluation. */
static pen_status plan(void *context, pen_balance_call *call)
{
    rank_step *s = context;
    world *w = s->w;
    const pen_steer_facts *facts = &s->steer->facts;
    const share *mine = s->mine;
    pen_move moves[NODES];
    pen_lid places[NODES];
    int32_t to[NODES];
    const bool mixes = s->steer->trigger.mixes;
    pen_plan plan = { .moves = moves, .regardless = w->regardless && s->peers->rank == 2 };
    const pen_load_view view = { .count = mine->count,
                                 .shadows = mine->shadows,
                                 .gids = mine->gids,
                                 .owners = mine->owners,
                                 .loads = mine->loads,
                                 .rows = mine->rows,
                                 .columns = mine->columns,
                                 .speed = 1.0 };
    double other[NODES];
    s->before = s->steer->quality;
    REQUIRE(!mixes || s->m->last == facts->step - 1);
    w->mixed += mixes && s->peers->rank == 0;
    foresee(s, mixes);
    REQUIRE(facts->horizon >= 1.0 && close_to(facts->stays, s->stays));
    for (pen_lid i = mine->count; i-- > 0;) { /* in an order of its own */
        if (mixes) other[i] = remembered(w, s->m, (int)mine->gids[i]);
        to[i] = s->to[mine->gids[i]];
        places[plan.count] = i;
        moves[plan.count++] = (pen_move){ mine->gids[i], to[i] };
    }
    call->failed = w->fails;
    if (w->fails) return PEN_OK;
    call->rounds = 7;
    call->seconds = 0.25 + s->peers->rank;
    pen_evaluation *e = &call->evaluation;
    PEN_TRY(pen_evaluation_make(s->peers, facts, &view, mixes ? other : NULL, &plan, places, 0.5, e));
    REQUIRE(mixes || e->load <= s->max + 1e-9);
    REQUIRE(close_to(e->max, s->max) && close_to(e->off, s->off));
    REQUIRE(e->hesitates ==
            (s->moved > 0.0 && close_to(s->max, s->stays) && !w->regardless && s->off >= facts->off - 1e-9));
    int64_t shape[2];
    PEN_TRY(pen_quality_of_plan(s->peers, &view, to, &shape[0], &shape[1]));
    REQUIRE(shape[0] == s->after.cut && shape[1] == s->after.pieces);
    if (e->hesitates) REQUIRE(e->cut == shape[0] && e->pieces == shape[1]);
    else e->cut = e->pieces = INT64_MAX; /* nobody may look */
    REQUIRE(e->moved == (int64_t)s->moved && e->max_moved == (int64_t)s->most);
    REQUIRE(e->regardless == w->regardless && e->cpu_seconds == 0.5 * RANKS);
    return PEN_OK;
}

static pen_status migrate(void *context, pen_balance_call *call, int64_t *version)
{
    rank_step *s = context;
    world *w = s->w;
    for (pen_lid i = 0; i < s->mine->count; i++) {
        const pen_gid gid = s->mine->gids[i];
        call->moved_bytes += 100 * (w->owner[gid] != s->to[gid]);
        w->owner[gid] = s->to[gid];
    }
    call->applied = true;
    call->seconds = 5.0;
    *version = s->steer->version + 1;
    return PEN_OK;
}

/* A call that was made: whether its plan was rightly carried out, and its record. */
static pen_status check_call(rank_step *s)
{
    const world *w = s->w;
    const pen_steer_facts *facts = &s->steer->facts;
    const pen_balance_call *call = &s->steer->calls[s->steer->call_count - 1];
    const pen_quality *before = &s->before, *end = call->applied ? &s->after : before;
    const bool same = w->settings.when != PEN_STEER_AUTO && close_to(s->max, s->stays);
    bool betters = s->off < facts->off - 1e-9 || s->after.cut < before->cut || s->after.pieces < before->pieces;
    const bool worthless = w->fails || s->moved == 0.0;
    if (worthless || (!w->regardless && s->max >= s->stays && !(same && betters))) REQUIRE(!call->applied);
    else if (same && betters) REQUIRE(call->applied);
    REQUIRE(call->step == facts->step);
    REQUIRE(close_to(call->before.imbalance, s->stays / facts->load.mean));
    REQUIRE(close_to(call->after.imbalance, call->applied ? s->max / facts->load.mean : call->before.imbalance));
    REQUIRE(call->nodes == NODES && close_to(call->before.two_sided, facts->off / facts->load.mean));
    REQUIRE(close_to(call->after.two_sided, (call->applied ? s->off : facts->off) / facts->load.mean));
    REQUIRE(call->before.cut == before->cut && call->before.dilation == before->dilation);
    REQUIRE(call->before.off_processor == before->off_processor && call->before.step_time == before->step_time);
    REQUIRE(call->before.bound == fmax(1.0, facts->heaviest / facts->load.mean));
    REQUIRE(call->evaluation.moved == (call->applied ? (int64_t)s->moved : 0) &&
            call->moved_bytes == 100 * call->evaluation.moved);
    const double seconds = call->applied ? 5.0 : 0.25 + RANKS - 1;
    REQUIRE(call->rounds == (w->fails ? 0 : 7) && call->seconds == (w->fails ? 0.0 : seconds));
    REQUIRE(call->evaluation.cpu_seconds == (w->fails ? 0.0 : 0.5 * RANKS));
    REQUIRE(call->after.cut == end->cut && call->after.pieces == end->pieces && call->after.dilation == end->dilation);
    REQUIRE(call->after.off_processor == end->off_processor && call->after.step_time == end->step_time);
    if (!pen_steer_declared(s->steer)) return PEN_OK;
    double base = w->settings.call_cost != 0.0 ? fmax(w->settings.call_cost, 0.0) : 0.05 * facts->load.mean;
    double each = w->settings.node_cost != 0.0 ? fmax(w->settings.node_cost, 0.0) : 0.5 * facts->total / NODES;
    *s->makespan += base + (call->applied ? each * s->most : 0.0);
    return PEN_OK;
}

/* All steps of a rank. */
static pen_status live(void *context, pen_peers *peers)
{
    world *w = context;
    pen_steer *steer = &w->end[peers->rank];
    double all = 0.0, makespan = 0.0;
    int before = 0;
    int64_t changes = 0;
    memory m = { 0, -1 };
    *steer = (pen_steer){ .settings = w->settings };
    const pen_quality first = quality_of(w->owner);
    pen_steer_start(steer, NULL, 1, &first, 0.0);
    for (int step = 1; step <= w->steps; step++) {
        double max, off, total, heaviest;
        measure(w, w->owner, step, &max, &off, &total, &heaviest);
        const share mine = share_of(w, peers->rank, step);
        if (!pen_steer_looks(steer, step, changes_at(w, step))) continue;
        w->looks += peers->rank == 0;
        double shift = shift_of(w, before, step);
        const pen_steer_local known = { .step = step,
                                        .remaining = w->steps - step,
                                        .seconds = step * w->step_seconds,
                                        .count = mine.count,
                                        .loads = mine.loads,
                                        .load = mine.total,
                                        .speed = 1.0,
                                        .version = steer->version + w->strange,
                                        .nodes = NODES,
                                        .changes = changes_at(w, step) };
        PEN_TRY(pen_steer_look(steer, peers, &known));
        const pen_steer_facts facts = steer->facts;
        REQUIRE(facts.step == step && facts.remaining == w->steps - step && facts.ranks == RANKS);
        REQUIRE(close_to(facts.load.max, max) && close_to(facts.total, total) && facts.heaviest == heaviest);
        REQUIRE(close_to(facts.off, off) && facts.nodes == NODES);
        REQUIRE(facts.changed == (changes_at(w, step) != changes));
        REQUIRE(steer->stale || !facts.changed);
        changes = changes_at(w, step);
        REQUIRE(close_to(facts.load.mean, total / RANKS) && facts.load.steps == step - before);
        REQUIRE(close_to(facts.load.shift, shift));
        before = step;
        all += total;
        makespan += max;
        const bool stale = steer->stale;
        rank_step s = { w, steer, peers, &mine, &m, &makespan, .wants = false };
        const pen_steer_calls calls = { &s, remember, measure_quality, plan, migrate };
        PEN_TRY(pen_steer_step(steer, peers, false, &calls));
        REQUIRE(steer->stale == (stale && !s.wants));
        if (s.wants) PEN_TRY(check_call(&s));
    }
    if (pen_steer_declared(steer)) REQUIRE(close_to(steer->total, all) && close_to(steer->makespan, makespan));
    return PEN_OK;
}

static bool same(const pen_balance_call *a, const pen_balance_call *b)
{
    return a->step == b->step && a->applied == b->applied && a->before.imbalance == b->before.imbalance &&
           a->after.imbalance == b->after.imbalance && a->after.cut == b->after.cut &&
           a->evaluation.moved == b->evaluation.moved && a->moved_bytes == b->moved_bytes &&
           a->evaluation.max_moved == b->evaluation.max_moved && a->seconds == b->seconds &&
           a->evaluation.cpu_seconds == b->evaluation.cpu_seconds;
}

/* The ranks begin with equal numbers of nodes, and end with equal records. */
static void play(world *w)
{
    pen_steer_free(&w->end[0]); /* of the world played before */
    for (int i = 0; i < NODES; i++) w->owner[i] = i * RANKS / NODES;
    if (w->from) spread(w->from, w->owner);
    if (pen_virtual_run(RANKS, 1, live, w, NULL, NULL) != PEN_OK) fail_msg("%s", pen_error_message());
    for (int r = 1; r < RANKS; r++) {
        assert_int_equal(w->end[r].call_count, w->end[0].call_count);
        for (int64_t i = 0; i < w->end[0].call_count; i++) assert_true(same(&w->end[r].calls[i], &w->end[0].calls[i]));
        assert_true(w->end[r].makespan == w->end[0].makespan && w->end[r].decided[0] == w->end[0].decided[0]);
        pen_steer_free(&w->end[r]);
    }
}

static int applied_of(const world *w)
{
    int applied = 0;
    for (int64_t i = 0; i < w->end[0].call_count; i++) applied += w->end[0].calls[i].applied;
    return applied;
}

static double even(int node, int step) { return (void)node, (void)step, 1.0; }
static double thirds(int node, int step) { return node * 3 / NODES == step * 3 / MOST_STEPS ? 5.0 : 1.0; }

/* Every phase is seen and balanced, and it pays. */
TEST(test_phases)
{
    world w = { .settings = declared(NULL, "1:0.1"), .steps = MOST_STEPS, .load = thirds };
    play(&w);
    assert_in_range(applied_of(&w), 3, 5);
    assert_true(w.end[0].makespan < 0.7 * MOST_STEPS * 5 * NODES / RANKS);
    w.settings = declared("auto", NULL);
    play(&w);
    assert_in_range(applied_of(&w), 3, 5);
    w.strange = true;
    play(&w);
    const char *const too_dear[] = { "1e9:0", "0:1e9" };
    for (int i = 0; i < 2; i++) {
        w.settings = declared(NULL, too_dear[i]);
        play(&w);
        assert_int_equal(w.end[0].call_count, 0);
    }
    pen_steer_free(&w.end[0]);
}

/* Alternating loads: one plan for both of them, and with `every` none. */
static double halves(int node, int step)
{
    bool first = step / 2 % 2 == 0;
    return (node < NODES / 2) != first ? 1.0 : first ? 10.0 : 9.0;
}

TEST(test_turns)
{
    world w = { .settings = declared(NULL, NULL), .steps = MOST_STEPS, .load = halves };
    play(&w);
    assert_int_equal(w.mixed, 1);
    assert_in_range(applied_of(&w), 1, 3);
    assert_true(w.end[0].makespan < 1.06 * MOST_STEPS * 10 * NODES / RANKS);
    w.settings = declared("every:1:always", NULL);
    w.mixed = 0;
    play(&w);
    assert_int_equal(w.mixed, 0);
    assert_int_equal(w.end[0].all.calls, MOST_STEPS - 1);
    pen_steer_free(&w.end[0]);
}

TEST(test_balanced)
{
    world w = { .settings = declared(NULL, NULL), .steps = MOST_STEPS, .load = even };
    play(&w);
    assert_int_equal(w.end[0].call_count, 0);
    pen_steer_free(&w.end[0]);
}

/* every:N calls at these steps only; a plan without gain is not carried out, unless a rank wants it regardless. */
TEST(test_every)
{
    world w = { .settings = declared("every:7:always", NULL), .steps = 70, .load = thirds };
    play(&w);
    assert_int_equal(w.end[0].call_count, 9); /* not after the last step */
    for (int i = 0; i < 9; i++) assert_int_equal(w.end[0].calls[i].step, 7 * (i + 1));
    assert_in_range(applied_of(&w), 1, 3);
    w.worsens = true;
    play(&w);
    assert_int_equal(w.end[0].call_count, 9);
    assert_int_equal(applied_of(&w), 0);
    w.regardless = true;
    play(&w);
    assert_int_equal(applied_of(&w), 1); /* from then on it moves nothing */
    pen_steer_free(&w.end[0]);
}

/* After every step in which the graph changed, and no other; with measured loads only these are looked at. */
TEST(test_change)
{
    const pen_load_kind loads[] = { PEN_LOAD_DECLARED, PEN_LOAD_MEASURED };
    for (int i = 0; i < 2; i++) {
        world w = {
            .settings = settings_of(loads[i], "change:always", NULL), .steps = 70, .load = thirds, .changes = 7
        };
        play(&w);
        assert_int_equal(w.looks, i ? 10 : 70);
        assert_int_equal(w.end[0].call_count, 9); /* not after the last step */
        for (int k = 0; k < 9; k++) assert_int_equal(w.end[0].calls[k].step, 7 * (k + 1));
        assert_in_range(applied_of(&w), 1, 3);
        w.changes = 0;
        play(&w);
        assert_int_equal(w.end[0].call_count, 0);
        pen_steer_free(&w.end[0]);
    }
}

/* Plans that keep the maximum are carried out if anything else improves, but not if plans must pay. */
TEST(test_keeps)
{
    static const struct {
        stretch from[5], to[5];
        bool betters;
    } cases[] = {
        { { { 0, 32 }, { 1, 32 }, { 2, 32 }, { 3, 24 } }, { { 0, 32 }, { 1, 32 }, { 2, 30 }, { 3, 26 } }, true },
        { { { 0, 40 }, { 1, 60 }, { 2, 20 } }, { { 0, 60 }, { 1, 60 } }, true },            /* the cut */
        { { { 0, 20 }, { 1, 60 }, { 0, 40 } }, { { 0, 20 }, { 1, 60 }, { 2, 40 } }, true }, /* the pieces */
        { { { 0, 60 }, { 1, 60 } }, { { 1, 60 }, { 0, 60 } }, false },                      /* nothing */
        { { { 0, 40 }, { 1, 60 }, { 2, 20 } }, { { 0, 58 }, { 1, 62 } }, false },           /* the maximum rises */
        { { { 0, 62 }, { 1, 58 } }, { { 0, 20 }, { 1, 60 }, { 0, 40 } }, true },            /* only the maximum falls */
    };
    const char *const when[] = { "every:7:always", "change:always", NULL };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int i = 0; i < 3; i++) {
            world w = { .settings = declared(when[i], "0"), .steps = 70, .load = even, .changes = 7 };
            w.from = cases[k].from;
            w.to = cases[k].to;
            play(&w);
            assert_true(w.end[0].call_count > 1 || !when[i]);
            assert_int_equal(applied_of(&w), cases[k].betters && i < 2);
            pen_steer_free(&w.end[0]);
        }
}

/* A balancer that fails is asked again, but less and less often. */
TEST(test_fails)
{
    world w = { .settings = declared(NULL, "0"), .steps = MOST_STEPS, .load = thirds, .fails = true };
    play(&w);
    assert_in_range(w.end[0].call_count, 8, 30);
    assert_int_equal(applied_of(&w), 0);
    pen_steer_free(&w.end[0]);
}

/* Measured: short steps are not all looked at; a call costs what calls have cost. */
TEST(test_measured)
{
    world w = { .settings = measured(NULL, NULL), .steps = MOST_STEPS, .load = thirds };
    w.step_seconds = 1e-5;
    play(&w);
    assert_in_range(w.looks, MOST_STEPS / 10, MOST_STEPS / 10 + 10);
    assert_true(w.end[0].call_count > 1 && w.end[0].total == 0.0 && w.end[0].makespan == 0.0);
    assert_true(pen_steer_usual(w.end[0].decided, 0.0) == 0.25 + RANKS - 1 &&
                pen_steer_usual(w.end[0].migrated, 0.0) == 4.75 - (RANKS - 1));
    w.looks = 0;
    w.step_seconds = 1.0;
    play(&w);
    assert_int_equal(w.looks, MOST_STEPS);
    pen_steer_free(&w.end[0]);
}

/* A load that is none is refused on all ranks. */
static double none(int node, int step) { return node == 77 && step == 3 ? -1.0 : 1.0; }
static double infinite(int node, int step) { return node == 77 && step == 3 ? HUGE_VAL : 1.0; }

TEST(test_no_load)
{
    double (*const wrong[])(int, int) = { none, infinite };
    for (int i = 0; i < 2; i++) {
        world w = { .settings = declared(NULL, NULL), .steps = 5, .load = wrong[i] };
        for (int n = 0; n < NODES; n++) w.owner[n] = n % RANKS;
        assert_int_equal(pen_virtual_run(RANKS, 1, live, &w, NULL, NULL), PEN_ERR_ARGUMENT);
        assert_string_equal(pen_error_message(), "after step 3 the cost of a node is not a number >= 0");
        for (int r = 0; r < RANKS; r++) pen_steer_free(&w.end[r]);
    }
}

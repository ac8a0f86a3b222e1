/* app.c - nodes whose records have their gid and step, so that a reader sees whether it reads the right one; and what
 * else a case may have. */
#include "tests/explore/app.h"

#include "mail/post.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The value is wrong: no more can be learned from this run. */
static _Noreturn void wrong(const pen_view *v, const char *what, pen_gid gid, int64_t found)
{
    fprintf(stderr, "explore: node %lld, step %lld, reads %s of node %lld: %lld\n", (long long)pen_id(v),
            (long long)pen_step(v), what, (long long)gid, (long long)found);
    fflush(NULL);
    _exit(EXPLORED_WRONG);
}

static void expect(const pen_view *v, const tag *t, pen_gid gid, int64_t step)
{
    if (t->gid != gid) wrong(v, "the gid", gid, t->gid);
    if (t->step != step) wrong(v, "the step", gid, t->step);
}

static void init(const pen_view *v)
{
    *PEN_NEXT(v, TAG, tag) = (tag){ pen_id(v), 0, scramble((uint64_t)pen_id(v), 3), 0 };
    memset(PEN_NEXT(v, SMALL, small), 0, sizeof(small));
    *PEN_NEXT(v, WAVE, wave) = (wave){ .gid = (uint32_t)pen_id(v) };
    *PEN_NEXT(v, OWN, own) = (own){ .hash = (uint64_t)pen_id(v) };
}

static const explored *case_of(const pen_view *v) { return pen_params(v); }

/* Reads what the neighbours have. The records of waves and own ones are kept but for what is written here. */
static void mix(const pen_view *v)
{
    tag next = *PEN_SELF(v, TAG, tag);
    expect(v, &next, pen_id(v), pen_step(v));
    next.hash = scramble(next.hash, (uint64_t)pen_reader_count(v));
    wave *w = PEN_NEXT(v, WAVE, wave);
    one_process_pause();
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const tag *t = PEN_NEIGHBOR(v, TAG, tag, i);
        expect(v, t, pen_neighbor_id(v, i), pen_step(v));
        if (PEN_NEIGHBOR(v, SMALL, small, i)->bytes[3] != (uint8_t)(pen_step(v) * 5))
            wrong(v, "the small field", t->gid, PEN_NEIGHBOR(v, SMALL, small, i)->bytes[3]);
        next.hash = scramble(next.hash, t->hash);
        const wave *its = PEN_NEIGHBOR(v, WAVE, wave, i);
        if (its->step != (uint32_t)pen_step(v) || its->gid != (uint32_t)t->gid) wrong(v, "the wave", t->gid, its->step);
        w->sum += its->sum + its->gid;
        if (!(case_of(v)->features & EDGES)) continue;
        trail *mine = PEN_EDGE_OWN(v, TRAIL, trail, i);
        mine->hash = scramble(mine->hash, (uint64_t)pen_neighbor_id(v, i) + (uint64_t)pen_edge_weight(v, i));
        next.hash = scramble(next.hash, mine->hash + PEN_EDGE_OWN(v, NOTCH, notch, i)->count++);
    }
    if (case_of(v)->features & OBSERVES) {
        uint64_t bits;
        const double sum = pen_observed_real(v, SUM) + PEN_GLOBALS(v, total)->sum;
        memcpy(&bits, &sum, sizeof bits);
        next.hash = scramble(next.hash, bits ^ (uint64_t)pen_observed_int(v, COUNT));
        next.hash += (uint64_t)pen_observed_int(v, BEFORE);
    }
    w->step++;
    PEN_NEXT(v, OWN, own)->hash += next.hash + w->sum;
    next.hash += PEN_NEXT(v, OWN, own)->hash;
    *PEN_NEXT(v, TAG, tag) = next;
}

/* A version that is overwritten before a neighbour reads it. */
static void scribble(const pen_view *v) { memset(PEN_NEXT(v, SMALL, small), (int)(pen_id(v) & 0xff), sizeof(small)); }

static uint64_t lot(const pen_view *v, uint64_t salt)
{
    return scramble(scramble((uint64_t)pen_id(v), (uint64_t)pen_step(v)), salt + case_of(v)->seed);
}

static void want(const pen_view *v, pen_requests *requests)
{
    const int nodes = case_of(v)->nodes, apart = case_of(v)->apart;
    if (lot(v, 1) % 4) pen_request(requests, (pen_gid)(lot(v, 2) % (uint64_t)nodes) * apart);
    if (lot(v, 3) % 4 == 0) pen_request(requests, (pen_gid)(lot(v, 4) % (uint64_t)(2 * nodes)) * apart);
}

static void advance(const pen_view *v)
{
    tag next = *PEN_SELF(v, TAG, tag);
    next.step++;
    *PEN_NEXT(v, TAG, tag) = next;
    memset(PEN_NEXT(v, SMALL, small), (int)(next.step * 5 & 0xff), sizeof(small));
}

static void look(const pen_view *v)
{
    for (int32_t i = 0; i < pen_far_count(v); i++) {
        const tag *t = PEN_FAR(v, TAG, tag, i);
        if (t) expect(v, t, pen_far_id(v, i), pen_step(v));
    }
    tag next = *PEN_SELF(v, TAG, tag);
    for (int32_t i = 0; i < pen_far_count(v); i++) {
        const tag *t = PEN_FAR(v, TAG, tag, i);
        next.hash = scramble(next.hash, t ? t->hash : 1);
    }
    next.step++;
    *PEN_NEXT(v, TAG, tag) = next;
    memset(PEN_NEXT(v, SMALL, small), (int)(next.step * 5 & 0xff), sizeof(small));
}

/* Edges between the first nodes come and go, and each of these nodes may have a child that does. The next step has
 * begun. */
static void alter(const pen_view *v, pen_changes *changes)
{
    const pen_gid end = (pen_gid)case_of(v)->nodes * case_of(v)->apart, id = pen_id(v); /* end: of the first nodes */
    tag next = *PEN_SELF(v, TAG, tag);
    if (id < end) {
        for (int32_t i = 0; i < pen_degree(v); i++) {
            const pen_gid other = pen_neighbor_id(v, i);
            const uint64_t both = scramble((uint64_t)(id < other ? id : other), (uint64_t)(id < other ? other : id));
            const uint64_t chance = scramble(both, (uint64_t)pen_step(v));
            const bool asks = case_of(v)->directed || (chance >> 20 & 1) == (id < other); /* one end of an edge */
            if (other < end && chance % 9 == 0 && asks) pen_remove_edge(changes, id, other);
        }
        const pen_gid to = (pen_gid)(lot(v, 5) % (uint64_t)case_of(v)->nodes) * case_of(v)->apart;
        const uint64_t ends = scramble((uint64_t)(id < to ? id : to), (uint64_t)(id < to ? to : id));
        if (lot(v, 6) % 5 == 0 && to != id)
            pen_add_edge(changes, id, to, 1 + (int64_t)(scramble(ends, (uint64_t)pen_step(v)) % 9));
        const bool had = next.child != 0;
        if (lot(v, 7) % 6 == 0 && had) {
            pen_remove_node(changes, end + id);
            next.child = 0;
        }
        if (lot(v, 8) % (had ? 2 : 6) == 0 && !next.child) { /* had: another one of that gid */
            pen_new_node *child = pen_add_node(changes, end + id, 1);
            tag *first = PEN_FIRST(child, TAG, tag);
            first->gid = end + id;
            first->step = pen_step(v) + 1;
            first->hash = next.hash;
            memset(PEN_FIRST(child, SMALL, small), (int)(first->step * 5 & 0xff), sizeof(small));
            *PEN_FIRST(child, WAVE, wave) = (wave){ .step = (uint32_t)first->step, .gid = (uint32_t)(end + id) };
            *PEN_FIRST(child, OWN, own) = (own){ .hash = next.hash };
            pen_add_edge(changes, id, end + id, 1);
            if (to != id) pen_add_edge(changes, to, end + id, 1); /* which may be on another rank */
            next.child = 1;
        }
    }
    if (next.child != PEN_SELF(v, TAG, tag)->child) *PEN_NEXT(v, TAG, tag) = next;
}

/* To any nodes, itself, a hub, or a child that may exist. What comes decides what goes. */
static void send(const pen_view *v)
{
    const uint64_t nodes = (uint64_t)case_of(v)->nodes;
    tag *next = PEN_NEXT(v, TAG, tag);
    for (int64_t i = 0; i < pen_mail_count(v, NOTE); i++) {
        const note *came = PEN_MAIL(v, NOTE, note, i);
        next->hash = scramble(next->hash, came->hash[0] ^ (uint64_t)pen_mail_sender(v, NOTE, i));
    }
    const int count = (int)(next->hash % 5);
    for (int i = 0; i < count; i++) {
        const uint64_t chance = scramble(next->hash, (uint64_t)i);
        pen_gid to = (pen_gid)(chance >> 8) % (pen_gid)(2 * nodes) * case_of(v)->apart;
        if (chance % 4 == 0) to = pen_id(v);
        if (chance % 16 == 1) to = 0;
        PEN_SEND(v, LETTER, letter, to)->hash = chance;
        if (chance % 3 == 0) PEN_SEND(v, NOTE, note, to)->hash[0] = (uint32_t)chance;
    }
}

static void receive(const pen_view *v)
{
    tag *next = PEN_NEXT(v, TAG, tag);
    for (int64_t i = 0; i < pen_mail_count(v, LETTER); i++)
        next->hash = scramble(next->hash,
                              PEN_MAIL(v, LETTER, letter, i)->hash ^ (uint64_t)pen_mail_sender(v, LETTER, i));
}

static void observe(const pen_view *v, pen_observation *o)
{
    const uint64_t hash = PEN_SELF(v, TAG, tag)->hash;
    pen_observe_int(o, COUNT, (int64_t)(hash % 1000));
    pen_observe_real(o, SUM, (double)(hash >> 12) * 1e-7);
    pen_observe_real(o, LARGEST, (double)(hash >> 40));
}
PEN_OBSERVE_SWEEP(observe)

static void observe_before(const pen_view *v, pen_observation *o)
{
    pen_observe_int(o, BEFORE, (int64_t)(PEN_SELF(v, TAG, tag)->hash % 999));
}
PEN_OBSERVE_SWEEP(observe_before)

/* Before the phase that observes, and after each step. */
static void update(const pen_run *run, int phase, const void *params, void *globals)
{
    total *t = globals;
    t->sum = 0.5 * t->sum + pen_run_observed_real(run, SUM);
    t->count = 3 * t->count % 1000000 + pen_run_observed_int(run, phase == PEN_BETWEEN_STEPS ? COUNT : BEFORE);
}

static double cost(const pen_view *v) { return 1.0 + (double)(lot(v, 9) % 20 == 0 ? 30 : lot(v, 9) % 3); }
PEN_COST_SWEEP(cost)

static void print(const pen_view *v, FILE *out)
{
    fprintf(out, "%llu", (unsigned long long)PEN_SELF(v, TAG, tag)->hash);
}

static const pen_field fields[] = { { .name = "tag", .size = sizeof(tag), .plain = true },
                                    { .name = "small", .size = sizeof(small), .plain = true },
                                    { .name = "wave", .size = sizeof(wave), .plain = true },
                                    { .name = "own", .size = sizeof(own), .plain = true } };
static const pen_edge_field edge_fields[] = { { .name = "trail", .size = sizeof(trail) },
                                              { .name = "notch", .size = sizeof(notch) } };
static const pen_mail mails[] = { { "letter", sizeof(letter), .drop = true }, { "note", sizeof(note), .drop = true } };
static const pen_observable observables[] = { { "count", PEN_SUM_INT, 1 },
                                              { "sum", PEN_SUM_REAL, 1 },
                                              { "largest", PEN_MAX_REAL, 1 },
                                              { "before", PEN_SUM_INT, 1 } };
static const pen_globals globals = { .size = sizeof(total), .update = update };
static const pen_member members[] = { PEN_MEMBER(TAG, tag, step, PEN_I64), PEN_MEMBER(TAG, tag, hash, PEN_I64) };

void explored_application(const explored *e, application *a)
{
    int n = 0;
    *a = (application){ .app = { .name = "explored",
                                 PEN_FIELDS(fields),
                                 .phases = { a->phases, 0 },
                                 .init = init,
                                 .output = { .print = print, PEN_MEMBERS(members) } } };
    a->phases[n++] = (pen_phase){ "mix",
                                  .node = mix,
                                  .cost = cost_sweep,
                                  .reads = PEN_SET(TAG, SMALL, WAVE),
                                  .writes = PEN_SET(TAG, WAVE, OWN),
                                  .updates = PEN_SET(WAVE, OWN) };
    if (e->features & EDGES) {
        a->app.edge_fields.list = edge_fields;
        a->app.edge_fields.count = PEN_COUNT_OF(edge_fields);
        a->phases[0].edge_writes = (pen_set)PEN_SET(NOTCH, TRAIL);
    }
    if (e->features & MAILS)
        a->phases[n++] = (pen_phase){ "receive", .node = receive, .writes = PEN_SET(TAG), .updates = PEN_SET(TAG),
                                      .receives = PEN_SET(LETTER) };
    a->phases[n++] = (pen_phase){ "scribble", .node = scribble, .writes = PEN_SET(SMALL) };
    if (e->features & FAR)
        a->phases[n++] = (pen_phase){ "look", .node = look, .writes = PEN_SET(TAG, SMALL), .far = want,
                                      .far_reads = PEN_SET(TAG) };
    else a->phases[n++] = (pen_phase){ "advance", .node = advance, .writes = PEN_SET(TAG, SMALL) };
    if (e->features & CHANGES)
        a->phases[n++] = (pen_phase){ "alter", .writes = PEN_SET(TAG), .updates = PEN_SET(TAG), .modify = alter };
    if (e->features & MAILS) {
        pen_mail_bin_bytes = e->seed % 2 ? 1 : 256 << 10; /* very many bins, or one */
        pen_mail_short_bytes = e->seed % 8 == 2 ? 1024 : 0;
        a->app.mails.list = mails;
        a->app.mails.count = PEN_COUNT_OF(mails);
        a->phases[n++] = (pen_phase){ "send",
                                      .node = send,
                                      .writes = PEN_SET(TAG),
                                      .updates = PEN_SET(TAG),
                                      .sends = PEN_SET(LETTER, NOTE),
                                      .receives = PEN_SET(NOTE) };
    }
    a->app.phases.count = n;
    if (e->features & OBSERVES) {
        a->app.observables.list = observables;
        a->app.observables.count = PEN_COUNT_OF(observables);
        a->app.observables.observe = observe_sweep;
        pen_phase *observing = &a->phases[e->seed % 2 ? 0 : n - 1]; /* the last one may fail, and is done again */
        observing->observe = observe_before_sweep;
        observing->observes = (pen_set)PEN_SET(BEFORE);
        a->app.globals = &globals;
    }
    a->app.params = (void *)(uintptr_t)e;
    pen_run_options *o = &a->options;
    *o = (pen_run_options){ .transport = e->transport, .partitioner = e->partitioner, .seed = 3 };
    a->tests = (pen_test_options){ .migrate_seed = e->seed, .migrate_part = e->moves };
    if (e->features & MIGRATES) o->debug.tests = &a->tests;
    if (e->features & BALANCES)
        o->balance = (pen_balance_options){ .balancer = "diffusive",
                                            .when = "every:1:always",
                                            .load = PEN_LOAD_DECLARED };
}

/* mail_program.h - programs drawn from seeds whose nodes send mail: to themselves, neighbours, a hub, any nodes, and
 * gids that no node has. What a node sends follows from what it has received; so an error in the order of one message
 * changes all that follows. mail_serial computes the same with a list of all messages, and shares no code with runs. */
#pragma once

#include "tests/support/world.h"

enum { MAIL_STATE, MAIL_FIELDS };
enum { MAIL_KINDS = 4, MAIL_PHASES = 4, MAIL_LARGEST = 4096 };
enum { MAIL_COUNT, MAIL_SUM, MAIL_OBSERVED };

typedef struct mail_state {
    uint64_t hash, received;
} mail_state;

typedef struct mail_program {
    const graph_case *graph;
    uint64_t seed;
    int kinds, phases, burst; /* burst: one node in so many sends many messages */
    pen_mail mails[MAIL_KINDS];
    pen_phase list[MAIL_PHASES];
    pen_field fields[MAIL_FIELDS];
    pen_observable observables[MAIL_OBSERVED];
    pen_app app;
} mail_program;

static inline uint64_t mail_hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* ---- The program: what a node with this hash sends in a phase (-1: .init) ------------------------- */

static inline int mail_number(const mail_program *p, uint64_t hash, int phase, int kind)
{
    const uint64_t r = scramble(hash, (uint64_t)(phase * 64 + kind + 7));
    const bool large = p->mails[kind].size > 256;
    if (r % 4 == 0) return 0;
    if (r >> 8 & 1 && (int)(r >> 16 & 0xff) % p->burst == 0) return large ? 9 : 40;
    return 1 + (int)(r >> 24 & 0xff) % (large ? 2 : 4);
}

static inline pen_gid mail_receiver(const mail_program *p, uint64_t hash, pen_gid own, int phase, int kind, int call)
{
    const graph_case *g = p->graph;
    const uint64_t r = scramble(scramble(hash, (uint64_t)call), (uint64_t)(phase * 64 + kind));
    if (p->mails[kind].drop && r % 16 == 0) return r & 32 ? -5 : g->gids[g->nodes - 1] + 1 + (pen_gid)(r >> 40 & 3);
    if (r % 8 < 3) return own;
    if (r % 8 == 3) return g->gids[0];
    return g->gids[(r >> 16) % (uint64_t)g->nodes];
}

static inline void mail_fill(uint64_t hash, int call, unsigned char *bytes, size_t size)
{
    uint64_t r = scramble(hash, (uint64_t)call + 1000);
    for (size_t i = 0; i < size && i < 24; i++, r = i % 8 ? r >> 8 : scramble(r, i)) bytes[i] = (unsigned char)r;
    bytes[size - 1] = (unsigned char)(r >> 3);
}

/* ---- As a run computes it -------------------------------------------------------------------------- */

static inline void mail_send(const pen_view *v, uint64_t hash, int phase, uint64_t kinds)
{
    const mail_program *p = (const mail_program *)pen_params(v);
    for (int k = 0; k < p->kinds; k++) {
        const int count = kinds >> k & 1 ? mail_number(p, hash, phase, k) : 0;
        for (int c = 0; c < count; c++) {
            const pen_gid to = mail_receiver(p, hash, pen_id(v), phase, k, c);
            mail_fill(hash, c, (unsigned char *)pen_send(v, k, p->mails[k].size, to), p->mails[k].size);
        }
    }
}

static inline uint64_t mail_receive(const pen_view *v, uint64_t hash, int kind)
{
    const mail_program *p = (const mail_program *)pen_params(v);
    for (int64_t i = 0; i < pen_mail_count(v, kind); i++) {
        hash = scramble(hash, (uint64_t)pen_mail_sender(v, kind, i));
        hash = mail_hash_bytes(hash, pen_mail_record(v, kind, i), p->mails[kind].size);
    }
    return hash;
}

static inline void mail_init(const pen_view *v)
{
    const mail_program *p = (const mail_program *)pen_params(v);
    mail_state *next = PEN_NEXT(v, MAIL_STATE, mail_state);
    *next = (mail_state){ scramble(p->seed, (uint64_t)pen_id(v)), 0 };
    mail_send(v, next->hash, -1, (UINT64_C(1) << p->kinds) - 1);
}

static inline void mail_phase(const pen_view *v, int phase)
{
    const mail_program *p = (const mail_program *)pen_params(v);
    mail_state *next = PEN_NEXT(v, MAIL_STATE, mail_state);
    *next = *PEN_SELF(v, MAIL_STATE, mail_state);
    for (int32_t i = 0; i < pen_degree(v); i++)
        next->hash = scramble(next->hash, PEN_NEIGHBOR(v, MAIL_STATE, mail_state, i)->hash);
    for (int k = 0; k < p->kinds; k++) {
        if (!(p->list[phase].receives.bits >> k & 1)) continue;
        next->hash = mail_receive(v, next->hash, k);
        next->received += (uint64_t)pen_mail_count(v, k);
    }
    mail_send(v, next->hash, phase, p->list[phase].sends.bits);
}
static inline void mail_phase_0(const pen_view *v) { mail_phase(v, 0); }
static inline void mail_phase_1(const pen_view *v) { mail_phase(v, 1); }

/* Sweeps compute nodes in any order: the last slot first; or the odd ones, and then the others. */
static inline void mail_backwards(const pen_view *v, pen_lid end)
{
    pen_view one = *v;
    for (one.slot = end; one.slot-- > v->slot;) mail_phase(&one, 2);
}
static inline void mail_in_turns(const pen_view *v, pen_lid end)
{
    pen_view one = *v;
    for (int odd = 1; odd >= 0; odd--)
        for (one.slot = v->slot; one.slot < end; one.slot++)
            if (one.slot % 2 == odd) mail_phase(&one, 3);
}

/* Undelivered mail of all nodes. */
static inline void mail_observe(const pen_view *v, pen_observation *observation)
{
    const mail_program *p = (const mail_program *)pen_params(v);
    uint64_t hash = (uint64_t)pen_id(v);
    for (int k = 0; k < p->kinds; k++) {
        pen_observe_int(observation, MAIL_COUNT, pen_mail_count(v, k));
        hash = mail_receive(v, hash, k);
    }
    pen_observe_int(observation, MAIL_SUM, (int64_t)(hash >> 33));
}
PEN_OBSERVE_SWEEP(mail_observe)

static inline double mail_cost(const pen_view *v) { return 1.0 + (double)pen_mail_count(v, 0); }
PEN_COST_SWEEP(mail_cost)

static inline void mail_print(const pen_view *v, FILE *out)
{
    const mail_program *p = (const mail_program *)pen_params(v);
    const mail_state *s = PEN_SELF(v, MAIL_STATE, mail_state);
    fprintf(out, "%016" PRIx64 " %" PRIu64, mail_receive(v, s->hash, p->kinds - 1), s->received);
}

static inline void mail_program_draw(const graph_case *g, uint64_t seed, mail_program *p)
{
    static const size_t sizes[] = { 16, 1, 8, 24, 4, 12, 100, 1000, 32, MAIL_LARGEST };
    static pen_node_fn *const functions[] = { mail_phase_0, mail_phase_1, NULL, NULL };
    static pen_sweep_fn *const sweeps[] = { NULL, NULL, mail_backwards, mail_in_turns };
    static const char *const names[] = { "first", "second", "third", "fourth" };
    static const char *const kinds[] = { "letter", "visit", "parcel", "note" };
    uint64_t r = scramble(seed, 1);
    *p = (mail_program){ .graph = g, .seed = seed };
    p->kinds = 1 + (int)(r % MAIL_KINDS);
    p->phases = 1 + (int)((r >> 8) % MAIL_PHASES);
    p->burst = 1 << (r >> 16) % 6;
    for (int k = 0; k < p->kinds; k++) {
        r = scramble(r, 2);
        p->mails[k] = (pen_mail){ kinds[k], sizes[r % 10], r >> 32 & 1 };
    }
    for (int i = 0; i < p->phases; i++) {
        r = scramble(r, 3);
        p->list[i] = (pen_phase){ .name = names[i], .node = functions[i], .sweep = sweeps[i] };
        p->list[i].reads.bits = p->list[i].writes.bits = 1;
        p->list[i].sends.bits = r & ((UINT64_C(1) << p->kinds) - 1);
        p->list[i].receives.bits = (r >> 8 | (i == 0 ? r >> 16 : 0)) & ((UINT64_C(1) << p->kinds) - 1);
    }
    p->list[p->phases - 1].receives.bits |= 1;
    p->list[0].cost = mail_cost_sweep;
    p->fields[MAIL_STATE] = (pen_field){ "state", sizeof(mail_state), .plain = true };
    p->observables[MAIL_COUNT] = (pen_observable){ "undelivered", PEN_SUM_INT, 1 };
    p->observables[MAIL_SUM] = (pen_observable){ "sum", PEN_SUM_INT, 1 };
    p->app = (pen_app){ .name = "mail",
                        .fields = { p->fields, MAIL_FIELDS },
                        .phases = { p->list, p->phases },
                        .observables = { p->observables, MAIL_OBSERVED, mail_observe_sweep },
                        .mails = { p->mails, p->kinds },
                        .params = p,
                        .init = mail_init,
                        .output.print = mail_print };
}

/* ---- As a serial program computes it ----------------------------------------------------------------- */

typedef struct mail_letter {
    int to, kind, sequence; /* index of the receiver; the order in which messages were sent */
    pen_gid from;
    unsigned char *bytes;
} mail_letter;

typedef struct mail_serial {
    const mail_program *program;
    mail_state *now, *next; /* [nodes] */
    mail_letter *letters;   /* [count] that nobody has received */
    int count, room, sequence;
} mail_serial;

static inline int mail_by_sender(const void *a, const void *b)
{
    const mail_letter *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

static inline void mail_serial_send(mail_serial *s, int node, uint64_t hash, int phase, uint64_t kinds)
{
    const mail_program *p = s->program;
    const graph_case *g = p->graph;
    for (int k = 0; k < p->kinds; k++) {
        const int count = kinds >> k & 1 ? mail_number(p, hash, phase, k) : 0;
        for (int c = 0; c < count; c++) {
            const pen_gid to = mail_receiver(p, hash, g->gids[node], phase, k, c);
            int index = 0;
            while (index < g->nodes && g->gids[index] != to) index++;
            if (index == g->nodes) continue; /* it is dropped */
            if (s->count == s->room) {
                s->room = 2 * s->room + 64;
                s->letters = realloc(s->letters, (size_t)s->room * sizeof *s->letters);
            }
            mail_letter *letter = &s->letters[s->count++];
            *letter = (mail_letter){ index, k, s->sequence++, g->gids[node], calloc(1, p->mails[k].size) };
            mail_fill(hash, c, letter->bytes, p->mails[k].size);
        }
    }
}

/* The hash after the messages of a kind in a node's mailbox, at *count. */
static inline uint64_t mail_serial_read(const mail_serial *s, int node, int kind, int before, uint64_t hash, int *count)
{
    mail_letter *mine = malloc(((size_t)s->count + 1) * sizeof *mine);
    *count = 0;
    for (int i = 0; i < before; i++)
        if (s->letters[i].to == node && s->letters[i].kind == kind) mine[(*count)++] = s->letters[i];
    if (*count > 0) qsort(mine, (size_t)*count, sizeof *mine, mail_by_sender);
    for (int i = 0; i < *count; i++) {
        hash = scramble(hash, (uint64_t)mine[i].from);
        hash = mail_hash_bytes(hash, mine[i].bytes, s->program->mails[kind].size);
    }
    free(mine);
    return hash;
}

static inline void mail_serial_begin(const mail_program *p, mail_serial *s)
{
    const size_t bytes = (size_t)p->graph->nodes * sizeof(mail_state);
    *s = (mail_serial){ .program = p, .now = malloc(bytes), .next = malloc(bytes) };
    for (int i = 0; i < p->graph->nodes; i++) {
        s->now[i] = (mail_state){ scramble(p->seed, (uint64_t)p->graph->gids[i]), 0 };
        mail_serial_send(s, i, s->now[i].hash, -1, (UINT64_C(1) << p->kinds) - 1);
    }
}

static inline void mail_serial_phase(mail_serial *s, int phase)
{
    const mail_program *p = s->program;
    const graph_case *g = p->graph;
    const uint64_t receives = p->list[phase].receives.bits;
    const int before = s->count;
    int kept = 0, count;
    for (int i = 0; i < g->nodes; i++) {
        s->next[i] = s->now[i];
        for (int n = 0; n < g->degree[i]; n++)
            s->next[i].hash = scramble(s->next[i].hash, s->now[g->neighbors[i][n]].hash);
        for (int k = 0; k < p->kinds; k++) {
            if (!(receives >> k & 1)) continue;
            s->next[i].hash = mail_serial_read(s, i, k, before, s->next[i].hash, &count);
            s->next[i].received += (uint64_t)count;
        }
        mail_serial_send(s, i, s->next[i].hash, phase, p->list[phase].sends.bits);
    }
    for (int i = 0; i < s->count; i++) {
        if (i < before && receives >> s->letters[i].kind & 1) free(s->letters[i].bytes);
        else s->letters[kept++] = s->letters[i];
    }
    s->count = kept;
    mail_state *old = s->now;
    s->now = s->next;
    s->next = old;
}

static inline void mail_serial_step(mail_serial *s)
{
    for (int p = 0; p < s->program->phases; p++) mail_serial_phase(s, p);
}

/* What .observe finds of undelivered mail. */
static inline int64_t mail_serial_sum(const mail_serial *s)
{
    const graph_case *g = s->program->graph;
    int64_t sum = 0;
    int count;
    for (int i = 0; i < g->nodes; i++) {
        uint64_t hash = (uint64_t)g->gids[i];
        for (int k = 0; k < s->program->kinds; k++) hash = mail_serial_read(s, i, k, s->count, hash, &count);
        sum += (int64_t)(hash >> 33);
    }
    return sum;
}

static inline void mail_serial_end(mail_serial *s)
{
    for (int i = 0; i < s->count; i++) free(s->letters[i].bytes);
    free(s->letters);
    free(s->now);
    free(s->next);
}

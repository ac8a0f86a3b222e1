#include "strict/replicas.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>

/* So that the kinds of mistakes that one pair hides are seen with another: 32.5 and -0.12 as doubles, to which numbers
 * can be added and leave a trace; large and tiny ones of both signs; zero and NaN. */
static const unsigned char PATTERNS[] = { 0x40, 0x5a, 0xda, 0x00 };

/* ---- Planes --------------------------------------------------------------------------------- */

static pen_status planes_make(pen_planes *planes, const pen_replicas *replicas, int64_t records)
{
    enum { ALIGN = 64 };
    int64_t bytes = 0;
    const size_t *sizes = replicas->run->store->sizes;
    int fields = replicas->run->app->fields.count;
    for (int f = 0; f < fields; f++) bytes += (records * (int64_t)sizes[f] / ALIGN + 1) * ALIGN + PEN_TRAP_GAP;
    PEN_TRY(pen_guarded_make(bytes, PEN_TRAP_GUARD, &planes->guarded));
    unsigned char *at = planes->guarded.memory;
    for (int f = 0; f < fields; f++) {
        planes->of[f] = at;
        at += (records * (int64_t)sizes[f] / ALIGN + 1) * ALIGN + PEN_TRAP_GAP;
    }
    return PEN_OK;
}

static void planes_free(pen_planes *planes)
{
    pen_guarded_free(&planes->guarded);
    free(planes->of);
}

pen_status pen_replicas_create(pen_run *run, pen_replicas *replicas)
{
    const pen_app *app = run->app;
    int fields = app->fields.count;
    *replicas = (pen_replicas){ .run = run };
    PEN_TRY(PEN_ALLOC_ZERO(&replicas->at, fields + 1));
    for (int f = 0; f < fields; f++) replicas->at[f + 1] = replicas->at[f] + (int64_t)app->fields.list[f].size;
    PEN_TRY(PEN_ALLOC(&replicas->current, fields));
    PEN_TRY(PEN_ALLOC(&replicas->written, fields));
    PEN_TRY(PEN_ALLOC(&replicas->far_records, fields));
    PEN_TRY(PEN_ALLOC(&replicas->own, replicas->at[fields]));
    PEN_TRY(PEN_ALLOC(&replicas->kept, replicas->at[fields]));
    for (int w = 0; w < 2; w++) {
        PEN_TRY(PEN_ALLOC(&replicas->blank[w], replicas->at[fields]));
        PEN_TRY(PEN_ALLOC(&replicas->seen[w].of, fields));
        PEN_TRY(PEN_ALLOC(&replicas->intact[w].of, fields));
        PEN_TRY(PEN_ALLOC(&replicas->next[w].of, fields));
        PEN_TRY(PEN_ALLOC(&replicas->far[w].of, fields));
    }
    return pen_traps_create(run, &replicas->traps);
}

void pen_replicas_free(pen_replicas *replicas)
{
    for (int w = 0; w < 2; w++) {
        planes_free(&replicas->seen[w]);
        planes_free(&replicas->intact[w]);
        planes_free(&replicas->next[w]);
        planes_free(&replicas->far[w]);
    }
    PEN_FREE_ALL(replicas->at, replicas->current, replicas->written, replicas->own, replicas->kept, replicas->far_slots,
                 replicas->blank[0], replicas->blank[1], replicas->far_records);
    pen_traps_free(&replicas->traps);
}

/* The record of a node, of a field that the store has. */
static const unsigned char *record_of(const pen_replicas *replicas, int field, pen_lid slot, int64_t wish)
{
    const pen_store *store = replicas->run->store;
    const pen_far *far = replicas->run->view.far;
    size_t size = store->sizes[field];
    if (wish >= 0) {
        slot = far->slots[wish];
        if (slot < 0) return NULL;
        if (slot >= far->known) return (const unsigned char *)far->records[field] + (size_t)(slot - far->known) * size;
    }
    return pen_store_plane(store, field, 0) + (size_t)slot * size;
}

const unsigned char *pen_replicas_unwritten(const pen_replicas *replicas, int field, pen_lid slot, int64_t wish)
{
    return record_of(replicas, replicas->run->app->fields.count + field, slot, wish);
}

/* A record as it is seen in a replica: its unwritten bits are the pattern. */
static void show(const pen_replicas *replicas, int f, pen_lid slot, int64_t wish, unsigned char pattern,
                 unsigned char *restrict to)
{
    const unsigned char *restrict record = record_of(replicas, f, slot, wish);
    const unsigned char *restrict bits = pen_replicas_unwritten(replicas, f, slot, wish);
    size_t size = replicas->run->store->sizes[f];
    for (size_t b = 0; b < size; b++) to[b] = (unsigned char)((record[b] & ~bits[b]) | (pattern & bits[b]));
}

static bool shown(const pen_replicas *replicas, int f) { return replicas->reads >> f & 1; }

pen_status pen_replicas_make(pen_replicas *replicas, uint64_t reads, bool none_yet)
{
    const pen_store *store = replicas->run->store;
    pen_lid known = store->owned + store->shadows;
    replicas->reads = reads;
    replicas->far_reads = 0;
    replicas->none_yet = none_yet;
    replicas->patterns[0] = PATTERNS[(uint64_t)replicas->run->step % sizeof PATTERNS];
    replicas->patterns[1] = (unsigned char)~replicas->patterns[0];
    replicas->far_view = (pen_far){ .first = NULL };
    for (int w = 0; w < 2; w++) {
        memset(replicas->blank[w], replicas->patterns[w], (size_t)replicas->at[replicas->run->app->fields.count]);
        if (known > replicas->room || !replicas->next[w].guarded.memory) {
            PEN_TRY(planes_make(&replicas->seen[w], replicas, known));
            PEN_TRY(planes_make(&replicas->intact[w], replicas, known));
            PEN_TRY(planes_make(&replicas->next[w], replicas, known));
        }
        for (int f = 0; f < replicas->run->app->fields.count; f++) {
            size_t size = store->sizes[f];
            memset(replicas->next[w].of[f], replicas->patterns[w], (size_t)known * size);
            memset(replicas->seen[w].of[f], replicas->patterns[w], (size_t)known * size);
            for (pen_lid s = 0; shown(replicas, f) && s < known; s++)
                show(replicas, f, s, -1, replicas->patterns[w], replicas->seen[w].of[f] + (size_t)s * size);
            memcpy(replicas->intact[w].of[f], replicas->seen[w].of[f], (size_t)known * size);
        }
    }
    if (known > replicas->room) replicas->room = known;
    return pen_traps_make(&replicas->traps);
}

void pen_replicas_reveal(pen_replicas *replicas, pen_lid slot, bool really)
{
    const pen_store *store = replicas->run->store;
    for (int f = 0; f < replicas->run->app->fields.count; f++)
        for (uint32_t a = store->rows[slot]; !shown(replicas, f) && a < store->rows[slot + 1]; a++) {
            const pen_lid other = store->columns[a];
            const size_t size = store->sizes[f], offset = (size_t)other * size;
            unsigned char *seen = replicas->seen[1].of[f] + offset;
            if (other >= store->owned) continue;
            if (really) show(replicas, f, other, -1, replicas->patterns[1], seen);
            else memset(seen, replicas->patterns[1], size);
            memcpy(replicas->intact[1].of[f] + offset, seen, size);
        }
}

pen_status pen_replicas_add_far(pen_replicas *replicas, uint64_t far_reads)
{
    const pen_store *store = replicas->run->store;
    const pen_far *far = replicas->run->view.far;
    int64_t count = far->first[store->owned];
    pen_lid known = store->owned + store->shadows, last;
    replicas->far_reads = far_reads;
    PEN_TRY(PEN_REALLOC(&replicas->far_slots, count + 1));
    PEN_TRY(pen_to_lid(known + 2 * count, "nodes and requests, in the strict mode", &last));
    for (int64_t i = 0; i < count; i++) replicas->far_slots[i] = far->slots[i] < 0 ? -1 : (pen_lid)(known + 2 * i);
    for (int w = 0; w < 2; w++) {
        PEN_TRY(planes_make(&replicas->far[w], replicas, 2 * count));
        for (int f = 0; f < replicas->run->app->fields.count; f++) {
            size_t size = store->sizes[f];
            memset(replicas->far[w].of[f], replicas->patterns[w], 2 * (size_t)count * size);
            for (int64_t i = 0; far_reads >> f & 1 && i < count; i++)
                if (far->slots[i] >= 0)
                    show(replicas, f, 0, i, replicas->patterns[w], replicas->far[w].of[f] + 2 * (size_t)i * size);
        }
    }
    replicas->far_view = (pen_far){ far->first, far->gids, replicas->far_slots, known, NULL };
    return pen_traps_add_far(&replicas->traps, &replicas->far_view, count);
}

/* ---- A node --------------------------------------------------------------------------------- */

pen_status pen_outcome_create(const pen_replicas *replicas, pen_outcome *outcome)
{
    *outcome = (pen_outcome){ .damage = NULL };
    return PEN_ALLOC(&outcome->next, replicas->at[replicas->run->app->fields.count]);
}

void pen_outcome_free(pen_outcome *outcome) { PEN_FREE_ALL(outcome->next, outcome->edges, outcome->words.gids); }

/* Turn the unwritten bits in a gap into the other pattern, or back. */
static void turn(const pen_replicas *replicas, const pen_gap *gap, unsigned char *record)
{
    const unsigned char *bits = pen_replicas_unwritten(replicas, gap->field, gap->slot, gap->wish);
    for (int64_t b = gap->first; b < gap->end; b++) record[b] ^= bits[b];
}

/* The same in a record of another node. */
static void turn_other(const pen_replicas *replicas, const pen_gap *gap, pen_lid self)
{
    if (!gap || (gap->wish < 0 && gap->slot == self)) return;
    size_t size = replicas->run->store->sizes[gap->field];
    turn(replicas, gap,
         gap->wish < 0 ? replicas->seen[0].of[gap->field] + (size_t)gap->slot * size
                       : replicas->far[0].of[gap->field] + 2 * (size_t)gap->wish * size);
}

static void damage(pen_outcome *outcome, int field, const char *what)
{
    if (outcome->damage) return;
    outcome->damage = what;
    outcome->damaged = field;
}

/* Note if a neighbour's current or next record has changed, and restore it. */
static void watch_neighbor(pen_replicas *replicas, pen_lid slot, const pen_choice *choice, pen_outcome *outcome)
{
    for (int f = 0; f < replicas->run->app->fields.count; f++) {
        size_t size = replicas->run->store->sizes[f], offset = (size_t)slot * size;
        int w = (int)(choice->neighbors >> f & 1), x = (int)(choice->next >> f & 1);
        unsigned char *seen = replicas->seen[w].of[f] + offset, *next = replicas->next[x].of[f] + offset;
        if (memcmp(seen, replicas->intact[w].of[f] + offset, size) != 0) {
            damage(outcome, f, "a neighbour's current record is changed");
            memcpy(seen, replicas->intact[w].of[f] + offset, size);
        }
        if (memcmp(next, replicas->blank[x], size) != 0) {
            damage(outcome, f, "a neighbour's next record is written");
            memcpy(next, replicas->blank[x], size);
        }
    }
}

/* Put the own records there, as they are seen. */
static void place(pen_replicas *replicas, pen_lid slot, const pen_choice *choice)
{
    const pen_store *store = replicas->run->store;
    const pen_gap *gap = choice->gap;
    for (int f = 0; f < replicas->run->app->fields.count; f++) {
        size_t size = store->sizes[f], offset = (size_t)slot * size;
        unsigned char *own = replicas->own + replicas->at[f], pattern = replicas->patterns[choice->own >> f & 1];
        if (replicas->none_yet) memset(own, pattern, size);
        else show(replicas, f, slot, -1, pattern, own);
        if (gap && gap->field == f && gap->wish < 0 && gap->slot == slot) turn(replicas, gap, own);
        unsigned char *seen = replicas->seen[choice->neighbors >> f & 1].of[f] + offset;
        memcpy(replicas->kept + replicas->at[f], seen, size);
        memcpy(seen, own, size);
    }
}

/* Take the next records, and restore all patterns. */
static void collect(pen_replicas *replicas, pen_lid slot, const pen_choice *choice, pen_outcome *outcome)
{
    const pen_store *store = replicas->run->store;
    for (int f = 0; f < replicas->run->app->fields.count; f++) {
        size_t size = store->sizes[f], offset = (size_t)slot * size;
        int w = (int)(choice->next >> f & 1);
        unsigned char *next = replicas->next[w].of[f] + offset;
        memcpy(outcome->next + replicas->at[f], next, size);
        memset(next, replicas->patterns[w], size);
        w = (int)(choice->neighbors >> f & 1);
        unsigned char *seen = replicas->seen[w].of[f] + offset;
        if (memcmp(seen, replicas->own + replicas->at[f], size) != 0)
            damage(outcome, f, "the current record is changed");
        memcpy(seen, replicas->kept + replicas->at[f], size);
    }
}

/* Of the records of one edge field. */
static size_t edge_bytes_of(const pen_store *store, pen_lid slot, int e)
{
    return (store->rows[slot + 1] - store->rows[slot]) * store->edge_sizes[e];
}

void pen_replicas_swap_edges(const pen_replicas *replicas, pen_lid slot, unsigned char *edges)
{
    const pen_store *store = replicas->run->store;
    for (int e = 0; e < store->edge_field_count; e++) {
        unsigned char *own = (unsigned char *)store->edges[e] + store->rows[slot] * store->edge_sizes[e];
        for (size_t bytes = edge_bytes_of(store, slot, e), b = 0; b < bytes; b++, edges++) {
            unsigned char byte = own[b];
            own[b] = *edges;
            *edges = byte;
        }
    }
}

/* Copy the records of the node's arcs; returns how many bytes these are. */
static size_t keep_edges(const pen_replicas *replicas, pen_lid slot, pen_outcome *outcome)
{
    const pen_store *store = replicas->run->store;
    size_t bytes = 0, at = 0;
    for (int e = 0; e < store->edge_field_count; e++) bytes += edge_bytes_of(store, slot, e);
    if (bytes == 0) return 0;
    if (PEN_REALLOC(&outcome->edges, (int64_t)bytes) != PEN_OK) pen_die("out of memory in the strict mode");
    for (int e = 0; e < store->edge_field_count; e++) {
        size_t size = edge_bytes_of(store, slot, e);
        memcpy(outcome->edges + at, (unsigned char *)store->edges[e] + store->rows[slot] * store->edge_sizes[e], size);
        at += size;
    }
    return bytes;
}

/* The arguments of a call, for pen_guarded_call. */
typedef struct call_context {
    pen_replicas *replicas;
    pen_call *call;
    const pen_view *view;
    pen_wishes *words;
} call_context;

static void call_in_context(void *context)
{
    const call_context *s = (const call_context *)context;
    s->call(s->replicas, s->view, s->words);
}

static void call_node(pen_replicas *replicas, pen_lid slot, pen_call *call, const pen_choice *choice,
                      pen_outcome *outcome)
{
    for (int f = 0; f < replicas->run->app->fields.count; f++) {
        replicas->current[f] = replicas->seen[choice->neighbors >> f & 1].of[f];
        replicas->written[f] = replicas->next[choice->next >> f & 1].of[f];
        replicas->far_records[f] = replicas->far[choice->far >> f & 1].of[f];
    }
    const pen_trap_planes planes = { replicas->current, replicas->far_records, replicas->written,
                                     replicas->far_view.slots ? &replicas->far_view : NULL };
    const pen_view view = pen_traps_view(&replicas->traps, slot, &planes, choice->numbers);
    pen_scratch_poison(view.scratch, replicas->patterns[choice->scratch]);
    const pen_fault fault = pen_guarded_call(call_in_context,
                                             &(call_context){ replicas, call, &view, &outcome->words });
    outcome->signal = fault.signal;
    outcome->fault[0] = '\0';
    if (fault.signal) pen_traps_explain(&replicas->traps, &view, &fault, outcome->fault, sizeof outcome->fault);
}

void pen_replicas_try(pen_replicas *replicas, pen_lid slot, pen_call *call, const pen_choice *choice,
                      pen_outcome *outcome)
{
    const pen_store *store = replicas->run->store;
    outcome->damage = NULL;
    outcome->words.count = 0;
    place(replicas, slot, choice);
    turn_other(replicas, choice->gap, slot);
    size_t edge_bytes = keep_edges(replicas, slot, outcome);
    call_node(replicas, slot, call, choice, outcome);
    if (edge_bytes > 0) {
        pen_replicas_swap_edges(replicas, slot, outcome->edges);
        pen_want(&outcome->words, (pen_gid)pen_hash_bytes((const char *)outcome->edges, edge_bytes));
    }
    turn_other(replicas, choice->gap, slot);
    collect(replicas, slot, choice, outcome);
    for (uint32_t a = store->rows[slot]; a < store->rows[slot + 1]; a++)
        watch_neighbor(replicas, store->columns[a], choice, outcome);
}

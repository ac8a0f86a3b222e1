#include "strict/replicas.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>

/* So that the kinds of mistakes that one pair hides are seen with another: 32.5 and -0.12 as doubles, to which numbers
 * can be added and leave a trace; large and tiny ones of both signs; zero and NaN. */
static const unsigned char PATTERNS[] = { 0x40, 0x5a, 0xda, 0x00 };

/* ---- Planes --------------------------------------------------------------------------------- */

static pen_status planes_make(pen_planes *planes, const pen_replicas *worlds, int64_t records)
{
    enum { ALIGN = 64 };
    int64_t bytes = 0;
    const size_t *sizes = worlds->run->store->sizes;
    int fields = worlds->run->app->field_count;
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

pen_status pen_replicas_create(pen_run *run, pen_replicas *worlds)
{
    const pen_app *app = run->app;
    int fields = app->field_count;
    *worlds = (pen_replicas){ .run = run };
    PEN_TRY(PEN_ALLOC_ZERO(&worlds->at, fields + 1));
    for (int f = 0; f < fields; f++) worlds->at[f + 1] = worlds->at[f] + (int64_t)app->fields[f].size;
    PEN_TRY(PEN_ALLOC(&worlds->current, fields));
    PEN_TRY(PEN_ALLOC(&worlds->written, fields));
    PEN_TRY(PEN_ALLOC(&worlds->far_records, fields));
    PEN_TRY(PEN_ALLOC(&worlds->own, worlds->at[fields]));
    PEN_TRY(PEN_ALLOC(&worlds->kept, worlds->at[fields]));
    for (int w = 0; w < 2; w++) {
        PEN_TRY(PEN_ALLOC(&worlds->blank[w], worlds->at[fields]));
        PEN_TRY(PEN_ALLOC(&worlds->seen[w].of, fields));
        PEN_TRY(PEN_ALLOC(&worlds->intact[w].of, fields));
        PEN_TRY(PEN_ALLOC(&worlds->next[w].of, fields));
        PEN_TRY(PEN_ALLOC(&worlds->far[w].of, fields));
    }
    return pen_traps_create(run, &worlds->traps);
}

void pen_replicas_free(pen_replicas *worlds)
{
    for (int w = 0; w < 2; w++) {
        planes_free(&worlds->seen[w]);
        planes_free(&worlds->intact[w]);
        planes_free(&worlds->next[w]);
        planes_free(&worlds->far[w]);
    }
    PEN_FREE_ALL(worlds->at, worlds->current, worlds->written, worlds->own, worlds->kept, worlds->far_slots,
                 worlds->blank[0], worlds->blank[1], worlds->far_records);
    pen_traps_free(&worlds->traps);
}

/* The record of a node, of a field that the store has. */
static const unsigned char *record_of(const pen_replicas *worlds, int field, pen_lid slot, int64_t wish)
{
    const pen_store *store = worlds->run->store;
    const pen_far *far = worlds->run->view.far;
    size_t size = store->sizes[field];
    if (wish >= 0) {
        slot = far->slots[wish];
        if (slot < 0) return NULL;
        if (slot >= far->known) return (const unsigned char *)far->records[field] + (size_t)(slot - far->known) * size;
    }
    return pen_store_plane(store, field, 0) + (size_t)slot * size;
}

const unsigned char *pen_replicas_unwritten(const pen_replicas *worlds, int field, pen_lid slot, int64_t wish)
{
    return record_of(worlds, worlds->run->app->field_count + field, slot, wish);
}

/* A record as it is seen in a world: its unwritten bits are the pattern. */
static void show(const pen_replicas *worlds, int f, pen_lid slot, int64_t wish, unsigned char pattern,
                 unsigned char *restrict to)
{
    const unsigned char *restrict record = record_of(worlds, f, slot, wish);
    const unsigned char *restrict bits = pen_replicas_unwritten(worlds, f, slot, wish);
    size_t size = worlds->run->store->sizes[f];
    for (size_t b = 0; b < size; b++) to[b] = (unsigned char)((record[b] & ~bits[b]) | (pattern & bits[b]));
}

static bool shown(const pen_replicas *worlds, int f) { return worlds->reads >> f & 1; }

pen_status pen_replicas_make(pen_replicas *worlds, uint64_t reads, bool none_yet)
{
    const pen_store *store = worlds->run->store;
    pen_lid known = store->owned + store->shadows;
    worlds->reads = reads;
    worlds->far_reads = 0;
    worlds->none_yet = none_yet;
    worlds->patterns[0] = PATTERNS[(uint64_t)worlds->run->step % sizeof PATTERNS];
    worlds->patterns[1] = (unsigned char)~worlds->patterns[0];
    worlds->far_view = (pen_far){ .first = NULL };
    for (int w = 0; w < 2; w++) {
        memset(worlds->blank[w], worlds->patterns[w], (size_t)worlds->at[worlds->run->app->field_count]);
        if (known > worlds->room || !worlds->next[w].guarded.memory) {
            PEN_TRY(planes_make(&worlds->seen[w], worlds, known));
            PEN_TRY(planes_make(&worlds->intact[w], worlds, known));
            PEN_TRY(planes_make(&worlds->next[w], worlds, known));
        }
        for (int f = 0; f < worlds->run->app->field_count; f++) {
            size_t size = store->sizes[f];
            memset(worlds->next[w].of[f], worlds->patterns[w], (size_t)known * size);
            memset(worlds->seen[w].of[f], worlds->patterns[w], (size_t)known * size);
            for (pen_lid s = 0; shown(worlds, f) && s < known; s++)
                show(worlds, f, s, -1, worlds->patterns[w], worlds->seen[w].of[f] + (size_t)s * size);
            memcpy(worlds->intact[w].of[f], worlds->seen[w].of[f], (size_t)known * size);
        }
    }
    if (known > worlds->room) worlds->room = known;
    return pen_traps_make(&worlds->traps);
}

pen_status pen_replicas_add_far(pen_replicas *worlds, uint64_t far_reads)
{
    const pen_store *store = worlds->run->store;
    const pen_far *far = worlds->run->view.far;
    int64_t count = far->first[store->owned];
    pen_lid known = store->owned + store->shadows, last;
    worlds->far_reads = far_reads;
    PEN_TRY(PEN_REALLOC(&worlds->far_slots, count + 1));
    PEN_TRY(pen_to_lid(known + 2 * count, "nodes and wishes, in the strict mode", &last));
    for (int64_t i = 0; i < count; i++) worlds->far_slots[i] = far->slots[i] < 0 ? -1 : (pen_lid)(known + 2 * i);
    for (int w = 0; w < 2; w++) {
        PEN_TRY(planes_make(&worlds->far[w], worlds, 2 * count));
        for (int f = 0; f < worlds->run->app->field_count; f++) {
            size_t size = store->sizes[f];
            memset(worlds->far[w].of[f], worlds->patterns[w], 2 * (size_t)count * size);
            for (int64_t i = 0; far_reads >> f & 1 && i < count; i++)
                if (far->slots[i] >= 0)
                    show(worlds, f, 0, i, worlds->patterns[w], worlds->far[w].of[f] + 2 * (size_t)i * size);
        }
    }
    worlds->far_view = (pen_far){ far->first, far->gids, worlds->far_slots, known, NULL };
    return pen_traps_add_far(&worlds->traps, &worlds->far_view, count);
}

/* ---- A node --------------------------------------------------------------------------------- */

pen_status pen_outcome_create(const pen_replicas *worlds, pen_outcome *outcome)
{
    *outcome = (pen_outcome){ .damage = NULL };
    return PEN_ALLOC(&outcome->next, worlds->at[worlds->run->app->field_count]);
}

void pen_outcome_free(pen_outcome *outcome) { PEN_FREE_ALL(outcome->next, outcome->edges, outcome->words.gids); }

/* Turn the unwritten bits in a gap into the other pattern, or back. */
static void turn(const pen_replicas *worlds, const pen_gap *gap, unsigned char *record)
{
    const unsigned char *bits = pen_replicas_unwritten(worlds, gap->field, gap->slot, gap->wish);
    for (int64_t b = gap->first; b < gap->end; b++) record[b] ^= bits[b];
}

/* The same in a record of another node. */
static void turn_other(const pen_replicas *worlds, const pen_gap *gap, pen_lid self)
{
    if (!gap || (gap->wish < 0 && gap->slot == self)) return;
    size_t size = worlds->run->store->sizes[gap->field];
    turn(worlds, gap,
         gap->wish < 0 ? worlds->seen[0].of[gap->field] + (size_t)gap->slot * size
                       : worlds->far[0].of[gap->field] + 2 * (size_t)gap->wish * size);
}

static void damage(pen_outcome *outcome, int field, const char *what)
{
    if (outcome->damage) return;
    outcome->damage = what;
    outcome->damaged = field;
}

/* Has a neighbour's record changed, its current or its next one? Make it good. */
static void watch_neighbor(pen_replicas *worlds, pen_lid slot, const pen_choice *choice, pen_outcome *outcome)
{
    for (int f = 0; f < worlds->run->app->field_count; f++) {
        size_t size = worlds->run->store->sizes[f], offset = (size_t)slot * size;
        int w = (int)(choice->neighbors >> f & 1), x = (int)(choice->next >> f & 1);
        unsigned char *seen = worlds->seen[w].of[f] + offset, *next = worlds->next[x].of[f] + offset;
        if (memcmp(seen, worlds->intact[w].of[f] + offset, size) != 0) {
            damage(outcome, f, "a neighbour's current record is changed");
            memcpy(seen, worlds->intact[w].of[f] + offset, size);
        }
        if (memcmp(next, worlds->blank[x], size) != 0) {
            damage(outcome, f, "a neighbour's next record is written");
            memcpy(next, worlds->blank[x], size);
        }
    }
}

/* Put the own records there, as they are seen. */
static void place(pen_replicas *worlds, pen_lid slot, const pen_choice *choice)
{
    const pen_store *store = worlds->run->store;
    const pen_gap *gap = choice->gap;
    for (int f = 0; f < worlds->run->app->field_count; f++) {
        size_t size = store->sizes[f], offset = (size_t)slot * size;
        unsigned char *own = worlds->own + worlds->at[f], pattern = worlds->patterns[choice->own >> f & 1];
        if (worlds->none_yet) memset(own, pattern, size);
        else show(worlds, f, slot, -1, pattern, own);
        if (gap && gap->field == f && gap->wish < 0 && gap->slot == slot) turn(worlds, gap, own);
        unsigned char *seen = worlds->seen[choice->neighbors >> f & 1].of[f] + offset;
        memcpy(worlds->kept + worlds->at[f], seen, size);
        memcpy(seen, own, size);
    }
}

/* Take the next records, and put all patterns back. */
static void collect(pen_replicas *worlds, pen_lid slot, const pen_choice *choice, pen_outcome *outcome)
{
    const pen_store *store = worlds->run->store;
    for (int f = 0; f < worlds->run->app->field_count; f++) {
        size_t size = store->sizes[f], offset = (size_t)slot * size;
        int w = (int)(choice->next >> f & 1);
        unsigned char *next = worlds->next[w].of[f] + offset;
        memcpy(outcome->next + worlds->at[f], next, size);
        memset(next, worlds->patterns[w], size);
        w = (int)(choice->neighbors >> f & 1);
        unsigned char *seen = worlds->seen[w].of[f] + offset;
        if (memcmp(seen, worlds->own + worlds->at[f], size) != 0) damage(outcome, f, "the current record is changed");
        memcpy(seen, worlds->kept + worlds->at[f], size);
    }
}

/* Of the records of one edge field. */
static size_t edge_bytes_of(const pen_store *store, pen_lid slot, int e)
{
    return (store->rows[slot + 1] - store->rows[slot]) * store->edge_sizes[e];
}

void pen_replicas_swap_edges(const pen_replicas *worlds, pen_lid slot, unsigned char *edges)
{
    const pen_store *store = worlds->run->store;
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
static size_t keep_edges(const pen_replicas *worlds, pen_lid slot, pen_outcome *outcome)
{
    const pen_store *store = worlds->run->store;
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

/* A call of a voice. */
typedef struct speech {
    pen_replicas *worlds;
    pen_voice *voice;
    const pen_view *view;
    pen_wishes *words;
} speech;

static void speak(void *context)
{
    const speech *s = (const speech *)context;
    s->voice(s->worlds, s->view, s->words);
}

static void call(pen_replicas *worlds, pen_lid slot, pen_voice *voice, const pen_choice *choice, pen_outcome *outcome)
{
    for (int f = 0; f < worlds->run->app->field_count; f++) {
        worlds->current[f] = worlds->seen[choice->neighbors >> f & 1].of[f];
        worlds->written[f] = worlds->next[choice->next >> f & 1].of[f];
        worlds->far_records[f] = worlds->far[choice->far >> f & 1].of[f];
    }
    const pen_trap_planes planes = { worlds->current, worlds->far_records, worlds->written,
                                     worlds->far_view.slots ? &worlds->far_view : NULL };
    const pen_view view = pen_traps_view(&worlds->traps, slot, &planes, choice->numbers);
    pen_scratch_poison(view.scratch, worlds->patterns[choice->scratch]);
    const pen_fault fault = pen_guarded_call(speak, &(speech){ worlds, voice, &view, &outcome->words });
    outcome->signal = fault.signal;
    outcome->fault[0] = '\0';
    if (fault.signal) pen_traps_explain(&worlds->traps, &view, &fault, outcome->fault, sizeof outcome->fault);
}

void pen_replicas_try(pen_replicas *worlds, pen_lid slot, pen_voice *voice, const pen_choice *choice,
                      pen_outcome *outcome)
{
    const pen_store *store = worlds->run->store;
    outcome->damage = NULL;
    outcome->words.count = 0;
    place(worlds, slot, choice);
    turn_other(worlds, choice->gap, slot);
    size_t edge_bytes = keep_edges(worlds, slot, outcome);
    call(worlds, slot, voice, choice, outcome);
    if (edge_bytes > 0) {
        pen_replicas_swap_edges(worlds, slot, outcome->edges);
        pen_want(&outcome->words, (pen_gid)pen_hash_bytes((const char *)outcome->edges, edge_bytes));
    }
    turn_other(worlds, choice->gap, slot);
    collect(worlds, slot, choice, outcome);
    for (uint32_t a = store->rows[slot]; a < store->rows[slot + 1]; a++)
        watch_neighbor(worlds, store->columns[a], choice, outcome);
}

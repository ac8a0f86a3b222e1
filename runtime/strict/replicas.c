/* replicas.c - computes nodes in two replicas that differ in everything that must not matter. */
#include "strict/replicas.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>

/* Bytes of the patterns. A mistake that one pattern and its complement hide is seen with another pattern: 32.5 and
 * -0.12 as doubles, to which additions leave a trace; large and tiny numbers of both signs; zero and NaN. */
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
    PEN_TRY(PEN_ALLOC(&replicas->mixed, replicas->at[fields]));
    PEN_TRY(PEN_ALLOC(&replicas->real, replicas->at[fields]));
    PEN_TRY(PEN_ALLOC_ZERO(&replicas->donors, fields));
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
    PEN_FREE_ALL(replicas->at, replicas->current, replicas->written, replicas->own, replicas->kept, replicas->mixed,
                 replicas->real, replicas->donors, replicas->far_slots, replicas->blank[0], replicas->blank[1],
                 replicas->far_records);
    pen_traps_free(&replicas->traps);
}

/* The record of a node or of a far node, for any field of the store. */
static const unsigned char *record_of(const pen_replicas *replicas, int field, pen_lid slot, int64_t wish)
{
    const pen_store *store = replicas->run->store;
    const pen_far *far = replicas->run->view.library.far;
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

/* The record whose bits a replica shows in place of unwritten ones. */
static const unsigned char *stand_in(const pen_replicas *replicas, int f, pen_lid slot, int64_t wish, int w)
{
    if (w == 0 || !replicas->revealed) return replicas->blank[w] + replicas->at[f];
    return replicas->stand_in ? replicas->stand_in + replicas->at[f] : record_of(replicas, f, slot, wish);
}

/* Copy a record as a replica shows it. */
static void show(const pen_replicas *replicas, int f, pen_lid slot, int64_t wish, int w, unsigned char *restrict to)
{
    const unsigned char *restrict record = record_of(replicas, f, slot, wish);
    const unsigned char *restrict bits = pen_replicas_unwritten(replicas, f, slot, wish);
    const unsigned char *other = stand_in(replicas, f, slot, wish, w);
    size_t size = replicas->run->store->sizes[f];
    for (size_t b = 0; b < size; b++) to[b] = (unsigned char)((record[b] & ~bits[b]) | (other[b] & bits[b]));
}

static bool shown(const pen_replicas *replicas, int f) { return replicas->reads >> f & 1; }

/* ---- Donors --------------------------------------------------------------------------------- */

static const unsigned char *bits_of(const pen_replicas *replicas, int f, pen_lid slot)
{
    return pen_replicas_unwritten(replicas, f, slot, -1);
}

/* Find the bits of a field that only some nodes have written, in replicas->mixed. False: there are no such bits. */
static bool find_mixed(pen_replicas *replicas, int f)
{
    const pen_store *store = replicas->run->store;
    const size_t size = store->sizes[f];
    unsigned char *all = replicas->kept;
    bool any = false;
    memset(all, 0xff, size);
    memset(replicas->mixed, 0, size);
    for (pen_lid s = 0; s < store->owned + (shown(replicas, f) ? store->shadows : 0); s++) {
        const unsigned char *bits = bits_of(replicas, f, s);
        for (size_t b = 0; b < size; b++) replicas->mixed[b] |= bits[b];
        for (size_t b = 0; s < store->owned && b < size; b++) all[b] &= bits[b];
    }
    for (int64_t i = 0; replicas->far_reads >> f & 1 && i < replicas->far_view.first[store->owned]; i++) {
        const unsigned char *bits = pen_replicas_unwritten(replicas, f, 0, i);
        for (size_t b = 0; bits && b < size; b++) replicas->mixed[b] |= bits[b];
    }
    for (size_t b = 0; b < size; b++) {
        replicas->donors[f].gaps = replicas->donors[f].gaps || replicas->mixed[b];
        replicas->mixed[b] &= (unsigned char)~all[b];
        any = any || replicas->mixed[b];
    }
    return any;
}

/* Whether a node has written all of these bits, with values that no donor has yet. */
static bool gives(const pen_replicas *replicas, int f, pen_lid slot, const pen_donors *donors)
{
    const size_t size = replicas->run->store->sizes[f];
    const unsigned char *record = record_of(replicas, f, slot, -1), *bits = bits_of(replicas, f, slot);
    for (size_t b = 0; b < size; b++)
        if (bits[b] & replicas->mixed[b]) return false;
    for (int d = 0; d < donors->count; d++) {
        const unsigned char *other = record_of(replicas, f, donors->slots[d], -1);
        size_t b = 0;
        while (b < size && !((record[b] ^ other[b]) & replicas->mixed[b])) b++;
        if (b == size) return false;
    }
    return true;
}

static void choose_donors(pen_replicas *replicas, int f)
{
    pen_donors *donors = &replicas->donors[f];
    *donors = (pen_donors){ .count = 0 };
    if (replicas->none_yet || !find_mixed(replicas, f)) return;
    const pen_lid owned = replicas->run->store->owned;
    for (pen_lid i = 0; i < owned && donors->count < PEN_MOST_DONORS; i++) {
        const pen_lid slot = (pen_lid)((i + replicas->made * 31) % owned);
        if (gives(replicas, f, slot, donors)) donors->slots[donors->count++] = slot;
    }
}

/* ---- Replicas of all nodes ------------------------------------------------------------------ */

pen_status pen_replicas_make(pen_replicas *replicas, uint64_t reads, bool none_yet)
{
    const pen_store *store = replicas->run->store;
    pen_lid known = store->owned + store->shadows;
    replicas->reads = reads;
    replicas->far_reads = 0;
    replicas->none_yet = none_yet;
    replicas->made++;
    for (int f = 0; f < replicas->run->app->fields.count; f++) choose_donors(replicas, f);
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
                show(replicas, f, s, -1, w, replicas->seen[w].of[f] + (size_t)s * size);
            memcpy(replicas->intact[w].of[f], replicas->seen[w].of[f], (size_t)known * size);
        }
    }
    if (known > replicas->room) replicas->room = known;
    return pen_traps_make(&replicas->traps);
}

pen_status pen_replicas_add_far(pen_replicas *replicas, uint64_t far_reads)
{
    const pen_store *store = replicas->run->store;
    const pen_far *far = replicas->run->view.library.far;
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
                if (far->slots[i] >= 0) show(replicas, f, 0, i, w, replicas->far[w].of[f] + 2 * (size_t)i * size);
        }
    }
    replicas->far_view = (pen_far){ far->first, far->gids, replicas->far_slots, known, NULL };
    for (int f = 0; f < replicas->run->app->fields.count; f++)
        if (far_reads >> f & 1) choose_donors(replicas, f);
    return pen_traps_add_far(&replicas->traps, &replicas->far_view, count);
}

/* ---- Calls for a node ----------------------------------------------------------------------- */

pen_status pen_outcome_create(const pen_replicas *replicas, pen_outcome *outcome)
{
    *outcome = (pen_outcome){ .damage = NULL };
    return PEN_ALLOC(&outcome->next, replicas->at[replicas->run->app->fields.count]);
}

void pen_outcome_free(pen_outcome *outcome) { PEN_FREE_ALL(outcome->next, outcome->edges, outcome->words.gids); }

/* Replace the unwritten bits in a gap as the replica does. */
static void fill(const pen_replicas *replicas, const pen_gap *gap, int w, unsigned char *record)
{
    const unsigned char *bits = pen_replicas_unwritten(replicas, gap->field, gap->slot, gap->wish),
                        *other = stand_in(replicas, gap->field, gap->slot, gap->wish, w);
    for (int64_t b = gap->first; b < gap->end; b++)
        record[b] = (unsigned char)((record[b] & ~bits[b]) | (other[b] & bits[b]));
}

/* Replace the unwritten bits in a gap of another node's record. */
static void fill_other(const pen_replicas *replicas, const pen_gap *gap, int w, pen_lid self)
{
    if (!gap || (gap->wish < 0 && gap->slot == self)) return;
    size_t size = replicas->run->store->sizes[gap->field];
    fill(replicas, gap, w,
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

/* Place the node's own records as the replica shows them, and real next records if the replica has them. */
static void place(pen_replicas *replicas, pen_lid slot, const pen_choice *choice)
{
    const pen_store *store = replicas->run->store;
    const pen_gap *gap = choice->gap;
    for (int f = 0; f < replicas->run->app->fields.count; f++) {
        size_t size = store->sizes[f], offset = (size_t)slot * size;
        unsigned char *own = replicas->own + replicas->at[f];
        const int w = (int)(choice->own >> f & 1), x = (int)(choice->next >> f & 1);
        const unsigned char *real = w && replicas->revealed ? replicas->real : replicas->blank[w];
        if (replicas->none_yet) memcpy(own, real + replicas->at[f], size);
        else show(replicas, f, slot, -1, w, own);
        if (gap && gap->field == f && gap->wish < 0 && gap->slot == slot) fill(replicas, gap, 1, own);
        unsigned char *seen = replicas->seen[choice->neighbors >> f & 1].of[f] + offset;
        memcpy(replicas->kept + replicas->at[f], seen, size);
        memcpy(seen, own, size);
        if (x && replicas->revealed) memcpy(replicas->next[1].of[f] + offset, replicas->real + replicas->at[f], size);
    }
}

/* Copy the next records to the outcome, and restore all patterns. */
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

/* Bytes of the records of one edge field, for all arcs of a node. */
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

/* Copy the records of the node's arcs to the outcome. Returns their bytes. */
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
    pen_requests *words;
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
    pen_scratch_poison(view.library.scratch, replicas->patterns[choice->scratch]);
    const pen_fault fault = pen_guarded_call(call_in_context,
                                             &(call_context){ replicas, call, &view, &outcome->words });
    outcome->restless = replicas->traps.restless;
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
    fill_other(replicas, choice->gap, 1, slot);
    size_t edge_bytes = keep_edges(replicas, slot, outcome);
    call_node(replicas, slot, call, choice, outcome);
    outcome->said = outcome->words.count;
    if (edge_bytes > 0) {
        pen_replicas_swap_edges(replicas, slot, outcome->edges);
        pen_request(&outcome->words, (pen_gid)pen_hash_bytes((const char *)outcome->edges, edge_bytes));
    }
    fill_other(replicas, choice->gap, 0, slot);
    collect(replicas, slot, choice, outcome);
    for (uint32_t a = store->rows[slot]; a < store->rows[slot + 1]; a++)
        watch_neighbor(replicas, store->columns[a], choice, outcome);
}

/* ---- Real records --------------------------------------------------------------------------- */

/* Whether the node sees bits of a field that only some nodes have written. */
static bool sees_gaps(const pen_replicas *replicas, int f, pen_lid slot)
{
    const pen_store *store = replicas->run->store;
    const pen_far *far = &replicas->far_view;
    const unsigned char *blank = replicas->kept;
    const size_t size = store->sizes[f];
    memset(replicas->kept, 0, size);
    if (replicas->donors[f].count == 0) return false;
    if (memcmp(bits_of(replicas, f, slot), blank, size) != 0) return true;
    for (uint32_t a = store->rows[slot]; shown(replicas, f) && a < store->rows[slot + 1]; a++)
        if (memcmp(bits_of(replicas, f, store->columns[a]), blank, size) != 0) return true;
    for (int64_t i = 0; replicas->far_reads >> f & 1 && i < far->first[slot + 1] - far->first[slot]; i++) {
        const unsigned char *bits = pen_replicas_unwritten(replicas, f, 0, far->first[slot] + i);
        if (bits && memcmp(bits, blank, size) != 0) return true;
    }
    return false;
}

/* The attempts to show real records: records as they are stored; then unwritten bits from a neighbour's record; then
 * from a donor's record. */
enum { AS_STORED, OF_NEIGHBOR, OF_DONOR, ATTEMPTS };

/* The node whose record of a field replaces unwritten bits. It differs between phases and between nodes. */
static pen_lid choose(const pen_replicas *replicas, int f, pen_lid slot, int attempt)
{
    const pen_store *store = replicas->run->store;
    const pen_donors *donors = &replicas->donors[f];
    const uint32_t first = store->rows[slot], degree = store->rows[slot + 1] - first;
    const int64_t turn = replicas->made + slot;
    if (attempt == OF_DONOR && donors->count > 0) return donors->slots[turn % donors->count];
    if (attempt != OF_NEIGHBOR || degree == 0) return slot;
    const pen_lid other = store->columns[first + (uint32_t)(turn % degree)];
    return other < store->owned ? other : slot;
}

/* Set a field of the neighbours and far nodes to what the second replica shows of them. */
static void show_field_of_others(pen_replicas *replicas, int f, pen_lid slot)
{
    const pen_store *store = replicas->run->store;
    const pen_far *far = &replicas->far_view;
    const size_t size = store->sizes[f];
    const unsigned char *hidden = (replicas->revealed ? replicas->real : replicas->blank[1]) + replicas->at[f];
    const bool same = shown(replicas, f) && !replicas->donors[f].gaps;
    for (uint32_t a = store->rows[slot]; !same && a < store->rows[slot + 1]; a++) {
        const pen_lid other = store->columns[a];
        const size_t offset = (size_t)other * size;
        unsigned char *seen = replicas->seen[1].of[f] + offset;
        const bool is_known = shown(replicas, f) || (replicas->revealed && other < store->owned);
        if (is_known && !replicas->none_yet) show(replicas, f, other, -1, 1, seen);
        else memcpy(seen, hidden, size);
        memcpy(replicas->intact[1].of[f] + offset, seen, size);
    }
    for (int64_t i = far->first ? far->first[slot] : 0; far->first && i < far->first[slot + 1]; i++) {
        unsigned char *record = replicas->far[1].of[f] + 2 * (size_t)i * size;
        if (far->slots[i] < 0) continue;
        if (replicas->far_reads >> f & 1) show(replicas, f, 0, i, 1, record);
        else memcpy(record, hidden, size);
    }
}

bool pen_replicas_reveal(pen_replicas *replicas, pen_lid slot, int attempt)
{
    const int fields = replicas->run->app->fields.count;
    bool gaps = attempt == AS_STORED;
    if (attempt == ATTEMPTS) return false;
    for (int f = 0; !gaps && f < fields; f++) gaps = sees_gaps(replicas, f, slot);
    if (!gaps) return false;
    replicas->revealed = true;
    replicas->stand_in = attempt == AS_STORED ? NULL : replicas->real;
    for (int f = 0; f < fields; f++) {
        unsigned char *real = replicas->real + replicas->at[f];
        const size_t size = replicas->run->store->sizes[f];
        if (attempt > AS_STORED && !sees_gaps(replicas, f, slot)) continue;
        if (replicas->none_yet) memset(real, 0, size);
        else memcpy(real, record_of(replicas, f, choose(replicas, f, slot, attempt), -1), size);
        show_field_of_others(replicas, f, slot);
    }
    return true;
}

void pen_replicas_conceal(pen_replicas *replicas, pen_lid slot)
{
    replicas->revealed = false;
    for (int f = 0; f < replicas->run->app->fields.count; f++) show_field_of_others(replicas, f, slot);
}

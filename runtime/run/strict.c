#include "run/strict.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/memory_stream.h"
#include "run/worlds.h"

#include <stdarg.h>
#include <stdlib.h>

struct pen_strict {
    pen_field *fields; /* [2*fields] */
    pen_worlds worlds;
    const pen_phase *phase;
    unsigned char *unwritten; /* a row: bits that the node has not written */
    pen_outcome plain, other; /* in the first world, and in another one */
    pen_changes *changes;     /* what a node asks for in a world */
    pen_observation *observation;
    pen_gid found; /* the lowest gid of a node that makes a mistake; INT64_MAX: none */
    char text[512];
    pen_status status; /* of this rank so far */
};

static const pen_choice FIRST_WORLD, SECOND_WORLD = { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, true, NULL };

static pen_status double_fields(const pen_app *app, pen_field **fields)
{
    int count = app->field_count;
    if (count > 32) return pen_fail(PEN_ERR_UNSUPPORTED, "%s: the strict mode has 32 fields at most", app->name);
    PEN_TRY(PEN_ALLOC(fields, 2 * count));
    for (int f = 0; f < 2 * count; f++) (*fields)[f] = app->fields[f % count];
    return PEN_OK;
}

pen_status pen_strict_create(pen_run *run)
{
    const pen_app *app = run->app;
    PEN_TRY(PEN_ALLOC_ZERO(&run->strict, 1));
    struct pen_strict *s = run->strict;
    s->found = INT64_MAX;
    PEN_TRY(double_fields(app, &s->fields));
    for (int p = 0; p < app->phase_count; p++) {
        run->traits[p].pull = pen_run_carried(run, run->traits[p].pull);
        run->traits[p].in_place = 0;
    }
    PEN_TRY(pen_worlds_create(run, &s->worlds));
    PEN_TRY(PEN_ALLOC(&s->unwritten, s->worlds.at[app->field_count]));
    PEN_TRY(pen_outcome_create(&s->worlds, &s->plain));
    PEN_TRY(pen_outcome_create(&s->worlds, &s->other));
    size_t sizes[PEN_MOST_FIELDS];
    for (int f = 0; f < app->field_count; f++) sizes[f] = app->fields[f].size;
    PEN_TRY(pen_changes_create(app->field_count, sizes, &s->changes));
    return pen_observation_create(app, &s->observation);
}

void pen_strict_destroy(struct pen_strict **strict)
{
    struct pen_strict *s = *strict;
    if (!s) return;
    pen_worlds_free(&s->worlds);
    pen_outcome_free(&s->plain);
    pen_outcome_free(&s->other);
    pen_changes_destroy(&s->changes);
    pen_observation_destroy(&s->observation);
    PEN_FREE_ALL(s->fields, s->unwritten, s);
    *strict = NULL;
}

const pen_field *pen_strict_fields(const pen_run *run) { return run->strict->fields; }

/* ---- What nodes say ------------------------------------------------------------------------- */

static const struct pen_strict *of(const pen_worlds *worlds) { return worlds->run->strict; }

/* What a node asks to be changed, in words. */
static void modify(pen_worlds *worlds, const pen_view *v, pen_wishes *words)
{
    pen_changes *changes = of(worlds)->changes;
    pen_changes_clear(changes);
    pen_changes_by(changes, v->slot, pen_id(v));
    of(worlds)->phase->modify(v, changes);
    for (int64_t i = 0; i < changes->subject_count; i++) {
        pen_want(words, changes->subjects[i].gid);
        pen_want(words, changes->subjects[i].removed);
    }
    for (int64_t i = 0; i < changes->edge_count; i++) {
        pen_want(words, (pen_gid)changes->edges[i].from << 32 | changes->edges[i].to);
        pen_want(words, changes->edges[i].weight);
    }
    for (int64_t i = 0; i < changes->weight_count; i++) {
        pen_want(words, changes->weights[i].subject);
        pen_want(words, changes->weights[i].weight);
    }
    for (pen_newborn *n = changes->newest; n; n = n->previous) {
        pen_want(words, n->subject);
        pen_want(words, n->weight);
        pen_want(words, (pen_gid)pen_hash_bytes(pen_newborn_record(n, 0), (size_t)pen_newborn_bytes(changes)));
    }
}

static void compute(pen_worlds *worlds, const pen_view *v, pen_wishes *words)
{
    const pen_phase *phase = of(worlds)->phase;
    for (int f = 0; f < worlds->run->app->field_count; f++)
        if (phase->keeps >> f & 1) pen_keep(v, f);
    if (phase->modify) modify(worlds, v, words);
    else if (phase->node) phase->node(v);
    else phase->block(v, 1);
}

static void want_far(pen_worlds *worlds, const pen_view *v, pen_wishes *words) { of(worlds)->phase->far(v, words); }

static void print(pen_worlds *worlds, const pen_view *v, pen_wishes *words)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = pen_memory_stream(&text, &size);
    if (out) worlds->run->app->print(v, out);
    if (!out || fclose(out) != 0) pen_die("out of memory in the strict mode");
    pen_want(words, (pen_gid)pen_hash_bytes(text, size));
    free(text);
}

static void want_real(pen_wishes *words, double value)
{
    pen_gid bits;
    memcpy(&bits, &value, sizeof bits);
    pen_want(words, bits);
}

static void observe(pen_worlds *worlds, const pen_view *v, pen_wishes *words)
{
    pen_observation *observation = of(worlds)->observation;
    pen_comm self = { .mpi = MPI_COMM_SELF };
    pen_observation_begin(observation, PEN_AFTER_STEP);
    worlds->run->app->observe(v, observation);
    if (pen_observation_reduce(&self, observation) != PEN_OK) return;
    for (int i = 0; i < observation->count; i++) pen_want(words, observation->ints[i]);
    for (int i = 0; i < observation->count; i++) want_real(words, observation->reals[i]);
}

static void cost(pen_worlds *worlds, const pen_view *v, pen_wishes *words)
{
    want_real(words, worlds->run->app->cost(v));
}

/* ---- Comparing ------------------------------------------------------------------------------ */

static int64_t size_of(const pen_worlds *worlds, int f) { return worlds->at[f + 1] - worlds->at[f]; }

static bool records_differ(const struct pen_strict *s, int f)
{
    const pen_worlds *worlds = &s->worlds;
    return memcmp(s->plain.next + worlds->at[f], s->other.next + worlds->at[f], (size_t)size_of(worlds, f)) != 0;
}

/* Does a written field differ otherwise than bits do that are the pattern of either outcome's world: were not
 * written, or are a copy of what was not? */
static bool computed(const struct pen_strict *s, int f)
{
    const pen_worlds *worlds = &s->worlds;
    if (!records_differ(s, f)) return false;
    for (int64_t b = worlds->at[f]; b < worlds->at[f + 1]; b++) {
        unsigned a = s->plain.next[b], other = s->other.next[b];
        if ((a ^ other) & (a ^ worlds->patterns[0])) return true;
    }
    return false;
}

static bool says_otherwise(const struct pen_strict *s)
{
    const pen_wishes *a = &s->plain.words, *b = &s->other.words;
    return a->count != b->count || (a->count && memcmp(a->gids, b->gids, (size_t)a->count * sizeof *a->gids) != 0);
}

/* Of what the node says and writes: does anything differ by more than such bits; does anything differ at all? */
static bool depends(const struct pen_strict *s, uint64_t writes)
{
    for (int f = 0; f < s->worlds.run->app->field_count; f++)
        if (writes >> f & 1 && computed(s, f)) return true;
    return says_otherwise(s);
}

static bool differs(const struct pen_strict *s, uint64_t writes)
{
    for (int f = 0; f < s->worlds.run->app->field_count; f++)
        if (writes >> f & 1 && records_differ(s, f)) return true;
    return says_otherwise(s);
}

/* ---- Telling -------------------------------------------------------------------------------- */

/* The node with the lowest gid is told of. */
static void tell(struct pen_strict *s, pen_lid slot, const char *format, ...) PEN_PRINTF(3, 4);
static void tell(struct pen_strict *s, pen_lid slot, const char *format, ...)
{
    pen_gid gid = s->worlds.run->store->gids[slot];
    if (gid >= s->found) return;
    s->found = gid;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->text, sizeof s->text, format, arguments);
    va_end(arguments);
}

static const char *field_name(const struct pen_strict *s, int f) { return s->worlds.run->app->fields[f].name; }

/* A node's mistake with a field, in this phase. */
static void tell_field(struct pen_strict *s, pen_lid slot, int f, const char *what)
{
    tell(s, slot, "node %" PRIgid ": field %s: %s (phase %s)", s->worlds.run->store->gids[slot], field_name(s, f), what,
         s->phase->name);
}

/* The phase that wrote a field's current records; `next`: the one that is under way or comes next. */
static const char *writer(const pen_run *run, int f, int next)
{
    const pen_app *app = run->app;
    for (int back = 1; back <= app->phase_count; back++) {
        int phase = (next - back + app->phase_count) % app->phase_count;
        if (run->step == 0 && phase >= next) break;
        if (app->phases[phase].writes >> f & 1) return app->phases[phase].name;
    }
    return "init";
}

/* `reader` (a slot) computes in `deed` with bits that were not written. */
static void tell_gap(struct pen_strict *s, pen_lid reader, const pen_gap *gap, const char *deed)
{
    const pen_worlds *worlds = &s->worlds;
    const pen_run *run = worlds->run;
    const pen_gid *gids = run->store->gids, culprit = gap->wish < 0 ? gids[gap->slot] : run->view.far->gids[gap->wish];
    int64_t size = size_of(worlds, gap->field);
    const unsigned char *unwritten = pen_worlds_unwritten(worlds, gap->field, gap->slot, gap->wish);
    bool whole = gap->end - gap->first == size;
    for (int64_t b = 0; whole && b < size; b++) whole = unwritten[b] == 0xff;
    char bytes[96] = "the next record is";
    if (!whole)
        snprintf(bytes, sizeof bytes, "bytes %" PRId64 "..%" PRId64 " of %" PRId64 " of the next record are",
                 gap->first, gap->end - 1, size);
    tell(s, reader, "node %" PRIgid ": field %s: %s not written (phase %s), but read (node %" PRIgid ", %s)", culprit,
         field_name(s, gap->field), bytes, writer(run, gap->field, run->phase), gids[reader], deed);
}

/* ---- What it was ---------------------------------------------------------------------------- */

static void try_another(struct pen_strict *s, pen_lid slot, pen_voice *voice, const pen_choice *choice)
{
    pen_worlds_try(&s->worlds, slot, voice, choice, &s->other);
}

/* The next records alone are another pattern, field by field. */
static bool blame_next(struct pen_strict *s, pen_lid slot, pen_voice *voice, uint64_t writes)
{
    int fields = s->worlds.run->app->field_count;
    for (int f = 0; f < fields; f++) {
        try_another(s, slot, voice, &(pen_choice){ .next = PEN_FIELD(f) });
        if (!depends(s, writes)) continue;
        tell_field(s, slot, f, "the next record is read before it is written");
        return true;
    }
    return false;
}

/* What must not be seen, of some fields. */
static pen_choice hidden(const struct pen_strict *s, uint64_t fields)
{
    const pen_worlds *worlds = &s->worlds;
    return (pen_choice){ .own = worlds->none_yet ? fields : 0,
                         .neighbors = fields & ~worlds->reads,
                         .far = fields & ~worlds->far_reads,
                         .scratch = true };
}

static bool blame_hidden(struct pen_strict *s, pen_lid slot, pen_voice *voice, uint64_t writes)
{
    for (int f = 0; f < s->worlds.run->app->field_count; f++) {
        pen_choice all = hidden(s, PEN_FIELD(f));
        try_another(s, slot, voice, &(pen_choice){ .own = all.own });
        bool own = differs(s, writes);
        try_another(s, slot, voice, &(pen_choice){ .neighbors = all.neighbors });
        bool neighbors = differs(s, writes);
        try_another(s, slot, voice, &(pen_choice){ .far = all.far });
        if (own) tell_field(s, slot, f, "the current record is read, and there is none yet");
        else if (neighbors) tell_field(s, slot, f, "a neighbour's record is read, and it is not in .reads");
        else if (differs(s, writes)) tell_field(s, slot, f, "a far node's record is read, and it is not in .far_reads");
        else continue;
        return true;
    }
    return false;
}

/* Bits of one record that were not written, gap by gap. */
static bool blame_record(struct pen_strict *s, pen_lid slot, pen_voice *voice, uint64_t writes, const char *deed,
                         pen_gap gap)
{
    const unsigned char *unwritten = pen_worlds_unwritten(&s->worlds, gap.field, gap.slot, gap.wish);
    int64_t size = size_of(&s->worlds, gap.field);
    for (gap.first = 0; unwritten && gap.first < size; gap.first = gap.end + 1) {
        for (gap.end = gap.first; gap.end < size && unwritten[gap.end]; gap.end++) continue;
        if (gap.end == gap.first) continue;
        try_another(s, slot, voice, &(pen_choice){ .gap = &gap });
        if (!depends(s, writes)) continue;
        tell_gap(s, slot, &gap, deed);
        return true;
    }
    return false;
}

static bool blame_unwritten(struct pen_strict *s, pen_lid slot, pen_voice *voice, uint64_t writes, const char *deed)
{
    const pen_worlds *worlds = &s->worlds;
    const pen_store *store = worlds->run->store;
    const pen_far *far = &worlds->far_view;
    for (int f = 0; f < worlds->run->app->field_count; f++) {
        if (!worlds->none_yet && blame_record(s, slot, voice, writes, deed, (pen_gap){ f, slot, -1, 0, 0 }))
            return true;
        if (worlds->reads >> f & 1)
            for (uint32_t j = store->rows[slot]; j < store->rows[slot + 1]; j++)
                if (blame_record(s, slot, voice, writes, deed, (pen_gap){ f, store->columns[j], -1, 0, 0 }))
                    return true;
        if (worlds->far_reads >> f & 1)
            for (int64_t i = far->first[slot]; i < far->first[slot + 1]; i++)
                if (blame_record(s, slot, voice, writes, deed, (pen_gap){ f, 0, i, 0, 0 })) return true;
    }
    return false;
}

/* A phase's node whose outcomes in the two worlds differ. */
static void blame(struct pen_strict *s, pen_lid slot, pen_voice *voice, uint64_t writes)
{
    char deed[128];
    const char *phase = s->phase->name;
    pen_gid gid = s->worlds.run->store->gids[slot];
    if (gid >= s->found) return;
    snprintf(deed, sizeof deed, "phase %s", phase);
    try_another(s, slot, voice, &FIRST_WORLD);
    if (differs(s, writes)) {
        tell(s, slot, "node %" PRIgid ": results differ from call to call: they depend on more than records (phase %s)",
             gid, phase);
        return;
    }
    if (blame_next(s, slot, voice, writes)) return;
    try_another(s, slot, voice, &(pen_choice){ .scratch = true });
    if (differs(s, writes)) {
        tell(s, slot, "node %" PRIgid ": scratch memory is read before it is written (phase %s)", gid, phase);
        return;
    }
    if (blame_hidden(s, slot, voice, writes)) return;
    if (blame_unwritten(s, slot, voice, writes, deed)) return;
    tell(s, slot, "node %" PRIgid ": results depend on what must not be seen (phase %s)", gid, phase);
}

/* ---- A phase -------------------------------------------------------------------------------- */

pen_status pen_strict_begin(pen_run *run, const pen_phase *phase, bool none_yet)
{
    struct pen_strict *s = run->strict;
    s->phase = phase;
    return pen_agree(run->comm, pen_worlds_make(&s->worlds, phase->reads, none_yet));
}

pen_status pen_strict_far(pen_run *run)
{
    struct pen_strict *s = run->strict;
    return pen_agree(run->comm, pen_worlds_add_far(&s->worlds, s->phase->far_reads));
}

/* What a node has changed and must not. */
static void judge_damage(struct pen_strict *s, pen_lid slot, const pen_outcome *outcome, int world, uint64_t writes)
{
    const pen_worlds *worlds = &s->worlds;
    if (outcome->damage) tell_field(s, slot, outcome->damaged, outcome->damage);
    for (int f = 0; f < worlds->run->app->field_count; f++)
        if (!(writes >> f & 1) &&
            memcmp(outcome->next + worlds->at[f], worlds->blank[world], (size_t)size_of(worlds, f)) != 0)
            tell_field(s, slot, f, "the next record is written, and it is not in .writes");
    if (outcome->words.status != PEN_OK) s->status = outcome->words.status;
}

/* Bits that turned with the world; is there any? */
static bool note_unwritten(struct pen_strict *s, uint64_t writes)
{
    bool any = false;
    const pen_worlds *worlds = &s->worlds;
    for (int f = 0; f < worlds->run->app->field_count; f++) {
        int64_t first = worlds->at[f], end = worlds->at[f + 1];
        bool turned = writes >> f & 1 && records_differ(s, f);
        any = any || turned;
        if (!turned) memset(s->unwritten + first, 0, (size_t)(end - first));
        for (int64_t b = first; turned && b < end; b++)
            s->unwritten[b] = (unsigned char)(s->plain.next[b] ^ s->other.next[b]);
    }
    return any;
}

/* Try a node in both worlds. Where bits turned, what must not be seen turns once more alone: they may be copies. */
static void judge(struct pen_strict *s, pen_lid slot, pen_voice *voice, uint64_t writes)
{
    pen_worlds_try(&s->worlds, slot, voice, &FIRST_WORLD, &s->plain);
    judge_damage(s, slot, &s->plain, 0, writes);
    try_another(s, slot, voice, &SECOND_WORLD);
    judge_damage(s, slot, &s->other, 1, writes);
    bool wrong = depends(s, writes);
    if (note_unwritten(s, writes) && !wrong) {
        const pen_choice all = hidden(s, UINT64_MAX);
        try_another(s, slot, voice, &all);
        wrong = differs(s, writes);
    }
    if (wrong) blame(s, slot, voice, writes);
}

void pen_strict_want(pen_run *run, pen_lid slot, pen_wishes *wishes)
{
    struct pen_strict *s = run->strict;
    judge(s, slot, want_far, 0);
    for (int64_t i = 0; i < s->plain.words.count; i++) pen_want(wishes, s->plain.words.gids[i]);
}

void pen_strict_sweep(pen_run *run, const pen_phase *phase, pen_lid first, pen_lid end)
{
    struct pen_strict *s = run->strict;
    int fields = run->app->field_count;
    for (pen_lid slot = first; slot < end; slot++) {
        judge(s, slot, compute, phase->writes);
        if (phase->modify) pen_run_sweep(run, phase, slot, slot + 1); /* so that it is asked for once */
        if (phase->edge_writes) pen_worlds_swap_edges(&s->worlds, slot, s->plain.edges);
        for (int f = 0; f < fields; f++) {
            size_t size = run->store->sizes[f], offset = (size_t)slot * size;
            if (!(phase->writes >> f & 1)) continue;
            memcpy(pen_store_plane(run->store, f, 1) + offset, s->plain.next + s->worlds.at[f], size);
            memcpy(pen_store_plane(run->store, fields + f, 1) + offset, s->unwritten + s->worlds.at[f], size);
        }
    }
}

/* Collective. The mistake of the node with the lowest gid, if there is any. */
pen_status pen_strict_end(pen_run *run)
{
    struct pen_strict *s = run->strict;
    pen_gid found = s->found, lowest;
    pen_status status = s->status;
    s->found = INT64_MAX;
    s->status = PEN_OK;
    PEN_MPI(MPI_Allreduce(&found, &lowest, 1, PEN_MPI_GID, MPI_MIN, run->comm->mpi));
    if (found == lowest && found < INT64_MAX) status = pen_fail(PEN_ERR_CHECK, "%s", s->text);
    else if (lowest < INT64_MAX) status = PEN_OK;
    return pen_agree(run->comm, status);
}

void pen_strict_forget(const pen_run *run, uint64_t fields)
{
    const pen_store *store = run->store;
    for (int f = 0; f < run->app->field_count; f++)
        if (fields >> f & 1)
            memset(pen_store_plane(store, run->app->field_count + f, 0), 0xff, (size_t)store->owned * store->sizes[f]);
}

/* ---- Other readers -------------------------------------------------------------------------- */

pen_status pen_strict_step(pen_run *run)
{
    const struct {
        bool there;
        pen_voice *voice;
        const char *name;
    } readers[] = { { run->app->print != NULL, print, ".print" },
                    { run->app->observe != NULL, observe, ".observe" },
                    { run->app->cost != NULL, cost, ".cost" } };
    struct pen_strict *s = run->strict;
    PEN_TRY(pen_agree(run->comm, pen_worlds_make(&s->worlds, pen_app_fields(run->app), false)));
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        for (pen_lid slot = 0; readers[i].there && slot < run->store->owned; slot++) {
            pen_worlds_try(&s->worlds, slot, readers[i].voice, &FIRST_WORLD, &s->plain);
            try_another(s, slot, readers[i].voice, &SECOND_WORLD);
            if (says_otherwise(s)) (void)blame_unwritten(s, slot, readers[i].voice, 0, readers[i].name);
        }
    return pen_strict_end(run);
}

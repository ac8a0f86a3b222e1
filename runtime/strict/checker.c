/* checker.c - compares the outcomes of a node's replicas, and finds the reason of a difference. */
#include "strict/checker.h"
#include "base/hash.h"
#include "base/memory.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>

static const pen_choice FIRST_REPLICA,
    SECOND_REPLICA = { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, true, true, NULL };
static const pen_choice REVEALED = { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, false, false, NULL };

pen_status pen_checker_create(pen_run *run, pen_checker *s)
{
    *s = (pen_checker){ .found = -1 };
    PEN_TRY(pen_replicas_create(run, &s->replicas));
    PEN_TRY(PEN_ALLOC(&s->unwritten, s->replicas.at[run->app->fields.count]));
    PEN_TRY(pen_outcome_create(&s->replicas, &s->plain));
    PEN_TRY(pen_outcome_create(&s->replicas, &s->unused));
    return pen_outcome_create(&s->replicas, &s->other);
}

void pen_checker_free(pen_checker *s)
{
    pen_replicas_free(&s->replicas);
    pen_outcome_free(&s->plain);
    pen_outcome_free(&s->unused);
    pen_outcome_free(&s->other);
    free(s->unwritten);
}

/* ---- Comparisons ---------------------------------------------------------------------------- */

static int64_t size_of(const pen_replicas *replicas, int f) { return replicas->at[f + 1] - replicas->at[f]; }

static bool records_differ(const pen_checker *s, int f)
{
    const pen_replicas *replicas = &s->replicas;
    const unsigned char *a = s->plain.next, *other = s->other.next;
    if (memcmp(a + replicas->at[f], other + replicas->at[f], (size_t)size_of(replicas, f)) == 0) return false;
    if (!s->revealed) return true;
    for (int64_t b = replicas->at[f]; b < replicas->at[f + 1]; b++)
        if ((a[b] ^ other[b]) & ~s->unwritten[b]) return true;
    return false;
}

/* Whether a written field differs between the outcomes, without bits that still have the pattern of their replica:
 * these were not written, or are copies of unwritten bits. */
static bool computed(const pen_checker *s, int f)
{
    const pen_replicas *replicas = &s->replicas;
    if (!records_differ(s, f)) return false;
    if (s->revealed) return true;
    for (int64_t b = replicas->at[f]; b < replicas->at[f + 1]; b++) {
        unsigned a = s->plain.next[b], other = s->other.next[b];
        if ((a ^ other) & (a ^ replicas->patterns[0])) return true;
    }
    return false;
}

/* Whether the outputs other than records differ. A call that ended in a fault differs from one that did not. */
static bool says_otherwise(const pen_checker *s)
{
    const pen_requests *a = &s->plain.words, *b = &s->other.words;
    if (s->plain.signal != s->other.signal) return true;
    return a->count != b->count || (a->count && memcmp(a->gids, b->gids, (size_t)a->count * sizeof *a->gids) != 0);
}

/* Whether the outcomes differ in a word or in a written field: `depends` ignores bits that still have a replica's
 * pattern, `differs` does not. */
static bool depends(const pen_checker *s, uint64_t writes)
{
    for (int f = 0; f < s->replicas.run->app->fields.count; f++)
        if (writes >> f & 1 && computed(s, f)) return true;
    return says_otherwise(s);
}

static bool differs(const pen_checker *s, uint64_t writes)
{
    for (int f = 0; f < s->replicas.run->app->fields.count; f++)
        if (writes >> f & 1 && records_differ(s, f)) return true;
    return says_otherwise(s);
}

/* ---- Reports ---------------------------------------------------------------------------------- */

/* Whether a mistake of this node, or of one with a lower gid, has been found. */
static bool is_told(const pen_checker *s, pen_gid gid) { return s->found >= 0 && gid >= s->found; }

/* Report a mistake, unless one of a node with a lower gid has been found. */
static void report(pen_checker *s, pen_gid gid, const char *format, ...) PEN_PRINTF(3, 4);
static void report(pen_checker *s, pen_gid gid, const char *format, ...)
{
    if (is_told(s, gid)) return;
    s->found = gid;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->text, sizeof s->text, format, arguments);
    va_end(arguments);
}

static const char *field_name(const pen_checker *s, int f) { return s->replicas.run->app->fields.list[f].name; }

void pen_checker_report(pen_checker *s, pen_lid slot, const char *what)
{
    const pen_gid gid = s->replicas.run->store->gids[slot];
    report(s, gid, "node %" PRIgid ": %s (%s)", gid, what, s->where);
}

static void report_field(pen_checker *s, pen_lid slot, int f, const char *what)
{
    const pen_gid gid = s->replicas.run->store->gids[slot];
    report(s, gid, "node %" PRIgid ": field %s: %s (%s)", gid, field_name(s, f), what, s->where);
}

/* The name of the phase that wrote a field's current records; `next`: the phase in progress, or the next one. */
static const char *writer(const pen_run *run, int f, int next)
{
    const pen_app *app = run->app;
    for (int back = 1; back <= app->phases.count; back++) {
        int phase = (next - back + app->phases.count) % app->phases.count;
        if (run->step == 0 && phase >= next) break;
        if (app->phases.list[phase].writes.bits >> f & 1) return app->phases.list[phase].name;
    }
    return "init";
}

/* Report that `reader` reads unwritten bits of the culprit's record, in the way that `way` names. `unwritten` marks the
 * unwritten bits of the whole record. */
static void report_gap(pen_checker *s, pen_gid reader, pen_gid culprit, const pen_gap *gap,
                       const unsigned char *unwritten, const char *way)
{
    const pen_run *run = s->replicas.run;
    int64_t size = size_of(&s->replicas, gap->field);
    bool whole = gap->end - gap->first == size;
    for (int64_t b = 0; whole && b < size; b++) whole = unwritten[b] == 0xff;
    char bytes[96] = "the next record is";
    if (!whole)
        snprintf(bytes, sizeof bytes, "bytes %" PRId64 "..%" PRId64 " of %" PRId64 " of the next record are",
                 gap->first, gap->end - 1, size);
    report(s, reader, "node %" PRIgid ": field %s: %s not written (phase %s), but read (node %" PRIgid ", %s)", culprit,
           field_name(s, gap->field), bytes, writer(run, gap->field, run->phase), reader, way);
}

void pen_checker_delivery(pen_checker *s, pen_gid gid, const pen_gap *gap, const unsigned char *unwritten,
                          const char *way, bool all)
{
    bool none = true, some = false;
    for (int64_t b = gap->first; b < gap->end; b++) {
        none = none && unwritten[b] == 0xff;
        some = some || unwritten[b] != 0;
    }
    if (all ? some : none) report_gap(s, gid, gid, gap, unwritten, way);
}

/* ---- The reason of a difference ------------------------------------------------------------- */

static void try_another(pen_checker *s, pen_lid slot, pen_call *call, const pen_choice *choice)
{
    pen_replicas_try(&s->replicas, slot, call, choice, &s->other);
}

/* Whether the outcome depends on a next record. One field at a time has the other pattern. */
static bool blame_next(pen_checker *s, pen_lid slot, pen_call *call, uint64_t writes)
{
    int fields = s->replicas.run->app->fields.count;
    for (int f = 0; f < fields; f++) {
        try_another(s, slot, call, &(pen_choice){ .next = pen_bit(f) });
        if (!depends(s, writes)) continue;
        report_field(s, slot, f, "the next record is read before it is written");
        return true;
    }
    return false;
}

/* The choice that hides all data of some fields that a node must not see. */
static pen_choice hidden(const pen_checker *s, uint64_t fields)
{
    const pen_replicas *replicas = &s->replicas;
    return (pen_choice){ .own = replicas->none_yet ? fields : 0,
                         .neighbors = fields & ~replicas->reads,
                         .far = fields & ~replicas->far_reads,
                         .scratch = true,
                         .numbers = true };
}

/* The reason why a neighbour's record of a field must not be read. */
static const char *why_hidden(const pen_checker *s, int f)
{
    if (!s->reader) return "a neighbour's record is read, but it is not in .reads";
    if (!(pen_app_reads(s->replicas.run->app) >> f & 1))
        return "a neighbour's record is read, but no phase has it in .reads";
    return "a neighbour's record is read, but it is out of date: no phase reads it before it is written again";
}

static bool blame_hidden(pen_checker *s, pen_lid slot, pen_call *call, uint64_t writes)
{
    for (int f = 0; f < s->replicas.run->app->fields.count; f++) {
        pen_choice all = hidden(s, pen_bit(f));
        try_another(s, slot, call, &(pen_choice){ .own = all.own });
        bool own = differs(s, writes);
        try_another(s, slot, call, &(pen_choice){ .neighbors = all.neighbors });
        bool neighbors = differs(s, writes);
        try_another(s, slot, call, &(pen_choice){ .far = all.far });
        if (own) report_field(s, slot, f, "the current record is read, but there is none yet");
        else if (neighbors) report_field(s, slot, f, why_hidden(s, f));
        else if (differs(s, writes))
            report_field(s, slot, f, "a far node's record is read, but it is not in .far_reads");
        else continue;
        return true;
    }
    return false;
}

/* Find the unwritten bits of one record on which the outcome depends, gap by gap. */
static bool blame_record(pen_checker *s, pen_lid slot, pen_call *call, uint64_t writes, pen_gap gap)
{
    const unsigned char *unwritten = pen_replicas_unwritten(&s->replicas, gap.field, gap.slot, gap.wish);
    int64_t size = size_of(&s->replicas, gap.field);
    for (gap.first = 0; unwritten && gap.first < size; gap.first = gap.end + 1) {
        for (gap.end = gap.first; gap.end < size && unwritten[gap.end]; gap.end++) continue;
        if (gap.end == gap.first) continue;
        try_another(s, slot, call, &(pen_choice){ .gap = &gap });
        if (!depends(s, writes)) continue;
        const pen_gid *gids = s->replicas.run->store->gids;
        report_gap(s, gids[slot], gap.wish < 0 ? gids[gap.slot] : s->replicas.run->view.library.far->gids[gap.wish],
                   &gap, unwritten, s->where);
        return true;
    }
    return false;
}

static bool blame_unwritten(pen_checker *s, pen_lid slot, pen_call *call, uint64_t writes)
{
    const pen_replicas *replicas = &s->replicas;
    const pen_store *store = replicas->run->store;
    const pen_far *far = &replicas->far_view;
    for (int f = 0; f < replicas->run->app->fields.count; f++) {
        if (!replicas->none_yet && blame_record(s, slot, call, writes, (pen_gap){ f, slot, -1, 0, 0 })) return true;
        if (replicas->reads >> f & 1)
            for (uint32_t j = store->rows[slot]; j < store->rows[slot + 1]; j++)
                if (blame_record(s, slot, call, writes, (pen_gap){ f, store->columns[j], -1, 0, 0 })) return true;
        if (replicas->far_reads >> f & 1)
            for (int64_t i = far->first[slot]; i < far->first[slot + 1]; i++)
                if (blame_record(s, slot, call, writes, (pen_gap){ f, 0, i, 0, 0 })) return true;
    }
    return false;
}

/* Whether the node reads beyond the end of a far node's record. */
static bool blame_beyond(pen_checker *s, pen_lid slot, pen_call *call, uint64_t writes)
{
    for (int f = 0; f < s->replicas.run->app->fields.count; f++) {
        if (!(s->replicas.far_reads >> f & 1)) continue;
        try_another(s, slot, call, &(pen_choice){ .far = pen_bit(f) });
        if (!depends(s, writes)) continue;
        report_field(s, slot, f, "a far node's record is read with a type that is larger than it");
        return true;
    }
    return false;
}

/* Whether a repeated call in the first replica has another outcome, or a repeated call with `choice` does not have its
 * outcome again. */
static bool differs_by_call(pen_checker *s, pen_lid slot, pen_call *call, uint64_t writes, const pen_choice *choice)
{
    try_another(s, slot, call, &FIRST_REPLICA);
    if (differs(s, writes)) return true;
    try_another(s, slot, call, choice);
    return choice == &SECOND_REPLICA ? !depends(s, writes) : !differs(s, writes);
}

/* Report a node whose outcomes in the first replica and with `choice` differ. */
static void blame(pen_checker *s, pen_lid slot, pen_call *call, uint64_t writes, const pen_choice *choice)
{
    if (is_told(s, s->replicas.run->store->gids[slot])) return;
    if (differs_by_call(s, slot, call, writes, choice)) {
        pen_checker_report(s, slot, "results differ from call to call: they depend on more than the records");
        return;
    }
    if (blame_next(s, slot, call, writes)) return;
    try_another(s, slot, call, &(pen_choice){ .scratch = true });
    if (differs(s, writes)) {
        pen_checker_report(s, slot, "scratch memory is read before it is written");
        return;
    }
    try_another(s, slot, call, &(pen_choice){ .numbers = true });
    if (differs(s, writes)) {
        pen_checker_report(s, slot, "results depend on slot numbers, or on data kept by slot between calls");
        return;
    }
    if (blame_hidden(s, slot, call, writes) || blame_unwritten(s, slot, call, writes) ||
        blame_beyond(s, slot, call, writes))
        return;
    pen_checker_report(s, slot, "results depend on data that the phase does not declare");
}

/* ---- Checks of a node ------------------------------------------------------------------------- */

/* Report changes that a node has made without permission. */
static void check_damage(pen_checker *s, pen_lid slot, const pen_outcome *outcome, int replica, uint64_t writes)
{
    const pen_replicas *replicas = &s->replicas;
    if (outcome->damage) report_field(s, slot, outcome->damaged, outcome->damage);
    for (int f = 0; f < replicas->run->app->fields.count; f++)
        if (!(writes >> f & 1) &&
            memcmp(outcome->next + replicas->at[f], replicas->blank[replica], (size_t)size_of(replicas, f)) != 0)
            report_field(s, slot, f, "the next record is written, but it is not in .writes");
    if (outcome->words.status != PEN_OK) s->status = outcome->words.status;
}

/* Note the bits that differ between the replicas, which were not written. Returns whether there are any. */
static bool note_unwritten(pen_checker *s, uint64_t writes)
{
    bool any = false;
    const pen_replicas *replicas = &s->replicas;
    for (int f = 0; f < replicas->run->app->fields.count; f++) {
        int64_t first = replicas->at[f], end = replicas->at[f + 1];
        bool turned = writes >> f & 1 && records_differ(s, f);
        any = any || turned;
        if (!turned) memset(s->unwritten + first, 0, (size_t)(end - first));
        for (int64_t b = first; turned && b < end; b++)
            s->unwritten[b] = (unsigned char)(s->plain.next[b] ^ s->other.next[b]);
    }
    return any;
}

static void report_signal(pen_checker *s, pen_lid slot, int signal)
{
    pen_checker_report(s, slot,
                       signal == SIGFPE ? "the function divides an integer by zero (SIGFPE)"
                                        : "the function accesses invalid memory (segmentation fault)");
}

/* Repeat the call with real records: a comparison may have the same result with both patterns, and another one with
 * real records. */
static void check_revealed(pen_checker *s, pen_lid slot, pen_call *call, uint64_t writes)
{
    bool wrong = false;
    s->revealed = true;
    for (int attempt = 0; !wrong && pen_replicas_reveal(&s->replicas, slot, attempt); attempt++) {
        try_another(s, slot, call, &REVEALED);
        wrong = differs(s, writes);
        if (wrong) blame(s, slot, call, writes, &REVEALED);
    }
    pen_replicas_conceal(&s->replicas, slot);
    s->revealed = false;
}

/* Call none to two other nodes, so that static data change. */
static void call_others(pen_checker *s, pen_lid slot, pen_call *call)
{
    const pen_replicas *replicas = &s->replicas;
    const uint64_t word = pen_mix((uint64_t)slot ^ (uint64_t)replicas->made << 32);
    const uint64_t owned = (uint64_t)replicas->run->store->owned;
    for (int i = 0; i < (int)(word % 3); i++) {
        const pen_lid other = (pen_lid)(pen_mix(word + (uint64_t)i) % owned);
        pen_replicas_try(&s->replicas, other, call, &SECOND_REPLICA, &s->unused);
    }
}

/* The replica with other numbers comes first: there, a type of the wrong size causes a fault before it overwrites other
 * data. If bits differ, the call is repeated with only the forbidden data changed: the bits may be copies of it. */
bool pen_checker_node(pen_checker *s, pen_lid slot, pen_call *call, uint64_t writes)
{
    const pen_choice all = hidden(s, UINT64_MAX), *choice = &SECOND_REPLICA;
    try_another(s, slot, call, choice);
    if (s->other.fault[0]) {
        pen_checker_report(s, slot, s->other.fault);
        return false;
    }
    check_damage(s, slot, &s->other, 1, writes);
    call_others(s, slot, call);
    pen_replicas_try(&s->replicas, slot, call, &FIRST_REPLICA, &s->plain);
    if (s->plain.fault[0]) pen_checker_report(s, slot, s->plain.fault);
    else check_damage(s, slot, &s->plain, 0, writes);
    if (s->plain.signal && s->other.signal) report_signal(s, slot, s->plain.signal);
    bool wrong = depends(s, writes), whole = !s->plain.signal;
    if (note_unwritten(s, writes) && !wrong) {
        choice = &all;
        try_another(s, slot, call, choice);
        wrong = differs(s, writes);
    }
    if (wrong) blame(s, slot, call, writes, choice);
    else check_revealed(s, slot, call, writes);
    return whole;
}

/* ---- Agreement ---------------------------------------------------------------------------------- */

const char *pen_checker_take(pen_checker *s)
{
    bool any = s->found >= 0;
    s->found = -1;
    return any ? s->text : NULL;
}

pen_status pen_checker_end(pen_checker *s)
{
    const pen_run *run = s->replicas.run;
    int64_t mine = s->found < 0 ? -1 : INT64_MAX - s->found, greatest; /* that of the lowest gid */
    pen_status status = s->status;
    s->found = -1;
    s->status = PEN_OK;
    PEN_TRY(pen_max_int(run->comm, mine, &greatest));
    if (mine == greatest && mine >= 0) status = pen_fail(PEN_ERR_CHECK, "%s", s->text);
    else if (greatest >= 0) status = PEN_OK;
    return pen_agree(run->comm, status);
}

#include "run/app.h"
#include "base/abi.h"
#include "base/memory.h"
#include "run/members.h"

#include <stdlib.h>
#include <strings.h>

/* Of a table that is too long nothing is copied: the check says so, and it may be shorter than that. */
static int fields_of(int count) { return count <= PEN_MOST_FIELDS ? count : 0; }

/* Where a header older than globals put no components there may be anything: a pen_observable was as long without. */
static pen_status adopt_observables(const pen_abi *abi, const pen_observable *theirs, pen_app *copy)
{
    pen_observable *table;
    PEN_TRY(pen_adopt_table("pen_observable", theirs, copy->observable_count, abi->observable, &table, sizeof *table));
    for (int i = 0; table && abi->globals == 0 && i < copy->observable_count; i++) table[i].components = 0;
    copy->observables = table;
    return PEN_OK;
}

/* In a copy: its own globals, with their table. */
static pen_status adopt_globals(const pen_abi *abi, pen_app *copy)
{
    pen_globals *globals = NULL;
    const pen_globals *theirs = copy->globals;
    copy->globals = NULL;
    PEN_TRY(pen_adopt_table("pen_globals", theirs, theirs ? 1 : 0, abi->globals, &globals, sizeof *globals));
    copy->globals = globals;
    if (!globals) return PEN_OK;
    const pen_member *members = globals->members;
    globals->members = NULL;
    return pen_adopt_table("pen_member", members, globals->member_count, abi->member, &globals->members,
                           sizeof *members);
}

static pen_status adopt(const pen_abi *abi, const pen_app *app, pen_app *copy)
{
    pen_app theirs; /* with the caller's tables */
    PEN_TRY(pen_adopt("pen_app", app, abi->app, &theirs, sizeof theirs));
    int64_t options = pen_options_count(theirs.options, abi->option);
    *copy = theirs;
    copy->fields = NULL;
    copy->phases = NULL;
    copy->observables = NULL;
    copy->options = NULL;
    copy->edge_fields = NULL;
    copy->inputs = NULL;
    copy->members = NULL;
    PEN_TRY(adopt_globals(abi, copy));
    PEN_TRY(pen_adopt_table("pen_field", theirs.fields, fields_of(theirs.field_count), abi->field, &copy->fields,
                            sizeof *copy->fields));
    PEN_TRY(pen_adopt_table("pen_phase", theirs.phases, theirs.phase_count, abi->phase, &copy->phases,
                            sizeof *copy->phases));
    PEN_TRY(adopt_observables(abi, theirs.observables, copy));
    PEN_TRY(pen_adopt_table("pen_edge_field", theirs.edge_fields, fields_of(theirs.edge_field_count), abi->edge_field,
                            &copy->edge_fields, sizeof *copy->edge_fields));
    PEN_TRY(pen_adopt_table("pen_input_column", theirs.inputs, theirs.input_count, abi->input_column, &copy->inputs,
                            sizeof *copy->inputs));
    PEN_TRY(pen_adopt_table("pen_member", theirs.members, theirs.member_count, abi->member, &copy->members,
                            sizeof *copy->members));
    if (!theirs.options) return PEN_OK;
    return pen_adopt_table("pen_option", theirs.options, options + 1, abi->option, &copy->options,
                           sizeof *copy->options);
}

pen_status pen_app_adopt(const pen_abi *theirs, const pen_app *app, pen_app **copy)
{
    pen_abi abi = pen_abi_of(theirs);
    PEN_TRY(PEN_ALLOC_ZERO(copy, 1));
    pen_status status = adopt(&abi, app, *copy);
    if (status != PEN_OK) pen_app_free(copy);
    return status;
}

/* The tables are const for those who read them. */
static void free_table(const void *table)
{
    void *memory;
    memcpy(&memory, &table, sizeof memory);
    free(memory);
}

void pen_app_free(pen_app **copy)
{
    if (!*copy) return;
    free_table((*copy)->fields);
    free_table((*copy)->phases);
    free_table((*copy)->observables);
    free_table((*copy)->options);
    free_table((*copy)->edge_fields);
    free_table((*copy)->inputs);
    free_table((*copy)->members);
    if ((*copy)->globals) free_table((*copy)->globals->members);
    free_table((*copy)->globals);
    free(*copy);
    *copy = NULL;
}

/* Each observable belongs to one phase, or to the application's own observe function. */
static pen_status check_evaluations(const pen_app *app)
{
    uint64_t taken = 0;
    int own = app->observable_count;
    for (int p = 0; p < app->phase_count; p++) {
        const pen_phase *phase = &app->phases[p];
        PEN_ARGUMENT(!!phase->observe == (phase->observes != 0),
                     "%s: phase %s needs both .observe and .observes, or neither", app->name, phase->name);
        for (int i = 0; i < 64; i++) {
            if (!(phase->observes >> i & 1)) continue;
            PEN_ARGUMENT(i < app->observable_count, "%s: phase %s observes an unknown observable, %d", app->name,
                         phase->name, i);
            PEN_ARGUMENT(!(taken >> i & 1), "%s: observable \"%s\" belongs to two phases", app->name,
                         app->observables[i].name);
            own--;
        }
        taken |= phase->observes;
    }
    PEN_ARGUMENT(own == 0 || app->observe, "%s: observables without an observe function", app->name);
    return PEN_OK;
}

static pen_status check_observables(const pen_app *app)
{
    PEN_ARGUMENT(app->observable_count >= 0 && (app->observable_count == 0 || app->observables), "%s: %d observables",
                 app->name, app->observable_count);
    PEN_ARGUMENT(!app->check || app->observable_count > 0 || app->globals, "%s: a check without observables",
                 app->name);
    for (int i = 0; i < app->observable_count; i++) {
        const pen_observable *o = &app->observables[i];
        PEN_ARGUMENT(o->name, "%s: observable %d has no name", app->name, i);
        PEN_ARGUMENT(o->components >= 0 && o->components <= PEN_MOST_COMPONENTS,
                     "%s: observable \"%s\" has %d components, 1 to %d are possible", app->name, o->name, o->components,
                     PEN_MOST_COMPONENTS);
    }
    return check_evaluations(app);
}

/* The first so many fields. */
static uint64_t mask_of(int count) { return count == PEN_MOST_FIELDS ? UINT64_MAX : PEN_FIELD(count) - 1; }

static pen_status check_edge_fields(const pen_app *app)
{
    PEN_ARGUMENT(app->edge_field_count >= 0 && app->edge_field_count <= PEN_MOST_FIELDS &&
                     (app->edge_field_count == 0 || app->edge_fields),
                 "%s: %d edge fields, 0 to 64 are possible", app->name, app->edge_field_count);
    PEN_ARGUMENT(!app->init_edges || app->edge_field_count > 0, "%s: init_edges without edge fields", app->name);
    for (int e = 0; e < app->edge_field_count; e++) {
        PEN_ARGUMENT(app->edge_fields[e].name, "%s: edge field %d has no name", app->name, e);
        PEN_ARGUMENT(app->edge_fields[e].size > 0, "%s: edge field %s has size 0", app->name, app->edge_fields[e].name);
    }
    return PEN_OK;
}

/* Of the first so many input columns, how many are kept of nodes, or of edges. */
static int count_kept(const pen_app *app, int columns, bool of_edges)
{
    int kept = 0;
    for (int c = 0; c < columns; c++) kept += app->inputs[c].kept && app->inputs[c].of_edges == of_edges;
    return kept;
}

/* Own fields and columns that are kept share the bits of a word. */
static pen_status check_kept(const pen_app *app, bool of_edges)
{
    const int own = of_edges ? app->edge_field_count : app->field_count;
    const int kept = count_kept(app, app->input_count, of_edges);
    PEN_ARGUMENT(own + kept <= PEN_MOST_FIELDS,
                 "%s: %d %sfields and %d input columns that are kept, together 64 are possible", app->name, own,
                 of_edges ? "edge " : "", kept);
    return PEN_OK;
}

static pen_status check_inputs(const pen_app *app)
{
    PEN_ARGUMENT(app->input_count >= 0 && (app->input_count == 0 || app->inputs), "%s: %d input columns", app->name,
                 app->input_count);
    for (int c = 0; c < app->input_count; c++) {
        const pen_input_column *column = &app->inputs[c];
        PEN_ARGUMENT(column->name && *column->name, "%s: input column %d has no name", app->name, c);
        for (int k = 0; k < c; k++)
            PEN_ARGUMENT(strcasecmp(column->name, app->inputs[k].name) != 0, "%s: two input columns called %s",
                         app->name, column->name);
    }
    PEN_TRY(check_kept(app, false));
    return check_kept(app, true);
}

static pen_status check_phase(const pen_app *app, int p)
{
    const pen_phase *phase = &app->phases[p];
    PEN_ARGUMENT(phase->name, "%s: phase %d has no name", app->name, p);
    PEN_ARGUMENT(!!phase->node + !!phase->block + !!phase->modify == 1,
                 "%s: phase %s needs a node function or a block function or .modify", app->name, phase->name);
    PEN_ARGUMENT(phase->modify || (phase->writes | phase->edge_writes) != 0, "%s: phase %s writes nothing", app->name,
                 phase->name);
    PEN_ARGUMENT(!phase->far || !phase->block, "%s: phase %s has .far, and needs a node function", app->name,
                 phase->name);
    PEN_ARGUMENT(!phase->far == !phase->far_reads, "%s: phase %s needs both .far and .far_reads, or neither", app->name,
                 phase->name);
    PEN_ARGUMENT(!((phase->reads | phase->writes | phase->far_reads) & ~pen_app_fields(app)),
                 "%s: phase %s reads or writes an unknown field", app->name, phase->name);
    PEN_ARGUMENT(!(phase->keeps & ~phase->writes), "%s: phase %s keeps a field that it does not write", app->name,
                 phase->name);
    PEN_ARGUMENT(!(phase->edge_writes & ~mask_of(app->edge_field_count)), "%s: phase %s writes an unknown edge field",
                 app->name, phase->name);
    return PEN_OK;
}

pen_status pen_app_check(const pen_app *app)
{
    PEN_ARGUMENT(app->name && app->init, "an application needs a name and an init function");
    PEN_ARGUMENT(app->fields && app->field_count >= 1 && app->field_count <= PEN_MOST_FIELDS,
                 "%s: %d fields, 1 to 64 are possible", app->name, app->field_count);
    PEN_ARGUMENT(app->phases && app->phase_count >= 1, "%s: no phases", app->name);
    PEN_TRY(check_edge_fields(app));
    PEN_TRY(check_inputs(app));
    for (int f = 0; f < app->field_count; f++) {
        PEN_ARGUMENT(app->fields[f].name, "%s: field %d has no name", app->name, f);
        PEN_ARGUMENT(app->fields[f].size > 0 || app->setup, "%s: field %s has size 0", app->name, app->fields[f].name);
    }
    for (int p = 0; p < app->phase_count; p++) PEN_TRY(check_phase(app, p));
    PEN_ARGUMENT((app->plain & ~mask_of(app->field_count)) == 0, "%s: .plain has an unknown field", app->name);
    PEN_ARGUMENT((app->transient & ~mask_of(app->field_count)) == 0, "%s: .transient has an unknown field", app->name);
    PEN_ARGUMENT(!app->save == !app->restore, "%s: both .save and .restore, or neither", app->name);
    PEN_ARGUMENT((app->plain & app->transient) == 0, "%s: .plain has a transient field", app->name);
    PEN_ARGUMENT(app->shape >= PEN_SHAPE_NONE && app->shape <= PEN_SHAPE_HEXAGON, "%s: .shape %d is unknown", app->name,
                 (int)app->shape);
    PEN_ARGUMENT(!app->sides || app->shape >= PEN_SHAPE_BOX, "%s: .sides needs nodes that are boxes or hexagons",
                 app->name);
    PEN_TRY(pen_members_check(app));
    PEN_TRY(check_observables(app));
    return pen_globals_check(app);
}

pen_status pen_app_settle(pen_app *app, const size_t *sizes)
{
    pen_field *fields; /* const for those who read them */
    memcpy(&fields, &app->fields, sizeof fields);
    for (int f = 0; f < app->field_count; f++) {
        PEN_ARGUMENT(sizes[f] > 0 && sizes[f] <= INT64_MAX, "%s: field %s has size 0, and .setup has set none",
                     app->name, fields[f].name);
        fields[f].size = sizes[f];
    }
    return PEN_OK;
}

static pen_status keep_node_columns(pen_app *app)
{
    const int own = app->field_count, kept = count_kept(app, app->input_count, false);
    pen_field *fields;
    if (kept == 0) return PEN_OK;
    PEN_TRY(PEN_ALLOC(&fields, own + kept));
    memcpy(fields, app->fields, (size_t)own * sizeof *fields);
    free_table(app->fields);
    app->fields = fields;
    for (int c = 0; c < app->input_count; c++) {
        if (!app->inputs[c].kept || app->inputs[c].of_edges) continue;
        app->plain |= PEN_FIELD(app->field_count);
        fields[app->field_count++] = (pen_field){ app->inputs[c].name, sizeof(double) };
    }
    return PEN_OK;
}

static pen_status keep_edge_columns(pen_app *app)
{
    const int own = app->edge_field_count, kept = count_kept(app, app->input_count, true);
    pen_edge_field *fields;
    if (kept == 0) return PEN_OK;
    PEN_TRY(PEN_ALLOC(&fields, own + kept));
    if (own > 0) memcpy(fields, app->edge_fields, (size_t)own * sizeof *fields);
    free_table(app->edge_fields);
    app->edge_fields = fields;
    for (int c = 0; c < app->input_count; c++)
        if (app->inputs[c].kept && app->inputs[c].of_edges)
            fields[app->edge_field_count++] = (pen_edge_field){ app->inputs[c].name, sizeof(double) };
    return PEN_OK;
}

pen_status pen_app_keep_inputs(pen_app *app)
{
    PEN_TRY(keep_node_columns(app));
    return keep_edge_columns(app);
}

int pen_app_kept_field(const pen_app *app, int column)
{
    const bool is_one = app->inputs[column].kept && !app->inputs[column].of_edges;
    return is_one ? pen_app_own_fields(app) + count_kept(app, column, false) : -1;
}

int pen_app_kept_edge_field(const pen_app *app, int column)
{
    const bool is_one = app->inputs[column].kept && app->inputs[column].of_edges;
    return is_one ? pen_app_own_edge_fields(app) + count_kept(app, column, true) : -1;
}

int pen_app_own_fields(const pen_app *app) { return app->field_count - count_kept(app, app->input_count, false); }

int pen_app_own_edge_fields(const pen_app *app)
{
    return app->edge_field_count - count_kept(app, app->input_count, true);
}

uint64_t pen_app_kept_fields(const pen_app *app) { return pen_app_fields(app) & ~mask_of(pen_app_own_fields(app)); }

uint64_t pen_app_fields(const pen_app *app) { return mask_of(app->field_count); }

bool pen_app_is_plain(const pen_app *app) { return app->plain == pen_app_fields(app); }

uint64_t pen_app_reads(const pen_app *app)
{
    uint64_t reads = 0;
    for (int p = 0; p < app->phase_count; p++) reads |= app->phases[p].reads;
    return reads;
}

bool pen_app_modifies(const pen_app *app)
{
    for (int p = 0; p < app->phase_count; p++)
        if (app->phases[p].modify) return true;
    return false;
}

/* Is field f, written in phase p, read from neighbours before it is written again? The phases repeat. */
static bool read_before_rewritten(const pen_app *app, int p, int f)
{
    for (int i = 1; i <= app->phase_count; i++) {
        const pen_phase *later = &app->phases[(p + i) % app->phase_count];
        if (later->reads >> f & 1) return true;
        if (later->writes >> f & 1) return false;
    }
    return false;
}

/* Are the shadows of field f current when phase p begins, in every step and after every migration? Where f is
 * ever read from neighbours, the first pull and those after migrations see to it, until f is written. */
static bool shadows_current(const pen_app *app, const pen_phase_traits *traits, int p, int f)
{
    if (!(pen_app_reads(app) >> f & 1)) return false;
    for (int back = 1; back <= app->phase_count; back++) {
        int before = (p - back + app->phase_count) % app->phase_count;
        if (app->phases[before].writes >> f & 1) return traits[before].pull >> f & 1;
    }
    return true;
}

void pen_app_traits(const pen_app *app, pen_phase_traits *traits)
{
    uint64_t ever_read = pen_app_reads(app), ever_far = 0;
    for (int p = 0; p < app->phase_count; p++) ever_far |= app->phases[p].far_reads;
    for (int p = 0; p < app->phase_count; p++) {
        const pen_phase *phase = &app->phases[p];
        traits[p] = (pen_phase_traits){ .publishes = (phase->writes & ever_read) != 0 };
        /* A change that fails leaves records as they were. */
        if (!phase->modify) traits[p].in_place = phase->keeps & ~ever_read & ~ever_far;
        for (int f = 0; f < app->field_count; f++)
            if (app->phases[p].writes >> f & 1 && read_before_rewritten(app, p, f)) traits[p].pull |= PEN_FIELD(f);
    }
    for (int p = 0; p < app->phase_count; p++)
        for (int f = 0; f < app->field_count; f++)
            if (shadows_current(app, traits, p, f)) traits[p].shadows |= PEN_FIELD(f);
}

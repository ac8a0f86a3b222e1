/* app.c - copies and checks the description of an application, and derives what phases mean for the halo. */
#include "run/app.h"
#include "base/memory.h"
#include "input/files.h"
#include "run/members.h"
#include <penumbra_plugin.h>

#include <math.h>
#include <stdlib.h>
#include <strings.h>

/* A table that is too long may be shorter than its count; copy nothing of it, and let the check report it. */
static int fields_of(int count) { return count <= PEN_MOST_FIELDS ? count : 0; }

/* Copy a table into memory that the caller frees; NULL if it has no entries. *copy: a pointer to the pointer. */
static pen_status copy_table(const void *table, int64_t count, size_t size, void *copy)
{
    unsigned char *made = NULL;
    pen_status status = table && count > 0 ? pen_alloc(&made, count, size) : PEN_OK;
    if (made) memcpy(made, table, (size_t)count * size);
    memcpy(copy, &made, sizeof made);
    return status;
}
#define COPY_TABLE(copy, theirs, count) copy_table((theirs), (count), sizeof *(theirs), &(copy))

static pen_status copy_globals(const pen_globals *theirs, pen_app *copy)
{
    pen_globals *globals = NULL;
    PEN_TRY(COPY_TABLE(globals, theirs, 1));
    copy->globals = globals;
    if (!globals) return PEN_OK;
    globals->members.list = NULL;
    return COPY_TABLE(globals->members.list, theirs->members.list, theirs->members.count);
}

/* Copy the tables of `app`. All tables of *copy are still NULL. */
static pen_status copy_tables(const pen_app *app, pen_app *copy)
{
    int64_t options = 0;
    while (app->options && app->options[options].name) options++;
    PEN_TRY(copy_globals(app->globals, copy));
    PEN_TRY(COPY_TABLE(copy->fields.list, app->fields.list, fields_of(app->fields.count)));
    PEN_TRY(COPY_TABLE(copy->edge_fields.list, app->edge_fields.list, fields_of(app->edge_fields.count)));
    PEN_TRY(COPY_TABLE(copy->phases.list, app->phases.list, app->phases.count));
    PEN_TRY(COPY_TABLE(copy->observables.list, app->observables.list, app->observables.count));
    PEN_TRY(COPY_TABLE(copy->inputs.list, app->inputs.list, app->inputs.count));
    PEN_TRY(COPY_TABLE(copy->mails.list, app->mails.list, fields_of(app->mails.count)));
    PEN_TRY(COPY_TABLE(copy->output.members.list, app->output.members.list, app->output.members.count));
    return COPY_TABLE(copy->options, app->options, options + 1);
}

pen_status pen_app_copy(const pen_app *app, pen_app **copy)
{
    PEN_TRY(PEN_ALLOC(copy, 1));
    **copy = *app;
    (*copy)->globals = NULL;
    (*copy)->fields.list = NULL;
    (*copy)->edge_fields.list = NULL;
    (*copy)->phases.list = NULL;
    (*copy)->observables.list = NULL;
    (*copy)->inputs.list = NULL;
    (*copy)->mails.list = NULL;
    (*copy)->output.members.list = NULL;
    (*copy)->options = NULL;
    pen_status status = copy_tables(app, *copy);
    if (status != PEN_OK) pen_app_free(copy);
    return status;
}

/* Free a table, to which its users have const pointers. */
static void free_table(const void *table)
{
    void *memory;
    memcpy(&memory, &table, sizeof memory);
    free(memory);
}

void pen_app_free(pen_app **copy)
{
    if (!*copy) return;
    free_table((*copy)->fields.list);
    free_table((*copy)->phases.list);
    free_table((*copy)->observables.list);
    free_table((*copy)->options);
    free_table((*copy)->edge_fields.list);
    free_table((*copy)->inputs.list);
    free_table((*copy)->mails.list);
    free_table((*copy)->output.members.list);
    if ((*copy)->globals) free_table((*copy)->globals->members.list);
    free_table((*copy)->globals);
    free(*copy);
    *copy = NULL;
}

/* Each observable belongs to one phase, or to the application's own observe function. */
static pen_status check_evaluations(const pen_app *app)
{
    uint64_t taken = 0;
    int own = app->observables.count;
    for (int p = 0; p < app->phases.count; p++) {
        const pen_phase *phase = &app->phases.list[p];
        PEN_ARGUMENT(!!phase->observe == (phase->observes.bits != 0),
                     "%s: phase %s needs both .observe and .observes, or neither", app->name, phase->name);
        for (int i = 0; i < 64; i++) {
            if (!(phase->observes.bits >> i & 1)) continue;
            PEN_ARGUMENT(i < app->observables.count, "%s: phase %s observes an unknown observable, %d", app->name,
                         phase->name, i);
            PEN_ARGUMENT(!(taken >> i & 1), "%s: observable \"%s\" belongs to two phases", app->name,
                         app->observables.list[i].name);
            own--;
        }
        taken |= phase->observes.bits;
    }
    PEN_ARGUMENT(own == 0 || app->observables.observe, "%s: observables without an observe function", app->name);
    return PEN_OK;
}

static pen_status check_observables(const pen_app *app)
{
    PEN_ARGUMENT(app->observables.count >= 0 && app->observables.count <= PENUMBRA_OBSERVABLES &&
                     (app->observables.count == 0 || app->observables.list),
                 "%s: %d observables", app->name, app->observables.count);
    PEN_ARGUMENT(!app->check || app->observables.count > 0 || app->globals, "%s: a check without observables",
                 app->name);
    for (int i = 0; i < app->observables.count; i++) {
        const pen_observable *o = &app->observables.list[i];
        PEN_ARGUMENT(o->name, "%s: observable %d has no name", app->name, i);
        PEN_ARGUMENT(o->components >= 0 && o->components <= PEN_MOST_COMPONENTS,
                     "%s: observable \"%s\" has %d components, 1 to %d are possible", app->name, o->name, o->components,
                     PEN_MOST_COMPONENTS);
    }
    return check_evaluations(app);
}

/* The set of the first `count` fields. */
static uint64_t mask_of(int count) { return count == PEN_MOST_FIELDS ? UINT64_MAX : pen_bit(count) - 1; }

static pen_status check_edge_fields(const pen_app *app)
{
    PEN_ARGUMENT(app->edge_fields.count >= 0 && app->edge_fields.count <= PEN_MOST_FIELDS &&
                     (app->edge_fields.count == 0 || app->edge_fields.list),
                 "%s: %d edge fields, 0 to 64 are possible", app->name, app->edge_fields.count);
    PEN_ARGUMENT(!app->init_edges || app->edge_fields.count > 0, "%s: init_edges without edge fields", app->name);
    for (int e = 0; e < app->edge_fields.count; e++) {
        PEN_ARGUMENT(app->edge_fields.list[e].name, "%s: edge field %d has no name", app->name, e);
        PEN_ARGUMENT(app->edge_fields.list[e].size > 0, "%s: edge field %s has size 0", app->name,
                     app->edge_fields.list[e].name);
    }
    return PEN_OK;
}

static pen_status check_mails(const pen_app *app)
{
    PEN_ARGUMENT(app->mails.count >= 0 && app->mails.count <= PEN_MOST_FIELDS &&
                     (app->mails.count == 0 || app->mails.list),
                 "%s: %d kinds of mail, 0 to 64 are possible", app->name, app->mails.count);
    for (int k = 0; k < app->mails.count; k++) {
        PEN_ARGUMENT(app->mails.list[k].name, "%s: kind of mail %d has no name", app->name, k);
        PEN_ARGUMENT(app->mails.list[k].size > 0 && app->mails.list[k].size <= INT32_MAX,
                     "%s: mail of kind %s has size %zu", app->name, app->mails.list[k].name, app->mails.list[k].size);
    }
    return PEN_OK;
}

/* The number of permanent columns, as node columns or as edge columns, among the first `columns` input columns. */
static int count_permanent(const pen_app *app, int columns, bool of_edges)
{
    int count = 0;
    for (int c = 0; c < columns; c++)
        count += app->inputs.list[c].permanent && app->inputs.list[c].of_edges == of_edges;
    return count;
}

/* Check the number of fields: own fields and permanent columns share the bits of a word. */
static pen_status check_permanent(const pen_app *app, bool of_edges)
{
    const int own = of_edges ? app->edge_fields.count : app->fields.count;
    const int permanent = count_permanent(app, app->inputs.count, of_edges);
    PEN_ARGUMENT(own + permanent <= PEN_MOST_FIELDS,
                 "%s: %d %sfields and %d permanent input columns, together 64 are possible", app->name, own,
                 of_edges ? "edge " : "", permanent);
    return PEN_OK;
}

/* Whether files have, in a column of that name, the nodes to which their rows belong. */
static bool names_rows(const char *name)
{
    return strcasecmp(name, "gid") == 0 || strcasecmp(name, "source") == 0 || strcasecmp(name, "target") == 0;
}

static pen_status check_inputs(const pen_app *app)
{
    PEN_ARGUMENT(app->inputs.count >= 0 && (app->inputs.count == 0 || app->inputs.list), "%s: %d input columns",
                 app->name, app->inputs.count);
    for (int c = 0; c < app->inputs.count; c++) {
        const pen_input_column *column = &app->inputs.list[c];
        PEN_ARGUMENT(column->name && *column->name, "%s: input column %d has no name", app->name, c);
        PEN_ARGUMENT(!names_rows(column->name), "%s: input column %s: that name is taken", app->name, column->name);
        PEN_ARGUMENT(!column->each_direction || column->of_edges,
                     "%s: input column %s is not of edges, which have directions", app->name, column->name);
        double value = pen_input_otherwise(column);
        PEN_ARGUMENT(isfinite(value) || (isnan(value) && column->nan),
                     "%s: input column %s: .otherwise \"%s\" is not a number", app->name, column->name,
                     column->otherwise);
        for (int k = 0; k < c; k++)
            PEN_ARGUMENT(strcasecmp(column->name, app->inputs.list[k].name) != 0, "%s: two input columns called %s",
                         app->name, column->name);
    }
    PEN_TRY(check_permanent(app, false));
    return check_permanent(app, true);
}

static pen_status check_phase(const pen_app *app, int p)
{
    const pen_phase *phase = &app->phases.list[p];
    PEN_ARGUMENT(phase->name, "%s: phase %d has no name", app->name, p);
    PEN_ARGUMENT(!!phase->node + !!phase->sweep + !!phase->modify == 1,
                 "%s: phase %s needs exactly one of .node, .sweep and .modify", app->name, phase->name);
    PEN_ARGUMENT(phase->modify || (phase->writes.bits | phase->edge_writes.bits | phase->sends.bits) != 0,
                 "%s: phase %s writes nothing", app->name, phase->name);
    PEN_ARGUMENT(!((phase->sends.bits | phase->receives.bits) & ~mask_of(app->mails.count)),
                 "%s: phase %s sends or receives an unknown kind of mail", app->name, phase->name);
    PEN_ARGUMENT(!phase->edge_writes.bits || !phase->sends.bits, "%s: phase %s sends mail and writes edge fields",
                 app->name, phase->name);
    PEN_ARGUMENT(!phase->far == !phase->far_reads.bits, "%s: phase %s needs both .far and .far_reads, or neither",
                 app->name, phase->name);
    PEN_ARGUMENT(!((phase->reads.bits | phase->writes.bits | phase->far_reads.bits) & ~pen_app_fields(app)),
                 "%s: phase %s reads or writes an unknown field", app->name, phase->name);
    PEN_ARGUMENT(!(phase->updates.bits & ~phase->writes.bits), "%s: phase %s updates a field that it does not write",
                 app->name, phase->name);
    PEN_ARGUMENT(!(phase->edge_writes.bits & ~mask_of(app->edge_fields.count)),
                 "%s: phase %s writes an unknown edge field", app->name, phase->name);
    return PEN_OK;
}

pen_status pen_app_check(const pen_app *app)
{
    PEN_ARGUMENT(app->name && app->init, "an application needs a name and an init function");
    PEN_ARGUMENT(app->fields.list && app->fields.count >= 1 && app->fields.count <= PEN_MOST_FIELDS,
                 "%s: %d fields, 1 to 64 are possible", app->name, app->fields.count);
    PEN_ARGUMENT(app->phases.list && app->phases.count >= 1, "%s: no phases", app->name);
    PEN_TRY(check_edge_fields(app));
    PEN_TRY(check_inputs(app));
    PEN_TRY(check_mails(app));
    for (int f = 0; f < app->fields.count; f++) {
        PEN_ARGUMENT(app->fields.list[f].name, "%s: field %d has no name", app->name, f);
        PEN_ARGUMENT(app->fields.list[f].size > 0 || app->setup, "%s: field %s has size 0", app->name,
                     app->fields.list[f].name);
        PEN_ARGUMENT(!app->fields.list[f].plain || !app->fields.list[f].transient,
                     "%s: field %s is plain and transient", app->name, app->fields.list[f].name);
    }
    for (int p = 0; p < app->phases.count; p++) PEN_TRY(check_phase(app, p));
    PEN_ARGUMENT(!app->checkpoint.save == !app->checkpoint.restore, "%s: both .save and .restore, or neither",
                 app->name);
    PEN_ARGUMENT(app->output.shape >= PEN_SHAPE_NONE && app->output.shape <= PEN_SHAPE_HEXAGON,
                 "%s: .shape %d is unknown", app->name, (int)app->output.shape);
    PEN_ARGUMENT(!app->output.sides || app->output.shape >= PEN_SHAPE_BOX,
                 "%s: .sides needs nodes that are boxes or hexagons", app->name);
    PEN_TRY(pen_members_check(app));
    PEN_TRY(check_observables(app));
    return pen_globals_check(app);
}

pen_status pen_app_settle(pen_app *app, const size_t *sizes)
{
    pen_field *fields; /* app->fields.list without const */
    memcpy(&fields, &app->fields.list, sizeof fields);
    for (int f = 0; f < app->fields.count; f++) {
        PEN_ARGUMENT(sizes[f] > 0 && sizes[f] <= INT64_MAX, "%s: field %s has size 0, and .setup has set none",
                     app->name, fields[f].name);
        fields[f].size = sizes[f];
    }
    return PEN_OK;
}

static pen_status keep_node_columns(pen_app *app)
{
    const int own = app->fields.count, permanent = count_permanent(app, app->inputs.count, false);
    pen_field *fields;
    if (permanent == 0) return PEN_OK;
    PEN_TRY(PEN_ALLOC(&fields, own + permanent));
    memcpy(fields, app->fields.list, (size_t)own * sizeof *fields);
    free_table(app->fields.list);
    app->fields.list = fields;
    for (int c = 0; c < app->inputs.count; c++) {
        if (!app->inputs.list[c].permanent || app->inputs.list[c].of_edges) continue;
        fields[app->fields.count++] = (pen_field){ app->inputs.list[c].name, sizeof(double), .plain = true };
    }
    return PEN_OK;
}

static pen_status keep_edge_columns(pen_app *app)
{
    const int own = app->edge_fields.count, permanent = count_permanent(app, app->inputs.count, true);
    pen_edge_field *fields;
    if (permanent == 0) return PEN_OK;
    PEN_TRY(PEN_ALLOC(&fields, own + permanent));
    if (own > 0) memcpy(fields, app->edge_fields.list, (size_t)own * sizeof *fields);
    free_table(app->edge_fields.list);
    app->edge_fields.list = fields;
    for (int c = 0; c < app->inputs.count; c++)
        if (app->inputs.list[c].permanent && app->inputs.list[c].of_edges)
            fields[app->edge_fields.count++] = (pen_edge_field){ app->inputs.list[c].name, sizeof(double) };
    return PEN_OK;
}

pen_status pen_app_add_permanent(pen_app *app)
{
    PEN_TRY(keep_node_columns(app));
    return keep_edge_columns(app);
}

int pen_app_permanent_field(const pen_app *app, int column)
{
    const bool is_one = app->inputs.list[column].permanent && !app->inputs.list[column].of_edges;
    return is_one ? pen_app_own_fields(app) + count_permanent(app, column, false) : -1;
}

int pen_app_permanent_edge_field(const pen_app *app, int column)
{
    const bool is_one = app->inputs.list[column].permanent && app->inputs.list[column].of_edges;
    return is_one ? pen_app_own_edge_fields(app) + count_permanent(app, column, true) : -1;
}

int pen_app_own_fields(const pen_app *app)
{
    return app->fields.count - count_permanent(app, app->inputs.count, false);
}

int pen_app_own_edge_fields(const pen_app *app)
{
    return app->edge_fields.count - count_permanent(app, app->inputs.count, true);
}

uint64_t pen_app_permanent_fields(const pen_app *app)
{
    return pen_app_fields(app) & ~mask_of(pen_app_own_fields(app));
}

uint64_t pen_app_fields(const pen_app *app) { return mask_of(app->fields.count); }

bool pen_app_is_plain(const pen_app *app)
{
    for (int f = 0; f < app->fields.count; f++)
        if (!app->fields.list[f].plain) return false;
    return true;
}

uint64_t pen_app_transient(const pen_app *app)
{
    uint64_t transient = 0;
    for (int f = 0; f < app->fields.count; f++)
        if (app->fields.list[f].transient) transient |= pen_bit(f);
    return transient;
}

uint64_t pen_app_mails(const pen_app *app) { return mask_of(app->mails.count); }

uint64_t pen_app_reads(const pen_app *app)
{
    uint64_t reads = 0;
    for (int p = 0; p < app->phases.count; p++) reads |= app->phases.list[p].reads.bits;
    return reads;
}

bool pen_app_modifies(const pen_app *app)
{
    for (int p = 0; p < app->phases.count; p++)
        if (app->phases.list[p].modify) return true;
    return false;
}

bool pen_app_declares(const pen_app *app)
{
    for (int p = 0; p < app->phases.count; p++)
        if (app->phases.list[p].cost) return true;
    return false;
}

pen_cost_fn *pen_app_cost(const pen_app *app)
{
    pen_cost_fn *cost = NULL;
    for (int p = 0; p < app->phases.count; p++) {
        if (cost && app->phases.list[p].cost) return NULL;
        if (app->phases.list[p].cost) cost = app->phases.list[p].cost;
    }
    return cost;
}

/* Is field f, written in phase p, read from neighbours before it is written again? The phases repeat. */
static bool read_before_rewritten(const pen_app *app, int p, int f)
{
    for (int i = 1; i <= app->phases.count; i++) {
        const pen_phase *later = &app->phases.list[(p + i) % app->phases.count];
        if (later->reads.bits >> f & 1) return true;
        if (later->writes.bits >> f & 1) return false;
    }
    return false;
}

/* Whether the shadows of field f are current when phase p begins, in every step and after every migration. For a field
 * that is ever read from neighbours, the first pull and those after migrations provide them, until f is written. */
static bool shadows_current(const pen_app *app, const pen_phase_traits *traits, int p, int f)
{
    if (!(pen_app_reads(app) >> f & 1)) return false;
    for (int back = 1; back <= app->phases.count; back++) {
        int before = (p - back + app->phases.count) % app->phases.count;
        if (app->phases.list[before].writes.bits >> f & 1) return traits[before].pull >> f & 1;
    }
    return true;
}

void pen_app_traits(const pen_app *app, pen_phase_traits *traits)
{
    uint64_t ever_read = pen_app_reads(app), ever_far = 0;
    for (int p = 0; p < app->phases.count; p++) ever_far |= app->phases.list[p].far_reads.bits;
    for (int p = 0; p < app->phases.count; p++) {
        const pen_phase *phase = &app->phases.list[p];
        traits[p] = (pen_phase_traits){ .publishes = (phase->writes.bits & ever_read) != 0 };
        /* A phase that can fail after its nodes were computed leaves records as they were. */
        if (!phase->modify && !phase->sends.bits) traits[p].in_place = phase->updates.bits & ~ever_read & ~ever_far;
        for (int f = 0; f < app->fields.count; f++)
            if (app->phases.list[p].writes.bits >> f & 1 && read_before_rewritten(app, p, f))
                traits[p].pull |= pen_bit(f);
    }
    for (int p = 0; p < app->phases.count; p++)
        for (int f = 0; f < app->fields.count; f++)
            if (shadows_current(app, traits, p, f)) traits[p].shadows |= pen_bit(f);
    for (int p = 1; p < app->phases.count; p++) {
        const pen_phase *before = &app->phases.list[p - 1], *phase = &app->phases.list[p];
        bool waits = traits[p - 1].publishes || before->modify || before->sends.bits || phase->far || phase->observe;
        traits[p].load = traits[p - 1].load + (waits && traits[p - 1].load + 1 < PEN_LOAD_PHASES);
    }
}

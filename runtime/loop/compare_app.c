/* compare_app.c - compares the applications of all ranks. */
#include "loop/compare_app.h"
#include "base/memory_stream.h"
#include "checkpoint/state.h"

#include <stdlib.h>

static void print_name(const pen_app *app, FILE *out) { fputs(app->name, out); }

static void print_fields(const pen_app *app, FILE *out)
{
    for (const pen_field *f = app->fields.list; f < app->fields.list + app->fields.count; f++)
        fprintf(out, "%s of %zu bytes%s%s; ", f->name, f->size, f->plain ? ", plain" : "",
                f->transient ? ", transient" : "");
}

static void print_edge_fields(const pen_app *app, FILE *out)
{
    for (int e = 0; e < app->edge_fields.count; e++)
        fprintf(out, "%s of %zu bytes; ", app->edge_fields.list[e].name, app->edge_fields.list[e].size);
}

/* Print the phases. A set is printed as the number of its bits. */
static void print_phases(const pen_app *app, FILE *out)
{
    for (const pen_phase *p = app->phases.list; p < app->phases.list + app->phases.count; p++)
        fprintf(out,
                "%s: %s%s%s%s%s.reads %" PRIx64 ", .writes %" PRIx64 ", .far_reads %" PRIx64 ", .observes %" PRIx64
                ", .edge_writes %" PRIx64 ", .updates %" PRIx64 ", .sends %" PRIx64 ", .receives %" PRIx64 "; ",
                p->name, p->node ? ".node, " : "", p->sweep ? ".sweep, " : "", p->modify ? ".modify, " : "",
                p->cost ? ".cost, " : "", p->always ? ".always, " : "", p->reads.bits, p->writes.bits,
                p->far_reads.bits, p->observes.bits, p->edge_writes.bits, p->updates.bits, p->sends.bits,
                p->receives.bits);
}

static void print_mails(const pen_app *app, FILE *out)
{
    for (const pen_mail *m = app->mails.list; m < app->mails.list + app->mails.count; m++)
        fprintf(out, "%s of %zu bytes%s; ", m->name, m->size, m->drop ? ", .drop" : "");
}

static void print_observables(const pen_app *app, FILE *out)
{
    for (const pen_observable *o = app->observables.list; o < app->observables.list + app->observables.count; o++)
        fprintf(out, "%s: kind %d, %d components; ", o->name, (int)o->kind, o->components);
}

static void print_members(const pen_member *members, int count, FILE *out)
{
    for (const pen_member *m = members; m < members + count; m++)
        fprintf(out, "%s: field %d, type %d, offset %zu, %d components; ", m->name, m->field, (int)m->type, m->offset,
                m->components);
}

static void print_globals(const pen_app *app, FILE *out)
{
    const pen_globals *g = app->globals;
    if (!g) return;
    fprintf(out, "%zu bytes, time %s; ", g->size, g->time ? g->time : "none");
    print_members(g->members.list, g->members.count, out);
}

static void print_inputs(const pen_app *app, FILE *out)
{
    for (const pen_input_column *c = app->inputs.list; c < app->inputs.list + app->inputs.count; c++)
        fprintf(out, "%s%s%s%s%s, otherwise %s; ", c->name, c->of_edges ? ", .of_edges" : "",
                c->each_direction ? ", .each_direction" : "", c->nan ? ", .nan" : "",
                c->permanent ? ", .permanent" : "", c->otherwise ? c->otherwise : "none");
}

static void print_output(const pen_app *app, FILE *out)
{
    fprintf(out, "shape %d; ", (int)app->output.shape);
    print_members(app->output.members.list, app->output.members.count, out);
}

static void print_functions(const pen_app *app, FILE *out)
{
    const struct {
        const char *name;
        bool there;
    } functions[] = { { "setup", app->setup },
                      { "init_edges", app->init_edges },
                      { "observe", app->observables.observe },
                      { "print", app->output.print },
                      { "check", app->check },
                      { "globals.update", app->globals && app->globals->update },
                      { "graph.rows", app->graph.rows },
                      { "graph.saved_rows", app->graph.saved_rows },
                      { "end.done", app->end.done },
                      { "end.quiet", app->end.quiet },
                      { "output.write", app->output.write },
                      { "output.mesh", app->output.mesh },
                      { "output.sides", app->output.sides },
                      { "checkpoint.save", app->checkpoint.save },
                      { "checkpoint.valid", app->checkpoint.valid } };
    for (int i = 0; i < PEN_COUNT_OF(functions); i++)
        if (functions[i].there) fprintf(out, ".%s ", functions[i].name);
}

static pen_status describe(const pen_app *app, void (*print)(const pen_app *app, FILE *out), char **text)
{
    size_t size = 0;
    FILE *out = pen_memory_stream(text, &size);
    if (out) print(app, out);
    return out && fclose(out) == 0 ? PEN_OK : pen_fail(PEN_ERR_MEMORY, "out of memory for a description");
}

pen_status pen_app_agree(pen_comm *comm, const pen_app *app)
{
    static const struct {
        const char *name;
        void (*print)(const pen_app *app, FILE *out);
    } parts[] = { { "the application's name", print_name },
                  { "the application's output", print_output }, /* before the fields, which members make plain */
                  { "the application's fields", print_fields },
                  { "the application's edge fields", print_edge_fields },
                  { "the application's phases", print_phases },
                  { "the application's kinds of mail", print_mails },
                  { "the application's observables", print_observables },
                  { "the application's globals", print_globals },
                  { "the application's input columns", print_inputs },
                  { "the application's functions", print_functions } };
    enum { PARTS = sizeof parts / sizeof *parts };
    char *texts[PARTS + 1] = { NULL };
    pen_argument arguments[PARTS + 1] = { [PARTS] = { "the application's options", NULL, 0 } };
    pen_status status = PEN_OK;
    for (int i = 0; i < PARTS && status == PEN_OK; i++) status = describe(app, parts[i].print, &texts[i]);
    if (status == PEN_OK) status = pen_checkpoint_settings(app, NULL, &texts[PARTS]);
    for (int i = 0; i <= PARTS; i++) {
        if (i < PARTS) arguments[i].name = parts[i].name;
        arguments[i].text = texts[i];
    }
    status = pen_agree_equal(comm, status, arguments, PARTS + 1);
    for (int i = 0; i <= PARTS; i++) free(texts[i]);
    return status;
}

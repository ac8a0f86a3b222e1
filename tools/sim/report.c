/* report.c - prints tables of results. */
#include "tools/sim/report.h"
#include "base/csv.h"
#include "base/memory_stream.h"
#include "tools/common/command.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

/* ---- Tables ------------------------------------------------------------------------------------ */

static sim_cell *add_cell(sim_table *t)
{
    if (t->status == PEN_OK) t->status = pen_reserve(&t->cells, sizeof *t->cells, t->count + 1, &t->room);
    if (t->status != PEN_OK) return NULL;
    t->cells[t->count].number = false;
    return &t->cells[t->count++];
}

void pen_sim_table_begin(sim_table *t, const char *title, const char *columns)
{
    char name[SIM_CELL];
    *t = (sim_table){ .title = title };
    for (const char *at = *columns ? columns : NULL; at;) {
        at = pen_text_cut(at, ',', name, sizeof name);
        pen_sim_table_column(t, "%s", name);
    }
}

void pen_sim_table_text(sim_table *t, const char *format, ...)
{
    va_list arguments;
    sim_cell *c = add_cell(t);
    va_start(arguments, format);
    if (c) vsnprintf(c->text, sizeof c->text, format, arguments);
    va_end(arguments);
}

void pen_sim_table_number(sim_table *t, int decimals, double value)
{
    sim_cell *c = add_cell(t);
    if (!c) return;
    c->number = true;
    if (isfinite(value)) snprintf(c->text, sizeof c->text, "%.*f", decimals, value);
    else c->text[0] = '\0';
}

pen_status pen_sim_table_choose(sim_table *t, const int *columns, int count)
{
    const int64_t rows = t->count / t->columns;
    sim_cell *cells;
    PEN_TRY(PEN_ALLOC(&cells, rows * count));
    for (int64_t row = 0; row < rows; row++)
        for (int k = 0; k < count; k++) cells[row * count + k] = t->cells[row * t->columns + columns[k]];
    free(t->cells);
    t->cells = cells;
    t->columns = count;
    t->count = t->room = rows * count;
    return PEN_OK;
}

/* ---- Output as text, CSV, JSON and LaTeX ------------------------------------------------------- */

static void print_text(const sim_table *t, FILE *out)
{
    fprintf(out, "%s\n", t->title);
    for (int64_t i = 0; i < t->count; i++) {
        int column = (int)(i % t->columns), width = 0;
        bool number = true, last = column == t->columns - 1;
        for (int64_t k = column; k < t->count; k += t->columns) {
            width = (int)strlen(t->cells[k].text) > width ? (int)strlen(t->cells[k].text) : width;
            number = number && (k < t->columns || t->cells[k].number);
        }
        if (!number) width = last ? 0 : -width;
        fprintf(out, "%*s%s", width, t->cells[i].text, last ? "\n" : "  ");
    }
    fputc('\n', out);
}

/* Print one line per row; the first column is the table's title. */
static void print_csv(const sim_table *t, FILE *out)
{
    for (int64_t i = 0; i < t->count; i++) {
        bool first = i % t->columns == 0;
        if (first && i == 0) fputs("table", out);
        else if (first) pen_csv_print(t->title, out);
        fputc(',', out);
        pen_csv_print(t->cells[i].text, out);
        if (i % t->columns == t->columns - 1) fputc('\n', out);
    }
}

static void print_json(const sim_table *t, json *j)
{
    pen_json_begin(j, NULL, '{');
    pen_json_member_text(j, "title", t->title);
    pen_json_begin(j, "rows", '[');
    for (int64_t i = t->columns; i < t->count; i++) {
        const sim_cell *c = &t->cells[i];
        const char *key = t->cells[i % t->columns].text;
        if (i % t->columns == 0) pen_json_begin(j, NULL, '{');
        if (c->number) pen_json_member_real(j, key, c->text[0] ? strtod(c->text, NULL) : NAN);
        else pen_json_member_text(j, key, c->text);
        if (i % t->columns == t->columns - 1) pen_json_end(j, '}');
    }
    pen_json_end(j, ']');
    pen_json_end(j, '}');
}

static void print_escaped(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (*text == '\\') {
            fputs("\\textbackslash{}", out);
        } else {
            const bool accent = *text == '^' || *text == '~';
            if (accent || strchr("&%$#_{}", *text)) fputc('\\', out);
            fputc(*text, out);
            if (accent) fputs("{}", out);
        }
    }
}

static void print_latex(const sim_table *t, FILE *out)
{
    fputs("\\begin{table}\n\\caption{", out);
    print_escaped(t->title, out);
    fputs("}\n\\begin{tabular}{", out);
    for (int k = 0; k < t->columns; k++)
        fputc(t->count > t->columns && t->cells[t->columns + k].number ? 'r' : 'l', out);
    fputs("}\n", out);
    for (int64_t i = 0; i < t->count; i++) {
        print_escaped(t->cells[i].text, out);
        fputs(i % t->columns == t->columns - 1 ? " \\\\\n" : " & ", out);
        if (i == t->columns - 1) fputs("\\hline\n", out);
    }
    fputs("\\end{tabular}\n\\end{table}\n\n", out);
}

/* ---- Reports ----------------------------------------------------------------------------------- */

pen_status pen_sim_report_begin(sim_report *r, const char *format, const char *path)
{
    static const char *const names[] = { "text", "csv", "json", "latex" };
    int k;
    PEN_TRY(pen_choose("format", format, names, PEN_COUNT_OF(names), &k));
    PEN_TRY(pen_writer_try(&path, 1));
    *r = (sim_report){ .format = (sim_format)k, .path = path, .out = stdout };
    if (path) r->out = pen_memory_stream(&r->text, &r->size);
    if (!r->out) return pen_fail(PEN_ERR_MEMORY, "out of memory for %s", path);
    r->json.out = r->out;
    if (r->format == SIM_JSON) {
        pen_json_begin(&r->json, NULL, '{');
        pen_json_member_text(&r->json, "schema", "penumbra-sim/1");
        pen_json_begin(&r->json, "tables", '[');
    }
    return PEN_OK;
}

pen_status pen_sim_report_table(sim_report *r, sim_table *t, pen_status status)
{
    if (status == PEN_OK) status = t->status;
    if (status == PEN_OK && r->format == SIM_TEXT) print_text(t, r->out);
    if (status == PEN_OK && r->format == SIM_CSV) {
        if (r->tables > 0) fputc('\n', r->out);
        print_csv(t, r->out);
    }
    if (status == PEN_OK && r->format == SIM_JSON) print_json(t, &r->json);
    if (status == PEN_OK && r->format == SIM_LATEX) print_latex(t, r->out);
    if (r->out == stdout) fflush(stdout);
    r->tables++;
    free(t->cells);
    *t = (sim_table){ .title = NULL };
    return status;
}

pen_status pen_sim_report_end(sim_report *r, pen_status status)
{
    writer out;
    if (r->format == SIM_JSON) {
        pen_json_end(&r->json, ']');
        pen_json_end(&r->json, '}');
    }
    if (!r->path) return status == PEN_OK ? pen_stdout_flush() : status;
    if (fclose(r->out) != 0 && status == PEN_OK) status = pen_fail(PEN_ERR_MEMORY, "out of memory for %s", r->path);
    if (status == PEN_OK) {
        status = pen_writer_open(r->path, &out);
        if (status == PEN_OK) {
            pen_writer_bytes(&out, r->text, (int64_t)r->size);
            status = pen_writer_close(&out, PEN_OK);
        }
    }
    free(r->text);
    return status;
}

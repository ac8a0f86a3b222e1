#include "tools/plot/report.h"
#include "base/memory_stream.h"
#include "tools/common/writer.h"
#include "tools/plot/figures.h"

#include <stdlib.h>

enum { WIDTH = 140 }; /* mm, of the pictures */

typedef struct page {
    FILE *out;
    const run_set *set;
    int pictures;
} page;

/* ---- Pieces of HTML ------------------------------------------------------------------------- */

static void text(page *p, const char *words)
{
    for (; *words; words++) {
        if (*words == '<') fputs("&lt;", p->out);
        else if (*words == '>') fputs("&gt;", p->out);
        else if (*words == '&') fputs("&amp;", p->out);
        else fputc(*words, p->out);
    }
}

/* `columns` has a word for each between bars. */
static void table_begin(page *p, const char *name, const char *columns)
{
    fprintf(p->out, "<table class=\"%s\">\n<thead><tr><th>", name);
    for (; *columns; columns++) {
        if (*columns == '|') fputs("</th><th>", p->out);
        else fputc(*columns, p->out);
    }
    fputs("</th></tr></thead>\n<tbody>\n", p->out);
}

static void table_end(page *p) { fputs("</tbody>\n</table>\n", p->out); }

static void cell_text(page *p, const char *words)
{
    fputs("<td class=\"text\">", p->out);
    text(p, words);
    fputs("</td>", p->out);
}

/* Cells with a number, in what fprintf writes. */
#define INT "<td>%" PRId64 "</td>"
#define REAL "<td>%.6g</td>"

/* Columns of what cells_seconds writes. */
#define SECONDS \
    "initialisation|computation|computation overhead|communication|communication overhead|load balancing|total"

static void cells_seconds(page *p, const run_seconds *seconds)
{
    for (int c = 0; c < CATEGORIES; c++) fprintf(p->out, REAL, seconds->of[c]);
    fprintf(p->out, REAL, seconds->total);
}

/* gnuplot's names, which are the same in every picture, become this picture's. */
static void inline_svg(page *p, const char *svg)
{
    static const char *const before[] = { "id='", "id=\"", "href='#", "url(#" };
    const char *c = strstr(svg, "<svg");
    while (c && *c) {
        const char *found = NULL;
        for (int k = 0; k < PEN_COUNT_OF(before) && !found; k++)
            if (strncmp(c, before[k], strlen(before[k])) == 0) found = before[k];
        if (found) {
            fprintf(p->out, "%sp%d-", found, p->pictures);
            c += strlen(found);
        } else {
            fputc(*c++, p->out);
        }
    }
    p->pictures++;
}

/* Why there is no picture. */
static void refusal(page *p, const char *what)
{
    fputs(what, p->out);
    text(p, pen_error_message());
    fputs(".</p>\n", p->out);
}

/* ---- Sections ------------------------------------------------------------------------------- */

static pen_status picture(page *p, const figure *f, const run_set *set)
{
    char *svg = NULL;
    size_t size;
    PEN_TRY(pen_figure_draw(f, set, WIDTH, true, &svg, &size));
    pen_status status = PEN_REALLOC(&svg, (int64_t)size + 1);
    if (status == PEN_OK) {
        svg[size] = '\0';
        fprintf(p->out, "<figure class=\"%s\">\n", f->name);
        inline_svg(p, svg);
        fputs("</figure>\n", p->out);
    }
    free(svg);
    return status;
}

static void runs_table(page *p)
{
    fputs("<h2>Runs</h2>\n", p->out);
    table_begin(p, "runs",
                "file|application|nodes|edges|steps|ranks|transport|partitioner|balancer|cut|imbalance at the "
                "start|efficiency of declared work|seconds in all|of all steps");
    for (int i = 0; i < p->set->count; i++) {
        const run *r = &p->set->runs[i];
        fputs("<tr>", p->out);
        cell_text(p, r->path);
        cell_text(p, r->app);
        fprintf(p->out, INT INT INT INT, r->nodes, r->edges, r->steps, r->ranks);
        cell_text(p, r->comm);
        cell_text(p, r->partitioner);
        cell_text(p, r->balancer);
        fprintf(p->out, INT REAL, r->cut, r->imbalance);
        if (r->efficiency >= 0.0) fprintf(p->out, REAL, r->efficiency);
        else cell_text(p, "unknown");
        fprintf(p->out, REAL REAL "</tr>\n", r->most.total, r->most.loop);
    }
    table_end(p);
}

static void speedup_table(page *p, const speedup *points, int count)
{
    table_begin(p, "speedup", "series|ranks|runs|seconds of all steps|compared with|speed-up|efficiency");
    for (int i = 0; i < count; i++) {
        const speedup *s = &points[i];
        fputs("<tr>", p->out);
        cell_text(p, s->first->series);
        fprintf(p->out, INT "<td>%d</td>" REAL "<td>%" PRId64 " rank%s</td>" REAL REAL "</tr>\n", s->first->ranks,
                s->repetitions, s->seconds, s->base_ranks, s->base_ranks == 1 ? "" : "s", s->factor,
                s->factor / (double)s->first->ranks);
    }
    table_end(p);
}

static pen_status speedup_section(page *p)
{
    speedup *points = NULL;
    int count;
    pen_status status = pen_runs_speedups(p->set, &points, &count);
    fputs("<h2>Speed-up</h2>\n", p->out);
    if (status == PEN_OK) {
        fputs("<p>Time of all steps on the fewest ranks, times these, over the time on so many ranks; the median where "
              "a run was repeated.</p>\n",
              p->out);
        status = picture(p, &pen_figure_speedup, p->set);
        speedup_table(p, points, count);
    } else if (status == PEN_ERR_INPUT) {
        refusal(p, "<p>None: ");
        status = PEN_OK;
    }
    free(points);
    return status;
}

static pen_status categories_section(page *p)
{
    fputs("<h2>Where the time goes</h2>\n<p>In the picture: means over the ranks, in seconds, which add up; waiting "
          "for a rank with more to do counts as communication.</p>\n",
          p->out);
    if (p->set->count > 1) PEN_TRY(picture(p, &pen_figure_categories, p->set));
    table_begin(p, "categories", "run||" SECONDS);
    for (int i = 0; i < p->set->count; i++) {
        const run *r = &p->set->runs[i];
        for (int most = 0; most < 2; most++) {
            fputs("<tr>", p->out);
            cell_text(p, r->label);
            cell_text(p, most ? "maximum over ranks" : "mean over ranks");
            cells_seconds(p, most ? &r->most : &r->mean);
            fputs("</tr>\n", p->out);
        }
    }
    table_end(p);
    return PEN_OK;
}

static void ranks_table(page *p, const run *r)
{
    fputs("<details><summary>Seconds of every rank</summary>\n", p->out);
    table_begin(p, "ranks", "rank|nodes at the end|" SECONDS);
    for (int64_t i = 0; i < r->ranks; i++) {
        fprintf(p->out, "<tr>" INT INT, i, r->per_rank[i].owned);
        cells_seconds(p, &r->per_rank[i].seconds);
        fputs("</tr>\n", p->out);
    }
    table_end(p);
    fputs("</details>\n", p->out);
}

static void calls_table(page *p, const run *r)
{
    if (r->call_count == 0) return;
    fprintf(p->out, "<details><summary>Balance calls: %" PRId64 "</summary>\n", r->call_count);
    table_begin(p, "calls",
                r->has_machine
                    ? "step|applied|imbalance|after|cut|after|moved nodes|moved bytes|seconds|dilation|after|"
                      "estimated step|after"
                    : "step|applied|imbalance|after|cut|after|moved nodes|moved bytes|seconds");
    for (int64_t i = 0; i < r->call_count; i++) {
        const run_call *c = &r->calls[i];
        fprintf(p->out, "<tr>" INT, c->step);
        cell_text(p, c->applied ? "yes" : "no");
        fprintf(p->out, REAL REAL INT INT INT INT REAL, c->imbalance_before, c->imbalance_after, c->cut_before,
                c->cut_after, c->moved_nodes, c->moved_bytes, c->seconds);
        if (r->has_machine)
            fprintf(p->out, REAL REAL REAL REAL, c->dilation_before, c->dilation_after, c->step_time_before,
                    c->step_time_after);
        fputs("</tr>\n", p->out);
    }
    table_end(p);
    fputs("</details>\n", p->out);
}

static void loads_table(page *p, const run *r)
{
    fprintf(p->out,
            "<details><summary>Load of every rank over the steps, in %s per step</summary>\n"
            "<table class=\"loads\">\n<thead><tr><th>from step</th><th>imbalance</th>",
            r->declared ? "units" : "seconds");
    for (int64_t i = 0; i < r->ranks; i++) fprintf(p->out, "<th>rank %" PRId64 "</th>", i);
    fputs("</tr></thead>\n<tbody>\n", p->out);
    for (int64_t s = 0; s < r->samples; s++) {
        fprintf(p->out, "<tr>" INT REAL, s * r->stride, pen_sample_imbalance(r, s));
        for (int64_t i = 0; i < r->ranks; i++) fprintf(p->out, REAL, r->loads[i * r->samples + s]);
        fputs("</tr>\n", p->out);
    }
    table_end(p);
    fputs("</details>\n", p->out);
}

static pen_status run_section(page *p, run *r)
{
    const run_set alone = { .runs = r, .count = 1 };
    fputs("<section class=\"run\">\n<h2>", p->out);
    text(p, r->label);
    fputs("</h2>\n<p>", p->out);
    text(p, r->path);
    fprintf(p->out, ": %" PRId64 " rank%s</p>\n<h3>Where the time of each rank goes</h3>\n", r->ranks,
            r->ranks == 1 ? "" : "s");
    PEN_TRY(picture(p, &pen_figure_categories, &alone));
    ranks_table(p, r);
    pen_status status = pen_runs_need_history(&alone);
    if (status == PEN_ERR_INPUT) {
        refusal(p, "<p>No pictures of loads: ");
    } else {
        fputs("<h3>Imbalance, and nodes that moved</h3>\n", p->out);
        PEN_TRY(picture(p, &pen_figure_balance, &alone));
        calls_table(p, r);
        fputs("<h3>Load of each rank</h3>\n", p->out);
        PEN_TRY(picture(p, &pen_figure_loads, &alone));
        loads_table(p, r);
    }
    fputs("</section>\n", p->out);
    return PEN_OK;
}

static pen_status write_page(page *p)
{
    fputs("<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta "
          "charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
          "<title>Penumbra: a report of runs</title>\n<style>\n"
          "body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff;\n"
          "       max-width: 70em; margin: 2em auto; padding: 0 1em; }\n"
          "h1, h2, h3 { line-height: 1.2; font-weight: 600; }\n"
          "h2 { margin-top: 2.5em; border-bottom: 1px solid #ccc; } h3 { margin-top: 2em; }\n"
          "figure { margin: 1em 0; } figure svg { width: 100%; max-width: 46em; height: auto; }\n"
          "table { border-collapse: collapse; font-size: 13px; display: block; overflow-x: auto;\n"
          "        font-variant-numeric: tabular-nums; }\n"
          "th, td { padding: 0.2em 0.7em; text-align: right; border-bottom: 1px solid #e4e4e4; }\n"
          "th { font-weight: 600; vertical-align: bottom; }\n"
          ".text { text-align: left; } summary { cursor: pointer; margin: 0.5em 0; }\n"
          "@media print { details > * { display: block; } figure, tr { break-inside: avoid; } }\n"
          "</style>\n</head>\n<body>\n<h1>Penumbra: a report of runs</h1>\n",
          p->out);
    runs_table(p);
    PEN_TRY(speedup_section(p));
    PEN_TRY(categories_section(p));
    for (int i = 0; i < p->set->count; i++) PEN_TRY(run_section(p, &p->set->runs[i]));
    fputs("</body>\n</html>\n", p->out);
    return PEN_OK;
}

pen_status pen_page_write(const run_set *set, const char *path)
{
    char *bytes = NULL;
    size_t size = 0;
    writer out;
    PEN_TRY(pen_writer_open(path, &out));
    page p = { .set = set, .out = pen_memory_stream(&bytes, &size) };
    pen_status status = p.out ? write_page(&p) : pen_fail(PEN_ERR_MEMORY, "out of memory for the report");
    if (p.out && fclose(p.out) != 0 && status == PEN_OK)
        status = pen_fail(PEN_ERR_MEMORY, "out of memory for the report");
    if (status == PEN_OK) pen_writer_bytes(&out, bytes, (int64_t)size);
    free(bytes);
    return pen_writer_close(&out, status);
}

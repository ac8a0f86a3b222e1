#include "tools/plot/figures.h"
#include "base/memory_stream.h"
#include "tools/common/gnuplot.h"
#include "tools/common/palette.h"
#include "tools/plot/observed.h"

#include <math.h>
#include <stdlib.h>

/* ---- What they have in common --------------------------------------------------------------- */

static const char *const dashes[] = { "1", "(9,4)", "(9,3,2,3)", "(4,2)", "(14,3,4,3)" };
enum { POINTS = 5, DASHES = 5 };
static const int filled_points[POINTS] = { 7, 5, 9, 11, 13 }; /* and one less is the open one */

/* Line `i` of several: 40 of them look different. */
static void print_line(FILE *script, int i)
{
    fprintf(script, "lc rgb '#%06" PRIx32 "' dt %s lw 1.5", pen_line_colour(i), dashes[i % DASHES]);
}

static void print_axes(FILE *script)
{
    fputs("set border 3 lw 0.75\nset tics out nomirror scale 0.6\nset grid ytics lt 1 lc rgb '#d9d9d9' lw 0.5\nset "
          "format '%g'\n"
          "set key noautotitle samplen 2 Left reverse\n",
          script);
}

/* Where the frame of a plot lies in a picture of width x height, all in mm. */
static void print_frame(FILE *script, double width, double height, double left, double right, double bottom, double top)
{
    fprintf(script,
            "set lmargin at screen %.6f\nset rmargin at screen %.6f\n"
            "set bmargin at screen %.6f\nset tmargin at screen %.6f\n",
            left / width, right / width, bottom / height, top / height);
}

/* What the axes of the next plot mean, `below` mm above the picture's lower edge and at its left edge. gnuplot's own
 * labels keep another distance in every kind of picture. */
static void print_axis_names(FILE *script, double width, double height, double below, const char *x, const char *y)
{
    fprintf(script,
            "set label 1 '%s' at graph 0.5, screen %.6f center\n"
            "set label 2 '%s' at screen %.6f, graph 0.5 center rotate\n",
            x, below / height, y, 2.5 / width);
}

/* No halves of steps or ranks. */
static void print_whole_tics(FILE *script, char axis, double extent)
{
    if (extent <= 6.0) fprintf(script, "set %ctics 1\n", axis);
}

enum { LINE = 4, LEFT = 17, BELOW = 10 }; /* mm that a line of text takes, and what is written beside an axis */

static double larger(double a, double b) { return a > b ? a : b; }

/* ---- Speed-up ------------------------------------------------------------------------------- */

static bool starts_series(const speedup *points, int i)
{
    return i == 0 || !pen_runs_same_series(points[i].first, points[i - 1].first);
}

static void print_speedup_ranges(FILE *script, const speedup *points, int count)
{
    double least = (double)points[0].base_ranks, most = 0.0, lowest = points[0].factor, highest = 0.0;
    for (int i = 0; i < count; i++) {
        const speedup *p = &points[i];
        least = (double)p->base_ranks < least ? (double)p->base_ranks : least;
        lowest = p->factor < lowest ? p->factor : lowest;
        most = larger((double)p->first->ranks, most);
        highest = larger(p->factor, highest);
    }
    lowest = lowest < least ? lowest : least;
    highest = larger(most, highest);
    if (most >= 8.0 * least)
        fprintf(script, "set logscale xy 2\nset xrange [%.17g:%.17g]\nset yrange [%.17g:%.17g]\n", least / 1.15,
                most * 1.15, lowest / 1.15, highest * 1.15);
    else fprintf(script, "set xrange [0:%.17g]\nset yrange [0:%.17g]\n", most * 1.05, highest * 1.05);
    print_whole_tics(script, 'x', most);
    fprintf(script, "$ideal << END\n%.17g %.17g\n%.17g %.17g\nEND\n", least, least, most, most);
}

static void print_speedups(FILE *script, const speedup *points, int count, double width, double *height)
{
    int series = 0;
    for (int i = 0; i < count; i++) {
        if (starts_series(points, i)) fprintf(script, "%s$series%d << END\n", series ? "END\n" : "", series);
        series += starts_series(points, i);
        fprintf(script, "%" PRId64 " %.17g\n", points[i].first->ranks, points[i].factor);
    }
    fputs("END\n", script);
    *height = 0.72 * width + LINE * (series + 1);
    print_axes(script);
    print_frame(script, width, *height, LEFT, width - 3.0, BELOW, *height - LINE * (series + 1) - 3.0);
    print_axis_names(script, width, *height, 2.0, "ranks", "speed-up of all steps");
    print_speedup_ranges(script, points, count);
    fprintf(script,
            "set grid xtics\nset key at screen %.6f,0.99 left top maxcols 1\n"
            "plot $ideal with lines lc rgb '#7f7f7f' dt (2,3) lw 1 title 'ideal'",
            1.0 / width);
    for (int i = 0, s = 0; i < count; i++) {
        if (!starts_series(points, i)) continue;
        fprintf(script, ", $series%d with linespoints ", s);
        print_line(script, s);
        fprintf(script, " pt %d ps 0.6 title ", filled_points[s % POINTS]);
        pen_gnuplot_text(script, points[i].first->series);
        s++;
    }
    fputc('\n', script);
}

static pen_status script_speedup(const run_set *set, double width, FILE *script, double *height)
{
    speedup *points = NULL;
    int count;
    pen_status status = pen_runs_speedups(set, &points, &count);
    if (status == PEN_OK) print_speedups(script, points, count, width, height);
    free(points);
    return status;
}

const figure pen_figure_speedup = { "speedup", script_speedup };

/* ---- Categories ----------------------------------------------------------------------------- */

/* What is overhead is a lighter shade of what it is overhead of. */
static const uint8_t category_colors[CATEGORIES] = { PEN_LIGHT_GREY, PEN_BLUE,   PEN_SKY,
                                                     PEN_VERMILION,  PEN_ORANGE, PEN_GREEN };

static void print_bar(FILE *script, double x, const run_seconds *seconds)
{
    double sum = 0.0;
    fprintf(script, "%.17g 0", x);
    for (int c = 0; c < CATEGORIES; c++) fprintf(script, " %.17g", sum += seconds->of[c]);
    fputc('\n', script);
}

static void print_bars(FILE *script, int64_t count)
{
    enum { MANY = 64 }; /* from where on gaps would only flicker */
    double half = count < MANY ? 0.38 : 0.5;
    fputs("plot ", script);
    for (int c = CATEGORIES - 1; c >= 0; c--) /* in the key as in the bars: the last one on top */
        fprintf(script,
                "%s$bars using 1:%d:($1-%g):($1+%g):%d:%d with boxxyerror fs solid 1 noborder lc rgb '#%06" PRIx32
                "' title '%s'",
                c < CATEGORIES - 1 ? ", " : "", c + 3, half, half, c + 2, c + 3, pen_palette[category_colors[c]],
                pen_category_names[c]);
    fputc('\n', script);
}

static void print_categories_frame(FILE *script, double width, double height, double below, const char *name)
{
    print_axes(script);
    print_frame(script, width, height, LEFT, width - 2.0, BELOW + below, height - 3 * LINE - 3.0);
    print_axis_names(script, width, height, 2.0, name, "seconds");
    fprintf(script, "set yrange [0:*]\nset key at screen %.6f,0.99 left top vertical maxrows 3 samplen 1 width -2\n",
            1.0 / width);
}

/* One run: a bar for each of its ranks. */
static void script_ranks(const run *r, double width, FILE *script, double *height)
{
    *height = 0.62 * width + 3 * LINE;
    print_categories_frame(script, width, *height, 0.0, "rank");
    fputs("$bars << END\n", script);
    for (int64_t i = 0; i < r->ranks; i++) print_bar(script, (double)i, &r->per_rank[i].seconds);
    fprintf(script, "END\nset xrange [-0.7:%.17g]\n", (double)r->ranks - 0.3);
    print_whole_tics(script, 'x', (double)r->ranks);
    print_bars(script, r->ranks);
}

/* Names of groups that do not fit side by side are written in rows below each other. */
static int name_rows(const run_set *set, double mm_per_bar)
{
    int rows = 1, groups = 0;
    for (int i = 0, end; i < set->count; i = end, groups++) {
        for (end = i; end < set->count && pen_runs_same_series(&set->runs[i], &set->runs[end]); end++) continue;
        int needed = 1 + (int)(1.6 * (double)strlen(set->runs[i].series) / (mm_per_bar * (end - i + 1)));
        rows = needed > rows ? needed : rows;
    }
    return rows < groups ? rows : groups;
}

/* Several runs: a bar for each, of the means over its ranks, in a group for each series. */
static void script_runs(const run_set *set, double width, FILE *script, double *height)
{
    enum { MOST_NAMES = 24 };
    int groups = 1;
    for (int i = 1; i < set->count; i++) groups += !pen_runs_same_series(&set->runs[i], &set->runs[i - 1]);
    int bars = set->count + groups - 1, rows = groups > 1 ? name_rows(set, (width - 15.0) / bars) : 0;
    int every = (set->count + MOST_NAMES - 1) / MOST_NAMES;
    *height = 0.62 * width + (3 + rows) * LINE;
    print_categories_frame(script, width, *height, rows * LINE, "ranks");
    fprintf(script, "set xrange [-0.7:%d.7]\nset xtics (", bars - 1);
    for (int i = 0, x = 0; i < set->count; i++, x++) {
        x += i > 0 && !pen_runs_same_series(&set->runs[i], &set->runs[i - 1]);
        if (i % every == 0) fprintf(script, "%s'%" PRId64 "' %d", i ? ", " : "", set->runs[i].ranks, x);
    }
    fputs(")\n", script);
    for (int i = 0, end, x = 0, group = 0; i < set->count && groups > 1; x += end - i + 1, i = end, group++) {
        for (end = i; end < set->count && pen_runs_same_series(&set->runs[i], &set->runs[end]); end++) continue;
        fputs("set label ", script);
        pen_gnuplot_text(script, set->runs[i].series);
        fprintf(script, " at first %.17g, screen %.6f center\n", x + 0.5 * (end - i - 1),
                (BELOW - 8.0 + LINE * (rows - group % rows)) / *height);
    }
    fputs("$bars << END\n", script);
    for (int i = 0, x = 0; i < set->count; i++, x++) {
        x += i > 0 && !pen_runs_same_series(&set->runs[i], &set->runs[i - 1]);
        print_bar(script, x, &set->runs[i].mean);
    }
    fputs("END\n", script);
    print_bars(script, bars);
}

static pen_status script_categories(const run_set *set, double width, FILE *script, double *height)
{
    if (set->count == 1) script_ranks(&set->runs[0], width, script, height);
    else script_runs(set, width, script, height);
    return PEN_OK;
}

const figure pen_figure_categories = { "categories", script_categories };

/* ---- Imbalance and moves -------------------------------------------------------------------- */

enum { KEPT, APPLIED };

static void print_imbalances(FILE *script, const run *r, int i)
{
    fprintf(script, "$imbalance%d << END\n", i);
    for (int64_t s = 0; s < r->samples; s++) {
        double imbalance = pen_sample_imbalance(r, s);
        fprintf(script, "%" PRId64 " %.17g\n%" PRId64 " %.17g\n", s * r->stride, imbalance, (s + 1) * r->stride,
                imbalance);
    }
    fputs("END\n", script);
}

/* Calls of which *any is set to true that there are any, in a block that is never empty, which gnuplot refuses. */
static void print_calls(FILE *script, const run *r, int i, bool applied, bool *any)
{
    fprintf(script, "$%s%d << END\n-1 0 0\n", applied ? "applied" : "kept", i);
    for (int64_t c = 0; c < r->call_count; c++) {
        const run_call *call = &r->calls[c];
        if (call->applied != applied) continue;
        fprintf(script, "%" PRId64 " %.17g %" PRId64 "\n", call->step, call->imbalance_before,
                applied ? call->moved_nodes : 0);
        *any = true;
    }
    fputs("END\n", script);
}

static void print_call_points(FILE *script, int count, const bool *any, int column)
{
    for (int i = 0; i < count; i++)
        for (int applied = KEPT; applied <= APPLIED; applied++)
            if (any[applied])
                fprintf(script, ", $%s%d using 1:%d with points lc rgb '#%06" PRIx32 "' lw 0.75 pt %d ps 0.45",
                        applied ? "applied" : "kept", i, column, pen_line_colour(i),
                        filled_points[i % POINTS] - !applied);
}

static pen_status script_balance(const run_set *set, double width, FILE *script, double *height)
{
    PEN_TRY(pen_runs_need_history(set));
    double steps = 1.0, highest = 1.1, most_moved = 1.0;
    bool any[2] = { false, false };
    for (int i = 0; i < set->count; i++) {
        const run *r = &set->runs[i];
        steps = larger(steps, (double)r->steps);
        for (int64_t s = 0; s < r->samples; s++) highest = larger(highest, pen_sample_imbalance(r, s));
        for (int64_t c = 0; c < r->call_count; c++) {
            highest = larger(highest, r->calls[c].imbalance_before);
            most_moved = larger(most_moved, (double)r->calls[c].moved_nodes);
        }
        print_imbalances(script, r, i);
        print_calls(script, r, i, false, &any[KEPT]);
        print_calls(script, r, i, true, &any[APPLIED]);
    }
    bool calls = any[KEPT] || any[APPLIED];
    double panel = 0.36 * width, below = BELOW + (calls ? panel + 4.0 : 0.0);
    double key = LINE * (set->count + any[KEPT] + any[APPLIED]) + 3.0;
    *height = below + panel + key;
    print_axes(script);
    fprintf(script,
            "set multiplot\nset xrange [0:%.17g]\nset yrange [1:%.17g]\n"
            "set key at screen %.6f,0.99 left top maxcols 1\n",
            steps, 1.0 + 1.08 * (highest - 1.0), 1.0 / width);
    print_whole_tics(script, 'x', steps);
    print_frame(script, width, *height, LEFT, width - 4.0, below, below + panel);
    print_axis_names(script, width, *height, 2.0, calls ? "" : "step", "imbalance");
    if (calls) fputs("set format x ''\n", script);
    for (int i = 0; i < set->count; i++) {
        fprintf(script, "%s$imbalance%d with lines ", i ? ", " : "plot ", i);
        print_line(script, i);
        fputs(" title ", script);
        pen_gnuplot_text(script, set->runs[i].label);
    }
    print_call_points(script, set->count, any, 2);
    if (any[APPLIED]) fputs(", NaN with points pt 7 ps 0.45 lc rgb 'black' title 'balance call, applied'", script);
    if (any[KEPT])
        fputs(", NaN with points pt 6 ps 0.45 lw 0.75 lc rgb 'black' title 'balance call, nothing moved'", script);
    fputc('\n', script);
    if (calls) {
        print_frame(script, width, *height, LEFT, width - 4.0, BELOW, BELOW + panel);
        print_axis_names(script, width, *height, 2.0, "step", "moved nodes");
        fprintf(script, "unset key\nset format x '%%g'\nset yrange [0:%.17g]\n", 1.08 * most_moved);
        for (int i = 0; i < set->count; i++)
            fprintf(script, "%s$applied%d using 1:3 with impulses lc rgb '#%06" PRIx32 "' lw 1", i ? ", " : "plot ", i,
                    pen_line_colour(i));
        print_call_points(script, set->count, any, 3);
        fputc('\n', script);
    }
    fputs("unset multiplot\n", script);
    return PEN_OK;
}

const figure pen_figure_balance = { "balance", script_balance };

/* ---- Observables ---------------------------------------------------------------------------- */

/* Where there is no number, the line is broken. */
static void print_curve(FILE *script, const curve *c, int i)
{
    fprintf(script, "$curve%d << END\n", i);
    for (int64_t m = 0; m < c->of->moments; m++) {
        if (isfinite(c->values[m]))
            fprintf(script, "%" PRId64 " %.17g\n", (m + 1) * c->of->observed_every, c->values[m]);
        else fputc('\n', script);
    }
    fputs("END\n", script);
}

static void print_curves(FILE *script, const curve *curves, int count, double low, double high)
{
    double steps = 1.0;
    for (int i = 0; i < count; i++) {
        steps = larger(steps, (double)(curves[i].of->moments * curves[i].of->observed_every));
        print_curve(script, &curves[i], i);
    }
    fprintf(script, "set xrange [0:%.17g]\nset yrange [%.17g:%.17g]\nset format y '%%.10g'\n", steps, low, high);
    print_whole_tics(script, 'x', steps);
    for (int i = 0; i < count; i++) {
        fprintf(script, "%s$curve%d with %s ", i ? ", " : "plot ", i,
                curves[i].of->moments > 1 ? "lines" : "linespoints pt 7 ps 0.5");
        print_line(script, i);
        fputs(" title ", script);
        pen_gnuplot_text(script, curves[i].title);
    }
    fputc('\n', script);
}

static pen_status script_observables(const run_set *set, double width, FILE *script, double *height)
{
    curve *curves = NULL;
    int count = 0;
    double low, high;
    pen_status status = pen_runs_curves(set, &curves, &count, &low, &high);
    if (status == PEN_OK) {
        const double key = LINE * count + 3.0, left = LEFT + 5.0; /* numbers have more digits here */
        *height = 0.62 * width + key;
        print_axes(script);
        print_frame(script, width, *height, left, width - 4.0, BELOW, *height - key);
        print_axis_names(script, width, *height, 2.0, "step", set->relative ? "change / first value" : "");
        fprintf(script, "set key at screen %.6f,0.99 left top maxcols 1\n", 1.0 / width);
        print_curves(script, curves, count, low, high);
    }
    pen_curves_free(curves, count);
    return status;
}

const figure pen_figure_observables = { "observables", script_observables };

/* ---- Loads ---------------------------------------------------------------------------------- */

/* In an SVG a cell is a rectangle, which stays sharp at any size, up to so many cells; more of them are an image, whose
 * points are small by themselves. In a PNG rectangles would have seams. */
enum { RECTANGLES = 32768 };

static void print_loads(FILE *script, const run *r)
{
    int tall = r->ranks == 1 ? 2 : 1, wide = r->samples == 1 ? 2 : 1; /* gnuplot wants two rows and columns at least */
    fputs("$loads << END\n", script);
    for (int64_t row = 0; row < r->ranks * tall; row++)
        for (int64_t column = 0; column < r->samples * wide; column++)
            fprintf(script, "%.6g%c", r->loads[row / tall * r->samples + column / wide],
                    column + 1 < r->samples * wide ? ' ' : '\n');
    fprintf(script, "END\nset xrange [0:%" PRId64 "]\nset yrange [-0.5:%" PRId64 ".5]\n", r->samples * r->stride,
            r->ranks - 1);
    print_whole_tics(script, 'x', (double)(r->samples * r->stride));
    print_whole_tics(script, 'y', (double)r->ranks);
    fprintf(script,
            "cells = GPVAL_TERM eq 'svg' && %d ? 'pixels' : ''\n"
            "plot $loads matrix using (($1+0.5)*%" PRId64 "/%d.0):(($2+0.5)/%d.0-0.5):3 with image @cells\n",
            r->ranks * r->samples <= RECTANGLES, r->stride, wide, tall);
}

static pen_status script_loads(const run_set *set, double width, FILE *script, double *height)
{
    PEN_TRY(pen_runs_need_history(set));
    double most = 0.0, panel = set->count == 1 ? 0.5 * width : 0.36 * width,
           each = panel + (set->count == 1 ? 3.0 : 10.0);
    for (int i = 0; i < set->count; i++) {
        const run *r = &set->runs[i];
        if (r->declared != set->runs[0].declared)
            return pen_fail(PEN_ERR_INPUT, "loads of %s are in %s, those of %s in %s: they have no scale in common",
                            set->runs[0].path, set->runs[0].declared ? "units" : "seconds", r->path,
                            r->declared ? "units" : "seconds");
        for (int64_t k = 0; k < r->ranks * r->samples; k++) most = larger(most, r->loads[k]);
    }
    *height = BELOW + each * set->count - (set->count == 1 ? 0.0 : 3.0);
    print_axes(script);
    fprintf(script,
            "set border 15\nunset grid\nset palette defined (0 '#440154', 1 '#482878', 2 '#3e4a89', 3 '#31688e', "
            "4 '#26828e', 5 '#1f9e89', 6 '#35b779', 7 '#6ece58', 8 '#b5de2b', 9 '#fde725')\n"
            "set cbrange [0:%.17g]\nset multiplot\n",
            most > 0.0 ? most : 1.0);
    for (int i = 0; i < set->count; i++) {
        double bottom = BELOW + each * (set->count - 1 - i);
        print_frame(script, width, *height, LEFT, width - 20.0, bottom, bottom + panel);
        print_axis_names(script, width, *height, 2.0, i == set->count - 1 ? "step" : "", "rank");
        fprintf(script, "set label 3 'load per step, %s' at screen %.6f, graph 0.5 center rotate\nset label 4 ",
                set->runs[i].declared ? "units" : "seconds", (width - 2.5) / width);
        pen_gnuplot_text(script, set->count > 1 ? set->runs[i].label : "");
        fprintf(script, " at graph 0, screen %.6f\n", (bottom + panel + 2.5) / *height);
        print_loads(script, &set->runs[i]);
    }
    fputs("unset multiplot\n", script);
    return PEN_OK;
}

const figure pen_figure_loads = { "loads", script_loads };

/* ---- Drawing -------------------------------------------------------------------------------- */

pen_status pen_figure_draw(const figure *f, const run_set *set, double width, bool svg, char **bytes, size_t *size)
{
    char *text = NULL;
    size_t length;
    double height = 0.0;
    *bytes = NULL;
    FILE *script = pen_memory_stream(&text, &length);
    if (!script) return pen_fail(PEN_ERR_MEMORY, "out of memory for a picture");
    pen_status status = f->script(set, width, script, &height);
    if (fclose(script) != 0 && status == PEN_OK) status = pen_fail(PEN_ERR_MEMORY, "out of memory for a picture");
    if (status == PEN_OK) status = pen_gnuplot_draw(text, width, height, svg, bytes, size);
    free(text);
    return status;
}

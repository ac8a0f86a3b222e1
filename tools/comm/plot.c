#include "tools/comm/plot.h"
#include "base/compress.h"
#include "base/memory_stream.h"
#include "base/output.h"
#include "tools/common/gnuplot.h"
#include "tools/common/palette.h"

#include <stdlib.h>

/* ---- The script -------------------------------------------------------------------------------- */

/* With the colours, marks tell the transports apart, also in grey. Lines are solid for one-sided, dashed for two-sided
 * transports, dotted for these at an eager limit of choice. */
enum { MARKS = 13, SOLID = 1, DASHED, DOTTED };

enum { HEIGHT = 86, WIDTH = 132, WIDE = 230 }; /* mm; the last one with both sweeps */

static void print_curves(FILE *out, const comm_table *table, comm_sweep sweep)
{
    comm_model models[COMM_MOST_MODELS];
    int count = pen_models(table, models);
    for (int m = 0; m < count; m++) {
        fprintf(out, "$d%d_%d << END\n", (int)sweep, m);
        for (int i = 0; i < table->count; i++) {
            const comm_row *row = &table->rows[i];
            if (row->sweep == sweep && pen_same_transport(row, models[m].of))
                fprintf(out, "%" PRId64 " %.6g\n", sweep == COMM_SWEEP_HALO ? row->halo_bytes : row->neighbors,
                        1e6 * row->median);
        }
        fputs("END\n", out);
    }
    fputs("plot ", out);
    for (int m = 0; m < count; m++) {
        const comm_row *of = models[m].of;
        int like = 0, dash = strcmp(of->eager, "default") == 0 ? DASHED : DOTTED;
        if (of->one_sided) dash = SOLID;
        while (strcmp(models[like].of->transport, of->transport) != 0) like++;
        char label[2 * COMM_NAME];
        fprintf(out, "%s$d%d_%d with linespoints lw 1.5 ps 0.8 pt %d dt %d lc rgb '#%06" PRIx32 "' title ",
                m ? ", " : "", (int)sweep, m, like % MARKS + 1, dash, pen_line_colour(like));
        pen_gnuplot_text(out, pen_transport_label(models[m].of, label));
    }
    fputc('\n', out);
}

static bool has_sweep(const comm_table *table, comm_sweep sweep)
{
    for (int i = 0; i < table->count; i++)
        if (table->rows[i].sweep == sweep && table->rows[i].halo_bytes > 0) return true;
    return false;
}

static void print_script(FILE *out, const comm_table *table, const char *title, bool halo, bool neighbors)
{
    fputs("set grid lc rgb '#dddddd'\nset border 3\nset tics nomirror\nset ylabel 'microseconds per step'\n"
          "set multiplot title ",
          out);
    pen_gnuplot_text(out, title);
    fprintf(out,
            " font (GPVAL_TERM eq 'svg' ? ',7.8' : ',5.8')\nset key at screen 0.99,0.9 right top\nset lmargin at "
            "screen %s\nset rmargin at screen %s\n"
            "set bmargin at screen 0.14\nset tmargin at screen 0.9\n",
            neighbors ? "0.08" : "0.13", neighbors ? "0.37" : "0.62");
    fputs("set logscale xy\nset xlabel 'pulled per rank and step'\nset xtics (", out);
    for (int64_t bytes = 4; bytes <= INT64_C(1) << 38; bytes *= 16) {
        char text[COMM_NAME];
        fprintf(out, "%s'%s' %" PRId64, bytes > 4 ? ", " : "", pen_bytes_text(bytes, text), bytes);
    }
    fputs(")\n", out);
    if (halo) print_curves(out, table, COMM_SWEEP_HALO);
    else
        fputs("set xrange [1:2]\nset yrange [1:10]\nplot 1 with lines lc rgb 'white' title 'nothing is pulled'\n", out);
    if (neighbors) {
        fputs("unset key\nunset logscale x\nset xrange [*:*]\nset yrange [*:*]\nset xtics autofreq 1\n"
              "set xlabel 'neighbours, each with the same bytes'\nset lmargin at screen 0.435\nset rmargin at screen "
              "0.75\n",
              out);
        print_curves(out, table, COMM_SWEEP_NEIGHBORS);
    }
    fputs("unset multiplot\n", out);
}

/* ---- Writing ----------------------------------------------------------------------------------- */

static pen_status draw(const comm_table *table, const char *title, bool svg, char **picture, size_t *size)
{
    char *script = NULL;
    size_t length = 0;
    bool neighbors = has_sweep(table, COMM_SWEEP_NEIGHBORS), halo = has_sweep(table, COMM_SWEEP_HALO);
    FILE *out = pen_memory_stream(&script, &length);
    if (out) print_script(out, table, title, halo, neighbors);
    pen_status status = out && fclose(out) == 0 ? PEN_OK : pen_fail(PEN_ERR_MEMORY, "out of memory for a picture");
    if (status == PEN_OK) status = pen_gnuplot_draw(script, neighbors ? WIDE : WIDTH, HEIGHT, svg, picture, size);
    free(script);
    return status;
}

pen_status pen_comparison_plot_check(pen_comm *comm, const char *path)
{
    pen_status status = PEN_OK;
    if (!pen_path_ends_in(path, ".svg") && !pen_path_ends_in(path, ".png"))
        return pen_fail(PEN_ERR_INPUT, "--plot=%s: the name ends in .svg or .png", path);
    if (comm->rank == 0) {
        char *picture = NULL;
        size_t size;
        status = pen_gnuplot_draw("plot [0:1] 0\n", WIDTH, HEIGHT, pen_path_ends_in(path, ".svg"), &picture, &size);
        free(picture);
    }
    PEN_TRY(pen_agree(comm, status));
    return pen_output_check(comm, path);
}

pen_status pen_comparison_plot(pen_comm *comm, const comm_table *table, const char *title, const char *path)
{
    char *picture = NULL;
    size_t size = 0;
    pen_status status = PEN_OK;
    if (comm->rank == 0) status = draw(table, title, pen_path_ends_in(path, ".svg"), &picture, &size);
    status = pen_output_text(comm, path, picture, size, status);
    free(picture);
    return status;
}

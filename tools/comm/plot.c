#include "tools/comm/plot.h"
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool ends_in(const char *path, const char *suffix)
{
    size_t length = strlen(path), end = strlen(suffix);
    return length > end && strcmp(path + length - end, suffix) == 0;
}

/* Local. Run gnuplot from one file to another (no shell: names may hold anything); its exit status, -1 where it could
 * not be started. */
static int gnuplot(int script, int picture)
{
    char name[] = "gnuplot", *arguments[] = { name, NULL };
    posix_spawn_file_actions_t files;
    pid_t child;
    int status;
    if (posix_spawn_file_actions_init(&files) != 0) return -1;
    bool started = posix_spawn_file_actions_adddup2(&files, script, 0) == 0 &&
                   posix_spawn_file_actions_adddup2(&files, picture, 1) == 0 &&
                   posix_spawnp(&child, name, &files, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&files);
    if (!started) return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- The script -------------------------------------------------------------------------------- */

/* Colours that colour-blind people can tell apart (Okabe and Ito); with them marks tell the transports apart, also in
 * grey. Lines are solid for one-sided, dashed for two-sided transports, dotted for these at an eager limit of choice.
 */
static const char *const colors[] = { "#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#000000", "#8C6D31" };
enum { COLORS = sizeof colors / sizeof colors[0], MARKS = 13, SOLID = 1, DASHED, DOTTED };

/* Text inside gnuplot's double quotes, without its markup. */
static void print_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (strchr("\"\\", *text)) fputc('\\', out);
        fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
    }
    fputc('"', out);
}

static bool in_sweep(const comm_row *row, const comm_row *of, comm_sweep sweep)
{
    return row->sweep == sweep && strcmp(row->transport, of->transport) == 0 && strcmp(row->eager, of->eager) == 0;
}

static void print_curves(FILE *out, const comm_table *table, comm_sweep sweep)
{
    comm_model models[COMM_MOST_MODELS];
    int count = pen_models(table, models);
    for (int m = 0; m < count; m++) {
        fprintf(out, "$d%d_%d << END\n", (int)sweep, m);
        for (int i = 0; i < table->count; i++) {
            const comm_row *row = &table->rows[i];
            if (in_sweep(row, models[m].of, sweep))
                fprintf(out, "%" PRId64 " %.6g\n", sweep == COMM_SWEEP_HALO ? row->halo_bytes : row->neighbors,
                        1e6 * row->median);
        }
        fputs("END\n", out);
    }
    fputs("plot ", out);
    for (int m = 0; m < count; m++) {
        const comm_row *of = models[m].of;
        int like = 0, dash = of->one_sided ? SOLID : strcmp(of->eager, "default") == 0 ? DASHED : DOTTED;
        while (strcmp(models[like].of->transport, of->transport) != 0) like++;
        char label[2 * COMM_NAME];
        fprintf(out, "%s$d%d_%d with linespoints lw 1.5 ps 0.8 pt %d dt %d lc rgb \"%s\" title ", m ? ", " : "",
                (int)sweep, m, like % MARKS + 1, dash, colors[like % COLORS]);
        print_text(out, pen_transport_label(models[m].of, label));
    }
    fputc('\n', out);
}

static bool has_sweep(const comm_table *table, comm_sweep sweep)
{
    for (int i = 0; i < table->count; i++)
        if (table->rows[i].sweep == sweep && table->rows[i].halo_bytes > 0) return true;
    return false;
}

static void print_script(FILE *out, const comm_table *table, const char *title, bool svg)
{
    bool neighbors = has_sweep(table, COMM_SWEEP_NEIGHBORS), halo = has_sweep(table, COMM_SWEEP_HALO);
    fprintf(out,
            svg ? "set terminal svg size %d,420 noenhanced font 'Helvetica,12' background 'white'\n"
                : "set terminal pngcairo size %d,840 noenhanced font 'Helvetica,12' fontscale 2 linewidth 2\n",
            (neighbors ? 1120 : 640) * (svg ? 1 : 2));
    fputs("set grid lc rgb '#dddddd'\nset border 3\nset tics nomirror\nset ylabel 'microseconds per step'\n"
          "set multiplot title ",
          out);
    print_text(out, title);
    fprintf(out,
            " font ',10'\nset key at screen 0.99,0.9 right top\nset lmargin at screen %s\nset rmargin at screen %s\n"
            "set bmargin at screen 0.14\nset tmargin at screen 0.9\n",
            neighbors ? "0.06" : "0.11", neighbors ? "0.37" : "0.62");
    fputs("set logscale xy\nset xlabel 'pulled per rank and step'\nset xtics (", out);
    for (int64_t bytes = 4; bytes <= INT64_C(1) << 38; bytes *= 16) {
        char text[COMM_NAME];
        fprintf(out, "%s'%s' %" PRId64, bytes > 4 ? ", " : "", pen_bytes_text(bytes, text), bytes);
    }
    fputs(")\n", out);
    if (halo)
        print_curves(out, table, COMM_SWEEP_HALO);
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

/* Local. The whole of a file from its start; the caller frees. */
static pen_status read_all(FILE *file, char **text, size_t *size)
{
    FILE *memory = open_memstream(text, size);
    if (!memory) return pen_fail(PEN_ERR_MEMORY, "out of memory for a picture");
    rewind(file);
    for (int c; (c = fgetc(file)) != EOF;) fputc(c, memory);
    bool failed = ferror(file);
    if (fclose(memory) != 0) return pen_fail(PEN_ERR_MEMORY, "out of memory for a picture");
    return failed ? pen_fail(PEN_ERR_IO, "cannot read what gnuplot drew: %s", strerror(errno)) : PEN_OK;
}

static pen_status draw(const comm_table *table, const char *title, bool svg, char **text, size_t *size)
{
    FILE *script = tmpfile(), *picture = tmpfile();
    pen_status status = script && picture ? PEN_OK : pen_fail(PEN_ERR_IO, "no temporary file: %s", strerror(errno));
    if (status == PEN_OK) {
        print_script(script, table, title, svg);
        if (fflush(script) != 0) status = pen_fail(PEN_ERR_IO, "cannot write a temporary file: %s", strerror(errno));
        rewind(script);
    }
    int exit = status == PEN_OK ? gnuplot(fileno(script), fileno(picture)) : 0;
    if (exit != 0) status = pen_fail(PEN_ERR_UNSUPPORTED, "--plot: gnuplot ended with status %d", exit);
    if (status == PEN_OK) status = read_all(picture, text, size);
    if (script) fclose(script);
    if (picture) fclose(picture);
    return status;
}

pen_status pen_comparison_plot_check(pen_comm *comm, const char *path)
{
    pen_status status = PEN_OK;
    if (!ends_in(path, ".svg") && !ends_in(path, ".png"))
        return pen_fail(PEN_ERR_INPUT, "--plot=%s: the name ends in .svg or .png", path);
    if (comm->rank == 0) {
        int nothing = open("/dev/null", O_RDWR);
        if (nothing < 0 || gnuplot(nothing, nothing) != 0)
            status = pen_fail(PEN_ERR_UNSUPPORTED, "--plot needs gnuplot: install it");
        if (nothing >= 0) close(nothing);
    }
    PEN_TRY(pen_agree(comm, status));
    return pen_output_check(comm, path);
}

pen_status pen_comparison_plot(pen_comm *comm, const comm_table *table, const char *title, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    pen_status status = comm->rank == 0 ? draw(table, title, ends_in(path, ".svg"), &text, &size) : PEN_OK;
    status = pen_output_text(comm, path, text, size, status);
    free(text);
    return status;
}

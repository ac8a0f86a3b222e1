/* main.c - pen-plot: pictures and a report of what metrics files say. */
#include "base/memory.h"
#include "tools/common/command.h"
#include "tools/common/writer.h"
#include "tools/plot/figures.h"
#include "tools/plot/report.h"

#include <stdlib.h>

enum { WIDTH = 85, WIDTH_MIN = 50, WIDTH_MAX = 500 }; /* mm; a column of a page of two */

static pen_status draw(const figure *f, const run_set *set, int64_t width, const char *path)
{
    char *bytes;
    size_t size;
    writer out;
    PEN_TRY(pen_writer_open(path, &out));
    pen_status status = pen_figure_draw(f, set, (double)width, pen_path_ends_in(path, ".svg"), &bytes, &size);
    if (status == PEN_OK) pen_writer_bytes(&out, bytes, (int64_t)size);
    free(bytes);
    return pen_writer_close(&out, status);
}

static pen_status run_any(int argc, char **argv, int *exit_status);

#define PICTURE "FILE... -o PICTURE"
#define DRAWN "the picture; its name ends in .svg or .png"

static const command speedup_command = { "speedup", PICTURE, "Draw how much faster more ranks are, and the ideal",
                                         DRAWN, run_any };
static const command categories = { "categories", PICTURE,
                                    "Draw where the time goes, by rank of one file, by run of several", DRAWN,
                                    run_any };
static const command balance = { "balance", PICTURE,
                                 "Draw imbalance and moved nodes over the steps, with balance calls", DRAWN, run_any };
static const command loads = { "loads", PICTURE, "Draw the load of every rank over the steps, as a map of heat", DRAWN,
                               run_any };
static const command observables = { "observables", PICTURE, "Draw what was observed over the steps: energy, say",
                                     DRAWN, run_any };
static const command report = { "report", "FILE... -o FILE.html",
                                "Write all but observables, with their numbers, on one page",
                                "the page; its name ends in .html", run_any };

static const command *const commands[] = { &speedup_command, &categories, &balance, &loads, &observables, &report };
static const figure *const figures[] = { &pen_figure_speedup, &pen_figure_categories,  &pen_figure_balance,
                                         &pen_figure_loads,   &pen_figure_observables, NULL };

static pen_status check_name(const figure *f, const char *command_name, const char *to)
{
    if (!to)
        return pen_fail(PEN_ERR_INPUT, "%s: no file to write is named: -o %s", command_name,
                        f ? "PICTURE.svg or -o PICTURE.png" : "FILE.html");
    if (f && !pen_path_ends_in(to, ".svg") && !pen_path_ends_in(to, ".png"))
        return pen_fail(PEN_ERR_INPUT, "%s: a picture's name ends in .svg or .png", to);
    if (!f && !pen_path_ends_in(to, ".html")) return pen_fail(PEN_ERR_INPUT, "%s: a report's name ends in .html", to);
    return PEN_OK;
}

static pen_status run_any(int argc, char **argv, int *exit_status)
{
    (void)exit_status;
    int which = 0;
    while (strcmp(commands[which]->name, argv[0]) != 0) which++;
    const figure *f = figures[which]; /* NULL: the report */
    int64_t width = WIDTH;
    const char *of = NULL;
    bool relative = false;
    const pen_option of_pictures[] = {
        { "width", "MM", "width of the picture in mm (85: one column of two)", PEN_OPTION_INT, &width, WIDTH_MIN,
          WIDTH_MAX },
        { f == &pen_figure_observables ? "of" : NULL, "NAME,...",
          "which, and sums of them, as kinetic,kinetic+potential", PEN_OPTION_TEXT, &of, 0, 0 },
        { "relative", NULL, "draw changes from the first value, which is after a step, by it", PEN_OPTION_FLAG,
          &relative, 0, 0 },
        { .name = NULL },
    };
    command_words line;
    PEN_TRY(pen_command_words(commands[which], argc, argv, f ? of_pictures : NULL, 1, argc, &line));
    if (line.help) return PEN_OK;
    PEN_TRY(check_name(f, argv[0], line.output));
    if (f == &pen_figure_observables && !of)
        return pen_fail(PEN_ERR_INPUT, "observables: nothing is named to be drawn: --of=NAME,...");
    run_set set;
    pen_status status = pen_runs_read(line.words, line.count, &set);
    set.of = of;
    set.relative = relative;
    if (status == PEN_OK) status = f ? draw(f, &set, width, line.output) : pen_page_write(&set, line.output);
    pen_runs_free(&set);
    return status;
}

static void print_rest(void)
{
    printf(
        "FILE is what an application's --metrics=FILE writes; PICTURE ends in .svg\n"
        "or .png. \"pen-plot --report=FILE.html FILE...\" is another spelling of report.\n\n"
        "A curve of speedup has one application, graph, number of steps, transport, partitioner and balancer; it is\n"
        "compared with its own run on the fewest ranks, or with any run of the same on one rank. Of runs that are\n"
        "repeated it shows the median. Bars of several files are means over the ranks.\n");
}

/* "--report=TO FILE..." becomes "report -o TO FILE...". */
static pen_status spell_report(int *argc, char ***argv)
{
    static const char spelling[] = "--report=";
    if (*argc < 2 || strncmp((*argv)[1], spelling, strlen(spelling)) != 0) return PEN_OK;
    static char name[] = "report", option[] = "-o";
    char **spelled;
    PEN_TRY(PEN_ALLOC(&spelled, *argc + 3));
    spelled[0] = (*argv)[0];
    spelled[1] = name;
    spelled[2] = option;
    spelled[3] = (*argv)[1] + strlen(spelling);
    for (int i = 2; i <= *argc; i++) spelled[i + 2] = (*argv)[i];
    *argc += 2;
    *argv = spelled;
    return PEN_OK;
}

int main(int argc, char **argv)
{
    static const program self = { "pen-plot", commands, PEN_COUNT_OF(commands), print_rest };
    char **words = argv;
    if (spell_report(&argc, &words) != PEN_OK) {
        fprintf(stderr, "%s: %s\n", self.name, pen_error_message());
        return 2;
    }
    int exit_status = pen_command_main(&self, argc, words);
    if (words != argv) free(words);
    return exit_status;
}

/* advice_test - the advice at the end of a run: which transport would have halved the time of pulls, if the user wants
 * to know, communication took most of the steps, and a trial takes little of them; after it the run is destroyed. And
 * the advice of the summary, if a rank waited for a processor.
 * pen_mpi_test(PROCESSES RANKS 1 2 3) */
#include "base/queued.h"
#include "driver/advice.h"
#include "run/state.h"
#include "tests/support/world.h"

#include <math.h>

static void init(const pen_view *v) { *PEN_NEXT(v, 0, int64_t) = pen_id(v); }
static void add(const pen_view *v)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < pen_degree(v); i++) sum += *PEN_NEIGHBOR(v, 0, int64_t, i);
    *PEN_NEXT(v, 0, int64_t) = sum;
}

static const pen_field fields[] = { { .name = "sum", .size = sizeof(int64_t) } };
static const pen_phase phases[] = { { "add", .node = add, .reads = PEN_SET(0), .writes = PEN_SET(0) } };
static const pen_app app = { .name = "advice", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init };

/* What is said of a run whose steps took less time than its pulls take now, so that they explain the communication:
 * this part of the steps. */
static void end_run(const char *transport, double communicated, bool wanted, double part, char text[256])
{
    enum { STEPS = 4 };
    const double seconds = 1e-6;
    FILE *out = tmpfile();
    const pen_run_options options = { .transport = transport, .out = out };
    pen_run *run = run_on(graph_from("mesh:16x8"), &app, &options);
    CHECK_STATUS(pen_run_steps(run, STEPS), PEN_OK);
    const double scale = pen_timers_scale(&run->timers);
    run->timers.loop = seconds;
    run->timers.ticks[PEN_TIME_COMMUNICATION_OVERHEAD] = 0;
    run->timers.ticks[PEN_TIME_COMMUNICATE] = (uint64_t)(communicated * seconds / scale);
    pen_advice_part = part;
    pen_advise(run, wanted);
    pen_run_destroy(&run);
    rewind(out);
    text[fread(text, 1, 255, out)] = '\0';
    fclose(out);
}

/* The summary of a run with steps of 2 s says whether a rank has waited for a processor for most of them. */
static void test_queued(double waited, bool says)
{
    const int size = check_size();
    pen_run *run = run_on(graph_from("mesh:16x8"), &app, NULL);
    FILE *out = tmpfile();
    char text[8192];
    CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    run->timers.loop = 2.0;
    run->timers.queued = pen_queued_now() - (check_rank() == size - 1 ? waited : 0.0);
    CHECK_STATUS(pen_run_summary(run, out), PEN_OK);
    pen_run_destroy(&run);
    rewind(out);
    text[fread(text, 1, sizeof text - 1, out)] = '\0';
    fclose(out);
    CHECK_INT(strstr(text, "\nso far      1 step\n") != NULL, check_rank() == 0);
    const char *advice = strstr(text, "advice      a rank waited ");
    double said = 0.0; /* at least `waited`, since a rank may really have waited, too */
    if (advice) CHECK_INT(sscanf(advice, "advice      a rank waited %lf s for a processor, and the", &said), 1);
    CHECK_INT(said >= 1.49 && said < 15.0, says && check_rank() == 0);
    CHECK_INT(advice && strstr(advice, " s for a processor, and the steps took 2 s:"), says && check_rank() == 0);
}

CHECKS()
{
    char text[256];
    const int size = check_size();
    const double most = 1e9, usual = pen_advice_part;
    pen_advice_ratio = 1e9;
    /* All is tried, with each transport that may be the present one; a line names another one with its ratio. */
    static const char *const transports[] = { "fence", "shared", "overlap", "pscw", "passive", "blocking" };
    for (int i = 0; i < PEN_COUNT_OF(transports); i++) {
        double percent, ratio;
        char name[32];
        end_run(transports[i], 0.75, true, most, text);
        CHECK_INT(*text != '\0', size > 1 && check_rank() == 0);
        if (!*text) continue;
        CHECK_INT(sscanf(text,
                         "advice      communication took %lf %% of the steps; a pull takes %lf of its time with "
                         "--comm=%31[a-z]",
                         &percent, &ratio, name),
                  3);
        CHECK(fabs(percent - 75.0) <= 20.0 && ratio > 0.0 && strcmp(name, transports[i]) != 0);
    }
    pen_advice_ratio = 0.0;
    end_run("fence", 0.75, true, most, text);
    CHECK(!*text);
    pen_advice_ratio = 1e9;
    /* Nothing is tried. */
    end_run("fence", 0.75, false, most, text);
    CHECK(!*text);
    end_run("fence", 0.35, true, most, text);
    CHECK(!*text);
    end_run("fence", 0.75, true, usual, text);
    CHECK(!*text);
    end_run("fence", 0.75, check_rank() == 0, size > 1 ? most : usual, text);
    CHECK(!*text);
    test_queued(1.5, true);
    test_queued(0.1, false);
}

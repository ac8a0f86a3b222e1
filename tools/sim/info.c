/* info.c - pen-sim info: summarises a workload record, which is read to its end. */
#include "base/memory.h"
#include "tools/common/ticker.h"
#include "tools/sim/commands.h"
#include "tools/sim/report.h"
#include "workload/workload.h"

#include <math.h>
#include <sys/stat.h>

/* A summary of all steps. */
typedef struct summary {
    int64_t values; /* number of loads */
    int64_t changes, births, deaths;
    double least, most; /* smallest and largest load of all nodes in a step */
    double imbalance;   /* imbalance with the first owners: sum over `measured` steps, those before any change */
    int64_t measured;
} summary;

static void note_loads(const pen_workload *w, const int32_t *owners, double *of, summary *s)
{
    int ranks = w->world.ranks;
    double total = 0.0, most = 0.0;
    for (int r = 0; r < ranks; r++) of[r] = 0.0;
    for (int32_t p = 0; p < w->places; p++) {
        total += w->loads[p];
        if (s->changes == 0) of[owners[p]] += w->loads[p];
    }
    for (int r = 0; r < ranks; r++) most = fmax(most, of[r]);
    s->values += w->nodes;
    s->least = fmin(s->least, total);
    s->most = fmax(s->most, total);
    if (s->changes > 0 || !(total > 0.0)) return;
    s->imbalance += most * ranks / total;
    s->measured++;
}

static void note_change(const pen_workload *w, summary *s)
{
    s->changes++;
    s->deaths += w->change.died_count;
    for (int64_t i = 0; i < w->change.rows.count; i++) s->births += w->change.rows.parents[i] != PEN_WORKLOAD_STAYED;
}

static pen_status read_on(pen_workload *w, const char *path, const int32_t *owners, double *of, summary *s)
{
    pen_workload_event event = PEN_WORKLOAD_STEP;
    while (event != PEN_WORKLOAD_END) {
        PEN_TRY(pen_workload_next(w, &event));
        pen_ticker_bytes("reading", path, w->step, w->world.steps > 0 ? w->world.steps : -1);
        if (event == PEN_WORKLOAD_CHANGE) note_change(w, s);
        if (event == PEN_WORKLOAD_STEP) note_loads(w, owners, of, s);
    }
    return PEN_OK;
}

static bool is_alike(const pen_workload_phase *a, const pen_workload_phase *b)
{
    return strcmp(a->name, b->name) == 0 && a->bytes == b->bytes;
}

static void print(const pen_workload *w, int64_t nodes, int64_t arcs, int64_t bytes, const summary *s)
{
    const pen_workload_world *world = &w->world;
    const int64_t steps = w->step - world->first;
    printf("%-22s %s, on %d ranks, loads %s\n", "application", PEN_SHOWN(world->application), world->ranks,
           world->declared ? "declared, in units" : "measured, in seconds");
    printf("%-22s %" PRId64 " nodes, %" PRId64 " %s\n", "graph", nodes, world->directed ? arcs : arcs / 2,
           world->directed ? "arcs" : "edges");
    if (world->first > 0) printf("%-22s after step %" PRId64 "\n", "resumed", world->first);
    printf("%-22s %" PRId64 "; the graph changed %" PRId64 " times, %" PRId64 " births and %" PRId64 " deaths\n",
           "steps", steps, s->changes, s->births, s->deaths);
    for (int p = 0, after; p < world->phase_count; p = after) {
        char times[24] = "";
        for (after = p + 1; after < world->phase_count && is_alike(&world->phases[after], &world->phases[p]);) after++;
        if (after - p > 1) snprintf(times, sizeof times, " (%d times)", after - p);
        printf("%-22s %s%s, then %" PRId64 " bytes are pulled per shadow\n", p == 0 ? "phases of a step" : "",
               PEN_SHOWN(world->phases[p].name), times, world->phases[p].bytes);
    }
    if (world->load_phases > 1)
        printf("%-22s %d of a node, one for each synchronising phase\n", "loads", world->load_phases);
    if (steps == 0) return;
    printf("%-22s %.9g to %.9g\n", "load of all nodes", s->least, s->most);
    if (s->measured > 0)
        printf("%-22s %.4f, mean of %" PRId64 " steps\n", "recorded imbalance", s->imbalance / (double)s->measured,
               s->measured);
    if (w->times.loop > 0.0) printf("%-22s %.6g s\n", "time of a step", w->times.loop / (double)steps);
    printf("%-22s %" PRId64 " bytes, %.3f per node and step\n", "record", bytes, (double)bytes / (double)s->values);
}

static pen_status describe(const char *path)
{
    pen_workload w;
    int32_t *owners = NULL;
    double *of = NULL;
    summary s = { .least = HUGE_VAL };
    struct stat file = { .st_size = 0 };
    PEN_TRY(pen_workload_open(path, &w));
    int64_t nodes = w.nodes, arcs = w.rows[w.places];
    pen_status status = PEN_ALLOC(&owners, nodes);
    if (status == PEN_OK) status = PEN_ALLOC(&of, w.world.ranks);
    if (status == PEN_OK) {
        memcpy(owners, w.first.owners, (size_t)nodes * sizeof *owners);
        status = read_on(&w, path, owners, of, &s);
    }
    pen_ticker_end();
    if (status == PEN_OK && stat(path, &file) == 0) print(&w, nodes, arcs, (int64_t)file.st_size, &s);
    pen_workload_close(&w);
    PEN_FREE_ALL(owners, of);
    return status;
}

static pen_status run(int argc, char **argv, int *exit_status)
{
    const pen_option options[] = { { .name = NULL } };
    command_words line;
    PEN_TRY(pen_command_words(&pen_command_info, argc, argv, options, 1, 1, &line));
    return line.help ? PEN_OK : describe(line.words[0]);
}

const command pen_command_info = { "info", "FILE", "Describe a workload record, and check it", NULL, run };

/* runs.h - what metrics files say of their runs. All Local. */
#ifndef PEN_PLOT_RUNS_H
#define PEN_PLOT_RUNS_H

#include "tools/plot/run_read.h"

extern const char *const pen_category_names[CATEGORIES];

typedef struct run_set {
    run *runs; /* [count]: series one after the other, as they were named first; in each, ranks ascending */
    int count;
    const char *of; /* of observables: which ones are drawn (observed.h); and whether as changes */
    bool relative;
} run_set;

/* Read `count` >= 1 files. *set is the caller's to free whatever the status. PEN_ERR_IO; PEN_ERR_INPUT with the file
 * and the line, or in a sound file the key, where it is not as "penumbra-metrics/1" and /2 promise; PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_runs_read(char *const *paths, int count, run_set *set);
void pen_runs_free(run_set *set);

/* Both runs do the same in the same way, on any ranks. */
bool pen_runs_same_series(const run *a, const run *b);

/* Both do the same: application, nodes, edges and steps. */
bool pen_runs_same_problem(const run *a, const run *b);

/* PEN_ERR_INPUT where a run has no history of loads. */
PEN_CHECKED pen_status pen_runs_need_history(const run_set *set);

/* Maximum by mean over ranks of a sample; 1 where there is no load. */
double pen_sample_imbalance(const run *r, int64_t sample);

/* A point of a speed-up curve. */
typedef struct speedup {
    const run *first;   /* one of its runs */
    int repetitions;    /* runs on equally many ranks, of which `seconds` is the median */
    double seconds;     /* all steps */
    double factor;      /* over the base, times the base's ranks */
    int64_t base_ranks; /* the fewest in its series; a run on one rank is the base of all series of its problem that
                           have none of their own, since there communication, partition and balancing mean nothing */
} speedup;

/* *points [*count], in the order of the runs, are the caller's to free (also after a failure). Left out are series all
 * of whose runs have equally many ranks. PEN_ERR_INPUT where nothing is left; PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_runs_speedups(const run_set *set, speedup **points, int *count);

#endif

/* bench.h - what the benchmark programs share: who measured what, and medians. */
#pragma once

#include "tests/support/generate.h"

#include <penumbra.h>

typedef struct bench_summary {
    double min, median, max;
} bench_summary;

/* The application of most benchmarks: one double per node, i % 1000 of node i at first, which becomes the mean of its
 * neighbours', by a sweep. */
extern const pen_app bench_app;

/* A fire that spreads from node 0, and leaves nothing that changes. A node that is computed costs 1. */
extern const pen_app bench_front_app;

/* Local. Room for `count` numbers, the caller's to free. */
double *bench_room(int64_t count);

/* Collective over MPI_COMM_WORLD. The largest of the ranks' values. */
double bench_slowest(double mine);

/* Collective. Seconds for a step, of the slowest rank, over so many steps that begin together. `name` begins messages.
 */
double bench_steps(pen_run *run, int64_t steps, const char *name);

/* Local. A field that counts kB in a file of /proc, in bytes: "VmRSS:" in "/proc/self/status". */
double bench_memory(const char *path, const char *field);

/* Local. count >= 1; the values stay as they are. */
bench_summary bench_summarize(const double *values, int count);

/* Local. Summary of a[i] / b[i], or of a[i] - b[i], over pairs measured side by side. */
bench_summary bench_ratios(const double *a, const double *b, int count);
bench_summary bench_differences(const double *a, const double *b, int count);

/* Collective. Prepare and initialise MPI, and parse the command line. Rank 0 prints program, time of day, MPI library,
 * ranks, commit and compiler flags. "--help" prints the table, and ends the program. */
void bench_start(int argc, char **argv, const pen_option *options);
extern int bench_rank, bench_ranks; /* of MPI_COMM_WORLD, when it has begun */

/* Local. "WxH" of --grid=, both from 1 to 2^20; else the program ends. */
void bench_parse_grid(const char *text, int64_t *width, int64_t *height);

/* Local. The same, for bands of rows: H divisible by the ranks, at most 2^28 nodes. */
void bench_parse_bands(const char *text, int64_t *width, int64_t *height);

/* Local. End the program on all ranks with what went wrong, unless status is PEN_OK. */
void bench_require(pen_status status, const char *what);

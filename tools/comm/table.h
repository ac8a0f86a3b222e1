/* table.h - what a comparison found: a row per configuration and transport, and what follows from them. */
#pragma once

#include "base/comm.h"
#include "base/json.h"
#include "tools/comm/fit.h"

enum { COMM_NAME = 32, COMM_MOST_MODELS = 64 };

/* A sample that takes so many times as long as the fastest one was disturbed. */
#define COMM_DISTURBED 2.0

/* With a larger fraction of disturbed samples a row is unreliable: its interval includes the machine's other work. */
#define COMM_MOST_NOISE 0.25

/* A line that misses a time by a larger part is no model. */
#define COMM_WORST_FIT 0.75

/* Over which quantity a row is part of a sweep. */
typedef enum comm_sweep { COMM_SWEEP_HALO, COMM_SWEEP_NEIGHBORS, COMM_SWEEPS } comm_sweep;

/* Times are seconds of a step at the slowest rank. */
typedef struct comm_row {
    comm_sweep sweep;
    char transport[COMM_NAME];
    bool one_sided;
    char eager[COMM_NAME]; /* two-sided: MPI's eager limit if it was chosen, else "default"; one-sided: "-" */
    int64_t ranks;
    int64_t record;     /* bytes */
    int64_t neighbors;  /* most that a rank pulls from */
    int64_t halo_bytes; /* most that a rank pulls in a step */
    int64_t bytes, gets,
        syncs; /* of a step, summed over ranks; gets: of two-sided transports messages; -1: not known */
    double min, median, max;
    double low, high; /* a 95 % interval of the median; -1: too few samples */
    double noise;     /* the part of the samples that were disturbed */
    double sync;      /* of a step with nothing to pull, median; -1: not known */
    double copy;      /* in packing, mean; -1: not known */
    int64_t window;   /* most on a rank, bytes that a run of the whole graph has in windows */
    int64_t buffers;  /* most on a rank, bytes beside; -1: not known */
    bool chosen;      /* by --comm=auto, on this halo */
} comm_row;

typedef struct comm_table {
    comm_row *rows; /* [count] */
    int count;
} comm_table;

/* One transport at one eager limit: the lines through its times; unknown if one row is disturbed. */
typedef struct comm_model {
    const comm_row *of; /* its first row */
    comm_fit bytes;     /* over the most bytes that a rank pulls */
    comm_fit neighbors; /* over the neighbours, each with the same bytes */
} comm_model;

/* Local. A row's transport, with the eager limit where one was chosen: "overlap", "overlap@32768". */
const char *pen_transport_label(const comm_row *row, char text[2 * COMM_NAME]);

/* Local. Both rows are of one transport at one eager limit. */
bool pen_same_transport(const comm_row *a, const comm_row *b);

/* Local. "512 B", "8 KiB". */
const char *pen_bytes_text(int64_t bytes, char text[COMM_NAME]);

/* Local. Shares of the median, which add up to 1: synchronisation, pull, copies. False: not known. */
bool pen_shares(const comm_row *row, double *sync, double *pull, double *copy);

/* Local. The models of all transports of the table, in its order; the number of them. */
int pen_models(const comm_table *table, comm_model models[COMM_MOST_MODELS]);

/* Local. Enough samples, and few enough disturbed ones, to conclude something from. */
bool pen_row_trusted(const comm_row *row);

/* Local. There is a line, and it fits well. */
bool pen_fit_holds(const comm_fit *fit);

/* Local. The tables that a person reads. */
void pen_table_print(FILE *out, const comm_table *table);

/* Local. The rows as CSV, and as JSON, an array; the models as JSON, an array. */
void pen_table_csv(FILE *out, const comm_table *table);
void pen_table_json(json *j, const char *key, const comm_table *table);
void pen_models_json(json *j, const char *key, const comm_table *table);

/* Local. Read the CSV of another launch. PEN_ERR_IO, PEN_ERR_INPUT ("file:line: what is wrong"), PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_table_read(const char *path, comm_table *table);

/* Local. Add the two-sided rows of another launch, at its eager limit, unless this launch has them. *drift: the median
 * ratio of one-sided times in the other launch to those in this one; 0 if nothing is joined. PEN_ERR_INPUT if that
 * launch was of another graph or number of ranks; PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_table_join(comm_table *table, const comm_table *other, const char *path, double *drift);

/* Local. */
void pen_table_free(comm_table *table);

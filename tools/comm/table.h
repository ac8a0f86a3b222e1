/* table.h - what a comparison found: a row per configuration and transport, and what follows from them. */
#pragma once

#include "base/comm.h"
#include "base/json.h"
#include "tools/comm/fit.h"

enum { COMM_NAME = 32, COMM_MOST_MODELS = 64 };

/* A sample that takes this many times as long as the fastest one was disturbed. */
#define COMM_DISTURBED 2.0

/* A row with a larger fraction of disturbed samples is unreliable: its interval includes other work of the machine. */
#define COMM_MOST_NOISE 0.25

/* A line with a larger relative error is not a model. */
#define COMM_WORST_FIT 0.75

/* The quantity that varies in a sweep. */
typedef enum comm_sweep { COMM_SWEEP_HALO, COMM_SWEEP_NEIGHBORS, COMM_SWEEPS } comm_sweep;

/* Times are seconds per step of the slowest rank. */
typedef struct comm_row {
    comm_sweep sweep;
    char transport[COMM_NAME];
    bool one_sided;
    char eager[COMM_NAME]; /* two-sided: MPI's eager limit if it was chosen, else "default"; one-sided: "-" */
    int64_t ranks;
    int64_t record;     /* bytes */
    int64_t neighbors;  /* the most that a rank pulls from */
    int64_t halo_bytes; /* the most that a rank pulls per step */
    int64_t bytes, gets,
        syncs; /* of a step, summed over ranks; gets: of two-sided transports messages; -1: not known */
    double min, median, max;
    double low, high; /* a 95 % interval of the median; -1: too few samples */
    double noise;     /* fraction of disturbed samples */
    double sync;      /* of a step with nothing to pull, median; -1: not known */
    double copy;      /* of packing, mean; -1: not known */
    int64_t window;   /* the most bytes of windows on a rank, in a run of the whole graph */
    int64_t buffers;  /* the most other bytes on a rank; -1: not known */
    bool chosen;      /* by --comm=auto, for this halo */
} comm_row;

typedef struct comm_table {
    comm_row *rows; /* [count] */
    int count;
} comm_table;

/* One transport at one eager limit: lines through its times. Unknown if a row is disturbed. */
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

/* Local. Fractions of the median, which add up to 1: synchronisation, pull, copies. False: not known. */
bool pen_shares(const comm_row *row, double *sync, double *pull, double *copy);

/* Local. The models of all transports of the table, in its order; the number of them. */
int pen_models(const comm_table *table, comm_model models[COMM_MOST_MODELS]);

/* Local. There are enough samples, and few enough disturbed ones. */
bool pen_row_trusted(const comm_row *row);

/* Local. A line is known, and it fits well. */
bool pen_fit_holds(const comm_fit *fit);

/* Local. Print the tables for people. */
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

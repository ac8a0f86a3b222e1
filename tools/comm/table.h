/* table.h - the table of a comparison: a row per configuration and transport, and models of their times. */
#pragma once

#include "base/comm.h"
#include "base/json.h"
#include "tools/comm/fit.h"

enum { COMM_NAME = 32, COMM_MOST_MODELS = 64 };

/* A sample that takes this many times as long as the fastest one counts as disturbed. */
#define COMM_DISTURBED 2.0

/* A row with a larger fraction of disturbed samples is unreliable: its interval includes other work of the machine. */
#define COMM_MOST_NOISE 0.25

/* A line with a larger relative error does not count as a model. */
#define COMM_WORST_FIT 0.75

/* The quantity that varies in a sweep. */
typedef enum comm_sweep { COMM_SWEEP_HALO, COMM_SWEEP_NEIGHBORS, COMM_SWEEPS } comm_sweep;

/* A row of the table. Times are seconds per step of the slowest rank. */
typedef struct comm_row {
    comm_sweep sweep;
    char transport[COMM_NAME];
    bool one_sided;
    /* For two-sided transports: MPI's eager limit if it was chosen, else "default"; for one-sided ones "-". */
    char eager[COMM_NAME];
    int64_t ranks;
    int64_t record;     /* bytes of a record */
    int64_t neighbors;  /* the largest number of ranks from which a rank pulls */
    int64_t halo_bytes; /* the most bytes that a rank pulls per step */
    /* Counts of a step, summed over ranks; for two-sided transports, gets are messages; -1: unknown. */
    int64_t bytes, gets, syncs;
    double min, median, max;
    double low, high; /* a 95 % interval of the median; -1: there are too few samples */
    double noise;     /* fraction of samples that were disturbed */
    double sync;      /* median time of a step with nothing to pull; -1: unknown */
    double copy;      /* mean time of packing; -1: unknown */
    int64_t window;   /* the most bytes of windows on a rank, in a run of the whole graph */
    int64_t buffers;  /* the most other bytes on a rank; -1: unknown */
    bool chosen;      /* whether --comm=auto chooses the transport for this halo */
} comm_row;

typedef struct comm_table {
    comm_row *rows; /* [count] the rows */
    int count;
} comm_table;

/* Models of a transport at one eager limit: lines through its times. A line is unknown if a row is disturbed. */
typedef struct comm_model {
    const comm_row *of; /* the first row of the transport */
    comm_fit bytes;     /* line over the most bytes that a rank pulls */
    comm_fit neighbors; /* line over the number of neighbours, each with the same bytes */
} comm_model;

/* Local. The name of a row's transport, with the eager limit if one was chosen: "overlap", "overlap@32768". */
const char *pen_transport_label(const comm_row *row, char text[2 * COMM_NAME]);

/* Local. Whether both rows are of one transport at one eager limit. */
bool pen_same_transport(const comm_row *a, const comm_row *b);

/* Local. A size as text, "512 B", "8 KiB". */
const char *pen_bytes_text(int64_t bytes, char text[COMM_NAME]);

/* Local. Compute the fractions of the median, which add up to 1: synchronisation, pull, copies. False: unknown. */
bool pen_shares(const comm_row *row, double *sync, double *pull, double *copy);

/* Local. Compute the models of all transports of the table, in its order; returns their number. */
int pen_models(const comm_table *table, comm_model models[COMM_MOST_MODELS]);

/* Local. Whether a row has enough samples, and few enough disturbed ones. */
bool pen_row_trusted(const comm_row *row);

/* Local. Whether a line is known and fits well. */
bool pen_fit_holds(const comm_fit *fit);

/* Local. Print the tables for people. */
void pen_table_print(FILE *out, const comm_table *table);

/* Local. Print the rows as CSV; the rows as JSON, an array; the models as JSON, an array. */
void pen_table_csv(FILE *out, const comm_table *table);
void pen_table_json(json *j, const char *key, const comm_table *table);
void pen_models_json(json *j, const char *key, const comm_table *table);

/* Local. Read the CSV of another launch. PEN_ERR_IO, PEN_ERR_INPUT ("file:line: reason"), PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_table_read(const char *path, comm_table *table);

/* Local. Add the two-sided rows of another launch, with its eager limit, unless this launch has them. *drift: the
 * median ratio of one-sided times in the other launch to those in this one; 0 if nothing is joined. PEN_ERR_INPUT if
 * that launch was of another graph or number of ranks; PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_table_join(comm_table *table, const comm_table *other, const char *path, double *drift);

/* Local. Free a table. */
void pen_table_free(comm_table *table);

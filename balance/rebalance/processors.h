/* processors.h - the graph of processors on rank 0: loads of ranks, and borders between them. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* A rank and a value, such as a load or a number of nodes. */
typedef struct pen_share {
    int64_t rank;
    double amount;
} pen_share;

/* A border between two ranks, in one direction. */
typedef struct pen_border {
    int32_t from, to;
    /* Number of nodes of `to` that `from` has as shadows; 0: an artificial border of a rank without any. */
    double buffer;
    double flow; /* load that should move from `from` to `to`; < 0: in the other direction */
} pen_border;

typedef struct pen_processors {
    int ranks;
    double *loads;       /* [ranks] load of each rank */
    int64_t *rows;       /* [ranks+1] index of each rank's first border */
    pen_border *borders; /* [rows[ranks]] borders, ascending by from and to; each has its reverse */
} pen_processors;

/* Collective. Gather the graph in *graph on rank 0; it stays empty on other ranks. pen_processors_free frees it on all
 * ranks, also after a failure. With `joined`, each rank without a border, such as an empty one, gets a border with a
 * rank that has much load. Errors: PEN_ERR_MEMORY, and those of peers. */
PEN_CHECKED pen_status pen_processors_gather(const pen_load_view *view, pen_peers *peers, bool joined,
                                             pen_processors *graph);

/* Collective. Rank 0 sends each rank r its part of `shares`, [rows[r] .. rows[r+1]); other ranks pass NULL. The caller
 * frees *mine, [*count], also after a failure. */
PEN_CHECKED pen_status pen_processors_tell(pen_peers *peers, const int64_t *rows, const pen_share *shares,
                                           pen_share **mine, int *count);

/* Local. The index of the border from a rank to another, which must exist. */
int64_t pen_processors_border(const pen_processors *graph, int32_t from, int32_t to);

/* Local. Frees the arrays and zeroes the structure. */
void pen_processors_free(pen_processors *graph);

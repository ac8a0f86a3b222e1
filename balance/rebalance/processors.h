/* processors.h - the graph of processors on rank 0: their loads, and which ranks share a border. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* A rank and a value: a load, a number of nodes, ... */
typedef struct pen_share {
    int64_t rank;
    double amount;
} pen_share;

/* From a rank to one that it has a border with. */
typedef struct pen_border {
    int32_t from, to;
    double buffer; /* nodes of `to` that `from` has as shadows; 0: no border, but one was made for a rank without any */
    double flow;   /* load that is to move; < 0: the other way */
} pen_border;

typedef struct pen_processors {
    int ranks;
    double *loads;       /* [ranks] */
    int64_t *rows;       /* [ranks+1] */
    pen_border *borders; /* [rows[ranks]] ascending by from and to; each has its reverse */
} pen_processors;

/* Collective. *graph gets the graph on rank 0, and stays empty elsewhere; pen_processors_free frees it on all
 * ranks, also after a failure. With `joined`, ranks without a border, such as empty ones, get one each with ranks
 * that have much load. Errors: PEN_ERR_MEMORY, and those of peers. */
PEN_CHECKED pen_status pen_processors_gather(const pen_load_view *view, pen_peers *peers, bool joined,
                                             pen_processors *graph);

/* Collective. Rank 0 sends each rank r its shares: those of `shares`, [rows[r] .. rows[r+1]); other ranks pass NULL.
 * The caller frees *mine, [*count], also after a failure. */
PEN_CHECKED pen_status pen_processors_tell(pen_peers *peers, const int64_t *rows, const pen_share *shares,
                                           pen_share **mine, int *count);

/* Local. Index of the border from a rank to another, which exists. */
int64_t pen_processors_border(const pen_processors *graph, int32_t from, int32_t to);

/* Local. Frees the arrays and zeroes the structure. */
void pen_processors_free(pen_processors *graph);

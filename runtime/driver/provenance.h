/* provenance.h - where the numbers of a run come from: what a reader of its metrics needs to make them again. */
#pragma once

#include "run/state.h"

enum { PEN_HOST_NAME = 64 };

typedef struct pen_provenance {
    int ranks;
    char (*hosts)[PEN_HOST_NAME]; /* [ranks] on rank 0, else NULL: the host of each, cut where it is longer */
} pen_provenance;

/* Collective. PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_provenance_gather(pen_comm *comm, pen_provenance *provenance);
void pen_provenance_free(pen_provenance *provenance);

/* Local, on rank 0. Members of a JSON object: versions, date, hosts, the process's command line, the graph, the
 * application's options with their values. */
void pen_provenance_print(const pen_provenance *provenance, const pen_run *run, FILE *out);

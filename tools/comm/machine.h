/* machine.h - measures the machine of a launch: speeds of ranks, and the links between them.
 *
 * Its clusters are those of the machine `host` (view/machine.h). Times are seconds. A load of 1 is what a processor of
 * speed 1, the fastest, computes in a second; a unit of data is a record. So measured loads and links have the same
 * unit: `minex:units`, `pagrid:units`. If loads are not seconds, a ratio relates communication to computation, R_ref in
 * PaGrid's papers (view/machine.h has links of cost 1, this machine has its own):
 *
 *     links of cost 1      seconds of a record over the cheapest link / seconds of a mean node
 *     this machine         1 / seconds of a mean node
 *
 * Both are for nodes that take as long as those of `hex`. */
#pragma once

#include "graph/graph.h"
#include <penumbra_plugin.h>

/* Times of one kind that differ by a smaller fraction count as equal; times of nodes only if nine of ten samples of
 * each rank also vary by less. */
#define COMM_SPEED_NOISE 0.1
#define COMM_LINK_NOISE 0.5

/* The measurements; equal on all ranks, except for the machine. */
typedef struct comm_machine {
    double degree;            /* mean number of neighbours that a node reads */
    double node_seconds;      /* time of such a node on a processor of speed 1, in seconds */
    double noise;             /* speeds that differ by a smaller fraction count as equal */
    double latency, per_byte; /* times of the cheapest link in seconds; per_byte 0: there is no link */
    pen_machine *machine;     /* the machine, on rank 0; data is in records of `record` bytes */
    int64_t record;
} comm_machine;

/* Collective. Measure the machine. If no window works, there are no links; with `linked` that is an error. Errors: as
 * pen_machine_create, pen_node_time and pen_link_times. */
PEN_CHECKED pen_status pen_comm_machine_measure(pen_comm *comm, const pen_graph *graph, int64_t record, bool linked,
                                                comm_machine *m);

/* Local, on rank 0. Write the machine as a file (view/machine_text.h), with comments that describe it and the
 * measurement; `setting` is a line. Errors: as pen_machine_write. */
PEN_CHECKED pen_status pen_comm_machine_write(const comm_machine *m, const char *setting, FILE *out);

/* Local, on rank 0. Print a warning of one line if speeds that differ by more than COMM_MOST_NOISE (table.h) count as
 * equal; `path` is the file of the machine. */
void pen_comm_machine_warn(const comm_machine *m, const char *path, FILE *out);

/* Local. Free a machine. */
void pen_comm_machine_free(comm_machine *m);

/* Local. Make numbers >= 0 equal if they differ by less than a fraction `noise`: those from the least one up to 1 +
 * noise times it become their median, and so on from the next one. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_even_out(double *values, int64_t count, double noise);

/* Local. Make the machine of ranks in these clusters, [ranks], [cluster_count] of them. Rank r needs seconds[r] for the
 * same work; links are [cluster_count][cluster_count] at c <= d, for units of `record` bytes. The least seconds become
 * speed 1. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_machine_of_times(int ranks, const int32_t *clusters, int32_t cluster_count,
                                            const double *seconds, const pen_link *links, int64_t record,
                                            pen_machine **machine);

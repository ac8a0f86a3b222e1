/* machine.h - the machine that a launch is on, measured: speeds of ranks, and what lies between them.
 *
 * Its clusters are those of the machine `host` (view/machine.h). Times are seconds; a load of 1 is what a processor of
 * speed 1, the fastest, works off in a second; a unit of data is a record. So measured loads and links add up as they
 * are: `minex:units`, `pagrid:units`. Where loads are not seconds, a time of communication is put beside one of
 * computation by a ratio, R_ref in PaGrid's papers (view/machine.h has links of cost 1, this machine has its own):
 *
 *     of links of cost 1      seconds of a record over the cheapest link / seconds of a mean node
 *     of this machine         1 / seconds of a mean node
 *
 * both for nodes that take what those of `hex` take. */
#pragma once

#include "graph/graph.h"
#include <penumbra_plugin.h>

/* Times of one kind that differ by a smaller part are taken for equal; those of nodes also where nine of ten ranks see
 * no larger one between their own samples. */
#define COMM_SPEED_NOISE 0.1
#define COMM_LINK_NOISE 0.5

/* What is measured; equal on all ranks, but for the machine. */
typedef struct comm_machine {
    double degree;            /* neighbours that a node reads, on average */
    double node_seconds;      /* what that takes on a processor of speed 1 */
    double noise;             /* of speeds: those that differ by a smaller part are equal */
    double latency, per_byte; /* seconds, of the cheapest link; per_byte 0: there is no link */
    pen_machine *machine;     /* on rank 0; data in records of `record` bytes */
    int64_t record;
} comm_machine;

/* Collective. Measures. That no window works is a failure only where `linked` says so: else there are no links. Errors:
 * as pen_machine_create, pen_node_time and pen_link_times. */
PEN_CHECKED pen_status pen_comm_machine_measure(pen_comm *comm, const pen_graph *graph, int64_t record, bool linked,
                                                comm_machine *m);

/* Local. The ratio of links of cost 1, for records of so many bytes. */
static inline double pen_comm_machine_ratio(const comm_machine *m, int64_t record)
{
    return m->per_byte * (double)record / m->node_seconds;
}

/* Local, on rank 0. The machine as a file (view/machine_text.h), with what it is and how it was measured as comments;
 * `setting` is a line. Errors: as pen_machine_write. */
PEN_CHECKED pen_status pen_comm_machine_write(const comm_machine *m, const char *setting, FILE *out);

/* Local. */
void pen_comm_machine_free(comm_machine *m);

/* Local. Numbers >= 0 that differ by less than a part `noise` become equal: from the least one on, those up to 1 +
 * noise of it get the median of them, and so do those from the next one on. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_even_out(double *values, int64_t count, double noise);

/* Local. The machine of ranks in these clusters, [ranks], [cluster_count] of them, that need seconds[rank] for the same
 * work, with the links [cluster_count][cluster_count] at c <= d, for units of `record` bytes: speed 1 is that of the
 * least seconds. PEN_ERR_MEMORY.
 */
PEN_CHECKED pen_status pen_machine_of_times(int ranks, const int32_t *clusters, int32_t cluster_count,
                                            const double *seconds, const pen_link *links, int64_t record,
                                            pen_machine **machine);

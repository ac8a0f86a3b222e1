/* gexf_time.h - a recorded run as a graph that changes in time, in GEXF 1.3, for Gephi. All Local. */
#ifndef PEN_GEXF_TIME_H
#define PEN_GEXF_TIME_H

#include "tools/common/writer.h"

/* Read a workload record (workload/workload.h) and write it. Time is the number of a step, from 1, and what is said of
 * a time holds during that step; ends belong to an interval, as GEXF 1.3 has it. Nodes and edges that are not there all
 * the time have spells; the loads of nodes, and the weights of edges where there are any, have intervals, a new one
 * where a value changes. A node's owner is the rank on which it was first; of nodes that came for another one, whose
 * rank the record does not tell, there is none. Nodes that came behind the last step are there one step later.
 *
 * All of it is held in memory: a few words for every node, edge and change of a load. Errors: as pen_workload_open,
 * PEN_ERR_MEMORY. Failures of `out` need no check. */
PEN_CHECKED pen_status pen_gexf_write_record(const char *path, writer *out);

#endif

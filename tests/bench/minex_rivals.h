/* minex_rivals.h - METIS and Scotch on the graphs of minex.c. */
#ifndef BENCH_MINEX_RIVALS_H
#define BENCH_MINEX_RIVALS_H

#include "tools/sim/bodies_graph.h"

/* Local. k-way METIS for the least cut, of a mutual graph, with parts as large as their processors are fast, or all
 * equal ones. `ufactor` is METIS's own, 30 by default: thousandths of imbalance. The program ends where it fails. */
void rival_metis(const bodies_graph *mutual, const pen_machine *machine, bool speeds, int ufactor, int32_t *part);

/* Local. Scotch's mapping onto the machine, its speeds and what its links cost, for quality. */
void rival_scotch(const bodies_graph *mutual, const pen_machine *machine, double imbalance, int32_t *part);

#endif

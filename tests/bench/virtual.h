/* virtual.h - what benchmarks of balancers on virtual ranks share: METIS from scratch, exact renaming of parts, the hot
 * disc. All Local; they end the program where something fails. */
#pragma once

#include "tests/support/virtual_world.h"

/* Processor seconds of this thread. */
double bench_cpu_seconds(void);

/* Room for an owner of every node, the caller's to free. */
int32_t *bench_new_parts(const pen_virtual_world *w);

/* METIS's partition into parts[], [nodes]; *seconds is its own time. */
void bench_metis(const pen_virtual_world *w, int32_t *parts, double *seconds);

/* METIS's repartition: its partition of the graph with a vertex for each rank, which edges of weight `stay` join to the
 * rank's nodes (Catalyurek et al., Hypergraph-based dynamic load balancing, IPDPS 2007); other edges weigh `edge`. */
void bench_metis_near(const pen_virtual_world *w, int edge, int stay, int32_t *parts);

/* Permute the names of parts so that as many nodes as possible keep their owner, and make them the owners, which
 * are freed; returns how many nodes move. */
int64_t bench_take_parts(pen_virtual_world *w, int32_t *parts);

pen_quality bench_measure(const pen_virtual_world *w);

/* In a field of hexagons nodes in a disc have load 10, others 1. */
void bench_heat_disc(pen_virtual_world *w, int width, double x, double y, double radius);

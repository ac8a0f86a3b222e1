/* contenders.h - partitioners on the graphs of an N-body step: those of the paper (bodies_graph.h), and others. */
#pragma once

#include "tests/bench/papers/bodies_graph.h"

typedef enum sim_contender {
    SIM_MINEX,        /* MinEX on G */
    SIM_MINEX_MUTUAL, /* and on G_M */
    SIM_METIS,        /* k-way for the least cut on G_M, as the paper calls it: with equal parts */
    SIM_METIS_SPEEDS, /* with parts as large as processors are fast */
    SIM_SCOTCH,       /* on G_M, mapped onto the machine, its speeds and what its links cost, for quality */
    SIM_MINEX_RANK,   /* MinEX on G with data counted once per processor, both ends paying */
    SIM_PAGRID,       /* on G */
    SIM_DIFFUSIVE,    /* on G_M, from equal stretches of cells in the order of their paths */
    SIM_CONTENDERS
} sim_contender;

/* The graphs of one step. */
typedef struct sim_case {
    bodies_graph directed, mutual; /* G and G_M, with equal owners */
} sim_case;

/* Local. The case of a tree, or of bodies that are just placed. Owners are nowhere. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_sim_case_of(const bodies_tree *tree, double closeness, sim_case *c);
PEN_CHECKED pen_status pen_sim_case_create(int32_t bodies, uint64_t seed, sim_case *c);
/* And that of a file, and its bodies: as pen_bodies_graph_read. */
PEN_CHECKED pen_status pen_sim_case_read(const char *path, sim_case *c, int32_t *bodies);
void pen_sim_case_free(sim_case *c);

/* As tables name it. */
const char *pen_sim_contender_name(sim_contender who);

/* Local. chosen[SIM_CONTENDERS] from "minex,metis": the keys, or NULL for all. PEN_ERR_INPUT, with the nearest one. */
PEN_CHECKED pen_status pen_sim_contenders_parse(const char *list, bool *chosen);

/* Local. Rivals get their best: so many settings of it are tried (METIS's ufactor, Scotch's imbalance). */
int pen_sim_variants(sim_contender who);

/* Local. One of them: part[v], [cells]. MinEX expects that `theta` of the communication is hidden (minex.h), and is
 * diffusive where cells have owners; the others begin anew, but for diffusive. PEN_ERR_MEMORY, PEN_ERR_INTERNAL. */
PEN_CHECKED pen_status pen_sim_partition(sim_contender who, int variant, const sim_case *c, const pen_machine *machine,
                                         double theta, int32_t *part);

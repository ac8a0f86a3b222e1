/* conclusion.h - states the results of a comparison in words. */
#pragma once

#include "tools/comm/table.h"

/* Local. Print a paragraph: which transport to use on this machine, by what factor it is faster, from which size on;
 * where one-sided transports are slower; the cost of the default and of a fence; and the comparison with PetscSF. */
void pen_verdict_print(FILE *out, const comm_table *table);

/* Local. Print an array: at each size of the halo the best one-sided and the best two-sided transport, and the faster
 * side: "one", "two" or "neither"; "unknown" if rows are unreliable. */
void pen_verdict_json(json *j, const char *key, const comm_table *table);

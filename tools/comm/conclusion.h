/* conclusion.h - what a comparison means, in words. */
#pragma once

#include "tools/comm/table.h"

/* Local. A paragraph: which transport to use here, by what factor it is faster, from which size on; where one-sided is
 * slower; what the default and a fence cost; and how PetscSF compares. */
void pen_verdict_print(FILE *out, const comm_table *table);

/* Local. An array: at each size of the halo the best one-sided and the best two-sided transport, and which side is
 * faster: "one", "two" or "neither"; "unknown" where rows are not to be trusted. */
void pen_verdict_json(json *j, const char *key, const comm_table *table);

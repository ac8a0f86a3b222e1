/* shares.c - the share of each part in the whole. */
#include "view/shares.h"
#include "base/memory.h"

#include <stdlib.h>

pen_status pen_shares_create(const pen_machine *machine, int parts, pen_shares *shares)
{
    *shares = (pen_shares){ parts, NULL };
    if (!machine) return PEN_OK;
    PEN_TRY(PEN_ALLOC(&shares->before, (int64_t)parts + 1));
    shares->before[0] = 0.0;
    for (int p = 0; p < parts; p++) shares->before[p + 1] = shares->before[p] + machine->speeds[p];
    return PEN_OK;
}

void pen_shares_free(pen_shares *shares) { free(shares->before); }

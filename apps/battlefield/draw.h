/* draw.h - the picture of a field. */
#ifndef BATTLE_DRAW_H
#define BATTLE_DRAW_H

#include "apps/battlefield/scenario.h"

#include <stdio.h>

/* Local. The picture of one step as SVG: `presences`, `ledgers` and `owners`, the ranks, are indexed by hex. Without
 * owners (NULL) no borders of ranks are drawn. */
void pen_battle_draw(FILE *out, const scenario *plan, int64_t step, const presence *presences, const ledger *ledgers,
                     const int32_t *owners);

#endif

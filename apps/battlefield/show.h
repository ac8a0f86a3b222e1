/* show.h - what a battle has to show besides the table of its observables. */
#ifndef BATTLE_SHOW_H
#define BATTLE_SHOW_H

#include "apps/battlefield/battle.h"

/* For pen_app.output: a summary behind the last step. Collective. */
pen_status pen_battle_show(pen_run *run, int64_t step, void *params, FILE *out);

#endif

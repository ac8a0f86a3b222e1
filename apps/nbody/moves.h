/* moves.h - the phases of a step in which bodies move, and come to other leaves, which are split where they are too
 * many: drift; hop, once for each level: in which cell is a body now? call: who gets bodies reads those who have them;
 * settle. */
#ifndef NBODY_MOVES_H
#define NBODY_MOVES_H

#include "apps/nbody/records.h"

/* All Local. */
void pen_nbody_drift(const pen_view *v);
void pen_nbody_look_down(const pen_view *v, pen_wishes *wishes);
void pen_nbody_hop(const pen_view *v);
void pen_nbody_call(const pen_view *v, pen_changes *changes);
void pen_nbody_settle(const pen_view *v, pen_changes *changes);

#endif

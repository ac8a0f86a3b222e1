/* forces.h - the phases in which leaves see others: look, once for each level: what is close, and the forces of what is
 * far; connect: close leaves become neighbours, and what is no cell any more goes; pull: the forces of close bodies. */
#ifndef NBODY_FORCES_H
#define NBODY_FORCES_H

#include "apps/nbody/records.h"

/* All Local. */
void pen_nbody_want_open(const pen_view *v, pen_wishes *wishes);
void pen_nbody_look(const pen_view *v);
void pen_nbody_connect(const pen_view *v, pen_changes *changes);
void pen_nbody_pull(const pen_view *v);

#endif

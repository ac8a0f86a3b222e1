/* nbody_serial.h - what apps/nbody/nbody.h defines, by one process and as fast as plain C is: it shares the formulas
 * with the application, and no code. The tree is built anew in every step, level by level. Its cells are numbered as
 * bodies add them up, so that a leaf's walk, which keeps what is close in a set of bits, finds them in that order;
 * forces are computed for two bodies of a leaf at a time. All Local; the program ends where memory does. */
#pragma once

#include "apps/nbody/nbody.h"

typedef struct serial serial;

/* settings->bodies do not matter, and cube is given; *set is copied. serial_free frees it. */
serial *serial_create(const nbody *settings, const bodies_set *set);
void serial_free(serial *s);

/* false: a body has left the cube, or more than cell_max are in a cell of the deepest level. */
bool serial_step(serial *s);

/* As it is now, by numbers of bodies; far cells and close leaves, the sums over all leaves. */
typedef struct serial_view {
    const double *place[3], *velocity[3], *acceleration[3], *potential; /* [count] each */
    int64_t leaves, far, close;
} serial_view;
serial_view serial_look(const serial *s);

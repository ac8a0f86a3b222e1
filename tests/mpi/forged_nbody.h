/* forged_nbody.h - of forged_test: bodies, whose records have the names of others. */
#ifndef FORGED_NBODY_H
#define FORGED_NBODY_H

/* Collective. */
void test_nbody(void);

#endif

/* forged_nbody.h - of forged_test: bodies, whose records have the names of others. */
#pragma once

/* Collective. */
void test_nbody(void);

/* forged_nbody.h - bodies for forged_test, whose fields have the names of the application's. */
#pragma once

/* Collective. */
void test_nbody(void);

/* crowd.c - see crowd.h. */
#include "tests/support/crowd.h"
#include "base/event.h"
#include "tests/support/world.h"

crowd crowd_believed;

bool __wrap_pen_patience_is_crowded(pen_patience *patience);

bool __wrap_pen_patience_is_crowded(pen_patience *patience)
{
    static uint64_t state;
    if (state == 0) state = (uint64_t)(uintptr_t)patience->asleep; /* another sequence on each rank */
    patience->looked = INT64_MAX;
    patience->crowded = crowd_believed == CROWD_DRAWN && case_random(&state) >> 29 != 0;
    return patience->crowded;
}

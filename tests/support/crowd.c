/* crowd.c - see crowd.h. */
#include "tests/support/crowd.h"
#include "base/event.h"

crowd crowd_believed;

bool __wrap_pen_patience_is_crowded(pen_patience *patience);

bool __wrap_pen_patience_is_crowded(pen_patience *patience)
{
    static uint64_t state;
    if (state == 0) state = (uint64_t)(uintptr_t)patience->asleep; /* another sequence on each rank */
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    patience->looked = INT64_MAX;
    patience->crowded = crowd_believed == CROWD_DRAWN && state >> 62 != 0;
    return patience->crowded;
}

/* decision.c - decides when a watchdog reports a stall or ends the run. */
#include "debug/decision.h"

pen_decision pen_decide(pen_stall *stall, const pen_activity *now, int64_t elapsed)
{
    bool moved = now->moves != stall->last.moves, stepped = now->steps != stall->last.steps;
    int64_t idle_before = stall->idle;
    stall->last = *now;
    stall->idle = now->inside && !moved ? stall->idle + elapsed : 0;
    stall->in_step = now->stepping && !stepped ? stall->in_step + elapsed : 0;
    if (stall->step_limit > 0 && stall->in_step >= stall->step_limit) return PEN_DECISION_END;
    return idle_before < stall->report_after && stall->idle >= stall->report_after ? PEN_DECISION_REPORT
                                                                                   : PEN_DECISION_WAIT;
}

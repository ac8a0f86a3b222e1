/* decision_test.c - when a watchdog reports a host, and when it ends the run.
 * pen_test() */
#include "tests/support/unit.h"

#include "debug/decision.h"

enum { MINUTE = 60000 };

static const pen_activity inside = { .moves = 5, .steps = 3, .inside = true };
static const pen_activity stepping = { .moves = 5, .steps = 3, .inside = true, .stepping = true };

static pen_stall with_limit(int64_t limit) { return (pen_stall){ .report_after = 10 * MINUTE, .step_limit = limit }; }

/* So many minutes, look by look: the last decision, and how many were not to wait. */
static pen_decision after(pen_stall *stall, pen_activity now, int minutes, int *count)
{
    pen_decision last = PEN_DECISION_WAIT;
    for (int i = 0; i < minutes; i++) {
        last = pen_decide(stall, &now, MINUTE);
        *count += last != PEN_DECISION_WAIT;
    }
    return last;
}

TEST(is_reported_once)
{
    int count = 0;
    pen_stall stall = with_limit(0);
    pen_activity now = inside;
    pen_decide(&stall, &now, MINUTE); /* these moves are new */
    assert_int_equal(after(&stall, now, 9, &count), PEN_DECISION_WAIT);
    assert_int_equal(after(&stall, now, 1, &count), PEN_DECISION_REPORT);
    after(&stall, now, 10000, &count);
    assert_int_equal(count, 1);
    now.moves++;
    assert_int_equal(after(&stall, now, 10, &count), PEN_DECISION_WAIT);
    assert_int_equal(after(&stall, now, 1, &count), PEN_DECISION_REPORT);
    after(&stall, now, 10000, &count);
    assert_int_equal(count, 2);
}

TEST(others_are_left_alone)
{
    int count = 0;
    pen_stall stall = with_limit(MINUTE);
    pen_activity now = inside;
    after(&stall, (pen_activity){ .moves = 5, .steps = 3 }, 1000, &count); /* in the program's own code */
    for (int i = 0; i < 1000; i++) {
        now.moves++;
        after(&stall, now, 10, &count);
    }
    assert_int_equal(count, 0);
}

TEST(a_step_has_a_limit)
{
    int count = 0;
    pen_stall stall = with_limit(5 * MINUTE);
    pen_activity now = stepping;
    for (int i = 0; i < 1000; i++, now.steps++, now.moves++) after(&stall, now, 5, &count);
    assert_int_equal(count, 0);
    /* Moves within a step do not count. */
    after(&stall, now, 1, &count);
    for (int i = 0; i < 4; i++, now.moves++) after(&stall, now, 1, &count);
    assert_int_equal(count, 0);
    assert_int_equal(after(&stall, now, 1, &count), PEN_DECISION_END);
    /* If no rank is in a step, there is no limit. */
    now.stepping = false;
    assert_int_equal(after(&stall, now, 8, &count), PEN_DECISION_WAIT);
    now.stepping = true;
    assert_int_equal(after(&stall, now, 5, &count), PEN_DECISION_END);
}

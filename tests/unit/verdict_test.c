/* verdict_test.c - what a watch makes of what ranks have put up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "observe/verdict.h"

#include <limits.h>

static pen_verdict judged(pen_facts facts) { return pen_facts_judge(&facts); }

static void all_must_stand_still(void **state)
{
    (void)state;
    assert_int_equal(judged((pen_facts){ .waits = 3 }), PEN_VERDICT_STUCK);
    assert_int_equal(judged((pen_facts){ .waits = 3, .outside = 1 }), PEN_VERDICT_STUCK);
    assert_int_equal(judged((pen_facts){ .waits = 3, .moving = 1 }), PEN_VERDICT_FINE);
    assert_int_equal(judged((pen_facts){ .works = 1, .waits = 3, .moving = 1 }), PEN_VERDICT_FINE);
    assert_int_equal(judged((pen_facts){ .held = 1, .waits = 3, .moving = 1 }), PEN_VERDICT_FINE);
    assert_int_equal(judged((pen_facts){ .outside = 4 }), PEN_VERDICT_FINE);
    assert_int_equal(judged((pen_facts){ .outside = 4, .held = 1 }), PEN_VERDICT_FINE);
    assert_int_equal(judged(pen_facts_none), PEN_VERDICT_FINE);
}

static void who_works_or_is_held_is_waited_for(void **state)
{
    (void)state;
    assert_int_equal(judged((pen_facts){ .works = 1, .waits = 3 }), PEN_VERDICT_WORKS);
    assert_int_equal(judged((pen_facts){ .works = 4 }), PEN_VERDICT_WORKS);
    assert_int_equal(judged((pen_facts){ .works = 1, .held = 1, .waits = 3 }), PEN_VERDICT_WORKS);
    assert_int_equal(judged((pen_facts){ .held = 1, .waits = 3 }), PEN_VERDICT_HELD);
    assert_int_equal(judged((pen_facts){ .gone = 1, .moving = 3 }), PEN_VERDICT_GONE);
}

static void hosts_are_added(void **state)
{
    (void)state;
    pen_facts a = pen_facts_none, b = pen_facts_none;
    a.works = 2;
    a.a_worker = 5;
    b.works = b.held = b.gone = b.moving = b.waits = b.outside = 1;
    b.a_worker = 3;
    b.a_held = 4;
    b.a_gone = 6;
    pen_facts sum = pen_facts_sum(&a, &b);
    assert_int_equal(sum.works, 3);
    assert_int_equal(sum.held + 10 * sum.gone + 100 * sum.moving + 1000 * sum.waits + 10000 * sum.outside, 11111);
    assert_int_equal(sum.a_worker, 3);
    assert_int_equal(sum.a_held, 4);
    assert_int_equal(sum.a_gone, 6);
    assert_int_equal(pen_facts_sum(&a, &a).a_gone, INT32_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_must_stand_still),
        cmocka_unit_test(who_works_or_is_held_is_waited_for),
        cmocka_unit_test(hosts_are_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

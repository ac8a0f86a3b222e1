pen_test(exact_sum_test SOURCES unit/exact_sum_test.c)
pen_test(observation_test SOURCES unit/observation_test.c)
pen_test(trigger_test SOURCES unit/trigger_test.c)

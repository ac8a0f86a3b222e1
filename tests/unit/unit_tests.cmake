pen_test(exact_sum_test SOURCES unit/exact_sum_test.c)
pen_test(observation_test SOURCES unit/observation_test.c)
set(VIRTUAL support/virtual_peers.c support/virtual_world.c)
pen_test(virtual_test SOURCES unit/virtual_test.c ${VIRTUAL})

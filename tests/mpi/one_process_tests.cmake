# Ranks in one process, from a seed (support/one_process/one_process.h).
penumbra_one_process(heat)
penumbra_one_process(hex)

# Exploration: small runs with many interleavings.
add_executable(explore explore/explore.c explore/case.c)
target_link_libraries(explore PRIVATE pen_one_process penumbra pen_build pen_private pen_tests_headers)
# The simulator's own.
pen_test(one_process_test SOURCES unit/one_process_test.c)
target_link_libraries(one_process_test PRIVATE pen_one_process)

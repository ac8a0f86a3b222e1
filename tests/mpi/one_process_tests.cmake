# Ranks in one process, from a seed (support/one_process/one_process.h): the simulator's own tests, programs, and
# exploration.
pen_test(one_process_test SOURCES unit/one_process_test.c)
target_link_libraries(one_process_test PRIVATE pen_one_process)

# A program that is built so, with hosts, debugging and a fault (pen_one_process_test.sh).
foreach(program heat hex)
    penumbra_one_process(${program})
endforeach()
add_test(NAME one_process_program_test COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/one_process_program_test.sh
         ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
pen_test_properties(one_process_program_test 60)

# pen_explore(name depth seeds seconds ARGUMENT ...): so many seeds of each subject.
add_executable(explore explore/explore.c explore/case.c explore/app.c)
target_link_libraries(explore PRIVATE pen_one_process penumbra pen_build pen_private pen_tests_headers)
function(pen_explore name depth seeds seconds)
    add_test(NAME ${name} COMMAND explore --seeds=${seeds} ${ARGN})
    pen_test_properties(${name} ${seconds})
    set_property(TEST ${name} PROPERTY LABELS ${depth})
endfunction()
pen_explore(explore_test quick 20 30)
pen_explore(explore_test.many full 600 600 --first=1000)
pen_explore(explore_test.all nightly 100000 30000 --first=100000)

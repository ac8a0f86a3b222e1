# Unit tests under valgrind, which sees what sanitizers do not: what is decided by memory that nobody has written. Those
# that take minutes are nightly (depths.cmake).
find_program(VALGRIND valgrind)
set(broken 1)
if(VALGRIND)
    execute_process(COMMAND ${VALGRIND} -q --error-exitcode=9 true RESULT_VARIABLE broken OUTPUT_QUIET ERROR_QUIET)
endif()
if(broken)
    pen_absent_test(valgrind "no valgrind that works here")
    return()
endif()

# pen_valgrind_tests(TIMEOUT seconds TESTS name ...): of each, what ctest starts under that name without arguments.
function(pen_valgrind_tests)
    cmake_parse_arguments(VALGRIND "" "TIMEOUT" "TESTS" ${ARGN})
    foreach(name ${VALGRIND_TESTS})
        add_test(NAME valgrind.${name}
                 COMMAND ${VALGRIND} -q --error-exitcode=9 --leak-check=full --num-callers=40
                 --suppressions=${CMAKE_CURRENT_SOURCE_DIR}/support/valgrind.txt $<TARGET_FILE:${name}>)
        pen_test_properties(valgrind.${name} ${VALGRIND_TIMEOUT})
    endforeach()
endfunction()
pen_valgrind_tests(TIMEOUT 120 TESTS key_table_test trigger_test order_test nbody_tree_test random_test exact_sum_test
                   observation_test machine_test steer_test workload_test options_test pages_test prepare_test)
set(slow batch_test minex_limits_test minex_test nbody_oracle_test geometric_test shock_mesh_test
    virtual_test diffusive_levels_test diffusive_arrays_test diffusive_deal_test
    network_test pagrid_test nbody_bodies_test)
pen_valgrind_tests(TIMEOUT 1200 TESTS ${slow})
list(TRANSFORM slow PREPEND valgrind.)
set_property(TEST ${slow} PROPERTY LABELS nightly)

# What the transports ask of MPI, and what they do when the machine is slow.
target_link_options(counters_test PRIVATE -Wl,--wrap=pen_patience_is_crowded)

# All ranks on one core, and behind everything else that runs.
find_program(TASKSET taskset)
if(TASKSET)
    add_test(NAME run_test.one_core COMMAND ${TASKSET} -c 0 nice -n 19 ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 4
             $<TARGET_FILE:run_test> --quick)
    pen_test_properties(run_test.one_core 300)
    set_property(TEST run_test.one_core PROPERTY PROCESSORS 2)
else()
    pen_absent_test(run_test.one_core "no taskset to bind ranks to a core with")
endif()

# Nothing grows. tools/check --nightly asks for more steps; hence the time.
pen_mpi_test(soak_test ALONE SOURCES protocol/soak_test.c support/pmpi.c RANKS 1 2 4 TIMEOUT 900 ARGUMENTS 4000)
pen_holding_tests(soak_test.1 soak_test.2 soak_test.4)

# Ranks on other hosts.
if(PEN_OPEN_MPI)
    foreach(kind names network)
        add_test(NAME hosts_test.${kind} COMMAND ${CMAKE_COMMAND} -E env "MPIEXEC=${MPIEXEC_EXECUTABLE}"
                 ${CMAKE_CURRENT_LIST_DIR}/hosts_test.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${kind})
        pen_test_properties(hosts_test.${kind} 300)
        set_property(TEST hosts_test.${kind} PROPERTY PROCESSORS 2)
    endforeach()
endif()

if(NOT PEN_OPEN_MPI OR PEN_SANITIZE)
    return()
endif()
# The transports' synchronisation under all interleavings, and faults of it.
add_test(NAME model_test COMMAND ${CMAKE_CURRENT_LIST_DIR}/model_test.sh ${CMAKE_CURRENT_BINARY_DIR}/model)
pen_test_properties(model_test 300)

# Races between ranks in one process. The boxes that store into windows and load from them are compiled once
# more, for ThreadSanitizer; the others come from the library as they are.
set(probe ${CMAKE_BINARY_DIR}/probe_races)
file(WRITE ${probe}.c "int main(void) { return 0; }\n")
execute_process(COMMAND ${CMAKE_C_COMPILER} -fsanitize=thread -o ${probe} ${probe}.c RESULT_VARIABLE linked
                OUTPUT_QUIET ERROR_QUIET)
execute_process(COMMAND ${probe} RESULT_VARIABLE started OUTPUT_QUIET ERROR_QUIET)
if(linked OR started)
    pen_absent_test(race_test "no ThreadSanitizer that works here")
    return()
endif()

pen_test_program(race_test protocol/race_test.c)
target_link_libraries(race_test PRIVATE pen_one_process)
foreach(box store halo run loop)
    get_target_property(sources pen_${box} SOURCES)
    target_sources(race_test PRIVATE ${sources})
endforeach()
foreach(source event meeting) # what orders the ranks' memory
    target_sources(race_test PRIVATE ${CMAKE_SOURCE_DIR}/runtime/base/${source}.c)
endforeach()
target_include_directories(race_test PRIVATE ${METIS_INCLUDE_DIR} ${SCOTCH_INCLUDE_DIR})
target_compile_definitions(race_test PRIVATE PEN_CHECKING=1) # planes are poisoned
target_compile_options(race_test PRIVATE -O1 -g -fsanitize=thread)
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
    target_compile_options(race_test PRIVATE -Wno-tsan) # it knows no fences: those of passive stand beside messages
endif()
target_link_options(race_test PRIVATE -fsanitize=thread)
add_test(NAME race_test COMMAND race_test)
pen_test_properties(race_test 300)
set_tests_properties(race_test PROPERTIES PROCESSORS 2)
set_property(TEST race_test APPEND PROPERTY ENVIRONMENT TSAN_OPTIONS=halt_on_error=1)

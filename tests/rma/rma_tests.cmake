# What the transports ask of MPI, and what they do when the machine is slow.
# Many barriers: beside other work each takes as long as the scheduler likes.
pen_mpi_test(counters_test ALONE SOURCES rma/counters_test.c support/pmpi.c support/crowd.c TIMEOUT 180)
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
set(steps 20000)
if(NOT PEN_OPEN_MPI)
    set(steps 4000)
endif()
pen_mpi_test(soak_test ALONE SOURCES rma/soak_test.c support/pmpi.c RANKS 1 2 4 TIMEOUT 900 ARGUMENTS ${steps})
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

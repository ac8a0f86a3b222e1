# The depth of each test, which is its label. tools/check runs the quick ones, --full those and the full ones, --nightly
# also a share of the nightly ones: those of its night. What is decided for a test where it is declared stays so.
#
# quick: what a machine, its compiler or its MPI can break: one build, every unit test, the core on 3 ranks with every
# transport, and on 1 and 4 in one process, every program once against its oracle, the installed library from outside.
set(quick core.3 one_process.1 one_process.4 one_process_test one_process_program_test programs_test install_test)
# What takes a minute and more, or repeats much of another test: with more runs, or between hosts; the model of the
# protocol, whose rules change seldom; scripts of studies, which nothing else uses; and what compares times.
set(nightly soak_test.1 soak_test.2 machine_worlds_test.2000.2 migrate_test.1000.2 migrate_test.1000.3
    migrate_test.1000.4 fault_test.2 hosts_test.names model_test comm_hand_test.2 papers_readme_test one_sided_test
    python_program_test.3 one_process.3)
# In the first build also what other builds repeat by day (faults with sanitizers, growth with MPICH), or a test on
# another number of ranks, or a longer one at night; and the package, which has what install_test installs.
if(PEN_OPEN_MPI AND NOT PEN_SANITIZE)
    list(APPEND nightly soak_test.4 change_soak_test.1 change_soak_test.3 migrate_soak_test.1 migrate_soak_test.3
         observed_soak_test.1 observed_soak_test.2 machine_worlds_test.2 machine_shares_test.2 machine_shares_test.7
         machine_host_test.2 halves.2 halves.5 own_data.2 own_data.7 counters_test.1 counters_test.2 counters_test.4
         counters_test.7 handles_test.1 handles_test.2 handles_test.4 handles_test.7 run_crowded_test.2
         run_crowded_test.7 active_crowded_test.5 one_process.2 one_process.5 one_process.16
         fault_test.3 kills_test hosts_test.network network_delay_test pen_comm_test package_test)
endif()
if(TARGET pen_one_process AND NOT PEN_SANITIZE) # in one process they are quick
    list(APPEND nightly core.1 core.2 core.4 core.5 core.7 core.16)
endif()

# Other builds repeat what differs by sanitizers or by MPI: with few numbers of ranks, and where there are sanitizers,
# not with whole programs, whose code is tested in-process.
get_property(units GLOBAL PROPERTY PEN_UNITS)
get_property(launches GLOBAL PROPERTY PEN_LAUNCHES)
get_property(tests DIRECTORY PROPERTY TESTS)
foreach(test ${tests})
    get_property(depth TEST ${test} PROPERTY LABELS)
    if(depth)
        continue()
    endif()
    set(depth full)
    if(PEN_SANITIZE)
        if(test IN_LIST launches AND NOT test MATCHES "\\.3$" OR NOT test IN_LIST launches AND NOT test IN_LIST units)
            set(depth nightly)
        endif()
    elseif(NOT PEN_OPEN_MPI)
        if(test IN_LIST launches AND NOT test MATCHES "\\.[14]$")
            set(depth nightly)
        endif()
    elseif(test IN_LIST quick OR test IN_LIST units)
        set(depth quick)
    endif()
    if(test IN_LIST nightly)
        set(depth nightly)
    endif()
    set_property(TEST ${test} PROPERTY LABELS ${depth})
endforeach()
# Nightly tests take turns, in a week of nights, except those that take a share of themselves or draw something else.
file(STRINGS ${night} nights REGEX "^nights=")
string(REPLACE "nights=" "" nights ${nights})
math(EXPR last_night "${nights} - 1")
set(each_night mutants.drawn.1 mutants.drawn.2 mutants.written fatal_faults_test.all explore_test.10000 mail_test.2400)
set(depths)
set(next 0)
foreach(test ${tests})
    get_property(depth TEST ${test} PROPERTY LABELS)
    string(APPEND depths "${test} ${depth}\n")
    if(test IN_LIST each_night)
        foreach(turn RANGE ${last_night})
            set_property(TEST ${test} APPEND PROPERTY LABELS night${turn})
        endforeach()
    elseif(depth STREQUAL "nightly")
        set_property(TEST ${test} APPEND PROPERTY LABELS night${next})
        math(EXPR next "(${next} + 1) % ${nights}")
    endif()
endforeach()
file(WRITE ${CMAKE_BINARY_DIR}/depths.txt "${depths}")

# The programs of the quick tests, and of those that are full where there are sanitizers or another MPI: the rest need
# not be built.
get_property(alone GLOBAL PROPERTY PEN_ALONE)
add_custom_target(quick_tests)
add_dependencies(quick_tests core_tests penumbra penumbra_shared ${units})
if(TARGET pen_one_process)
    add_dependencies(quick_tests core_one_process explore heat_one_process hex_one_process)
endif()
add_custom_target(full_tests)
add_dependencies(full_tests core_tests ${units} ${alone} central_test repartition_test diffusive_test
                 diffusive_gather_test halves own_data wrong)
if(NOT PEN_OPEN_MPI)
    add_dependencies(full_tests still comma run_test graph_file_test yield_mpich)
endif()
if(TARGET pen_one_process)
    add_dependencies(full_tests explore)
endif()

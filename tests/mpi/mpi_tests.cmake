# What tests on several ranks, or their build, cannot say in their first lines. Some are launched in other ways, too:
# without mpirun, under the one-sided components of Open MPI, on a crowded machine, by scripts.
target_link_options(pages_test PRIVATE -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=free)
target_include_directories(partition_test PRIVATE ${METIS_INCLUDE_DIR})
set_property(TARGET run_test migrate_test graph_file_test PROPERTY EXCLUDE_FROM_ALL FALSE)
add_dependencies(battlefield_test pairwise)
pen_tool_test(battlefield_program_test ${CMAKE_SOURCE_DIR}/apps/battlefield)
pen_holding_tests(change_soak_test.1 change_soak_test.3 migrate_soak_test.1 migrate_soak_test.3 observed_soak_test.1
                  observed_soak_test.2 handles_test.1 handles_test.2 handles_test.3 handles_test.4 handles_test.7)

# Launches of its own: with and without mpirun, with other components, on emulated hosts.
if(PEN_OPEN_MPI)
    pen_test(prepare_test SOURCES unit/prepare_test.c)
    pen_test_program(environment_test mpi/environment_test.c)
    foreach(part user root)
        add_test(NAME environment_test.${part} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mpi/environment_test.sh
                 ${MPIEXEC_EXECUTABLE} $<TARGET_FILE:environment_test> ${part})
        pen_test_properties(environment_test.${part} 120)
        set_property(TEST environment_test.${part} PROPERTY PROCESSORS 2)
    endforeach()
endif()

# A program of somebody else's: public headers only.
add_executable(halves consumer/halves.c)
target_link_libraries(halves PRIVATE penumbra pen_build)
foreach(ranks 1 2 3 5)
    pen_launch(halves.${ranks} ${ranks} 60 $<TARGET_FILE:halves> --steps=12 --quiet --verify --migrate-random=5)
endforeach()
add_executable(noisy consumer/noisy.c) # for pen_sim_replay_test
target_link_libraries(noisy PRIVATE penumbra pen_build)
add_executable(own_data consumer/own_data.c)
target_link_libraries(own_data PRIVATE penumbra pen_build m)
foreach(ranks 1 2 3 7)
    pen_launch(own_data.${ranks} ${ranks} 60 $<TARGET_FILE:own_data>)
endforeach()

# As on a machine where other programs come and go.
pen_mpi_test(run_crowded_test ALONE SOURCES mpi/run_test.c support/crowd.c RANKS 2 4 7 TIMEOUT 60 ARGUMENTS --quick)
target_link_options(run_crowded_test PRIVATE -Wl,--wrap=pen_patience_is_crowded)
pen_mpi_test(active_crowded_test ALONE SOURCES mpi/active_test.c support/crowd.c RANKS 3 5 TIMEOUT 60)
target_link_options(active_crowded_test PRIVATE -Wl,--wrap=pen_patience_is_crowded)

# A thousand migrations of each graph, where no sanitizer makes them slow.
if(PEN_OPEN_MPI AND NOT PEN_SANITIZE)
    foreach(ranks 2 3 4)
        pen_launch(migrate_test.1000.${ranks} ${ranks} 300 $<TARGET_FILE:migrate_test> 1000)
    endforeach()
endif()

# pen_run_test_under(name MPI mpiexec's arguments WITH run_test's arguments)
function(pen_run_test_under name)
    cmake_parse_arguments(RUN "" "" "MPI;WITH" ${ARGN})
    add_test(NAME run_test.${name} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 3 ${RUN_MPI}
             $<TARGET_FILE:run_test>
             ${RUN_WITH})
    pen_test_properties(run_test.${name} 60)
    set_property(TEST run_test.${name} PROPERTY PROCESSORS 4)
endfunction()
if(PEN_OPEN_MPI)
    pen_run_test_under(osc_sm MPI --mca osc sm WITH --quick fence pscw passive shared)
    pen_run_test_under(osc_rdma MPI --mca osc rdma WITH --quick fence pscw passive)
    if(launcher MATCHES " 4\\.") # later ones have no pt2pt
        pen_run_test_under(osc_pt2pt MPI --mca osc pt2pt WITH fence pscw passive)
        pen_run_test_under(osc_pt2pt_tcp MPI --mca osc pt2pt --mca btl self,tcp
                           WITH --quick fence pscw passive blocking overlap
                           persistent neighbor)
    endif()
    pen_run_test_under(osc_ucx MPI --mca osc ucx --mca osc_ucx_tls any --mca osc_ucx_devices any
                       WITH --quick fence pscw passive)
    # Among UCX's threads the search for leaks itself dies now and then.
    set_property(TEST run_test.osc_ucx APPEND PROPERTY ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
    pen_run_test_under(osc_distribution MPI --mca osc ^ucx,pt2pt WITH --quick fence pscw passive shared)
endif()

add_test(NAME run_test.singleton COMMAND run_test)
pen_test_properties(run_test.singleton 60)

if(PEN_CHECKING)
    pen_mpi_test(poison_test SOURCES mpi/poison_test.c RANKS 1 3)
else()
    pen_test_program(poison_test mpi/poison_test.c) # mutants are built with checks by a flag of the compiler
endif()

# Threads inside a sweep.
find_package(OpenMP COMPONENTS C)
if(OpenMP_C_FOUND)
    pen_mpi_test(threads_test ALONE SOURCES mpi/threads_test.c RANKS 1 2
                 ARGUMENTS --generate=hex:20x20 --steps=20 --verify --quiet --migrate-random=3 --comm=overlap)
    target_link_libraries(threads_test PRIVATE OpenMP::OpenMP_C)
else()
    pen_absent_test(threads_test "this compiler has no OpenMP")
endif()

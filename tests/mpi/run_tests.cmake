# The core, for every transport; then under the one-sided components of Open MPI one by one, with the
# transports that they are for, and as a process without mpirun.
pen_mpi_test(run_test SOURCES mpi/run_test.c)
pen_mpi_test(migrate_test SOURCES mpi/migrate_test.c)
set_property(TARGET run_test migrate_test PROPERTY EXCLUDE_FROM_ALL FALSE) # launched in other ways, too
pen_mpi_test(change_test SOURCES mpi/change_test.c)
pen_mpi_test(change_refused_test SOURCES mpi/change_refused_test.c)
pen_mpi_test(change_soak_test ALONE SOURCES mpi/change_soak_test.c RANKS 1 3 TIMEOUT 600)
pen_holding_tests(change_soak_test.1 change_soak_test.3)
pen_mpi_test(active_random_test SOURCES mpi/active_random_test.c support/drawn_case.c support/drawn_program.c
             support/drawn_rules.c support/drawn_world.c)
pen_mpi_test(part_test ALONE SOURCES mpi/part_test.c RANKS 1 3) # has a part of its own
pen_mpi_test(record_test SOURCES mpi/record_test.c RANKS 1 2 3 5)
pen_mpi_test(put_test SOURCES mpi/put_test.c RANKS 1 2 3 5)
pen_mpi_test(output_test SOURCES mpi/output_test.c)
pen_mpi_test(edges_test SOURCES mpi/edges_test.c RANKS 1 2 3 5)
pen_mpi_test(input_test SOURCES mpi/input_test.c)
pen_mpi_test(input_files_test SOURCES mpi/input_files_test.c RANKS 1 2 3 7)
pen_mpi_test(nodes_test SOURCES mpi/nodes_test.c RANKS 1 2 3 5)
pen_mpi_test(places_test PROCESSES SOURCES mpi/places_test.c RANKS 1 2 3)
pen_mpi_test(advice_test PROCESSES SOURCES mpi/advice_test.c RANKS 1 2 3)
pen_mpi_test(input_places_test SOURCES mpi/input_places_test.c RANKS 1 2 3 7)
pen_mpi_test(ordering_test SOURCES mpi/ordering_test.c RANKS 1 2 3 5)
pen_mpi_test(embed_test SOURCES mpi/embed_test.c RANKS 1 2 3 5)
pen_mpi_test(message_test PROCESSES SOURCES mpi/message_test.c RANKS 2)
pen_mpi_test(own_graph_test SOURCES mpi/own_graph_test.c RANKS 1 2 3 5)
pen_mpi_test(checkpoint_test SOURCES mpi/checkpoint_test.c RANKS 1 2 3 5)
pen_mpi_test(checkpoint_refused_test PROCESSES SOURCES mpi/checkpoint_refused_test.c RANKS 1 3)
pen_mpi_test(keep_test SOURCES mpi/keep_test.c RANKS 1 2 3 5)
pen_mpi_test(active_test SOURCES mpi/active_test.c RANKS 1 2 3 5)
pen_mpi_test(mail_test SOURCES mpi/mail_test.c RANKS 1 2 3 5)
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
pen_mpi_test(migrate_soak_test ALONE SOURCES mpi/migrate_soak_test.c support/pmpi.c RANKS 1 3 TIMEOUT 600)
pen_holding_tests(migrate_soak_test.1 migrate_soak_test.3)

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
pen_mpi_test(strict_test SOURCES mpi/strict_test.c RANKS 1 2 3)
pen_mpi_test(list_test SOURCES mpi/list_test.c)
pen_mpi_test(observed_test SOURCES mpi/observed_test.c RANKS 1 2 3 5)
pen_mpi_test(globals_test SOURCES mpi/globals_test.c RANKS 1 2 3 5)
pen_mpi_test(set_globals_test SOURCES mpi/set_globals_test.c RANKS 1 2 3 4)
pen_mpi_test(observed_soak_test ALONE SOURCES mpi/observed_soak_test.c RANKS 1 2 TIMEOUT 600)
pen_holding_tests(observed_soak_test.1 observed_soak_test.2)
pen_mpi_test(handles_test ALONE SOURCES mpi/handles_test.c TIMEOUT 180)
pen_holding_tests(handles_test.1 handles_test.2 handles_test.3 handles_test.4 handles_test.7)

# What must not be called, or not so.
pen_mpi_test(misuse_test ALONE SOURCES mpi/misuse_test.c RANKS 1 3)

# Threads inside a block function.
find_package(OpenMP COMPONENTS C)
if(OpenMP_C_FOUND)
    pen_mpi_test(threads_test ALONE SOURCES mpi/threads_test.c RANKS 1 2
                 ARGUMENTS --grid=20x20 --steps=20 --verify --quiet --migrate-random=3 --comm=overlap)
    target_link_libraries(threads_test PRIVATE OpenMP::OpenMP_C)
else()
    pen_absent_test(threads_test "this compiler has no OpenMP")
endif()

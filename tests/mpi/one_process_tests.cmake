# Ranks in one process, from a seed (support/one_process/one_process.h): the simulator's own tests, programs, and
# exploration.
pen_test(one_process_test SOURCES unit/one_process_test.c)
target_link_libraries(one_process_test PRIVATE pen_one_process)

# A program that is built so, with hosts, debugging and a fault (one_process_program_test.sh).
foreach(program battlefield heat hex shock)
    penumbra_one_process(${program})
endforeach()
add_executable(clock_bench bench/clock.c)
target_link_libraries(clock_bench PRIVATE penumbra pen_build)
penumbra_one_process(clock_bench)
set(PEN_ONE_PROCESS "" CACHE STRING "C sources of a program of yours: own_one_process runs its ranks in one process")
if(PEN_ONE_PROCESS)
    add_executable(own EXCLUDE_FROM_ALL ${PEN_ONE_PROCESS})
    target_link_libraries(own PRIVATE penumbra)
    penumbra_one_process(own)
endif()
add_test(NAME one_process_program_test COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/one_process_program_test.sh
         ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
pen_test_properties(one_process_program_test 60)
add_test(NAME cluster_script_test COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/cluster_script_test.sh
         ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${CMAKE_SOURCE_DIR})
pen_test_properties(cluster_script_test 60)

# More ranks than tests have otherwise, on one host and on two.
add_test(NAME sparse_test.201 COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/support/one_process/batch_one.sh
         ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/core_one_process 201 sparse_test)
pen_test_properties(sparse_test.201 100)

# pen_explore(name depth seeds seconds ARGUMENT ...): so many seeds of each subject.
add_executable(explore explore/explore.c explore/case.c explore/app.c explore/drawn.c support/drawn_case.c
               support/drawn_program.c support/drawn_rules.c support/drawn_world.c)
target_link_libraries(explore PRIVATE pen_one_process penumbra pen_build pen_private pen_tests_headers)
function(pen_explore name depth seeds seconds)
    add_test(NAME ${name} COMMAND explore --seeds=${seeds} ${ARGN})
    pen_test_properties(${name} ${seconds})
    set_property(TEST ${name} PROPERTY LABELS ${depth})
endfunction()
if(PEN_SANITIZE)
    pen_explore(explore_test quick 5 60)
else()
    pen_explore(explore_test quick 20 30)
    pen_explore(explore_test.many full 100 100 --first=1000)
    # Each night has other seeds.
    add_test(NAME explore_test.10000 COMMAND ${night} sh -c "exec \"$0\" --seeds=10000 --first=$((NIGHT * 10000))"
             $<TARGET_FILE:explore>)
    pen_test_properties(explore_test.10000 4000)
    set_property(TEST explore_test.10000 PROPERTY LABELS nightly)
endif()

# Programs of mail, on 1 to 8 ranks of one host or two: others each night.
if(NOT PEN_SANITIZE)
    penumbra_one_process(mail_test)
    add_test(NAME mail_test.2400 COMMAND ${night} sh -c "for ranks in 1 2 3 4 5 6 7 8; do \"$0\" --stacks \
--ranks=$ranks --hosts=$((1 + ranks / 2 % 2)) --seed=$NIGHT $((NIGHT * 3000 + ranks * 300)) 300 || exit 1; done"
             $<TARGET_FILE:mail_test_one_process>)
    pen_test_properties(mail_test.2400 600)
    set_property(TEST mail_test.2400 PROPERTY LABELS nightly)
    # hex has the same checksums in another simulator, where that is installed.
    add_test(NAME smpi_test COMMAND sh -c "${need_python}; rm -rf \"$2\"; exec \"$0\" \"$@\""
             ${CMAKE_CURRENT_SOURCE_DIR}/bench/smpi.py ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
             ${CMAKE_CURRENT_BINARY_DIR}/smpi --hosts=4)
    pen_test_properties(smpi_test 900)
    set_property(TEST smpi_test PROPERTY LABELS nightly)
endif()

# What grows with the number of ranks: messages and bytes (bench/ranks.c).
add_executable(ranks_bench bench/ranks.c bench/bench.c)
target_link_libraries(ranks_bench PRIVATE pen_one_process penumbra pen_build pen_private pen_tests_headers)
target_compile_options(ranks_bench PRIVATE ${PEN_PER_RANK_OPTIONS})
foreach(name malloc calloc realloc free MPI_Isend MPI_Send MPI_Irecv MPI_Recv MPI_Mrecv MPI_Get MPI_Barrier MPI_Bcast
             MPI_Allreduce MPI_Exscan MPI_Allgather MPI_Gather MPI_Gatherv MPI_Scatter MPI_Scatterv MPI_Allgatherv
             MPI_Reduce MPI_Sendrecv MPI_Win_fence)
    target_link_options(ranks_bench PRIVATE -Wl,--wrap=${name})
endforeach()

# The tests themselves are tested: each deliberate fault has to be found. Each night tries a share of the written ones,
# and draws others. By day it is only looked whether each of the written ones stands where it would be put.
function(pen_mutants_test name timeout)
    add_test(NAME ${name}
             COMMAND ${CMAKE_COMMAND} -E env "CMAKE=${CMAKE_COMMAND}" "CTEST=${CMAKE_CTEST_COMMAND}"
             "GENERATOR=${CMAKE_GENERATOR}" "CC=${CMAKE_C_COMPILER}" "MPICC=${MPI_C_COMPILER}"
             "MPIEXEC=${MPIEXEC_EXECUTABLE}" ${ARGN})
    pen_test_properties(${name} ${timeout})
endfunction()
set(mutants ${CMAKE_CURRENT_SOURCE_DIR}/mutants)
set(copies ${CMAKE_CURRENT_BINARY_DIR})
pen_mutants_test(mutants 100 PART=0 ${mutants}/run.sh ${copies}/mutants)
pen_mutants_test(mutants_test 150 ${mutants}/mutants_test.sh ${copies}/mutants_test)
pen_mutants_test(mutants.written 10000 ${night} ${mutants}/run.sh ${copies}/mutants.written)
foreach(half 1 2) # next to each other
    pen_mutants_test(mutants.drawn.${half} 10000 ${night} sh -c "exec \"$0\" \"$@\" $NIGHT.${half}"
                     ${mutants}/drawn.sh ${copies}/mutants.drawn.${half} ${CMAKE_BINARY_DIR} 100)
endforeach()
set_property(TEST mutants.written mutants.drawn.1 mutants.drawn.2 PROPERTY LABELS nightly)

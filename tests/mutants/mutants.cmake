# The tests themselves are tested: each deliberate fault has to be found. A run tries a part of them that the
# commit's name chooses; the nightly one all, in four shares that run next to other tests.
function(pen_mutants_test name part timeout)
    add_test(NAME ${name}
             COMMAND ${CMAKE_COMMAND} -E env PART=${part} ${ARGN} "CMAKE=${CMAKE_COMMAND}"
             "CTEST=${CMAKE_CTEST_COMMAND}" "GENERATOR=${CMAKE_GENERATOR}" "CC=${CMAKE_C_COMPILER}"
             "MPICC=${MPI_C_COMPILER}" "MPIEXEC=${MPIEXEC_EXECUTABLE}" ${CMAKE_CURRENT_SOURCE_DIR}/mutants/run.sh
             ${CMAKE_CURRENT_BINARY_DIR}/${name})
    pen_test_properties(${name} ${timeout})
endfunction()
pen_mutants_test(mutants 96 900)
set_property(TEST mutants PROPERTY PROCESSORS 2)
foreach(share RANGE 1 4)
    pen_mutants_test(mutants.${share}.of.4 4 10000 SHARE=${share})
    set_property(TEST mutants.${share}.of.4 PROPERTY LABELS nightly)
endforeach()

# The tests themselves are tested: each deliberate fault has to be found. A run tries a part of them that the
# commit's name chooses; the nightly one all.
function(pen_mutants_test name part)
    add_test(NAME ${name}
             COMMAND ${CMAKE_COMMAND} -E env PART=${part} "CMAKE=${CMAKE_COMMAND}" "CTEST=${CMAKE_CTEST_COMMAND}"
             "GENERATOR=${CMAKE_GENERATOR}" "CC=${CMAKE_C_COMPILER}" "MPICC=${MPI_C_COMPILER}"
             "MPIEXEC=${MPIEXEC_EXECUTABLE}" ${CMAKE_CURRENT_SOURCE_DIR}/mutants/run.sh
             ${CMAKE_CURRENT_BINARY_DIR}/mutants)
    set_property(TEST ${name} PROPERTY PROCESSORS 2)
    set_property(TEST ${name} PROPERTY RESOURCE_LOCK mutants)
endfunction()
pen_mutants_test(mutants 96)
pen_test_properties(mutants 900)
pen_mutants_test(mutants.all 1)
pen_test_properties(mutants.all 20000)
set_property(TEST mutants.all PROPERTY LABELS nightly)

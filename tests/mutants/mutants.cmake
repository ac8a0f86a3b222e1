# The tests themselves are tested: each deliberate fault has to be found. A run tries a part of them that the
# commit's name chooses; all of them: tests/mutants/run.sh SCRATCH.
add_test(NAME mutants
         COMMAND ${CMAKE_COMMAND} -E env PART=48 "CMAKE=${CMAKE_COMMAND}" "CTEST=${CMAKE_CTEST_COMMAND}"
         "GENERATOR=${CMAKE_GENERATOR}" "CC=${CMAKE_C_COMPILER}" "MPICC=${MPI_C_COMPILER}"
         "MPIEXEC=${MPIEXEC_EXECUTABLE}" ${CMAKE_CURRENT_LIST_DIR}/run.sh ${CMAKE_CURRENT_BINARY_DIR}/mutants)
pen_test_properties(mutants 900)
set_property(TEST mutants PROPERTY PROCESSORS 2)

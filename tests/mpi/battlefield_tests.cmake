# The battle against a serial one, its rules and files, and the program as a user runs it.
pen_mpi_test(battlefield_test SOURCES mpi/battlefield_test.c ARGUMENTS ${CMAKE_BINARY_DIR}/lib)
target_link_libraries(battlefield_test PRIVATE pen_battlefield)
add_dependencies(battlefield_test pairwise)

# Checkpoints with records that cannot be.
pen_mpi_test(forged_test SOURCES mpi/forged_test.c mpi/forged_nbody.c RANKS 1 3)
target_link_libraries(forged_test PRIVATE pen_battlefield pen_shock pen_nbody)

pen_test(battlefield_rules_test SOURCES unit/battlefield_rules_test.c)
target_link_libraries(battlefield_rules_test PRIVATE pen_battlefield)
pen_tool_test(battlefield_program_test ${CMAKE_SOURCE_DIR}/apps/battlefield)

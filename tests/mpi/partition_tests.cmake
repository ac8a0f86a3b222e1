pen_mpi_test(partition_grid_test SOURCES mpi/partition_grid_test.c)

pen_mpi_test(partition_scotch_test PROCESSES SOURCES mpi/partition_scotch_test.c)
target_include_directories(partition_scotch_test PRIVATE ${SCOTCH_INCLUDE_DIR})
target_compile_definitions(partition_scotch_test PRIVATE PEN_PTSCOTCH=$<BOOL:${PEN_PTSCOTCH}>)
pen_mpi_test(architecture_host_test SOURCES mpi/architecture_host_test.c RANKS 1 3)
target_include_directories(architecture_host_test PRIVATE ${SCOTCH_INCLUDE_DIR})

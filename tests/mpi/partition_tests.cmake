pen_mpi_test(partition_grid_test SOURCES mpi/partition_grid_test.c)

pen_mpi_test(partition_scotch_test SOURCES mpi/partition_scotch_test.c)
target_include_directories(partition_scotch_test PRIVATE ${SCOTCH_INCLUDE_DIR})
target_compile_definitions(partition_scotch_test PRIVATE PEN_PTSCOTCH=$<BOOL:${PEN_PTSCOTCH}>)

pen_test(options_test SOURCES unit/options_test.c)
pen_mpi_test(sparse_test SOURCES mpi/sparse_test.c)

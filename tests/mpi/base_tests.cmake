pen_mpi_test(sparse_test SOURCES mpi/sparse_test.c)

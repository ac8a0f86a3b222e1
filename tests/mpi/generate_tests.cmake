pen_mpi_test(generate_more_test SOURCES mpi/generate_more_test.c)
pen_mpi_test(binary_test SOURCES mpi/binary_test.c)

pen_mpi_test(graph_make_test SOURCES mpi/graph_make_test.c)

pen_mpi_test(graph_file_test SOURCES mpi/graph_file_test.c)


pen_mpi_test(graph_make_test SOURCES mpi/graph_make_test.c)

pen_mpi_test(graph_file_test SOURCES mpi/graph_file_test.c)
set_property(TARGET graph_file_test PROPERTY EXCLUDE_FROM_ALL FALSE) # graph_collection_test launches it


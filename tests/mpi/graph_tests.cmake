pen_mpi_test(graph_make_test SOURCES mpi/graph_make_test.c)

# Besides its own cases the test reads a collection of graphs, where there is one: $PEN_DATA, or the
# folder shared/data beside the source tree.
set(PEN_GRAPH_COLLECTION ${CMAKE_SOURCE_DIR}/../shared/data)
if(NOT EXISTS ${PEN_GRAPH_COLLECTION})
    set(PEN_GRAPH_COLLECTION)
endif()
pen_mpi_test(graph_file_test SOURCES mpi/graph_file_test.c ARGUMENTS ${PEN_GRAPH_COLLECTION})


# Bodies under gravity against a serial computation.
pen_mpi_test(nbody_test SOURCES mpi/nbody_test.c)
target_link_libraries(nbody_test PRIVATE pen_nbody)
